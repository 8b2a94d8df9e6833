/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: counters. First one alone, then sets, which are counters that are switched
 * and read together. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "assay.h"
#include "events/event.h"

/* --- One counter: whether it can be opened, and what its numbers mean --- */

/* Can the calling thread open it, alone? 0 or negative errno. Nothing stays open. */
int counter_try_open(const struct event *event);

/* What the operating system reports for one counter, or the difference of two such reports. */
struct counter_report {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
};

/* count * enabled / running in 128 bits: no product is cut off, whatever the times are. 0 when it
 * never ran. */
double counter_scale(const struct counter_report *report);
enum assay_state counter_state(const struct counter_report *report);

/* --- A set of counters --- */

struct set_member {
    struct event event;
    int error;    /* positive errno, 0 when open */
    char *reason; /* NULL when open */
};

/* What a read delivers, in the operating system's order: a single counter's count and times, or a
 * group's number of members, times, and one count per member. */
enum { SINGLE_COUNT, SINGLE_ENABLED, SINGLE_RUNNING, SINGLE_WORDS };
enum { GROUP_MEMBERS, GROUP_ENABLED, GROUP_RUNNING, GROUP_COUNTS };

/* Invariants: reader comes first (assay.h reads through it); descriptors[i] is -1 exactly when
 * members[i].error is not 0. In a group the leader is the first open member, the others follow it
 * in the order of members, and the operating system reports them in that order. Siblings are
 * enabled from the start and follow their leader, so one system call switches the whole group. */
struct assay_set {
    struct assay_reader reader;
    size_t count;
    size_t open;  /* members that are open */
    bool grouped; /* read by one system call at the leader */
    int leader;   /* descriptor, -1 when no member is open */
    int descriptors[ASSAY_MAX_COUNTERS];
    struct counter_report start[ASSAY_MAX_COUNTERS]; /* what counts as zero since the last reset */
    struct set_member members[ASSAY_MAX_COUNTERS];
};

/* As assay_set_open; prepare (or NULL) changes what every event asks for before any is opened. When
 * it fails nothing is opened, and the set is NULL. */
typedef int set_prepare(struct event *event, struct failure *failure);
int set_open(struct assay_set **result, const char *const *events, size_t count, unsigned flags,
             set_prepare *prepare);

/* Remembers the sentence for assay_last_error and returns code. */
int set_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct failure *set_failure(void);

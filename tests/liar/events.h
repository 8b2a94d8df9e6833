/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The events that processes have opened through the liar, their true counts, and what was shown of
 * them. Real ones are counted by the machine; emulated ones by stepping, or where stepping is not
 * wanted (a process that only tries whether anything counts) by the clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/perf_event.h>

#include "lies.h"
#include "stepping.h"

#define EVENTS_MOST 256 /* open at once, in all processes */
#define GROUP_MOST  64

struct event {
    bool used;
    pid_t process, task;
    int descriptor;
    struct perf_event_attr attr;
    struct event *leader; /* itself when it leads */
    bool is_emulated, is_lied_about;
    double kernel; /* emulated: what the operating system executes in a call counts so often */
    bool enabled;  /* as asked for; it counts while its leader is, too */
    /* Emulated: */
    bool counting, by_clock;
    struct steps from;    /* when counting began */
    uint64_t from_faults; /* of the task */
    uint64_t from_time;   /* ns */
    struct span sum;      /* until counting last ended */
    /* What the process was told: */
    struct span seen; /* true sums at the last read */
    uint64_t shown, shown_running;
    struct lie_memory memory;
};

struct events {
    struct event list[EVENTS_MOST];
    uint64_t switches; /* of all tasks that were stepped, as far as events saw them */
};

/* A place for a new event of this process: it has a descriptor that is free there. What has been
 * closed since the last call is forgotten. NULL: no room. */
struct event *events_new(struct events *events, pid_t process, bool emulated);
struct event *events_find(struct events *events, pid_t process, int descriptor);
/* Any event of the task that liar counts itself? */
bool events_emulated(const struct events *events, pid_t task);
/* The members of the event's group in the order in which they were opened, itself first. */
size_t events_group(struct events *events, struct event *leader, struct event **members,
                    size_t room);

/* Begins or ends the counting of all emulated events of a task, as `enabled` says now. 0 or a
 * negative errno. */
int events_settle(struct events *events, struct stepping *stepping, pid_t task);
/* True sums of an emulated event until now. */
struct span event_truth(const struct event *event, const struct stepping *stepping);

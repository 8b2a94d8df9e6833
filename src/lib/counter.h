/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * One counter: opening it, and what its numbers mean. Shared by the library's sets and the probe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "assay.h"
#include "events/event.h"

struct counter_options {
    pid_t pid; /* 0: the calling thread */
    int cpu;   /* -1: wherever that thread runs */
    int group; /* descriptor of the group's leader, -1: none */
    uint64_t read_format;
    bool disabled;
    bool inherit;
    bool pinned; /* in addition to the event's own :D */
};

/* A descriptor (closed on exec) or negative errno. */
int counter_open(const struct event *event, const struct counter_options *options);

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

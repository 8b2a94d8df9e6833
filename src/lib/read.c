/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reading a set: one bare system call for a group, one per counter otherwise, and little else,
 * because what the library adds to the call is error in the caller's measurement. */
#include <errno.h>
#include <string.h>

#include "lib/set.h"
#include "syscall.h"

/* What a read delivers, in the order of the operating system. */
struct single_report {
    uint64_t count, enabled_ns, running_ns;
};
struct group_report {
    uint64_t members, enabled_ns, running_ns;
    uint64_t counts[ASSAY_MAX_COUNTERS];
};

static __attribute__((noinline, cold)) int read_failed(const struct assay_set *set, size_t i,
                                                       long got)
{
    int error = got < 0 ? (int)got : -EIO;
    return set_fail(error, "cannot read %s: %s", set->members[i].event.name, strerror(-error));
}

static inline void deliver(const struct counter_report *start, uint64_t count, uint64_t enabled,
                           uint64_t running, struct assay_value *value)
{
    struct counter_report now = {count - start->count, enabled - start->enabled_ns,
                                 running - start->running_ns};
    value->count = now.count;
    value->enabled_ns = now.enabled_ns;
    value->running_ns = now.running_ns;
    if (now.running_ns == now.enabled_ns) {
        value->state = ASSAY_COUNTED;
        value->scaled = (double)now.count;
    } else {
        value->state = counter_state(&now);
        value->scaled = counter_scale(&now);
    }
}

/* A pinned event that lost its counter reports nothing any more: end of file. */
static void deliver_nothing(struct assay_value *value, enum assay_state state)
{
    *value = (struct assay_value){.state = state};
}

static int read_group(const struct assay_set *set, struct assay_value *values)
{
    struct group_report report;
    size_t size = (3 + set->open) * sizeof(uint64_t), slot = 0;
    long got = assay_syscall3(SYS_read, set->leader, (long)(uintptr_t)&report, (long)size);
    if (got != (long)size && got != 0)
        return read_failed(set, 0, got);
    for (size_t i = 0; i < set->count; i++) {
        if (set->descriptors[i] < 0)
            deliver_nothing(&values[i], ASSAY_UNSUPPORTED);
        else if (got == 0)
            deliver_nothing(&values[i], ASSAY_UNSCHEDULED);
        else
            deliver(&set->start[i], report.counts[slot++], report.enabled_ns, report.running_ns,
                    &values[i]);
    }
    return 0;
}

static int read_separate(const struct assay_set *set, struct assay_value *values)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->descriptors[i] < 0) {
            deliver_nothing(&values[i], ASSAY_UNSUPPORTED);
            continue;
        }
        struct single_report report;
        long got =
            assay_syscall3(SYS_read, set->descriptors[i], (long)(uintptr_t)&report, sizeof(report));
        if (got == sizeof(report))
            deliver(&set->start[i], report.count, report.enabled_ns, report.running_ns, &values[i]);
        else if (got == 0)
            deliver_nothing(&values[i], ASSAY_UNSCHEDULED);
        else
            return read_failed(set, i, got);
    }
    return 0;
}

int assay_set_read(struct assay_set *set, struct assay_value *values)
{
    return set->grouped && set->open ? read_group(set, values) : read_separate(set, values);
}

/* The operating system's own reset leaves the times and the counts of ended children alone; what
 * was reported until now is remembered and subtracted instead, which covers all three. */
int assay_set_reset(struct assay_set *set)
{
    struct assay_value values[ASSAY_MAX_COUNTERS];
    int error = assay_set_read(set, values);
    for (size_t i = 0; i < set->count && !error; i++) {
        set->start[i].count += values[i].count;
        set->start[i].enabled_ns += values[i].enabled_ns;
        set->start[i].running_ns += values[i].running_ns;
    }
    return error;
}

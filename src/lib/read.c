/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Reading a set: one system call for a group, one per counter otherwise, and little else, because
 * what the library adds to the call is error in the caller's measurement. Where it can, assay.h
 * makes the call in the caller's own code and leaves only the arithmetic to this file. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <string.h>

#include "lib/set.h"
#include "syscall.h"

void set_prepare_reader(struct assay_set *set)
{
    bool one_call = set->open && (set->grouped || set->count == 1);
    size_t words = set->grouped ? GROUP_COUNTS + set->open : SINGLE_WORDS;
    set->reader.descriptor = one_call ? set->leader : -1;
    set->reader.size = (unsigned)(words * sizeof(uint64_t));
}

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
    if (__builtin_expect(now.running_ns == now.enabled_ns, 1)) {
        value->state = ASSAY_COUNTED;
        value->scaled = (double)now.count;
    } else {
        value->state = counter_state(&now);
        value->scaled = counter_scale(&now);
    }
}

static void deliver_nothing(struct assay_value *value, enum assay_state state)
{
    *value = (struct assay_value){.state = state};
}

static void take_single(const struct assay_set *set, size_t i, const uint64_t *report,
                        struct assay_value *value)
{
    deliver(&set->start[i], report[SINGLE_COUNT], report[SINGLE_ENABLED], report[SINGLE_RUNNING],
            value);
}

static void take_group(const struct assay_set *set, struct assay_value *values)
{
    const uint64_t *report = set->reader.report, *count = report + GROUP_COUNTS;
    for (size_t i = 0; i < set->count; i++) {
        if (set->descriptors[i] >= 0)
            deliver(&set->start[i], *count++, report[GROUP_ENABLED], report[GROUP_RUNNING],
                    &values[i]);
        else
            deliver_nothing(&values[i], ASSAY_UNSUPPORTED);
    }
}

/* A pinned event that lost its counter reports nothing any more: end of file. */
static void take_nothing(const struct assay_set *set, struct assay_value *values)
{
    for (size_t i = 0; i < set->count; i++)
        deliver_nothing(&values[i],
                        set->descriptors[i] < 0 ? ASSAY_UNSUPPORTED : ASSAY_UNSCHEDULED);
}

int assay_set_take(struct assay_set *set, long got, struct assay_value *values)
{
    if (__builtin_expect(got != (long)set->reader.size, 0)) {
        if (got)
            return read_failed(set, 0, got);
        take_nothing(set, values);
    } else if (set->grouped) {
        take_group(set, values);
    } else {
        take_single(set, 0, set->reader.report, values);
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
        uint64_t report[SINGLE_WORDS] = {0};
        long got =
            assay_syscall3(SYS_read, set->descriptors[i], (long)(uintptr_t)report, sizeof(report));
        if (got == sizeof(report))
            take_single(set, i, report, &values[i]);
        else if (got == 0)
            deliver_nothing(&values[i], ASSAY_UNSCHEDULED);
        else
            return read_failed(set, i, got);
    }
    return 0;
}

int assay_set_read(struct assay_set *set, struct assay_value *values)
{
    if (set->reader.descriptor < 0)
        return read_separate(set, values);
    long got = assay_syscall3(SYS_read, set->reader.descriptor, (long)(uintptr_t)set->reader.report,
                              (long)set->reader.size);
    return assay_set_take(set, got, values);
}

/* The operating system's own reset leaves the times and the counts of ended children alone; what
 * was reported until now is remembered and subtracted instead, which covers all three. */
int assay_set_reset(struct assay_set *set)
{
    struct assay_value values[ASSAY_MAX_COUNTERS] = {0};
    int error = assay_set_read(set, values);
    for (size_t i = 0; i < set->count && !error; i++) {
        set->start[i].count += values[i].count;
        set->start[i].enabled_ns += values[i].enabled_ns;
        set->start[i].running_ns += values[i].running_ns;
    }
    return error;
}

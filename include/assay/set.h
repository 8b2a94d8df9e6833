/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Sets: events counted as one, switched on and off and read. Part of assay.h.
 *
 *     struct assay_set *set;
 *     const char *events[] = {"page-faults:u", "instructions:u"};
 *     if (assay_set_open(&set, events, 2, 0) < 0)
 *         ...
 *     assay_set_enable(set);
 *     work();
 *     assay_set_disable(set);
 *     struct assay_value values[2];
 *     assay_set_read(set, values);
 *     assay_set_close(set);
 *
 * An event that cannot be counted does not spoil the set: its value says `unsupported`, and
 * assay_set_reason says why in words. Functions return 0 or a negative errno. A set belongs to
 * the thread that opened it and counts that thread. Needs libc only. */
#ifndef ASSAY_SET_H
#define ASSAY_SET_H

#include "interface.h"
#if ASSAY_IN_PLACE
#include "system-call.h"
#endif

#define ASSAY_MAX_COUNTERS 32

#ifdef __cplusplus
extern "C" {
#endif

struct assay_set;

struct assay_value {
    uint64_t count;      /* as the operating system reported it */
    uint64_t enabled_ns; /* how long it was enabled */
    uint64_t running_ns; /* how long it was really counting */
    double scaled;       /* count * enabled / running; equals count when counted */
    enum assay_state state;
};

enum assay_flags {
    ASSAY_SEPARATE = 1, /* every event on its own instead of as one group */
    ASSAY_PINNED = 2,   /* must always be on a counter (group leader pinned) */
    ASSAY_INHERIT = 4,  /* count children too; implies ASSAY_SEPARATE */
};

/* Opens count events (at most ASSAY_MAX_COUNTERS) for the calling thread, disabled and at zero.
 * Malformed or unknown names fail the call: -EINVAL, -ENOENT, with the text in
 * assay_last_error(). Events the machine refuses, or whose description may not be
 * read (tracepoints, where tracefs is closed), become `unsupported` members. */
ASSAY_API int assay_set_open(struct assay_set **set, const char *const *events, size_t count,
                             unsigned flags);
ASSAY_API void assay_set_close(struct assay_set *set);

ASSAY_API int assay_set_enable(struct assay_set *set);
ASSAY_API int assay_set_disable(struct assay_set *set);
ASSAY_API int assay_set_reset(struct assay_set *set);

/* Fills one value per event, in the order they were opened. Where the ISA is known the system call
 * stands in the caller's own code (see the end of this file). A function would make the call and
 * then return: the kernel's own calls have overwritten the CPU's return stack by then, so that
 * return is mispredicted, and a mispredicted return can make the next system call more
 * expensive (1.4 times on an AMD Zen 4 whose kernel reports "Safe RET"). The function itself
 * is exported for other languages. */
ASSAY_API int assay_set_read(struct assay_set *set, struct assay_value *values);

ASSAY_API size_t assay_set_size(const struct assay_set *set);
ASSAY_API const char *assay_set_event(const struct assay_set *set, size_t index);

/* 0 when the event is open, else the positive errno and a sentence saying why and what to do. */
ASSAY_API int assay_set_error(const struct assay_set *set, size_t index);
ASSAY_API const char *assay_set_reason(const struct assay_set *set, size_t index);

/* --- reading in place: not part of the interface, may change between versions --- */

/* The beginning of every set. */
struct assay_reader {
    int descriptor; /* one read here delivers all; -1: there is no such descriptor */
    unsigned size;  /* bytes it delivers */
    uint64_t report[3 + ASSAY_MAX_COUNTERS];
};

/* Turns what a read left in `report` into values; got is the system call's result. */
ASSAY_API int assay_set_take(struct assay_set *set, long got, struct assay_value *values);

#if ASSAY_IN_PLACE

ASSAY_INLINE int assay_set_read_in_place(struct assay_set *set, struct assay_value *values)
{
    struct assay_reader *reader = (struct assay_reader *)(void *)set;
    if (reader->descriptor < 0)
        return assay_set_read(set, values);
    return assay_set_take(
        set, assay_read_in_place(reader->descriptor, reader->report, reader->size), values);
}
#define assay_set_read(set, values) assay_set_read_in_place(set, values)

#endif

#ifdef __cplusplus
}
#endif
#endif

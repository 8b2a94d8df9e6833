/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * libassay: count events in your own process and know what each number is worth.
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
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_VERSION_MAJOR 0
#define ASSAY_VERSION_MINOR 1
#define ASSAY_MAX_COUNTERS  32

#define ASSAY_API __attribute__((visibility("default")))

struct assay_set;

/* What a value is. */
enum assay_state {
    ASSAY_COUNTED,     /* the counter ran all the time it was enabled */
    ASSAY_MULTIPLEXED, /* it ran part of the time: `scaled` extrapolates, `count` does not */
    ASSAY_UNSCHEDULED, /* it was enabled but never got a counter: the zero means nothing */
    ASSAY_UNSUPPORTED, /* it could not be opened: see assay_set_reason */
};

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
 * assay_last_error(). Events the machine refuses become `unsupported` members. */
ASSAY_API int assay_set_open(struct assay_set **set, const char *const *events, size_t count,
                             unsigned flags);
ASSAY_API void assay_set_close(struct assay_set *set);

ASSAY_API int assay_set_enable(struct assay_set *set);
ASSAY_API int assay_set_disable(struct assay_set *set);
ASSAY_API int assay_set_reset(struct assay_set *set);

/* Fills one value per event, in the order they were opened. */
ASSAY_API int assay_set_read(struct assay_set *set, struct assay_value *values);

ASSAY_API size_t assay_set_size(const struct assay_set *set);
ASSAY_API const char *assay_set_event(const struct assay_set *set, size_t index);

/* 0 when the event is open, else the positive errno and a sentence saying why and what to do. */
ASSAY_API int assay_set_error(const struct assay_set *set, size_t index);
ASSAY_API const char *assay_set_reason(const struct assay_set *set, size_t index);

ASSAY_API const char *assay_state_name(enum assay_state state);

/* The text of this thread's last failed call; "" when none failed. */
ASSAY_API const char *assay_last_error(void);

#ifdef __cplusplus
}
#endif
#endif

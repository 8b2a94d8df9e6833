/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The clock: the CPU's counter of time where it is dependable, else the operating system's, and
 * nanoseconds with an error bound. Part of assay.h.
 *
 *     uint64_t from = assay_clock_begin();
 *     work();
 *     uint64_t to = assay_clock_end();
 *     struct assay_span span;
 *     assay_clock_span(from, to, &span);    // span.ns, at most span.error_ns wrong
 *
 * Any thread may use it at any time; the first use chooses the clock, which takes some milliseconds
 * unless assay_clock_prepare was called before. Signal handlers may use it once it is chosen.
 *
 * A nanosecond is one of CLOCK_MONOTONIC_RAW, to which the counter's rate is held. By how much the
 * operating system's own second is wrong nobody inside the machine can tell; no bound has it. */
#ifndef ASSAY_CLOCK_H
#define ASSAY_CLOCK_H

#include "counter-in-place.h"
#include "interface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A moment: everything before the call is done (begin: and nothing after it has begun). */
ASSAY_API uint64_t assay_clock_begin(void);
ASSAY_API uint64_t assay_clock_end(void);
/* The cheapest reading: the CPU may move it among the instructions around it. */
ASSAY_API uint64_t assay_clock_now(void);

struct assay_span {
    double ns;
    double error_ns; /* the true time between the moments is within ns ± this: what a reading
                        costs, the steps in which the clock moves, and what is not known of its
                        rate, which becomes less as the process runs */
};
/* From two moments; of any two threads where assay_clock_shared() says so. -ERANGE, and a negative
 * span, when the second was before the first. */
ASSAY_API int assay_clock_span(uint64_t from, uint64_t to, struct assay_span *span);

ASSAY_API int assay_clock_prepare(void);
/* "tsc", "cntvct", "rdtime"; "CLOCK_MONOTONIC_RAW" where the counter is not dependable. */
ASSAY_API const char *assay_clock_name(void);
/* Why it is not the CPU's counter; "" when it is. */
ASSAY_API const char *assay_clock_reason(void);
/* Ticks of assay_clock_now a second, and by how much that may be wrong, as a fraction (may be
 * NULL). */
ASSAY_API double assay_clock_rate(double *error);
/* Do all CPUs show the same, as the operating system says now? */
ASSAY_API int assay_clock_shared(void);

/* --- in place: not part of the interface, may change between versions --- */

/* Not 0: moments are readings of the CPU's counter. 0: they are not, or nothing is chosen yet. */
extern ASSAY_API int assay_clock_in_place;

#if ASSAY_IN_PLACE && defined(ASSAY_COUNTER_NAME)

ASSAY_INLINE uint64_t assay_clock_begin_in_place(void)
{
    return __atomic_load_n(&assay_clock_in_place, __ATOMIC_RELAXED) ? assay_counter_begin()
                                                                    : assay_clock_begin();
}

ASSAY_INLINE uint64_t assay_clock_end_in_place(void)
{
    return __atomic_load_n(&assay_clock_in_place, __ATOMIC_RELAXED) ? assay_counter_end()
                                                                    : assay_clock_end();
}

ASSAY_INLINE uint64_t assay_clock_now_in_place(void)
{
    return __atomic_load_n(&assay_clock_in_place, __ATOMIC_RELAXED) ? assay_counter_now()
                                                                    : assay_clock_now();
}

#define assay_clock_begin() assay_clock_begin_in_place()
#define assay_clock_end()   assay_clock_end_in_place()
#define assay_clock_now()   assay_clock_now_in_place()
#endif

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The clock: choosing it, reading it, and from its ticks to nanoseconds with an error bound. */
#define ASSAY_NO_INLINE
#include <time.h>

#include "assay.h"

uint64_t assay_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t assay_clock_begin(void)
{
    return assay_clock_now();
}

uint64_t assay_clock_end(void)
{
    return assay_clock_now();
}

int assay_clock_span(uint64_t from, uint64_t to, struct assay_span *span)
{
    *span = (struct assay_span){.ns = (double)(to - from)};
    return 0;
}

int assay_clock_prepare(void)
{
    return 0;
}

const char *assay_clock_name(void)
{
    return "CLOCK_MONOTONIC_RAW";
}

const char *assay_clock_reason(void)
{
    return "";
}

double assay_clock_rate(double *error)
{
    *error = 0;
    return 1e9;
}

int assay_clock_shared(void)
{
    return 1;
}

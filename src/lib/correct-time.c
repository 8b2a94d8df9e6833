/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * How long a region took: what the system call told of it, or its ticks by the clock's rate. */
#define ASSAY_NO_INLINE
#include <string.h>

#include "lib/calipers.h"

/* perf_event's own clock and CLOCK_MONOTONIC_RAW are made of one counter with numbers rounded apart
 * from each other. */
#define ROUNDED_APART 1e-6

uint64_t time_reading(const struct assay_calipers *calipers, const struct region_reading *reading)
{
    return calipers->time.kind == CALIPER_CALL ? reading->enabled_ns : reading->ticks;
}

void time_in_ns(const struct assay_count *count, double ticks_a_ns, double error,
                struct assay_duration *time)
{
    double ns = count->corrected / ticks_a_ns;
    time->ns = ns;
    time->uncertainty = count->uncertainty / ticks_a_ns + (ns < 0 ? -ns : ns) * error;
    time->state = count->state;
}

void correct_time(const struct assay_calipers *calipers, const struct region_reading *reading,
                  struct assay_duration *time)
{
    struct assay_count count;
    double error = ROUNDED_APART, ticks_a_ns = 1;
    correct_measure(calipers, &calipers->time, time_reading(calipers, reading), reading, &count);
    if (count.state == ASSAY_COUNTED && calipers->time.kind == CALIPER_TICKS) {
        ticks_a_ns = assay_clock_rate(&error) * 1e-9;
        if (strcmp(assay_clock_reason(), "") != 0) /* it is another clock after all */
            count.state = ASSAY_UNSUPPORTED;
    }
    if (count.state != ASSAY_COUNTED)
        *time = (struct assay_duration){0, __builtin_inf(), ASSAY_UNSUPPORTED};
    else
        time_in_ns(&count, ticks_a_ns, error, time);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From what was read to a count with its error bar. Pure. */
#define ASSAY_NO_INLINE
#include <stdio.h>
#include <stdlib.h>

#include "lib/calipers.h"

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void null_figures_of(double *values, size_t count, struct null_figures *figures)
{
    qsort(values, count, sizeof(*values), by_value);
    figures->middle = values[count / 2];
    figures->low = values[count / 40];
    figures->high = values[count - 1 - count / 40];
}

void correct_count(const struct assay_calipers *calipers, size_t index,
                   const struct region_reading *reading, struct assay_count *count)
{
    const struct caliper *event = &calipers->events[index];
    const struct null_figures *null = event->null;
    *count = (struct assay_count){.raw = reading->raw[index], .noticed = reading->noticed};
    if (event->kind == CALIPER_ABSENT || !reading->counted) {
        count->state = ASSAY_UNSUPPORTED;
        return;
    }
    double inside = (double)reading->children * null[ASSAY_NULL_PAIR].middle +
                    (double)reading->named * null[ASSAY_NULL_NAMED].middle;
    double raw = (double)count->raw;
    count->corrected = raw - null[ASSAY_NULL_ALONE].middle - inside;
    count->low = raw - null[ASSAY_NULL_ALONE].high - inside;
    count->high = raw - null[ASSAY_NULL_ALONE].low - inside;
    double up = count->high - count->corrected, down = count->corrected - count->low;
    count->uncertainty = up > down ? up : down;
    if (!calipers->calibrated)
        count->noticed |= ASSAY_NOT_CALIBRATED;
}

void correct_time(const struct assay_calipers *calipers, const struct region_reading *reading,
                  struct assay_time *time)
{
    *time = (struct assay_time){.state = ASSAY_UNSUPPORTED};
    if (calipers->path == ASSAY_PATH_READ && reading->counted) {
        time->ns = (double)reading->enabled_ns - calipers->time.null[ASSAY_NULL_ALONE].middle;
        time->state = ASSAY_COUNTED;
    }
}

int assay_calipers_overhead(const struct assay_calipers *calipers, size_t index,
                            struct assay_overhead *overhead)
{
    *overhead = (struct assay_overhead){0};
    if (index >= calipers->count)
        return -22;
    const struct null_figures *null = calipers->events[index].null;
    *overhead = (struct assay_overhead){
        .window = null[ASSAY_NULL_ALONE].middle,
        .window_low = null[ASSAY_NULL_ALONE].low,
        .window_high = null[ASSAY_NULL_ALONE].high,
        .pair = null[ASSAY_NULL_PAIR].middle,
        .pair_low = null[ASSAY_NULL_PAIR].low,
        .pair_high = null[ASSAY_NULL_PAIR].high,
        .pair_named = null[ASSAY_NULL_NAMED].middle,
        .pair_named_low = null[ASSAY_NULL_NAMED].low,
        .pair_named_high = null[ASSAY_NULL_NAMED].high,
        .runs = calipers->calibrated,
    };
    return 0;
}

int assay_noticed_words(unsigned noticed, char *words, size_t size)
{
    return snprintf(words, size, "%s", noticed ? "disturbed" : "");
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What calipers cost: empty regions, alone and inside each other, kept and put into figures. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdlib.h>

#include "lib/calipers.h"
#include "lib/set.h"

#define MEASURES (ASSAY_CALIPERS_MOST + 1) /* events, and time */

struct nulls {
    size_t taken[ASSAY_NULL_KINDS];
    double values[ASSAY_NULL_KINDS][MEASURES][CALIPERS_NULLS];
};

void nulls_free(struct nulls *nulls)
{
    free(nulls);
}

int assay_calibrate_start(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers to calibrate");
    if (calipers->here.depth)
        return set_fail(-EBUSY, "calipers cannot be calibrated within a region");
    if (!calipers->nulls)
        calipers->nulls = malloc(sizeof(*calipers->nulls));
    if (!calipers->nulls)
        return set_fail(-ENOMEM, "out of memory");
    for (size_t kind = 0; kind < ASSAY_NULL_KINDS; kind++)
        calipers->nulls->taken[kind] = 0;
    return CALIPERS_WARM + CALIPERS_NULLS;
}

void assay_calibrate_take(enum assay_nulls kind)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || !calipers->nulls)
        return;
    struct nulls *nulls = calipers->nulls;
    size_t at = nulls->taken[kind]++;
    if (at < CALIPERS_WARM || at >= CALIPERS_WARM + CALIPERS_NULLS)
        return;
    struct region_reading reading;
    reading_of(calipers, calipers->result, &reading);
    for (size_t i = 0; i < calipers->count; i++)
        nulls->values[kind][i][at - CALIPERS_WARM] = (double)reading.raw[i];
    nulls->values[kind][calipers->count][at - CALIPERS_WARM] = (double)reading.enabled_ns;
}

/* The outer of two empty regions less an empty one is what the inner adds. */
static void figures(struct nulls *nulls, size_t measure, struct caliper *caliper)
{
    for (size_t kind = 0; kind < ASSAY_NULL_KINDS; kind++) {
        struct null_figures *found = &caliper->null[kind];
        null_figures_of(nulls->values[kind][measure], CALIPERS_NULLS, found);
        if (kind != ASSAY_NULL_ALONE) {
            found->middle -= caliper->null[ASSAY_NULL_ALONE].middle;
            found->low -= caliper->null[ASSAY_NULL_ALONE].middle;
            found->high -= caliper->null[ASSAY_NULL_ALONE].middle;
        }
    }
}

int assay_calibrate_finish(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || !calipers->nulls)
        return set_fail(-EINVAL, "assay_calibrate_finish comes after assay_calibrate_start");
    for (size_t i = 0; i < calipers->count; i++)
        figures(calipers->nulls, i, &calipers->events[i]);
    figures(calipers->nulls, calipers->count, &calipers->time);
    calipers->calibrated = CALIPERS_NULLS;
    calipers->result = NULL;
    return 0;
}

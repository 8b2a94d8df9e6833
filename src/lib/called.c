/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of a region as functions, for other languages and for ISAs without code in place. What
 * is measured around nothing is then the functions' own calls and returns, too. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"
#include "lib/in-place.h"

void assay_begin(void)
{
    in_place_begin();
}

void assay_end(void)
{
    in_place_end();
    assay_ended();
}

void assay_end_in(struct assay_region *region)
{
    in_place_end();
    assay_ended_in(region);
}

int assay_calibrate(void)
{
    static struct assay_region empty = ASSAY_REGION("");
    int runs = assay_calibrate_start();
    for (int i = 0; i < runs; i++) {
        assay_begin();
        assay_end();
        assay_calibrate_take(ASSAY_NULL_ALONE);
    }
    for (int i = 0; i < runs; i++) {
        assay_begin();
        assay_begin();
        assay_end();
        assay_end();
        assay_calibrate_take(ASSAY_NULL_PAIR);
    }
    for (int i = 0; i < runs; i++) {
        assay_begin();
        assay_begin();
        assay_end_in(&empty);
        assay_end();
        assay_calibrate_take(ASSAY_NULL_NAMED);
    }
    return runs < 0 ? runs : assay_calibrate_finish();
}

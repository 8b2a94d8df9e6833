/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of a region as functions, for other languages and for ISAs without code in place. What
 * is measured around nothing is then the functions' own calls and returns, too. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"
#include "lib/in-place.h"

/* Called by assay_calibrate, too, as others call them. */
#define CALLED __attribute__((noinline))

CALLED void assay_begin(void)
{
    in_place_begin();
}

CALLED void assay_end(void)
{
    in_place_end();
    assay_ended();
}

CALLED void assay_end_in(struct assay_region *region)
{
    in_place_end();
    assay_ended_in(region);
}

/* The ends of a window, called as those of regions are. */
CALLED void assay_window_begin(void)
{
#ifdef ASSAY_WINDOW_IN_PLACE
    ASSAY_WINDOW_IN_PLACE("0");
#endif
}

CALLED void assay_window_end(void)
{
#ifdef ASSAY_WINDOW_IN_PLACE
    ASSAY_WINDOW_IN_PLACE("8");
#endif
}

#undef assay_counts
int assay_counts(struct assay_count *counts)
{
    return assay_counts_in_place(counts);
}

#undef assay_time
int assay_time(struct assay_duration *time)
{
    return assay_time_in_place(time);
}

#undef assay_calibrate
int assay_calibrate(void)
{
    return assay_calibrate_in_place();
}

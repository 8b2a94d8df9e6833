/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers that trap, and what all of their counts must be. Stands after cmocka.h. */
#pragma once

#include <string.h>

#include "assay.h"

/* NULL and the reason where nothing traps. */
static inline struct assay_calipers *trapping(const char **reason)
{
    static char why[1024];
    static const char *const events[] = {"trap/instructions/"};
    struct assay_calipers *calipers = NULL;
    *reason = why;
    assert_int_equal(assay_calipers_open(&calipers, events, 1, 0), 0);
    if (assay_calipers_error(calipers, 0) == 0)
        return calipers;
    strncpy(why, assay_calipers_reason(calipers, 0), sizeof(why) - 1);
    assay_calipers_close(calipers);
    return NULL;
}

static inline struct assay_calipers *calibrated(const char **reason)
{
    struct assay_calipers *calipers = trapping(reason);
    if (calipers)
        assert_int_equal(assay_calibrate(), 0);
    return calipers;
}

/* Calipers called so, and the reason why there are none. */
#define OPEN_OR_SKIP(open)                                                                         \
    const char *reason;                                                                            \
    struct assay_calipers *calipers = open(&reason);                                               \
    if (!calipers)                                                                                 \
    skip_because("%s", reason)

#define SKIP_UNLESS_TRAPPING()                                                                     \
    do {                                                                                           \
        OPEN_OR_SKIP(trapping);                                                                    \
        assay_calipers_close(calipers);                                                            \
    } while (0)

static inline struct assay_count counted(void)
{
    struct assay_count count;
    assert_int_equal(assay_counts(&count), 0);
    return count;
}

static inline void assert_exact(const char *name, double truth)
{
    struct assay_count count = counted();
    if (count.corrected != truth || count.low != truth || count.high != truth)
        print_error("%s: %g instructions read as %g (%g to %g)\n", name, truth, count.corrected,
                    count.low, count.high);
    assert_true(count.corrected == truth);
    assert_true(count.uncertainty == 0 && count.low == truth && count.high == truth);
    assert_int_equal(count.state, ASSAY_COUNTED);
    assert_int_equal(count.noticed, 0);
}

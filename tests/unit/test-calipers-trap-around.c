/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers that trap, on regions of known instructions: every count is exact, whoever compiled
 * them, around others, with a name and without. */
#include "case.h"
#include "known-regions.h"
#include "trapping.h"

#define EVERY 16 /* as many as there are ways */

static const struct known_regions *const compiled[] = {&known_O2, &known_O0, &known_O2_called,
                                                       &known_O0_called};
#define COMPILED (sizeof(compiled) / sizeof(compiled[0]))

TEST(every_region_around_others_is_exact)
{
    OPEN_OR_SKIP(trapping);
    static const unsigned sizes[] = {0, 1, 10, 100};
    for (size_t i = 0; i < COMPILED; i++) {
        unsigned times = i == 0 ? 4 * EVERY : EVERY;
        assert_int_equal(compiled[i]->calibrate(), 0);
        for (unsigned k = 0; k < 8; k++) /* the first time, a place with a name costs more */
            compiled[i]->around_named(sizes[k % 4], k < 4 ? 1 : 3);
        for (unsigned run = 0; run < times; run++) {
            unsigned n = sizes[run % 4], children = run & 4 ? 3 : 1;
            if (run & 8)
                compiled[i]->around_named(n, children);
            else
                compiled[i]->around(n, children);
            assert_exact(compiled[i]->name, (children + 3.0) * n);
        }
    }
    assay_calipers_close(calipers);
}

static struct assay_region first = ASSAY_REGION("the first time");

TEST(a_name_that_is_met_inside_is_in_the_bar)
{
    OPEN_OR_SKIP(trapping);
    assert_int_equal(assay_calibrate(), 0);
    struct assay_count counts[2];
    for (int run = 0; run < 2; run++) {
        assay_begin();
        assay_begin();
        assay_end_in(&first);
        assay_end();
        assert_int_equal(assay_counts(&counts[run]), 0);
    }
    assert_true(counts[0].noticed & ASSAY_SAW_DISTURBED);
    assert_true(counts[0].corrected > 0 && counts[0].low <= 0 && counts[0].high >= 0);
    assert_true(counts[1].noticed == 0 && counts[1].corrected == 0 && counts[1].uncertainty == 0);
    assay_calipers_close(calipers);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers that trap, on regions of known instructions: every count is exact, whoever compiled the
 * region; and what they say of events that do not trap. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "case.h"
#include "known-regions.h"
#include "trapping.h"

#define EVERY 20

static const struct known_regions *const compiled[] = {&known_O2, &known_O0, &known_O2_called,
                                                       &known_O0_called};
#define COMPILED (sizeof(compiled) / sizeof(compiled[0]))

TEST(every_region_alone_is_exact)
{
    OPEN_OR_SKIP(trapping);
    static const unsigned sizes[] = {0, 1, 2, 10, 100, 1000, 10000};
    for (size_t i = 0; i < COMPILED; i++) {
        assert_int_equal(compiled[i]->calibrate(), 0);
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            unsigned times = sizes[k] <= 100 ? EVERY : sizes[k] == 1000 ? 4 : 1;
            for (unsigned run = 0; run < times; run++) {
                compiled[i]->alone(sizes[k]);
                assert_exact(compiled[i]->name, sizes[k]);
            }
        }
    }
    assay_calipers_close(calipers);
}

TEST(without_calibrating_the_raw_count_has_the_window)
{
    OPEN_OR_SKIP(trapping);
    known_O2.alone(100);
    struct assay_count count = counted();
    assert_true(count.noticed & ASSAY_NOT_CALIBRATED);
    assert_int_equal(known_O2.calibrate(), 0);
    struct assay_overhead overhead;
    assert_int_equal(assay_calipers_overhead(calipers, 0, &overhead), 0);
    assert_true((double)count.raw == 100 + overhead.window);
    assert_true(overhead.window_low == overhead.window_high);
    assert_true(overhead.pair_low == overhead.pair_high && overhead.pair > overhead.window);
    assert_true(overhead.pair_named_low == overhead.pair_named_high);
    assay_calipers_close(calipers);
}

TEST(where_no_counter_is_instructions_become_traps)
{
    static const char *const events[] = {"instructions:u", "page-faults", "ticks"};
    struct assay_calipers *plain, *calipers;
    assert_int_equal(assay_calipers_open(&plain, events, 1, 0), 0);
    bool counter = assay_calipers_error(plain, 0) == 0;
    assay_calipers_close(plain);
    assert_int_equal(assay_calipers_open(&calipers, events, 3, ASSAY_OR_TRAP), 0);
    if (counter) {
        assert_int_not_equal(assay_calipers_path(calipers), ASSAY_PATH_TRAP);
    } else if (assay_calipers_error(calipers, 0)) {
        assert_non_null(strstr(assay_calipers_reason(calipers, 0), "trapping cannot take"));
        assert_int_not_equal(assay_calipers_path(calipers), ASSAY_PATH_TRAP);
    } else {
        assert_int_equal(assay_calipers_path(calipers), ASSAY_PATH_TRAP);
        assert_int_not_equal(strlen(assay_calipers_reason(calipers, 3)), 0);
        for (size_t i = 1; i < 3; i++) {
            assert_int_equal(assay_calipers_error(calipers, i), EBUSY);
            assert_non_null(strstr(assay_calipers_reason(calipers, i), "calipers of their own"));
        }
        assert_int_equal(known_O2.calibrate(), 0);
        known_O2.alone(10);
        struct assay_count counts[3];
        struct assay_duration time;
        assert_int_equal(assay_counts(counts), 0);
        assert_true(counts[0].corrected == 10);
        assert_int_equal(counts[1].state, ASSAY_UNSUPPORTED);
        assert_int_equal(counts[2].state, ASSAY_UNSUPPORTED);
        assert_int_equal(assay_time(&time), 0);
        assert_int_equal(time.state, ASSAY_UNSUPPORTED);
    }
    assay_calipers_close(calipers);
}

TEST(unknown_names_fail_beside_traps_as_ever)
{
    static const struct {
        const char *name;
        int error;
        const char *says;
    } wrong[] = {{"trap/branches/", -ENOENT, "only: instructions"},
                 {"trap/instructions", -EINVAL, "closing slash"},
                 {"trap/instructions/k", -EINVAL, "user code and nothing else"},
                 {"no-such-event", -ENOENT, "no-such-event"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const char *events[] = {"trap/instructions/", wrong[i].name};
        struct assay_calipers *calipers;
        assert_int_equal(assay_calipers_open(&calipers, events, 2, 0), wrong[i].error);
        assert_null(calipers);
        assert_non_null(strstr(assay_last_error(), wrong[i].says));
    }
}

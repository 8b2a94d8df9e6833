/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Totals of regions against sums that were planted. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdio.h>

#include "case.h"
#include "planted-calipers.h"

static const char *const two_events[] = {"apples", "pears"};

#define COUNTS(...) ((uint64_t[PLANTED_MOST]){__VA_ARGS__})

#define TOTAL(name, index)                                                                         \
    ({                                                                                             \
        struct assay_region_total found;                                                           \
        assert_int_equal(assay_total(name, index, &found), 0);                                     \
        found;                                                                                     \
    })

TEST(sums_are_raw_less_what_every_region_added)
{
    static struct assay_region region = ASSAY_REGION("sums");
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    calipers->events[0].null[ASSAY_NULL_ALONE] =
        (struct null_figures){.middle = 7, .low = 7, .high = 7, .mean = 7};
    calipers->events[0].null[ASSAY_NULL_PAIR] = (struct null_figures){.middle = 20, .mean = 20};
    calipers->events[0].null[ASSAY_NULL_NAMED] = (struct null_figures){.middle = 50, .mean = 50};
    planted_region(calipers, &region, COUNTS(107, 1), 0, 0);              /* 100 */
    planted_region(calipers, &region, COUNTS(7 + 20 + 3, 2), 1, 0);       /* 3 */
    planted_region(calipers, &region, COUNTS(7 + 40 + 150 + 5, 6), 2, 3); /* 5 */
    struct assay_region_total apples = TOTAL("sums", 0), pears = TOTAL("sums", 1);
    assert_int_equal(apples.regions, 3);
    assert_int_equal(apples.raw, 107 + 30 + 202);
    assert_true(apples.corrected == 108);
    assert_true(apples.uncertainty == 0);
    assert_true(apples.minimum == 3);
    assert_true(apples.maximum == 100);
    assert_true(apples.deviation > 55.4346 && apples.deviation < 55.4347);
    assert_int_equal(apples.noticed, 0);
    assert_int_equal(apples.noticed_regions, 0);
    assert_int_equal(apples.state, ASSAY_COUNTED);
    assert_int_equal(pears.raw, 9);
    assert_true(pears.corrected == 9);
    assert_true(pears.minimum == 1 && pears.maximum == 6);
    assay_calipers_close(calipers);
}

TEST(bars_of_many_add_by_chance_and_alike)
{
    static struct assay_region region = ASSAY_REGION("bars");
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    struct null_figures *window = &calipers->events[0].null[ASSAY_NULL_ALONE];
    *window = (struct null_figures){
        .middle = 7, .low = 4, .high = 9, .mean = 7.5, .spread = 2, .error = 0.5, .odd = 1};
    for (int i = 0; i < 101; i++)
        planted_region(calipers, &region, COUNTS(107, 1), 0, 0);
    struct assay_region_total total = TOTAL("bars", 0);
    assert_true(total.corrected == 101 * 107 - 7 - 100 * 7.5);
    double expected = 39.3144 + 100 * 0.5; /* sqrt(3 * 3 + 100 * (1.96 * 2) * (1.96 * 2)) */
    assert_true(total.uncertainty > expected - 0.001 && total.uncertainty < expected + 0.001);
    window->odd = 0.0004; /* as many as to be expected: 0.04 */
    assert_true(TOTAL("bars", 0).uncertainty == 3);
    assert_true(total.minimum == 100 && total.maximum == 100);
    assay_calipers_close(calipers);
}

TEST(every_disturbed_region_may_hold_a_pair_too_much)
{
    static struct assay_region region = ASSAY_REGION("disturbed");
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    calipers->events[0].null[ASSAY_NULL_PAIR] = (struct null_figures){.middle = 20, .mean = 20};
    for (unsigned i = 0; i < 10; i++) {
        planted_begin(calipers)->noticed = i < 3 ? ASSAY_SAW_DISTURBED : 0;
        assay_ended_in(&region);
    }
    assert_true(TOTAL("disturbed", 0).uncertainty == 60);
    assert_true(TOTAL("disturbed", 1).uncertainty == 0);
    assay_calipers_close(calipers);
}

TEST(figures_of_the_latest_calibration_count_and_earlier_regions_are_marked)
{
    static struct assay_region region = ASSAY_REGION("early");
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    calipers->calibrated = 0;
    planted_region(calipers, &region, COUNTS(10, 1), 0, 0);
    assert_int_equal(TOTAL("early", 0).noticed, ASSAY_NOT_CALIBRATED);
    calipers->calibrated = 100;
    calipers->events[0].null[ASSAY_NULL_ALONE] =
        (struct null_figures){.middle = 4, .low = 4, .high = 4, .mean = 4};
    planted_region(calipers, &region, COUNTS(10, 1), 0, 0);
    struct assay_region_total total = TOTAL("early", 0);
    assert_true(total.corrected == 12);
    assert_int_equal(total.noticed, ASSAY_NOT_CALIBRATED);
    assert_int_equal(total.noticed_regions, 1);
    assay_calipers_close(calipers);
}

TEST(the_first_use_of_a_name_disturbs_all_regions_around)
{
    static struct assay_region inner = ASSAY_REGION("first inner");
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    struct assay_frame *outermost = planted_begin(calipers), *outer = planted_begin(calipers);
    planted_region(calipers, &inner, COUNTS(1, 1), 0, 0);
    assert_int_equal(outermost->noticed, ASSAY_SAW_DISTURBED | NOTICED_MET);
    assert_int_equal(outer->noticed, ASSAY_SAW_DISTURBED | NOTICED_MET);
    assert_int_equal(TOTAL("first inner", 0).noticed, 0);
    outer->noticed = outermost->noticed = 0;
    planted_region(calipers, &inner, COUNTS(1, 1), 0, 0);
    assert_int_equal(outermost->noticed | outer->noticed, 0);
    assay_ended();
    assay_ended();
    assay_calipers_close(calipers);
}

TEST(totals_that_are_not_there_have_a_sentence)
{
    static struct assay_region region = ASSAY_REGION("somewhere");
    struct assay_region_total total;
    assert_int_equal(assay_total("somewhere", 0, &total), -ENODEV);
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    planted_region(calipers, &region, COUNTS(1, 1), 0, 0);
    assert_int_equal(assay_total("elsewhere", 0, &total), -ENOENT);
    assert_non_null(strstr(assay_last_error(), "elsewhere"));
    assert_int_equal(assay_total("somewhere", 2, &total), -EINVAL);
    assert_int_equal(assay_total(NULL, 0, &total), -EINVAL);
    assert_int_equal(assay_total("somewhere", 0, NULL), -EINVAL);
    struct assay_calipers *others = planted_calipers(2, two_events);
    assert_int_equal(assay_total("somewhere", 0, &total), -ENOENT);
    assay_calipers_close(others);
    assay_calipers_close(calipers);
}

TEST(a_name_at_several_places_is_one_and_outlives_its_text)
{
    char text[] = "shared", again[] = "shared";
    struct assay_region here = {text, 0}, there = {again, 0};
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    planted_region(calipers, &here, COUNTS(1, 0), 0, 0);
    memset(text, 'x', sizeof(text) - 1);
    planted_region(calipers, &there, COUNTS(2, 0), 0, 0);
    planted_region(calipers, &here, COUNTS(4, 0), 0, 0);
    assert_int_equal(here.number, there.number);
    assert_int_equal(TOTAL("shared", 0).regions, 3);
    assert_int_equal(TOTAL("shared", 0).raw, 7);
    assay_calipers_close(calipers);
}

TEST(numbers_that_nobody_gave_are_not_believed)
{
    struct assay_region wild = {"wild", 0xdeadbeef}, nameless = {NULL, 0};
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    planted_region(calipers, &wild, COUNTS(5, 0), 0, 0);
    planted_region(calipers, &nameless, COUNTS(6, 0), 0, 0);
    planted_region(calipers, NULL, COUNTS(7, 0), 0, 0);
    assert_int_equal(TOTAL("wild", 0).raw, 5);
    assert_int_equal(TOTAL("(no name)", 0).raw, 6);
    assert_int_equal(calipers->here.depth, 0);
    assay_calipers_close(calipers);
}

static double uniform(void)
{
    static uint64_t seed = 20261116;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

/* What an empty region counts: around 1000, by 30. */
static double normal_window(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return (double)(uint64_t)(1000 + 30 * sum);
}

static double skewed_window(void)
{
    double product = 1;
    unsigned rounds = 0;
    for (; product > 0.3679 && rounds < 20; rounds++) /* about e to the -1 */
        product *= uniform();
    return 970.0 + 30.0 * rounds;
}

/* Of 1000 calibrations, each with a total of its own: how many bars hold the truth. */
static unsigned totals_held(double (*window)(void), unsigned regions)
{
    unsigned held = 0;
    for (int trial = 0; trial < 1000; trial++) {
        struct assay_region region = ASSAY_REGION("coverage");
        struct assay_calipers *calipers = planted_calipers(1, two_events);
        double nulls[CALIPERS_NULLS];
        for (size_t i = 0; i < CALIPERS_NULLS; i++)
            nulls[i] = window();
        null_figures_of(NATURE_HARDWARE, nulls, CALIPERS_NULLS,
                        &calipers->events[0].null[ASSAY_NULL_ALONE]);
        for (unsigned i = 0; i < regions; i++)
            planted_region(calipers, &region, COUNTS(500 + (uint64_t)window(), 0), 0, 0);
        struct assay_region_total total = TOTAL("coverage", 0);
        double off = total.corrected - 500.0 * regions;
        held += off <= total.uncertainty && -off <= total.uncertainty;
        assay_calipers_close(calipers);
    }
    return held;
}

TEST(bars_of_totals_hold_the_truth)
{
    static const unsigned amounts[] = {1, 10, 100};
    for (size_t i = 0; i < 3; i++) {
        unsigned normal = totals_held(normal_window, amounts[i]);
        unsigned skewed = totals_held(skewed_window, amounts[i]);
        print_message("# %u regions: %u and %u of 1000 totals hold the truth\n", amounts[i], normal,
                      skewed);
        assert_in_range(normal, 930, 1000);
        assert_in_range(skewed, 930, 1000);
    }
}

/* What a handler interrupted lies above it on the stack. */
TEST(a_handler_that_interrupts_adding_is_dropped_and_counted)
{
    static struct assay_region region = ASSAY_REGION("interrupted");
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    char here;
    planted_region(calipers, &region, COUNTS(1, 0), 0, 0);
    calipers->regions->busy = (uintptr_t)&here + 4096;
    planted_region(calipers, &region, COUNTS(10, 0), 0, 0);
    assert_int_equal(calipers->regions->dropped, 1);
    assert_int_equal(TOTAL("interrupted", 0).raw, 1);
    char *text = written_by(assay_table);
    assert_non_null(strstr(text, "1 more ended in signal handlers"));
    free(text);
    calipers->regions->busy = (uintptr_t)&here - 8192; /* left by longjmp: nobody is there */
    planted_region(calipers, &region, COUNTS(100, 0), 0, 0);
    assert_int_equal(calipers->regions->dropped, 1);
    assert_int_equal(TOTAL("interrupted", 0).raw, 101);
    assert_int_equal(calipers->regions->busy, 0);
    assay_calipers_close(calipers);
}

static struct assay_calipers *planted_to_be_read(void)
{
    struct assay_calipers *calipers = planted_calipers(1, two_events);
    calipers->path = ASSAY_PATH_READ;
    calipers->here.ways = ASSAY_WAY_READ;
    calipers->events[0].word = 3;
    return calipers;
}

/* A region in the form in which READ has it, whose counters ran for a part of its time. */
static void shared_region(struct assay_calipers *calipers, struct assay_region *region,
                          uint64_t count, uint64_t enabled, uint64_t running)
{
    struct assay_frame *frame = planted_begin(calipers);
    memset(frame->begun, 0, sizeof(frame->begun));
    frame->got[0] = frame->got[1] = (int64_t)calipers->here.size;
    frame->ended[1] = enabled;
    frame->ended[2] = running;
    frame->ended[3] = count;
    assay_ended_in(region);
}

TEST(what_shared_counters_missed_is_guessed_by_region)
{
    static struct assay_region region = ASSAY_REGION("shared counters");
    struct assay_calipers *calipers = planted_to_be_read();
    shared_region(calipers, &region, 1000000, 1000000, 1000000);
    assert_int_equal(TOTAL("shared counters", 0).state, ASSAY_COUNTED);
    shared_region(calipers, &region, 100, 400, 100); /* 400, of which 300 are guessed */
    struct assay_region_total total = TOTAL("shared counters", 0);
    assert_int_equal(total.state, ASSAY_MULTIPLEXED);
    assert_int_equal(total.raw, 1000100);
    assert_true(total.corrected == 1000400);
    assert_true(total.uncertainty == 300);
    assert_true(total.minimum == 400 && total.maximum == 1000000);
    assert_int_equal(total.noticed, ASSAY_SAW_MULTIPLEXING);
    assert_int_equal(total.noticed_regions, 1);
    shared_region(calipers, &region, 0, 400, 0);
    assert_int_equal(TOTAL("shared counters", 0).state, ASSAY_UNSCHEDULED);
    assert_true(TOTAL("shared counters", 0).uncertainty > 1e300);
    calipers->here.ways = 0;
    assay_calipers_close(calipers);
}

TEST(time_is_added_up_without_its_windows)
{
    static struct assay_region region = ASSAY_REGION("time");
    struct assay_calipers *calipers = planted_to_be_read();
    struct region_total time;
    calipers->time.kind = CALIPER_CALL;
    calipers->time.null[ASSAY_NULL_ALONE] = (struct null_figures){
        .middle = 10, .low = 10, .high = 10, .mean = 12, .error = 0.5, .odd = 1};
    for (uint64_t i = 0; i < 5; i++)
        shared_region(calipers, &region, 1, 100 + i, 100 + i);
    region_total_of(calipers, regions_sums(calipers, region.number), 1, &time);
    assert_int_equal(time.state, ASSAY_COUNTED);
    assert_true(time.corrected == 510 - 10 - 4 * 12);
    assert_true(time.alike == 4 * (0.5 + CALLS_DIFFER * 12));
    calipers->here.ways = 0;
    assay_calipers_close(calipers);
}

TEST(a_reading_that_failed_is_told_and_not_added)
{
    static struct assay_region region = ASSAY_REGION("failed");
    struct assay_calipers *calipers = planted_to_be_read();
    calipers->here.size = 32;
    shared_region(calipers, &region, 5, 10, 10);
    calipers->here.frame[1].got[1] = -EBADF;
    planted_begin(calipers);
    assay_ended_in(&region);
    struct assay_region_total total = TOTAL("failed", 0);
    assert_int_equal(total.regions, 2);
    assert_int_equal(total.raw, 5);
    assert_int_equal(total.state, ASSAY_UNSCHEDULED);
    assert_int_equal(total.noticed, ASSAY_NOT_MEASURED);
    assert_int_equal(total.noticed_regions, 1);
    assert_true(total.corrected == 5 && total.maximum == 5);
    calipers->here.ways = 0;
    assay_calipers_close(calipers);
}

#define TOO_MANY ((size_t)2 * ASSAY_REGIONS_MOST)

/* Last: it leaves no number for others. */
TEST(names_beyond_the_most_are_added_up_together)
{
    static char names[TOO_MANY][16];
    struct assay_calipers *calipers = planted_calipers(2, two_events);
    uint64_t known = 0;
    for (size_t i = 0; i < TOO_MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "name %zu", i);
        struct assay_region region = {names[i], 0};
        planted_region(calipers, &region, COUNTS(1, 0), 0, 0);
        struct assay_region_total total;
        if (assay_total(names[i], 0, &total) == 0)
            known += total.raw;
        else
            assert_int_equal(region.number, REGION_FURTHER);
    }
    assert_true(known > ASSAY_REGIONS_MOST / 2);
    const struct region_sums *further = regions_sums(calipers, REGION_FURTHER);
    assert_non_null(further);
    assert_int_equal(further->regions + known, TOO_MANY);
    char *text = written_by(assay_table);
    char shown[REGION_SHOWN];
    region_shown(REGION_FURTHER, shown);
    assert_non_null(strstr(text, shown));
    free(text);
    assay_calipers_close(calipers);
}

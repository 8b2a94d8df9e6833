/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calibrating with planted empty regions: which are kept, what is made of them, and when it is said
 * that they cannot be relied on. The calipers are made by hand, so that any machine can. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "case.h"
#include "lib/calipers.h"

enum { INSTRUCTIONS, FAULTS, CLOCK, EVENTS };

static struct assay_calipers planted;

/* Three events and both companions in words 3 to 7. */
static int plant(void **state)
{
    (void)state;
    static const enum caliper_nature natures[] = {NATURE_HARDWARE, NATURE_COUNT, NATURE_CLOCK};
    memset(&planted, 0, sizeof(planted));
    planted.count = EVENTS;
    planted.path = ASSAY_PATH_READ;
    planted.timer_ns = 4e6;
    planted.here.ways = ASSAY_WAY_READ;
    planted.here.size = 64;
    planted.companion_words[0] = 6;
    planted.companion_words[1] = 7;
    for (size_t i = 0; i < EVENTS; i++)
        planted.events[i] =
            (struct caliper){.kind = CALIPER_COUNTER, .nature = natures[i], .word = 3 + i};
    planted.events[INSTRUCTIONS].busy = true;
    assay_here = &planted.here;
    return 0;
}

static int uproot(void **state)
{
    (void)state;
    assert_int_equal(assay_calipers_select(NULL), 0);
    nulls_free(planted.nulls);
    for (size_t i = 0; i < EVENTS; i++)
        free(planted.events[i].reason);
    return 0;
}

struct null {
    uint64_t counts[EVENTS], faults, switches;
    uint64_t length_ns, running_ns; /* 0: 500 and as long */
    int64_t got;                    /* 0: everything */
    unsigned noticed;
};

/* The region with the number `number` of a kind. */
typedef struct null planter(enum assay_nulls kind, int number);

static void take(enum assay_nulls kind, const struct null *null)
{
    static uint64_t now;
    struct assay_frame *frame = &planted.frames[1];
    uint64_t length = null->length_ns ? null->length_ns : 500;
    uint64_t running = null->running_ns ? null->running_ns : length;
    const uint64_t moved[] = TABLE(0, length, running, null->counts[0], null->counts[1],
                                   null->counts[2], null->faults, null->switches);
    now += 1700;
    for (size_t word = 1; word < 8; word++) {
        frame->begun[word] = now;
        frame->ended[word] = now + moved[word];
    }
    now += null->counts[CLOCK];
    frame->got[0] = frame->got[1] = null->got ? null->got : 64;
    frame->noticed = null->noticed;
    planted.result = frame;
    assay_calibrate_take(kind);
}

static void calibrate(planter *plants)
{
    int runs = assay_calibrate_start();
    assert_true(runs >= CALIPERS_WARM + CALIPERS_NULLS);
    for (int kind = 0; kind < ASSAY_NULL_KINDS; kind++) {
        for (int i = 0; i < runs; i++) {
            struct null null = plants((enum assay_nulls)kind, i);
            take((enum assay_nulls)kind, &null);
        }
    }
    assert_int_equal(assay_calibrate_finish(), 0);
}

static struct null plain(enum assay_nulls kind, int number)
{
    static const uint64_t instructions[] = {22, 22 + 61, 22 + 75};
    (void)number;
    return (struct null){.counts = {instructions[kind], 0, 100 * (1 + (uint64_t)kind)}};
}

static void expect_plain_figures(void)
{
    struct assay_overhead overhead;
    assert_int_equal(assay_calipers_overhead(&planted, INSTRUCTIONS, &overhead), 0);
    assert_true(overhead.window == 22 && overhead.window_low == 22 && overhead.window_high == 22);
    assert_true(overhead.pair == 61 && overhead.pair_low == 61 && overhead.pair_high == 61);
    assert_true(overhead.pair_named == 75);
    assert_int_equal(overhead.runs, CALIPERS_NULLS);
}

static void expect_no_doubt(void)
{
    for (size_t i = 0; i < EVENTS; i++) {
        assert_false(planted.events[i].unsteady);
        assert_string_equal(assay_calipers_reason(&planted, i), "");
    }
}

TEST_WITH(steady_regions_make_figures_and_no_doubt, plant, uproot)
{
    calibrate(plain);
    expect_plain_figures();
    expect_no_doubt();
    assert_int_equal(planted.events[CLOCK].step, 100);
}

static struct null cold(enum assay_nulls kind, int number)
{
    struct null null = plain(kind, number);
    if (number < CALIPERS_WARM)
        null.counts[INSTRUCTIONS] += 5000;
    return null;
}

TEST_WITH(the_first_ones_are_not_kept, plant, uproot)
{
    calibrate(cold);
    expect_plain_figures();
}

/* As many as there are spares, in every way in which a region can be disturbed. */
static struct null disturbed(enum assay_nulls kind, int number)
{
    struct null null = plain(kind, number);
    if (number % 3 || number >= 3 * CALIPERS_SPARE)
        return null;
    null.counts[INSTRUCTIONS] += 100 + (uint64_t)number;
    switch (number / 3 % 6) {
    case 0:
        null.faults = 1;
        break;
    case 1:
        null.switches = 1;
        break;
    case 2:
        null.running_ns = 1;
        break;
    case 3:
        null.noticed = ASSAY_SAW_DISTURBED;
        break;
    case 4:
        null.length_ns = 5000000;
        break;
    default:
        null.got = -EINTR;
    }
    return null;
}

TEST_WITH(others_are_measured_in_place_of_disturbed_ones, plant, uproot)
{
    calibrate(disturbed);
    expect_plain_figures();
    expect_no_doubt();
}

/* Real faults, which the planted regions do not tell of. */
static struct null faulting(enum assay_nulls kind, int number)
{
    struct null null = plain(kind, number);
    if (number % 5)
        return null;
    volatile char *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    page[0] = 1;
    munmap((void *)page, 4096);
    null.counts[INSTRUCTIONS] += 5000;
    return null;
}

TEST_WITH(faults_are_asked_for_between_regions, plant, uproot)
{
    calibrate(faulting);
    expect_plain_figures();
    expect_no_doubt();
}

/* Two of three: what is left makes figures, but few. */
static struct null mostly_disturbed(enum assay_nulls kind, int number)
{
    struct null null = plain(kind, number);
    null.faults = number % 4 != 0;
    return null;
}

TEST_WITH(few_undisturbed_ones_are_said, plant, uproot)
{
    calibrate(mostly_disturbed);
    assert_true(planted.calibrated >= CALIPERS_FEW && planted.calibrated < CALIPERS_NULLS / 2);
    assert_true(planted.events[FAULTS].unsteady);
    assert_non_null(strstr(assay_calipers_reason(&planted, FAULTS), "undisturbed"));
    assert_true(planted.events[INSTRUCTIONS].null[ASSAY_NULL_ALONE].middle == 22);
    calibrate(plain); /* and taken back when it went well */
    expect_no_doubt();
    expect_plain_figures();
}

static struct null always_disturbed(enum assay_nulls kind, int number)
{
    struct null null = plain(kind, number);
    null.running_ns = 1;
    return null;
}

static struct null always_interrupted(enum assay_nulls kind, int number)
{
    struct null null = plain(kind, number);
    null.faults = null.switches = 1;
    null.length_ns = 5000000;
    return null;
}

TEST_WITH(what_suffers_from_no_interruption_is_calibrated_in_spite_of_them, plant, uproot)
{
    calibrate(always_interrupted);
    assert_int_equal(planted.calibrated, 0);
    for (size_t i = 0; i < EVENTS; i++)
        planted.events[i].nature = NATURE_COUNT;
    calibrate(always_interrupted);
    expect_plain_figures();
    expect_no_doubt();
}

TEST_WITH(none_undisturbed_is_not_calibrated, plant, uproot)
{
    struct assay_count counts[EVENTS];
    struct assay_overhead overhead;
    calibrate(always_disturbed);
    assert_int_equal(planted.calibrated, 0);
    assert_int_equal(assay_calipers_overhead(&planted, INSTRUCTIONS, &overhead), 0);
    assert_int_equal(overhead.runs, 0);
    planted.result = &planted.frames[1];
    assert_int_equal(assay_counts(counts), 0);
    assert_true(counts[INSTRUCTIONS].noticed & ASSAY_NOT_CALIBRATED);
    assert_true(counts[INSTRUCTIONS].noticed & ASSAY_NOT_STEADY);
}

static struct null drifting(enum assay_nulls kind, int number)
{
    struct null null = plain(kind, number);
    null.counts[INSTRUCTIONS] += (uint64_t)number;
    return null;
}

TEST_WITH(what_goes_on_changing_is_said, plant, uproot)
{
    calibrate(drifting);
    assert_true(planted.events[INSTRUCTIONS].unsteady);
    assert_non_null(strstr(assay_calipers_reason(&planted, INSTRUCTIONS), "went on changing"));
    assert_false(planted.events[FAULTS].unsteady);
}

static struct null dead(enum assay_nulls kind, int number)
{
    (void)kind;
    (void)number;
    return (struct null){.counts = {0, 0, 100}};
}

TEST_WITH(a_counter_that_stands_still_is_said, plant, uproot)
{
    calibrate(dead);
    assert_non_null(strstr(assay_calipers_reason(&planted, INSTRUCTIONS), "stands still"));
    assert_true(planted.events[INSTRUCTIONS].unsteady);
    assert_false(planted.events[FAULTS].unsteady);
    assert_false(planted.events[CLOCK].unsteady);
}

TEST_WITH(it_needs_calipers_and_no_region, plant, uproot)
{
    struct assay_overhead overhead;
    planted.here.depth = 1;
    assert_int_equal(assay_calibrate_start(), -EBUSY);
    planted.here.depth = 0;
    assert_int_equal(assay_calibrate_finish(), -EINVAL);
    assay_calibrate_take(ASSAY_NULL_ALONE); /* before the start: nothing */
    assert_int_equal(assay_calipers_overhead(&planted, EVENTS, &overhead), -EINVAL);
    assert_int_equal(assay_calipers_select(NULL), 0);
    assert_int_equal(assay_calibrate_start(), -ENODEV);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From readings and figures to counts with their bars: planted ones, worked out by hand, and bars
 * against the truth in seeded trials. */
#include <math.h>
#include <string.h>

#include "case.h"
#include "lib/calipers.h"

static bool near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * (1 + fabs(expected));
}

/* One hardware counter of user code; empty regions count 10, pairs 30, those with a name 50. */
static struct assay_calipers planted(void)
{
    struct assay_calipers calipers = {
        .count = 1, .path = ASSAY_PATH_READ, .calibrated = CALIPERS_NULLS, .timer_ns = 4e6};
    calipers.events[0] = (struct caliper){.kind = CALIPER_COUNTER,
                                          .nature = NATURE_HARDWARE,
                                          .word = 3,
                                          .null = {{.middle = 10, .low = 10, .high = 10},
                                                   {.middle = 30, .low = 30, .high = 30},
                                                   {.middle = 50, .low = 50, .high = 50}}};
    return calipers;
}

static struct region_reading reading_with(uint64_t raw)
{
    return (struct region_reading){
        .raw = {raw}, .enabled_ns = 1000, .running_ns = 1000, .length_ns = 1000, .counted = true};
}

static struct assay_count count_of(const struct assay_calipers *calipers,
                                   const struct region_reading *reading)
{
    struct assay_count count;
    correct_count(calipers, 0, reading, &count);
    return count;
}

TEST(exact_counters_have_no_bar)
{
    struct assay_calipers calipers = planted();
    struct region_reading reading = reading_with(1000);
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.raw == 1000);
    assert_true(count.corrected == 990);
    assert_true(count.low == 990 && count.high == 990 && count.uncertainty == 0);
    assert_true(count.state == ASSAY_COUNTED);
    assert_true(count.noticed == 0);
    reading.children = 3;
    reading.named = 2;
    count = count_of(&calipers, &reading);
    assert_true(count.corrected == 1000 - 10 - 3 * 30 - 2 * 50);
    assert_true(count.uncertainty == 0);
    calipers.name_most = 3; /* where the address of a name takes several instructions */
    count = count_of(&calipers, &reading);
    assert_true(count.low == count.corrected - 6 && count.high == count.corrected);
}

/* What the ends of regions inside took was measured along: only what that leaves is assumed. */
TEST(ticks_measured_at_the_ends_of_regions_inside_are_taken_off)
{
    struct assay_calipers calipers = planted();
    struct region_reading reading = reading_with(5000);
    reading.children = 2;
    reading.measuring = 3000;
    assert_true(count_of(&calipers, &reading).corrected == 5000 - 10 - 2 * 30);
    calipers.events[0].kind = CALIPER_TICKS;
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.raw == 5000 && count.corrected == 5000 - 3000 - 10 - 2 * 30);
}

/* Times of system calls: what their cost around nothing says of other regions is half of it. */
TEST(times_of_system_calls_have_bars_as_wide_as_calls_differ)
{
    struct assay_calipers calipers = planted();
    calipers.time = calipers.events[0];
    calipers.time.nature = NATURE_CLOCK;
    calipers.time.kind = CALIPER_CALL;
    struct region_reading reading = reading_with(0);
    struct assay_duration time;
    reading.enabled_ns = 1000;
    reading.measuring = 777; /* ticks: these are nanoseconds */
    reading.children = 2;
    correct_time(&calipers, &reading, &time);
    assert_true(time.state == ASSAY_COUNTED && time.ns == 1000 - 10 - 2 * 30);
    assert_true(near(time.uncertainty, (10 + 2 * 30) * CALLS_DIFFER + 930e-6));
}

/* Window 10, from 8 to 13: what was counted too much is the truth's lower limit. */
TEST(limits_of_the_window_change_sides)
{
    struct assay_calipers calipers = planted();
    calipers.events[0].null[ASSAY_NULL_ALONE] =
        (struct null_figures){.middle = 10, .low = 8, .high = 13, .odd = 1};
    struct region_reading reading = reading_with(110);
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.corrected == 100);
    assert_true(count.low == 97 && count.high == 102 && count.uncertainty == 3);
}

/* Nine children: noise of each 2, so 1.96 · 2 · 3 = 11.76; their figure is wrong by up to 0.5, and
 * that of the windows in it by 0.25: 4.5 and 2.25; the own window 3 and 2. */
TEST(pairs_add_noise_by_the_root_and_errors_by_number)
{
    struct assay_calipers calipers = planted();
    calipers.events[0].null[ASSAY_NULL_ALONE] =
        (struct null_figures){.middle = 10, .low = 8, .high = 13, .error = 0.25, .odd = 1};
    calipers.events[0].null[ASSAY_NULL_PAIR] =
        (struct null_figures){.middle = 30, .error = 0.5, .spread = 2, .odd = 1};
    struct region_reading reading = reading_with(1280);
    reading.children = 9;
    struct assay_count count = count_of(&calipers, &reading);
    double inside = 11.76 * 11.76 + 4.5 * 4.5 + 2.25 * 2.25;
    assert_true(count.corrected == 1000);
    assert_true(near(count.low, 1000 - sqrt(9 + inside)));
    assert_true(near(count.high, 1000 + sqrt(4 + inside)));
    assert_true(near(count.uncertainty, sqrt(9 + inside)));
}

/* One of 128 empty regions was odd: six pairs have rarely one like that, seven have. */
TEST(odd_pairs_count_from_where_one_is_to_be_expected)
{
    struct assay_calipers calipers = planted();
    calipers.events[0].null[ASSAY_NULL_PAIR].odd = 1.0 / 128;
    calipers.events[0].null[ASSAY_NULL_PAIR].error = 2;
    struct region_reading reading = reading_with(1000);
    reading.children = 6;
    assert_true(count_of(&calipers, &reading).uncertainty == 0);
    reading.children = 7;
    assert_true(near(count_of(&calipers, &reading).uncertainty, 14));
}

/* --- what happened inside --- */

TEST(interruptions_may_each_have_added_one)
{
    struct assay_calipers calipers = planted();
    struct region_reading reading = reading_with(1010);
    reading.faults = 3;
    reading.switches = 2;
    reading.noticed = ASSAY_SAW_FAULTS | ASSAY_SAW_SWITCHES;
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.corrected == 1000 && count.low == 995 && count.high == 1000);
    assert_true(count.noticed == (ASSAY_SAW_FAULTS | ASSAY_SAW_SWITCHES));
    reading.faults = reading.switches = 0; /* seen, but not how many */
    assert_true(count_of(&calipers, &reading).low == 998);
}

/* Every 4 ms: 0.19 ms have one rarely, 0.21 ms not so rarely, 8 ms two and 8.3 ms perhaps three. */
TEST(interrupts_follow_from_the_length)
{
    static const struct {
        double length_ns, interrupts;
    } cases[] = {{1000, 0}, {0.19e6, 0}, {0.21e6, 1}, {4e6, 1}, {8e6, 2}, {8.3e6, 3}, {4e9, 1000}};
    struct assay_calipers calipers = planted();
    struct region_reading reading = reading_with(5010);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reading.length_ns = cases[i].length_ns;
        assert_true(count_of(&calipers, &reading).low == 5000 - cases[i].interrupts);
    }
    calipers.events[0].sees_kernel = true;
    reading.length_ns = 4e6;
    assert_true(count_of(&calipers, &reading).low == 5000 - 20000);
    calipers.timer_ns = 0;
    assert_true(count_of(&calipers, &reading).uncertainty == 0);
}

TEST(what_the_operating_system_counts_itself_does_not_suffer)
{
    struct assay_calipers calipers = planted();
    calipers.events[0].nature = NATURE_COUNT;
    struct region_reading reading = reading_with(1010);
    reading.faults = 1000;
    reading.length_ns = 1e9;
    reading.noticed = ASSAY_SAW_FAULTS | ASSAY_SAW_INTERRUPTS;
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.corrected == 1000 && count.uncertainty == 0);
    assert_true(count.noticed == 0);
}

TEST(repeated_readings_and_unmeasured_regions_widen_downwards)
{
    struct assay_calipers calipers = planted();
    struct region_reading reading = reading_with(1010);
    reading.noticed = ASSAY_SAW_DISTURBED;
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.low == 970 && count.high == 1000 && count.noticed == ASSAY_SAW_DISTURBED);
    reading.met = true; /* by the lookup of a name, which may be all of it */
    count = count_of(&calipers, &reading);
    assert_true(count.low == 0 && count.high == 1000 && count.noticed == ASSAY_SAW_DISTURBED);
    reading.met = false;
    reading.noticed = ASSAY_SAW_TOO_DEEP;
    count = count_of(&calipers, &reading);
    assert_true(count.low == 0 && count.high == 1000 && count.noticed == ASSAY_SAW_TOO_DEEP);
}

TEST(clocks_are_not_known_better_than_their_step)
{
    struct assay_calipers calipers = planted();
    calipers.events[0].nature = NATURE_CLOCK;
    calipers.events[0].step = 100;
    struct region_reading reading = reading_with(1010);
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(near(count.low, 1000 - 77.6) && near(count.high, 1000 + 77.6));
    calipers.events[0].step = 1;
    calipers.events[0].null[ASSAY_NULL_ALONE].high = 15;
    assert_true(near(count_of(&calipers, &reading).low, 995));
}

static double lateness(const struct assay_calipers *calipers, uint64_t raw, uint64_t children)
{
    struct region_reading reading = reading_with(raw);
    reading.children = children;
    struct assay_calipers warm = *calipers;
    warm.tick_cold.count = 0;
    struct assay_count cold_count = count_of(calipers, &reading),
                       warm_count = count_of(&warm, &reading);
    assert_true(cold_count.corrected == warm_count.corrected && cold_count.high == warm_count.high);
    return warm_count.low - cold_count.low;
}

/* A region that may have put out of the caches what its end looks up is shorter than it seems. */
TEST(an_end_that_waited_widens_downwards)
{
    struct assay_calipers calipers = planted();
    calipers.tick_cold = (struct tick_cold){2, {{700, 30}, {6000, 70}}};
    assert_true(lateness(&calipers, 10000, 0) == 0); /* a counter does not wait */
    calipers.events[0].kind = CALIPER_TICKS;
    assert_true(lateness(&calipers, 699, 0) == 0);
    assert_true(near(lateness(&calipers, 700, 0), 30));
    assert_true(near(lateness(&calipers, 5999, 0), 30));
    assert_true(near(lateness(&calipers, 6000, 0), 70));
    assert_true(near(lateness(&calipers, 12000, 0), 70));
    assert_true(near(lateness(&calipers, 12001, 0), 8 * 70));
    /* Both ends of one inside, and they share the time in which that can have happened. */
    assert_true(near(lateness(&calipers, 11999, 1), 3 * 30));
    assert_true(near(lateness(&calipers, 12000, 1), 3 * 70));
    assert_true(near(lateness(&calipers, 4200, 6), 0));
    calipers.tick_cold.count = 0;
    assert_true(near(lateness(&calipers, 1000000, 0), 0));
}

/* --- shared counters --- */

/* It ran a quarter of the time and counted 1000: 4000, but as little as 1000 and as much as 7000.
 */
TEST(shared_counters_are_scaled_and_what_was_not_seen_is_in_the_bar)
{
    struct assay_calipers calipers = planted();
    struct region_reading reading = reading_with(1000);
    reading.running_ns = 250;
    reading.noticed = ASSAY_SAW_MULTIPLEXING;
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.state == ASSAY_MULTIPLEXED && count.noticed == ASSAY_SAW_MULTIPLEXING);
    assert_true(count.raw == 1000 && count.corrected == 3990);
    assert_true(count.low == 990 && count.high == 6990 && count.uncertainty == 3000);
    reading.enabled_ns = reading.running_ns = 0; /* a path that does not tell for how long */
    count = count_of(&calipers, &reading);
    assert_true(count.state == ASSAY_MULTIPLEXED && count.corrected == 990 && count.low == 990);
    assert_true(isinf(count.high) && isinf(count.uncertainty));
}

TEST(what_was_not_counted_can_be_anything)
{
    struct assay_calipers calipers = planted();
    struct region_reading reading = reading_with(0);
    reading.running_ns = 0;
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.state == ASSAY_UNSCHEDULED && isinf(count.uncertainty));
    assert_true(count.noticed & ASSAY_SAW_MULTIPLEXING);
    reading = reading_with(0);
    reading.lost = true;
    assert_true(count_of(&calipers, &reading).state == ASSAY_UNSCHEDULED);
    reading = reading_with(0);
    reading.counted = false;
    count = count_of(&calipers, &reading);
    assert_true(count.state == ASSAY_UNSUPPORTED && isinf(count.low) && isinf(count.high));
    calipers.events[0].kind = CALIPER_ABSENT;
    reading = reading_with(5);
    assert_true(count_of(&calipers, &reading).state == ASSAY_UNSUPPORTED);
}

TEST(without_calibrating_all_may_be_overhead)
{
    struct assay_calipers calipers = planted();
    calipers.calibrated = 0;
    struct region_reading reading = reading_with(1000);
    struct assay_count count = count_of(&calipers, &reading);
    assert_true(count.corrected == 1000 && count.low == 0 && count.high == 1000);
    assert_true(count.noticed == ASSAY_NOT_CALIBRATED);
    calipers.calibrated = CALIPERS_NULLS;
    calipers.events[0].unsteady = true;
    assert_true(count_of(&calipers, &reading).noticed == ASSAY_NOT_STEADY);
}

/* --- bars against the truth --- */

static uint64_t random_state;

static double uniform(void)
{
    random_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t mixed = random_state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return ((double)((mixed ^ mixed >> 31) >> 11) + 0.5) / 0x1p53;
}

static double bell(double middle, double deviation)
{
    return middle + deviation * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Skewed: many a little, few much more. */
static double tailed(double least, double scale)
{
    return least - scale * log(uniform());
}

struct noise {
    double (*window)(double, double), (*pair)(double, double);
    double window_scale, pair_scale;
};

static double window_cost(const struct noise *noise)
{
    return noise->window(100000, noise->window_scale);
}

static double pair_cost(const struct noise *noise)
{
    return noise->pair(200000, noise->pair_scale);
}

static void calibrated(const struct noise *noise, struct assay_calipers *calipers)
{
    static double values[2][CALIPERS_NULLS];
    struct null_figures *null = calipers->events[0].null;
    for (size_t i = 0; i < CALIPERS_NULLS; i++) {
        values[0][i] = floor(window_cost(noise));
        values[1][i] = floor(window_cost(noise) + pair_cost(noise));
    }
    null_figures_of(NATURE_HARDWARE, values[0], CALIPERS_NULLS, &null[ASSAY_NULL_ALONE]);
    null_figures_of(NATURE_HARDWARE, values[1], CALIPERS_NULLS, &null[ASSAY_NULL_PAIR]);
    null_figures_pair(&null[ASSAY_NULL_ALONE], &null[ASSAY_NULL_PAIR]);
    calipers->events[0].unsteady = !null[ASSAY_NULL_ALONE].steady || !null[ASSAY_NULL_PAIR].steady;
}

#define TRIALS 4000

/* Each trial calibrates anew, so that errors of figures are drawn too. */
static void covers(const struct noise *noise, uint64_t pairs)
{
    size_t covered = 0, accused = 0;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        struct assay_calipers calipers = planted();
        calibrated(noise, &calipers);
        accused += calipers.events[0].unsteady;
        const double truth = 1e7;
        double raw = truth + window_cost(noise);
        for (uint64_t i = 0; i < pairs; i++)
            raw += pair_cost(noise);
        struct region_reading reading = reading_with((uint64_t)raw);
        reading.children = pairs;
        struct assay_count count = count_of(&calipers, &reading);
        covered += count.low <= truth && truth <= count.high;
    }
    print_message("# %g and %g, %d pairs: %.2f %% covered\n", noise->window_scale,
                  noise->pair_scale, (int)pairs, 100.0 * (double)covered / TRIALS);
    assert_in_range(covered, TRIALS * 93 / 100, TRIALS * 97 / 100);
    assert_true(accused == 0);
}

TEST(bars_hold_the_truth_95_times_of_100)
{
    static const struct noise noises[] = {
        {bell, bell, 500, 700}, {tailed, bell, 500, 300}, {tailed, tailed, 300, 900}};
    static const uint64_t pairs[] = {0, 1, 10, 100, 400};
    random_state = 20261116;
    for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++)
        for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++)
            covers(&noises[i], pairs[k]);
}

/* --- what counts of empty regions come to, against values worked out by hand --- */

TEST(roots_are_those_of_the_mathematical_library)
{
    static const double values[] = {0, 1e-300, 0.25, 1, 2, 3, 1e9, 12345.678, 1e18, 1e299};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        assert_true(fabs(root_of(values[i]) - sqrt(values[i])) <= 1e-15 * (1 + sqrt(values[i])));
    assert_true(root_of(-1) == 0);
    assert_true(root_of(NAN) == 0);
}

/* 1 … 128 in an order without a trend: of 129 places between them the next has 2.5 % (three) below
 * the third and as many above the third last. */
TEST(limits_are_those_of_the_next_value)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = (double)(i * 37 % CALIPERS_NULLS + 1);
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 64.5);
    assert_true(figures.low == 3);
    assert_true(figures.high == 126);
    assert_true(figures.mean == 64.5);
    assert_true(figures.odd == 1);
    assert_true(figures.steady);
    /* 1 and 2 weigh as 3, 127 and 128 as 126; the spread is for six less than 128. */
    double sum = 4 * 61.5 * 61.5;
    for (int k = 0; k < 62; k++)
        sum += 2 * (k + 0.5) * (k + 0.5);
    double spread = sqrt(sum / 127) * 128 / 122;
    assert_true(near(figures.spread, spread));
    assert_true(near(figures.error, 1.96 * spread / sqrt(128)));
}

TEST(what_all_agree_on_is_certain)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = 22;
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 22 && figures.low == 22 && figures.high == 22);
    assert_true(figures.error == 0 && figures.spread == 0 && figures.odd == 0);
    assert_true(figures.steady);
}

/* Two of 128 count 150 more: what is subtracted stays, no limit moves, but many add up. */
TEST(a_few_odd_ones_move_nothing_but_what_many_add_up_to)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = i == 5 || i == 100 ? 172 : 22;
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 22 && figures.low == 22 && figures.high == 22);
    assert_true(figures.mean == 22);
    assert_true(figures.odd == 2.0 / 128);
    assert_true(figures.steady);
    /* mean 22 + 300/128 = 24.34375; spread² = (126 · 2.34375² + 2 · 147.65625²) / 127 */
    double spread = sqrt((126 * 2.34375 * 2.34375 + 2 * 147.65625 * 147.65625) / 127);
    assert_true(near(figures.spread, spread));
    assert_true(near(figures.error, 2.34375 + 1.96 * spread / sqrt(128)));
}

TEST(seven_of_128_are_no_few)
{
    double values[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t odd = 6; odd <= 7; odd++) {
        for (size_t i = 0; i < CALIPERS_NULLS; i++)
            values[i] = i % 16 == 3 && i / 16 < odd ? 30 : 22;
        null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
        assert_true(figures.middle == 22);
        assert_true(figures.high == 30); /* more than one of 40 */
        assert_true(odd == 6 ? figures.odd == 6.0 / 128 : figures.odd == 1);
    }
}

/* Every 16th empty region touches a new page: those to come do not. */
TEST(of_the_operating_systems_counts_most_decide)
{
    double values[CALIPERS_NULLS];
    struct null_figures alone = {.steady = true}, figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++)
        values[i] = i % 16 == 12;
    null_figures_of(NATURE_COUNT, values, CALIPERS_NULLS, &figures);
    assert_true(figures.middle == 0 && figures.mean == 0);
    assert_true(figures.high == 1 && figures.odd == 8.0 / 128);
    assert_true(figures.error > 8.0 / 128); /* they may go on after all */
    null_figures_pair(&alone, &figures);
    assert_true(figures.middle == 0);
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS, &figures);
    null_figures_pair(&alone, &figures);
    assert_true(figures.middle > 0);
}

TEST(what_goes_on_changing_is_not_steady)
{
    double drifting[CALIPERS_NULLS], jumping[CALIPERS_NULLS], mixed[CALIPERS_NULLS];
    struct null_figures figures;
    for (size_t i = 0; i < CALIPERS_NULLS; i++) {
        drifting[i] = 100 + (double)i;
        jumping[i] = i < 40 ? 50 : 60;
        mixed[i] = i * 37 % CALIPERS_NULLS < 64 ? 50 : 51;
    }
    null_figures_of(NATURE_HARDWARE, drifting, CALIPERS_NULLS, &figures);
    assert_false(figures.steady);
    null_figures_of(NATURE_HARDWARE, jumping, CALIPERS_NULLS, &figures);
    assert_false(figures.steady);
    null_figures_of(NATURE_HARDWARE, mixed, CALIPERS_NULLS, &figures);
    assert_true(figures.steady);
}

TEST(few_values_and_none_have_figures_too)
{
    static const double values[] = {7, 9, 8};
    struct null_figures figures;
    null_figures_of(NATURE_HARDWARE, values, 3, &figures);
    assert_true(figures.middle == 8 && figures.low == 7 && figures.high == 9);
    assert_true(near(figures.spread, 1));
    null_figures_of(NATURE_HARDWARE, values, 1, &figures);
    assert_true(figures.middle == 7 && figures.low == 7 && figures.high == 7);
    null_figures_of(NATURE_HARDWARE, values, 0, &figures);
    assert_true(figures.middle == 0 && figures.error == 0 && figures.steady);
    null_figures_of(NATURE_HARDWARE, values, CALIPERS_NULLS + 1,
                    &figures); /* more than there can be: not read */
    assert_true(figures.middle == 0);
}

/* Alone 100 with limits of 3 below and 4 above, outer ones 350 with 5 and 5. */
TEST(the_outer_regions_noise_is_not_counted_twice)
{
    struct null_figures alone = {
        .middle = 100, .low = 97, .high = 104, .mean = 100.5, .error = 0.25, .spread = 3, .odd = 1};
    struct null_figures pair = {
        .middle = 350, .low = 345, .high = 355, .mean = 352.5, .error = 0.5, .spread = 5, .odd = 1};
    null_figures_pair(&alone, &pair);
    assert_true(pair.middle == 252);
    assert_true(near(pair.low, 252 - 4));
    assert_true(near(pair.high, 252 + 3));
    assert_true(near(pair.spread, 4));
    assert_true(pair.error == 0.5);
    /* Less noise in the outer ones than in those alone is chance, and means none. */
    pair = (struct null_figures){.middle = 350, .low = 349, .high = 351, .mean = 350, .spread = 1};
    null_figures_pair(&alone, &pair);
    assert_true(pair.low == pair.middle && pair.high == pair.middle && pair.spread == 0);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of a command's events from planted readings: what is subtracted, what the bar holds, and
 * that it holds it as often as it says. */
#include <math.h>
#include <stdlib.h>
/* cmocka needs those before it. */

#include "case.h"
#include "stats/interval.h"
#include "stats/random.h"
#include "studies/stat/judge.h"

#define SECOND 1000000000u

static struct stat_reading whole(uint64_t value)
{
    return (struct stat_reading){value, SECOND, SECOND};
}

static struct stat_figure judge(const struct stat_evidence *evidence)
{
    struct stat_figure found;
    stat_judge(evidence, &found);
    return found;
}

/* Evidence of full readings with these values. */
struct planted {
    struct stat_reading runs[64], nulls[64];
    struct stat_evidence evidence;
};

static void plant(struct planted *planted, const uint64_t *runs, size_t run_count,
                  const uint64_t *nulls, size_t null_count, int64_t truth)
{
    for (size_t i = 0; i < run_count; i++)
        planted->runs[i] = whole(runs[i]);
    for (size_t i = 0; i < null_count; i++)
        planted->nulls[i] = whole(nulls[i]);
    planted->evidence = (struct stat_evidence){.runs = planted->runs,
                                               .run_count = run_count,
                                               .nulls = planted->nulls,
                                               .null_count = null_count,
                                               .has_truth = true,
                                               .truth = truth};
}

/* --- exact --- */

TEST(exact_overhead_is_subtracted_to_the_count)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){1042}, 1, (uint64_t[]){49, 49, 49}, 3, 7);
    const struct stat_figure found = judge(&planted.evidence);
    assert_int_equal(found.state, STAT_COUNTED);
    assert_true(found.has_overhead && found.overhead == 42);
    assert_true(found.count == 1042 && found.corrected == 1000 && found.uncertainty == 0);
    assert_true(found.min == 1042 && found.max == 1042 && found.share == 1);
}

/* The layout of memory that adds a page fault in one execution of ten is missing from three of ten
 * lots of eleven. */
TEST(equal_nulls_are_not_certain_of_one_execution_at_random_addresses)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){103}, 1, (uint64_t[]){3, 3, 3, 3, 3}, 5, 1);
    planted.evidence.is_random = true;
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(found.corrected == 101 && found.uncertainty == 1);
    plant(&planted, (uint64_t[]){103, 103, 103}, 3, (uint64_t[]){3, 3, 3, 3, 3}, 5, 1);
    planted.evidence.is_random = true;
    assert_true(judge(&planted.evidence).uncertainty == 0);
}

TEST(one_wild_null_moves_nothing_but_the_bar)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){102}, 1, (uint64_t[]){2, 2, 900, 2, 2, 2, 2}, 7, 0);
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(found.overhead == 2 && found.corrected == 100);
    assert_true(found.uncertainty > 300);
}

/* Neither the count nor its bar may exclude what is possible. */
TEST(no_count_is_below_zero)
{
    static const uint64_t nulls[][3] = {{1, 1, 1}, {1, 1, 2}, {9, 10, 11}, {200, 200, 200}};
    for (size_t i = 0; i < sizeof(nulls) / sizeof(*nulls); i++)
        for (uint64_t count = 0; count < 12; count++) {
            struct planted planted;
            plant(&planted, &count, 1, nulls[i], 3, 0);
            const struct stat_figure found = judge(&planted.evidence);
            const double less = (double)count - found.overhead;
            assert_true(found.corrected == fmax(0, less));
            assert_true(less >= 0 || found.uncertainty >= -less);
            assert_true(found.corrected + found.uncertainty >= 0);
        }
}

TEST(what_relaying_added_is_taken_off_and_in_the_bar)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){1002}, 1, (uint64_t[]){2, 2, 2}, 3, 0);
    planted.evidence.relayed = 600;
    planted.evidence.relayed_bar = 700;
    struct stat_figure found = judge(&planted.evidence);
    assert_true(found.corrected == 400 && found.uncertainty == 700 && found.relayed == 600);
    planted.evidence.relayed = planted.evidence.relayed_bar = 5000; /* there is no more than 1000 */
    found = judge(&planted.evidence);
    assert_true(found.corrected == 0 && found.uncertainty == 1000);
}

TEST(without_a_truth_the_count_stands)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){500}, 1, (uint64_t[]){70, 90}, 2, 0);
    planted.evidence.has_truth = false;
    struct stat_figure found = judge(&planted.evidence);
    assert_true(!found.has_overhead && found.corrected == 500);
    assert_false(found.has_uncertainty);
    plant(&planted, (uint64_t[]){500, 502}, 2, NULL, 0, 0);
    planted.evidence.has_truth = false;
    found = judge(&planted.evidence);
    assert_true(found.has_uncertainty && found.uncertainty > 0);
}

TEST(without_a_null_nothing_is_subtracted)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){500}, 1, NULL, 0, 3);
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(!found.has_overhead && found.corrected == 500 && !found.has_uncertainty);
}

/* --- bars --- */

TEST(one_run_has_the_bar_of_one_more_null)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){100}, 1, (uint64_t[]){10, 12, 14}, 3, 0);
    const struct stat_figure found = judge(&planted.evidence);
    const double pi = 3.14159265358979323846;
    const double expected = t_quantile(0.975, 2) * 2 * sqrt(1 + pi / 2 / 3);
    assert_true(fabs(found.uncertainty - expected) < 1e-9);
    assert_true(found.from_spread == 0 && found.overhead == 12);
}

TEST(a_null_that_differed_by_one_may_come_again)
{
    struct planted planted;
    const uint64_t nulls[] = {2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2};
    plant(&planted, (uint64_t[]){101}, 1, nulls, 11, 0);
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(found.corrected == 99 && found.uncertainty == 1);
}

TEST(several_runs_have_the_t_interval_of_their_mean)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){90, 100, 110}, 3, (uint64_t[]){5, 5, 5}, 3, 0);
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(found.count == 100 && found.corrected == 95);
    assert_true(found.min == 90 && found.max == 110);
    assert_true(fabs(found.uncertainty - t_quantile(0.975, 2) * 10 / sqrt(3)) < 1e-9);
}

TEST(overcounts_are_added_in_full)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){1000}, 1, (uint64_t[]){0, 0, 0}, 3, 0);
    planted.evidence.per_fault = 2;
    planted.evidence.faults = 30;
    planted.evidence.per_interrupt = -1;
    planted.evidence.interrupts = 4;
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(found.corrected == 1000 && found.uncertainty == 64);
}

/* --- sharing --- */

TEST(shared_counters_are_extrapolated_with_a_wider_bar)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){0}, 1, (uint64_t[]){0, 0, 0}, 3, 0);
    planted.runs[0] = (struct stat_reading){500, SECOND, SECOND / 2};
    const struct stat_figure found = judge(&planted.evidence);
    assert_int_equal(found.state, STAT_MULTIPLEXED);
    assert_true(found.count == 1000 && found.share == 0.5);
    /* 125 turns of 4 ms were seen of 250. */
    assert_true(fabs(found.uncertainty - 1.959963984540054 * 1000 * sqrt(0.5 / 125)) < 1e-6);
}

TEST(in_a_mean_errors_of_sharing_shrink)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){0, 0}, 2, (uint64_t[]){0, 0, 0}, 3, 0);
    planted.runs[0] = planted.runs[1] = (struct stat_reading){500, SECOND, SECOND / 2};
    const double one = 1.959963984540054 * 1000 * sqrt(0.5 / 125);
    assert_true(fabs(judge(&planted.evidence).uncertainty - one / sqrt(2)) < 1e-6);
}

TEST(a_short_glance_may_be_off_by_all_of_it)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){0}, 1, (uint64_t[]){0, 0, 0}, 3, 0);
    planted.runs[0] = (struct stat_reading){10, SECOND, SECOND / 1000};
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(found.count == 10000 && found.uncertainty == 10000);
}

TEST(what_never_ran_has_no_figure)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){0, 0}, 2, (uint64_t[]){1, 1}, 2, 0);
    planted.runs[0].running = planted.runs[1].running = 0;
    assert_int_equal(judge(&planted.evidence).state, STAT_UNSCHEDULED);
    /* One that ran speaks for itself. */
    planted.runs[1] = whole(7);
    const struct stat_figure found = judge(&planted.evidence);
    assert_int_equal(found.state, STAT_COUNTED);
    assert_int_equal(found.runs, 1);
    assert_true(found.count == 7 && found.corrected == 6);
}

/* --- as often as it says --- */

static double normal(struct random *random)
{
    const double scale = 1.0 / 9007199254740992.0;
    const double one = ((double)(random_next(random) >> 11) + 1) * scale;
    const double other = (double)(random_next(random) >> 11) * scale;
    return sqrt(-2 * log(one)) * cos(2 * 3.14159265358979323846 * other);
}

/* How many of the trials have the program's own mean within their bars: each execution is the
 * program, which varies, and what starting adds, which varies too. */
static size_t covered(size_t trials, size_t runs, double own_spread)
{
    const double program = 1e6, starting = 5e3, starting_spread = 300;
    size_t hits = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        struct random random;
        struct planted planted;
        uint64_t values[64], nulls[64];
        random_seed(&random, trial + 1);
        for (size_t i = 0; i < runs; i++)
            values[i] = (uint64_t)llround(program + own_spread * normal(&random) + starting +
                                          starting_spread * normal(&random));
        for (size_t i = 0; i < 11; i++)
            nulls[i] = (uint64_t)llround(40 + starting + starting_spread * normal(&random));
        plant(&planted, values, runs, nulls, 11, 40);
        const struct stat_figure found = judge(&planted.evidence);
        hits += fabs(found.corrected - program) <= found.uncertainty;
    }
    return hits;
}

TEST(bars_hold_the_truth_in_at_least_95_of_100)
{
    const size_t trials = 4000;
    const struct {
        size_t runs;
        double spread;
    } cases[] = {{1, 0}, {2, 0}, {5, 0}, {5, 1000}, {30, 1000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const size_t hits = covered(trials, cases[i].runs, cases[i].spread);
        print_message("# %zu runs, spread %g: %zu of %zu\n", cases[i].runs, cases[i].spread, hits,
                      trials);
        assert_true(hits >= trials * 94 / 100);
        assert_true(hits <= trials * 99 / 100);
    }
}

TEST(one_run_says_nothing_of_how_the_program_varies)
{
    assert_true(covered(1000, 1, 1e5) < 100);
}

/* --- what differs between invocations --- */

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) / 0x1p53;
}

/* Times on a machine that is now faster, now slower: all executions of an invocation share that,
 * the first of them finds cold caches, and now and then something takes the CPU away. */
static void time_of_invocation(struct random *random, const double *drift, size_t runs,
                               double *values)
{
    const double state = 1 + *drift * normal(random);
    for (size_t i = 0; i < runs; i++)
        values[i] = 1e6 * state * (1 + 0.03 * fabs(normal(random))) * (i ? 1 : 1.2) *
                    (uniform(random) < 0.02 ? 1.6 : 1);
}

/* In how many of the trials is the mean of all trials within the bar, where so many invocations
 * told how fast the machine was? */
static size_t held_after(size_t earlier, size_t trials, size_t runs, enum stat_nature nature,
                         void (*draw)(struct random *, const double *, size_t, double *),
                         const double *world)
{
    double(*bars)[2] = calloc(trials, sizeof(*bars)), sum = 0;
    size_t hits = 0;
    assert_non_null(bars);
    for (size_t trial = 0; trial < trials; trial++) {
        struct random random;
        struct planted planted;
        double values[64], paces[64];
        uint64_t counts[64];
        const uint64_t nulls[11] = {0};
        random_seed(&random, trial + 1);
        for (size_t i = 0; i < earlier; i++)
            draw(&random, world, 1, &paces[i]);
        draw(&random, world, runs, values);
        for (size_t i = 0; i < runs; i++)
            counts[i] = (uint64_t)llround(values[i]);
        plant(&planted, counts, runs, nulls, 11, 0);
        planted.evidence.nature = nature;
        planted.evidence.seconds = 0.06;
        planted.evidence.paces = paces;
        planted.evidence.pace_count = earlier;
        planted.evidence.has_truth = nature != STAT_OF_TIME;
        const struct stat_figure found = judge(&planted.evidence);
        bars[trial][0] = found.corrected;
        bars[trial][1] = found.uncertainty;
        sum += found.corrected;
    }
    for (size_t trial = 0; trial < trials; trial++)
        hits += fabs(bars[trial][0] - sum / (double)trials) <= bars[trial][1];
    free(bars);
    return hits;
}

static size_t held(size_t trials, size_t runs, enum stat_nature nature,
                   void (*draw)(struct random *, const double *, size_t, double *),
                   const double *world)
{
    return held_after(0, trials, runs, nature, draw, world);
}

TEST(times_that_drift_between_invocations_are_held)
{
    const size_t trials = 2000, runs[] = {2, 3, 5, 20};
    const double drifts[] = {0, 0.02, 0.04, 0.05};
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
        for (size_t j = 0; j < sizeof(drifts) / sizeof(*drifts); j++)
            assert_true(held(trials, runs[i], STAT_OF_TIME, time_of_invocation, &drifts[j]) >=
                        trials * 93 / 100);
    /* Executions alone do not tell it, and the less the more there are. */
    assert_true(held(trials, 20, STAT_OF_WORK, time_of_invocation, &drifts[3]) < trials * 75 / 100);
}

/* Machines that drift by more than is assumed, of which earlier invocations tell. */
TEST(earlier_invocations_tell_how_times_drift)
{
    const size_t trials = 2000, runs[] = {3, 5, 20};
    const double drifts[] = {0, 0.05, 0.1, 0.15};
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
        for (size_t j = 0; j < sizeof(drifts) / sizeof(*drifts); j++)
            assert_true(held_after(16, trials, runs[i], STAT_OF_TIME, time_of_invocation,
                                   &drifts[j]) >= trials * 93 / 100);
    assert_true(held(trials, 20, STAT_OF_TIME, time_of_invocation, &drifts[3]) < trials * 70 / 100);
    /* The assumed tenth counts as four invocations do, however many told otherwise. */
    struct planted planted;
    const uint64_t values[] = {1000, 1000, 1000};
    const double paces[] = {80, 120, 80, 120, 80, 120, 80, 120}, steady[32] = {[0 ... 31] = 100};
    const struct {
        const double *paces;
        size_t count;
        double low, high;
    } cases[] = {{paces, 0, 100, 100}, {paces, 1, 100, 100}, {paces, 2, 335, 336},
                 {paces, 8, 378, 379}, {steady, 8, 47, 48},  {steady, 32, 24, 25}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        plant(&planted, values, 3, NULL, 0, 0);
        planted.evidence.nature = STAT_OF_TIME;
        planted.evidence.seconds = 0.01;
        planted.evidence.paces = cases[i].paces;
        planted.evidence.pace_count = cases[i].count;
        const double drift = judge(&planted.evidence).from_drift;
        if (!(drift > cases[i].low - 1e-6 && drift < cases[i].high + 1e-6))
            fail_msg("case %zu: %g", i, drift);
    }
}

TEST(drift_falls_with_time_not_with_executions)
{
    struct planted planted;
    const uint64_t values[] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
    const struct {
        size_t runs;
        double seconds, drift;
    } cases[] = {{2, 0.01, 100}, {8, 0.01, 100}, {8, 0.1, 100}, {8, 1.6, 50}, {2, 3600, 20}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        plant(&planted, values, cases[i].runs, NULL, 0, 0);
        planted.evidence.nature = STAT_OF_TIME;
        planted.evidence.seconds = cases[i].seconds;
        const struct stat_figure found = judge(&planted.evidence);
        assert_true(fabs(found.from_drift - cases[i].drift) < 1e-9);
        assert_true(fabs(found.uncertainty - cases[i].drift) < 1e-9 && found.from_spread == 0);
    }
    plant(&planted, values, 1, NULL, 0, 0);
    planted.evidence.nature = STAT_OF_TIME;
    assert_false(judge(&planted.evidence).has_uncertainty);
}

TEST(a_cold_first_execution_is_noticed)
{
    const struct {
        uint64_t values[4];
        size_t runs;
        double cold;
    } cases[] = {
        {{1200, 1000, 990, 1010}, 4, 1.2}, {{1200, 1000, 1000}, 3, 1.2}, {{1200, 1000}, 2, 0},
        {{1050, 1000, 1000, 1000}, 4, 0},  {{1200, 1000, 1300}, 3, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct planted planted;
        plant(&planted, cases[i].values, cases[i].runs, NULL, 0, 0);
        assert_true(judge(&planted.evidence).cold == 0);
        planted.evidence.nature = STAT_OF_TIME;
        assert_true(fabs(judge(&planted.evidence).cold - cases[i].cold) < 1e-9);
    }
}

/* --- chance --- */

static void switches_of_invocation(struct random *random, const double *mean, size_t runs,
                                   double *values)
{
    for (size_t i = 0; i < runs; i++) {
        double left = exp(-*mean), product = uniform(random);
        for (values[i] = 0; product > left; values[i]++)
            product *= uniform(random);
    }
}

TEST(switches_by_chance_are_held_and_never_certain)
{
    const size_t trials = 2000, runs[] = {1, 3, 5, 20};
    const double means[] = {0.02, 0.2, 0.6, 3, 40};
    struct planted planted;
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
        for (size_t j = 0; j < sizeof(means) / sizeof(*means); j++)
            assert_true(held(trials, runs[i], STAT_OF_CHANCE, switches_of_invocation, &means[j]) >=
                        trials * 93 / 100);
    plant(&planted, (uint64_t[]){0, 0, 0}, 3, (uint64_t[]){0, 0, 0}, 3, 0);
    planted.evidence.nature = STAT_OF_CHANCE;
    const double none = judge(&planted.evidence).uncertainty;
    assert_true(fabs(none - 3.689 / 3) < 0.01); /* exact: -log(0.025) / 3 */
    planted.evidence.nature = STAT_OF_WORK;
    assert_true(judge(&planted.evidence).uncertainty == 0);
}

/* --- modes --- */

static void mode_of_invocation(struct random *random, const double *share, size_t runs,
                               double *values)
{
    for (size_t i = 0; i < runs; i++)
        values[i] = uniform(random) < *share ? 600 : 100;
}

/* Both ways of a program that has two come in at least so many executions as are said to show. */
TEST(modes_are_held_down_to_the_share_that_is_said)
{
    const size_t trials = 4000;
    const struct {
        size_t runs;
        double share;
    } cases[] = {{5, 0.47}, {5, 0.5},   {20, 0.15}, {20, 0.3},
                 {20, 0.5}, {50, 0.07}, {50, 0.2},  {60, 0.06}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_true(cases[i].share > stat_unseen(cases[i].runs));
        const size_t hits =
            held(trials, cases[i].runs, STAT_OF_WORK, mode_of_invocation, &cases[i].share);
        print_message("# %zu runs, mode in %g: %zu of %zu\n", cases[i].runs, cases[i].share, hits,
                      trials);
        assert_true(hits >= trials * 92 / 100);
    }
    const double rare = 0.1;
    assert_true(rare < stat_unseen(20));
    assert_true(held(trials, 3, STAT_OF_WORK, mode_of_invocation, &rare) < trials / 2);
    /* At that share five of a hundred invocations see nothing of it. */
    for (size_t runs = 1; runs < 100; runs++)
        assert_true(fabs(pow(1 - stat_unseen(runs), (double)runs) - 0.05) < 1e-12);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of a command's events from planted readings: what is subtracted, what the bar holds, and
 * that it holds it as often as it says. */
#include <math.h>
#include <stdlib.h>
/* cmocka needs those before it. */

#include "case.h"
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

/* What comes of so many runs and nulls; NAN: no bar. Turns of a shared counter last 4 ms. */
static const struct example {
    const char *name;
    size_t runs, nulls;
    uint64_t values[8], null_values[12];
    struct stat_evidence other; /* what is more to it */
    uint64_t shared;            /* every run had the counter for one part in so many; 0: always */
    double count, corrected, bar, overhead; /* overhead NAN: none */
} examples[] = {
    /* clang-format off */
    {"an exact overhead", 1, 3, {1042}, {49, 49, 49}, {.truth = 7}, 0, 1042, 1000, 0, 42},
    /* The layout of memory that adds a page fault in one execution of ten is missing from three of
     * ten lots of eleven. */
    {"random addresses", 1, 5, {103}, {3, 3, 3, 3, 3}, {.truth = 1, .is_random = true}, 0, 103,
     101, 1, 2},
    {"several at random addresses", 3, 5, {103, 103, 103}, {3, 3, 3, 3, 3},
     {.truth = 1, .is_random = true}, 0, 103, 101, 0, 2},
    {"relayed", 1, 3, {1002}, {2, 2, 2}, {.relayed = 600, .relayed_bar = 700}, 0, 1002, 400, 700,
     2},
    {"relayed more than there is", 1, 3, {1002}, {2, 2, 2},
     {.relayed = 5000, .relayed_bar = 5000}, 0, 1002, 0, 1000, 2},
    {"no truth", 1, 2, {500}, {70, 90}, {.has_truth = true}, 0, 500, 500, NAN, NAN},
    {"no null", 1, 0, {500}, {0}, {.truth = 3}, 0, 500, 500, NAN, NAN},
    /* the t quantile of 2 degrees, of one more null beside a median of three */
    {"the bar of one more null", 1, 3, {100}, {10, 12, 14}, {0}, 0, 100, 88,
     4.302652729749 * 2 * 1.2343414614, 12},
    {"a null that differed by one", 1, 11, {101}, {2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2}, {0}, 0, 101,
     99, 1, 2},
    {"the t interval of a mean", 3, 3, {90, 100, 110}, {5, 5, 5}, {0}, 0, 100, 95,
     4.302652729749 * 5.7735026919, 5},
    {"overcounts in full", 1, 3, {1000}, {0, 0, 0},
     {.per_fault = 2, .faults = 30, .per_interrupt = -1, .interrupts = 4}, 0, 1000, 1000, 64, 0},
    /* 125 turns were seen of 250 */
    {"shared", 1, 3, {500}, {0, 0, 0}, {0}, 2, 1000, 1000,
     1.959963984540 * 1000 * 0.0632455532, 0},
    {"shared twice", 2, 3, {500, 500}, {0, 0, 0}, {0}, 2, 1000, 1000,
     1.959963984540 * 1000 * 0.0447213595, 0},
    {"a short glance", 1, 3, {10}, {0, 0, 0}, {0}, 1000, 10000, 10000, 10000, 0},
    /* clang-format on */
};

TEST(a_count_is_less_by_what_starting_adds_and_has_its_bar)
{
    for (const struct example *example = examples;
         example < examples + sizeof(examples) / sizeof(*examples); example++) {
        struct planted planted;
        plant(&planted, example->values, example->runs, example->null_values, example->nulls, 0);
        for (size_t i = 0; i < example->runs && example->shared; i++)
            planted.runs[i].running = SECOND / example->shared;
        struct stat_evidence evidence = example->other;
        evidence.runs = planted.runs;
        evidence.run_count = example->runs;
        evidence.nulls = planted.nulls;
        evidence.null_count = example->nulls;
        evidence.has_truth = !example->other.has_truth; /* the table says which has none */
        const struct stat_figure found = judge(&evidence);
        if (found.count != example->count || found.corrected != example->corrected ||
            found.has_overhead == (bool)isnan(example->overhead) ||
            (found.has_overhead && found.overhead != example->overhead) ||
            found.has_uncertainty == (bool)isnan(example->bar) ||
            (found.has_uncertainty && fabs(found.uncertainty - example->bar) > 1e-5))
            fail_msg("%s: %g, corrected %g ± %g, overhead %g", example->name, found.count,
                     found.corrected, found.uncertainty, found.overhead);
        assert_int_equal(found.state, example->shared ? STAT_MULTIPLEXED : STAT_COUNTED);
        assert_true(fabs(found.share - (example->shared ? 1.0 / (double)example->shared : 1)) <
                    1e-9);
    }
}

TEST(one_wild_null_moves_nothing_but_the_bar)
{
    struct planted planted;
    plant(&planted, (uint64_t[]){102}, 1, (uint64_t[]){2, 2, 900, 2, 2, 2, 2}, 7, 0);
    const struct stat_figure found = judge(&planted.evidence);
    assert_true(found.overhead == 2 && found.corrected == 100 && found.uncertainty > 300);
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

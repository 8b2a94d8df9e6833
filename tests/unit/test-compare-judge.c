/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judge of comparisons: what was planted is found and stated in its size, and clean data accuse
 * nobody, whatever the shape of their noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "commands/compare/compare.h"
#include "commands/compare/judge.h"
#include "engine/compared.h"
#include "stats/random.h"

#define SEEDS 40u

/* --- building --- */

static struct memory_scope scope; /* of the case at hand */

static void begin(struct compare_case *file, size_t sides)
{
    static const char *const labels[] = {"old", "new", "third"};
    memory_scope_begin(&scope);
    *file = (struct compare_case){0};
    compare_add_sides(file, sides);
    for (size_t i = 0; i < sides; i++) {
        file->sides[i].label = memory_copy(labels[i]);
        file->sides[i].fingerprint = memory_copy(labels[i]);
        file->sides[i].counter = memory_copy("tsc");
    }
}

enum noise { NOISE_NONE, NOISE_SMOOTH, NOISE_COUNTS, NOISE_WILD, NOISES };

static double drawn(struct random *random, enum noise noise)
{
    const double share = (double)(random_next(random) >> 11) / 0x1p53;
    switch (noise) {
    case NOISE_SMOOTH:
        return share * 10;
    case NOISE_COUNTS: /* mostly 0, sometimes one or two more */
        return share < .7 ? 0 : share < .9 ? 1 : 2;
    case NOISE_WILD: /* Cauchy */
        return tan(3.141592653589793 * (share - .5));
    default:
        return 0;
    }
}

struct planted {
    size_t cells, processes;
    enum noise noise;
    double shift; /* of the second side */
    bool timed;
};

static struct compare_quantity *add_cell(struct compare_case *file, const char *subject,
                                         size_t number, bool timed)
{
    char factors[32];
    snprintf(factors, sizeof(factors), "cell %zu", number);
    struct compare_quantity like = {.study = (char *)"error",
                                    .event = (char *)"instructions:u",
                                    .subject = (char *)subject,
                                    .factors = factors,
                                    .unit = (char *)(timed ? "ns" : "events"),
                                    .timed = timed,
                                    .margin = timed ? .25 : 0};
    struct compare_quantity *quantity = compare_add_quantity(file, &like);
    assert_non_null(quantity);
    return quantity;
}

static void plant(struct compare_case *file, const char *subject, const struct planted *planted,
                  struct random *random)
{
    for (size_t cell = 0; cell < planted->cells; cell++) {
        struct compare_quantity *quantity = add_cell(file, subject, cell, planted->timed);
        for (size_t side = 0; side < file->side_count; side++)
            for (size_t i = 0; i < planted->processes; i++)
                compare_add_value(quantity, side,
                                  1000 + drawn(random, planted->noise) +
                                      (side == 1 ? planted->shift : 0));
    }
}

static void judge(const struct compare_case *file, struct compare_report *report)
{
    compare_judge(file, report);
}

static void end(struct compare_case *file, struct compare_report *report)
{
    memory_scope_end(&scope);
    *file = (struct compare_case){0};
    *report = (struct compare_report){0};
}

/* What each of two sides says. */
static void say(struct compare_case *file, const char *subject, const struct compare_word words[2])
{
    struct compare_claim *claim = compare_add_claim(file, "validate", subject);
    assert_non_null(claim);
    assert_int_equal(file->side_count, 2);
    for (size_t i = 0; i < 2; i++)
        if (words[i].word)
            compare_say(claim, i, &words[i]);
}

/* --- what must be found --- */

TEST(a_shift_is_found_with_its_size)
{
    struct compare_case file;
    struct compare_report report;
    struct random random;
    random_seed(&random, 1);
    begin(&file, 2);
    plant(&file, "perf-read", &(struct planted){40, 20, NOISE_SMOOTH, 12, false}, &random);
    plant(&file, "papi-low", &(struct planted){40, 20, NOISE_SMOOTH, 0, false}, &random);
    judge(&file, &report);
    assert_true(report.different);
    assert_int_equal(report.group_count, 2);
    assert_int_equal(report.groups[0].standing, STANDING_DIFFERS);
    assert_int_equal(report.groups[0].differing, 40);
    assert_true(fabs(report.effects[report.groups[0].typical].shift - 12) < 1);
    assert_int_equal(report.groups[1].standing, STANDING_SAME);
    for (size_t i = 0; i < 40; i++) {
        const struct compare_effect *effect = &report.effects[i];
        assert_int_equal(effect->standing, STANDING_DIFFERS);
        assert_true(effect->delta == 1 && effect->adjusted_p < .05);
        assert_true(effect->shift_interval.low > 5 && effect->shift_interval.high < 19);
        assert_true(effect->ratio > 1.005 && effect->ratio < 1.02);
    }
    end(&file, &report);
}

/* Intervals hold what was planted as often as they say. */
TEST(intervals_cover_what_was_planted)
{
    size_t covered = 0, all = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct compare_case file;
        struct compare_report report;
        struct random random;
        random_seed(&random, seed);
        begin(&file, 2);
        plant(&file, "perf-read", &(struct planted){5, 15, NOISE_SMOOTH, 4, false}, &random);
        judge(&file, &report);
        for (size_t i = 0; i < report.effect_count; i++, all++)
            covered += report.effects[i].shift_interval.low <= 4 &&
                       report.effects[i].shift_interval.high >= 4;
        end(&file, &report);
    }
    print_message("# %zu of %zu intervals cover\n", covered, all);
    assert_true((double)covered >= .93 * (double)all);
}

/* Two processes a cell tell nothing; all cells together do. */
TEST(cells_of_few_processes_tell_together)
{
    struct compare_case file;
    struct compare_report report;
    struct random random;
    random_seed(&random, 2);
    begin(&file, 2);
    plant(&file, "perf-read", &(struct planted){20, 2, NOISE_NONE, 2, false}, &random);
    plant(&file, "papi-low", &(struct planted){20, 2, NOISE_NONE, 0, false}, &random);
    judge(&file, &report);
    assert_int_equal(report.groups[0].standing, STANDING_DIFFERS);
    assert_int_equal(report.groups[0].differing, 0);
    assert_true(fabs(report.effects[report.groups[0].typical].shift - 2) < 1e-9);
    /* The cell alone could be chance, all of them are not: the figure shows what was told. */
    assert_true(report.effects[report.groups[0].typical].delta_interval.low < 0);
    assert_true(report.groups[0].delta >= 1 && report.groups[0].delta_interval.low > 0);
    assert_int_equal(report.effects[0].standing, STANDING_FEW);
    assert_int_equal(report.groups[1].standing, STANDING_SAME);
    assert_int_equal(report.effects[20].standing, STANDING_SAME);
    end(&file, &report);
}

/* Cells of twenty processes on either side, the second shifted. */
static void plant_shifts(struct compare_case *file, const double *shifts, size_t cells, bool timed)
{
    for (size_t cell = 0; cell < cells; cell++) {
        struct compare_quantity *quantity = add_cell(file, "perf-read", cell, timed);
        for (size_t i = 0; i < 20; i++) {
            compare_add_value(quantity, 0, 100 + (double)(i % 2));
            compare_add_value(quantity, 1, 100 + (double)(i % 2) + shifts[cell]);
        }
    }
}

/* One row of figures belongs to a group, those that differ by themselves before all. */
TEST(the_middle_of_those_that_differ_stands_for_them)
{
    static const double shifts[] = {0, 9, 0, 7, 0, 0, -5, 0, 0};
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    plant_shifts(&file, shifts, 9, false);
    judge(&file, &report);
    const struct compare_group *group = &report.groups[0];
    assert_int_equal(group->standing, STANDING_DIFFERS);
    assert_int_equal(group->differing, 3);
    assert_int_equal(group->typical, 3);
    assert_true(group->delta >= 1 && group->delta_interval.low > 0);
    end(&file, &report);
}

/* Times must be told by all of their group, and its figures are of all of it. */
TEST(the_middle_of_all_stands_for_times)
{
    static const double shifts[] = {0, 90, 50, 70, 40};
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    plant_shifts(&file, shifts, 5, true);
    judge(&file, &report);
    const struct compare_group *group = &report.groups[0];
    assert_int_equal(group->standing, STANDING_DIFFERS);
    assert_int_equal(group->differing, 4);
    assert_int_equal(group->typical, 2);
    assert_true(group->delta > .75 && group->delta < .85 && group->delta_interval.low > 0);
    end(&file, &report);
}

/* Many processes of one cell tell that times fell, the cell in the middle rose. */
TEST(a_middle_that_shifts_the_other_way_tells_nothing)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    for (size_t cell = 0; cell < 2; cell++) {
        struct compare_quantity *quantity = add_cell(&file, "perf-read", cell, true);
        for (size_t i = 0; i < (cell ? 2 : 30); i++) {
            compare_add_value(quantity, 0, 1000 + (double)i);
            compare_add_value(quantity, 1, (cell ? 1500 : 500) + (double)i);
        }
    }
    judge(&file, &report);
    const struct compare_group *group = &report.groups[0];
    assert_true(group->adjusted_p < .01 && group->delta < 0);
    assert_true(report.effects[group->typical].shift > 0);
    assert_int_equal(group->standing, STANDING_WITHIN);
    end(&file, &report);
}

/* Three against thirty: the test tells, the interval of the effect would hold none. */
TEST(a_difference_has_intervals_without_none)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    struct compare_quantity *quantity = add_cell(&file, "perf-read", 0, false);
    for (size_t i = 0; i < 30; i++)
        compare_add_value(quantity, 0, 100 + (double)i);
    for (size_t i = 0; i < 3; i++)
        compare_add_value(quantity, 1, 200 + (double)i);
    judge(&file, &report);
    assert_true(report.effects[0].adjusted_p < .01);
    assert_true(report.effects[0].delta_interval.low < 0);
    assert_int_equal(report.effects[0].standing, STANDING_UNSURE);
    assert_false(report.different);
    assert_int_equal(report.groups[0].standing, STANDING_UNSURE);
    assert_memory_equal(&report.groups[0].delta_interval, &report.effects[0].delta_interval,
                        sizeof(report.groups[0].delta_interval));
    end(&file, &report);
}

static bool holds_none(const struct interval *interval)
{
    return interval->low <= 0 && interval->high >= 0;
}

static void check_agreement(const struct compare_report *report)
{
    for (size_t i = 0; i < report->effect_count; i++)
        if (report->effects[i].standing == STANDING_DIFFERS) {
            assert_false(holds_none(&report->effects[i].delta_interval));
            assert_false(holds_none(&report->effects[i].shift_interval));
        }
    for (size_t i = 0; i < report->group_count; i++)
        if (report->groups[i].standing == STANDING_DIFFERS)
            assert_false(holds_none(&report->groups[i].delta_interval));
}

/* Of whatever size, with whatever noise. */
TEST(no_difference_contradicts_its_interval)
{
    static const double shifts[] = {.5, 1, 3, 12};
    size_t told = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++)
        for (size_t i = 0; i < 4; i++) {
            struct compare_case file;
            struct compare_report report;
            struct random random;
            random_seed(&random, UINT64_C(4) * seed + i);
            begin(&file, 2);
            plant(&file, "perf-read",
                  &(struct planted){1 + seed % 6, 2 + seed % 15, (enum noise)(seed % NOISES),
                                    shifts[i], seed % 5 == 0},
                  &random);
            judge(&file, &report);
            check_agreement(&report);
            told += compare_groups_that(&report, STANDING_DIFFERS);
            end(&file, &report);
        }
    print_message("# %zu groups differ\n", told);
    assert_true(told > 50);
}

TEST(verdicts_that_change_are_found)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    say(&file, "alike",
        (struct compare_word[]){{.word = (char *)"exact"}, {.word = (char *)"exact"}});
    say(&file, "changed",
        (struct compare_word[]){{.word = (char *)"exact"}, {.word = (char *)"biased"}});
    say(&file, "noisy",
        (struct compare_word[]){{.word = (char *)"exact"},
                                {.word = (char *)"noisy", .unsure = true}});
    say(&file, "alone", (struct compare_word[]){{.word = (char *)"exact"}, {0}});
    say(&file, "cause",
        (struct compare_word[]){{.word = (char *)"biased", .detail = (char *)"kernel-leak"},
                                {.word = (char *)"biased", .detail = (char *)"threshold"}});
    say(&file, "no cause",
        (struct compare_word[]){{.word = (char *)"biased", .detail = (char *)"kernel-leak"},
                                {.word = (char *)"biased"}});
    say(&file, "estimates that overlap",
        (struct compare_word[]){
            {.word = (char *)"holds", .estimated = true, .low = 1, .high = 3},
            {.word = (char *)"does not hold", .estimated = true, .low = 2, .high = 5}});
    say(&file, "estimates that part",
        (struct compare_word[]){
            {.word = (char *)"holds", .estimated = true, .low = 1, .high = 3},
            {.word = (char *)"does not hold", .estimated = true, .low = 4, .high = 5}});
    say(&file, "estimates without an interval",
        (struct compare_word[]){
            {.word = (char *)"holds", .estimated = true, .low = NAN, .high = NAN},
            {.word = (char *)"does not hold", .estimated = true, .low = 4, .high = 5}});
    say(&file, "estimates without a width",
        (struct compare_word[]){
            {.word = (char *)"holds", .estimated = true, .low = 1, .high = 1},
            {.word = (char *)"does not hold", .estimated = true, .low = 4, .high = 4}});
    say(&file, "estimates of times closer than runs are",
        (struct compare_word[]){
            {.word = (char *)"holds", .estimated = true, .low = 1, .high = 1.1, .margin = .25},
            {.word = (char *)"does not hold", .estimated = true, .low = 1.3, .high = 1.4}});
    say(&file, "estimates of times farther apart",
        (struct compare_word[]){
            {.word = (char *)"holds", .estimated = true, .low = 1, .high = 1.1, .margin = .25},
            {.word = (char *)"does not hold", .estimated = true, .low = 1.4, .high = 1.5}});
    say(&file, "estimates of different things",
        (struct compare_word[]){
            {.word = (char *)"holds", .estimated = true, .low = 1, .high = 2, .unit = "times"},
            {.word = (char *)"does not hold",
             .estimated = true,
             .low = 4,
             .high = 5,
             .unit = "power"}});
    say(&file, "a run away",
        (struct compare_word[]){{.word = (char *)"exact", .near = "accurate"},
                                {.word = (char *)"accurate", .near = "exact"}});
    say(&file, "far away",
        (struct compare_word[]){{.word = (char *)"exact", .near = "accurate"},
                                {.word = (char *)"biased"}});
    judge(&file, &report);
    static const enum compare_standing standings[] = {
        STANDING_SAME,   STANDING_DIFFERS, STANDING_UNSURE,  STANDING_APART,  STANDING_DIFFERS,
        STANDING_SAME,   STANDING_UNSURE,  STANDING_DIFFERS, STANDING_UNSURE, STANDING_UNSURE,
        STANDING_UNSURE, STANDING_DIFFERS, STANDING_UNSURE,  STANDING_UNSURE, STANDING_DIFFERS};
    for (size_t i = 0; i < 15; i++)
        assert_int_equal(report.verdicts[i].standing, standings[i]);
    assert_true(report.different);
    end(&file, &report);
}

/* Runs of one side that contradict each other settle nothing. */
TEST(a_side_that_contradicts_itself_is_unsure)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    say(&file, "event",
        (struct compare_word[]){{.word = (char *)"exact"}, {.word = (char *)"biased"}});
    say(&file, "event", (struct compare_word[]){{0}, {.word = (char *)"exact"}});
    judge(&file, &report);
    assert_int_equal(report.verdict_count, 1);
    assert_int_equal(report.verdicts[0].standing, STANDING_UNSURE);
    assert_false(report.different);
    end(&file, &report);
}

TEST(shares_of_runs_are_tested)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    say(&file, "one of seven",
        (struct compare_word[]){{.word = (char *)"identical", .hits = 7, .runs = 7},
                                {.word = (char *)"varies", .hits = 6, .runs = 7}});
    say(&file, "all",
        (struct compare_word[]){{.word = (char *)"identical", .hits = 12, .runs = 12},
                                {.word = (char *)"varies", .hits = 1, .runs = 12}});
    judge(&file, &report);
    assert_int_equal(report.verdicts[0].standing, STANDING_UNSURE);
    assert_int_equal(report.verdicts[1].standing, STANDING_DIFFERS);
    end(&file, &report);
}

/* Nine programs that always count the same on one side, and half of the time on the other. */
TEST(shares_of_runs_tell_together)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    for (int i = 0; i < 9; i++) {
        char subject[16];
        snprintf(subject, sizeof(subject), "program %d", i);
        say(&file, subject,
            (struct compare_word[]){{.word = (char *)"varies", .hits = 4, .runs = 7},
                                    {.word = (char *)"identical", .hits = 7, .runs = 7}});
    }
    say(&file, "the other way",
        (struct compare_word[]){{.word = (char *)"identical", .hits = 7, .runs = 7},
                                {.word = (char *)"varies", .hits = 6, .runs = 7}});
    judge(&file, &report);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(report.verdicts[i].standing, STANDING_DIFFERS);
    assert_int_equal(report.verdicts[9].standing, STANDING_UNSURE);
    end(&file, &report);
}

TEST(facts_that_differ_are_told)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 2);
    struct compare_fact *fact = compare_add_fact(&file, "kernel.release", "kernel", WEIGHT_MACHINE);
    fact->values[0] = memory_copy("6.1");
    fact->values[1] = memory_copy("6.2");
    fact = compare_add_fact(&file, "isa", "ISA", WEIGHT_CODE);
    fact->values[0] = memory_copy("x86_64");
    fact->values[1] = memory_copy("x86_64");
    fact = compare_add_fact(&file, "cpu.microcode", "microcode", WEIGHT_MACHINE);
    fact->values[1] = memory_copy("0x1");
    judge(&file, &report);
    assert_true(report.fact_differs[0] && !report.fact_differs[1] && report.fact_differs[2]);
    assert_false(report.different);
    end(&file, &report);
}

/* --- times and units --- */

TEST(times_must_differ_by_more_than_runs_do)
{
    struct compare_case file;
    struct compare_report report;
    struct random random;
    random_seed(&random, 3);
    begin(&file, 2);
    plant(&file, "perf-read", &(struct planted){10, 20, NOISE_SMOOTH, 100, true}, &random);
    plant(&file, "papi-low", &(struct planted){10, 20, NOISE_SMOOTH, 500, true}, &random);
    judge(&file, &report);
    assert_int_equal(report.groups[0].standing, STANDING_WITHIN);
    assert_int_equal(report.groups[1].standing, STANDING_DIFFERS);
    end(&file, &report);
}

/* Runs of 40 processes on each side that read a clock with a step: two steps or three, by chance.
 */
TEST(a_step_of_the_clock_is_no_difference)
{
    static const enum compare_standing standings[] = {STANDING_WITHIN, STANDING_DIFFERS};
    for (size_t more = 1; more <= 2; more++) {
        struct compare_case file;
        struct compare_report report;
        struct random random;
        random_seed(&random, more);
        begin(&file, 2);
        struct compare_quantity *quantity = add_cell(&file, "timer", 0, true);
        quantity->unit = memory_copy("ticks");
        for (size_t i = 0; i < 80; i++) {
            double runs[9];
            for (size_t run = 0; run < 9; run++) /* one in nine differs */
                runs[run] = 36 * (2 + (double)(i % 2 * more) + (random_below(&random, 9) == 0));
            compared_median(&(struct compared){&file, "error", i % 2}, quantity, runs, 9);
        }
        judge(&file, &report);
        assert_true(fabs(report.groups[0].step - 36) < 1e-9);
        assert_true(report.effects[0].ratio >= 1.5);
        assert_int_equal(report.groups[0].standing, standings[more - 1]);
        end(&file, &report);
    }
}

/* A machine that is slow, by a factor of 1.6, but for the first six processes, and one that is so
 * for these alone: cells of six processes, one after the other. */
static void plant_states(struct compare_case *file, bool timed, double factor,
                         struct random *random)
{
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < 72; i++) {
            const bool slow = side ? i < 6 : i >= 6;
            compare_add_value(add_cell(file, "clock", i % 12, timed), side,
                              1000 * (slow ? 1.6 : 1) * (side ? factor : 1) +
                                  drawn(random, NOISE_SMOOTH));
        }
}

TEST(states_that_both_sides_show_are_no_difference)
{
    static const struct {
        bool timed;
        double factor; /* of the second side */
        enum compare_standing standing;
    } cases[] = {{true, 1, STANDING_WITHIN}, /* the first is slow for longer, and is no other */
                 {true, .25, STANDING_DIFFERS},
                 {true, 4, STANDING_DIFFERS},
                 {false, 1, STANDING_DIFFERS}}; /* counts have no such states */
    for (size_t i = 0; i < 4; i++)
        for (unsigned seed = 0; seed < SEEDS; seed++) {
            struct compare_case file;
            struct compare_report report;
            struct random random;
            random_seed(&random, seed);
            begin(&file, 2);
            plant_states(&file, cases[i].timed, cases[i].factor, &random);
            judge(&file, &report);
            assert_int_equal(report.groups[0].standing, cases[i].standing);
            end(&file, &report);
        }
}

/* Twice the time is found where processes agree, and one instruction more where all are exact. */
TEST(small_differences_beyond_the_noise_are_found)
{
    struct compare_case file;
    struct compare_report report;
    struct random random;
    random_seed(&random, 5);
    begin(&file, 2);
    plant(&file, "times", &(struct planted){12, 6, NOISE_SMOOTH, 1000, true}, &random);
    plant(&file, "counts", &(struct planted){12, 6, NOISE_NONE, 1, false}, &random);
    judge(&file, &report);
    assert_int_equal(report.groups[0].standing, STANDING_DIFFERS);
    assert_int_equal(report.groups[1].standing, STANDING_DIFFERS);
    end(&file, &report);
}

/* A neighbour whom a guest does not see may have half of a core for all of a run; counts and three
 * times the time are not his doing. */
TEST(guests_may_have_half_of_a_core)
{
    static const struct {
        bool shared, timed;
        double shift; /* of about 1000 */
        enum compare_standing standing;
    } cases[] = {{false, true, 1050, STANDING_DIFFERS},
                 {true, true, 1050, STANDING_WITHIN},
                 {true, true, 2000, STANDING_DIFFERS},
                 {true, false, 1, STANDING_DIFFERS}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct compare_case file;
        struct compare_report report;
        struct random random;
        random_seed(&random, i);
        begin(&file, 2);
        file.sides[i % 2].shared = cases[i].shared;
        plant(&file, "loop",
              &(struct planted){12, 6, cases[i].timed ? NOISE_SMOOTH : NOISE_NONE, cases[i].shift,
                                cases[i].timed},
              &random);
        judge(&file, &report);
        if (report.groups[0].standing != cases[i].standing)
            fail_msg("case %zu: %d", i, (int)report.groups[0].standing);
        end(&file, &report);
    }
}

TEST(ticks_of_different_counters_are_converted_or_left_alone)
{
    for (int known = 0; known < 2; known++) {
        struct compare_case file;
        struct compare_report report;
        begin(&file, 2);
        file.tick_study = "clocks";
        file.sides[1].counter = memory_copy("cntvct");
        file.sides[0].tick_ns = known ? .5 : 0;
        file.sides[1].tick_ns = known ? 10 : 0;
        struct compare_quantity like = {.study = (char *)"overhead",
                                        .event = (char *)"clock/ticks/",
                                        .subject = (char *)"perf-read.read",
                                        .factors = (char *)"",
                                        .unit = (char *)"ticks",
                                        .timed = true,
                                        .margin = .25};
        struct compare_quantity *quantity = compare_add_quantity(&file, &like);
        for (size_t i = 0; i < 20; i++) {
            compare_add_value(quantity, 0, 1000);
            compare_add_value(quantity, 1, 50);
        }
        judge(&file, &report);
        assert_int_equal(report.effects[0].standing, known ? STANDING_SAME : STANDING_UNITS);
        assert_string_equal(report.effects[0].unit, known ? "ns" : "ticks");
        if (known)
            assert_true(fabs(report.effects[0].median - 500) < 1e-9);
        else
            assert_ptr_equal(report.effects[0].why.list->words, &compare_words[COMPARE_TICKS]);
        end(&file, &report);
    }
}

TEST(times_of_emulated_machines_are_not_compared)
{
    struct compare_case file;
    struct compare_report report;
    struct random random;
    random_seed(&random, 4);
    begin(&file, 2);
    file.sides[1].emulated = true;
    plant(&file, "times", &(struct planted){3, 20, NOISE_SMOOTH, 900, true}, &random);
    plant(&file, "counts", &(struct planted){3, 20, NOISE_SMOOTH, 900, false}, &random);
    judge(&file, &report);
    assert_int_equal(compare_effects_that(&report, STANDING_UNITS), 3);
    assert_int_equal(compare_effects_that(&report, STANDING_DIFFERS), 3);
    end(&file, &report);
}

TEST(what_one_side_lacks_is_set_apart)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 3);
    struct compare_quantity *quantity = add_cell(&file, "perf-read", 0, false);
    compare_add_value(quantity, 2, 5);
    judge(&file, &report);
    assert_int_equal(report.effect_count, 1); /* the third against the first alone */
    assert_int_equal(report.effects[0].standing, STANDING_APART);
    assert_int_equal(report.group_count, 0);
    assert_false(report.different);
    end(&file, &report);
}

/* --- Weaver and McKee's deviation --- */

TEST(deviations_are_in_percent_of_the_mean)
{
    struct compare_case file;
    struct compare_report report;
    begin(&file, 3);
    struct compare_quantity like = {.study = (char *)"repeat",
                                    .event = (char *)"instructions:u",
                                    .subject = (char *)"gzip",
                                    .factors = (char *)"controlled",
                                    .unit = (char *)"events",
                                    .program = true};
    struct compare_quantity *quantity = compare_add_quantity(&file, &like);
    static const double counts[] = {990, 1000, 1010};
    for (size_t side = 0; side < 3; side++)
        for (size_t i = 0; i < 4; i++)
            compare_add_value(quantity, side, counts[side]);
    judge(&file, &report);
    assert_int_equal(report.deviation_count, 1);
    assert_int_equal(report.deviations[0].machines, 3);
    assert_true(fabs(report.deviations[0].mean - 1000) < 1e-9);
    assert_true(fabs(report.deviations[0].deviation_percent - 1) < 1e-9);
    assert_true(fabs(report.deviations[0].worst_percent - 1) < 1e-9);
    end(&file, &report);
}

/* --- clean data --- */

TEST(clean_data_accuse_nobody)
{
    static const char *const names[NOISES] = {"none", "smooth", "counts", "wild"};
    static const size_t processes[] = {2, 5, 20};
    for (size_t noise = 0; noise < NOISES; noise++)
        for (size_t p = 0; p < 3; p++) {
            unsigned accused = 0;
            for (unsigned seed = 0; seed < SEEDS; seed++) {
                struct compare_case file;
                struct compare_report report;
                struct random random;
                random_seed(&random, seed * UINT64_C(100) + noise * 10 + p);
                begin(&file, 2);
                plant(&file, "one",
                      &(struct planted){12, processes[p], (enum noise)noise, 0, false}, &random);
                plant(&file, "two",
                      &(struct planted){12, processes[p], (enum noise)noise, 0, false}, &random);
                judge(&file, &report);
                accused += report.different;
                end(&file, &report);
            }
            print_message("# noise %s, %zu processes: %u of %u clean comparisons accused\n",
                          names[noise], processes[p], accused, SEEDS);
            assert_true(accused <= SEEDS / 20 + 7); /* 5 %, and what chance adds to that */
        }
}

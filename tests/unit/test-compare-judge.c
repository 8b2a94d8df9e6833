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

/* The comparison at hand; begin() makes it anew. */
static struct compare_case file;
static struct compare_report report;
static struct random random_;
static struct memory_scope scope;

static void begin(size_t sides, uint64_t seed)
{
    static const char *const labels[] = {"old", "new", "third"};
    memory_scope_end(&scope);
    memory_scope_begin(&scope);
    file = (struct compare_case){0};
    random_seed(&random_, seed);
    compare_add_sides(&file, sides);
    for (size_t i = 0; i < sides; i++) {
        file.sides[i].label = memory_copy(labels[i]);
        file.sides[i].fingerprint = memory_copy(labels[i]);
        file.sides[i].counter = memory_copy("tsc");
    }
}

enum noise { NOISE_NONE, NOISE_SMOOTH, NOISE_COUNTS, NOISE_WILD, NOISES };

static double drawn(enum noise noise)
{
    const double share = (double)(random_next(&random_) >> 11) / 0x1p53;
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

static struct compare_quantity *add_cell(const char *subject, size_t number, bool timed)
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
    struct compare_quantity *quantity = compare_add_quantity(&file, &like);
    assert_non_null(quantity);
    return quantity;
}

static void plant(const char *subject, const struct planted *planted)
{
    for (size_t cell = 0; cell < planted->cells; cell++) {
        struct compare_quantity *quantity = add_cell(subject, cell, planted->timed);
        for (size_t side = 0; side < file.side_count; side++)
            for (size_t i = 0; i < planted->processes; i++)
                compare_add_value(quantity, side,
                                  1000 + drawn(planted->noise) + (side == 1 ? planted->shift : 0));
    }
}
#define PLANT(subject, ...) plant(subject, &(struct planted){__VA_ARGS__})

static void judge(void)
{
    compare_judge(&file, &report);
}

/* What each of two sides says of it. */
static void say(const char *subject, struct compare_word old, struct compare_word new)
{
    struct compare_claim *claim = compare_add_claim(&file, "validate", subject);
    assert_non_null(claim);
    if (old.word)
        compare_say(claim, 0, &old);
    if (new.word)
        compare_say(claim, 1, &new);
}
#define SAID(text, ...)                                                                            \
    {                                                                                              \
        .word = (char *)(uintptr_t)(text), __VA_ARGS__                                             \
    }

/* --- what must be found --- */

TEST(a_shift_is_found_with_its_size)
{
    begin(2, 1);
    PLANT("perf-read", 40, 20, NOISE_SMOOTH, 12, false);
    PLANT("papi-low", 40, 20, NOISE_SMOOTH, 0, false);
    judge();
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
}

/* Intervals hold what was planted as often as they say. */
TEST(intervals_cover_what_was_planted)
{
    size_t covered = 0, all = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        begin(2, seed);
        PLANT("perf-read", 5, 15, NOISE_SMOOTH, 4, false);
        judge();
        for (size_t i = 0; i < report.effect_count; i++, all++)
            covered += report.effects[i].shift_interval.low <= 4 &&
                       report.effects[i].shift_interval.high >= 4;
    }
    print_message("# %zu of %zu intervals cover\n", covered, all);
    assert_true((double)covered >= .93 * (double)all);
}

/* Two processes a cell tell nothing; all cells together do. */
TEST(cells_of_few_processes_tell_together)
{
    begin(2, 2);
    PLANT("perf-read", 20, 2, NOISE_NONE, 2, false);
    PLANT("papi-low", 20, 2, NOISE_NONE, 0, false);
    judge();
    assert_int_equal(report.groups[0].standing, STANDING_DIFFERS);
    assert_int_equal(report.groups[0].differing, 0);
    assert_true(fabs(report.effects[report.groups[0].typical].shift - 2) < 1e-9);
    /* The cell alone could be chance, all of them are not: the figure shows what was told. */
    assert_true(report.effects[report.groups[0].typical].delta_interval.low < 0);
    assert_true(report.groups[0].delta >= 1 && report.groups[0].delta_interval.low > 0);
    assert_int_equal(report.effects[0].standing, STANDING_FEW);
    assert_int_equal(report.groups[1].standing, STANDING_SAME);
    assert_int_equal(report.effects[20].standing, STANDING_SAME);
}

static void plant_shifts(const double *shifts, size_t cells, bool timed)
{
    for (size_t cell = 0; cell < cells; cell++) {
        struct compare_quantity *quantity = add_cell("perf-read", cell, timed);
        for (size_t i = 0; i < 20; i++) {
            compare_add_value(quantity, 0, 100 + (double)(i % 2));
            compare_add_value(quantity, 1, 100 + (double)(i % 2) + shifts[cell]);
        }
    }
}

TEST(one_cell_in_the_middle_stands_for_a_group)
{
    static const struct {
        double shifts[9];
        size_t cells;
        bool timed; /* times must be told by all of their group */
        size_t differing, typical;
        double low, high; /* of the group's delta */
    } cases[] = {{{0, 9, 0, 7, 0, 0, -5, 0, 0}, 9, false, 3, 3, 1, 1},
                 {{0, 90, 50, 70, 40}, 5, true, 4, 2, .75, .85}};
    for (size_t i = 0; i < 2; i++) {
        begin(2, 1);
        plant_shifts(cases[i].shifts, cases[i].cells, cases[i].timed);
        judge();
        const struct compare_group *group = &report.groups[0];
        assert_int_equal(group->standing, STANDING_DIFFERS);
        assert_int_equal(group->differing, cases[i].differing);
        assert_int_equal(group->typical, cases[i].typical);
        assert_true(group->delta >= cases[i].low && group->delta <= cases[i].high);
        assert_true(group->delta_interval.low > 0);
    }
}

/* Many processes of one cell tell that times fell, the cell in the middle rose. */
TEST(a_middle_that_shifts_the_other_way_tells_nothing)
{
    begin(2, 1);
    for (size_t cell = 0; cell < 2; cell++) {
        struct compare_quantity *quantity = add_cell("perf-read", cell, true);
        for (size_t i = 0; i < (cell ? 2 : 30); i++) {
            compare_add_value(quantity, 0, 1000 + (double)i);
            compare_add_value(quantity, 1, (cell ? 1500 : 500) + (double)i);
        }
    }
    judge();
    const struct compare_group *group = &report.groups[0];
    assert_true(group->adjusted_p < .01 && group->delta < 0);
    assert_true(report.effects[group->typical].shift > 0);
    assert_int_equal(group->standing, STANDING_WITHIN);
}

/* Three against thirty: the test tells, the interval of the effect would hold none. */
TEST(a_difference_has_intervals_without_none)
{
    begin(2, 1);
    struct compare_quantity *quantity = add_cell("perf-read", 0, false);
    for (size_t i = 0; i < 30; i++)
        compare_add_value(quantity, 0, 100 + (double)i);
    for (size_t i = 0; i < 3; i++)
        compare_add_value(quantity, 1, 200 + (double)i);
    judge();
    assert_true(report.effects[0].adjusted_p < .01);
    assert_true(report.effects[0].delta_interval.low < 0);
    assert_int_equal(report.effects[0].standing, STANDING_UNSURE);
    assert_false(report.different);
    assert_int_equal(report.groups[0].standing, STANDING_UNSURE);
    assert_memory_equal(&report.groups[0].delta_interval, &report.effects[0].delta_interval,
                        sizeof(report.groups[0].delta_interval));
}

static bool holds_none(const struct interval *interval)
{
    return interval->low <= 0 && interval->high >= 0;
}

static void check_agreement(void)
{
    for (size_t i = 0; i < report.effect_count; i++)
        if (report.effects[i].standing == STANDING_DIFFERS) {
            assert_false(holds_none(&report.effects[i].delta_interval));
            assert_false(holds_none(&report.effects[i].shift_interval));
        }
    for (size_t i = 0; i < report.group_count; i++)
        if (report.groups[i].standing == STANDING_DIFFERS)
            assert_false(holds_none(&report.groups[i].delta_interval));
}

/* Of whatever size, with whatever noise. */
TEST(no_difference_contradicts_its_interval)
{
    static const double shifts[] = {.5, 1, 3, 12};
    size_t told = 0;
    for (unsigned seed = 0; seed < SEEDS; seed++)
        for (size_t i = 0; i < 4; i++) {
            begin(2, UINT64_C(4) * seed + i);
            PLANT("perf-read", 1 + seed % 6, 2 + seed % 15, (enum noise)(seed % NOISES), shifts[i],
                  seed % 5 == 0);
            judge();
            check_agreement();
            told += compare_groups_that(&report, STANDING_DIFFERS);
        }
    print_message("# %zu groups differ\n", told);
    assert_true(told > 50);
}

#define RANGE(least, most) .estimated = true, .low = (least), .high = (most)

static const struct {
    const char *what;
    struct compare_word old, new;
    enum compare_standing standing;
} words[] = {
    {"alike", SAID("exact"), SAID("exact"), STANDING_SAME},
    {"changed", SAID("exact"), SAID("biased"), STANDING_DIFFERS},
    {"noisy", SAID("exact"), SAID("noisy", .unsure = true), STANDING_UNSURE},
    {"alone", SAID("exact"), {0}, STANDING_APART},
    {"cause", SAID("biased", .detail = (char *)"kernel-leak"),
     SAID("biased", .detail = (char *)"threshold"), STANDING_DIFFERS},
    {"no cause", SAID("biased", .detail = (char *)"kernel-leak"), SAID("biased"), STANDING_SAME},
    {"overlap", SAID("holds", RANGE(1, 3)), SAID("fails", RANGE(2, 5)), STANDING_UNSURE},
    {"part", SAID("holds", RANGE(1, 3)), SAID("fails", RANGE(4, 5)), STANDING_DIFFERS},
    {"no interval", SAID("holds", RANGE(NAN, NAN)), SAID("fails", RANGE(4, 5)), STANDING_UNSURE},
    {"no width", SAID("holds", RANGE(1, 1)), SAID("fails", RANGE(4, 4)), STANDING_UNSURE},
    {"times closer than runs are", SAID("holds", RANGE(1, 1.1), .margin = .25),
     SAID("fails", RANGE(1.3, 1.4)), STANDING_UNSURE},
    {"times farther apart", SAID("holds", RANGE(1, 1.1), .margin = .25),
     SAID("fails", RANGE(1.4, 1.5)), STANDING_DIFFERS},
    {"different things", SAID("holds", RANGE(1, 2), .unit = "times"),
     SAID("fails", RANGE(4, 5), .unit = "power"), STANDING_UNSURE},
    {"a run away", SAID("exact", .near = "accurate"), SAID("accurate", .near = "exact"),
     STANDING_UNSURE},
    {"far away", SAID("exact", .near = "accurate"), SAID("biased"), STANDING_DIFFERS},
    /* shares of runs are tested */
    {"one of seven", SAID("identical", .hits = 7, .runs = 7), SAID("varies", .hits = 6, .runs = 7),
     STANDING_UNSURE},
    {"all", SAID("identical", .hits = 12, .runs = 12), SAID("varies", .hits = 1, .runs = 12),
     STANDING_DIFFERS},
};

TEST(verdicts_that_change_are_found)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        begin(2, 1);
        say(words[i].what, words[i].old, words[i].new);
        judge();
        if (report.verdicts[0].standing != words[i].standing ||
            report.different != (words[i].standing == STANDING_DIFFERS))
            fail_msg("%s: %d", words[i].what, (int)report.verdicts[0].standing);
    }
}

/* Runs of one side that contradict each other settle nothing. */
TEST(a_side_that_contradicts_itself_is_unsure)
{
    const struct compare_word none = {0}, exact = SAID("exact"), biased = SAID("biased");
    begin(2, 1);
    say("event", exact, biased);
    say("event", none, exact);
    judge();
    assert_int_equal(report.verdict_count, 1);
    assert_int_equal(report.verdicts[0].standing, STANDING_UNSURE);
    assert_false(report.different);
}

/* Nine programs that always count the same on one side, and half of the time on the other. */
TEST(shares_of_runs_tell_together)
{
    const struct compare_word all = SAID("identical", .hits = 7, .runs = 7),
                              half = SAID("varies", .hits = 4, .runs = 7),
                              most = SAID("varies", .hits = 6, .runs = 7);
    begin(2, 1);
    for (int i = 0; i < 9; i++)
        say((char[]){(char)('0' + i), 0}, half, all);
    say("the other way", all, most);
    judge();
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(report.verdicts[i].standing, i < 9 ? STANDING_DIFFERS : STANDING_UNSURE);
}

/* --- times and units --- */

/* Runs of 40 processes on each side that read a clock with a step: two steps or three, by chance.
 */
TEST(a_step_of_the_clock_is_no_difference)
{
    static const enum compare_standing standings[] = {STANDING_WITHIN, STANDING_DIFFERS};
    for (size_t more = 1; more <= 2; more++) {
        begin(2, more);
        struct compare_quantity *quantity = add_cell("timer", 0, true);
        quantity->unit = memory_copy("ticks");
        for (size_t i = 0; i < 80; i++) {
            double runs[9];
            for (size_t run = 0; run < 9; run++) /* one in nine differs */
                runs[run] = 36 * (2 + (double)(i % 2 * more) + (random_below(&random_, 9) == 0));
            compared_median(&(struct compared){&file, "error", i % 2}, quantity, runs, 9);
        }
        judge();
        assert_true(fabs(report.groups[0].step - 36) < 1e-9);
        assert_true(report.effects[0].ratio >= 1.5);
        assert_int_equal(report.groups[0].standing, standings[more - 1]);
    }
}

/* A machine that is slow, by a factor of 1.6, but for the first six processes, and one that is so
 * for these alone: cells of six processes, one after the other. */
static void plant_states(bool timed, double factor)
{
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < 72; i++) {
            const bool slow = side ? i < 6 : i >= 6;
            compare_add_value(add_cell("clock", i % 12, timed), side,
                              1000 * (slow ? 1.6 : 1) * (side ? factor : 1) + drawn(NOISE_SMOOTH));
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
            begin(2, seed);
            plant_states(cases[i].timed, cases[i].factor);
            judge();
            assert_int_equal(report.groups[0].standing, cases[i].standing);
        }
}

/* Of about 1000. A neighbour whom a guest does not see may have half of a core for all of a run;
 * counts and three times the time are not his doing. */
TEST(differences_must_be_larger_than_what_machines_do)
{
    static const struct {
        bool shared, emulated;
        struct planted planted;
        enum compare_standing standing;
    } cases[] = {
        {false, false, {10, 20, NOISE_SMOOTH, 100, true}, STANDING_WITHIN},
        {false, false, {10, 20, NOISE_SMOOTH, 500, true}, STANDING_DIFFERS},
        {false, false, {12, 6, NOISE_SMOOTH, 1000, true}, STANDING_DIFFERS},
        {false, false, {12, 6, NOISE_NONE, 1, false}, STANDING_DIFFERS},
        {true, false, {12, 6, NOISE_SMOOTH, 1050, true}, STANDING_WITHIN},
        {true, false, {12, 6, NOISE_SMOOTH, 2000, true}, STANDING_DIFFERS},
        {true, false, {12, 6, NOISE_NONE, 1, false}, STANDING_DIFFERS},
        {false, true, {3, 20, NOISE_SMOOTH, 900, true}, STANDING_UNITS},
        {false, true, {3, 20, NOISE_SMOOTH, 900, false}, STANDING_DIFFERS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        begin(2, i);
        file.sides[i % 2].shared = cases[i].shared;
        file.sides[1].emulated = cases[i].emulated;
        plant("loop", &cases[i].planted);
        judge();
        const enum compare_standing standing = cases[i].standing == STANDING_UNITS
                                                   ? report.effects[0].standing
                                                   : report.groups[0].standing;
        if (standing != cases[i].standing)
            fail_msg("case %zu: %d", i, (int)standing);
    }
}

TEST(ticks_of_different_counters_are_converted_or_left_alone)
{
    for (int known = 0; known < 2; known++) {
        begin(2, 1);
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
        judge();
        assert_int_equal(report.effects[0].standing, known ? STANDING_SAME : STANDING_UNITS);
        assert_string_equal(report.effects[0].unit, known ? "ns" : "ticks");
        if (known)
            assert_true(fabs(report.effects[0].median - 500) < 1e-9);
        else
            assert_ptr_equal(report.effects[0].why.list->words, &compare_words[COMPARE_TICKS]);
    }
}

TEST(what_one_side_lacks_is_set_apart)
{
    begin(3, 1);
    struct compare_quantity *quantity = add_cell("perf-read", 0, false);
    compare_add_value(quantity, 2, 5);
    judge();
    assert_int_equal(report.effect_count, 1); /* the third against the first alone */
    assert_int_equal(report.effects[0].standing, STANDING_APART);
    assert_int_equal(report.group_count, 0);
    assert_false(report.different);
}

/* --- Weaver and McKee's deviation --- */

TEST(deviations_are_in_percent_of_the_mean)
{
    begin(3, 1);
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
    judge();
    assert_int_equal(report.deviation_count, 1);
    assert_int_equal(report.deviations[0].machines, 3);
    assert_true(fabs(report.deviations[0].mean - 1000) < 1e-9);
    assert_true(fabs(report.deviations[0].deviation_percent - 1) < 1e-9);
    assert_true(fabs(report.deviations[0].worst_percent - 1) < 1e-9);
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
                begin(2, seed * UINT64_C(100) + noise * 10 + p);
                PLANT("one", 12, processes[p], (enum noise)noise, 0, false);
                PLANT("two", 12, processes[p], (enum noise)noise, 0, false);
                judge();
                accused += report.different;
            }
            print_message("# noise %s, %zu processes: %u of %u clean comparisons accused\n",
                          names[noise], processes[p], accused, SEEDS);
            assert_true(accused <= SEEDS / 20 + 7); /* 5 %, and what chance adds to that */
        }
}

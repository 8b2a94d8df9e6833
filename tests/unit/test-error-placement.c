/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop at many places: planted factors are found, noise and disturbed processes are not
 * taken for placement. */
#include "case.h"
#include "error-judging.h"

enum { N = 100000, PLACES = 64, REPETITIONS = 50 };

/* What an iteration costs; one tick unless planted. */
struct plant {
    double slow;      /* ticks at slow places */
    int64_t from, to; /* these offsets are slow */
    double state;     /* share of processes that are slow wherever they are: half as much again */
    double disturbed; /* share of processes in which something else ran: tenfold */
    double busy;      /* share of processes beside a busy sibling CPU: one and a half to fourfold */
    double jitter;    /* of a run, at most; in shares of a tick an iteration */
    uint32_t processes;
    bool combination; /* windows: slow where pattern and level together say so */
    bool by_pattern, by_opt;
    double process; /* what the process at hand costs */
};

static bool is_slow(const struct error_cell *cell, const struct plant *plant)
{
    unsigned level = (unsigned)(cell->opt[1] - '0'), pattern = cell->pattern;
    if (cell->offset >= 0)
        return cell->offset >= plant->from && cell->offset < plant->to;
    return (plant->combination && (level + pattern) % 2) || (plant->by_pattern && pattern > 1) ||
           (plant->by_opt && level == 0);
}

static double draw(struct error_cell *cell, size_t process, size_t run, size_t index,
                   struct random *random, void *context)
{
    (void)process, (void)index;
    struct plant *plant = context;
    if (run == 0) {
        plant->process = is_slow(cell, plant) ? plant->slow : 1;
        if (error_built_uniform(random) < plant->state)
            plant->process *= 1.5;
        if (error_built_uniform(random) < plant->disturbed)
            plant->process *= 10;
        if (error_built_uniform(random) < plant->busy)
            plant->process *= 1.5 + 2.5 * error_built_uniform(random);
        plant->process += 0.3 * plant->jitter * error_built_uniform(random);
    }
    /* Never faster than the code allows. */
    double late = error_built_uniform(random);
    return (double)cell->n * (plant->process + plant->jitter * late * late);
}

static void build_places(struct fixture *fixture, struct plant *plant, const char *event,
                         const char *class)
{
    for (int64_t offset = 0; offset < PLACES; offset++)
        BUILD(&fixture->builder, .part = PART_PLACEMENT, .event = event, .class = class,
              .path = "clock", .pattern = PATTERN_RR, .specimen = "placed", .placed = true,
              .offset = offset, .n = N, .processes = plant->processes, .runs = 10, .draw = draw,
              .context = plant);
}

static void build_windows(struct fixture *fixture, struct plant *plant)
{
    static const char *const opts[] = {"O0", "O1", "O2", "O3", NULL};
    CROSS(&fixture->builder, (.opts = opts, .patterns = ERROR_ALL_PATTERNS), .part = PART_PLACEMENT,
          .event = "msr/tsc/", .class = "ticks", .specimen = "loop", .n = N,
          .processes = plant->processes, .runs = 10, .draw = draw, .context = plant);
}

static void judge(struct fixture *fixture)
{
    error_judge_placement(&fixture->builder.file, 1, &fixture->report);
}

/* Places with such an event, judged. */
static struct error_placement placed(struct plant plant, const char *event, const char *class,
                                     uint64_t seed)
{
    FIXTURE(fixture, seed);
    build_places(&fixture, &plant, event, class);
    judge(&fixture);
    assert_int_equal(fixture.report.placement_count, 1);
    return fixture.report.placements[0];
}

TEST(planted_factors_are_found)
{
    const struct plant plants[] = {
        {.slow = 2, .from = 10, .to = 42, .jitter = 0.05, .processes = 20},
        {.slow = 3, .from = 60, .to = 64, .jitter = 0.05, .processes = 5},
        {.slow = 2, .from = 7, .to = 8, .jitter = 0.05, .processes = 5, .disturbed = 0.01},
        {.slow = 1.25, .from = 0, .to = 16, .jitter = 0.05, .processes = 10},
    };
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        double slow = plants[i].slow;
        const struct error_placement placement = placed(plants[i], "clock/ticks/", "ticks", 11 + i);
        assert_true(placement.is_time && placement.places == PLACES);
        assert_near(placement.factor, slow, 0.05 * slow);
        assert_true(placement.factor_low <= slow && slow <= placement.factor_high);
        assert_true(placement.factor_low > 0.9 * slow && placement.factor_high < 1.1 * slow);
        assert_true(placement.by_place > 0.5);
        const struct error_place *place = &placement.list[10];
        assert_true(place->offset == 10 && place->processes == plants[i].processes);
        assert_near(place->per_iteration, plants[i].from <= 10 && plants[i].to > 10 ? slow : 1,
                    0.05);
    }
}

/* A busy sibling CPU makes half of all processes slow, at some place all of them: neither hides the
 * block of slow places nor sells the unlucky place for one. */
TEST(a_busy_sibling_hides_no_factor_and_makes_none)
{
    int found = 0, near = 0, held = 0, accused = 0;
    for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
        struct plant plant = {.slow = 2, .from = 56, .to = 64, .jitter = 0.02, .processes = 6};
        plant.busy = 0.5;
        const struct error_placement placement = placed(plant, "clock/ticks/", "ticks", 700 + seed);
        found += placement.factor_low > 1.5;
        near += fabs(placement.factor - 2) < 0.1;
        held += placement.factor_low <= 2 && 2 <= placement.factor_high;
        plant.slow = 1;
        accused += placed(plant, "clock/ticks/", "ticks", 800 + seed).factor_low > 1.05;
    }
    assert_in_range(found, REPETITIONS * 4 / 5, REPETITIONS);
    assert_in_range(near, REPETITIONS * 4 / 5, REPETITIONS);
    assert_in_range(held, REPETITIONS * 9 / 10, REPETITIONS);
    assert_in_range(accused, 0, 4);
}

/* Noise of all kinds, the same at every place. */
TEST(clean_places_are_not_accused)
{
    const struct plant plants[] = {
        {.jitter = 0.05, .processes = 20},
        {.jitter = 0.05, .processes = 5},
        {.jitter = 0.05, .processes = 5, .disturbed = 0.1},
        {.jitter = 0.05, .processes = 10, .state = 0.5},
        {.jitter = 0.05, .processes = 20, .state = 0.2},
        {.jitter = 1e-9, .processes = 5, .state = 0.4}, /* two values, nothing between */
    };
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        int accused = 0, explained = 0;
        for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
            const struct error_placement placement =
                placed(plants[i], "clock/ticks/", "ticks", 100 * i + seed);
            accused += placement.factor_low > 1;
            explained += placement.by_place > 0.15;
            assert_true(placement.factor_high >= placement.factor);
        }
        assert_in_range(accused, 0, 4); /* 2.5 % each */
        assert_in_range(explained, 0, 3);
    }
}

TEST(exact_places_have_a_factor_of_one)
{
    const struct error_placement placement =
        placed((struct plant){.processes = 3}, "instructions:u", NULL, 1);
    assert_false(placement.is_time);
    assert_true(placement.factor == 1 && placement.factor_low == 1 && placement.factor_high == 1);
    assert_true(placement.by_place == 0);
}

/* An event that never happens, and one that happens at some places only. */
TEST(counts_of_nothing_have_no_factor)
{
    struct plant plant = {.processes = 3};
    FIXTURE(fixture, 1);
    build_places(&fixture, &plant, "branch-misses:u", NULL);
    for (size_t i = 0; i < fixture.builder.file.cell_count; i++)
        memset(fixture.builder.file.cells[i].values, 0,
               fixture.builder.file.cells[i].runs * sizeof(int64_t));
    judge(&fixture);
    assert_true(fixture.report.placements[0].factor == 1);
    fixture.report = (struct error_report){0};
    for (size_t i = 0; i < fixture.builder.file.cells[3].runs; i++)
        fixture.builder.file.cells[3].values[i] = 400;
    judge(&fixture);
    const struct error_placement *some = fixture.report.placements;
    assert_true(some && isnan(some->factor));
    assert_near(some ? some->by_place : 0, 1, 1e-9);
}

TEST(one_process_a_place_knows_no_interval)
{
    const struct error_placement placement =
        placed((struct plant){.slow = 2, .from = 0, .to = 9, .jitter = 0.05, .processes = 1},
               "cycles:u", "cycles", 1);
    assert_near(placement.factor, 2, 0.1);
    assert_true(placement.factor_low == 1 && isinf(placement.factor_high));
    assert_true(placement.by_place == 0);
}

TEST(time_comes_first)
{
    struct plant plant = {.jitter = 0.05, .processes = 2};
    FIXTURE(fixture, 1);
    build_places(&fixture, &plant, "branches:u", NULL);
    build_places(&fixture, &plant, "clock/ticks/", "ticks");
    build_windows(&fixture, &plant);
    judge(&fixture);
    const struct error_placement *list = fixture.report.placements;
    assert_int_equal(fixture.report.placement_count, 3);
    assert_string_equal(list[0].event, "clock/ticks/");
    assert_string_equal(list[1].event, "msr/tsc/");
    assert_string_equal(list[2].event, "branches:u");
    assert_ptr_equal(list[2].list, &fixture.report.places[PLACES]);
    assert_true(list[1].has_windows && list[1].places == 0 && !list[0].has_windows);
}

static struct error_windows windows(struct plant plant, uint64_t seed)
{
    FIXTURE(fixture, seed);
    build_windows(&fixture, &plant);
    judge(&fixture);
    assert_int_equal(fixture.report.placement_count, 1);
    struct error_placement placement = fixture.report.placements[0];
    assert_true(placement.has_windows);
    return placement.windows;
}

TEST(windows_are_explained_by_what_was_planted)
{
    for (int which = 0; which < 3; which++) {
        const struct plant plant = {.slow = 2,
                                    .jitter = 0.05,
                                    .processes = 5,
                                    .disturbed = 0.05,
                                    .combination = which == 0,
                                    .by_pattern = which == 1,
                                    .by_opt = which == 2};
        const struct error_windows found = windows(plant, 1 + (uint64_t)which);
        const double shares[] = {found.by_both, found.by_pattern, found.by_opt};
        const double chances[] = {found.p_both, found.p_pattern, found.p_opt};
        assert_near(found.factor, 2, 0.1);
        for (int i = 0; i < 3; i++)
            assert_true(i == which ? shares[i] > 0.6 && chances[i] < 1e-6 : shares[i] < 0.05);
    }
}

TEST(clean_windows_are_not_accused)
{
    int accused = 0, explained = 0;
    for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
        struct error_windows clean =
            windows((struct plant){.jitter = 0.05, .processes = 5, .disturbed = 0.05}, seed);
        accused += clean.p_pattern < 0.01 || clean.p_opt < 0.01 || clean.p_both < 0.01;
        explained += clean.by_pattern > 0.25 || clean.by_opt > 0.25 || clean.by_both > 0.25;
    }
    assert_in_range(accused, 0,
                    6); /* three tests at 1 %, and windows with more disturbed than not */
    assert_in_range(explained, 0, 3);
}

TEST(one_pattern_is_compared_by_level_alone)
{
    struct plant plant = {.slow = 2, .jitter = 0.05, .processes = 5, .by_opt = true};
    FIXTURE(fixture, 1);
    build_windows(&fixture, &plant);
    for (size_t i = 0; i < fixture.builder.file.cell_count; i++)
        if (fixture.builder.file.cells[i].pattern != PATTERN_AO)
            fixture.builder.file.cells[i].runs = 0;
    judge(&fixture);
    const struct error_windows *placement = &fixture.report.placements[0].windows;
    assert_true(placement->by_pattern == 0 && placement->p_pattern == 1);
    assert_true(placement->by_opt > 0.9 && placement->p_opt < 1e-6);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay validate` against machines whose prices are made up: what is asked first, how
 * far ladders climb, and that a budget is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "study/plan.h"
#include "study/validate-plan.h"

#define MS         UINT64_C(1000000)
#define SECOND     (1000 * MS)
#define ROUNDS_END 60 /* more would mean that it never ends */

/* --- a machine --- */

static struct catalogue_truth loop_truths[] = {
    {.class = (char *)"instructions", .base = 1, .each = 3, .grade = (char *)"proven"},
    {.class = (char *)"faults", .grade = (char *)"proven"},
};
static struct catalogue_truth adds_truths[] = {
    {.class = (char *)"instructions", .base = 4, .each = 18, .grade = (char *)"proven"},
};
static struct catalogue_truth pages_truths[] = {
    {.class = (char *)"instructions", .base = 9, .grade = (char *)"proven"},
    {.class = (char *)"faults", .each = 1, .grade = (char *)"proven"},
};
static struct catalogue_truth modelled_truths[] = {
    {.class = (char *)"faults", .each = 1, .grade = (char *)"model"},
    {.class = (char *)"misses", .each = 1, .grade = (char *)"model"},
};
static struct catalogue_truth bounded_truths[] = {
    {.class = (char *)"misses", .each = 1, .high_each = 2, .grade = (char *)"bounded"},
};
static const struct catalogue_specimen known[] = {
    {.name = (char *)"modelled",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = UINT64_MAX,
     .truths = modelled_truths,
     .truth_count = 2},
    {.name = (char *)"loop",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = UINT64_MAX,
     .truths = loop_truths,
     .truth_count = 2},
    {.name = (char *)"adds",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = UINT64_MAX,
     .truths = adds_truths,
     .truth_count = 1},
    {.name = (char *)"pages",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = 1000000,
     .truths = pages_truths,
     .truth_count = 2},
    {.name = (char *)"bounded",
     .parameters = (char *)"l1d",
     .min_n = 5,
     .max_n = 4096,
     .truths = bounded_truths,
     .truth_count = 1},
};
#define SPECIMENS (sizeof(known) / sizeof(*known))
enum { MODELLED, LOOP, ADDS, PAGES, BOUNDED };

static struct validate_specimen specimens[SPECIMENS];

struct world {
    struct validate_subject subjects[4];
    struct validate_study study;
    struct validate_plan plan;
    uint64_t process_ns, hit_ns[SPECIMENS]; /* prices */
    uint64_t spent_ns;
};

static struct validate_subject subject_of(const char *name, const char *class)
{
    return (struct validate_subject){.name = name,
                                     .class = class,
                                     .ways = {{"perf-read", PATTERN_AO, "O2", "static"}},
                                     .way_count = 1,
                                     .cpus = {-1},
                                     .cpu_count = 1};
}

static void world_begin(struct world *world, const char *class)
{
    for (size_t i = 0; i < SPECIMENS; i++)
        specimens[i] = (struct validate_specimen){&known[i], known[i].name};
    *world = (struct world){.process_ns = 5 * MS};
    for (size_t i = 0; i < SPECIMENS; i++)
        world->hit_ns[i] = 1;
    world->subjects[0] = subject_of("event:u", class);
    world->study = (struct validate_study){.subjects = world->subjects,
                                           .subject_count = 1,
                                           .specimens = specimens,
                                           .specimen_count = SPECIMENS};
}

/* Carries out what was planned since `first`. */
static void world_run(struct world *world, size_t first)
{
    struct validate_plan *plan = &world->plan;
    for (size_t i = first; i < plan->count; i++) {
        struct validate_about *about = &plan->about[i];
        uint64_t hit = about->specimen == VALIDATE_NO_SPECIMEN ? 0 : world->hit_ns[about->specimen];
        uint64_t inside = plan->cells[i].runs * plan->cells[i].n * hit;
        about->visits = about->processes;
        about->runs = (uint64_t)about->processes * plan->cells[i].runs;
        about->inside_ns = about->processes * inside;
        about->wall_ns = about->processes * (world->process_ns + inside);
        world->spent_ns += about->wall_ns;
    }
}

/* One round; how many cells it added. */
static size_t world_round(struct world *world, uint64_t budget, enum validate_share share)
{
    size_t first = world->plan.count;
    uint64_t left = budget == UINT64_MAX       ? budget
                    : world->spent_ns < budget ? budget - world->spent_ns
                                               : 0;
    const struct validate_round round = {.budget_ns = left, .point_ns = budget / 8, .share = share};
    assert_int_equal(validate_next(&world->study, &round, &world->plan), 0);
    world_run(world, first);
    return world->plan.count - first;
}

/* Rounds until nothing more is to be had. */
static void world_finish(struct world *world, uint64_t budget)
{
    unsigned rounds = 0;
    for (int share = SHARE_HALF; share < SHARE_COUNT; rounds++) {
        share = world_round(world, budget, (enum validate_share)share) ? SHARE_HALF : share + 1;
        assert_in_range(rounds, 0, ROUNDS_END);
    }
}

static void world_end(struct world *world)
{
    validate_plan_free(&world->plan);
}

/* The cell of that point in the usual way, or NULL. */
static const struct cell *cell_at(const struct world *world, const char *specimen, uint64_t n)
{
    for (size_t i = 0; i < world->plan.count; i++) {
        const struct cell *cell = &world->plan.cells[i];
        if (strcmp(cell->specimen, specimen) == 0 && cell->n == n && cell->counters == 1 &&
            cell->cpu == -1 && strcmp(cell->path, "perf-read") == 0)
            return cell;
    }
    return NULL;
}

static uint64_t runs_at(const struct world *world, const char *specimen, uint64_t n)
{
    const struct cell *cell = cell_at(world, specimen, n);
    return cell ? (uint64_t)cell->runs * world->plan.about[cell->id - 1].processes : 0;
}

/* --- what is asked --- */

static void test_the_ladder_is_of_the_best_truth(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "faults");
    assert_int_equal(validate_primary(&world.study, "instructions"), LOOP);
    assert_int_equal(validate_primary(&world.study, "faults"), PAGES);
    assert_int_equal(validate_primary(&world.study, "misses"), BOUNDED);
    assert_int_equal(validate_primary(&world.study, "unknown"), VALIDATE_NO_SPECIMEN);
    world_end(&world);
}

static void test_the_first_round_asks_little(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world_round(&world, 50 * SECOND, SHARE_HALF);
    assert_non_null(cell_at(&world, "loop", 1));
    assert_non_null(cell_at(&world, "loop", 10));
    assert_non_null(cell_at(&world, "null", 0));
    assert_int_equal(world.plan.count, 3);
    world_end(&world);
}

static void test_a_cheap_ladder_reaches_its_top_with_a_hundred_runs(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    for (uint64_t n = 1; n <= 1000000; n *= 10) {
        const struct cell *cell = cell_at(&world, "loop", n);
        assert_non_null(cell);
        assert_in_range(runs_at(&world, "loop", n), 100, 104);
        assert_in_range(world.plan.about[cell->id - 1].processes, 2, 5);
    }
    assert_in_range(runs_at(&world, "null", 0), 100, 104);
    assert_non_null(cell_at(&world, "adds", 10));
    assert_non_null(cell_at(&world, "adds", 1000));
    struct validate_cap cap;
    assert_false(validate_cap(&world.study, &world.plan, 0, &cap));
    world_end(&world);
}

static void test_n_stays_within_what_the_specimen_takes(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "misses");
    world_finish(&world, 50 * SECOND);
    assert_null(cell_at(&world, "bounded", 1));
    assert_non_null(cell_at(&world, "bounded", 5));
    assert_non_null(cell_at(&world, "bounded", 4096));
    for (size_t i = 0; i < world.plan.count; i++)
        if (world.plan.about[i].specimen == BOUNDED)
            assert_in_range(world.plan.cells[i].n, 5, 4096);
    world_end(&world);
}

static void test_nothing_is_planned_twice(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    for (size_t i = 0; i < world.plan.count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct cell *left = &world.plan.cells[i], *right = &world.plan.cells[j];
            assert_false(plan_same_way(left, right) && left->n == right->n &&
                         strcmp(left->specimen, right->specimen) == 0);
        }
    world_end(&world);
}

static void test_user_code_is_held_against_what_must_not_move_it(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world.subjects[0].user_code = true;
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "pages", 10));
    assert_non_null(cell_at(&world, "pages", 1000));
    world_end(&world);
    world_begin(&world, "faults");
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "loop", 1000));
    world_end(&world);
}

static void test_a_second_path_and_other_cores_are_asked_once(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    struct validate_subject *subject = &world.subjects[0];
    subject->ways[1] = (struct validate_way){"papi-low", PATTERN_AO, "O2", "static"};
    subject->way_count = 2;
    subject->cpus[0] = 0;
    subject->cpus[1] = 8;
    subject->cpu_count = 2;
    world_finish(&world, 50 * SECOND);
    unsigned papi = 0, efficient = 0, nulls = 0;
    for (size_t i = 0; i < world.plan.count; i++) {
        const struct cell *cell = &world.plan.cells[i];
        bool null = plan_is_overhead_cell(cell);
        nulls += null;
        papi += !null && strcmp(cell->path, "papi-low") == 0;
        efficient += !null && cell->cpu == 8;
        assert_true(cell->cpu == 0 || cell->cpu == 8);
    }
    assert_int_equal(papi, 1);
    assert_int_equal(efficient, 2);
    assert_int_equal(nulls, 3); /* a null cell for each way */
    world_end(&world);
}

static void test_the_ladder_moves_to_a_core_that_counts(void **state)
{
    struct world world;
    size_t ladder[3] = {0};
    (void)state;
    world_begin(&world, "instructions");
    struct validate_subject *subject = &world.subjects[0];
    subject->cpus[0] = 8;
    subject->cpus[1] = 0;
    subject->cpu_count = 2;
    world_round(&world, 50 * SECOND, SHARE_HALF);
    validate_next_core(subject); /* nothing was counted on CPU 8 */
    world_finish(&world, 50 * SECOND);
    for (size_t i = 0; i < world.plan.count; i++)
        if (world.plan.about[i].specimen == LOOP && world.plan.cells[i].n == 1000000)
            ladder[world.plan.cells[i].cpu == 0 ? 1 : 2]++;
    assert_int_equal(ladder[1], 1);
    assert_int_equal(ladder[2], 0);
    validate_next_core(subject);
    assert_int_equal(subject->cpus[0], 8);
    subject->cpu_count = 1;
    validate_next_core(subject);
    assert_int_equal(subject->cpus[0], 8);
    world_end(&world);
}

static void test_interrupts_are_counted_along_where_they_can_be(void **state)
{
    struct world world;
    (void)state;
    for (int can = 0; can < 2; can++) {
        world_begin(&world, "instructions");
        world.subjects[0].interrupts = true;
        world.study.interrupts = can ? "irq:irq_handler_entry" : NULL;
        world_finish(&world, 50 * SECOND);
        unsigned pairs = 0;
        for (size_t i = 0; i < world.plan.count; i++) {
            const struct cell *cell = &world.plan.cells[i];
            if (cell->counters != 2)
                continue;
            pairs++;
            assert_true(cell->separate);
            assert_string_equal(cell->events[1], "irq:irq_handler_entry");
        }
        assert_int_equal(pairs != 0, can);
        world_end(&world);
    }
}

static void test_another_name_of_an_event_gets_a_short_ladder(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world.subjects[0].brief = true;
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "loop", 1000));
    assert_null(cell_at(&world, "loop", 10000));
    assert_null(cell_at(&world, "adds", 10));
    world_end(&world);
}

/* --- what it costs --- */

static void test_a_dear_ladder_is_capped_and_says_so(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "faults");
    world.hit_ns[PAGES] = 20000; /* 20 us a hit */
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "pages", 10000));
    assert_null(cell_at(&world, "pages", 100000));
    assert_in_range(runs_at(&world, "pages", 10000), 20, 104);
    struct validate_cap cap;
    assert_true(validate_cap(&world.study, &world.plan, 0, &cap));
    assert_string_equal(cap.specimen, "pages");
    assert_int_equal(cap.n, 10000);
    assert_int_equal(cap.top, 1000000);
    assert_in_range((uint64_t)cap.hit_ns, 19000, 41000);
    world_end(&world);
}

static void test_full_climbs_whatever_it_costs(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "faults");
    world.hit_ns[PAGES] = 20000;
    world.study.full = true;
    world_finish(&world, UINT64_MAX);
    assert_in_range(runs_at(&world, "pages", 1000000), 100, 104);
    struct validate_cap cap;
    assert_false(validate_cap(&world.study, &world.plan, 0, &cap));
    world_end(&world);
}

/* A rung that no share allows is climbed with what is left over. */
static void test_what_nobody_needs_goes_to_the_ladder(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "faults");
    world.study.runs = 8;
    world.hit_ns[PAGES] = 3000; /* eight runs of 100,000: 2.4 s, more than an eighth of 6 s */
    world_finish(&world, 6 * SECOND);
    assert_non_null(cell_at(&world, "pages", 100000));
    assert_null(cell_at(&world, "pages", 1000000));
    assert_in_range(world.spent_ns, 0, 6 * SECOND);
    world_end(&world);
}

/* Whatever things cost, the budget is kept once the first round has shown it. */
static void test_the_budget_is_kept(void **state)
{
    static const uint64_t processes[] = {MS / 10, 5 * MS, 100 * MS};
    static const uint64_t hits[] = {1, 700, 30000, 2000000};
    (void)state;
    for (size_t i = 0; i < sizeof(processes) / sizeof(*processes); i++)
        for (size_t j = 0; j < sizeof(hits) / sizeof(*hits); j++) {
            struct world world;
            world_begin(&world, "faults");
            world.subjects[1] = subject_of("other", "instructions");
            world.subjects[2] = subject_of("third", "misses");
            world.study.subject_count = 3;
            world.process_ns = processes[i];
            for (size_t k = 0; k < SPECIMENS; k++)
                world.hit_ns[k] = hits[j];
            world_round(&world, 20 * SECOND, SHARE_HALF);
            uint64_t first = world.spent_ns;
            world_finish(&world, 20 * SECOND);
            assert_in_range(world.spent_ns, first, first + 20 * SECOND);
            world_end(&world);
        }
}

static void test_a_dear_event_takes_nothing_from_a_cheap_one(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "faults");
    world.subjects[1] = subject_of("other:u", "instructions");
    world.study.subject_count = 2;
    world.hit_ns[PAGES] = 1000000;
    world_finish(&world, 20 * SECOND);
    for (size_t i = 0; i < world.plan.count; i++)
        if (world.plan.about[i].subject == 1 && world.plan.cells[i].n == 1000000)
            goto found;
    assert_true(false);
found:
    world_end(&world);
}

static void test_runs_are_as_many_as_were_asked_for(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world.study.runs = 30;
    world_finish(&world, 50 * SECOND);
    assert_in_range(runs_at(&world, "loop", 100), 30, 32);
    assert_in_range(runs_at(&world, "adds", 10), 30, 32);
    world_end(&world);
    world_begin(&world, "instructions");
    world.study.runs = 2; /* fewer than a ladder has processes */
    world_finish(&world, 50 * SECOND);
    assert_int_equal(runs_at(&world, "loop", 100), 2);
    assert_int_equal(runs_at(&world, "null", 0), 2);
    world_end(&world);
    world_begin(&world, "instructions");
    world.subjects[0].runs = 5; /* a source's own number, in a process */
    world_finish(&world, 50 * SECOND);
    assert_int_equal(cell_at(&world, "loop", 100)->runs, 5);
    world_end(&world);
}

/* A second way needs a null cell of its own, which has to be paid for as well. */
static void test_null_cells_are_part_of_the_price(void **state)
{
    (void)state;
    for (uint64_t budget = 20; budget <= 80; budget += 2) {
        struct world world;
        world_begin(&world, "instructions");
        world.process_ns = 500 * MS; /* a process is dear, and what it does costs nothing */
        memset(world.hit_ns, 0, sizeof(world.hit_ns));
        world.study.subject_count = 4;
        static const char *const names[] = {"one:u", "two:u", "three:u", "four:u"};
        for (size_t i = 0; i < 4; i++) {
            world.subjects[i] = subject_of(names[i], "instructions");
            world.subjects[i].ways[1] =
                (struct validate_way){"perf-syscall", PATTERN_AO, "O2", "static"};
            world.subjects[i].way_count = 2;
        }
        world_round(&world, 1000 * SECOND, SHARE_WHOLE); /* learns the price */
        uint64_t limit = world.spent_ns + budget * SECOND;
        while (world_round(&world, limit, SHARE_WHOLE))
            assert_in_range(world.spent_ns, 0, limit);
        world_end(&world);
    }
}

/* Whatever the order, and wherever it is cut off. */
static void test_no_cell_goes_before_the_null_cell_of_its_way(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world.subjects[0].ways[1] = (struct validate_way){"perf-syscall", PATTERN_AO, "O2", "static"};
    world.subjects[0].way_count = 2;
    world.subjects[1] = subject_of("other:u", "faults");
    world.study.subject_count = 2;
    world_finish(&world, 50 * SECOND);
    const struct validate_plan *plan = &world.plan;
    uint32_t processes[256];
    size_t total = 0;
    assert_in_range(plan->count, 10, 256);
    for (size_t i = 0; i < plan->count; i++)
        total += processes[i] = plan->about[i].processes;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct visit *visits;
        size_t count;
        unsigned visited[256] = {0};
        assert_int_equal(plan_rounds(plan->cells, plan->count, processes, seed, &visits, &count),
                         0);
        assert_int_equal(count, total);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(visits[i].process, visited[visits[i].cell - 1]++);
            for (size_t k = 0; k < plan->count; k++)
                if (plan_is_overhead_cell(&plan->cells[k]) &&
                    plan_same_way(&plan->cells[k], &plan->cells[visits[i].cell - 1]))
                    assert_int_not_equal(visited[k], 0);
        }
        free(visits);
    }
    world_end(&world);
}

/* --- what surprises --- */

static void test_a_threshold_is_closed_in_on(void **state)
{
    struct world world;
    uint64_t threshold = 137; /* reads 0 below it */
    unsigned rounds = 0;
    (void)state;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    struct validate_subject *subject = &world.subjects[0];
    subject->zero_to = 100;
    subject->counts_from = 1000;
    while (world_round(&world, 50 * SECOND, SHARE_HALF)) {
        for (size_t i = 0; i < world.plan.count; i++) {
            uint64_t n = world.plan.cells[i].n;
            if (world.plan.about[i].specimen != LOOP)
                continue;
            if (n < threshold && n > subject->zero_to)
                subject->zero_to = n;
            if (n >= threshold && n < subject->counts_from)
                subject->counts_from = n;
        }
        assert_in_range(rounds++, 0, ROUNDS_END);
    }
    assert_in_range(subject->zero_to, 120, threshold - 1);
    assert_in_range(subject->counts_from, threshold, 150);
    world_end(&world);
}

static void test_an_event_that_deviates_is_looked_at_more_closely(void **state)
{
    struct world world;
    (void)state;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    assert_null(cell_at(&world, "adds", 100));
    assert_null(cell_at(&world, "adds", 100000));
    world.subjects[0].deviates = true;
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "adds", 100));
    assert_non_null(cell_at(&world, "adds", 100000));
    world_end(&world);
}

/* --- a plan that was stored --- */

static void test_a_stored_plan_is_gone_on_with(void **state)
{
    struct world world, again;
    (void)state;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    world_begin(&again, "instructions");
    for (size_t i = 0; i < world.plan.count; i++) {
        struct cell copy;
        assert_int_equal(cell_copy(&copy, &world.plan.cells[i]), 0);
        assert_int_equal(
            validate_adopt(&again.study, &again.plan, &copy, world.plan.about[i].processes), 0);
        assert_int_equal(again.plan.about[i].specimen, world.plan.about[i].specimen);
        assert_int_equal(again.plan.cells[i].id, world.plan.cells[i].id);
    }
    assert_int_equal(world_round(&again, 50 * SECOND, SHARE_HALF), 0);
    world_end(&world);
    world_end(&again);
}

static void test_a_stored_specimen_is_known_by_its_parameters(void **state)
{
    static const char *const names[] = {"bounded/l1d=1/", "bounded/l1d=2/", "bounded/l1d=3/"};
    struct world world;
    (void)state;
    world_begin(&world, "misses");
    specimens[0] = (struct validate_specimen){&known[BOUNDED], names[0]};
    specimens[1] = (struct validate_specimen){&known[BOUNDED], names[1]};
    world.study.specimen_count = 2;
    for (size_t i = 0; i < 3; i++) {
        struct cell cell = {.events = {strdup("event:u")},
                            .counters = 1,
                            .path = strdup("perf-read"),
                            .specimen = strdup(names[i]),
                            .opt = strdup("O2"),
                            .link = strdup("static"),
                            .n = 5,
                            .runs = 1,
                            .id = (uint32_t)i + 1};
        assert_int_equal(validate_adopt(&world.study, &world.plan, &cell, 1), 0);
        assert_int_equal(world.plan.about[i].specimen, i == 1 ? 1 : 0);
    }
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_ladder_is_of_the_best_truth),
        cmocka_unit_test(test_the_first_round_asks_little),
        cmocka_unit_test(test_a_cheap_ladder_reaches_its_top_with_a_hundred_runs),
        cmocka_unit_test(test_n_stays_within_what_the_specimen_takes),
        cmocka_unit_test(test_nothing_is_planned_twice),
        cmocka_unit_test(test_user_code_is_held_against_what_must_not_move_it),
        cmocka_unit_test(test_a_second_path_and_other_cores_are_asked_once),
        cmocka_unit_test(test_the_ladder_moves_to_a_core_that_counts),
        cmocka_unit_test(test_interrupts_are_counted_along_where_they_can_be),
        cmocka_unit_test(test_another_name_of_an_event_gets_a_short_ladder),
        cmocka_unit_test(test_a_dear_ladder_is_capped_and_says_so),
        cmocka_unit_test(test_full_climbs_whatever_it_costs),
        cmocka_unit_test(test_what_nobody_needs_goes_to_the_ladder),
        cmocka_unit_test(test_the_budget_is_kept),
        cmocka_unit_test(test_a_dear_event_takes_nothing_from_a_cheap_one),
        cmocka_unit_test(test_runs_are_as_many_as_were_asked_for),
        cmocka_unit_test(test_null_cells_are_part_of_the_price),
        cmocka_unit_test(test_no_cell_goes_before_the_null_cell_of_its_way),
        cmocka_unit_test(test_a_threshold_is_closed_in_on),
        cmocka_unit_test(test_an_event_that_deviates_is_looked_at_more_closely),
        cmocka_unit_test(test_a_stored_plan_is_gone_on_with),
        cmocka_unit_test(test_a_stored_specimen_is_known_by_its_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay validate` against machines whose prices are made up: what is asked first, how
 * far ladders climb, and what is asked of an event that surprises; that a budget is kept whatever
 * things cost, and who gets what of it; and how a plan goes on out of a store. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "engine/wishes.h"
#include "studies/validate/plan.h"

#define MS         UINT64_C(1000000)
#define SECOND     (1000 * MS)
#define ROUNDS_END 60 /* more would mean that it never ends */

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
static struct catalogue_truth calls_truths[] = {
    {.class = (char *)"calls", .each = 1, .grade = (char *)"proven"},
};
#define SPECIMEN(name_, parameters_, least, most, truths_)                                         \
    {                                                                                              \
        .name = (char *)(name_), .parameters = (char *)(parameters_), .min_n = (least),            \
        .max_n = (most), .truths = (truths_), .truth_count = sizeof(truths_) / sizeof(*(truths_))  \
    }
static const struct catalogue_specimen known[] = {
    SPECIMEN("modelled", "", 1, UINT64_MAX, modelled_truths),
    SPECIMEN("loop", "", 1, UINT64_MAX, loop_truths),
    SPECIMEN("adds", "", 1, UINT64_MAX, adds_truths),
    SPECIMEN("pages", "", 1, 1000000, pages_truths),
    SPECIMEN("bounded", "l1d", 5, 4096, bounded_truths),
    SPECIMEN("getppid", "", 1, UINT64_MAX, calls_truths),
};
#define SPECIMENS (sizeof(known) / sizeof(*known))
enum { MODELLED, LOOP, ADDS, PAGES, BOUNDED, GETPPID };

struct world {
    struct validate_specimen specimens[SPECIMENS];
    struct validate_subject subjects[4];
    struct wishes wishes;
    struct validate_plan plan;
    uint64_t process_ns, hit_ns[SPECIMENS]; /* prices */
    uint64_t spent_ns;
};
/* That of the test; world_begin makes it anew. */
static struct world world;

static struct validate_subject subject_of(const char *name, const char *class)
{
    return (struct validate_subject){.name = name,
                                     .class = class,
                                     .ways = {{"perf-read", PATTERN_AO, "O2", "static"}},
                                     .way_count = 1,
                                     .cpus = {-1},
                                     .cpu_count = 1};
}

static void world_begin(struct world *of, const char *class)
{
    *of = (struct world){.process_ns = 5 * MS};
    for (size_t i = 0; i < SPECIMENS; i++) {
        of->specimens[i] = (struct validate_specimen){.known = &known[i], .name = known[i].name};
        of->hit_ns[i] = 1;
    }
    of->subjects[0] = subject_of("event:u", class);
    of->plan = (struct validate_plan){.subjects = of->subjects,
                                      .subject_count = 1,
                                      .specimens = of->specimens,
                                      .specimen_count = SPECIMENS,
                                      .wishes = &of->wishes};
}

/* Carries out what is wished for: all of it, whose cells come in the order of the wishes. */
static void world_run(struct world *of, size_t first)
{
    struct validate_plan *plan = &of->plan;
    AUTO_MEMORY struct visit *visits = NULL;
    size_t count = 0;
    wishes_settle(plan->wishes, 0);
    wishes_visits(plan->wishes, 1, 1, &visits, &count);
    assert_int_equal(plan->wishes->cell_count, plan->count);
    for (size_t i = first; i < plan->count; i++)
        assert_int_equal(plan->wishes->about[i].wish, i);
    for (size_t i = 0; i < count; i++) {
        const size_t at = visits[i].cell - 1, specimen = plan->about[at].specimen;
        const struct cell *cell = &plan->wishes->cells[at];
        uint64_t hit = specimen == VALIDATE_NO_SPECIMEN ? 0 : of->hit_ns[specimen];
        uint64_t inside = cell->runs * cell->n * hit;
        assert_in_range(at, first, plan->count);
        wishes_learn(plan->wishes, cell->id, of->process_ns + inside, inside, cell->runs);
        of->spent_ns += of->process_ns + inside;
    }
}

/* One round; how many cells it added. */
static size_t world_round(struct world *of, uint64_t budget, enum validate_share share)
{
    size_t first = of->plan.count;
    uint64_t left = budget == UINT64_MAX    ? budget
                    : of->spent_ns < budget ? budget - of->spent_ns
                                            : 0;
    const struct validate_round round = {.budget_ns = left, .point_ns = budget / 8, .share = share};
    bool more = validate_next(&of->plan, &round);
    assert_int_equal(more, of->plan.count > first);
    world_run(of, first);
    return of->plan.count - first;
}

/* Rounds until nothing more is to be had. */
static void world_finish(struct world *of, uint64_t budget)
{
    unsigned rounds = 0;
    for (int share = SHARE_HALF; share < SHARE_COUNT; rounds++) {
        share = world_round(of, budget, (enum validate_share)share) ? SHARE_HALF : share + 1;
        assert_in_range(rounds, 0, ROUNDS_END);
    }
}

/* The cell of that point in the usual way, or NULL. */
static const struct cell *cell_at(const struct world *of, const char *specimen, uint64_t n)
{
    for (size_t i = 0; i < of->plan.count; i++) {
        const struct cell *cell = &of->wishes.cells[i];
        if (strcmp(cell->specimen, specimen) == 0 && cell->n == n && cell->counters == 1 &&
            cell->cpu == -1 && strcmp(cell->path, "perf-read") == 0)
            return cell;
    }
    return NULL;
}

static uint64_t runs_at(const struct world *of, const char *specimen, uint64_t n)
{
    const struct cell *cell = cell_at(of, specimen, n);
    return cell ? (uint64_t)cell->runs * of->wishes.about[cell->id - 1].planned : 0;
}

/* The whole plan for an event of that class, in 50 s. */
static void world_plan(const char *class)
{
    world_begin(&world, class);
    world_finish(&world, 50 * SECOND);
}

#define assert_planned(specimen, n)  assert_non_null(cell_at(&world, specimen, n))
#define assert_left_out(specimen, n) assert_null(cell_at(&world, specimen, n))

/* --- what is asked --- */

TEST(test_the_ladder_is_of_the_best_truth)
{
    world_begin(&world, "faults");
    assert_int_equal(validate_primary(&world.plan, "instructions"), LOOP);
    assert_int_equal(validate_primary(&world.plan, "faults"), PAGES);
    assert_int_equal(validate_primary(&world.plan, "misses"), BOUNDED);
    assert_int_equal(validate_primary(&world.plan, "unknown"), VALIDATE_NO_SPECIMEN);
}

TEST(test_a_cheap_ladder_reaches_its_top_with_a_hundred_runs)
{
    world_plan("instructions");
    for (uint64_t n = 1; n <= 1000000; n *= 10) {
        const struct cell *cell = cell_at(&world, "loop", n);
        assert_non_null(cell);
        assert_in_range(runs_at(&world, "loop", n), 100, 104);
        assert_in_range(world.wishes.about[cell->id - 1].planned, 2, 5);
    }
    assert_in_range(runs_at(&world, "null", 0), 100, 104);
    assert_planned("adds", 10);
    assert_planned("adds", 1000);
    struct validate_cap cap;
    assert_false(validate_cap(&world.plan, 0, &cap));
}

TEST(test_an_event_that_nothing_judges_is_only_looked_at)
{
    world_begin(&world, "instructions");
    world.subjects[0].unjudged = true;
    assert_false(
        validate_next(&world.plan, &(struct validate_round){50 * SECOND, SECOND, SHARE_HALF}));
    /* Nobody knows yet what a process costs; then what fits, and nothing twice. */
    assert_true(validate_look(&world.plan, SECOND));
    assert_int_equal(world.plan.count, 1);
    world_run(&world, 0);
    assert_false(validate_look(&world.plan, world.process_ns));
    assert_true(validate_look(&world.plan, 3 * world.process_ns));
    assert_int_equal(world.plan.count, 2);
    world_run(&world, 1);
    /* And whether its mode works, where the event without it can be counted beside it. */
    world.subjects[0].unfiltered = "event";
    assert_true(validate_look(&world.plan, SECOND));
    assert_int_equal(world.plan.count, 5);
    world_run(&world, 2);
    assert_int_equal(world.wishes.cells[3].counters, 2);
    assert_false(validate_look(&world.plan, SECOND));
    assert_non_null(cell_at(&world, "loop", 100000));
    assert_non_null(cell_at(&world, "pages", 1000));
    struct validate_cap cap;
    assert_false(validate_cap(&world.plan, 0, &cap));
}

TEST(test_n_stays_within_what_the_specimen_takes)
{
    world_plan("misses");
    assert_left_out("bounded", 1);
    assert_planned("bounded", 5);
    assert_planned("bounded", 4096);
    for (size_t i = 0; i < world.plan.count; i++)
        if (world.plan.about[i].specimen == BOUNDED)
            assert_in_range(world.wishes.cells[i].n, 5, 4096);
}

TEST(test_a_second_path_and_other_cores_are_asked_once)
{
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
        const struct cell *cell = &world.wishes.cells[i];
        bool null = plan_is_overhead_cell(cell);
        nulls += null;
        papi += !null && strcmp(cell->path, "papi-low") == 0;
        efficient += !null && cell->cpu == 8;
        assert_true(cell->cpu == 0 || cell->cpu == 8);
    }
    assert_int_equal(papi, 1);
    assert_int_equal(efficient, 2);
    assert_int_equal(nulls, 3); /* a null cell for each way */
}

TEST(test_the_ladder_moves_to_a_core_that_counts)
{
    size_t ladder[3] = {0};
    world_begin(&world, "instructions");
    struct validate_subject *subject = &world.subjects[0];
    subject->cpus[0] = 8;
    subject->cpus[1] = 0;
    subject->cpu_count = 2;
    world_round(&world, 50 * SECOND, SHARE_HALF);
    validate_next_core(subject); /* nothing was counted on CPU 8 */
    world_finish(&world, 50 * SECOND);
    for (size_t i = 0; i < world.plan.count; i++)
        if (world.plan.about[i].specimen == LOOP && world.wishes.cells[i].n == 1000000)
            ladder[world.wishes.cells[i].cpu == 0 ? 1 : 2]++;
    assert_int_equal(ladder[1], 1);
    assert_int_equal(ladder[2], 0);
    validate_next_core(subject);
    assert_int_equal(subject->cpus[0], 8);
    subject->cpu_count = 1;
    validate_next_core(subject);
    assert_int_equal(subject->cpus[0], 8);
}

TEST(test_a_threshold_is_closed_in_on)
{
    uint64_t threshold = 137; /* reads 0 below it */
    unsigned rounds = 0;
    world_plan("instructions");
    struct validate_subject *subject = &world.subjects[0];
    subject->zero_to = 100;
    subject->counts_from = 1000;
    while (world_round(&world, 50 * SECOND, SHARE_HALF)) {
        for (size_t i = 0; i < world.plan.count; i++) {
            uint64_t n = world.wishes.cells[i].n;
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
}

/* --- time --- */

TEST(test_a_dear_ladder_is_capped_and_says_so_but_for_a_full_one)
{
    for (int full = 0; full < 2; full++) {
        struct validate_cap cap = {0};
        world_begin(&world, "faults");
        world.hit_ns[PAGES] = 100000; /* 100 us a hit */
        world.plan.full = full;
        world_finish(&world, full ? UINT64_MAX : 50 * SECOND);
        assert_int_equal(validate_cap(&world.plan, 0, &cap), !full);
        assert_in_range(runs_at(&world, "pages", full ? 1000000 : 10000), full ? 100 : 6, 104);
        if (full)
            continue;
        /* 10 s a window: what the budget holds of them is less than the few that a point takes. */
        assert_left_out("pages", 100000);
        assert_string_equal(cap.specimen, "pages");
        assert_true(cap.n == 10000 && cap.top == 1000000);
        assert_in_range((uint64_t)cap.hit_ns, 95000, 205000);
    }
}

/* Whatever things cost, the budget is kept once the first round has shown it. */
TEST(test_the_budget_is_kept)
{
    static const uint64_t processes[] = {MS / 10, 5 * MS, 100 * MS};
    static const uint64_t hits[] = {1, 700, 30000, 2000000};
    for (size_t i = 0; i < sizeof(processes) / sizeof(*processes); i++)
        for (size_t j = 0; j < sizeof(hits) / sizeof(*hits); j++) {
            world_begin(&world, "faults");
            world.subjects[1] = subject_of("other", "instructions");
            world.subjects[2] = subject_of("third", "misses");
            world.plan.subject_count = 3;
            world.process_ns = processes[i];
            for (size_t k = 0; k < SPECIMENS; k++)
                world.hit_ns[k] = hits[j];
            world_round(&world, 20 * SECOND, SHARE_HALF);
            uint64_t first = world.spent_ns;
            world_finish(&world, 20 * SECOND);
            assert_in_range(world.spent_ns, first, first + 20 * SECOND);
        }
}

TEST(test_a_dear_event_takes_nothing_from_a_cheap_one)
{
    world_begin(&world, "faults");
    world.subjects[1] = subject_of("other:u", "instructions");
    world.plan.subject_count = 2;
    world.hit_ns[PAGES] = 1000000;
    world_finish(&world, 20 * SECOND);
    bool found = false;
    for (size_t i = 0; i < world.plan.count; i++)
        found |= world.plan.about[i].subject == 1 && world.wishes.cells[i].n == 1000000;
    assert_true(found);
}

TEST(test_runs_are_as_many_as_were_asked_for)
{
    world_begin(&world, "instructions");
    world.plan.runs = 30;
    world_finish(&world, 50 * SECOND);
    assert_in_range(runs_at(&world, "loop", 100), 30, 32);
    assert_in_range(runs_at(&world, "adds", 10), 30, 32);
    world_begin(&world, "instructions");
    world.plan.runs = 2; /* fewer than a ladder has processes */
    world_finish(&world, 50 * SECOND);
    assert_int_equal(runs_at(&world, "loop", 100), 2);
    assert_int_equal(runs_at(&world, "null", 0), 2);
    world_begin(&world, "instructions");
    world.subjects[0].runs = 5; /* a source's own number, in a process */
    world_finish(&world, 50 * SECOND);
    assert_int_equal(cell_at(&world, "loop", 100)->runs, 5);
}

/* Whatever the order, and wherever it is cut off. */
TEST(test_no_cell_goes_before_the_null_cell_of_its_way)
{
    world_begin(&world, "instructions");
    world.subjects[0].ways[1] = (struct validate_way){"perf-syscall", PATTERN_AO, "O2", "static"};
    world.subjects[0].way_count = 2;
    world.subjects[1] = subject_of("other:u", "faults");
    world.plan.subject_count = 2;
    world_finish(&world, 50 * SECOND);
    const struct validate_plan *plan = &world.plan;
    uint32_t processes[256];
    size_t total = 0;
    assert_in_range(plan->count, 10, 256);
    for (size_t i = 0; i < plan->count; i++)
        total += processes[i] = world.wishes.about[i].planned;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct visit *visits;
        size_t count;
        unsigned visited[256] = {0};
        plan_rounds(world.wishes.cells, plan->count, processes, seed, &visits, &count);
        assert_int_equal(count, total);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(visits[i].process, visited[visits[i].cell - 1]++);
            for (size_t k = 0; k < plan->count; k++)
                if (plan_is_overhead_cell(&world.wishes.cells[k]) &&
                    plan_same_way(&world.wishes.cells[k], &world.wishes.cells[visits[i].cell - 1]))
                    assert_int_not_equal(visited[k], 0);
        }
        memory_give_back(visits);
    }
}

/* --- windows that last, and what must not move an event of user code --- */

/* The largest N that was planned for that specimen. */
static uint64_t largest(const struct world *of, const char *specimen)
{
    uint64_t n = 0;
    for (size_t i = 0; i < of->plan.count; i++)
        if (strcmp(of->wishes.cells[i].specimen, specimen) == 0 && of->wishes.cells[i].n > n)
            n = of->wishes.cells[i].n;
    return n;
}

TEST(test_a_cheap_ladder_goes_on_until_a_window_lasts)
{
    static const struct {
        uint64_t budget, least_ns, most_ns;
    } cases[] = {{50 * SECOND, 240 * MS, 600 * MS}, {4 * SECOND, 0, 100 * MS}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        world_begin(&world, "instructions");
        world_finish(&world, cases[i].budget);
        const uint64_t n = largest(&world, "loop");
        assert_in_range(n * world.hit_ns[LOOP], cases[i].least_ns, cases[i].most_ns);
        assert_in_range(world.spent_ns, 0, cases[i].budget);
        if (n > 1000000)
            assert_in_range(runs_at(&world, "loop", n), 4, 8);
    }
    /* Where that is no more than the ladder, there is nothing to add. */
    world_begin(&world, "instructions");
    world.hit_ns[LOOP] = 400;
    world_finish(&world, 200 * SECOND);
    assert_int_equal(largest(&world, "loop"), 1000000);
}

TEST(test_what_must_not_move_a_count_comes_before_other_code)
{
    world_begin(&world, "instructions");
    world.subjects[0].user_code = true;
    world.subjects[0].unfiltered = "event";
    size_t calls = SIZE_MAX, others = SIZE_MAX, beside = 0;
    world_finish(&world, 50 * SECOND);
    for (size_t i = world.plan.count; i-- > 0;) {
        const struct cell *cell = &world.wishes.cells[i];
        if (strcmp(cell->specimen, "getppid") == 0 && cell->n == 10)
            calls = i;
        if (strcmp(cell->specimen, "adds") == 0)
            others = i;
        if (cell->counters == 2 && strcmp(cell->specimen, "getppid") == 0) {
            assert_string_equal(cell->events[1], "event");
            assert_true(cell->separate);
            beside++;
        }
    }
    assert_in_range(calls, 0, others - 1);
    assert_int_equal(beside, 2);
}

TEST(test_what_was_not_looked_at_of_a_surprise_has_its_price)
{
    world_begin(&world, "instructions");
    world.subjects[0].user_code = true;
    world_round(&world, SECOND, SHARE_HALF);
    /* Nobody asks why an event is right. */
    assert_int_equal(validate_wanting(&world.plan, 0), 0);
    world.subjects[0].deviates = true;
    const uint64_t wanting = validate_wanting(&world.plan, 0);
    assert_true(wanting > 0);
    world_finish(&world, world.spent_ns + 20 * wanting);
    assert_int_equal(validate_wanting(&world.plan, 0), 0);
}

TEST(test_a_rung_whose_windows_last_is_had_in_few_runs)
{
    world_begin(&world, "faults");
    world.hit_ns[PAGES] = 1500; /* 150 ms at N = 100,000 */
    world_finish(&world, 20 * SECOND);
    assert_in_range(runs_at(&world, "pages", 100000), 6, 7);
    assert_in_range(runs_at(&world, "pages", 10000), 20, 104);
}

TEST(test_a_look_that_costs_too_much_is_left_out)
{
    world_begin(&world, "instructions");
    world.hit_ns[LOOP] = 60000; /* as where every instruction is stepped */
    world.subjects[1] = subject_of("dummy", NULL);
    world.subjects[1].unjudged = true;
    world.plan.subject_count = 2;
    world_round(&world, 20 * SECOND, SHARE_HALF);
    for (size_t first = world.plan.count; validate_look(&world.plan, SECOND);
         first = world.plan.count)
        world_run(&world, first);
    assert_left_out("loop", 100000);
    assert_in_range(world.spent_ns, 0, 11 * SECOND);
}

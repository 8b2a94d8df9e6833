/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay validate` and time: that a budget is kept whatever things cost, who gets what
 * of it, and how many runs that buys. */
#include "base/memory.h"
#include "validate-world.h"

TEST(test_a_dear_ladder_is_capped_and_says_so)
{
    struct world world;
    world_begin(&world, "faults");
    world.hit_ns[PAGES] = 20000; /* 20 us a hit */
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "pages", 10000));
    assert_null(cell_at(&world, "pages", 100000));
    assert_in_range(runs_at(&world, "pages", 10000), 20, 104);
    struct validate_cap cap;
    assert_true(validate_cap(&world.plan, 0, &cap));
    assert_string_equal(cap.specimen, "pages");
    assert_int_equal(cap.n, 10000);
    assert_int_equal(cap.top, 1000000);
    assert_in_range((uint64_t)cap.hit_ns, 19000, 41000);
}

TEST(test_full_climbs_whatever_it_costs)
{
    struct world world;
    world_begin(&world, "faults");
    world.hit_ns[PAGES] = 20000;
    world.plan.full = true;
    world_finish(&world, UINT64_MAX);
    assert_in_range(runs_at(&world, "pages", 1000000), 100, 104);
    struct validate_cap cap;
    assert_false(validate_cap(&world.plan, 0, &cap));
}

/* A rung that no share allows is climbed with what is left over. */
TEST(test_what_nobody_needs_goes_to_the_ladder)
{
    struct world world;
    world_begin(&world, "faults");
    world.plan.runs = 8;
    world.hit_ns[PAGES] = 3000; /* eight runs of 100,000: 2.4 s, more than an eighth of 6 s */
    world_finish(&world, 6 * SECOND);
    assert_non_null(cell_at(&world, "pages", 100000));
    assert_null(cell_at(&world, "pages", 1000000));
    assert_in_range(world.spent_ns, 0, 6 * SECOND);
}

/* Whatever things cost, the budget is kept once the first round has shown it. */
TEST(test_the_budget_is_kept)
{
    static const uint64_t processes[] = {MS / 10, 5 * MS, 100 * MS};
    static const uint64_t hits[] = {1, 700, 30000, 2000000};
    for (size_t i = 0; i < sizeof(processes) / sizeof(*processes); i++)
        for (size_t j = 0; j < sizeof(hits) / sizeof(*hits); j++) {
            struct world world;
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
    struct world world;
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
    struct world world;
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

/* A second way needs a null cell of its own, which has to be paid for as well. */
TEST(test_null_cells_are_part_of_the_price)
{
    for (uint64_t budget = 20; budget <= 80; budget += 2) {
        struct world world;
        world_begin(&world, "instructions");
        world.process_ns = 500 * MS; /* a process is dear, and what it does costs nothing */
        memset(world.hit_ns, 0, sizeof(world.hit_ns));
        world.plan.subject_count = 4;
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
    }
}

/* Whatever the order, and wherever it is cut off. */
TEST(test_no_cell_goes_before_the_null_cell_of_its_way)
{
    struct world world;
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

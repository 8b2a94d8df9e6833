/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay validate` against machines whose prices are made up: what is asked first, how
 * far ladders climb, and what is asked of an event that surprises. */
#include "validate-world.h"

TEST(test_the_ladder_is_of_the_best_truth)
{
    struct world world;
    world_begin(&world, "faults");
    assert_int_equal(validate_primary(&world.plan, "instructions"), LOOP);
    assert_int_equal(validate_primary(&world.plan, "faults"), PAGES);
    assert_int_equal(validate_primary(&world.plan, "misses"), BOUNDED);
    assert_int_equal(validate_primary(&world.plan, "unknown"), VALIDATE_NO_SPECIMEN);
}

TEST(test_the_first_round_asks_little)
{
    struct world world;
    world_begin(&world, "instructions");
    world_round(&world, 50 * SECOND, SHARE_HALF);
    assert_non_null(cell_at(&world, "loop", 1));
    assert_non_null(cell_at(&world, "loop", 10));
    assert_non_null(cell_at(&world, "null", 0));
    assert_int_equal(world.plan.count, 3);
}

TEST(test_a_cheap_ladder_reaches_its_top_with_a_hundred_runs)
{
    struct world world;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    for (uint64_t n = 1; n <= 1000000; n *= 10) {
        const struct cell *cell = cell_at(&world, "loop", n);
        assert_non_null(cell);
        assert_in_range(runs_at(&world, "loop", n), 100, 104);
        assert_in_range(world.wishes.about[cell->id - 1].planned, 2, 5);
    }
    assert_in_range(runs_at(&world, "null", 0), 100, 104);
    assert_non_null(cell_at(&world, "adds", 10));
    assert_non_null(cell_at(&world, "adds", 1000));
    struct validate_cap cap;
    assert_false(validate_cap(&world.plan, 0, &cap));
}

TEST(test_n_stays_within_what_the_specimen_takes)
{
    struct world world;
    world_begin(&world, "misses");
    world_finish(&world, 50 * SECOND);
    assert_null(cell_at(&world, "bounded", 1));
    assert_non_null(cell_at(&world, "bounded", 5));
    assert_non_null(cell_at(&world, "bounded", 4096));
    for (size_t i = 0; i < world.plan.count; i++)
        if (world.plan.about[i].specimen == BOUNDED)
            assert_in_range(world.wishes.cells[i].n, 5, 4096);
}

TEST(test_nothing_is_planned_twice)
{
    struct world world;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    for (size_t i = 0; i < world.plan.count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct cell *left = &world.wishes.cells[i], *right = &world.wishes.cells[j];
            assert_false(plan_same_way(left, right) && left->n == right->n &&
                         strcmp(left->specimen, right->specimen) == 0);
        }
}

TEST(test_user_code_is_held_against_what_must_not_move_it)
{
    struct world world;
    world_begin(&world, "instructions");
    world.subjects[0].user_code = true;
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "pages", 10));
    assert_non_null(cell_at(&world, "pages", 1000));
    world_begin(&world, "faults");
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "loop", 1000));
}

TEST(test_a_second_path_and_other_cores_are_asked_once)
{
    struct world world;
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
    struct world world;
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

TEST(test_interrupts_are_counted_along_where_they_can_be)
{
    struct world world;
    for (int can = 0; can < 2; can++) {
        world_begin(&world, "instructions");
        world.subjects[0].interrupts = true;
        world.plan.interrupts = can ? "irq:irq_handler_entry" : NULL;
        world_finish(&world, 50 * SECOND);
        unsigned pairs = 0;
        for (size_t i = 0; i < world.plan.count; i++) {
            const struct cell *cell = &world.wishes.cells[i];
            if (cell->counters != 2)
                continue;
            pairs++;
            assert_true(cell->separate);
            assert_string_equal(cell->events[1], "irq:irq_handler_entry");
        }
        assert_int_equal(pairs != 0, can);
    }
}

TEST(test_another_name_of_an_event_gets_a_short_ladder)
{
    struct world world;
    world_begin(&world, "instructions");
    world.subjects[0].brief = true;
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "loop", 1000));
    assert_null(cell_at(&world, "loop", 10000));
    assert_null(cell_at(&world, "adds", 10));
}

TEST(test_a_threshold_is_closed_in_on)
{
    struct world world;
    uint64_t threshold = 137; /* reads 0 below it */
    unsigned rounds = 0;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
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

TEST(test_an_event_that_deviates_is_looked_at_more_closely)
{
    struct world world;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    assert_null(cell_at(&world, "adds", 100));
    assert_null(cell_at(&world, "adds", 100000));
    world.subjects[0].deviates = true;
    world_finish(&world, 50 * SECOND);
    assert_non_null(cell_at(&world, "adds", 100));
    assert_non_null(cell_at(&world, "adds", 100000));
}

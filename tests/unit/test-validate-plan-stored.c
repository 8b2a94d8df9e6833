/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay validate` out of a store: cells are known again, and the plan goes on behind
 * them. */
#include "validate-world.h"

/* As wishes_adopt takes it from a store. */
static void adopt_cell(struct world *world, const struct cell *cell, uint32_t processes)
{
    size_t at = wishes_add_cell(&world->wishes, cell);
    world->wishes.about[at].planned = processes;
}

TEST(test_a_stored_plan_is_gone_on_with)
{
    struct world world, again;
    world_begin(&world, "instructions");
    world_finish(&world, 50 * SECOND);
    world_begin(&again, "instructions");
    for (size_t i = 0; i < world.plan.count; i++)
        adopt_cell(&again, &world.wishes.cells[i], world.wishes.about[i].planned);
    validate_adopt(&again.plan);
    assert_int_equal(again.plan.count, world.plan.count);
    for (size_t i = 0; i < world.plan.count; i++) {
        assert_int_equal(again.plan.about[i].specimen, world.plan.about[i].specimen);
        assert_int_equal(again.wishes.cells[i].id, world.wishes.cells[i].id);
        assert_int_equal(again.wishes.about[i].wish, i);
        assert_int_equal(wishes_processes(&again.wishes, i), world.wishes.about[i].planned);
    }
    assert_int_equal(world_round(&again, 50 * SECOND, SHARE_HALF), 0);
}

/* A run may end before the store has all visits of its cells: those of a round are put there piece
 * by piece. */
TEST(test_visits_that_the_store_lacks_are_made)
{
    static const uint32_t runs[] = {0, 1, 2, 3, 100};
    for (size_t given = 0; given < sizeof(runs) / sizeof(*runs); given++)
        for (uint32_t there = 0; there < 2; there++) {
            struct world world, again;
            struct visit *visits;
            size_t count;
            uint32_t ladders = 0;
            world_begin(&world, "instructions");
            world.plan.runs = runs[given];
            world_finish(&world, 50 * SECOND);
            world_begin(&again, "instructions");
            again.plan.runs = runs[given];
            for (size_t i = 0; i < world.plan.count; i++)
                adopt_cell(&again, &world.wishes.cells[i], there);
            validate_adopt(&again.plan);
            wishes_settle(&again.wishes, UINT64_MAX);
            wishes_visits(&again.wishes, 1, 1, &visits, &count);
            assert_int_equal(again.wishes.cell_count, world.plan.count);
            for (size_t i = 0; i < world.plan.count; i++) {
                assert_int_equal(again.wishes.about[i].planned, world.wishes.about[i].planned);
                ladders += world.wishes.about[i].planned > 2;
            }
            assert_int_equal(ladders > 0, runs[given] == 0 || runs[given] > 2);
            memory_give_back(visits);
        }
}

TEST(test_a_stored_specimen_is_known_by_its_parameters)
{
    static const char *const names[] = {"bounded/l1d=1/", "bounded/l1d=2/", "bounded/l1d=3/"};
    struct world world;
    world_begin(&world, "misses");
    world.specimens[0] = (struct validate_specimen){.known = &known[BOUNDED], .name = names[0]};
    world.specimens[1] = (struct validate_specimen){.known = &known[BOUNDED], .name = names[1]};
    world.plan.specimen_count = 2;
    for (size_t i = 0; i < 3; i++) {
        struct cell cell = {.events = {memory_copy("event:u")},
                            .counters = 1,
                            .path = memory_copy("perf-read"),
                            .specimen = memory_copy(names[i]),
                            .opt = memory_copy("O2"),
                            .link = memory_copy("static"),
                            .n = 5,
                            .runs = 1,
                            .id = (uint32_t)i + 1};
        adopt_cell(&world, &cell, 1);
    }
    validate_adopt(&world.plan);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(world.plan.about[i].specimen, i == 1 ? 1 : 0);
}

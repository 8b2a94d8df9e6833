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

static void test_a_stored_plan_is_gone_on_with(void **state)
{
    struct world world, again;
    (void)state;
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

/* A run may end before the store has all visits of its cells. */
static void test_a_cell_without_visits_is_visited(void **state)
{
    struct world world, again;
    struct visit *visits;
    size_t count;
    (void)state;
    world_begin(&world, "instructions");
    world_round(&world, 50 * SECOND, SHARE_HALF);
    world_begin(&again, "instructions");
    for (size_t i = 0; i < world.plan.count; i++)
        adopt_cell(&again, &world.wishes.cells[i],
                   i + 1 == world.plan.count ? 0 : world.wishes.about[i].planned);
    validate_adopt(&again.plan);
    wishes_settle(&again.wishes, 0);
    wishes_visits(&again.wishes, 1, 1, &visits, &count);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(visits[i].cell, world.plan.count);
    assert_int_equal(again.wishes.cell_count, world.plan.count);
}

static void test_a_stored_specimen_is_known_by_its_parameters(void **state)
{
    static const char *const names[] = {"bounded/l1d=1/", "bounded/l1d=2/", "bounded/l1d=3/"};
    struct world world;
    (void)state;
    world_begin(&world, "misses");
    world.specimens[0] = (struct validate_specimen){.known = &known[BOUNDED], .name = names[0]};
    world.specimens[1] = (struct validate_specimen){.known = &known[BOUNDED], .name = names[1]};
    world.plan.specimen_count = 2;
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
        adopt_cell(&world, &cell, 1);
    }
    validate_adopt(&world.plan);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(world.plan.about[i].specimen, i == 1 ? 1 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stored_plan_is_gone_on_with),
        cmocka_unit_test(test_a_cell_without_visits_is_visited),
        cmocka_unit_test(test_a_stored_specimen_is_known_by_its_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

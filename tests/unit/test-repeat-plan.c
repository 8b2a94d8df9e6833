/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` plans on machines that are made up. */
#include "repeat-offers.h"

TEST(every_cell_is_a_whole_command)
{
    for (int kind = 0; kind < 8; kind++) {
        struct offers offers;
        offers_make(&offers, kind & 1);
        offers.study.quick = kind & 2;
        offers.study.emulated = kind & 4;
        offers.study.sweeps = 1u << SWEEP_ENVIRONMENT | 1u << SWEEP_STACK | 1u << SWEEP_ASLR;
        struct repeat_plan plan = offers_plan(&offers);
        assert_true(plan.wishes->count > 60);
        for (size_t i = 0; i < plan.wishes->count; i++) {
            const struct wish *wish = &plan.wishes->list[i];
            for (size_t j = 0; j < wish->cell_count; j++) {
                struct failure failure = {0};
                const struct cell *cell = &wish->cells[j];
                assert_int_equal(cell_check_command(cell, &failure), 0);
                assert_int_equal(cell->cpu,
                                 cell->command.controls & CONTROL_BIT(CONTROL_CPU) ? 1 : -1);
                assert_true(cell->command.timeout > 0);
            }
            assert_true(wish->least >= 1 && wish->least <= wish->processes);
            assert_true(wish->expected_ns > 0);
        }
    }
}

TEST(the_most_important_comes_first)
{
    struct offers offers;
    offers_make(&offers, true);
    offers.study.sweeps = 1u << SWEEP_ENVIRONMENT;
    struct repeat_plan plan = offers_plan(&offers);
    bool seen[REPEAT_STAGES] = {false};
    for (size_t i = 0; i < plan.wishes->count; i++) {
        seen[plan.wishes->list[i].stage] = true;
        if (i)
            assert_true(plan.wishes->list[i].stage >= plan.wishes->list[i - 1].stage);
    }
    for (int stage = 0; stage < REPEAT_STAGES; stage++)
        assert_true(seen[stage]);
    /* Both settings of every source before any control alone. */
    for (size_t source = 0; source < OFFER_COUNT; source++)
        for (int setting = 0; setting < 2; setting++) {
            const size_t wish = repeat_find_wish(&plan, 0, source, setting ? CONTROLS_ALL : 0,
                                                 SWEEP_NONE, DETAIL_NONE);
            assert_true(wish != NO_WISH);
            assert_int_equal(plan.wishes->list[wish].stage, REPEAT_SETTINGS);
            assert_int_equal(plan.aims[wish].processes, 12);
            assert_int_equal(plan.aims[wish].least, 7);
        }
}

static size_t count_singles(const struct repeat_plan *plan, size_t source, bool only)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->wishes->count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        const uint32_t lone = only ? aim->controls : CONTROLS_ALL & ~aim->controls;
        count += plan->wishes->list[i].stage == REPEAT_SINGLES && aim->source == source && lone &&
                 !(lone & (lone - 1));
    }
    return count;
}

TEST(what_a_tool_does_not_see_is_tried_by_one_that_does)
{
    PLAN(false);
    assert_int_equal(count_singles(&plan, OFFER_PERF, true), CONTROL_COUNT - 1);
    assert_int_equal(count_singles(&plan, OFFER_QEMU, true), CONTROL_COUNT - 1);
    assert_int_equal(count_singles(&plan, OFFER_VALGRIND, true), 0);
    const size_t random =
        repeat_find_wish(&plan, 0, OFFER_STEP, CONTROL_BIT(CONTROL_ASLR), SWEEP_NONE, DETAIL_NONE);
    assert_true(random != NO_WISH);
    assert_int_equal(repeat_find_wish(&plan, 0, OFFER_STEP, CONTROL_BIT(CONTROL_HASH_SEEDS),
                                      SWEEP_NONE, DETAIL_NONE),
                     NO_WISH);
}

TEST(slow_sources_may_take_longer_but_not_for_ever)
{
    struct offers offers;
    offers_make(&offers, true);
    offers.study.timeout = 1000;
    struct repeat_plan plan = offers_plan(&offers);
    const uint64_t expected[OFFER_COUNT] = {1000, 15000, 30001, 30001};
    for (size_t source = 0; source < OFFER_COUNT; source++) {
        const size_t wish =
            repeat_find_wish(&plan, 0, source, CONTROLS_ALL, SWEEP_NONE, DETAIL_NONE);
        assert_int_equal(offers_cell(&plan, wish)->command.timeout, expected[source]);
    }
}

TEST(sweeps_meet_every_alignment)
{
    struct offers offers;
    offers_make(&offers, true);
    offers.study.sweeps = 1u << SWEEP_ENVIRONMENT | 1u << SWEEP_STACK | 1u << SWEEP_ASLR;
    struct repeat_plan plan = offers_plan(&offers);
    for (int sweep = SWEEP_NONE + 1; sweep < SWEEP_COUNT; sweep++) {
        const size_t found = repeat_find_wish(&plan, 0, OFFER_PERF, CONTROLS_ALL,
                                              (enum command_sweep)sweep, DETAIL_NONE);
        const struct wish *wish = &plan.wishes->list[found];
        uint32_t met = 0;
        assert_int_equal(wish->cell_count, 17);
        assert_int_equal(plan.aims[found].processes, 51);
        for (size_t i = 0; i < wish->cell_count; i++) {
            const uint64_t swept = wish->cells[i].command.swept;
            met |= 1u << (sweep == SWEEP_STACK ? swept / 16 % 16 : swept % 16);
            if (sweep == SWEEP_STACK) {
                assert_int_equal(swept % 16, 0);
                assert_true(swept <= 4000); /* what the probe moves a stack by at most */
            }
            if (i)
                assert_true(swept > wish->cells[i - 1].command.swept);
        }
        assert_int_equal(met, 0xffff);
    }
}

static size_t wishes_of(const struct repeat_plan *plan, const char *words)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->wishes->count; i++)
        count += strcmp(offers_cell(plan, i)->command.words, words) == 0;
    return count;
}

TEST(subjects_are_executed_as_what_they_show_needs)
{
    PLAN(true);
    assert_true(wishes_of(&plan, "subject:loop 1000") >= 8);
    /* Faults in three lengths; who shows nothing is not asked. */
    assert_true(wishes_of(&plan, "subject:faults 400") > 0);
    assert_true(wishes_of(&plan, "subject:faults 200") > 0);
    assert_true(wishes_of(&plan, "subject:faults 100") > 0);
    assert_int_equal(wishes_of(&plan, "subject:getpid 1"), 0);
    bool layout = false, environment = false, stack = false;
    for (size_t i = 0; i < plan.wishes->count; i++) {
        if (strcmp(offers_cell(&plan, i)->command.words, "subject:stack32 7") != 0)
            continue;
        layout |= plan.aims[i].controls == (CONTROLS_ALL & ~CONTROL_BIT(CONTROL_LAYOUT));
        environment |= plan.aims[i].sweep == SWEEP_ENVIRONMENT;
        stack |= plan.aims[i].sweep == SWEEP_STACK;
    }
    assert_true(layout && environment && stack);
    /* What only a counter of the CPU can show is asked of nobody else … */
    for (size_t i = 0; i < plan.wishes->count; i++)
        if (strcmp(offers_cell(&plan, i)->command.words, "subject:faults 400") == 0 &&
            plan.aims[i].source != REPEAT_PLAIN)
            assert_string_equal(offers.study.sources[plan.aims[i].source].name, "perf_event");
    /* … and not at all where there is none. */
    offers.study.sources[0].instructions = false;
    plan = offers_plan(&offers);
    assert_true(wishes_of(&plan, "subject:loop 1000") > 0);
    assert_int_equal(wishes_of(&plan, "subject:faults 400"), 0);
    offers.study.subjects = false;
    plan = offers_plan(&offers);
    assert_int_equal(plan.program_count, 1);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the plan of `assay error` crosses, on machines that are made up. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "error-machines.h"

/* --- what is crossed --- */

TEST(crosses_every_pattern_level_and_link)
{
    struct error_study study = plain_machine();
    struct looked_for wanted = {.event = "task-clock", .path = "perf-read"};
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 4 * 4 * 3);
    wanted.path = "papi-high";
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 1 * 4 * 3);
    wanted.event = "step/instructions/";
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 1 * 4 * 3);
    wanted.path = "perf-user";
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 3 * 4 * 3);
    /* The others at the usual level, in every link mode; with --full at all. */
    wanted = (struct looked_for){.event = "page-faults", .path = "perf-read"};
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 4 * 3);
    study.full = true;
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 4 * 4 * 3);
}

TEST(plans_nothing_twice)
{
    struct error_study studies[] = {plain_machine(), cpu_machine(), cpu_machine()};
    studies[1].phase_ns = 2000;
    studies[2].full = true;
    for (size_t which = 0; which < 3; which++)
        for (int stage = 0; stage < STAGE_COUNT; stage++) {
            struct wishes wishes = wished(&studies[which], (enum error_stage)stage);
            for (size_t i = 0; i < wishes.count; i++) {
                const struct cell *cell = wishes.list[i].cells;
                assert_int_equal(wishes.list[i].stage, stage);
                for (size_t j = 0; j < i; j++) {
                    const struct cell *other = wishes.list[j].cells;
                    assert_false(plan_same_way(other, cell) && other->n == cell->n &&
                                 other->runs == cell->runs &&
                                 strcmp(other->specimen, cell->specimen) == 0);
                }
            }
        }
}

/* The same windows must be counted and stepped; where counts never vary, a few processes do. */
TEST(steps_what_an_emulated_machine_counts)
{
    struct error_study study = cpu_machine();
    study.emulated = true;
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    size_t visits = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cells[0];
        bool stepped = strcmp(cell->events[0], study.stepped) == 0, found = false;
        visits += wishes.list[i].processes;
        assert_in_range(wishes.list[i].processes, 1, 3);
        for (size_t j = 0; stepped && j < wishes.count; j++) {
            const struct cell *other = &wishes.list[j].cells[0];
            found |= strcmp(other->events[0], "instructions:u") == 0 &&
                     strcmp(other->path, cell->path) == 0 && other->pattern == cell->pattern &&
                     strcmp(other->opt, cell->opt) == 0 && strcmp(other->link, cell->link) == 0;
        }
        assert_int_equal(stepped, found);
    }
    assert_true(visits < 2000);
}

TEST(asks_of_a_path_only_what_it_can_count)
{
    struct error_study study = plain_machine();
    struct looked_for wanted = {.event = "msr/tsc/", .path = "papi-low"};
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 0);
    wanted = (struct looked_for){.event = "task-clock", .path = "perf-user"};
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 0);
    study = cpu_machine();
    wanted = (struct looked_for){.event = "instructions:uk", .path = "perf-user"};
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 3 * 4 * 3);
    wanted = (struct looked_for){.event = "branches:u"};
    assert_int_equal(count_of(&study, STAGE_CROSSING, wanted), 0);
    assert_true(count_of(&study, STAGE_PLACEMENT, wanted) > 60);
}

TEST(gives_papi_distinct_events)
{
    struct error_study study = plain_machine();
    struct wishes wishes = wished(&study, STAGE_COUNTERS);
    size_t of_papi = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cells[0];
        if (strncmp(cell->path, "papi-", 5) != 0)
            continue;
        of_papi++;
        for (uint32_t left = 0; left < cell->counters; left++)
            for (uint32_t right = 0; right < left; right++)
                assert_string_not_equal(cell->events[left], cell->events[right]);
    }
    assert_true(of_papi > 0);
}

TEST(keeps_to_the_paths_that_were_named)
{
    static const char *const named[] = {"perf-syscall"};
    struct error_study study = plain_machine();
    study.paths = named;
    study.path_count = 1;
    for (int stage = 0; stage <= STAGE_DURATION; stage++) {
        const struct looked_for all = {0}, own = {.path = "perf-syscall"};
        assert_int_equal(count_of(&study, (enum error_stage)stage, all),
                         count_of(&study, (enum error_stage)stage, own));
    }
}

TEST(counts_interrupts_along_with_kernel_instructions)
{
    struct error_study study = cpu_machine();
    struct wishes wishes = wished(&study, STAGE_DURATION);
    size_t along = 0, runs = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cells[0];
        if (strcmp(cell->events[0], "instructions:k") != 0 || strcmp(cell->path, "perf-read") != 0)
            continue;
        assert_int_equal(cell->counters, 2);
        assert_string_equal(cell->events[1], study.interrupts);
        runs += (size_t)cell->runs * wishes.list[i].processes;
        along++;
    }
    assert_int_equal(along, 7); /* 1, 10, … 1,000,000 */
    assert_true(runs >= UINT64_C(7) * 2000);
}

/* Both are needed to say whether interrupts explain the growth: counting them adds to each. */
TEST(counts_interrupts_along_with_both_modes_once)
{
    struct error_study study = cpu_machine();
    struct wishes wishes = wished(&study, STAGE_DURATION);
    size_t alone = 0, along = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cells[0];
        if (strcmp(cell->events[0], "instructions:uk") != 0)
            continue;
        alone += cell->counters == 1 && strcmp(cell->path, "perf-read") == 0;
        along += cell->counters == 2 && strcmp(cell->events[1], study.interrupts) == 0;
    }
    assert_int_equal(alone, 7);
    assert_int_equal(along, 3); /* of one path */
    /* Both ends of what the comparison needs, three events and one counted along, come first. */
    size_t explaining = 0;
    for (size_t i = 0; i < 8; i++)
        explaining += strncmp(wishes.list[i].cells[0].events[0], "instructions:", 13) == 0 &&
                      (wishes.list[i].cells[0].n == 1 || wishes.list[i].cells[0].n == 1000000);
    assert_int_equal(explaining, 8);
    study.interrupts = NULL;
    const struct looked_for two = {.event = "instructions:uk", .counters = 2};
    assert_int_equal(count_of(&study, STAGE_DURATION, two), 0);
}

/* What a counter more costs the kernel is asked first, and of read-read alone. */
TEST(varies_counters_in_both_modes_on_an_emulated_machine)
{
    struct error_event events[sizeof(cpu_events) / sizeof(*cpu_events)];
    struct error_study study = cpu_machine();
    memcpy(events, cpu_events, sizeof(events));
    events[1].crossed = false;
    study.events = events;
    study.emulated = true;
    struct wishes wishes = wished(&study, STAGE_COUNTERS);
    size_t both = 0;
    while (both < wishes.count &&
           strcmp(wishes.list[both].cells[0].events[0], "instructions:uk") == 0) {
        assert_int_equal(wishes.list[both].cells[0].pattern, PATTERN_RR);
        both++;
    }
    assert_true(both >= 2);
    assert_int_equal(wishes.list[0].cells[0].counters, 2);
    assert_int_equal(wishes.list[both - 1].cells[0].counters, 4);
    const struct looked_for any = {.event = "instructions:uk"};
    assert_int_equal(count_of(&study, STAGE_COUNTERS, any), both);
}

TEST(places_the_loop_at_every_byte_of_a_line)
{
    struct error_study study = plain_machine();
    for (unsigned offset = 0; offset < 64; offset++) {
        char name[64];
        snprintf(name, sizeof(name), "placed/offset=%u/", offset);
        struct looked_for wanted = {.event = "clock/ticks/", .path = "clock", .specimen = name};
        assert_int_equal(count_of(&study, STAGE_PLACEMENT, wanted), 1);
    }
    /* Inline in 4 patterns, 4 levels and 3 link modes, by what tells time. */
    struct looked_for windows = {.event = "msr/tsc/", .path = "perf-read", .specimen = "loop"};
    assert_int_equal(count_of(&study, STAGE_PLACEMENT, windows), 4 * 4 * 3);
    study.emulated = true;
    assert_int_equal(count_of(&study, STAGE_PLACEMENT, (struct looked_for){0}), 0);
}

TEST(places_words_of_four_bytes_at_multiples)
{
    struct error_study study = plain_machine();
    struct catalogue other = catalogue;
    other.isa = WORD("aarch64");
    study.catalogue = &other;
    struct looked_for wanted = {.specimen = "placed/offset=2/"};
    assert_int_equal(count_of(&study, STAGE_PLACEMENT, wanted), 0);
    wanted.specimen = "placed/offset=60/";
    assert_int_equal(count_of(&study, STAGE_PLACEMENT, wanted), 1);
}

TEST(multiplexes_after_calibration_alone)
{
    struct error_study study = cpu_machine();
    assert_int_equal(count_of(&study, STAGE_CALIBRATE, (struct looked_for){0}), 1);
    assert_int_equal(count_of(&study, STAGE_MULTIPLEX, (struct looked_for){0}), 0);
    study.phase_ns = 4000; /* 4 ms are 2000 steps, half a turn of 16 counters eight times that */
    struct looked_for wanted = {.specimen = "phases/period=16000/", .counters = 16};
    assert_int_equal(count_of(&study, STAGE_MULTIPLEX, wanted), 1);
    wanted.specimen = "phases/period=1/";
    assert_int_equal(count_of(&study, STAGE_MULTIPLEX, wanted), 1);
    wanted.counters = 1;
    assert_int_equal(count_of(&study, STAGE_MULTIPLEX, wanted), 1);
    struct wishes wishes = wished(&study, STAGE_MULTIPLEX);
    for (size_t i = 0; i < wishes.count; i++)
        assert_int_equal(wishes.list[i].cells[0].n % 16000, 0); /* whole blocks */
    study = plain_machine();
    assert_int_equal(count_of(&study, STAGE_CALIBRATE, (struct looked_for){0}), 0);
}

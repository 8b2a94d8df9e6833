/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the plan of `assay error` crosses, on machines that are made up. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "error-machines.h"

/* --- what is crossed --- */

/* How many cells each of these machines gets. */
enum machine { PLAIN, CPU };
#define PARTS(...) __VA_ARGS__
#define GETS(machine, stage, count, wanted, ...)                                                   \
    {                                                                                              \
        machine, STAGE_##stage, {PARTS wanted}, count __VA_OPT__(, ) __VA_ARGS__                   \
    }
static const struct expected {
    enum machine machine;
    enum error_stage stage;
    struct looked_for wanted;
    size_t count;
    bool full, emulated;
    double phase_ns;
} expected[] = {
    GETS(PLAIN, CROSSING, 4 * 4 * 3, (.event = "task-clock", .path = "perf-read")),
    GETS(PLAIN, CROSSING, 1 * 4 * 3, (.event = "task-clock", .path = "papi-high")),
    GETS(PLAIN, CROSSING, 1 * 4 * 3, (.event = "step/instructions/", .path = "papi-high")),
    GETS(PLAIN, CROSSING, 3 * 4 * 3, (.event = "step/instructions/", .path = "perf-user")),
    /* The others at the usual level, in every link mode; with --full at all. */
    GETS(PLAIN, CROSSING, 4 * 3, (.event = "page-faults", .path = "perf-read")),
    GETS(PLAIN, CROSSING, 4 * 4 * 3, (.event = "page-faults", .path = "perf-read"), .full = true),
    /* Of a path only what it can count. */
    GETS(PLAIN, CROSSING, 0, (.event = "msr/tsc/", .path = "papi-low")),
    GETS(PLAIN, CROSSING, 0, (.event = "task-clock", .path = "perf-user")),
    GETS(CPU, CROSSING, 3 * 4 * 3, (.event = "instructions:uk", .path = "perf-user")),
    GETS(CPU, CROSSING, 0, (.event = "branches:u")),
    /* Inline in 4 patterns, 4 levels and 3 link modes, by what tells time. */
    GETS(PLAIN, PLACEMENT, 4 * 4 * 3,
         (.event = "msr/tsc/", .path = "perf-read", .specimen = "loop")),
    GETS(PLAIN, PLACEMENT, 0, (0), .emulated = true),
    /* 4 ms are 2000 steps, half a turn of 16 counters eight times that. */
    GETS(CPU, CALIBRATE, 1, (0)),
    GETS(PLAIN, CALIBRATE, 0, (0)),
    GETS(CPU, MULTIPLEX, 0, (0)),
    GETS(CPU, MULTIPLEX, 1, (.specimen = "phases/period=16000/", .counters = 16), .phase_ns = 4000),
    GETS(CPU, MULTIPLEX, 1, (.specimen = "phases/period=1/", .counters = 16), .phase_ns = 4000),
    GETS(CPU, MULTIPLEX, 1, (.specimen = "phases/period=1/", .counters = 1), .phase_ns = 4000),
};

TEST(what_is_wished_for_follows_from_machine_and_stage)
{
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const struct expected *row = &expected[i];
        struct error_study study = row->machine == CPU ? cpu_machine() : plain_machine();
        study.full = row->full;
        study.emulated = row->emulated;
        study.phase_ns = row->phase_ns;
        if (count_of(&study, row->stage, row->wanted) != row->count)
            fail_msg("row %zu: %zu cells", i, count_of(&study, row->stage, row->wanted));
    }
}

/* And PAPI gets no event twice in one cell; nothing but the named path is planned for. */
TEST(plans_nothing_twice)
{
    static const char *const named[] = {"perf-syscall"};
    struct error_study studies[] = {plain_machine(), cpu_machine(), cpu_machine(), plain_machine()};
    studies[1].phase_ns = 2000;
    studies[2].full = true;
    studies[3].paths = named;
    studies[3].path_count = 1;
    for (size_t which = 0; which < 4; which++)
        for (int stage = 0; stage < STAGE_COUNT; stage++) {
            struct wishes wishes = wished(&studies[which], (enum error_stage)stage);
            for (size_t i = 0; i < wishes.count; i++) {
                const struct cell *cell = wishes.list[i].cells;
                for (size_t j = 0; j < i; j++) {
                    const struct cell *other = wishes.list[j].cells;
                    assert_false(plan_same_way(other, cell) && other->n == cell->n &&
                                 other->runs == cell->runs &&
                                 strcmp(other->specimen, cell->specimen) == 0);
                }
                for (uint32_t j = 1; strstr(cell->path, "papi-") && j < cell->counters; j++)
                    assert_string_not_equal(cell->events[0], cell->events[j]);
                if (which == 3 && stage <= STAGE_DURATION)
                    assert_string_equal(cell->path, *named);
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

/* Both are needed to say whether interrupts explain the growth: counting them adds to each. */
TEST(counts_interrupts_along_with_both_modes_once)
{
    struct error_study study = cpu_machine();
    static const struct looked_for kernel = {.event = "instructions:k",
                                             .path = "perf-read",
                                             .counters = 2},
                                   one = {.event = "instructions:uk",
                                          .path = "perf-read",
                                          .counters = 1},
                                   two = {.event = "instructions:uk", .counters = 2};
    assert_int_equal(count_of(&study, STAGE_DURATION, kernel), 7); /* 1, 10, … 1,000,000 */
    assert_int_equal(count_of(&study, STAGE_DURATION, one), 7);
    assert_int_equal(count_of(&study, STAGE_DURATION, two), 3); /* of one path */
    /* Both ends of what the comparison needs, three events and one counted along, come first. */
    struct wishes wishes = wished(&study, STAGE_DURATION);
    for (size_t i = 0; i < 8; i++) {
        const struct cell *cell = &wishes.list[i].cells[0];
        assert_memory_equal(cell->events[0], "instructions:", 13);
        assert_true(cell->n == 1 || cell->n == 1000000);
    }
    study.interrupts = NULL;
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
    struct catalogue words = catalogue; /* of four bytes: at multiples of them */
    words.isa = WORD("aarch64");
    for (unsigned offset = 0; offset < 64; offset++) {
        struct error_study study = plain_machine();
        char name[64];
        snprintf(name, sizeof(name), "placed/offset=%u/", offset);
        struct looked_for wanted = {.event = "clock/ticks/", .path = "clock", .specimen = name};
        assert_int_equal(count_of(&study, STAGE_PLACEMENT, wanted), 1);
        study.catalogue = &words;
        assert_int_equal(count_of(&study, STAGE_PLACEMENT, wanted), offset % 4 == 0);
    }
}

/* --- what a budget leaves out --- */

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

/* All visits that lack to the goals, each of which takes so long. */
static void visit(struct wishes *wishes, uint64_t ns)
{
    struct visit *visits = NULL;
    size_t count = 0;
    wishes_visits(wishes, 1, 1, &visits, &count);
    for (size_t i = 0; i < count; i++)
        wishes_learn(wishes, visits[i].cell, ns, 0, 0);
    memory_give_back(visits);
}

TEST(drops_the_least_important_cells_and_no_processes)
{
    struct error_study study = plain_machine();
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    wishes_try_prices(&wishes);
    visit(&wishes, 10 * MS);
    wishes_look(&wishes, 20 * SECOND - 10 * MS * wishes_planned(&wishes), true);
    visit(&wishes, 10 * MS);
    uint64_t spent = 10 * MS * wishes_planned(&wishes), cost = 0;
    wishes_settle(&wishes, 20 * SECOND - spent);
    size_t usual = 0, left_out = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct wish *wish = &wishes.list[i];
        const struct cell *cell = wish->cells;
        bool stepped = strcmp(cell->events[0], "step/instructions/") == 0;
        cost += 10 * MS * wish->goal;
        left_out += !wish->goal;
        assert_true(!wish->goal || wish->goal == (stepped ? 2 : 20));
        usual += wish->goal && strcmp(cell->opt, "O2") == 0 && strcmp(cell->link, "static") == 0;
    }
    assert_true(cost <= 20 * SECOND);
    assert_true(cost > 19 * SECOND);
    assert_true(left_out > 0);
    /* All ways at the usual level and link come first: stepped, two events crossed, one other. */
    assert_int_equal(usual, 16 + 8 + 13 + 13);
}

/* A tracepoint makes whoever opens it wait, so it comes late, and without company. */
TEST(leaves_what_waits_for_the_end)
{
    static const char waits[] = "raw_syscalls:sys_enter";
    struct error_study study = plain_machine();
    struct error_event events[5];
    memcpy(events, plain_events, sizeof(plain_events));
    events[4] = (struct error_event){.name = waits, .kind = "tracepoint", .class = "page-faults"};
    study.events = events;
    study.event_count = 5;
    struct wishes wishes = wished(&study, STAGE_CROSSING);
    bool waiting = false;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = wishes.list[i].cells;
        bool late = strcmp(cell->events[0], waits) == 0;
        assert_true(late || !waiting || strcmp(cell->events[0], "page-faults") == 0);
        waiting |= late;
    }
    assert_true(waiting);
    const struct looked_for any = {.event = waits};
    assert_int_equal(count_of(&study, STAGE_COUNTERS, any), 0);
    assert_int_equal(count_of(&study, STAGE_DURATION, any), 7); /* on one path */
}

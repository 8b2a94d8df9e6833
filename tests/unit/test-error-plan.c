/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay error` for machines that are made up: which factors it crosses, what a budget
 * leaves out, and in which order it visits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "study/error-plan.h"

#define MS         UINT64_C(1000000)
#define SECOND     (1000 * MS)
#define WORD(text) ((char *)(uintptr_t)(text))

/* --- a machine --- */

static struct catalogue_truth loop_truths[] = {
    {.class = WORD("instructions"), .base = 1, .each = 3, .grade = WORD("proven")},
    {.class = WORD("page-faults"), .grade = WORD("proven")},
};
static struct catalogue_specimen specimens[] = {
    {.name = WORD("null")},
    {.name = WORD("loop"), .truths = loop_truths, .truth_count = 2},
    {.name = WORD("placed"), .parameters = WORD("offset")},
    {.name = WORD("phases"), .parameters = WORD("period")},
};
#define LEVELS  WORD("O0,O1,O2,O3")
#define LINKS   WORD("static,lazy,bind-now")
#define STEPPED WORD("perf_event,step")
static struct catalogue_path paths[] = {
    {WORD("perf-read"), WORD("ar,ao,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("perf-syscall"), WORD("ar,ao,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("perf-user"), WORD("ar,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("papi-low"), WORD("ar,ao,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("papi-high"), WORD("rr"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("bare"), WORD("rr"), LEVELS, LINKS, WORD("step"), NULL},
    {WORD("clock"), WORD("rr"), LEVELS, LINKS, WORD("clock"), NULL},
    {WORD("perf-stat"), WORD("ao"), WORD("O2"), WORD("static"), WORD("perf_event"), NULL},
};
static const struct catalogue catalogue = {.isa = WORD("x86_64"),
                                           .specimens = specimens,
                                           .specimen_count = 4,
                                           .paths = paths,
                                           .path_count = sizeof(paths) / sizeof(*paths)};

static const struct error_event plain_events[] = {
    {.name = "msr/tsc/", .kind = "pmu", .class = "ticks", .crossed = true},
    {.name = "task-clock", .kind = "software", .class = "task-clock", .crossed = true},
    {.name = "page-faults", .kind = "software", .class = "page-faults"},
    {.name = "minor-faults", .kind = "software", .companion = true},
};
static const struct error_event cpu_events[] = {
    {.name = "instructions:u", .kind = "hardware", .class = "instructions", .crossed = true},
    {.name = "instructions:uk", .kind = "hardware", .class = "instructions", .crossed = true},
    {.name = "instructions:k", .kind = "hardware", .class = "instructions"},
    {.name = "cycles:u", .kind = "hardware", .class = "cycles"},
    {.name = "branches:u", .kind = "hardware", .class = "branches", .placed_only = true},
};

static struct error_study plain_machine(void)
{
    return (struct error_study){.catalogue = &catalogue,
                                .events = plain_events,
                                .event_count = sizeof(plain_events) / sizeof(*plain_events),
                                .stepped = "step/instructions/",
                                .interrupts = "irq_vectors:local_timer_entry",
                                .clock = "clock/ticks/",
                                .cpu = -1};
}

static struct error_study cpu_machine(void)
{
    struct error_study study = plain_machine();
    study.events = cpu_events;
    study.event_count = sizeof(cpu_events) / sizeof(*cpu_events);
    return study;
}

/* --- looking at wishes --- */

static struct error_wishes wished(const struct error_study *study, enum error_stage stage)
{
    struct error_wishes wishes = {0};
    assert_int_equal(error_wish_list(study, stage, &wishes), 0);
    return wishes;
}

struct looked_for {
    const char *event, *path, *specimen; /* NULL: any */
    uint32_t counters;                   /* 0: any */
};

static bool fits(const struct cell *cell, const struct looked_for *wanted)
{
    return (!wanted->event || strcmp(cell->events[0], wanted->event) == 0) &&
           (!wanted->path || strcmp(cell->path, wanted->path) == 0) &&
           (!wanted->specimen || strcmp(cell->specimen, wanted->specimen) == 0) &&
           (!wanted->counters || cell->counters == wanted->counters);
}

static size_t count_of(const struct error_study *study, enum error_stage stage,
                       struct looked_for wanted)
{
    struct error_wishes wishes = wished(study, stage);
    size_t count = 0;
    for (size_t i = 0; i < wishes.count; i++)
        count += fits(&wishes.list[i].cell, &wanted);
    error_wishes_free(&wishes);
    return count;
}

/* --- what is crossed --- */

static void crosses_every_pattern_level_and_link(void **state)
{
    (void)state;
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

static void plan_whole_stage(const struct error_study *study, enum error_stage stage,
                             struct error_plan *plan)
{
    size_t left_out = 1;
    assert_int_equal(error_plan_stage(study, stage, UINT64_MAX, plan, &left_out), 0);
    assert_int_equal(left_out, 0);
}

static void plans_nothing_twice(void **state)
{
    (void)state;
    struct error_study studies[] = {plain_machine(), cpu_machine(), cpu_machine()};
    studies[1].phase_ns = 2000;
    studies[2].full = true;
    for (size_t which = 0; which < 3; which++)
        for (int stage = 0; stage < STAGE_COUNT; stage++) {
            struct error_plan plan = {0};
            plan_whole_stage(&studies[which], (enum error_stage)stage, &plan);
            size_t count = plan.count;
            for (size_t i = 0; i < count; i++)
                assert_int_equal(error_stage_of(&studies[which], &plan.cells[i]), stage);
            plan_whole_stage(&studies[which], (enum error_stage)stage, &plan);
            assert_int_equal(plan.count, count);
            error_plan_free(&plan);
        }
}

/* The same windows must be counted and stepped; where counts never vary, a few processes do. */
static void steps_what_an_emulated_machine_counts(void **state)
{
    (void)state;
    struct error_study study = cpu_machine();
    study.emulated = true;
    struct error_wishes wishes = wished(&study, STAGE_CROSSING);
    size_t visits = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cell;
        bool stepped = strcmp(cell->events[0], study.stepped) == 0, found = false;
        visits += wishes.list[i].processes;
        assert_in_range(wishes.list[i].processes, 1, 3);
        for (size_t j = 0; stepped && j < wishes.count; j++) {
            const struct cell *other = &wishes.list[j].cell;
            found |= strcmp(other->events[0], "instructions:u") == 0 &&
                     strcmp(other->path, cell->path) == 0 && other->pattern == cell->pattern &&
                     strcmp(other->opt, cell->opt) == 0 && strcmp(other->link, cell->link) == 0;
        }
        assert_int_equal(stepped, found);
    }
    assert_true(visits < 2000);
    error_wishes_free(&wishes);
}

static void asks_of_a_path_only_what_it_can_count(void **state)
{
    (void)state;
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

static void gives_papi_distinct_events(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_wishes wishes = wished(&study, STAGE_COUNTERS);
    size_t of_papi = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cell;
        if (strncmp(cell->path, "papi-", 5) != 0)
            continue;
        of_papi++;
        for (uint32_t left = 0; left < cell->counters; left++)
            for (uint32_t right = 0; right < left; right++)
                assert_string_not_equal(cell->events[left], cell->events[right]);
    }
    assert_true(of_papi > 0);
    error_wishes_free(&wishes);
}

static void keeps_to_the_paths_that_were_named(void **state)
{
    (void)state;
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

static void counts_interrupts_along_with_kernel_instructions(void **state)
{
    (void)state;
    struct error_study study = cpu_machine();
    struct error_wishes wishes = wished(&study, STAGE_DURATION);
    size_t along = 0, runs = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cell;
        if (strcmp(cell->events[0], "instructions:k") != 0 || strcmp(cell->path, "perf-read") != 0)
            continue;
        assert_int_equal(cell->counters, 2);
        assert_string_equal(cell->events[1], study.interrupts);
        runs += (size_t)cell->runs * wishes.list[i].processes;
        along++;
    }
    assert_int_equal(along, 7); /* 1, 10, … 1,000,000 */
    assert_true(runs >= UINT64_C(7) * 2000);
    error_wishes_free(&wishes);
}

/* Both are needed to say whether interrupts explain the growth: counting them adds to each. */
static void counts_interrupts_along_with_both_modes_once(void **state)
{
    (void)state;
    struct error_study study = cpu_machine();
    struct error_wishes wishes = wished(&study, STAGE_DURATION);
    size_t alone = 0, along = 0;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cell;
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
        explaining += strncmp(wishes.list[i].cell.events[0], "instructions:", 13) == 0 &&
                      (wishes.list[i].cell.n == 1 || wishes.list[i].cell.n == 1000000);
    assert_int_equal(explaining, 8);
    error_wishes_free(&wishes);
    study.interrupts = NULL;
    const struct looked_for two = {.event = "instructions:uk", .counters = 2};
    assert_int_equal(count_of(&study, STAGE_DURATION, two), 0);
}

/* What a counter more costs the kernel is asked first, and of read-read alone. */
static void varies_counters_in_both_modes_on_an_emulated_machine(void **state)
{
    (void)state;
    struct error_event events[sizeof(cpu_events) / sizeof(*cpu_events)];
    struct error_study study = cpu_machine();
    memcpy(events, cpu_events, sizeof(events));
    events[1].crossed = false;
    study.events = events;
    study.emulated = true;
    struct error_wishes wishes = wished(&study, STAGE_COUNTERS);
    size_t both = 0;
    while (both < wishes.count &&
           strcmp(wishes.list[both].cell.events[0], "instructions:uk") == 0) {
        assert_int_equal(wishes.list[both].cell.pattern, PATTERN_RR);
        both++;
    }
    assert_true(both >= 2);
    assert_int_equal(wishes.list[0].cell.counters, 2);
    assert_int_equal(wishes.list[both - 1].cell.counters, 4);
    const struct looked_for any = {.event = "instructions:uk"};
    assert_int_equal(count_of(&study, STAGE_COUNTERS, any), both);
    error_wishes_free(&wishes);
}

static void places_the_loop_at_every_byte_of_a_line(void **state)
{
    (void)state;
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

static void places_words_of_four_bytes_at_multiples(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct catalogue other = catalogue;
    other.isa = WORD("aarch64");
    study.catalogue = &other;
    struct looked_for wanted = {.specimen = "placed/offset=2/"};
    assert_int_equal(count_of(&study, STAGE_PLACEMENT, wanted), 0);
    wanted.specimen = "placed/offset=60/";
    assert_int_equal(count_of(&study, STAGE_PLACEMENT, wanted), 1);
}

static void multiplexes_after_calibration_alone(void **state)
{
    (void)state;
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
    struct error_wishes wishes = wished(&study, STAGE_MULTIPLEX);
    for (size_t i = 0; i < wishes.count; i++)
        assert_int_equal(wishes.list[i].cell.n % 16000, 0); /* whole blocks */
    error_wishes_free(&wishes);
    study = plain_machine();
    assert_int_equal(count_of(&study, STAGE_CALIBRATE, (struct looked_for){0}), 0);
}

/* --- what a budget leaves out --- */

/* Every visit costs `price`; what the stage would take, in ns. */
static uint64_t planned_cost(const struct error_plan *plan, uint64_t price)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->count; i++)
        sum += price * plan->about[i].wanted;
    return sum;
}

static void teach(const struct error_study *study, struct error_plan *plan, uint64_t price)
{
    struct error_wishes wishes = wished(study, STAGE_CROSSING);
    for (size_t i = 0; i < wishes.count; i++)
        error_price_learn(study, &plan->prices, &wishes.list[i].cell, price);
    for (size_t i = 0; i < plan->prices.count; i++) /* wishes do not live on */
        for (size_t j = 0; j < catalogue.path_count; j++)
            if (strcmp(plan->prices.list[i].path, paths[j].name) == 0)
                plan->prices.list[i].path = paths[j].name;
    error_wishes_free(&wishes);
}

static void drops_the_least_important_cells_and_no_processes(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    size_t left_out = 0;
    teach(&study, &plan, 10 * MS);
    assert_int_equal(error_plan_stage(&study, STAGE_CROSSING, 20 * SECOND, &plan, &left_out), 0);
    assert_true(planned_cost(&plan, 10 * MS) <= 20 * SECOND);
    assert_true(planned_cost(&plan, 10 * MS) > 19 * SECOND);
    assert_true(left_out > 0);
    size_t usual = 0;
    for (size_t i = 0; i < plan.count; i++) {
        bool stepped = strcmp(plan.cells[i].events[0], "step/instructions/") == 0;
        assert_int_equal(plan.about[i].wanted, stepped ? 2 : 20);
        usual += strcmp(plan.cells[i].opt, "O2") == 0 && strcmp(plan.cells[i].link, "static") == 0;
    }
    /* All ways at the usual level and link come first: stepped, two events crossed, one other. */
    assert_int_equal(usual, 16 + 8 + 13 + 13);
    error_plan_free(&plan);
}

static void plans_everything_without_a_limit(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    size_t left_out = 1;
    assert_int_equal(error_plan_stage(&study, STAGE_CROSSING, UINT64_MAX, &plan, &left_out), 0);
    assert_int_equal(left_out, 0);
    assert_true(plan.count > 400);
    error_plan_free(&plan);
}

static void takes_what_is_dear_for_dear(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_prices prices = {0};
    struct error_wishes wishes = wished(&study, STAGE_CROSSING);
    const struct cell *stepped = &wishes.list[0].cell, *other = NULL;
    for (size_t i = 0; i < wishes.count && !other; i++)
        if (strcmp(wishes.list[i].cell.events[0], "task-clock") == 0)
            other = &wishes.list[i].cell;
    uint64_t unseen = error_price(&study, &prices, other);
    for (int i = 0; i < 10; i++)
        error_price_learn(&study, &prices, stepped, 10 * error_price(&study, &prices, stepped) / 9);
    /* Another class that nobody has seen: visits are a little dearer here than was thought. */
    assert_true(error_price(&study, &prices, other) > unseen);
    error_price_learn(&study, &prices, other, 77 * MS);
    assert_int_equal(error_price(&study, &prices, other), 77 * MS);
    error_wishes_free(&wishes);
}

/* A tracepoint makes whoever opens it wait, so it comes late, without company, at its own price. */
static void leaves_what_waits_for_the_end(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_event events[5];
    memcpy(events, plain_events, sizeof(plain_events));
    events[4] = (struct error_event){
        .name = "raw_syscalls:sys_enter", .kind = "tracepoint", .class = "page-faults"};
    study.events = events;
    study.event_count = 5;
    struct error_wishes wishes = wished(&study, STAGE_CROSSING);
    struct error_prices prices = {0};
    const struct cell *waiting = NULL, *usual = &wishes.list[0].cell;
    for (size_t i = 0; i < wishes.count; i++) {
        const struct cell *cell = &wishes.list[i].cell;
        bool waits = strcmp(cell->events[0], "raw_syscalls:sys_enter") == 0;
        assert_false(waiting && !waits && strcmp(cell->events[0], "page-faults") != 0);
        if (waits) {
            waiting = cell;
            assert_string_equal(cell->opt, "O2");
            assert_string_equal(cell->link, "static");
        }
    }
    assert_non_null(waiting);
    error_price_learn(&study, &prices, waiting, 90 * MS);
    assert_int_equal(error_price(&study, &prices, waiting), 90 * MS);
    assert_true(error_price(&study, &prices, usual) < 50 * MS);
    error_wishes_free(&wishes);
    wishes = wished(&study, STAGE_COUNTERS);
    for (size_t i = 0; i < wishes.count; i++)
        for (uint32_t j = 0; j < wishes.list[i].cell.counters; j++)
            assert_string_not_equal(wishes.list[i].cell.events[j], "raw_syscalls:sys_enter");
    error_wishes_free(&wishes);
    const struct looked_for ladder = {.event = "raw_syscalls:sys_enter"};
    assert_int_equal(count_of(&study, STAGE_DURATION, ladder), 7); /* on one path */
}

static void gives_a_cell_that_failed_no_further_process(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    size_t left_out = 0;
    struct visit *visits = NULL;
    size_t count = 0;
    assert_int_equal(error_plan_stage(&study, STAGE_COUNTERS, UINT64_MAX, &plan, &left_out), 0);
    assert_int_equal(error_plan_visits(&plan, 1, 1, &visits, &count), 0);
    assert_int_equal(count, plan.count);
    free(visits);
    plan.about[3].failed = 1;
    error_plan_settle(&study, STAGE_COUNTERS, UINT64_MAX, &plan, &left_out);
    assert_int_equal(left_out, 0);
    assert_int_equal(error_plan_visits(&plan, UINT32_MAX, 2, &visits, &count), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_not_equal(visits[i].cell, plan.cells[3].id);
        assert_true(visits[i].process >= 1 && visits[i].process < 20);
    }
    free(visits);
    /* Asked again, it is not wanted again. */
    assert_int_equal(error_plan_stage(&study, STAGE_COUNTERS, UINT64_MAX, &plan, &left_out), 0);
    assert_int_equal(error_plan_visits(&plan, UINT32_MAX, 3, &visits, &count), 0);
    assert_int_equal(count, 0);
    free(visits);
    error_plan_free(&plan);
}

static void looks_at_every_price_first(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0};
    assert_int_equal(error_plan_pilot(&study, STAGE_CROSSING, &plan), 0);
    /* perf-read, perf-syscall, papi-low, papi-high: counted and stepped; perf-user: stepped. */
    assert_int_equal(plan.count, 9);
    assert_false(error_plan_is_past(&plan, STAGE_CROSSING));
    error_plan_free(&plan);
}

/* --- the order --- */

static struct visit *order_of(uint64_t seed, struct error_plan *plan, size_t *count)
{
    struct error_study study = plain_machine();
    struct visit *visits = NULL;
    size_t left_out = 0;
    assert_int_equal(error_plan_stage(&study, STAGE_CROSSING, UINT64_MAX, plan, &left_out), 0);
    assert_int_equal(error_plan_visits(plan, UINT32_MAX, seed, &visits, count), 0);
    return visits;
}

static void the_same_seed_gives_the_same_order(void **state)
{
    (void)state;
    struct error_plan plans[3] = {0};
    size_t counts[3];
    struct visit *first = order_of(7, &plans[0], &counts[0]);
    struct visit *again = order_of(7, &plans[1], &counts[1]);
    struct visit *other = order_of(8, &plans[2], &counts[2]);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[0], counts[2]);
    assert_memory_equal(first, again, counts[0] * sizeof(*first));
    assert_memory_not_equal(first, other, counts[0] * sizeof(*first));
    free(first);
    free(again);
    free(other);
    for (size_t i = 0; i < 3; i++)
        error_plan_free(&plans[i]);
}

/* In random order, neighbours differ nearly always; in an order by events or paths, nearly never.
 */
static void neither_events_nor_paths_stand_together(void **state)
{
    (void)state;
    struct error_plan plan = {0};
    size_t count, same_event = 0, same_path = 0;
    struct visit *visits = order_of(9, &plan, &count);
    for (size_t i = 1; i < count; i++) {
        const struct cell *before = &plan.cells[visits[i - 1].cell - 1];
        const struct cell *cell = &plan.cells[visits[i].cell - 1];
        same_event += strcmp(before->events[0], cell->events[0]) == 0;
        same_path += strcmp(before->path, cell->path) == 0;
    }
    assert_true(same_event < count / 2);
    assert_true(same_path < count / 2);
    free(visits);
    error_plan_free(&plan);
}

/* A run that is cut short has visited every cell about as often. */
static void rounds_are_even(void **state)
{
    (void)state;
    struct error_plan plan = {0};
    size_t count;
    struct visit *visits = order_of(10, &plan, &count);
    uint32_t round = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(visits[i].process >= round);
        round = visits[i].process;
    }
    free(visits);
    error_plan_free(&plan);
}

static void a_stored_plan_goes_on_where_it_was(void **state)
{
    (void)state;
    struct error_study study = plain_machine();
    struct error_plan plan = {0}, taken = {0};
    size_t left_out = 0, count = 0;
    struct visit *visits = NULL;
    assert_int_equal(error_plan_stage(&study, STAGE_DURATION, UINT64_MAX, &plan, &left_out), 0);
    assert_int_equal(error_plan_visits(&plan, 1, 1, &visits, &count), 0);
    free(visits);
    for (size_t i = 0; i < plan.count; i++)
        assert_int_equal(error_plan_adopt(&study, &taken, &plan.cells[i], 1, 0), 0);
    assert_true(error_plan_is_past(&taken, STAGE_CROSSING));
    assert_false(error_plan_is_past(&taken, STAGE_DURATION));
    assert_int_equal(error_plan_stage(&study, STAGE_DURATION, UINT64_MAX, &taken, &left_out), 0);
    assert_int_equal(taken.count, plan.count);
    assert_int_equal(error_plan_visits(&taken, UINT32_MAX, 2, &visits, &count), 0);
    assert_false(error_plan_wants(&taken));
    for (size_t i = 0; i < count; i++)
        assert_true(visits[i].process >= 1);
    free(visits);
    error_plan_free(&plan);
    error_plan_free(&taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crosses_every_pattern_level_and_link),
        cmocka_unit_test(plans_nothing_twice),
        cmocka_unit_test(steps_what_an_emulated_machine_counts),
        cmocka_unit_test(asks_of_a_path_only_what_it_can_count),
        cmocka_unit_test(gives_papi_distinct_events),
        cmocka_unit_test(keeps_to_the_paths_that_were_named),
        cmocka_unit_test(counts_interrupts_along_with_kernel_instructions),
        cmocka_unit_test(counts_interrupts_along_with_both_modes_once),
        cmocka_unit_test(varies_counters_in_both_modes_on_an_emulated_machine),
        cmocka_unit_test(places_the_loop_at_every_byte_of_a_line),
        cmocka_unit_test(places_words_of_four_bytes_at_multiples),
        cmocka_unit_test(multiplexes_after_calibration_alone),
        cmocka_unit_test(drops_the_least_important_cells_and_no_processes),
        cmocka_unit_test(plans_everything_without_a_limit),
        cmocka_unit_test(takes_what_is_dear_for_dear),
        cmocka_unit_test(leaves_what_waits_for_the_end),
        cmocka_unit_test(gives_a_cell_that_failed_no_further_process),
        cmocka_unit_test(looks_at_every_price_first),
        cmocka_unit_test(the_same_seed_gives_the_same_order),
        cmocka_unit_test(neither_events_nor_paths_stand_together),
        cmocka_unit_test(rounds_are_even),
        cmocka_unit_test(a_stored_plan_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine that is made up, for plans of `assay repeat`: what counts there, which subjects its kit
 * has, and a program that somebody wants to have repeated. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "studies/repeat/parts.h"

enum { OFFER_PERF, OFFER_QEMU, OFFER_VALGRIND, OFFER_STEP, OFFER_COUNT };

#define WORD(text) ((char *)(uintptr_t)(text))

static char *offer_perf_events[] = {WORD("instructions:u"), WORD("page-faults")};
static char *offer_faults[] = {WORD("page-faults")};
static char *offer_qemu_events[] = {WORD("qemu/instructions/"), WORD("qemu/instructions-raw/")};
static char *offer_valgrind_events[] = {WORD("valgrind/instructions/")};
static char *offer_step_events[] = {WORD("step/instructions/")};

struct offers {
    struct repeat_source sources[OFFER_COUNT];
    struct repeat_wanted program;
    struct catalogue_subject subjects[4];
    struct catalogue catalogue;
    struct repeat_study study;
};

/* pmu: the CPU counts instructions; else perf_event has faults alone. */
static inline void offers_make(struct offers *offers, bool pmu)
{
    *offers = (struct offers){
        /* clang-format off */
        .sources = {
            {.name = WORD("perf_event"), .events = pmu ? offer_perf_events : offer_faults,
             .count = pmu ? 2 : 1, .instructions = pmu},
            {.name = WORD("qemu"), .events = offer_qemu_events, .count = 2, .instructions = true,
             .code = true},
            {.name = WORD("valgrind"), .events = offer_valgrind_events, .count = 1,
             .instructions = true},
            {.name = WORD("step"), .events = offer_step_events, .count = 1, .instructions = true,
             .code = true, .calls = WORD("step/syscalls/")}},
        .program = {.name = WORD("perl"), .words = WORD("perl -e 1"), .user = true},
        .subjects = {
            {.name = WORD("loop"), .shows = WORD("M10 M11"), .n = 1000, .has_truth = true,
             .base = 10, .each = 2, .bits = 64},
            {.name = WORD("faults"), .shows = WORD("M6"), .n = 400, .has_truth = true, .base = 10,
             .each = 3, .bits = 64},
            {.name = WORD("stack32"), .shows = WORD("M4 M5"), .n = 7, .bits = 32},
            {.name = WORD("getpid"), .shows = WORD(""), .n = 1, .bits = 64}}};
    /* clang-format on */
    for (size_t i = 0; i < OFFER_COUNT; i++)
        repeat_source_expect(&offers->sources[i], false);
    offers->catalogue = (struct catalogue){.subjects = offers->subjects, .subject_count = 4};
    offers->study = (struct repeat_study){.programs = &offers->program,
                                          .program_count = 1,
                                          .sources = offers->sources,
                                          .source_count = OFFER_COUNT,
                                          .runs = 12,
                                          .controls = CONTROLS_ALL,
                                          .subjects = true,
                                          .sweep_points = 17,
                                          .cpu = 1,
                                          .timeout = 60000,
                                          .longest = 120000};
}

static inline struct repeat_plan offers_plan(const struct offers *offers)
{
    struct repeat_plan plan;
    struct failure failure = {0};
    struct wishes *wishes = memory_new(1, sizeof(*wishes));
    assert_int_equal(repeat_plan_make(&offers->study, &offers->catalogue, &plan, wishes, &failure),
                     0);
    assert_int_equal(plan.aim_count, wishes->count);
    return plan;
}

static inline const struct cell *offers_cell(const struct repeat_plan *plan, size_t wish)
{
    return &plan->wishes->list[wish].cells[0];
}

/* Offers, and the plan for them as they are. */
#define PLAN(pmu)                                                                                  \
    struct offers offers;                                                                          \
    offers_make(&offers, pmu);                                                                     \
    struct repeat_plan plan = offers_plan(&offers)

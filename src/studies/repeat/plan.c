/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` would execute: the order of importance. First stage of the pipeline. */
#include "studies/repeat/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define PAPER_RUNS 7u /* of each setting, in the paper */
#define FEW_RUNS   3u /* that say something where a tool counts, whose counts hardly vary */

const char *const repeat_stage_names[REPEAT_STAGES] = {"as-is and controlled",
                                                       "one control at a time", "sweeps",
                                                       "what was executed", "programs of the kit"};

static uint32_t least_of(uint32_t runs, uint32_t least)
{
    return runs < least ? runs : least;
}

static bool is_perf(const struct repeat_source *source)
{
    return strcmp(source->name, "perf_event") == 0;
}

size_t repeat_cheapest(const struct repeat_study *study)
{
    for (size_t i = 0; i < study->source_count; i++)
        if (study->sources[i].instructions)
            return i;
    return REPEAT_PLAIN;
}

/* The first that counts instructions and lets this control reach the program. */
static size_t cheapest_that_sees(const struct repeat_study *study, enum control control)
{
    for (size_t i = 0; i < study->source_count; i++)
        if (study->sources[i].instructions && repeat_source_sees(study->sources[i].name, control))
            return i;
    return REPEAT_PLAIN;
}

/* --- as-is and controlled --- */

/* Everything else of a program waits for its first execution, which tells whether it can be
 * started, whether it ends and how long it takes; and programs of the kit wait for the user's. */
static void wish_first(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program)
{
    const struct repeat_study *study = wisher->study;
    struct repeat_plan *plan = wisher->plan;
    bool perf = study->source_count && is_perf(&study->sources[0]);
    bool later = !plan->programs[program].user && plan->programs[0].user;
    const struct wished_execution wished = {.stage = stage,
                                            .program = program,
                                            .source = perf ? 0 : REPEAT_PLAIN,
                                            .processes = perf ? study->runs : 1,
                                            .least = perf ? least_of(study->runs, PAPER_RUNS) : 1,
                                            .after = later ? plan->told[0].first : NO_WISH};
    plan->told[program].first = repeat_wish(wisher, &wished);
}

/* What tells how many instructions there are to be stepped through: a cheaper source, else the
 * first execution. */
static size_t told_before(const struct repeat_wisher *wisher, size_t program, size_t source)
{
    const struct repeat_study *study = wisher->study;
    size_t cheapest = repeat_cheapest(study), found = NO_WISH;
    if (study->sources[source].each_ns && cheapest < source &&
        !wisher->plan->programs[program].instructions)
        found = repeat_find_wish(wisher->plan, program, cheapest, study->controls, SWEEP_NONE,
                                 DETAIL_NONE);
    return found == NO_WISH ? wisher->plan->told[program].first : found;
}

static uint32_t least_by(const struct repeat_wisher *wisher, size_t program, size_t source)
{
    const struct repeat_study *study = wisher->study;
    const bool important = is_perf(&study->sources[source]) || wisher->plan->programs[program].user;
    return least_of(study->runs, important ? PAPER_RUNS : FEW_RUNS);
}

/* A source that cannot count the program says so once: as-is waits for controlled. */
void repeat_wish_as_is(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                       size_t source)
{
    const struct repeat_study *study = wisher->study;
    const struct wished_execution wished = {.stage = stage,
                                            .program = program,
                                            .source = source,
                                            .processes = study->runs,
                                            .least = least_by(wisher, program, source),
                                            .after = repeat_find_wish(wisher->plan, program, source,
                                                                      study->controls, SWEEP_NONE,
                                                                      DETAIL_NONE)};
    if (!is_perf(&study->sources[source]) && study->controls && wished.after != NO_WISH)
        repeat_wish(wisher, &wished);
}

/* What subjects are as they are comes last: they are made to show what happens under control. */
static void wish_pair(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                      size_t source)
{
    const struct repeat_study *study = wisher->study;
    const struct wished_execution wished = {.stage = stage,
                                            .program = program,
                                            .source = source,
                                            .controls = study->controls,
                                            .processes = study->runs,
                                            .least = least_by(wisher, program, source),
                                            .after = told_before(wisher, program, source)};
    repeat_wish(wisher, &wished);
    if (!wisher->plan->programs[program].subject)
        repeat_wish_as_is(wisher, stage, program, source);
}

static bool can_be_counted(const struct repeat_wisher *wisher, size_t program, size_t source)
{
    const struct repeat_study *study = wisher->study;
    const struct catalogue_subject *subject = wisher->plan->programs[program].subject;
    if (study->unstepped && study->sources[source].each_ns && !subject)
        return false;
    if (subject && repeat_subject_needs_counter(subject) && !is_perf(&study->sources[source]))
        return false;
    return !is_perf(&study->sources[source]) || study->controls;
}

void repeat_wish_settings(struct repeat_wisher *wisher, enum repeat_stage stage, size_t begin,
                          size_t end)
{
    const struct repeat_study *study = wisher->study;
    for (size_t program = begin; program < end; program++)
        wish_first(wisher, stage, program);
    for (size_t source = 0; source < study->source_count; source++)
        for (size_t program = begin; program < end && wisher->error == 0; program++)
            if (can_be_counted(wisher, program, source))
                wish_pair(wisher, stage, program, source);
}

/* --- one control at a time --- */

/* What most often makes counts vary comes first: the budget may end anywhere. */
static const enum control by_importance[CONTROL_COUNT] = {
    CONTROL_ASLR,     CONTROL_HASH_SEEDS, CONTROL_ENVIRONMENT, CONTROL_STACK,  CONTROL_CPU,
    CONTROL_TUNABLES, CONTROL_STDIN,      CONTROL_ARGV0,       CONTROL_LAYOUT, CONTROL_DIRECTORY};

/* Without a directory of its own a program works where the probe is in either case. */
static bool can_differ(const struct repeat_wanted *program, enum control control)
{
    if (control == CONTROL_DIRECTORY)
        return program->directory != NULL;
    if (control == CONTROL_LAYOUT && program->subject)
        return program->subject->bits == 32;
    return true;
}

void repeat_wish_singles(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                         uint32_t controls, size_t source)
{
    const struct repeat_study *study = wisher->study;
    const uint32_t all = study->controls;
    struct wished_execution wished = {
        .stage = stage,
        .program = program,
        .source = source,
        .processes = study->runs,
        .least = least_of(study->runs, PAPER_RUNS),
        .after = repeat_find_wish(wisher->plan, program, source, all, SWEEP_NONE, DETAIL_NONE)};
    for (size_t i = 0; i < CONTROL_COUNT && wished.after != NO_WISH; i++) {
        const uint32_t bit = CONTROL_BIT(by_importance[i]);
        if (!(all & controls & bit) || all == bit ||
            !can_differ(&wisher->plan->programs[program], by_importance[i]))
            continue;
        wished.controls = bit;
        repeat_wish(wisher, &wished);
        wished.controls = all & ~bit;
        repeat_wish(wisher, &wished);
    }
}

/* By perf_event, by the cheapest that counts instructions, and what that does not see by the
 * cheapest that does. */
static void wish_all_singles(struct repeat_wisher *wisher, size_t program)
{
    const struct repeat_study *study = wisher->study;
    const size_t cheapest = repeat_cheapest(study);
    const size_t seeing = cheapest_that_sees(study, CONTROL_ASLR);
    uint32_t unseen = 0;
    if (study->source_count && is_perf(&study->sources[0]))
        repeat_wish_singles(wisher, REPEAT_SINGLES, program, CONTROLS_ALL, 0);
    if (cheapest != REPEAT_PLAIN && !is_perf(&study->sources[cheapest]))
        repeat_wish_singles(wisher, REPEAT_SINGLES, program, CONTROLS_ALL, cheapest);
    if (seeing == REPEAT_PLAIN || seeing == cheapest)
        return;
    for (int control = 0; control < CONTROL_COUNT; control++)
        if (!repeat_source_sees(study->sources[cheapest].name, (enum control)control))
            unseen |= CONTROL_BIT(control);
    repeat_wish_singles(wisher, REPEAT_SINGLES, program, unseen, seeing);
}

/* --- sweeps --- */

void repeat_wish_sweep(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                       enum command_sweep sweep)
{
    static const enum control moved[SWEEP_COUNT] = {[SWEEP_ENVIRONMENT] = CONTROL_ENVIRONMENT,
                                                    [SWEEP_STACK] = CONTROL_STACK,
                                                    [SWEEP_ASLR] = CONTROL_ASLR};
    const struct repeat_study *study = wisher->study;
    const size_t seeing = cheapest_that_sees(study, moved[sweep]);
    const uint32_t each = study->quick ? 2 : 3;
    for (size_t source = 0; source < study->source_count; source++) {
        if (source != seeing && !is_perf(&study->sources[source]))
            continue;
        const struct wished_execution wished = {.stage = stage,
                                                .program = program,
                                                .source = source,
                                                .controls = study->controls,
                                                .sweep = sweep,
                                                .processes = study->sweep_points * each,
                                                .least = study->sweep_points * 2,
                                                .after = repeat_find_wish(wisher->plan, program,
                                                                          source, study->controls,
                                                                          SWEEP_NONE, DETAIL_NONE)};
        if (wished.after != NO_WISH)
            repeat_wish(wisher, &wished);
    }
}

static void wish_sweeps(struct repeat_wisher *wisher, size_t program)
{
    for (int sweep = SWEEP_NONE + 1; sweep < SWEEP_COUNT; sweep++)
        if (wisher->study->sweeps & (1u << sweep))
            repeat_wish_sweep(wisher, REPEAT_SWEEPS, program, (enum command_sweep)sweep);
}

/* --- details --- */

/* Under both settings: what parts executions as they are may be what the controls take away. */
static void wish_calls(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                       size_t source)
{
    struct wished_execution wished = {.stage = stage,
                                      .program = program,
                                      .source = source,
                                      .controls = wisher->study->controls,
                                      .detail = DETAIL_CALLS,
                                      .processes = 2,
                                      .least = 2,
                                      .after = wisher->plan->told[program].first};
    wished.after = repeat_wish(wisher, &wished);
    wished.controls = 0;
    if (wisher->study->controls)
        repeat_wish(wisher, &wished);
}

void repeat_wish_details(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                         bool calls, bool code)
{
    const struct repeat_study *study = wisher->study;
    for (size_t source = 0; source < study->source_count && calls; source++)
        if (study->sources[source].calls) {
            wish_calls(wisher, stage, program, source);
            break;
        }
    for (size_t source = 0; source < study->source_count && code; source++) {
        const struct wished_execution wished = {.stage = stage,
                                                .program = program,
                                                .source = source,
                                                .controls = study->controls,
                                                .detail = DETAIL_CODE,
                                                .processes = 1,
                                                .least = 1,
                                                .after = repeat_find_wish(wisher->plan, program,
                                                                          source, study->controls,
                                                                          SWEEP_NONE, DETAIL_NONE)};
        if (study->sources[source].code && wished.after != NO_WISH)
            repeat_wish(wisher, &wished);
    }
}

/* --- all of it --- */

static int begin(struct repeat_wisher *wisher, const struct catalogue *catalogue)
{
    const struct repeat_study *study = wisher->study;
    struct repeat_plan *plan = wisher->plan;
    plan->sources = study->sources;
    plan->source_count = study->source_count;
    plan->passes = repeat_plan_has_passes(study);
    for (size_t i = 0; i < study->program_count; i++) {
        struct repeat_wanted *added =
            list_add(&plan->programs, &plan->program_count, sizeof(*plan->programs));
        if (!added)
            return -ENOMEM;
        *added = study->programs[i];
    }
    if (study->subjects)
        repeat_add_subjects(wisher, catalogue);
    if (wisher->error == 0)
        plan->told = calloc(plan->program_count + 1, sizeof(*plan->told));
    return wisher->error < 0 ? wisher->error : plan->told ? 0 : -ENOMEM;
}

int repeat_plan_make(const struct repeat_study *study, const struct catalogue *catalogue,
                     struct repeat_plan *plan, struct failure *failure)
{
    struct repeat_wisher wisher = {.study = study, .plan = plan, .failure = failure};
    memset(plan, 0, sizeof(*plan));
    wisher.error = begin(&wisher, catalogue);
    if (wisher.error == 0)
        repeat_wish_settings(&wisher, REPEAT_SETTINGS, 0, study->program_count);
    for (size_t i = 0; i < study->program_count && study->one_at_a_time; i++)
        wish_all_singles(&wisher, i);
    for (size_t i = 0; i < study->program_count; i++)
        wish_sweeps(&wisher, i);
    for (size_t i = 0; i < study->program_count; i++)
        repeat_wish_details(&wisher, REPEAT_DETAILS, i, study->calls, study->code);
    if (wisher.error == 0)
        repeat_wish_subjects(&wisher, study->program_count);
    if (wisher.error == -ENOMEM)
        return fail_with(failure, -ENOMEM, "out of memory");
    return wisher.error;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From options and the machine to the study of repetition: how often, under which control, on which
 * CPU, by whom. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/command-line.h"
#include "cli/deliver.h"
#include "cli/repeat-run.h"

#define USUAL_RUNS   12u
#define QUICK_RUNS   7u
#define PAPER_RUNS   7u
#define SWEEP_POINTS 17u
#define QUICK_POINTS 9u

/* --- settings --- */

static uint32_t bits_of(const struct string_list *names)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < names->count; i++)
        bits |= CONTROL_BIT(control_from_name(names->items[i])); /* checked before */
    return bits;
}

static uint32_t controls_of(const struct repeat_options *options)
{
    const uint32_t on = options->control.count ? bits_of(&options->control) : CONTROLS_ALL;
    return on & ~bits_of(&options->no_control);
}

static uint32_t sweeps_of(const struct repeat_options *options)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < options->sweep.count; i++)
        bits |= 1u << sweep_from_name(options->sweep.items[i]);
    return bits;
}

static uint32_t runs_of(const struct repeat_options *options)
{
    if (options->runs.given)
        return (uint32_t)options->runs.value;
    return options->quick ? QUICK_RUNS : USUAL_RUNS;
}

/* A machine that does not tell its CPUs pins nothing. */
static int do_without_cpu(struct repeating *repeating)
{
    struct repeat_study *study = &repeating->study;
    if (study->cpu >= 0 || !(study->controls & CONTROL_BIT(CONTROL_CPU)))
        return 0;
    study->controls &= ~CONTROL_BIT(CONTROL_CPU);
    return skips_add(&repeating->run.skips, "the control cpu",
                     "the machine does not tell which CPUs may be used: name one with --cpu", 0);
}

/* Half a second takes hours then. */
static int tell_unstepped(struct repeating *repeating)
{
    if (!repeating->study.unstepped || !catalogue_counter(repeating->catalogue, "step"))
        return 0;
    return skips_add(
        &repeating->run.skips, "programs of the suite by step",
        "stepping through them would take hours: name it with --source to have it done", 0);
}

/* --- remarks --- */

static void say_what_is_unusual(const struct repeating *repeating)
{
    const struct repeat_options *options = repeating->run.options;
    if (repeating->study.runs < PAPER_RUNS)
        deliver_remark(&options->common,
                       "%u executions of each setting are fewer than the %u that the paper took: "
                       "small variation will not be seen",
                       repeating->study.runs, PAPER_RUNS);
}

static int nothing_counts(const struct repeating *repeating, struct failure *failure)
{
    AUTO_TEXT struct text why = {0};
    for (size_t i = 0; i < repeating->tried.count; i++)
        if (repeating->tried.list[i].error)
            text_printf(&why, "\n  %s: %s", repeating->tried.list[i].name,
                        repeating->tried.list[i].reason);
    for (size_t i = 0; i < repeating->catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &repeating->catalogue->absences[i];
        if (strcmp(absence->kind, "counter") == 0)
            text_printf(&why, "\n  %s: %s", absence->name, absence->reason);
    }
    return fail_with(failure, -ENODEV, "nothing that was asked for can count a command here:%.900s",
                     text_string(&why));
}

/* --- the study --- */

static int plan(struct repeating *repeating, struct failure *failure)
{
    struct repeat_study *study = &repeating->study;
    const struct repeat_options *options = repeating->run.options;
    int error = command_line_keep(&options->keep, &study->keep, failure);
    if (error == 0)
        error = command_line_cpu(repeating->run.facts, &options->cpu, &study->cpu, failure);
    if (error == 0)
        error = do_without_cpu(repeating);
    if (error == 0)
        error = repeat_find_sources(repeating, failure);
    if (error == 0 && !repeating->source_count)
        error = nothing_counts(repeating, failure);
    if (error < 0)
        return error;
    study->programs = repeating->programs;
    study->program_count = repeating->program_count;
    study->sources = repeating->sources;
    study->source_count = repeating->source_count;
    error = tell_unstepped(repeating);
    return error < 0 ? error
                     : repeat_plan_make(study, repeating->catalogue, &repeating->plan, failure);
}

int repeat_prepare(struct repeating *repeating)
{
    const struct repeat_options *options = repeating->run.options;
    struct failure failure = {0};
    repeating->study = (struct repeat_study){
        .runs = runs_of(options),
        .controls = controls_of(options),
        .one_at_a_time = true,
        .calls = true,
        .code = true,
        .subjects = !options->no_subjects,
        .sweeps = sweeps_of(options),
        .sweep_points = options->quick ? QUICK_POINTS : SWEEP_POINTS,
        .timeout = options->timeout,
        .longest = repeating->begun_budget,
        .shown = options->show_output,
        .quick = options->quick,
        .unstepped = options->suite.count && !options->source.count && !options->event.count,
        .emulated = facts_get(repeating->run.facts, "emulated") != NULL};
    const int error = plan(repeating, &failure);
    if (error == -EINTR)
        return EXIT_INTERRUPTED;
    if (error < 0)
        return failure.text[0] ? repeat_fail(&failure) : repeat_out_of_memory();
    say_what_is_unusual(repeating);
    return EXIT_DONE;
}

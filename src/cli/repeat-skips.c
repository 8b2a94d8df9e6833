/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` could not measure: what failed, by the reason, and what the budget did not
 * hold, with what it would have taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/finish.h"
#include "cli/repeat-run.h"
#include "cli/skip-groups.h"

#define S_NS 1e9

/* --- what failed --- */

/* "perl by qemu" */
static void name_cell(const struct repeat_case *file, const struct repeat_cell *cell, char *name,
                      size_t size)
{
    const struct repeat_program *program = &file->programs[cell->program];
    snprintf(name, size, "%.120s%s%s%s%s", program->name, *cell->source ? " by " : "", cell->source,
             cell->detail != DETAIL_NONE ? ", its " : "", command_detail_names[cell->detail]);
}

static bool is_said(const struct skips *skips, const char *reason)
{
    for (size_t i = 0; i < skips->count; i++)
        if (strcmp(skips->list[i].reason, reason) == 0)
            return true;
    return false;
}

static const char endless[] = "it did not end in its time, in which a source slows it down: the "
                              "counts are of a part of it. A "
                              "larger --budget and a longer --timeout give it more";

static int add_failed(const struct repeat_case *file, struct skip_groups *groups)
{
    int error = 0;
    for (size_t i = 0; i < file->cell_count && error == 0; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        char name[200];
        name_cell(file, cell, name, sizeof(name));
        if (!cell->runs && cell->failed && cell->reason)
            error = skip_groups_add(groups, name, cell->reason, cell->error, false);
        else if (cell->runs && cell->timed_out == cell->runs &&
                 strcmp(cell->source, "perf_event") != 0)
            error = skip_groups_add(groups, name, endless, 0, false);
    }
    return error;
}

static int add_absent(const struct repeating *repeating, struct skip_groups *groups)
{
    const struct repeat_case *file = &repeating->run.file;
    size_t count =
        finish_is_for_programs(&repeating->run.options->common) ? file->absence_count : 0;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct repeat_absence *absence = &file->absences[i];
        if (!is_said(&repeating->run.skips, absence->reason))
            error = skip_groups_add(groups, absence->what, absence->reason, absence->error, false);
    }
    return error;
}

/* --- what the budget did not hold --- */

/* "26 s", "8 min" */
static void put_time(double seconds, char *words, size_t size)
{
    if (seconds >= 5400)
        snprintf(words, size, "%.1f h", seconds / 3600);
    else if (seconds >= 100)
        snprintf(words, size, "%.0f min", seconds / 60);
    else if (seconds >= 1)
        snprintf(words, size, seconds < 10 ? "%.2g s" : "%.0f s", seconds);
    else
        snprintf(words, size, "%.0f ms", seconds * 1000);
}

/* Was it wished for, could be had, and did not get as much as says something? */
static bool is_short(const struct repeating *repeating, size_t wish, uint32_t *processes)
{
    const struct wishes *wishes = &repeating->plan.wishes;
    const struct repeat_aim *aim = &repeating->plan.aims[wish];
    *processes = wishes_processes(wishes, wish);
    return !aim->dropped && !wishes_is_failing(wishes, wish) && *processes < aim->least;
}

/* Does it wait for something that failed? Then that was said. */
static bool waits_in_vain(const struct repeating *repeating, size_t wish)
{
    const struct wishes *wishes = &repeating->plan.wishes;
    for (size_t after = wishes->list[wish].after, steps = 0;
         after != NO_WISH && steps < wishes->count; after = wishes->list[after].after, steps++)
        if (wishes_is_failing(wishes, after) || repeating->plan.aims[after].dropped)
            return true;
    return false;
}

static int tell_source(struct repeating *repeating, size_t wish)
{
    const struct repeat_plan *plan = &repeating->plan;
    const struct repeat_aim *aim = &plan->aims[wish];
    const double each =
        (double)repeat_plan_price(plan, aim->program, aim->source, DETAIL_NONE) / S_NS;
    char what[240], why[400], one[32], all[32];
    uint32_t processes = wishes_processes(&plan->wishes, wish);
    put_time(each, one, sizeof(one));
    put_time(each * 2 * aim->least, all, sizeof(all));
    snprintf(what, sizeof(what), "%.160s by %s", plan->programs[aim->program].name,
             repeat_source_name(repeating, aim->source));
    if (processes)
        snprintf(why, sizeof(why),
                 "in %u execution%s only, because each takes about %s: %u of both settings need "
                 "about %s, give a larger --budget",
                 processes, processes == 1 ? "" : "s", one, aim->least, all);
    else if (each * 2 * aim->least < (double)repeating->run.budget / 4000)
        snprintf(
            why, sizeof(why),
            "the budget was used up before: an execution takes about %s, give a larger --budget",
            one);
    else
        snprintf(why, sizeof(why),
                 "the budget does not hold it: an execution takes about %s, %u of both settings "
                 "about %s. Give a larger --budget, or name it with --source and fewer --runs",
                 one, aim->least, all);
    return skips_add(&repeating->run.skips, what, why, 0);
}

/* Of many programs the names must do. */
static int tell_briefly(const struct repeating *repeating, size_t wish, struct skip_groups *groups)
{
    const struct repeat_plan *plan = &repeating->plan;
    const struct repeat_aim *aim = &plan->aims[wish];
    char what[240];
    snprintf(what, sizeof(what), "%.160s by %s", plan->programs[aim->program].name,
             repeat_source_name(repeating, aim->source));
    return skip_groups_add(groups, what,
                           wishes_processes(&plan->wishes, wish)
                               ? "in fewer executions than wanted, so less certain: give a larger "
                                 "--budget"
                               : "the budget did not suffice: give a larger --budget, or name "
                                 "sources with --source",
                           0, false);
}

/* Controlled executions of each program by each source. */
static int tell_sources(struct repeating *repeating)
{
    const struct repeat_plan *plan = &repeating->plan;
    struct skip_groups groups = {0};
    int error = 0;
    for (size_t i = 0; i < plan->wishes.count && error == 0; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        uint32_t processes;
        if (plan->wishes.list[i].stage == REPEAT_SETTINGS && aim->source != REPEAT_PLAIN &&
            aim->controls == repeating->study.controls && is_short(repeating, i, &processes) &&
            !waits_in_vain(repeating, i))
            error = repeating->program_count > 1 ? tell_briefly(repeating, i, &groups)
                                                 : tell_source(repeating, i);
    }
    const int closed = skip_groups_close(&groups, &repeating->run.skips);
    return error < 0 ? error : closed;
}

/* Of the other stages how many settings are missing. */
static int tell_stage(struct repeating *repeating, unsigned stage)
{
    const struct repeat_plan *plan = &repeating->plan;
    size_t without = 0, with_few = 0;
    char what[120];
    int error = 0;
    for (size_t i = 0; i < plan->wishes.count; i++) {
        uint32_t processes;
        if (plan->wishes.list[i].stage != stage || !is_short(repeating, i, &processes) ||
            waits_in_vain(repeating, i))
            continue;
        without += processes == 0;
        with_few += processes > 0;
    }
    snprintf(what, sizeof(what), "%s (%zu setting%s)", repeat_stage_names[stage], without,
             without == 1 ? "" : "s");
    if (without)
        error = skips_add(&repeating->run.skips, what,
                          "not measured: the budget did not suffice, give a larger --budget", 0);
    snprintf(what, sizeof(what), "%s (%zu setting%s)", repeat_stage_names[stage], with_few,
             with_few == 1 ? "" : "s");
    if (with_few && error == 0)
        error = skips_add(
            &repeating->run.skips, what,
            "in fewer executions than wanted, so less certain: give a larger --budget", 0);
    return error;
}

/* Of what a user interrupted, and of what was given up, the budget says nothing. */
static int tell_budget(struct repeating *repeating)
{
    int error = 0;
    if (!repeating->store || !repeating->run.complete || repeating->run.options->from.count)
        return 0;
    error = tell_sources(repeating);
    for (unsigned stage = REPEAT_SETTINGS + 1; stage < REPEAT_STAGES && error == 0; stage++)
        error = tell_stage(repeating, stage);
    return error;
}

int repeat_collect_skips(struct repeating *repeating)
{
    struct skip_groups groups = {0}, absent = {.for_programs = true};
    int error = add_failed(&repeating->run.file, &groups);
    if (error == 0)
        error = add_absent(repeating, &absent);
    const int closed = skip_groups_close(&groups, &repeating->run.skips);
    const int closed_too = skip_groups_close(&absent, &repeating->run.skips);
    if (error == 0)
        error = closed < 0 ? closed : closed_too;
    return error < 0 ? error : tell_budget(repeating);
}

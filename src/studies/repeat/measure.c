/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How `assay repeat` spends its time: after each portion it learns what programs do, and gives up
 * those that cannot be started or never end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "engine/run-store.h"
#include "engine/skips.h"
#include "studies/repeat/parts.h"
#include "studies/repeat/plan.h"

/* ----------------------------------------------------------------------------------------------
 * The store behind `assay repeat`: events, subjects and absences go into it before the first
 * execution, so that it can be judged without its machine; an unfinished one is gone on with as it
 * began. */

static struct run_store whose(const struct repeating *repeating)
{
    return (struct run_store){.command = "repeat",
                              .common = &repeating->run.options->common,
                              .catalogue = repeating->catalogue,
                              .path = repeating->run.options->store,
                              .seed = repeating->run.seed};
}

static int refuse(const struct repeating *repeating, int error, const struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    return repeat_ours(
        run_store_refuse("repeat", error, options->resume || options->from.count, failure));
}

/* --- a new one --- */

static int create(struct repeating *repeating, struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    const struct catalogue *catalogue = repeating->catalogue;
    const struct run_store run = whose(repeating);
    int error = run_store_create(&run, &repeating->store, failure);
    if (error == 0)
        error = tried_put(&repeating->tried, repeating->store, failure);
    for (size_t i = 0; i < catalogue->subject_count && error == 0; i++)
        error = run_store_put_subject(repeating->store, &catalogue->subjects[i], failure);
    /* Who asked for some sources, or some events, does not miss the others. */
    if (error == 0 && !options->source.count && !options->event.count)
        error = absences_put(catalogue, "counter", repeating->store, failure);
    if (error == 0 && !options->no_subjects)
        error = absences_put(catalogue, "subject", repeating->store, failure);
    return error < 0 ? error : store_commit(repeating->store, failure);
}

int repeat_create_store(struct repeating *repeating)
{
    struct failure failure = {0};
    /* Nothing to execute: no store. */
    if (!repeating->plan.wishes.count)
        return EXIT_DONE;
    const int error = create(repeating, &failure);
    if (error < 0)
        return refuse(repeating, error, &failure);
    repeating->run.stored = store_path(repeating->store);
    return EXIT_DONE;
}

/* --- an unfinished one --- */

/* Everything is as the run began, but for where results go; the time it may take as well, unless
 * another is given. */
static void go_on_like(struct repeating *repeating)
{
    const struct repeat_options given = *repeating->run.options;
    struct repeat_options *resumed = &repeating->resumed;
    *resumed = repeating->begun;
    resumed->common = given.common;
    resumed->store = given.store;
    resumed->input = resumed->directory = NULL; /* the store's cells have them */
    resumed->all = given.all;
    resumed->resume = true;
    resumed->seed = given.seed;
    if (given.budget)
        resumed->budget = given.budget;
    repeating->run.options = resumed;
}

/* The first cell of the plan is the user's command, as it was begun with. */
static int take_command(void *context, const struct stored_cell *stored)
{
    struct repeating *repeating = context;
    const struct cell_command *command = &stored->cell.command;
    if (stored->cell.id != 1 || repeating->joined || !command->words)
        return 0;
    repeating->joined = memory_copy(command->words);
    repeating->input = memory_copy(command->input);
    repeating->directory = memory_copy(command->directory);
    return 0;
}

static int recall(struct repeating *repeating, const struct store_info *info,
                  struct failure *failure)
{
    struct string_list words = {0};
    int error = run_store_recall(&command_repeat, store_path(repeating->store), info->argv,
                                 &repeating->begun, &words, failure);
    const bool commanded = words.count > 0;
    string_list_free(&words);
    repeating->run.seed = info->seed;
    if (error < 0)
        return error;
    go_on_like(repeating);
    error = commanded ? store_each_cell(repeating->store, take_command, repeating, failure) : 0;
    if (error == 0 && commanded && !repeating->joined)
        error = fail_with(failure, -EINVAL,
                          "the run in %.300s ended before anything was planned: begin another one",
                          store_path(repeating->store));
    return error < 0 ? error : tried_recall(&repeating->tried, repeating->store, failure);
}

static int reopen(struct repeating *repeating, struct failure *failure)
{
    const struct run_store run = whose(repeating);
    struct store_info info = {0};
    int error = run_store_reopen(&run, &repeating->store, &info, failure);
    if (error == 0)
        error = recall(repeating, &info, failure);
    store_info_release(&info);
    return error;
}

int repeat_reopen_store(struct repeating *repeating)
{
    struct failure failure = {0};
    const int error = reopen(repeating, &failure);
    if (error < 0)
        return refuse(repeating, error, &failure);
    repeating->run.stored = store_path(repeating->store);
    return EXIT_DONE;
}

int repeat_adopt_store(struct repeating *repeating)
{
    const struct run_store run = whose(repeating);
    struct wishes *wishes = &repeating->plan.wishes;
    struct failure failure = {0};
    int error = wishes_adopt(wishes, repeating->store, &failure);
    if (error == 0)
        error = run_store_same_plan(&run, repeating->store, wishes->cells, wishes->cell_count,
                                    &failure);
    return error == 0 ? EXIT_DONE : refuse(repeating, error, &failure);
}

/* --- finished ones --- */

static int load(void *context, struct store *store, struct failure *failure)
{
    struct repeating *repeating = context;
    return repeat_load(store, &repeating->run.file, failure);
}

int repeat_open_from(struct repeating *repeating)
{
    struct failure failure = {0};
    struct repeat_run_of *run = &repeating->run;
    const struct from_stores from = {.command = "repeat",
                                     .paths = &run->options->from,
                                     .store = &repeating->store,
                                     .seed = &run->seed,
                                     .fingerprint = run->fingerprint,
                                     .fingerprint_size = sizeof(run->fingerprint),
                                     .stored_facts = &repeating->stored_facts,
                                     .facts = &run->facts,
                                     .complete = &run->complete,
                                     .load = load,
                                     .context = repeating};
    const int error = from_stores_load(&from, &failure);
    if (error == 0 && run->options->from.count == 1)
        run->stored = store_path(repeating->store);
    return error == 0 ? EXIT_DONE : refuse(repeating, error, &failure);
}

/* ----------------------------------------------------------------------------------------------
 * What `assay repeat` could not measure: what failed, by the reason, and what the budget did not
 * hold, with what it would have taken. */

#define S_NS 1e9

/* --- what failed --- */

static const char endless[] = "it did not end in its time, in which a source slows it down: the "
                              "counts are of a part of it. A "
                              "larger --budget and a longer --timeout give it more";

static int add_failed(const struct repeat_case *file, struct skip_groups *groups)
{
    int error = 0;
    for (size_t i = 0; i < file->cell_count && error == 0; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        char name[200]; /* "perl by qemu" */
        snprintf(name, sizeof(name), "%.120s%s%s%s%s", file->programs[cell->program].name,
                 *cell->source ? " by " : "", cell->source,
                 cell->detail != DETAIL_NONE ? ", its " : "", command_detail_names[cell->detail]);
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
    const struct skips *skips = &repeating->run.skips;
    size_t count =
        finish_is_for_programs(&repeating->run.options->common) ? file->absence_count : 0;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct repeat_absence *absence = &file->absences[i];
        bool said = false;
        for (size_t j = 0; j < skips->count && !said; j++)
            said = strcmp(skips->list[j].reason, absence->reason) == 0;
        if (!said)
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

/* ----------------------------------------------------------------------------------------------
 * What executions send beside counts: system calls and what was executed go into the store with
 * their visit, what the program writes to standard error. */

static int take_call(void *context, const struct sent_call *call, struct failure *failure)
{
    struct repeating *repeating = context;
    const struct stored_call stored = {.cell = call->cell,
                                       .process = call->process,
                                       .position = call->position,
                                       .task = call->task,
                                       .name = call->name,
                                       .what = call->what,
                                       .result = call->result,
                                       .asked = call->asked,
                                       .sum = call->sum};
    return store_put_call(repeating->store, &stored, failure);
}

static int take_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct repeating *repeating = context;
    if (!repeating->executed && executed_new(&repeating->executed, repeating->catalogue->isa) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    repeating->ran = true;
    return executed_add(repeating->executed, ran, failure);
}

/* What a visit that failed had executed says nothing: its sums are forgotten with it. */
static int end_visit(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                     struct failure *failure)
{
    struct repeating *repeating = context;
    (void)cell, (void)process;
    repeating->showing = false;
    if (!repeating->ran)
        return 0;
    repeating->ran = false;
    if (state == VISIT_DONE)
        return executed_store(repeating->executed, repeating->store, false, false, failure);
    executed_free(repeating->executed);
    repeating->executed = NULL;
    return 0;
}

/* The report goes to standard output, so this does not. */
static void pass_on(void *context, int stream, const char *bytes, size_t length)
{
    const struct repeating *repeating = context;
    (void)stream;
    while (repeating->showing && repeating->run.options->show_output && length) {
        const ssize_t written = write(STDERR_FILENO, bytes, length);
        if (written < 0 && errno != EINTR)
            return;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* ----------------------------------------------------------------------------------------------
 * How `assay repeat` spends its time: after each portion it learns what programs do, and gives up
 * those that cannot be started or never end. */

#define PORTIONS       8u
#define BRIEF_PORTIONS 6u
#define RESERVE_MS     1500u

static int learn(void *context)
{
    struct repeating *repeating = context;
    struct failure failure = {0};
    if (repeat_plan_learn(&repeating->plan, repeating->store, &failure) < 0)
        return repeat_fail(&failure);
    return EXIT_DONE;
}

static bool further(void *context)
{
    struct repeating *repeating = context;
    return repeat_plan_further(&repeating->plan);
}

int repeat_measure(struct repeating *repeating)
{
    const struct gather_beside beside = {.context = repeating, /* what comes beside counts */
                                         .ran = take_ran,
                                         .call = take_call,
                                         .ending = end_visit,
                                         .output = pass_on};
    struct portioning portioning = {.command = "repeat",
                                    .common = &repeating->run.options->common,
                                    .session = repeating->session,
                                    .store = repeating->store,
                                    .wishes = &repeating->plan.wishes,
                                    .all = "all executions",
                                    .stage_names = repeat_stage_names,
                                    .stages = 0, /* repeat_collect_skips has more to say */
                                    .unit = "setting",
                                    .longer = "give a larger --budget",
                                    .started = repeating->started,
                                    .budget = repeating->run.budget,
                                    .reserve = RESERVE_MS,
                                    .seed = repeating->run.seed,
                                    .portions = repeating->study.quick ? BRIEF_PORTIONS : PORTIONS,
                                    .dearest_last = true,
                                    .resumed = repeating->run.options->resume,
                                    .skips = &repeating->run.skips,
                                    .beside = &beside,
                                    .between = learn,
                                    .further = further,
                                    .context = repeating};
    return repeat_ours(portions_measure(&portioning, &repeating->run.complete));
}

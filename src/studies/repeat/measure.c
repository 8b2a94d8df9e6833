/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay repeat`: events, subjects and absences go into it before the first
 * execution, so that it can be judged without its machine; an unfinished one is gone on with as it
 * began. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "engine/run-store.h"
#include "studies/repeat/parts.h"

int repeat_put(void *kept, struct failure *failure)
{
    struct repeating *run = kept;
    const struct repeat_options *options = repeat_asked(run);
    const struct catalogue *catalogue = run->studying.catalogue;
    struct store *store = run->studying.store;
    int error = tried_put(&run->tried, store, failure);
    for (size_t i = 0; i < catalogue->subject_count && error == 0; i++)
        error = run_store_put_subject(store, &catalogue->subjects[i], failure);
    /* Who asked for some sources, or some events, does not miss the others. */
    if (error == 0 && !options->source.count && !options->event.count)
        error = absences_put(catalogue, "counter", store, failure);
    if (error == 0 && !options->no_subjects)
        error = absences_put(catalogue, "subject", store, failure);
    return error;
}

/* The first cell of the plan is the user's command, as it was begun with. */
static int take_command(void *context, const struct stored_cell *stored)
{
    struct repeating *run = context;
    const struct cell_command *command = &stored->cell.command;
    if (stored->cell.id != 1 || run->joined || !command->words)
        return 0;
    run->joined = memory_copy(command->words);
    run->input = memory_copy(command->input);
    run->directory = memory_copy(command->directory);
    return 0;
}

int repeat_recall(void *kept, struct failure *failure)
{
    struct repeating *run = kept;
    struct store *store = run->studying.store;
    const bool commanded = run->studying.argument_count > 0;
    int error = commanded ? store_each_cell(store, take_command, run, failure) : 0;
    if (error == 0 && commanded && !run->joined)
        error = fail_with(failure, -EINVAL,
                          "the run in %.300s ended before anything was planned: begin another one",
                          store_path(store));
    return error < 0 ? error : tried_recall(&run->tried, store, failure);
}

/* ----------------------------------------------------------------------------------------------
 * What `assay repeat` could not measure: what failed, by the reason, and what the budget did not
 * hold, with what it would have taken. */

#define S_NS 1e9

/* --- what failed --- */

static const char endless[] = "it did not end in its time, in which a source slows it down: the "
                              "counts are of a part of it. A "
                              "larger --budget and a longer --timeout give it more";

static void add_failed(const struct repeat_case *file, struct skip_groups *groups)
{
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        const char *name = /* "perl by qemu" */
            memory_format("%.120s%s%s%s%s", file->programs[cell->at.program].name,
                          *cell->source ? " by " : "", cell->source,
                          cell->detail != DETAIL_NONE ? ", its " : "",
                          command_detail_names[cell->detail]);
        if (!cell->runs && cell->failed && cell->reason)
            skip_groups_add(groups, name, cell->reason, cell->error, false);
        else if (cell->runs && cell->timed_out == cell->runs &&
                 strcmp(cell->source, "perf_event") != 0)
            skip_groups_add(groups, name, endless, 0, false);
    }
}

static void add_absent(const struct repeating *run, struct skip_groups *groups)
{
    const struct skips *skips = &run->studying.skips;
    for (size_t i = 0; i < run->file.absence_count; i++) {
        const struct repeat_absence *absence = &run->file.absences[i];
        bool said = false;
        for (size_t j = 0; j < skips->count && !said; j++)
            said = strcmp(skips->list[j].reason, absence->reason) == 0;
        if (!said)
            skip_groups_add(groups, absence->what, absence->reason, absence->error, false);
    }
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

/* Was it wished for, could be had, and did not get as much as says something? What waits for
 * something that failed was said with that. */
static bool is_short(const struct repeating *run, size_t wish)
{
    const struct wishes *wishes = &run->studying.wishes;
    const struct repeat_aim *aims = run->plan.aims;
    if (wishes_processes(wishes, wish) >= aims[wish].least)
        return false;
    for (size_t at = wish, steps = 0; at != NO_WISH && steps <= wishes->count;
         at = wishes->list[at].after, steps++)
        if (aims[at].dropped || wishes_is_failing(wishes, at))
            return false;
    return true;
}

/* Controlled executions of a program by a source; of many programs the names must do. */
static void tell_source(struct repeating *run, size_t wish, struct skip_groups *groups)
{
    const struct repeat_plan *plan = &run->plan;
    const struct repeat_aim *aim = &plan->aims[wish];
    const uint32_t processes = wishes_processes(&run->studying.wishes, wish);
    const double each =
        (double)repeat_plan_price(plan, aim->program, aim->source, DETAIL_NONE) / S_NS;
    const char *what = memory_format("%.160s by %s", plan->programs[aim->program].name,
                                     plan->sources[aim->source].name);
    char why[400], one[32], all[32];
    if (run->study.program_count > 1) {
        skip_groups_add(groups, what,
                        processes ? "in fewer executions than wanted, so less certain: give a "
                                    "larger --budget"
                                  : "the budget did not suffice: give a larger --budget, or name "
                                    "sources with --source",
                        0, false);
        return;
    }
    put_time(each, one, sizeof(one));
    put_time(each * 2 * aim->least, all, sizeof(all));
    if (processes)
        snprintf(why, sizeof(why),
                 "in %u execution%s only, because each takes about %s: %u of both settings need "
                 "about %s, give a larger --budget",
                 processes, processes == 1 ? "" : "s", one, aim->least, all);
    else if (each * 2 * aim->least < (double)run->studying.budget / 4000)
        snprintf(
            why, sizeof(why),
            "the budget was used up before: an execution takes about %s, give a larger --budget",
            one);
    else
        snprintf(why, sizeof(why),
                 "the budget does not hold it: an execution takes about %s, %u of both settings "
                 "about %s. Give a larger --budget, or name it with --source and fewer --runs",
                 one, aim->least, all);
    skips_add(&run->studying.skips, what, why, 0);
}

/* Of the other stages how many settings are missing. */
static void tell_stage(struct repeating *run, unsigned stage)
{
    static const char *const whys[] = {
        "not measured: the budget did not suffice, give a larger --budget",
        "in fewer executions than wanted, so less certain: give a larger --budget"};
    const struct wishes *wishes = &run->studying.wishes;
    for (int some = 0; some < 2; some++) {
        size_t count = 0;
        for (size_t i = 0; i < wishes->count; i++)
            count += wishes->list[i].stage == stage && is_short(run, i) &&
                     (wishes_processes(wishes, i) > 0) == (some > 0);
        if (count)
            skips_add(&run->studying.skips,
                      memory_format("%s (%zu setting%s)", repeat_stage_names[stage], count,
                                    count == 1 ? "" : "s"),
                      whys[some], 0);
    }
}

static void tell_budget(struct repeating *run)
{
    const struct wishes *wishes = &run->studying.wishes;
    struct skip_groups groups = {0};
    for (size_t i = 0; i < wishes->count; i++)
        if (wishes->list[i].stage == REPEAT_SETTINGS && run->plan.aims[i].source != REPEAT_PLAIN &&
            run->plan.aims[i].controls == run->study.controls && is_short(run, i))
            tell_source(run, i, &groups);
    skip_groups_close(&groups, &run->studying.skips);
    for (unsigned stage = REPEAT_SETTINGS + 1; stage < REPEAT_STAGES; stage++)
        tell_stage(run, stage);
}

void repeat_collect_skips(struct repeating *run)
{
    struct skip_groups groups = {0}, absent = {.for_programs = true};
    add_failed(&run->file, &groups);
    if (finish_is_for_programs(&run->studying.given->common))
        add_absent(run, &absent);
    skip_groups_close(&groups, &run->studying.skips);
    skip_groups_close(&absent, &run->studying.skips);
    /* Of what a user interrupted, and of what was given up, the budget says nothing. */
    if (run->studying.session && run->studying.store && run->studying.complete)
        tell_budget(run);
}

/* ----------------------------------------------------------------------------------------------
 * What executions send beside counts: system calls and what was executed go into the store with
 * their visit, what the program writes to standard error. */

static int take_call(void *context, const struct sent_call *call, struct failure *failure)
{
    const struct repeating *run = context;
    const struct stored_call stored = {.cell = call->cell,
                                       .process = call->process,
                                       .position = call->position,
                                       .task = call->task,
                                       .name = call->name,
                                       .what = call->what,
                                       .result = call->result,
                                       .asked = call->asked,
                                       .sum = call->sum};
    return store_put_call(run->studying.store, &stored, failure);
}

static int take_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct repeating *run = context;
    if (!run->executed)
        executed_new(&run->executed, run->studying.catalogue->isa);
    run->ran = true;
    return executed_add(run->executed, ran, failure);
}

/* What a visit that failed had executed says nothing: its sums are forgotten with it. */
static int end_visit(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                     struct failure *failure)
{
    struct repeating *run = context;
    const bool ran = run->ran;
    (void)cell, (void)process;
    run->showing = run->ran = false;
    if (ran && state == VISIT_DONE)
        return executed_store(run->executed, run->studying.store, false, false, failure);
    if (ran) {
        executed_free(run->executed);
        run->executed = NULL;
    }
    return 0;
}

/* The report goes to standard output, so this does not. */
static void pass_on(void *context, int stream, const char *bytes, size_t length)
{
    const struct repeating *run = context;
    (void)stream;
    while (run->showing && repeat_asked(run)->show_output && length) {
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
    struct repeating *run = context;
    struct failure failure = {0};
    return repeat_plan_learn(&run->plan, run->studying.store, &failure) < 0
               ? deliver_failure("repeat", &failure, EXIT_FAILED)
               : EXIT_DONE;
}

static bool further(void *context)
{
    return repeat_plan_further(&((struct repeating *)context)->plan);
}

int repeat_measure(void *kept)
{
    struct repeating *run = kept;
    const struct gather_beside beside = {
        .context = run, .ran = take_ran, .call = take_call, .ending = end_visit, .output = pass_on};
    const struct pacing pacing = {.all = "all executions",
                                  .stage_names = repeat_stage_names,
                                  .stages = 0, /* repeat_collect_skips has more to say */
                                  .unit = "setting",
                                  .longer = "give a larger --budget",
                                  .reserve = RESERVE_MS,
                                  .portions = run->study.quick ? BRIEF_PORTIONS : PORTIONS,
                                  .dearest_last = true,
                                  .beside = &beside,
                                  .between = learn,
                                  .further = further};
    return study_measure(&run->studying, &pacing);
}

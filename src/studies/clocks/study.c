/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay clocks: which clock can be trusted for an interval. Its options, and its entry in the
 * driver of studies. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/claims.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What --clock and --workload name, held against the machine. */

#define MOST_OWN 8u

/* Sorts what --clock says: names of the machine's clocks, and clocks that a person brought along. A
 * wrong one is said before a machine is reached. */
static int read_options(void *kept, struct failure *failure)
{
    struct clocks_run *run = kept;
    const struct string_list *given = &clocks_asked(run)->clock;
    struct external_clock parsed;
    int error = 0;
    run->names = (struct string_list){0};
    run->own_count = 0;
    for (size_t i = 0; i < given->count && error >= 0; i++) {
        const char *text = given->items[i];
        /* A command may have commas in it, so they only part what is no clock of a person's own. */
        if (!strchr(text, '=')) {
            size_t before = run->names.count;
            error = string_list_add(&run->names, text);
            if (error < 0)
                return fail_with(failure, error, "--clock has an empty name in '%.80s'", text);
            for (; before < run->names.count && error >= 0; before++)
                error = external_clock_parse(run->names.items[before], &parsed, failure);
            continue;
        }
        error = external_clock_parse(text, &parsed, failure);
        for (size_t j = 0; j < run->own_count && error >= 0; j++)
            if (strcmp(run->own[j].clock.name, parsed.name) == 0)
                error = fail_with(failure, -EINVAL, "two clocks of --clock have the name '%s'",
                                  parsed.name);
        if (error >= 0 && run->own_count == MOST_OWN)
            error = fail_with(failure, -EINVAL, "at most %u clocks can be brought along", MOST_OWN);
        if (error >= 0)
            *memory_add(run->own, run->own_count) =
                (struct clocks_own){.text = text, .clock = parsed};
    }
    return error < 0 ? error : 0;
}

/* What the run began with. */
static int recall(void *kept, struct failure *failure)
{
    int error = read_options(kept, failure);
    return error == 0 ? clocks_check_boot(kept, failure) : error;
}

static int check_name(const struct catalogue *catalogue, const char *name, struct failure *failure)
{
    const struct catalogue_clock *clock = catalogue_clock(catalogue, name);
    const struct catalogue_absence *absence = absences_find(catalogue, "clock", name);
    if (clock && clocks_is_candidate(clock))
        return 0;
    if (clock)
        return fail_with(failure, -EINVAL,
                         "%.60s is read with every clock, but tells no time: there is nothing to "
                         "judge",
                         name);
    if (absence)
        return fail_with(failure, -ENODEV, "the clock %.60s is not to be had here: %.300s", name,
                         absence->reason);
    AUTO_TEXT struct text clocks = {0};
    for (size_t i = 0; i < catalogue->clock_count; i++)
        if (clocks_is_candidate(&catalogue->clocks[i]))
            text_printf(&clocks, "%s%s", clocks.length ? ", " : "", catalogue->clocks[i].name);
    return fail_with(failure, -EINVAL,
                     "there is no clock '%.60s'; here there are %.400s. One of your own is "
                     "NAME=object:FILE:SYMBOL, NAME=ask:COMMAND or NAME=run:COMMAND",
                     name, clocks.length ? text_string(&clocks) : "none");
}

/* From options and the machine to what would be watched. */
static int prepare(void *kept, struct failure *failure)
{
    struct clocks_run *run = kept;
    struct studying *studying = &run->studying;
    const struct catalogue *catalogue = studying->catalogue;
    const struct clocks_options *options = clocks_asked(run);
    const char *via = studying->given->common.via;
    int error = 0;
    /* What was read before has no common zero with what another boot reads. */
    studying->once = via && strncmp(via, "lab:", 4) == 0;
    for (size_t i = 0; i < run->names.count && error == 0; i++)
        error = check_name(catalogue, run->names.items[i], failure);
    for (size_t i = 0; i < run->own_count && error == 0; i++) {
        const char *name = run->own[i].clock.name;
        if (catalogue_clock(catalogue, name) || absences_find(catalogue, "clock", name) ||
            strcmp(name, "outside") == 0)
            error =
                fail_with(failure, -EINVAL,
                          "a clock of your own cannot be named '%s': another has that name", name);
    }
    if (error < 0)
        return error;
    run->scope = (struct clocks_scope){.catalogue = catalogue,
                                       .names = run->names.items,
                                       .name_count = run->names.count,
                                       .own = run->own,
                                       .own_count = run->own_count,
                                       .workloads = options->workload.items,
                                       .workload_count = options->workload.count,
                                       .cpu = core_last(studying->facts),
                                       .quick = options->quick,
                                       .emulated = facts_get(studying->facts, "emulated") != NULL,
                                       .budget = studying->budget,
                                       .seed = studying->seed};
    run->scope.cpus = core_allowed(studying->facts, &run->scope.cpu_count);
    error = clocks_try_own(run, failure);
    if (error == 0)
        error = clocks_plan_make(&run->scope, &run->plan, &studying->wishes, failure);
    if (error < 0)
        return error;
    if (run->plan.pairs != run->plan.all_pairs) {
        char what[120];
        snprintf(what, sizeof(what), "trips between %zu of %zu pairs of CPUs",
                 run->plan.all_pairs - run->plan.pairs, run->plan.all_pairs);
        skips_add(&studying->skips, what,
                  "there are too many pairs for the time: a choice drawn from the seed, in which "
                  "every CPU is, was made instead; a larger --budget holds more",
                  0);
    }
    clocks_find_outside(run);
    studying->idle = !studying->wishes.count && !studying->given->resume;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Measuring: how it spends its time, with looks from outside before, between and after. */

/* ms; the last two on emulated machines. */
#define USUAL_BUDGET 112000u
#define QUICK_BUDGET 13000u
#define LONG_BUDGET  150000u
#define BRIEF_BUDGET 60000u

#define PORTIONS          10u
#define BRIEF_PORTIONS    4u
#define EMULATED_PORTIONS 6u /* the way to such a machine is narrow */
#define RESERVE_MS        2500u

static uint64_t budget(const void *kept)
{
    const struct clocks_run *run = kept;
    const struct clocks_options *options = clocks_asked(run);
    if (options->study.budget)
        return options->study.budget;
    if (facts_get(run->studying.facts, "emulated"))
        return options->quick ? BRIEF_BUDGET : LONG_BUDGET;
    return options->quick ? QUICK_BUDGET : USUAL_BUDGET;
}

/* Watch after watch, as far as the budget goes. */
static int measure(void *kept)
{
    struct clocks_run *run = kept;
    const struct pacing pacing = {.all = "all watches",
                                  .stage_names = clocks_stage_names,
                                  .stages = CLOCKS_STAGES,
                                  .unit = "cell",
                                  .longer = "give a larger --budget",
                                  .reserve = RESERVE_MS,
                                  .portions = run->scope.emulated ? EMULATED_PORTIONS
                                              : run->scope.quick  ? BRIEF_PORTIONS
                                                                  : PORTIONS,
                                  .between = clocks_look_from_outside};
    return study_measure(&run->studying, &pacing);
}

/* ----------------------------------------------------------------------------------------------
 * Judging. */

static int load(void *kept, struct store *store, struct failure *failure)
{
    return clocks_load(store, &((struct clocks_run *)kept)->file, failure);
}

/* What the case says could not be measured becomes rows of `skips`, by the reason. */
static void collect_skips(struct clocks_run *run)
{
    const struct clocks_case *file = &run->file;
    struct skip_groups failed = {0}, absent = {.for_programs = true};
    for (size_t i = 0; i < file->watch_count; i++) {
        /* "trips", "interval over sleep, 2 threads", "interval over sleep, CPUs kept awake" */
        const struct clock_watch *watch = &file->watches[i];
        AUTO_TEXT struct text name = {0};
        if (watch->processes || !watch->failed || !watch->reason)
            continue;
        text_puts(&name, watch_kind_names[watch->kind]);
        if (watch->workload)
            text_printf(&name, "%s%s", *watch->workload ? " over " : "", watch->workload);
        if (watch->threads > 1)
            text_printf(&name, ", %u threads", watch->threads);
        if (watch->moves)
            text_printf(&name, ", %u moves", watch->moves);
        text_puts(&name, watch->handover ? ", handed over" : "");
        text_puts(&name, watch->awake ? ", CPUs kept awake" : "");
        skip_groups_add(&failed, text_string(&name), watch->reason, watch->error, true);
    }
    if (finish_is_for_programs(&run->studying.given->common))
        for (size_t i = 0; i < file->absence_count; i++)
            skip_groups_add(&absent, file->absences[i].what, file->absences[i].reason,
                            file->absences[i].error, false);
    skip_groups_close(&failed, &run->studying.skips);
    skip_groups_close(&absent, &run->studying.skips);
}

static int judge(void *kept, struct failure *failure)
{
    struct clocks_run *run = kept;
    (void)failure;
    clocks_judge(&run->file, run->studying.seed, &run->report);
    collect_skips(run);
    return 0;
}

static const char *nothing(const void *kept)
{
    const struct clocks_run *run = kept;
    return finish_nothing(run->report.looks, run->studying.complete);
}

/* ----------------------------------------------------------------------------------------------
 * The command, and its entry. */

static const struct study study = {
    .size = sizeof(struct clocks_run),
    .no_arguments = "clocks are named with --clock",
    .check = read_options,
    .recall = recall,
    .budget = budget,
    .prepare = prepare,
    .put = clocks_put,
    .adopt = clocks_adopt,
    .measure = measure,
    .load = load,
    .judge = judge,
    .nothing = nothing,
    .put_report = clocks_put_report,
    .findings = {offsetof(struct clocks_run, report.findings), CLOCKS_FINDINGS},
    .figures = clocks_figures,
    .told = &clocks_told,
};

#define FIELD(name) offsetof(struct clocks_options, name)

static const struct option_spec specs[] = {
    {0, "clock", OPTION_FILES | OPTION_MEASURES | OPTION_BEGINS, "CLOCK",
     "judge these clocks alone: tsc,monotonic, ...; or one of your own beside the others: "
     "NAME=object:FILE:SYMBOL, NAME=ask:COMMAND or NAME=run:COMMAND, with NAME@HZ where it claims "
     "so many ticks a second; may be repeated",
     FIELD(clock), NULL},
    {0, "workload", OPTION_LIST | OPTION_MEASURES | OPTION_BEGINS, "WORK",
     "intervals of these alone: sleep, compute, spin, yield, faults, pipe; all unless given",
     FIELD(workload), NULL, .words = clocks_workloads, .only = true},
    {0, "quick", OPTION_FLAG | OPTION_MEASURES | OPTION_BEGINS, NULL,
     "fewer lengths and fewer intervals of each", FIELD(quick), NULL},
    {0, "budget", OPTION_BUDGET | OPTION_MEASURES | OPTION_STAYS, "TIME",
     "spend about TIME, the least important intervals are left out: 20s, 5m; unless given 112s, "
     "with --quick 13s, on an emulated machine 150s, with --quick 60s",
     FIELD(study.budget), NULL},
    {0, "all", OPTION_FLAG, NULL,
     "show every interval, pair of CPUs and reason, instead of summing up", FIELD(study.all), NULL},
    OPTION_ROW_FROM(FIELD(study.from)),
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given",
     FIELD(study.seed), NULL},
    OPTION_ROW_STORE(FIELD(study.store)),
    OPTION_ROW_RESUME(FIELD(study.resume)),
    {0},
};

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    EXIT_ROW_FAILED,
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "no clock, or not the one that was asked for, can be read here"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept and judged"},
    {0, NULL},
};

const struct command command_clocks = {
    .name = "clocks",
    .group = GROUP_STUDY,
    .summary = "which clock can be trusted for an interval, and what a reading costs",
    .synopsis = "[options]",
    .description =
        "Reads every clock of a machine around the same intervals: the CPU's counter as it is and "
        "in order, the clocks of the operating system with and without a system call, CPU time, "
        "clocks of perf_event, and devices. The intervals are sleep and computation of many "
        "lengths, spinning, yielding, page faults and a pipe; in several threads, with forced "
        "moves between CPUs, begun by one thread and ended by another, and with CPUs kept from "
        "idle states. All clocks are read forwards and backwards on both sides, so that the order "
        "of reading is no error.\n\n"
        "Each clock is also read in a row, which tells its cost and whether it goes back; step by "
        "step, which tells its granularity; and in turns on every pair of CPUs, which tells how "
        "far they are apart.\n\n"
        "A clock can only be proven wrong by another that is made of another counter. The result "
        "says which those are here: a clocksource of another kind, an RTC, PTP or HPET, and for "
        "machines behind --via the clock of the machine that asks. Each clock is `dependable`, "
        "`cpu-time only`, `not dependable` with what is wrong with it, or `not falsifiable here`, "
        "and there is advice for short and long regions and across CPUs, and how the findings of "
        "Kuperberg fare on this machine.\n\n"
        "A clock of your own is a function of a shared object that returns uint64_t, a command "
        "that answers every line with a number, or one that prints a number each time it runs. "
        "Everything is stored, so that --from judges it again without the machine.",
    .examples = "# which clock should be used here?\n"
                "assay clocks\n"
                "# a first look\n"
                "assay clocks --quick\n"
                "# two clocks, over sleep alone\n"
                "assay clocks --quick --clock tsc,monotonic --workload sleep\n"
                "# a clock of your own, which claims to count microseconds\n"
                "assay clocks --clock mine@1000000=object:./libmine.so:mine_now\n"
                "# that of a running program, which answers each line with a number\n"
                "assay clocks --quick --clock 'jvm@1000000000=ask:java -cp . Now'\n"
                "# an emulated machine, whose time is compared with ours\n"
                "assay clocks --via lab:aarch64",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct clocks_options),
    .study = &study,
    .results = &clocks_results,
    .analysis = &clocks_analysis,
};

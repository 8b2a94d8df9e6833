/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay clocks: which clock can be trusted for an interval. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/skips.h"
#include "output/output.h"
#include "studies/clocks/parts.h"
#include "studies/clocks/plan.h"

/* ----------------------------------------------------------------------------------------------
 * What `assay clocks` could not measure, by the reason. */

/* "trips", "interval over sleep, 2 threads", "interval over sleep, CPUs kept awake" */
static void name_watch(const struct clock_watch *watch, char *name, size_t size)
{
    char threads[32] = "", moves[32] = "";
    if (watch->threads > 1)
        snprintf(threads, sizeof(threads), ", %u threads", watch->threads);
    if (watch->moves)
        snprintf(moves, sizeof(moves), ", %u moves", watch->moves);
    snprintf(name, size, "%s%s%s%s%s%s%s", watch_kind_names[watch->kind],
             watch->workload && *watch->workload ? " over " : "",
             watch->workload ? watch->workload : "", threads, moves,
             watch->handover ? ", handed over" : "", watch->awake ? ", CPUs kept awake" : "");
}

/* Those that never ended well. */
static int add_failed(const struct clocks_case *file, struct skip_groups *groups)
{
    int error = 0;
    for (size_t i = 0; i < file->watch_count && error == 0; i++) {
        const struct clock_watch *watch = &file->watches[i];
        char name[160];
        if (watch->processes || !watch->failed || !watch->reason)
            continue;
        name_watch(watch, name, sizeof(name));
        error = skip_groups_add(groups, name, watch->reason, watch->error, true);
    }
    return error;
}

/* What the case says could not be measured becomes rows of `skips`, by the reason. -ENOMEM. */
static int clocks_collect_skips(struct watching *watching)
{
    const struct clocks_case *file = &watching->run.file;
    struct skip_groups failed = {0}, absent = {.for_programs = true};
    size_t count = finish_is_for_programs(&watching->run.options->common) ? file->absence_count : 0;
    int error = add_failed(file, &failed);
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct clock_absence *absence = &file->absences[i];
        error = skip_groups_add(&absent, absence->what, absence->reason, absence->error, false);
    }
    int closed = skip_groups_close(&failed, &watching->run.skips);
    int closed_too = skip_groups_close(&absent, &watching->run.skips);
    return error < 0 ? error : closed < 0 ? closed : closed_too;
}

/* ----------------------------------------------------------------------------------------------
 * How `assay clocks` spends its time, with looks from outside before, between and after. */

#define PORTIONS          10u
#define BRIEF_PORTIONS    4u
#define EMULATED_PORTIONS 6u /* the way to such a machine is narrow */
#define RESERVE_MS        2500u

/* Watch after watch, as far as the budget goes. */
static int clocks_measure(struct watching *watching)
{
    const struct clocks_study *study = &watching->study;
    struct portioning portioning = {.command = "clocks",
                                    .common = &watching->run.options->common,
                                    .session = watching->session,
                                    .store = watching->store,
                                    .wishes = &watching->plan.wishes,
                                    .all = "all watches",
                                    .stage_names = clocks_stage_names,
                                    .stages = CLOCKS_STAGES,
                                    .unit = "cell",
                                    .longer = "give a larger --budget",
                                    .started = watching->started,
                                    .budget = watching->run.budget,
                                    .reserve = RESERVE_MS,
                                    .seed = watching->run.seed,
                                    .portions = study->emulated ? EMULATED_PORTIONS
                                                : study->quick  ? BRIEF_PORTIONS
                                                                : PORTIONS,
                                    .once = watching->run.once,
                                    .resumed = watching->run.options->resume,
                                    .skips = &watching->run.skips,
                                    .between = clocks_look_from_outside,
                                    .context = watching};
    return portions_measure(&portioning, &watching->run.complete);
}

/* ----------------------------------------------------------------------------------------------
 * From options and the machine to the study of clocks: which candidates were asked for, which a
 * person brought along, on which CPUs. */

#define MOST_OWN 8u

static int status_of(int error)
{
    return error == -ENODEV                      ? EXIT_LACKING
           : error == -EINVAL || error == -E2BIG ? EXIT_USAGE
                                                 : EXIT_FAILED;
}

static int refuse(int error, const struct failure *failure)
{
    if (!failure->text[0] || error == -ENOMEM)
        return clocks_out_of_memory();
    return clocks_fail(failure, status_of(error));
}

/* --- what --clock says --- */

static int take_own(struct watching *watching, const char *text, struct failure *failure)
{
    struct clocks_own own = {.text = text};
    int error = external_clock_parse(text, &own.clock, failure);
    if (error < 0)
        return error;
    for (size_t i = 0; i < watching->own_count; i++)
        if (strcmp(watching->own[i].clock.name, own.clock.name) == 0)
            return fail_with(failure, -EINVAL, "two clocks of --clock have the name '%s'",
                             own.clock.name);
    if (watching->own_count == MOST_OWN)
        return fail_with(failure, -EINVAL, "at most %u clocks can be brought along", MOST_OWN);
    struct clocks_own *grown = reallocarray(watching->own, watching->own_count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    watching->own = grown;
    grown[watching->own_count++] = own;
    return 0;
}

static int take_names(struct watching *watching, const char *text, struct failure *failure)
{
    struct external_clock clock;
    size_t before = watching->names.count;
    int error = string_list_add(&watching->names, text);
    if (error == -EINVAL)
        return fail_with(failure, error, "--clock has an empty name in '%.80s'", text);
    for (size_t i = before; i < watching->names.count && error == 0; i++)
        error = external_clock_parse(watching->names.items[i], &clock, failure);
    return error;
}

/* Sorts what --clock says, before a machine is reached. */
static int clocks_read_options(struct watching *watching)
{
    const struct string_list *given = &watching->run.options->clock;
    struct failure failure = {0};
    int error = 0;
    /* A command may have commas in it, so they only part what is no clock of a person's own. */
    for (size_t i = 0; i < given->count && error == 0; i++)
        error = strchr(given->items[i], '=') ? take_own(watching, given->items[i], &failure)
                                             : take_names(watching, given->items[i], &failure);
    return error < 0 ? refuse(error, &failure) : EXIT_DONE;
}

/* --- what the machine says to it --- */

static void put_candidates(const struct catalogue *catalogue, struct text *out)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        if (clocks_is_candidate(&catalogue->clocks[i]))
            text_printf(out, "%s%s", out->length ? ", " : "", catalogue->clocks[i].name);
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
    put_candidates(catalogue, &clocks);
    return fail_with(failure, -EINVAL,
                     "there is no clock '%.60s'; here there are %.400s. One of your own is "
                     "NAME=object:FILE:SYMBOL, NAME=ask:COMMAND or NAME=run:COMMAND",
                     name, clocks.length ? text_string(&clocks) : "none");
}

static int check_names(const struct watching *watching, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < watching->names.count && error == 0; i++)
        error = check_name(watching->catalogue, watching->names.items[i], failure);
    for (size_t i = 0; i < watching->own_count && error == 0; i++) {
        const char *name = watching->own[i].clock.name;
        if (catalogue_clock(watching->catalogue, name) ||
            absences_find(watching->catalogue, "clock", name) || strcmp(name, "outside") == 0)
            error =
                fail_with(failure, -EINVAL,
                          "a clock of your own cannot be named '%s': another has that name", name);
    }
    return error;
}

static int check_workloads(const struct string_list *asked, struct failure *failure)
{
    for (size_t i = 0; i < asked->count; i++) {
        const char *const *known = clocks_workloads;
        while (*known && strcmp(*known, asked->items[i]) != 0)
            known++;
        if (*known)
            continue;
        AUTO_TEXT struct text list = {0};
        for (known = clocks_workloads; *known; known++)
            text_printf(&list, "%s%s", list.length ? ", " : "", *known);
        return fail_with(failure, -EINVAL, "there is no workload '%.60s', but %s", asked->items[i],
                         text_string(&list));
    }
    return 0;
}

/* --- the study --- */

static int find_cpus(struct watching *watching, struct failure *failure)
{
    free(watching->cpus);
    watching->cpus = NULL;
    int error = core_allowed(watching->run.facts, &watching->cpus, &watching->study.cpu_count);
    watching->study.cpus = watching->cpus;
    return error < 0 ? fail_with(failure, error, "out of memory") : 0;
}

/* Where there are too many pairs of CPUs for the time it is said how many were chosen. */
static int tell_pairs(struct watching *watching)
{
    const struct clocks_plan *plan = &watching->plan;
    char what[120];
    if (plan->pairs == plan->all_pairs)
        return 0;
    snprintf(what, sizeof(what), "trips between %zu of %zu pairs of CPUs",
             plan->all_pairs - plan->pairs, plan->all_pairs);
    return skips_add(
        &watching->run.skips, what,
        "there are too many pairs for the time: a choice drawn from the seed, in which "
        "every CPU is, was made instead; a larger --budget holds more",
        0);
}

static int prepare(struct watching *watching, struct failure *failure)
{
    int error = check_names(watching, failure);
    if (error == 0)
        error = check_workloads(&watching->run.options->workload, failure);
    if (error == 0)
        error = find_cpus(watching, failure);
    return error;
}

static int plan(struct watching *watching, struct failure *failure)
{
    watching->study.own = watching->own;
    watching->study.own_count = watching->own_count;
    int error = clocks_plan_make(&watching->study, &watching->plan, failure);
    if (error == 0)
        error = tell_pairs(watching);
    if (error == 0)
        clocks_find_outside(watching);
    return error;
}

/* From options and the machine to the study and its plan. */
static int clocks_prepare(struct watching *watching)
{
    const struct clocks_options *options = watching->run.options;
    struct failure failure = {0};
    watching->study =
        (struct clocks_study){.catalogue = watching->catalogue,
                              .names = watching->names.items,
                              .name_count = watching->names.count,
                              .workloads = options->workload.items,
                              .workload_count = options->workload.count,
                              .cpu = core_last(watching->run.facts),
                              .quick = options->quick,
                              .emulated = facts_get(watching->run.facts, "emulated") != NULL,
                              .budget = watching->run.budget,
                              .seed = watching->run.seed};
    int error = prepare(watching, &failure);
    if (error < 0)
        return refuse(error, &failure);
    int status = clocks_try_own(watching);
    if (status != EXIT_DONE)
        return status;
    error = plan(watching, &failure);
    return error < 0 ? refuse(error, &failure) : EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * assay clocks: which clock can be trusted for an interval. */

/* ms; the last two on emulated machines. */
#define USUAL_BUDGET 112000u
#define QUICK_BUDGET 13000u
#define LONG_BUDGET  150000u
#define BRIEF_BUDGET 60000u

#define FIELD(name) offsetof(struct clocks_options, name)

static const struct option_spec specs[] = {
    {0, "clock", OPTION_FILES, "CLOCK",
     "judge these clocks alone: tsc,monotonic, ...; or one of your own beside the others: "
     "NAME=object:FILE:SYMBOL, NAME=ask:COMMAND or NAME=run:COMMAND, with NAME@HZ where it claims "
     "so many ticks a second; may be repeated",
     FIELD(clock), NULL},
    {0, "workload", OPTION_LIST, "WORK",
     "intervals of these alone: sleep, compute, spin, yield, faults, pipe; all unless given",
     FIELD(workload), NULL},
    {0, "quick", OPTION_FLAG, NULL, "fewer lengths and fewer intervals of each", FIELD(quick),
     NULL},
    {0, "budget", OPTION_BUDGET, "TIME",
     "spend about TIME, the least important intervals are left out: 20s, 5m; unless given 112s, "
     "with --quick 13s, on an emulated machine 150s, with --quick 60s",
     FIELD(budget), NULL},
    {0, "all", OPTION_FLAG, NULL,
     "show every interval, pair of CPUs and reason, instead of summing up", FIELD(all), NULL},
    {0, "from", OPTION_STRING, "FILE",
     "judge the run stored in FILE again, without touching a machine", FIELD(from), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given", FIELD(seed),
     NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

int clocks_fail(const struct failure *failure, int status)
{
    return deliver_failure("clocks", failure, status);
}

int clocks_out_of_memory(void)
{
    return deliver_out_of_memory("clocks");
}

/* --- the command line --- */

static int check_from(const struct clocks_options *options, struct failure *failure)
{
    if (!options->from)
        return 0;
    if (options->resume || options->store)
        return fail_with(failure, -EINVAL,
                         "--from judges a stored run again: --store and --resume measure one");
    if (options->clock.count || options->workload.count || options->quick || options->budget)
        return fail_with(failure, -EINVAL,
                         "--from judges everything that is stored: leave out --clock, --workload, "
                         "--quick and --budget");
    return 0;
}

static int check_resume(const struct clocks_options *options, struct failure *failure)
{
    if (!options->resume || (!options->clock.count && !options->workload.count && !options->quick))
        return 0;
    return fail_with(failure, -EINVAL,
                     "--resume goes on with what the run began with: leave out --clock, --workload "
                     "and --quick");
}

static int check_options(const struct clocks_options *options, int argument_count, char **arguments)
{
    struct failure failure = {0};
    int error = argument_count
                    ? fail_with(&failure, -EINVAL,
                                "'%.80s' is no option: clocks are named with --clock", arguments[0])
                    : 0;
    if (error == 0)
        error = check_from(options, &failure);
    if (error == 0)
        error = check_resume(options, &failure);
    if (error < 0)
        return clocks_fail(&failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0)
        return clocks_fail(&failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* --- the way through --- */

static void release(struct watching *watching)
{
    clocks_report_release(&watching->run.report);
    clocks_case_release(&watching->run.file);
    store_close(watching->store);
    session_close(watching->session);
    clocks_plan_free(&watching->plan);
    string_list_free(&watching->names);
    free(watching->own);
    free(watching->cpus);
    skips_free(&watching->run.skips);
    facts_free(&watching->stored_facts);
    options_release(&command_clocks, &watching->begun);
}

static uint64_t budget_of(const struct clocks_run *run)
{
    if (run->options->budget)
        return run->options->budget;
    if (facts_get(run->facts, "emulated"))
        return run->options->quick ? BRIEF_BUDGET : LONG_BUDGET;
    return run->options->quick ? QUICK_BUDGET : USUAL_BUDGET;
}

/* A wrong --clock is said before a machine is reached, where it can be. */
static int plan_and_store(struct watching *watching)
{
    bool resume = watching->run.options->resume;
    int status = EXIT_DONE;
    if (resume) {
        status = clocks_reopen_store(watching);
        if (status == EXIT_DONE)
            status = clocks_read_options(watching);
    }
    watching->run.budget = budget_of(&watching->run);
    if (status == EXIT_DONE)
        status = clocks_prepare(watching);
    if (status == EXIT_DONE)
        status = resume ? clocks_adopt_store(watching) : clocks_create_store(watching);
    return status;
}

static int on_the_machine(struct watching *watching)
{
    struct clocks_run *run = &watching->run;
    int status = clocks_read_options(watching);
    if (status == EXIT_DONE)
        status = reach_machine("clocks", &run->options->common, &watching->session,
                               &watching->catalogue);
    if (status != EXIT_DONE)
        return status;
    run->facts = &watching->catalogue->facts;
    run->once = run->options->common.via && strncmp(run->options->common.via, "lab:", 4) == 0;
    memcpy(run->fingerprint, watching->catalogue->fingerprint,
           sizeof(watching->catalogue->fingerprint));
    status = plan_and_store(watching);
    return status == EXIT_DONE ? clocks_measure(watching) : status;
}

static int judge(void *study)
{
    struct watching *watching = study;
    struct clocks_run *run = &watching->run;
    struct failure failure = {0};
    int error = watching->store ? clocks_load(watching->store, &run->file, &failure) : 0;
    if (error == 0)
        error = clocks_judge(&run->file, run->seed, &run->report);
    if (error == 0)
        error = clocks_collect_skips(watching);
    run->seconds = (double)(monotonic_ms() - watching->started) / 1000;
    return finish_judged("clocks", error, &failure);
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    clocks_put_report(run, style, out);
}

static json_t *results(const void *run)
{
    return clocks_results_json(run);
}

static json_t *analysis(const void *run)
{
    return clocks_analysis_json(run);
}

static json_t *findings(const void *run)
{
    return clocks_findings_json(run);
}

static json_t *figures(const void *run)
{
    return clocks_figures(run);
}

static int show(void *study, int status)
{
    const struct clocks_run *run = &((const struct watching *)study)->run;
    const struct finish finish = {.command = "clocks",
                                  .common = &run->options->common,
                                  .seed = run->seed,
                                  .facts = run->facts,
                                  .fingerprint = run->fingerprint,
                                  .skips = &run->skips,
                                  .nothing = finish_nothing(run->report.looks, run->complete),
                                  .run = run,
                                  .put_report = put_report,
                                  .results = results,
                                  .analysis = analysis,
                                  .findings = findings,
                                  .figures = figures};
    return finish_show(&finish, status);
}

static int run_clocks(void *parsed, int argument_count, char **arguments)
{
    const struct clocks_options *options = parsed;
    struct watching watching = {.run = {.options = options, .complete = true},
                                .started = monotonic_ms(),
                                .outside_cell = -1};
    int status = check_options(options, argument_count, arguments);
    if (status == EXIT_DONE) {
        watching.run.seed = gather_seed(&options->seed);
        status = options->from ? clocks_open_from(&watching) : on_the_machine(&watching);
        status = finish_study(status, watching.store != NULL, &watching, judge, show);
    }
    release(&watching);
    return status;
}

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
    .run = run_clocks,
};

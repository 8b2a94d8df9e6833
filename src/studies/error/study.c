/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay error: how many events measuring itself adds, by every way of measuring that a machine has.
 */
#include "studies/error/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "cli/deliver.h"
#include "cli/reach.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "output/output.h"
#include "study/error.h"

#define USUAL_BUDGET_MS 85000u
#define LONG_BUDGET_MS  180000u /* on emulated machines */
#define MOST_RUNS       10000u
#define MOST_PROCESSES  10000u

#define FIELD(name) offsetof(struct error_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST, "EVENT",
     "measure the error of these events instead of the usual ones; may be repeated, and events may "
     "stand without the option",
     FIELD(event), NULL},
    {'p', "path", OPTION_LIST, "PATH",
     "measure these paths alone: perf-read, perf-syscall, papi-low, ...; all unless given",
     FIELD(path), NULL},
    {0, "runs", OPTION_OPTIONAL, "R", "runs of a null cell in each process; 20 unless given",
     FIELD(runs), NULL},
    {0, "processes", OPTION_OPTIONAL, "P",
     "fresh processes of a null cell, the replicates of the analysis; 20 unless given, on an "
     "emulated machine 3",
     FIELD(processes), NULL},
    {0, "cpu", OPTION_I64, "CPU", "measure on this CPU; -1 leaves it to the scheduler", FIELD(cpu),
     "-1"},
    {0, "budget", OPTION_BUDGET, "TIME",
     "spend about TIME, the least important cells are left out: 20s, 5m; unless given 85s, on an "
     "emulated machine 3m, with --full no limit",
     FIELD(budget), NULL},
    {0, "full", OPTION_FLAG, NULL,
     "cross every event, path, pattern, -O level, link mode and number of counters, and loop up to "
     "1,000,000,000 times, which may take hours",
     FIELD(full), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every cell and every reason, instead of summing up",
     FIELD(all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; repeated, the machine is one "
     "more factor",
     FIELD(from), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of the processes from SEED; drawn and reported unless given", FIELD(seed),
     NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

int error_fail(const struct failure *failure, int status)
{
    return deliver_failure("error", failure, status);
}

int error_out_of_memory(void)
{
    return deliver_out_of_memory("error");
}

/* --- the command line --- */

static int check_from(const struct error_options *options, int argument_count,
                      struct failure *failure)
{
    if (!options->from.count)
        return 0;
    if (options->resume || options->store)
        return fail_with(failure, -EINVAL,
                         "--from judges stored runs again: --store and --resume measure one");
    if (argument_count || options->event.count || options->path.count)
        return fail_with(failure, -EINVAL,
                         "--from judges everything that is stored: leave out events and --path");
    return 0;
}

static int check_resume(const struct error_options *options, int argument_count,
                        struct failure *failure)
{
    if (!options->resume ||
        (!argument_count && !options->event.count && !options->path.count && !options->runs.given &&
         !options->processes.given && options->cpu == -1))
        return 0;
    return fail_with(failure, -EINVAL,
                     "--resume goes on with what the run began with: leave out events, --path, "
                     "--runs, --processes and --cpu");
}

static int check_options(const struct error_options *options, int argument_count)
{
    struct failure failure = {0};
    int error = check_from(options, argument_count, &failure);
    if (error == 0)
        error = check_resume(options, argument_count, &failure);
    if (error == 0)
        error = options_check_number("runs", &options->runs, MOST_RUNS, &failure);
    if (error == 0)
        error = options_check_number("processes", &options->processes, MOST_PROCESSES, &failure);
    if (error == 0 && (options->cpu < -1 || options->cpu > INT32_MAX))
        error = fail_with(&failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    if (error < 0)
        return error_fail(&failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0)
        return error_fail(&failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* Options and arguments alike name events. */
static int keep_asked(struct erring *erring, int argument_count, char **arguments)
{
    const struct string_list *named = &erring->options->event;
    int error = 0;
    for (size_t i = 0; i < named->count && error == 0; i++)
        error = string_list_push(&erring->asked, named->items[i], strlen(named->items[i]));
    for (int i = 0; i < argument_count && error == 0; i++)
        error = string_list_push(&erring->asked, arguments[i], strlen(arguments[i]));
    if (error == 0)
        return EXIT_DONE;
    struct failure failure = {0};
    fail_with(&failure, error, "an event has no name");
    return error == -ENOMEM ? error_out_of_memory() : error_fail(&failure, EXIT_USAGE);
}

/* --- the way through --- */

static void release(struct erring *erring)
{
    error_report_release(&erring->report);
    error_case_release(&erring->file);
    store_close(erring->store);
    session_close(erring->session);
    error_plan_free(&erring->plan);
    tried_free(&erring->tried);
    free(erring->events);
    string_list_free(&erring->asked);
    skips_free(&erring->skips);
    facts_free(&erring->stored_facts);
    options_release(&command_error, &erring->begun);
}

static uint64_t budget_of(const struct erring *erring)
{
    if (erring->options->budget || erring->options->full)
        return erring->options->budget;
    return facts_get(erring->facts, "emulated") ? LONG_BUDGET_MS : USUAL_BUDGET_MS;
}

static int on_the_machine(struct erring *erring)
{
    int status =
        reach_machine("error", &erring->options->common, &erring->session, &erring->catalogue);
    if (status != EXIT_DONE)
        return status;
    erring->facts = &erring->catalogue->facts;
    memcpy(erring->fingerprint, erring->catalogue->fingerprint,
           sizeof(erring->catalogue->fingerprint));
    status = erring->options->resume ? error_reopen_store(erring) : error_find_events(erring);
    erring->budget = budget_of(erring);
    if (status == EXIT_DONE && !erring->options->resume)
        status = error_prepare(erring);
    if (status == EXIT_DONE && !erring->options->resume)
        status = error_create_store(erring);
    return status == EXIT_DONE ? error_measure(erring) : status;
}

static int judge(void *study)
{
    struct erring *erring = study;
    struct failure failure = {0};
    int error = 0;
    /* Stored runs that are judged again were loaded when they were opened. */
    if (erring->store && !erring->options->from.count)
        error = error_load(erring->store, &erring->file, &failure);
    if (error == 0)
        error = error_judge(&erring->file, erring->seed, &erring->report);
    if (error == 0)
        error = error_collect_skips(erring);
    erring->seconds = (double)(monotonic_ms() - erring->started) / 1000;
    return finish_judged("error", error, &failure);
}

static void put_report(const void *erring, const struct style *style, struct text *out)
{
    error_put_report(erring, style, out);
}

static json_t *results(const void *erring)
{
    return error_results_json(erring);
}

static json_t *analysis(const void *erring)
{
    return error_analysis_json(erring);
}

static json_t *findings(const void *erring)
{
    return error_findings_json(erring);
}

static json_t *figures(const void *erring)
{
    return error_figures(erring);
}

static int show(void *study, int status)
{
    const struct erring *erring = study;
    const struct finish finish = {.command = "error",
                                  .common = &erring->options->common,
                                  .seed = erring->seed,
                                  .facts = erring->facts,
                                  .fingerprint = erring->fingerprint,
                                  .skips = &erring->skips,
                                  .nothing =
                                      finish_nothing(erring->report.measurements, erring->complete),
                                  .run = erring,
                                  .put_report = put_report,
                                  .results = results,
                                  .analysis = analysis,
                                  .findings = findings,
                                  .figures = figures};
    return finish_show(&finish, status);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct error_options *options = parsed;
    struct erring erring = {.options = options, .started = monotonic_ms(), .complete = true};
    int status = check_options(options, argument_count);
    if (status == EXIT_DONE)
        status = keep_asked(&erring, argument_count, arguments);
    if (status == EXIT_DONE) {
        erring.seed = gather_seed(&options->seed);
        status = options->from.count ? error_open_from(&erring) : on_the_machine(&erring);
        status = finish_study(status, erring.store != NULL, &erring, judge, show);
    }
    release(&erring);
    return status;
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done"},
    EXIT_ROW_FAILED,
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "nothing can be measured here, and the reasons were said"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept and judged"},
    {0, NULL},
};

const struct command command_error = {
    .name = "error",
    .group = GROUP_STUDY,
    .summary = "what measuring itself adds to a count, by every way of measuring",
    .synopsis = "[options] [EVENT...]",
    .description =
        "Counts a window with nothing in it: whatever is reported there is error, and belongs to "
        "the way of measuring. Every path, pattern, -O level and link mode that the machine has is "
        "measured in fresh processes, in random order; then numbers and choices of counters, loops "
        "of growing length, one loop at many places in memory, and more events than counters.\n\n"
        "On machines whose CPU offers counters the events are instructions and cycles in user "
        "mode, in the operating system's, and in both; on every machine what can be opened of "
        "ticks, task-clock, system calls and page faults. The same windows are executed step by "
        "step, which gives the exact number of instructions in user mode on any machine that "
        "can be stepped, with or without a counter.\n\n"
        "The result says which pattern of each path errs least, what to subtract, which factors "
        "matter and which do not, whether the error grows with time or with counters, and how the "
        "findings of Zaparanuks, Jovic and Hauswirth (ISPASS 2009) fare on this machine.\n\n"
        "Everything is stored, so that --from judges it again without the machine.",
    .examples = "# which way of measuring should be used here, and what does it add?\n"
                "assay error\n"
                "# a first look\n"
                "assay error --budget 20s\n"
                "# one event, through two paths\n"
                "assay error page-faults --path perf-read,papi-low\n"
                "# an emulated machine, whose counter and stepping must agree\n"
                "assay error --via lab:aarch64\n"
                "# does the machine matter? Two stored runs together\n"
                "assay error --from here.sqlite --from there.sqlite",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct error_options),
    .run = run,
};

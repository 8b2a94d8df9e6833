/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay overhead: what start, stop and read cost a program that measures itself. */
#include "studies/overhead/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "cli/deliver.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "cli/overhead-run.h"
#include "cli/reach.h"
#include "judge/overhead/clock.h"
#include "output/output.h"
#include "study/overhead.h"

#define USUAL_BUDGET_MS 85000u
#define LONG_BUDGET_MS  180000u /* on emulated machines */
#define MOST_PROCESSES  10000u

#define FIELD(name) offsetof(struct overhead_options, name)

static const struct option_spec specs[] = {
    {'p', "path", OPTION_LIST, "PATH",
     "measure the calls of these paths alone: perf-read, perf-user, papi-low, assay, ...; all "
     "unless given",
     FIELD(path), NULL},
    {0, "meter", OPTION_LIST, "METER",
     "read these around every call: clock/ticks/, or up to three counters that user code can read, "
     "such as instructions:u,instructions:k; unless given ticks, and instructions where they "
     "can be read",
     FIELD(meter), NULL},
    {0, "counted", OPTION_STRING, "EVENT",
     "start, stop and read counters of EVENT; unless given instructions:u or, where that does not "
     "open, page-faults",
     FIELD(counted), NULL},
    {0, "processes", OPTION_OPTIONAL, "P",
     "fresh processes of every tour; unless given up to 96 of a warm and 360 of a cold one, on an "
     "emulated machine 9 and 12",
     FIELD(processes), NULL},
    {0, "cpu", OPTION_I64, "CPU",
     "measure on this CPU; -1 takes the last one that may be used, because the first ones serve "
     "most interrupts",
     FIELD(cpu), "-1"},
    {0, "budget", OPTION_BUDGET, "TIME",
     "spend about TIME, the least important tours are left out: 20s, 5m; unless given 85s, on an "
     "emulated machine 3m, with --full no limit",
     FIELD(budget), NULL},
    {0, "full", OPTION_FLAG, NULL,
     "four times as many processes, twice as many passes, up to 16 events", FIELD(full), NULL},
    {0, "all", OPTION_FLAG, NULL, "show every variant, pair and reason, instead of summing up",
     FIELD(all), NULL},
    {0, "from", OPTION_FILES, "FILE",
     "judge the run stored in FILE again, without touching a machine; repeated, machines and "
     "operating systems stand side by side",
     FIELD(from), NULL},
    {0, "seed", OPTION_SEED, "SEED",
     "draw the order of calls and processes from SEED; drawn and reported unless given",
     FIELD(seed), NULL},
    OPTION_ROW_STORE(FIELD(store)),
    OPTION_ROW_RESUME(FIELD(resume)),
    {0},
};

int overhead_fail(const struct failure *failure, int status)
{
    return deliver_failure("overhead", failure, status);
}

int overhead_out_of_memory(void)
{
    return deliver_out_of_memory("overhead");
}

/* --- the command line --- */

static int check_from(const struct overhead_options *options, struct failure *failure)
{
    if (!options->from.count)
        return 0;
    if (options->resume || options->store)
        return fail_with(failure, -EINVAL,
                         "--from judges stored runs again: --store and --resume measure one");
    if (options->path.count || options->meter.count || options->counted)
        return fail_with(failure, -EINVAL,
                         "--from judges everything that is stored: leave out --path, --meter and "
                         "--counted");
    return 0;
}

static int check_resume(const struct overhead_options *options, struct failure *failure)
{
    if (!options->resume || (!options->path.count && !options->meter.count && !options->counted &&
                             !options->processes.given && options->cpu == -1))
        return 0;
    return fail_with(failure, -EINVAL,
                     "--resume goes on with what the run began with: leave out --path, --meter, "
                     "--counted, --processes and --cpu");
}

static int check_options(const struct overhead_options *options, int argument_count,
                         char **arguments)
{
    struct failure failure = {0};
    int error = argument_count ? fail_with(&failure, -EINVAL,
                                           "'%.80s' is no option: events are named with --counted "
                                           "and --meter",
                                           arguments[0])
                               : 0;
    if (error == 0)
        error = check_from(options, &failure);
    if (error == 0)
        error = check_resume(options, &failure);
    if (error == 0)
        error = options_check_number("processes", &options->processes, MOST_PROCESSES, &failure);
    if (error == 0 && (options->cpu < -1 || options->cpu > INT32_MAX))
        error = fail_with(&failure, -EINVAL, "--cpu must be the number of a CPU, or -1");
    if (error < 0)
        return overhead_fail(&failure, EXIT_USAGE);
    if (output_check(options->common.output, &failure) < 0)
        return overhead_fail(&failure, EXIT_FAILED);
    return EXIT_DONE;
}

/* --- the way through --- */

static void release(struct touring *touring)
{
    overhead_report_release(&touring->run.report);
    overhead_case_release(&touring->run.file);
    store_close(touring->store);
    session_close(touring->session);
    overhead_plan_free(&touring->plan);
    tried_free(&touring->tried);
    skips_free(&touring->run.skips);
    facts_free(&touring->stored_facts);
    free(touring->begun_counted);
    options_release(&command_overhead, &touring->begun);
}

static uint64_t budget_of(const struct overhead_run *run)
{
    if (run->options->budget || run->options->full)
        return run->options->budget;
    return facts_get(run->facts, "emulated") ? LONG_BUDGET_MS : USUAL_BUDGET_MS;
}

static int on_the_machine(struct touring *touring)
{
    struct overhead_run *run = &touring->run;
    bool resume = run->options->resume;
    int status =
        reach_machine("overhead", &run->options->common, &touring->session, &touring->catalogue);
    if (status != EXIT_DONE)
        return status;
    run->facts = &touring->catalogue->facts;
    memcpy(run->fingerprint, touring->catalogue->fingerprint,
           sizeof(touring->catalogue->fingerprint));
    status = resume ? overhead_reopen_store(touring) : overhead_find_events(touring);
    run->budget = budget_of(run);
    if (status == EXIT_DONE && !resume)
        status = overhead_prepare(touring);
    if (status == EXIT_DONE && !resume)
        status = overhead_create_store(touring);
    return status == EXIT_DONE ? overhead_measure(touring) : status;
}

static int judge(void *study)
{
    struct touring *touring = study;
    struct overhead_run *run = &touring->run;
    struct failure failure = {0};
    int error = 0;
    /* Stored runs that are judged again were loaded when they were opened. */
    if (touring->store && !run->options->from.count)
        error = overhead_load(touring->store, &run->file, &failure);
    if (error == 0)
        error = overhead_read_clocks(&run->file);
    if (error == 0)
        error = overhead_judge(&run->file, run->seed, &run->report);
    if (error == 0)
        error = overhead_collect_skips(touring);
    run->seconds = (double)(monotonic_ms() - touring->started) / 1000;
    return finish_judged("overhead", error, &failure);
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    overhead_put_report(run, style, out);
}

static json_t *results(const void *run)
{
    return overhead_results_json(run);
}

static json_t *analysis(const void *run)
{
    return overhead_analysis_json(run);
}

static json_t *findings(const void *run)
{
    return overhead_findings_json(run);
}

static json_t *figures(const void *run)
{
    return overhead_figures(run);
}

static int show(void *study, int status)
{
    const struct overhead_run *run = &((const struct touring *)study)->run;
    const struct finish finish = {.command = "overhead",
                                  .common = &run->options->common,
                                  .seed = run->seed,
                                  .facts = run->facts,
                                  .fingerprint = run->fingerprint,
                                  .skips = &run->skips,
                                  .nothing = finish_nothing(run->report.calls, run->complete),
                                  .run = run,
                                  .put_report = put_report,
                                  .results = results,
                                  .analysis = analysis,
                                  .findings = findings,
                                  .figures = figures};
    return finish_show(&finish, status);
}

static int run_overhead(void *parsed, int argument_count, char **arguments)
{
    const struct overhead_options *options = parsed;
    struct touring touring = {.run = {.options = options, .complete = true},
                              .started = monotonic_ms()};
    int status = check_options(options, argument_count, arguments);
    if (status == EXIT_DONE) {
        touring.run.seed = gather_seed(&options->seed);
        status = options->from.count ? overhead_open_from(&touring) : on_the_machine(&touring);
        status = finish_study(status, touring.store != NULL, &touring, judge, show);
    }
    release(&touring);
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

const struct command command_overhead = {
    .name = "overhead",
    .group = GROUP_STUDY,
    .summary = "what start, stop and read cost, by every way of calling them",
    .synopsis = "[options]",
    .description =
        "Meters single calls: what a program that measures itself pays for starting, stopping and "
        "reading counters, through libc, by system calls of its own, in user code, through PAPI, "
        "LIKWID and libassay, and for a whole command under perf stat. What was called before "
        "changes what a call costs, so calls are made in tours that hold every pair of calls once, "
        "in several random orders, and the predecessor is a factor of the result.\n\n"
        "Warm tours repeat their calls in dozens of processes; cold ones take hundreds, whose "
        "first "
        "calls are first calls: nothing was bound or touched before. Every process runs on one "
        "CPU. "
        "A block of work that is the tour's own tells when somebody else used the core: such "
        "passes "
        "are kept apart. What metering itself costs is measured by calls of nothing, and "
        "removed.\n\n"
        "The meter is the clock of ticks and, where user code can read counters of the CPU, "
        "instructions in user mode and in the operating system's. On emulated machines time means "
        "nothing: instructions are metered, which are exact there, and ticks of a clock that "
        "counts "
        "instructions.\n\n"
        "The result says what each call costs cold and warm, after which call, by the number of "
        "events and of reads in a row; what peers cost beside bare calls; and how the findings of "
        "Weaver (ISPASS 2015) fare on this machine. Everything is stored, so that --from judges it "
        "again without the machine, and sets several machines or operating systems side by side.",
    .examples = "# what does measuring cost here?\n"
                "assay overhead\n"
                "# a first look\n"
                "assay overhead --budget 20s\n"
                "# two ways of reading, side by side\n"
                "assay overhead --path perf-read,papi-low\n"
                "# an emulated machine, in exact numbers of instructions\n"
                "assay overhead --via lab:aarch64\n"
                "# does the operating system matter? Stored runs together\n"
                "assay overhead --from old.sqlite --from new.sqlite",
    .options = specs,
    .exits = exits,
    .options_size = sizeof(struct overhead_options),
    .run = run_overhead,
};

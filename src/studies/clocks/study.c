/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay clocks: which clock can be trusted for an interval. */
#include "studies/clocks/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "cli/clocks-run.h"
#include "cli/deliver.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "cli/reach.h"
#include "output/output.h"
#include "study/clocks.h"

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

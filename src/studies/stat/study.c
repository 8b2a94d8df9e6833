/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay stat: counts of a command, corrected, with their uncertainty and how far each event can be
 * trusted. */
#include "studies/stat/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "engine/command-line.h"
#include "cli/command-status.h"
#include "cli/deliver.h"
#include "engine/finish.h"
#include "cli/reach.h"
#include "cli/signals.h"
#include "output/output.h"

#define FIELD(name) offsetof(struct stat_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST, "EVENT",
     "what to count, with commas or repeated; unless given what perf stat counts, as far as this "
     "machine offers it",
     FIELD(events), NULL},
    {'r', "repeat", OPTION_U64, "N",
     "execute it N times: counts are means, and their bars hold how the program varies",
     FIELD(repeat), "1"},
    {0, "controlled", OPTION_FLAG, NULL,
     "hold constant what makes counts differ: addresses, environment, CPU, hash seeds and so on, "
     "as `assay repeat` does",
     FIELD(controlled), NULL},
    OPTION_ROW_KEEP(FIELD(keep)),
    {'i', "input", OPTION_STRING, "FILE",
     "its standard input; unless given that of assay where the command is executed on this "
     "machine and is not controlled, else nothing",
     FIELD(input), NULL},
    {0, "directory", OPTION_STRING, "DIR", "where it works; unless given where assay was started",
     FIELD(directory), NULL},
    OPTION_ROW_BRING(FIELD(bring)),
    {0, "cpu", OPTION_OPTIONAL, "CPU",
     "the CPU that it stays on, with its threads and children; unless given it is free, and "
     "controlled it stays on the last that may be used",
     FIELD(cpu), NULL},
    {0, "timeout", OPTION_DURATION, "TIME",
     "end it when it takes longer; unless given it may take "
     "as long as it likes",
     FIELD(timeout), NULL},
    {0, "csv", OPTION_FLAG, NULL, "write comma-separated values", FIELD(csv), NULL},
    OPTION_ROW_FROM(FIELD(from)),
    OPTION_ROW_STORE(FIELD(store)),
    {0},
};

#define ONLY_COMMANDS "stat counts a command that it starts itself"

/* Options of perf stat that are not here. */
static const struct option_hint hints[] = {
    {"p", ONLY_COMMANDS "; what runs already is counted by `perf stat -p PID`"},
    {"pid", ONLY_COMMANDS "; what runs already is counted by `perf stat -p PID`"},
    {"t", ONLY_COMMANDS "; what runs already is counted by `perf stat -t TID`"},
    {"tid", ONLY_COMMANDS "; what runs already is counted by `perf stat -t TID`"},
    {"a", ONLY_COMMANDS ", not the whole machine; `perf stat -a` does"},
    {"all-cpus", ONLY_COMMANDS ", not the whole machine; `perf stat -a` does"},
    {"C", ONLY_COMMANDS ", not all that a CPU does; --cpu CPU holds the command on one"},
    {"I", "counts are read when the command has ended; -r N tells how they vary, `perf stat -I MS` "
          "how they grow"},
    {"interval-print",
     "counts are read when the command has ended; -r N tells how they vary, `perf "
     "stat -I MS` how they grow"},
    {"x", "--csv writes comma-separated values"},
    {"field-separator", "--csv writes comma-separated values"},
    {"d", "name what to count: -e l1d-loads,l1d-load-misses; `assay events` lists what there is"},
    {"detailed",
     "name what to count: -e l1d-loads,l1d-load-misses; `assay events` lists what there is"},
    {"resume", "executing a command again is another run; each begins anew"},
    {0},
};

int stat_fail(const struct failure *failure)
{
    return deliver_failure("stat", failure, EXIT_OURS);
}

/* --- what the options say --- */

static int check_from(const struct stat_options *options, int word_count, struct failure *failure)
{
    const struct beside_from beside[] = {
        {"the command", word_count},         {"--event", options->events.count},
        {"--repeat", options->repeat != 1},  {"--controlled", options->controlled},
        {"--keep", options->keep.count},     {"--input", options->input},
        {"--directory", options->directory}, {"--bring", options->bring.count},
        {"--cpu", options->cpu.given},       {"--timeout", options->timeout},
        {"--store", options->store}};
    return stored_run_check(options->from, beside, sizeof(beside) / sizeof(*beside), failure);
}

static int take_options(struct stat_run *run, int word_count, char **words, struct failure *failure)
{
    const struct stat_options *options = run->options;
    if (options->common.json && options->csv)
        return fail_with(failure, -EINVAL, "--json and --csv: take one of them");
    if (options->from) {
        int refused = check_from(options, word_count, failure);
        return refused ? refused : output_check(options->common.output, failure);
    }
    if (!word_count)
        return fail_with(failure, -EINVAL,
                         "say which command to count: assay stat -- ls, for example. Try `assay "
                         "stat --help`.");
    if (options->repeat < 1 || options->repeat > STAT_MOST_RUNS)
        return fail_with(failure, -EINVAL, "--repeat must be from 1 to %u", STAT_MOST_RUNS);
    run->repeat = options->repeat;
    run->timeout = options->timeout;
    run->is_controlled = options->controlled;
    run->asked = options->events.count > 0;
    int error = command_line_keep(&options->keep, &run->keep, failure);
    if (error == 0)
        error = output_check(options->common.output, failure);
    if (error == 0)
        error =
            command_line_join((const char *const *)words, (size_t)word_count, &run->line, failure);
    run->name = error == 0 ? command_line_name(words[0]) : NULL;
    if (error == 0 && !run->name)
        error = fail_with(failure, -ENOMEM, "out of memory");
    return error;
}

/* --- the machine --- */

/* What is named by an option is controlled, also where the rest is as it is. */
static int prepare(struct stat_run *run, struct failure *failure)
{
    const struct stat_options *options = run->options;
    run->controls = options->controlled ? CONTROLS_ALL : 0;
    if (options->cpu.given)
        run->controls |= CONTROL_BIT(CONTROL_CPU);
    if (options->directory)
        run->controls |= CONTROL_BIT(CONTROL_DIRECTORY);
    int error = command_line_cpu(&run->catalogue->facts, &options->cpu, &run->cpu, failure);
    if (run->cpu < 0)
        run->controls &= ~CONTROL_BIT(CONTROL_CPU);
    if (error == 0)
        error = command_line_bring(run->session, &options->bring, failure);
    if (error == 0)
        error = stat_take_input(run, failure);
    if (error == 0)
        error = command_line_directory(options->common.via, options->directory, &run->directory,
                                       failure);
    return error;
}

/* --- the end --- */

int stat_status(const struct stat_run *run)
{
    if (run->was_interrupted && !run->reader_ended)
        return signals_status();
    for (size_t i = 0; i < run->run_count; i++)
        if (run->runs[i].status)
            return command_exit(run->runs[i].status);
    return EXIT_DONE;
}

static void put_report(const void *run, const struct style *style, struct text *out)
{
    if (((const struct stat_run *)run)->options->csv)
        stat_put_csv(run, out);
    else
        stat_put_report(run, style, out);
}

static json_t *results(const void *run)
{
    return stat_results_json(run);
}

static json_t *analysis(const void *run)
{
    return stat_analysis_json(run);
}

static json_t *skipped(const void *run)
{
    return stat_skipped_json(run);
}

/* Programs read the report from standard output; for people that is the command's own, and the
 * report stands beside it. */
static int show(const struct stat_run *run, int status)
{
    const struct common_options *common = &run->options->common;
    const struct finish finish = {.command = "stat",
                                  .common = common,
                                  .unseeded = true,
                                  .facts = run->facts,
                                  .fingerprint = run->fingerprint,
                                  .aside =
                                      !common->json && !run->options->csv && !run->options->from,
                                  .undelivered = EXIT_OURS,
                                  .run = run,
                                  .put_report = put_report,
                                  .results = results,
                                  .analysis = analysis,
                                  .skipped = skipped};
    return finish_show(&finish, status);
}

/* It was not executed. */
static int refuse(const struct stat_run *run)
{
    const int status = command_exit_of_error(run->error);
    deliver_message("stat", run->reason);
    return run->options->common.json || run->options->common.retold ? show(run, status) : status;
}

static void release_event(struct stat_event *event)
{
    free(event->name);
    free(event->kind);
    free(event->class);
    free(event->reason);
    free(event->runs);
    free(event->nulls);
}

static void release(struct stat_run *run)
{
    stat_end_input(run);
    for (size_t i = 0; i < run->event_count; i++)
        release_event(&run->events[i]);
    free(run->events);
    for (size_t i = 0; i < run->cell_count; i++)
        cell_release(&run->cells[i]);
    free(run->cells);
    free(run->runs);
    free(run->null_accounts);
    latest_verdicts_free(&run->latest);
    store_close(run->store);
    session_close(run->session);
    free(run->line);
    free(run->name);
    free(run->input);
    free(run->directory);
    free(run->keep);
    free(run->reason);
    free(run->known_refusal);
    stored_run_release(&run->stored);
}

static int judge(struct stat_run *run)
{
    struct failure failure = {0};
    if (stat_load(run, &failure) < 0)
        return stat_fail(&failure);
    stat_find_trust(run);
    stat_load_paces(run);
    if (stat_judge_all(run) == 0)
        return EXIT_DONE;
    deliver_out_of_memory("stat");
    return EXIT_OURS;
}

/* How far it came, where that is not all. What starting adds was learnt by other processes, which
 * are nobody's business here. */
static void say_what_is_missing(const struct stat_run *run)
{
    char words[200];
    size_t whole = 0;
    if (run->unwritten) {
        snprintf(words, sizeof(words), "what the command writes cannot be passed on: %s",
                 strerror(run->unwritten));
        deliver_message("stat", words);
    }
    for (size_t i = 0; i < run->run_count; i++)
        whole += !run->runs[i].broken_off;
    if (!run->was_interrupted || whole == run->repeat)
        return;
    snprintf(words, sizeof(words), "%s after %zu of %llu executions",
             run->reader_ended ? "nobody reads what the command writes: ended" : "interrupted",
             whole, (unsigned long long)run->repeat);
    deliver_message("stat", words);
}

static int run_stat(struct stat_run *run)
{
    struct failure failure = {0};
    int status = reach_machine("stat", &run->options->common, &run->session, &run->catalogue);
    if (status != EXIT_DONE)
        return status == EXIT_INTERRUPTED ? status : EXIT_OURS;
    run->facts = &run->catalogue->facts;
    run->fingerprint = run->catalogue->fingerprint;
    if (prepare(run, &failure) < 0)
        return stat_fail(&failure);
    status = stat_find_events(run);
    if (status == EXIT_DONE)
        status = stat_execute(run);
    if (status == EXIT_DONE && run->reason)
        return refuse(run);
    if (status == EXIT_DONE)
        status = judge(run);
    const bool none = status == EXIT_DONE && !run->run_count;
    if (none || status == EXIT_INTERRUPTED) {
        deliver_message("stat", "interrupted before the command had ended: nothing was counted");
        return signals_status();
    }
    if (status != EXIT_DONE)
        return status;
    say_what_is_missing(run);
    status = show(run, stat_status(run));
    return status == EXIT_DONE && run->unwritten ? EXIT_OURS : status;
}

/* How the command ended is told; showing it again went well. */
static int show_again(struct stat_run *run)
{
    const uint64_t began = monotonic_ns();
    int status = stat_open_from(run);
    if (status == EXIT_DONE && run->reason)
        return refuse(run);
    if (status == EXIT_DONE)
        status = judge(run);
    run->seconds = (double)(monotonic_ns() - began) / 1e9;
    if (status == EXIT_DONE && !run->run_count) {
        deliver_message("stat", "the run was interrupted before the command had ended: nothing was "
                                "counted");
        return EXIT_OURS;
    }
    return status == EXIT_DONE ? show(run, EXIT_DONE) : status;
}

static int run(void *parsed, int argument_count, char **arguments)
{
    struct stat_run run = {.options = parsed, .cpu = -1, .relayed = -1};
    struct failure failure = {0};
    int status = take_options(&run, argument_count, arguments, &failure) < 0 ? stat_fail(&failure)
                 : run.options->from                                         ? show_again(&run)
                                                                             : run_stat(&run);
    release(&run);
    return status;
}

static const struct exit_meaning exits[] = {
    {0, "the command's own, up to 123; with -r the first that is not 0"},
    {EXIT_TIMED_OUT, "its time was over (--timeout)"},
    {EXIT_OURS, "assay itself failed, or wrong usage"},
    {EXIT_NOT_RUN, "the command was found, but cannot be executed"},
    {EXIT_NOT_FOUND, "there is no such command"},
    {EXIT_BY_SIGNAL, "and more: a signal ended the command, 128 + its number"},
    {EXIT_INTERRUPTED, "interrupted, however the command ended then; 143 by SIGTERM"},
    {0},
};

const struct command command_stat = {
    .name = "stat",
    .group = GROUP_PROGRAM,
    .summary = "count events of a command, corrected, with error bars and trust",
    .synopsis = "[options] -- COMMAND [ARGUMENT...]",
    .description =
        "Executes a command and counts events of it, threads and children with it, as perf stat "
        "does; and says of each count what is known of its error. The command writes to assay's "
        "own standard output and error; from another machine (--via) that is relayed. The counts "
        "follow on standard error, or go to -o FILE.\n\n"
        "count is what was read. corrected is that less what starting and counting a program adds "
        "on this machine, learnt in the same run from a program of the kit whose counts are known; "
        "where no such truth exists the count stands as it is. ± is half of the 95 % interval: it "
        "holds the spread of what starting adds, of events that had to share a counter, with "
        "-r N of the program itself, and of times how the machine drifts between invocations. "
        "Nothing is executed to warm up. trust is the latest verdict of `assay validate` on the "
        "event, "
        "with the cause where it is not good (docs/stat.md).\n\n"
        "Where perf_event is refused, or nothing can be counted, the command is executed all the "
        "same: time, page faults and context switches come from the operating system's account of "
        "the process.\n\n"
        "With --json or --csv the result goes to standard output, and what the command writes to "
        "standard error, unless -o FILE takes the result. Ctrl-C ends the command, and what was "
        "counted until then is shown. No shell is between assay and the command.",
    .examples = "# what perf stat would count\n"
                "assay stat -- ls -l\n"
                "# how much do page faults vary?\n"
                "assay stat -r 10 -e page-faults -- perl -e 1\n"
                "# hold everything constant, instructions of the program alone\n"
                "assay stat --controlled -r 5 -e instructions:u -- gzip -c data.txt\n"
                "# for a script\n"
                "assay stat --json -o counts.json -- make",
    .options = specs,
    .hints = hints,
    .exits = exits,
    .passes_on = true,
    .options_size = sizeof(struct stat_options),
    .run = run,
};

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay stat: counts of a command, corrected, with their uncertainty and how far each event can be
 * trusted. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/command-line.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/options.h"
#include "output/output.h"
#include "studies/stat/study.h"

#define STAT_MOST_RUNS 100000u

/* ----------------------------------------------------------------------------------------------
 * Standard input of a command that is executed on this machine: assay's own. The program opens it
 * by assay's number in /proc, so that it reads the very pipe, terminal or file. What cannot be
 * opened a second time as it stands (a socket, a named pipe, a file of which a part was read) is
 * passed on by a process through a pipe. */

#define PASSED_BYTES 65536

/* Opened again, is it the same, from the same place? */
static bool opens_again(void)
{
    struct stat about;
    struct statfs system;
    if (fstat(STDIN_FILENO, &about) < 0)
        return true; /* whatever it is, opening it says so */
    if (S_ISFIFO(about.st_mode))
        return fstatfs(STDIN_FILENO, &system) == 0 && system.f_type == PIPEFS_MAGIC;
    if (S_ISREG(about.st_mode))
        return lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 && access("/proc/self/fd/0", R_OK) == 0;
    return !S_ISSOCK(about.st_mode) && access("/proc/self/fd/0", R_OK) == 0;
}

static void __attribute__((noreturn)) pass_on(int to, pid_t assay)
{
    static char bytes[PASSED_BYTES];
    ssize_t got;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    if (getppid() != assay)
        _exit(0);
    for (int fd = STDERR_FILENO + 1; fd < to; fd++)
        close(fd);
    while ((got = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
        for (ssize_t at = 0, more; at < got; at += more)
            if ((more = write(to, bytes + at, (size_t)(got - at))) <= 0)
                _exit(0);
    _exit(0);
}

static int start_relay(struct stat_run *run, struct failure *failure)
{
    int ends[2];
    const pid_t assay = getpid();
    if (pipe2(ends, O_CLOEXEC) < 0)
        return fail_with(failure, -errno, "cannot make a pipe: %s", strerror(errno));
    run->relayed = ends[0];
    run->relay = fork();
    if (run->relay == 0)
        pass_on(ends[1], assay);
    const int error = errno;
    close(ends[1]);
    if (run->relay > 0)
        return 0;
    run->relay = 0;
    return fail_with(failure, -error, "cannot start a process: %s", strerror(error));
}

/* Standard input as the command finds it. */
static int stat_take_input(struct stat_run *run, struct failure *failure)
{
    const struct stat_options *options = run->options;
    const bool here = strcmp(options->common.via, "local") == 0;
    int error =
        command_line_input(run->session, options->common.via, options->input, &run->input, failure);
    if (error == 0 && options->input)
        run->controls |= CONTROL_BIT(CONTROL_STDIN);
    if (error < 0 || options->input || options->controlled)
        return error;
    run->no_input = !here;
    if (!here)
        return 0;
    if (!opens_again())
        error = start_relay(run, failure);
    if (error < 0)
        return error;
    struct text input = {0};
    text_printf(&input, "/proc/%d/fd/%d", (int)getpid(), run->relay ? run->relayed : STDIN_FILENO);
    run->input = text_take(&input);
    /* Opened as a file, not fed through a pipe by the probe. */
    run->controls |= CONTROL_BIT(CONTROL_STDIN);
    return 0;
}

static void stat_end_input(struct stat_run *run)
{
    if (run->relay > 0) {
        kill(run->relay, SIGKILL);
        while (waitpid(run->relay, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    run->relay = 0;
    cleanup_close(&run->relayed);
    run->relayed = -1;
}

/* ----------------------------------------------------------------------------------------------
 * The store of an earlier `assay stat` in the place of a machine: the events it was asked for,
 * what each is known to count of the program of the kit, and the two cells that were executed.
 * Trust is what is known of that machine today. */

/* --- events --- */

/* One that cannot be counted has the reason; where perf_event counts nothing at all, that has. */
static int take_event(void *context, const struct stored_event *stored)
{
    struct stat_run *run = context;
    const char *reason = stored->reason ? stored->reason : "";
    if (strcmp(stored->name, STAT_COUNTER) == 0) {
        run->refused = memory_copy(reason);
        return 0;
    }
    *memory_add(run->events, run->event_count) = (struct stat_event){
        .name = memory_copy(stored->name),
        .class = memory_copy(stored->class),
        .is_counted = !stored->error,
        .error = stored->error,
        .reason = stored->error ? memory_copy(reason) : NULL,
        .figure.state = stored->error ? STAT_UNSUPPORTED : STAT_COUNTED,
    };
    run->asked = true;
    return 0;
}

/* --- cells --- */

/* As far as readings and paces need it. */
static void keep_cell(struct stat_run *run, const struct cell *stored)
{
    struct cell *cell = memory_add(run->cells, run->cell_count);
    *cell = (struct cell){
        .id = stored->id,
        .counters = stored->counters,
        .cpu = stored->cpu,
        .command = {.words = memory_copy(stored->command.words),
                    .controls = stored->command.controls},
    };
    for (uint32_t i = 0; i < cell->counters; i++)
        cell->events[i] = memory_copy(stored->events[i]);
}

/* The user's command, whose output was passed on. */
static void take_command(struct stat_run *run, const struct stored_cell *stored)
{
    const struct cell_command *command = &stored->cell.command;
    const uint32_t named =
        CONTROL_BIT(CONTROL_CPU) | CONTROL_BIT(CONTROL_DIRECTORY) | CONTROL_BIT(CONTROL_STDIN);
    run->command_cell = stored->cell.id;
    run->repeat = stored->processes;
    run->timeout = command->timeout;
    run->controls = command->controls;
    run->is_controlled = (run->controls & ~named) != 0;
    run->no_input = !command->input && !(run->controls & CONTROL_BIT(CONTROL_STDIN));
    run->line = memory_copy(command->words);
    run->name = memory_copy(command->name);
    if (stored->done > stored->failed || !stored->error)
        return;
    run->error = stored->error;
    run->reason = memory_copy(stored->reason ? stored->reason : "");
}

/* The program of the kit, all events at once: the last time counts, and only if it was counted. */
static void take_null(struct stat_run *run, const struct stored_cell *stored)
{
    const bool counted = stored->done > stored->failed;
    run->null_cell = counted ? stored->cell.id : 0;
    run->overhead_reason = counted ? STAT_NO_TRUTH : STAT_NULL_FAILED;
    for (uint32_t i = 0; i < stored->cell.counters; i++) {
        struct stat_event *event = stat_find_counted(run, stored->cell.events[i]);
        if (!event)
            continue;
        event->has_truth = counted && stored->counters[i].has_truth;
        event->truth = event->has_truth ? stored->counters[i].truth : 0;
    }
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct stat_run *run = context;
    const struct cell_command *command = &stored->cell.command;
    keep_cell(run, &stored->cell);
    if (stored->cell.id != run->cell_count || !command->words)
        return 0;
    if (command->shown && !run->line) {
        take_command(run, stored);
    } else if (command->shown) { /* what relaying adds: a page first, then several */
        uint32_t *relay = &run->relay_cells[run->relay_cells[0] != 0];
        if (stored->done > stored->failed && stored->processes == STAT_RELAYS)
            *relay = stored->cell.id;
    } else if (stored->processes == STAT_NULLS) {
        take_null(run, stored);
    }
    return 0;
}

/* --- the run --- */

/* What is not known of an event has a reason, which is the same as it was. */
static void explain_overheads(struct stat_run *run)
{
    if (run->refused)
        stat_take_account(run);
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        if (event->figure.state == STAT_ACCOUNTED)
            event->has_truth = run->null_cell != 0;
        event->overhead_reason = event->has_truth ? NULL : run->overhead_reason;
    }
}

/* --from: what the store of an earlier run has. */
static int stat_open_from(struct stat_run *run)
{
    struct failure failure = {0};
    run->overhead_reason = STAT_NO_PROGRAM;
    int error = stored_run_open(run->options->from, "stat", &run->store, &run->stored, &failure);
    if (error == 0)
        error = store_each_event(run->store, take_event, run, &failure);
    if (error == 0)
        error = store_each_cell(run->store, take_cell, run, &failure);
    if (error == 0 && !run->line)
        error =
            fail_with(&failure, -EINVAL, "the run in %.300s ended before the command was executed",
                      run->options->from);
    if (error == 0 && !run->event_count && !run->refused)
        error = fail_with(&failure, -EINVAL,
                          "the run in %.300s is of a version that did not keep which events it "
                          "counted: `assay export` has its counts",
                          run->options->from);
    if (error < 0)
        return stat_fail(&failure);
    explain_overheads(run);
    run->facts = &run->stored.facts;
    run->fingerprint = run->stored.info.fingerprint;
    run->was_interrupted = !run->stored.info.finished;
    run->cut_off = run->stored.info.ended && strcmp(run->stored.info.ended, STAT_CUT_OFF) == 0;
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * assay stat: counts of a command, corrected, with their uncertainty and how far each event can be
 * trusted. */

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
    if (error == 0)
        run->name = command_line_name(words[0]);
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

/* The exit code: of the first execution that did not end with 0; where a signal told assay to stop,
 * that signal's. */
static int stat_status(const struct stat_run *run)
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
                                  .results = stat_results_json,
                                  .analysis = stat_analysis_json,
                                  .skipped = stat_skipped_json};
    return finish_show(&finish, status);
}

/* It was not executed. */
static int refuse(const struct stat_run *run)
{
    const int status = command_exit_of_error(run->error);
    deliver_message("stat", run->reason);
    return run->options->common.json || run->options->common.retold ? show(run, status) : status;
}

static void release(struct stat_run *run)
{
    stat_end_input(run);
    store_close(run->store);
    session_close(run->session);
    stored_run_release(&run->stored);
    if (run->options->from)
        return; /* the rest is of the store then */
    free(run->line);
    free(run->name);
    free(run->input);
    free(run->directory);
    free(run->keep);
}

static int judge(struct stat_run *run)
{
    struct failure failure = {0};
    if (stat_load(run, &failure) < 0)
        return stat_fail(&failure);
    stat_find_trust(run);
    stat_load_paces(run);
    stat_judge_all(run);
    return EXIT_DONE;
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

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
#include "engine/command-line.h"
#include "engine/options.h"
#include "engine/run-store.h"
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
static int take_input(struct stat_run *run, struct failure *failure)
{
    const struct stat_options *options = stat_asked(run);
    const char *via = options->study.common.via;
    const bool here = strcmp(via, "local") == 0;
    int error =
        command_line_input(run->studying.session, via, options->input, &run->input, failure);
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
    run->input =
        memory_format("/proc/%d/fd/%d", (int)getpid(), run->relay ? run->relayed : STDIN_FILENO);
    /* Opened as a file, not fed through a pipe by the probe. */
    run->controls |= CONTROL_BIT(CONTROL_STDIN);
    return 0;
}

static void release(void *kept)
{
    struct stat_run *run = kept;
    if (run->relay <= 0)
        return;
    kill(run->relay, SIGKILL);
    while (waitpid(run->relay, NULL, 0) < 0 && errno == EINTR)
        ;
    cleanup_close(&run->relayed);
}

/* ----------------------------------------------------------------------------------------------
 * What the options say. */

static int check(void *kept, struct failure *failure)
{
    struct stat_run *run = kept;
    const struct stat_options *options = stat_asked(run);
    const struct studying *studying = &run->studying;
    run->cpu = run->relayed = -1;
    if (options->study.from)
        return 0;
    if (!studying->argument_count)
        return fail_with(failure, -EINVAL,
                         "say which command to count: assay stat -- ls, for example. Try `assay "
                         "stat --help`.");
    if (options->repeat < 1 || options->repeat > STAT_MOST_RUNS)
        return fail_with(failure, -EINVAL, "--repeat must be from 1 to %u", STAT_MOST_RUNS);
    run->repeat = options->repeat;
    run->timeout = options->timeout;
    run->is_controlled = options->controlled;
    run->asked = options->events.count > 0;
    run->name = command_line_name(studying->arguments[0]);
    run->keep = command_line_keep(&options->keep);
    return command_line_join(studying->arguments, studying->argument_count, &run->line, failure);
}

/* What is named by an option is controlled, also where the rest is as it is. */
static int prepare(void *kept, struct failure *failure)
{
    struct stat_run *run = kept;
    const struct stat_options *options = stat_asked(run);
    run->controls = options->controlled ? CONTROLS_ALL : 0;
    if (options->cpu.given)
        run->controls |= CONTROL_BIT(CONTROL_CPU);
    if (options->directory)
        run->controls |= CONTROL_BIT(CONTROL_DIRECTORY);
    int error = command_line_cpu(run->studying.facts, &options->cpu, &run->cpu, failure);
    if (run->cpu < 0)
        run->controls &= ~CONTROL_BIT(CONTROL_CPU);
    if (error == 0)
        error = command_line_bring(run->studying.session, &options->bring, failure);
    if (error == 0)
        error = take_input(run, failure);
    if (error == 0)
        error = command_line_directory(options->study.common.via, options->directory,
                                       &run->directory, failure);
    return error == 0 ? stat_find_events(run, failure) : error;
}

/* ----------------------------------------------------------------------------------------------
 * The end. */

/* For people standard output is the command's own, and the report stands beside it. */
static bool aside(const void *kept)
{
    const struct stat_run *run = kept;
    return !stat_is_for_programs(run) && !run->studying.given->from;
}

/* The exit code: of the first execution that did not end with 0; where a signal told assay to stop,
 * that signal's; after saying how far it came, where that is not all. What starting adds was learnt
 * by other processes, which are nobody's business here. How a stored one ended is told; showing it
 * again went well. */
static int end(const void *kept, int status)
{
    const struct stat_run *run = kept;
    size_t whole = 0;
    int ending = run->unwritten ? EXIT_OURS : EXIT_DONE;
    if (run->reason)
        return command_exit_of_error(run->error);
    if (!run->studying.session)
        return status;
    for (size_t i = run->run_count; i-- > 0;) {
        whole += !run->runs[i].broken_off;
        ending = run->runs[i].status ? command_exit(run->runs[i].status) : ending;
    }
    if (run->unwritten)
        deliver_message("stat", memory_format("what the command writes cannot be passed on: %s",
                                              strerror(run->unwritten)));
    if (run->was_interrupted && whole != run->repeat)
        deliver_message("stat", memory_format("%s after %zu of %llu executions",
                                              run->reader_ended
                                                  ? "nobody reads what the command writes: ended"
                                                  : "interrupted",
                                              whole, (unsigned long long)run->repeat));
    return run->was_interrupted && !run->reader_ended ? signals_status() : ending;
}

static const struct study study = {
    .size = sizeof(struct stat_run),
    .whole = true,
    .check = check,
    .prepare = prepare,
    .measure = stat_measure,
    .load = stat_load,
    .judge = stat_judge_all,
    .put_report = stat_put_report,
    .skipped = stat_skipped,
    .unseeded = true,
    .aside = aside,
    .end = end,
    .release = release,
    .told = &stat_told,
};

#define FIELD(name) offsetof(struct stat_options, name)

static const struct option_spec specs[] = {
    {'e', "event", OPTION_LIST | OPTION_MEASURES, "EVENT",
     "what to count, with commas or repeated; unless given what perf stat counts, as far as this "
     "machine offers it",
     FIELD(events), NULL},
    {'r', "repeat", OPTION_U64 | OPTION_MEASURES, "N",
     "execute it N times: counts are means, and their bars hold how the program varies",
     FIELD(repeat), "1"},
    {0, "controlled", OPTION_FLAG | OPTION_MEASURES, NULL,
     "hold constant what makes counts differ: addresses, environment, CPU, hash seeds and so on, "
     "as `assay repeat` does",
     FIELD(controlled), NULL},
    OPTION_ROW_KEEP(FIELD(keep)),
    {'i', "input", OPTION_STRING | OPTION_MEASURES, "FILE",
     "its standard input; unless given that of assay where the command is executed on this "
     "machine and is not controlled, else nothing",
     FIELD(input), NULL},
    {0, "directory", OPTION_STRING | OPTION_MEASURES, "DIR",
     "where it works; unless given where assay was started", FIELD(directory), NULL},
    OPTION_ROW_BRING(FIELD(bring)),
    {0, "cpu", OPTION_OPTIONAL | OPTION_MEASURES, "CPU",
     "the CPU that it stays on, with its threads and children; unless given it is free, and "
     "controlled it stays on the last that may be used",
     FIELD(cpu), NULL},
    {0, "timeout", OPTION_DURATION | OPTION_MEASURES, "TIME",
     "end it when it takes longer; unless given it may take "
     "as long as it likes",
     FIELD(timeout), NULL},
    OPTION_ROW_FROM(FIELD(study.from)),
    OPTION_ROW_STORE(FIELD(study.store)),
    {0},
};

#define ONLY_COMMANDS "stat counts a command that it starts itself"
#define RUNNING       ONLY_COMMANDS "; what runs already is counted by `perf stat -p PID`"
#define RUNNING_TASK  ONLY_COMMANDS "; what runs already is counted by `perf stat -t TID`"
#define WHOLE_MACHINE ONLY_COMMANDS ", not the whole machine; `perf stat -a` does"
#define INTERVALS                                                                                  \
    "counts are read when the command has ended; -r N tells how they vary, `perf stat -I MS` how " \
    "they grow"
#define SEPARATED "--csv writes comma-separated values"
#define DETAILED                                                                                   \
    "name what to count: -e l1d-loads,l1d-load-misses; `assay events` lists what there is"

/* Options of perf stat that are not here. */
static const struct option_hint hints[] = {
    {"p", RUNNING},
    {"pid", RUNNING},
    {"t", RUNNING_TASK},
    {"tid", RUNNING_TASK},
    {"a", WHOLE_MACHINE},
    {"all-cpus", WHOLE_MACHINE},
    {"C", ONLY_COMMANDS ", not all that a CPU does; --cpu CPU holds the command on one"},
    {"I", INTERVALS},
    {"interval-print", INTERVALS},
    {"x", SEPARATED},
    {"field-separator", SEPARATED},
    {"d", DETAILED},
    {"detailed", DETAILED},
    {"resume", "executing a command again is another run; each begins anew"},
    {0},
};

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
        "With --json, --csv or --markdown the result goes to standard output, and what the command "
        "writes to "
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
    .results = &stat_results,
    .csv = &stat_csv,
    .analysis = &stat_analysis,
    .study = &study,
};

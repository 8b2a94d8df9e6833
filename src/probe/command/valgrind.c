/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counter valgrind: a whole program under Valgrind's tool exp-bbv, which counts a repeated string
 * instruction once. Threads are followed. A process that the program forks is not: the tool counts
 * it together with what its parent did before, and loses what was counted before another program
 * is executed. Such a command is refused. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/command/command.h"
#include "probe/command/cores.h"
#include "probe/command/valgrind.h"
#include "probe/command/valgrind-counts.h"
#include "probe/command/valgrind-files.h"
#include "probe/sources/program.h"
#include "probe/sources/qemu-plugin/script.h"

#define COUNTS "valgrind-counts." /* and the id of a process */
#define LOG    "valgrind-log."    /* the same */

static const char *const classes[] = {"instructions", "instructions-raw", NULL};

/* --- what it needs --- */

static int valgrind_usable(const char *kit, char *reason, size_t size)
{
    (void)kit;
    AUTO_FREE char *program = program_find("valgrind");
    const char *const asked[] = {program, "--tool=exp-bbv", "--help", NULL};
    if (program_emulated()) {
        snprintf(reason, size,
                 "programs are emulated here, and Valgrind runs those of the machine itself; the "
                 "source qemu counts");
        return -EOPNOTSUPP;
    }
    if (!program) {
        snprintf(reason, size,
                 "there is no valgrind on this machine: install it, for example with `apt-get "
                 "install valgrind`");
        return -ENOENT;
    }
    if (program_answers(asked, "exp-bbv"))
        return 0;
    if (programs_die(reason, size))
        return -EPERM;
    snprintf(reason, size,
             "the valgrind on this machine has no tool exp-bbv, or none for its programs: install "
             "a whole Valgrind, for example with `apt-get install valgrind`");
    return -ENOENT;
}

/* --- running it --- */

static int start(const struct command_visit *visit, struct execution *execution)
{
    AUTO_FREE char *program = valgrind_find();
    AUTO_TEXT struct text counts = {0}, log = {0};
    valgrind_put_file(&counts, "--bb-out-file=", visit->folder, COUNTS);
    valgrind_put_file(&log, "--log-file=", visit->folder, LOG);
    if (!program)
        return command_fail(visit, -ENOENT, "valgrind is gone");
    if (counts.failed || log.failed)
        return command_fail(visit, -ENOMEM, "out of memory");
    /* Nothing that a person has set for Valgrind elsewhere, and no channel for a debugger. */
    const char *const words[] = {
        program,     "--command-line-only=yes", "--tool=exp-bbv",     "--instr-count-only=yes",
        "--vgdb=no", "--trace-children=no",     text_string(&counts), text_string(&log),
        NULL};
    forbid_cores();
    return launch_start(visit, &(struct launch){.prefix = words}, execution);
}

/* --- what it left --- */

/* Killed without a chance to say anything: how it ended is known, what it executed is not. */
static void put_nothing(const struct command_visit *visit, const struct execution *execution)
{
    for (size_t index = 0; classes[index]; index++)
        command_put_timed(visit, command_column(visit, classes[index]), 0,
                          execution->ended - execution->started, 0);
}

static void put_counts(const struct command_visit *visit, const struct valgrind_counts *counts)
{
    command_put(visit, command_column(visit, "instructions"), counts->instructions);
    command_put(visit, command_column(visit, "instructions-raw"),
                counts->instructions + counts->repetitions);
}

static int read_all(const struct command_visit *visit, const struct execution *execution, pid_t pid,
                    int status)
{
    struct failure failure = {0};
    struct valgrind_counts counts = {0};
    size_t length = 0;
    AUTO_FREE char *log = valgrind_read_file(visit->folder, LOG, pid, &length);
    bool killed =
        launch_timed_out(execution) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    if (!log)
        return command_fail(visit, -ENOEXEC,
                            "Valgrind could not start %.200s: what it says is shown with "
                            "--show-output",
                            execution->program);
    int result = valgrind_log_check(log, length, &failure);
    if (result == 0)
        result = valgrind_counts_read(log, length, &counts, &failure);
    if (result < 0)
        return command_fail(visit, result, "%s", failure.text);
    if (valgrind_count_files(visit->folder, LOG) > 1)
        return command_fail(visit, -ENOTSUP,
                            "the command starts other processes, of which Valgrind's exp-bbv "
                            "cannot count what each of them executes: the sources qemu and step "
                            "follow them");
    if (!counts.threads && !killed)
        return command_fail(visit, -ENOTSUP,
                            "the command executes another program in its place, and Valgrind's "
                            "exp-bbv loses what it counted before: the sources qemu and step "
                            "follow it");
    if (counts.threads)
        put_counts(visit, &counts);
    else
        put_nothing(visit, execution);
    return 0;
}

/* Valgrind gives what is no program to a shell, which nobody asked for. */
static int check_program(const struct command_visit *visit, const struct execution *execution)
{
    struct script script;
    if (execution->bits || script_read(execution->program, &script))
        return 0;
    return command_fail(visit, -ENOEXEC,
                        "%.300s is neither an ELF file nor a script that begins with #!",
                        execution->program);
}

/* Counts alone, which is thousands of times faster than telling which instructions they were. */
static int count_all(const struct command_visit *visit, struct execution *execution, int *status)
{
    int result = start(visit, execution);
    if (result < 0)
        return result;
    pid_t pid = execution->pid;
    if ((result = launch_await(execution, status)) < 0)
        return command_fail(visit, result, "Valgrind was lost: %s", strerror(-result));
    result = launch_clear(visit, execution);
    return result < 0 ? result : read_all(visit, execution, pid, *status);
}

static int tell_all(const struct command_visit *visit, struct execution *execution, int *status)
{
    struct valgrind_counts counts;
    int result = valgrind_code(visit, execution, status, &counts);
    if (result == 0 && counts.threads)
        put_counts(visit, &counts);
    else if (result == 0)
        put_nothing(visit, execution);
    return result;
}

static int run(const struct command_visit *visit, struct execution *execution)
{
    int status = 0;
    int result = launch_prepare(visit, execution);
    if (result == 0)
        result = check_program(visit, execution);
    if (result == 0 && visit->cell->command.detail == DETAIL_CODE)
        result = tell_all(visit, execution, &status);
    else if (result == 0)
        result = count_all(visit, execution, &status);
    return result < 0 ? result : launch_finish(visit, execution, status, 0, 0);
}

static int valgrind_count(const struct command_visit *visit)
{
    struct execution execution = {0};
    int result = run(visit, &execution);
    if (result < 0)
        launch_end(&execution);
    return result;
}

const struct command_counter command_counter_valgrind = {
    .source = "valgrind",
    .classes = classes,
    .details = {[DETAIL_CODE] = true},
    .note = "exact for what Valgrind executed: its CPU decides which functions libc chooses, there "
            "is no vDSO, Valgrind places memory itself, argv[0] is the program's path, and "
            "LD_PRELOAD is in the environment; other processes are refused",
    .usable = valgrind_usable,
    .count = valgrind_count,
};

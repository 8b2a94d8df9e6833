/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counter valgrind: a whole program under Valgrind's tool exp-bbv, which counts a repeated
 * string instruction once. Threads are followed. A process that the program forks is not: the
 * tool counts it together with what its parent did before, and loses what was counted before
 * another program is executed. Such a command is refused. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/monotonic.h"
#include "probe/command/detail.h"
#include "probe/sources/program.h"

/* --- Valgrind's program, and the files that it leaves: one of a name for each process --- */

#define FILE_MAX    (16u << 20)
#define LOG_LINE    1024
#define PAUSE_MS    2
#define READ_AT_ONE 16384u

/* The program itself: some distributions put a shell script before it, which changes the
 * environment. To be freed; NULL: there is none. */
static char *find_valgrind(void)
{
    struct script script;
    char *found = program_find("valgrind");
    AUTO_TEXT struct text behind = {0};
    if (!found || !script_read(found, &script))
        return found;
    text_printf(&behind, "%s.bin", found);
    if (behind.failed || access(text_string(&behind), X_OK) < 0)
        return found;
    free(found);
    return text_take(&behind);
}

/* An option whose file is FOLDER/NAME and the id of the process. Valgrind expands % in the names of
 * files. */
static void put_file(struct text *text, const char *option, const char *folder, const char *name)
{
    text_puts(text, option);
    for (; *folder; folder++)
        text_printf(text, *folder == '%' ? "%%%%" : "%c", *folder);
    text_printf(text, "/%s%%p", name);
}

/* How many processes left a file of this name. Behind the name stands the id of a process and
 * nothing else: a dump of a process that crashed is called after its log, and is no second
 * process. */
static size_t count_files(const char *folder, const char *name)
{
    size_t count = 0;
    AUTO_DIR DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *id = entry->d_name + strlen(name);
        count += strncmp(entry->d_name, name, strlen(name)) == 0 && *id &&
                 id[strspn(id, "0123456789")] == '\0';
    }
    return count;
}

/* A pipe where a process's file would be; its reading end, or negative errno. */
static int make_pipe(const struct command_visit *visit, const char *name, pid_t pid)
{
    AUTO_TEXT struct text path = {0};
    int fd = -1;
    text_printf(&path, "%s/%s%ld", visit->folder, name, (long)pid);
    if (!path.failed && mkfifo(text_string(&path), 0600) == 0)
        fd = open(text_string(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd >= 0 ? fd
                   : command_fail(visit, -errno, "cannot make a pipe for what Valgrind says: %s",
                                  strerror(errno));
}

/* ----------------------------------------------------------------------------------------------
 * Which instructions a program executes: Valgrind's tool lackey tells every one of them. Its
 * trace is read from a pipe, so that it may be long. Valgrind has the program's memory in its
 * own, at the same addresses: bytes of code are read there. It is traced for one stop, right
 * before it is gone with the code of the last lines. */

#define TRACE      "valgrind-trace." /* and the id of a process */
#define LOOK_AFTER (1u << 20)        /* bytes of trace between looks for other processes */

struct tracing {
    const struct command_visit *visit;
    pid_t pid;
    int pipe, memory; /* memory: of the process; -1: not opened yet */
    struct code_maps maps;
    struct summed summed;
    uint64_t since; /* bytes since the last look for other processes */
};

/* --- code beside the trace --- */

static int by_start(const void *one, const void *other)
{
    const struct code_map *left = one, *right = other;
    return (left->mapped.start > right->mapped.start) - (left->mapped.start < right->mapped.start);
}

/* What is mapped now, beside what was mapped before and is not any more. */
static void read_maps(struct tracing *tracing)
{
    struct code_maps now;
    if (code_maps_read(&now, tracing->pid) < 0)
        return;
    for (size_t index = 0; index < now.count; index++) {
        const struct mapped *each = &now.list[index].mapped;
        if (code_maps_touch(&tracing->maps, each->start, each->end - each->start))
            continue;
        char *object = strdup(each->object);
        struct code_map *map =
            object ? list_add(&tracing->maps.list, &tracing->maps.count, sizeof(*map)) : NULL;
        if (map) {
            *map = now.list[index];
            map->mapped.object = object;
        } else {
            free(object);
        }
    }
    code_maps_free(&now);
    if (tracing->maps.count)
        qsort(tracing->maps.list, tracing->maps.count, sizeof(*tracing->maps.list), by_start);
}

static bool read_memory(const struct tracing *tracing, uint64_t address, void *to, size_t length)
{
    return pread(tracing->memory, to, length, (off_t)address) == (ssize_t)length;
}

static bool look(void *context, uint64_t address, uint8_t *bytes, size_t length)
{
    struct tracing *tracing = context;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)tracing->pid);
    if (tracing->memory < 0)
        tracing->memory = open(path, O_RDONLY | O_CLOEXEC);
    if (!code_maps_find(&tracing->maps, address))
        read_maps(tracing);
    /* The trace is behind: what such memory holds now may not be what was executed. */
    const struct code_map *map = code_maps_find(&tracing->maps, address);
    tracing->summed.changed |= map && map->changing;
    return read_memory(tracing, address, bytes, length);
}

/* --- following --- */

static int check_alone(struct tracing *tracing)
{
    tracing->since = 0;
    if (count_files(tracing->visit->folder, TRACE) <= 1)
        return 0;
    return command_fail(tracing->visit, -ENOTSUP,
                        "the command starts other processes, of which Valgrind cannot tell what "
                        "each of them executes: the sources qemu and step follow them");
}

/* All that is in the pipe now. */
static int drain(struct tracing *tracing)
{
    char bytes[READ_AT_ONE];
    ssize_t got;
    while ((got = read(tracing->pipe, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)) {
        int result = got > 0 ? summed_feed(&tracing->summed, bytes, (size_t)got) : 0;
        tracing->since += got > 0 ? (uint64_t)got : 0;
        if (result == -E2BIG) {
            return command_fail(
                tracing->visit, -E2BIG,
                "the command executes more than %u million instructions, repetitions "
                "among them, and Valgrind writes a line for each to tell which: the source "
                "qemu tells it faster",
                SUMMED_MOST / 1000000u);
        }
        if (result < 0)
            return command_fail(tracing->visit, result, "out of memory for what was executed");
        if (got < (ssize_t)sizeof(bytes))
            break;
    }
    return tracing->since >= LOOK_AFTER ? check_alone(tracing) : 0;
}

/* It stopped: lets it go on as if nobody looked. */
static int take_stop(struct tracing *tracing, int status)
{
    const int event = status >> 16, signal = WSTOPSIG(status);
    int result = 0;
    if (event == PTRACE_EVENT_EXIT) {
        result = drain(tracing);
        /* It is about to be gone: is everything as it was when it was first executed? */
        struct summed *summed = &tracing->summed;
        uint8_t bytes[16];
        for (size_t index = 0; index < summed->count && !summed->changed; index++) {
            const struct executed_instruction *each = &summed->list[index];
            if (read_memory(tracing, each->address, bytes, each->length))
                summed->changed = memcmp(bytes, each->bytes, each->length) != 0;
        }
    }
    if (event == PTRACE_EVENT_STOP &&
        (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU))
        ptrace(PTRACE_LISTEN, tracing->pid, NULL, NULL);
    else
        ptrace(PTRACE_CONT, tracing->pid, NULL, (void *)(intptr_t)(event ? 0 : signal));
    return result;
}

static int follow(struct tracing *tracing, struct execution *execution, int *status)
{
    for (int result = 0;;) {
        struct pollfd ready = {tracing->pipe, POLLIN, 0};
        int polled = poll(&ready, 1, PAUSE_MS);
        if (polled > 0 && !(ready.revents & POLLIN))
            usleep(PAUSE_MS * 1000); /* nobody writes any more, or not yet */
        result = polled > 0 ? drain(tracing) : 0;
        pid_t found = waitpid(tracing->pid, status, WNOHANG | __WALL);
        if (found < 0 && errno != EINTR)
            return command_fail(tracing->visit, -errno, "Valgrind was lost: %s", strerror(errno));
        if (result == 0 && found > 0 && WIFSTOPPED(*status))
            result = take_stop(tracing, *status);
        else if (result == 0 && found > 0) {
            execution->ended = monotonic_ns();
            result = drain(tracing);
            return result < 0 ? result : check_alone(tracing);
        }
        if (result < 0)
            return result;
    }
}

/* --- running it --- */

static int start_tracing(struct tracing *tracing, struct execution *execution)
{
    const struct command_visit *visit = tracing->visit;
    AUTO_FREE char *program = find_valgrind();
    AUTO_TEXT struct text log = {0};
    put_file(&log, "--log-file=", visit->folder, TRACE);
    if (!program)
        return command_fail(visit, -ENOENT, "valgrind is gone");
    if (log.failed)
        return command_fail(visit, -ENOMEM, "out of memory");
    /* One instruction a block: else a fault in one would drop lines of those before. */
    const char *const words[] = {program,
                                 "--command-line-only=yes",
                                 "--tool=lackey",
                                 "--basic-counts=no",
                                 "--trace-mem=yes",
                                 "--trace-sched=yes",
                                 "--trace-syscalls=yes",
                                 "--vex-guest-max-insns=1",
                                 "--vgdb=no",
                                 "--trace-children=no",
                                 text_string(&log),
                                 NULL};
    launch_forbid_cores();
    int result = launch_start(visit, &(struct launch){.prefix = words, .held = true}, execution);
    if (result < 0)
        return result;
    tracing->pid = execution->pid;
    if (ptrace(PTRACE_SEIZE, tracing->pid, NULL, (void *)(intptr_t)PTRACE_O_TRACEEXIT) < 0)
        return command_fail(visit, -errno,
                            "Valgrind's process cannot be traced (%s), so the code of its program "
                            "cannot be read: is ptrace forbidden here?",
                            strerror(errno));
    tracing->pipe = make_pipe(visit, TRACE, tracing->pid);
    return tracing->pipe < 0 ? tracing->pipe : launch_release(visit, execution);
}

/* --- what it told --- */

/* Did the program take another path than it does without Valgrind? */
static void look_for_lacks(const struct command_visit *visit, const struct execution *execution,
                           const struct valgrind_calls *calls)
{
    char name[32], missed[32] = "";
    for (size_t index = 0; index < calls->count && !*missed; index++) {
        call_name(&(struct stepped_call){.number = calls->refused[index],
                                         .narrow = execution->bits == 32},
                  name, sizeof(name));
        if (call_is_missed(name))
            memcpy(missed, name, sizeof(missed));
    }
    command_remark_calls(visit, "Valgrind", *missed ? missed : NULL, calls->starved);
}

static int conclude(const struct tracing *tracing, bool killed, struct valgrind_counts *counts)
{
    struct failure failure = {0};
    const struct summed *summed = &tracing->summed;
    int result = valgrind_log_check(text_string(&summed->said), summed->said.length, &failure);
    if (result == 0)
        result = summed_check(summed, &failure);
    if (result < 0)
        return command_fail(tracing->visit, result, "%s", failure.text);
    if (killed && !summed_ended(summed))
        return 0;
    if (!summed->lines)
        return command_fail(tracing->visit, -ENOTSUP,
                            "Valgrind could not start the program (is memory limited, ulimit "
                            "-v?): what it says is shown with "
                            "--show-output");
    if (!summed_ended(summed))
        return command_fail(tracing->visit, -ENOTSUP,
                            "the command executes another program in its place, which Valgrind "
                            "does not follow: the sources qemu and step do");
    counts->threads = 1;
    summed_sum(summed, &counts->instructions, &counts->repetitions);
    AUTO_FREE struct mapped *maps = calloc(tracing->maps.count + 1, sizeof(*maps));
    if (!maps)
        return command_fail(tracing->visit, -ENOMEM, "out of memory for what was executed");
    for (size_t index = 0; index < tracing->maps.count; index++)
        maps[index] = tracing->maps.list[index].mapped;
    return executed_write(tracing->visit, tracing->summed.list, tracing->summed.count, maps,
                          tracing->maps.count);
}

/* ----------------------------------------------------------------------------------------------
 * How often instructions are executed: the tool exp-bbv tells sums alone, which is much faster.
 * The counter chooses. */

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

/* --- what it says, from a pipe: a line for each system call would fill disks --- */

struct log {
    int pipe;
    char line[LOG_LINE];
    size_t length;
    struct text said; /* lines that are not of system calls */
    struct valgrind_calls calls;
};

static void log_drain(struct log *log)
{
    char bytes[READ_AT_ONE];
    ssize_t got;
    while ((got = read(log->pipe, bytes, sizeof(bytes))) > 0)
        for (ssize_t index = 0; index < got; index++)
            if (bytes[index] != '\n') {
                if (log->length + 1 < sizeof(log->line))
                    log->line[log->length++] = bytes[index];
            } else {
                log->line[log->length] = '\0';
                log->length = 0;
                if (!valgrind_calls_take(&log->calls, log->line) && log->said.length < FILE_MAX)
                    text_printf(&log->said, "%s\n", log->line);
            }
}

static int check_counted_alone(const struct command_visit *visit)
{
    if (count_files(visit->folder, LOG) <= 1)
        return 0;
    return command_fail(visit, -ENOTSUP,
                        "the command starts other processes, of which Valgrind's exp-bbv cannot "
                        "count what each of them executes: the sources qemu and step follow them");
}

static int log_follow(struct log *log, const struct command_visit *visit,
                      struct execution *execution, int *status)
{
    for (pid_t ended = 0; ended == 0;) {
        struct pollfd ready = {log->pipe, POLLIN, 0};
        if (poll(&ready, 1, PAUSE_MS) > 0 && !(ready.revents & POLLIN))
            usleep(PAUSE_MS * 1000); /* nobody writes any more, or not yet */
        log_drain(log);
        ended = waitpid(execution->pid, status, WNOHANG | __WALL);
        if (ended < 0 && errno != EINTR)
            return command_fail(visit, -errno, "Valgrind was lost: %s", strerror(errno));
        ended = ended > 0 ? ended : 0;
        const int result = check_counted_alone(visit);
        if (result < 0)
            return result;
    }
    execution->ended = monotonic_ns();
    log_drain(log);
    return 0;
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

static int read_all(const struct command_visit *visit, const struct execution *execution,
                    const struct log *log, int status)
{
    struct failure failure = {0};
    struct valgrind_counts counts = {0};
    const char *said = text_string(&log->said);
    bool killed =
        launch_timed_out(execution) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    if (!log->said.length)
        return command_fail(visit, -ENOTSUP,
                            "Valgrind could not start %.200s (is memory limited, ulimit -v?): what "
                            "it says is shown with --show-output",
                            execution->program);
    int result = valgrind_log_check(said, log->said.length, &failure);
    if (result == 0)
        result = valgrind_counts_read(said, log->said.length, &counts, &failure);
    if (result < 0)
        return command_fail(visit, result, "%s", failure.text);
    if ((result = check_counted_alone(visit)) < 0)
        return result;
    if (!counts.threads && !killed)
        return command_fail(visit, -ENOTSUP,
                            "the command executes another program in its place, and Valgrind's "
                            "exp-bbv loses what it counted before: the sources qemu and step "
                            "follow it");
    if (counts.threads)
        put_counts(visit, &counts);
    else
        put_nothing(visit, execution);
    look_for_lacks(visit, execution, &log->calls);
    return 0;
}

/* Counts alone, which is thousands of times faster than telling which instructions they were. */
static int count_all(const struct command_visit *visit, struct execution *execution, int *status)
{
    AUTO_FREE char *program = find_valgrind();
    AUTO_TEXT struct text counts = {0}, name = {0};
    put_file(&counts, "--bb-out-file=", visit->folder, COUNTS);
    put_file(&name, "--log-file=", visit->folder, LOG);
    if (!program)
        return command_fail(visit, -ENOENT, "valgrind is gone");
    if (counts.failed || name.failed)
        return command_fail(visit, -ENOMEM, "out of memory");
    /* Nothing that a person has set for Valgrind elsewhere, and no channel for a debugger. */
    const char *const words[] = {program,
                                 "--command-line-only=yes",
                                 "--tool=exp-bbv",
                                 "--instr-count-only=yes",
                                 "--vgdb=no",
                                 "--trace-children=no",
                                 "--trace-syscalls=yes",
                                 text_string(&counts),
                                 text_string(&name),
                                 NULL};
    launch_forbid_cores();
    struct log log = {.pipe = -1};
    int result = launch_start(visit, &(struct launch){.prefix = words, .held = true}, execution);
    if (result == 0 && (log.pipe = make_pipe(visit, LOG, execution->pid)) < 0)
        result = log.pipe;
    if (result == 0)
        result = launch_release(visit, execution);
    if (result == 0)
        result = log_follow(&log, visit, execution, status);
    if (result == 0)
        result = launch_clear(visit, execution);
    if (result == 0)
        result = read_all(visit, execution, &log, *status);
    if (log.pipe >= 0)
        close(log.pipe);
    text_free(&log.said);
    return result;
}

/* After launch_prepare: executes it, to its end, and writes the detail; without counts where it was
 * killed, because nothing is known then. *status as of waitpid. */
static int tell_all(const struct command_visit *visit, struct execution *execution, int *status)
{
    struct valgrind_counts counts = {0};
    AUTO_FREE struct tracing *tracing = calloc(1, sizeof(*tracing));
    if (!tracing)
        return command_fail(visit, -ENOMEM, "out of memory");
    tracing->visit = visit;
    tracing->pipe = tracing->memory = -1;
    tracing->summed.look = look;
    tracing->summed.context = tracing;
    int result = start_tracing(tracing, execution);
    if (result == 0)
        result = follow(tracing, execution, status);
    if (result == 0)
        result = launch_clear(visit, execution);
    if (result == 0)
        result = conclude(tracing,
                          launch_timed_out(execution) ||
                              (WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL),
                          &counts);
    if (result == 0)
        look_for_lacks(visit, execution, &tracing->summed.calls);
    if (tracing->pipe >= 0)
        close(tracing->pipe);
    if (tracing->memory >= 0)
        close(tracing->memory);
    code_maps_free(&tracing->maps);
    summed_free(&tracing->summed);
    if (result == 0 && counts.threads)
        put_counts(visit, &counts);
    else if (result == 0)
        put_nothing(visit, execution);
    return result;
}

static int valgrind_count(const struct command_visit *visit)
{
    struct execution execution = {0};
    int status = 0;
    int error = launch_prepare(visit, &execution);
    if (error == 0) {
        /* Valgrind gives what is no program to a shell, which nobody asked for. */
        struct script script;
        if (!execution.bits && !script_read(execution.program, &script))
            error = command_fail(visit, -ENOEXEC,
                                 "%.300s is neither an ELF file nor a script that begins with #!",
                                 execution.program);
    }
    if (error == 0 && visit->cell->command.detail == DETAIL_CODE)
        error = tell_all(visit, &execution, &status);
    else if (error == 0)
        error = count_all(visit, &execution, &status);
    int result = error < 0 ? error : launch_finish(visit, &execution, status, 0, 0);
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

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accounts of what specimens do that are no counters of perf: what /proc says of migrations, and
 * what a tracer sees by ptrace, the entries into system calls by name, the passes by the target of
 * breakpoints and uprobes, and who touches the word that breakpoints on data watch. One line a
 * count:
 *
 *     SPECIMEN N SOURCE CLASS COUNT
 *
 *     accounts N… */
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "specimens/specimen.h"
#include "syscall.h"
#include "unit/step.h"
#include "watch.h"

#define RUNS 9

struct visit {
    const struct specimen *specimen;
    uint64_t n;
};

static bool states(const struct specimen *specimen, const char *class)
{
    for (const struct truth *truth = specimen->truth; truth->class; truth++)
        if (strcmp(truth->class, class) == 0)
            return true;
    return false;
}

static void print(const struct visit *visit, const char *source, const char *class, uint64_t count)
{
    if (states(visit->specimen, class))
        printf("%s %" PRIu64 " %s %s %" PRIu64 "\n", visit->specimen->name, visit->n, source, class,
               count);
}

static bool prepare(const struct visit *visit, struct specimen_state *state)
{
    struct failure failure = {0};
    *state = (struct specimen_state){.n = visit->n};
    return specimen_prepare(visit->specimen, state, &failure) == 0;
}

static void restore(const struct visit *visit, struct specimen_state *state)
{
    if (visit->specimen->restore)
        visit->specimen->restore(state);
}

/* --- /proc --- */

/* How often this thread was moved to another CPU; -1: /proc does not say. */
static int64_t migrations(void)
{
    char line[256];
    long long count = -1;
    AUTO_FILE FILE *file = fopen("/proc/self/sched", "re");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "se.nr_migrations : %lld", &count) == 1)
            break;
    return count;
}

static void account_of_proc(const struct visit *visit)
{
    struct specimen_state state;
    for (int run = 0; run < RUNS && migrations() >= 0; run++) {
        if (!prepare(visit, &state))
            return;
        int64_t before = migrations();
        specimen_entry(visit->specimen, &state)(&state);
        int64_t after = migrations();
        restore(visit, &state);
        print(visit, "procfs", "cpu-migrations", (uint64_t)(after - before));
    }
}

/* --- ptrace --- */

static const struct {
    const char *class;
    long number;
} calls[] = {
    {"getppid-calls", SYS_getppid},
    {"getuid-calls", SYS_getuid},
    {"sched_setaffinity-calls", SYS_sched_setaffinity},
    {"sched_yield-calls", SYS_sched_yield},
    {"write-calls", SYS_write},
    {"read-calls", SYS_read},
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

struct seen {
    unsigned brackets; /* passed, of two */
    uint64_t entries, by_name[CALLS], passes;
};

/* Two getpid calls bracket the code in the child. */
static pid_t start(const struct visit *visit, struct specimen_state *state)
{
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        assay_syscall0(SYS_getpid);
        specimen_entry(visit->specimen, state)(state);
        assay_syscall0(SYS_getpid);
        _exit(0);
    }
    return child;
}

static long entered(pid_t child)
{
    decode_registers registers = {0};
    struct iovec io = {&registers, sizeof(registers)};
    ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &io);
    return decode_system_call_number(&registers);
}

static void see_entry(struct seen *seen, long number)
{
    if (number == SYS_getpid) {
        seen->brackets++;
        return;
    }
    if (seen->brackets != 1)
        return;
    seen->entries++;
    for (size_t index = 0; index < CALLS; index++)
        seen->by_name[index] += calls[index].number == number;
}

/* Lets the child go on until its end, from one system call to the next, or instruction by
 * instruction to count how often it stands at `target`. */
static bool follow(pid_t child, uintptr_t target, struct seen *seen)
{
    int status;
    bool entering = true;
    *seen = (struct seen){0};
    if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
        return false;
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    while (WIFSTOPPED(status)) {
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            if (entering)
                see_entry(seen, entered(child));
            entering = !entering;
        } else if (target && step_address(child) == target) {
            seen->passes++;
        }
        if (ptrace(target ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, child, NULL, NULL) < 0 ||
            waitpid(child, &status, 0) < 0)
            return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool trace(const struct visit *visit, uintptr_t target, struct seen *seen)
{
    struct specimen_state state;
    if (!prepare(visit, &state))
        return false;
    pid_t child = start(visit, &state);
    bool done = child > 0 && follow(child, target, seen);
    restore(visit, &state);
    return done;
}

static void account_of_calls(const struct visit *visit)
{
    struct seen seen;
    if (!trace(visit, 0, &seen) || seen.brackets != 2)
        return;
    print(visit, "ptrace", "syscalls", seen.entries);
    for (size_t index = 0; index < CALLS; index++)
        print(visit, "ptrace", calls[index].class, seen.by_name[index]);
}

/* Each pass begins at its first instruction, and returns: nothing else is in its way. */
static void account_of_target(const struct visit *visit)
{
    struct seen seen;
    const char *file;
    struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_X};
    if (!states(visit->specimen, "breakpoint-exec") || target_settle(&attr, &file) < 0 ||
        !trace(visit, (uintptr_t)attr.bp_addr, &seen))
        return;
    print(visit, "ptrace", "breakpoint-exec", seen.passes);
    print(visit, "ptrace", "uprobe-hits", seen.passes);
    print(visit, "ptrace", "uprobe-returns", seen.passes);
}

/* A watched instruction that does both counts once, as a breakpoint on accesses does. */
static void account_of_word(const struct visit *visit)
{
    const char *file;
    struct specimen_state state;
    struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_W};
    if (!states(visit->specimen, "breakpoint-write") || target_settle(&attr, &file) < 0 ||
        !visit->specimen->text_begin || !prepare(visit, &state))
        return;
    struct watch watch = {.word = (uintptr_t)attr.bp_addr,
                          .begin = (uintptr_t)visit->specimen->text_begin,
                          .end = (uintptr_t)visit->specimen->text_end};
    pid_t child = start(visit, &state);
    bool done = child > 0 && watch_child(child, &watch);
    restore(visit, &state);
    if (!done)
        return;
    print(visit, "ptrace", "breakpoint-write", watch.writes);
    print(visit, "ptrace", "breakpoint-access", watch.either);
}

int main(int argument_count, char **arguments)
{
    for (size_t index = 0; specimen_registry[index]; index++) {
        const struct specimen *specimen = specimen_registry[index];
        struct failure failure = {0};
        if (specimen->form != SPECIMEN_CALLED ||
            (specimen->available && specimen->available(&failure) < 0))
            continue;
        for (int argument = 1; argument < argument_count; argument++) {
            struct visit visit = {specimen, strtoull(arguments[argument], NULL, 10)};
            if (visit.n < specimen->min_n || visit.n > specimen->max_n)
                continue;
            account_of_proc(&visit);
            account_of_calls(&visit);
            account_of_target(&visit);
            account_of_word(&visit);
            fflush(stdout); /* or a child writes it again */
        }
    }
    return 0;
}

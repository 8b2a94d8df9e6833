/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What following adds to stepping: a whole program through the counter step's own loop
 * (probe/command/step-follow.c), against a loop that does nothing but PTRACE_SINGLESTEP and
 * waitpid. Both execute the same program in turns, from its exec to its end, on one CPU. Each turn
 * is set against its neighbour, by the clock and by the CPU time of tracer and program, which
 * others on the CPU disturb less. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "probe/command/step.h"

#define ROUNDS 11

/* --- what the follower needs of who starts programs: here a pipe that holds the process --- */

int command_fail(const struct command_visit *visit, int code, const char *format, ...)
{
    va_list arguments;
    (void)visit;
    va_start(arguments, format);
    fputs("step-ratio: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

int launch_release(const struct command_visit *visit, struct execution *execution)
{
    (void)visit;
    close(execution->hold);
    return 0;
}

static pid_t start(const char *program, const char *argument, bool traced, int *hold)
{
    int ends[2];
    char byte;
    if (pipe2(ends, O_CLOEXEC) < 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (read(ends[0], &byte, 1) < 0 || (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0))
            _exit(126);
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(nothing, STDOUT_FILENO);
        execl(program, program, argument, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    *hold = ends[1];
    return pid;
}

/* --- the two ways --- */

struct taken {
    double clock, cpu; /* ns a step */
};

static double cpu_ns(void)
{
    double sum = 0;
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int index = 0; index < 2; index++) {
        struct rusage usage = {0};
        getrusage(whose[index], &usage);
        sum += 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return sum;
}

static struct taken bare(const char *program, const char *argument, uint64_t *steps)
{
    int hold, status;
    pid_t pid = start(program, argument, true, &hold);
    double cpu = cpu_ns();
    uint64_t begun = monotonic_ns();
    close(hold);
    *steps = 0;
    while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
        ++*steps;
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0)
            break;
    }
    double clock = (double)(monotonic_ns() - begun);
    return (struct taken){clock / (double)*steps, (cpu_ns() - cpu) / (double)*steps};
}

static struct taken followed(const char *program, const char *argument, uint64_t *steps)
{
    int status = 0;
    struct cell cell = {.cpu = sched_getcpu()};
    cell.command.controls = CONTROL_BIT(CONTROL_CPU);
    struct command_visit visit = {.cell = &cell, .detail = -1};
    struct execution execution = {0};
    struct following following = {.visit = &visit, .execution = &execution, .stepping = true};
    execution.pid = start(program, argument, false, &execution.hold);
    double cpu = cpu_ns();
    uint64_t begun = monotonic_ns();
    if (follow(&following, &status) < 0)
        exit(1);
    double clock = (double)(monotonic_ns() - begun);
    cpu = cpu_ns() - cpu;
    *steps = following.instructions + following.repetitions;
    follow_free(&following);
    return (struct taken){clock / (double)*steps, cpu / (double)*steps};
}

/* --- the figure --- */

static int compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), compare);
    return values[ROUNDS / 2];
}

static void measure(const char *kit, const char *name, const char *argument)
{
    char program[4096];
    double clocks[2][ROUNDS], by_clock[ROUNDS], by_cpu[ROUNDS];
    uint64_t steps[2] = {0};
    snprintf(program, sizeof(program), "%s/%s", kit, name);
    for (int round = 0; round < ROUNDS; round++) {
        struct taken taken[2];
        for (int turn = 0; turn < 2; turn++) {
            int way = (round + turn) % 2;
            taken[way] = (way ? followed : bare)(program, argument, &steps[way]);
            clocks[way][round] = taken[way].clock;
        }
        by_clock[round] = taken[0].clock / taken[1].clock;
        by_cpu[round] = taken[0].cpu / taken[1].cpu;
    }
    double ratio = median(by_clock), cpu_ratio = median(by_cpu); /* which sort them */
    printf(
        "step-ratio, %s %s: %.3f (%.3f to %.3f in %d rounds) of a bare ptrace loop's speed: %.0f "
        "steps/s, the other %.0f; by CPU time %.3f (%.3f to %.3f); %" PRIu64 " instructions\n",
        name, argument, ratio, by_clock[0], by_clock[ROUNDS - 1], ROUNDS, 1e9 / median(clocks[1]),
        1e9 / median(clocks[0]), cpu_ratio, by_cpu[0], by_cpu[ROUNDS - 1], steps[1]);
}

static bool possible(void)
{
    int hold, status;
    pid_t pid = start("/", "", true, &hold);
    close(hold);
    bool refused =
        waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 126;
    return !refused;
}

int main(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    if (!possible()) {
        printf("step-ratio: left out, ptrace is refused here\n");
        return 0;
    }
    measure(KIT, "subject-loop", "4000");
    measure(KIT, "subject-calls", "1");
    return 0;
}

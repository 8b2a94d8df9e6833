/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What goes on inside intervals. */
#include "probe/watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/harness/job.h"

/* ----------------------------------------------------------------------------------------------
 * Computation: Fibonacci numbers by the definition, which is calls and additions and nothing that
 * the operating system sees. How much of it fills a µs is found out once in a process; every
 * interval of that process then is the same work, whatever the clocks say meanwhile. */

#define PIECE_NUMBER  14u /* a piece: this number of the sequence, about 1200 calls */
#define CALIBRATED_NS 2000000u
#define CALIBRATIONS  3
#define MOST_PIECES   ((uint64_t)1 << 40)

/* The compiler must not know what it is asked for: it would put the sum, or nothing, in its
 * place. */
static __attribute__((noinline)) uint64_t fibonacci(unsigned number)
{
    __asm__ volatile("" : "+r"(number));
    return number < 2 ? number : fibonacci(number - 1) + fibonacci(number - 2);
}

static void compute(uint64_t pieces)
{
    for (uint64_t index = 0; index < pieces; index++) {
        uint64_t result = fibonacci(PIECE_NUMBER);
        __asm__ volatile("" : : "r"(result));
    }
}

static uint64_t cpu_time(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* In CPU time, because others may take the CPU meanwhile; by the wall where that tells nothing. */
static uint64_t time_of(uint64_t pieces)
{
    uint64_t began = elapsed_clock(), at_first = cpu_time();
    compute(pieces);
    uint64_t used = cpu_time() - at_first, passed = elapsed_clock() - began;
    return used && used < passed ? used : passed;
}

/* The best of a few: a CPU that had to wake first makes the work look heavy. */
static int compute_prepare(struct work *works, size_t count, struct failure *failure)
{
    (void)failure;
    uint64_t pieces = 1, shortest = time_of(pieces);
    while (shortest < CALIBRATED_NS && pieces < MOST_PIECES)
        shortest = time_of(pieces *= 2);
    for (int index = 1; index < CALIBRATIONS; index++) {
        uint64_t took = time_of(pieces);
        if (took < shortest)
            shortest = took;
    }
    for (size_t index = 0; index < count; index++)
        works[index].pace = (double)pieces / ((double)(shortest ? shortest : 1) / 1e3);
    return 0;
}

static int compute_work(struct work *work, uint64_t microseconds)
{
    double pieces = (double)microseconds * work->pace;
    compute(pieces < (double)MOST_PIECES ? (uint64_t)pieces : MOST_PIECES);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * A byte to a partner and back, again and again: both sleep and are woken. The partner is a process
 * of its own, so that no clock of ours counts its time. */

static int start(struct work *work, struct failure *failure)
{
    int there[2] = {-1, -1}, back[2] = {-1, -1};
    pid_t parent = getpid(), pid = -1;
    if (pipe2(there, O_CLOEXEC) == 0 && pipe2(back, O_CLOEXEC) == 0)
        pid = fork();
    int error = errno;
    if (pid == 0) {
        close(there[1]);
        close(back[0]);
        /* Gives every byte back until nobody can send one any more. Others' pipes were inherited,
         * so that their end is not seen as the end of file alone: hence the signal. */
        char byte;
        assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (assay_syscall0(SYS_getppid) == parent) {
            while (assay_syscall3(SYS_read, there[0], (long)&byte, 1) == 1 &&
                   assay_syscall3(SYS_write, back[1], (long)&byte, 1) == 1)
                ;
        }
        assay_syscall1(SYS_exit_group, 0);
    }
    cleanup_close(&there[0]);
    cleanup_close(&back[1]);
    if (pid < 0) {
        cleanup_close(&there[1]);
        cleanup_close(&back[0]);
        return fail_with(failure, -error, "no partner for the workload pipe can be started: %s",
                         strerror(error));
    }
    *work = (struct work){.to = there[1], .from = back[0], .partner = pid};
    return 0;
}

static void pipe_release(struct work *works, size_t count)
{
    for (size_t index = 0; index < count; index++) {
        struct work *work = &works[index];
        if (!work->partner)
            continue;
        close(work->to);
        close(work->from);
        kill(work->partner, SIGKILL);
        while (waitpid(work->partner, NULL, 0) < 0 && errno == EINTR)
            ;
        work->partner = 0;
    }
}

static int pipe_prepare(struct work *works, size_t count, struct failure *failure)
{
    int result = 0;
    signal(SIGPIPE, SIG_IGN); /* a partner that is gone is an error of ours, not our end */
    for (size_t index = 0; index < count && result == 0; index++)
        result = start(&works[index], failure);
    if (result < 0)
        pipe_release(works, count);
    return result;
}

static int pipe_work(struct work *work, uint64_t microseconds)
{
    uint64_t began = elapsed_clock();
    int result;
    do {
        char byte = 'b';
        long error = assay_syscall3(SYS_write, work->to, (long)&byte, 1);
        if (error == 1)
            error = assay_syscall3(SYS_read, work->from, (long)&byte, 1);
        result = error == 1 ? 0 : error < 0 ? (int)error : -EPIPE;
    } while (result == 0 && elapsed_clock() - began < microseconds * 1000u);
    return result;
}

/* --- Calls of the operating system, repeated until the time is over; and the table --- */

#define FAULT_PAGES 64u

static int sleep_work(struct work *work, uint64_t microseconds)
{
    (void)work;
    struct timespec left = {.tv_sec = (time_t)(microseconds / 1000000u),
                            .tv_nsec = (long)(microseconds % 1000000u * 1000u)};
    long result;
    do
        result = assay_syscall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&left, (long)&left);
    while (result == -EINTR);
    return (int)result;
}

static int spin_work(struct work *work, uint64_t microseconds)
{
    (void)work;
    uint64_t began = elapsed_clock();
    while (elapsed_clock() - began < microseconds * 1000u)
        ;
    return 0;
}

static int yield_work(struct work *work, uint64_t microseconds)
{
    (void)work;
    uint64_t began = elapsed_clock();
    do
        assay_syscall0(SYS_sched_yield);
    while (elapsed_clock() - began < microseconds * 1000u);
    return 0;
}

static int faults_work(struct work *work, uint64_t microseconds)
{
    (void)work;
    uint64_t began = elapsed_clock();
    int result;
    do {
        const size_t page = 4096; /* the smallest that there is; larger ones fault less often */
        long place = assay_syscall6(SYS_mmap, 0, (long)(FAULT_PAGES * page), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place < 0 && place > -4096)
            result = (int)place;
        else {
            for (size_t index = 0; index < FAULT_PAGES; index++)
                ((volatile char *)place)[index * page] = 1;
            result = (int)assay_syscall2(SYS_munmap, place, (long)(FAULT_PAGES * page));
        }
    } while (result == 0 && elapsed_clock() - began < microseconds * 1000u);
    return result;
}

static const struct workload workloads[] = {
    {"sleep", NULL, sleep_work, NULL},   {"compute", compute_prepare, compute_work, NULL},
    {"spin", NULL, spin_work, NULL},     {"yield", NULL, yield_work, NULL},
    {"faults", NULL, faults_work, NULL}, {"pipe", pipe_prepare, pipe_work, pipe_release},
};

const struct workload *workload_find(const char *name)
{
    for (size_t index = 0; index < sizeof(workloads) / sizeof(*workloads); index++)
        if (strcmp(workloads[index].name, name) == 0)
            return &workloads[index];
    return NULL;
}

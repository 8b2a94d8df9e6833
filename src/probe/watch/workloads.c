/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of workloads, and those that are a call of the operating system repeated until the time
 * is over. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "probe/harness/elapsed.h"
#include "probe/watch/workload.h"
#include "syscall.h"

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

static int fault_once(void)
{
    const size_t page = 4096; /* the smallest that there is; larger ones fault less often */
    long place = assay_syscall6(SYS_mmap, 0, (long)(FAULT_PAGES * page), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place < 0 && place > -4096)
        return (int)place;
    for (size_t index = 0; index < FAULT_PAGES; index++)
        ((volatile char *)place)[index * page] = 1;
    return (int)assay_syscall2(SYS_munmap, place, (long)(FAULT_PAGES * page));
}

static int faults_work(struct work *work, uint64_t microseconds)
{
    (void)work;
    uint64_t began = elapsed_clock();
    int result;
    do
        result = fault_once();
    while (result == 0 && elapsed_clock() - began < microseconds * 1000u);
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

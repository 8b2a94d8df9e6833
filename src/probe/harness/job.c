/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every harness does with its job: finds it, sees whether it makes sense, brings its own pages
 * in, answers. By inline system calls where a symbol may be one that is going to be measured. */
#include "probe/harness/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "syscall.h"

#define CPU_MASK_BITS 8192u

static struct job *map_job(void)
{
    const struct job *header = mmap(NULL, sizeof(*header), PROT_READ, MAP_SHARED, JOB_FD, 0);
    if (header == MAP_FAILED)
        return NULL;
    uint64_t bytes = header->magic == JOB_MAGIC ? header->bytes : 0;
    munmap((void *)(uintptr_t)header, sizeof(*header));
    if (bytes < sizeof(struct job))
        return NULL;
    void *job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, JOB_FD, 0);
    return job == MAP_FAILED ? NULL : job;
}

static bool tour_is_sound(struct job *job)
{
    if (!job->tour.bytes)
        return true;
    return job->bytes >= job_size(job->runs, job->counters) + job->tour.bytes &&
           job_calls(job)[job->tour.bytes - 1] == '\0' && job->tour.open >= 1 &&
           job->tour.open <= CELL_MAX_COUNTERS;
}

static bool job_is_sound(struct job *job)
{
    return job->counters >= 1 && job->counters <= CELL_MAX_COUNTERS && job->runs >= 1 &&
           job->runs <= CELL_MAX_RUNS && job->pattern < PATTERN_COUNT &&
           job->bytes >= job_size(job->runs, job->counters) &&
           memchr(job->path, 0, sizeof(job->path)) && memchr(job->opt, 0, sizeof(job->opt)) &&
           memchr(job->specimen, 0, sizeof(job->specimen)) && tour_is_sound(job);
}

struct job *job_attach(void)
{
    struct job *job = map_job();
    return job && job_is_sound(job) ? job : NULL;
}

/* A harness never outlives its driver: false when that is gone already. */
static bool job_tie(const struct job *job)
{
    assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    return assay_syscall0(SYS_getppid) == job->driver;
}

bool job_begin(struct job *job, bool fits)
{
    if (!fits)
        fputs("a harness is started by assay-probe, with its job on descriptor 3\n", stderr);
    if (!fits || !job_tie(job))
        return false;
    __atomic_store_n(&job->state, JOB_RUNNING, __ATOMIC_RELEASE);
    return true;
}

int job_fail(struct job *job, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(job->reason, sizeof(job->reason), format, arguments);
    va_end(arguments);
    job->error = -code;
    return code;
}

int job_pin(struct job *job)
{
    if (job->cpu < 0)
        return 0;
    unsigned long mask[CPU_MASK_BITS / (8 * sizeof(unsigned long))] = {0};
    const unsigned bits = 8 * sizeof(unsigned long);
    unsigned cpu = (unsigned)job->cpu;
    if (cpu >= CPU_MASK_BITS)
        return job_fail(job, -EINVAL, "there is no CPU %u", cpu);
    mask[cpu / bits] = 1ul << cpu % bits;
    long result = assay_syscall3(SYS_sched_setaffinity, 0, sizeof(mask), (long)mask);
    if (result < 0)
        return job_fail(
            job, (int)result,
            "cannot pin to CPU %u: %s (is it online, and allowed by cpuset and taskset?)", cpu,
            strerror((int)-result));
    return 0;
}

void job_conclude(struct job *job, int result)
{
    __atomic_store_n(&job->state, result < 0 ? JOB_FAILED : JOB_DONE, __ATOMIC_RELEASE);
}

/* ----------------------------------------------------------------------------------------------
 * Walks /proc/self/maps by inline system calls (read() may be a measured symbol) and populates each
 * mapping: by madvise where the operating system knows how (Linux 5.14), else by touching. */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#define STACK_RESERVE (256u * 1024) /* windows and libraries go no deeper */
#define MAPS_MAX      (256u * 1024) /* bytes of /proc/self/maps looked at */

struct mapping {
    uintptr_t start, end;
    bool readable, writable;
    bool special; /* [vvar] and its kind: not ours to touch */
};

static bool parse_mapping(const char *line, struct mapping *mapping)
{
    char *rest;
    mapping->start = strtoul(line, &rest, 16);
    if (*rest != '-')
        return false;
    mapping->end = strtoul(rest + 1, &rest, 16);
    if (*rest != ' ' || strlen(rest) < 5)
        return false;
    mapping->readable = rest[1] == 'r';
    /* A shared mapping belongs to others as well: it is read, never written. */
    mapping->writable = rest[2] == 'w' && rest[4] == 'p';
    mapping->special = strstr(rest, "[v") != NULL;
    return mapping->end > mapping->start;
}

static void touch(const struct mapping *mapping)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (uintptr_t address = mapping->start; address < mapping->end; address += page) {
        volatile char *byte = (volatile char *)address; /* NOLINT(performance-no-int-to-ptr) */
        char value = *byte;
        if (mapping->writable)
            *byte = value;
    }
}

static void populate(const struct mapping *mapping)
{
    if (!mapping->readable || mapping->special)
        return;
    long advice = mapping->writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    if (assay_syscall3(SYS_madvise, (long)mapping->start, (long)(mapping->end - mapping->start),
                       advice) == -EINVAL)
        touch(mapping);
}

static void grow_stack(void)
{
    volatile char reserve[STACK_RESERVE];
    for (size_t offset = 0; offset < sizeof(reserve); offset += 1024)
        reserve[offset] = 0;
}

static size_t read_maps(char *text, size_t size)
{
    size_t length = 0;
    long descriptor =
        assay_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0)
        return 0;
    long got;
    while (length < size - 1 && (got = assay_syscall3(SYS_read, descriptor, (long)(text + length),
                                                      (long)(size - 1 - length))) > 0)
        length += (size_t)got;
    assay_syscall1(SYS_close, descriptor);
    text[length] = '\0';
    return length;
}

void populate_process(void)
{
    static char text[MAPS_MAX];
    grow_stack();
    read_maps(text, sizeof(text));
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        if (!end)
            break;
        *end = '\0';
        struct mapping mapping;
        if (parse_mapping(line, &mapping))
            populate(&mapping);
        line = end + 1;
    }
}

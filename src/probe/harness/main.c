/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A harness: one process, one visit. It finds its job in shared memory (descriptor 3), runs it and
 * ends. With --describe it says which paths it holds. It must not call read, ioctl, prctl or
 * whatever else a window measures: hence the inline system calls. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "probe/harness/run.h"
#include "syscall.h"

#define EXIT_NO_JOB 2

static void describe_patterns(const struct path *path)
{
    const char *separator = "";
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (path->windows[pattern][SPECIMEN_NULL][LAYOUT_GROUP]) {
            printf("%s%s", separator, pattern_names[pattern]);
            separator = ",";
        }
}

/* What a path's library offers is the same at every level. */
static bool is_first_level(const struct path *path)
{
    size_t index = 0;
    while (path_registry[index] && strcmp(path_registry[index]->name, path->name) != 0)
        index++;
    return path_registry[index] == path;
}

/* "path NAME OPT PATTERNS folder|- SOURCES NOTE" for what can run here, "absent NAME ERRNO REASON"
 * for what cannot; one line for each level. Then what the path's library describes. */
static void describe(const struct path *path)
{
    char reason[512] = "";
    int result = path->operations->usable ? path->operations->usable(reason, sizeof(reason)) : 0;
    if (result < 0) {
        printf("absent %s %d %s\n", path->name, -result, reason);
        return;
    }
    printf("path %s %s ", path->name, path->opt);
    describe_patterns(path);
    printf(" %s %s %s\n", path->needs_folder ? "folder" : "-", path->sources, path->note);
    if (path->operations->describe && is_first_level(path))
        path->operations->describe();
}

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

static bool job_is_sound(const struct job *job)
{
    return job->counters >= 1 && job->counters <= CELL_MAX_COUNTERS && job->runs >= 1 &&
           job->runs <= CELL_MAX_RUNS && job->pattern < PATTERN_COUNT &&
           job->bytes >= job_size(job->runs, job->counters) &&
           memchr(job->path, 0, sizeof(job->path)) && memchr(job->opt, 0, sizeof(job->opt)) &&
           memchr(job->specimen, 0, sizeof(job->specimen));
}

/* A harness never outlives its driver. */
static bool tie_to_driver(const struct job *job)
{
    assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    return assay_syscall0(SYS_getppid) == job->driver;
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "--describe") == 0) {
        for (size_t index = 0; path_registry[index]; index++)
            describe(path_registry[index]);
        return fflush(stdout) ? 1 : 0;
    }
    struct job *job = map_job();
    if (!job || !job_is_sound(job)) {
        fputs("a harness is started by assay-probe, with its job on descriptor 3\n", stderr);
        return EXIT_NO_JOB;
    }
    if (!tie_to_driver(job))
        return EXIT_NO_JOB;
    __atomic_store_n(&job->state, JOB_RUNNING, __ATOMIC_RELEASE);
    int result = run_job(job);
    if (result == RUN_CONCLUDES_AT_EXIT)
        exit(0);
    __atomic_store_n(&job->state, result < 0 ? JOB_FAILED : JOB_DONE, __ATOMIC_RELEASE);
    assay_syscall1(SYS_exit_group, result < 0);
    return result < 0;
}

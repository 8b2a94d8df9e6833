/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A visit of the perf-user paths while somebody switches reads from user code off: it must fail
 * with the reason, neither by a signal nor with counts that stand still. Changes the machine's
 * setting and puts it back: for emulated machines. TAP on standard output. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/harness/path.h"

#define SETTING "/proc/sys/kernel/perf_user_access"
#define RUNS    40
#define N       20000000u /* iterations a run: the switch falls into one */

static bool set_access(const char *value)
{
    int file = open(SETTING, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, value, 1) == 1;
    if (file >= 0)
        close(file);
    return written;
}

static struct job *ask(uint32_t pattern)
{
    size_t bytes = job_size(RUNS, 1);
    struct job *job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job == MAP_FAILED)
        exit(2);
    *job = (struct job){.magic = JOB_MAGIC,
                        .bytes = bytes,
                        .path = "perf-user",
                        .opt = "O2",
                        .specimen = "loop",
                        .pattern = pattern,
                        .counters = 1,
                        .runs = RUNS,
                        .cpu = -1,
                        .n = N,
                        .failed_event = -1};
    snprintf(job->events[0].name, JOB_NAME, "instructions:u");
    job->events[0].attr = (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
                                                   .type = PERF_TYPE_HARDWARE,
                                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                                   .exclude_kernel = 1,
                                                   .exclude_hv = 1};
    return job;
}

/* Every run that was reported must be right, the last before the switch too. */
static bool runs_are_equal(struct job *job)
{
    for (uint32_t run = 1; run < job->runs_done; run++)
        if (job_values(job)[run] != job_values(job)[0])
            return false;
    return job->runs_done > 0;
}

static bool withdraw(uint32_t pattern, unsigned delay)
{
    struct job *job = ask(pattern);
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(run_job(job) < 0);
    while (!__atomic_load_n(&job->runs_done, __ATOMIC_ACQUIRE) &&
           waitpid(child, &status, WNOHANG) == 0)
        usleep(10000);
    usleep(delay);
    set_access("0");
    waitpid(child, &status, 0);
    set_access("1");
    printf("# %s: status 0x%x after %u runs: %s\n", pattern_names[pattern], (unsigned)status,
           job->runs_done, job->reason);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1 && job->runs_done < RUNS &&
           strstr(job->reason, "switched off") && runs_are_equal(job);
}

int main(void)
{
    static const uint32_t patterns[] = {PATTERN_RR, PATTERN_AR, PATTERN_RO};
    char reason[512];
    int failures = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (perf_user_populated_operations.usable(reason, sizeof(reason)) < 0) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    if (!set_access("1")) {
        puts("1..0 # SKIP " SETTING " cannot be written");
        return 0;
    }
    puts("1..3");
    for (int index = 0; index < 3; index++) {
        bool told = withdraw(patterns[index], 3000u + 1700u * (unsigned)index);
        printf(
            "%s %d - pattern %s: access withdrawn in the middle fails the visit with the reason\n",
            told ? "ok" : "not ok", index + 1, pattern_names[patterns[index]]);
        failures += !told;
    }
    return failures != 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The attempt runs in a child, because a seccomp filter may kill whoever makes the call. */
#include "machine/perf-try.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/cleanup.h"

#define SPIN_STEPS 100000

static int open_event(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {
        .type = type,
        .size = sizeof(attr),
        .config = config,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

static struct perf_count count_hardware(uint64_t config)
{
    AUTO_CLOSE int fd = open_event(PERF_TYPE_HARDWARE, config);
    if (fd < 0)
        return (struct perf_count){.error = -fd};
    uint64_t values[3] = {0};
    if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
        return (struct perf_count){.error = errno};
    for (volatile int step = 0; step < SPIN_STEPS; step = step + 1)
        ;
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    ssize_t got = read(fd, values, sizeof(values));
    if (got != (ssize_t)sizeof(values))
        return (struct perf_count){.error = got < 0 ? errno : EIO};
    return (struct perf_count){
        .count = values[0], .enabled_ns = values[1], .running_ns = values[2]};
}

static void attempt(struct perf_try *result)
{
    AUTO_CLOSE int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    result->dummy = fd < 0 ? -fd : 0;
    result->instructions = count_hardware(PERF_COUNT_HW_INSTRUCTIONS);
    result->cycles = count_hardware(PERF_COUNT_HW_CPU_CYCLES);
}

static void report(int fd, int cpu)
{
    if (cpu >= 0 && cpu < CPU_SETSIZE) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET((size_t)cpu, &only);
        sched_setaffinity(0, sizeof(only), &only); /* refused: then wherever we are */
    }
    struct perf_try result;
    memset(&result, 0, sizeof(result));
    attempt(&result);
    /* smaller than a pipe's atomic write: it goes whole or not at all */
    _exit(write(fd, &result, sizeof(result)) == (ssize_t)sizeof(result) ? 0 : 1);
}

static int read_result(int fd, pid_t child, struct perf_try *result)
{
    ssize_t got;
    do {
        got = read(fd, result, sizeof(*result));
    } while (got < 0 && errno == EINTR);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            break; /* somebody else reaps; what was read still holds */
    if (got == (ssize_t)sizeof(*result))
        return 0;
    memset(result, 0, sizeof(*result));
    result->killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return result->killed ? 0 : -EIO;
}

int perf_try(int cpu, struct perf_try *result)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork();
    if (child == 0)
        report(ends[1], cpu);
    int error = errno;
    close(ends[1]);
    int status = child < 0 ? -error : read_result(ends[0], child, result);
    close(ends[0]);
    return status;
}

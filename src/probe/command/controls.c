/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a process does to itself so that the program it becomes finds what its setting says. A
 * control that the machine refuses is a failure: a count must not be called controlled when it is
 * not. */
#include "probe/command/controls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MASK_BITS (8 * sizeof(unsigned long))

static int apply_directory(const struct command_visit *visit, const struct execution *execution,
                           struct failure *failure)
{
    if (!control_is_on(visit, CONTROL_DIRECTORY) || !execution->directory ||
        chdir(execution->directory) == 0)
        return 0;
    return fail_with(failure, -errno, "it cannot work in %.300s: %s", execution->directory,
                     strerror(errno));
}

/* A counter may have pinned itself: without the control the program is as free as the driver. */
static int apply_cpu(const struct command_visit *visit, const struct execution *execution,
                     struct failure *failure)
{
    unsigned long mask[GUARD_MASK];
    const int cpu = control_is_on(visit, CONTROL_CPU) ? visit->cell->cpu : -1;
    memcpy(mask, execution->guarded->allowed, sizeof(mask));
    if (cpu >= 0) {
        if ((size_t)cpu >= GUARD_MASK * MASK_BITS)
            return fail_with(failure, -EINVAL, "there is no CPU %d", cpu);
        memset(mask, 0, sizeof(mask));
        mask[(size_t)cpu / MASK_BITS] = 1ul << (size_t)cpu % MASK_BITS;
    }
    if (syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask) == 0 || cpu < 0)
        return 0;
    return fail_with(failure, -errno,
                     "it cannot be held on CPU %d: %s (is it online, and allowed by cpuset and "
                     "taskset?)",
                     cpu, strerror(errno));
}

static int apply_stack(const struct command_visit *visit, const struct execution *execution,
                       struct failure *failure)
{
    struct rlimit limit;
    (void)execution;
    if (!control_is_on(visit, CONTROL_STACK))
        return 0;
    if (getrlimit(RLIMIT_STACK, &limit) == 0) {
        limit.rlim_cur = COMMAND_STACK_BYTES;
        if (setrlimit(RLIMIT_STACK, &limit) == 0)
            return 0;
    }
    return fail_with(failure, -errno,
                     "the limit of its stack cannot be set to %u MiB: %s (the hard limit is lower: "
                     "ulimit -H -s)",
                     COMMAND_STACK_BYTES >> 20, strerror(errno));
}

/* ADDR_LIMIT_3GB matters to 32-bit programs alone: others do without where it is refused. */
static int apply_personality(const struct command_visit *visit, const struct execution *execution,
                             struct failure *failure)
{
    const int found = personality(0xffffffff);
    unsigned long wanted = found < 0 ? 0 : (unsigned long)found;
    if (control_is_on(visit, CONTROL_ASLR))
        wanted |= ADDR_NO_RANDOMIZE;
    if (visit->cell->command.sweep == SWEEP_ASLR)
        wanted &= ~(unsigned long)ADDR_NO_RANDOMIZE;
    const unsigned long limited =
        control_is_on(visit, CONTROL_LAYOUT) ? wanted | ADDR_LIMIT_3GB : wanted;
    if ((found >= 0 && limited == (unsigned long)found) || personality(limited) >= 0)
        return 0;
    if (execution->bits != 32 &&
        ((found >= 0 && wanted == (unsigned long)found) || personality(wanted) >= 0))
        return 0;
    return fail_with(failure, -errno,
                     "its addresses cannot be controlled: personality() is refused (%s), as "
                     "filters of containers do. Switch off the controls aslr and layout",
                     strerror(errno));
}

/* What is standard input where it is not controlled: a pipe in which nothing comes. */
static int open_ended_pipe(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    close(ends[1]);
    return ends[0];
}

/* A pipe with its input in it was laid there already, where there is a feeder. */
static int apply_stdin(const struct command_visit *visit, const struct execution *execution,
                       struct failure *failure)
{
    const bool controlled = control_is_on(visit, CONTROL_STDIN);
    const char *file = execution->input ? execution->input : "/dev/null";
    if (!controlled && execution->input)
        return 0;
    AUTO_CLOSE int fd = controlled ? open(file, O_RDONLY | O_CLOEXEC) : open_ended_pipe();
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return fail_with(failure, -errno, "it has no standard input: %.300s: %s",
                         controlled ? file : "a pipe", strerror(errno));
    return 0;
}

/* A program that crashes leaves no file. 1 byte, because 0 does not stop who takes dumps by a pipe.
 */
static int apply_no_dumps(const struct command_visit *visit, const struct execution *execution,
                          struct failure *failure)
{
    struct rlimit limit;
    (void)visit, (void)execution, (void)failure;
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < 1 ? limit.rlim_max : 1;
        setrlimit(RLIMIT_CORE, &limit);
    }
    return 0;
}

int controls_apply(const struct command_visit *visit, const struct execution *execution,
                   struct failure *failure)
{
    static int (*const steps[])(const struct command_visit *, const struct execution *,
                                struct failure *) = {
        apply_stdin, apply_directory, apply_cpu, apply_stack, apply_no_dumps, apply_personality};
    int result = 0;
    for (size_t index = 0; index < sizeof(steps) / sizeof(*steps) && result == 0; index++)
        result = steps[index](visit, execution, failure);
    return result;
}

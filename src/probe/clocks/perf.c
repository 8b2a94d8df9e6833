/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counters of perf_event taken as clocks: they count the thread that opened them, and are read by
 * read(2) as a bare system call. */
#include <errno.h>
#include <string.h>

#include <linux/perf_event.h>

#include "probe/clocks/clock.h"
#include "ticks.h"

#define NANOSECONDS 1000000000u

static uint64_t perf_fails(struct clock_reader *reader, long result)
{
    if (result >= 0)
        return clock_fails(reader, EIO, "read(2) of %s gave %ld bytes instead of 8",
                           reader->clock->name, result);
    return clock_fails(reader, (int)-result, "read(2) of %s failed: %s", reader->clock->name,
                       strerror((int)-result));
}

static inline __attribute__((always_inline)) uint64_t ask(struct clock_reader *reader)
{
    uint64_t count = 0; /* analysers do not see what a bare call writes */
    long result = assay_syscall3(SYS_read, reader->descriptor, (long)&count, sizeof(count));
    return __builtin_expect(result != sizeof(count), 0) ? perf_fails(reader, result) : count;
}

CLOCK_READ_AND_FILL(counter, ask(reader))

static const struct {
    int error;
    const char *why;
} refusals[] = {
    {ENOENT, "this machine has no such counter: it has no PMU, or its hypervisor does not pass "
             "one on"},
    {ENODEV, "this machine has no such counter: it has no PMU, or its hypervisor does not pass "
             "one on"},
    {EOPNOTSUPP, "the PMU of this machine has no such counter"},
    {EACCES, "perf_event_paranoid forbids it: lower /proc/sys/kernel/perf_event_paranoid, or run "
             "with CAP_PERFMON"},
    {EPERM, "a sandbox or perf_event_paranoid forbids perf_event_open(2)"},
    {ENOSYS, "the operating system, or a sandbox, has no perf_event_open(2)"},
    {EMFILE, "this process has too many files open"},
};

static int refuse(int error, char *reason, size_t size)
{
    for (size_t index = 0; index < sizeof(refusals) / sizeof(*refusals); index++)
        if (refusals[index].error == error)
            return clock_says(reason, size, -error, "%s", refusals[index].why);
    return clock_says(reason, size, -error, "perf_event_open(2) failed: %s", strerror(error));
}

static long open_event(uint32_t type, uint64_t config, bool user_alone)
{
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof(attr),
                                   .config = config,
                                   .exclude_kernel = user_alone,
                                   .exclude_hv = 1};
    return assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Software clocks count alike in all modes: the one that needs no permission does. */
static int open_software(struct clock_reader *reader, uint64_t config, char *claim, char *reason,
                         size_t size)
{
    long opened = open_event(PERF_TYPE_SOFTWARE, config, true);
    if (opened < 0)
        return refuse((int)-opened, reason, size);
    reader->descriptor = (int)opened;
    reader->hz = NANOSECONDS;
    return clock_says(claim, CLOCK_CLAIM, 0, "perf_event: it counts nanoseconds");
}

#define SOFTWARE_CLOCK(symbol, its_name, config)                                                   \
    static int symbol##_open(struct clock_reader *reader, char *claim, char *reason, size_t size)  \
    {                                                                                              \
        return open_software(reader, config, claim, reason, size);                                 \
    }                                                                                              \
    const struct clock clock_##symbol = {                                                          \
        .name = (its_name),                                                                        \
        .kind = CLOCK_CPU_TIME,                                                                    \
        .way = "read",                                                                             \
        .note = "counts the thread that opened it",                                                \
        .hardware = TICKS_HARDWARE,                                                                \
        .open = symbol##_open,                                                                     \
        .read = counter_read,                                                                      \
        .fill = counter_fill,                                                                      \
    }

SOFTWARE_CLOCK(task_clock, "task-clock", PERF_COUNT_SW_TASK_CLOCK);
SOFTWARE_CLOCK(cpu_clock, "cpu-clock", PERF_COUNT_SW_CPU_CLOCK);

static int cycles_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    (void)claim;
    long opened = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);
    if (opened == -EACCES || opened == -EPERM)
        opened = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true);
    if (opened < 0)
        return refuse((int)-opened, reason, size);
    reader->descriptor = (int)opened;
    return 0;
}

const struct clock clock_cycles = {
    .name = "cycles",
    .kind = CLOCK_CYCLES,
    .way = "read",
    .note = "counts the thread that opened it, in user code alone where perf_event_paranoid "
            "forbids more",
    .hardware = "cycles",
    .open = cycles_open,
    .read = counter_read,
    .fill = counter_fill,
};

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * No clocks, but what to know beside them: the CPU that a look was made on, and the time that the
 * host took from the machine's CPUs until then. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "probe/clocks/clock.h"

#define STAT_FILE "/proc/stat"
#define STEAL_COLUMN                                                                               \
    8 /* of the line of all CPUs: user nice system idle iowait irq softirq steal                   \
       */
#define NANOSECONDS 1000000000u

static inline __attribute__((always_inline)) uint64_t ask_place(struct clock_reader *reader)
{
    unsigned cpu = 0;
    long result = assay_syscall3(SYS_getcpu, (long)&cpu, 0, 0);
    return result < 0
               ? clock_fails(reader, (int)-result, "getcpu(2) failed: %s", strerror((int)-result))
               : cpu;
}

CLOCK_READ_AND_FILL(cpu, ask_place(reader))

static int cpu_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    (void)claim;
    ask_place(reader);
    return reader->error ? clock_says(reason, size, -reader->error, "%s", reader->why) : 0;
}

/* The number in a column of the line that begins with "cpu "; -1: there is none. */
static int64_t column_of(const char *line, int column)
{
    if (strncmp(line, "cpu ", 4) != 0)
        return -1;
    const char *at = line + 3;
    for (int skipped = 0; skipped < column; skipped++) {
        at += strspn(at, " ");
        if (skipped + 1 < column)
            at += strspn(at, "0123456789");
    }
    int64_t value = *at >= '0' && *at <= '9' ? 0 : -1;
    for (; *at >= '0' && *at <= '9' && value < INT64_MAX / 16; at++)
        value = value * 10 + (*at - '0');
    return value;
}

static uint64_t ask_stolen(struct clock_reader *reader)
{
    char line[512] = "";
    long length = assay_syscall4(SYS_pread64, reader->descriptor, (long)line, sizeof(line) - 1, 0);
    if (length < 0)
        return clock_fails(reader, (int)-length, STAT_FILE " cannot be read: %s",
                           strerror((int)-length));
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    int64_t ticks = column_of(line, STEAL_COLUMN);
    if (ticks < 0)
        return clock_fails(reader, EPROTO, STAT_FILE " does not tell of stolen time");
    return (uint64_t)ticks * (uint64_t)reader->id;
}

CLOCK_READ_AND_FILL(steal, ask_stolen(reader))

static int steal_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    long ticks = sysconf(_SC_CLK_TCK);
    reader->id = NANOSECONDS / (ticks > 0 ? ticks : 100);
    reader->descriptor = open(STAT_FILE, O_RDONLY | O_CLOEXEC);
    if (reader->descriptor < 0)
        return clock_says(reason, size, -errno, STAT_FILE " cannot be opened: %s", strerror(errno));
    ask_stolen(reader);
    if (reader->error)
        return clock_says(reason, size, -reader->error, "%s", reader->why);
    reader->hz = NANOSECONDS;
    return clock_says(claim, CLOCK_CLAIM, 0, STAT_FILE ": %ld ticks a second", ticks);
}

static double tick(struct clock_reader *reader)
{
    return (double)reader->id;
}

const struct clock clock_cpu = {
    .name = "cpu",
    .kind = CLOCK_PLACE,
    .way = "syscall",
    .note = "the number of the CPU",
    .hardware = "cpu",
    .open = cpu_open,
    .read = cpu_read,
    .fill = cpu_fill,
};

const struct clock clock_steal = {
    .name = "steal",
    .kind = CLOCK_STOLEN,
    .way = "read",
    .note = "what the host took from all CPUs together",
    .slow = true,
    .hardware = "steal",
    .open = steal_open,
    .read = steal_read,
    .fill = steal_fill,
    .claimed_resolution = tick,
};

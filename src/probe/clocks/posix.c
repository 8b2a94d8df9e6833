/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of clock_gettime(2): by the call that programs make, which libc serves from the vDSO
 * where there is one, and by a bare system call, which works where the vDSO would fault. */
#include "probe/clocks/clock.h"

#include <errno.h>
#include <string.h>

#include "ticks.h"

uint64_t posix_fails(struct clock_reader *reader, int error)
{
    return clock_fails(reader, error, "clock_gettime(2) of %s failed: %s", reader->clock->name,
                       strerror(error));
}

double posix_claimed_resolution(struct clock_reader *reader)
{
    struct timespec resolution = {0};
    if (assay_syscall2(SYS_clock_getres, (long)reader->id, (long)&resolution) < 0)
        return 0;
    return (double)posix_ns(&resolution);
}

static inline __attribute__((always_inline)) uint64_t call_libc(struct clock_reader *reader)
{
    struct timespec now;
    int result = clock_gettime((clockid_t)reader->id, &now);
    return __builtin_expect(result != 0, 0) ? posix_fails(reader, errno) : posix_ns(&now);
}

CLOCK_READ_AND_FILL(vdso, call_libc(reader))
CLOCK_READ_AND_FILL(bare, posix_ask(reader))

static int open_bare(struct clock_reader *reader, clockid_t id, char *claim, char *reason,
                     size_t size)
{
    reader->id = id;
    reader->hz = POSIX_HZ;
    posix_ask(reader);
    if (reader->error)
        return clock_says(reason, size, -reader->error, "%s", reader->why);
    return clock_says(claim, CLOCK_CLAIM, 0, "clock_gettime(2): it counts nanoseconds");
}

static int open_vdso(struct clock_reader *reader, clockid_t id, char *claim, char *reason,
                     size_t size)
{
    int result = open_bare(reader, id, claim, reason, size);
    return result < 0 ? result : clock_try(reader, reason, size);
}

/* symbol and name, way (vdso or bare), id; the rest are fields of struct clock. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names and fields take none */
#define POSIX_CLOCK(symbol, text, by, number, ...)                                                 \
    static int symbol##_open(struct clock_reader *reader, char *claim, char *reason, size_t size)  \
    {                                                                                              \
        return open_##by(reader, number, claim, reason, size);                                     \
    }                                                                                              \
    const struct clock clock_##symbol = {.name = text,                                             \
                                         .read = by##_read,                                        \
                                         .fill = by##_fill,                                        \
                                         .open = symbol##_open,                                    \
                                         .claimed_resolution = posix_claimed_resolution,           \
                                         __VA_ARGS__}
/* NOLINTEND(bugprone-macro-parentheses) */

#define BY_VDSO .kind = CLOCK_WALL, .way = "vdso"
#define BY_CALL .kind = CLOCK_WALL, .way = "syscall"
#define COARSE  "as of the last tick of the operating system's timer"
/* The scheduler's own reading of the CPU's counter of time, whatever the clocksource is. */
#define CPU_TIME .kind = CLOCK_CPU_TIME, .way = "syscall", .hardware = TICKS_HARDWARE

POSIX_CLOCK(realtime, "realtime", vdso, CLOCK_REALTIME, BY_VDSO, .steered = true,
            .note = "steps when somebody sets the time");
POSIX_CLOCK(monotonic, "monotonic", vdso, CLOCK_MONOTONIC, BY_VDSO, .steered = true,
            .note = "stands still while the machine is suspended");
POSIX_CLOCK(monotonic_raw, "monotonic-raw", vdso, CLOCK_MONOTONIC_RAW, BY_VDSO,
            .note = "never adjusted; stands still while the machine is suspended");
POSIX_CLOCK(boottime, "boottime", vdso, CLOCK_BOOTTIME, BY_VDSO, .steered = true,
            .note = "goes on while the machine is suspended");
POSIX_CLOCK(
    tai, "tai", vdso, CLOCK_TAI, BY_VDSO, .steered = true,
    .note = "realtime without leap seconds, where somebody told the operating system of them");
POSIX_CLOCK(monotonic_coarse, "monotonic-coarse", vdso, CLOCK_MONOTONIC_COARSE, BY_VDSO,
            .steered = true, .note = COARSE);
POSIX_CLOCK(realtime_coarse, "realtime-coarse", vdso, CLOCK_REALTIME_COARSE, BY_VDSO,
            .steered = true, .note = COARSE);
POSIX_CLOCK(monotonic_syscall, "monotonic-syscall", bare, CLOCK_MONOTONIC, BY_CALL, .steered = true,
            .note = "monotonic by a bare system call");
POSIX_CLOCK(monotonic_raw_syscall, "monotonic-raw-syscall", bare, CLOCK_MONOTONIC_RAW, BY_CALL,
            .note = "monotonic-raw by a bare system call");
POSIX_CLOCK(process_cputime, "process-cputime", bare, CLOCK_PROCESS_CPUTIME_ID, CPU_TIME,
            .note = "all threads of the process together");
POSIX_CLOCK(thread_cputime, "thread-cputime", bare, CLOCK_THREAD_CPUTIME_ID, CPU_TIME, .note = "");

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a clock is to the probe: a name and a way to read it, one file for clocks that are read
 * alike, one line in the build list each. Linked into the driver (which looks for the controller)
 * and into watching harnesses. Nothing here reads time through the vDSO but the clocks that say so,
 * because where rdtsc is forbidden the vDSO faults as well.
 *
 *   clock.c                     finding, opening, trying and describing clocks of any kind
 *   tsc.c, cntvct.c, rdtime.c   counters that an instruction reads, one file an ISA
 *   hpet.c                      a timer of PCs, whose registers are mapped
 *   posix.c                     clock_gettime(2), by the vDSO and by a system call
 *   perf.c                      counters of perf_event taken as clocks
 *   devices.c                   a network card's or a host's clock, and the one with a battery
 *   place.c                     no clocks: the CPU, and the time that the host took
 *   external.c                  a person's own: commands that answer with numbers (external.h)
 *   object.c                    a person's own: functions of shared objects */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "syscall.h"

enum clock_kind {
    CLOCK_WALL,     /* claims to go on whatever the CPU does */
    CLOCK_CPU_TIME, /* claims to go on while the thread or process runs */
    CLOCK_CYCLES,   /* claims to count what the CPU does, not time */
    CLOCK_PLACE,    /* no clock: the number of the CPU */
    CLOCK_STOLEN,   /* no candidate: ns that the host took from all CPUs of the machine */
    CLOCK_KINDS
};
extern const char
    *const clock_kind_names[CLOCK_KINDS]; /* "wall" "cpu-time" "cycles" "place" "stolen" */

#define CLOCK_CLAIM  128 /* bytes for `claim` */
#define CLOCK_REASON 512 /* enough for every `reason` */

/* An opened clock. Belongs to the thread that opened it: counters of perf count that thread. */
struct clock_reader {
    const struct clock *clock;
    uint64_t hz;    /* ticks a second as somebody claims; 0: nobody does */
    int descriptor; /* -1: none */
    int64_t id;     /* of clock_gettime(2) */
    void *own;
    int error;              /* positive errno of the first reading that failed; that returned 0 */
    char why[CLOCK_REASON]; /* the sentence to it */
};

struct clock {
    const char *name; /* "tsc", "monotonic-raw" */
    enum clock_kind kind;
    const char *way;  /* how it is read: "instruction", "vdso", "syscall", "read", "device" … */
    const char *note; /* what to know about it, or "" */
    bool slow;        /* a reading takes microseconds: belongs outermost in a look */
    bool steered;     /* the operating system adjusts its rate (adjtimex) */
    /* What it is made of, when it can be told: "tsc", "cntvct", "rdtime", "rtc", "ptp", "hpet",
     * "cycles"; NULL: the operating system's current clocksource, whatever that is. */
    const char *hardware;
    /* Finds reader with its clock and no descriptor. 0, or a negative errno with the reason; what
     * it left open then is closed for it. Also tells whether it works: a clock that would
     * kill the process that reads it (rdtsc where that is forbidden) fails here. Sets hz, where
     * somebody claims one, and says who into `claim` ("CNTFRQ_EL0", "the operating system's
     * conversion of the TSC"). */
    int (*open)(struct clock_reader *reader, char *claim, char *reason, size_t size);
    uint64_t (*read)(struct clock_reader *reader);
    /* Reads it count times with nothing between: the reading inlined, so that nothing else is paid
     * for. */
    void (*fill)(struct clock_reader *reader, uint64_t *readings, size_t count);
    /* NULL: nothing to close but the descriptor, which is closed in any case. */
    void (*close)(struct clock_reader *reader);
    /* What the operating system claims as its resolution, ns; 0: nothing. NULL: never. */
    double (*claimed_resolution)(struct clock_reader *reader);
};

/* Defines NAME_read and NAME_fill from an expression that reads `reader` once. */
#define CLOCK_READ_AND_FILL(name, expression)                                                      \
    static uint64_t name##_read(struct clock_reader *reader)                                       \
    {                                                                                              \
        (void)reader;                                                                              \
        return (expression);                                                                       \
    }                                                                                              \
    static void name##_fill(struct clock_reader *reader, uint64_t *readings, size_t count)         \
    {                                                                                              \
        (void)reader;                                                                              \
        for (size_t index = 0; index < count; index++)                                             \
            readings[index] = (expression);                                                        \
    }

/* Defines clock_NAME, which an instruction reads. */
#define CLOCK_OF_INSTRUCTION(symbol, its_name, its_open, expression, its_note)                     \
    CLOCK_READ_AND_FILL(symbol, expression)                                                        \
    const struct clock clock_##symbol = {                                                          \
        .name = (its_name),                                                                        \
        .kind = CLOCK_WALL,                                                                        \
        .way = "instruction",                                                                      \
        .note = (its_note),                                                                        \
        .hardware = TICKS_HARDWARE,                                                                \
        .open = (its_open),                                                                        \
        .read = symbol##_read,                                                                     \
        .fill = symbol##_fill,                                                                     \
    }

extern const struct clock *const clock_registry[]; /* generated; ends with NULL */
const struct clock *clock_find(const char *name);  /* NULL: none */

/* Opens a clock of the registry, or one of the user's (wire/watch.h); shared objects only where
 * objects is true and object.c is linked: a static program cannot load them. `claim` (CLOCK_CLAIM
 * bytes, or NULL) and `reason` (size bytes) are strings afterwards. Every reader that was opened is
 * closed, by the thread that opened it; a reader that could not be opened may be. */
int clock_open(struct clock_reader *reader, const char *name, bool objects, char *claim,
               char *reason, size_t size);
void clock_close(struct clock_reader *reader);

/* May user code read the CPU's counter of time (PR_SET_TSC)? */
bool clock_ticks_allowed(void);

/* A line for each clock of the registry, what it claims or why it cannot be read here
 * (docs/protocol.md): a watching harness's answer to --describe. */
void clocks_describe(FILE *out);

/* For who defines a clock. Of a reading that went wrong: keeps error and sentence, returns 0. */
uint64_t clock_fails(struct clock_reader *reader, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads it once in a process of its own, and fails with a sentence where that does not end well: by
 * a signal, or not within 5 s. */
int clock_try(struct clock_reader *reader, char *reason, size_t size);
/* A claim, or any other sentence: cut where it is too long. Returns code. */
int clock_says(char *to, size_t size, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A date of the Gregorian calendar as seconds, without libc's zones of time: what an RTC shows. */

struct calendar_time {
    int64_t year, month, day; /* month and day count from 1 */
    int64_t hour, minute, second;
};

/* Days from 1970-01-01. Years are taken from March on, so that the leap day comes last. */
static inline int64_t days_since_1970(const struct calendar_time *time)
{
    int64_t year = time->month > 2 ? time->year : time->year - 1;
    int64_t month = time->month > 2 ? time->month - 3 : time->month + 9;
    int64_t leap_days = year / 4 - year / 100 + year / 400;
    int64_t day_of_year = (153 * month + 2) / 5 + time->day - 1;
    return year * 365 + leap_days + day_of_year - 719468;
}

static inline uint64_t seconds_since_1970(const struct calendar_time *time)
{
    return (uint64_t)(days_since_1970(time) * 86400 + time->hour * 3600 + time->minute * 60 +
                      time->second);
}

/* Clocks of clock_gettime(2), whoever has made the id: readings by a bare system call. */

#define POSIX_HZ 1000000000u

static inline __attribute__((always_inline)) uint64_t posix_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * POSIX_HZ + (uint64_t)time->tv_nsec;
}

/* The sentence about it; out of line, so that readings stay short. */
uint64_t posix_fails(struct clock_reader *reader, int error);

static inline __attribute__((always_inline)) uint64_t posix_ask(struct clock_reader *reader)
{
    struct timespec now = {0}; /* analysers do not see what a bare call writes */
    long result = assay_syscall2(SYS_clock_gettime, (long)reader->id, (long)&now);
    return __builtin_expect(result < 0, 0) ? posix_fails(reader, (int)-result) : posix_ns(&now);
}

double posix_claimed_resolution(struct clock_reader *reader); /* ns, by clock_getres(2) */

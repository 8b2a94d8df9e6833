/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the library adds to reading counters: assay_set_read against the bare system call on the
 * same descriptor. Both are timed in short batches that alternate within one run, because a
 * read's cost differs between processes and over time; the figure is the ratio of the medians. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/set.h"
#include "syscall.h"

#define BATCHES 4000
#define READS   32 /* in a batch */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) uint64_t time_bare(const struct assay_set *set)
{
    uint64_t report[3 + ASSAY_MAX_COUNTERS];
    size_t size = (set->grouped ? 3 + set->open : 3) * sizeof(uint64_t);
    uint64_t start = nanoseconds();
    for (int i = 0; i < READS; i++) {
        if (assay_syscall3(SYS_read, set->leader, (long)(uintptr_t)report, (long)size) <= 0)
            abort();
    }
    return nanoseconds() - start;
}

static __attribute__((noinline)) uint64_t time_library(struct assay_set *set)
{
    struct assay_value values[ASSAY_MAX_COUNTERS];
    uint64_t start = nanoseconds();
    for (int i = 0; i < READS; i++) {
        if (assay_set_read(set, values) < 0)
            abort();
    }
    return nanoseconds() - start;
}

/* As other languages call it: through the exported function. */
static __attribute__((noinline)) uint64_t time_called(struct assay_set *set)
{
    struct assay_value values[ASSAY_MAX_COUNTERS];
    uint64_t start = nanoseconds();
    for (int i = 0; i < READS; i++) {
        if ((assay_set_read)(set, values) < 0)
            abort();
    }
    return nanoseconds() - start;
}

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static double median(uint64_t *batches)
{
    qsort(batches, BATCHES, sizeof(*batches), compare);
    const uint64_t *middle = &batches[BATCHES / 2];
    return (double)(middle[-1] + middle[0]) / 2 / READS;
}

enum { BARE, LIBRARY, CALLED, WAYS };
static uint64_t times[WAYS][BATCHES];

/* Which goes first alternates too. */
static void measure(struct assay_set *set)
{
    for (int i = 0; i < BATCHES; i++) {
        if (i % 2)
            times[BARE][i] = time_bare(set);
        times[LIBRARY][i] = time_library(set);
        if (i % 2 == 0)
            times[BARE][i] = time_bare(set);
        times[CALLED][i] = time_called(set);
    }
}

static int report(const char *const *events, size_t count)
{
    struct assay_set *set;
    if (assay_set_open(&set, events, count, 0) < 0) {
        fprintf(stderr, "read-ratio: %s\n", assay_last_error());
        return 1;
    }
    if (set->open != count) {
        fprintf(stderr, "read-ratio: %s: %s\n", assay_set_event(set, 0), assay_set_reason(set, 0));
        assay_set_close(set);
        return 3;
    }
    assay_set_enable(set);
    measure(set); /* the first round warms up */
    measure(set);
    assay_set_close(set);
    double bare = median(times[BARE]), library = median(times[LIBRARY]);
    printf("libassay read, %zu event%s: %.0f ns, bare system call %.0f ns, ratio %.3f (through the "
           "exported function %.0f ns)\n",
           count, count == 1 ? "" : "s", library, bare, library / bare, median(times[CALLED]));
    return 0;
}

int main(void)
{
    static const char *const events[] = {"page-faults:u", "minor-faults:u", "major-faults:u",
                                         "dummy:u"};
    int status = report(events, 1);
    return status ? status : report(events, 4);
}

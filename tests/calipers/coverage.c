/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often the bars of a region's ticks and time hold the truth, by what the region does. A trial
 * is a region around work, and the work is bracketed by readings of the counter that are no part of
 * the library, just outside and just inside:
 *
 *     out = counter; assay_begin(); from = counter; work; to = counter; assay_end(); out = counter;
 *
 * What stands in the region is the work and both readings inside: to - from, which has half of each
 * reading, and once more what a reading costs. That cost is measured by pairs of readings in a row
 * behind each trial. A bar is counted as `held` when it holds this sum, and as `possible` when it
 * holds anything at all between the readings inside and those outside.
 *
 *     coverage [TRIALS [SEED]]
 *
 * prints one line of figures for each way to count, kind of work and measure. Exits 77 where ticks
 * cannot be read. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "assay.h"

#if ASSAY_IN_PLACE && defined(ASSAY_COUNTER_NAME)

#define PAIRS  8  /* of readings in a row, behind each trial */
#define NEWEST 64 /* of them count */

#define ALWAYS_INLINE inline __attribute__((always_inline))

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

/* --- work --- */

#define MISSES ((size_t)64 << 20) /* bytes: more than caches hold */
#define WALK   ((size_t)1 << 20)
#define PAGES  64 /* that are there to be touched before they are given back */

static struct {
    uint64_t steps;                       /* of this trial */
    unsigned char *memory, *pages;        /* for loads that miss; for faults */
    size_t page_size, page;               /* the next page that is not there */
    size_t at;                            /* the next load */
    volatile unsigned char branches[512]; /* random, new for every trial */
    volatile double value;
    volatile uint64_t sum;
} work;

static ALWAYS_INLINE void nothing(void)
{
}

static ALWAYS_INLINE void clock_reads(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_MONOTONIC, &now);
}

static ALWAYS_INLINE void loop(void)
{
    for (uint64_t i = 0; i < work.steps; i++)
        __asm__ volatile("");
}

static ALWAYS_INLINE void system_call(void)
{
    syscall(SYS_getppid);
}

static ALWAYS_INLINE void page_fault(void)
{
    *(volatile unsigned char *)(work.pages + work.page * work.page_size) = 1;
}

static ALWAYS_INLINE void branches(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < 32; i++) {
        if (work.branches[i] & 1)
            sum += i;
        else
            sum ^= i * 3;
        __asm__ volatile("" : "+r"(sum));
    }
    work.sum = sum;
}

static ALWAYS_INLINE void misses(void)
{
    size_t at = work.at;
    for (int i = 0; i < 4; i++)
        at = (at * 5 + (size_t)4097 * 64 + *(volatile unsigned char *)(work.memory + at)) % MISSES;
    work.at = at;
}

/* More than the nearest cache holds. */
static ALWAYS_INLINE void walk(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < WALK; i += 64)
        sum += *(volatile unsigned char *)(work.memory + i);
    work.sum = sum;
}

/* A system call that does much. */
static ALWAYS_INLINE void open_nothing(void)
{
    syscall(SYS_openat, AT_FDCWD, "/proc/self/nothing", O_RDONLY);
}

static ALWAYS_INLINE void floating_point(void)
{
    double value = work.value;
    for (uint64_t i = 0; i < work.steps; i++)
        value = value * 0.999 + 1.0 / (value + 2);
    work.value = value;
}

static __attribute__((noinline)) void called(void)
{
    __asm__ volatile("");
}

static ALWAYS_INLINE void function_call(void)
{
    called();
}

static void prepare_work(void)
{
    work.steps = draw(400);
    for (size_t i = 0; i < 32; i++)
        work.branches[i] = (unsigned char)draw(2);
    if (++work.page == PAGES) {
        madvise(work.pages, PAGES * work.page_size, MADV_DONTNEED);
        work.page = 0;
    }
}

static int open_work(void)
{
    work.page_size = (size_t)sysconf(_SC_PAGESIZE);
    work.memory = malloc(MISSES);
    work.pages = mmap(NULL, PAGES * work.page_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!work.memory || work.pages == MAP_FAILED)
        return -1;
    madvise(work.pages, PAGES * work.page_size, MADV_NOHUGEPAGE);
    memset(work.memory, 1, MISSES);
    return 0;
}

/* --- what a reading costs, by pairs in a row --- */

static struct {
    double values[NEWEST];
    size_t next, count;
} pairs;

static void take_pairs(void)
{
    for (int i = 0; i < PAIRS; i++) {
        uint64_t from = assay_counter_begin(), to = assay_counter_begin();
        pairs.values[pairs.next] = (double)(to - from);
        pairs.next = (pairs.next + 1) % NEWEST;
        pairs.count += pairs.count < NEWEST;
    }
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Without the one or two on each side that something disturbed. */
static double reading_cost(void)
{
    double sorted[NEWEST], sum = 0;
    size_t outside = pairs.count / 32;
    for (size_t i = 0; i < pairs.count; i++)
        sorted[i] = pairs.values[i];
    qsort(sorted, pairs.count, sizeof(*sorted), by_value);
    for (size_t i = outside; i < pairs.count - outside; i++)
        sum += sorted[i];
    return sum / (double)(pairs.count - 2 * outside);
}

/* --- regions --- */

/* What is between the readings inside, how many readings stand beside that in the region, and what
 * is between the readings outside. */
struct bracket {
    uint64_t inside, outside;
    double readings;
};

#define REGION_OF(kind)                                                                            \
    static __attribute__((noinline)) void region_of_##kind(struct bracket *bracket)                \
    {                                                                                              \
        uint64_t before = assay_counter_begin();                                                   \
        assay_begin();                                                                             \
        uint64_t from = assay_counter_begin();                                                     \
        kind();                                                                                    \
        uint64_t to = assay_counter_begin();                                                       \
        assay_end();                                                                               \
        uint64_t behind = assay_counter_begin();                                                   \
        *bracket = (struct bracket){to - from, behind - before, 1};                                \
    }

REGION_OF(nothing)
REGION_OF(clock_reads)
REGION_OF(loop)
REGION_OF(system_call)
REGION_OF(page_fault)
REGION_OF(branches)
REGION_OF(misses)
REGION_OF(walk)
REGION_OF(open_nothing)
REGION_OF(floating_point)
REGION_OF(function_call)

static __attribute__((noinline)) void empty_region(struct bracket *bracket)
{
    uint64_t before = assay_counter_begin();
    assay_begin();
    assay_end();
    uint64_t behind = assay_counter_begin();
    *bracket = (struct bracket){0, behind - before, 0};
}

/* The regions inside are not the work of the one around. */
static __attribute__((noinline)) void nested_regions(struct bracket *bracket)
{
    uint64_t before = assay_counter_begin();
    assay_begin();
    assay_begin();
    uint64_t from = assay_counter_begin();
    loop();
    uint64_t to = assay_counter_begin();
    assay_end();
    assay_end();
    uint64_t behind = assay_counter_begin();
    *bracket = (struct bracket){to - from, behind - before, 1};
}

static const struct kind {
    const char *name;
    void (*region)(struct bracket *);
} kinds[] = {
    {"empty", empty_region},
    {"readings", region_of_nothing},
    {"clock-reads", region_of_clock_reads},
    {"loop", region_of_loop},
    {"system-call", region_of_system_call},
    {"page-fault", region_of_page_fault},
    {"mispredictions", region_of_branches},
    {"misses", region_of_misses},
    {"walk", region_of_walk},
    {"open", region_of_open_nothing},
    {"floating-point", region_of_floating_point},
    {"function-call", region_of_function_call},
    {"nested", nested_regions},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* --- trials --- */

enum { TICKS, TIME, MEASURES };
static const char *const measure_names[MEASURES] = {"ticks", "time"};

struct found {
    double *raw;    /* ticks of regions */
    double *widths; /* of bars: `uncertainty`, in ticks */
    double *off;    /* corrected less the truth */
    size_t trials, held, possible;
};

static void take(struct found *found, double raw, double corrected, double low, double high,
                 const struct bracket *bracket)
{
    double truth = (double)bracket->inside + bracket->readings * reading_cost();
    found->held += low <= truth && truth <= high;
    found->possible += high >= (double)bracket->inside && low <= (double)bracket->outside;
    found->raw[found->trials] = raw;
    found->off[found->trials] = corrected - truth;
    found->widths[found->trials++] = fmax(high - corrected, corrected - low);
}

/* Events: how many calipers have; the last is ticks. Without, only time is asked for. */
static int one_trial(const struct kind *kind, size_t events, struct found found[MEASURES])
{
    struct assay_count counts[ASSAY_CALIPERS_MOST];
    struct assay_duration time;
    struct bracket bracket;
    double rate = assay_clock_rate(NULL) * 1e-9;
    prepare_work();
    kind->region(&bracket);
    bool first = random_state >> 40 & 1; /* either is asked first */
    if (first && assay_time(&time) < 0)
        return -1;
    if (events && assay_counts(counts) < 0)
        return -1;
    if (!first && assay_time(&time) < 0)
        return -1;
    take_pairs();
    const struct assay_count *ticks = &counts[events - 1];
    if (events)
        take(&found[TICKS], (double)ticks->raw, ticks->corrected, ticks->low, ticks->high,
             &bracket);
    if (time.state == ASSAY_COUNTED)
        take(&found[TIME], time.ns * rate, time.ns * rate, (time.ns - time.uncertainty) * rate,
             (time.ns + time.uncertainty) * rate, &bracket);
    return 0;
}

static double quantile(const double *sorted, size_t count, double share)
{
    return sorted[(size_t)(share * (double)(count - 1))];
}

static double counter_step(void)
{
    uint64_t step = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t one = assay_counter_begin();
        one = assay_counter_begin() - one;
        while (one) {
            uint64_t rest = step % one;
            step = one;
            one = rest;
        }
    }
    return step ? (double)step : 1;
}

static void print(const char *way, const char *kind, const char *measure, struct found *found)
{
    size_t count = found->trials;
    if (!count)
        return;
    qsort(found->raw, count, sizeof(double), by_value);
    qsort(found->widths, count, sizeof(double), by_value);
    qsort(found->off, count, sizeof(double), by_value);
    double quartiles = quantile(found->raw, count, 0.75) - quantile(found->raw, count, 0.25);
    double allowed = fmax(3 * quartiles, 2 * counter_step());
    printf("%-10s %-15s %-6s trials=%zu held=%.2f%% possible=%.2f%% width=%.2f width/allowed=%.2f "
           "off=%.1f (2.5%% %.1f, 97.5%% %.1f) step=%.0f quartiles=%.1f\n",
           way, kind, measure, count, 100.0 * (double)found->held / (double)count,
           100.0 * (double)found->possible / (double)count, quantile(found->widths, count, 0.5),
           quantile(found->widths, count, 0.5) / allowed, quantile(found->off, count, 0.5),
           quantile(found->off, count, 0.025), quantile(found->off, count, 0.975), counter_step(),
           quartiles);
    fflush(stdout);
}

static int all_kinds(const char *way, const char *const *events, size_t count, size_t trials)
{
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, events, count, 0) < 0 || assay_calibrate() < 0)
        return -1;
    for (size_t k = 0; k < KINDS; k++) {
        struct found found[MEASURES];
        for (size_t m = 0; m < MEASURES; m++)
            found[m] = (struct found){.raw = calloc(trials, sizeof(double)),
                                      .widths = calloc(trials, sizeof(double)),
                                      .off = calloc(trials, sizeof(double))};
        for (size_t i = 0; i < trials; i++) {
            if (one_trial(&kinds[k], count, found) < 0)
                return -1;
        }
        for (size_t m = 0; m < MEASURES; m++) {
            print(way, kinds[k].name, measure_names[m], &found[m]);
            free(found[m].raw);
            free(found[m].widths);
            free(found[m].off);
        }
    }
    assay_calipers_close(calipers);
    return 0;
}

int main(int argc, char **arguments)
{
    size_t trials = argc > 1 ? strtoul(arguments[1], NULL, 10) : 10000;
    random_state = argc > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    static const char *const alone[] = {"ticks"};
    static const char *const beside[] = {"page-faults:u", "ticks"};
    if (!trials || open_work() < 0)
        return 1;
    for (int i = 0; i < NEWEST / PAIRS; i++)
        take_pairs();
    if (all_kinds("ticks", alone, 1, trials) < 0 || all_kinds("time-only", NULL, 0, trials) < 0 ||
        all_kinds("perf-read", beside, 2, trials) < 0)
        return 1;
    free(work.memory);
    return 0;
}
#else
int main(void)
{
    puts("user code of this ISA has no counter of time that is known here");
    return 77;
}
#endif

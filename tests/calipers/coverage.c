/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often the bar of a region's ticks holds the truth. A trial is a region around seeded work,
 * and the work is bracketed by two readings of the counter that are no part of the library:
 *
 *     assay_begin(); from = counter; work; to = counter; assay_end();
 *
 * What stands in the region is the work and both readings: to - from, which has half of each
 * reading, and once more what a reading costs, which is measured in the same way, by pairs of them
 * in a row behind each trial. Beside the tests; `make bench` prints what it finds.
 *
 *     coverage [TRIALS [SEED]]
 *
 * prints one line of figures. Exits 77 where ticks cannot be read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "assay.h"

#if ASSAY_IN_PLACE && defined(ASSAY_COUNTER_NAME)

#define PAIRS  8  /* of readings in a row, behind each trial */
#define NEWEST 64 /* of them count */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

/* --- work: chains in which each step waits for the one before --- */

static uint64_t add(uint64_t value, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        value += i;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

static uint64_t multiply(uint64_t value, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        value *= 3;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

static uint64_t divide(uint64_t value, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        value = (value | UINT64_C(1) << 40) / 7;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

static uint64_t load(uint64_t value, uint64_t steps)
{
    static uint64_t places[512];
    for (uint64_t i = 0; i < steps; i++) {
        value = places[(value + i * 8) % 512];
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

static uint64_t (*const kinds[])(uint64_t value, uint64_t steps) = {add, multiply, divide, load};

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

/* --- trials --- */

struct found {
    double *empty, *around; /* ticks of empty regions, and of regions without what is inside */
    double *widths;         /* of bars: `uncertainty` */
    size_t trials, held, below, above;
};

static int one_trial(struct found *found)
{
    struct assay_count count;
    uint64_t steps = draw(400), (*work)(uint64_t, uint64_t) = kinds[draw(4)];
    assay_begin();
    uint64_t from = assay_counter_begin();
    uint64_t made = work(steps, steps);
    __asm__ volatile("" : : "r"(made));
    uint64_t to = assay_counter_begin();
    assay_end();
    if (assay_counts(&count) < 0 || count.state != ASSAY_COUNTED)
        return -1;
    take_pairs();
    double truth = (double)(to - from) + reading_cost();
    found->held += count.low <= truth && truth <= count.high;
    found->below += truth < count.low;
    found->above += truth > count.high;
    found->widths[found->trials] = count.uncertainty;
    assay_begin();
    assay_end();
    if (assay_counts(&count) < 0)
        return -1;
    found->empty[found->trials] = (double)count.raw;
    assay_begin();
    from = assay_counter_begin();
    to = assay_counter_begin();
    assay_end();
    if (assay_counts(&count) < 0)
        return -1;
    found->around[found->trials++] = (double)count.raw - (double)(to - from);
    return 0;
}

/* Between quartiles of values in steps: each spread over the steps beside it, as in
 * src/lib/tick-bar.c, but simply by drawing. */
static double quartiles(double *values, size_t count, double step)
{
    for (size_t i = 0; i < count; i++)
        values[i] += step * ((double)draw(1u << 20) - (double)draw(1u << 20)) / (double)(1u << 20);
    qsort(values, count, sizeof(*values), by_value);
    return values[count * 3 / 4] - values[count / 4];
}

static double counter_step(const double *values, size_t count)
{
    uint64_t step = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t one = (uint64_t)values[i];
        while (one) {
            uint64_t rest = step % one;
            step = one;
            one = rest;
        }
    }
    return step ? (double)step : 1;
}

static void print(struct found *found, uint64_t seed)
{
    size_t count = found->trials;
    double sum = 0, step = counter_step(found->empty, count);
    for (size_t i = 0; i < count; i++)
        sum += found->widths[i];
    qsort(found->widths, count, sizeof(*found->widths), by_value);
    qsort(found->empty, count, sizeof(*found->empty), by_value);
    double plain = found->empty[count * 3 / 4] - found->empty[count / 4];
    double empty = quartiles(found->empty, count, step);
    double around = quartiles(found->around, count, step);
    printf("seed=%" PRIu64 " trials=%zu covered=%.2f%% below=%.2f%% above=%.2f%% width=%.2f "
           "median-width=%.2f step=%.0f empty-quartiles=%.2f (as read %.0f) "
           "null-quartiles=%.2f width/2iqr=%.2f median/2iqr=%.2f\n",
           seed, count, 100.0 * (double)found->held / (double)count,
           100.0 * (double)found->below / (double)count,
           100.0 * (double)found->above / (double)count, sum / (double)count,
           found->widths[count / 2], step, empty, plain, around, sum / (double)count / around / 2,
           found->widths[count / 2] / around / 2);
}

int main(int argc, char **arguments)
{
    size_t trials = argc > 1 ? strtoul(arguments[1], NULL, 10) : 10000;
    uint64_t seed = argc > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    const char *const events[] = {"ticks"};
    struct assay_calipers *calipers;
    struct found found = {.empty = calloc(trials, sizeof(double)),
                          .around = calloc(trials, sizeof(double)),
                          .widths = calloc(trials, sizeof(double))};
    if (!trials || !found.empty || !found.around || !found.widths ||
        assay_calipers_open(&calipers, events, 1, 0) < 0)
        return 1;
    if (assay_calipers_error(calipers, 0)) {
        puts(assay_calipers_reason(calipers, 0));
        return 77;
    }
    if (assay_calibrate() < 0)
        return 1;
    random_state = seed;
    for (int i = 0; i < NEWEST / PAIRS; i++)
        take_pairs();
    while (found.trials < trials) {
        if (one_trial(&found) < 0)
            return 1;
    }
    print(&found, seed);
    assay_calipers_close(calipers);
    free(found.empty);
    free(found.around);
    free(found.widths);
    return 0;
}
#else
int main(void)
{
    puts("user code of this ISA has no counter of time that is known here");
    return 77;
}
#endif

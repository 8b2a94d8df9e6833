/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far the clocks of two CPUs are apart. A look on the one lies between two on the other in the
 * order of causes, so every trip says which offsets are impossible; what no trip contradicts is the
 * answer, and it needs no assumption on how long a way takes. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "judge/clocks/succession.h"

/* Offsets that are left; empty where low > high. */
struct allowed {
    double low, high;
};

/* --- one process --- */

/* Common divisor of all differences: a clock that moves in quanta of it may show less than a later
 * look by up to one of them, and still be right. */
static uint64_t divisor(uint64_t one, uint64_t other)
{
    while (other) {
        uint64_t rest = one % other;
        one = other;
        other = rest;
    }
    return one;
}

static uint64_t distance(uint64_t one, uint64_t other)
{
    int64_t way = (int64_t)(one - other);
    return way < 0 ? 0 - (uint64_t)way : (uint64_t)way;
}

/* In ticks. A coarse clock moves in steps that need not be alike: its usual one. */
static double quantum_of(const struct clock_watch *watch, int column,
                         const struct clock_granularity *granularity)
{
    uint64_t common = 0;
    size_t looks = watch->begins[watch->processes];
    for (size_t look = 1; look < looks && common != 1; look++) {
        const uint64_t *now = watch->values + look * watch->columns + column;
        common = divisor(common, distance(*now, *(now - watch->columns)));
    }
    double quantum = common ? (double)common : 1;
    if (granularity->known)
        quantum = fmax(quantum,
                       granularity->coarse ? granularity->usual_ticks : granularity->quantum_ticks);
    return quantum;
}

/* What is asked of one watch. */
struct asked {
    const struct clocks_case *file;
    const struct clocks_report *report;
    const struct clock_watch *watch;
    uint32_t clock;
    int column;
};

/* Counts the trips besides. Trips during which the asking CPU's own clock went back say nothing. */
static struct allowed allowed_by(const struct asked *of, size_t process, struct clock_pair *pair)
{
    const struct clock_watch *watch = of->watch;
    const struct clock_monotonic *monotonic = &of->report->monotonic[of->clock];
    struct allowed allowed = {-INFINITY, INFINITY};
    for (size_t look = watch->begins[process];
         look + WATCH_TRIP_LOOKS <= watch->begins[process + 1]; look += WATCH_TRIP_LOOKS) {
        if (trip_is_lost(of->file, of->report, of->clock, watch, look))
            continue;
        const uint64_t *asked = watch->values + look * watch->columns + of->column;
        const uint64_t *answered = asked + watch->columns, *heard = answered + watch->columns;
        double most = ticks_between(monotonic, *asked, *answered);
        double least = ticks_between(monotonic, *heard, *answered);
        pair->trips++;
        pair->backward += most < 0 || least > 0;
        if (ticks_between(monotonic, *asked, *heard) < 0)
            continue;
        allowed.low = fmax(allowed.low, least);
        allowed.high = fmin(allowed.high, most);
    }
    return allowed;
}

/* --- one pair of CPUs --- */

/* Offsets are the greater CPU's minus the lesser's, whichever asked. */
static struct allowed mirrored(struct allowed allowed)
{
    return (struct allowed){-allowed.high, -allowed.low};
}

static void add_watch(const struct asked *of, struct clock_pair *pair)
{
    const struct clock_watch *watch = of->watch;
    double quantum = quantum_of(watch, of->column, &of->report->granularities[of->clock]);
    for (size_t process = 0; process < watch->processes; process++) {
        struct allowed allowed = allowed_by(of, process, pair);
        allowed.low -= quantum;
        allowed.high += quantum;
        if (watch->cpu != pair->cpu)
            allowed = mirrored(allowed);
        pair->processes++;
        pair->torn += allowed.low > allowed.high;
        pair->low = fmax(pair->low, allowed.low);
        pair->high = fmin(pair->high, allowed.high);
    }
}

static struct clock_pair *pair_of(struct clocks_report *report, uint32_t clock,
                                  const struct clock_watch *watch)
{
    bool forwards = watch->cpu < watch->partner;
    int32_t cpu = forwards ? watch->cpu : watch->partner;
    int32_t partner = forwards ? watch->partner : watch->cpu;
    for (size_t i = 0; i < report->pair_count; i++) {
        struct clock_pair *pair = &report->pairs[i];
        if (pair->clock == clock && pair->cpu == cpu && pair->partner == partner)
            return pair;
    }
    struct clock_pair *pairs =
        realloc(report->pairs, (report->pair_count + 1) * sizeof(*report->pairs));
    if (!pairs)
        return NULL;
    report->pairs = pairs;
    pairs[report->pair_count] = (struct clock_pair){
        .clock = clock, .cpu = cpu, .partner = partner, .low = -INFINITY, .high = INFINITY};
    return &pairs[report->pair_count++];
}

static int compare(const void *one, const void *other)
{
    const struct clock_pair *left = one, *right = other;
    if (left->clock != right->clock)
        return left->clock < right->clock ? -1 : 1;
    if (left->cpu != right->cpu)
        return left->cpu < right->cpu ? -1 : 1;
    return (left->partner > right->partner) - (left->partner < right->partner);
}

/* Only clocks that claim to be one for all CPUs. */
static int collect(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_TRIPS || watch->processes == 0 || watch->cpu == watch->partner)
            continue;
        for (uint32_t column = 0; column < watch->columns; column++) {
            uint32_t clock = watch->clocks[column];
            if (file->clocks[clock].role != ROLE_WALL)
                continue;
            struct clock_pair *pair = pair_of(report, clock, watch);
            if (!pair)
                return -ENOMEM;
            struct asked asked = {file, report, watch, clock, (int)column};
            add_watch(&asked, pair);
        }
    }
    return 0;
}

/* Pairs of which no trip said anything. */
static void drop_silent(struct clocks_report *report)
{
    size_t kept = 0;
    for (size_t i = 0; i < report->pair_count; i++)
        if (isfinite(report->pairs[i].low) && isfinite(report->pairs[i].high))
            report->pairs[kept++] = report->pairs[i];
    report->pair_count = kept;
}

/* --- all pairs of a clock --- */

/* How far from 0 the offset is for certain, on the farther side where no offset is left; 0: it may
 * be none. */
static double certain(const struct clock_pair *pair)
{
    double above = fmax(pair->low, 0), below = fmin(pair->high, 0);
    return above > -below ? above : below;
}

static void sum_up(const struct clock_pair *pair, double *farthest, struct clock_offsets *offsets)
{
    double sure = certain(pair);
    if (fabs(sure) > *farthest) {
        *farthest = fabs(sure);
        offsets->worst = pair->low > pair->high ? sure : pair->offset;
    }
    if (!offsets->known || fabs(pair->offset) > fabs(offsets->offset)) {
        offsets->offset = pair->offset;
        offsets->bound = pair->bound;
        offsets->cpu = pair->cpu;
        offsets->partner = pair->partner;
    }
    offsets->known = true;
    offsets->pairs++;
    offsets->largest_bound = fmax(offsets->largest_bound, fmax(fabs(pair->low), fabs(pair->high)));
}

int clocks_judge_pairs(const struct clocks_case *file, struct clocks_report *report)
{
    int error = collect(file, report);
    if (error < 0)
        return error;
    if (report->pair_count > 0)
        qsort(report->pairs, report->pair_count, sizeof(*report->pairs), compare);
    drop_silent(report);
    double farthest = 0;
    for (size_t i = 0; i < report->pair_count; i++) {
        struct clock_pair *pair = &report->pairs[i];
        if (i == 0 || pair->clock != pair[-1].clock)
            farthest = 0;
        pair->offset = (pair->low + pair->high) / 2;
        pair->bound = fabs(pair->high - pair->low) / 2;
        sum_up(pair, &farthest, &report->offsets[pair->clock]);
    }
    return 0;
}

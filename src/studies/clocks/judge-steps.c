/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which steps a clock goes: the readings that differ from the one before (kind "steps"), or,
 * where there are none, how far it got over blocks of readings (kind "row"). What it counts in
 * shows in the distances between any of its readings, of whatever watch. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "judge/clocks/quantum.h"
#include "studies/clocks/study.h"
#include "stats/moments.h"

/* It stands still when a step takes so many readings. */
#define STILL_READINGS 4.0
/* Distances between looks that are kept: more would tell no more. */
#define MOST_WAYS 4096u

/* Growing list of numbers. */
struct numbers {
    double *list;
    size_t count, room;
};

static int add(struct numbers *numbers, double value)
{
    if (numbers->count == numbers->room) {
        size_t room = numbers->room ? 2 * numbers->room : 64;
        double *grown = realloc(numbers->list, room * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        numbers->list = grown;
        numbers->room = room;
    }
    numbers->list[numbers->count++] = value;
    return 0;
}

/* NaN of nothing. Sorts. */
static double median_of(struct numbers *numbers)
{
    if (!numbers->count)
        return NAN;
    sort_values(numbers->list, numbers->count);
    return quantile(numbers->list, numbers->count, .5);
}

/* What was seen of one clock. */
struct seen {
    struct numbers steps; /* ticks, upwards only */
    struct numbers ways;  /* ticks from any reading to a later one: steps and blocks */
    struct numbers waits; /* ns between the ends of two steps, by the clock beside it */
    double iteration_ns;  /* what a reading costs there, and the one beside it; NaN */
    struct numbers paces; /* rows: ticks a reading, of blocks in which it went on */
    size_t still, blocks; /* rows: blocks of several readings in which it did not, of all */
    double least_block;   /* rows: ticks, the shortest way that it went in a block; infinite */
};

static void seen_release(struct seen *seen)
{
    free(seen->steps.list);
    free(seen->ways.list);
    free(seen->waits.list);
    free(seen->paces.list);
}
#define AUTO_SEEN __attribute__((cleanup(seen_release)))

static int see_steps(const struct clocks_report *report, const struct clock_watch *watch,
                     struct seen *seen)
{
    const struct clock_scale *beside = &report->scales[watch->clocks[1]];
    const struct clock_cost *own = &report->costs[watch->clocks[0]];
    const struct clock_cost *other = &report->costs[watch->clocks[1]];
    if (own->known && other->known)
        seen->iteration_ns = own->ns + other->ns;
    for (size_t process = 0; process < watch->processes; process++)
        for (size_t look = watch->begins[process] + 1; look < watch->begins[process + 1]; look++) {
            const uint64_t *now = watch->values + look * watch->columns;
            const uint64_t *before = now - watch->columns;
            int64_t step = (int64_t)(now[0] - before[0]), wait = (int64_t)(now[1] - before[1]);
            if (step > 0 &&
                (add(&seen->steps, (double)step) < 0 || add(&seen->ways, (double)step) < 0))
                return -ENOMEM;
            if (beside->known && wait > 0 &&
                add(&seen->waits, (double)wait * beside->ns_per_tick) < 0)
                return -ENOMEM;
        }
    return 0;
}

static int see_row(const struct clock_watch *watch, struct seen *seen)
{
    if (watch->length < (uint64_t)STILL_READINGS)
        return 0;
    for (size_t look = 0; look < watch->begins[watch->processes]; look++) {
        const uint64_t *row = watch->values + look * watch->columns;
        int64_t way = (int64_t)(row[ROW_LAST] - row[ROW_FIRST]);
        if (way < 0 || row[ROW_BACKWARD] > 0)
            continue;
        seen->blocks++;
        seen->still += way == 0;
        if (way == 0)
            continue;
        seen->least_block = fmin(seen->least_block, (double)way);
        if (add(&seen->ways, (double)way) < 0 ||
            add(&seen->paces, (double)way / (double)(watch->length - 1)) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Between looks of one thread, which follow each other. */
static int see_looks(const struct clock_watch *watch, uint32_t column, struct seen *seen)
{
    const uint32_t group = watch_group(watch->kind, watch->threads);
    const uint32_t side = watch->kind == WATCH_INTERVAL ? WATCH_INTERVAL_LOOKS : WATCH_TRIP_LOOKS;
    const uint32_t apart = watch->kind == WATCH_INTERVAL ? 1 : 2;
    const size_t looks = watch->begins[watch->processes];
    for (size_t look = apart; look < looks && seen->ways.count < MOST_WAYS; look++) {
        if (look % group % side < apart)
            continue;
        const uint64_t *now = watch->values + look * watch->columns + column;
        int64_t way = (int64_t)(*now - *(now - (size_t)apart * watch->columns));
        if (way > 0 && add(&seen->ways, (double)way) < 0)
            return -ENOMEM;
    }
    return 0;
}

static int see_all_looks(const struct clocks_case *file, uint32_t clock, struct seen *seen)
{
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        int column = watch_column(watch, clock);
        if (column < 0 || watch->processes == 0 || watch->moves || watch->handover ||
            (watch->kind != WATCH_INTERVAL && watch->kind != WATCH_TRIPS))
            continue;
        if (see_looks(watch, (uint32_t)column, seen) < 0)
            return -ENOMEM;
    }
    return 0;
}

static int see(const struct clocks_case *file, const struct clocks_report *report, uint32_t clock,
               struct seen *seen)
{
    seen->iteration_ns = NAN;
    seen->least_block = INFINITY;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        int error = 0;
        if (watch->processes == 0 || watch->columns == 0 || watch->clocks[0] != clock)
            continue;
        if (watch->kind == WATCH_STEPS && watch->columns == 2)
            error = see_steps(report, watch, seen);
        else if (watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS)
            error = see_row(watch, seen);
        if (error < 0)
            return error;
    }
    return see_all_looks(file, clock, seen);
}

/* By what a step takes in readings; where that cannot be told, by blocks without any. */
static bool stands_still(struct seen *seen)
{
    double wait = median_of(&seen->waits);
    if (isfinite(wait) && seen->iteration_ns > 0)
        return wait >= STILL_READINGS * seen->iteration_ns;
    return 2 * seen->still > seen->blocks;
}

/* What all distances are multiples of: at most the smallest step. */
static void find_quantum(struct seen *seen, struct clock_granularity *granularity)
{
    double smallest = granularity->step_ticks;
    sort_values(seen->ways.list, seen->ways.count);
    granularity->quantum_ticks = quantum_of_steps(seen->ways.list, seen->ways.count, smallest);
    granularity->regular = granularity->quantum_ticks > 0;
    if (!granularity->regular)
        granularity->quantum_ticks = quantum_of(seen->ways.list, seen->ways.count, smallest);
}

/* A program that makes a machine takes another time for a reading in every loop, so that only the
 * distances tell there. */
static bool is_coarse(struct seen *seen, const struct clock_scale *scale, bool emulated,
                      const struct clock_granularity *granularity)
{
    if (!stands_still(seen))
        return false;
    bool told =
        emulated && scale->known && seen->iteration_ns > 0 && 2 * seen->still <= seen->blocks;
    return !told ||
           granularity->quantum_ticks * scale->ns_per_tick >= STILL_READINGS * seen->iteration_ns;
}

static void judge(struct seen *seen, const struct clock_scale *scale, bool emulated,
                  struct clock_granularity *granularity)
{
    granularity->coarse = stands_still(seen);
    granularity->steps = seen->steps.count;
    if (seen->steps.count > 0) {
        granularity->usual_ticks = median_of(&seen->steps);
        /* What it went in a block is one step at least. */
        granularity->step_ticks = fmin(seen->steps.list[0], seen->least_block);
        find_quantum(seen, granularity);
        granularity->coarse = is_coarse(seen, scale, emulated, granularity);
    } else if (granularity->coarse && isfinite(seen->least_block)) {
        granularity->usual_ticks = granularity->step_ticks = seen->least_block;
        find_quantum(seen, granularity);
    } else if (seen->paces.count > 0) {
        granularity->usual_ticks = median_of(&seen->paces);
        granularity->step_ticks = granularity->quantum_ticks = seen->paces.list[0];
    } else {
        return;
    }
    granularity->known = true;
    /* Who waited for somebody saw longer steps, several at once: no fault of a clock whose steps
     * are all alike. */
    bool by_steps = granularity->coarse && !granularity->regular;
    if (scale->known)
        granularity->resolution_ns =
            (by_steps ? granularity->usual_ticks : granularity->quantum_ticks) * scale->ns_per_tick;
}

int clocks_judge_granularity(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->clock_count; i++) {
        AUTO_SEEN struct seen seen = {0};
        report->granularities[i] = (struct clock_granularity){
            .step_ticks = NAN, .usual_ticks = NAN, .quantum_ticks = NAN, .resolution_ns = NAN};
        if (see(file, report, (uint32_t)i, &seen) < 0)
            return -ENOMEM;
        judge(&seen, &report->scales[i], file->emulated, &report->granularities[i]);
    }
    return 0;
}

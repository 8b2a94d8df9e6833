/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every clock over the same intervals as the reference: a row for each kind of interval, and the
 * points of the paper's Figure 1. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/clocks/marks.h"
#include "judge/clocks/readings.h"
#include "stats/moments.h"

/* Intervals of the same kind have this in common; a row is one of these for one clock. */
static int compare_kinds(const struct clock_row *left, const struct clock_row *right)
{
    int workloads = strcmp(left->workload, right->workload);
    if (workloads)
        return workloads;
    const uint64_t keys[][2] = {
        {left->threads, right->threads},           {left->moves, right->moves},
        {left->handover, right->handover},         {left->awake, right->awake},
        {left->requested_us, right->requested_us},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct clock_row *one = left, *two = right;
    if (one->clock != two->clock)
        return one->clock < two->clock ? -1 : 1;
    return compare_kinds(one, two);
}

static struct clock_row kind_of(const struct clock_watch *watch)
{
    return (struct clock_row){
        .workload = watch->workload,
        .threads = watch->threads,
        .moves = watch->moves,
        .handover = watch->handover,
        .awake = watch->awake,
        .requested_us = watch->length,
    };
}

/* What the intervals of one row add up to. */
struct row_sums {
    double *ratios, *naive, *lengths; /* [run] */
    size_t count;
};

static void add_run(struct clock_row *row, const struct interval_reading both[2], double own_scale,
                    double other_scale, struct row_sums *sums)
{
    const struct interval_reading *own = &both[0], *other = &both[1];
    double reference = other->elapsed * other_scale;
    double error = fabs(own->elapsed * own_scale - reference);
    double bound = own->bound * own_scale + other->bound * other_scale + own_scale + other_scale;
    sums->ratios[sums->count] = own->elapsed * own_scale / reference;
    sums->naive[sums->count] = own->naive * own_scale / (other->naive * other_scale);
    sums->lengths[sums->count++] = reference;
    if (error > row->max_error_ns || sums->count == 1) {
        row->max_error_ns = error;
        row->bound_ns = bound;
    }
    if (error - bound > row->beyond_ns || sums->count == 1)
        row->beyond_ns = error - bound;
}

static void add_watch(const struct clocks_case *file, const struct clocks_report *report,
                      const struct clock_watch *watch, struct clock_row *row, struct row_sums *sums)
{
    struct clock_row kind = kind_of(watch);
    int own = watch_column(watch, row->clock), other = watch_column(watch, row->reference);
    if (watch->kind != WATCH_INTERVAL || own < 0 || other < 0 || compare_kinds(&kind, row) != 0)
        return;
    for (size_t i = 0; i < watch_intervals(watch); i++) {
        struct interval_reading both[2];
        watch_interval_of_two(watch, i, (uint32_t)own, (uint32_t)other, both);
        if (interval_suspended(file, watch, i)) {
            row->suspended++;
            continue;
        }
        if (both[1].elapsed == 0 || both[1].naive == 0)
            continue;
        size_t last = watch_interval_look(watch, i) + WATCH_SIDE_LOOKS;
        row->preempted += watch->accounts && watch->accounts[last].involuntary > 0;
        add_run(row, both, report->scales[row->clock].ns_per_tick,
                report->scales[row->reference].ns_per_tick, sums);
    }
}

static void summarize(struct clock_row *row, const struct row_sums *sums)
{
    row->runs = sums->count;
    sort_values(sums->ratios, sums->count);
    sort_values(sums->naive, sums->count);
    sort_values(sums->lengths, sums->count);
    row->ratio_median = quantile(sums->ratios, sums->count, 0.5);
    row->ratio_min = sums->ratios[0];
    row->ratio_max = sums->ratios[sums->count - 1];
    row->naive_median = quantile(sums->naive, sums->count, 0.5);
    row->naive_min = sums->naive[0];
    row->naive_max = sums->naive[sums->count - 1];
    row->median_ns = quantile(sums->lengths, sums->count, 0.5);
    row->scatter =
        (quantile(sums->ratios, sums->count, 0.75) - quantile(sums->ratios, sums->count, 0.25)) /
        row->ratio_median;
}

static size_t all_intervals(const struct clocks_case *file)
{
    size_t sum = 0;
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].kind == WATCH_INTERVAL)
            sum += watch_intervals(&file->watches[i]);
    return sum;
}

/* A row for every clock and kind of interval, still empty. */
static int name_rows(const struct clocks_case *file, struct clocks_report *report)
{
    uint32_t reference = (uint32_t)report->reference.clock;
    report->rows = calloc(file->watch_count * file->clock_count + 1, sizeof(*report->rows));
    if (!report->rows)
        return -ENOMEM;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_INTERVAL || watch_column(watch, reference) < 0)
            continue;
        for (uint32_t column = 0; column < watch->columns; column++) {
            uint32_t clock = watch->clocks[column];
            if (clock == reference || !clock_is_candidate(&file->clocks[clock]) ||
                !report->scales[clock].known)
                continue;
            struct clock_row *row = &report->rows[report->row_count++];
            *row = kind_of(watch);
            row->clock = clock;
            row->reference = reference;
            row->independent = clocks_independent(file, clock, reference);
        }
    }
    qsort(report->rows, report->row_count, sizeof(*report->rows), compare_rows);
    size_t kept = 0;
    for (size_t i = 0; i < report->row_count; i++)
        if (!kept || compare_rows(&report->rows[kept - 1], &report->rows[i]) != 0)
            report->rows[kept++] = report->rows[i];
    report->row_count = kept;
    return 0;
}

static int fill_rows(const struct clocks_case *file, struct clocks_report *report)
{
    size_t room = all_intervals(file) + 1;
    double *memory = malloc(3 * room * sizeof(*memory));
    if (!memory)
        return -ENOMEM;
    size_t kept = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        struct clock_row row = report->rows[i];
        struct row_sums sums = {memory, memory + room, memory + 2 * room, 0};
        for (size_t watch = 0; watch < file->watch_count; watch++)
            add_watch(file, report, &file->watches[watch], &row, &sums);
        if (!sums.count)
            continue;
        summarize(&row, &sums);
        report->rows[kept++] = row;
    }
    report->row_count = kept;
    free(memory);
    return 0;
}

/* A point with what it is sorted by. */
struct timed_point {
    struct clock_point point;
    uint64_t when; /* the reference's reading, ticks */
};

static int compare_points(const void *left, const void *right)
{
    const struct timed_point *one = left, *two = right;
    if (one->point.clock != two->point.clock)
        return one->point.clock < two->point.clock ? -1 : 1;
    return (one->when > two->when) - (one->when < two->when);
}

static bool is_plain_sleep(const struct clock_watch *watch)
{
    return watch->kind == WATCH_INTERVAL && strcmp(watch->workload, "sleep") == 0 &&
           watch->threads == 1 && !watch->moves && !watch->handover && !watch->awake;
}

static size_t add_points(const struct clocks_case *file, const struct clocks_report *report,
                         const struct clock_watch *watch, struct timed_point *points)
{
    uint32_t reference = (uint32_t)report->reference.clock;
    int other = watch_column(watch, reference);
    size_t count = 0;
    if (other < 0)
        return 0;
    for (uint32_t column = 0; column < watch->columns; column++) {
        uint32_t clock = watch->clocks[column];
        if (!clock_is_candidate(&file->clocks[clock]) || !report->scales[clock].known)
            continue;
        for (size_t i = 0; i < watch_intervals(watch); i++) {
            struct interval_reading both[2];
            watch_interval_of_two(watch, i, column, (uint32_t)other, both);
            points[count++] = (struct timed_point){
                .point = {.clock = clock,
                          .requested_ms = (double)watch->length * 1e-3,
                          .measured_ms = both[0].elapsed * report->scales[clock].ns_per_tick * 1e-6,
                          .reference_ms =
                              both[1].elapsed * report->scales[reference].ns_per_tick * 1e-6},
                .when =
                    watch->values[watch_interval_look(watch, i) * watch->columns + (uint32_t)other],
            };
        }
    }
    return count;
}

static int find_points(const struct clocks_case *file, struct clocks_report *report)
{
    size_t room = 1, count = 0;
    for (size_t i = 0; i < file->watch_count; i++)
        if (is_plain_sleep(&file->watches[i]))
            room += watch_intervals(&file->watches[i]) * file->watches[i].columns;
    struct timed_point *points = malloc(room * sizeof(*points));
    report->points = malloc(room * sizeof(*report->points));
    if (!points || !report->points) {
        free(points);
        return -ENOMEM;
    }
    for (size_t i = 0; i < file->watch_count; i++)
        if (is_plain_sleep(&file->watches[i]))
            count += add_points(file, report, &file->watches[i], points + count);
    qsort(points, count, sizeof(*points), compare_points);
    for (size_t i = 0; i < count; i++)
        report->points[i] = points[i].point;
    report->point_count = count;
    free(points);
    return 0;
}

int clocks_judge_intervals(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].processes)
            report->looks += file->watches[i].begins[file->watches[i].processes];
    report->intervals = all_intervals(file);
    int32_t reference = report->reference.clock;
    if (reference < 0 || !report->scales[reference].known)
        return 0;
    int error = name_rows(file, report);
    if (error == 0)
        error = fill_rows(file, report);
    return error ? error : find_points(file, report);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ticks of every clock as time: by what is claimed of it, or by how it ran while something was
 * computed. The median keeps out intervals that were interrupted, and wraps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/clocks/marks.h"
#include "judge/clocks/readings.h"
#include "stats/moments.h"

struct ratios {
    double *values; /* reference ns for each tick */
    size_t count, refused;
};

static bool is_plain_compute(const struct clock_watch *watch)
{
    return strcmp(watch->workload, "compute") == 0 && watch->threads == 1 && !watch->moves &&
           !watch->handover;
}

static void add_ratio(struct ratios *ratios, double ns, double ticks)
{
    if (ns > 0 && ticks > 0)
        ratios->values[ratios->count++] = ns / ticks;
    else
        ratios->refused++;
}

static void add_intervals(const struct clock_watch *watch, uint32_t clock, uint32_t reference,
                          double ns_per_tick, struct ratios *ratios)
{
    int own = watch_column(watch, clock), other = watch_column(watch, reference);
    if (own < 0 || other < 0)
        return;
    for (size_t i = 0; i < watch_intervals(watch); i++)
        add_ratio(ratios, watch_interval(watch, i, (uint32_t)other).elapsed * ns_per_tick,
                  watch_interval(watch, i, (uint32_t)own).elapsed);
}

/* Blocks of readings are short: a clock that wraps often still goes forward over most of them. */
static void add_blocks(const struct clock_watch *watch, uint32_t clock,
                       const struct clock_known *meter, struct ratios *ratios)
{
    if (watch->columns != ROW_COLUMNS || watch->clocks[ROW_FIRST] != clock || !meter->hz)
        return;
    for (size_t look = 0; look < watch->begins[watch->processes]; look++) {
        const uint64_t *row = watch->values + look * watch->columns;
        add_ratio(ratios,
                  (double)(int64_t)(row[ROW_AFTER] - row[ROW_BEFORE]) * 1e9 / (double)meter->hz,
                  (double)(int64_t)(row[ROW_LAST] - row[ROW_FIRST]));
    }
}

enum { BY_COMPUTE, BY_ANY, BY_BLOCKS, WAYS };

static void gather(const struct clocks_case *file, uint32_t clock, uint32_t reference, int way,
                   struct ratios *ratios)
{
    double ns_per_tick = 1e9 / (double)file->clocks[reference].hz;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (!watch->processes)
            continue;
        if (way == BY_BLOCKS && watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS)
            add_blocks(watch, clock, &file->clocks[watch->clocks[ROW_BEFORE]], ratios);
        else if (way != BY_BLOCKS && watch->kind == WATCH_INTERVAL &&
                 (way == BY_ANY || is_plain_compute(watch)))
            add_intervals(watch, clock, reference, ns_per_tick, ratios);
    }
}

static int calibrate(const struct clocks_case *file, uint32_t clock, uint32_t reference,
                     struct clock_scale *scale)
{
    size_t room = 1;
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].processes)
            room += file->watches[i].begins[file->watches[i].processes];
    struct ratios ratios = {.values = malloc(room * sizeof(double))};
    if (!ratios.values)
        return -ENOMEM;
    for (int way = 0; way < WAYS && !scale->known; way++) {
        ratios.count = ratios.refused = 0;
        gather(file, clock, reference, way, &ratios);
        /* where so many go back, those that do not are no better */
        bool sound = ratios.refused * 20 <= ratios.count;
        if (!ratios.count || (!sound && way != BY_BLOCKS))
            continue;
        sort_values(ratios.values, ratios.count);
        scale->ns_per_tick = quantile(ratios.values, ratios.count, 0.5);
        scale->known = true;
    }
    free(ratios.values);
    return 0;
}

static int find(const struct clocks_case *file, const struct clocks_report *report, uint32_t clock,
                struct clock_scale *scale)
{
    const struct clock_known *known = &file->clocks[clock];
    int error = clock_step_find(file, clock, &scale->step_ticks);
    if (error || known->role == ROLE_PLACE)
        return error;
    uint64_t hz = strcmp(known->way, "controller") == 0 ? 1000000000 : known->hz;
    if (hz) {
        *scale = (struct clock_scale){.known = true,
                                      .ns_per_tick = 1e9 / (double)hz,
                                      .claimed = true,
                                      .step_ticks = scale->step_ticks};
        return 0;
    }
    int32_t reference = report->reference.clock;
    if (reference < 0 || reference == (int32_t)clock || !file->clocks[reference].hz)
        return 0;
    return calibrate(file, clock, (uint32_t)reference, scale);
}

int clocks_find_scales(const struct clocks_case *file, struct clocks_report *report)
{
    int error = 0;
    for (uint32_t clock = 0; clock < file->clock_count && error == 0; clock++)
        error = find(file, report, clock, &report->scales[clock]);
    return error;
}

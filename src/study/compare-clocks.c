/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks as quantities: what reading one costs, and how it runs against the operating system's. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "study/clocks.h"
#include "study/compare.h"
#include "engine/loading.h"

struct watching {
    const struct compare_loading *loading;
    const struct clocks_case *file;
    const struct clock_watch *watch;
    int reference; /* column of the clock that others are held against; -1: none */
};

/* The mean of two looks in opposite orders is a reading at one moment (wire/watch.h). */
static double reading_at(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t first = watch->values[look * watch->columns + column],
                   second = watch->values[(look + 1) * watch->columns + column];
    return (double)first + (double)(int64_t)(second - first) / 2;
}

static double interval_of(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t begin = watch->values[look * watch->columns + column],
                   end = watch->values[(look + WATCH_SIDE_LOOKS) * watch->columns + column];
    /* Absolute readings have more digits than a double: their offsets do not. */
    const double before = reading_at(watching, look, column) - (double)begin,
                 after = reading_at(watching, look + WATCH_SIDE_LOOKS, column) - (double)end;
    return (double)(int64_t)(end - begin) + after - before;
}

/* How the clock ran against the reference in the interval that begins with this look; or what a
 * reading cost in this block. NaN: nothing that can be told. */
static double value_of(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t *row = watch->values + look * watch->columns;
    if (watch->kind == WATCH_ROW)
        return watch->length
                   ? (double)(int64_t)(row[ROW_AFTER] - row[ROW_BEFORE]) / (double)watch->length
                   : (double)NAN;
    const double reference = interval_of(watching, look, (size_t)watching->reference);
    return reference > 0 ? interval_of(watching, look, column) / reference : (double)NAN;
}

static int add_processes(const struct watching *watching, size_t column,
                         const struct compare_quantity *like, double factor)
{
    const struct clock_watch *watch = watching->watch;
    const size_t step = watch->kind == WATCH_INTERVAL ? WATCH_INTERVAL_LOOKS : 1;
    const struct compare_loading *loading = watching->loading;
    struct compare_quantity *quantity = compare_add_quantity(loading->file, like);
    for (size_t process = 0; quantity && process < watch->processes; process++) {
        const size_t begin = watch->begins[process], end = watch->begins[process + 1];
        AUTO_FREE double *values = calloc((end - begin) / step + 1, sizeof(*values));
        size_t count = 0;
        for (size_t look = begin; values && look + step <= end; look += step) {
            const double value = value_of(watching, look, column) * factor;
            if (!isnan(value))
                values[count++] = value;
        }
        if (!values || compare_add_median(quantity, loading->side, values, count) < 0)
            return loading_no_memory(loading->failure);
    }
    return quantity ? 0 : loading_no_memory(loading->failure);
}

static int add_row(const struct watching *watching)
{
    const struct clock_watch *watch = watching->watch;
    const struct clock_known *clock = &watching->file->clocks[watch->clocks[ROW_FIRST]],
                             *meter = &watching->file->clocks[watch->clocks[ROW_BEFORE]];
    struct compare_quantity like = {.study = (char *)watching->loading->study,
                                    .event = (char *)"cost of a reading",
                                    .subject = clock->name,
                                    .factors = (char *)"",
                                    .unit = (char *)(meter->hz ? "ns" : "ticks"),
                                    .timed = true,
                                    .margin = COMPARE_TIME_MARGIN};
    return add_processes(watching, ROW_FIRST, &like, meter->hz ? 1e9 / (double)meter->hz : 1);
}

/* Clocks that claim no rate are in ticks a nanosecond. Those of CPU time run as others let them. */
static int add_interval(const struct watching *watching, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const struct clock_known *clock = &watching->file->clocks[watch->clocks[column]];
    AUTO_TEXT struct text factors = {0};
    if (clock->role != ROLE_WALL)
        return 0;
    text_printf(&factors, "%s, %llu us, %u thread%s%s%s%s", watch->workload,
                (unsigned long long)watch->length, watch->threads, watch->threads == 1 ? "" : "s",
                watch->moves ? ", moved" : "", watch->handover ? ", handed over" : "",
                watch->awake ? ", kept awake" : "");
    struct compare_quantity like = {.study = (char *)watching->loading->study,
                                    .event = (char *)"rate",
                                    .subject = clock->name,
                                    .factors = factors.bytes,
                                    .unit = (char *)(clock->hz ? "ratio" : "ticks/ns"),
                                    .timed = true,
                                    .margin = COMPARE_RATE_MARGIN};
    return factors.failed
               ? loading_no_memory(watching->loading->failure)
               : add_processes(watching, column, &like, clock->hz ? 1e9 / (double)clock->hz : 1);
}

/* The operating system's clocks count ns. */
static int reference_of(const struct clocks_case *file, const struct clock_watch *watch)
{
    static const char *const names[] = {"monotonic-raw", "monotonic"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        int clock = clocks_index(file, names[i]);
        int column = clock < 0 ? -1 : watch_column(watch, (uint32_t)clock);
        if (column >= 0)
            return column;
    }
    return -1;
}

static int add_watch(struct watching *watching)
{
    const struct clock_watch *watch = watching->watch;
    if (watch->kind == WATCH_ROW)
        return watch->columns == ROW_COLUMNS ? add_row(watching) : 0;
    watching->reference = reference_of(watching->file, watch);
    if (watch->kind != WATCH_INTERVAL || watching->reference < 0)
        return 0;
    int error = 0;
    for (size_t column = 0; column < watch->columns && error == 0; column++)
        if (column != (size_t)watching->reference)
            error = add_interval(watching, column);
    return error;
}

int compare_load_clocks(const struct compare_loading *loading)
{
    struct clocks_case file = {0};
    int error = clocks_load(loading->store, &file, loading->failure);
    for (size_t i = 0; i < file.watch_count && error == 0; i++) {
        struct watching watching = {.loading = loading, .file = &file, .watch = &file.watches[i]};
        error = add_watch(&watching);
    }
    clocks_case_release(&file);
    return error;
}

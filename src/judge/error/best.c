/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best pattern of each path, by event and mode, as the paper's Table 3 has it: the pattern
 * whose median error is smallest with one counter, over all -O levels and links. Of equal ones that
 * with the smaller spread wins, then the pattern declared first, and the path that executes least
 * in user mode: nobody is sent through a large library for nothing. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/error/replicates.h"
#include "studies/error/study.h"
#include "stats/spread.h"
#include "judge/error/ways.h"

/* Windows for counters of their own are longer even where there is one: only grouped ones are
 * compared. */
static bool counts_alone(const struct error_cell *cell)
{
    return cell->counters == 1 && !cell->separate;
}

struct pool {
    int64_t *errors, *scratch;
};

/* All later runs of one event, path and pattern. False: none with one counter. */
static bool pool_pattern(const struct error_ways *ways, size_t begin, size_t end,
                         const struct pool *pool, struct error_best *best)
{
    const struct error_cell *any = ways->list[begin].cell;
    *best = (struct error_best){.machine = any->machine,
                                .event = any->event,
                                .base = any->base,
                                .path = any->path,
                                .pattern = any->pattern,
                                .stepped = any->part == PART_STEPPED};
    /* Whatever a source calls it: steps are user code. */
    best->mode = best->stepped ? COUNT_USER : any->mode;
    for (size_t i = begin; i < end; i++) {
        if (!counts_alone(ways->list[i].cell))
            continue;
        best->runs += error_usual_runs(ways->list[i].cell, pool->errors + best->runs);
        best->cells++;
    }
    if (!best->runs)
        return false;
    error_sort(pool->errors, best->runs, pool->scratch);
    best->subtract = error_quantile(pool->errors, best->runs, 1, 2);
    best->median = (double)best->subtract;
    best->min = pool->errors[0];
    best->spread_low = (double)error_quantile(pool->errors, best->runs, 25, 1000);
    best->spread_high = (double)error_quantile(pool->errors, best->runs, 975, 1000);
    return true;
}

static bool is_better(const struct error_best *one, const struct error_best *other)
{
    double distance = fabs(one->median), other_distance = fabs(other->median);
    if (distance < other_distance || distance > other_distance)
        return distance < other_distance;
    return one->spread_high - one->spread_low < other->spread_high - other->spread_low;
}

/* The best pattern of one path; false: none was measured with one counter. */
static bool best_of_path(const struct error_ways *ways, size_t begin, size_t end,
                         const struct pool *pool, struct error_best *best)
{
    bool found = false;
    while (begin < end) {
        size_t next = error_ways_end(ways, begin, WAY_PATTERN);
        struct error_best candidate;
        if (pool_pattern(ways, begin, next, pool, &candidate) &&
            (!found || is_better(&candidate, best))) {
            *best = candidate;
            found = true;
        }
        begin = next;
    }
    return found;
}

/* The best pattern of each path of one event on one machine. */
static void best_of_event(const struct error_ways *ways, size_t begin, size_t end,
                          const struct pool *pool, struct error_report *report)
{
    while (begin < end) {
        size_t next = error_ways_end(ways, begin, WAY_PATH);
        if (best_of_path(ways, begin, next, pool, &report->best[report->best_count]))
            report->best_count++;
        begin = next;
    }
}

/* --- the best path --- */

/* How far a path is from adding nothing in user mode; infinite where that is not known. */
static double weight_of(const struct error_report *report, const struct error_best *best)
{
    double least = INFINITY;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *other = &report->best[i];
        if (other->machine == best->machine && other->mode == COUNT_USER && other->base &&
            strcmp(other->base, "instructions") == 0 && strcmp(other->path, best->path) == 0)
            least = fmin(least, fabs(other->median));
    }
    return least;
}

/* Where the case names a path first. */
static size_t place_of(const struct error_case *file, const char *path)
{
    size_t place = 0;
    while (place < file->cell_count && strcmp(file->cells[place].path, path) != 0)
        place++;
    return place;
}

static bool is_better_path(const struct error_case *file, const struct error_report *report,
                           const struct error_best *one, const struct error_best *other)
{
    if (is_better(one, other) || is_better(other, one))
        return is_better(one, other);
    double weight = weight_of(report, one), other_weight = weight_of(report, other);
    if (weight < other_weight || weight > other_weight)
        return weight < other_weight;
    return place_of(file, one->path) < place_of(file, other->path);
}

static bool same_question(const struct error_best *one, const struct error_best *other)
{
    return one->machine == other->machine && one->stepped == other->stepped && one->event &&
           other->event && strcmp(one->event, other->event) == 0;
}

static void choose_paths(const struct error_case *file, struct error_report *report)
{
    for (size_t begin = 0, end; begin < report->best_count; begin = end) {
        struct error_best *overall = &report->best[begin];
        for (end = begin + 1;
             end < report->best_count && same_question(&report->best[end], &report->best[begin]);
             end++)
            if (is_better_path(file, report, &report->best[end], overall))
                overall = &report->best[end];
        overall->overall = true;
    }
}

/* Runs of the longest pool, and paths of all events. */
static size_t longest_pool(const struct error_ways *ways, size_t *paths)
{
    size_t longest = 0;
    for (size_t begin = 0, next; begin < ways->count; begin = next) {
        size_t runs = 0;
        next = error_ways_end(ways, begin, WAY_PATTERN);
        for (size_t i = begin; i < next; i++)
            runs += counts_alone(ways->list[i].cell) ? ways->list[i].cell->runs : 0;
        longest = runs > longest ? runs : longest;
        ++*paths;
    }
    return longest;
}

int error_judge_best(const struct error_case *file, struct error_report *report)
{
    AUTO_ERROR_WAYS struct error_ways ways;
    int error = error_ways_of(file, &ways);
    if (error)
        return error;
    size_t paths = 0, longest = longest_pool(&ways, &paths);
    AUTO_FREE int64_t *errors = calloc(longest + 1, sizeof(*errors));
    AUTO_FREE int64_t *scratch = calloc(longest + 1, sizeof(*scratch));
    report->best = calloc(paths + 1, sizeof(*report->best));
    report->best_count = 0;
    if (!errors || !scratch || !report->best)
        return -ENOMEM;
    const struct pool pool = {errors, scratch};
    for (size_t begin = 0, next; begin < ways.count; begin = next) {
        next = error_ways_end(&ways, begin, WAY_MACHINE);
        best_of_event(&ways, begin, next, &pool, report);
    }
    choose_paths(file, report);
    return 0;
}

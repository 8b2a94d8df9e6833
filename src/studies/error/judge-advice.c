/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to do on this machine: for each event and mode the way that errs least, what to subtract,
 * and when more is added: by further counters, in the first run, over long regions. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/error/judge.h"

/* ----------------------------------------------------------------------------------------------
 * The best pattern of each path, by event and mode, as the paper's Table 3 has it: the pattern
 * whose median error is smallest with one counter, over all -O levels and links. Of equal ones
 * that with the smaller spread wins, then the pattern declared first, and the path that executes
 * least in user mode: nobody is sent through a large library for nothing. */

/* All later runs of one event, path and pattern. False: none with one counter. */
static bool pool_pattern(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_best *best)
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
        if (!error_counts_alone(ways->list[i].cell))
            continue;
        error_pool_add(pool, ways->list[i].cell);
        best->cells++;
    }
    best->runs = pool->count;
    if (!best->runs)
        return false;
    best->median = error_pool_median(pool, &best->min);
    best->subtract = error_quantile(pool->errors, best->runs, 1, 2); /* sorted by now */
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
                         struct error_pool *pool, struct error_best *best)
{
    bool found = false;
    for (size_t next; begin < end; begin = next) {
        struct error_best candidate;
        next = error_ways_end(ways, begin, WAY_PATTERN);
        if (pool_pattern(ways, begin, next, pool, &candidate) &&
            (!found || is_better(&candidate, best))) {
            *best = candidate;
            found = true;
        }
    }
    return found;
}

/* --- the best path --- */

/* How far a path is from adding nothing in user mode; infinite where that is not known. */
static double weight_of(const struct error_report *report, const struct error_best *best)
{
    double least = INFINITY;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *other = &report->best[i];
        if (other->machine == best->machine && other->mode == COUNT_USER &&
            error_is_instructions(other) && strcmp(other->path, best->path) == 0)
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

static void choose_paths(const struct error_case *file, struct error_report *report)
{
    for (size_t begin = 0, end; begin < report->best_count; begin = end) {
        const struct error_best *first = &report->best[begin];
        struct error_best *overall = &report->best[begin];
        for (end = begin + 1; end < report->best_count; end++) {
            struct error_best *best = &report->best[end];
            if (best->machine != first->machine || best->stepped != first->stepped ||
                strcmp(best->event, first->event) != 0)
                break;
            if (is_better_path(file, report, best, overall))
                overall = best;
        }
        overall->overall = true;
    }
}

void error_judge_best(const struct error_case *file, struct error_report *report)
{
    const struct error_ways ways = error_ways_of(file);
    AUTO_ERROR_POOL struct error_pool pool = {0};
    report->best = memory_new(ways.count, sizeof(*report->best));
    report->best_count = 0;
    for (size_t begin = 0, next; begin < ways.count; begin = next) {
        next = error_ways_end(&ways, begin, WAY_PATH);
        if (best_of_path(&ways, begin, next, &pool, &report->best[report->best_count]))
            report->best_count++;
    }
    choose_paths(file, report);
}

bool error_is_counted(const struct error_report *report, const struct error_best *best,
                      bool same_path)
{
    for (size_t i = 0; best->stepped && best->base && i < report->best_count; i++) {
        const struct error_best *other = &report->best[i];
        if (!other->stepped && other->machine == best->machine && other->mode == COUNT_USER &&
            other->base && strcmp(other->base, best->base) == 0 &&
            (!same_path || strcmp(other->path, best->path) == 0))
            return true;
    }
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * What is said of the best way. */

#define ADVISE(why, code, ...) SAY(why, SENTENCE, ADVICE_##code __VA_OPT__(, ) __VA_ARGS__)

/* Less than this for each iteration nobody will see in a count. */
#define NO_GROWTH 1e-5
/* Nor what is less than a count and less than this share of what is subtracted anyway. */
#define WORTH_TELLING 0.02
/* What the first run adds differs more between processes: a tenth. */
#define FIRST_WORTH_TELLING 0.1

/* Nothing was counted, but what the code of a path would add to a counter is known: what differs
 * then is not the run, but how the code was compiled. */
static void advise_stepped(const struct error_best *best, struct reasons *why)
{
    ADVISE(why, STEPPED, best->base ? best->base : best->event, best->path,
           pattern_descriptions[best->pattern], best->subtract);
    if (best->spread_high > best->spread_low)
        ADVISE(why, BUILDS, best->spread_low, best->spread_high);
}

static void advise_best(const struct error_best *best, struct reasons *why)
{
    bool spreads = best->spread_high > best->spread_low;
    if (best->subtract == 0 && !spreads)
        ADVISE(why, NOTHING, best->event, best->path, pattern_descriptions[best->pattern]);
    else
        ADVISE(why, SUBTRACT, best->event, best->path, pattern_descriptions[best->pattern],
               best->subtract);
    if (spreads)
        ADVISE(why, SPREAD, best->spread_low, best->spread_high);
}

static void advise_counters(const struct error_report *report, const struct error_best *best,
                            struct reasons *why)
{
    for (size_t i = 0; i < report->by_counters_count; i++) {
        const struct error_by_counters *by = &report->by_counters[i];
        if (by->machine != best->machine || by->pattern != best->pattern ||
            strcmp(by->event, best->event) != 0 || strcmp(by->path, best->path) != 0 ||
            by->separate || by->points < 2 || !(by->low > 0) ||
            by->slope < fmax(1, WORTH_TELLING * fabs(by->list[0].median)))
            continue;
        ADVISE(why, COUNTERS, round(by->slope));
        return;
    }
}

/* What the first run of a process adds beyond the others, by how the program is linked. */
static void advise_first(const struct error_report *report, const struct error_best *best,
                         struct reasons *why)
{
    bool has_lazy = false, has_other = false;
    int64_t lazy = 0, other = 0; /* the largest, and the smallest of another kind of linking */
    const char *link = NULL;     /* that other */
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        const struct error_cell *cell = row->cell;
        if ((cell->part != PART_NULL && cell->part != PART_STEPPED) || cell->counters != 1 ||
            cell->machine != best->machine || cell->pattern != best->pattern ||
            strcmp(cell->event, best->event) != 0 || strcmp(cell->path, best->path) != 0 ||
            cell->runs <= cell->processes)
            continue;
        int64_t more = row->first.median - row->later.median;
        if (more < 1 || (double)more < FIRST_WORTH_TELLING * fabs((double)row->later.median))
            more = 0;
        if (cell->link && strcmp(cell->link, "lazy") == 0) {
            lazy = has_lazy && lazy > more ? lazy : more;
            has_lazy = true;
        } else if (!has_other || more < other) {
            other = more;
            link = cell->link;
            has_other = true;
        }
    }
    int64_t any = has_other ? other : lazy;
    /* Only where another kind of linking spares most of it is lazy linking the cause. */
    if (has_lazy && has_other && lazy > 0 && 2 * other < lazy)
        ADVISE(why, LAZY, lazy, link ? link : "otherwise");
    else if (any > 0)
        ADVISE(why, FIRST, any);
}

/* The slope of the same path, else of any: what happens during a region does not depend on it. */
static void advise_duration(const struct error_report *report, const struct error_best *best,
                            struct reasons *why)
{
    const struct error_slope *found = NULL;
    bool same = false;
    for (size_t i = 0; i < report->slope_count && !same; i++) {
        const struct error_slope *slope = &report->slopes[i];
        if (slope->machine != best->machine || strcmp(slope->event, best->event) != 0 ||
            slope->points < 2)
            continue;
        same = strcmp(slope->path, best->path) == 0;
        if (!found || same)
            found = slope;
    }
    if (!found || !isfinite(found->low) || !isfinite(found->high))
        return;
    if (found->low > 0 && found->high >= NO_GROWTH)
        ADVISE(why, GROWS, round(found->slope * 1e6),
               best->mode != COUNT_USER && report->ticks.known && report->ticks.agrees
                   ? "interrupts"
                   : "",
               best->mode == COUNT_BOTH ? "user mode" : "");
    else if (found->low >= -NO_GROWTH && found->high <= NO_GROWTH)
        ADVISE(why, CONSTANT, found->longest);
}

void error_judge_advice(const struct error_case *file, struct error_report *report)
{
    report->advice = memory_new(report->best_count, sizeof(*report->advice));
    report->advice_count = 0;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        /* Windows of no path that a user has, and what a stepper saw before it was aligned. */
        bool is_no_way = strcmp(best->path, "bare") == 0 || strcmp(best->path, "trap") == 0 ||
                         (best->base && strcmp(best->base, "instructions-raw") == 0);
        if (!best->overall || is_no_way || error_is_counted(report, best, false))
            continue;
        struct error_advice *advice = &report->advice[report->advice_count++];
        advice->mode = best->stepped ? COUNT_USER : best->mode;
        advice->event = best->event;
        if (file->machine_count > 1 && best->machine < file->machine_count)
            ADVISE(&advice->why, MACHINE, file->machines[best->machine].name);
        if (best->stepped)
            advise_stepped(best, &advice->why);
        else
            advise_best(best, &advice->why);
        advise_counters(report, best, &advice->why);
        advise_first(report, best, &advice->why);
        advise_duration(report, best, &advice->why);
    }
}

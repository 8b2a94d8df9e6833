/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of measurement error: rows, what was stepped, the way that errs least and what to
 * do; and all its parts, one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/error/study.h"

/* ----------------------------------------------------------------------------------------------
 * The case of measurement error: its cells, and which of them are measured the same way. */

const char *const count_mode_names[COUNT_MODES] = {"any", "u", "k", "uk"};

struct error_cell *error_case_add_cell(struct error_case *file)
{
    struct error_cell *cell = memory_add(file->cells, file->cell_count);
    cell->offset = -1;
    return cell;
}

bool error_same_way(const struct error_cell *left, const struct error_cell *right)
{
    return left->machine == right->machine && left->pattern == right->pattern &&
           left->counters == right->counters && left->separate == right->separate &&
           strcmp(left->path, right->path) == 0 && strcmp(left->opt, right->opt) == 0 &&
           strcmp(left->link, right->link) == 0;
}

/* ----------------------------------------------------------------------------------------------
 * Figures of the paper's Table 3, to be set beside ours: pm is perfmon, pc perfctr, PL and PH
 * PAPI's low and high level on top of them; null error in instructions, one counter. */

const struct error_table3 error_table3[12] = {
    {"uk", "pm", "direct", PATTERN_RR, 726, 572},
    {"uk", "PLpm", "papi-low", PATTERN_AR, 742, 653},
    {"uk", "PHpm", "papi-high", PATTERN_AR, 844, 755},
    {"uk", "pc", "direct", PATTERN_AR, 163, 74},
    {"uk", "PLpc", "papi-low", PATTERN_AR, 251, 249},
    {"uk", "PHpc", "papi-high", PATTERN_AR, 339, 333},
    {"u", "pm", "direct", PATTERN_RR, 37, 36},
    {"u", "PLpm", "papi-low", PATTERN_AR, 134, 134},
    {"u", "PHpm", "papi-high", PATTERN_AR, 236, 236},
    {"u", "pc", "direct", PATTERN_AR, 67, 56},
    {"u", "PLpc", "papi-low", PATTERN_AR, 152, 144},
    {"u", "PHpc", "papi-high", PATTERN_AR, 236, 230},
};

/* ----------------------------------------------------------------------------------------------
 * Errors of the runs of cells, thrown together; and medians of processes. */

enum { FIRST_RUNS = 1, LATER_RUNS = 2 };

static void make_room(struct error_pool *pool, size_t more)
{
    if (pool->count + more <= pool->room)
        return;
    pool->room = 2 * (pool->count + more);
    pool->errors = memory_resize(pool->errors, pool->room, sizeof(*pool->errors));
    pool->scratch = memory_resize(pool->scratch, pool->room, sizeof(*pool->scratch));
}

/* Adds the first run of each process, or all others, in their order. */
static void add_runs(struct error_pool *pool, const struct error_cell *cell, unsigned which)
{
    make_room(pool, cell->runs);
    for (size_t i = 0; i < cell->processes; i++)
        for (size_t run = cell->begins[i]; run < cell->begins[i + 1]; run++)
            if (which & (run == cell->begins[i] ? FIRST_RUNS : LATER_RUNS))
                pool->errors[pool->count++] = error_of(cell, run);
}

void error_pool_add(struct error_pool *pool, const struct error_cell *cell)
{
    const size_t before = pool->count;
    add_runs(pool, cell, LATER_RUNS);
    if (pool->count == before)
        add_runs(pool, cell, FIRST_RUNS);
}

size_t error_pool_sort(struct error_pool *pool)
{
    const size_t count = pool->count;
    pool->count = 0;
    error_sort(pool->errors, count, pool->scratch);
    return count;
}

double error_pool_median(struct error_pool *pool, int64_t *min)
{
    const size_t count = error_pool_sort(pool);
    *min = count ? pool->errors[0] : 0;
    return count ? (double)error_quantile(pool->errors, count, 1, 2) : NAN;
}

void error_pool_release(struct error_pool *pool)
{
    memory_give_back(pool->errors);
    memory_give_back(pool->scratch);
}

size_t error_process_medians(const struct error_cell *cell, double *medians)
{
    AUTO_MEMORY int64_t *errors = memory_new(cell->runs, 2 * sizeof(*errors));
    size_t count = 0;
    for (size_t i = 0; i < cell->processes; i++) {
        size_t begin = later_runs(cell, i), runs = cell->begins[i + 1] - begin;
        if (!runs)
            continue;
        for (size_t run = 0; run < runs; run++)
            errors[run] = error_of(cell, begin + run);
        error_sort(errors, runs, errors + runs);
        int64_t low = errors[(runs - 1) / 2], high = errors[runs / 2];
        medians[count++] = low == high ? (double)low : (double)low / 2 + (double)high / 2;
    }
    return count;
}

/* ----------------------------------------------------------------------------------------------
 * One row a cell: how its errors lie, and what the same window counts when it is stepped. */

static bool counts_instructions(const struct error_cell *cell)
{
    return strcmp(cell->base, "instructions") == 0 ||
           (cell->class && strcmp(cell->class, "instructions") == 0);
}

/* Equal exactly where error_same_way holds and specimen and N are the same. */
static int by_window(const struct error_cell *left, const struct error_cell *right)
{
    return FIRST_OF(strcmp(left->path, right->path), ORDER(left->pattern, right->pattern),
                    ORDER(left->counters, right->counters), strcmp(left->opt, right->opt),
                    strcmp(left->link, right->link), ORDER(left->separate, right->separate),
                    ORDER(left->machine, right->machine), strcmp(left->specimen, right->specimen),
                    ORDER(left->n, right->n));
}

static int rows_by_window(const void *left, const void *right)
{
    const struct error_row *const *first = left, *const *second = right;
    /* Of several stepped cells of one window the first of the case comes first. */
    return FIRST_OF(by_window((*first)->cell, (*second)->cell), ORDER(*first, *second));
}

/* The first of the sorted rows whose window is that of the cell. */
static const struct error_row *find_window(const struct error_row *const *sorted, size_t count,
                                           const struct error_cell *cell)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_window(sorted[middle]->cell, cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && by_window(sorted[low]->cell, cell) == 0 ? sorted[low] : NULL;
}

/* What stepping can stand beside are user-mode instructions of null cells. */
static void link_stepped(struct error_report *report)
{
    AUTO_MEMORY const struct error_row **stepped = memory_new(report->row_count, sizeof(*stepped));
    size_t count = 0;
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].cell->part == PART_STEPPED && counts_instructions(report->rows[i].cell))
            stepped[count++] = &report->rows[i];
    qsort(stepped, count, sizeof(*stepped), rows_by_window);
    for (size_t i = 0; i < report->row_count; i++) {
        struct error_row *row = &report->rows[i];
        if (row->cell->part != PART_NULL || row->cell->mode != COUNT_USER ||
            !counts_instructions(row->cell))
            continue;
        const struct error_row *exact = find_window(stepped, count, row->cell);
        if (!exact)
            continue;
        row->has_stepped = true;
        row->stepped = exact->later.median;
        row->stepped_first = exact->first.median;
        row->stepped_varies =
            exact->later.min != exact->later.max || exact->first.min != exact->first.max;
    }
}

/* Stays what it is where there are no such runs. Returns how many there are. */
static size_t spread_of(struct error_pool *pool, const struct error_cell *cell, unsigned which,
                        struct error_spread *spread)
{
    add_runs(pool, cell, which);
    const size_t count = error_pool_sort(pool);
    if (count)
        *spread = error_spread_of(pool->errors, count);
    return count;
}

void error_judge_rows(const struct error_case *file, struct error_report *report)
{
    AUTO_ERROR_POOL struct error_pool pool = {0};
    report->rows = memory_new(file->cell_count, sizeof(*report->rows));
    report->row_count = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (!cell->runs)
            continue;
        struct error_row *row = &report->rows[report->row_count++];
        row->machine = cell->machine;
        row->cell = cell;
        spread_of(&pool, cell, FIRST_RUNS | LATER_RUNS, &row->error);
        row->first = row->error;
        const size_t firsts = spread_of(&pool, cell, FIRST_RUNS, &row->first);
        row->later = row->first;
        spread_of(&pool, cell, LATER_RUNS, &row->later);
        report->measurements += cell->runs;
        report->cells_measured++;
        /* Every process with runs has one first run. */
        if (cell->part == PART_NULL &&
            (!report->least_processes || firsts < report->least_processes))
            report->least_processes = firsts;
    }
    link_stepped(report);
}

/* ----------------------------------------------------------------------------------------------
 * What the CPU counts against what was stepped, cell by cell. A difference that is the same
 * everywhere is the CPU's own edge of the window; one that is not is an error of one of the two. */

static uint64_t distance(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* The most frequent difference of a machine's cells; of several the one nearest to 0, then the
 * positive one. Another CPU has another edge. */
static void find_edge(struct error_stepped *stepped, uint32_t machine, struct error_pool *pool)
{
    size_t most;
    make_room(pool, stepped->comparable);
    for (size_t i = 0; i < stepped->comparable; i++)
        if (stepped->list[i].machine == machine)
            pool->errors[pool->count++] = stepped->list[i].difference;
    const size_t count = error_pool_sort(pool);
    const int64_t *differences = pool->errors;
    if (!count)
        return;
    int64_t edge = error_most_frequent(differences, count, &most);
    for (size_t i = 0, length = 0; i < count; i++) {
        length = i && differences[i] == differences[i - 1] ? length + 1 : 1;
        if (length == most && distance(differences[i]) <= distance(edge))
            edge = differences[i];
    }
    for (size_t i = 0; i < stepped->comparable; i++) {
        struct error_agreement *agreement = &stepped->list[i];
        if (agreement->machine != machine)
            continue;
        agreement->edge = edge;
        stepped->equal += agreement->difference == edge;
    }
}

void error_judge_stepped(const struct error_case *file, struct error_report *report)
{
    struct error_stepped *stepped = &report->stepped;
    AUTO_ERROR_POOL struct error_pool pool = {0};
    size_t times;
    (void)file;
    stepped->list = memory_new(report->row_count + 1, sizeof(*stepped->list));
    uint32_t machines = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        if (!row->has_stepped)
            continue;
        struct error_agreement *agreement = &stepped->list[stepped->comparable++];
        agreement->machine = row->machine;
        agreement->row = row;
        error_pool_add(&pool, row->cell);
        agreement->runs = error_pool_sort(&pool);
        int64_t usual = error_most_frequent(pool.errors, agreement->runs, &agreement->agreeing);
        agreement->difference = error_minus(usual, row->stepped);
        add_runs(&pool, row->cell, FIRST_RUNS);
        int64_t first = error_most_frequent(pool.errors, error_pool_sort(&pool), &times);
        agreement->first_difference = error_minus(first, row->stepped_first);
        machines = row->machine >= machines ? row->machine + 1 : machines;
    }
    for (uint32_t machine = 0; machine < machines; machine++)
        find_edge(stepped, machine, &pool);
    stepped->edge = stepped->list[0].edge;
}

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

/* --- the whole --- */

const char *const error_factor_names[FACTOR_COUNT] = {
    [FACTOR_MACHINE] = "machine",   [FACTOR_PATH] = "path", [FACTOR_PATTERN] = "pattern",
    [FACTOR_COUNTERS] = "counters", [FACTOR_OPT] = "opt",   [FACTOR_LINK] = "link",
};

struct error_report error_judge(const struct error_case *file, uint64_t seed)
{
    struct error_report report = {0};
    error_judge_rows(file, &report);
    error_judge_stepped(file, &report);
    error_judge_best(file, &report);
    error_judge_factors(file, &report);
    error_judge_counters(file, &report);
    error_judge_duration(file, &report);
    error_judge_placement(file, seed, &report);
    error_judge_multiplex(file, &report);
    error_judge_advice(file, &report);
    error_judge_findings(file, &report);
    return report;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of measurement error: its parts, one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/error/judge.h"

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
        if (stepped->list[i].row->cell->machine == machine)
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
        if (agreement->row->cell->machine != machine)
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
        agreement->row = row;
        error_pool_add(&pool, row->cell);
        agreement->runs = error_pool_sort(&pool);
        int64_t usual = error_most_frequent(pool.errors, agreement->runs, &agreement->agreeing);
        agreement->difference = error_minus(usual, row->stepped);
        add_runs(&pool, row->cell, FIRST_RUNS);
        int64_t first = error_most_frequent(pool.errors, error_pool_sort(&pool), &times);
        agreement->first_difference = error_minus(first, row->stepped_first);
        machines = row->cell->machine >= machines ? row->cell->machine + 1 : machines;
    }
    for (uint32_t machine = 0; machine < machines; machine++)
        find_edge(stepped, machine, &pool);
    stepped->edge = stepped->list[0].edge;
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

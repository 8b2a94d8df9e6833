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
 * First and later runs, and medians of processes. */

/* Errors of the first run of each process, or of all others, in their order. errors: room for
 * cell->runs; returns how many. */
static size_t error_first_runs(const struct error_cell *cell, int64_t *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->processes; i++)
        if (cell->begins[i + 1] > cell->begins[i])
            errors[count++] = error_of(cell, cell->begins[i]);
    return count;
}

static size_t error_later_runs(const struct error_cell *cell, int64_t *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->processes; i++)
        for (size_t run = cell->begins[i] + 1; run < cell->begins[i + 1]; run++)
            errors[count++] = error_of(cell, run);
    return count;
}

size_t error_usual_runs(const struct error_cell *cell, int64_t *errors)
{
    size_t count = error_later_runs(cell, errors);
    return count ? count : error_first_runs(cell, errors);
}

size_t error_process_medians(const struct error_cell *cell, double *medians, int64_t *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->processes; i++) {
        size_t begin = later_runs(cell, i), runs = cell->begins[i + 1] - begin;
        if (!runs)
            continue;
        for (size_t run = 0; run < runs; run++)
            scratch[run] = error_of(cell, begin + run);
        error_sort(scratch, runs, scratch + runs);
        int64_t low = scratch[(runs - 1) / 2], high = scratch[runs / 2];
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

size_t error_most_runs(const struct error_case *file)
{
    size_t most = 1;
    for (size_t i = 0; i < file->cell_count; i++)
        most = file->cells[i].runs > most ? file->cells[i].runs : most;
    return most;
}

void error_judge_rows(const struct error_case *file, struct error_report *report)
{
    size_t most = error_most_runs(file);
    AUTO_MEMORY int64_t *errors = memory_new(most, sizeof(*errors));
    AUTO_MEMORY int64_t *scratch = memory_new(most, sizeof(*scratch));
    report->rows = memory_new(file->cell_count, sizeof(*report->rows));
    report->row_count = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (!cell->runs)
            continue;
        struct error_row *row = &report->rows[report->row_count++];
        row->cell = cell;
        for (size_t run = 0; run < cell->runs; run++)
            errors[run] = error_of(cell, run);
        error_sort(errors, cell->runs, scratch);
        row->error = error_spread_of(errors, cell->runs);
        size_t firsts = error_first_runs(cell, errors);
        error_sort(errors, firsts, scratch);
        row->first = firsts ? error_spread_of(errors, firsts) : row->error;
        size_t others = error_later_runs(cell, errors);
        error_sort(errors, others, scratch);
        row->later = others ? error_spread_of(errors, others) : row->first;
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
static void find_edge(struct error_stepped *stepped, uint32_t machine, int64_t *differences,
                      int64_t *scratch)
{
    size_t count = 0, most;
    for (size_t i = 0; i < stepped->comparable; i++)
        if (stepped->list[i].row->cell->machine == machine)
            differences[count++] = stepped->list[i].difference;
    if (!count)
        return;
    error_sort(differences, count, scratch);
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
    size_t most = error_most_runs(file), times;
    most = report->row_count > most ? report->row_count : most;
    AUTO_MEMORY int64_t *errors = memory_new(most, sizeof(*errors));
    AUTO_MEMORY int64_t *scratch = memory_new(most, sizeof(*scratch));
    stepped->list = memory_new(report->row_count + 1, sizeof(*stepped->list));
    uint32_t machines = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        if (!row->has_stepped)
            continue;
        struct error_agreement *agreement = &stepped->list[stepped->comparable++];
        agreement->row = row;
        agreement->runs = error_usual_runs(row->cell, errors);
        error_sort(errors, agreement->runs, scratch);
        int64_t usual = error_most_frequent(errors, agreement->runs, &agreement->agreeing);
        agreement->difference = error_minus(usual, row->stepped);
        size_t firsts = error_first_runs(row->cell, errors);
        error_sort(errors, firsts, scratch);
        agreement->first_difference =
            error_minus(error_most_frequent(errors, firsts, &times), row->stepped_first);
        machines = row->cell->machine >= machines ? row->cell->machine + 1 : machines;
    }
    for (uint32_t machine = 0; machine < machines; machine++)
        find_edge(stepped, machine, errors, scratch);
    stepped->edge = stepped->list[0].edge;
}

/* ----------------------------------------------------------------------------------------------
 * Runs of several cells thrown together, and their median. */

struct error_pool error_pool_open(const struct error_ways *ways)
{
    size_t most_runs = 0, most_processes = 0;
    for (size_t begin = 0, next; begin < ways->count; begin = next) {
        size_t runs = 0, processes = 0;
        next = error_ways_end(ways, begin, WAY_LAYOUT);
        for (size_t i = begin; i < next; i++) {
            runs += ways->list[i].cell->runs;
            processes += ways->list[i].cell->processes;
        }
        most_runs = runs > most_runs ? runs : most_runs;
        most_processes = processes > most_processes ? processes : most_processes;
    }
    return (struct error_pool){.errors = memory_new(most_runs, sizeof(int64_t)),
                               .scratch = memory_new(most_runs, 2 * sizeof(int64_t)),
                               .medians = memory_new(most_processes, sizeof(double))};
}

void error_pool_release(struct error_pool *pool)
{
    memory_give_back(pool->errors);
    memory_give_back(pool->scratch);
    memory_give_back(pool->medians);
}

void error_pool_add(struct error_pool *pool, const struct error_cell *cell)
{
    pool->count += error_usual_runs(cell, pool->errors + pool->count);
}

double error_pool_median(struct error_pool *pool, int64_t *min)
{
    size_t count = pool->count;
    pool->count = 0;
    *min = 0;
    if (!count)
        return NAN;
    error_sort(pool->errors, count, pool->scratch);
    *min = pool->errors[0];
    return (double)error_quantile(pool->errors, count, 1, 2);
}

/* ----------------------------------------------------------------------------------------------
 * The mean of a cell, and its variance from how far the means of its processes lie apart. */

double error_of_run(const struct error_cell *cell, size_t run)
{
    return (double)error_of(cell, run);
}

double run_interrupts(const struct error_cell *cell, size_t run)
{
    return cell->interrupts ? cell->interrupts[run] : NAN;
}

/* About `origin`, so that large counts do not cost digits. */
static double process_sum(const struct error_cell *cell, size_t process, run_figure *figure,
                          double origin)
{
    double sum = 0;
    for (size_t run = later_runs(cell, process); run < cell->begins[process + 1]; run++)
        sum += figure(cell, run) - origin;
    return sum;
}

static double runs_of(const struct error_cell *cell, size_t process)
{
    return (double)(cell->begins[process + 1] - later_runs(cell, process));
}

struct process_mean process_mean_of(const struct error_cell *cell, run_figure *figure)
{
    struct process_mean result = {.mean = NAN, .variance = NAN};
    double origin = cell->runs ? figure(cell, 0) : 0, sum = 0, runs = 0, squared_runs = 0;
    for (size_t i = 0; i < cell->processes; i++) {
        double of_process = runs_of(cell, i);
        sum += process_sum(cell, i, figure, origin);
        runs += of_process;
        squared_runs += of_process * of_process;
        result.processes += of_process > 0;
    }
    if (!(runs > 0))
        return result;
    result.runs = (size_t)runs;
    double mean = sum / runs, squares = 0, by_runs = 0;
    result.mean = origin + mean;
    for (size_t i = 0; i < cell->processes; i++) {
        for (size_t run = later_runs(cell, i); run < cell->begins[i + 1]; run++) {
            double away = figure(cell, run) - result.mean;
            by_runs += away * away;
        }
        double away = process_sum(cell, i, figure, origin) - mean * runs_of(cell, i);
        squares += away * away;
    }
    result.by_runs = runs > 1 ? by_runs / (runs - 1) / runs : 0;
    if (result.processes < 2)
        return result;
    /* Largest share of one process: 1 / processes where all have as many runs. */
    double share = squared_runs / (runs * runs);
    result.variance = squares / (runs * runs) / (1 - share);
    result.df = 1 / share - 1;
    return result;
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

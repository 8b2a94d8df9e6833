/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the error grows with duration: for each event, path and pattern a line of error against N. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/findings.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/error/judge.h"

/* ----------------------------------------------------------------------------------------------
 * A straight line through means of cells whose spread grows along it. Its slope is a fixed sum of
 * the means, so that its variance is the same sum of theirs, each known from its own processes:
 * nothing is assumed of how interrupts are distributed, nor that all N scatter alike. The line's
 * shares, slope and interval (after Welch: variances of their own, degrees of freedom after
 * Satterthwaite). */

struct slope_point {
    double n;
    size_t way; /* points of one way share an intercept */
    struct process_mean y;
    double share; /* slope = sum of share * y.mean; filled in by slope_shares */
};

struct slope_line {
    bool known; /* two different N of one way */
    double slope, intercept;
    double error, df; /* standard error; infinite and 0 where nothing repeats */
    double low, high; /* 95 % interval */
    double detectable;
};

/* What is counted between interrupts scatters alike for every N, what interrupts add with N: the
 * weights suppose that both are equal at this part of the largest N. They are not estimated: a cell
 * that happened to see few interrupts has a low mean and a small spread, and must not win. */
static const double ALIKE_PART = 0.1;

static double largest_n(const struct slope_point *points, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, points[i].n);
    return largest;
}

static double weight_of(const struct slope_point *point, double largest)
{
    return (double)point->y.runs / (point->n + ALIKE_PART * largest);
}

/* Weighted mean of N over the points of one way, or of y. */
static double center_of(const struct slope_point *points, size_t count, size_t way, double largest,
                        bool of_y)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].way != way)
            continue;
        double weight = weight_of(&points[i], largest);
        sum += weight * (of_y ? points[i].y.mean : points[i].n);
        weights += weight;
    }
    return sum / weights;
}

/* False: no way has two different N. */
static bool slope_shares(struct slope_point *points, size_t count)
{
    double largest = largest_n(points, count), squares = 0;
    for (size_t i = 0; i < count; i++) {
        double away = points[i].n - center_of(points, count, points[i].way, largest, false);
        double weight = weight_of(&points[i], largest);
        /* A mean of one and the same N is off by rounding: that is no distance. */
        away = fabs(away) > 1e-9 * largest ? away : 0;
        points[i].share = weight * away;
        squares += weight * away * away;
    }
    if (!(squares > 0))
        return false;
    for (size_t i = 0; i < count; i++)
        points[i].share /= squares;
    return true;
}

/* Of a lonely process: what the nearest N with fellows has, grown as interrupts would. */
static double borrowed_variance(const struct slope_point *points, size_t count, double n,
                                double runs)
{
    const struct slope_point *nearest = NULL;
    for (size_t i = 0; i < count; i++)
        if (points[i].y.df > 0 &&
            (!nearest || fabs(log1p(points[i].n) - log1p(n)) < fabs(log1p(nearest->n) - log1p(n))))
            nearest = &points[i];
    if (!nearest)
        return 0;
    double grown = fmax(1, n / fmax(1, nearest->n));
    return nearest->y.variance * grown * (double)nearest->y.runs / runs;
}

static void add_replicates(const struct slope_point *points, size_t count, struct slope_line *line)
{
    double variance = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const struct process_mean *y = &points[i].y;
        double own = y->df > 0 ? y->variance
                               : borrowed_variance(points, count, points[i].n, (double)y->runs);
        double part = points[i].share * points[i].share * own;
        variance += part;
        squares += part * part / fmax(1, y->df);
    }
    line->error = sqrt(variance);
    line->df = squares > 0 ? variance * variance / squares : 0;
}

/* From what the line leaves: only where processes say nothing. Short runs, which nothing
 * interrupts, lie on the line whatever the long ones do, so it is at least what the runs themselves
 * say. */
static void add_misfit(const struct slope_point *points, size_t count, struct slope_line *line)
{
    double largest = largest_n(points, count), left = 0, squares = 0, by_runs = 0;
    size_t ways = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = points[j].way != points[i].way;
        ways += is_first;
        double away_n = points[i].n - center_of(points, count, points[i].way, largest, false);
        double away_y = points[i].y.mean - center_of(points, count, points[i].way, largest, true);
        double weight = weight_of(&points[i], largest), off = away_y - line->slope * away_n;
        left += weight * off * off;
        squares += weight * away_n * away_n;
        by_runs += points[i].share * points[i].share * points[i].y.by_runs;
    }
    line->df = count > ways + 1 ? (double)(count - ways - 1) : 0;
    line->error = line->df > 0 ? sqrt(fmax(left / line->df / squares, by_runs)) : INFINITY;
}

/* From estimate, standard error and degrees of freedom. */
static void slope_bounds(struct slope_line *line)
{
    bool varies = line->error > 0 && line->df > 0; /* else both are the error as it is */
    double reach = varies ? line->error * t_quantile(0.975, line->df) : line->error;
    double seen = varies ? reach + line->error * t_quantile(0.8, line->df) : reach;
    line->low = line->slope - reach;
    line->high = line->slope + reach;
    line->detectable = seen;
}

/* The variance of each point, where a lonely process cannot say it, is taken from the others; where
 * no process has a fellow, or no fellows differ, from how far the points lie off the line. */
static struct slope_line slope_of(struct slope_point *points, size_t count)
{
    struct slope_line line = {.known = slope_shares(points, count)};
    if (!line.known)
        return line;
    for (size_t i = 0; i < count; i++)
        line.slope += points[i].share * points[i].y.mean;
    double largest = largest_n(points, count);
    line.intercept = center_of(points, count, points[0].way, largest, true) -
                     line.slope * center_of(points, count, points[0].way, largest, false);
    add_replicates(points, count, &line);
    if (!(line.error > 0))
        add_misfit(points, count, &line);
    slope_bounds(&line);
    return line;
}

/* ----------------------------------------------------------------------------------------------
 * Cells as points of a line of error against N. */

bool shows_duration(const struct error_cell *cell)
{
    bool counts_work = cell->mode == COUNT_USER || cell->mode == COUNT_BOTH;
    return cell->part == PART_DURATION && cell->runs > 0 && (cell->has_truth || !counts_work);
}

/* Cells that share an intercept on the line: everything but event and N is the same. */
static bool same_intercept(const struct error_cell *left, const struct error_cell *right)
{
    return error_same_way(left, right) && strcmp(left->others, right->others) == 0 &&
           strcmp(left->specimen, right->specimen) == 0;
}

/* One point each, by error or by another figure; cells of one intercept get one way. -ENOMEM. */
static int duration_points(const struct error_cell *const *cells, size_t count, run_figure *figure,
                           struct slope_point **points)
{
    *points = calloc(count ? count : 1, sizeof **points);
    if (!*points)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        size_t way = 0;
        while (way < i && !same_intercept(cells[way], cells[i]))
            way++;
        (*points)[i] = (struct slope_point){
            .n = (double)cells[i]->n, .way = way, .y = process_mean_of(cells[i], figure)};
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Do interrupts explain how user+kernel counts grow? Kernel-only cells with interrupts counted
 * along say how many there are in an iteration and what each adds; their product is set against
 * the slope of the user+kernel cells. */

/* Sums over the later runs of one process: x interrupts, y error, both about the cell's first run.
 */
struct tick_sums {
    double runs, x, y, xx, xy;
};

struct tick_cell {
    const struct error_cell *cell;
    double share; /* of the slope: slope = sum of share * mean */
    double origin_x, origin_y;
    struct tick_sums all;
    struct tick_sums *processes; /* [cell->processes] */
};

struct tick_figures {
    double each, rate, predicted;
};

static struct tick_sums minus(struct tick_sums left, struct tick_sums right)
{
    return (struct tick_sums){left.runs - right.runs, left.x - right.x, left.y - right.y,
                              left.xx - right.xx, left.xy - right.xy};
}

static void add_run(struct tick_sums *sums, double x, double y)
{
    sums->runs += 1;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->xy += x * y;
}

static int fill(const struct error_cell *cell, struct tick_cell *ticks)
{
    ticks->cell = cell;
    ticks->processes = calloc(cell->processes ? cell->processes : 1, sizeof *ticks->processes);
    if (!ticks->processes)
        return -ENOMEM;
    ticks->origin_x = cell->interrupts[0];
    ticks->origin_y = error_of_run(cell, 0);
    for (size_t process = 0; process < cell->processes; process++) {
        size_t run = later_runs(cell, process), end = cell->begins[process + 1];
        for (; run < end; run++) {
            double x = cell->interrupts[run] - ticks->origin_x;
            double y = error_of_run(cell, run) - ticks->origin_y;
            add_run(&ticks->processes[process], x, y);
            add_run(&ticks->all, x, y);
        }
    }
    return 0;
}

/* Sums of squares and products about the means of the cell: an intercept by cell. */
static double spread_x(const struct tick_sums *sums)
{
    return sums->xx - sums->x * sums->x / sums->runs;
}

static double spread_xy(const struct tick_sums *sums)
{
    return sums->xy - sums->x * sums->y / sums->runs;
}

/* The sums of cell i, without the runs of one process of the cell `left_out`. */
static struct tick_sums sums_without(const struct tick_cell *cells, size_t i, size_t left_out,
                                     size_t process)
{
    return i == left_out ? minus(cells[i].all, cells[i].processes[process]) : cells[i].all;
}

/* What an interrupt adds is found in every cell by itself, and weighs as much as the interrupts of
 * that cell do in the slope: interrupts soon after a process began are dearer, and there are more
 * of them among the interrupts of short runs. left_out: SIZE_MAX for nothing. */
static struct tick_figures figures_of(const struct tick_cell *cells, size_t count, size_t left_out,
                                      size_t process)
{
    double all_x = 0, all_xy = 0;
    for (size_t i = 0; i < count; i++) {
        struct tick_sums sums = sums_without(cells, i, left_out, process);
        all_x += spread_x(&sums);
        all_xy += spread_xy(&sums);
    }
    double common = all_xy / all_x;
    struct tick_figures figures = {0};
    for (size_t i = 0; i < count; i++) {
        struct tick_sums sums = sums_without(cells, i, left_out, process);
        double x = spread_x(&sums);
        double part = cells[i].share * (cells[i].origin_x + sums.x / sums.runs);
        figures.rate += part;
        if (part < 0 || part > 0)
            figures.predicted += part * (x > 0 ? spread_xy(&sums) / x : common);
    }
    figures.each = figures.predicted / figures.rate;
    return figures;
}

/* --- intervals: what changes when one process is left out, for every process (jackknife) --- */

struct tick_spread {
    double variance, squares; /* squares: of each cell's part over its degrees of freedom */
};

static void add_spread(struct tick_spread *spread, const double *values, size_t count)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    double part = sum * (double)(count - 1) / (double)count;
    spread->variance += part;
    spread->squares += part * part / (double)(count - 1);
}

static void bounds(double estimate, const struct tick_spread *spread, double *low, double *high)
{
    struct slope_line line = {
        .slope = estimate,
        .error = sqrt(spread->variance),
        .df = spread->squares > 0 ? spread->variance * spread->variance / spread->squares : 0};
    slope_bounds(&line);
    *low = line.low;
    *high = line.high;
}

static int judge_figures(const struct tick_cell *cells, size_t count, struct error_ticks *ticks)
{
    struct tick_figures figures = figures_of(cells, count, SIZE_MAX, 0);
    struct tick_spread each = {0}, rate = {0}, predicted = {0};
    for (size_t i = 0; i < count; i++) {
        size_t processes = cells[i].cell->processes, present = 0;
        AUTO_FREE double *values = calloc(processes * 3, sizeof *values);
        if (!values)
            return -ENOMEM;
        for (size_t process = 0; process < processes; process++) {
            if (!(cells[i].processes[process].runs > 0))
                continue;
            struct tick_figures without = figures_of(cells, count, i, process);
            values[present] = without.each;
            values[processes + present] = without.rate;
            values[2 * processes + present++] = without.predicted;
        }
        add_spread(&each, values, present);
        add_spread(&rate, values + processes, present);
        add_spread(&predicted, values + 2 * processes, present);
    }
    ticks->each = figures.each;
    ticks->rate = figures.rate;
    ticks->predicted = figures.predicted;
    bounds(ticks->each, &each, &ticks->each_low, &ticks->each_high);
    bounds(ticks->rate, &rate, &ticks->rate_low, &ticks->rate_high);
    bounds(ticks->predicted, &predicted, &ticks->predicted_low, &ticks->predicted_high);
    return 0;
}

/* --- which cells --- */

static bool counts_instructions(const struct error_cell *cell, enum count_mode mode)
{
    return shows_duration(cell) && cell->mode == mode && strcmp(cell->kind, "source") != 0 &&
           cell->class && strcmp(cell->class, "instructions") == 0;
}

typedef const struct error_cell *cell_pointer;

static int gather(const struct error_case *file, uint32_t machine, enum count_mode mode,
                  bool with_interrupts, cell_pointer **cells, size_t *count)
{
    *count = 0;
    *cells = calloc(file->cell_count ? file->cell_count : 1, sizeof **cells);
    if (!*cells)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (counts_instructions(cell, mode) && cell->machine == machine &&
            (!with_interrupts || cell->interrupts))
            (*cells)[(*count)++] = cell;
    }
    return 0;
}

/* The first that has kernel-only cells with interrupts: another one has another timer. */
static uint32_t machine_of(const struct error_case *file)
{
    for (size_t i = 0; i < file->cell_count; i++)
        if (counts_instructions(&file->cells[i], COUNT_KERNEL) && file->cells[i].interrupts)
            return file->cells[i].machine;
    return 0;
}

/* Leaves out cells of a single process, as runs cut short have them: it cannot say how far
 * processes differ. Returns how many are left. */
static size_t drop_lonely(cell_pointer *cells, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        size_t present = 0;
        for (size_t process = 0; process < cells[i]->processes; process++)
            present += cells[i]->begins[process] < cells[i]->begins[process + 1];
        if (present > 1)
            cells[left++] = cells[i];
    }
    return left;
}

static void unknown(struct error_ticks *ticks, const char *why)
{
    ticks->known = false;
    ticks->reason[0] = '\0';
    note_add(ticks->reason, "%s", why);
}

static int predict(cell_pointer *cells, size_t count, struct tick_cell *tick_cells,
                   struct error_ticks *ticks)
{
    AUTO_FREE struct slope_point *points = NULL;
    int error = duration_points(cells, count, run_interrupts, &points);
    if (error)
        return error;
    double interrupts = 0, spread = 0;
    for (size_t i = 0; i < count; i++) {
        error = fill(cells[i], &tick_cells[i]);
        if (error)
            return error;
        interrupts += points[i].y.mean;
        spread += spread_x(&tick_cells[i].all);
    }
    if (!slope_shares(points, count))
        return unknown(ticks, "kernel-only instructions were counted along with interrupts for one "
                              "N only, so nothing is known of how many come with duration"),
               0;
    if (!(interrupts > 0))
        return unknown(ticks, "no run was interrupted: longer loops or more runs are needed"), 0;
    if (!(spread > 0))
        return unknown(ticks,
                       "every run was interrupted equally often, so nothing is known of what "
                       "one interrupt adds"),
               0;
    for (size_t i = 0; i < count; i++)
        tick_cells[i].share = points[i].share;
    error = judge_figures(tick_cells, count, ticks);
    ticks->known = isfinite(ticks->predicted_low) && isfinite(ticks->each_low);
    if (!error && !ticks->known)
        unknown(ticks, "too few interrupts to say what one adds");
    return error;
}

/* Counting interrupts adds instructions to each, so the user+kernel cells that do it as well are
 * compared where there are such. */
static int measure(const struct error_case *file, uint32_t machine, struct error_ticks *ticks)
{
    AUTO_FREE cell_pointer *cells = NULL;
    AUTO_FREE struct slope_point *points = NULL;
    size_t count;
    int error = gather(file, machine, COUNT_BOTH, true, &cells, &count);
    bool alike = count > 0;
    if (error == 0 && !alike) {
        free(cells);
        error = gather(file, machine, COUNT_BOTH, false, &cells, &count);
    }
    if (error == 0)
        error = duration_points(cells, count, error_of_run, &points);
    if (error)
        return error;
    struct slope_line line = slope_of(points, count);
    if (!line.known)
        return unknown(ticks, count ? "user+kernel instructions were counted for one N only"
                                    : "no cell counts user+kernel instructions of the loop"),
               0;
    if (!isfinite(line.error))
        return unknown(ticks, "the user+kernel cells have one process each and too few N: nothing "
                              "is known of how far their slope may be off"),
               0;
    ticks->measured = line.slope;
    ticks->measured_low = line.low;
    ticks->measured_high = line.high;
    if (!alike)
        note_add(ticks->reason, "counting interrupts adds instructions to each of them, and the "
                                "user+kernel cells were measured without");
    return 0;
}

/* Fills report->ticks. */
static int error_judge_ticks(const struct error_case *file, struct error_report *report)
{
    struct error_ticks *ticks = &report->ticks;
    AUTO_FREE cell_pointer *cells = NULL;
    size_t count = 0;
    uint32_t machine = machine_of(file);
    int error = gather(file, machine, COUNT_KERNEL, true, &cells, &count);
    if (error)
        return error;
    if (!count)
        return unknown(ticks, "no cell counts kernel-only instructions of the loop and interrupts "
                              "along with them"),
               0;
    count = drop_lonely(cells, count);
    if (!count)
        return unknown(ticks, "the kernel-only cells have one process each, whose runs cannot say "
                              "how far processes differ"),
               0;
    struct tick_cell *tick_cells = calloc(count, sizeof *tick_cells);
    if (!tick_cells)
        return -ENOMEM;
    error = predict(cells, count, tick_cells, ticks);
    for (size_t i = 0; i < count; i++)
        free(tick_cells[i].processes);
    free(tick_cells);
    if (error == 0 && ticks->known)
        error = measure(file, machine, ticks);
    ticks->agrees = ticks->known && ticks->measured_low <= ticks->predicted_high &&
                    ticks->predicted_low <= ticks->measured_high;
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Counts of the operating system alone while a loop runs that never calls it, by the loop's
 * length: all of them are interrupts and the edges of the window (the paper's Figure 9). */

/* By machine, event and path: the cells of one line of the figure. */
static int compare_lines(const struct error_cell *left, const struct error_cell *right)
{
    if (left->machine != right->machine)
        return left->machine < right->machine ? -1 : 1;
    int order = strcmp(left->event, right->event);
    return order ? order : strcmp(left->path, right->path);
}

static int by_line_and_n(const void *left, const void *right)
{
    const struct error_cell *a = *(const cell_pointer *)left, *b = *(const cell_pointer *)right;
    int order = compare_lines(a, b);
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* Appends the later runs of a cell. */
static void take(const struct error_cell *cell, int64_t *values, struct error_by_size *row)
{
    for (size_t process = 0; process < cell->processes; process++)
        for (size_t run = later_runs(cell, process); run < cell->begins[process + 1]; run++) {
            values[row->runs++] = error_of(cell, run);
            row->mean += (double)error_of(cell, run);
            row->interrupts += run_interrupts(cell, run);
        }
}

/* The cells of one N. */
static int add_row(const cell_pointer *cells, size_t count, bool only_counted,
                   struct error_report *report)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        runs += only_counted && !cells[i]->interrupts ? 0 : cells[i]->runs;
    if (!runs)
        return 0;
    AUTO_FREE int64_t *values = calloc(runs, sizeof *values);
    AUTO_FREE int64_t *scratch = calloc(runs, sizeof *scratch);
    if (!values || !scratch)
        return -ENOMEM;
    struct error_by_size row = {.machine = cells[0]->machine,
                                .event = cells[0]->event,
                                .path = cells[0]->path,
                                .n = cells[0]->n};
    for (size_t i = 0; i < count; i++)
        if (!only_counted || cells[i]->interrupts)
            take(cells[i], values, &row);
    row.mean /= (double)row.runs;
    row.interrupts /= (double)row.runs;
    error_sort(values, row.runs, scratch);
    row.spread = error_spread_of(values, row.runs);
    report->by_size[report->by_size_count++] = row;
    return 0;
}

/* Where interrupts were counted along in some cells of the line, only those are shown: counting
 * them adds to each, and two kinds of cells would make one crooked line. */
static int add_line(const cell_pointer *cells, size_t count, struct error_report *report)
{
    bool counted = false;
    for (size_t i = 0; i < count; i++)
        counted = counted || cells[i]->interrupts;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && cells[end]->n == cells[begin]->n;)
            end++;
        int error = add_row(cells + begin, end - begin, counted, report);
        if (error)
            return error;
    }
    return 0;
}

/* Fills report->by_size. */
static int error_judge_sizes(const struct error_case *file, struct error_report *report)
{
    size_t count = 0;
    AUTO_FREE cell_pointer *cells = calloc(file->cell_count ? file->cell_count : 1, sizeof *cells);
    if (!cells)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++)
        if (file->cells[i].mode == COUNT_KERNEL && shows_duration(&file->cells[i]))
            cells[count++] = &file->cells[i];
    qsort(cells, count, sizeof *cells, by_line_and_n);
    report->by_size = calloc(count ? count : 1, sizeof *report->by_size);
    if (!report->by_size)
        return -ENOMEM;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && compare_lines(cells[end], cells[begin]) == 0;)
            end++;
        int error = add_line(cells + begin, end - begin, report);
        if (error)
            return error;
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * How the error grows with duration: for each event, path and pattern a line of error against N. */

static bool same_slope(const struct error_cell *left, const struct error_cell *right)
{
    return left->machine == right->machine && left->pattern == right->pattern &&
           strcmp(left->event, right->event) == 0 && strcmp(left->path, right->path) == 0;
}

/* The errors of all later runs, when they are the same. */
static bool constant_error(const struct error_cell *cell, int64_t *error)
{
    *error = error_of(cell, later_runs(cell, 0));
    for (size_t process = 0; process < cell->processes; process++)
        for (size_t run = later_runs(cell, process); run < cell->begins[process + 1]; run++)
            if (error_of(cell, run) != *error)
                return false;
    return true;
}

/* The first cell with this one's intercept, and the first such with another N. */
static const struct error_cell *fellow(const struct error_cell *const *cells, size_t count,
                                       const struct error_cell *cell, bool other_n)
{
    for (size_t i = 0; i < count; i++)
        if (same_intercept(cells[i], cell) && (!other_n || cells[i]->n != cell->n))
            return cells[i];
    return NULL;
}

/* Does the cell lie on the line through `from` with the slope rise / step? In whole numbers: a
 * rounded slope would leave something of it. */
static bool lies_on(const struct error_cell *cell, const struct error_cell *from, __int128 rise,
                    __int128 step)
{
    int64_t error, begin;
    return constant_error(cell, &error) && constant_error(from, &begin) &&
           ((__int128)error - begin) * step == rise * ((__int128)cell->n - (__int128)from->n);
}

/* No run deviates from the line, and there are more of them than a line can be laid through. */
static bool is_exact(const struct error_cell *const *cells, size_t count, double *slope)
{
    const struct error_cell *from = NULL, *to = NULL;
    size_t runs = 0, ways = 0;
    for (size_t i = 0; i < count; i++) {
        const struct error_cell *other = fellow(cells, count, cells[i], true);
        if (other && !to) {
            from = cells[i];
            to = other;
        }
        runs += cells[i]->runs;
        ways += fellow(cells, count, cells[i], false) == cells[i];
    }
    int64_t begin, end;
    if (!to || runs <= ways + 1 || !constant_error(from, &begin) || !constant_error(to, &end))
        return false;
    __int128 rise = (__int128)end - begin, step = (__int128)to->n - (__int128)from->n;
    for (size_t i = 0; i < count; i++)
        if (!lies_on(cells[i], fellow(cells, count, cells[i], false), rise, step))
            return false;
    *slope = rise ? (double)rise / (double)step : 0; /* not -0 */
    return true;
}

static void describe(const struct error_cell *const *cells, size_t count, struct error_slope *row)
{
    row->machine = cells[0]->machine;
    row->event = cells[0]->event;
    row->path = cells[0]->path;
    row->mode = cells[0]->mode;
    row->pattern = cells[0]->pattern;
    for (size_t i = 0; i < count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = cells[j]->n != cells[i]->n;
        row->points += is_new;
        row->longest = cells[i]->n > row->longest ? cells[i]->n : row->longest;
    }
}

/* False: nothing can be said, since N does not vary. */
static int fit(const struct error_cell *const *cells, size_t count, struct error_slope *row,
               bool *known)
{
    AUTO_FREE struct slope_point *points = NULL;
    int error = duration_points(cells, count, error_of_run, &points);
    if (error)
        return error;
    describe(cells, count, row);
    for (size_t i = 0; i < count; i++)
        row->runs += points[i].y.runs;
    struct slope_line line = slope_of(points, count);
    *known = line.known;
    row->intercept = line.intercept;
    row->exact = line.known && is_exact(cells, count, &line.slope);
    row->slope = row->low = row->high = line.slope;
    if (row->exact)
        row->intercept = points[0].y.mean - line.slope * points[0].n;
    if (!row->exact) {
        row->low = line.low;
        row->high = line.high;
        row->detectable = line.detectable;
    }
    return 0;
}

/* Those of the same slope; with further counters only where none counts alone, since what is
 * counted along may add to every interrupt. */
static size_t duration_gather(const struct error_cell *const *cells, size_t count, size_t first,
                              bool *taken, const struct error_cell **group)
{
    bool alone = false;
    for (size_t i = first; i < count; i++)
        alone = alone || (cells[i]->counters == 1 && same_slope(cells[i], cells[first]));
    size_t members = 0;
    for (size_t i = first; i < count; i++) {
        if (taken[i] || !same_slope(cells[i], cells[first]))
            continue;
        taken[i] = true;
        if (!alone || cells[i]->counters == 1)
            group[members++] = cells[i];
    }
    return members;
}

static int judge_slopes(const struct error_case *file, struct error_report *report)
{
    size_t room = file->cell_count ? file->cell_count : 1, count = 0;
    AUTO_FREE const struct error_cell **cells = calloc(room, sizeof *cells);
    AUTO_FREE const struct error_cell **group = calloc(room, sizeof *group);
    AUTO_FREE bool *taken = calloc(room, sizeof *taken);
    if (!cells || !group || !taken)
        return -ENOMEM;
    for (size_t i = 0; i < file->cell_count; i++)
        if (shows_duration(&file->cells[i]))
            cells[count++] = &file->cells[i];
    report->slopes = calloc(count ? count : 1, sizeof *report->slopes);
    if (!report->slopes)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (taken[i])
            continue;
        struct error_slope row = {0};
        bool known = false;
        int error = fit(group, duration_gather(cells, count, i, taken, group), &row, &known);
        if (error)
            return error;
        if (known)
            report->slopes[report->slope_count++] = row;
    }
    return 0;
}

int error_judge_duration(const struct error_case *file, uint64_t seed, struct error_report *report)
{
    (void)seed; /* nothing is resampled: intervals come from processes as replicates */
    int error = judge_slopes(file, report);
    if (error == 0)
        error = error_judge_sizes(file, report);
    if (error == 0)
        error = error_judge_ticks(file, report);
    return error;
}

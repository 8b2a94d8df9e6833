/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the error grows with duration: for each event, path and pattern a line of error against N. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/error/study.h"

/* ----------------------------------------------------------------------------------------------
 * The mean of a cell with its processes as replicates: runs of one process depend on each other (a
 * timer's phase, the state a process happens to be in), so only processes say how well a mean is
 * known. */

struct process_mean {
    double mean;
    double variance; /* of that mean; NaN with fewer than two processes */
    double df;       /* of the variance; 0 where it is not known */
    double by_runs;  /* variance of the mean if runs were independent, for want of processes */
    size_t runs, processes;
};

/* What is averaged: a figure of one run. */
typedef double run_figure(const struct error_cell *cell, size_t run);

static double error_of_run(const struct error_cell *cell, size_t run)
{
    return (double)error_of(cell, run);
}

static double run_interrupts(const struct error_cell *cell, size_t run)
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

/* Over later runs, each process weighing as many as it has. A cell without runs: mean NaN. */
static struct process_mean process_mean_of(const struct error_cell *cell, run_figure *figure)
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
    double weight;
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

/* Weighted mean of N over the points of one way, or of y. */
static double center_of(const struct slope_point *points, size_t count, size_t way, bool of_y)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].way != way)
            continue;
        sum += points[i].weight * (of_y ? points[i].y.mean : points[i].n);
        weights += points[i].weight;
    }
    return sum / weights;
}

/* False: no way has two different N. */
static bool slope_shares(struct slope_point *points, size_t count)
{
    double largest = largest_n(points, count), squares = 0;
    for (size_t i = 0; i < count; i++) {
        double away = points[i].n - center_of(points, count, points[i].way, false);
        /* A mean of one and the same N is off by rounding: that is no distance. */
        away = fabs(away) > 1e-9 * largest ? away : 0;
        points[i].share = points[i].weight * away;
        squares += points[i].weight * away * away;
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
    double left = 0, squares = 0, by_runs = 0;
    size_t ways = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = points[j].way != points[i].way;
        ways += is_first;
        double away_n = points[i].n - center_of(points, count, points[i].way, false);
        double away_y = points[i].y.mean - center_of(points, count, points[i].way, true);
        double off = away_y - line->slope * away_n;
        left += points[i].weight * off * off;
        squares += points[i].weight * away_n * away_n;
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
    line.intercept = center_of(points, count, points[0].way, true) -
                     line.slope * center_of(points, count, points[0].way, false);
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

/* One point each, by error or by another figure; cells of one intercept get one way. */
static struct slope_point *duration_points(const cell_pointer *cells, size_t count,
                                           run_figure *figure)
{
    struct slope_point *points = memory_new(count, sizeof(*points));
    for (size_t i = 0; i < count; i++) {
        size_t way = 0;
        while (way < i && !same_intercept(cells[way], cells[i]))
            way++;
        points[i] = (struct slope_point){
            .n = (double)cells[i]->n, .way = way, .y = process_mean_of(cells[i], figure)};
    }
    const double alike = ALIKE_PART * largest_n(points, count);
    for (size_t i = 0; i < count; i++)
        points[i].weight = (double)points[i].y.runs / (points[i].n + alike);
    return points;
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

enum { EACH, RATE, PREDICTED, TICK_FIGURES };
struct tick_figures {
    double of[TICK_FIGURES];
};

static void add_run(struct tick_sums *sums, double x, double y)
{
    sums->runs += 1;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->xy += x * y;
}

static struct tick_cell tick_cell_of(const struct error_cell *cell)
{
    struct tick_cell ticks = {.cell = cell,
                              .origin_x = cell->interrupts[0],
                              .origin_y = error_of_run(cell, 0),
                              .processes = memory_new(cell->processes, sizeof(*ticks.processes))};
    for (size_t process = 0; process < cell->processes; process++) {
        size_t run = later_runs(cell, process), end = cell->begins[process + 1];
        for (; run < end; run++) {
            double x = cell->interrupts[run] - ticks.origin_x;
            double y = error_of_run(cell, run) - ticks.origin_y;
            add_run(&ticks.processes[process], x, y);
            add_run(&ticks.all, x, y);
        }
    }
    return ticks;
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
    struct tick_sums sums = cells[i].all;
    if (i == left_out) {
        const struct tick_sums *without = &cells[i].processes[process];
        sums.runs -= without->runs;
        sums.x -= without->x;
        sums.y -= without->y;
        sums.xx -= without->xx;
        sums.xy -= without->xy;
    }
    return sums;
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
        figures.of[RATE] += part;
        if (part < 0 || part > 0)
            figures.of[PREDICTED] += part * (x > 0 ? spread_xy(&sums) / x : common);
    }
    figures.of[EACH] = figures.of[PREDICTED] / figures.of[RATE];
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

static void judge_figures(const struct tick_cell *cells, size_t count, struct error_ticks *ticks)
{
    double *const told[TICK_FIGURES][3] = {
        [EACH] = {&ticks->each, &ticks->each_low, &ticks->each_high},
        [RATE] = {&ticks->rate, &ticks->rate_low, &ticks->rate_high},
        [PREDICTED] = {&ticks->predicted, &ticks->predicted_low, &ticks->predicted_high}};
    const struct tick_figures figures = figures_of(cells, count, SIZE_MAX, 0);
    struct tick_spread spreads[TICK_FIGURES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        size_t processes = cells[i].cell->processes, present = 0;
        AUTO_MEMORY double *values = memory_new(processes, TICK_FIGURES * sizeof(*values));
        for (size_t process = 0; process < processes; process++) {
            if (!(cells[i].processes[process].runs > 0))
                continue;
            const struct tick_figures without = figures_of(cells, count, i, process);
            for (size_t of = 0; of < TICK_FIGURES; of++)
                values[of * processes + present] = without.of[of];
            present++;
        }
        for (size_t of = 0; of < TICK_FIGURES; of++)
            add_spread(&spreads[of], values + of * processes, present);
    }
    for (size_t of = 0; of < TICK_FIGURES; of++) {
        const double variance = spreads[of].variance, squares = spreads[of].squares;
        struct slope_line line = {.slope = figures.of[of],
                                  .error = sqrt(variance),
                                  .df = squares > 0 ? variance * variance / squares : 0};
        slope_bounds(&line);
        *told[of][0] = line.slope;
        *told[of][1] = line.low;
        *told[of][2] = line.high;
    }
}

/* --- which cells --- */

static bool counts_instructions(const struct error_cell *cell, enum count_mode mode)
{
    return shows_duration(cell) && cell->mode == mode && strcmp(cell->kind, "source") != 0 &&
           cell->class && strcmp(cell->class, "instructions") == 0;
}

static size_t gather(const struct error_case *file, uint32_t machine, enum count_mode mode,
                     bool with_interrupts, cell_pointer *cells)
{
    size_t count = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (counts_instructions(cell, mode) && cell->machine == machine &&
            (!with_interrupts || cell->interrupts))
            cells[count++] = cell;
    }
    return count;
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

/* Why nothing is known; KNOWN: it is. */
#define KNOWN ERROR_SAYS
static enum error_says predict(const cell_pointer *cells, size_t count, struct error_ticks *ticks)
{
    struct slope_point *points = duration_points(cells, count, run_interrupts);
    struct tick_cell *tick_cells = memory_new(count, sizeof(*tick_cells));
    double interrupts = 0, spread = 0;
    for (size_t i = 0; i < count; i++) {
        tick_cells[i] = tick_cell_of(cells[i]);
        interrupts += points[i].y.mean;
        spread += spread_x(&tick_cells[i].all);
    }
    if (!slope_shares(points, count))
        return TICKS_ONE_N;
    if (!(interrupts > 0))
        return TICKS_NONE;
    if (!(spread > 0))
        return TICKS_ALIKE;
    for (size_t i = 0; i < count; i++)
        tick_cells[i].share = points[i].share;
    judge_figures(tick_cells, count, ticks);
    return isfinite(ticks->predicted_low) && isfinite(ticks->each_low) ? KNOWN : TICKS_FEW;
}

/* Counting interrupts adds instructions to each, so the user+kernel cells that do it as well are
 * compared where there are such. Returns why nothing is known. */
static enum error_says measure(const struct error_case *file, uint32_t machine, cell_pointer *cells,
                               struct error_ticks *ticks)
{
    size_t count = gather(file, machine, COUNT_BOTH, true, cells);
    bool alike = count > 0;
    if (!alike)
        count = gather(file, machine, COUNT_BOTH, false, cells);
    AUTO_MEMORY struct slope_point *points = duration_points(cells, count, error_of_run);
    struct slope_line line = slope_of(points, count);
    if (!line.known)
        return count ? TICKS_BOTH_ONE_N : TICKS_BOTH_NONE;
    if (!isfinite(line.error))
        return TICKS_BOTH_LONELY;
    ticks->measured = line.slope;
    ticks->measured_low = line.low;
    ticks->measured_high = line.high;
    if (!alike)
        SAY(&ticks->why, CLAUSE, TICKS_UNLIKE);
    return KNOWN;
}

/* Fills report->ticks. */
static void judge_ticks(const struct error_case *file, struct error_report *report)
{
    struct error_ticks *ticks = &report->ticks;
    AUTO_MEMORY cell_pointer *cells = memory_new(file->cell_count, sizeof(*cells));
    uint32_t machine = 0;
    /* The first that has kernel-only cells with interrupts: another one has another timer. */
    for (size_t i = file->cell_count; i-- > 0;)
        if (counts_instructions(&file->cells[i], COUNT_KERNEL) && file->cells[i].interrupts)
            machine = file->cells[i].machine;
    size_t all = gather(file, machine, COUNT_KERNEL, true, cells), count = drop_lonely(cells, all);
    enum error_says unknown = !all     ? TICKS_NO_CELL
                              : !count ? TICKS_LONELY
                                       : predict(cells, count, ticks);
    if (unknown == KNOWN)
        unknown = measure(file, machine, cells, ticks);
    ticks->known = unknown == KNOWN;
    if (!ticks->known)
        SAY(&ticks->why, CLAUSE, unknown);
    ticks->agrees = ticks->known && ticks->measured_low <= ticks->predicted_high &&
                    ticks->predicted_low <= ticks->measured_high;
}

/* ----------------------------------------------------------------------------------------------
 * Counts of the operating system alone while a loop runs that never calls it, by the loop's
 * length: all of them are interrupts and the edges of the window (the paper's Figure 9). */

/* By machine, event and path: the cells of one line of the figure. */
static int compare_lines(const struct error_cell *left, const struct error_cell *right)
{
    return FIRST_OF(ORDER(left->machine, right->machine), strcmp(left->event, right->event),
                    strcmp(left->path, right->path));
}

static int by_line_and_n(const void *left, const void *right)
{
    const struct error_cell *a = *(const cell_pointer *)left, *b = *(const cell_pointer *)right;
    return FIRST_OF(compare_lines(a, b), ORDER(a->n, b->n));
}

/* The cells of one N. */
static void add_row(const cell_pointer *cells, size_t count, bool only_counted,
                    struct error_report *report)
{
    size_t runs = 0;
    for (size_t i = 0; i < count; i++)
        runs += only_counted && !cells[i]->interrupts ? 0 : cells[i]->runs;
    if (!runs)
        return;
    AUTO_MEMORY int64_t *values = memory_new(runs, sizeof(*values));
    AUTO_MEMORY int64_t *scratch = memory_new(runs, sizeof(*scratch));
    struct error_by_size row = {.machine = cells[0]->machine,
                                .event = cells[0]->event,
                                .path = cells[0]->path,
                                .n = cells[0]->n};
    for (size_t i = 0; i < count; i++) {
        const struct error_cell *cell = cells[i];
        if (only_counted && !cell->interrupts)
            continue;
        for (size_t process = 0; process < cell->processes; process++)
            for (size_t run = later_runs(cell, process); run < cell->begins[process + 1]; run++) {
                values[row.runs++] = error_of(cell, run);
                row.mean += (double)error_of(cell, run);
                row.interrupts += run_interrupts(cell, run);
            }
    }
    row.mean /= (double)row.runs;
    row.interrupts /= (double)row.runs;
    error_sort(values, row.runs, scratch);
    row.spread = error_spread_of(values, row.runs);
    report->by_size[report->by_size_count++] = row;
}

/* Fills report->by_size. */
static void judge_sizes(const struct error_case *file, struct error_report *report)
{
    size_t count = 0;
    AUTO_MEMORY cell_pointer *cells = memory_new(file->cell_count, sizeof(*cells));
    for (size_t i = 0; i < file->cell_count; i++)
        if (file->cells[i].mode == COUNT_KERNEL && shows_duration(&file->cells[i]))
            cells[count++] = &file->cells[i];
    qsort(cells, count, sizeof(*cells), by_line_and_n);
    report->by_size = memory_new(count, sizeof(*report->by_size));
    for (size_t line = 0, end; line < count; line = end) {
        /* Where interrupts were counted along in some cells of the line, only those are shown:
         * counting them adds to each, and two kinds of cells would make one crooked line. */
        bool counted = false;
        for (end = line; end < count && compare_lines(cells[end], cells[line]) == 0; end++)
            counted = counted || cells[end]->interrupts;
        for (size_t begin = line, next; begin < end; begin = next) {
            for (next = begin; next < end && cells[next]->n == cells[begin]->n;)
                next++;
            add_row(cells + begin, next - begin, counted, report);
        }
    }
}

/* --- the whole --- */

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
static const struct error_cell *fellow(const cell_pointer *cells, size_t count,
                                       const struct error_cell *cell, bool other_n)
{
    for (size_t i = 0; i < count; i++)
        if (same_intercept(cells[i], cell) && (!other_n || cells[i]->n != cell->n))
            return cells[i];
    return NULL;
}

/* No run deviates from the line, and there are more of them than a line can be laid through. */
static bool is_exact(const cell_pointer *cells, size_t count, double *slope)
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
    /* In whole numbers: a rounded slope would leave something of it. */
    __int128 rise = (__int128)end - begin, step = (__int128)to->n - (__int128)from->n;
    for (size_t i = 0; i < count; i++) {
        from = fellow(cells, count, cells[i], false);
        if (!constant_error(cells[i], &end) || !constant_error(from, &begin) ||
            ((__int128)end - begin) * step != rise * ((__int128)cells[i]->n - (__int128)from->n))
            return false;
    }
    *slope = rise ? (double)rise / (double)step : 0; /* not -0 */
    return true;
}

/* False: nothing can be said, since N does not vary. */
static bool fit(const cell_pointer *cells, size_t count, struct error_slope *row)
{
    AUTO_MEMORY struct slope_point *points = duration_points(cells, count, error_of_run);
    struct slope_line line = slope_of(points, count);
    if (!line.known)
        return false;
    *row = (struct error_slope){.machine = cells[0]->machine,
                                .event = cells[0]->event,
                                .path = cells[0]->path,
                                .mode = cells[0]->mode,
                                .pattern = cells[0]->pattern,
                                .exact = is_exact(cells, count, &line.slope)};
    for (size_t i = 0; i < count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = cells[j]->n != cells[i]->n;
        row->points += is_new;
        row->longest = cells[i]->n > row->longest ? cells[i]->n : row->longest;
        row->runs += points[i].y.runs;
    }
    row->intercept = row->exact ? points[0].y.mean - line.slope * points[0].n : line.intercept;
    row->slope = row->low = row->high = line.slope;
    if (!row->exact) {
        row->low = line.low;
        row->high = line.high;
        row->detectable = line.detectable;
    }
    return true;
}

/* Those of the same slope; with further counters only where none counts alone, since what is
 * counted along may add to every interrupt. */
static size_t duration_gather(const cell_pointer *cells, size_t count, size_t first, bool *taken,
                              cell_pointer *group)
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

void error_judge_duration(const struct error_case *file, struct error_report *report)
{
    size_t count = 0;
    AUTO_MEMORY cell_pointer *cells = memory_new(file->cell_count, sizeof(*cells));
    AUTO_MEMORY cell_pointer *group = memory_new(file->cell_count, sizeof(*group));
    AUTO_MEMORY bool *taken = memory_new(file->cell_count, sizeof(*taken));
    for (size_t i = 0; i < file->cell_count; i++)
        if (shows_duration(&file->cells[i]))
            cells[count++] = &file->cells[i];
    report->slopes = memory_new(count, sizeof(*report->slopes));
    for (size_t i = 0; i < count; i++)
        if (!taken[i] && fit(group, duration_gather(cells, count, i, taken, group),
                             &report->slopes[report->slope_count]))
            report->slope_count++;
    judge_sizes(file, report);
    judge_ticks(file, report);
}

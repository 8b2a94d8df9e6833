/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do interrupts explain how user+kernel counts grow? Kernel-only cells with interrupts counted
 * along say how many there are in an iteration and what each adds; their product is set against the
 * slope of the user+kernel cells. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/error/duration.h"
#include "judge/note.h"

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

int error_judge_ticks(const struct error_case *file, struct error_report *report)
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

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The mean of a cell, and its variance from how far the means of its processes lie apart. */
#include "judge/error/process-means.h"

#include <math.h>

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

/* Of the mean, as if runs did not depend on each other. */
static double variance_by_runs(const struct error_cell *cell, run_figure *figure, double mean)
{
    double squares = 0, runs = 0;
    for (size_t process = 0; process < cell->processes; process++)
        for (size_t run = later_runs(cell, process); run < cell->begins[process + 1]; run++) {
            double away = figure(cell, run) - mean;
            squares += away * away;
            runs++;
        }
    return runs > 1 ? squares / (runs - 1) / runs : 0;
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
    double mean = sum / runs, squares = 0;
    result.mean = origin + mean;
    result.by_runs = variance_by_runs(cell, figure, result.mean);
    if (result.processes < 2)
        return result;
    for (size_t i = 0; i < cell->processes; i++) {
        double away = process_sum(cell, i, figure, origin) - mean * runs_of(cell, i);
        squares += away * away;
    }
    /* Largest share of one process: 1 / processes where all have as many runs. */
    double share = squared_runs / (runs * runs);
    result.variance = squares / (runs * runs) / (1 - share);
    result.df = 1 / share - 1;
    return result;
}

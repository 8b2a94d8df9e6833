/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The mean of a cell with its processes as replicates: runs of one process depend on each other
 * (a timer's phase, the state a process happens to be in), so only processes say how well a mean is
 * known. */
#pragma once

#include "judge/error/evidence.h"

struct process_mean {
    double mean;
    double variance; /* of that mean; NaN with fewer than two processes */
    double df;       /* of the variance; 0 where it is not known */
    double by_runs;  /* variance of the mean if runs were independent, for want of processes */
    size_t runs, processes;
};

/* What is averaged: a figure of one run. */
typedef double run_figure(const struct error_cell *cell, size_t run);
double error_of_run(const struct error_cell *cell, size_t run);
double run_interrupts(const struct error_cell *cell, size_t run);

/* Where the runs of a process begin that count: behind its first, in which everything is called for
 * the first time, unless there is no other. */
static inline size_t later_runs(const struct error_cell *cell, size_t process)
{
    size_t first = cell->begins[process];
    return cell->begins[process + 1] - first > 1 ? first + 1 : first;
}

/* Over later runs, each process weighing as many as it has. A cell without runs: mean NaN. */
struct process_mean process_mean_of(const struct error_cell *cell, run_figure *figure);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * First and later runs, and medians of processes. */
#include "judge/error/replicates.h"

#include "stats/spread.h"

size_t error_processes(const struct error_cell *cell)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->processes; i++)
        count += cell->begins[i + 1] > cell->begins[i];
    return count;
}

size_t error_first_runs(const struct error_cell *cell, int64_t *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->processes; i++)
        if (cell->begins[i + 1] > cell->begins[i])
            errors[count++] = error_of(cell, cell->begins[i]);
    return count;
}

size_t error_later_runs(const struct error_cell *cell, int64_t *errors)
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

static double median_of(int64_t *values, size_t count, int64_t *scratch)
{
    error_sort(values, count, scratch);
    int64_t low = values[(count - 1) / 2], high = values[count / 2];
    return low == high ? (double)low : (double)low / 2 + (double)high / 2;
}

size_t error_process_medians(const struct error_cell *cell, double *medians, int64_t *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->processes; i++) {
        size_t begin = cell->begins[i], end = cell->begins[i + 1];
        if (begin >= end)
            continue;
        if (end - begin > 1)
            begin++;
        for (size_t run = begin; run < end; run++)
            scratch[run - begin] = error_of(cell, run);
        medians[count++] = median_of(scratch, end - begin, scratch + (end - begin));
    }
    return count;
}

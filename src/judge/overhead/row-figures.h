/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of one row, from the spans of its cell or of all cells that differ in the predecessor
 * alone. */
#pragma once

#include "judge/overhead/cells.h"

/* What the rows share while they are figured out. */
struct row_figures {
    const struct overhead_cells *cells;
    int64_t *sorted; /* [span]: as cells->values; of a cell, undisturbed and disturbed in order */
    int64_t *by_process; /* [span]: … undisturbed of each process in order */
    /* [the largest row] */
    int64_t *scratch, *pooled;
    double *values, *ordered; /* costs by process, and by value */
    uint32_t *groups;
    double *medians; /* of processes */
};

/* most: spans of the largest row. 0 or -ENOMEM; release in either case. */
int row_figures_open(const struct overhead_cells *cells, size_t most, struct row_figures *figures);
void row_figures_release(struct row_figures *figures);

/* The row of one cell; puts its spans in order. 0 or -ENOMEM. */
int row_of_cell(struct row_figures *figures, const struct overhead_cell *cell,
                const struct overhead_timer *timer, struct overhead_row *row);
/* The row over cells that are in order already, each weighing the same. 0 or -ENOMEM. */
int row_of_siblings(struct row_figures *figures, const struct overhead_cell *cells, size_t count,
                    const struct overhead_timer *timer, struct overhead_row *row);

/* Counts the runs of the cell that are above the row's limit, and what the account says of them.
 * cost: of metering. */
void row_count_outliers(const struct row_figures *figures, const struct overhead_cell *cell,
                        double cost, struct overhead_row *row);
/* From the medians of its processes, sorted in place; the row's median, which is of all runs, is
 * never outside. */
/* Quartiles on either side of the median. */
void row_keep_order(struct overhead_row *row);
void row_take_interval(const struct row_figures *figures, struct overhead_row *row);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one iteration of a loop costs in a process: its fastest run, since nothing makes a run
 * faster than the code allows. Processes are the replicates of placement. */
#pragma once

#include "judge/error/evidence.h"

struct fastest {
    size_t group; /* place or window */
    uint32_t levels[2];
    double per_iteration;
};

/* One value for each process with runs; room for cell->processes. Returns how many. */
size_t fastest_of(const struct error_cell *cell, size_t group, struct fastest *list);

/* A process far from the others of its group says nothing of the group, but would outweigh it as a
 * square: values are moved to within a few times the usual distance from the median of their group.
 * Where so many are disturbed that they are the median of some group, that would make a group of
 * noise: nothing is moved unless groups differ more clearly then than shuffled ones do.
 * list: one stretch a group. -ENOMEM. */
int fastest_tame(struct fastest *list, size_t count, uint64_t seed);

double median_of(double *values, size_t count); /* in any order; sorts them. count > 0 */
/* Of the stretch of one group. scratch: room for count. */
double fastest_median(const struct fastest *list, size_t count, double *scratch);
/* Where the stretch of one group that begins at `begin` ends. */
size_t fastest_end(const struct fastest *list, size_t count, size_t begin);

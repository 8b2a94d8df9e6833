/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From cells to visits: which process runs which cell, in an order drawn from the seed, so that
 * nothing that drifts over time (temperature, load) falls on one cell alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"
#include "wire/cell.h"

/* processes visits for each cell, shuffled; the same cells and seed give the same order
 * everywhere. The caller frees *visits. -EOVERFLOW or -ENOMEM. */
int plan_visits(const struct cell *cells, size_t cell_count, uint32_t processes, uint64_t seed,
                struct visit **visits, size_t *visit_count);

/* processes[i] visits for cell i, in rounds: every round visits each cell that still wants one, in
 * an order drawn from the seed, and in the first one no cell comes before the null cell of its way.
 * A run that ends early has measured every cell about as often. */
int plan_rounds(const struct cell *cells, size_t cell_count, const uint32_t *processes,
                uint64_t seed, struct visit **visits, size_t *visit_count);

/* Appends a cell (which *cells then owns) and gives it the next id. The array doubles whenever its
 * count is a power of two, so it must have been made by this function alone. */
int plan_append(struct cell **cells, size_t *count, const struct cell *cell);

/* Measured the same way: everything but specimen, N and runs agrees. */
bool plan_same_way(const struct cell *left, const struct cell *right);
/* Appends a null cell with N = 0 for every way of measuring that has none yet: what it counts is
 * the overhead of that way. */
int plan_overhead_cells(struct cell **cells, size_t *count);
bool plan_is_overhead_cell(const struct cell *cell);

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

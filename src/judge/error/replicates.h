/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runs of a cell as its replicates: the first run of a process apart from the later ones, and
 * one value a process where runs of a process must not count as independent. */
#pragma once

#include "judge/error/evidence.h"

/* Processes with at least one run. */
size_t error_processes(const struct error_cell *cell);
/* Errors of the first run of each process, or of all others, in their order. errors: room for
 * cell->runs; returns how many. */
size_t error_first_runs(const struct error_cell *cell, int64_t *errors);
size_t error_later_runs(const struct error_cell *cell, int64_t *errors);
/* The later runs, or the first where there are no others. */
size_t error_usual_runs(const struct error_cell *cell, int64_t *errors);

/* For each process the median of its later runs, of its only one where it has one; between the two
 * in the middle where they are even in number. medians: room for cell->processes; scratch: for
 * twice cell->runs. Returns how many. */
size_t error_process_medians(const struct error_cell *cell, double *medians, int64_t *scratch);

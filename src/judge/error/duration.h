/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judgements of duration share: slopes, kernel-only counts by size, ticks. */
#pragma once

#include "studies/error/study.h"
#include "judge/error/slope.h"

/* Does the cell say how an error grows with N? What a CPU counts in user mode, without a truth, is
 * work and not error. */
bool shows_duration(const struct error_cell *cell);
/* Cells that share an intercept on the line: everything but event and N is the same. */
bool same_intercept(const struct error_cell *left, const struct error_cell *right);
/* One point each, by error or by another figure; cells of one intercept get one way. -ENOMEM. */
int duration_points(const struct error_cell *const *cells, size_t count, run_figure *figure,
                    struct slope_point **points);

/* Fill report->by_size and report->ticks. */
int error_judge_sizes(const struct error_case *file, struct error_report *report);
int error_judge_ticks(const struct error_case *file, struct error_report *report);

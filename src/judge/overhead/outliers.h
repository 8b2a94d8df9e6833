/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wild calls among cold ones, and whether the account of the call says why; for cold.c. */
#pragma once

#include "studies/overhead/study.h"

/* figures: of the cell; sorts them by position. Fills what `cold` says of outliers. -ENOMEM. */
int overhead_judge_outliers(const struct overhead_figure **figures, size_t count,
                            struct overhead_cold *cold);
/* Page faults of a call, and switches to other tasks. */
double overhead_faults(const struct account *account);
double overhead_switches(const struct account *account);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same call again and again in a fresh process; the second half of cold.c. */
#pragma once

#include "studies/overhead/study.h"

/* figures: of the cell, by tour, process, position. Fills what `cold` says of calls in a row.
 * -ENOMEM. */
int overhead_judge_in_a_row(const struct overhead_figure *const *figures, size_t count,
                            struct overhead_cold *cold);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice of further counters; the second half of counters.c. */
#pragma once

#include "judge/error/pool.h"
#include "studies/error/study.h"

/* Ways begin … end - 1 share event, path, pattern and layout. Room in report->choices is the
 * caller's. */
void error_judge_choices(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_report *report);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts put in order, and what is read off them: quantiles, the most frequent one. Millions are
 * sorted, so no comparison is called for each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Quantiles are values that were really read. */
struct error_spread {
    int64_t min, q1, median, q3, max;
};

/* Rising. scratch: room for as many. */
void error_sort(int64_t *values, size_t count, int64_t *scratch);
/* The smallest value that at least numerator / denominator of them do not exceed. count > 0. */
int64_t error_quantile(const int64_t *sorted, size_t count, size_t numerator, size_t denominator);
struct error_spread error_spread_of(const int64_t *sorted, size_t count);
/* The smallest of several; how often goes to times. count > 0. */
int64_t error_most_frequent(const int64_t *sorted, size_t count, size_t *times);

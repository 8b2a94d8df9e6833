/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Box plots for a terminal: one line a box, all on one axis, numbers beside them. */
#pragma once

#include "output/table.h"

struct box {
    const char *label; /* at the left; cleaned */
    double min, q1, median, q3, max;
    double mark; /* shown as a sign of its own, for example what was stepped; NaN: none */
};

/* Appends an axis and the boxes, as wide as the style allows. Values over many orders of magnitude
 * stand on a logarithmic axis (which is said), unless one is not positive: then it is symmetric
 * about zero. Nothing is appended for no boxes. */
void boxes_put(const struct box *boxes, size_t count, const char *unit, const struct style *style,
               struct text *out);
/* The same with other words above the three figures, where whiskers end at something else than the
 * smallest and the largest value: {"min", "median", "p99"}. */
void boxes_put_titled(const struct box *boxes, size_t count, const char *unit,
                      const char *const titles[], const struct style *style, struct text *out);

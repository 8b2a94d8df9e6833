/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Later runs of several cells thrown together, for the median over cells that differ in nothing a
 * part asks about. */
#pragma once

#include "judge/error/ways.h"

struct error_pool {
    int64_t *errors, *scratch; /* room for the runs of the longest stretch of one layout each */
    double *medians;           /* room for its processes */
    size_t count;              /* of errors */
};

/* 0 or -ENOMEM; error_pool_release in either case. */
int error_pool_open(const struct error_ways *ways, struct error_pool *pool);
void error_pool_release(struct error_pool *pool);
#define AUTO_ERROR_POOL __attribute__((cleanup(error_pool_release)))

/* Adds the cell's later runs. */
void error_pool_add(struct error_pool *pool, const struct error_cell *cell);
/* What was added, sorted, and the pool empty again; NaN and 0 where nothing was. */
double error_pool_median(struct error_pool *pool, int64_t *min);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an analysis of variance keeps of its observations; shared by those who fill and who solve.
 * Not for others. */
#pragma once

#include "stats/anova.h"

struct anova_cell {
    uint64_t key;   /* levels, each times its factor's stride */
    uint64_t count; /* 0: free place of the table */
    /* Running mean about the origin, and sum of squares about that mean (Welford). */
    long double mean, squares;
};

struct anova {
    size_t factors;
    uint32_t levels[ANOVA_MOST_FACTORS];
    uint64_t strides[ANOVA_MOST_FACTORS];
    double origin; /* the first value: what all values share is taken off before it costs digits */
    uint64_t count;
    struct anova_cell *table; /* open addressing */
    size_t places, used;      /* places: a power of two */
};

static inline uint32_t anova_level(const struct anova *anova, uint64_t key, size_t factor)
{
    return (uint32_t)(key / anova->strides[factor] % anova->levels[factor]);
}

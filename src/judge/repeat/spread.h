/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is one row of counts more spread out than another, and how much? The question is answered by
 * permutation, because counts of programs are seldom normal: they have levels and outliers. The
 * size is the ratio of variances. */
#pragma once

#include "judge/repeat/kept.h"
#include "stats/interval.h"

/* Probability that chance alone makes the runs of `more` lie as much farther from what is usual
 * in their own cell than those of `less` do. 1 where one of them has no runs. -ENOMEM. */
int spread_p(const struct kept *const *more, size_t more_count, const struct kept *const *less,
             size_t less_count, uint64_t seed, double *p);

/* 95 % of variance(over) / variance(under): by the F distribution, widened by resampling where
 * outliers make that wider. Where all counts of one are identical nobody knows its variance; as
 * many of its runs as could have been missed are taken to vary like the other's. From 0 to infinity
 * where fewer than two runs are, or neither varies. -ENOMEM. */
int spread_ratio(const struct kept *over, const struct kept *under, uint64_t seed,
                 struct interval *interval);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do two samples come from one distribution, and if not, how far are they apart? By ranks, so that
 * a few wild values are harmless and nothing has to be normal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/interval.h"

struct two_samples {
    const double *left, *right;
    size_t left_count, right_count;
};

/* Mann and Whitney's test with mid-ranks, two-sided. Up to TWO_SAMPLES_EXACT values together every
 * split of them is counted, ties included; beyond that the normal approximation with corrections
 * for ties and continuity. */
#define TWO_SAMPLES_EXACT 50u
struct rank_test {
    double p;
    double least_p; /* no split of these values has a smaller p; 0 where that is not known */
    bool exact;
    double excess;   /* of the ranks of right, in sum, over what is to be expected */
    double variance; /* of that, by chance alone, ties considered */
};
/* -EINVAL: one side is empty, or a value is NaN. */
int rank_test(const struct two_samples *samples, struct rank_test *test);

/* Many pairs of samples together (van Elteren): is right above left on the whole, though each pair
 * may hold too few values to tell? Start from zeros. */
struct stratified {
    double excess, variance;
    double reach;     /* the excess where right is above left throughout */
    double log_least; /* natural logarithm of the smallest p that all together can have */
    size_t strata;
};
/* left, right: how many values each sample has. */
void stratified_add(struct stratified *stratified, const struct rank_test *test, size_t left,
                    size_t right);
/* The normal approximation, not below the smallest possible; 1 where nothing varies. */
double stratified_p(const struct stratified *stratified);

/* How far right lies above left: the median of all pairwise differences (Hodges and Lehmann), with
 * the interval that belongs to the test without ties. So few values that none has the confidence:
 * from -infinity to infinity. Errors as above. */
struct shift {
    double estimate;
    struct interval interval;
};
int shift_between(const struct two_samples *samples, double confidence, struct shift *shift);

/* Cliff's delta: how much more often right is above left than below, from -1 to 1; with the
 * asymmetric interval of Feng and Cliff, its variance unbiased and Student's t. Samples that do not
 * overlap have the interval that Cliff gives for them, by the smaller count. Fewer than two values
 * on a side: from -1 to 1. Errors as above. */
struct dominance {
    double delta;
    struct interval interval;
};
int dominance_of(const struct two_samples *samples, double confidence, struct dominance *dominance);
/* The same over many pairs of samples, each weighing as in their test, with the interval of that
 * test: it is without 0 where, and only where, stratified_p is at most 1 - confidence. */
struct dominance stratified_dominance(const struct stratified *stratified, double confidence);

/* ----------------------------------------------------------------------------------------------
 * Many tests at once: adjusted so that all of them together accuse somebody innocent no more often
 * than one alone would. */

struct one_test {
    double p;       /* of this test alone */
    double least_p; /* the smallest that it could have had; 0: any */
    double adjusted;
};

/* Holm's step-down over those tests that could succeed at all (Tarone): a test whose least p is
 * beyond what a family of those with smaller ones leaves it can accuse nobody, takes nothing from
 * the others, and has the adjusted p 1. The family of the rest, whose adjusted p can be held
 * against `level`; NaN counts as 1. */
int adjust_tests(struct one_test *tests, size_t count, double level, size_t *family);

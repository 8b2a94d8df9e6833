/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The empty specimen: zero instructions inside the window, so that any count is the error of
 * measuring. N means nothing to it. */
#include "specimens/quiet.h"

static const struct truth truths[] = {
    TRUTH_ZERO("instructions"),
    TRUTH_ZERO("branches"),
    TRUTH_ZERO("cond-branches"),
    TRUTH_ZERO("cond-branches-taken"),
    TRUTH_ZERO("cond-branches-not-taken"),
    TRUTH_ZERO("jumps"),
    TRUTH_ZERO("calls"),
    TRUTH_ZERO("returns"),
    TRUTH_ZERO("indirect-branches"),
    TRUTH_ZERO("loads"),
    TRUTH_ZERO("stores"),
    TRUTH_QUIET,
    {.class = NULL},
};

const struct specimen specimen_null = {
    .name = "null",
    .summary = "nothing at all: every count is the error of measuring",
    .stresses = "the fixed cost of the path and pattern",
    .form = SPECIMEN_NULL,
    .max_n = UINT64_MAX,
    .truth = truths,
};

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The empty specimen: zero instructions inside the window, so that any count is the error of
 * measuring. N means nothing to it. */
#include "specimens/quiet.h"

static const struct truth truths[] = {
    {"instructions", 0, 0, TRUTH_PROVEN},
    {"branches", 0, 0, TRUTH_PROVEN},
    {"cond-branches", 0, 0, TRUTH_PROVEN},
    {"loads", 0, 0, TRUTH_PROVEN},
    {"stores", 0, 0, TRUTH_PROVEN},
    TRUTH_NO_FAULTS,
    TRUTH_NO_SYSCALLS,
    TRUTH_NO_SCHEDULING,
    {NULL, 0, 0, TRUTH_PROVEN},
};

const struct specimen specimen_null = {
    .name = "null",
    .summary = "nothing at all: every count is the error of measuring",
    .stresses = "the fixed cost of the path and pattern",
    .form = SPECIMEN_NULL,
    .max_n = UINT64_MAX,
    .truth = truths,
};

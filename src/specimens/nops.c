/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times sixteen no-ops: what compilers and assemblers pad code with is executed and counts. */
#include "specimens/framed.h"

SPECIMEN_ASSEMBLY(specimen_nops_code, CODE_COUNT CODE_LOOP(CODE_PADDING) CODE_RETURN);

static const struct truth truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

const struct specimen specimen_nops = {
    .name = "nops",
    .summary = "N times sixteen no-ops, of all lengths that are used for padding",
    .stresses = "completed instructions that do nothing",
    SPECIMEN_CODE_OF(specimen_nops_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = truths,
};

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times a chain of sixteen dependent additions. */
#include "specimens/framed.h"

SPECIMEN_ASSEMBLY(specimen_adds_code, CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_ADD)) CODE_RETURN);

static const struct truth truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

const struct specimen specimen_adds = {
    .name = "adds",
    .summary = "N times a chain of sixteen dependent additions",
    .stresses = "completed instructions",
    SPECIMEN_CODE_OF(specimen_adds_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = truths,
};

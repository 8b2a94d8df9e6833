/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times a row of instructions of many kinds, whose number is known: an event that counts one kind
 * twice or not at all shows it here. */
#include "specimens/framed.h"
#include "specimens/scratch.h"

SPECIMEN_ASSEMBLY(specimen_mixed_code, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_MIX) CODE_RETURN);

static const struct truth truths[] = {
    TRUTH_FRAMED(1, 1, CODE_MIX_INSTRUCTIONS, CODE_MIX_LOADS, CODE_MIX_STORES),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_ISSUED(FRAME_INSTRUCTIONS + 1, FRAME_LOOP_INSTRUCTIONS + CODE_MIX_INSTRUCTIONS,
                 FRAME_BRANCHES, 1),
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

const struct specimen specimen_mixed = {
    .name = "mixed",
    .summary = "N times a row of moves, arithmetic, comparisons, loads and stores",
    .stresses = "completed instructions of many kinds",
    SPECIMEN_CODE_OF(specimen_mixed_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

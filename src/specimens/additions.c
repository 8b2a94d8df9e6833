/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times sixteen additions: in one chain, where each waits for the one before, and in two chains
 * that do not wait for each other. What they count is the same; how long they take is not. */
#include "specimens/framed.h"

SPECIMEN_ASSEMBLY(specimen_chain_code,
                  CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_ADD_REGISTERS)) CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_two_chains_code,
                  CODE_COUNT CODE_LOOP(CODE_TIMES(8, CODE_ADD_IN_TURN)) CODE_RETURN);

static const struct trip trips[] = {TRIP_LOOP};

static const struct truth chain_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_ISSUED(FRAME_INSTRUCTIONS, FRAME_LOOP_INSTRUCTIONS + 16, FRAME_BRANCHES, 1),
    TRUTH_MODELLED("cycles", 0, 16,
                   "an addition of registers takes one cycle and needs the sum of the one before; "
                   "the rest of the loop is done meanwhile"),
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_chain = {
    .name = "chain",
    .summary = "N times sixteen additions of registers, each of which needs the one before",
    .stresses = "cycles: one an addition",
    SPECIMEN_CODE_OF(specimen_chain_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = chain_truths,
};

/* The highest limit: one at a time, a cycle or two for the branch, and a core shared with another
 * thread; at first everything comes from memory. */
static const struct truth two_chains_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_ISSUED(FRAME_INSTRUCTIONS, FRAME_LOOP_INSTRUCTIONS + 16, FRAME_BRANCHES, 1),
    TRUTH_BETWEEN("cycles", 0, 8, 100000, 40,
                  "each chain takes eight cycles; how much of the other is done meanwhile depends "
                  "on the CPU, and in the worst case nothing"),
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_two_chains = {
    .name = "two-chains",
    .summary = "N times sixteen additions of registers, alternating between two chains",
    .stresses = "cycles: today more than one addition in each",
    SPECIMEN_CODE_OF(specimen_two_chains_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = two_chains_truths,
};

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Straight code, without a branch but that of the loop around it: additions, no-ops, a row of many
 * kinds of instructions, and single instructions that repeat themselves. */
#include "specimens/framed.h"
#include "specimens/region.h"

/* The loop around each, where there is one. */
static const struct trip trips[] = {TRIP_LOOP};

/* --- N times a chain of sixteen dependent additions --- */

SPECIMEN_ASSEMBLY(specimen_adds_code, CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_ADD)) CODE_RETURN);

static const struct truth adds_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_adds = {
    .name = "adds",
    .summary = "N times a chain of sixteen dependent additions",
    .stresses = "completed instructions",
    SPECIMEN_REPEATS(specimen_adds_code, trips, 100000000000u),
    .truth = adds_truths,
};

/* ----------------------------------------------------------------------------------------------
 * N times sixteen no-ops: what compilers and assemblers pad code with is executed and counts. */

SPECIMEN_ASSEMBLY(specimen_nops_code, CODE_COUNT CODE_LOOP(CODE_PADDING) CODE_RETURN);

static const struct truth nops_truths[] = {
    TRUTH_FRAMED(0, 0, 16, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_nops = {
    .name = "nops",
    .summary = "N times sixteen no-ops, of all lengths that are used for padding",
    .stresses = "completed instructions that do nothing",
    SPECIMEN_REPEATS(specimen_nops_code, trips, 100000000000u),
    .truth = nops_truths,
};

/* ----------------------------------------------------------------------------------------------
 * N times sixteen additions: in one chain, where each waits for the one before, and in two chains
 * that do not wait for each other. What they count is the same; how long they take is not. */

SPECIMEN_ASSEMBLY(specimen_chain_code,
                  CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_ADD_REGISTERS)) CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_two_chains_code,
                  CODE_COUNT CODE_LOOP(CODE_TIMES(8, CODE_ADD_IN_TURN)) CODE_RETURN);

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
    SPECIMEN_REPEATS(specimen_chain_code, trips, 100000000000u),
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
    SPECIMEN_REPEATS(specimen_two_chains_code, trips, 100000000000u),
    .truth = two_chains_truths,
};

/* ----------------------------------------------------------------------------------------------
 * N times a row of instructions of many kinds, whose number is known: an event that counts one kind
 * twice or not at all shows it here. */

SPECIMEN_ASSEMBLY(specimen_mixed_code, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_MIX) CODE_RETURN);

static const struct truth mixed_truths[] = {
    TRUTH_FRAMED(1, 1, CODE_MIX_INSTRUCTIONS, CODE_MIX_LOADS, CODE_MIX_STORES),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_ISSUED(FRAME_INSTRUCTIONS + 1, FRAME_LOOP_INSTRUCTIONS + CODE_MIX_INSTRUCTIONS,
                 FRAME_BRANCHES, 1),
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_mixed = {
    .name = "mixed",
    .summary = "N times a row of moves, arithmetic, comparisons, loads and stores",
    .stresses = "completed instructions of many kinds",
    SPECIMEN_REPEATS(specimen_mixed_code, trips, 100000000000u),
    .truth = mixed_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

/* ----------------------------------------------------------------------------------------------
 * N bytes moved or filled by one repeated string instruction. It is one instruction however often
 * it repeats, and who counts by stepping or by emulation sees more: which is what these are for.
 * How many loads and stores it is made of differs between CPUs and is not stated. */

#define MOVE_SUMMARY   "N bytes moved by one repeated string instruction (rep movsb)"
#define MOVE_STRESSES  "instructions that repeat themselves and count once"
#define STORE_SUMMARY  "N bytes filled by one repeated string instruction (rep stosb)"
#define STORE_STRESSES MOVE_STRESSES

#ifdef CODE_MOVE_STRING

/* Two or three loads of operands, the string instruction, the return. */
SPECIMEN_ASSEMBLY(specimen_rep_movsb_code,
                  CODE_COUNT CODE_MEMORY CODE_OPERAND_IS_TARGET CODE_MOVE_STRING CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_rep_stosb_code,
                  CODE_COUNT CODE_MEMORY_IS_TARGET CODE_STORE_STRING CODE_RETURN);

#define MAX_BYTES 1000000000u

/* operands[0]: where the bytes go, behind those that are moved. */
static int prepare_move(struct specimen_state *state, struct failure *failure)
{
    int result = scratch_map(state, 2 * (size_t)state->n, failure);
    state->operands[0] = result < 0 ? 0 : (uintptr_t)state->memory + state->n;
    return result;
}

static int prepare_store(struct specimen_state *state, struct failure *failure)
{
    return scratch_map(state, (size_t)state->n, failure);
}

static const struct truth move_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 3, 0),
    TRUTH_STRAIGHT_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct truth store_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 2, 0),
    TRUTH_STRAIGHT_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip no_trips[] = {{0, 0}}; /* there is no conditional branch */

const struct specimen specimen_rep_movsb = {
    .name = "rep-movsb",
    .summary = MOVE_SUMMARY,
    .stresses = MOVE_STRESSES,
    SPECIMEN_CODE_OF(specimen_rep_movsb_code),
    .trips = no_trips,
    .min_n = 1,
    .max_n = MAX_BYTES,
    .truth = move_truths,
    .prepare = prepare_move,
    .restore = scratch_unmap,
};

const struct specimen specimen_rep_stosb = {
    .name = "rep-stosb",
    .summary = STORE_SUMMARY,
    .stresses = STORE_STRESSES,
    SPECIMEN_CODE_OF(specimen_rep_stosb_code),
    .trips = no_trips,
    .min_n = 1,
    .max_n = MAX_BYTES,
    .truth = store_truths,
    .prepare = prepare_store,
    .restore = scratch_unmap,
};

#else

SPECIMEN_ABSENT(rep_movsb, "rep-movsb", MOVE_SUMMARY, MOVE_STRESSES,
                "rep movsb is an instruction of x86, and this CPU has none like it");
SPECIMEN_ABSENT(rep_stosb, "rep-stosb", STORE_SUMMARY, STORE_STRESSES,
                "rep stosb is an instruction of x86, and this CPU has none like it");

#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N bytes moved or filled by one repeated string instruction. It is one instruction however often
 * it repeats, and who counts by stepping or by emulation sees more: which is what these are for.
 * How many loads and stores it is made of differs between CPUs and is not stated. */
#include "specimens/absent.h"
#include "specimens/framed.h"
#include "specimens/scratch.h"

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

static const struct trip trips[] = {{0, 0}}; /* there is no conditional branch */

const struct specimen specimen_rep_movsb = {
    .name = "rep-movsb",
    .summary = MOVE_SUMMARY,
    .stresses = MOVE_STRESSES,
    SPECIMEN_CODE_OF(specimen_rep_movsb_code),
    .trips = trips,
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
    .trips = trips,
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

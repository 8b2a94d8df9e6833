/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * x86's old floating-point unit: loads of its control word, which some CPUs count twice, and
 * arithmetic, which some events of floating point leave out. */
#include "specimens/absent.h"
#include "specimens/framed.h"
#include "specimens/scratch.h"

#define FLDCW_SUMMARY  "N times four loads of the x87 control word (fldcw)"
#define FLDCW_STRESSES "instructions that some CPUs count twice"
#define X87_SUMMARY    "N times twelve x87 instructions that add, multiply, divide and take roots"
#define X87_STRESSES   "floating point in the x87 unit"

#ifdef CODE_X87_CONTROL

#define CONTROL_WORD 0x037f /* as every process has it: all exceptions masked, full precision */

SPECIMEN_ASSEMBLY(specimen_fldcw_code,
                  CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_TIMES(4, CODE_X87_CONTROL)) CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_x87_code,
                  CODE_COUNT CODE_X87_FILL CODE_LOOP(CODE_TIMES(4, CODE_X87_ADD CODE_X87_MUL)
                                                         CODE_TIMES(2, CODE_X87_DIV CODE_X87_SQRT))
                      CODE_X87_EMPTY CODE_RETURN);

static int prepare_control(struct specimen_state *state, struct failure *failure)
{
    int result = scratch_prepare_page(state, failure);
    if (result == 0)
        *(uint16_t *)state->memory = CONTROL_WORD;
    return result;
}

static const struct trip trips[] = {TRIP_LOOP};

static const struct truth fldcw_truths[] = {
    TRUTH_FRAMED(1, 1, 4, 4, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_fldcw = {
    .name = "fldcw",
    .summary = FLDCW_SUMMARY,
    .stresses = FLDCW_STRESSES,
    SPECIMEN_CODE_OF(specimen_fldcw_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 10000000000u,
    .truth = fldcw_truths,
    .prepare = prepare_control,
    .restore = scratch_unmap,
};

static const struct truth x87_truths[] = {
    TRUTH_FRAMED(4, 0, 12, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_EXACT("fp-instructions", 0, 12),
    TRUTH_EXACT("fp-operations", 0, 12),
    TRUTH_EXACT("fp-adds", 0, 4),
    TRUTH_EXACT("fp-muls", 0, 4),
    TRUTH_EXACT("fp-divs", 0, 2),
    TRUTH_EXACT("fp-sqrts", 0, 2),
    TRUTH_ZERO("fp-fmas"),
    TRUTH_ZERO("fp-packed-single"),
    TRUTH_ZERO("fp-packed-double"),
    TRUTH_NO_FAULTS,
    TRUTH_NO_SYSCALLS,
    TRUTH_NO_SCHEDULING,
    TRUTH_END,
};

const struct specimen specimen_x87 = {
    .name = "x87",
    .summary = X87_SUMMARY,
    .stresses = X87_STRESSES,
    SPECIMEN_CODE_OF(specimen_x87_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 10000000000u,
    .truth = x87_truths,
};

#else

SPECIMEN_ABSENT(fldcw, "fldcw", FLDCW_SUMMARY, FLDCW_STRESSES,
                "only x86 has an x87 unit with a control word");
SPECIMEN_ABSENT(x87, "x87", X87_SUMMARY, X87_STRESSES, "only x86 has an x87 unit");

#endif

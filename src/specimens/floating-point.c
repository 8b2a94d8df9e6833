/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The floating-point specimens: five operations, and every way in which values lie in registers;
 * roundings, which are none of these; and x86's old unit. */
#include "specimens/floating-point.h"

/* --- Five operations in every form --- */

/* Where an ISA lacks the registers, the name says so. */
#define LACKING(symbol, label, words, operation, kind, shape, ...)                                 \
    SPECIMEN_ABSENT(symbol, label, words, FLOATING_POINT_STRESSES, CODE_FP_##shape##_LACK);

#if CODE_FP_PACKED
#define IF_PACKED FLOATING_POINT
#else
#define IF_PACKED LACKING
#endif
#if CODE_FP_WIDE
#define IF_WIDE FLOATING_POINT
#else
#define IF_WIDE           LACKING
#define CODE_FP_WIDE_DONE ""
#endif

/* One operation in every form. */
#define EVERY_FORM(symbol, label, noun, operation, kind)                                           \
    FLOATING_POINT(symbol##_single, label "-single", "N " noun "s in single precision", operation, \
                   kind, SCALAR, SCALAR_SINGLE, single, "")                                        \
    FLOATING_POINT(symbol##_double, label "-double", "N " noun "s in double precision", operation, \
                   kind, SCALAR, SCALAR_DOUBLE, double, "")                                        \
    IF_PACKED(symbol##_single_packed, label "-single-packed",                                      \
              "N instructions of four " noun "s in single precision", operation, kind, PACKED,     \
              PACKED_SINGLE, single, "")                                                           \
    IF_PACKED(symbol##_double_packed, label "-double-packed",                                      \
              "N instructions of two " noun "s in double precision", operation, kind, PACKED,      \
              PACKED_DOUBLE, double, "")                                                           \
    IF_WIDE(symbol##_single_wide, label "-single-wide",                                            \
            "N instructions of eight " noun "s in single precision", operation, kind, WIDE,        \
            WIDE_SINGLE, single, CODE_FP_WIDE_DONE)                                                \
    IF_WIDE(symbol##_double_wide, label "-double-wide",                                            \
            "N instructions of four " noun "s in double precision", operation, kind, WIDE,         \
            WIDE_DOUBLE, double, CODE_FP_WIDE_DONE)

EVERY_FORM(fadd, "fadd", "addition", ADD, BASIC)
EVERY_FORM(fmul, "fmul", "multiplication", MUL, BASIC)
EVERY_FORM(fdiv, "fdiv", "division", DIV, BASIC)
EVERY_FORM(fsqrt, "fsqrt", "square root", SQRT, BASIC)
EVERY_FORM(fma, "fma", "fused multiply-addition", FMA, FMA)

/* ----------------------------------------------------------------------------------------------
 * N times a one is rounded to an integer, in floating point: an instruction that computes, but none
 * of the operations that events are named for. Who counts it, and as what, differs. */

#define ROUND_SINGLE_SUMMARY "N roundings to an integer in single precision"
#define ROUND_DOUBLE_SUMMARY "N roundings to an integer in double precision"
#define ROUND_STRESSES       "floating-point instructions that are no arithmetic"

#ifdef CODE_FP_ROUND_DOUBLE

CHECK(SCALAR, ROUND)

#define WHY_ROUND                                                                                  \
    "a rounding is an instruction in floating point, but some CPUs count only additions, "         \
    "products and their like here, and neither is wrong"
#define TRUTH_PERHAPS(class) TRUTH_BETWEEN(class, 0, 0, 0, 1, WHY_ROUND)
#define TRUTH_ROUND(form, other)                                                                   \
    TRUTH_FRAMED(SETUP, SETUP, 1, 0, 0), TRUTH_FRAMED_BRANCHES,                                    \
        TRUTH_EXACT("fp-instructions", 0, 1), TRUTH_PERHAPS("fp-operations"), TRUTH_PERHAPS(form), \
        TRUTH_ZERO(other), TRUTH_ZERO("fp-packed-single"), TRUTH_ZERO("fp-packed-double"),         \
        TRUTH_ZERO("fp-adds"), TRUTH_ZERO("fp-muls"), TRUTH_ZERO("fp-divs"),                       \
        TRUTH_ZERO("fp-sqrts"), TRUTH_ZERO("fp-fmas"), TRUTH_NO_FAULTS, TRUTH_NO_SYSCALLS,         \
        TRUTH_NO_SCHEDULING, TRUTH_END

#define ROUND(symbol, label, words, form, precision, ...)                                          \
    SPECIMEN_ASSEMBLY(specimen_##symbol##_code,                                                    \
                      CODE_COUNT CODE_MEMORY CODE_FP_FILL(CODE_FP_SCALAR_##form)                   \
                          CODE_LOOP(CODE_FP_ROUND_##form) CODE_RETURN);                            \
    static const struct truth symbol##_truths[] = {TRUTH_ROUND(__VA_ARGS__)};                      \
    const struct specimen specimen_##symbol = {                                                    \
        .name = (label),                                                                           \
        .summary = (words),                                                                        \
        .stresses = ROUND_STRESSES,                                                                \
        .needs = CODE_FP_ROUND_NEEDS,                                                              \
        .min_n = 1,                                                                                \
        .max_n = 10000000000u,                                                                     \
        .available = SCALAR_ROUND_available,                                                       \
        .prepare = prepare_##precision,                                                            \
        SPECIMEN_CODE_OF(specimen_##symbol##_code),                                                \
        SPECIMEN_TRIPS(trips),                                                                     \
        .truth = symbol##_truths,                                                                  \
    };

ROUND(fround_single, "fround-single", ROUND_SINGLE_SUMMARY, SINGLE, single, "fp-scalar-single",
      "fp-scalar-double")
ROUND(fround_double, "fround-double", ROUND_DOUBLE_SUMMARY, DOUBLE, double, "fp-scalar-double",
      "fp-scalar-single")

#else

SPECIMEN_ABSENT(fround_single, "fround-single", ROUND_SINGLE_SUMMARY, ROUND_STRESSES,
                CODE_FP_ROUND_LACK);
SPECIMEN_ABSENT(fround_double, "fround-double", ROUND_DOUBLE_SUMMARY, ROUND_STRESSES,
                CODE_FP_ROUND_LACK);

#endif

/* ----------------------------------------------------------------------------------------------
 * x86's old floating-point unit: loads of its control word, which some CPUs count twice, and
 * arithmetic, which some events of floating point leave out. */

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
    SPECIMEN_REPEATS(specimen_fldcw_code, trips, 10000000000u),
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
    SPECIMEN_REPEATS(specimen_x87_code, trips, 10000000000u),
    .truth = x87_truths,
};

#else

SPECIMEN_ABSENT(fldcw, "fldcw", FLDCW_SUMMARY, FLDCW_STRESSES,
                "only x86 has an x87 unit with a control word");
SPECIMEN_ABSENT(x87, "x87", X87_SUMMARY, X87_STRESSES, "only x86 has an x87 unit");

#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What floating-point specimens have in common: N instructions of one operation in one form, one
 * an iteration, so that N = 1 is one of them.
 *
 * The chain works on one, times one, plus zero: it stays at one for ever, exactly. So nothing is
 * ever denormal, infinite or rounded, and no exception is raised. The constants come by plain
 * loads: no conversion is there that somebody might count. */
#pragma once

#include <errno.h>

#include "code.h"
#include "specimens/framed.h"

#define ONE_DOUBLE UINT64_C(0x3ff0000000000000)
#define ONE_SINGLE UINT64_C(0x3f8000003f800000) /* twice */

/* What the registers are filled with: value, factor, summand. */
static inline int fill(struct specimen_state *state, uint64_t one)
{
    state->operands[0] = state->operands[1] = one;
    state->operands[2] = 0;
    state->memory = state->operands;
    return 0;
}

static inline int prepare_single(struct specimen_state *state, struct failure *failure)
{
    (void)failure;
    return fill(state, ONE_SINGLE);
}

static inline int prepare_double(struct specimen_state *state, struct failure *failure)
{
    (void)failure;
    return fill(state, ONE_DOUBLE);
}

/* Can this machine do an operation of a kind in a shape? */
#define CHECK(shape, kind)                                                                         \
    static inline int shape##_##kind##_available(struct failure *failure)                          \
    {                                                                                              \
        if (!CODE_FP_##shape##_HERE)                                                               \
            return fail_with(failure, -EOPNOTSUPP, "%s", CODE_FP_##shape##_LACK);                  \
        if (!CODE_FP_##kind##_HERE)                                                                \
            return fail_with(failure, -EOPNOTSUPP, "%s", CODE_FP_##kind##_LACK);                   \
        return 0;                                                                                  \
    }
#define CODE_FP_SCALAR_HERE 1
#define CODE_FP_SCALAR_LACK ""
#define CODE_FP_BASIC_HERE  1
#define CODE_FP_BASIC_LACK  ""
CHECK(SCALAR, BASIC)
CHECK(SCALAR, FMA)
CHECK(PACKED, BASIC)
CHECK(PACKED, FMA)
CHECK(WIDE, BASIC)
CHECK(WIDE, FMA)

/* What must be there beyond the ISA. */
#define BASIC_NEEDS(shape)   CODE_FP_##shape##_NEEDS
#define FMA_NEEDS(shape)     CODE_FP_FMA_NEEDS
#define CODE_FP_SCALAR_NEEDS NULL
#define CODE_FP_PACKED_NEEDS NULL

/* Classes of an operation: adds, muls, divs, sqrts, fmas; then operations a lane. */
#define ADD_COUNTS  1, 0, 0, 0, 0, 1
#define MUL_COUNTS  0, 1, 0, 0, 0, 1
#define DIV_COUNTS  0, 0, 1, 0, 0, 1
#define SQRT_COUNTS 0, 0, 0, 1, 0, 1
#define FMA_COUNTS  0, 0, 0, 0, 1, 2

/* Of a form: scalar single, scalar double, packed single, packed double (of any width); lanes;
 * instructions after the loop. */
#define SCALAR_SINGLE_COUNTS 1, 0, 0, 0, 1, 0
#define SCALAR_DOUBLE_COUNTS 0, 1, 0, 0, 1, 0
#define PACKED_SINGLE_COUNTS 0, 0, 1, 0, 4, 0
#define PACKED_DOUBLE_COUNTS 0, 0, 0, 1, 2, 0
#define WIDE_SINGLE_COUNTS   0, 0, 1, 0, 8, 1
#define WIDE_DOUBLE_COUNTS   0, 0, 0, 1, 4, 1

#define SETUP     4 /* all loads: where memory begins, and three registers from there */
#define ROWS(...) ROWS_(__VA_ARGS__)
#define ROWS_(add, mul, div, sqrt, fma, each, scalar_single, scalar_double, packed_single,         \
              packed_double, lanes, after)                                                         \
    TRUTH_FRAMED(SETUP + (after), SETUP, 1, 0, 0), TRUTH_FRAMED_BRANCHES,                          \
        TRUTH_EXACT("fp-instructions", 0, 1),                                                      \
        TRUTH_EXACT("fp-operations", 0, (int64_t)(each) * (lanes)),                                \
        TRUTH_EXACT("fp-adds", 0, add), TRUTH_EXACT("fp-muls", 0, mul),                            \
        TRUTH_EXACT("fp-divs", 0, div), TRUTH_EXACT("fp-sqrts", 0, sqrt),                          \
        TRUTH_EXACT("fp-fmas", 0, fma), TRUTH_EXACT("fp-scalar-single", 0, scalar_single),         \
        TRUTH_EXACT("fp-scalar-double", 0, scalar_double),                                         \
        TRUTH_EXACT("fp-packed-single", 0, packed_single),                                         \
        TRUTH_EXACT("fp-packed-double", 0, packed_double), TRUTH_NO_FAULTS, TRUTH_NO_SYSCALLS,     \
        TRUTH_NO_SCHEDULING, TRUTH_END

static const struct trip trips[] = {TRIP_LOOP};

#define FLOATING_POINT_STRESSES "floating-point instructions and operations"
#define DESCRIPTION(label, words, shape, kind, precision)                                          \
    .name = (label), .summary = (words), .stresses = FLOATING_POINT_STRESSES,                      \
    .needs = kind##_NEEDS(shape), .min_n = 1, .max_n = 10000000000u,                               \
    .available = shape##_##kind##_available, .prepare = prepare_##precision

#define FLOATING_POINT(symbol, label, words, operation, kind, shape, form, precision, done)        \
    SPECIMEN_ASSEMBLY(specimen_##symbol##_code,                                                    \
                      CODE_COUNT CODE_MEMORY CODE_FP_FILL(CODE_FP_##form)                          \
                          CODE_LOOP(CODE_FP_##operation(CODE_FP_##form)) done CODE_RETURN);        \
    static const struct truth symbol##_truths[] = {ROWS(operation##_COUNTS, form##_COUNTS)};       \
    const struct specimen specimen_##symbol = {                                                    \
        DESCRIPTION(label, words, shape, kind, precision),                                         \
        SPECIMEN_CODE_OF(specimen_##symbol##_code),                                                \
        SPECIMEN_TRIPS(trips),                                                                     \
        .truth = symbol##_truths,                                                                  \
    };

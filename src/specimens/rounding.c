/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times a one is rounded to an integer, in floating point: an instruction that computes, but none
 * of the operations that events are named for. Who counts it, and as what, differs. */
#include "specimens/absent.h"
#include "specimens/floating-point.h"

#define SINGLE_SUMMARY "N roundings to an integer in single precision"
#define DOUBLE_SUMMARY "N roundings to an integer in double precision"
#define STRESSES       "floating-point instructions that are no arithmetic"

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
        .stresses = STRESSES,                                                                      \
        .needs = CODE_FP_ROUND_NEEDS,                                                              \
        .min_n = 1,                                                                                \
        .max_n = 10000000000u,                                                                     \
        .available = SCALAR_ROUND_available,                                                       \
        .prepare = prepare_##precision,                                                            \
        SPECIMEN_CODE_OF(specimen_##symbol##_code),                                                \
        SPECIMEN_TRIPS(trips),                                                                     \
        .truth = symbol##_truths,                                                                  \
    };

ROUND(fround_single, "fround-single", SINGLE_SUMMARY, SINGLE, single, "fp-scalar-single",
      "fp-scalar-double")
ROUND(fround_double, "fround-double", DOUBLE_SUMMARY, DOUBLE, double, "fp-scalar-double",
      "fp-scalar-single")

#else

SPECIMEN_ABSENT(fround_single, "fround-single", SINGLE_SUMMARY, STRESSES, CODE_FP_ROUND_LACK);
SPECIMEN_ABSENT(fround_double, "fround-double", DOUBLE_SUMMARY, STRESSES, CODE_FP_ROUND_LACK);

#endif

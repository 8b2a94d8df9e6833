/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The floating-point specimens: five operations, and every way in which values lie in registers. */
#include "specimens/floating-point.h"
#include "specimens/absent.h"

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

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that floating-point specimens are made of, on RISC-V (64 bit); each is one instruction
 * unless it says otherwise. Registers are those of code.h. */
#pragma once

#include <stddef.h>

/* A form is how values lie in registers ft0 … ft2: the load that fills one, the
 * operation's suffix. ft0 is computed with ft2 (additions), ft1 (products, quotients) or both. */
#define CODE_FP_SCALAR_SINGLE "flw", ".s"
#define CODE_FP_SCALAR_DOUBLE "fld", ".d"

/* Three loads from the specimen's memory, one for each register. */
#define CODE_FP_FILL(...) CODE_FP_FILL_(__VA_ARGS__)
#define CODE_FP_FILL_(load, suffix)                                                                \
    "\t" load " ft0, 0(t2)\n\t" load " ft1, 8(t2)\n\t" load " ft2, 16(t2)\n"

#define CODE_FP_ADD(...)            CODE_FP_ADD_(__VA_ARGS__)
#define CODE_FP_ADD_(load, suffix)  "\tfadd" suffix " ft0, ft0, ft2\n"
#define CODE_FP_MUL(...)            CODE_FP_MUL_(__VA_ARGS__)
#define CODE_FP_MUL_(load, suffix)  "\tfmul" suffix " ft0, ft0, ft1\n"
#define CODE_FP_DIV(...)            CODE_FP_DIV_(__VA_ARGS__)
#define CODE_FP_DIV_(load, suffix)  "\tfdiv" suffix " ft0, ft0, ft1\n"
#define CODE_FP_SQRT(...)           CODE_FP_SQRT_(__VA_ARGS__)
#define CODE_FP_SQRT_(load, suffix) "\tfsqrt" suffix " ft0, ft0\n"
#define CODE_FP_FMA(...)            CODE_FP_FMA_(__VA_ARGS__)
#define CODE_FP_FMA_(load, suffix)  "\tfmadd" suffix " ft0, ft0, ft1, ft2\n"

/* What of this the ISA has (for the preprocessor), whether this CPU has it, why not, and what it is
 * called. */
#define CODE_FP_PACKED      0
#define CODE_FP_PACKED_HERE 0
#define CODE_FP_PACKED_LACK "kits of this ISA are made for RV64GC, which has no vector registers"
#define CODE_FP_WIDE        0
#define CODE_FP_WIDE_HERE   0
#define CODE_FP_WIDE_LACK   CODE_FP_PACKED_LACK
#define CODE_FP_FMA_HERE    1
#define CODE_FP_FMA_NEEDS   NULL
#define CODE_FP_FMA_LACK    ""

/* There is no CODE_FP_ROUND: */
#define CODE_FP_ROUND_LACK                                                                         \
    "kits of this ISA are made for RV64GC, which rounds only while it converts to integers"

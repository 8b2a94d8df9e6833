/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that floating-point specimens are made of, on x86-64; each is one instruction
 * unless it says otherwise. Registers are those of code.h. */
#pragma once

#include <stddef.h>

/* A form is how values lie in registers 0 … 2: the move that fills one with copies
 * of eight bytes of memory, prefix and suffix of the operation, the registers' name, what a third
 * operand is. Register 0 is computed with register 2 (additions), 1 (products, quotients) or
 * both. */
#define CODE_FP_SCALAR_SINGLE "movss", "", "ss", "%xmm", ""
#define CODE_FP_SCALAR_DOUBLE "movsd", "", "sd", "%xmm", ""
#define CODE_FP_PACKED_SINGLE "movddup", "", "ps", "%xmm", ""
#define CODE_FP_PACKED_DOUBLE "movddup", "", "pd", "%xmm", ""
#define CODE_FP_WIDE_SINGLE   "vbroadcastsd", "v", "ps", "%ymm", ", %ymm0"
#define CODE_FP_WIDE_DOUBLE   "vbroadcastsd", "v", "pd", "%ymm", ", %ymm0"

/* Three loads from the specimen's memory, one for each register. */
#define CODE_FP_LOAD(move, place, target) "\t" move " " place "(%rsi), " target "\n"
#define CODE_FP_FILL(...)                 CODE_FP_FILL_(__VA_ARGS__)
#define CODE_FP_FILL_(move, prefix, suffix, name, third)                                           \
    CODE_FP_LOAD(move, "0", name "0")                                                              \
    CODE_FP_LOAD(move, "8", name "1")                                                              \
    CODE_FP_LOAD(move, "16", name "2")

#define CODE_FP_OPERATION(operation, source, prefix, suffix, name, third)                          \
    "\t" prefix operation suffix " " name source ", " name "0" third "\n"
#define CODE_FP_ADD(...)        CODE_FP_ADD_(__VA_ARGS__)
#define CODE_FP_ADD_(move, ...) CODE_FP_OPERATION("add", "2", __VA_ARGS__)
#define CODE_FP_MUL(...)        CODE_FP_MUL_(__VA_ARGS__)
#define CODE_FP_MUL_(move, ...) CODE_FP_OPERATION("mul", "1", __VA_ARGS__)
#define CODE_FP_DIV(...)        CODE_FP_DIV_(__VA_ARGS__)
#define CODE_FP_DIV_(move, ...) CODE_FP_OPERATION("div", "1", __VA_ARGS__)
#define CODE_FP_SQRT(...)       CODE_FP_SQRT_(__VA_ARGS__)
#define CODE_FP_SQRT_(move, prefix, suffix, name, third)                                           \
    CODE_FP_OPERATION("sqrt", "0", prefix, suffix, name, "")
#define CODE_FP_FMA(...) CODE_FP_FMA_(__VA_ARGS__)
#define CODE_FP_FMA_(move, prefix, suffix, name, third)                                            \
    "\tvfmadd213" suffix " " name "2, " name "1, " name "0\n"

/* Leaves nothing in the upper halves of wide registers, which would slow down older code. */
#define CODE_FP_WIDE_DONE "\tvzeroupper\n"

/* What of this the ISA has (for the preprocessor), whether this CPU has it, why not, and what it is
 * called. */
#define CODE_FP_PACKED      1
#define CODE_FP_PACKED_HERE 1
#define CODE_FP_PACKED_LACK ""
#define CODE_FP_WIDE        1
#define CODE_FP_WIDE_HERE   __builtin_cpu_supports("avx")
#define CODE_FP_WIDE_NEEDS  "AVX"
#define CODE_FP_WIDE_LACK   "this CPU has no AVX, or the operating system does not use it"
#define CODE_FP_FMA_HERE    __builtin_cpu_supports("fma")
#define CODE_FP_FMA_NEEDS   "FMA3"
#define CODE_FP_FMA_LACK    "this CPU has no FMA3, or the operating system does not use it"

/* To the next integer, by the ISA's rule for ties; one instruction, single and double. */
#define CODE_FP_ROUND_SINGLE "\troundss $0, %xmm0, %xmm0\n"
#define CODE_FP_ROUND_DOUBLE "\troundsd $0, %xmm0, %xmm0\n"
#define CODE_FP_ROUND_HERE   __builtin_cpu_supports("sse4.1")
#define CODE_FP_ROUND_NEEDS  "SSE4.1"
#define CODE_FP_ROUND_LACK   "this CPU has no SSE4.1, which rounds"

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that floating-point specimens are made of, on AArch64; each is one instruction
 * unless it says otherwise. Registers are those of code.h. */
#pragma once

#include <stddef.h>

/* A form is how values lie in registers 0 … 2: begin and end of the load that fills
 * one with copies of eight bytes of memory, begin and end of the registers' names, multiply-add and
 * its last operand. Register 0 is computed with register 2 (additions), 1 (products, quotients) or
 * both. */
#define CODE_FP_SCALAR_SINGLE "ldr s", "", "s", "", "fmadd", ", s0"
#define CODE_FP_SCALAR_DOUBLE "ldr d", "", "d", "", "fmadd", ", d0"
#define CODE_FP_PACKED_SINGLE "ld1r {v", ".2d}", "v", ".4s", "fmla", ""
#define CODE_FP_PACKED_DOUBLE "ld1r {v", ".2d}", "v", ".2d", "fmla", ""

/* Three loads from the specimen's memory, one for each register; x2 moves on. */
#define CODE_FP_LOAD(target) "\t" target ", [x2], #8\n"
#define CODE_FP_FILL(...)    CODE_FP_FILL_(__VA_ARGS__)
#define CODE_FP_FILL_(load, end, ...)                                                              \
    CODE_FP_LOAD(load "0" end) CODE_FP_LOAD(load "1" end) CODE_FP_LOAD(load "2" end)

#define CODE_FP_OPERATION(operation, other, name, end, ...)                                        \
    "\t" operation " " name "0" end ", " name "0" end ", " name other end "\n"
#define CODE_FP_ADD(...)                          CODE_FP_ADD_(__VA_ARGS__)
#define CODE_FP_ADD_(load, last, ...)             CODE_FP_OPERATION("fadd", "2", __VA_ARGS__)
#define CODE_FP_MUL(...)                          CODE_FP_MUL_(__VA_ARGS__)
#define CODE_FP_MUL_(load, last, ...)             CODE_FP_OPERATION("fmul", "1", __VA_ARGS__)
#define CODE_FP_DIV(...)                          CODE_FP_DIV_(__VA_ARGS__)
#define CODE_FP_DIV_(load, last, ...)             CODE_FP_OPERATION("fdiv", "1", __VA_ARGS__)
#define CODE_FP_SQRT(...)                         CODE_FP_SQRT_(__VA_ARGS__)
#define CODE_FP_SQRT_(load, last, name, end, ...) "\tfsqrt " name "0" end ", " name "0" end "\n"
#define CODE_FP_FMA(...)                          CODE_FP_FMA_(__VA_ARGS__)
#define CODE_FP_FMA_(load, last, name, end, operation, addend)                                     \
    "\t" operation " " name "0" end ", " name "1" end ", " name "2" end addend "\n"

/* What of this the ISA has (for the preprocessor), whether this CPU has it, why not, and what it is
 * called. */
#define CODE_FP_PACKED      1
#define CODE_FP_PACKED_HERE 1
#define CODE_FP_PACKED_LACK ""
#define CODE_FP_WIDE        0
#define CODE_FP_WIDE_HERE   0
#define CODE_FP_WIDE_LACK   "the floating-point registers of this ISA have 128 bits"
#define CODE_FP_FMA_HERE    1
#define CODE_FP_FMA_NEEDS   NULL
#define CODE_FP_FMA_LACK    ""

/* To the next integer, ties to even; one instruction, single and double. */
#define CODE_FP_ROUND_SINGLE "\tfrintn s0, s0\n"
#define CODE_FP_ROUND_DOUBLE "\tfrintn d0, d0\n"
#define CODE_FP_ROUND_HERE   1
#define CODE_FP_ROUND_NEEDS  NULL
#define CODE_FP_ROUND_LACK   ""

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What stands inside a measurement window on AArch64: the loop, the call of a specimen,
 * and the tick counter. Every macro states the instructions it executes, because the truths of the
 * specimens are built from them. */
#pragma once

#include <stdint.h>

/* The slot in which a specimen stands. All specimens have the same operands and clobbers, and
 * differ in the text alone: so that the compiler makes the same code around each, and what a window
 * costs with nothing in it is what it costs with something. The operands sit in registers that
 * calls preserve, loaded before the window opens. (clang at -O0 ignores this and loads them
 * inside.) */
#define WINDOW_PIN_FIRST(type, name)  register type name __asm__("x19")
#define WINDOW_PIN_SECOND(type, name) register type name __asm__("x20")
/* NOLINTBEGIN(bugprone-macro-parentheses): the text of an asm takes none */
#define WINDOW_SLOT(text, one, two)                                                                \
    __asm__ volatile(text                                                                          \
                     :                                                                             \
                     : [first] "r"(one), [second] "r"(two)                                         \
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",   \
                       "x12", "x13", "x14", "x15", "x16", "x17", "x30", "v0", "v1", "v2", "v3",    \
                       "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",      \
                       "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",       \
                       "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory")
/* NOLINTEND(bugprone-macro-parentheses) */

/* Nothing: 0 instructions. */
#define WINDOW_NULL ""

/* 1 + 3·first instructions, first conditional branches of which all but one are taken, no memory
 * access; first is at least 1. A test puts one instruction more into the loop. */
#define WINDOW_LOOP_INSTRUCTIONS_BASE 1
#define WINDOW_LOOP_INSTRUCTIONS_EACH 3
#define WINDOW_LOOP                   WINDOW_LOOP_WITH("")
#define WINDOW_LOOP_WITH(more)        WINDOW_LOOP_TEXT("%[first]", "", more)
#define WINDOW_LOOP_TEXT(first, mark, more)                                                        \
    "mov x9, #0\n" mark "1:\tadd x9, x9, #1\n" more "\tcmp x9, " first "\n"                        \
    "\tb.ne 1b"

/* The same bytes in text outside of any function, with first in the register that WINDOW_PIN_FIRST
 * names; `mark` stands in front of the first instruction of the body. A function of its own is made
 * of it with what keeps that register and loads N from the state (two instructions, one load), and
 * what puts it back. */
#define WINDOW_LOOP_ALONE(mark) "\t" WINDOW_LOOP_TEXT("x19", mark, "") "\n"
#define WINDOW_LOOP_ENTER       "\tmov x10, x19\n\tldr x19, [x0]\n"
#define WINDOW_LOOP_LEAVE       "\tmov x19, x10\n"

/* Bytes of which every instruction begins at a multiple. */
#define WINDOW_CODE_ALIGNMENT 4

/* Two instructions and what the callee executes: the argument (first) is moved, the code (second)
 * called. */
#define WINDOW_CALL_INSTRUCTIONS 2
#define WINDOW_CALL_STORES       0
#define WINDOW_CALL                                                                                \
    "mov x0, %[first]\n"                                                                           \
    "\tblr %[second]"

#define SPECIMEN_CODE __attribute__((noinline))

/* The virtual counter, in ticks, after everything before it and before everything after it. */
static inline __attribute__((always_inline)) uint64_t window_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

/* Nothing before it is still under way when what stands after it begins: for readings that have no
 * such order of their own. */
static inline __attribute__((always_inline)) void window_order(void)
{
    __asm__ volatile("isb" : : : "memory");
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What stands inside a measurement window on RISC-V (64 bit): the loop, the call of a specimen,
 * and the tick counter. Every macro states the instructions it executes, because the truths
 * of the specimens are built from them. */
#pragma once

#include <stdint.h>

/* The slot in which a specimen stands. All specimens have the same operands and clobbers, and
 * differ in the text alone: so that the compiler makes the same code around each, and what a window
 * costs with nothing in it is what it costs with something. The operands sit in registers that
 * calls preserve, loaded before the window opens. (clang at -O0 ignores this and loads them
 * inside.) */
#define WINDOW_PIN_FIRST(type, name)  register type name __asm__("s1")
#define WINDOW_PIN_SECOND(type, name) register type name __asm__("s2")
/* NOLINTBEGIN(bugprone-macro-parentheses): the text of an asm takes none */
#define WINDOW_SLOT(text, one, two)                                                                \
    __asm__ volatile(text                                                                          \
                     :                                                                             \
                     : [first] "r"(one), [second] "r"(two)                                         \
                     : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3",     \
                       "a4", "a5", "a6", "a7", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6",    \
                       "ft7", "ft8", "ft9", "ft10", "ft11", "fa0", "fa1", "fa2", "fa3", "fa4",     \
                       "fa5", "fa6", "fa7", "memory")
/* NOLINTEND(bugprone-macro-parentheses) */

/* Nothing: 0 instructions. */
#define WINDOW_NULL ""

/* 1 + 2·first instructions (compare and branch are one), first conditional branches of which all
 * but one are taken, no memory access; first is at least 1. A test puts one instruction more into
 * the loop. */
#define WINDOW_LOOP_INSTRUCTIONS_BASE 1
#define WINDOW_LOOP_INSTRUCTIONS_EACH 2
#define WINDOW_LOOP                   WINDOW_LOOP_WITH("")
#define WINDOW_LOOP_WITH(more)        WINDOW_LOOP_TEXT("%[first]", "", more)
#define WINDOW_LOOP_TEXT(first, mark, more)                                                        \
    "li t0, 0\n" mark "1:\taddi t0, t0, 1\n" more "\tbne t0, " first ", 1b"

/* The same bytes in text outside of any function, with first in the register that WINDOW_PIN_FIRST
 * names; `mark` stands in front of the first instruction of the body. A function of its own is made
 * of it with what keeps that register and loads N from the state (two instructions, one load), and
 * what puts it back. */
#define WINDOW_LOOP_ALONE(mark) "\t" WINDOW_LOOP_TEXT("s1", mark, "") "\n"
#define WINDOW_LOOP_ENTER       "\tmv t3, s1\n\tld s1, 0(a0)\n"
#define WINDOW_LOOP_LEAVE       "\tmv s1, t3\n"

/* Bytes of which every instruction begins at a multiple: there may be compressed ones. */
#ifdef __riscv_compressed
#define WINDOW_CODE_ALIGNMENT 2
#else
#define WINDOW_CODE_ALIGNMENT 4
#endif

/* Two instructions and what the callee executes: the argument (first) is moved, the code (second)
 * called. */
#define WINDOW_CALL_INSTRUCTIONS 2
#define WINDOW_CALL_STORES       0
#define WINDOW_CALL                                                                                \
    "mv a0, %[first]\n"                                                                            \
    "\tjalr %[second]"

#define SPECIMEN_CODE __attribute__((noinline))

/* The time counter, in ticks, after everything before it and before everything after it. */
static inline __attribute__((always_inline)) uint64_t window_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("fence\n\trdtime %0\n\tfence" : "=r"(ticks) : : "memory");
    return ticks;
}

/* Nothing before it is still under way when what stands after it begins: for readings that have no
 * such order of their own. */
static inline __attribute__((always_inline)) void window_order(void)
{
    __asm__ volatile("fence" : : : "memory");
}

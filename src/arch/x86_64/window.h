/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What stands inside a measurement window on x86-64: the loop, the call of a specimen,
 * and the tick counter. Every macro states the instructions it executes, because the truths of the
 * specimens are built from them. */
#pragma once

#include <stdint.h>

/* The slot in which a specimen stands. All specimens have the same operands and clobbers, and
 * differ in the text alone: so that the compiler makes the same code around each, and what a window
 * costs with nothing in it is what it costs with something. The operands sit in registers that
 * calls preserve, loaded before the window opens. (clang at -O0 ignores this and loads them
 * inside.) */
#define WINDOW_PIN_FIRST(type, name)  register type name __asm__("rbx")
#define WINDOW_PIN_SECOND(type, name) register type name __asm__("r12")
/* NOLINTBEGIN(bugprone-macro-parentheses): the text of an asm takes none */
#define WINDOW_SLOT(text, one, two)                                                                \
    __asm__ volatile(text                                                                          \
                     :                                                                             \
                     : [first] "r"(one), [second] "r"(two)                                         \
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",        \
                       "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",     \
                       "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory")
/* NOLINTEND(bugprone-macro-parentheses) */

/* Nothing: 0 instructions. */
#define WINDOW_NULL ""

/* 1 + 3·first instructions, first conditional branches of which all but one are taken, no memory
 * access; first is at least 1. A test puts one instruction more into the loop. */
#define WINDOW_LOOP_INSTRUCTIONS_BASE 1
#define WINDOW_LOOP_INSTRUCTIONS_EACH 3
#define WINDOW_LOOP                   WINDOW_LOOP_WITH("")
#define WINDOW_LOOP_WITH(more)        WINDOW_LOOP_TEXT("%%", "%[first]", "", more)
#define WINDOW_LOOP_TEXT(sign, first, mark, more)                                                  \
    "mov $0, " sign "eax\n" mark "1:\tadd $1, " sign "rax\n" more "\tcmp " first ", " sign "rax\n" \
    "\tjne 1b"

/* The same bytes in text outside of any function, with first in the register that WINDOW_PIN_FIRST
 * names; `mark` stands in front of the first instruction of the body. A function of its own is made
 * of it with what keeps that register and loads N from the state (two instructions, one load), and
 * what puts it back. */
#define WINDOW_LOOP_ALONE(mark) "\t" WINDOW_LOOP_TEXT("%", "%rbx", mark, "") "\n"
#define WINDOW_LOOP_ENTER       "\tmov %rbx, %rdx\n\tmov (%rdi), %rbx\n"
#define WINDOW_LOOP_LEAVE       "\tmov %rdx, %rbx\n"

/* Bytes of which every instruction begins at a multiple. */
#define WINDOW_CODE_ALIGNMENT 1

/* Two instructions and what the callee executes: the argument (first) is moved, the code (second)
 * called. Windows are compiled without a red zone, and specimen code aligns its own stack
 * (SPECIMEN_CODE), because the compiler does not know of this call. */
#define WINDOW_CALL_INSTRUCTIONS 2
#define WINDOW_CALL_STORES       1 /* the return address */
#define WINDOW_CALL                                                                                \
    "mov %[first], %%rdi\n"                                                                        \
    "\tcall *%[second]"

#define SPECIMEN_CODE __attribute__((noinline, force_align_arg_pointer))

/* The time stamp counter, in ticks, after everything before it and before everything after it. */
static inline __attribute__((always_inline)) uint64_t window_ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* Nothing before it is still under way when what stands after it begins: for readings that have no
 * such order of their own. */
static inline __attribute__((always_inline)) void window_order(void)
{
    __asm__ volatile("lfence" : : : "memory");
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on x86-64. Each piece is one instruction
 * unless it says otherwise. A specimen's function gets a pointer to its state in rdi.
 *
 * rcx counts iterations, rsi points to the specimen's memory; rax, rdx, r8 … r11 and all xmm are
 * free. Local labels: 1 is the loop's; a body may use 2 … 8. */
#pragma once

#define CODE_RETURN_LOADS 1 /* the return address */

#define CODE_COUNT  "\tmov (%rdi), %rcx\n"  /* N; one load */
#define CODE_MEMORY "\tmov 8(%rdi), %rsi\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back. */
#define CODE_LOOP(body) "1:\n" body "\tsub $1, %rcx\n\tjne 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\tadd $1, %rax\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tmov (%rsi), %rsi\n" /* to where memory points; one load that waits for the last */

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd %rdx, %rax\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd %rdx, %rax\n\tadd %rdx, %r8\n"

/* Sixteen no-ops as compilers pad with: one to nine bytes. None reads the memory it names. */
#define CODE_PADDING                                                                               \
    "\tnop\n"                                                                                      \
    "\t.byte 0x66, 0x90\n"                                                                         \
    "\t.byte 0x0f, 0x1f, 0x00\n"                                                                   \
    "\t.byte 0x0f, 0x1f, 0x40, 0x00\n"                                                             \
    "\t.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"                                                       \
    "\t.byte 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00\n"                                                 \
    "\t.byte 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00\n"                                           \
    "\t.byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n"                                     \
    "\t.byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n" CODE_TIMES(7, CODE_NOP)

#define CODE_LOAD  "\tmov (%rsi), %rax\n" /* one word */
#define CODE_STORE "\tmov %rdx, (%rsi)\n"

/* String instructions: target and source are registers of their own, the count is the loop's. */
#define CODE_MEMORY_IS_TARGET  "\tmov 8(%rdi), %rdi\n"  /* instead of CODE_MEMORY; one load */
#define CODE_OPERAND_IS_TARGET "\tmov 16(%rdi), %rdi\n" /* operands[0]; one load */
#define CODE_MOVE_STRING       "\trep movsb\n"
#define CODE_STORE_STRING      "\trep stosb\n"

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

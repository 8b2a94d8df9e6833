/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on AArch64. Each piece is one instruction
 * unless it says otherwise. A specimen's function gets a pointer to its state in x0.
 *
 * x1 counts iterations, x2 points to the specimen's memory; x3 … x17 and all of v0 … v31 are free
 * (the window's slot clobbers them). Local labels: 1 is the loop's; a body may use 2 … 8. */
#pragma once

#define CODE_RETURN_LOADS 0

#define CODE_COUNT  "\tldr x1, [x0]\n"     /* N; one load */
#define CODE_MEMORY "\tldr x2, [x0, #8]\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back. */
#define CODE_LOOP(body) "1:\n" body "\tsubs x1, x1, #1\n\tb.ne 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\tadd x3, x3, #1\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tldr x2, [x2]\n" /* to where memory points; one load that waits for the last */

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd x3, x3, x4\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd x3, x3, x4\n\tadd x5, x5, x4\n"

/* Sixteen no-ops as compilers pad with. */
#define CODE_PADDING CODE_TIMES(16, CODE_NOP)

#define CODE_LOAD  "\tldr x3, [x2]\n" /* one word */
#define CODE_STORE "\tstr x4, [x2]\n"

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The pieces that specimens in assembly are made of, on RISC-V (64 bit). Each piece is one
 * instruction unless it says otherwise. A specimen's function gets a pointer to its state in a0.
 *
 * t1 counts iterations, t2 points to the specimen's memory; t0, t3 … t6, a1 … a7 and the
 * caller-saved floating-point registers are free. Local labels: 1 is the loop's; a body may use
 * 2 … 8. */
#pragma once

#define CODE_RETURN_LOADS 0

#define CODE_COUNT  "\tld t1, 0(a0)\n" /* N; one load */
#define CODE_MEMORY "\tld t2, 8(a0)\n" /* where its memory begins; one load */
#define CODE_RETURN "\tret\n"

/* The body N times (N at least 1), each time with two instructions more: decrement, branch back.
 * Bodies of more than 4 KiB are out of the branch's reach. */
#define CODE_LOOP(body) "1:\n" body "\taddi t1, t1, -1\n\tbnez t1, 1b\n"

/* text, count times in a row. */
#define CODE_TIMES(count, text) "\t.rept " #count "\n" text "\t.endr\n"

#define CODE_ADD "\taddi t0, t0, 1\n" /* each depends on the one before */
#define CODE_NOP "\tnop\n"
#define CODE_FOLLOW                                                                                \
    "\tld t2, 0(t2)\n" /* to where memory points; one load that waits for the last */

/* Text whose instructions keep their full four bytes, and stay as they are when linked. */
#define CODE_UNCOMPRESSED(text)                                                                    \
    "\t.option push\n\t.option norvc\n\t.option norelax\n" text "\t.option pop\n"

/* One cycle each: the sum is needed by the next. Register to register, because additions of
 * constants may be folded together before they are executed. */
#define CODE_ADD_REGISTERS "\tadd t0, t0, t3\n"
/* The same on two sums in turn: two instructions. */
#define CODE_ADD_IN_TURN "\tadd t0, t0, t3\n\tadd t4, t4, t3\n"

/* Sixteen no-ops as compilers pad with: of two bytes where there are such, and of four. */
#define CODE_PADDING CODE_TIMES(8, CODE_NOP) CODE_UNCOMPRESSED(CODE_TIMES(8, CODE_NOP))

#define CODE_LOAD  "\tld t0, 0(t2)\n" /* one word */
#define CODE_STORE "\tsd t3, 0(t2)\n"

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop as rounding-x87 with doubles in SSE registers: 53 steps, on the CPU and under every
 * tool. */
#include "probe/subjects/bare.h"

#define STEPS 53

#ifdef SUBJECT_PROGRAM
SUBJECT_BARE("\tmovsd one(%rip), %xmm1\n" SUBJECT_COUNT CODE_LOOP("\tmovapd %xmm1, %xmm0\n"
                                                                  "2:\tmulsd half(%rip), %xmm0\n"
                                                                  "\tmovapd %xmm0, %xmm2\n"
                                                                  "\taddsd %xmm1, %xmm2\n"
                                                                  "\tucomisd %xmm1, %xmm2\n"
                                                                  "\tjne 2b\n"),
             "\t.section .rodata\n"
             "half:\t.double 0.5\n"
             "one:\t.double 1\n"
             "\t.text\n");
#else
const struct subject subject_rounding_sse = {
    .name = "rounding-sse",
    .summary = "halves until one plus it is one, N times: 53 steps each in double precision",
    .shows = "M9",
    .n = 50,
    .has_truth = true,
    .base = SUBJECT_FRAME_INSTRUCTIONS + 1 + SUBJECT_COUNT_INSTRUCTIONS,
    .each = 1 + 5 * STEPS + SUBJECT_LOOP_INSTRUCTIONS,
    .bits = 64,
};
#endif

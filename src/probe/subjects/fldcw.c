/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loads the control word of the x87 unit N times, as code does that converts to integers. Some CPUs
 * count this instruction twice. */
#include "probe/subjects/bare.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_BARE("\tlea control(%rip), %rsi\n" SUBJECT_COUNT CODE_LOOP(CODE_X87_CONTROL),
             "\t.section .rodata\n"
             "control:\t.word 0x37f\n" /* as the operating system has it: nothing changes */
             "\t.text\n");
#else
const struct subject subject_fldcw = {
    .name = "fldcw",
    .summary = "loads the control word of the x87 unit N times",
    .shows = "M2",
    .n = 20000,
    .has_truth = true,
    .base = SUBJECT_FRAME_INSTRUCTIONS + 1 + SUBJECT_COUNT_INSTRUCTIONS,
    .each = SUBJECT_LOOP_INSTRUCTIONS + 1,
    .bits = 64,
};
#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Halves a number until adding it to one makes no difference, N times, in registers of the x87
 * unit. With their 64 bits of precision that takes 64 steps; a tool that computes with the 53 of a
 * double is there after 53, and executes fewer instructions. */
#include "probe/subjects/bare.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_BARE(SUBJECT_COUNT CODE_LOOP("\tfld1\n"
                                     "\tfld1\n"
                                     "2:\tfmuls half(%rip)\n"
                                     "\tfld %st(0)\n"
                                     "\tfadd %st(2), %st\n"
                                     "\tfucomip %st(2), %st\n"
                                     "\tjne 2b\n"
                                     "\tfstp %st(0)\n"
                                     "\tfstp %st(0)\n"),
             "\t.section .rodata\n"
             "half:\t.single 0.5\n"
             "\t.text\n");
#else
/* Not the same under every tool, so no truth: that is what it shows. */
const struct subject subject_rounding_x87 = {
    .name = "rounding-x87",
    .summary = "halves until one plus it is one, N times: 64 steps each in x87's own precision",
    .shows = "M9",
    .n = 50,
    .bits = 64,
};
#endif

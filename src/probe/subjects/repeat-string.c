/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies and fills memory N times by string instructions with a repeat prefix. Each is one
 * instruction, however often it repeats; tools count its repetitions. */
#include "probe/subjects/bare.h"

/* 32 words are filled and 96 bytes copied: enough repetitions to matter, few enough to be stepped.
 */
#define PASS_INSTRUCTIONS 8
#define PASS                                                                                       \
    "\tlea target(%rip), %rdi\n"                                                                   \
    "\tmov $32, %ecx\n"                                                                            \
    "\tmov %rbx, %rax\n"                                                                           \
    "\trep stosq\n"                                                                                \
    "\tlea target(%rip), %rsi\n"                                                                   \
    "\tlea copy(%rip), %rdi\n"                                                                     \
    "\tmov $96, %ecx\n"                                                                            \
    "\trep movsb\n"

#ifdef SUBJECT_PROGRAM
/* rcx is the count of string instructions, so the passes are counted elsewhere. */
SUBJECT_BARE("\tmov %rbx, %r8\n"
             "1:\n" PASS "\tsub $1, %r8\n"
             "\tjne 1b\n",
             "\t.lcomm target, 256\n"
             "\t.lcomm copy, 256\n");
#else
const struct subject subject_repeat_string = {
    .name = "repeat-string",
    .summary = "fills 32 words and copies 96 bytes by string instructions, N times",
    .shows = "M8",
    .n = 500,
    .has_truth = true,
    .base = SUBJECT_FRAME_INSTRUCTIONS + 1,
    .each = PASS_INSTRUCTIONS + 2,
    .bits = 64,
};
#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Subjects without libc that are written in assembly: every instruction that such a program
 * executes stands in its own file, and is counted there. */
#pragma once

#include "code.h"
#include "subject-frame.h"

#include "probe/subjects/subject.h"

/* Beside its body a program takes its argument and ends. */
#define SUBJECT_FRAME_INSTRUCTIONS (SUBJECT_NUMBER_INSTRUCTIONS + SUBJECT_EXIT_INSTRUCTIONS)

#define SUBJECT_SYMBOL(name, text)                                                                 \
    "\t.globl " name "\n\t.type " name ", %function\n" name ":\n" text "\t.size " name             \
    ", . - " name "\n"

/* The whole program. body: text; beyond: what no execution reaches by falling through, or nothing
 * (""). */
#define SUBJECT_BARE(body, beyond)                                                                 \
    __asm__("\t.text\n" SUBJECT_SYMBOL("_start", SUBJECT_NUMBER body SUBJECT_EXIT)                 \
                SUBJECT_REFUSALS beyond                                                            \
            "\t.section .rodata\n"                                                                 \
            ".Lwords:\t.ascii \"a subject takes one number, at least 1\\n\"\n"                     \
            ".Lwords_end:\n"                                                                       \
            "\t.text\n")

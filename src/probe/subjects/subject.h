/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Subjects: whole programs of the kit that show one thing each, so that what the paper found with
 * SPEC can be tried everywhere. Started as "subject:NAME N". One file each, compiled twice: with
 * SUBJECT_PROGRAM as the program, and without as what the driver tells of it, so that a truth
 * stands beside the code it is the truth of.
 *
 *   NAME.c      the subject NAME
 *   subject.h   what the driver is told of one
 *   bare.h      for subjects without libc in assembly
 *   bare-c.h    for those without libc in C
 *   hosted.h    for those with libc
 *   chains.h    what `address-hash` and `stack32` do, which both compile in */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUBJECT_OUTPUT_BYTES 4096 /* that `output` writes at once */

struct subject {
    const char *name;    /* file subject-NAME of the kit */
    const char *summary; /* one line: what it does */
    const char *shows;   /* ids of findings, separated by spaces */
    uint64_t n;          /* a sensible argument */
    bool has_truth;      /* instructions executed = base + each * n, whatever surrounds it */
    int64_t base, each;
    int bits;  /* 64, or 32 */
    bool libc; /* linked with the C library (statically) */
};
extern const struct subject *const subject_registry[]; /* ends with NULL */

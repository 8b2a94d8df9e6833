/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop for long: what comes from outside while a program runs (timer interrupts) accrues with
 * its duration, and nothing else does. */
#include "probe/subjects/bare.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_BARE(SUBJECT_COUNT CODE_LOOP(CODE_ADD), "");
#else
const struct subject subject_spin = {
    .name = "spin",
    .summary = "counts down from N for as long as timer interrupts need to accrue",
    .shows = "M7",
    .n = 200000000,
    .has_truth = true,
    .base = SUBJECT_FRAME_INSTRUCTIONS + SUBJECT_COUNT_INSTRUCTIONS,
    .each = SUBJECT_LOOP_INSTRUCTIONS + 1,
    .bits = 64,
};
#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes once to each of N pages that have no memory yet: N page faults in a program of known
 * length. */
#include "probe/subjects/bare.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_BARE(SUBJECT_MAP SUBJECT_COUNT CODE_LOOP(CODE_STORE SUBJECT_NEXT_STRETCH), "");
#else
const struct subject subject_faults = {
    .name = "faults",
    .summary = "writes to N fresh pages: N page faults, and its length is known",
    .shows = "M6",
    .n = 2000,
    .has_truth = true,
    .base = SUBJECT_FRAME_INSTRUCTIONS + SUBJECT_MAP_INSTRUCTIONS + SUBJECT_COUNT_INSTRUCTIONS,
    .each = SUBJECT_LOOP_INSTRUCTIONS + 2,
    .bits = 64,
};
#endif

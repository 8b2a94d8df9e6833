/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The smallest program of known length: a loop that counts down. Who counts it differently counts
 * something else, or something beside it. */
#include "probe/subjects/bare.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_BARE(SUBJECT_COUNT CODE_LOOP(""), "");
#else
const struct subject subject_loop = {
    .name = "loop",
    .summary = "counts down from N, without the C library: its length is known",
    .shows = "M10 M11",
    .n = 20000,
    .has_truth = true,
    .base = SUBJECT_FRAME_INSTRUCTIONS + SUBJECT_COUNT_INSTRUCTIONS,
    .each = SUBJECT_LOOP_INSTRUCTIONS,
    .bits = 64,
};
#endif

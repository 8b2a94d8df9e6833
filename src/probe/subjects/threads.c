/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three threads count down from N at the same time. What each executes is known, and so is the sum;
 * in which order they come is not. */

#include "probe/subjects/bare.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_BARE(SUBJECT_START_THREADS SUBJECT_AWAIT_THREADS,
             SUBJECT_THREAD(SUBJECT_COUNT CODE_LOOP("")) SUBJECT_THREADS_MEMORY);
#else
const struct subject subject_threads = {
    .name = "threads",
    .summary = "three threads count down from N at the same time: their sum is known",
    .shows = "",
    .n = 10000,
    .has_truth = true,
    .base = SUBJECT_FRAME_INSTRUCTIONS + SUBJECT_START_THREADS_INSTRUCTIONS +
            SUBJECT_AWAIT_THREADS_INSTRUCTIONS +
            (int64_t)SUBJECT_THREADS * (SUBJECT_THREAD_INSTRUCTIONS + SUBJECT_COUNT_INSTRUCTIONS),
    .each = (int64_t)SUBJECT_THREADS * SUBJECT_LOOP_INSTRUCTIONS,
    .bits = 64,
};
#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The source `decode`: what a specimen executes between opening and closing, counted from its code
 * alone. Nothing is run. */
#pragma once

#include "decode/decode.h"
#include "decode/walk.h"

/* A specimen's code as it stands on the machine under test. */
struct specimen_code {
    struct code_bytes code; /* its own; length 0: it has none */
    struct code_bytes call; /* the window's instructions that call it; length 0: it stands inline */
    struct trips trips;
};

/* Given a stretch of code and how often each of its instructions is executed; a non-zero result
 * ends the counting and becomes its result. */
typedef int counted_part(void *context, const struct instructions *code,
                         const struct linear *counts, const struct trips *trips,
                         struct failure *failure);
/* The window's call, then the specimen's own code. Failures are those of decode and walk_counts. */
int count_parts(const struct decoder *decoder, const struct specimen_code *specimen,
                counted_part *part, void *context, struct failure *failure);

/* All classes that can be told, for every N. Failures are those of decode and walk_counts. */
int count_code(const struct decoder *decoder, const struct specimen_code *specimen,
               struct tallies *tallies, struct failure *failure);

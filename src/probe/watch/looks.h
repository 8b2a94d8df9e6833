/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks: the opened clocks of a watch, read once each, forwards or backwards. Readers belong to the
 * thread that opened them. */
#pragma once

#include "base/failure.h"
#include "probe/clocks/clock.h"
#include "probe/harness/job.h"

struct looks {
    struct clock_reader readers[CELL_MAX_COUNTERS];
    uint32_t count;
};

/* Opens the clocks of these columns of the job, in this order; NULL: of all. What was opened is
 * closed again where one fails. */
int looks_open(struct looks *looks, const struct job *job, const uint32_t *columns, uint32_t count,
               bool objects, struct failure *failure);
void looks_close(struct looks *looks);

/* Reads all from `first` on, in the order of columns or against it, each into its own place of the
 * row. Nothing before it is still under way when it begins, nor anything of it when what follows
 * begins. */
void looks_forwards(struct looks *looks, uint32_t first, uint64_t *row);
void looks_backwards(struct looks *looks, uint32_t first, uint64_t *row);

/* Did every reading so far succeed? Else a sentence. */
int looks_check(const struct looks *looks, struct failure *failure);

/* Reads all once each way without keeping it: what the first reading of a process pays is no
 * property of the clock. */
int looks_rehearse(struct looks *looks, struct failure *failure);

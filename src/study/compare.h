/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of comparison: from stores to the quantities that its judge gets. */
#pragma once

#include "commands/compare/judge.h"
#include "store/store.h"

/* Adds what was measured in this store to a side, the median of each process as one value: windows
 * and whole programs by their events, calls of tours by operation, clocks by what reading them
 * costs and how they run against another. Hostile stores get a sentence. */
int compare_load(struct store *store, size_t side, struct compare_case *file,
                 struct failure *failure);

/* Runs of one machine, minutes apart, differ in times by so much without any difference of machines
 * (docs/compare.md tells how that is known), and clocks in their rate. */
#define COMPARE_TIME_MARGIN .25
#define COMPARE_RATE_MARGIN .001
/* Page faults of a whole program: a fault maps as many pages as the page cache holds in one piece,
 * which differs with how the file came into it, and stays so for a whole run. */
#define COMPARE_FAULT_MARGIN .25
/* How long a whole program takes: with as much to do as there are CPUs somebody else may have half
 * of each; and who runs on the other thread of a core, on a host also unseen, halves its speed, so
 * that its time on a CPU is no better. All executions of one invocation share that. */
#define COMPARE_PROGRAM_TIME_MARGIN 1.

/* --- the parts --- */
struct compare_loading {
    struct store *store;
    const char *study;
    size_t side;
    struct compare_case *file;
    struct failure *failure;
};
int compare_load_cells(const struct compare_loading *loading);
int compare_load_tours(const struct compare_loading *loading);
int compare_load_clocks(const struct compare_loading *loading);

/* Fills in unit, timed and margin by what the event counts in a window or call. */
void compare_classify(const char *event, struct compare_quantity *quantity);
/* Adds the median of these values, which are sorted on the way; of none nothing. */
int compare_add_median(struct compare_quantity *quantity, size_t side, double *values,
                       size_t count);

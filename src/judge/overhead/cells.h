/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The spans of a case, put together by their factors. Millions are laid side by side, so a cell is
 * found by a hash and its spans lie in one stretch. */
#pragma once

#include "studies/overhead/study.h"

/* All of one size, without room between them: compared and hashed as bytes. Words are numbers. */
struct overhead_factors {
    uint32_t machine, meter, operation, link, counted, events, separate, reads, temperature,
        position;
    uint32_t predecessor; /* index + 1; 0: nothing of the tour */
    uint32_t predecessor_times;
};

enum span_flag { SPAN_FAULTED = 1, SPAN_SWITCHED = 2 };

/* Spans begin … begin + runs - 1 are undisturbed, the `disturbed` behind them are not. Each of the
 * two in the order of processes. */
struct overhead_cell {
    struct overhead_factors factors;
    const struct overhead_tour *tour; /* the first that has it */
    const struct overhead_meter *meter;
    size_t begin, runs, disturbed;
    size_t faults; /* of undisturbed spans; cold */
};

struct overhead_cells {
    struct overhead_cell *list;
    size_t count;
    size_t spans;
    int64_t *values;  /* [span], raw */
    uint32_t *groups; /* [span], number of the process over all tours */
    uint8_t *flags;   /* [span] */
};

/* In order of machine, meter, path, kind, …, predecessor. 0 or -ENOMEM; release in either case. */
int overhead_cells_collect(const struct overhead_case *file, const struct overhead_report *report,
                           struct overhead_cells *cells);
void overhead_cells_release(struct overhead_cells *cells);
#define AUTO_CELLS __attribute__((cleanup(overhead_cells_release)))
/* The same but for what was before. */
bool overhead_cells_siblings(const struct overhead_cell *left, const struct overhead_cell *right);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files that load the case of measurement error share: a cell as it is planned becomes
 * factors (error-factors.c), its samples become runs (error-runs.c). */
#pragma once

#include "study/error.h"
#include "study/measure.h"
#include "study/validate-known.h"

/* Further than this no count and no truth may be off: differences of errors still fit. */
#define ERROR_FURTHEST (INT64_C(1) << 60)
int64_t error_clamp(uint64_t value);

/* What a cell of the case needs while it is loaded. */
struct error_origin {
    uint32_t id;                   /* in the store */
    uint32_t runs, counters;       /* as planned */
    uint32_t interrupts;           /* the counter that counts them; 0: none */
    int32_t cpu;                   /* pinned to */
    struct maybe faults, switches; /* what the account of a run may show */
    bool is_null;
};

/* --- error-factors.c: everything of a cell but its runs --- */

/* event: as the store lists it, kind "" where it does not. */
int error_fill_factors(const struct stored_cell *stored, const struct stored_event *event,
                       const struct known *known, struct error_cell *cell,
                       struct error_origin *origin);

/* --- error-runs.c: the runs --- */

/* Accounts of the runs of one cell, reused for the next. */
struct error_accounts {
    uint64_t *faults, *switches, *scratch;
    size_t count, room;
};
void error_accounts_free(struct error_accounts *accounts);

/* Reads all samples of the cell. */
int error_take_runs(struct store *store, const struct error_origin *origin, struct error_cell *cell,
                    struct error_accounts *accounts, struct failure *failure);
/* What most of the runs that were read last show where nothing is predicted, and at least that. */
void error_usual_account(struct error_accounts *accounts, struct maybe *faults,
                         struct maybe *switches);
/* How many of them the operating system's account shows more of. */
size_t error_count_disturbed(const struct error_accounts *accounts, struct maybe faults,
                             struct maybe switches);

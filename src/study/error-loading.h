/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files that load the case of measurement error share: a cell as it is planned becomes
 * factors (error-factors.c), its samples become runs (error-runs.c), what the operating system's
 * account shows of them says which were disturbed (error-account.c). */
#pragma once

#include "study/error.h"
#include "study/measure.h"
#include "study/validate-known.h"

/* Further than this no count and no truth may be off: differences of errors still fit. */
#define ERROR_FURTHEST (INT64_C(1) << 60)
int64_t error_clamp(uint64_t value);

/* --- error-account.c: page faults and context switches outside the window --- */

struct error_account {
    uint64_t faults, switches;
};
/* Of all runs of a cell; most show nothing and are only counted. */
struct error_accounts {
    struct error_account *list; /* of those that show something */
    size_t count, room;
    size_t runs; /* all */
};
/* -ENOMEM */
int error_accounts_add(struct error_accounts *accounts, const struct account *account);
void error_accounts_free(struct error_accounts *accounts);
/* Expects at least what most of the runs show. -ENOMEM */
int error_accounts_usual(const struct error_accounts *accounts, struct maybe *faults,
                         struct maybe *switches);
/* How many runs show more than is expected. */
size_t error_accounts_beyond(const struct error_accounts *accounts, struct maybe faults,
                             struct maybe switches);

/* --- what a cell of the case needs while it is loaded --- */

struct error_origin {
    uint32_t id;                   /* in the store */
    uint32_t runs, counters;       /* as planned */
    uint32_t interrupts;           /* the counter that counts them; 0: none */
    int32_t cpu;                   /* pinned to */
    struct maybe faults, switches; /* what the account of a run may show */
    bool is_null;
    bool timed;               /* its part needs times and company */
    size_t room, begins_room; /* of the cell's arrays */
    uint32_t *processes;      /* [begins_room] in the order of the samples */
    struct error_accounts accounts;
};

/* --- error-factors.c: everything of a cell but its runs --- */

/* event: as the store lists it, kind "" where it does not. -ENOMEM */
int error_fill_factors(const struct stored_cell *stored, const struct stored_event *event,
                       const struct known *known, struct error_cell *cell,
                       struct error_origin *origin);

/* --- error-runs.c: the runs of all cells --- */

/* cells[i] comes from origins[i]; these are by id. */
int error_take_runs(struct store *store, struct error_cell *cells, struct error_origin *origins,
                    size_t count, struct failure *failure);

/* --- error-merge.c --- */

/* Joins every cell from `first` on to an earlier one with the same factors, where there is one.
 * -ENOMEM; the case is whole then, too. */
int error_merge_cells(struct error_case *file, size_t first);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution of `assay overhead`, for those of its parts that measure. */
#pragma once

#include "studies/overhead/parts.h"
#include "cli/tried.h"
#include "studies/overhead/plan.h"

#define OVERHEAD_MOST_SETS 8u

struct touring {
    struct overhead_run run; /* what showing needs */
    /* With --resume: what the run began with, and what it goes on with. */
    struct overhead_options begun, resumed;
    char *begun_counted; /* the event that was counted then */
    int64_t started;     /* monotonic ms */
    /* --- the machine; stored runs that are judged again have neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    /* --- the plan --- */
    struct tried_events tried;
    struct overhead_meters meters[OVERHEAD_MOST_SETS];
    struct overhead_study study;
    struct overhead_plan plan;
    size_t stored_cells; /* of the plan that are in the store */
    struct store *store; /* NULL: nothing can be measured; of several the first */
};

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* Tries meters and what could be counted. */
int overhead_find_events(struct touring *touring);
/* What follows from the events that were tried, and from the catalogue: the study and its wishes.
 */
int overhead_prepare(struct touring *touring);
/* A new store with events and operations in it; or (--resume) an unfinished one, whose cells become
 * the plan's. */
int overhead_create_store(struct touring *touring);
int overhead_reopen_store(struct touring *touring);
/* --from: loads every store that was named. */
int overhead_open_from(struct touring *touring);
/* Tour after tour, as far as the budget goes. */
int overhead_measure(struct touring *touring);

/* The parts of these: negative errno, with the reason in failure. */

/* The cells that the plan got since the last time, and visits, go into the store. */
int overhead_store_plan(struct touring *touring, const struct visit *visits, size_t count,
                        struct failure *failure);
/* Which cells failed, by what the store holds. */
int overhead_learn_failures(struct touring *touring, struct failure *failure);
/* What the case says could not be measured becomes rows of `skips`, grouped by reason. -ENOMEM. */
int overhead_collect_skips(struct touring *touring);

int overhead_fail(const struct failure *failure, int status);
int overhead_out_of_memory(void);

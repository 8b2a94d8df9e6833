/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution of `assay clocks`, for those of its parts that measure. */
#pragma once

#include "studies/clocks/parts.h"
#include "studies/clocks/plan.h"

struct watching {
    struct clocks_run run; /* what showing needs */
    /* With --resume: what the run began with, and what it goes on with. */
    struct clocks_options begun, resumed;
    int64_t started; /* monotonic ms */
    /* --- the machine; a stored run that is judged again has neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    /* --- the plan --- */
    struct string_list names; /* candidates of the catalogue that were asked for */
    struct clocks_own *own;   /* those that a person brought along */
    size_t own_count;
    int32_t *cpus;
    struct clocks_study study;
    struct clocks_plan plan;
    struct store *store; /* NULL: nothing can be measured */
    /* --- looks from outside --- */
    bool outside;                                /* the controller is another machine */
    const char *outside_look[CELL_MAX_COUNTERS]; /* what the driver reads, without the controller's
                                                    two columns */
    size_t outside_count;
    ptrdiff_t outside_cell; /* index in the plan; -1: not there yet */
};

extern const struct command command_clocks;

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* Sorts what --clock says, before a machine is reached. */
int clocks_read_options(struct watching *watching);
/* From options and the machine to the study and its plan. */
int clocks_prepare(struct watching *watching);
/* Reads every clock that a person brought along, once: one that cannot be read would spoil every
 * look that it is part of. Tells how long a reading takes. */
int clocks_try_own(struct watching *watching);
/* A new store with clocks and absences in it. */
int clocks_create_store(struct watching *watching);
/* --resume: an unfinished one, and what it began with; when the plan was made, its cells become the
 * plan's. */
int clocks_reopen_store(struct watching *watching);
int clocks_adopt_store(struct watching *watching);
/* --from: opens the store that was named. */
int clocks_open_from(struct watching *watching);
/* Watch after watch, as far as the budget goes. */
int clocks_measure(struct watching *watching);

/* Is the controller another machine, and what does it look at then? Absences are told. */
void clocks_find_outside(struct watching *watching);
/* Several looks, which go into the store as one process of the cell of looks from outside; context
 * is the watching. */
int clocks_look_from_outside(void *context);

/* What the case says could not be measured becomes rows of `skips`, by the reason. -ENOMEM. */
int clocks_collect_skips(struct watching *watching);

int clocks_fail(const struct failure *failure, int status);
int clocks_out_of_memory(void);

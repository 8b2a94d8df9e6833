/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the visits that a store still lacks, for every command that measures: samples go from the
 * probe to the store as they arrive, and whatever breaks off is said together with how to go on. */
#pragma once

#include "engine/command.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "engine/wishes.h"
#include "store/store.h"

/* A visit ended: what it took from the end of the one before, what its runs spent with counters
 * enabled, and how many there were. */
typedef void gather_timed(void *context, uint32_t cell, uint64_t wall_ns, uint64_t inside_ns,
                          uint64_t runs);

/* What commands send beside their counts. ran and call come before the end of their visit; ending
 * is called then, before that end goes into the store, so that sums of a visit can join it. Each
 * returns 0 or a negative errno that ends the run. output: what a program wrote, instead of a
 * remark. NULL members: nobody wants it. */
struct gather_beside {
    void *context;
    int (*ran)(void *context, const struct sent_ran *ran, struct failure *failure);
    int (*call)(void *context, const struct sent_call *call, struct failure *failure);
    int (*ending)(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                  struct failure *failure);
    void (*output)(void *context, int stream, const char *bytes, size_t length);
};

struct gathering {
    const char *command; /* "measure" */
    const struct common_options *common;
    struct session *session;
    struct store *store;
    const struct cell *cells; /* of the store's plan */
    size_t cell_count;
    /* Visits of the plan that the store does not have yet, behind all that it has. They go into it
     * piece by piece, each when its turn comes: a plan of millions costs nothing in advance. */
    const struct visit *rest;
    size_t rest_count;
    uint64_t budget;  /* ms, 0: none */
    const char *part; /* what this plan is of a study whose parts share the budget; NULL: all */
    bool resumed;
    bool once;           /* the machine is gone when this run ends: nobody can go on with it */
    bool cuts;           /* visits that the budget does not hold are struck from the plan */
    bool more;           /* another plan may follow: the store stays open for it */
    bool tells;          /* the command says itself how far it came when it was interrupted */
    gather_timed *timed; /* NULL: nobody plans by what visits cost */
    void *timed_context;
    const struct gather_beside *beside; /* NULL: nothing but counts comes */
};

/* EXIT_DONE (*complete: every visit of the plan has ended; otherwise the budget was used up), or
 * the exit code after saying why; where nothing was measured at all, refusal->text says why and
 * nothing was said. */
int gather(const struct gathering *gathering, bool *complete, struct failure *refusal);

/* ms of a budget that are left for measuring, where judging at the end needs some as well;
 * UINT64_MAX: there is no limit. started: monotonic ms. */
#define GATHER_RESERVE_MS 4000u
uint64_t gather_time_left(int64_t started, uint64_t budget, uint64_t reserve);

/* The command line as a JSON array, for the record in a store; the caller frees it. */
char *gather_argv(const struct common_options *common);

/* A store that was measured on another machine, reached in another way: most likely --via was
 * forgotten. -ESTALE says so. */
int gather_check_via(const struct common_options *common, const struct catalogue *catalogue,
                     const char *path, const struct store_info *info, struct failure *failure);

/* The seed that was given, else one that is drawn; short enough to be typed again. */
uint64_t gather_seed(const struct seed *seed);

/* ----------------------------------------------------------------------------------------------
 * Plan after plan of one study: each is run, what went wrong is said once, and the next is made
 * only where everything of the last was measured. */

struct planned {
    struct gathering gathering; /* but for cells and time, which every plan has of its own */
    struct failure failure;
    bool *complete; /* every visit so far has ended */
};

/* Runs what the store still lacks of these cells, and then the gathering's rest, within so many ms
 * (0: no limit). more: further plans may follow. EXIT_DONE, or the exit code after saying why. */
int planned_run(struct planned *planned, const struct cell *cells, size_t count, uint64_t budget,
                bool more);
/* Says that planning failed; the exit code. */
int planned_failed(const struct planned *planned);
bool planned_may_go_on(const struct planned *planned, int status);

/* ----------------------------------------------------------------------------------------------
 * The first step of every command that needs a machine: start its probe and hear what it offers. */

/* EXIT_DONE with *session open, whose catalogue is *catalogue (NULL where nobody asks); or the exit
 * code after saying on standard error why `command` cannot reach the machine of --via. */
int reach_machine(const char *command, const struct common_options *common,
                  struct session **session, const struct catalogue **catalogue);

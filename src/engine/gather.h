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

/* Runs what the store still lacks of these cells, within so many ms (0: no limit). more: further
 * plans may follow. EXIT_DONE, or the exit code after saying why. */
int planned_run(struct planned *planned, const struct cell *cells, size_t count, uint64_t budget,
                bool more);
/* Says that planning failed; the exit code. */
int planned_failed(struct planned *planned, int error);
bool planned_may_go_on(const struct planned *planned, int status);

/* ----------------------------------------------------------------------------------------------
 * How a study spends its time on what it wishes for: one look at everything, which tells what
 * visits cost; then portions that each hold some processes of all, so that whatever disturbs for a
 * while disturbs all alike. After each the plan is settled anew by what time is left. */

struct portioning {
    const char *command; /* "clocks" */
    const struct common_options *common;
    struct session *session;
    struct store *store; /* NULL: nothing to measure */
    struct wishes *wishes;
    const char *all;                /* what the portions are of, for progress: "all tours" */
    const char *const *stage_names; /* what wishes are there for */
    unsigned stages;                /* how many of these */
    const char *unit;               /* "tour": what a wish is to people */
    const char *longer;             /* how to get more time: "give a larger --budget" */
    int64_t started;                /* monotonic ms */
    uint64_t budget, reserve;       /* ms; reserve: for judging at the end */
    uint64_t seed;
    uint32_t portions;
    bool resumed;
    bool dearest_last; /* within a look: prices differ a thousandfold */
    bool once;         /* as in struct gathering */
    bool keeps; /* visits that the time does not hold wait for --resume, instead of being struck */
    struct skips *skips;                /* gets what the time did not hold, of these stages */
    const struct gather_beside *beside; /* as in struct gathering */
    /* Called before the first visit, after every portion, and when all has ended. NULL: nobody has
     * anything to do then. EXIT_DONE, or the exit code after saying why. */
    int (*between)(void *context);
    /* Called when every goal that the time holds is reached: opens what was held back until then,
     * false: there is no more. NULL: all is open from the beginning. */
    bool (*further)(void *context);
    /* [stages] Stages are measured one after the other, each in at most so many percent of the time
     * that is left then, and only what that holds as a whole; the rest of the time goes to what was
     * left out. NULL: all of them together. */
    const unsigned *shares;
    /* The turn of such a stage begins: may add its wishes. As `between`. */
    int (*begin)(void *context, unsigned stage);
    wishes_put *put; /* what the store gets with each cell; NULL: nothing */
    void *context;
};

/* EXIT_DONE (*complete: every visit of the plan has ended), or the exit code after saying why. */
int portions_measure(struct portioning *portioning, bool *complete);

/* ----------------------------------------------------------------------------------------------
 * The first step of every command that needs a machine: start its probe and hear what it offers. */

/* EXIT_DONE with *session open, whose catalogue is *catalogue (NULL where nobody asks); or the exit
 * code after saying on standard error why `command` cannot reach the machine of --via. */
int reach_machine(const char *command, const struct common_options *common,
                  struct session **session, const struct catalogue **catalogue);

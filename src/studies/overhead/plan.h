/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` measures: from the catalogue's operations and the meters that can be had to
 * tours and their cells. Pure: touches no machine and no store. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "engine/session.h"
#include "engine/wishes.h"
#include "store/store.h"
#include "studies/overhead/study.h"
#include "wire/cell.h"

/* What a tour is there for. */
enum overhead_stage {
    OVERHEAD_READS,    /* all that reads, side by side */
    OVERHEAD_SWITCHES, /* start, stop and read of paths that share counters */
    OVERHEAD_SINGLES,  /* the same of everybody else, each alone */
    OVERHEAD_COLD,     /* first calls, each tour in processes of its own */
    OVERHEAD_COMMANDS, /* whole commands */
    OVERHEAD_EVENTS,   /* more counters, as a group and one by one */
    OVERHEAD_REPEATS,  /* several reads in one span */
    OVERHEAD_STAGES,
};
extern const char *const overhead_stage_names[OVERHEAD_STAGES];

/* Read around every call at the same time. */
#define OVERHEAD_MOST_METERS 3u
struct overhead_meters {
    const char *events[OVERHEAD_MOST_METERS];
    uint32_t count;
};
bool overhead_tells_time(const struct overhead_meters *meters);
/* What the tour calls of its own. */
bool overhead_is_timer(const struct catalogue_operation *operation);

struct overhead_study {
    const struct catalogue *catalogue;
    const struct overhead_meters *meters; /* the most important first; each has tours of its own */
    size_t meters_count;
    const char *counted; /* event that the calls switch and read */
    bool uncounted;      /* it cannot be opened: only what counts nothing is called */
    const char *const *paths;
    size_t path_count;  /* 0: all that the catalogue has */
    uint32_t processes; /* of a tour; 0: as the plan thinks */
    uint32_t most_open; /* counters that an instrument can have; 0: 8 */
    bool full;          /* whatever it costs */
    bool emulated;      /* visits are dear, counts do not vary */
    int32_t cpu;
    uint64_t seed;
};

/* Everything that could be measured, tours that are each visited in several orders of their calls,
 * drawn from the study's seed: the same study gives the same orders. Fails with what overhead_order
 * refused. */
int overhead_wish(const struct overhead_study *study, struct wishes *wishes,
                  struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The order of a tour's calls. What was called before changes what a call costs, so in one pass
 * every call follows every other, and itself, exactly once: a closed walk over all ordered pairs
 * that make sense, drawn from a seed. Pure; the first thing that the plan of `assay overhead`
 * asks. */

/* What fills up a state that has fewer calls than the other. */
#define ORDER_FILLER "timer.nothing"

enum order_effect { ORDER_KEEPS, ORDER_STARTS, ORDER_STOPS };
enum order_when { ORDER_ANY, ORDER_RUNNING, ORDER_STOPPED };

struct order_call {
    const char *call; /* "perf-read.start", "perf-read.read*8" */
    enum order_effect effect;
    enum order_when when;
    const char *then; /* follows it always, and changes nothing; NULL: nothing does */
};

/* Where nobody starts or stops, everything is called while the instrument runs: all pairs, count²
 * calls (and what follows always). Otherwise there are two states, and calls that make sense in
 * both stand in both; fillers make the states equally large and, where one kind of switch has fewer
 * calls than the other, the first ones of that kind stand twice: else no closed walk would exist.
 * Every walk is drawn with the same chance; one with switches begins with one, which tells the
 * state that the tour begins in. *calls are joined by commas.
 *
 * -EINVAL: no walk exists (nothing to call, a start without a stop, a switch in the state that it
 * leads to, the same call twice); -E2BIG: longer than a tour may be. */
int overhead_order(const struct order_call *list, size_t count, uint64_t seed, char **calls,
                   size_t *length, struct failure *failure);

/* The `index`-th of the count! orders in which calls that change nothing can stand, each once; all
 * of them together have every pair of different calls equally often. -EINVAL: there are not so
 * many. */
int overhead_permutation(const struct order_call *list, size_t count, size_t index, char **calls,
                         struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The study of overhead: from stores to the case that its judge gets. */

/* Adds what the store holds: its machine (once for a fingerprint, whose tours are then joined),
 * operations (once for a name), tours with the calls of all processes that ended well, and what
 * failed everywhere as absences. Passes that are not whole are left out. Hostile stores (calls that
 * no text parses, runs beyond the tour, meters that disagree) get a sentence. */
int overhead_load(struct store *store, struct overhead_case *file, struct failure *failure);

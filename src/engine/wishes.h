/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wishes of a study: cells that it would measure, the most important first, how many processes say
 * something, and what visits cost. From them and a budget come goals, and from goals visits in an
 * order drawn from a seed. Pure: knows no machine and no study. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"
#include "wire/cell.h"

#define NO_WISH SIZE_MAX

struct wish {
    unsigned stage; /* what it is there for; the study has names for them */
    struct cell
        *cells; /* that are visited in turn, such as one thing in different orders; no ids */
    size_t cell_count;
    uint32_t processes;   /* over all of its cells */
    uint32_t least;       /* fewer say nothing: then rather none */
    size_t after;         /* the wish that must have been measured before; NO_WISH: none */
    bool ends;            /* one process at the beginning, the others when all else has ended */
    bool at_once;         /* what lacks to its goal is not parted: the next portion has it all */
    uint64_t expected_ns; /* of a visit, before any was seen */
    uint64_t runs_ns;     /* of these, what its runs take, whatever a process costs */
    size_t price;         /* those of one price share what is learnt of it; 0: it has its own */
    /* --- as the plan goes on --- */
    uint32_t goal, planned, failed;
    uint64_t visits, ns; /* that were seen, and what they took */
    size_t *places;      /* [place_count] of its cells in the plan, from 1 on; 0: not there yet */
    size_t place_count;
};

struct wished_cell {
    size_t wish; /* index; NO_WISH: nobody wishes for it now, or who measures makes it itself */
    uint32_t planned, failed;             /* visits */
    uint64_t visits, ns, inside_ns, runs; /* of those that were seen: from end to end, and with
                                             counters enabled */
};
struct wishes {
    struct wish *list; /* the most important first */
    size_t count;
    unsigned turn; /* the stage that gets goals now, from 1 on; 0: all of them */
    struct wish_price {
        uint64_t visits, ns; /* ns: without their runs */
    } * prices;
    size_t price_count;
    struct cell *cells; /* of the plan so far: ids count from 1 in this order */
    size_t cell_count;
    struct wished_cell *about; /* [cell_count] */
    size_t stored;             /* of the cells are in the store */
};

/* Adds a wish for one cell, which becomes its own. */
void wishes_add(struct wishes *wishes, const struct wish *like, struct cell *cell);
/* Adds a cell to the plan that is no wish, and which is copied; its index. */
size_t wishes_add_cell(struct wishes *wishes, const struct cell *cell);

/* A visit of the cell ended, of which so much was spent with counters enabled; and what the next
 * one of a wish will take. */
void wishes_learn(struct wishes *wishes, uint32_t cell, uint64_t ns, uint64_t inside_ns,
                  uint64_t runs);
uint64_t wishes_price(const struct wishes *wishes, const struct wish *wish);
/* Was any visit seen? Else prices are what was expected. */
bool wishes_have_prices(const struct wishes *wishes);

/* Sets goals: one process of every wish that has none and is due, as far as ns go. A first look at
 * what they cost; another one may find more that are due. whole: of those alone whose least ns
 * hold, too, beside what others still lack of theirs. */
void wishes_look(struct wishes *wishes, uint64_t ns, bool whole);
/* Sets goals: one process of the first wish of every price that was not seen yet, whatever it
 * takes.
 */
void wishes_try_prices(struct wishes *wishes);
/* Sets goals by what is known: every wish gets the least that says something while ns last, the
 * most important first, and what is left then goes to all alike. Those that fail get no more. In
 * the turn of a stage what has no process yet gets none. */
void wishes_settle(struct wishes *wishes, uint64_t ns);
/* Sets goals: what waited for the end, as far as ns go. */
void wishes_end(struct wishes *wishes, uint64_t ns);
/* Does any goal lack a visit? */
bool wishes_want(const struct wishes *wishes);
/* And one that is made in portions, rather than at once? */
bool wishes_want_portions(const struct wishes *wishes);
/* One of `portions` equal portions of the visits that lack to the goals, in rounds of random order;
 * counts them as planned. */
void wishes_visits(struct wishes *wishes, uint32_t portions, uint64_t seed, struct visit **visits,
                   size_t *count);

/* The dearest visits last, otherwise as they are: where time runs out, most was visited. */
void wishes_dearest_last(const struct wishes *wishes, struct visit *visits, size_t count);

/* Processes that the wish has or will have, those that failed left aside. */
uint32_t wishes_processes(const struct wishes *wishes, size_t wish);
/* Was what must come before it measured? */
bool wishes_is_due(const struct wishes *wishes, size_t wish);
/* Did it fail as often as it was tried? */
bool wishes_is_failing(const struct wishes *wishes, size_t wish);
/* What became of it in the time: all that says something was visited, less, or nothing. Visits that
 * failed are no question of time. */
enum wish_fate { WISH_HELD, WISH_CUT, WISH_LEFT_OUT };
enum wish_fate wishes_fate(const struct wishes *wishes, size_t wish);
/* Visits that were planned so far. */
uint64_t wishes_planned(const struct wishes *wishes);

/* --- and a store --- */

/* Cells that are not in it yet, and visits; commits. put: what else it gets with each of these
 * cells; NULL: nothing. */
typedef int wishes_put(void *context, const struct cell *cell, struct failure *failure);
int wishes_store(struct wishes *wishes, struct store *store, const struct visit *visits,
                 size_t count, wishes_put *put, void *context, struct failure *failure);
/* Which visits failed, and which were struck from the plan, by what the store holds. */
int wishes_learn_outcome(struct wishes *wishes, struct store *store, struct failure *failure);
/* Takes over the cells of an unfinished run. Wishes that are added later find theirs by a claim. */
int wishes_adopt(struct wishes *wishes, struct store *store, struct failure *failure);
void wishes_claim(struct wishes *wishes);
/* Has every cell found its wish? */
bool wishes_all_claimed(const struct wishes *wishes);

/* ----------------------------------------------------------------------------------------------
 * From cells to visits: which process runs which cell, in an order drawn from the seed, so that
 * nothing that drifts over time (temperature, load) falls on one cell alone. */

/* processes visits for each cell, shuffled; the same cells and seed give the same order
 * everywhere. */
void plan_visits(const struct cell *cells, size_t cell_count, uint32_t processes, uint64_t seed,
                 struct visit **visits, size_t *visit_count);

/* processes[i] visits for cell i, in rounds: every round visits each cell that still wants one, in
 * an order drawn from the seed, and in the first one no cell comes before the null cell of its way.
 * A run that ends early has measured every cell about as often. */
void plan_rounds(const struct cell *cells, size_t cell_count, const uint32_t *processes,
                 uint64_t seed, struct visit **visits, size_t *visit_count);

/* A copy whose texts belong to the scope: nobody releases it. */
struct cell plan_copy(const struct cell *cell);
/* Appends a cell (which *cells then owns) and gives it the next id. The array doubles whenever its
 * count is a power of two, so it must have been made by this function alone. */
void plan_append(struct cell **cells, size_t *count, const struct cell *cell);

/* Measured the same way: everything but specimen, N and runs agrees. */
bool plan_same_way(const struct cell *left, const struct cell *right);
/* Appends a null cell with N = 0 for every way of measuring that has none yet: what it counts is
 * the overhead of that way. */
void plan_overhead_cells(struct cell **cells, size_t *count);
bool plan_is_overhead_cell(const struct cell *cell);

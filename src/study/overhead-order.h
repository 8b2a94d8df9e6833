/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The order of a tour's calls. What was called before changes what a call costs, so in one pass
 * every call follows every other, and itself, exactly once: a closed walk over all ordered pairs
 * that make sense, drawn from a seed. Pure; the first thing that the plan of `assay overhead`
 * asks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

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
 * state that the tour begins in. The caller frees *calls, which are joined by commas.
 *
 * -EINVAL: no walk exists (nothing to call, a start without a stop, a switch in the state that it
 * leads to, the same call twice); -E2BIG: longer than a tour may be; -ENOMEM. */
int overhead_order(const struct order_call *list, size_t count, uint64_t seed, char **calls,
                   size_t *length, struct failure *failure);

/* The `index`-th of the count! orders in which calls that change nothing can stand, each once; all
 * of them together have every pair of different calls equally often. -EINVAL: there are not so
 * many; -ENOMEM. */
int overhead_permutation(const struct order_call *list, size_t count, size_t index, char **calls,
                         struct failure *failure);

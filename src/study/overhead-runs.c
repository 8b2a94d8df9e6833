/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of tours from the samples of a store, in the order of the visits. Run r of a process is
 * call r modulo the length of its tour, so nothing may be missing between two runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/loading.h"
#include "study/overhead-loading.h"

/* Exact as a double; no span is as long, and sums of such stay far from overflowing. */
#define FURTHEST (INT64_C(1) << 53)

struct planned {
    struct visit visit;
    bool done;
};

struct taking {
    struct store *store;
    struct overhead_tour *tours;
    struct overhead_origin *origins;
    size_t count;
    struct failure *failure;
    struct planned *visits; /* in planned order */
    size_t visit_count, next;
    /* The visit under way. */
    size_t at; /* its tour; count: none of this study, or it did not end well */
    bool began;
    uint32_t cell, process;
    uint32_t run, counter; /* the next to come */
};

static int damaged(const struct taking *taking, const struct sample *sample, const char *what)
{
    return fail_with(
        taking->failure, -EBADMSG,
        "the store %.300s is damaged: process %u of cell %u has %s (run %u, meter %u). "
        "Take a copy you trust.",
        store_path(taking->store), sample->process, sample->cell, what, sample->run,
        sample->counter);
}

static bool grow(void *list, size_t room, size_t size)
{
    void **at = list;
    void *larger = reallocarray(*at, room, size);
    if (larger)
        *at = larger;
    return larger != NULL;
}

/* --- visits --- */

static int take_visit(void *context, const struct stored_visit *visit)
{
    struct taking *taking = context;
    size_t count = taking->visit_count;
    if ((count & (count - 1)) == 0 &&
        !grow(&taking->visits, count ? 2 * count : 1, sizeof(*taking->visits)))
        return loading_no_memory(taking->failure);
    taking->visits[taking->visit_count++] =
        (struct planned){visit->visit, visit->state == VISIT_DONE};
    return 0;
}

/* Samples come in the order of the visits; NULL: not these. */
static const struct planned *next_visit(struct taking *taking, const struct sample *sample)
{
    while (taking->next < taking->visit_count) {
        const struct planned *planned = &taking->visits[taking->next++];
        if (planned->visit.cell == sample->cell && planned->visit.process == sample->process)
            return planned;
    }
    return NULL;
}

static int compare_cells(const void *key, const void *entry)
{
    uint32_t wanted = *(const uint32_t *)key, id = ((const struct overhead_origin *)entry)->cell;
    return (wanted > id) - (wanted < id);
}

static bool open_process(struct overhead_tour *tour, struct overhead_origin *origin)
{
    size_t last = tour->processes;
    if (last == origin->process_room) {
        size_t room = last ? 2 * last : 32;
        if (!grow(&tour->begins, room + 1, sizeof(*tour->begins)) ||
            !grow(&tour->passes, room, sizeof(*tour->passes)))
            return false;
        origin->process_room = room;
    }
    tour->begins[last] = origin->calls;
    tour->passes[last] = 0;
    tour->processes++;
    return true;
}

/* What is beyond the last whole pass goes, and a process that has none. */
static void close_process(struct taking *taking)
{
    if (taking->at == taking->count || !taking->began)
        return;
    struct overhead_tour *tour = &taking->tours[taking->at];
    struct overhead_origin *origin = &taking->origins[taking->at];
    size_t last = tour->processes - 1;
    size_t whole = (origin->calls - tour->begins[last]) / tour->length;
    origin->calls = tour->begins[last] + whole * tour->length;
    tour->passes[last] = (uint32_t)whole;
    tour->begins[tour->processes] = origin->calls;
    if (!whole)
        tour->processes--;
}

static int open_visit(struct taking *taking, const struct sample *sample)
{
    const struct overhead_origin *found =
        bsearch(&sample->cell, taking->origins, taking->count, sizeof(*found), compare_cells);
    const struct planned *planned = next_visit(taking, sample);
    if (!planned)
        return damaged(taking, sample, "samples out of the order of its visit");
    taking->at = found && planned->done ? (size_t)(found - taking->origins) : taking->count;
    taking->began = true;
    taking->cell = sample->cell;
    taking->process = sample->process;
    taking->run = taking->counter = 0;
    if (taking->at == taking->count)
        return 0;
    return open_process(&taking->tours[taking->at], &taking->origins[taking->at])
               ? 0
               : loading_no_memory(taking->failure);
}

/* --- samples --- */

static bool make_room(struct overhead_tour *tour, struct overhead_origin *origin)
{
    if (origin->calls < origin->room)
        return true;
    size_t room = origin->room ? 2 * origin->room : 256;
    if (!grow(&tour->values, room * tour->meter_count, sizeof(*tour->values)) ||
        !grow(&tour->accounts, room, sizeof(*tour->accounts)))
        return false;
    origin->room = room;
    return true;
}

/* Differences wrap below zero. */
static int64_t clamp(uint64_t value)
{
    int64_t span = (int64_t)value;
    if (span > FURTHEST)
        return FURTHEST;
    return span < -FURTHEST ? -FURTHEST : span;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    if (!taking->began || sample->cell != taking->cell || sample->process != taking->process) {
        close_process(taking);
        int error = open_visit(taking, sample);
        if (error)
            return error;
    }
    if (taking->at == taking->count)
        return 0;
    struct overhead_tour *tour = &taking->tours[taking->at];
    struct overhead_origin *origin = &taking->origins[taking->at];
    if (sample->run >= origin->runs)
        return damaged(taking, sample, "more runs than were planned");
    if (sample->counter >= tour->meter_count)
        return damaged(taking, sample, "a value of a meter that its cell does not have");
    if (sample->run != taking->run || sample->counter != taking->counter)
        return damaged(taking, sample, "a gap before this value, so that its call is not known");
    if (!make_room(tour, origin))
        return loading_no_memory(taking->failure);
    tour->values[origin->calls * tour->meter_count + sample->counter] = clamp(sample->value);
    if (sample->counter == 0)
        tour->accounts[origin->calls] = sample->account;
    if (++taking->counter == tour->meter_count) {
        taking->counter = 0;
        taking->run++;
        origin->calls++;
    }
    return 0;
}

/* --- the whole --- */

/* Every tour has an end of its last process, also one that no process made. */
static int settle(struct taking *taking)
{
    for (size_t i = 0; i < taking->count; i++) {
        struct overhead_tour *tour = &taking->tours[i];
        if (!tour->begins && !(tour->begins = calloc(1, sizeof(*tour->begins))))
            return loading_no_memory(taking->failure);
        tour->begins[tour->processes] = taking->origins[i].calls;
    }
    return 0;
}

int overhead_take_runs(struct store *store, struct overhead_tour *tours,
                       struct overhead_origin *origins, size_t count, struct failure *failure)
{
    struct taking taking = {.store = store,
                            .tours = tours,
                            .origins = origins,
                            .count = count,
                            .failure = failure,
                            .at = count};
    int error = store_each_visit(store, take_visit, &taking, failure);
    if (!error)
        error = store_scan_samples(store, take_sample, &taking, failure);
    if (!error)
        close_process(&taking);
    free(taking.visits);
    return error ? error : settle(&taking);
}

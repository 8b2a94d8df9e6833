/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The readings of watches from the samples of a store, in the order of the visits. What a look is,
 * follows from its number alone, so nothing may be missing between two of them. Values are taken as
 * they are: any 64 bits may be a reading. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "study/clocks-loading.h"
#include "engine/loading.h"

struct planned {
    struct visit visit;
    bool done;
};

struct taking {
    struct store *store;
    struct clock_watch *watches;
    struct clocks_origin *origins;
    size_t count;
    struct failure *failure;
    struct planned *visits; /* in planned order */
    size_t visit_count, next;
    /* The visit under way. */
    struct clock_watch *watch; /* NULL: none of this study, or it did not end well */
    struct clocks_origin *origin;
    bool began;
    struct visit visit;
    uint32_t run, column; /* the next to come */
};

static int damaged(const struct taking *taking, const struct sample *sample, const char *what)
{
    return fail_with(taking->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u has %s (look %u, column "
                     "%u). Take a copy you trust.",
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
    const size_t count = taking->visit_count;
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
    const uint32_t wanted = *(const uint32_t *)key,
                   id = ((const struct clocks_origin *)entry)->cell;
    return (wanted > id) - (wanted < id);
}

static bool open_process(struct clock_watch *watch, struct clocks_origin *origin)
{
    if (watch->processes == origin->process_room) {
        const size_t room = origin->process_room ? 2 * origin->process_room : 8;
        if (!grow(&watch->begins, room + 1, sizeof(*watch->begins)))
            return false;
        origin->process_room = room;
    }
    watch->begins[watch->processes++] = origin->looks;
    return true;
}

/* What is beyond the last whole group goes, and a process that has none. */
static void close_process(struct taking *taking)
{
    struct clock_watch *watch = taking->watch;
    if (!watch)
        return;
    const size_t group = watch_group(watch->kind, watch->threads);
    const size_t begin = watch->begins[watch->processes - 1];
    const size_t whole = (taking->origin->looks - begin) / group;
    taking->origin->looks = begin + whole * group;
    if (!whole)
        watch->processes--;
    taking->watch = NULL;
}

static int open_visit(struct taking *taking, const struct sample *sample)
{
    struct clocks_origin *found =
        bsearch(&sample->cell, taking->origins, taking->count, sizeof(*found), compare_cells);
    const struct planned *planned = next_visit(taking, sample);
    if (!planned)
        return damaged(taking, sample, "readings out of the order of its visit");
    taking->began = true;
    taking->visit = planned->visit;
    taking->run = taking->column = 0;
    if (!found || !planned->done)
        return 0;
    taking->origin = found;
    taking->watch = &taking->watches[found - taking->origins];
    return open_process(taking->watch, found) ? 0 : loading_no_memory(taking->failure);
}

/* --- samples --- */

static bool make_room(struct clock_watch *watch, struct clocks_origin *origin)
{
    if (origin->looks < origin->room)
        return true;
    const size_t room = origin->room ? 2 * origin->room : 64;
    if (!grow(&watch->values, room * watch->columns, sizeof(*watch->values)) ||
        !grow(&watch->accounts, room, sizeof(*watch->accounts)))
        return false;
    origin->room = room;
    return true;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    if (!taking->began || sample->cell != taking->visit.cell ||
        sample->process != taking->visit.process) {
        close_process(taking);
        int error = open_visit(taking, sample);
        if (error)
            return error;
    }
    struct clock_watch *watch = taking->watch;
    struct clocks_origin *origin = taking->origin;
    if (!watch)
        return 0;
    if (sample->run >= origin->runs)
        return damaged(taking, sample, "more looks than were planned");
    if (sample->counter >= watch->columns)
        return damaged(taking, sample, "a reading of a clock that its cell does not have");
    if (sample->run != taking->run || sample->counter != taking->column)
        return damaged(taking, sample, "a gap before this reading, so that its look is not known");
    if (!make_room(watch, origin))
        return loading_no_memory(taking->failure);
    watch->values[origin->looks * watch->columns + sample->counter] = sample->value;
    if (sample->counter == 0)
        watch->accounts[origin->looks] = sample->account;
    if (++taking->column == watch->columns) {
        taking->column = 0;
        taking->run++;
        origin->looks++;
    }
    return 0;
}

/* --- the whole --- */

/* Every watch has an end of its last process, also one that no process made. */
static int settle(struct taking *taking)
{
    for (size_t i = 0; i < taking->count; i++) {
        struct clock_watch *watch = &taking->watches[i];
        if (!watch->begins && !(watch->begins = calloc(1, sizeof(*watch->begins))))
            return loading_no_memory(taking->failure);
        watch->begins[watch->processes] = taking->origins[i].looks;
    }
    return 0;
}

int clocks_take_looks(struct store *store, struct clock_watch *watches,
                      struct clocks_origin *origins, size_t count, struct failure *failure)
{
    struct taking taking = {
        .store = store, .watches = watches, .origins = origins, .count = count, .failure = failure};
    int error = store_each_visit(store, take_visit, &taking, failure);
    if (!error)
        error = store_scan_samples(store, take_sample, &taking, failure);
    if (!error)
        close_process(&taking);
    free(taking.visits);
    return error ? error : settle(&taking);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads all that a store can tell and keeps nothing of it: what goes through here can be exported
 * and judged. Checksums say that a finished store is what was written; of one that is not finished
 * this is all that can be asked. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "store/handle.h"

struct known_cell {
    uint32_t id, counters;
};

struct whole {
    struct store *store;
    struct failure *failure;
    struct known_cell *cells; /* by id */
    size_t count, room;
};

/* --- what belongs together --- */

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct whole *whole = context;
    if (whole->count == whole->room) {
        size_t room = whole->room ? whole->room * 2 : 64;
        struct known_cell *larger = reallocarray(whole->cells, room, sizeof(*larger));
        if (!larger)
            return store_no_memory(whole->store, whole->failure);
        whole->cells = larger;
        whole->room = room;
    }
    whole->cells[whole->count++] = (struct known_cell){stored->cell.id, stored->cell.counters};
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct known_cell *one = a, *other = b;
    return one->id < other->id ? -1 : one->id > other->id;
}

/* NULL: the store has none. */
static const struct known_cell *find_cell(const struct whole *whole, uint32_t id)
{
    const struct known_cell wanted = {.id = id};
    return whole->count ? bsearch(&wanted, whole->cells, whole->count, sizeof(*whole->cells), by_id)
                        : NULL;
}

static int check_visit(void *context, const struct stored_visit *visit)
{
    struct whole *whole = context;
    if (find_cell(whole, visit->visit.cell))
        return 0;
    return visit_damaged(whole->store, visit->visit.cell, visit->visit.process,
                         "is of a cell that is not there", whole->failure);
}

static int check_sample(void *context, const struct sample *sample)
{
    struct whole *whole = context;
    const struct known_cell *cell = find_cell(whole, sample->cell);
    if (cell && sample->counter < cell->counters)
        return 0;
    return visit_damaged(whole->store, sample->cell, sample->process,
                         "has samples of a counter that is not there", whole->failure);
}

/* --- what stands alone --- */

#define IGNORE(type)                                                                               \
    static int ignore_##type(void *context, const struct stored_##type *row)                       \
    {                                                                                              \
        (void)context;                                                                             \
        (void)row;                                                                                 \
        return 0;                                                                                  \
    }
IGNORE(event)
IGNORE(truth)
IGNORE(opcode)
IGNORE(operation)
IGNORE(clock)
IGNORE(subject)
IGNORE(executed)
IGNORE(call)

static int read_knowledge(struct store *store, struct failure *failure)
{
    int error = store_each_event(store, ignore_event, NULL, failure);
    if (!error)
        error = store_each_specimen_truth(store, ignore_truth, NULL, failure);
    if (!error)
        error = store_each_opcode(store, ignore_opcode, NULL, failure);
    if (!error)
        error = store_each_operation(store, ignore_operation, NULL, failure);
    if (!error)
        error = store_each_clock(store, ignore_clock, NULL, failure);
    if (!error)
        error = store_each_subject(store, ignore_subject, NULL, failure);
    if (!error)
        error = store_each_executed(store, ignore_executed, NULL, failure);
    if (!error)
        error = store_each_call(store, ignore_call, NULL, failure);
    return error;
}

static int read_run(struct store *store, struct failure *failure)
{
    struct store_info info;
    struct facts facts = {0};
    int error = store_info(store, &info, failure);
    if (!error) {
        store_info_release(&info);
        error = store_facts(store, &facts, failure);
    }
    facts_free(&facts);
    return error;
}

int store_read_whole(struct store *store, struct failure *failure)
{
    struct whole whole = {.store = store, .failure = failure};
    bool began;
    int error = snapshot_begin(store, &began, failure);
    if (!error)
        error = read_run(store, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &whole, failure);
    if (!error)
        error = store_each_visit(store, check_visit, &whole, failure);
    if (!error)
        error = read_knowledge(store, failure);
    if (!error)
        error = store_scan_samples(store, check_sample, &whole, failure);
    free(whole.cells);
    snapshot_end(store, began);
    return error;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Visits out of the store, in planned order: how each fared, and which are still to be made. */
#include <errno.h>
#include <stdlib.h>

#include "store/handle.h"

static bool read_visit(sqlite3_stmt *row, struct stored_visit *visit)
{
    uint64_t last = visit->place;
    return column_u64(row, 0, &visit->place) && visit->place > last &&
           visit->place <= KEY_MAX_VISIT && column_u32(row, 1, &visit->visit.cell) &&
           column_u32(row, 2, &visit->visit.process) && column_state(row, 3, &visit->state) &&
           column_i32(row, 4, &visit->error) && column_text_or_null(row, 5, &visit->reason) &&
           column_u64(row, 6, &visit->samples);
}

int store_each_visit(struct store *store, store_visit_each *each, void *context,
                     struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store,
                              "SELECT id, cell, process, state, error, reason, samples FROM visit "
                              "NOT INDEXED ORDER BY id",
                              &statement, failure);
    struct stored_visit visit = {0};
    while (!error) {
        int got = store_step(store, statement, "read", failure);
        if (got <= 0)
            return got;
        if (!read_visit(statement, &visit))
            return store_damaged(store->path, "its visits hold impossible values", failure);
        error = each(context, &visit);
    }
    return error;
}

const char *visit_state_name(enum visit_state state)
{
    return visit_state_names[state];
}

struct visit_list {
    bool pending_only;
    struct visit *visits;
    size_t count, capacity;
};

static int add_visit(void *context, const struct stored_visit *visit)
{
    struct visit_list *list = context;
    if (list->pending_only && visit->state != VISIT_PENDING)
        return 0;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        struct visit *grown = reallocarray(list->visits, capacity, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        list->visits = grown;
        list->capacity = capacity;
    }
    list->visits[list->count++] = visit->visit;
    return 0;
}

int store_visits(struct store *store, bool pending_only, struct visit **visits, size_t *count,
                 struct failure *failure)
{
    struct visit_list list = {.pending_only = pending_only};
    *visits = NULL;
    *count = 0;
    int error = store_each_visit(store, add_visit, &list, failure);
    if (error) {
        free(list.visits);
        return error == -ENOMEM ? store_no_memory(store, failure) : error;
    }
    *visits = list.visits;
    *count = list.count;
    return 0;
}

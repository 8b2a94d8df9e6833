/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Wishes and the store of their run: cells and visits go into it before they are measured, and come
 * back from it when the run is gone on with. */
#include <errno.h>

#include "engine/wishes.h"

int wishes_store(struct wishes *wishes, struct store *store, const struct visit *visits,
                 size_t count, struct failure *failure)
{
    size_t first = wishes->stored;
    int error = store_put_plan(store, wishes->cells + first, wishes->cell_count - first, visits,
                               count, failure);
    if (error == 0)
        error = store_commit(store, failure);
    if (error == 0)
        wishes->stored = wishes->cell_count;
    return error;
}

static int note_outcome(void *context, const struct stored_cell *stored)
{
    struct wishes *wishes = context;
    uint32_t id = stored->cell.id;
    if (id >= 1 && id <= wishes->cell_count) {
        wishes->about[id - 1].planned = stored->processes;
        wishes->about[id - 1].failed = stored->failed;
    }
    return 0;
}

int wishes_learn_outcome(struct wishes *wishes, struct store *store, struct failure *failure)
{
    return store_each_cell(store, note_outcome, wishes, failure);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens what --from names, one after the other, and has it loaded. */
#include "cli/from-stores.h"

#include <stdio.h>

#include "cli/distinct.h"
#include "engine/run-store.h"

static int take_first(const struct from_stores *from, const struct store_info *info,
                      struct failure *failure)
{
    if (*from->facts)
        return 0;
    *from->seed = info->seed;
    snprintf(from->fingerprint, from->fingerprint_size, "%s", info->fingerprint);
    *from->facts = from->stored_facts;
    return store_facts(*from->store, from->stored_facts, failure);
}

static int lay_open(const struct from_stores *from, const char *path, struct store *store,
                    const struct store_info *info, struct failure *failure)
{
    int error = from->check ? from->check(from->context, path, info, failure) : 0;
    if (error == 0)
        error = take_first(from, info, failure);
    return error == 0 ? from->load(from->context, store, failure) : error;
}

static int load_one(const struct from_stores *from, const char *path, struct distinct *before,
                    struct failure *failure)
{
    struct store *store = NULL;
    struct store_info info = {0};
    int error = run_store_open_from(path, from->command, &store, &info, failure);
    bool first = !*from->store;
    if (first)
        *from->store = store;
    int taken = error == 0 ? distinct_take(before, from->command, store, failure) : error;
    error = taken > 0 ? lay_open(from, path, store, &info, failure) : taken;
    *from->complete &= info.finished != NULL;
    store_info_release(&info);
    if (!first)
        store_close(store);
    return error;
}

/* All runs of the command that a file holds. */
static int load_file(const struct from_stores *from, const char *path, struct distinct *before,
                     struct failure *failure)
{
    struct run_list runs = {0};
    int error = run_store_list_from(path, from->command, &runs, failure);
    for (size_t i = 0; i < runs.count && error == 0; i++)
        error = load_one(from, runs.list[i].name, before, failure);
    run_list_release(&runs);
    return error;
}

int from_stores_load(const struct from_stores *from, struct failure *failure)
{
    struct distinct before = {0};
    int error = 0;
    for (size_t i = 0; i < from->paths->count && error == 0; i++)
        error = load_file(from, from->paths->items[i], &before, failure);
    distinct_release(&before);
    return error;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --from, repeated: several stored runs are judged together, each once however often it is named.
 * The first one says which machine and seed the report is of. */
#pragma once

#include "engine/options.h"
#include "machine/facts.h"
#include "store/store.h"

struct from_stores {
    const char *command; /* whose stores are taken */
    const struct string_list *paths;
    /* --- of the first one --- */
    struct store **store; /* stays open */
    uint64_t *seed;
    char *fingerprint;
    size_t fingerprint_size;
    struct facts *stored_facts;
    const struct facts **facts; /* becomes stored_facts */
    /* --- of all --- */
    bool *complete; /* false where one of them was not finished */
    /* NULL: every store is taken. */
    int (*check)(void *context, const char *path, const struct store_info *info,
                 struct failure *failure);
    int (*load)(void *context, struct store *store, struct failure *failure);
    void *context;
};

int from_stores_load(const struct from_stores *from, struct failure *failure);

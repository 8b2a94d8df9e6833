/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs that are judged together, each of them once: a copy is no further witness, whether it is the
 * same file again, another file or in a collection. */
#pragma once

#include "base/failure.h"
#include "store/store.h"

struct distinct_run {
    char identity[STORE_IDENTITY_SIZE];
    char *name;
};
struct distinct {
    struct distinct_run *list;
    size_t count;
};

/* 1 when the run is new, 0 when it was taken before, which the command teller then says; negative
 * errno. */
int distinct_take(struct distinct *distinct, const char *teller, struct store *store,
                  struct failure *failure);
/* Forgets all that were taken after so many: another copy may serve where they did not. */
void distinct_forget(struct distinct *distinct, size_t count);
void distinct_release(struct distinct *distinct);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files about collections share within the room. */
#pragma once

#include "store/collection.h"
#include "store/handle.h"

/* user_version of a collection: this and the schema of the stores that it can hold. */
#define COLLECTION_SCHEMAS 1000

/* --- collection-schema.c --- */

/* An empty database becomes a collection, within the caller's transaction. An SQLite result. */
int collection_lay_out(sqlite3 *db, int version);
/* From here on the names of a store's tables mean those of one run. */
int collection_show(struct store *store, int version, unsigned number, struct failure *failure);

/* --- collection.c --- */

/* Opens the run that store->number says, or the only one; of a listing, none. */
int collection_enter(struct store *store, struct failure *failure);
/* Writes the checksum over the collection's own tables. */
int collection_seal(struct store *store, struct failure *failure);
/* run_list_read of a file that may be damaged. */
int run_list_read_damaged(const char *path, struct run_list *runs, struct failure *failure);

/* --- salvage.c --- */

/* Says that nothing of the run can be taken. part: "its table cell is damaged". -EBADMSG. */
int salvage_refuse(const char *name, const char *part, const struct failure *why,
                   struct failure *failure);
/* Makes a store at `to` of what can be read of the run `from`, unless *stop becomes non-zero. */
int store_salvage(const char *from, const char *to, const struct salvage *salvage,
                  const volatile int *stop, struct failure *failure);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind a command that measures: a new one, or an unfinished one that is gone on with.
 * What all such commands check and write alike is here. */
#pragma once

#include "base/failure.h"
#include "engine/command.h"
#include "engine/options.h"
#include "engine/predict.h"
#include "engine/session.h"
#include "machine/facts.h"
#include "store/store.h"

/* Whose store it is. */
struct run_store {
    const char *command; /* "measure" */
    const struct common_options *common;
    const struct catalogue *catalogue;
    const char *path; /* of --store; NULL: in the state folder */
    uint64_t seed;
};

/* Makes a new one. */
int run_store_create(const struct run_store *run, struct store **store, struct failure *failure);
/* Opens the one of --store, else the latest unfinished one of this machine; refuses those of other
 * commands and machines. The caller releases *info also after a failure. */
int run_store_reopen(const struct run_store *run, struct store **store, struct store_info *info,
                     struct failure *failure);
/* Reads the command line that a store keeps (argv: as JSON) into options of the command; arguments
 * are added to `arguments`. */
int run_store_recall(const struct command *command, const char *path, const char *argv,
                     void *options, struct string_list *arguments, struct failure *failure);
/* Do the cells, the seed, the kit and the machine agree with what the store began with? */
int run_store_same_plan(const struct run_store *run, struct store *store, const struct cell *cells,
                        size_t count, struct failure *failure);
/* The exit code of a store that cannot be had, of every command. The command line is wrong where it
 * names a file that is not there, a folder, or a store of something else; a file that is damaged,
 * or may not be read, is a failure. named: whoever asked named it, or asked for one that is there.
 */
int run_store_exit(int error, bool named);
/* --from: opens a store of that command to be judged again; of a collection the only run of that
 * command. The caller closes *store and releases *info also after a failure. */
int run_store_open_from(const char *path, const char *command, struct store **store,
                        struct store_info *info, struct failure *failure);
/* Was everything measured that it was made for? */
bool run_store_is_finished(struct store *store);

/* --- what is known of a cell before it runs travels with its samples: judging needs nothing else
 * --- */

/* All truths of a specimen, for every N. */
int run_store_put_specimen(struct store *store, const struct catalogue_specimen *specimen,
                           struct failure *failure);
/* A program of the kit. */
int run_store_put_subject(struct store *store, const struct catalogue_subject *known,
                          struct failure *failure);
/* Class and truth of one counter. */
int run_store_put_truth(struct store *store, const struct catalogue *catalogue,
                        const struct cell *cell, uint32_t counter,
                        const struct counted_event *event, struct failure *failure);
/* The specimen's own faults and switches. */
int run_store_put_account(struct store *store, const struct catalogue *catalogue,
                          const struct cell *cell, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * --from, repeated: several stored runs are judged together, each once however often it is named.
 * The first one says which machine and seed the report is of. */

struct from_stores {
    const char *command; /* whose stores are taken */
    const char *path;    /* one that holds one run of the command; NULL: */
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

/* ----------------------------------------------------------------------------------------------
 * Runs that are judged together, each of them once: a copy is no further witness, whether it is
 * the same file again, another file or in a collection. */

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

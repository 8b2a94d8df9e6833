/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A collection: several runs in one file, of one machine or of many. Each can be opened as the
 * store that it was, by the name FILE#NUMBER. */
#pragma once

#include <stddef.h>

#include "base/failure.h"
#include "base/text.h"

struct listed_run {
    unsigned number; /* from 1 in a collection; 0: the file is a store of one run */
    char *name;      /* that store_open takes: "FILE#2", or the file itself */
    char *command, *argv, *fingerprint, *started, *finished; /* finished NULL: it is not */
    char *ended; /* how, where it is not finished and told: "budget", "interrupted"; else NULL */
};
struct run_list {
    struct listed_run *list;
    size_t count;
};

/* The runs in a file, in order; of a store its one run. path may itself be FILE#NUMBER. */
int run_list_read(const char *path, struct run_list *runs, struct failure *failure);
void run_list_release(struct run_list *runs);
/* Which they are, as far as a sentence holds them. */
void run_list_describe(const struct run_list *runs, struct text *out);

/* Makes a collection of all runs in these files, stores and collections alike; a run that is there
 * twice is taken once. Appears whole or not at all; -EEXIST rather than touch an existing file,
 * -EINTR when *stop became non-zero before all of it was there (NULL: nothing stops it). */
int collection_write(const char *path, const char *const *from, size_t count,
                     const volatile int *stop, struct failure *failure);

/* What could not be read of a run. */
struct salvage {
    /* In words, with the run's name; NULL: nobody wants to know. */
    void (*left_out)(void *context, const char *name, const char *what);
    void *context;
};
/* The same of files that may be damaged: visits whose samples are not what was written, or whose
 * own record is not, become failed ones. Fails where a run says too little without what is damaged.
 */
int collection_salvage(const char *path, const char *const *from, size_t count,
                       const struct salvage *salvage, const volatile int *stop,
                       struct failure *failure);

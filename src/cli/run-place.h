/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where `assay run` keeps what it measures: STORE.parts, a folder with one store a part, beside the
 * one store that they become. The folder has one owner at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

struct run_place {
    char *store;  /* that will hold everything */
    char *folder; /* STORE.parts */
    int lock;     /* descriptor of the folder, locked; only where folder is set */
};

/* Makes the folder. store NULL: in the state folder of that machine. -EEXIST: there is something
 * already. */
int run_place_create(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure);
/* Opens that of a run which did not end; store NULL: the latest of that machine that nobody is
 * working at. -EBUSY: somebody is. */
int run_place_reopen(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure);
/* FOLDER/03-error.sqlite; the caller frees it. NULL: out of memory. */
char *run_place_part(const struct run_place *place, size_t part);
/* FOLDER/run.json */
char *run_place_record(const struct run_place *place);
/* What a part may have begun there, and cannot be gone on with, is removed. */
void run_place_drop_part(const struct run_place *place, size_t part);
/* Removes what assay put into the folder, and the folder when nothing else is in it. */
void run_place_remove(struct run_place *place);
void run_place_release(struct run_place *place);

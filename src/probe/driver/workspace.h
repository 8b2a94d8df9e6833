/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders the probe must leave behind as it found them: gone; and what visits use again and again:
 * the shared memory with the job, and the folder for paths whose library insists on writing files.
 */
#pragma once

#include "base/failure.h"
#include "probe/harness/job.h"

/* A new private folder below TMPDIR (or /tmp); *path is to be freed. */
int folder_make(char **path, struct failure *failure);
/* Removes it and what is in it. */
void folder_remove(const char *path);

#define WORKSPACE_KEEPERS 2u

struct workspace {
    int fd; /* memfd; -1: none yet */
    struct job *job;
    size_t bytes;
    char *folder;                  /* NULL: none yet */
    void *kept[WORKSPACE_KEEPERS]; /* NULL: none yet */
};

/* A job for these runs and counters, answer fields zeroed. */
int workspace_job(struct workspace *workspace, uint32_t runs, uint32_t counters,
                  struct failure *failure);
/* The same with the calls of a tour. */
int workspace_tour(struct workspace *workspace, uint32_t runs, uint32_t counters, const char *calls,
                   struct failure *failure);
/* An empty private folder, named in the job. */
int workspace_folder(struct workspace *workspace, struct failure *failure);
/* Memory that counting processes of a session share, one after the other: what one of them learnt
 * the next need not learn again. keeper: whose, from 1. Zero at first; NULL: there is none. */
#define WORKSPACE_KEPT 65536u
void *workspace_kept(struct workspace *workspace, unsigned keeper);
void workspace_empty_folder(const struct workspace *workspace);
void workspace_free(struct workspace *workspace);

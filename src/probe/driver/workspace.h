/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders the probe must leave behind as it found them: gone; and what visits use again and again:
 * the shared memory with the job, and the folder for paths whose library insists on writing files.
 */
#pragma once

#include <sys/types.h>

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

/* Starting and ending the processes of a session: each in a process group of its own, with a fixed
 * environment, nothing to read, and what it writes caught in two pipes that last for the session.
 */

enum { OUTLET_OUTPUT, OUTLET_ERROR, OUTLET_COUNT };

struct outlets {
    int ours[OUTLET_COUNT];   /* non-blocking */
    int theirs[OUTLET_COUNT]; /* kept open between children */
};
int outlets_open(struct outlets *outlets, struct failure *failure);
void outlets_close(struct outlets *outlets);

/* A copy of fd out of the way of the low numbers children use (close-on-exec); fd is closed. */
int descriptor_lift(int fd);

/* The environment of every child; ends with NULL. */
#define CHILD_VARIABLES 5
void child_environment(char *environment[CHILD_VARIABLES]);

/* Starts FOLDER/FILE ARGUMENT (NULL: none); job becomes its descriptor 3 (-1: none). Returns the
 * process id or a negative errno. */
pid_t child_start(const char *folder, const char *file, const char *argument, int job,
                  const struct outlets *outlets, struct failure *failure);

/* Has it ended? 1 with its wait status, and what it left of its group is ended as well; 0 not yet.
 */
int child_ended(pid_t pid, int *status);

/* Ends the child and its group, and waits for it. */
void child_kill(pid_t pid, int *status);

/* "SIGSEGV", or "signal 70" in the buffer. */
const char *signal_name(int number, char *buffer, size_t size);

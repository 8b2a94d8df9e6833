/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting and ending the processes of a session: each in a process group of its own, with a fixed
 * environment, nothing to read, and what it writes caught in two pipes that last for the session.
 */
#pragma once

#include <sys/types.h>

#include "base/failure.h"

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

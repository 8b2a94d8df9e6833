/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A harness that a counting process runs: with a job of its own, so that what it writes there
 * reaches the controller only through the source. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "probe/driver/workspace.h"
#include "probe/sources/source.h"

struct trial {
    const struct source_visit *visit;
    struct workspace workspace; /* .job: the request, to be changed before the start */
    pid_t pid;                  /* 0: none runs */
    bool is_grandchild;         /* set: the command starts the harness as a child of its own */
    int errors;                 /* set: descriptor for what the command says on standard error */
    bool settled; /* set: addresses of stack and mappings are not drawn anew for each process */
};

/* Makes a job that asks for what the visit asks for. May be called again after trial_end. */
int trial_make(struct trial *trial, const struct source_visit *visit);

/* Starts the harness behind the words of command (NULL, or words that end with NULL, the first the
 * path of a program): an emulator, a tool. Descriptor 3 is the job. traced: the process asks to be
 * traced and stops when it has been executed. */
int trial_start(struct trial *trial, const char *const *command, bool traced);

/* Says what became of a harness that ended with this wait status: 0 when it did its job, else the
 * reason is the visit's. */
int trial_judge(const struct trial *trial, int status);

/* Waits for it and judges. */
int trial_await(struct trial *trial);

/* Ends the process if one runs. trial_free also gives the memory back. */
void trial_end(struct trial *trial);
void trial_free(struct trial *trial);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Instrument command: one whole command that does nothing, from its start to its end, plain and
 * under `perf stat`. */
#pragma once

#include <sys/types.h>

#include "probe/tour/caller.h"

#define COMMAND_WORDS 16
#define COMMAND_PATH  512

/* What both callers share; state->own. */
struct tour_command {
    char nothing[COMMAND_PATH];         /* the program that ends at once */
    char output[COMMAND_PATH];          /* of perf stat */
    char errors[COMMAND_PATH];          /* what the programs say */
    char *perf;                         /* NULL: there is none, or it is not asked for */
    const char *plain[COMMAND_WORDS];   /* words; end with NULL */
    const char *counted[COMMAND_WORDS]; /* the same under perf stat */
    int said;                           /* descriptor of errors */
    pid_t self;
};

/* The program of this kit that ends at once; -ENOENT with the reason. */
int command_find(char path[COMMAND_PATH], char *reason, size_t size);

/* Starts the command and waits for its end: 0; a negative errno when it cannot be started;
 * COMMAND_ENDED - its wait status when that is another one than 0. The command ends with this
 * process, however that ends. said: descriptor for what it says; self: this process. */
#define COMMAND_ENDED (-65536L)
long command_run(const char *const *words, int said, pid_t self);

int command_usable(char *reason, size_t size);
int command_open(struct tour_state *state);
int command_check(struct tour_state *state);
void command_close(struct tour_state *state);

/* The same open and close: the instrument is one. */
int perf_stat_usable(char *reason, size_t size);
int perf_stat_check(struct tour_state *state);

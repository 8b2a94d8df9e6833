/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program of somebody else's that answers with numbers: started without a shell, listened to for
 * so long and no longer, and gone when we are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"

#define COPROCESS_PATIENCE_MS 5000

struct coprocess {
    pid_t id;         /* 0: none */
    int to;           /* its standard input, -1: that is empty */
    int from;         /* its standard output */
    int64_t deadline; /* ms of CLOCK_MONOTONIC; of the answer that is waited for */
};
#define COPROCESS_NONE ((struct coprocess){.to = -1, .from = -1})

/* Starts words (looked up in PATH); its standard error is ours. It stays in our process group, so
 * that whoever ends that ends what it starts, too: the driver does, when a harness is over. */
int coprocess_start(struct coprocess *coprocess, char *const *words, bool listens,
                    struct failure *failure);

/* Sends an empty line. -EPROTO where it said something before, unasked. */
int coprocess_ask(struct coprocess *coprocess, struct failure *failure);

/* The number that is the next line. -ETIMEDOUT, -EPIPE where it ended, -EPROTO where it is none. */
int coprocess_hear_line(struct coprocess *coprocess, uint64_t *number, struct failure *failure);
/* The number that is all it prints until it ends, which it must do well. */
int coprocess_hear_all(struct coprocess *coprocess, uint64_t *number, struct failure *failure);

/* Closes its input and has it gone: a moment later by force. */
void coprocess_end(struct coprocess *coprocess);

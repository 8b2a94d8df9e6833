/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What became of a command's cell: whether it was counted, why not, and how the command ended as
 * JSON. For commands that execute one (truth, stat). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "store/store.h"

struct command_outcome {
    uint32_t cell; /* which one is asked about */
    bool done;     /* at least one execution was counted */
    int error;
    char *reason; /* NULL: none; the caller frees it */
};

int command_outcome_find(struct store *store, struct command_outcome *outcome,
                         struct failure *failure);

/* Why nobody knows how much it wrote. */
#define COMMAND_OUTPUT_LENT "it wrote to assay's own standard output and error, unread by assay"

/* Exit status, signal, and whether its time was over: one of the first two exists. status is one of
 * wire/command.h. */
void command_ending_put(json_t *object, uint64_t status);

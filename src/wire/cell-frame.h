/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the fields of a cell's frame are read: shared by the files that read them. */
#pragma once

#include "wire/cell.h"

int cell_get_number(const struct wire_frame *frame, const char *key, uint64_t lowest,
                    uint64_t highest, uint64_t *value, struct failure *failure);
/* A word that must not be empty, copied. */
int cell_get_word(const struct wire_frame *frame, const char *key, char **word,
                  struct failure *failure);
/* Is one of these keys there? Ends with NULL. */
bool cell_has_any(const struct wire_frame *frame, const char *const *keys);
/* What a check said of a cell, which is now what the peer sent and not what we were asked. */
int cell_judge_sent(int status, const struct failure *why, struct failure *failure);

/* The fields of a command: all, or none of them. */
void cell_put_command(struct wire_writer *writer, const struct cell_command *command);
int cell_get_command(const struct wire_frame *frame, struct cell *cell, struct failure *failure);

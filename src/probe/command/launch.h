/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the words of a command to what is executed. */
#pragma once

#include "probe/command/command.h"

/* Fills program, words, input and directory of the execution. Negative errno with the reason. */
int places_resolve(const struct command_visit *visit, struct execution *execution);

/* The same file by a path that is so many bytes longer; NULL: too long, or no memory. */
char *places_lengthen(const char *path, uint64_t bytes);

/* Why this file could not be executed, in a sentence. error: positive errno. */
void places_explain(const char *program, int error, char *reason, size_t size);

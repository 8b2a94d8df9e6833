/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a command line to a command that runs. */
#pragma once

#include "engine/command.h"

/* argv[0] is the command's name and argv[-1] the program's, for records of the whole line. retold:
 * where the result goes; NULL: where the options say. The exit code. */
int invoke(const struct command *command, int argc, char **argv, struct retold *retold);

/* Runs a command in this process as `assay WORDS...` would (words[0] is its name) and keeps what it
 * would show; what it has to say on standard error is said. The exit code. */
int retell(const char *const *words, size_t count, struct retold *retold);

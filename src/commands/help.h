/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Help and manual pages, made from the commands' tables. */
#pragma once

#include "base/text.h"
#include "engine/command.h"

#define HELP_WIDTH 80

void help_program(struct text *out);
void help_command(struct text *out, const struct command *command);

/* roff with the man macros; version is that of the product. */
void man_program(struct text *out, const char *version);
void man_command(struct text *out, const struct command *command, const char *version);

/* The commands of `assay help` and their exit codes, for both. */
extern const struct exit_meaning exit_meanings[]; /* ends with meaning NULL */
const struct exit_meaning *exit_meanings_of(const struct command *command);

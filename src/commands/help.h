/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a command's table to help, manual pages and completion, and from a command line to a
 * command that runs. */
#pragma once

#include "base/text.h"
#include "engine/command.h"

/* ----------------------------------------------------------------------------------------------
 * Help and manual pages, made from the commands' tables. */

#define HELP_WIDTH 80

extern const struct option_spec program_options[]; /* ends with name NULL */

/* Of a command, or NULL of the program: for a terminal, or in roff with the man macros. */
void help_put(const struct command *command, bool roff, struct text *out);

/* ----------------------------------------------------------------------------------------------
 * From a command line to a command that runs. */

/* argv[0] is the command's name and argv[-1] the program's, for records of the whole line. retold:
 * where the result goes; NULL: where the options say. The exit code. */
int invoke(const struct command *command, int argc, char **argv, struct retold *retold);

/* Runs a command in this process as `assay WORDS...` would (words[0] is its name) and keeps what it
 * would show; what it has to say on standard error is said. The exit code. */
int retell(const char *const *words, size_t count, struct retold *retold);

/* The JSON Schema of what commands print with --json; of a file that one leaves (passport);
 * or the "reference" of all keys for people (docs/json.md). false: there is no such. */
bool schema_put(const char *what, struct text *out);

/* ----------------------------------------------------------------------------------------------
 * Completion of command lines by shells. */

/* The files of the folder completions, embedded. */
extern const unsigned char completion_bash[], completion_zsh[], completion_fish[];
extern const size_t completion_bash_size, completion_zsh_size, completion_fish_size;

/* The script for a shell: "bash", "zsh" or "fish". False: there is none for it. */
bool completion_script(const char *shell, struct text *out);

/* What it asks: the words behind "assay", of which the last one, maybe empty, is being typed. A
 * line a candidate, with TAB and what it is, or TAB and what the shell knows better. */
void completion_answer(const char *shell, const char *const *words, size_t count, struct text *out);

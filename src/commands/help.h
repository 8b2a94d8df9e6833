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

void help_program(struct text *out);
void help_command(struct text *out, const struct command *command);

/* roff with the man macros; version is that of the product. */
void man_program(struct text *out, const char *version);
void man_command(struct text *out, const struct command *command, const char *version);

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
 * Completion of command lines by shells, made from the commands' tables. What is printed are
 * scripts, so names are written only where they are plain, and sentences only quoted. */

/* The script for a shell: "bash", "zsh" or "fish". False: there is none for it. */
bool completion_put(const char *shell, struct text *out);

/* --- what the scripts share --- */

/* What follows an option, or stands where no option is. */
enum completion_kind {
    COMPLETION_NOTHING, /* the option is a flag; the command takes no arguments that are known */
    COMPLETION_ANY,     /* a number, a name: nobody but the user knows */
    COMPLETION_FILE,
    COMPLETION_FOLDER,
    COMPLETION_WORDS, /* one of a few */
    COMPLETION_LIST,  /* several of a few, with commas */
};
/* What stands for the arguments of a command that passes none on. words: those few, with a space
 * between. */
enum completion_kind completion_of_arguments(const struct command *command, struct text *words);
/* The words that may follow an option whose argument is called so in help; NULL words: they are
 * asked whether there are any. From completion-words.c. */
bool completion_words(const struct command *command, const char *argument, struct text *words);

/* Within single quotes as sh has them: ' becomes '\''. Control characters become spaces. */
void completion_put_quoted(const char *sentence, struct text *out);

/* What a sentence of help says first, up to a colon or semicolon: a line beside a name. */
void completion_put_brief(const char *sentence, struct text *out);

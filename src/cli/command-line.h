/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command that a person wrote behind `--`, as a cell needs it: its words as one line, a name,
 * its input and directory as the machine under test finds them, and files that are brought there.
 */
#pragma once

#include "cli/command.h"
#include "session/session.h"

/* Its words as one line that words_split takes apart again; -EINVAL, -E2BIG say what is wrong. The
 * caller frees *line. */
int command_line_join(const char *const *words, size_t count, char **line, struct failure *failure);
/* What people call it: the last part of the program's path, without what would spoil a table. The
 * caller frees it; NULL: out of memory. */
char *command_line_name(const char *program);

/* Puts these files into the folder of brought files. */
int command_line_bring(struct session *session, const struct string_list *files,
                       struct failure *failure);
/* A file of this machine is found wherever the program works; another machine gets it. What names a
 * place of that machine ({brought}, {kit}) stays. path NULL: *found is NULL. The caller frees it.
 */
int command_line_input(struct session *session, const char *via, const char *path, char **found,
                       struct failure *failure);
/* A directory of this machine, as a whole path; of another as it was given. */
int command_line_directory(const char *via, const char *path, char **found,
                           struct failure *failure);

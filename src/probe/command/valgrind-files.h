/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Valgrind's program, and the files that it leaves: one of a name for each process. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/text.h"

/* The program itself: some distributions put a shell script before it, which changes the
 * environment. To be freed; NULL: there is none. */
char *valgrind_find(void);
/* An option whose file is FOLDER/NAME and the id of the process. */
void valgrind_put_file(struct text *text, const char *option, const char *folder, const char *name);
/* How many processes left a file of this name. */
size_t valgrind_count_files(const char *folder, const char *name);
/* The whole of a process's file, to be freed; NULL: there is none that could be Valgrind's. */
char *valgrind_read_file(const char *folder, const char *name, pid_t pid, size_t *length);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a program of this machine (apt-get, dpkg-deb, qemu) and takes what it says. Never a shell.
 */
#pragma once

#include "base/failure.h"
#include "base/text.h"

struct tool {
    const char *const *argv;  /* argv[0] is looked up in PATH */
    const char *folder;       /* to run it in; NULL: here */
    const volatile int *stop; /* ends it when it becomes non-zero; NULL: none */
    int limit_ms;             /* ends it when it takes longer; 0: none */
    /* called for each line as it comes, without its newline; true when it has been dealt with */
    bool (*line)(void *context, const char *line);
    void *context;
};

/* Returns the exit status (128 + N for signal N), or negative errno: -ENOENT when there is no such
 * program, -EINTR when stopped, -ETIMEDOUT. said: standard output and error, in C locale, at most 1
 * MiB. */
int tool_run(const struct tool *tool, struct text *said, struct failure *failure);

/* The first of the lines that begins with E: (apt) or else the last one; fit for a message. */
void tool_complaint(const struct text *said, char *words, size_t size);

/* Where a program is, to be freed; NULL when it is not in PATH. */
char *tool_path(const char *name);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scripts: QEMU's user mode executes ELF files only, so whoever starts it does what the operating
 * system does with a file that begins with #!. Both the plugin and the driver do; libc only. */
#pragma once

#include <stdbool.h>

#define SCRIPT_LINE 256 /* bytes of the first line that count, as for the operating system */
#define SCRIPT_DEEP 5   /* interpreters that are scripts themselves */

struct script {
    char line[SCRIPT_LINE + 1];
    const char *interpreter; /* in line */
    const char *argument;    /* in line; NULL: none */
};

/* Is this file a script? Then with which interpreter? */
bool script_read(const char *path, struct script *script);

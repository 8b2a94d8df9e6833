/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The environment that a command gets. */
#pragma once

#include "wire/cell.h"

/* As the controls of the command ask for it, from what the probe has (ends with NULL), and with
 * tunables for glibc (NULL: none) where they are controlled. To be freed by words_free; NULL: out
 * of memory. */
char **environment_make(const struct cell_command *command, char *const *inherited,
                        const char *tunables);

/* GLIBC_TUNABLES=… that programs of this machine start with; NULL: there is nothing to settle.
 * loader: that of dynamic programs, NULL for the ISA's own. Asked once in a session. */
const char *tunables_choose(const char *loader);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks up commands in the generated registry. */
#include "engine/command.h"

#include <string.h>

const struct command *command_find(const char *name)
{
    for (const struct command *const *at = command_registry; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

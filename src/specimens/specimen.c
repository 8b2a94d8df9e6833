/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds specimens by name. */
#include "specimens/specimen.h"

#include <string.h>

const char *const truth_grade_names[] = {"proven", "bounded", "model"};

const struct specimen *specimen_find(const char *name)
{
    for (size_t index = 0; specimen_registry[index]; index++)
        if (strcmp(specimen_registry[index]->name, name) == 0)
            return specimen_registry[index];
    return NULL;
}

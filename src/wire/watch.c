/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of the kinds of watches. */
#include "wire/watch.h"

#include <string.h>

const char *const watch_kind_names[WATCH_KINDS] = {"",      "interval", "row",    "steps",
                                                   "trips", "edges",    "outside"};

enum watch_kind watch_kind_from_name(const char *name)
{
    for (int kind = WATCH_NONE + 1; kind < WATCH_KINDS; kind++)
        if (strcmp(name, watch_kind_names[kind]) == 0)
            return (enum watch_kind)kind;
    return WATCH_NONE;
}

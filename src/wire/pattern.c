/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The names of the patterns. A file of its own, because harnesses carry it and nothing else of the
 * wire. */
#include <string.h>

#include "wire/cell.h"

const char *const pattern_names[PATTERN_COUNT] = {
    [PATTERN_AR] = "ar",
    [PATTERN_AO] = "ao",
    [PATTERN_RR] = "rr",
    [PATTERN_RO] = "ro",
};

const char *const pattern_descriptions[PATTERN_COUNT] = {
    [PATTERN_AR] = "start-read",
    [PATTERN_AO] = "start-stop",
    [PATTERN_RR] = "read-read",
    [PATTERN_RO] = "read-stop",
};

int pattern_from_name(const char *name)
{
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (strcmp(name, pattern_names[pattern]) == 0)
            return pattern;
    return -1;
}

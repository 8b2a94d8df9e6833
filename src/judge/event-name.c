/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an event's name and kind say of it: its mode, and whether the processor counts it. */
#include <string.h>

#include "studies/validate/judge.h"

#define MODE_LETTERS "ukhGHIDe"

size_t event_base(const char *event, const char **mode)
{
    const char *colon = strrchr(event, ':'), *slash = strrchr(event, '/');
    const char *last = !colon || (slash && slash > colon) ? slash : colon;
    *mode = "";
    if (!last || !last[1] || last[1 + strspn(last + 1, MODE_LETTERS)])
        return strlen(event);
    *mode = last + 1;
    /* The slash belongs to the name, a colon does not. */
    return (size_t)(last - event) + (*last == '/');
}

bool is_hardware(const struct evidence *evidence)
{
    static const char *const kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(evidence->kind, kinds[i]) == 0)
            return true;
    return false;
}

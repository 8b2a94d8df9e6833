/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the mode from an event's name. */
#include "study/mode.h"

#include <string.h>

#include "base/text.h"

const char *event_mode(const char *name)
{
    const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
    const char *last = !colon || (slash && slash > colon) ? slash : colon;
    if (!last || !last[1] || last[1 + strspn(last + 1, "ukhGHIDe")])
        return NULL;
    return last + 1;
}

char *event_in_user_mode(const char *name)
{
    struct text text = {0};
    size_t length = strlen(name);
    text_puts(&text, name);
    text_puts(&text, length && name[length - 1] == '/' ? "u" : ":u");
    return text_take(&text);
}

bool event_counts_user_only(const char *name)
{
    const char *mode = event_mode(name);
    return mode && strchr(mode, 'u') && !strchr(mode, 'k') && !strchr(mode, 'h');
}

bool event_counts_beyond_specimen(const char *kind, const char *name)
{
    static const char *const processor_kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(processor_kinds) / sizeof(processor_kinds[0]); i++) {
        if (strcmp(kind, processor_kinds[i]) == 0)
            return !event_counts_user_only(name);
    }
    return false;
}

bool event_counts_interrupts(const char *name)
{
    return strncmp(name, "irq:", 4) == 0 || strncmp(name, "irq_vectors:", 12) == 0;
}

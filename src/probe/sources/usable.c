/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks every source whether it can count here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/sources/counting.h"

#define REASON_BYTES 1024

/* The paths that go with it decide, where the source itself has nothing against it. */
static int ask_paths(const struct source *source, const struct offers *offers, char *reason,
                     size_t size)
{
    for (size_t index = 0; index < offers->count; index++)
        if (offer_goes_with(&offers->list[index], source->name))
            return 0;
    for (size_t index = 0; index < offers->absence_count; index++) {
        const struct absence *absence = &offers->absences[index];
        if (strcmp(absence->kind, "path") == 0 && strcmp(absence->name, source->name) == 0) {
            snprintf(reason, size, "%s", absence->reason);
            return absence->error ? -absence->error : -ENOENT;
        }
    }
    snprintf(reason, size, "this kit has no path that goes with it");
    return -ENOENT;
}

int sources_collect(struct sources *sources, const struct probe_kit *kit,
                    const struct offers *offers, struct failure *failure)
{
    size_t count = 0;
    while (source_registry[count])
        count++;
    sources->list = calloc(count + 1, sizeof(*sources->list));
    if (!sources->list)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (; sources->count < count; sources->count++) {
        const struct source *source = source_registry[sources->count];
        struct event_source *entry = &sources->list[sources->count];
        char reason[REASON_BYTES] = "";
        int result = ask_paths(source, offers, reason, sizeof(reason));
        if (result == 0 && source->usable)
            result = source->usable(kit->folder, reason, sizeof(reason));
        *entry = (struct event_source){.name = source->name,
                                       .classes = source->classes,
                                       .error = result < 0 ? -result : 0,
                                       .reason = strdup(reason)};
        if (!entry->reason)
            return fail_with(failure, -ENOMEM, "out of memory");
    }
    return 0;
}

void sources_free(struct sources *sources)
{
    for (size_t index = 0; index < sources->count; index++)
        free((char *)(uintptr_t)sources->list[index].reason);
    free(sources->list);
    *sources = (struct sources){0};
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's presets as its harnesses described them: which there are, and why one cannot be had. The
 * driver itself does not hold PAPI. */
#include "probe/driver/presets.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/suggest.h"

int presets_add(struct presets *presets, const char *name, int error, const char *reason)
{
    struct preset *known = presets_find(presets, name);
    if (known)
        return 0; /* another harness said it */
    struct preset *grown = realloc(presets->list, (presets->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    presets->list = grown;
    struct preset *added = &grown[presets->count];
    *added = (struct preset){strdup(name), strdup(reason), error};
    presets->count++;
    return added->name && added->reason ? 0 : -ENOMEM;
}

struct preset *presets_find(const struct presets *presets, const char *name)
{
    size_t length = strcspn(name, ":");
    for (size_t i = 0; i < presets->count; i++) {
        const char *known = presets->list[i].name;
        if (known && strlen(known) == length && strncmp(known, name, length) == 0)
            return &presets->list[i];
    }
    return NULL;
}

void presets_free(struct presets *presets)
{
    for (size_t i = 0; i < presets->count; i++) {
        free(presets->list[i].name);
        free(presets->list[i].reason);
    }
    free(presets->list);
    *presets = (struct presets){0};
}

int presets_each(const struct presets *presets, const char *glob, event_each *each, void *context)
{
    int stop = 0;
    for (size_t i = 0; i < presets->count && !stop; i++) {
        if (fnmatch(glob, presets->list[i].name, 0) == 0)
            stop = each(context, presets->list[i].name, EVENT_PAPI);
    }
    return stop;
}

static int explain_unknown(const struct presets *presets, const char *name, char *reason,
                           size_t size)
{
    char wanted[SUGGEST_NAME], sentence[512];
    snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(name, ":"), name);
    struct suggestions suggestions = {.wanted = wanted};
    for (size_t i = 0; i < presets->count; i++)
        suggest_consider(&suggestions, presets->list[i].name);
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    snprintf(reason, size, "PAPI has no preset of this name%s", sentence);
    return ENOENT;
}

int presets_try(const struct presets *presets, const struct event_view *view,
                const struct event *event, char *reason, size_t size)
{
    if (!presets->count) {
        snprintf(reason, size,
                 "it is a preset of PAPI, which only the paths papi-low and papi-high can open, "
                 "and they are not to be had here%s%s",
                 presets->absence ? ": " : "", presets->absence ? presets->absence : "");
        return ENOTSUP;
    }
    const struct preset *preset = presets_find(presets, event->name);
    if (!preset)
        return explain_unknown(presets, event->name, reason, size);
    if (!preset->error)
        return 0;
    /* Presets are made of the cores' events: why those are not there is the better half of the
     * reason. */
    struct event core = {.name = event->name, .kind = EVENT_HARDWARE};
    char why[768];
    event_open_reason(view, &core, ENOENT, why, sizeof(why));
    snprintf(reason, size, "PAPI says \"%s\": %s", preset->reason, why);
    return preset->error;
}

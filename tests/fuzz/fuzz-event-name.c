/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as an event name, on a small recorded machine: resolved or refused with a sentence, and
 * whatever is resolved has a class and a reason without reading where it should not. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "events/event.h"

static void use(const struct event_view *view, struct event *event, const char *name)
{
    static const int errors[] = {ENOENT, EACCES, EPERM, EINVAL, ENOSPC};
    char reason[256];
    if (!event->name || !*event->name || strlen(event->name) > strlen(name))
        abort();
    event_class(event);
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        event_open_reason(view, event, errors[i], reason, sizeof(reason));
    event_release(event);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_FREE char *name = malloc(size + 1);
    if (!name)
        return 0;
    if (size)
        memcpy(name, bytes, size);
    name[size] = '\0';
    struct event_view view;
    struct event event;
    struct failure failure = {0};
    event_view_open(&view, FUZZ_TREE);
    int error = event_resolve(&view, name, &event, &failure);
    if (error == 0)
        use(&view, &event, name);
    else if (error > 0 || !failure.text[0] || event.name || event.target)
        abort();
    event_view_close(&view);
    return 0;
}

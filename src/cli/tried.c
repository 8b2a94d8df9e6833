/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tries events, and keeps what came of it. */
#include "cli/tried.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tried_add(struct tried_events *tried, const struct tried_event *like)
{
    bool has_class = like->class && *like->class;
    if (tried_find(tried, like->name))
        return 0;
    struct tried_event *grown = reallocarray(tried->list, tried->count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    tried->list = grown;
    struct tried_event *added = &grown[tried->count++];
    *added = (struct tried_event){.name = strdup(like->name),
                                  .kind = strdup(like->kind),
                                  .class = has_class ? strdup(like->class) : NULL,
                                  .reason = strdup(like->reason ? like->reason : ""),
                                  .error = like->error};
    bool whole = added->name && added->kind && added->reason && (added->class || !has_class);
    return whole ? 0 : -ENOMEM;
}

/* Is it the session that failed, rather than the name? */
static bool is_lost(int error)
{
    return error == -EPIPE || error == -EPROTO || error == -EINTR || error == -ETIMEDOUT ||
           error == -EBADMSG;
}

int tried_try(struct tried_events *tried, struct session *session, const char *name, bool named,
              struct failure *failure)
{
    struct listed_event event;
    struct failure refusal = {0};
    int error = session_try_event(session, name, &event, &refusal);
    bool unreadable = error == -EACCES || error == -EPERM;
    if (is_lost(error) || (error < 0 && named && !unreadable)) {
        *failure = refusal;
        return error;
    }
    struct tried_event result = {.name = (char *)(uintptr_t)name,
                                 .kind = (char *)(uintptr_t) "unknown",
                                 .reason = refusal.text,
                                 .error = -error};
    if (error == 0)
        result = (struct tried_event){.name = (char *)(uintptr_t)event.name,
                                      .kind = (char *)(uintptr_t)event.kind,
                                      .class = (char *)(uintptr_t)event.class,
                                      .reason = (char *)(uintptr_t)event.reason,
                                      .error = event.openable ? 0
                                               : event.error  ? event.error
                                                              : EIO};
    error = tried_add(tried, &result);
    return error < 0 ? fail_with(failure, error, "out of memory") : 0;
}

const struct tried_event *tried_find(const struct tried_events *tried, const char *name)
{
    for (size_t i = 0; i < tried->count; i++)
        if (strcmp(tried->list[i].name, name) == 0)
            return &tried->list[i];
    return NULL;
}

bool tried_opens(const struct tried_events *tried, const char *name)
{
    const struct tried_event *event = tried_find(tried, name);
    return event && !event->error;
}

void tried_drop_last(struct tried_events *tried)
{
    struct tried_event *last = &tried->list[--tried->count];
    free(last->name);
    free(last->kind);
    free(last->class);
    free(last->reason);
}

void tried_free(struct tried_events *tried)
{
    while (tried->count)
        tried_drop_last(tried);
    free(tried->list);
    *tried = (struct tried_events){0};
}

int tried_put(const struct tried_events *tried, struct store *store, struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < tried->count && error == 0; i++) {
        const struct tried_event *event = &tried->list[i];
        const struct stored_event stored = {.name = event->name,
                                            .kind = event->kind,
                                            .class = event->class,
                                            .error = event->error,
                                            .reason = event->reason};
        error = store_put_event(store, &stored, failure);
    }
    return error;
}

static int take(void *context, const struct stored_event *event)
{
    const struct tried_event like = {.name = (char *)(uintptr_t)event->name,
                                     .kind = (char *)(uintptr_t)event->kind,
                                     .class = (char *)(uintptr_t)event->class,
                                     .reason = (char *)(uintptr_t)event->reason,
                                     .error = event->error};
    return tried_add(context, &like);
}

int tried_recall(struct tried_events *tried, struct store *store, struct failure *failure)
{
    return store_each_event(store, take, tried, failure);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers `list` and `try`: an event can be had when it can be opened, and only opening tells. */
#include "probe/driver/answers.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "specimens/specimen.h"
#include "syscall.h"

#define REASON_BYTES 1024

void events_view_open(struct event_view *view)
{
    event_view_open(view, "");
    view->has_target = true;
#ifdef PROBE_PFM
    view->resolver = &event_resolver_libpfm4;
#endif
}

int event_try(const struct event *event)
{
    if (event->source)
        return event->source->error;
    struct perf_event_attr attr = event->attr;
    attr.size = sizeof(attr);
    attr.disabled = 1;
    const char *file = event->target;
    if (event->own && target_settle(&attr, &file) < 0)
        return ENOENT;
    if (file)
        attr.config1 = (uint64_t)(uintptr_t)file;
    long fd = assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return (int)-fd;
    close((int)fd);
    return 0;
}

struct listing {
    struct wire_writer *writer;
    const struct event_view *view;
    const struct presets *presets;
};

static int send_event(const struct listing *listing, const struct event *event)
{
    struct wire_writer *writer = listing->writer;
    char reason[REASON_BYTES] = "";
    int error;
    if (event->kind == EVENT_PAPI)
        error = presets_try(listing->presets, listing->view, event, reason, sizeof(reason));
    else if ((error = event_try(event)) != 0)
        event_open_reason(listing->view, event, error, reason, sizeof(reason));
    const char *class = event_class(event);
    wire_begin(writer, "event");
    wire_put_string(writer, "name", event->name);
    wire_put_string(writer, "kind", event_kind_name(event->kind));
    wire_put_string(writer, "class", class ? class : "");
    wire_put_u64(writer, "openable", !error);
    wire_put_i64(writer, "error", error);
    wire_put_string(writer, "reason", reason);
    return wire_end(writer);
}

static int send_unresolved(struct wire_writer *writer, const char *name, enum event_kind kind,
                           const struct failure *failure)
{
    /* What a tracepoint claims to count follows from its name, which need not be resolved. */
    struct event named = {.name = (char *)(uintptr_t)name,
                          .kind = EVENT_TRACEPOINT,
                          .attr = {.type = PERF_TYPE_TRACEPOINT}};
    const char *class = kind == EVENT_TRACEPOINT ? event_class(&named) : NULL;
    wire_begin(writer, "event");
    wire_put_string(writer, "name", name);
    wire_put_string(writer, "kind", event_kind_name(kind));
    wire_put_string(writer, "class", class ? class : "");
    wire_put_u64(writer, "openable", 0);
    wire_put_i64(writer, "error", -failure->code);
    wire_put_string(writer, "reason", failure->text);
    return wire_end(writer);
}

static int list_one(void *context, const char *name, enum event_kind kind)
{
    const struct listing *listing = context;
    struct event event = {0};
    struct failure failure = {0};
    int result = event_resolve(listing->view, name, &event, &failure);
    if (result == 0)
        result = send_event(listing, &event);
    else
        result = send_unresolved(listing->writer, name, kind, &failure);
    event_release(&event);
    return result;
}

static int count_one(void *context, const char *name, enum event_kind kind)
{
    (void)name;
    (void)kind;
    ++*(uint64_t *)context;
    return 0;
}

/* Presets are many, and of interest to those who ask for them. */
static int list_all(const struct listing *listing, const char *glob, event_each *each,
                    void *context)
{
    int result = event_list(listing->view, glob, each, context);
    if (result == 0 && glob && strncmp(glob, "PAPI", 4) == 0)
        result = presets_each(listing->presets, glob, each, context);
    return result;
}

/* Opening and closing a tracepoint takes tens of milliseconds: whoever waits is told for how many.
 */
static int send_matching(const struct listing *listing, const char *glob)
{
    uint64_t count = 0;
    int result = list_all(listing, glob, count_one, &count);
    if (result < 0)
        return result;
    wire_begin(listing->writer, "matching");
    wire_put_u64(listing->writer, "count", count);
    return wire_end(listing->writer);
}

int events_list(struct wire_writer *writer, const struct event_view *view,
                const struct presets *presets, const char *glob)
{
    struct listing listing = {writer, view, presets};
    int result = send_matching(&listing, glob);
    if (result == 0)
        result = list_all(&listing, glob, list_one, &listing);
    if (result < 0)
        return result;
    wire_begin(writer, "listed");
    result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

int events_try(struct wire_writer *writer, const struct event_view *view,
               const struct presets *presets, const char *name)
{
    struct listing listing = {writer, view, presets};
    struct event event = {0};
    struct failure failure = {0};
    int result = event_resolve(view, name, &event, &failure);
    if (result == 0)
        result = send_event(&listing, &event);
    else {
        wire_begin(writer, "refused");
        wire_put_i64(writer, "error", -result);
        wire_put_string(writer, "reason", failure.text);
        result = wire_end(writer);
    }
    event_release(&event);
    return result < 0 ? result : wire_flush(writer);
}

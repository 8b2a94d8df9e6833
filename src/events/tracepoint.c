/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Tracepoints: system:name, whose number stands in a file of tracefs. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "events/form.h"

struct tracepoint_name {
    char system[256];
    char name[256];
    const char *modifiers; /* into the whole name, or NULL */
};

static bool tracepoint_fits(const struct event_view *view, const char *name)
{
    (void)view;
    const char *colon = strchr(name, ':');
    return colon && !event_looks_like_modifiers(colon + 1);
}

static bool copy_component(char to[256], const char *from, size_t length)
{
    if (!event_is_component(from, length))
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static int split_name(const char *whole, struct tracepoint_name *parts, struct failure *failure)
{
    const char *name = strchr(whole, ':') + 1;
    size_t length = strcspn(name, ":");
    if (strpbrk(whole, "*?["))
        return fail_with(
            failure, -EINVAL,
            "\"%s\" is a pattern, and one event is needed: `assay events '%s'` lists what matches",
            whole, whole);
    if (!copy_component(parts->system, whole, (size_t)(name - 1 - whole)) ||
        !copy_component(parts->name, name, length))
        return fail_with(failure, -EINVAL,
                         "\"%s\" is neither a known event nor a tracepoint: those are written "
                         "system:name, in letters, digits, '_', '-' and '.'",
                         whole);
    parts->modifiers = name[length] ? name + length + 1 : NULL;
    return 0;
}

/* Why tracefs cannot be read, and the command that changes it. The numbers are readable by the
 * group of the mount, so opening the folder alone is not enough. */
static int unreachable(const struct event_view *view, struct failure *failure)
{
    const int error = view->tracefs_error;
    if ((error == EACCES || error == EPERM) && (!view->root || !*view->root) && geteuid() == 0)
        return fail_with(
            failure, -EACCES,
            "the numbers of tracepoints cannot be looked up: tracefs is closed even "
            "to this root, by lockdown, a security module or a user namespace (as of a "
            "rootless container); where the number is known, tracepoint/config=N/u "
            "works without");
    switch (error) {
    case EACCES:
        return fail_with(
            failure, -EACCES,
            "the numbers of tracepoints cannot be looked up: tracefs may be read by root only. Run "
            "as root, or `sudo mount -o remount,mode=750,gid=$(id -g) /sys/kernel/tracing`; where "
            "the number is known, tracepoint/config=N/u works without");
    case EPERM:
        return fail_with(failure, -EACCES,
                         "the numbers of tracepoints cannot be looked up: tracefs is not mounted, "
                         "and mounting it needs root. Run as root, or `sudo mount -t tracefs -o "
                         "mode=750,gid=$(id -g) tracefs /sys/kernel/tracing`; where the number is "
                         "known, tracepoint/config=N/u works without");
    default:
        return fail_with(
            failure, -ENOENT,
            "there are no tracepoints here: tracefs is not there (%s). The operating system was "
            "built without tracing, or a container hides it: mount tracefs on /sys/kernel/tracing",
            strerror(view->tracefs_error));
    }
}

/* 0 and the number, or negative errno. */
static int read_id(int tracefs, const struct tracepoint_name *parts, uint64_t *id)
{
    char path[600], text[32];
    snprintf(path, sizeof(path), "events/%s/%s/id", parts->system, parts->name);
    AUTO_CLOSE int file = openat(tracefs, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return -errno;
    ssize_t got = read(file, text, sizeof(text) - 1);
    if (got < 0)
        return -errno;
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return event_parse_number(text, id) ? 0 : -EBADMSG;
}

static int consider_system(void *context, const char *system)
{
    suggest_consider(context, system);
    return 0;
}

static int consider_tracepoint(void *context, const char *name, enum event_kind kind)
{
    (void)kind;
    suggest_consider(context, name);
    return 0;
}

static int tracepoint_resolve(const struct event_view *view, const char *name, struct event *event,
                              struct failure *failure)
{
    struct tracepoint_name parts;
    uint64_t id = 0;
    int error = split_name(name, &parts, failure);
    if (error < 0)
        return error;
    if (view->tracefs < 0)
        return unreachable(view, failure);
    error = read_id(view->tracefs, &parts, &id);
    if (error == -EACCES)
        return unreachable(&(struct event_view){.tracefs_error = EACCES}, failure);
    if (error == -EBADMSG)
        return fail_with(failure, -EINVAL, "tracefs gives no number for \"%s\"", name);
    if (error < 0) {
        /* Looks among the events of the systems whose names are nearest (the right one when it
         * exists). */
        char wanted[600], sentence[512];
        snprintf(wanted, sizeof(wanted), "%s:%s", parts.system, parts.name);
        struct suggestions systems = {.wanted = parts.system}, events = {.wanted = wanted};
        view_each_entry_at(view->tracefs, "events", consider_system, &systems);
        for (size_t i = 0; i < systems.count; i++) {
            char glob[SUGGEST_NAME + 4];
            if (i && systems.best[0].rank == 0)
                break;
            snprintf(glob, sizeof(glob), "%s:*", systems.best[i].name);
            tracepoint_each(view, glob, consider_tracepoint, &events);
        }
        if (!events.count)
            event_list(view, NULL, consider_tracepoint, &events);
        suggest_sentence(&events, sentence, sizeof(sentence));
        return fail_with(failure, -ENOENT, "no tracepoint is called \"%s\" here%s%s", wanted,
                         sentence, sentence[0] ? "" : "; `assay events '*:*'` lists them");
    }
    event->kind = EVENT_TRACEPOINT;
    event->attr.type = PERF_TYPE_TRACEPOINT;
    event->attr.config = id;
    return parts.modifiers ? event_apply_modifiers(parts.modifiers, name, &event->attr, failure)
                           : 0;
}

const struct event_form event_form_tracepoint = {tracepoint_fits, tracepoint_resolve};

/* --- listing --- */

struct tracepoint_walk {
    const struct event_view *view;
    const char *glob;
    char system_glob[256]; /* what stands before the glob's colon; "": it has none */
    const char *system;
    event_each *each;
    void *context;
};

static int walk_event(void *context, const char *name)
{
    struct tracepoint_walk *walk = context;
    char full[600];
    int length = snprintf(full, sizeof(full), "%s:%s", walk->system, name);
    if (length < 0 || (size_t)length >= sizeof(full) || fnmatch(walk->glob, full, 0) != 0)
        return 0;
    char id[700];
    snprintf(id, sizeof(id), "events/%s/%s/id", walk->system, name);
    if (faccessat(walk->view->tracefs, id, F_OK, 0) != 0)
        return 0; /* "enable" and "filter" stand beside the events */
    return walk->each(walk->context, full, EVENT_TRACEPOINT);
}

/* Can system:NAME match? Saves reading the folders of those that cannot. */
static bool may_match(const struct tracepoint_walk *walk, const char *system)
{
    if (walk->system_glob[0])
        return fnmatch(walk->system_glob, system, 0) == 0;
    size_t literal = strcspn(walk->glob, "*?[\\"); /* without a colon it ends within the system */
    return literal <= strlen(system) && strncmp(walk->glob, system, literal) == 0;
}

static int walk_system(void *context, const char *system)
{
    struct tracepoint_walk *walk = context;
    char folder[300];
    if (!may_match(walk, system))
        return 0;
    snprintf(folder, sizeof(folder), "events/%s", system);
    walk->system = system;
    return view_each_entry_at(walk->view->tracefs, folder, walk_event, walk);
}

int tracepoint_each(const struct event_view *view, const char *glob, event_each *each,
                    void *context)
{
    struct tracepoint_walk walk = {.view = view, .glob = glob, .each = each, .context = context};
    size_t length = strchr(glob, ':') ? strcspn(glob, ":") : 0;
    if (view->tracefs < 0 || length >= sizeof(walk.system_glob))
        return 0;
    memcpy(walk.system_glob, glob, length);
    return view_each_entry_at(view->tracefs, "events", walk_system, &walk);
}

static bool is_there(const struct event_view *view, const char *name)
{
    char path[256];
    int system = (int)strcspn(name, ":");
    snprintf(path, sizeof(path), "events/%.*s/%s/id", system, name, name + system + 1);
    return faccessat(view->tracefs, path, F_OK, 0) == 0;
}

int tracepoint_each_classed(const struct event_view *view, event_each *each, void *context)
{
    int stop = 0;
    for (size_t i = 0; i < class_table_tracepoint.count && !stop; i++) {
        const char *name = class_table_tracepoint.rows[i].name;
        if (view->tracefs < 0 || is_there(view, name))
            stop = each(context, name, EVENT_TRACEPOINT);
    }
    return stop;
}

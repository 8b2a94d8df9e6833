/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Hardware breakpoints: mem:ADDRESS[/LENGTH][:rwx][:modifiers] counts accesses to an address.
 * The address may be the word "target" (target.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hw_breakpoint.h>

#include "events/form.h"

static const char prefix[] = "mem:";

static bool breakpoint_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

static bool is_access(const char *text)
{
    return *text && strspn(text, "rwx") == strlen(text);
}

/* "rw" to the operating system's bits; letters twice are a slip of the pen. */
static int parse_access(const char *text, const char *whole, uint32_t *type,
                        struct failure *failure)
{
    static const struct {
        char letter;
        uint32_t bit;
    } accesses[] = {{'r', HW_BREAKPOINT_R}, {'w', HW_BREAKPOINT_W}, {'x', HW_BREAKPOINT_X}};
    *type = 0;
    for (; *text; text++) {
        for (size_t i = 0; i < 3; i++) {
            if (accesses[i].letter != *text)
                continue;
            if (*type & accesses[i].bit)
                return fail_with(failure, -EINVAL, "\"%c\" stands twice in \"%s\"", *text, whole);
            *type |= accesses[i].bit;
        }
    }
    if (*type & HW_BREAKPOINT_X && *type != HW_BREAKPOINT_X)
        return fail_with(failure, -EINVAL,
                         "\"%s\" mixes execution with data accesses: count x and rw separately",
                         whole);
    return 0;
}

/* The address and, behind a slash, the length. Without one: 4 bytes for data, and for code what
 * the operating system insists on. */
static int parse_place(const struct event_view *view, char *place, const char *whole,
                       struct event *event, struct failure *failure)
{
    struct perf_event_attr *attr = &event->attr;
    uint64_t address = 0, length = attr->bp_type == HW_BREAKPOINT_X ? sizeof(long) : 4;
    char *slash = strchr(place, '/');
    if (slash)
        *slash++ = '\0';
    if (strcmp(place, TARGET_WORD) == 0) {
        int error = target_take(view, whole, event, failure);
        if (error < 0)
            return error;
    } else if (!event_parse_number(place, &address)) {
        return fail_with(failure, -EINVAL,
                         "\"%s\" has no valid address: write mem:0x7f…[/LENGTH][:rwx][:modes]",
                         whole);
    }
    if (slash && (!event_parse_number(slash, &length) || length < 1 || length > 8))
        return fail_with(failure, -EINVAL, "the length in \"%s\" must be 1 to 8 bytes", whole);
    attr->bp_addr = address;
    attr->bp_len = length;
    return 0;
}

static int breakpoint_resolve(const struct event_view *view, const char *name, struct event *event,
                              struct failure *failure)
{
    char text[EVENT_NAME_MAX + 1];
    strcpy(text, name + sizeof(prefix) - 1);
    char *modifiers = NULL, *access = strchr(text, ':');
    if (access)
        *access++ = '\0';
    if (access && (modifiers = strchr(access, ':')))
        *modifiers++ = '\0';
    if (access && !modifiers && !is_access(access)) {
        modifiers = access;
        access = NULL;
    }
    if (access && !is_access(access))
        return fail_with(failure, -EINVAL, "\"%s\" in \"%s\" is no access: write r, w, rw or x",
                         access, name);
    event->kind = EVENT_BREAKPOINT;
    event->attr.type = PERF_TYPE_BREAKPOINT;
    int error = parse_access(access ? access : "rw", name, &event->attr.bp_type, failure);
    if (error == 0)
        error = parse_place(view, text, name, event, failure);
    if (error < 0 || !modifiers)
        return error;
    return event_apply_modifiers(modifiers, name, &event->attr, failure);
}

const struct event_form event_form_breakpoint = {breakpoint_fits, breakpoint_resolve};

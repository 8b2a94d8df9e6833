/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Events of sources, which count by executing: SOURCE/CLASS/. Which there are says the view; a
 * program that can run none has none, and such names are unknown to it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "events/form.h"
#include "events/suggest.h"

static const struct event_source *find_source(const struct event_view *view, const char *name)
{
    size_t length = strcspn(name, "/");
    if (!name[length])
        return NULL;
    for (const struct event_source *source = view->sources; source && source->name; source++) {
        if (strlen(source->name) == length && strncmp(source->name, name, length) == 0)
            return source;
    }
    return NULL;
}

static bool source_fits(const struct event_view *view, const char *name)
{
    return find_source(view, name) != NULL;
}

static int unknown_class(const struct event_source *source, const char *class,
                         struct failure *failure)
{
    struct suggestions suggestions = {.wanted = class};
    AUTO_TEXT struct text list = {0};
    for (const char *const *known = source->classes; *known; known++) {
        suggest_consider(&suggestions, *known);
        text_printf(&list, "%s%s", list.length ? ", " : "", *known);
    }
    char sentence[512];
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return fail_with(failure, -ENOENT, "source %s does not count \"%.100s\", only: %.300s%s",
                     source->name, class, text_string(&list), sentence);
}

/* It runs the code, so what it sees is user code. */
static int check_modifiers(const char *modifiers, const char *whole, struct failure *failure)
{
    modifiers += *modifiers == ':';
    if (modifiers[strspn(modifiers, "u")])
        return fail_with(failure, -EINVAL,
                         "\"%s\": a source counts user code and nothing else; leave \"%s\" away",
                         whole, modifiers);
    return 0;
}

static int source_resolve(const struct event_view *view, const char *name, struct event *event,
                          struct failure *failure)
{
    const struct event_source *source = find_source(view, name);
    char class[EVENT_NAME_MAX + 1];
    strcpy(class, name + strlen(source->name) + 1);
    char *modifiers = strchr(class, '/');
    if (!modifiers)
        return fail_with(failure, -EINVAL, "\"%s\" lacks its closing slash: write %s/CLASS/", name,
                         source->name);
    *modifiers++ = '\0';
    for (const char *const *known = source->classes; *known; known++) {
        if (strcmp(*known, class) != 0)
            continue;
        event->kind = EVENT_SOURCE;
        event->source = source;
        event->counts = *known;
        /* Windows of paths that open an event need one: it counts nothing. */
        event->attr.type = PERF_TYPE_SOFTWARE;
        event->attr.config = PERF_COUNT_SW_DUMMY;
        event->attr.exclude_kernel = 1;
        return check_modifiers(modifiers, name, failure);
    }
    return unknown_class(source, class, failure);
}

const struct event_form event_form_source = {source_fits, source_resolve};

int source_each(const struct event_view *view, event_each *each, void *context)
{
    int stop = 0;
    for (const struct event_source *source = view->sources; source && source->name; source++) {
        for (const char *const *class = source->classes; *class && !stop; class ++) {
            char name[EVENT_NAME_MAX + 1];
            snprintf(name, sizeof(name), "%s/%s/", source->name, *class);
            stop = each(context, name, EVENT_SOURCE);
        }
    }
    return stop;
}

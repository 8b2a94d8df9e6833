/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From a name to an event: what every name must satisfy, and the order in which the forms are
 * tried. The first door of the events room. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "events/form.h"
#include "events/suggest.h"

/* Prefixed forms first, because what follows the prefix may contain '/' and ':'; tracepoints last,
 * because any "word:word" could be one. */
static const struct event_form *const forms[] = {
    &event_form_uprobe, &event_form_breakpoint, &event_form_papi, &event_form_resolver,
    &event_form_raw,    &event_form_source,     &event_form_pmu,  &event_form_generic,
    &event_form_alias,  &event_form_tracepoint,
};

#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

const char *event_kind_name(enum event_kind kind)
{
    static const char *const names[] = {
        [EVENT_HARDWARE] = "hardware",
        [EVENT_CACHE] = "cache",
        [EVENT_SOFTWARE] = "software",
        [EVENT_PMU] = "pmu",
        [EVENT_RAW] = "raw",
        [EVENT_TRACEPOINT] = "tracepoint",
        [EVENT_BREAKPOINT] = "breakpoint",
        [EVENT_UPROBE] = "uprobe",
        [EVENT_PFM] = "pfm",
        [EVENT_PAPI] = "papi",
        [EVENT_SOURCE] = "source",
    };
    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

bool event_is_component(const char *text, size_t length)
{
    if (length == 0 || length > 255 || text[0] == '.')
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && !strchr("_-.", text[i]))
            return false;
    }
    return true;
}

bool event_parse_number(const char *text, uint64_t *value)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (hexadecimal ? 2 : 0);
    if (!isxdigit((unsigned char)*digits) || digits[strcspn(digits, "xX")])
        return false; /* strtoull would take a second 0x */
    char *end;
    errno = 0;
    unsigned long long number = strtoull(digits, &end, hexadecimal ? 16 : 10);
    if (errno || *end)
        return false;
    *value = number;
    return true;
}

/* Copies name without surrounding white space, or says why it cannot be a name at all. What is
 * wrong with it is not repeated in the message when it could upset a terminal. */
static int clean_name(const char *name, char **clean, struct failure *failure)
{
    while (isspace((unsigned char)*name))
        name++;
    size_t length = strnlen(name, EVENT_NAME_MAX + 64);
    while (length && isspace((unsigned char)name[length - 1]))
        length--;
    if (length == 0)
        return fail_with(failure, -EINVAL, "an event name is empty: give one such as page-faults");
    if (length > EVENT_NAME_MAX)
        return fail_with(failure, -EINVAL, "an event name is longer than %u bytes", EVENT_NAME_MAX);
    for (size_t i = 0; i < length; i++) {
        if (name[i] < 0x20 || name[i] > 0x7e)
            return fail_with(failure, -EINVAL,
                             "an event name holds the byte 0x%02x at position %zu: names are "
                             "printable ASCII",
                             (unsigned char)name[i], i);
    }
    *clean = strndup(name, length);
    return *clean ? 0 : fail_with(failure, -ENOMEM, "out of memory");
}

static int consider_event(void *context, const char *name, enum event_kind kind)
{
    (void)kind;
    suggest_consider(context, name);
    return 0;
}

/* perf prints these as events, but perf itself makes them up: there is nothing to open. */
static const char *const perf_own[] = {"duration_time", "user_time", "system_time", "has_pmem"};

static int unknown_name(const struct event_view *view, const char *name, struct failure *failure)
{
    char base[EVENT_NAME_MAX + 1];
    size_t length = strcspn(name, ":");
    memcpy(base, name, length);
    base[length] = '\0';
    for (size_t i = 0; i < sizeof(perf_own) / sizeof(perf_own[0]); i++) {
        if (strcmp(base, perf_own[i]) == 0)
            return fail_with(failure, -ENOENT,
                             "%s is computed by the perf tool and is no event of the operating "
                             "system: use task-clock or cpu-clock",
                             base);
    }
    struct suggestions suggestions = {.wanted = base};
    event_list(view, NULL, consider_event, &suggestions);
    char sentence[512];
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return fail_with(failure, -ENOENT, "no event is called \"%s\" here%s%s", base, sentence,
                     sentence[0] ? "" : "; `assay events` lists what this machine knows");
}

/* A plugged-in table may know what no form does; its silence does not hide the first answer. */
static int ask_resolver(const struct event_view *view, const char *name, struct event *event,
                        int error)
{
    if (error != -ENOENT || !view->resolver)
        return error;
    struct event other = {.attr = {.size = sizeof(other.attr)}};
    if (view->resolver->resolve(name, &other, NULL) < 0) {
        event_release(&other);
        return error;
    }
    event_release(event);
    *event = other;
    return 0;
}

static int resolve_clean(const struct event_view *view, const char *name, struct event *event,
                         struct failure *failure)
{
    int error = -ENOENT;
    size_t i = 0;
    while (i < FORM_COUNT && !forms[i]->fits(view, name))
        i++;
    if (i < FORM_COUNT)
        error = forms[i]->resolve(view, name, event, failure);
    else
        error = unknown_name(view, name, failure);
    return ask_resolver(view, name, event, error);
}

int event_resolve(const struct event_view *view, const char *name, struct event *event,
                  struct failure *failure)
{
    *event = (struct event){0};
    char *clean = NULL;
    int error = clean_name(name, &clean, failure);
    if (error < 0)
        return error;
    event->attr.size = sizeof(event->attr);
    error = resolve_clean(view, clean, event, failure);
    if (error < 0) {
        free(clean);
        event_release(event);
        return error;
    }
    event->name = clean;
    if (failure)
        *failure = (struct failure){0}; /* a form may have complained before a table knew it */
    return 0;
}

void event_release(struct event *event)
{
    free(event->name);
    free(event->target);
    *event = (struct event){0};
}

/* --- names with "::", which only a plugged-in table knows --- */

static bool resolver_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strstr(name, "::") != NULL;
}

static int resolver_resolve(const struct event_view *view, const char *name, struct event *event,
                            struct failure *failure)
{
    if (!view->resolver)
        return fail_with(failure, -ENOENT,
                         "\"%s\" is a libpfm4 name, and this program was built without libpfm4: "
                         "install libpfm4-dev and build again, or use the sysfs form pmu/event=…/",
                         name);
    int error = view->resolver->resolve(name, event, failure);
    if (error == -ENOENT && (!failure || !failure->text[0]))
        return fail_with(failure, -ENOENT, "%s knows no event \"%s\"", view->resolver->name, name);
    return error;
}

const struct event_form event_form_resolver = {resolver_fits, resolver_resolve};

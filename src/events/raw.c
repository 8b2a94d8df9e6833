/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Raw codes: rNNN with hexadecimal NNN goes to the core PMU's config as it stands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/form.h"

static size_t digits_of(const char *name)
{
    return name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;
}

static bool raw_fits(const struct event_view *view, const char *name)
{
    (void)view;
    size_t digits = digits_of(name);
    return digits && (name[1 + digits] == '\0' || name[1 + digits] == ':');
}

static int raw_resolve(const struct event_view *view, const char *name, struct event *event,
                       struct failure *failure)
{
    (void)view;
    size_t digits = digits_of(name);
    if (digits > 16)
        return fail_with(failure, -EINVAL, "\"%s\": a raw code has at most 16 hexadecimal digits",
                         name);
    event->kind = EVENT_RAW;
    event->attr.type = PERF_TYPE_RAW;
    event->attr.config = strtoull(name + 1, NULL, 16);
    if (!name[1 + digits])
        return 0;
    return event_apply_modifiers(name + 2 + digits, name, &event->attr, failure);
}

const struct event_form event_form_raw = {raw_fits, raw_resolve};

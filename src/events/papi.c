/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * PAPI's presets: PAPI_TOT_INS[:modifiers]. PAPI alone knows which events of the CPU a preset
 * stands for, so the name is all there is: only paths through PAPI can count it, and
 * perf_event_open refuses its attr. Which presets there are PAPI says; here a name only has to be
 * written like one. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "events/form.h"

static const char prefix[] = "PAPI_";

static bool papi_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

static int papi_resolve(const struct event_view *view, const char *name, struct event *event,
                        struct failure *failure)
{
    (void)view;
    size_t length = strcspn(name, ":");
    for (size_t i = 0; i < length; i++) {
        if (!isupper((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
            return fail_with(failure, -EINVAL,
                             "\"%s\" is no name of a PAPI preset: they are capitals, digits and "
                             "underscores, such as PAPI_TOT_INS",
                             name);
    }
    if (length == sizeof(prefix) - 1)
        return fail_with(failure, -EINVAL, "\"%s\" is incomplete: write PAPI_TOT_INS, for example",
                         name);
    event->kind = EVENT_PAPI;
    event->attr.type = EVENT_TYPE_NONE;
    return name[length] ? event_apply_modifiers(name + length + 1, name, &event->attr, failure) : 0;
}

const struct event_form event_form_papi = {papi_fits, papi_resolve};

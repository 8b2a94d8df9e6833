/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI's presets, for listing and trying events. */
#pragma once

#include "events/event.h"

struct preset {
    char *name, *reason; /* reason: PAPI's own words when error is not 0 */
    int error;           /* positive errno, 0: can be counted */
};

/* Filled from what the harnesses describe. absence: why no PAPI harness described any, or NULL; not
 * owned. */
struct presets {
    struct preset *list;
    size_t count;
    const char *absence;
};

int presets_add(struct presets *presets, const char *name, int error, const char *reason);
void presets_free(struct presets *presets);

/* The preset of that name, whatever modifiers follow it. */
struct preset *presets_find(const struct presets *presets, const char *name);

/* Calls each for those that match the glob, until it returns non-zero. */
int presets_each(const struct presets *presets, const char *glob, event_each *each, void *context);

/* Can the event, of kind EVENT_PAPI, be counted? 0, or the positive errno and the reason. */
int presets_try(const struct presets *presets, const struct event_view *view,
                const struct event *event, char *reason, size_t size);

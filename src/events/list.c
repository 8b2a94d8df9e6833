/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Every event the machine describes, by name: what `assay events` shows and suggestions are chosen
 * from. Whether an event can be opened is another question. */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "events/form.h"

struct listing {
    const struct event_view *view;
    const char *glob; /* NULL: everything */
    const char *pmu;
    event_each *each;
    void *context;
};

static int offer(void *context, const char *name, enum event_kind kind)
{
    const struct listing *listing = context;
    if (listing->glob && fnmatch(listing->glob, name, FNM_CASEFOLD) != 0)
        return 0;
    return listing->each(listing->context, name, kind);
}

static int offer_alias(void *context, const char *file)
{
    struct listing *listing = context;
    char name[600];
    if (!pmu_is_alias(file))
        return 0;
    snprintf(name, sizeof(name), "%s/%s/", listing->pmu, file);
    return offer(listing, name, EVENT_PMU);
}

static int offer_pmu(void *context, const char *pmu)
{
    struct listing *listing = context;
    char folder[PATH_MAX];
    if (!event_is_component(pmu, strlen(pmu)))
        return 0;
    snprintf(folder, sizeof(folder), PMU_FOLDER "/%s/events", pmu);
    listing->pmu = pmu;
    return view_each_entry(listing->view, folder, offer_alias, listing);
}

/* All of them are thousands. Without a glob those come whose counts a specimen can predict; so they
 * do, as far as the glob wants them, where tracefs cannot be read: to be told why. */
static int offer_tracepoints(struct listing *listing)
{
    bool all = !listing->glob || strcmp(listing->glob, "*") == 0;
    if (all || listing->view->tracefs < 0)
        return tracepoint_each_classed(listing->view, offer, listing);
    return tracepoint_each(listing->view, listing->glob, listing->each, listing->context);
}

int event_list(const struct event_view *view, const char *glob, event_each *each, void *context)
{
    struct listing listing = {
        .view = view,
        .glob = glob && *glob ? glob : NULL,
        .each = each,
        .context = context,
    };
    int stop = generic_each(offer, &listing);
    if (!stop)
        stop = view_each_entry(view, PMU_FOLDER, offer_pmu, &listing);
    if (!stop)
        stop = source_each(view, offer, &listing);
    if (!stop)
        stop = target_each(view, offer, &listing);
    if (!stop)
        stop = offer_tracepoints(&listing);
    if (!stop && listing.glob && strstr(listing.glob, "::") && view->resolver)
        stop = view->resolver->list(listing.glob, each, context);
    return stop;
}

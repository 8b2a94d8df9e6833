/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the harness for a tour: of those that have all its calls the one with the fewest operations
 * besides, because what it does not link cannot disturb. */
#include "probe/driver/tours.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/tour/spans.h"
#include "wire/tour.h"

struct search {
    const struct cell *cell;
    const struct probe_kit *kit;
    const struct offers *offers;
    const struct tour_call *calls;
    size_t count;
};

static const struct offered_operation *find_in(const struct offers *offers, size_t harness,
                                               const char *name)
{
    for (size_t index = 0; index < offers->operation_count; index++)
        if (offers->operations[index].harness == harness &&
            operation_is(&offers->operations[index], name))
            return &offers->operations[index];
    return NULL;
}

static bool is_of_link(const struct search *search, size_t harness)
{
    return strcmp(search->kit->harnesses[harness].link, search->cell->link) == 0;
}

static bool suffices(const struct search *search, size_t harness)
{
    for (size_t index = 0; index < search->count; index++)
        if (!find_in(search->offers, harness, search->calls[index].operation))
            return false;
    return true;
}

static size_t size_of(const struct offers *offers, size_t harness)
{
    size_t size = 0;
    for (size_t index = 0; index < offers->operation_count; index++)
        size += offers->operations[index].harness == harness;
    return size;
}

/* The index of the harness, or -1. */
static ptrdiff_t find_harness(const struct search *search)
{
    ptrdiff_t best = -1;
    for (size_t harness = 0; harness < search->kit->harness_count; harness++)
        if (is_of_link(search, harness) && suffices(search, harness) &&
            (best < 0 || size_of(search->offers, harness) < size_of(search->offers, (size_t)best)))
            best = (ptrdiff_t)harness;
    return best;
}

static const char *absence_of(const struct offers *offers, const char *name)
{
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, "operation") == 0 &&
            strcmp(offers->absences[index].name, name) == 0)
            return offers->absences[index].reason;
    return NULL;
}

static int explain_one(const struct search *search, const char *name, struct failure *failure)
{
    bool anywhere = false;
    for (size_t harness = 0; harness < search->kit->harness_count; harness++) {
        bool had = find_in(search->offers, harness, name) != NULL;
        if (had && is_of_link(search, harness))
            return 0;
        anywhere |= had;
    }
    const char *reason = absence_of(search->offers, name);
    if (anywhere)
        return fail_with(failure, -ENOENT, "%s cannot be called here with link mode %s", name,
                         search->cell->link);
    if (reason)
        return fail_with(failure, -ENOENT, "%s: %s", name, reason);
    return fail_with(failure, -ENOENT, "this kit has no operation %s", name);
}

static int explain(const struct search *search, struct failure *failure)
{
    for (size_t index = 0; index < search->count; index++) {
        int result = explain_one(search, search->calls[index].operation, failure);
        if (result < 0)
            return result;
    }
    return fail_with(failure, -ENOENT,
                     "no harness with link mode %s has all the operations of this tour: tour those "
                     "of different libraries apart",
                     search->cell->link);
}

static int find(struct known_cell *known, const struct search *search)
{
    ptrdiff_t harness = find_harness(search);
    if (harness < 0)
        return explain(search, &known->failure);
    known->harness = (size_t)harness;
    for (size_t index = 0; index < search->count; index++)
        known->needs_folder |=
            find_in(search->offers, known->harness, search->calls[index].operation)->needs_folder;
    return 0;
}

/* The clock alone, or counters of the operating system. */
static int check_meters(struct known_cell *known)
{
    const struct cell *cell = &known->cell;
    for (uint32_t index = 0; index < cell->counters; index++) {
        const struct event *event = &known->events[index];
        if (event->source && strcmp(event->source->name, "clock") != 0)
            return fail_with(&known->failure, -ENOTSUP,
                             "%s cannot meter the calls of a tour: that takes clock/ticks/, or "
                             "counters of the CPU",
                             event->name);
        if (event->source && cell->counters > 1)
            return fail_with(&known->failure, -EINVAL,
                             "%s meters alone: reading other meters as well would be in its spans",
                             event->name);
        if (event->own)
            return fail_with(&known->failure, -ENOTSUP, "%s cannot meter the calls of a tour",
                             event->name);
    }
    if (cell->counters > METERS_MOST)
        return fail_with(&known->failure, -E2BIG, "a tour has at most %d meters at once, not %u",
                         METERS_MOST, cell->counters);
    return 0;
}

static int check_counted(struct known_cell *known)
{
    const struct event *counted = &known->counted;
    if (counted->source || counted->own)
        return fail_with(&known->failure, -ENOTSUP,
                         "%s cannot be what the calls of a tour count: that takes an event of the "
                         "operating system",
                         counted->name);
    return 0;
}

int tour_resolve(struct known_cell *known, const struct probe_kit *kit, const struct offers *offers)
{
    AUTO_FREE struct tour_call *calls = NULL;
    struct search search = {.cell = &known->cell, .kit = kit, .offers = offers};
    if (strcmp(known->cell.opt, "O2") != 0)
        return fail_with(&known->failure, -ENOENT,
                         "the calls of tours are compiled at -O2, not -%.8s", known->cell.opt);
    int result = tour_parse(known->cell.tour.calls, &calls, &search.count, &known->failure);
    if (result < 0)
        return result;
    search.calls = calls;
    result = find(known, &search);
    if (result == 0)
        result = check_meters(known);
    if (result == 0)
        result = check_counted(known);
    return result;
}

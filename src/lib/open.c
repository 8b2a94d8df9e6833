/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Opening and closing sets: names to events, events to counters, and a reason for each that the
 * machine refuses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/form.h"
#include "lib/set.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* Tracefs is only touched for names that may be tracepoints. */
static void open_view(struct event_view *view, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (event_form_tracepoint.fits(NULL, names[i])) {
            event_view_open(view, "");
            return;
        }
    }
    *view = (struct event_view){.root = "", .tracefs = -1};
}

static void refuse(const struct event_view *view, struct set_member *member, int error,
                   const char *leader)
{
    char reason[1024];
    member->error = -error;
    if (leader && counter_try_open(&member->event) == 0)
        snprintf(reason, sizeof(reason),
                 "it can be counted alone, but not in one group with %s: there are not enough "
                 "counters, they belong to different PMUs, or only a group's first event may be "
                 "pinned or exclusive. Open the events separately (ASSAY_SEPARATE)",
                 leader);
    else
        event_open_reason(view, &member->event, -error, reason, sizeof(reason));
    member->reason = strdup(reason);
}

/* Opens member i, as the leader when there is none yet. */
static void open_member(struct assay_set *set, const struct event_view *view, size_t i,
                        unsigned flags)
{
    bool joins = set->grouped && set->leader >= 0;
    struct counter_options options = {
        .cpu = -1,
        .group = joins ? set->leader : -1,
        .read_format = TIMES | (set->grouped ? PERF_FORMAT_GROUP : 0),
        .disabled = !joins,
        .inherit = flags & ASSAY_INHERIT,
        .pinned = flags & ASSAY_PINNED && !joins,
    };
    struct set_member *member = &set->members[i];
    int descriptor = counter_open(&member->event, &options);
    if (descriptor < 0) {
        const char *leader = NULL;
        for (size_t k = 0; joins && k < i && !leader; k++)
            leader = set->descriptors[k] >= 0 ? set->members[k].event.name : NULL;
        refuse(view, member, descriptor, leader);
        return;
    }
    set->descriptors[i] = descriptor;
    set->open++;
    if (set->leader < 0)
        set->leader = descriptor;
}

static int resolve_members(struct assay_set *set, const struct event_view *view,
                           const char *const *names, set_prepare *prepare)
{
    for (size_t i = 0; i < set->count; i++) {
        struct set_member *member = &set->members[i];
        int error = event_resolve(view, names[i], &member->event, set_failure());
        if (error == -EACCES) { /* the name may be right: the machine refuses to say */
            member->error = EACCES;
            member->reason = strdup(set_failure()->text);
            member->event.name = strdup(names[i]);
            continue;
        }
        if (!error && prepare)
            error = prepare(&member->event, set_failure());
        if (error < 0)
            return error;
    }
    return 0;
}

int set_open(struct assay_set **result, const char *const *events, size_t count, unsigned flags,
             set_prepare *prepare)
{
    const unsigned known = ASSAY_SEPARATE | ASSAY_PINNED | ASSAY_INHERIT;
    if (!result)
        return set_fail(-EINVAL, "assay_set_open needs a place for the set");
    *result = NULL;
    if (!events || !count || count > ASSAY_MAX_COUNTERS)
        return set_fail(-EINVAL, "a set holds 1 to %d events, not %zu", ASSAY_MAX_COUNTERS,
                        events ? count : 0);
    if (flags & ~known)
        return set_fail(-EINVAL, "unknown flags 0x%x", flags & ~known);
    for (size_t i = 0; i < count; i++) {
        if (!events[i])
            return set_fail(-EINVAL, "event %zu is NULL", i);
    }
    struct assay_set *set = calloc(1, sizeof(*set));
    if (!set)
        return set_fail(-ENOMEM, "out of memory");
    set->count = count;
    set->leader = -1;
    /* One event alone needs no group, and is read faster without. */
    set->grouped = count > 1 && !(flags & (ASSAY_SEPARATE | ASSAY_INHERIT));
    for (size_t i = 0; i < ASSAY_MAX_COUNTERS; i++)
        set->descriptors[i] = -1;
    struct event_view view;
    open_view(&view, events, count);
    int error = resolve_members(set, &view, events, prepare);
    for (size_t i = 0; i < count && !error; i++)
        if (!set->members[i].error)
            open_member(set, &view, i, flags);
    event_view_close(&view);
    if (error) {
        assay_set_close(set);
        return error;
    }
    set_prepare_reader(set);
    *result = set;
    return 0;
}

int assay_set_open(struct assay_set **result, const char *const *events, size_t count,
                   unsigned flags)
{
    return set_open(result, events, count, flags, NULL);
}

/* Siblings before their leader, so that the group never breaks up into events of their own. */
void assay_set_close(struct assay_set *set)
{
    if (!set)
        return;
    for (size_t i = set->count; i-- > 0;) {
        if (set->descriptors[i] >= 0)
            close(set->descriptors[i]);
        event_release(&set->members[i].event);
        free(set->members[i].reason);
    }
    free(set);
}

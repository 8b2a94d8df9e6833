/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Opening and closing calipers: which path has its counts, and what they say about their events. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/in-place.h"
#include "lib/set.h"
#include "lib/ticks.h"

#define TICKS_EVENT "ticks"

/* Faults in user code: those in system calls disturb nothing that is counted of user code, and
 * counting them would need a privilege. */
static const char *const companions[] = {"page-faults:u", "context-switches"};
#define COMPANIONS (sizeof(companions) / sizeof(companions[0]))

static int open_read(struct assay_calipers *calipers)
{
    const char *names[ASSAY_CALIPERS_MOST + COMPANIONS];
    size_t places[ASSAY_CALIPERS_MOST + COMPANIONS], count = 0;
    for (size_t i = 0; i < calipers->count; i++) {
        const struct caliper *event = &calipers->events[i];
        if (!event->kind && !event->error && strcmp(event->name, TICKS_EVENT) != 0) {
            places[count] = i;
            names[count++] = calipers->events[i].name;
        }
    }
    if (!count)
        return 0;
    /* A frame has words for as many counters as calipers have events. */
    size_t along = count + COMPANIONS <= ASSAY_CALIPERS_MOST ? COMPANIONS : 0;
    for (size_t i = 0; i < along; i++)
        names[count + i] = companions[i];
    int error = assay_set_open(&calipers->set, names, count + along, 0);
    if (error < 0)
        return error;
    struct assay_set *set = calipers->set;
    size_t word = 3;
    for (size_t i = 0; i < count + along; i++) {
        if (set->descriptors[i] >= 0 && i < count) {
            calipers->events[places[i]].kind = CALIPER_COUNTER;
            calipers->events[places[i]].word = word;
        } else if (i < count) {
            calipers->events[places[i]].error = set->members[i].error;
            calipers->events[places[i]].reason = strdup(assay_set_reason(set, i));
        } else if (set->descriptors[i] >= 0) {
            calipers->companion_words[i - count] = word;
        }
        word += set->descriptors[i] >= 0;
    }
    if (set->reader.descriptor < 0)
        return 0;
    calipers->companions = along;
    calipers->here.descriptor = set->reader.descriptor;
    calipers->here.size = set->reader.size;
    calipers->here.ways |= ASSAY_WAY_READ;
    calipers->path = ASSAY_PATH_READ;
    return assay_set_enable(set);
}

static void open_ticks(struct assay_calipers *calipers)
{
    bool there = IN_PLACE_TICKS && !ticks_forbidden();
    for (size_t i = 0; i < calipers->count; i++) {
        struct caliper *event = &calipers->events[i];
        if (event->error || strcmp(event->name, TICKS_EVENT) != 0)
            continue;
        event->kind = there ? CALIPER_TICKS : CALIPER_ABSENT;
        event->error = there ? 0 : EOPNOTSUPP;
        event->reason = there ? NULL : strdup(TICKS_FORBIDDEN);
        if (there)
            calipers->here.ways |= ASSAY_WAY_TICKS;
    }
}

int assay_calipers_open(struct assay_calipers **result, const char *const *events, size_t count,
                        unsigned flags)
{
    const unsigned known = ASSAY_USER | ASSAY_READ | ASSAY_OR_TRAP | ASSAY_NO_TIME | ASSAY_WATCH;
    if (!result)
        return set_fail(-EINVAL, "assay_calipers_open needs a place for the calipers");
    *result = NULL;
    if (count > ASSAY_CALIPERS_MOST || (count && !events))
        return set_fail(-EINVAL, "calipers hold up to %d events, not %zu", ASSAY_CALIPERS_MOST,
                        count);
    if (flags & ~known)
        return set_fail(-EINVAL, "unknown flags 0x%x", flags & ~known);
    struct assay_calipers *calipers = aligned_alloc(64, (sizeof(*calipers) + 63) / 64 * 64);
    if (!calipers)
        return set_fail(-ENOMEM, "out of memory");
    memset(calipers, 0, sizeof(*calipers));
    calipers->count = count;
    calipers->flags = flags;
    calipers->here.frame = &calipers->frames[0];
    calipers->here.last = &calipers->frames[ASSAY_DEPTH_MOST];
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        calipers->events[i].name = events[i] ? strdup(events[i]) : NULL;
        if (!calipers->events[i].name)
            error = events[i] ? set_fail(-ENOMEM, "out of memory")
                              : set_fail(-EINVAL, "event %zu is NULL", i);
    }
    if (!error)
        error = calipers_trap_open(calipers);
    if (!error)
        error = open_read(calipers);
    if (!error)
        open_ticks(calipers);
    if (!error)
        natures_find(calipers);
    if (!error)
        error = here_attach(calipers);
    if (!error)
        error = assay_calipers_select(calipers);
    if (error) {
        assay_calipers_close(calipers);
        return error;
    }
    *result = calipers;
    return 0;
}

void assay_calipers_close(struct assay_calipers *calipers)
{
    if (!calipers)
        return;
    calipers_trap_close(calipers);
    here_detach(calipers);
    regions_merge(calipers);
    nulls_free(calipers->nulls);
    assay_set_close(calipers->set);
    for (size_t i = 0; i < calipers->count; i++) {
        free(calipers->events[i].name);
        free(calipers->events[i].reason);
    }
    free(calipers->reason);
    free(calipers);
}

enum assay_path assay_calipers_path(const struct assay_calipers *calipers)
{
    return calipers->path;
}

const char *assay_path_name(enum assay_path path)
{
    static const char *const names[] = {
        [ASSAY_PATH_NONE] = "none",
        [ASSAY_PATH_USER] = "perf-user",
        [ASSAY_PATH_READ] = "perf-read",
        [ASSAY_PATH_TRAP] = "trap",
    };
    return (size_t)path < sizeof(names) / sizeof(names[0]) ? names[path] : "unknown";
}

size_t assay_calipers_size(const struct assay_calipers *calipers)
{
    return calipers->count;
}

const char *assay_calipers_event(const struct assay_calipers *calipers, size_t index)
{
    return index < calipers->count ? calipers->events[index].name : NULL;
}

int assay_calipers_error(const struct assay_calipers *calipers, size_t index)
{
    return index < calipers->count    ? calipers->events[index].error
           : index == calipers->count ? 0
                                      : EINVAL;
}

const char *assay_calipers_reason(const struct assay_calipers *calipers, size_t index)
{
    if (index > calipers->count)
        return "there is no such event in the calipers";
    const char *reason =
        index < calipers->count ? calipers->events[index].reason : calipers->reason;
    return reason ? reason : "";
}

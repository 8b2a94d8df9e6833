/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Opening and closing calipers: which path has its counts, and what they say about their events. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/set.h"

/* What disturbs a region, counted along: the order of companion_words. Faults in user code: those
 * in system calls disturb nothing that is counted of user code, and counting them would need a
 * privilege. */
static const char *const companions[] = {"page-faults:u", "context-switches"};
#define COMPANIONS (sizeof(companions) / sizeof(companions[0]))

/* Instructions that a compiler may execute once for several names to have their address in a
 * register, and to keep that; calibrating has them never. On x86-64 the address is a part of one
 * instruction. */
#if defined(__x86_64__)
#define NAME_MOST 0
#else
#define NAME_MOST 3
#endif

/* The events that counters count, in the order of a set's members. */
struct counted {
    const char *names[ASSAY_CALIPERS_MOST + COMPANIONS];
    size_t places[ASSAY_CALIPERS_MOST]; /* in the calipers */
    size_t count;
};

static void find_counted(const struct assay_calipers *calipers, struct counted *counted)
{
    counted->count = 0;
    for (size_t i = 0; i < calipers->count; i++) {
        const struct caliper *event = &calipers->events[i];
        if (event->kind || event->error || strcmp(event->name, TICKS_EVENT) == 0)
            continue; /* settled, or not for counters */
        counted->places[counted->count] = i;
        counted->names[counted->count++] = calipers->events[i].name;
    }
    for (size_t i = 0; i < COMPANIONS; i++)
        counted->names[counted->count + i] = companions[i];
}

/* Members of the set become events that are counted, from that word on, or that have a reason. */
static void take_members(struct assay_calipers *calipers, const struct counted *counted,
                         size_t word, size_t words_each)
{
    const struct assay_set *set = calipers->set;
    for (size_t i = 0; i < counted->count; i++) {
        struct caliper *event = &calipers->events[counted->places[i]];
        if (set->descriptors[i] >= 0) {
            event->kind = CALIPER_COUNTER;
            event->word = word;
            word += words_each;
        } else {
            event->error = set->members[i].error;
            event->reason = strdup(assay_set_reason(set, i));
        }
    }
}

/* Where the companions of a set are that begins with other members. */
static void take_companions(struct assay_calipers *calipers, const struct assay_set *set,
                            size_t before)
{
    size_t word = GROUP_COUNTS;
    for (size_t i = 0; i < before + COMPANIONS; i++) {
        if (set->descriptors[i] < 0)
            continue;
        if (i >= before)
            calipers->companion_words[i - before] = word;
        word++;
    }
}

static void read_by_call(struct assay_calipers *calipers, const struct assay_set *set)
{
    calipers->here.descriptor = set->reader.descriptor;
    calipers->here.size = set->reader.size;
    calipers->here.ways |= ASSAY_WAY_READ;
}

/* Companions that are events anyway cost nothing more. */
static void find_companions(struct assay_calipers *calipers)
{
    for (size_t i = 0; i < calipers->count; i++) {
        const struct caliper *event = &calipers->events[i];
        for (size_t k = 0; k < COMPANIONS && event->kind == CALIPER_COUNTER; k++)
            if (strcmp(event->name, companions[k]) == 0)
                calipers->companion_words[k] = event->word;
    }
}

/* One event without companions is read alone, which is a third cheaper than a group. */
static int open_read(struct assay_calipers *calipers, const struct counted *counted)
{
    size_t along = calipers->flags & ASSAY_WATCH ? COMPANIONS : 0;
    int error = assay_set_open(&calipers->set, counted->names, counted->count + along, 0);
    if (error < 0)
        return error;
    take_members(calipers, counted, calipers->set->grouped ? GROUP_COUNTS : SINGLE_COUNT, 1);
    bool any = false;
    for (size_t i = 0; i < counted->count; i++)
        any |= calipers->set->descriptors[i] >= 0;
    if (!any)
        return 0;
    if (along)
        take_companions(calipers, calipers->set, counted->count);
    else
        find_companions(calipers);
    read_by_call(calipers, calipers->set);
    calipers->path = ASSAY_PATH_READ;
    return assay_set_enable(calipers->set);
}

/* The companions of user reads, by system calls around them, where there are any. */
static void open_watch(struct assay_calipers *calipers)
{
    if (assay_set_open(&calipers->watch, companions, COMPANIONS, 0) < 0 ||
        calipers->watch->reader.descriptor < 0 || assay_set_enable(calipers->watch) < 0)
        return;
    take_companions(calipers, calipers->watch, 0);
    read_by_call(calipers, calipers->watch);
}

static int open_user(struct assay_calipers *calipers, const struct counted *counted)
{
    int error = calipers_user_open(calipers, counted->names, counted->count);
    if (error < 0)
        return error;
    take_members(calipers, counted, 0, 2);
    if (calipers->flags & ASSAY_WATCH)
        open_watch(calipers);
    return 0;
}

/* By user reads where all events can be had so, else by system calls. */
static int open_counters(struct assay_calipers *calipers)
{
    struct counted counted;
    find_counted(calipers, &counted);
    if (!counted.count)
        return 0;
    int error = calipers->flags & ASSAY_READ
                    ? set_fail(-ECANCELED, "system calls were asked for (ASSAY_READ)")
                    : open_user(calipers, &counted);
    if (!error || error == -EINVAL || error == -ENOENT)
        return error;
    calipers->reason = strdup(assay_last_error());
    if (!(calipers->flags & ASSAY_USER))
        return open_read(calipers, &counted);
    for (size_t i = 0; i < counted.count; i++) {
        calipers->events[counted.places[i]].error = -error;
        calipers->events[counted.places[i]].reason = strdup(assay_last_error());
    }
    return 0;
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
    if (flags & ASSAY_USER && flags & ASSAY_READ)
        return set_fail(-EINVAL, "ASSAY_USER and ASSAY_READ exclude each other");
    struct assay_calipers *calipers = aligned_alloc(64, (sizeof(*calipers) + 63) / 64 * 64);
    if (!calipers)
        return set_fail(-ENOMEM, "out of memory");
    memset(calipers, 0, sizeof(*calipers));
    calipers->count = count;
    calipers->flags = flags;
    calipers->name_most = NAME_MOST;
    for (size_t i = 0; i < FRAMES; i++)
        calipers->frames[i].begun[GROUP_ENABLED] = 1; /* see ended.c */
    calipers->here.frame = &calipers->frames[0];
    calipers->here.last = &calipers->frames[FRAMES - 1];
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
        error = open_counters(calipers);
    if (!error)
        calipers_ticks_open(calipers);
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
    if (!here_owns(calipers)) {
        set_fail(-EPERM, "calipers are closed by the thread that opened them");
        return;
    }
    calipers_trap_close(calipers);
    here_detach(calipers);
    regions_merge(calipers);
    nulls_free(calipers->nulls);
    calipers_user_close(calipers);
    assay_set_close(calipers->set);
    assay_set_close(calipers->watch);
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
    if (calipers->forked && index <= calipers->count)
        return ESRCH;
    return index < calipers->count    ? calipers->events[index].error
           : index == calipers->count ? 0
                                      : EINVAL;
}

const char *assay_calipers_reason(const struct assay_calipers *calipers, size_t index)
{
    if (index > calipers->count)
        return "there is no such event in the calipers";
    if (calipers->forked)
        return FORKED_REASON;
    const char *reason =
        index < calipers->count ? calipers->events[index].reason : calipers->reason;
    if (!reason && index < calipers->count)
        reason = calipers_trap_reason(calipers->trap_lost);
    return reason ? reason : "";
}

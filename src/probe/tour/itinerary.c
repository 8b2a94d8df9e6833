/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the calls of a tour and walks through them once, without making any. */
#include "probe/tour/itinerary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/tour.h"

static const struct caller *find_caller(const char *name, size_t length)
{
    for (size_t index = 0; caller_registry[index]; index++)
        if (strlen(caller_registry[index]->path) == length &&
            memcmp(caller_registry[index]->path, name, length) == 0)
            return caller_registry[index];
    return NULL;
}

static int find_call(struct itinerary *itinerary, struct job *job, size_t index,
                     const struct tour_call *call)
{
    const char *dot = strrchr(call->operation, '.');
    const struct caller *caller =
        dot ? find_caller(call->operation, (size_t)(dot - call->operation)) : NULL;
    for (int kind = 0; caller && kind < CALL_KINDS; kind++)
        if (strcmp(call_kind_names[kind], dot + 1) == 0 && caller->calls[kind].function) {
            itinerary->callers[index] = caller;
            itinerary->kinds[index] = (enum call_kind)kind;
            itinerary->spans[index] = (struct span){caller->calls[kind].function, call->times};
            return 0;
        }
    return job_fail(job, -ENOENT, "this harness has no operation %s", call->operation);
}

static int find_calls(struct itinerary *itinerary, struct job *job)
{
    AUTO_FREE struct tour_call *calls = NULL;
    struct failure failure = {0};
    size_t count = 0;
    int result = tour_parse(job_calls(job), &calls, &count, &failure);
    if (result < 0)
        return job_fail(job, result, "%s", failure.text);
    itinerary->spans = calloc(count, sizeof(*itinerary->spans));
    itinerary->callers = calloc(count, sizeof(struct caller *));
    itinerary->kinds = calloc(count, sizeof(*itinerary->kinds));
    if (!itinerary->spans || !itinerary->callers || !itinerary->kinds)
        return job_fail(job, -ENOMEM, "no memory for a tour of %zu calls", count);
    itinerary->length = count;
    for (size_t index = 0; index < count && result == 0; index++)
        result = find_call(itinerary, job, index, &calls[index]);
    return result;
}

static int instrument_of(struct itinerary *itinerary, const struct caller *caller)
{
    size_t index = 0;
    while (index < itinerary->instrument_count &&
           strcmp(itinerary->instruments[index].opener->instrument, caller->instrument) != 0)
        index++;
    if (index == INSTRUMENTS_MOST)
        return -E2BIG;
    if (index == itinerary->instrument_count)
        itinerary->instruments[itinerary->instrument_count++].opener = caller;
    return (int)index;
}

enum known_state { STATE_UNKNOWN, STATE_RUNNING, STATE_STOPPED };

static int step(struct itinerary *itinerary, struct job *job, size_t index, enum known_state *state,
                bool *running)
{
    static const enum known_state wants[] = {
        [WHEN_RUNNING] = STATE_RUNNING, [WHEN_STOPPED] = STATE_STOPPED};
    const struct caller *caller = itinerary->callers[index];
    const struct call_entry *entry = &caller->calls[itinerary->kinds[index]];
    if (entry->when != WHEN_ANY && *state == STATE_UNKNOWN) {
        *state = wants[entry->when];
        *running = entry->when == WHEN_RUNNING;
    }
    if (entry->when != WHEN_ANY && *state != wants[entry->when])
        return job_fail(
            job, -EINVAL,
            "call %zu of the tour, %s.%s, makes no sense where it stands: %s is %s then", index + 1,
            caller->path, call_kind_names[itinerary->kinds[index]], caller->instrument,
            *state == STATE_RUNNING ? "running" : "stopped");
    if (entry->effect != EFFECT_KEEPS)
        *state = entry->effect == EFFECT_STARTS ? STATE_RUNNING : STATE_STOPPED;
    return 0;
}

/* An instrument that is only read runs from the beginning. */
static int walk(struct itinerary *itinerary, struct job *job)
{
    enum known_state states[INSTRUMENTS_MOST] = {STATE_UNKNOWN};
    for (size_t index = 0; index < INSTRUMENTS_MOST; index++)
        itinerary->instruments[index].running = true;
    for (size_t index = 0; index < itinerary->length; index++) {
        int instrument = instrument_of(itinerary, itinerary->callers[index]);
        if (instrument < 0)
            return job_fail(job, instrument, "a tour has at most %d instruments", INSTRUMENTS_MOST);
        int result = step(itinerary, job, index, &states[instrument],
                          &itinerary->instruments[instrument].running);
        if (result < 0)
            return result;
    }
    bool again = !job->tour.cold || job->runs > itinerary->length;
    for (size_t index = 0; index < itinerary->instrument_count && again; index++) {
        const struct itinerary_instrument *instrument = &itinerary->instruments[index];
        if (states[index] != STATE_UNKNOWN &&
            (states[index] == STATE_RUNNING) != instrument->running)
            return job_fail(job, -EINVAL,
                            "the tour begins with %s %s but leaves it %s: its next pass would be "
                            "another one",
                            instrument->opener->instrument,
                            instrument->running ? "running" : "stopped",
                            instrument->running ? "stopped" : "running");
    }
    return 0;
}

bool itinerary_first_of_caller(const struct itinerary *itinerary, size_t call)
{
    for (size_t before = 0; before < call; before++)
        if (itinerary->callers[before] == itinerary->callers[call])
            return false;
    return true;
}

static bool has_counters(const struct itinerary_instrument *instrument)
{
    return strcmp(instrument->opener->instrument, "timer") != 0;
}

static int check_company(const struct itinerary *itinerary, struct job *job)
{
    const char *page = NULL;
    size_t others = 0;
    for (size_t index = 0; index < itinerary->instrument_count; index++)
        others += has_counters(&itinerary->instruments[index]);
    for (size_t index = 0; index < itinerary->length; index++) {
        const struct caller *caller = itinerary->callers[index];
        if (caller->alone && others > 1)
            return job_fail(job, -EINVAL,
                            "%s switches what is not its own: a tour with it has no other "
                            "instrument",
                            caller->path);
        if (!caller->page[0] || !job->tour.cold)
            continue;
        if (page && strcmp(page, caller->page) != 0)
            return job_fail(
                job, -EINVAL,
                "a cold tour reads pages in one state, but this one both %s and %s ones", page,
                caller->page);
        page = caller->page;
    }
    return 0;
}

int itinerary_make(struct itinerary *itinerary, struct job *job)
{
    int result = find_calls(itinerary, job);
    if (result == 0 && job->runs % itinerary->length != 0)
        result = job_fail(job, -EINVAL, "%u runs are no whole passes of %zu calls", job->runs,
                          itinerary->length);
    if (result == 0)
        result = walk(itinerary, job);
    if (result == 0)
        result = check_company(itinerary, job);
    return result;
}

void itinerary_free(struct itinerary *itinerary)
{
    free(itinerary->spans);
    free((void *)(uintptr_t)itinerary->callers);
    free(itinerary->kinds);
    *itinerary = (struct itinerary){0};
}

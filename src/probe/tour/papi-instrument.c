/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands around the calls of PAPI's low level and of its high level. */
#include "probe/tour/instruments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/papi-set.h"

/* --- Builds, switches and looks after the event set of papi-low --- */

int papi_low_open(struct tour_state *state)
{
    struct job *job = state->job;
    state->event_set = PAPI_NULL; /* it is closed even where it could not be opened */
    memset(state->values, 0, sizeof(state->values));
    if (job->separate && job->tour.open > 1)
        return job_fail(job, -ENOTSUP,
                        "path papi-low holds its counters in one set: it cannot open them "
                        "separately");
    return papi_build_copies(job, &job->tour.counted, job->tour.open, &state->event_set);
}

int papi_low_settle(struct tour_state *state, bool running)
{
    int now = 0;
    int status = PAPI_state(state->event_set, &now);
    if (status == PAPI_OK && !(now & PAPI_RUNNING) == running)
        status = running ? UNBOUND(PAPI_start)(state->event_set)
                         : UNBOUND(PAPI_stop)(state->event_set, state->values);
    if (status != PAPI_OK)
        return job_fail(state->job, papi_errno(status), "PAPI cannot %s its counters: %s",
                        running ? "start" : "stop", PAPI_strerror(status));
    return 0;
}

/* What PAPI_accum gathers must not grow from pass to pass. */
int papi_low_check(struct tour_state *state)
{
    memset(state->values, 0, sizeof(state->values));
    if (state->status == PAPI_OK)
        return 0;
    return job_fail(state->job, papi_errno((int)state->status), "%s",
                    PAPI_strerror((int)state->status));
}

void papi_low_close(struct tour_state *state)
{
    if (state->event_set == PAPI_NULL)
        return;
    (void)papi_low_settle(state, false);
    papi_destroy_set(&state->event_set);
}

/* ----------------------------------------------------------------------------------------------
 * Gets PAPI's high-level interface ready, and looks whether it counts. In a cold tour nothing of
 * PAPI is called before the first region; a warm one rehearses, because the interface replaces
 * events that it cannot count by others without a word. */

#define MOST_REGIONS 500000u /* some 100 MB with one counter each */
#define MOST_SETS    8       /* event sets of this process that are looked through */

/* --- before the first region --- */

static int name_events(struct job *job)
{
    static char names[CELL_MAX_COUNTERS * PAPI_NAME];
    size_t used = 0;
    for (uint32_t copy = 0; copy < job->tour.open; copy++) {
        char name[PAPI_NAME];
        int result = papi_copy_name(job, &job->tour.counted, copy, name, sizeof(name));
        if (result < 0)
            return result;
        if (strpbrk(name, ",\"\\"))
            return job_fail(job, -ENOTSUP, "PAPI's high-level interface cannot take the name %s",
                            name);
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", copy ? "," : "", name);
    }
    return papi_regions_of(job, names);
}

/* Counts for a moment what the regions will count. */
static int rehearse(struct job *job)
{
    int event_set;
    long long values[CELL_MAX_COUNTERS];
    int result = papi_build_copies(job, &job->tour.counted, job->tour.open, &event_set);
    if (result < 0)
        return result;
    int status = UNBOUND(PAPI_start)(event_set);
    if (status == PAPI_OK)
        status = UNBOUND(PAPI_stop)(event_set, values);
    papi_destroy_set(&event_set);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI cannot count these events together: %s",
                        PAPI_strerror(status));
    return 0;
}

/* The memory of all regions, taken and given back, so that it is there (and populated, in a warm
 * tour) when they ask for it. Every run is at most one region, and one pass is made untimed. */
static int reserve_heap(struct job *job)
{
    if (job->runs > MOST_REGIONS)
        return job_fail(job, -E2BIG,
                        "papi-high keeps every region in memory: at most %u calls a process, ask "
                        "for more processes",
                        MOST_REGIONS);
    papi_reserve((1u << 20) + 2 * (size_t)job->runs * (160u + 32u * job->tour.open));
    return 0;
}

int papi_high_open(struct tour_state *state)
{
    struct job *job = state->job;
    if (!job->folder[0])
        return job_fail(job, -ENOENT, "papi-high needs a folder for its report");
    if (job->separate && job->tour.open > 1)
        return job_fail(job, -ENOTSUP,
                        "path papi-high holds its counters in one set: it cannot open them "
                        "separately");
    int result = name_events(job);
    if (result == 0 && !job->tour.cold)
        result = rehearse(job);
    if (result == 0 && !job->tour.cold)
        result = reserve_heap(job);
    return result;
}

/* --- around the calls --- */

/* Outside of a region, where a tour begins unless its first call is an end, nothing is to be
 * done. */
int papi_high_settle(struct tour_state *state, bool running)
{
    int status = running ? UNBOUND(PAPI_hl_region_begin)(PAPI_REGION) : PAPI_OK;
    if (status != PAPI_OK)
        return job_fail(state->job, papi_errno(status), "PAPI cannot begin a region: %s",
                        PAPI_strerror(status));
    return 0;
}

static bool set_holds(int event_set, const char *name)
{
    int codes[CELL_MAX_COUNTERS], count = CELL_MAX_COUNTERS, code = PAPI_NATIVE_MASK;
    if (PAPI_list_events(event_set, codes, &count) != PAPI_OK ||
        PAPI_event_name_to_code(name, &code) != PAPI_OK)
        return false;
    for (int index = 0; index < count && index < CELL_MAX_COUNTERS; index++)
        if (codes[index] == code)
            return true;
    return false;
}

/* The set that the interface keeps running from its first region on. */
static int running_set(void)
{
    for (int event_set = 0; event_set < MOST_SETS; event_set++) {
        int now = 0;
        if (PAPI_state(event_set, &now) == PAPI_OK && now & PAPI_RUNNING)
            return event_set;
    }
    return PAPI_NULL;
}

int papi_high_check(struct tour_state *state)
{
    if (state->status != PAPI_OK)
        return job_fail(state->job, papi_errno((int)state->status), "%s",
                        PAPI_strerror((int)state->status));
    /* Does it count what it was asked to? */
    int event_set = running_set();
    for (uint32_t copy = 0; copy < state->job->tour.open; copy++) {
        char name[PAPI_NAME];
        int result =
            papi_copy_name(state->job, &state->job->tour.counted, copy, name, sizeof(name));
        if (result < 0)
            return result;
        if (!set_holds(event_set, name))
            return job_fail(state->job, -ENOENT,
                            "PAPI's high-level interface does not count %s: it cannot, or another "
                            "set of PAPI was running",
                            name);
    }
    return 0;
}

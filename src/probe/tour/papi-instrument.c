/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds, switches and looks after the event set of papi-low. */
#include <errno.h>
#include <string.h>

#include "probe/harness/papi-set.h"
#include "probe/tour/papi-instruments.h"
#include "probe/tour/unbound.h"

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

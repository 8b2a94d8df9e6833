/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One window, stepped where it counts. */
#include "probe/sources/step.h"

#include <errno.h>

#include "probe/sources/perf-descriptors.h"
#include "probe/sources/step-edges.h"

/* Beyond this a path does not come to its slot, or away from it: it waits for something that
 * stepping itself prevents. */
#define PATH_STEPS_MAX 200000u
/* After so many steps behind the call that was taken for the opening one, without coming to the
 * slot, it is worth finding out which it is. */
#define OPENING_STEPS_MAX 500u

static bool is_counter_0(void *context, int descriptor)
{
    const struct stepper *stepper = context;
    return perf_descriptor_is(stepper->pid, descriptor) &&
           perf_descriptor_first(stepper->pid) == descriptor;
}

static int refuse_endless(const struct trial *trial, uint32_t run, const struct edges *edges)
{
    return source_fail(
        trial->visit, -ELOOP,
        "run %u: path %s took %u steps and had not %s. A reader of counters in user "
        "code tries again when it was interrupted, and who is stepped always was: count the "
        "window on a path that reads by system calls",
        run, trial->visit->job->path, PATH_STEPS_MAX,
        edges->place == EDGES_BEFORE ? "come to its slot" : "closed its window");
}

static int refuse_edges(const struct trial *trial, uint32_t run, const struct edges *edges)
{
    return source_fail(trial->visit, -ENOENT,
                       "run %u: path %s made no call and executed no instruction that %s its first "
                       "counter: where its window %s cannot be told",
                       run, trial->visit->job->path,
                       edges->opened ? "reads or stops" : "starts or reads",
                       edges->opened ? "is closed" : "opens");
}

/* Lets it run to the slot, or until it returns from the openings-th call that may open. */
static int run_to_opening(struct stepper *stepper, const struct trial *trial, uint32_t openings,
                          struct edges *edges, uint32_t *seen)
{
    const struct steps nothing = {0};
    bool called = true;
    int result = 0;
    *seen = 0;
    while (result == 0 && called && *seen < openings) {
        result = stepper_run_to_call(stepper, (uintptr_t)trial->workspace.job->slot, &called);
        if (result == 0 && called)
            *seen += edges_note(edges, STEPPED_CALL, &stepper->called, &nothing);
    }
    return result;
}

int step_window_openings(struct stepper *stepper, const struct trial *trial, uint32_t *openings)
{
    struct edges edges = {.own = is_counter_0, .context = stepper};
    int result = run_to_opening(stepper, trial, UINT32_MAX, &edges, openings);
    return result == 0 && !*openings ? refuse_edges(trial, 0, &edges) : result;
}

/* Where it stands, seen from the slot. */
static void place(struct edges *edges, const struct job *job, uintptr_t here)
{
    if (edges->place == EDGES_BEFORE && here == (uintptr_t)job->slot)
        edges->place = EDGES_INSIDE;
    if (edges->place == EDGES_INSIDE && here == (uintptr_t)job->filled)
        edges->place = EDGES_AFTER;
}

/* Steps until the window is closed. hasty: gives up early where the slot is far away. */
static int step_edges(struct stepper *stepper, const struct trial *trial, uint32_t run, bool hasty,
                      struct edges *edges)
{
    const struct job *job = trial->workspace.job;
    struct steps executed = {0};
    uint64_t own = 0; /* steps of the path's */
    uintptr_t here;
    enum stepped stepped;
    int result = stepper_find(stepper, &here);
    while (result == 0 && !edges->closed && here != (uintptr_t)job->closed) {
        place(edges, job, here);
        own += edges->place != EDGES_INSIDE;
        if (hasty && edges->place == EDGES_BEFORE && own > OPENING_STEPS_MAX)
            return -EAGAIN;
        if (own > PATH_STEPS_MAX)
            return refuse_endless(trial, run, edges);
        result = stepper_step(stepper, &here, &executed, &stepped);
        if (result == 0)
            edges_note(edges, stepped, &stepper->called, &executed);
    }
    return result;
}

static int step_path(struct stepper *stepper, const struct trial *trial, uint32_t run,
                     uint32_t openings, struct steps *steps)
{
    const struct job *job = trial->workspace.job;
    struct edges edges = {.own = is_counter_0, .context = stepper};
    uint32_t seen;
    int result = 0;
    if (job->edges == JOB_EDGES_CALLS)
        result = run_to_opening(stepper, trial, openings ? openings : 1, &edges, &seen);
    if (result == 0)
        result = step_edges(stepper, trial, run, !openings, &edges);
    if (result < 0)
        return result;
    if (!edges.opened || !edges.closed)
        return refuse_edges(trial, run, &edges);
    *steps = edges_between(&edges);
    return stepper_run_to(stepper, (uintptr_t)job->closed);
}

int step_window_count(struct stepper *stepper, const struct trial *trial, uint32_t run,
                      uint32_t openings, struct steps *steps)
{
    const struct job *job = trial->workspace.job;
    if (job->edges == JOB_EDGES_MARKS)
        return stepper_step_to(stepper, (uintptr_t)job->closed, steps);
    return step_path(stepper, trial, run, openings, steps);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals: all clocks, a workload, all clocks. The looks of a side alternate in direction, so
 * that two neighbours are symmetric about their middle. */
#include "probe/watch/interval.h"

#include <errno.h>
#include <string.h>

#include "probe/harness/account.h"
#include "probe/watch/crew.h"
#include "probe/watch/watch.h"

int interval_prepare(struct interval *interval, struct places *places, struct job *job,
                     struct failure *failure)
{
    *interval = (struct interval){job, workload_find(job->watch.workload), places};
    if (!interval->workload)
        return fail_with(failure, -ENOENT, "this kit has no workload %.31s", job->watch.workload);
    int result = places_find(places, job->cpu, failure);
    if (result < 0)
        return result;
    if (job->watch.moves && places->count < 2)
        return fail_with(failure, -ENOTSUP,
                         "nothing can be moved between CPUs here: this process may use only one");
    return place_home(job->cpu, failure);
}

void interval_side(struct looks *looks, struct job *job, uint32_t run)
{
    looks_forwards(looks, 0, watch_row(job, run));
    looks_backwards(looks, 0, watch_row(job, run + 1));
    looks_forwards(looks, 0, watch_row(job, run + 2));
}

static int work_part(const struct interval *interval, struct work *work, uint64_t length,
                     struct failure *failure)
{
    int result = interval->workload->work(work, length);
    if (result < 0)
        return fail_with(failure, result, "the workload %s failed: %s", interval->workload->name,
                         strerror(-result));
    return 0;
}

int interval_work(const struct interval *interval, struct work *work, struct failure *failure)
{
    uint32_t moves = interval->job->watch.moves;
    uint64_t length = interval->job->watch.length;
    int began = place_now(), cpu = began;
    int result = 0;
    for (uint32_t index = 0; index < moves && result == 0; index++) {
        result = work_part(interval, work, length / (moves + 1), failure);
        cpu = places_target(interval->places, began, cpu, index, moves);
        if (result == 0)
            result = place_pin(cpu, failure);
    }
    return result < 0 ? result
                      : work_part(interval, work, length - length / (moves + 1) * moves, failure);
}

struct shared {
    struct interval interval;
    struct work works[WATCH_MOST_THREADS];
    bool objects;
};

/* A thread that is going to be moved stays where it is until then. */
static int hold_place(const struct interval *interval, struct failure *failure)
{
    return interval->job->watch.moves ? place_pin(place_now(), failure) : 0;
}

static int leave_place(const struct interval *interval, struct failure *failure)
{
    return interval->job->watch.moves ? places_rest(interval->places, failure) : 0;
}

/* One thread, one interval. */
static int take_part(struct member *member, uint32_t round)
{
    struct shared *shared = member->shared;
    struct job *job = shared->interval.job;
    uint32_t run = (round * job->watch.threads + member->index) * WATCH_INTERVAL_LOOKS;
    struct rusage before = {0}, after = {0};
    int result = hold_place(&shared->interval, &member->failure);
    if (result < 0)
        return result;
    account_take(&before);
    interval_side(&member->looks, job, run);
    result = interval_work(&shared->interval, &shared->works[member->index], &member->failure);
    interval_side(&member->looks, job, run + WATCH_SIDE_LOOKS);
    account_take(&after);
    account_write(&job_accounts(job)[run + WATCH_SIDE_LOOKS], &before, &after);
    if (result == 0)
        result = leave_place(&shared->interval, &member->failure);
    return result < 0 ? result : looks_check(&member->looks, &member->failure);
}

static int get_ready(struct member *member)
{
    const struct shared *shared = member->shared;
    const struct job *job = shared->interval.job;
    int result =
        looks_open(&member->looks, job, NULL, job->counters, shared->objects, &member->failure);
    return result < 0 ? result : looks_rehearse(&member->looks, &member->failure);
}

static void count_round(void *context, uint32_t rounds)
{
    const struct shared *shared = context;
    struct job *job = shared->interval.job;
    watch_done(job, rounds * watch_group(WATCH_INTERVAL, job->watch.threads));
}

int interval_watch(const struct watch *watch)
{
    struct job *job = watch->job;
    struct places places;
    struct shared shared = {.objects = watch->objects};
    const struct crew_duty duty = {
        .shared = &shared, .ready = get_ready, .round = take_part, .rounded = count_round};
    uint32_t threads = job->watch.threads;
    int result = interval_prepare(&shared.interval, &places, job, watch->failure);
    if (result < 0)
        return result;
    const struct workload *workload = shared.interval.workload;
    if (workload->prepare)
        result = workload->prepare(shared.works, threads, watch->failure);
    if (result < 0)
        return result;
    result =
        crew_run(&duty, threads, job->runs / watch_group(WATCH_INTERVAL, threads), watch->failure);
    if (workload->release)
        workload->release(shared.works, threads);
    return result;
}

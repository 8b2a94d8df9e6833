/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An interval that begins in one thread and ends in another: the first looks and wakes the second,
 * which is on another CPU where there is one, works, and looks. They share the readers, of which
 * only one makes use at a time: a clock that is handed over must be the same clock. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "probe/harness/account.h"
#include "probe/watch/interval.h"
#include "probe/watch/watch.h"

struct pair {
    struct interval interval;
    struct looks looks;
    struct work work;
    int cpu;        /* of the second thread */
    sem_t go, done; /* wake the second, the first */
    bool over;      /* nothing more to do, once woken */
    uint32_t run;   /* the first of the interval under way */
    int result;     /* of the second thread's last turn, */
    struct failure failure;
};

static void await(sem_t *semaphore)
{
    while (sem_wait(semaphore) < 0 && errno == EINTR)
        ;
}

static int end_interval(struct pair *pair)
{
    struct job *job = pair->interval.job;
    uint32_t run = pair->run + WATCH_SIDE_LOOKS;
    struct rusage before = {0}, after = {0};
    account_take(&before);
    int result = interval_work(&pair->interval, &pair->work, &pair->failure);
    interval_side(&pair->looks, job, run);
    account_take(&after);
    account_write(&job_accounts(job)[run], &before, &after);
    if (result == 0 && job->watch.moves)
        result = place_pin(pair->cpu, &pair->failure);
    return result < 0 ? result : looks_check(&pair->looks, &pair->failure);
}

static void *second(void *argument)
{
    struct pair *pair = argument;
    pair->result = place_pin(pair->cpu, &pair->failure);
    sem_post(&pair->done);
    for (await(&pair->go); !pair->over; await(&pair->go)) {
        pair->result = end_interval(pair);
        sem_post(&pair->done);
    }
    return NULL;
}

static int take_turns(struct pair *pair)
{
    struct job *job = pair->interval.job;
    await(&pair->done); /* it is in its place */
    for (uint32_t run = 0; run < job->runs && pair->result == 0; run += WATCH_INTERVAL_LOOKS) {
        pair->run = run;
        interval_side(&pair->looks, job, run);
        sem_post(&pair->go);
        await(&pair->done);
        if (pair->result == 0)
            watch_done(job, run + WATCH_INTERVAL_LOOKS);
    }
    pair->over = true;
    sem_post(&pair->go);
    return pair->result;
}

static int run_pair(struct pair *pair)
{
    pthread_t thread;
    sem_init(&pair->go, 0, 0);
    sem_init(&pair->done, 0, 0);
    int error = pthread_create(&thread, NULL, second, pair);
    if (error)
        return fail_with(&pair->failure, -error, "the second thread cannot be started: %s",
                         strerror(error));
    int result = take_turns(pair);
    pthread_join(thread, NULL);
    sem_destroy(&pair->go);
    sem_destroy(&pair->done);
    return result;
}

/* Both stay in their places: an interval that is handed over to the same CPU tells less. */
static int take_places(struct pair *pair, const struct places *places)
{
    int here = place_now();
    pair->cpu = places_next(places, here);
    return place_pin(here, &pair->failure);
}

static int hand_over(struct pair *pair, const struct watch *watch)
{
    struct job *job = watch->job;
    int result = take_places(pair, pair->interval.places);
    if (result == 0)
        result = looks_open(&pair->looks, job, NULL, job->counters, watch->objects, &pair->failure);
    if (result < 0)
        return result;
    result = looks_rehearse(&pair->looks, &pair->failure);
    if (result == 0)
        result = run_pair(pair);
    looks_close(&pair->looks);
    return result;
}

int handover_watch(const struct watch *watch)
{
    struct places places;
    struct pair pair = {0};
    int result = interval_prepare(&pair.interval, &places, watch->job, watch->failure);
    if (result < 0)
        return result;
    const struct workload *workload = pair.interval.workload;
    if (workload->prepare)
        result = workload->prepare(&pair.work, 1, watch->failure);
    if (result < 0)
        return result;
    result = hand_over(&pair, watch);
    if (result < 0)
        *watch->failure = pair.failure;
    if (workload->release)
        workload->release(&pair.work, 1);
    return result;
}

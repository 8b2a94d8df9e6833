/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Intervals: all clocks, a workload, all clocks. By one thread, by several at the same time, or
 * begun by one and ended by another. */
#include "probe/watch/watch.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/job.h"

/* ----------------------------------------------------------------------------------------------
 * The two sides of an interval and what stands between them, for whoever does it. The looks of a
 * side alternate in direction, so that two neighbours are symmetric about their middle. */

struct interval {
    struct job *job;
    const struct workload *workload;
    const struct places *places;
};

/* Checks the job and finds its workload; takes the places of the process, where its home is the
 * job's CPU, and goes there. */
static int interval_prepare(struct interval *interval, struct places *places, struct job *job,
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

/* Forwards, backwards, forwards: three rows from `run` on. */
static void interval_side(struct looks *looks, struct job *job, uint32_t run)
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

/* The workload, in parts with the moves between. */
static int interval_work(const struct interval *interval, struct work *work,
                         struct failure *failure)
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

/* ----------------------------------------------------------------------------------------------
 * Threads that do the same at the same time, round after round, each from a barrier: with its own
 * readers, because a counter belongs to the thread that opened it. The first member is the caller.
 * Nothing here waits with a time limit: that would need a clock. */

struct member {
    uint32_t index;
    void *shared;       /* the duty's */
    struct looks looks; /* closed by the crew */
    struct failure failure;
    struct crew *crew;
};

struct crew_duty {
    void *shared;
    int (*ready)(struct member *member);                 /* before the first round */
    int (*round)(struct member *member, uint32_t round); /* in all threads at once */
    /* After each round, by one thread while all others wait; all members did well. */
    void (*rounded)(void *shared, uint32_t rounds);
};

struct crew {
    const struct crew_duty *duty;
    uint32_t rounds;
    pthread_mutex_t gate; /* held until all threads are there */
    pthread_barrier_t barrier;
    bool abandoned;         /* not all could be started; settled when the gate opens */
    struct failure failure; /* under the gate; written by members between two barriers alone */
    int result;             /* code of the failure, atomic */
};

static void keep_failure(struct crew *crew, const struct failure *failure, int code)
{
    pthread_mutex_lock(&crew->gate);
    if (!crew->result) {
        crew->failure = *failure;
        __atomic_store_n(&crew->result, code, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&crew->gate);
}

/* All members see the same answer: it is asked for between two barriers, at which nobody works. */
static int meet(struct crew *crew)
{
    pthread_barrier_wait(&crew->barrier);
    int result = __atomic_load_n(&crew->result, __ATOMIC_ACQUIRE);
    pthread_barrier_wait(&crew->barrier);
    return result;
}

static void serve(struct member *member)
{
    struct crew *crew = member->crew;
    int result = crew->duty->ready(member);
    if (result < 0)
        keep_failure(crew, &member->failure, result);
    for (uint32_t round = 0; meet(crew) == 0 && round < crew->rounds; round++) {
        result = crew->duty->round(member, round);
        if (result < 0)
            keep_failure(crew, &member->failure, result);
        if (meet(crew) == 0 && member->index == 0)
            crew->duty->rounded(crew->duty->shared, round + 1);
    }
    looks_close(&member->looks);
}

static void *begin(void *argument)
{
    struct member *member = argument;
    struct crew *crew = member->crew;
    pthread_mutex_lock(&crew->gate);
    bool abandoned = crew->abandoned;
    pthread_mutex_unlock(&crew->gate);
    if (!abandoned)
        serve(member);
    return NULL;
}

/* 0, or the negative errno and the sentence of the first member that failed: the others stop at the
 * end of that round. */
static int crew_run(const struct crew_duty *duty, uint32_t members, uint32_t rounds,
                    struct failure *failure)
{
    struct crew crew = {.duty = duty, .rounds = rounds, .gate = PTHREAD_MUTEX_INITIALIZER};
    struct member *list = calloc(members, sizeof(*list));
    pthread_t *threads = calloc(members, sizeof(*threads));
    int error = list && threads ? pthread_barrier_init(&crew.barrier, NULL, members) : ENOMEM;
    if (error) {
        fail_with(&crew.failure, -error, "no %u threads can be had: %s", members, strerror(error));
        crew.result = -error;
    } else {
        for (uint32_t index = 0; index < members; index++)
            list[index] = (struct member){.index = index, .shared = duty->shared, .crew = &crew};
        /* How many threads could be started, of those beside the caller. */
        const uint32_t count = members - 1;
        uint32_t started = 0;
        int result = 0;
        pthread_mutex_lock(&crew.gate);
        while (started < count &&
               !(result = pthread_create(&threads[started], NULL, begin, &list[started + 1])))
            started++;
        if (result) {
            crew.abandoned = true;
            crew.result = -result;
            fail_with(&crew.failure, -result, "only %u of %u threads could be started: %s",
                      started + 1, count + 1, strerror(result));
        }
        pthread_mutex_unlock(&crew.gate);
        if (!crew.abandoned)
            serve(&list[0]);
        for (uint32_t index = 0; index < started; index++)
            pthread_join(threads[index], NULL);
        pthread_barrier_destroy(&crew.barrier);
    }
    free(list);
    free(threads);
    if (crew.result)
        *failure = crew.failure;
    return crew.result;
}

/* --- Intervals of threads that each begin and end their own --- */

struct shared {
    struct interval interval;
    struct work works[WATCH_MOST_THREADS];
    bool objects;
};

/* One thread, one interval. */
static int take_part(struct member *member, uint32_t round)
{
    struct shared *shared = member->shared;
    struct job *job = shared->interval.job;
    uint32_t run = (round * job->watch.threads + member->index) * WATCH_INTERVAL_LOOKS;
    struct rusage before = {0}, after = {0};
    /* A thread that is going to be moved stays where it is until then. */
    int result = shared->interval.job->watch.moves ? place_pin(place_now(), &member->failure) : 0;
    if (result < 0)
        return result;
    account_take(&before);
    interval_side(&member->looks, job, run);
    result = interval_work(&shared->interval, &shared->works[member->index], &member->failure);
    interval_side(&member->looks, job, run + WATCH_SIDE_LOOKS);
    account_take(&after);
    account_write(&job_accounts(job)[run + WATCH_SIDE_LOOKS], &before, &after);
    if (result == 0 && shared->interval.job->watch.moves)
        result = places_rest(shared->interval.places, &member->failure);
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

/* ----------------------------------------------------------------------------------------------
 * An interval that begins in one thread and ends in another: the first looks and wakes the second,
 * which is on another CPU where there is one, works, and looks. They share the readers, of which
 * only one makes use at a time: a clock that is handed over must be the same clock. */

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

static void *second(void *argument)
{
    struct pair *pair = argument;
    pair->result = place_pin(pair->cpu, &pair->failure);
    sem_post(&pair->done);
    for (await(&pair->go); !pair->over; await(&pair->go)) {
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
        pair->result = result < 0 ? result : looks_check(&pair->looks, &pair->failure);
        sem_post(&pair->done);
    }
    return NULL;
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
    int result = pair->result;
    pthread_join(thread, NULL);
    sem_destroy(&pair->go);
    sem_destroy(&pair->done);
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
    struct job *job = watch->job;
    /* Both stay in their places: an interval that is handed over to the same CPU tells less. */
    int here = place_now();
    pair.cpu = places_next(pair.interval.places, here);
    result = place_pin(here, &pair.failure);
    if (result == 0)
        result = looks_open(&pair.looks, job, NULL, job->counters, watch->objects, &pair.failure);
    if (result == 0) {
        result = looks_rehearse(&pair.looks, &pair.failure);
        if (result == 0)
            result = run_pair(&pair);
        looks_close(&pair.looks);
    }
    if (result < 0)
        *watch->failure = pair.failure;
    if (workload->release)
        workload->release(&pair.work, 1);
    return result;
}

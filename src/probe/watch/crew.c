/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts the threads and takes them from barrier to barrier. Nothing here waits with a time limit:
 * that would need a clock. */
#include "probe/watch/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

/* How many threads could be started, of those beside the caller. */
static uint32_t start_all(struct crew *crew, struct member *list, pthread_t *threads,
                          uint32_t count)
{
    uint32_t started = 0;
    int error = 0;
    pthread_mutex_lock(&crew->gate);
    while (started < count &&
           !(error = pthread_create(&threads[started], NULL, begin, &list[started + 1])))
        started++;
    if (error) {
        crew->abandoned = true;
        crew->result = -error;
        fail_with(&crew->failure, -error, "only %u of %u threads could be started: %s", started + 1,
                  count + 1, strerror(error));
    }
    pthread_mutex_unlock(&crew->gate);
    return started;
}

static void run(struct crew *crew, struct member *list, pthread_t *threads, uint32_t members)
{
    uint32_t started = start_all(crew, list, threads, members - 1);
    if (!crew->abandoned)
        serve(&list[0]);
    for (uint32_t index = 0; index < started; index++)
        pthread_join(threads[index], NULL);
}

int crew_run(const struct crew_duty *duty, uint32_t members, uint32_t rounds,
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
        run(&crew, list, threads, members);
        pthread_barrier_destroy(&crew.barrier);
    }
    free(list);
    free(threads);
    if (crew.result)
        *failure = crew.failure;
    return crew.result;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trips: two threads on two CPUs pass a word back and forth in one cache line, and look before
 * passing it on. Nobody waits for ever: where a CPU is taken away, the visit fails. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "probe/harness/account.h"
#include "probe/watch/watch.h"
#include "ticks.h"

#define LINE        128u /* bytes: what CPUs fetch together, at most */
#define REHEARSED   16u  /* trips that are not kept */
#define GIVE_UP_NS  2000000000u
#define SPINS       1024u      /* before the time is looked at again */
#define WORD_PARTED UINT32_MAX /* one of the two has given up */

struct road {
    _Alignas(LINE) uint32_t word; /* odd: asked; even: answered */
    _Alignas(LINE) const struct watch *watch;
    uint32_t trips; /* with those rehearsed */
    uint64_t *rehearsal;
    pthread_barrier_t ready; /* opening a clock may take long */
};

struct traveller {
    struct road *road;
    int cpu;
    struct looks looks;
    struct failure failure;
    int result;
};

/* Waits until the word is `expected`. By acquiring it everything is seen that was done before it
 * was passed on. */
static int await_word(struct road *road, uint32_t expected)
{
    uint64_t began = elapsed_clock();
    do
        for (uint32_t spin = 0; spin < SPINS; spin++) {
            uint32_t word = __atomic_load_n(&road->word, __ATOMIC_ACQUIRE);
            if (word == expected)
                return 0;
            if (word == WORD_PARTED)
                return -ECANCELED;
            spin_pause();
        }
    while (elapsed_clock() - began < GIVE_UP_NS);
    return -ETIMEDOUT;
}

static void pass_word(struct road *road, uint32_t word)
{
    __atomic_store_n(&road->word, word, __ATOMIC_RELEASE);
}

/* Where look number `look` of a trip goes. */
static uint64_t *row_of(const struct road *road, uint32_t trip, uint32_t look)
{
    struct job *job = road->watch->job;
    if (trip < REHEARSED)
        return road->rehearsal + (size_t)look * job->counters;
    return watch_row(job, (trip - REHEARSED) * WATCH_TRIP_LOOKS + look);
}

static int explain_wait(struct traveller *traveller, int result)
{
    if (result == -ECANCELED) /* the other one knows more */
        return result;
    return fail_with(&traveller->failure, result,
                     "CPU %d waited %u ms for the other one's answer and gave up: is one of the "
                     "two taken away, or busy with something else?",
                     traveller->cpu, GIVE_UP_NS / 1000000u);
}

static int answer_once(struct traveller *answerer, uint32_t trip)
{
    struct road *road = answerer->road;
    int result = await_word(road, 2 * trip + 1);
    if (result < 0)
        return explain_wait(answerer, result);
    looks_forwards(&answerer->looks, 0, row_of(road, trip, 1));
    pass_word(road, 2 * trip + 2);
    return looks_check(&answerer->looks, &answerer->failure);
}

/* The account of a trip is the asker's, kept with its last look. */
static int ask(struct traveller *asker)
{
    struct job *job = asker->road->watch->job;
    int result = 0;
    for (uint32_t trip = 0; trip < asker->road->trips && result == 0; trip++) {
        struct rusage before = {0}, after = {0};
        account_take(&before);
        struct road *road = asker->road;
        looks_forwards(&asker->looks, 0, row_of(road, trip, 0));
        pass_word(road, 2 * trip + 1);
        int error = await_word(road, 2 * trip + 2);
        if (error < 0)
            result = explain_wait(asker, error);
        else {
            looks_forwards(&asker->looks, 0, row_of(road, trip, 2));
            result = looks_check(&asker->looks, &asker->failure);
        }
        account_take(&after);
        if (result < 0 || trip < REHEARSED)
            continue;
        uint32_t run = (trip - REHEARSED) * WATCH_TRIP_LOOKS;
        account_write(&job_accounts(job)[run + 2], &before, &after);
        watch_done(job, run + WATCH_TRIP_LOOKS);
    }
    return result;
}

static int answer(struct traveller *answerer)
{
    int result = 0;
    for (uint32_t trip = 0; trip < answerer->road->trips && result == 0; trip++)
        result = answer_once(answerer, trip);
    return result;
}

static int travel(struct traveller *traveller, int (*way)(struct traveller *traveller))
{
    struct road *road = traveller->road;
    const struct watch *watch = traveller->road->watch;
    int error = place_pin(traveller->cpu, &traveller->failure);
    if (error == 0)
        error = looks_open(&traveller->looks, watch->job, NULL, watch->job->counters,
                           watch->objects, &traveller->failure);
    int result = error < 0 ? error : looks_rehearse(&traveller->looks, &traveller->failure);
    if (result < 0)
        pass_word(road, WORD_PARTED);
    pthread_barrier_wait(&road->ready);
    if (result == 0 && __atomic_load_n(&road->word, __ATOMIC_ACQUIRE) == WORD_PARTED)
        result = -ECANCELED;
    if (result == 0)
        result = way(traveller);
    if (result < 0)
        pass_word(road, WORD_PARTED);
    looks_close(&traveller->looks);
    return result;
}

static void *begin_answering(void *argument)
{
    struct traveller *answerer = argument;
    answerer->result = travel(answerer, answer);
    return NULL;
}

static int take_trips(struct road *road)
{
    const struct watch *watch = road->watch;
    struct traveller asker = {.road = road, .cpu = watch->job->cpu};
    struct traveller answerer = {.road = road, .cpu = watch->job->watch.partner};
    pthread_t thread;
    int error = pthread_create(&thread, NULL, begin_answering, &answerer);
    if (error)
        return fail_with(watch->failure, -error, "the second thread cannot be started: %s",
                         strerror(error));
    asker.result = travel(&asker, ask);
    pthread_join(thread, NULL);
    /* The one that did not merely stop because the other one had. */
    struct failure *failure = watch->failure;
    const struct traveller *who =
        asker.result < 0 && asker.result != -ECANCELED ? &asker : &answerer;
    if (who->result < 0)
        *failure = who->failure;
    return who->result;
}

int trips_watch(const struct watch *watch)
{
    struct job *job = watch->job;
    if (job->cpu < 0 || job->watch.partner < 0 || job->cpu == job->watch.partner)
        return fail_with(watch->failure, -EINVAL,
                         "trips need two CPUs that are named, not %d and %d", job->cpu,
                         job->watch.partner);
    uint64_t rehearsal[WATCH_TRIP_LOOKS * CELL_MAX_COUNTERS];
    struct road road = {
        .watch = watch, .trips = job->runs / WATCH_TRIP_LOOKS + REHEARSED, .rehearsal = rehearsal};
    int error = pthread_barrier_init(&road.ready, NULL, 2);
    if (error)
        return fail_with(watch->failure, -error, "two threads cannot meet: %s", strerror(error));
    int result = take_trips(&road);
    pthread_barrier_destroy(&road.ready);
    return result;
}

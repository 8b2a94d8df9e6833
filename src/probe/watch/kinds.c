/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches that one thread makes by itself, without a workload: rows, steps and edges. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/harness/job.h"
#include "probe/watch/watch.h"
#include "ticks.h"
#include "window.h"

/* ----------------------------------------------------------------------------------------------
 * Rows: a clock read again and again with nothing between, a block at a time, and another one
 * before and after it. */

enum { ROWED, METER, ROW_READERS };

static void read_block(struct looks *looks, uint64_t *readings, size_t count, uint64_t *row)
{
    struct clock_reader *rowed = &looks->readers[ROWED], *meter = &looks->readers[METER];
    window_order();
    row[ROW_BEFORE] = meter->clock->read(meter);
    window_order();
    rowed->clock->fill(rowed, readings, count);
    window_order();
    row[ROW_AFTER] = meter->clock->read(meter);
    window_order();
}

int row_watch(const struct watch *watch)
{
    static const uint32_t columns[ROW_READERS] = {ROW_FIRST, ROW_BEFORE};
    struct looks looks;
    AUTO_FREE uint64_t *readings = calloc((size_t)watch->job->watch.length, sizeof(*readings));
    if (!readings)
        return fail_with(watch->failure, -ENOMEM, "no memory for a block of %llu readings",
                         (unsigned long long)watch->job->watch.length);
    int result = place_home(watch->job->cpu, watch->failure);
    if (result < 0)
        return result;
    result = looks_open(&looks, watch->job, columns, ROW_READERS, watch->objects, watch->failure);
    if (result < 0)
        return result;
    struct job *job = watch->job;
    size_t count = (size_t)job->watch.length;
    uint64_t rehearsed[ROW_COLUMNS] = {0};
    read_block(&looks, readings, count, rehearsed);
    result = looks_check(&looks, watch->failure);
    for (uint32_t run = 0; run < job->runs && result == 0; run++) {
        struct rusage before = {0}, after = {0};
        account_take(&before);
        read_block(&looks, readings, count, watch_row(job, run));
        account_take(&after);
        account_write(&job_accounts(job)[run], &before, &after);
        /* What a block says of its clock. */
        uint64_t *row = watch_row(job, run);
        row[ROW_FIRST] = readings[0];
        row[ROW_LAST] = readings[count - 1];
        for (size_t index = 1; index < count; index++) {
            if (readings[index] >= readings[index - 1])
                continue;
            uint64_t back = readings[index - 1] - readings[index];
            row[ROW_BACKWARD]++;
            if (back > row[ROW_WORST])
                row[ROW_WORST] = back;
        }
        result = looks_check(&looks, watch->failure);
        if (result == 0)
            watch_done(job, run + 1);
    }
    looks_close(&looks);
    return result;
}

/* --- Steps: a clock is read until it shows something else, and another one right after that --- */

#define QUICK_READINGS 256u /* of a clock that is quick, before the time is looked at again */

enum { STEPPED, STEP_METER, STEP_READERS };

/* The next reading that is not `value`. Asking for the time takes longer than most readings do, so
 * it is asked for now and then, and not before the first readings: a quick clock would take all of
 * that for its step. */
static int await_step(struct looks *looks, uint64_t microseconds, uint64_t value, uint64_t *row,
                      struct failure *failure)
{
    struct clock_reader *stepped = &looks->readers[STEPPED], *meter = &looks->readers[STEP_METER];
    uint64_t began = 0, now = 0;
    do {
        for (uint32_t left = stepped->clock->slow ? 1 : QUICK_READINGS; left; left--) {
            row[STEPPED] = stepped->clock->read(stepped);
            if (row[STEPPED] == value)
                continue;
            row[STEP_METER] = meter->clock->read(meter);
            return looks_check(looks, failure);
        }
        now = elapsed_clock();
        began = began ? began : now;
    } while (!stepped->error && now - began < microseconds * 1000u);
    int result = looks_check(looks, failure);
    return result < 0 ? result
                      : fail_with(failure, -ETIME, "the clock %s showed %llu for %llu µs",
                                  stepped->clock->name, (unsigned long long)value,
                                  (unsigned long long)microseconds);
}

int steps_watch(const struct watch *watch)
{
    struct looks looks;
    int result = place_home(watch->job->cpu, watch->failure);
    if (result < 0)
        return result;
    result = looks_open(&looks, watch->job, NULL, STEP_READERS, watch->objects, watch->failure);
    if (result < 0)
        return result;
    result = looks_rehearse(&looks, watch->failure);
    if (result == 0) {
        /* Nothing stands between two steps but keeping them: the account of all is kept with the
         * last. */
        struct job *job = watch->job;
        struct rusage before = {0}, after = {0};
        uint64_t value = looks.readers[STEPPED].clock->read(&looks.readers[STEPPED]);
        result = looks_check(&looks, watch->failure);
        account_take(&before);
        for (uint32_t run = 0; run < job->runs && result == 0; run++) {
            result =
                await_step(&looks, job->watch.length, value, watch_row(job, run), watch->failure);
            value = watch_row(job, run)[STEPPED];
            if (result == 0)
                watch_done(job, run + 1);
        }
        account_take(&after);
        account_write(&job_accounts(job)[job->runs - 1], &before, &after);
    }
    looks_close(&looks);
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * Edges: a clock that shows whole seconds is worth something only when it changes. All others are
 * looked at between any two of its readings, so that every change lies between two looks. */

enum { COARSE, OTHERS };

/* rows: of the look before the coarse clock's last old reading, and of that after its first new
 * one. A change since the edge before, while nobody looked, is none. */
static int await_edge(struct looks *looks, uint64_t microseconds,
                      uint64_t *const rows[WATCH_EDGE_LOOKS], struct failure *failure)
{
    struct clock_reader *coarse = &looks->readers[COARSE];
    uint64_t latest[CELL_MAX_COUNTERS];
    uint64_t began = elapsed_clock();
    looks_forwards(looks, OTHERS, rows[0]);
    uint64_t old = coarse->clock->read(coarse), reading = old;
    while (reading == old && !coarse->error) {
        if (elapsed_clock() - began >= microseconds * 1000u)
            return fail_with(failure, -ETIME, "the clock %s showed %llu for %llu µs",
                             coarse->clock->name, (unsigned long long)old,
                             (unsigned long long)microseconds);
        looks_forwards(looks, OTHERS, latest);
        reading = coarse->clock->read(coarse);
        if (reading == old)
            memcpy(&rows[0][OTHERS], &latest[OTHERS], (looks->count - OTHERS) * sizeof(latest[0]));
    }
    looks_backwards(looks, OTHERS, rows[1]);
    rows[0][COARSE] = old;
    rows[1][COARSE] = reading;
    return looks_check(looks, failure);
}

int edges_watch(const struct watch *watch)
{
    struct looks looks;
    struct job *job = watch->job;
    int result = place_home(job->cpu, watch->failure);
    if (result < 0)
        return result;
    result = looks_open(&looks, job, NULL, job->counters, watch->objects, watch->failure);
    if (result < 0)
        return result;
    result = looks_rehearse(&looks, watch->failure);
    if (result == 0) {
        for (uint32_t run = 0; run < job->runs && result == 0; run += WATCH_EDGE_LOOKS) {
            uint64_t *const rows[] = {watch_row(job, run), watch_row(job, run + 1)};
            struct rusage before = {0}, after = {0};
            account_take(&before);
            result = await_edge(&looks, job->watch.length, rows, watch->failure);
            account_take(&after);
            account_write(&job_accounts(job)[run + 1], &before, &after);
            if (result == 0)
                watch_done(job, run + WATCH_EDGE_LOOKS);
        }
    }
    looks_close(&looks);
    return result;
}

/* Trips: two threads on two CPUs pass a word back and forth in one cache line, and look before
 * passing it on. Nobody waits for ever: where a CPU is taken away, the visit fails. */

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

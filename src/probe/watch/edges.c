/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Edges: a clock that shows whole seconds is worth something only when it changes. All others are
 * looked at between any two of its readings, so that every change lies between two looks. */
#include <errno.h>
#include <string.h>

#include "probe/harness/account.h"
#include "probe/harness/elapsed.h"
#include "probe/watch/looks.h"
#include "probe/watch/places.h"
#include "probe/watch/watch.h"

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

static int await_edges(const struct watch *watch, struct looks *looks)
{
    struct job *job = watch->job;
    int result = 0;
    for (uint32_t run = 0; run < job->runs && result == 0; run += WATCH_EDGE_LOOKS) {
        uint64_t *const rows[] = {watch_row(job, run), watch_row(job, run + 1)};
        struct rusage before = {0}, after = {0};
        account_take(&before);
        result = await_edge(looks, job->watch.length, rows, watch->failure);
        account_take(&after);
        account_write(&job_accounts(job)[run + 1], &before, &after);
        if (result == 0)
            watch_done(job, run + WATCH_EDGE_LOOKS);
    }
    return result;
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
    if (result == 0)
        result = await_edges(watch, &looks);
    looks_close(&looks);
    return result;
}

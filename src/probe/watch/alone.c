/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches that one thread makes by itself, without a workload: rows, steps and edges. */
#include "probe/watch/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/harness/account.h"
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

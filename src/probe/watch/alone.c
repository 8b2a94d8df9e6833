/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows: a clock read again and again with nothing between, a block at a time, and another one
 * before and after it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/harness/account.h"
#include "probe/watch/looks.h"
#include "probe/watch/places.h"
#include "probe/watch/watch.h"
#include "window.h"

enum { ROWED, METER, ROW_READERS };

/* What a block says of its clock. */
static void sum_up(const uint64_t *readings, size_t count, uint64_t *row)
{
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
}

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

static int fill_rows(const struct watch *watch, struct looks *looks, uint64_t *readings)
{
    struct job *job = watch->job;
    size_t count = (size_t)job->watch.length;
    uint64_t rehearsed[ROW_COLUMNS] = {0};
    read_block(looks, readings, count, rehearsed);
    int result = looks_check(looks, watch->failure);
    for (uint32_t run = 0; run < job->runs && result == 0; run++) {
        struct rusage before = {0}, after = {0};
        account_take(&before);
        read_block(looks, readings, count, watch_row(job, run));
        account_take(&after);
        account_write(&job_accounts(job)[run], &before, &after);
        sum_up(readings, count, watch_row(job, run));
        result = looks_check(looks, watch->failure);
        if (result == 0)
            watch_done(job, run + 1);
    }
    return result;
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
    result = fill_rows(watch, &looks, readings);
    looks_close(&looks);
    return result;
}

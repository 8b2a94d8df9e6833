/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps: a clock is read until it shows something else, and another one right after that. */
#include <errno.h>

#include "probe/harness/account.h"
#include "probe/harness/elapsed.h"
#include "probe/watch/looks.h"
#include "probe/watch/places.h"
#include "probe/watch/watch.h"

#define QUICK_READINGS 256u /* of a clock that is quick, before the time is looked at again */

enum { STEPPED, METER, STEP_READERS };

/* The next reading that is not `value`. Asking for the time takes longer than most readings do, so
 * it is asked for now and then, and not before the first readings: a quick clock would take all of
 * that for its step. */
static int await_step(struct looks *looks, uint64_t microseconds, uint64_t value, uint64_t *row,
                      struct failure *failure)
{
    struct clock_reader *stepped = &looks->readers[STEPPED], *meter = &looks->readers[METER];
    uint64_t began = 0, now = 0;
    do {
        for (uint32_t left = stepped->clock->slow ? 1 : QUICK_READINGS; left; left--) {
            row[STEPPED] = stepped->clock->read(stepped);
            if (row[STEPPED] == value)
                continue;
            row[METER] = meter->clock->read(meter);
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

/* Nothing stands between two steps but keeping them: the account of all is kept with the last. */
static int await_steps(const struct watch *watch, struct looks *looks)
{
    struct job *job = watch->job;
    struct rusage before = {0}, after = {0};
    uint64_t value = looks->readers[STEPPED].clock->read(&looks->readers[STEPPED]);
    int result = looks_check(looks, watch->failure);
    account_take(&before);
    for (uint32_t run = 0; run < job->runs && result == 0; run++) {
        result = await_step(looks, job->watch.length, value, watch_row(job, run), watch->failure);
        value = watch_row(job, run)[STEPPED];
        if (result == 0)
            watch_done(job, run + 1);
    }
    account_take(&after);
    account_write(&job_accounts(job)[job->runs - 1], &before, &after);
    return result;
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
    if (result == 0)
        result = await_steps(watch, &looks);
    looks_close(&looks);
    return result;
}

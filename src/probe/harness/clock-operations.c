/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of clock: nothing is opened; the count is the difference of two readings of
 * the tick counter. */
#include <errno.h>
#include <stdio.h>

#include "lib/ticks.h"
#include "probe/harness/elapsed.h"

/* A window that reads it where that is forbidden would end with a signal. */
static int clock_usable(char *reason, size_t size)
{
    if (!ticks_forbidden())
        return 0;
    snprintf(reason, size, "%s", TICKS_FORBIDDEN);
    return -EPERM;
}

static int clock_open(struct instrument *instrument)
{
    (void)instrument;
    return 0;
}

static int clock_arm(struct instrument *instrument)
{
    elapsed_begin(instrument);
    return 0;
}

static int clock_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    for (uint32_t index = 0; index < job->counters; index++)
        job_values(job)[(size_t)run * job->counters + index] =
            instrument->after[0] - instrument->before[0];
    elapsed_write(instrument, run);
    return 0;
}

static void clock_close(struct instrument *instrument)
{
    (void)instrument;
}

const struct path_operations clock_operations = {
    .usable = clock_usable,
    .open = clock_open,
    .arm = clock_arm,
    .release = clock_release,
    .close = clock_close,
};

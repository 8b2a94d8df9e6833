/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of bare: nothing is opened, nothing is read. The counts come from whoever
 * executes the window (src/probe/sources), who may put them into the rows while it is open. */
#include <string.h>

#include "probe/harness/elapsed.h"

static int bare_open(struct instrument *instrument)
{
    struct job *job = instrument->job;
    memset(job_values(job), 0, (size_t)job->runs * job->counters * sizeof(uint64_t));
    return 0;
}

static int bare_arm(struct instrument *instrument)
{
    elapsed_begin(instrument);
    return 0;
}

static int bare_release(struct instrument *instrument, uint32_t run)
{
    elapsed_write(instrument, run);
    return 0;
}

static void bare_close(struct instrument *instrument)
{
    (void)instrument;
}

const struct path_operations bare_operations = {
    .open = bare_open,
    .arm = bare_arm,
    .release = bare_release,
    .close = bare_close,
};

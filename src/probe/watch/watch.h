/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A watching harness: one process, one visit of a watch (wire/watch.h). Its runs are looks at the
 * clocks of the job, written into the job's rows while it works. */
#pragma once

#include "base/failure.h"
#include "probe/harness/job.h"

/* Runs the job. objects: may clocks be shared objects that have to be loaded? 0, or negative errno
 * with a sentence in the job. */
int watch_run(struct job *job, bool objects);

/* What every kind of watch is given. */
struct watch {
    struct job *job;
    bool objects;
    struct failure *failure;
};

/* One file each; rows are zero. */
int interval_watch(const struct watch *watch);
int handover_watch(const struct watch *watch); /* an interval that two threads share */
int row_watch(const struct watch *watch);
int steps_watch(const struct watch *watch);
int trips_watch(const struct watch *watch);
int edges_watch(const struct watch *watch);

/* All looks up to this number are written, whole groups of them: the driver may stream them. */
static inline void watch_done(struct job *job, uint32_t runs)
{
    __atomic_store_n(&job->runs_done, runs, __ATOMIC_RELEASE);
}

/* The rows of one look. */
static inline uint64_t *watch_row(struct job *job, uint32_t run)
{
    return job_values(job) + (size_t)run * job->counters;
}

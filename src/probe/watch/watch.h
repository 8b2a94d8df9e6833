/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A watching harness: one process, one visit of a watch (wire/watch.h). Its runs are looks at the
 * clocks of the job, written into the job's rows while it works.
 *
 *   main.c        finds the job
 *   watch.c       the life of a watch: does the job make sense, are CPUs to be kept awake; what all
 *                 kinds are made of: opened clocks that are read in turn, and CPUs
 *   interval.c    clocks before and after a workload: by one thread, by several, handed over
 *   kinds.c       what is watched without a workload: rows, steps and edges by one thread, trips by
 *                 two on two CPUs
 *   workloads.c   what goes on inside intervals */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"
#include "probe/clocks/clock.h"
#include "probe/harness/job.h"
#include "specimens/affinity.h"

/* Runs the job. objects: may clocks be shared objects that have to be loaded? 0, or negative errno
 * with a sentence in the job. */
int watch_run(struct job *job, bool objects);

/* What every kind of watch is given. */
struct watch {
    struct job *job;
    bool objects;
    struct failure *failure;
};

/* Rows are zero. */
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

/* ----------------------------------------------------------------------------------------------
 * Looks: the opened clocks of a watch, read once each, forwards or backwards. Readers belong to the
 * thread that opened them. */

struct looks {
    struct clock_reader readers[CELL_MAX_COUNTERS];
    uint32_t count;
};

/* Opens the clocks of these columns of the job, in this order; NULL: of all. What was opened is
 * closed again where one fails. */
int looks_open(struct looks *looks, const struct job *job, const uint32_t *columns, uint32_t count,
               bool objects, struct failure *failure);
void looks_close(struct looks *looks);

/* Reads all from `first` on, in the order of columns or against it, each into its own place of the
 * row. Nothing before it is still under way when it begins, nor anything of it when what follows
 * begins. */
void looks_forwards(struct looks *looks, uint32_t first, uint64_t *row);
void looks_backwards(struct looks *looks, uint32_t first, uint64_t *row);

/* Did every reading so far succeed? Else a sentence. */
int looks_check(const struct looks *looks, struct failure *failure);

/* Reads all once each way without keeping it: what the first reading of a process pays is no
 * property of the clock. */
int looks_rehearse(struct looks *looks, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * Places: on which CPUs the threads of a watch are: those that the process was allowed at its
 * start, one after the other. */

struct places {
    struct affinity allowed;
    size_t count;
    int home; /* the CPU that the cell names; -1: any that is allowed */
};

/* What this process may use; call it before anything is pinned. */
int places_find(struct places *places, int home, struct failure *failure);

int place_now(void); /* the CPU that this thread is on; -1: it cannot be told */
/* Pin this thread: to one CPU; to where the job's threads are at rest. */
int place_pin(int cpu, struct failure *failure);
int place_home(int cpu, struct failure *failure); /* the same; -1: wherever it is */
int places_rest(const struct places *places, struct failure *failure);

/* The allowed CPU behind this one, the first behind the last. */
int places_next(const struct places *places, int cpu);
/* Where move `index` of so many leads a thread that began on one CPU and is on another now. The
 * last one does not lead back to where it began, unless there are only two CPUs and the number of
 * moves is even. */
int places_target(const struct places *places, int began, int cpu, uint32_t index, uint32_t moves);

/* ----------------------------------------------------------------------------------------------
 * Workloads: what goes on between the two ends of an interval, one line in a table each. By bare
 * system calls, so that nothing of it needs a clock that may be forbidden here. */

/* What one thread works with. */
struct work {
    double pace;   /* compute: pieces of work in a µs, as calibrated */
    int to, from;  /* pipe: the ends that lead to the partner and back */
    pid_t partner; /* pipe: the process at their other ends; 0: none */
};

struct workload {
    const char *name;
    /* Makes this many threads ready, once in a process; NULL: nothing to do. */
    int (*prepare)(struct work *works, size_t count, struct failure *failure);
    /* Works for about so long. 0 or negative errno. */
    int (*work)(struct work *work, uint64_t microseconds);
    void (*release)(struct work *works, size_t count); /* NULL: nothing to do */
};

const struct workload *workload_find(const char *name); /* NULL: none */

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What goes on between the two ends of an interval: one line in a table each. By bare system calls,
 * so that nothing of it needs a clock that may be forbidden here. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"

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

/* Those with a file of their own. */
int compute_prepare(struct work *works, size_t count, struct failure *failure);
int compute_work(struct work *work, uint64_t microseconds);
int pipe_prepare(struct work *works, size_t count, struct failure *failure);
int pipe_work(struct work *work, uint64_t microseconds);
void pipe_release(struct work *works, size_t count);

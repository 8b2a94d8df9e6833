/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two sides of an interval and what stands between them, for whoever does it: one thread,
 * several, or two that share one. */
#pragma once

#include "probe/watch/looks.h"
#include "probe/watch/places.h"
#include "probe/watch/workload.h"

struct interval {
    struct job *job;
    const struct workload *workload;
    const struct places *places;
};

/* Checks the job and finds its workload; takes the places of the process, where its home is the
 * job's CPU, and goes there. */
int interval_prepare(struct interval *interval, struct places *places, struct job *job,
                     struct failure *failure);

/* Forwards, backwards, forwards: three rows from `run` on. */
void interval_side(struct looks *looks, struct job *job, uint32_t run);

/* The workload, in parts with the moves between. */
int interval_work(const struct interval *interval, struct work *work, struct failure *failure);

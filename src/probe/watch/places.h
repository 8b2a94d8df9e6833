/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * On which CPUs the threads of a watch are: those that the process was allowed at its start, one
 * after the other. */
#pragma once

#include "base/failure.h"
#include "specimens/affinity.h"

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

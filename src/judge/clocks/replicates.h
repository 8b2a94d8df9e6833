/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of several processes, and their median: every process gives one, the median of its own, so
 * that a process on a busy core is one of several and not half of all readings. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stats/medians.h"

struct replicate_list {
    double *values;
    size_t *processes; /* [value]: any number, alike for values of one process */
    size_t count, room;
};

/* 0 or -ENOMEM; a value that is NaN is left out. Values of a process follow each other. */
int replicate_add(struct replicate_list *list, size_t process, double value);
void replicate_release(struct replicate_list *list);
/* Median over processes with its 95 % interval, which has no end where there is but one process;
 * NaN of nothing. Sorts within the list. */
struct overhead_median replicate_median(struct replicate_list *list);
#define AUTO_REPLICATES __attribute__((cleanup(replicate_release)))

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which CPUs this thread may use, for specimens that choose. By inline system calls, which no path
 * measures. */
#pragma once

#include <stddef.h>

#define AFFINITY_CPUS 8192u
#define AFFINITY_BITS (8u * sizeof(unsigned long))

struct affinity {
    unsigned long words[AFFINITY_CPUS / AFFINITY_BITS];
};

/* Of this thread. 0 or negative errno. */
int affinity_get(struct affinity *affinity);
int affinity_set(const struct affinity *affinity);

size_t affinity_count(const struct affinity *affinity);

/* The CPU that stands at `place`, counted from 0; place is below the count. */
unsigned affinity_nth(const struct affinity *affinity, size_t place);

void affinity_single(struct affinity *affinity, unsigned cpu);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that do the same at the same time, round after round, each from a barrier: with its own
 * readers, because a counter belongs to the thread that opened it. The first member is the caller.
 */
#pragma once

#include <stdint.h>

#include "probe/watch/looks.h"

struct crew;

struct member {
    uint32_t index;
    void *shared;       /* the duty's */
    struct looks looks; /* closed by the crew */
    struct failure failure;
    struct crew *crew;
};

struct crew_duty {
    void *shared;
    int (*ready)(struct member *member);                 /* before the first round */
    int (*round)(struct member *member, uint32_t round); /* in all threads at once */
    /* After each round, by one thread while all others wait; all members did well. */
    void (*rounded)(void *shared, uint32_t rounds);
};

/* 0, or the negative errno and the sentence of the first member that failed: the others stop at the
 * end of that round. */
int crew_run(const struct crew_duty *duty, uint32_t members, uint32_t rounds,
             struct failure *failure);

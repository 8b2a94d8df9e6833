/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of a tour as text: "perf-read.start,perf-read.read*8,timer.nothing". Each is a path, a
 * kind and, behind a star, how often it is made in a row inside one metered span. Both sides read
 * it, and so does who judges a store: run r of the cell is call r modulo the length of the tour, in
 * pass r / length, and was preceded by the call before it (the last one, for the first of a later
 * pass; nothing of the tour, for the first of all). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

#define TOUR_MOST_CALLS 4096u
#define TOUR_MOST_TIMES 1024u
#define TOUR_NAME       64 /* of an operation, with its end */

struct tour_call {
    char operation[TOUR_NAME]; /* "perf-read.start" */
    uint32_t times;            /* at least 1 */
};

/* -EINVAL with what is wrong; -ENOMEM. The caller frees *calls. */
int tour_parse(const char *text, struct tour_call **calls, size_t *count, struct failure *failure);

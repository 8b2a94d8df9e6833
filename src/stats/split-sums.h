/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * If some of many numbers are chosen blindly, how likely is each sum of them? */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct split_sums {
    double *share; /* [count]: of all choices, those whose sum is the index; the caller frees it */
    size_t count;
};

/* -ENOMEM. `chosen` is at most `count`. */
int split_sums_of(const uint32_t *numbers, size_t count, size_t chosen, struct split_sums *sums);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heaps in a row of numbers: where their density falls, between two peaks, so low that neither the
 * steps of a meter nor chance explain it. */
#pragma once

#include <stddef.h>

/* Numbers begin … end - 1 of the sorted row. */
struct mode {
    size_t begin, end;
    double peak;   /* where it is densest */
    double border; /* to the mode above it: the middle of the emptiest stretch */
};

struct mode_search {
    double bandwidth;   /* finer structure than this is not looked at; above 0 */
    double least_share; /* of the numbers that a mode must have */
    double distance;    /* between peaks, of the lower one … */
    double steps;       /* … and at least so much */
    double chance;      /* that a valley is one by chance; per pair */
};

#define MOST_MODES 32

/* Rising; at least one. sorted is not empty and finite. Returns how many (at most MOST_MODES). */
size_t find_modes(const double *sorted, size_t count, const struct mode_search *search,
                  struct mode modes[MOST_MODES]);

/* Chance that of two equally dense places one shows at most `few` where the other shows `many`. */
double chance_of_valley(size_t few, size_t many);
/* How many of the sorted numbers are in [low, high). */
size_t count_within(const double *sorted, size_t count, double low, double high);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Number after number: those that it joins, and those that it does not. */
#include "stats/split-sums.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

static size_t largest_of(const uint32_t *numbers, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = numbers[i] > largest ? numbers[i] : largest;
    return largest;
}

/* shares: [chosen + 1][width]; row k: of the choices of k among the numbers so far, each the
 * probability to have chosen so; nothing overflows. largest: no number is above. Rows and sums that
 * cannot be reached yet are left alone. */
static void join(double *shares, size_t width, size_t chosen, uint32_t number, size_t place,
                 size_t count, size_t largest)
{
    const double left = (double)(count - place);
    for (size_t k = place + 1 < chosen ? place + 1 : chosen;; k--) {
        const double stay = (left - (double)(chosen - k)) / left;
        double *row = shares + k * width;
        const size_t end = k * largest + 1;
        for (size_t sum = 0; sum < end; sum++)
            row[sum] *= stay > 0 ? stay : 0;
        if (!k)
            break;
        const double *below = row - width;
        const double go = (double)(chosen - k + 1) / left;
        for (size_t sum = number; sum < end; sum++)
            row[sum] += below[sum - number] * go;
    }
}

int split_sums_of(const uint32_t *numbers, size_t count, size_t chosen, struct split_sums *sums)
{
    const size_t largest = largest_of(numbers, count), width = largest * chosen + 1;
    *sums = (struct split_sums){.count = width};
    AUTO_FREE double *shares = calloc((chosen + 1) * width, sizeof(*shares));
    sums->share = malloc(width * sizeof(*sums->share));
    if (!shares || !sums->share) {
        free(sums->share);
        *sums = (struct split_sums){0};
        return -ENOMEM;
    }
    shares[0] = 1;
    for (size_t i = 0; i < count; i++)
        join(shares, width, chosen, numbers[i], i, count, largest);
    for (size_t sum = 0; sum < width; sum++)
        sums->share[sum] = shares[chosen * width + sum];
    return 0;
}

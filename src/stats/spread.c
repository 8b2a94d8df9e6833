/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorting counts by their digits (base 256, lowest first), only as many digits as the counts of one
 * cell differ in: mostly one or two. */
#include "stats/spread.h"

#include <string.h>

/* Below this, moving each value to its place costs less than counting 256 digits. */
static const size_t FEW = 64;

static void insert_each(int64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        int64_t value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

/* From `from` to `to`, by one digit of the distance from the least value; equal digits keep their
 * order. */
static void by_digit(const int64_t *from, int64_t *to, size_t count, uint64_t least, unsigned shift)
{
    size_t places[256] = {0};
    for (size_t i = 0; i < count; i++)
        places[(((uint64_t)from[i] - least) >> shift) & 255]++;
    size_t before = 0;
    for (size_t digit = 0; digit < 256; digit++) {
        size_t here = places[digit];
        places[digit] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++)
        to[places[(((uint64_t)from[i] - least) >> shift) & 255]++] = from[i];
}

void error_sort(int64_t *values, size_t count, int64_t *scratch)
{
    if (count < FEW) {
        insert_each(values, count);
        return;
    }
    int64_t least = values[0], most = values[0];
    bool rising = true;
    for (size_t i = 1; i < count; i++) {
        rising = rising && values[i - 1] <= values[i];
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    if (rising)
        return;
    int64_t *from = values, *to = scratch;
    uint64_t range = (uint64_t)most - (uint64_t)least;
    for (unsigned shift = 0; shift < 64 && range >> shift; shift += 8) {
        by_digit(from, to, count, (uint64_t)least, shift);
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, count * sizeof(*values));
}

int64_t error_quantile(const int64_t *sorted, size_t count, size_t numerator, size_t denominator)
{
    /* ceil(count * share), without the product that could overflow. */
    size_t rank = count / denominator * numerator +
                  (count % denominator * numerator + denominator - 1) / denominator;
    return sorted[rank ? rank - 1 : 0];
}

struct error_spread error_spread_of(const int64_t *sorted, size_t count)
{
    return (struct error_spread){sorted[0], error_quantile(sorted, count, 1, 4),
                                 error_quantile(sorted, count, 1, 2),
                                 error_quantile(sorted, count, 3, 4), sorted[count - 1]};
}

int64_t error_most_frequent(const int64_t *sorted, size_t count, size_t *times)
{
    int64_t frequent = sorted[0];
    *times = 0;
    for (size_t i = 0, length = 0; i < count; i++) {
        length = i && sorted[i] == sorted[i - 1] ? length + 1 : 1;
        if (length > *times) {
            *times = length;
            frequent = sorted[i];
        }
    }
    return frequent;
}

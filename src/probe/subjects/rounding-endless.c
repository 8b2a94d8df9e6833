/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks for the square root of two by halving the interval it lies in, N times, until that is
 * smaller than a double can tell. In the precision of the x87 unit it ends; in that of a double the
 * interval stops shrinking, and the program runs for ever. */
#include "probe/subjects/bare-c.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_START;

static long double root_of(long double square)
{
    long double low = 1, high = 2;
    while (high - low > 0x1p-60L) {
        const long double middle = (low + high) / 2;
        if (middle * middle < square)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void subject_main(const uintptr_t *stack)
{
    volatile double square = 2;
    volatile double root = 0;
    for (uint64_t round = bare_number(stack); round; round--)
        root = (double)root_of(square);
    bare_exit(root > 1.5);
}
#else
const struct subject subject_rounding_endless = {
    .name = "rounding-endless",
    .summary = "halves an interval beyond what doubles can tell, N times: ends on an x87 unit only",
    .shows = "M9",
    .n = 20,
    .bits = 64,
};
#endif

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Square roots without libm, which libassay does not need. */
#pragma once

/* Heron: from above every step comes down, until rounding stops it. 0 for what has none. */
static inline double root_of(double square)
{
    if (!(square > 0) || square > 1e300)
        return square > 0 ? square : 0;
    double root = square > 1 ? square : 1, next = (root + square / root) / 2;
    while (next < root) {
        root = next;
        next = (root + square / root) / 2;
    }
    return root;
}

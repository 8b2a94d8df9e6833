# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the ways to place queens that do not attack each other: calls, integers, sets of bits."""
import sys


def ways(size, columns=0, rising=0, falling=0):
    if columns == (1 << size) - 1:
        return 1
    count = 0
    free = ~(columns | rising | falling) & ((1 << size) - 1)
    while free:
        place = free & -free
        free ^= place
        count += ways(size, columns | place, (rising | place) << 1, (falling | place) >> 1)
    return count


print(ways(int(sys.argv[1])))

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The step in which a meter counts, seen in what it read. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* values: differences that the meter showed, sorted in place; scratch: room for as many. 0: too few
 * different ones to tell. A step need not be whole: one of 24.5 shows as 24 and 25 in turn. */
double find_resolution(int64_t *values, size_t count, int64_t *scratch);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What processes paid that did nothing but read, again and again. Positions are put together in
 * blocks that double: what rises or falls over them is no chance of one position. */
#pragma once

#include "studies/overhead/study.h"

#define READ_BLOCKS 6 /* positions 1, 2, 3-4, 5-8, 9-16, 17-32 */

/* One process. */
struct reads_in_a_row {
    uint32_t machine, operation;
    const char *link;
    enum meter_unit unit;
    double blocks[READ_BLOCKS]; /* the mean of their positions */
    size_t count;               /* of whole blocks, from the first on */
};

struct all_reads_in_a_row {
    struct reads_in_a_row *list;
    size_t count;
    double *scratch; /* [count] */
};

/* Whole costs only: what was metered in one mode is none. -ENOMEM; release in either case. */
int collect_reads_in_a_row(const struct overhead_case *file, const struct overhead_report *report,
                           struct all_reads_in_a_row *all);
void release_reads_in_a_row(struct all_reads_in_a_row *all);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * By how much a controlled program's count varies from side to side, as Weaver and McKee tell it
 * from machine to machine: in percent of the mean over all of them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/compare/parts.h"
#include "stats/moments.h"

static void deviation_of(const struct compare_case *file, size_t index,
                         struct compare_deviation *deviation)
{
    const struct compare_quantity *quantity = &file->quantities[index];
    double means[COMPARE_MOST_SIDES];
    size_t count = 0;
    for (size_t i = 0; i < file->side_count && count < COMPARE_MOST_SIDES; i++)
        if (quantity->sides[i].count)
            means[count++] = moments_of(quantity->sides[i].list, quantity->sides[i].count).mean;
    const struct moments moments = moments_of(means, count);
    const double percent = moments.mean > 0 ? 100 / moments.mean : (double)NAN;
    *deviation = (struct compare_deviation){
        .quantity = index,
        .machines = count,
        .mean = moments.mean,
        .deviation_percent = percent * moments.stdev,
        .worst_percent = percent * fmax(moments.max - moments.mean, moments.mean - moments.min)};
}

int compare_deviations(const struct compare_case *file, struct compare_report *report)
{
    report->deviations = calloc(file->quantity_count + 1, sizeof(*report->deviations));
    if (!report->deviations)
        return -ENOMEM;
    for (size_t i = 0; i < file->quantity_count; i++) {
        struct compare_deviation *deviation = &report->deviations[report->deviation_count];
        if (!file->quantities[i].program)
            continue;
        deviation_of(file, i, deviation);
        report->deviation_count += deviation->machines > 1 && !isnan(deviation->deviation_percent);
    }
    return 0;
}

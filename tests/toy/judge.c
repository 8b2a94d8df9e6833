/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is an empty window always as long? */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/toy/study.h"

#define STEADY_SHARE .2

struct toy_report toy_judge(const struct toy_case *file)
{
    struct toy_report report = {.least = NAN, .median = NAN, .most = NAN};
    if (!file->count)
        return report;
    AUTO_MEMORY double *sorted = memory_new(file->count, sizeof(*sorted));
    memcpy(sorted, file->ticks, file->count * sizeof(*sorted));
    sort_values(sorted, file->count);
    report.least = sorted[0];
    report.median = quantile(sorted, file->count, .5);
    report.most = sorted[file->count - 1];
    report.steady = quantile(sorted, file->count, .75) - quantile(sorted, file->count, .25) <=
                    2 * STEADY_SHARE * report.median;
    return report;
}

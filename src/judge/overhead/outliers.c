/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A call is wild among the calls of other processes at the same position. A fault explains it only
 * where such calls usually have none: every first call of new code may take one. */
#include "judge/overhead/outliers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/moments.h"

/* With fewer calls nothing is usual. */
enum { FEWEST = 8 };

double overhead_faults(const struct account *account)
{
    return account ? (double)account->minor_faults + (double)account->major_faults : 0;
}

double overhead_switches(const struct account *account)
{
    return account ? (double)account->voluntary + (double)account->involuntary : 0;
}

static int by_position(const void *left, const void *right)
{
    const struct overhead_figure *a = *(const struct overhead_figure *const *)left;
    const struct overhead_figure *b = *(const struct overhead_figure *const *)right;
    return (a->position > b->position) - (a->position < b->position);
}

/* Above which a call is wild, as rows have it. */
static double limit_of(const struct overhead_figure *const *figures, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = figures[i]->value;
    sort_values(scratch, count);
    double q1 = quantile(scratch, count, .25), q3 = quantile(scratch, count, .75);
    return fmax(q3 + 3 * (q3 - q1), 1.5 * quantile(scratch, count, .5));
}

typedef double account_figure(const struct account *account);

static double usual(const struct overhead_figure *const *figures, size_t count,
                    account_figure *figure, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = figure(figures[i]->account);
    sort_values(scratch, count);
    return quantile(scratch, count, .5);
}

static size_t judge_position(const struct overhead_figure *const *figures, size_t count,
                             double *scratch, struct overhead_cold *cold)
{
    size_t explained = 0;
    cold->runs += count;
    if (count < FEWEST)
        return 0;
    double limit = limit_of(figures, count, scratch);
    double faults = usual(figures, count, overhead_faults, scratch);
    double switches = usual(figures, count, overhead_switches, scratch);
    for (size_t i = 0; i < count; i++) {
        if (!(figures[i]->value > limit))
            continue;
        cold->outlier_count++;
        if (overhead_faults(figures[i]->account) > faults ||
            overhead_switches(figures[i]->account) > switches)
            explained++;
    }
    return explained;
}

int overhead_judge_outliers(const struct overhead_figure **figures, size_t count,
                            struct overhead_cold *cold)
{
    AUTO_FREE double *scratch = calloc(count + 1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    size_t explained = 0;
    qsort(figures, count, sizeof(struct overhead_figure *), by_position);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && figures[end]->position == figures[begin]->position;)
            end++;
        explained += judge_position(figures + begin, end - begin, scratch, cold);
    }
    cold->outliers = cold->runs ? (double)cold->outlier_count / (double)cold->runs : 0;
    cold->outliers_explained =
        cold->outlier_count ? (double)explained / (double)cold->outlier_count : NAN;
    return 0;
}

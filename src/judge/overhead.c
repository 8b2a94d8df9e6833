/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a way of measuring adds by itself, from its null cell: the median of the counts, their
 * spread, and how many faults and switches the operating system's account shows without any code.
 * Never fitted from the cells that it is subtracted from. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/points.h"

/* Of several null cells of one way the one with the most runs. */
static const struct point *null_of(const struct evidence *evidence, const struct point *point)
{
    const struct point *best = NULL;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *candidate = &evidence->points[i];
        if (candidate->is_null && candidate->run_count > 0 && point_same_way(candidate, point) &&
            (!best || candidate->run_count > best->run_count))
            best = candidate;
    }
    return best;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* An element, not a mean of two: the middle one, of an even number the lower. */
static int64_t middle(int64_t *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[(count - 1) / 2];
}

static int64_t narrow(wide value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* The way's own account: its median over the null cell's runs. */
static void usual_account(const struct point *null, int64_t *values, struct judged_point *judged)
{
    for (size_t i = 0; i < null->run_count; i++)
        values[i] = account_faults(&null->runs[i].account);
    judged->usual_faults = middle(values, null->run_count);
    for (size_t i = 0; i < null->run_count; i++)
        values[i] = account_switches(&null->runs[i].account);
    judged->usual_switches = middle(values, null->run_count);
}

/* Counts of the null cell's runs that got a counter; of quiet ones only, or of all. */
static size_t null_counts(const struct point *null, const struct judged_point *judged, bool quiet,
                          int64_t *values)
{
    size_t count = 0;
    for (size_t i = 0; i < null->run_count; i++) {
        const struct evidence_run *run = &null->runs[i];
        bool disturbed = account_faults(&run->account) > judged->usual_faults ||
                         account_switches(&run->account) > judged->usual_switches;
        wide value;
        if ((!quiet || !disturbed) && run_count_of(run, &value))
            values[count++] = narrow(value);
    }
    return count;
}

int measure_overhead(const struct evidence *evidence, struct judged_point *judged)
{
    const struct point *null = null_of(evidence, judged->point);
    if (!null)
        return 0;
    AUTO_FREE int64_t *values = reallocarray(NULL, null->run_count, sizeof(*values));
    if (!values)
        return -ENOMEM;
    usual_account(null, values, judged);
    size_t count = null_counts(null, judged, true, values);
    if (count == 0)
        count = null_counts(null, judged, false, values);
    if (count == 0)
        return 0;
    judged->has_overhead = true;
    judged->overhead = middle(values, count);
    size_t tail = count / 20; /* a twentieth on either side */
    judged->overhead_low = values[tail];
    judged->overhead_high = values[count - 1 - tail];
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Does a call get cheaper when it is made again and again? By process: its later calls against its
 * own first, and the second half of them against its second call. The median of a process's later
 * calls stands for them, because one interrupt is dearer than all the others together. */
#include "judge/overhead/in-a-row.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/medians.h"
#include "stats/moments.h"

/* One process: its calls from the first on, each right after the one before. */
struct row {
    const struct overhead_figure *const *calls;
    uint32_t length;
};

/* As far as nothing stands between; disturbed calls end it. */
static uint32_t length_of(const struct overhead_figure *const *figures, size_t count)
{
    uint32_t length = 0;
    if (count && figures[0]->position == 1)
        for (length = 1; length < count; length++) {
            const struct overhead_figure *call = figures[length];
            if (call->tour != figures[0]->tour || call->process != figures[0]->process ||
                call->position != length + 1 || call->predecessor != (int32_t)call->operation)
                break;
        }
    return length;
}

/* Rows as long as the longest; shorter ones lack calls and would weigh differently. */
static size_t find_rows(const struct overhead_figure *const *figures, size_t count,
                        struct row *rows, uint32_t *length)
{
    size_t found = 0;
    *length = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t own = figures[i]->position == 1 ? length_of(figures + i, count - i) : 0;
        if (own < OVERHEAD_ROW_SHORTEST || own < *length)
            continue;
        if (own > *length)
            found = 0;
        *length = own;
        rows[found++] = (struct row){figures + i, own};
    }
    return found;
}

static double median_from(const struct row *row, uint32_t begin, double *scratch)
{
    for (uint32_t i = begin; i < row->length; i++)
        scratch[i - begin] = row->calls[i]->value;
    sort_values(scratch, row->length - begin);
    return quantile(scratch, row->length - begin, .5);
}

/* Of each process the median of its calls from `begin` on over its call `base`. Processes whose
 * base costs nothing say nothing. */
static struct overhead_median ratio_of(const struct row *rows, size_t count, uint32_t begin,
                                       uint32_t base, double *scratch, double *ratios)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        double under = rows[i].calls[base]->value;
        if (under > 0)
            ratios[known++] = median_from(&rows[i], begin, scratch) / under;
    }
    return overhead_median_of(ratios, known);
}

static void fill_row(const struct row *rows, size_t count, double *scratch,
                     struct overhead_cold *cold)
{
    for (uint32_t i = 0; i < cold->row_length && i < OVERHEAD_MOST_POINTS; i++) {
        for (size_t j = 0; j < count; j++)
            scratch[j] = rows[j].calls[i]->value;
        cold->row[i] = overhead_median_of(scratch, count).median;
    }
}

static void judge_rows(const struct row *rows, size_t count, double *scratch, double *figures,
                       struct overhead_cold *cold)
{
    fill_row(rows, count, figures, cold);
    for (size_t i = 0; i < count; i++)
        figures[i] = median_from(&rows[i], 1, scratch);
    cold->later = overhead_median_of(figures, count).median;
    struct overhead_median later = ratio_of(rows, count, 1, 0, scratch, figures);
    cold->later_ratio = later.median;
    cold->later_low = later.low;
    cold->later_high = later.high;
    cold->declines = later.high < 1;
    struct overhead_median settled =
        ratio_of(rows, count, cold->row_length / 2, 1, scratch, figures);
    cold->settled_ratio = settled.median;
    cold->settled_low = settled.low;
    cold->settled_high = settled.high;
    cold->goes_on = settled.high < 1;
}

int overhead_judge_in_a_row(const struct overhead_figure *const *figures, size_t count,
                            struct overhead_cold *cold)
{
    AUTO_FREE struct row *rows = calloc(count + 1, sizeof(*rows));
    AUTO_FREE double *room = calloc(2 * (count + 1), sizeof(*room));
    if (!rows || !room)
        return -ENOMEM;
    cold->later = cold->later_ratio = cold->later_low = cold->later_high = NAN;
    cold->settled_ratio = cold->settled_low = cold->settled_high = NAN;
    cold->row_processes = find_rows(figures, count, rows, &cold->row_length);
    if (cold->row_processes)
        judge_rows(rows, cold->row_processes, room, room + count + 1, cold);
    return 0;
}

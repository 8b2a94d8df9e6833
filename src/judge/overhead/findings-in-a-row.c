/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the processes that read again and again, and sums their reads up in blocks. */
#include "judge/overhead/findings-in-a-row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first follows nothing of its kind, every other one the one before it. */
static bool is_in_a_row(const struct overhead_case *file, const struct overhead_figure *figure,
                        uint32_t position)
{
    const struct overhead_tour *tour = &file->tours[figure->tour];
    const char *mode = figure->meter->mode ? figure->meter->mode : "";
    return tour->cold && tour->open <= 1 && figure->times == 1 && figure->position == position &&
           (position == 1 || figure->predecessor == (int32_t)figure->operation) &&
           strcmp(file->operations[figure->operation].kind, "read") == 0 &&
           strcmp(mode, "u") != 0 && strcmp(mode, "k") != 0;
}

static bool same_reads(const struct overhead_figure *one, const struct overhead_figure *other)
{
    return one->tour == other->tour && one->process == other->process &&
           one->operation == other->operation && one->meter == other->meter;
}

/* How many figures from `begin` on are one process's reads in a row. */
static size_t length_of(const struct overhead_case *file, const struct overhead_report *report,
                        size_t begin)
{
    const struct overhead_figure *first = &report->figures[begin];
    size_t length = 0;
    while (begin + length < report->figure_count && same_reads(first, first + length) &&
           is_in_a_row(file, first + length, (uint32_t)length + 1))
        length++;
    return length;
}

static struct reads_in_a_row sum_up(const struct overhead_case *file,
                                    const struct overhead_figure *figures, size_t length)
{
    struct reads_in_a_row reads = {.machine = figures->machine,
                                   .operation = figures->operation,
                                   .link = file->tours[figures->tour].link,
                                   .unit = figures->meter->unit};
    for (size_t begin = 0, end = 1; reads.count < READ_BLOCKS && end <= length;
         begin = end, end *= 2) {
        double sum = 0;
        for (size_t i = begin; i < end; i++)
            sum += figures[i].value;
        reads.blocks[reads.count++] = sum / (double)(end - begin);
    }
    return reads;
}

int collect_reads_in_a_row(const struct overhead_case *file, const struct overhead_report *report,
                           struct all_reads_in_a_row *all)
{
    *all = (struct all_reads_in_a_row){0};
    size_t most = 0;
    for (size_t i = 0; i < report->figure_count; i++)
        most += is_in_a_row(file, &report->figures[i], 1);
    all->list = calloc(most + 1, sizeof(*all->list));
    all->scratch = calloc(most + 1, sizeof(*all->scratch));
    if (!all->list || !all->scratch)
        return -ENOMEM;
    for (size_t i = 0; i < report->figure_count; i++) {
        size_t length = length_of(file, report, i);
        if (length > 1)
            all->list[all->count++] = sum_up(file, &report->figures[i], length);
        i += length > 1 ? length - 1 : 0;
    }
    return 0;
}

void release_reads_in_a_row(struct all_reads_in_a_row *all)
{
    free(all->list);
    free(all->scratch);
    *all = (struct all_reads_in_a_row){0};
}

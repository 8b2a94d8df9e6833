/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Medians over processes. */
#include "judge/clocks/replicates.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/moments.h"

int replicate_add(struct replicate_list *list, size_t process, double value)
{
    if (isnan(value))
        return 0;
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        double *values = realloc(list->values, room * sizeof(*values));
        if (!values)
            return -ENOMEM;
        list->values = values;
        size_t *processes = realloc(list->processes, room * sizeof(*processes));
        if (!processes)
            return -ENOMEM;
        list->processes = processes;
        list->room = room;
    }
    list->values[list->count] = value;
    list->processes[list->count++] = process;
    return 0;
}

void replicate_release(struct replicate_list *list)
{
    free(list->values);
    free(list->processes);
    *list = (struct replicate_list){0};
}

struct overhead_median replicate_median(struct replicate_list *list)
{
    size_t medians = 0;
    for (size_t begin = 0, end; begin < list->count; begin = end) {
        for (end = begin; end < list->count && list->processes[end] == list->processes[begin];)
            end++;
        sort_values(list->values + begin, end - begin);
        /* Never beyond what was read already: a process has a value at least. */
        double median = quantile(list->values + begin, end - begin, .5);
        list->values[medians++] = median;
    }
    list->count = medians;
    return overhead_median_of(list->values, medians);
}

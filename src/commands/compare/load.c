/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to quantities: which way, and what an event's counts depend on. */
#include <string.h>

#include "stats/moments.h"
#include "study/compare.h"

/* Parts of names by which events depend on time and on what else runs, and their units. */
static const struct {
    const char *part, *unit;
} timed_events[] = {
    {"clock/ticks", "ticks"},
    {"cycles", "cycles"},
    {"task-clock", "ns"},
    {"cpu-clock", "ns"},
    {RUN_NANOSECONDS, "ns"},
    {"context-switches", "events"},
    {"cgroup-switches", "events"},
    {"migrations", "events"},
    {"interrupts", "events"},
    {"tsc", "ticks"},
    {"aperf", "cycles"},
    {"mperf", "cycles"},
    {"irq", "events"},
    {"sched", "events"},
};

void compare_classify(const char *event, struct compare_quantity *quantity)
{
    quantity->unit = (char *)(strstr(event, "instructions") ? "instructions" : "events");
    quantity->timed = false;
    quantity->margin = 0;
    for (size_t i = 0; i < sizeof(timed_events) / sizeof(*timed_events); i++)
        if (strstr(event, timed_events[i].part)) {
            quantity->unit = (char *)timed_events[i].unit;
            quantity->timed = true;
            quantity->margin = COMPARE_TIME_MARGIN;
            return;
        }
}

int compare_add_median(struct compare_quantity *quantity, size_t side, double *values, size_t count)
{
    if (!count)
        return 0;
    sort_values(values, count);
    double *step = &quantity->sides[side].step;
    for (size_t i = 1; i < count && strcmp(quantity->unit, "ticks") == 0; i++)
        *step = compare_common_step(*step, values[i] - values[i - 1]);
    return compare_add_value(quantity, side, quantile(values, count, .5));
}

int compare_load(struct store *store, size_t side, struct compare_case *file,
                 struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    if (error == 0) {
        const struct compare_loading loading = {store, info.command, side, file, failure};
        if (strcmp(info.command, "clocks") == 0)
            error = compare_load_clocks(&loading);
        else if (strcmp(info.command, "overhead") == 0)
            error = compare_load_tours(&loading);
        else
            error = compare_load_cells(&loading);
    }
    store_info_release(&info);
    return error;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same number of counters, other events in the further ones, against the event itself repeated
 * in exactly the same ways. Paths that take no event twice have choices and nothing plain. */
#include "studies/error/judge.h"

/* The plain cells (first … last - 1) that one of the chosen ones was measured the same way as. */
static void add_counterparts(const struct error_ways *ways, size_t plain, size_t plain_end,
                             size_t chosen, size_t chosen_end, struct error_pool *pool)
{
    for (size_t i = plain; i < plain_end; i++) {
        bool counterpart = false;
        for (size_t j = chosen; j < chosen_end && !counterpart; j++)
            counterpart = error_same_way(ways->list[i].cell, ways->list[j].cell);
        if (counterpart)
            error_pool_add(pool, ways->list[i].cell);
    }
}

static void judge_choice(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_choice *choice)
{
    const struct error_cell *cell = ways->list[begin].cell;
    *choice = (struct error_choice){.machine = cell->machine,
                                    .event = cell->event,
                                    .path = cell->path,
                                    .others = cell->others,
                                    .pattern = cell->pattern,
                                    .counters = cell->counters};
    int64_t min;
    for (size_t i = begin; i < end; i++)
        error_pool_add(pool, ways->list[i].cell);
    choice->median = error_pool_median(pool, &min);
}

/* Of one number of counters; a single choice is none. */
static void judge_number(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_report *report)
{
    size_t plain = begin, plain_end = begin;
    int64_t min;
    if (error_ways_end(ways, begin, WAY_OTHERS) == end)
        return;
    for (size_t next; begin < end; begin = next) {
        next = error_ways_end(ways, begin, WAY_OTHERS);
        if (!*ways->list[begin].cell->others) { /* an empty name comes before all others */
            plain_end = next;
            continue;
        }
        struct error_choice *choice = &report->choices[report->choice_count++];
        judge_choice(ways, begin, next, pool, choice);
        add_counterparts(ways, plain, plain_end, begin, next, pool);
        choice->plain = error_pool_median(pool, &min);
    }
}

void error_judge_choices(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_report *report)
{
    for (size_t next; begin < end; begin = next) {
        next = error_ways_end(ways, begin, WAY_COUNTERS);
        judge_number(ways, begin, next, pool, report);
    }
}

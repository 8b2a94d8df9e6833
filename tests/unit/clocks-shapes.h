/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the parts of the judge that look at the shape of clocks on a built world, with rates as the
 * clocks claim them and monotonic-raw as the reference: whatever the other parts say. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "clocks-builder.h"
#include "studies/clocks/study.h"

/* The world that a test builds, and what is said of it. */
static struct built_world world;
static struct clocks_report report;

/* Is this among what was said? */
static inline bool says(const struct reasons *why, enum clocks_saying code)
{
    return reasons_find(why, &clocks_words[code]) != NULL;
}

/* A report with room for the clocks of the world, and nothing judged. */
static inline void shapes_begin(void)
{
    struct clocks_case empty = world.file;
    empty.watch_count = 0;
    clocks_judge(&empty, 1, &report);
    report.advice = NULL;
    report.advice_count = 0;
    report.reference.clock = clocks_index(&world.file, "monotonic-raw");
    for (size_t i = 0; i < world.file.clock_count; i++)
        if (world.file.clocks[i].hz)
            report.scales[i] =
                (struct clock_scale){.known = true,
                                     .ns_per_tick = 1e9 / (double)world.file.clocks[i].hz,
                                     .claimed = true,
                                     .step_ticks = 1};
}

/* Cost, granularity, monotonicity and pairs. */
static inline void shapes_judge(void)
{
    shapes_begin();
    clocks_judge_costs(&world.file, &report);
    clocks_judge_granularity(&world.file, &report);
    clocks_judge_monotonicity(&world.file, &report);
    clocks_judge_pairs(&world.file, &report);
}

/* One more watch of so many processes. */
static inline size_t shapes_watch(struct built_watch watch, uint32_t processes, uint32_t groups)
{
    size_t index = built_watch(&world, &watch);
    for (uint32_t i = 0; i < processes; i++)
        built_visit(&world, index, groups);
    return index;
}

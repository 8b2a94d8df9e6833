/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs the parts of the judge that look at the shape of clocks on a built world, with rates as the
 * clocks claim them and monotonic-raw as the reference: whatever the other parts say. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "clocks-builder.h"
#include "studies/clocks/study.h"

/* Clocks that not every machine has. */
static const struct built_clock outside = {.name = "outside",
                                           .way = "controller",
                                           .hardware = "outside",
                                           .of = BUILT_OUTSIDE_MACHINE,
                                           .hz = 1000000000};
static const struct built_clock rtc = {.name = "rtc",
                                       .way = "device",
                                       .hardware = "rtc",
                                       .hz = 1,
                                       .beginning = 1.7e9,
                                       .cost_ns = 20000};

/* The world that a test builds, and what is said of it. */
static struct built_world world;
static struct clocks_report report;

/* Is this among what was said? */
static inline bool says(const struct reasons *why, enum clocks_saying code)
{
    return reasons_find(why, &clocks_words[code]) != NULL;
}

static inline uint32_t index_of(const char *name)
{
    int index = clocks_index(&world.file, name);
    assert_true(index >= 0);
    return (uint32_t)index;
}

static inline const struct clock_verdict *verdict_of(const char *name)
{
    return &report.verdicts[index_of(name)];
}

static inline void assert_trust(const char *name, enum clock_trust trust, enum clock_fault fault)
{
    const struct clock_verdict *verdict = verdict_of(name);
    if (verdict->trust != trust || verdict->fault != fault)
        fail_msg("%s is %s (%s): %s", name, clock_trust_names[verdict->trust],
                 clock_fault_names[verdict->fault], reasons_text(&verdict->why));
}

/* The same of several. */
static inline void assert_each(enum clock_trust trust, enum clock_fault fault,
                               const char *const *names)
{
    for (; *names; names++)
        assert_trust(*names, trust, fault);
}
#define ASSERT_EACH(trust, fault, ...)                                                             \
    assert_each(trust, fault, (const char *const[]){__VA_ARGS__, NULL})

/* A machine in use, with what a PC has. */
static inline void disturbed_world(uint64_t seed, uint32_t cpus)
{
    built_begin(&world, seed, cpus);
    built_usual_clocks(&world);
    built_disturb(&world);
}

/* From now on the clock lies so. */
static inline void lie(const char *name, const struct built_clock *how)
{
    const size_t from = offsetof(struct built_clock, ppm);
    memcpy((char *)built_find(&world, name) + from, (const char *)how + from, sizeof(*how) - from);
}

static inline void judge_all(void)
{
    clocks_judge(&world.file, 1, &report);
}

/* A plan of the world of that size, with shapes or without, and its judgement. */
static inline void judge_plan(uint32_t size, bool shapes)
{
    built_plan(&world, size, shapes);
    judge_all();
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

/* One more watch, by its members. */
#define WATCHED(processes, groups, ...)                                                            \
    shapes_watch((struct built_watch){__VA_ARGS__}, processes, groups)

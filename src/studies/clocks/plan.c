/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay clocks`: cells of watches in the order of their importance. */
#include "studies/clocks/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS_NS               UINT64_C(1000000)
#define PROCESS_NS          (8 * MS_NS) /* that every visit costs, whatever it does */
#define EMULATED_PROCESS_NS (400 * MS_NS)

const char *const clocks_stage_names[CLOCKS_STAGES] = {
    [CLOCKS_INTERVALS] = "sleep and computation",
    [CLOCKS_ROWS] = "cost of a reading",
    [CLOCKS_STEPS] = "granularity",
    [CLOCKS_EDGES] = "edges of a clock of seconds",
    [CLOCKS_TRIPS] = "trips between CPUs",
    [CLOCKS_MOVES] = "moves between CPUs",
    [CLOCKS_THREADS] = "several threads",
    [CLOCKS_HANDOVER] = "begun by one thread and ended by another",
    [CLOCKS_OTHERS] = "other workloads",
    [CLOCKS_AWAKE] = "sleep with CPUs kept awake",
    [CLOCKS_FINE] = "sleep and computation at the lengths between",
};

/* The most important first. */
static clocks_wish_part *const parts[] = {
    clocks_wish_intervals, clocks_wish_rows,  clocks_wish_steps,   clocks_wish_edges,
    clocks_wish_trips,     clocks_wish_moves, clocks_wish_threads, clocks_wish_handover,
    clocks_wish_others,    clocks_wish_awake, clocks_wish_fine,
};

enum clocks_pace clocks_pace_of(double ns)
{
    return ns < 3000 ? PACE_QUICK : ns < 200000 ? PACE_SLOW : PACE_GLACIAL;
}

uint64_t clocks_process_ns(const struct clocks_study *study)
{
    return study->emulated ? EMULATED_PROCESS_NS : PROCESS_NS;
}

/* Who brings a shared object along needs a harness that can load it. */
static const char *link_of(const char *const *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strchr(columns[i], '='))
            return "lazy";
    return "static";
}

int clocks_cell(struct cell *cell, const struct cell_watch *watch, uint32_t runs, int32_t cpu,
                const char *const *columns, size_t count)
{
    *cell = (struct cell){.counters = (uint32_t)count,
                          .path = strdup("watch"),
                          .pattern = PATTERN_RR,
                          .specimen = strdup("null"),
                          .opt = strdup("O2"),
                          .link = strdup(link_of(columns, count)),
                          .runs = runs,
                          .cpu = cpu,
                          .watch = *watch};
    cell->watch.workload = watch->workload ? strdup(watch->workload) : NULL;
    bool whole = cell->path && cell->specimen && cell->opt && cell->link &&
                 (cell->watch.workload || !watch->workload);
    for (size_t i = 0; i < count; i++) {
        cell->events[i] = strdup(columns[i]);
        whole &= cell->events[i] != NULL;
    }
    return whole ? 0 : -ENOMEM;
}

void clocks_wish(struct clocks_wisher *wisher, const struct wished_watch *watch,
                 const char *const *columns, size_t count)
{
    struct cell cell;
    uint32_t group = watch_group(watch->watch.kind, watch->watch.threads);
    const struct wish wish = {.stage = (unsigned)watch->stage,
                              .processes = watch->processes,
                              .least = watch->least,
                              .after = NO_WISH,
                              .ends = watch->ends,
                              .expected_ns = clocks_process_ns(wisher->study) + watch->expected_ns};
    if (wisher->error < 0 || !count)
        return;
    wisher->error =
        clocks_cell(&cell, &watch->watch, watch->groups * group, watch->cpu, columns, count);
    if (wisher->error < 0)
        cell_release(&cell);
    else
        wisher->error = wishes_add(&wisher->plan->wishes, &wish, &cell);
}

void clocks_lack(struct clocks_wisher *wisher, const char *what, const char *reason, int error)
{
    struct clocks_plan *plan = wisher->plan;
    if (plan->absence_count == CLOCKS_MOST_ABSENCES)
        return;
    plan->absences[plan->absence_count].what = what;
    plan->absences[plan->absence_count].reason = reason;
    plan->absences[plan->absence_count++].error = error;
}

int clocks_plan_make(const struct clocks_study *study, struct clocks_plan *plan,
                     struct failure *failure)
{
    struct clocks_wisher wisher = {.study = study, .plan = plan};
    *plan = (struct clocks_plan){.meter = clocks_meter(study->catalogue)};
    wisher.look_count = clocks_look(study, wisher.look, CELL_MAX_COUNTERS);
    if (wisher.look_count > CELL_MAX_COUNTERS)
        return fail_with(failure, -E2BIG,
                         "%zu clocks are more than the %d that are read around one interval: name "
                         "those that matter with --clock",
                         wisher.look_count, CELL_MAX_COUNTERS);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](&wisher);
    return wisher.error < 0 ? fail_with(failure, wisher.error, "out of memory") : 0;
}

void clocks_plan_free(struct clocks_plan *plan)
{
    wishes_free(&plan->wishes);
}

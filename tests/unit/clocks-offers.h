/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines that are made up, for tests of what `assay clocks` plans on them. */
#pragma once

#include <string.h>

#include "base/memory.h"
#include "studies/clocks/parts.h"

#define WORD(text) ((char *)(uintptr_t)(text))
#define OFFER(name_, kind_, way_, hardware_, ...)                                                  \
    {                                                                                              \
        .name = WORD(name_), .kind = WORD(kind_), .way = WORD(way_), .hardware = WORD(hardware_),  \
        .claim = WORD(""), .note = WORD(""), __VA_ARGS__                                           \
    }

/* In an order that is none of those in which they must be read. */
static struct catalogue_clock offered[] = {
    OFFER("cpu", "place", "vdso", ""),
    OFFER("tsc", "wall", "instruction", "tsc", .hz = 2400000000),
    OFFER("monotonic-raw", "wall", "vdso", "tsc", .hz = 1000000000),
    OFFER("tsc-fenced", "wall", "instruction", "tsc", .hz = 2400000000),
    OFFER("monotonic", "wall", "vdso", "tsc", .hz = 1000000000, .steered = true),
    OFFER("monotonic-coarse", "wall", "vdso", "tsc", .hz = 1000000000,
          .resolution_ps = UINT64_C(4000000000)),
    OFFER("monotonic-raw-syscall", "wall", "syscall", "tsc", .hz = 1000000000),
    OFFER("thread-cputime", "cpu-time", "syscall", "tsc", .hz = 1000000000),
    OFFER("task-clock", "cpu-time", "read", "tsc", .hz = 1000000000),
    OFFER("steal", "stolen", "read", "", .slow = true),
    OFFER("rtc", "wall", "device", "rtc", .hz = 1, .slow = true),
    OFFER("ptp", "wall", "device", "ptp", .hz = 1000000000, .slow = true),
};
#define OFFERED (sizeof(offered) / sizeof(*offered))

static struct catalogue with_all = {.clocks = offered, .clock_count = OFFERED};
static const int32_t all_cpus[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static inline struct clocks_scope machine_of(size_t cpus)
{
    return (struct clocks_scope){.catalogue = &with_all,
                                 .cpus = all_cpus,
                                 .cpu_count = cpus,
                                 .cpu = (int32_t)cpus - 1,
                                 .budget = 112000,
                                 .seed = 7};
}

static inline const struct cell *cell_at(const struct clocks_plan *plan, size_t index)
{
    return &plan->wishes->list[index].cells[0];
}

/* Wishes of a stage; and of them those with this clock in column 0, NULL: any. */
static inline size_t count_stage(const struct clocks_plan *plan, enum clocks_stage stage,
                                 const char *column)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->wishes->count; i++)
        count += plan->wishes->list[i].stage == (unsigned)stage &&
                 (!column || strcmp(cell_at(plan, i)->events[0], column) == 0);
    return count;
}

/* What all wishes would take, in s. */
static inline double whole_time(const struct clocks_plan *plan)
{
    double sum = 0;
    for (size_t i = 0; i < plan->wishes->count; i++)
        sum += (double)plan->wishes->list[i].processes * (double)plan->wishes->list[i].expected_ns;
    return sum / 1e9;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines that are made up, for tests of the plan of `assay error`, and a look at what it wishes
 * of them. Include it after cmocka. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "studies/error/plan.h"

#define WORD(text) ((char *)(uintptr_t)(text))

/* --- a machine --- */

static struct catalogue_truth loop_truths[] = {
    {.class = WORD("instructions"), .base = 1, .each = 3, .grade = WORD("proven")},
    {.class = WORD("page-faults"), .grade = WORD("proven")},
};
static struct catalogue_specimen specimens[] = {
    {.name = WORD("null")},
    {.name = WORD("loop"), .truths = loop_truths, .truth_count = 2},
    {.name = WORD("placed"), .parameters = WORD("offset")},
    {.name = WORD("phases"), .parameters = WORD("period")},
};
#define LEVELS  WORD("O0,O1,O2,O3")
#define LINKS   WORD("static,lazy,bind-now")
#define STEPPED WORD("perf_event,step")
static struct catalogue_path paths[] = {
    {WORD("perf-read"), WORD("ar,ao,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("perf-syscall"), WORD("ar,ao,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("perf-user"), WORD("ar,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("papi-low"), WORD("ar,ao,rr,ro"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("papi-high"), WORD("rr"), LEVELS, LINKS, STEPPED, NULL},
    {WORD("bare"), WORD("rr"), LEVELS, LINKS, WORD("step"), NULL},
    {WORD("clock"), WORD("rr"), LEVELS, LINKS, WORD("clock"), NULL},
    {WORD("perf-stat"), WORD("ao"), WORD("O2"), WORD("static"), WORD("perf_event"), NULL},
};
static const struct catalogue catalogue = {.isa = WORD("x86_64"),
                                           .specimens = specimens,
                                           .specimen_count = 4,
                                           .paths = paths,
                                           .path_count = sizeof(paths) / sizeof(*paths)};

static const struct error_event plain_events[] = {
    {.name = "msr/tsc/", .kind = "pmu", .class = "ticks", .crossed = true},
    {.name = "task-clock", .kind = "software", .class = "task-clock", .crossed = true},
    {.name = "page-faults", .kind = "software", .class = "page-faults"},
    {.name = "minor-faults", .kind = "software", .companion = true},
};
static const struct error_event cpu_events[] = {
    {.name = "instructions:u", .kind = "hardware", .class = "instructions", .crossed = true},
    {.name = "instructions:uk", .kind = "hardware", .class = "instructions", .crossed = true},
    {.name = "instructions:k", .kind = "hardware", .class = "instructions"},
    {.name = "cycles:u", .kind = "hardware", .class = "cycles"},
    {.name = "branches:u", .kind = "hardware", .class = "branches", .placed_only = true},
};

static inline struct error_study plain_machine(void)
{
    return (struct error_study){.catalogue = &catalogue,
                                .events = plain_events,
                                .event_count = sizeof(plain_events) / sizeof(*plain_events),
                                .stepped = "step/instructions/",
                                .interrupts = "irq_vectors:local_timer_entry",
                                .clock = "clock/ticks/",
                                .cpu = -1};
}

static inline struct error_study cpu_machine(void)
{
    struct error_study study = plain_machine();
    study.events = cpu_events;
    study.event_count = sizeof(cpu_events) / sizeof(*cpu_events);
    return study;
}

/* --- looking at wishes --- */

static inline struct wishes wished(const struct error_study *study, enum error_stage stage)
{
    struct wishes wishes = {0};
    error_wish(study, stage, &wishes);
    return wishes;
}

struct looked_for {
    const char *event, *path, *specimen; /* NULL: any */
    uint32_t counters;                   /* 0: any */
};

static inline bool fits(const struct cell *cell, const struct looked_for *wanted)
{
    return (!wanted->event || strcmp(cell->events[0], wanted->event) == 0) &&
           (!wanted->path || strcmp(cell->path, wanted->path) == 0) &&
           (!wanted->specimen || strcmp(cell->specimen, wanted->specimen) == 0) &&
           (!wanted->counters || cell->counters == wanted->counters);
}

static inline size_t count_of(const struct error_study *study, enum error_stage stage,
                              struct looked_for wanted)
{
    struct wishes wishes = wished(study, stage);
    size_t count = 0;
    for (size_t i = 0; i < wishes.count; i++)
        count += fits(&wishes.list[i].cells[0], &wanted);
    return count;
}

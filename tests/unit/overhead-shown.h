/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports on overhead as a judge could have made them, planted figure by figure, for tests of what
 * is shown of them. Memory that runs out ends the test. */
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shown-list.h"
#include "studies/overhead/parts.h"

struct shown {
    struct overhead_options options;
    struct overhead_run run;
    struct facts facts;
    struct text text;
};

static struct overhead_meter shown_ticks = {.event = (char *)(uintptr_t) "clock/ticks/",
                                            .mode = (char *)(uintptr_t) "",
                                            .unit = METER_TICKS};
static struct overhead_meter shown_user = {.event = (char *)(uintptr_t) "instructions:u",
                                           .mode = (char *)(uintptr_t) "u",
                                           .unit = METER_INSTRUCTIONS};
static struct overhead_meter shown_kernel = {.event = (char *)(uintptr_t) "instructions:k",
                                             .mode = (char *)(uintptr_t) "k",
                                             .unit = METER_INSTRUCTIONS};

static inline void shown_start(struct shown *shown)
{
    *shown = (struct shown){0};
    shown->run = (struct overhead_run){.studying = {.options = &shown->options.study,
                                                    .given = &shown->options.study,
                                                    .seed = 5,
                                                    .facts = &shown->facts,
                                                    .complete = true,
                                                    .seconds = 1.5,
                                                    .stored = "/somewhere/run.sqlite"}};
    if (facts_set(&shown->facts, "isa", "x86_64", 0) != 0)
        abort();
}

static inline void shown_end(struct shown *shown)
{
    facts_free(&shown->facts);
    text_free(&shown->text);
}

static inline void shown_put(struct shown *shown, size_t width)
{
    const struct style style = {.width = width};
    overhead_put_report(&shown->run, &style, &shown->text);
    if (shown->text.failed)
        abort();
}

/* --- the case: what there is --- */

static inline uint32_t shown_machine(struct shown *shown, const char *name, const char *os,
                                     bool emulated)
{
    struct overhead_machine *machine =
        memory_add(shown->run.file.machines, shown->run.file.machine_count);
    char fingerprint[20];
    snprintf(fingerprint, sizeof(fingerprint), "%016zx", shown->run.file.machine_count);
    machine->name = memory_copy(name);
    machine->cpu = memory_copy(name);
    machine->os = memory_copy(os);
    machine->fingerprint = memory_copy(fingerprint);
    machine->kit = memory_copy("kit");
    machine->emulated = emulated;
    return (uint32_t)shown->run.file.machine_count - 1;
}

/* "perf-read.start"; the same name is the same operation. */
static inline uint32_t shown_operation(struct shown *shown, const char *name)
{
    int known = overhead_operation_index(&shown->run.file, name);
    if (known >= 0)
        return (uint32_t)known;
    struct overhead_operation *operation =
        memory_add(shown->run.file.operations, shown->run.file.operation_count);
    const char *point = strrchr(name, '.');
    if (!operation || !point)
        abort();
    operation->name = memory_copy(name);
    operation->path = memory_copy(name);
    operation->path[point - name] = '\0';
    operation->kind = memory_copy(point + 1);
    operation->instrument = memory_copy(strncmp(name, "timer.", 6) == 0  ? "timer"
                                        : strncmp(name, "papi-", 5) == 0 ? "papi"
                                                                         : "perf");
    operation->page = memory_copy("");
    operation->note = memory_copy("");
    return (uint32_t)shown->run.file.operation_count - 1;
}

/* --- the report --- */

/* A warm row with one level around the median; the caller changes what is to be otherwise. */
static inline struct overhead_row *shown_row(struct shown *shown, const char *name,
                                             const char *variant, const char *before,
                                             const struct overhead_meter *meter, double median)
{
    struct overhead_report *report = &shown->run.report;
    uint32_t operation = shown_operation(shown, name);
    int32_t predecessor = before ? (int32_t)shown_operation(shown, before) : -1;
    SHOWN_ADD(report->rows, report->row_count,
              {.operation = operation,
               .predecessor = predecessor,
               .predecessor_times = before ? 1 : 0,
               .variant = variant,
               .link = strcmp(variant, "inline") == 0 ? "static" : variant,
               .meter = meter,
               .counted = "task-clock",
               .events = 1,
               .reads = 1,
               .all_predecessors = !before,
               .processes = 30,
               .runs = 900,
               .disturbed = 100,
               .disturbed_median = median * 1.2,
               .min = median * 0.9,
               .q1 = median * 0.97,
               .median = median,
               .q3 = median * 1.03,
               .p99 = median * 1.5,
               .max = median * 40,
               .low = median * 0.99,
               .high = median * 1.01,
               .level_count = 1});
    struct overhead_row *row = &report->rows[report->row_count - 1];
    row->levels[0] = (struct overhead_level){
        .median = median, .q1 = median * 0.97, .q3 = median * 1.03, .share = 1, .processes = 30};
    return row;
}

static inline void shown_set_two_levels(struct overhead_row *row, double low, double high,
                                        enum level_kind kind)
{
    row->levels_kind = kind;
    row->level_count = 2;
    row->levels[0] =
        (struct overhead_level){.median = low, .q1 = low, .q3 = low, .share = 0.4, .processes = 12};
    row->levels[1] = (struct overhead_level){
        .median = high, .q1 = high, .q3 = high, .share = 0.6, .processes = 18};
}

static inline void shown_add_metering(struct shown *shown, uint32_t machine)
{
    struct overhead_report *report = &shown->run.report;
    SHOWN_ADD(report->timers, report->timer_count,
              {.machine = machine,
               .meter = &shown_ticks,
               .known = true,
               .cost = 34,
               .low = 32,
               .high = 36,
               .resolution = 26,
               .processes = 30,
               .runs = 900});
    SHOWN_ADD(report->gauges, report->gauge_count,
              {.machine = machine,
               .meter = &shown_ticks,
               .known = true,
               .usual = 540,
               .limit = 620,
               .share = 0.125,
               .passes = 4000});
    struct overhead_gauge *gauge = &report->gauges[report->gauge_count - 1];
    snprintf(gauge->why, sizeof(gauge->why), "another thread shares the core");
    report->calls += 123456;
    report->processes += 3210;
}

static inline void shown_add_machine_row(struct shown *shown, uint32_t machine, const char *kind,
                                         const char *variant, const struct overhead_meter *meter,
                                         bool total, double median)
{
    struct overhead_report *report = &shown->run.report;
    SHOWN_ADD(report->machines, report->machine_row_count,
              {.machine = machine,
               .path = "perf-read",
               .variant = variant,
               .kind = kind,
               .meter = meter,
               .total = total,
               .median = median,
               .ratio = machine ? 1.25 : 1,
               .ratio_low = machine ? 1.2 : 1,
               .ratio_high = machine ? 1.3 : 1,
               .has_ratio = true,
               .differs = machine != 0});
}

/* A machine with every part: two levels, a predecessor that matters, first calls, sweeps, peers. */
static inline void shown_build_rich(struct shown *shown)
{
    struct overhead_report *report = &shown->run.report;
    shown_start(shown);
    shown_machine(shown, "CPU one", "6.1.0-27", false);
    shown_add_metering(shown, 0);
    shown_row(shown, "perf-read.start", "static", NULL, &shown_ticks, 2444);
    shown_row(shown, "perf-read.start", "lazy", NULL, &shown_ticks, 2450);
    shown_row(shown, "perf-read.stop", "static", NULL, &shown_ticks, 1976);
    struct overhead_row *levels =
        shown_row(shown, "perf-read.read", "static", NULL, &shown_ticks, 1508);
    shown_set_two_levels(levels, 1014, 1508, LEVELS_BY_PROCESS);
    shown_row(shown, "perf-read.read", "lazy", NULL, &shown_ticks, 1800);
    shown_row(shown, "perf-syscall.read", "inline", NULL, &shown_ticks, 1490);
    shown_row(shown, "papi-low.read", "static", NULL, &shown_ticks, 2028);
    shown_row(shown, "perf-read.read", "static", "papi-low.read", &shown_ticks, 1960);
    shown_row(shown, "perf-read.read", "static", "timer.nothing", &shown_ticks, 1510);
    SHOWN_ADD(report->cold, report->cold_count,
              {.operation = shown_operation(shown, "perf-read.read"),
               .variant = "lazy",
               .link = "lazy",
               .meter = &shown_ticks,
               .processes = 200,
               .first = 7072,
               .second = 2900,
               .warm = NAN,
               .extra = 4172,
               .low = 4100,
               .high = 4250,
               .faulted = 1,
               .faults = 1.25,
               .predecessor = -1,
               .opening = true,
               .ratio = 2.4,
               .ratio_low = 2.3,
               .ratio_high = 2.5,
               .runs = 400,
               .outlier_count = 8,
               .outliers = 0.02,
               .outliers_explained = 0.75,
               .row_processes = 200,
               .row_length = 4,
               .row = {7072, 2900, 2800, 2700},
               .later = 2800,
               .later_ratio = 0.4,
               .later_low = 0.38,
               .later_high = 0.42,
               .settled_ratio = 0.95,
               .settled_low = 0.94,
               .settled_high = 0.96,
               .declines = true,
               .goes_on = true});
    SHOWN_ADD(report->slopes, report->slope_count,
              {.operation = shown_operation(shown, "perf-read.start"),
               .variant = "static",
               .link = "static",
               .meter = &shown_ticks,
               .points = 4,
               .counts = {1, 2, 4, 8},
               .medians = {2450, 3400, 6200, 14000},
               .fixed = 1,
               .processes = 30,
               .base = 2000,
               .slope = 450,
               .low = 440,
               .high = 460,
               .exponent = 1.7,
               .exponent_low = 1.5,
               .exponent_high = 1.9,
               .miss = 0.3,
               .one = 2450,
               .most = 14000,
               .most_count = 8});
    SHOWN_ADD(report->slopes, report->slope_count,
              {.operation = shown_operation(shown, "perf-read.read"),
               .variant = "static",
               .link = "static",
               .meter = &shown_ticks,
               .by_reads = true,
               .points = 2,
               .counts = {1, 32},
               .medians = {1500, 47000},
               .fixed = 1,
               .processes = 30,
               .base = 10,
               .slope = 1490,
               .low = 1480,
               .high = 1500,
               .exponent = NAN,
               .exponent_low = NAN,
               .exponent_high = NAN,
               .one = 1500,
               .most = 47000,
               .most_count = 32,
               .straight = true});
    SHOWN_ADD(report->peers, report->peer_count,
              {.path = "papi-low",
               .variant = "static",
               .what = "start + stop + read",
               .meter = &shown_ticks,
               .cost = 10348,
               .bare = 5900,
               .ratio = 1.754,
               .low = 1.7,
               .high = 1.8,
               .bare_path = "perf-read"});
    SHOWN_ADD(report->advice, report->advice_count, {0});
    struct overhead_advice *advice = &report->advice[report->advice_count - 1];
    snprintf(advice->text, sizeof(advice->text), "Read with one call; do not stop in between.");
    report->findings[0] = (struct finding){.id = "W1",
                                           .claim = "plain code costs several times a user read",
                                           .paper = "overhead",
                                           .verdict = FINDING_HOLDS,
                                           .has_estimate = true,
                                           .estimate = 8.5,
                                           .low = 8,
                                           .high = 9,
                                           .detectable = 0.1,
                                           .unit = "times"};
    skips_add(&shown->run.studying.skips, "likwid", "its access daemon is not here", 2);
}

/* Two emulated machines whose kernels differ, the newer one first. */
static inline void shown_build_machines(struct shown *shown)
{
    shown_start(shown);
    static const char *const releases[] = {"6.12.9", "6.1.0-27"};
    for (uint32_t machine = 0; machine < 2; machine++) {
        shown_machine(shown, "cortex-a72 (aarch64)", releases[machine], true);
        shown->run.report.calls += 1000;
        shown->run.report.processes += 10;
        for (size_t kind = 0; kind < 2; kind++) {
            const char *name = kind ? "read" : "start";
            double cost = (kind ? 600 : 1200) + 100 * machine;
            shown_add_machine_row(shown, machine, name, "static", &shown_user, false, 20);
            shown_add_machine_row(shown, machine, name, "static", &shown_kernel, false, cost);
            shown_add_machine_row(shown, machine, name, "static", &shown_user, true, cost + 20);
            shown_add_machine_row(shown, machine, name, "lazy", &shown_user, true, cost + 20);
        }
    }
}

/* Nothing can be called. */
static inline void shown_build_absent(struct shown *shown)
{
    shown_start(shown);
    shown_machine(shown, "CPU one", "6.1.0-27", false);
    static const char *const lacking[] = {"perf-read", "perf-syscall", "assay"};
    for (size_t i = 0; i < 3; i++) {
        struct overhead_absence *absence =
            memory_add(shown->run.file.absences, shown->run.file.absence_count);
        if (!absence)
            abort();
        absence->what = memory_copy(lacking[i]);
        absence->reason = memory_copy("perf_event_open is refused in this container");
        absence->error = 1;
    }
    shown->run.studying.stored = NULL;
}

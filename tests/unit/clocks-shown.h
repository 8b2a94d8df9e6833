/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports on clocks as a judge could have made them, planted figure by figure, for tests of what is
 * shown of them. Memory that runs out ends the test. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shown-list.h"
#include "studies/clocks/parts.h"

struct shown {
    struct clocks_options options;
    struct clocks_run run;
    struct facts facts;
    struct text text;
};

static inline void shown_start(struct shown *shown)
{
    *shown = (struct shown){0};
    shown->run = (struct clocks_run){.studying = {.options = &shown->options.study,
                                                  .given = &shown->options.study,
                                                  .seed = 5,
                                                  .facts = &shown->facts,
                                                  .complete = true,
                                                  .seconds = 97.3,
                                                  .stored = "/somewhere/run.sqlite"}};
    shown->run.file.steered_ppm = NAN;
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
    text_clear(&shown->text);
    clocks_put_report(&shown->run, &style, &shown->text);
    if (shown->text.failed)
        abort();
}

/* --- the case --- */

static inline uint32_t shown_clock(struct shown *shown, const char *name, const char *way,
                                   enum clock_role role)
{
    struct clock_known *clock = memory_add(shown->run.file.clocks, shown->run.file.clock_count);
    *clock = (struct clock_known){.name = memory_copy(name),
                                  .way = memory_copy(way),
                                  .hardware = memory_copy("tsc"),
                                  .claim = memory_copy(""),
                                  .note = memory_copy(""),
                                  .hz = 1000000000,
                                  .role = role};
    return (uint32_t)shown->run.file.clock_count - 1;
}

/* --- the report --- */

/* Once all clocks are there: a part of the report for each, of which nothing is known. */
static inline void shown_judge(struct shown *shown)
{
    struct clocks_report *report = &shown->run.report;
    size_t count = shown->run.file.clock_count;
    report->scales = memory_new(count, sizeof(*report->scales));
    report->costs = memory_new(count, sizeof(*report->costs));
    report->granularities = memory_new(count, sizeof(*report->granularities));
    report->monotonic = memory_new(count, sizeof(*report->monotonic));
    report->offsets = memory_new(count, sizeof(*report->offsets));
    report->rates = memory_new(count, sizeof(*report->rates));
    report->same = memory_new(count, sizeof(*report->same));
    report->verdicts = memory_new(count, sizeof(*report->verdicts));
    for (size_t i = 0; i < count; i++)
        report->verdicts[i] = (struct clock_verdict){.trust = TRUST_NOT_FALSIFIABLE,
                                                     .worst_row = -1,
                                                     .worst_ratio = NAN,
                                                     .shortest_us = NAN};
    report->reference = (struct clocks_reference){.clock = -1, .outside = -1, .rtc = -1};
    report->looks = 41203;
    report->intervals = 612;
    report->disturbances = (struct clocks_disturbances){.stolen_ns = 0,
                                                        .watched_ns = 97e9,
                                                        .intervals = 612,
                                                        .preempted = 3,
                                                        .overslept_median_ns = 58e3,
                                                        .overslept_max_ns = 3.1e6,
                                                        .awake_median_ns = NAN,
                                                        .awake_max_ns = NAN};
}

/* What any clock that goes well is like: its costs, steps, pairs and rate. */
static inline void shown_measure(struct shown *shown, uint32_t clock, double ticks, double ns,
                                 double resolution)
{
    struct clocks_report *report = &shown->run.report;
    report->scales[clock] = (struct clock_scale){.known = true, .ns_per_tick = 1, .claimed = true};
    report->costs[clock] = (struct clock_cost){
        .known = true, .ticks = ticks, .low = ticks - 1, .high = ticks + 1, .ns = ns, .blocks = 40};
    report->granularities[clock] = (struct clock_granularity){.known = true,
                                                              .step_ticks = 1,
                                                              .usual_ticks = resolution,
                                                              .quantum_ticks = resolution,
                                                              .resolution_ns = resolution,
                                                              .steps = 500};
    report->monotonic[clock] = (struct clock_monotonic){
        .known = true, .readings = 160000, .cross_known = true, .pairs = 1, .trips = 2000};
    report->offsets[clock] = (struct clock_offsets){
        .known = true, .pairs = 1, .largest_bound = 62, .offset = 3, .bound = 62, .partner = 1};
    report->rates[clock][0] = (struct clock_rate){.known = true,
                                                  .against = 3,
                                                  .ppm = 0.31,
                                                  .low = 0.1,
                                                  .high = 0.5,
                                                  .against_claim = true,
                                                  .tells = true,
                                                  .span_s = 97};
}

static inline struct clock_row *shown_row(struct shown *shown, uint32_t clock, const char *workload,
                                          uint32_t threads, double worst)
{
    struct clocks_report *report = &shown->run.report;
    SHOWN_ADD(report->rows, report->row_count,
              {.clock = clock,
               .reference = 3,
               .workload = workload,
               .threads = threads,
               .requested_us = 20000,
               .runs = 20,
               .ratio_median = (1 + worst) / 2,
               .ratio_min = fmin(worst, 1),
               .ratio_max = fmax(worst, 1),
               .naive_median = (1 + worst) / 2,
               .naive_min = fmin(worst, 1) - 0.001,
               .naive_max = fmax(worst, 1),
               .max_error_ns = 2e7 * fabs(worst - 1),
               .bound_ns = 900,
               .beyond_ns = 2e7 * fabs(worst - 1) - 900,
               .scatter = 1e-6,
               .median_ns = 20058000});
    return &report->rows[report->row_count - 1];
}

static inline void shown_verdict(struct shown *shown, uint32_t clock, enum clock_trust trust,
                                 enum clock_fault fault, const char *why)
{
    struct clock_verdict *verdict = &shown->run.report.verdicts[clock];
    verdict->trust = trust;
    verdict->fault = fault;
    verdict->faults = fault ? 1u << fault : 0;
    verdict->shortest_us = 3;
    snprintf(verdict->why, sizeof(verdict->why), "%s", why);
    for (size_t i = 0; i < shown->run.report.row_count; i++) {
        const struct clock_row *row = &shown->run.report.rows[i];
        double worst =
            fabs(row->ratio_min - 1) > fabs(row->ratio_max - 1) ? row->ratio_min : row->ratio_max;
        if (row->clock != clock ||
            (verdict->worst_row >= 0 && fabs(verdict->worst_ratio - 1) >= fabs(worst - 1)))
            continue;
        verdict->worst_row = (int32_t)i;
        verdict->worst_ratio = worst;
    }
}

/* --- whole reports --- */

enum {
    SHOWN_TSC,
    SHOWN_RDTSCP,
    SHOWN_MONOTONIC,
    SHOWN_RAW,
    SHOWN_COARSE,
    SHOWN_THREAD,
    SHOWN_TASK
};

static inline void shown_add_findings(struct shown *shown)
{
    static const char *const ids[] = {"K1", "K2", "K3", "K4"};
    for (size_t i = 0; i < CLOCKS_FINDINGS; i++)
        shown->run.report.findings[i] =
            (struct finding){.id = ids[i],
                             .claim = "counter and proven clock agree",
                             .paper = "fidelity",
                             .verdict = i == 1 ? FINDING_FAILS : FINDING_HOLDS,
                             .has_estimate = true,
                             .estimate = 0.2,
                             .low = 0.1,
                             .high = 0.3,
                             .detectable = 0.1,
                             .unit = "ppm"};
}

static inline void shown_add_points(struct shown *shown, uint32_t clock, double ratio)
{
    struct clocks_report *report = &shown->run.report;
    for (size_t i = 0; i < 15; i++) {
        double asked = 20 + 10 * (double)i;
        SHOWN_ADD(report->points, report->point_count, {clock, asked, ratio * asked, asked});
    }
}

/* A virtual machine with nothing independent: what a reader usually sees. */
static inline void shown_build_rich(struct shown *shown)
{
    static const struct {
        const char *name, *way;
        enum clock_role role;
        double ticks, ns, resolution, sleep, compute;
    } clocks[] = {
        [SHOWN_TSC] = {"tsc", "instruction", ROLE_WALL, 25, 9.6, 10, 1.000002, 1.000001},
        [SHOWN_RDTSCP] = {"rdtscp", "instruction", ROLE_WALL, 46, 17.7, 10, 1.000002, 1.000001},
        [SHOWN_MONOTONIC] = {"monotonic", "vdso", ROLE_WALL, 58, 22.3, 10, 1.000001, 0.999999},
        [SHOWN_RAW] = {"monotonic-raw", "vdso", ROLE_WALL, 57, 22, 10, 1, 1},
        [SHOWN_COARSE] = {"monotonic-coarse", "vdso", ROLE_WALL, 14, 5.4, 4e6, 0.8, 1.2},
        [SHOWN_THREAD] = {"thread-cputime", "syscall", ROLE_CPU_TIME, 1374, 528, 1, 0.0012, 0.9998},
        [SHOWN_TASK] = {"task-clock", "read", ROLE_CPU_TIME, 1014, 390, 1, 0.0009, 0.9997},
    };
    struct clocks_report *report = &shown->run.report;
    const size_t count = sizeof(clocks) / sizeof(*clocks);
    shown_start(shown);
    for (size_t i = 0; i < count; i++)
        shown_clock(shown, clocks[i].name, clocks[i].way, clocks[i].role);
    shown_clock(shown, "cpu", "syscall", ROLE_PLACE);
    shown->run.file.clocks[SHOWN_TSC].hz = 2595000000;
    shown->run.file.cpus = 2;
    shown->run.file.clocksource = memory_copy("tsc");
    shown->run.file.available = memory_copy("tsc acpi_pm");
    shown->run.file.flags = memory_copy("constant_tsc nonstop_tsc");
    shown->run.file.machine = memory_copy("CPU one (x86_64)");
    shown_judge(shown);
    report->reference.clock = SHOWN_RAW;
    snprintf(report->reference.why, sizeof(report->reference.why),
             "monotonic-raw, which is made of the tsc: a clock of another make could falsify it");
    for (uint32_t i = 0; i < count; i++) {
        shown_measure(shown, i, clocks[i].ticks, clocks[i].ns, clocks[i].resolution);
        shown_row(shown, i, "sleep", 1, clocks[i].sleep);
        shown_row(shown, i, "compute", 1, clocks[i].compute);
        shown_row(shown, i, "compute", 2, clocks[i].compute);
        shown_row(shown, i, "compute", 1, clocks[i].compute)->moves = 4;
        shown_verdict(shown, i, TRUST_NOT_FALSIFIABLE, FAULT_NONE, "nothing was wrong");
        shown_add_points(shown, i, clocks[i].sleep);
    }
    shown_verdict(shown, SHOWN_COARSE, TRUST_NOT_DEPENDABLE, FAULT_COARSE_STEPS,
                  "it moves in steps of 4 ms, so 20 ms come out between 16 and 24; at worst 0.8");
    shown_verdict(shown, SHOWN_THREAD, TRUST_CPU_TIME_ONLY, FAULT_NONE,
                  "right over computation, 0.0012 over sleep");
    shown_verdict(shown, SHOWN_TASK, TRUST_CPU_TIME_ONLY, FAULT_NONE,
                  "right over computation, 0.0009 over sleep");
    report->same[SHOWN_RAW] = (struct clock_same){.known = true,
                                                  .with = SHOWN_TSC,
                                                  .same = true,
                                                  .parted_ns = 31,
                                                  .bound_ns = 740,
                                                  .span_s = 97,
                                                  .ppb = 0.32};
    SHOWN_ADD(report->pairs, report->pair_count,
              {.clock = SHOWN_TSC,
               .cpu = 0,
               .partner = 1,
               .trips = 2000,
               .low = -59,
               .high = 65,
               .offset = 3,
               .bound = 62});
    snprintf(report->disturbances.idle, sizeof(report->disturbances.idle),
             "Idle states change no clock.");
    SHOWN_ADD(
        report->advice, report->advice_count,
        {.clock = SHOWN_TSC, .use = USE_SHORT, .text = "Short regions: tsc, 9.6 ns a reading."});
    shown_add_findings(shown);
    skips_add(&shown->run.studying.skips, "ptp", "there is no /dev/ptp0", 2);
}

/* Every number that may be missing is, or is none. */
static inline void shown_build_unknown(struct shown *shown)
{
    struct clocks_report *report = &shown->run.report;
    shown_build_rich(shown);
    report->costs[0].ticks = report->costs[0].low = report->costs[0].high = NAN;
    report->granularities[0].resolution_ns = INFINITY;
    report->granularities[1].known = report->costs[1].known = report->monotonic[1].known = false;
    report->monotonic[1].cross_known = report->offsets[1].known = report->scales[1].known = false;
    report->offsets[0].offset = report->offsets[0].worst = -INFINITY;
    report->rates[0][0].ppm = report->rates[0][0].low = NAN;
    report->rates[1][0].known = false;
    report->same[SHOWN_RAW].ppb = report->same[SHOWN_RAW].parted_ns = INFINITY;
    report->rows[0].ratio_max = report->rows[0].naive_max = INFINITY;
    report->rows[0].scatter = NAN;
    report->rows[1].runs = 0;
    report->verdicts[0].worst_ratio = report->verdicts[0].shortest_us = NAN;
    report->verdicts[1].worst_row = 1000000;
    report->pairs[0].low = 5; /* above the high end: it is not constant */
    report->pairs[0].high = -5;
    report->points[0].measured_ms = NAN;
    report->disturbances.stolen_ns = report->disturbances.overslept_median_ns = NAN;
    report->disturbances.suspended_ns = report->disturbances.overslept_max_ns = INFINITY;
    report->reference.clock = -1;
    report->rows[2].reference = report->rates[2][0].against = UINT32_MAX;
}

/* No clock could be read. */
static inline void shown_build_absent(struct shown *shown)
{
    static const char *const lacking[] = {"tsc", "rdtscp", "monotonic"};
    shown_start(shown);
    for (size_t i = 0; i < 3; i++) {
        struct clock_absence *absence =
            memory_add(shown->run.file.absences, shown->run.file.absence_count);
        absence->what = memory_copy(lacking[i]);
        absence->reason = memory_copy("reading the timestamp counter is forbidden here");
    }
    shown->run.studying.stored = NULL;
}

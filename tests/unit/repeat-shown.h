/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports on repetition as a judge could have made them, planted figure by figure, for tests of
 * what is shown of them. Memory that runs out ends the test. */
#pragma once

#include "repeat-builder.h"
#include "shown-list.h"
#include "studies/repeat/parts.h"

struct shown {
    struct repeat_options options;
    struct repeating run;
    struct facts facts;
    struct repeat_builder builder;
    struct text text;
};

static inline void shown_start(struct shown *shown)
{
    memset(shown, 0, sizeof(*shown));
    shown->run.studying = (struct studying){.options = &shown->options.study,
                                            .given = &shown->options.study,
                                            .seed = 5,
                                            .facts = &shown->facts,
                                            .complete = true,
                                            .seconds = 97.3,
                                            .stored = "/somewhere/run.sqlite"};
    repeat_build_start(&shown->builder, 7);
    if (facts_set(&shown->facts, "isa", "x86_64", 0) != 0)
        abort();
}

/* What the builder has becomes the run's; the builder keeps what it owns. */
static inline void shown_put(struct shown *shown, size_t width)
{
    const struct style style = {.width = width};
    shown->run.file = shown->builder.file;
    text_clear(&shown->text);
    repeat_put_report(&shown->run, &style, &shown->text);
    if (shown->text.failed)
        abort();
}

static inline void shown_end(struct shown *shown)
{
    repeat_build_end(&shown->builder);
    facts_free(&shown->facts);
    text_free(&shown->text);
}

/* --- rows and effects --- */

/* A cell with these counts, and its row; the index of the row. */
static inline size_t shown_row(struct shown *shown, const struct repeat_way *way,
                               const uint64_t *counts, size_t runs)
{
    struct repeat_report *report = &shown->run.report;
    const size_t cell = repeat_build_cell(&shown->builder, way);
    uint64_t low = UINT64_MAX, high = 0;
    double sum = 0, squares = 0;
    size_t distinct = 0;
    for (size_t i = 0; i < runs; i++) {
        uint64_t values[REPEAT_BUILT_EVENTS + 1];
        bool seen = false;
        for (size_t j = 0; j <= REPEAT_BUILT_EVENTS; j++)
            values[j] = counts[i];
        for (size_t j = 0; j < i; j++)
            seen |= counts[j] == counts[i];
        distinct += !seen;
        repeat_build_run(&shown->builder, cell, values);
        low = counts[i] < low ? counts[i] : low;
        high = counts[i] > high ? counts[i] : high;
        sum += (double)counts[i];
    }
    const double mean = sum / (double)runs;
    for (size_t i = 0; i < runs; i++)
        squares += ((double)counts[i] - mean) * ((double)counts[i] - mean);
    const size_t middle = runs / 2;
    const double stdev = runs > 1 ? sqrt(squares / (double)(runs - 1)) : NAN;
    SHOWN_ADD(report->rows, report->row_count,
              {.cell = cell,
               .runs = runs,
               .min = low,
               .max = high,
               .mean = mean,
               .stdev = stdev,
               .cv_percent = 100 * stdev / mean,
               .distinct = distinct,
               .usual = (double)counts[middle]});
    return report->row_count - 1;
}

static inline struct repeat_effect *shown_effect(struct shown *shown, size_t as_is,
                                                 size_t controlled, const char *who)
{
    struct repeat_report *report = &shown->run.report;
    SHOWN_ADD(report->effects, report->effect_count,
              {.as_is = as_is,
               .controlled = controlled,
               .ratio = INFINITY,
               .ratio_low = 40,
               .ratio_high = INFINITY});
    struct repeat_effect *effect = &report->effects[report->effect_count - 1];
    snprintf(effect->who, sizeof(effect->who), "%s", who);
    for (int i = 0; i < CONTROL_COUNT; i++)
        effect->parts[i] = (struct control_part){.control = (enum control)i,
                                                 .only_cv = 0.83,
                                                 .only_part = 0.01,
                                                 .only_low = -0.2,
                                                 .only_high = 0.2,
                                                 .without_cv = 0,
                                                 .without_low = 0,
                                                 .without_high = 0};
    return effect;
}

static inline void shown_add_findings(struct shown *shown)
{
    static const char *const ids[] = {"M1", "M2", "M3", "M4",  "M5", "M6",
                                      "M7", "M8", "M9", "M10", "M11"};
    for (size_t i = 0; i < REPEAT_FINDINGS; i++)
        shown->run.report.findings[i] =
            (struct finding){.id = ids[i],
                             .claim = "counts change",
                             .paper = "weaver-mckee-trust",
                             .verdict = i == 1 ? FINDING_FAILS : FINDING_HOLDS,
                             .has_estimate = true,
                             .estimate = 0.2,
                             .low = 0.1,
                             .high = 0.3,
                             .detectable = 0.1,
                             .unit = "%"};
}

static const uint64_t shown_varied[12] = {1320411, 1309000, 1331004, 1318002, 1329800, 1318002,
                                          1301211, 1318002, 1322000, 1327112, 1311400, 1318002};
static const uint64_t shown_same[12] = {1318002, 1318002, 1318002, 1318002, 1318002, 1318002,
                                        1318002, 1318002, 1318002, 1318002, 1318002, 1318002};

/* As-is and controlled by this source, with the sentence. */
static inline struct repeat_effect *shown_source(struct shown *shown, size_t program,
                                                 const char *source, const char *who)
{
    const struct repeat_way as_is = {.program = program, .source = source};
    const struct repeat_way controlled = {
        .program = program, .source = source, .controls = CONTROLS_ALL};
    const size_t before = shown_row(shown, &as_is, shown_varied, 12);
    const size_t after = shown_row(shown, &controlled, shown_same, 12);
    return shown_effect(shown, before, after, who);
}

static inline void shown_add_sweep(struct shown *shown)
{
    struct repeat_report *report = &shown->run.report;
    for (uint64_t bytes = 0; bytes < 4096; bytes += 512) {
        const struct repeat_way way = {
            .source = "step", .controls = CONTROLS_ALL, .sweep = SWEEP_ENVIRONMENT, .swept = bytes};
        const uint64_t counts[] = {1318002 + bytes, 1318002 + bytes};
        shown_row(shown, &way, counts, 2);
    }
    SHOWN_ADD(report->sweeps, report->sweep_count,
              {.source = "step",
               .event = "step/instructions/",
               .sweep = SWEEP_ENVIRONMENT,
               .points = 8,
               .last = 3584,
               .lowest = 1318002,
               .highest = 1321586,
               .levels = 8,
               .slope = 1,
               .slope_low = 0.9,
               .slope_high = 1.1,
               .matters = true,
               .what = "one instruction more for each byte"});
}

/* A program of a person's, counted by three sources: what a reader usually sees. */
static inline void shown_build_rich(struct shown *shown)
{
    struct repeat_report *report = &shown->run.report;
    shown_start(shown);
    repeat_build_machine(&shown->builder, "CPU one (x86_64)", "0123456789abcdef");
    repeat_build_program(&shown->builder, "perl", "perl hash.pl");
    repeat_build_subject(&shown->builder, "loop", 1000, "M8", 3004, 64);
    struct repeat_effect *effect =
        shown_source(shown, 0, "step", "hash-seeds and aslr did it, both are needed");
    effect->parts[CONTROL_ASLR].is_needed = effect->parts[CONTROL_HASH_SEEDS].brings = true;
    effect->parts[CONTROL_HASH_SEEDS].only_part = 0.84;
    effect->parts[CONTROL_ENVIRONMENT].only_shifts = true;
    effect->parts[CONTROL_ENVIRONMENT].only_shift = -312;
    effect->parts[CONTROL_LAYOUT].only_cv = effect->parts[CONTROL_LAYOUT].without_cv = NAN;
    shown_source(shown, 0, "qemu", "hash-seeds did it");
    shown_source(shown, 1, "step", "nothing of the subject's own is first");
    shown_add_sweep(shown);
    SHOWN_ADD(report->seen, report->seen_count,
              {.cause = PARTING_RANDOM,
               .parted = true,
               .times = 1,
               .evidence = "getrandom gave other bytes at call 12 of 340"});
    SHOWN_ADD(report->seen, report->seen_count,
              {.cause = PARTING_TIME, .times = 3, .evidence = "clock_gettime is asked 3 times"});
    SHOWN_ADD(report->alignments, report->alignment_count,
              {.source = "qemu",
               .against = "step",
               .raw = 1319002,
               .repetitions = 1000,
               .aligned = 1318002,
               .reference = 1318314,
               .difference = -312,
               .reasons = {{"cpuid", -300, "strlen (libc.so.6) -300"}},
               .reason_count = 1,
               .unexplained = -12});
    SHOWN_ADD(report->contributions, report->contribution_count,
              {.event = "instructions:u",
               .of = "page-fault",
               .firm = true,
               .known = true,
               .each = 1,
               .low = 0.98,
               .high = 1.02,
               .runs = 96,
               .programs = 3,
               .residual = 0.4});
    SHOWN_ADD(report->contributions, report->contribution_count,
              {.event = "instructions:u", .of = "interrupt", .why = "too few were seen"});
    SHOWN_ADD(report->ranks, report->rank_count,
              {.class = "instructions",
               .event = "instructions:u",
               .place = 1,
               .off_percent = 0.0003,
               .stdev_percent = 0.0001,
               .programs = 4});
    report->executions = 72;
    shown_add_findings(shown);
    skips_add(&shown->run.studying.skips, "instructions:u", "there is no hardware PMU", 2);
}

/* Several programs, as a suite has them. */
static inline void shown_build_suite(struct shown *shown)
{
    static const char *const names[] = {"perl", "gzip", "a-program-of-a-rather-long-name"};
    shown_start(shown);
    repeat_build_machine(&shown->builder, "CPU one (x86_64)", "0123456789abcdef");
    for (size_t i = 0; i < 3; i++) {
        repeat_build_program(&shown->builder, names[i], names[i]);
        shown_source(shown, i, "step", "hash-seeds did it; nothing else matters");
    }
    shown->run.report.executions = 72;
    shown_add_findings(shown);
}

/* Every number that may be missing is, or is none. */
static inline void shown_build_unknown(struct shown *shown)
{
    struct repeat_report *report = &shown->run.report;
    shown_build_rich(shown);
    report->rows[0].mean = report->rows[0].stdev = report->rows[0].cv_percent = NAN;
    report->rows[1].runs = report->rows[1].distinct = 0;
    report->rows[2].is_adjusted = true;
    report->rows[2].adjusted_mean = report->rows[2].adjusted_cv_percent = NAN;
    report->rows[2].residual = report->rows[2].residual_low = INFINITY;
    report->rows[3].cell = 1000000;
    report->rows[4].event = 77;
    report->effects[0].ratio = report->effects[0].ratio_low = NAN;
    report->effects[1].as_is = report->effects[1].controlled = SIZE_MAX;
    report->effects[0].parts[CONTROL_ASLR].only_part = NAN;
    report->effects[0].parts[CONTROL_ASLR].without_part = -INFINITY;
    report->sweeps[0].slope = report->sweeps[0].within = NAN;
    report->sweeps[0].lowest = INFINITY;
    report->alignments[0].raw = report->alignments[0].repetitions = NAN;
    report->alignments[0].unexplained = NAN;
    report->contributions[0].residual = report->contributions[0].low = NAN;
    report->ranks[0].off_percent = NAN;
    report->seen[0].program = report->seen[0].machine = 1000;
    report->alignments[0].machine = report->sweeps[0].machine = 1000;
    shown->run.status = -1;
}

/* Nothing could be counted. */
static inline void shown_build_absent(struct shown *shown)
{
    static const char *const lacking[] = {"step", "qemu", "valgrind"};
    shown_start(shown);
    for (size_t i = 0; i < 3; i++)
        repeat_build_absence(&shown->builder, lacking[i], "ptrace is forbidden here", 1);
    shown->run.studying.stored = NULL;
    shown->run.status = -1;
}

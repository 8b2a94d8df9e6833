/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings from runs to verdicts, through all parts of the judge: a machine that is as the paper
 * says, one that is the opposite of it, and one without counters of the CPU. */
#include <stdio.h>

#include "case.h"
#include "error-builder.h"
#include "studies/error/study.h"

static const char *const paths[] = {"perf-read", "perf-syscall", "perf-user",
                                    "papi-low",  "papi-high",    NULL};
static const char *const events[] = {"instructions:u", "instructions:uk", NULL};
static const char *const levels[] = {"O0", "O1", "O2", "O3", NULL};
static const char *const links[] = {"static", "lazy", NULL};
static const uint32_t numbers[] = {1, 2, 4, 0};

static size_t index_of(const char *name, const char *const *list)
{
    size_t index = 0;
    while (list[index] && strcmp(list[index], name) != 0)
        index++;
    return index;
}

/* The null error as the paper has it: dearer interfaces, a system call that costs in user+kernel
 * mode, more for each counter there, and a best pattern that depends on the path. */
static double like_the_paper(const struct error_cell *cell, void *context)
{
    (void)context;
    static const double by_path[] = {37, 30, 90, 134, 3000};
    static const double by_pattern[2][PATTERN_COUNT] = {{300, 400, 0, 100}, {0, 200, 300, 400}};
    size_t path = index_of(cell->path, paths);
    bool both = cell->mode == COUNT_BOTH, calls = path != 2;
    double error = by_path[path] + by_pattern[path == 3][cell->pattern];
    if (both && calls)
        error += 1500 + 112.0 * cell->counters * (cell->pattern == PATTERN_RR);
    return error + (strcmp(cell->opt, "O0") == 0);
}

/* The opposite: all ways add about the same, but for the optimisation level. */
static double unlike_the_paper(const struct error_cell *cell, void *context)
{
    (void)context;
    static const double by_path[] = {100, 100, 100, 90, 80};
    return by_path[index_of(cell->path, paths)] + (cell->mode == COUNT_BOTH ? 50 : 0) +
           80 * (strcmp(cell->opt, "O0") == 0);
}

/* Over a loop of N iterations: kernel-only and user+kernel errors. context: the slope. */
static double with_duration(const struct error_cell *cell, void *context)
{
    return *(const double *)context * (double)cell->n;
}

static void build_loops(struct error_builder *builder, const char *event, double slope)
{
    static const uint64_t sizes[] = {1, 1000, 100000, 1000000};
    static const char *const through[] = {"perf-read", "papi-low"};
    for (size_t path = 0; path < 2; path++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            BUILD(builder, .part = PART_DURATION, .event = event, .path = through[path],
                  .specimen = "loop", .n = sizes[i], .has_truth = true,
                  .truth = 1 + 3 * (int64_t)sizes[i], .error = 500, .effect = with_duration,
                  .context = &slope, .run_noise = slope > 0 ? 5 : 0, .times = true);
}

/* Ticks of a loop by its place; factor: between the halves of a line. */
static double by_place(const struct error_cell *cell, void *context)
{
    return (double)cell->n * (cell->offset >= 32 ? *(const double *)context : 1);
}

static void build_places(struct error_builder *builder, double factor)
{
    for (int64_t offset = 0; offset < 64; offset += 2)
        BUILD(builder, .part = PART_PLACEMENT, .event = "clock/ticks/", .kind = "source",
              .class = "ticks", .path = "clock", .specimen = "placed", .placed = true,
              .offset = offset, .n = 100000, .effect = by_place, .context = &factor,
              .run_noise = 100, .times = true);
}

static void build_null(struct error_builder *builder, error_effect_of *effect, bool stepped)
{
    struct error_way way = {.effect = effect, .run_noise = stepped ? 0 : 1};
    struct error_crossing crossing = {.events = events,
                                      .paths = paths,
                                      .opts = levels,
                                      .links = links,
                                      .counters = numbers,
                                      .patterns = ERROR_ALL_PATTERNS};
    if (stepped) {
        way.part = PART_STEPPED;
        way.processes = way.runs = 2;
        crossing.events = NULL;
    }
    build_error_crossing(builder, &crossing, &way);
}

static struct error_report judge(struct error_builder *builder)
{
    struct error_report report;
    report = error_judge(&builder->file, 1);
    return report;
}

static void assert_verdicts(const struct error_report *report,
                            const enum finding_verdict verdicts[ERROR_FINDINGS])
{
    for (size_t i = 0; i < ERROR_FINDINGS; i++) {
        const struct finding *finding = &report->findings[i];
        if (finding->verdict != verdicts[i])
            fail_msg("%s: \"%s\" instead of \"%s\": %s", finding->id,
                     finding_verdict_names[finding->verdict], finding_verdict_names[verdicts[i]],
                     reasons_text(&finding->why));
        if (finding->has_estimate)
            assert_true(finding->low <= finding->estimate && finding->estimate <= finding->high);
    }
}

TEST(a_machine_like_the_papers)
{
    BUILDER(builder, 1);
    build_null(&builder, like_the_paper, false);
    build_loops(&builder, "instructions:uk", 0.002);
    build_loops(&builder, "instructions:u", 0);
    build_loops(&builder, "instructions:k", 0.002);
    build_places(&builder, 2);
    struct error_report report = judge(&builder);
    static const enum finding_verdict all_hold[ERROR_FINDINGS] = {FINDING_HOLDS};
    assert_verdicts(&report, all_hold);
    assert_float_equal(report.findings[2].estimate, 112, 2);
    assert_float_equal(report.findings[6].estimate, 0.002, 1e-4);
    assert_float_equal(report.findings[9].estimate, 2, 0.1);
    assert_true(report.advice_count >= 2);
    const struct reason *advice = &report.advice[0].why.list[0];
    assert_ptr_equal(advice->words, &error_words[ADVICE_SUBTRACT]);
    assert_string_equal(advice->values[1].text, "perf-syscall");
    assert_int_equal(advice->values[3].count, 30);
}

TEST(a_machine_opposite_to_the_papers)
{
    BUILDER(builder, 1);
    build_null(&builder, unlike_the_paper, false);
    build_loops(&builder, "instructions:uk", 0);
    build_loops(&builder, "instructions:u", 0.002);
    build_loops(&builder, "instructions:k", 0);
    build_places(&builder, 1);
    struct error_report report = judge(&builder);
    static const enum finding_verdict none[ERROR_FINDINGS] = {
        FINDING_FAILS, FINDING_FAILS, FINDING_FAILS, FINDING_FAILS, FINDING_FAILS,
        FINDING_FAILS, FINDING_FAILS, FINDING_FAILS, FINDING_FAILS, FINDING_FAILS};
    assert_verdicts(&report, none);
}

TEST(a_machine_without_counters)
{
    BUILDER(builder, 1);
    build_error_absence(&builder, "instructions:u", 2, "this CPU has no counters");
    build_null(&builder, like_the_paper, true);
    struct error_report report = judge(&builder);
    static const enum finding_verdict some[ERROR_FINDINGS] = {
        FINDING_HOLDS,      FINDING_UNTESTABLE, FINDING_HOLDS,      FINDING_HOLDS,
        FINDING_HOLDS,      FINDING_HOLDS,      FINDING_UNTESTABLE, FINDING_UNTESTABLE,
        FINDING_UNTESTABLE, FINDING_UNTESTABLE};
    assert_verdicts(&report, some);
    assert_true(report.findings[2].partly);
    assert_int_equal(report.advice_count, 1);
}

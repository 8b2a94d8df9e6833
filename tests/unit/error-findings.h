/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reports on measurement error made by hand for tests of findings and advice: cells with planted
 * errors become rows, everything else that other parts of the judge would find is written down. */
#pragma once

#include "error-judging.h"

#define HAND_MOST 24

struct hand {
    struct error_builder builder;
    struct error_report report;
    struct error_best best[HAND_MOST];
    struct error_by_counters by_counters[HAND_MOST];
    struct error_effect effects[HAND_MOST];
    struct error_anova anovas[HAND_MOST];
    struct error_slope slopes[HAND_MOST];
    struct error_placement placements[HAND_MOST];
};

static inline void hand_start(struct hand *hand)
{
    *hand = (struct hand){0};
    error_builder_start(&hand->builder, 1);
    hand->report.best = hand->best;
    hand->report.by_counters = hand->by_counters;
    hand->report.effects = hand->effects;
    hand->report.anovas = hand->anovas;
    hand->report.slopes = hand->slopes;
    hand->report.placements = hand->placements;
}

#define HAND(name)                                                                                 \
    struct hand name;                                                                              \
    hand_start(&(name))

/* A null cell that errs by so much in every run. */
static inline void hand_null(struct hand *hand, const char *event, const char *path,
                             enum pattern pattern, double error)
{
    BUILD(&hand->builder, .event = event, .path = path, .pattern = pattern, .error = error);
}

/* The same, stepped. */
static inline void hand_stepped(struct hand *hand, const char *path, enum pattern pattern,
                                double error)
{
    BUILD(&hand->builder, .part = PART_STEPPED, .path = path, .pattern = pattern, .error = error,
          .processes = 2, .runs = 2);
}

static inline void hand_pmu_absent(struct hand *hand)
{
    build_error_absence(&hand->builder, "instructions:u", 2,
                        "this CPU has no counters. Ask the host for a virtual PMU.");
    build_error_absence(&hand->builder, "instructions:uk", 2,
                        "this CPU has no counters. Ask the host for a virtual PMU.");
}

static inline const struct finding *hand_find(struct hand *hand, const char *id)
{
    hand->report.rows = NULL;
    hand->report.measurements = hand->report.cells_measured = hand->report.least_processes = 0;
    error_judge_rows(&hand->builder.file, &hand->report);
    error_judge_findings(&hand->builder.file, &hand->report);
    for (size_t i = 0; i < ERROR_FINDINGS; i++)
        if (strcmp(hand->report.findings[i].id, id) == 0)
            return &hand->report.findings[i];
    fail_msg("there is no finding %s", id);
    return NULL;
}

/* ANYTHING: whatever it says. */
#define ANYTHING ERROR_SAYS

/* The finding has this verdict and says this. */
static inline const struct finding *assert_finding(struct hand *hand, const char *id,
                                                   enum finding_verdict verdict,
                                                   enum error_says code)
{
    const struct finding *finding = hand_find(hand, id);
    if (finding->verdict != verdict)
        fail_msg("%s: \"%s\" instead of \"%s\": %s", id, finding_verdict_names[finding->verdict],
                 finding_verdict_names[verdict], reasons_text(&finding->why));
    if (code != ANYTHING && !says(&finding->why, code))
        fail_msg("%s does not say %s: %s", id, error_words[code].code, reasons_text(&finding->why));
    assert_true(finding->why.count && finding->figure[0] && finding->unit[0]);
    assert_string_equal(finding->paper, "zaparanuks-accuracy");
    if (verdict == FINDING_UNTESTABLE)
        assert_false(finding->has_estimate);
    if (finding->has_estimate) {
        assert_true(finding->low <= finding->estimate && finding->estimate <= finding->high);
        assert_true(isfinite(finding->detectable) && finding->detectable >= 0);
    }
    return finding;
}

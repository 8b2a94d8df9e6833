/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z7, Z8 and Z9: how the error of instructions grows with the iterations of a loop in user code, in
 * user+kernel mode, in user mode, and of the operating system's own instructions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"

/* A hundredth of the paper's slope in user+kernel mode, and 25 times that in user mode: less for
 * each iteration is no growth. */
#define NO_GROWTH 1e-5
/* Slopes of two paths that certainly differ more than this are not the same. */
#define SAME_PATHS 2.0
/* The same of kernel-only counts and those in user+kernel mode. */
#define SAME_MODES 1.25

static bool concerns(const struct claim_facts *facts, const struct error_slope *slope,
                     enum count_mode mode)
{
    const char *class = event_class(facts->file, slope->event);
    return slope->machine == facts->machine && slope->mode == mode && slope->points > 1 && class &&
           strcmp(class, "instructions") == 0 && !event_is_source(facts->file, slope->event);
}

static const struct error_slope *next_slope(const struct claim_facts *facts, enum count_mode mode,
                                            const struct error_slope *slope)
{
    const struct error_report *report = facts->report;
    size_t index = slope ? (size_t)(slope - report->slopes) + 1 : 0;
    for (; index < report->slope_count; index++)
        if (concerns(facts, &report->slopes[index], mode))
            return &report->slopes[index];
    return NULL;
}

/* The slopes of all paths as one. */
struct common {
    size_t slopes;
    double value, low, high;
    const struct error_slope *least, *most; /* by their certain sides */
};

static struct common common_of(const struct claim_facts *facts, enum count_mode mode)
{
    struct common common = {0};
    double weights = 0, sum = 0;
    for (const struct error_slope *slope = NULL; (slope = next_slope(facts, mode, slope));) {
        /* Slopes without spread are sure to some digits only. */
        double half = fmax((slope->high - slope->low) / 2, 1e-12);
        double weight = isfinite(half) ? 1 / (half * half) : 0;
        common.slopes++;
        weights += weight;
        sum += weight > 0 ? weight * slope->slope : 0;
        if (!common.least || slope->high < common.least->high)
            common.least = slope;
        if (!common.most || slope->low > common.most->low)
            common.most = slope;
    }
    double half = weights > 0 ? 1 / sqrt(weights) : HUGE_VAL;
    common.value = weights > 0 ? sum / weights : 0;
    common.low = common.value - half;
    common.high = common.value + half;
    return common;
}

static enum finding_verdict grows(double low, double high)
{
    if (high < NO_GROWTH)
        return FINDING_FAILS;
    return low > 0 ? FINDING_HOLDS : FINDING_INCONCLUSIVE;
}

static struct estimate growth(const struct common *common)
{
    struct estimate estimate = estimate_within(common->value, common->low, common->high, NO_GROWTH);
    estimate.verdict = grows(common->low, common->high);
    return estimate;
}

static void put_slope(const struct error_slope *slope, char *words, size_t size)
{
    snprintf(words, size, "%.40s %.30s %s %.3g [%.3g, %.3g]", slope->event, slope->path,
             pattern_descriptions[slope->pattern], slope->slope, slope->low, slope->high);
}

static void tell_open(const struct estimate *estimate, struct finding *finding)
{
    if (estimate->verdict == FINDING_INCONCLUSIVE)
        finding_clause(finding, "its spread would hide a slope below %.2g", estimate->detectable);
}

static void tell_why_not(const struct claim_facts *facts, enum count_mode mode,
                         struct finding *finding)
{
    char why[NOTE_SIZE];
    why_no_instructions(facts->file, mode, why, sizeof(why));
    bool measured = false;
    for (size_t i = 0; i < facts->file->cell_count; i++) {
        const struct error_cell *cell = &facts->file->cells[i];
        measured = measured || (cell->mode == mode && cell->part == PART_NULL && cell->runs > 0 &&
                                cell->class && strcmp(cell->class, "instructions") == 0);
    }
    if (measured)
        snprintf(why, sizeof(why), "instructions:%s was not measured on loops of several lengths",
                 count_mode_names[mode]);
    finding_clause(finding, "%s", why);
}

static void tell_ticks(const struct error_ticks *ticks, struct finding *finding)
{
    if (ticks->known)
        finding_clause(finding, "interrupts explain %.3g: %.0f instructions each, which %s",
                       ticks->predicted, ticks->each, ticks->agrees ? "agrees" : "does not agree");
}

void rule_both_duration(const struct claim_facts *facts, struct finding *finding)
{
    struct common common = common_of(facts, COUNT_BOTH);
    if (!common.slopes) {
        tell_why_not(facts, COUNT_BOTH, finding);
        return;
    }
    struct estimate estimate = growth(&common);
    char least[160], most[160];
    put_slope(common.least, least, sizeof(least));
    put_slope(common.most, most, sizeof(most));
    bool differ = SAME_PATHS * fmax(common.least->high, 0) < common.most->low;
    if (differ)
        estimate.verdict = FINDING_FAILS;
    estimate_report(&estimate, finding);
    if (common.slopes == 1)
        finding_clause(finding, "%s decides; no other path was measured", least);
    else
        finding_clause(finding, "all %zu slopes taken together; %s: %s, %s", common.slopes,
                       differ ? "the path makes a difference" : "none differs surely from another",
                       least, most);
    tell_open(&estimate, finding);
    /* Which of several machines they belong to is not said. */
    if (facts->file->machine_count == 1)
        tell_ticks(&facts->report->ticks, finding);
}

void rule_user_duration(const struct claim_facts *facts, struct finding *finding)
{
    const struct error_slope *decides = NULL;
    struct estimate gravest = {.verdict = FINDING_UNTESTABLE};
    size_t slopes = 0;
    for (const struct error_slope *slope = NULL; (slope = next_slope(facts, COUNT_USER, slope));
         slopes++) {
        struct estimate each = estimate_within(slope->slope, slope->low, slope->high, NO_GROWTH);
        if (!decides || verdict_graver(each.verdict, gravest.verdict) ||
            (each.verdict == gravest.verdict &&
             fmax(fabs(each.low), fabs(each.high)) > fmax(fabs(gravest.low), fabs(gravest.high)))) {
            decides = slope;
            gravest = each;
        }
    }
    if (!decides) {
        tell_why_not(facts, COUNT_USER, finding);
        return;
    }
    char words[160], longest[FIGURE_SIZE];
    put_slope(decides, words, sizeof(words));
    estimate_report(&gravest, finding);
    finding_clause(finding, "%s decides, the furthest from 0 of %zu, up to %s iterations", words,
                   slopes, figure_of((double)decides->longest, longest));
    tell_open(&gravest, finding);
}

void rule_kernel_duration(const struct claim_facts *facts, struct finding *finding)
{
    struct common kernel = common_of(facts, COUNT_KERNEL), both = common_of(facts, COUNT_BOTH);
    if (!kernel.slopes) {
        tell_why_not(facts, COUNT_KERNEL, finding);
        return;
    }
    struct estimate estimate = growth(&kernel);
    bool differ = both.slopes > 0 && (SAME_MODES * fmax(kernel.high, 0) < both.low ||
                                      SAME_MODES * fmax(both.high, 0) < kernel.low);
    if (differ)
        estimate.verdict = FINDING_FAILS;
    estimate_report(&estimate, finding);
    char words[160];
    put_slope(kernel.most, words, sizeof(words));
    finding_clause(finding, "%zu slope%s of kernel-only counts, the steepest %s", kernel.slopes,
                   kernel.slopes == 1 ? "" : "s", words);
    if (both.slopes)
        finding_clause(finding, "user+kernel mode grows by %.3g [%.3g, %.3g], which %s", both.value,
                       both.low, both.high, differ ? "is another slope" : "agrees");
    else
        finding_clause(finding, "whether user+kernel mode grows alike is not tested");
    tell_open(&estimate, finding);
}

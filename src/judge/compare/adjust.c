/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All tests of a comparison are one family: clean data must accuse nobody, however many cells there
 * are. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/compare/parts.h"
#include "stats/many-tests.h"

/* A test, and where its adjusted p belongs. */
struct entry {
    double p, least_p;
    double *adjusted;
};

static size_t list_tests(struct compare_report *report, struct entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < report->effect_count; i++) {
        struct compare_effect *effect = &report->effects[i];
        entries[count++] = (struct entry){effect->p, effect->least_p, &effect->adjusted_p};
    }
    for (size_t i = 0; i < report->group_count; i++) {
        struct compare_group *group = &report->groups[i];
        entries[count++] = (struct entry){group->p, group->least_p, &group->adjusted_p};
    }
    for (size_t i = 0; i < report->verdict_count; i++) {
        struct compare_verdict *verdict = &report->verdicts[i];
        entries[count++] = (struct entry){verdict->p, verdict->least_p, &verdict->adjusted_p};
    }
    for (size_t i = 0; i < report->share_count; i++) {
        struct compare_shares *shares = &report->shares[i];
        entries[count++] = (struct entry){shares->p, shares->least_p, &shares->adjusted_p};
    }
    size_t tested = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(entries[i].p))
            entries[tested++] = entries[i];
    return tested;
}

static bool is_told(double adjusted)
{
    return adjusted <= COMPARE_LEVEL;
}

static bool holds_nothing(const struct interval *interval)
{
    return interval->low <= 0 && interval->high >= 0;
}

/* A test that tells with an effect that may be none would contradict itself. */
static enum compare_standing standing_told(const struct compare_report *report,
                                           const struct compare_effect *effect)
{
    if (holds_nothing(&effect->delta_interval) || holds_nothing(&effect->shift_interval))
        return STANDING_UNSURE;
    return compare_beyond(&report->groups[effect->group], effect) ? STANDING_DIFFERS
                                                                  : STANDING_WITHIN;
}

static bool shifts(const struct compare_effect *effect)
{
    return effect->shift < 0 || effect->shift > 0;
}

static void conclude_effect(const struct compare_report *report, struct compare_effect *effect,
                            double share)
{
    if (isnan(effect->p))
        return;
    if (shifts(effect) && is_told(effect->adjusted_p))
        effect->standing = standing_told(report, effect);
    else
        effect->standing = shifts(effect) && effect->least_p > share ? STANDING_FEW : STANDING_SAME;
}

static void take_figures(struct compare_group *group, const struct compare_effect *effect)
{
    group->delta = effect->delta;
    group->delta_interval = effect->delta_interval;
}

/* The figures of a group are those of its own that differ by themselves, if any do. */
static int take_own(const struct compare_case *file, struct compare_report *report,
                    struct compare_group *group)
{
    int error = compare_typical(file, report, group, true);
    take_figures(group, &report->effects[group->typical]);
    return error;
}

/* What its members say, and what they say together. of: how many stand how. */
static int conclude_group(const struct compare_case *file, struct compare_report *report,
                          struct compare_group *group, const size_t *of)
{
    const struct compare_effect *typical = &report->effects[group->typical];
    /* The one in the middle may shift against what all of them tell: then it stands for nothing. */
    const bool told = is_told(group->adjusted_p) && typical->shift * group->delta > 0;
    const bool beyond = compare_beyond(group, typical);
    /* Times of one cell in many may be of the moment: all of its group must agree. */
    const bool together = file->quantities[group->quantity].timed && group->quantities > 1;
    group->differing = of[STANDING_DIFFERS];
    if (group->differing && !together) {
        group->standing = STANDING_DIFFERS;
        return take_own(file, report, group);
    }
    if (group->quantities == 1)
        take_figures(group, typical);
    if (told && beyond)
        group->standing = STANDING_DIFFERS;
    else if (told || of[STANDING_WITHIN] || group->differing)
        group->standing = STANDING_WITHIN;
    else if (of[STANDING_UNSURE])
        group->standing = STANDING_UNSURE;
    else
        group->standing = of[STANDING_FEW] && !of[STANDING_SAME] ? STANDING_FEW : STANDING_SAME;
    return 0;
}

/* What differs in a group that does not. */
static void doubt_moments(struct compare_report *report)
{
    for (size_t i = 0; i < report->effect_count; i++) {
        struct compare_effect *effect = &report->effects[i];
        if (effect->standing != STANDING_DIFFERS ||
            report->groups[effect->group].standing == STANDING_DIFFERS)
            continue;
        effect->standing = STANDING_UNSURE;
        report->groups[effect->group].differing--;
    }
}

static int conclude_groups(const struct compare_case *file, struct compare_report *report)
{
    size_t(*of)[COMPARE_STANDINGS] = calloc(report->group_count + 1, sizeof(*of));
    if (!of)
        return -ENOMEM;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct compare_effect *effect = &report->effects[i];
        if (effect->group == COMPARE_NO_GROUP)
            continue;
        of[effect->group][effect->standing]++;
    }
    int error = 0;
    for (size_t i = 0; i < report->group_count && error == 0; i++)
        error = conclude_group(file, report, &report->groups[i], of[i]);
    free(of);
    doubt_moments(report);
    return error;
}

/* Does its study tell that runs are alike more, or less, often, and this claim with it? */
static bool is_told_together(const struct compare_case *file, const struct compare_report *report,
                             const struct compare_verdict *verdict)
{
    for (size_t i = 0; i < report->share_count; i++) {
        const struct compare_shares *shares = &report->shares[i];
        if (strcmp(shares->study, file->claims[verdict->claim].study) == 0)
            return is_told(shares->adjusted_p) && shares->excess * verdict->excess > 0;
    }
    return false;
}

static void conclude_verdict(const struct compare_case *file, const struct compare_report *report,
                             struct compare_verdict *verdict)
{
    if (isnan(verdict->p) || verdict->standing != STANDING_UNSURE)
        return;
    if (is_told(verdict->adjusted_p) || is_told_together(file, report, verdict))
        verdict->standing = STANDING_DIFFERS;
}

int compare_adjust(const struct compare_case *file, struct compare_report *report)
{
    const size_t most = report->effect_count + report->group_count + report->verdict_count +
                        report->share_count + 1;
    AUTO_FREE struct entry *entries = calloc(most, sizeof(*entries));
    AUTO_FREE struct one_test *tests = calloc(most, sizeof(*tests));
    if (!entries || !tests)
        return -ENOMEM;
    const size_t count = list_tests(report, entries);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct one_test){.p = entries[i].p, .least_p = entries[i].least_p};
    int error = adjust_tests(tests, count, COMPARE_LEVEL, &report->tests);
    if (error < 0)
        return error;
    for (size_t i = 0; i < count; i++)
        *entries[i].adjusted = tests[i].adjusted;
    const double share = COMPARE_LEVEL / (double)(report->tests ? report->tests : 1);
    for (size_t i = 0; i < report->effect_count; i++)
        conclude_effect(report, &report->effects[i], share);
    for (size_t i = 0; i < report->verdict_count; i++)
        conclude_verdict(file, report, &report->verdicts[i]);
    return conclude_groups(file, report);
}

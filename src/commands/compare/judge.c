/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Holds all sides against each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/compare/parts.h"

const char *const compare_standing_names[COMPARE_STANDINGS] = {
    [STANDING_SAME] = "same",     [STANDING_DIFFERS] = "differs", [STANDING_WITHIN] = "within",
    [STANDING_UNSURE] = "unsure", [STANDING_FEW] = "few",         [STANDING_APART] = "one side",
    [STANDING_UNITS] = "no unit",
};

static bool differs(const struct compare_fact *fact, size_t sides)
{
    for (size_t i = 1; i < sides; i++) {
        const char *first = fact->values[0], *other = fact->values[i];
        if (!first != !other || (first && strcmp(first, other) != 0))
            return true;
    }
    return false;
}

static int compare_facts(const struct compare_case *file, struct compare_report *report)
{
    report->fact_differs = calloc(file->fact_count + 1, sizeof(*report->fact_differs));
    if (!report->fact_differs)
        return -ENOMEM;
    for (size_t i = 0; i < file->fact_count; i++)
        report->fact_differs[i] = differs(&file->facts[i], file->side_count);
    return 0;
}

int compare_judge(const struct compare_case *file, struct compare_report *report)
{
    static int (*const parts[])(const struct compare_case *, struct compare_report *) = {
        compare_facts,    compare_effects,    compare_groups,
        compare_verdicts, compare_deviations, compare_adjust,
    };
    *report = (struct compare_report){0};
    if (file->side_count < 2)
        return 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        int error = parts[i](file, report);
        if (error < 0)
            return error;
    }
    report->different = compare_groups_that(report, STANDING_DIFFERS) ||
                        compare_verdicts_that(report, STANDING_DIFFERS);
    return 0;
}

void compare_report_release(struct compare_report *report)
{
    free(report->effects);
    free(report->groups);
    free(report->verdicts);
    free(report->shares);
    free(report->deviations);
    free(report->fact_differs);
    *report = (struct compare_report){0};
}

size_t compare_effects_that(const struct compare_report *report, enum compare_standing standing)
{
    size_t count = 0;
    for (size_t i = 0; i < report->effect_count; i++)
        count += report->effects[i].standing == standing;
    return count;
}

size_t compare_groups_that(const struct compare_report *report, enum compare_standing standing)
{
    size_t count = 0;
    for (size_t i = 0; i < report->group_count; i++)
        count += report->groups[i].standing == standing;
    return count;
}

size_t compare_verdicts_that(const struct compare_report *report, enum compare_standing standing)
{
    size_t count = 0;
    for (size_t i = 0; i < report->verdict_count; i++)
        count += report->verdicts[i].standing == standing;
    return count;
}

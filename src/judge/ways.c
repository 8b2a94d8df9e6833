/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One event, measured in several ways: on cores of different types, and by different paths. Where
 * the answers differ, the difference is a verdict of its own. */
#include <math.h>
#include <string.h>

#include "studies/validate/judge.h"
#include "judge/note.h"
#include "judge/points.h"

/* --- types of cores --- */

static bool is_fine(const struct judged_row *row)
{
    return row->verdict == VERDICT_EXACT || row->verdict == VERDICT_ACCURATE;
}

static bool is_wrong(const struct judged_row *row)
{
    return row->verdict == VERDICT_DEAD || (row->verdict == VERDICT_NOISY && row_matters(row)) ||
           row->verdict == VERDICT_BIASED || row->verdict == VERDICT_UNSCHEDULED;
}

/* Rows that belong together. */
typedef bool same_kind(const struct judged_row *left, const struct judged_row *right);

static bool same_core(const struct judged_row *left, const struct judged_row *right)
{
    return strcmp(left->core, right->core) == 0;
}

static bool same_pattern(const struct judged_row *left, const struct judged_row *right)
{
    return left->pattern == right->pattern;
}

static bool same_counters(const struct judged_row *left, const struct judged_row *right)
{
    return left->counters == right->counters;
}

/* Does every row of this one's kind go this way, and at least one? */
static bool all_rows(const struct judgement *judgement, const struct judged_row *of,
                     same_kind *same, bool (*test)(const struct judged_row *),
                     bool (*contrary)(const struct judged_row *))
{
    size_t count = 0;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (!same(row, of))
            continue;
        if (contrary(row))
            return false;
        count += test(row);
    }
    return count > 0;
}

static bool never(const struct judged_row *row)
{
    (void)row;
    return false;
}

/* One row of a kind of which all are right, and one of a kind that is wrong and not right
 * anywhere. */
static bool find_contrast(const struct judgement *judgement, same_kind *same,
                          const struct judged_row **right, const struct judged_row **wrong)
{
    *right = *wrong = NULL;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (!*right && all_rows(judgement, row, same, is_fine, is_wrong))
            *right = row;
        if (!*wrong && all_rows(judgement, row, same, is_wrong, is_fine))
            *wrong = row;
    }
    return *right && *wrong;
}

/* The same code counted right one way and wrong another says where to look. */
void compare_settings(struct judgement *judgement)
{
    const struct judged_row *right, *wrong;
    if (find_contrast(judgement, same_pattern, &right, &wrong))
        note_add(judgement->note, "Counts right by %s, not by %s.",
                 pattern_descriptions[right->pattern], pattern_descriptions[wrong->pattern]);
    if (find_contrast(judgement, same_counters, &right, &wrong))
        note_add(judgement->note, "Counts right with %u counter%s open at once, not with %u.",
                 right->counters, right->counters == 1 ? "" : "s", wrong->counters);
}

void compare_cores(struct judgement *judgement)
{
    const char *right = NULL, *wrong = NULL;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (!right && row->core[0] && all_rows(judgement, row, same_core, is_fine, is_wrong))
            right = row->core;
        if (!wrong && row->core[0] && all_rows(judgement, row, same_core, is_wrong, never))
            wrong = row->core;
    }
    if (!right || !wrong)
        return;
    judgement->cause = CAUSE_CORE_TYPE;
    note_add(judgement->note, "Counts right on cores of type %.40s, not on those of type %.40s.",
             right, wrong);
    for (size_t i = 0; i < judgement->row_count; i++)
        if (strcmp(judgement->rows[i].core, right) != 0 && is_wrong(&judgement->rows[i]))
            judgement->rows[i].cause = CAUSE_CORE_TYPE;
}

/* --- paths --- */

static double spread(const struct judged_point *judged)
{
    return fmax(point_tolerance(judged),
                (double)judged->overhead_high - (double)judged->overhead_low);
}

/* Intervals so far apart that neither noise nor overhead makes it. */
static bool points_disagree(const struct judged_point *left, const struct judged_point *right)
{
    double apart = fmax(spread(left), spread(right));
    return left->point->n == right->point->n && left->runs > 1 && right->runs > 1 &&
           left->has_overhead && right->has_overhead &&
           (left->strict_low > right->strict_high + apart ||
            right->strict_low > left->strict_high + apart);
}

/* The first point at which two ladders of the same code disagree. */
static bool rows_disagree(const struct judged_row *left, const struct judged_row *right,
                          const struct judged_point **one, const struct judged_point **other)
{
    for (size_t i = left->point_count; i-- > 0;)
        for (size_t j = 0; j < right->point_count; j++)
            if (points_disagree(&left->points[i], &right->points[j])) {
                *one = &left->points[i];
                *other = &right->points[j];
                return true;
            }
    return false;
}

void compare_paths(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = i + 1; j < judgement->row_count; j++) {
            const struct judged_row *left = &judgement->rows[i], *right = &judgement->rows[j];
            const struct judged_point *one, *other;
            if (strcmp(left->specimen, right->specimen) != 0 ||
                strcmp(left->core, right->core) != 0 || strcmp(left->path, right->path) == 0 ||
                !rows_disagree(left, right, &one, &other))
                continue;
            char n[FIGURE_SIZE], a[FIGURE_SIZE], b[FIGURE_SIZE];
            judgement->disagrees = true;
            note_add(judgement->note,
                     "Paths disagree: %.40s counts %s and %.40s %s of %.60s at N = %s.", left->path,
                     figure_of(one->mean, a), right->path, figure_of(other->mean, b),
                     left->specimen, figure_of((double)one->point->n, n));
            return;
        }
}

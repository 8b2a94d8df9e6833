/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events whose counts must add up to another's, whatever the truth: a check that needs no specimen
 * to be right. */
#include <math.h>
#include <string.h>

#include "studies/validate/judge.h"
#include "judge/note.h"
#include "judge/points.h"

/* Classes: parts add up to the whole. */
static const struct identity {
    const char *whole, *parts[2];
} identities[] = {
    {"page-faults", {"minor-faults", "major-faults"}},
    {"cond-branches", {"cond-branches-taken", "cond-branches-not-taken"}},
};

/* The event of that class in the same mode. */
static const struct judgement *find_part(const struct judgements *all, const char *class,
                                         const struct judgement *whole)
{
    const char *mode, *wanted;
    event_base(whole->evidence->event, &wanted);
    for (size_t i = 0; i < all->count; i++) {
        const struct judgement *candidate = &all->list[i];
        event_base(candidate->evidence->event, &mode);
        if (candidate->evidence->class && strcmp(candidate->evidence->class, class) == 0 &&
            strcmp(mode, wanted) == 0 && candidate->runs > 0)
            return candidate;
    }
    return NULL;
}

static const struct judged_point *find_point(const struct judgement *judgement,
                                             const struct point *like)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++) {
            const struct judged_point *judged = &judgement->rows[i].points[j];
            if (judged->runs > 1 && judged->point->n == like->n &&
                strcmp(judged->point->specimen, like->specimen) == 0 &&
                point_same_way(judged->point, like))
                return judged;
        }
    return NULL;
}

/* Standard error of a mean. */
static double uncertainty(const struct judged_point *judged)
{
    return judged->stdev / sqrt((double)judged->runs);
}

/* true: it was broken, and said. */
static bool check_point(struct judgement *whole, const struct judged_point *judged,
                        const struct judgement *const parts[2])
{
    const struct judged_point *left = find_point(parts[0], judged->point);
    const struct judged_point *right = find_point(parts[1], judged->point);
    if (!left || !right || judged->runs < 2)
        return false;
    double sum = left->mean + right->mean, apart = fabs(judged->mean - sum);
    double doubt = 5 * (uncertainty(judged) + uncertainty(left) + uncertainty(right));
    double size = fmax(fabs(judged->mean), fabs(sum));
    if (apart <= fmax(0.01 * size, 1) + doubt)
        return false;
    char n[FIGURE_SIZE], a[FIGURE_SIZE], b[FIGURE_SIZE];
    note_add(whole->note, "Reads %s where %.60s and %.60s add up to %s (%.60s, N = %s).",
             figure_of(judged->mean, a), parts[0]->evidence->event, parts[1]->evidence->event,
             figure_of(sum, b), judged->point->specimen, figure_of((double)judged->point->n, n));
    return true;
}

static void check_whole(struct judgement *whole, const struct judgement *const parts[2])
{
    for (size_t i = 0; i < whole->row_count; i++)
        for (size_t j = whole->rows[i].point_count; j-- > 0;)
            if (check_point(whole, &whole->rows[i].points[j], parts))
                return;
}

void check_identities(struct judgements *all)
{
    for (size_t i = 0; i < sizeof(identities) / sizeof(*identities); i++)
        for (size_t j = 0; j < all->count; j++) {
            struct judgement *whole = &all->list[j];
            if (!whole->evidence->class || strcmp(whole->evidence->class, identities[i].whole) != 0)
                continue;
            const struct judgement *const parts[] = {find_part(all, identities[i].parts[0], whole),
                                                     find_part(all, identities[i].parts[1], whole)};
            if (parts[0] && parts[1])
                check_whole(whole, parts);
        }
}

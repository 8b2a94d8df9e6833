/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rule of a finding about overhead: as reported, the smallest count of a ladder is off by more
 * than 1 % and the largest is not. Any event that counts something in an empty window tests it. */
#include <math.h>
#include <stdio.h>

#include "studies/validate/findings.h"
#include "judge/note.h"

/* The two ends of a ladder, as reported. */
struct ends {
    struct reading small, large;
    enum finding_verdict verdict;
};

static bool take_ends(const struct judgement *judgement, const struct judged_row *row,
                      struct ends *ends)
{
    *ends = (struct ends){0};
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *point = &row->points[i];
        struct reading reading;
        if (!point->has_overhead || !point->overhead || point->point->truth.grade != TRUTH_PROVEN ||
            point->against_account ||
            !reading_take(judgement, row, point, FORETOLD_TRUTH, true, &reading) ||
            reading_is_open(&reading))
            continue;
        double count = reading_foretold(point, FORETOLD_TRUTH);
        if (count < least)
            ends->small = reading;
        if (count > most)
            ends->large = reading;
        least = fmin(least, count);
        most = fmax(most, count);
    }
    /* Large enough to hide it, small enough not to. */
    return ends->large.point && ends->small.point &&
           most >= 100 * fabs((double)ends->large.point->overhead) &&
           least < 100 * fabs((double)ends->small.point->overhead);
}

static void judge_ends(struct ends *ends)
{
    if (ends->small.verdict == FINDING_FAILS && ends->large.verdict == FINDING_HOLDS)
        ends->verdict = FINDING_HOLDS;
    else if (ends->small.verdict == FINDING_HOLDS || ends->large.verdict == FINDING_FAILS)
        ends->verdict = FINDING_FAILS;
    else
        ends->verdict = FINDING_INCONCLUSIVE;
}

static bool decides(const struct ends *one, const struct ends *other)
{
    static const int gravity[] = {
        [FINDING_HOLDS] = 1, [FINDING_INCONCLUSIVE] = 2, [FINDING_FAILS] = 3};
    if (gravity[one->verdict] != gravity[other->verdict])
        return gravity[one->verdict] > gravity[other->verdict];
    return fabs(one->small.estimate) > fabs(other->small.estimate);
}

/* Events that deviate for another cause say little of overhead: they are asked last. */
static bool deviates_otherwise(const struct judgement *judgement)
{
    return judgement->cause != CAUSE_NONE && judgement->cause != CAUSE_INTERFACE_OVERHEAD;
}

static size_t look_at(const struct judgements *judgements, bool otherwise, struct ends *best)
{
    size_t rows = 0;
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        char why[NOTE_SIZE];
        if (!judgement->evidence->class || !claim_concerns(judgement, judgement->evidence->class) ||
            !claim_usable(judgement, why, sizeof(why)) ||
            deviates_otherwise(judgement) != otherwise)
            continue;
        for (size_t j = 0; j < judgement->row_count; j++) {
            struct ends ends;
            if (!take_ends(judgement, &judgement->rows[j], &ends))
                continue;
            judge_ends(&ends);
            if (!rows++ || decides(&ends, best))
                *best = ends;
        }
    }
    return rows;
}

void rule_overhead(const struct claim *claim, const struct judgements *judgements,
                   struct finding *finding)
{
    (void)claim;
    struct ends best = {0};
    if (!look_at(judgements, false, &best) && !look_at(judgements, true, &best)) {
        finding_add(finding, "no event that was measured here counts anything in an empty window "
                             "and has counts both small and large beside that");
        return;
    }
    char small[80], large[80], least[FIGURE_SIZE], most[FIGURE_SIZE];
    reading_report(&best.small, finding);
    finding->verdict = best.verdict;
    reading_words(&best.small, small, sizeof(small));
    reading_words(&best.large, large, sizeof(large));
    finding_add(finding, "%.100s on %.100s through %.40s adds %lld: %s at N = %s, %s at N = %s",
                best.small.judgement->evidence->event, best.small.row->specimen,
                best.small.row->path, (long long)best.small.point->overhead, small,
                figure_of((double)best.small.point->point->n, least), large,
                figure_of((double)best.large.point->point->n, most));
}

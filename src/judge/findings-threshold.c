/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rule of a finding about small counts that are reported as zero: the number up to which they
 * are, between the largest that reads 0 in every run and the smallest that is counted. One event
 * that does so is enough. */
#include <math.h>
#include <stdio.h>

#include "studies/validate/findings.h"
#include "judge/note.h"

/* "About 100". */
#define ABOUT_LOW  50.0
#define ABOUT_HIGH 200.0
/* Limits further apart than a ladder's step do not tell where the threshold is. */
#define STEP_MOST 10.0
/* Deviations that leave no doubt that something near the truth was counted. */
#define COUNTED_PERCENT 50.0

struct threshold {
    const struct judgement *judgement;
    const struct judged_row *row;
    enum finding_verdict verdict;
    double zero;     /* largest count that reads 0; 0: none does */
    double counted;  /* smallest count above it that is counted */
    double smallest; /* that was measured */
};

/* Walks up a ladder. False where it cannot show a threshold. */
static bool find_threshold(const struct judgement *judgement, const struct judged_row *row,
                           struct threshold *found)
{
    *found = (struct threshold){.judgement = judgement, .row = row, .smallest = HUGE_VAL};
    bool unclear = false;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *point = &row->points[i];
        struct reading reading;
        if (!reading_take(judgement, row, point, FORETOLD_TRUTH, false, &reading))
            continue;
        double count = reading_foretold(point, FORETOLD_TRUTH);
        found->smallest = fmin(found->smallest, count);
        if (point->is_zero) {
            unclear = unclear || found->counted > 0; /* counted before, zero again */
            found->zero = fmax(found->zero, count);
        } else if (reading.low > -COUNTED_PERCENT && reading.high < COUNTED_PERCENT) {
            found->counted = found->counted > 0 ? found->counted : count;
        } else if (found->counted <= 0) {
            unclear = true;
        }
    }
    if (found->counted <= 0 || found->smallest > ABOUT_HIGH)
        return false;
    bool about = found->counted - 1 >= ABOUT_LOW && found->zero <= ABOUT_HIGH;
    bool wide = found->zero <= 0 || found->counted > STEP_MOST * found->zero;
    if (unclear || (about && wide))
        found->verdict = FINDING_INCONCLUSIVE;
    else
        found->verdict = about ? FINDING_HOLDS : FINDING_FAILS;
    return true;
}

static bool decides(const struct threshold *found, const struct threshold *best)
{
    static const int weight[] = {
        [FINDING_FAILS] = 1, [FINDING_INCONCLUSIVE] = 2, [FINDING_HOLDS] = 3};
    return !best->row || weight[found->verdict] > weight[best->verdict] ||
           (found->verdict == best->verdict && found->zero > best->zero);
}

static void look_at_test(const struct tested_by *test, const struct judgements *judgements,
                         struct threshold *best)
{
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        char why[NOTE_SIZE];
        if (!claim_concerns(judgement, test->classes) || !claim_usable(judgement, why, sizeof(why)))
            continue;
        for (size_t j = 0; j < judgement->row_count; j++) {
            struct threshold found;
            if (claim_lists(test->specimens, judgement->rows[j].specimen) &&
                find_threshold(judgement, &judgement->rows[j], &found) && decides(&found, best))
                *best = found;
        }
    }
}

/* Events that read 0 throughout, or were measured with large counts only; else why there is none.
 */
static void excuse(const struct claim *claim, const struct judgements *judgements,
                   struct finding *finding)
{
    char why[NOTE_SIZE], best[NOTE_SIZE] = "";
    enum excuse weight = EXCUSE_NOT_TRIED;
    for (const struct tested_by *test = claim->tests; test->what; test++) {
        for (size_t i = 0; i < judgements->count; i++) {
            const struct judgement *judgement = &judgements->list[i];
            if (claim_concerns(judgement, test->classes) && judgement->verdict == VERDICT_DEAD &&
                claim_usable(judgement, why, sizeof(why))) {
                finding_add(finding, "%.100s reads 0 whatever is done: no threshold shows",
                            judgement->evidence->event);
                return;
            }
        }
        enum excuse each = claim_excuse(claim, test, judgements, why, sizeof(why));
        if (!best[0] || each > weight)
            snprintf(best, sizeof(best), "%s", why);
        weight = each > weight ? each : weight;
    }
    finding_add(finding, "%s", best);
}

void rule_threshold(const struct claim *claim, const struct judgements *judgements,
                    struct finding *finding)
{
    struct threshold best = {0};
    for (const struct tested_by *test = claim->tests; test->what && !best.row; test++)
        look_at_test(test, judgements, &best);
    if (!best.row) {
        excuse(claim, judgements, finding);
        return;
    }
    finding->verdict = best.verdict;
    finding->has_estimate = true;
    finding->low = best.zero;
    finding->high = best.counted - 1;
    finding->estimate = best.zero > 0 ? sqrt(finding->low * finding->high) : 0;
    finding->detectable = best.smallest;
    finding_add(finding, "%.100s on %.100s ", best.judgement->evidence->event, best.row->specimen);
    if (best.zero > 0)
        finding_add(finding, "reads 0 up to N between %s and %s", FIGURE(best.zero),
                    FIGURE(best.counted - 1));
    else
        finding_add(finding, "counts from %s on and reads 0 at no N", FIGURE(best.counted));
    if (best.verdict == FINDING_INCONCLUSIVE)
        finding_add(finding, "; small counts scatter, or lie too far apart to tell the threshold");
    else if (best.verdict == FINDING_FAILS && best.zero > 0)
        finding_add(finding, "; that is not about 100");
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rule of most findings: counts lie within 1 % of what was foretold, wherever that outweighs
 * the overhead. The gravest deviation decides, over all events, specimens and N. */
#include <math.h>
#include <stdio.h>

#include "studies/validate/findings.h"
#include "judge/note.h"

/* Over all points of a test. */
struct gravest {
    struct reading reading;
    size_t points;
};

static bool outweighs(const struct claim *claim, const struct judged_point *point)
{
    double count = reading_foretold(point, claim->foretold);
    return count >= claim->least && count >= 100 * fabs((double)point->overhead);
}

static void look_at_row(const struct claim *claim, const struct judgement *judgement,
                        const struct judged_row *row, struct gravest *gravest)
{
    for (size_t i = 0; i < row->point_count; i++) {
        struct reading reading;
        const struct judged_point *point = &row->points[i];
        if (!outweighs(claim, point) ||
            !reading_take(judgement, row, point, claim->foretold, false, &reading))
            continue;
        if (!gravest->points++ || reading_graver(&reading, &gravest->reading))
            gravest->reading = reading;
    }
}

static struct gravest look_at_test(const struct claim *claim, const struct tested_by *test,
                                   const struct judgements *judgements)
{
    struct gravest gravest = {0};
    for (size_t i = 0; i < judgements->count; i++) {
        const struct judgement *judgement = &judgements->list[i];
        char why[NOTE_SIZE];
        if (!claim_concerns(judgement, test->classes) || !claim_usable(judgement, why, sizeof(why)))
            continue;
        for (size_t j = 0; j < judgement->row_count; j++)
            if (claim_lists(test->specimens, judgement->rows[j].specimen))
                look_at_row(claim, judgement, &judgement->rows[j], &gravest);
    }
    return gravest;
}

/* Which event decided, and at which N. */
static void tell(const struct gravest *gravest, struct finding *finding)
{
    const struct reading *reading = &gravest->reading;
    char n[FIGURE_SIZE];
    finding_add(finding,
                "%.100s on %.100s at N = %s through %.40s decides, the furthest off of "
                "%zu points",
                reading->judgement->evidence->event, reading->row->specimen,
                figure_of((double)reading->point->point->n, n), reading->row->path,
                gravest->points);
    if (reading->verdict == FINDING_INCONCLUSIVE)
        finding_add(finding, isfinite(reading->detectable) && reading->detectable <= WITHIN_PERCENT
                                 ? "; its interval holds the limit of 1 %%"
                                 : "; its spread would hide a deviation of 1 %%");
    if (reading->judgement->verdict == VERDICT_DEAD)
        finding_add(finding, "; the event is dead: it reads 0 whatever is done");
}

static void tell_exceptions(const struct claim *claim, const struct judgements *judgements,
                            struct finding *finding)
{
    for (const struct tested_by *test = claim->exceptions; test->what; test++) {
        struct gravest gravest = look_at_test(claim, test, judgements);
        char words[80];
        if (!gravest.points)
            continue;
        reading_words(&gravest.reading, words, sizeof(words));
        finding_add(finding, "; %s: %s (%.60s), which %s", test->what, words,
                    gravest.reading.judgement->evidence->event,
                    gravest.reading.verdict == FINDING_HOLDS   ? "keeps to 1 %"
                    : gravest.reading.verdict == FINDING_FAILS ? "breaks it"
                                                               : "decides nothing");
    }
}

/* What could not be tested, and why: of several tests the one whose events came furthest. */
struct untested {
    bool any;
    enum excuse weight;
    char text[NOTE_SIZE];
};

static void excuse(const struct claim *claim, const struct tested_by *test,
                   const struct judgements *judgements, struct untested *untested)
{
    char why[NOTE_SIZE];
    enum excuse weight = claim_excuse(claim, test, judgements, why, sizeof(why));
    if (!untested->any || weight > untested->weight)
        snprintf(untested->text, sizeof(untested->text), "%s: %.400s", test->what, why);
    untested->weight = !untested->any || weight > untested->weight ? weight : untested->weight;
    untested->any = true;
}

void rule_within(const struct claim *claim, const struct judgements *judgements,
                 struct finding *finding)
{
    struct gravest gravest = {0};
    struct untested untested = {0};
    for (const struct tested_by *test = claim->tests; test->what; test++) {
        struct gravest found = look_at_test(claim, test, judgements);
        if (!found.points)
            excuse(claim, test, judgements, &untested);
        if (claim->needs_first && !found.points && test == claim->tests)
            break;
        if (found.points && (!gravest.points || reading_graver(&found.reading, &gravest.reading)))
            gravest.reading = found.reading;
        gravest.points += found.points;
        if (claim->first_only && gravest.points)
            break;
    }
    if (!gravest.points) {
        finding_add(finding, "%s", untested.text);
        return;
    }
    reading_report(&gravest.reading, finding);
    tell(&gravest, finding);
    tell_exceptions(claim, judgements, finding);
    if (untested.any && !claim->first_only)
        finding_add(finding, "; not tested, %s", untested.text);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do the sides say the same of something? What counts how many runs were alike is tested; of the
 * rest a difference is one where nobody was unsure. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/compare/parts.h"
#include "stats/two-samples.h"

static bool same_word(const struct compare_word *one, const struct compare_word *other)
{
    if (strcmp(one->word, other->word) != 0)
        return false;
    return !one->detail || !other->detail || strcmp(one->detail, other->detail) == 0;
}

/* Other words that rest on estimates which agree may be a matter of what a budget held; an interval
 * without a width does not tell what other cells would have said. */
static bool may_agree(const struct compare_word *one, const struct compare_word *other)
{
    if (one->unsure || other->unsure || (one->near && strcmp(one->near, other->word) == 0))
        return true;
    if (!one->estimated || !other->estimated)
        return false;
    if (one->unit && other->unit && strcmp(one->unit, other->unit) != 0)
        return true; /* estimates of different things */
    const bool known = one->low < one->high && other->low < other->high;
    const double margin = fmax(one->margin, other->margin);
    return !known || (one->low <= other->high + margin * fabs(other->high) &&
                      other->low <= one->high + margin * fabs(one->high));
}

/* Each against the first that says anything. */
static enum compare_standing standing_of(const struct compare_claim *claim, size_t sides)
{
    const struct compare_word *first = NULL;
    enum compare_standing standing = STANDING_APART;
    for (size_t i = 0; i < sides; i++) {
        const struct compare_word *word = &claim->sides[i];
        if (!word->word)
            continue;
        if (!first) {
            first = word;
            continue;
        }
        if (standing == STANDING_APART)
            standing = STANDING_SAME;
        if (same_word(first, word))
            continue;
        if (!may_agree(first, word))
            return STANDING_DIFFERS;
        standing = STANDING_UNSURE;
    }
    return standing;
}

static int test_shares(const struct compare_word *first, const struct compare_word *other,
                       struct rank_test *test)
{
    AUTO_FREE double *values = calloc(first->runs + other->runs, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < first->hits && i < first->runs; i++)
        values[i] = 1;
    for (size_t i = 0; i < other->hits && i < other->runs; i++)
        values[first->runs + i] = 1;
    const struct two_samples samples = {values, values + first->runs, first->runs, other->runs};
    return rank_test(&samples, test);
}

/* What tells by itself must not take others along that may be chance. */
#define ALONE .001

static struct stratified *sums_of(struct compare_report *report, struct stratified *sums,
                                  const char *study)
{
    size_t i = 0;
    while (i < report->share_count && report->shares[i].study &&
           strcmp(report->shares[i].study, study) != 0)
        i++;
    if (i == report->share_count)
        report->shares[report->share_count++] = (struct compare_shares){.study = study};
    return &sums[i];
}

/* The pair that differs most, as one of as many as there are. */
static int test_runs(const struct compare_claim *claim, size_t sides,
                     struct compare_verdict *verdict, struct stratified *sums)
{
    const struct compare_word *first = NULL;
    size_t pairs = 0;
    for (size_t i = 0; i < sides; i++) {
        const struct compare_word *word = &claim->sides[i];
        struct rank_test test;
        if (!word->word || !word->runs)
            continue;
        if (!first) {
            first = word;
            continue;
        }
        int error = test_shares(first, word, &test);
        if (error < 0)
            return error;
        if (test.p > ALONE)
            stratified_add(sums, &test, first->runs, word->runs);
        verdict->excess += test.excess;
        verdict->p = pairs++ ? fmin(verdict->p, test.p) : test.p;
        verdict->least_p = fmin(verdict->least_p, test.least_p);
    }
    if (pairs) {
        verdict->p = fmin(verdict->p * (double)pairs, 1);
        verdict->least_p = fmin(verdict->least_p * (double)pairs, 1);
        if (verdict->standing == STANDING_DIFFERS)
            verdict->standing = STANDING_UNSURE; /* until it is adjusted */
    }
    return 0;
}

static bool counts_runs(const struct compare_claim *claim, size_t sides)
{
    for (size_t i = 0; i < sides; i++)
        if (claim->sides[i].word && claim->sides[i].runs)
            return true;
    return false;
}

static int judge_claim(const struct compare_case *file, struct compare_report *report, size_t index,
                       struct stratified *sums)
{
    const struct compare_claim *claim = &file->claims[index];
    struct compare_verdict *verdict = &report->verdicts[index];
    *verdict = (struct compare_verdict){.claim = index,
                                        .standing = standing_of(claim, file->side_count),
                                        .p = (double)NAN,
                                        .least_p = 1,
                                        .adjusted_p = (double)NAN};
    if (!counts_runs(claim, file->side_count))
        return 0;
    return test_runs(claim, file->side_count, verdict, sums_of(report, sums, claim->study));
}

int compare_verdicts(const struct compare_case *file, struct compare_report *report)
{
    report->verdicts = calloc(file->claim_count + 1, sizeof(*report->verdicts));
    report->shares = calloc(file->claim_count + 1, sizeof(*report->shares));
    AUTO_FREE struct stratified *sums = calloc(file->claim_count + 1, sizeof(*sums));
    if (!report->verdicts || !report->shares || !sums)
        return -ENOMEM;
    report->verdict_count = file->claim_count;
    int error = 0;
    for (size_t i = 0; i < file->claim_count && error == 0; i++)
        error = judge_claim(file, report, i, sums);
    for (size_t i = 0; i < report->share_count; i++) {
        struct compare_shares *shares = &report->shares[i];
        shares->excess = sums[i].excess;
        shares->p = sums[i].strata > 1 ? stratified_p(&sums[i]) : (double)NAN;
        shares->least_p = fmin(2 * exp(sums[i].log_least), 1);
        shares->adjusted_p = (double)NAN;
    }
    return error;
}

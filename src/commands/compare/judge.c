/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Holds all sides against each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/compare/judge.h"
#include "stats/moments.h"
#include "stats/two-samples.h"

/* ----------------------------------------------------------------------------------------------
 * By how much a controlled program's count varies from side to side, as Weaver and McKee tell it
 * from machine to machine: in percent of the mean over all of them. */

static void deviation_of(const struct compare_case *file, size_t index,
                         struct compare_deviation *deviation)
{
    const struct compare_quantity *quantity = &file->quantities[index];
    double means[COMPARE_MOST_SIDES];
    size_t count = 0;
    for (size_t i = 0; i < file->side_count && count < COMPARE_MOST_SIDES; i++)
        if (quantity->sides[i].count)
            means[count++] = moments_of(quantity->sides[i].list, quantity->sides[i].count).mean;
    const struct moments moments = moments_of(means, count);
    const double percent = moments.mean > 0 ? 100 / moments.mean : (double)NAN;
    *deviation = (struct compare_deviation){
        .quantity = index,
        .machines = count,
        .mean = moments.mean,
        .deviation_percent = percent * moments.stdev,
        .worst_percent = percent * fmax(moments.max - moments.mean, moments.mean - moments.min)};
}

/* ----------------------------------------------------------------------------------------------
 * How far a quantity on one side is from that on the first. */

const struct reason_words compare_words[] = {
    [COMPARE_EMULATED] = {"emulated-time", "a program makes the time of an emulated machine"},
    [COMPARE_TICKS] = {"other-ticks", "ticks of different counters[, whose length a run of `assay "
                                      "{study}` on each would tell]"},
    [COMPARE_ONE_MACHINE] = {"one-machine", "not tested: machine (all sides are one machine)"},
    [COMPARE_OTHER_CODE] = {"other-code",
                            "not tested: machine (the sides execute different code, of another "
                            "instruction set or build, from which it cannot be told apart)"},
    [COMPARE_UNCOUNTED] = {"not-counted-on-two",
                           "not tested: machine (nothing that decides was counted on two)"},
};

/* In which unit can both be told? NULL: in none, and why says so. Ticks become ns where two
 * counters have other ticks and the length of either is known. */
static const char *common_unit(const struct compare_case *file,
                               const struct compare_quantity *quantity,
                               const struct compare_side *other, struct reasons *why)
{
    const struct compare_side *first = &file->sides[0];
    const bool ticks = strcmp(quantity->unit, "ticks") == 0;
    const bool alike = strcmp(first->counter, other->counter) == 0;
    if (quantity->timed && (first->emulated || other->emulated)) {
        REASON(why, CLAUSE, &compare_words[COMPARE_EMULATED]);
        return NULL;
    }
    if (!ticks || alike)
        return quantity->unit;
    if (first->tick_ns > 0 && other->tick_ns > 0)
        return "ns";
    REASON(why, CLAUSE, &compare_words[COMPARE_TICKS], file->tick_study);
    return NULL;
}

/* Sorted, so that its median is at hand. */
static double *values_in(const struct compare_values *values, double factor)
{
    double *list = memory_new((values->count ? values->count : 1), sizeof(*list));
    for (size_t i = 0; i < values->count; i++)
        list[i] = values->list[i] * factor;
    sort_values(list, values->count);
    return list;
}

/* The shift of logarithms is the logarithm of the ratio. */
static void take_ratio(const struct two_samples *samples, struct compare_effect *effect)
{
    effect->ratio = (double)NAN;
    effect->ratio_interval = (struct interval){(double)NAN, (double)NAN};
    if (!(samples->left[0] > 0) || !(samples->right[0] > 0))
        return;
    AUTO_MEMORY double *logs =
        memory_new((samples->left_count + samples->right_count), sizeof(*logs));
    for (size_t i = 0; i < samples->left_count; i++)
        logs[i] = log(samples->left[i]);
    for (size_t i = 0; i < samples->right_count; i++)
        logs[samples->left_count + i] = log(samples->right[i]);
    const struct two_samples as_logs = {logs, logs + samples->left_count, samples->left_count,
                                        samples->right_count};
    struct shift shift;
    if (shift_between(&as_logs, COMPARE_CONFIDENCE, &shift) < 0)
        return;
    effect->ratio = exp(shift.estimate);
    effect->ratio_interval = (struct interval){exp(shift.interval.low), exp(shift.interval.high)};
}

static void measure_effect(const struct compare_case *file, struct compare_effect *effect)
{
    const struct compare_quantity *quantity = &file->quantities[effect->quantity];
    const struct compare_side *first = &file->sides[0], *other = &file->sides[effect->side];
    const struct compare_values *left = &quantity->sides[0],
                                *right = &quantity->sides[effect->side];
    effect->first_count = left->count;
    effect->count = right->count;
    effect->unit = quantity->unit;
    if (!left->count || !right->count) {
        effect->standing = STANDING_APART;
        return;
    }
    const char *unit = common_unit(file, quantity, other, &effect->why);
    if (!unit) {
        effect->standing = STANDING_UNITS;
        return;
    }
    const bool turned = strcmp(unit, quantity->unit) != 0;
    effect->unit = unit;
    AUTO_MEMORY double *lefts = values_in(left, turned ? first->tick_ns : 1);
    AUTO_MEMORY double *rights = values_in(right, turned ? other->tick_ns : 1);
    const struct two_samples samples = {lefts, rights, left->count, right->count};
    struct rank_test test;
    struct shift shift;
    struct dominance dominance;
    if (rank_test(&samples, &test) < 0 || shift_between(&samples, COMPARE_CONFIDENCE, &shift) < 0 ||
        dominance_of(&samples, COMPARE_CONFIDENCE, &dominance) < 0)
        return;
    take_ratio(&samples, effect);
    effect->first_median = quantile(samples.left, samples.left_count, .5);
    effect->median = quantile(samples.right, samples.right_count, .5);
    effect->shift = shift.estimate;
    effect->shift_interval = shift.interval;
    effect->delta = dominance.delta;
    effect->delta_interval = dominance.interval;
    effect->p = test.p;
    effect->least_p = test.least_p;
    effect->rank_excess = test.excess;
    effect->rank_variance = test.variance;
}

/* Is this effect of the group beyond what runs of one machine differ by? */
static bool compare_beyond(const struct compare_group *group, const struct compare_effect *effect)
{
    const double margin = effect->shift > 0 ? group->above : group->below;
    if (!(margin > 0))
        return true;
    if (fabs(effect->shift) <= group->step)
        return false;
    if (!isnan(effect->ratio))
        return effect->ratio > 1 + margin || effect->ratio < 1 / (1 + margin);
    return fabs(effect->shift) > margin * fmax(fabs(effect->first_median), fabs(effect->median));
}

/* ----------------------------------------------------------------------------------------------
 * Quantities that differ only in how they were measured, together: where each has few processes,
 * all of them still tell whether a path, a call or a program counts otherwise. */

static bool same_group(const struct compare_case *file, const struct compare_effect *effect,
                       const struct compare_group *group)
{
    const struct compare_quantity *one = &file->quantities[effect->quantity],
                                  *other = &file->quantities[group->quantity];
    return effect->side == group->side && group->unit && strcmp(effect->unit, group->unit) == 0 &&
           strcmp(one->subject, other->subject) == 0 && strcmp(one->event, other->event) == 0 &&
           strcmp(one->study, other->study) == 0;
}

static bool was_compared(const struct compare_effect *effect)
{
    return effect->standing != STANDING_APART && effect->standing != STANDING_UNITS;
}

/* Usually the last one that was made. */
static struct compare_group *group_of(const struct compare_case *file,
                                      struct compare_report *report,
                                      const struct compare_effect *effect)
{
    for (size_t i = report->group_count; i-- > 0;)
        if (same_group(file, effect, &report->groups[i]))
            return &report->groups[i];
    struct compare_group *group = &report->groups[report->group_count++];
    *group = (struct compare_group){.quantity = effect->quantity,
                                    .side = effect->side,
                                    .unit = effect->unit,
                                    .typical = (size_t)(effect - report->effects),
                                    .p = (double)NAN,
                                    .least_p = 1,
                                    .adjusted_p = (double)NAN};
    return group;
}

/* --- which one stands for all --- */

/* An effect, and how far it is from none. */
struct member {
    double off;
    size_t effect;
};

static int by_off(const void *a, const void *b)
{
    const struct member *left = a, *right = b;
    if (left->off < right->off || left->off > right->off)
        return left->off < right->off ? -1 : 1;
    return (left->effect > right->effect) - (left->effect < right->effect);
}

static bool all_have_ratios(const struct compare_report *report, const struct member *members,
                            size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(report->effects[members[i].effect].ratio))
            return false;
    return true;
}

/* Finds the effect in the middle of the group: by ratio where a margin is in question and all have
 * one, else by shift; of two, the one that shifts less. own: among those that differ by themselves.
 */
static void compare_typical(const struct compare_case *file, const struct compare_report *report,
                            struct compare_group *group, bool own)
{
    AUTO_MEMORY struct member *members = memory_new(group->quantities + 1, sizeof(*members));
    size_t count = 0;
    for (size_t i = 0; i < report->effect_count && count < group->quantities; i++)
        if (report->effects[i].group == (size_t)(group - report->groups) &&
            (!own || report->effects[i].standing == STANDING_DIFFERS))
            members[count++].effect = i;

    if (!count)
        return;
    const bool by_ratio =
        file->quantities[group->quantity].margin > 0 && all_have_ratios(report, members, count);
    for (size_t i = 0; i < count; i++) {
        const struct compare_effect *effect = &report->effects[members[i].effect];
        members[i].off = by_ratio ? log(effect->ratio) : effect->shift;
    }
    qsort(members, count, sizeof(*members), by_off);
    const struct member *below = &members[(count - 1) / 2], *above = &members[count / 2];
    group->typical = fabs(above->off) < fabs(below->off) ? above->effect : below->effect;
}

/* --- what runs of one machine differ by --- */

/* Of the processes of one side, each as a share of the median of its quantity, the middle 90 %; and
 * the step of the clock. A machine that was now fast, now slow while it was measured may have been
 * either for all of another run, which its number of processes would not tell. */
struct side_spread {
    struct interval shares;
    double step;
};

static struct side_spread spread_of(const struct compare_case *file,
                                    const struct compare_report *report,
                                    const struct compare_group *group, size_t side)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < report->effect_count; i++)
        most += file->quantities[report->effects[i].quantity].sides[side].count;
    AUTO_MEMORY double *shares = memory_new(most, sizeof(*shares));
    struct side_spread spread = {.shares = {1, 1}};
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct compare_values *values =
            &file->quantities[report->effects[i].quantity].sides[side];
        if (report->effects[i].group != (size_t)(group - report->groups))
            continue;
        spread.step = compare_common_step(spread.step, values->step);
        double *own = shares + count;
        memcpy(own, values->list, values->count * sizeof(*own));
        sort_values(own, values->count);
        if (values->count < 2 || !(own[0] > 0))
            continue;
        const double median = quantile(own, values->count, .5);
        for (size_t j = 0; j < values->count; j++)
            own[j] /= median;
        count += values->count;
    }
    sort_values(shares, count);
    if (count)
        spread.shares =
            (struct interval){quantile(shares, count, .05), quantile(shares, count, .95)};
    return spread;
}

/* What is assumed of runs and what is seen within them, as factors, have nothing to do with each
 * other: their logarithms add up as squares. */
static double both_margins(double assumed, double seen)
{
    return expm1(hypot(log1p(assumed), log(fmax(seen, 1))));
}

/* The same work takes twice as long while somebody else is on the other thread of the core, and a
 * guest does not see that: so much, and a quarter for everything else. */
#define SHARED_MARGIN 1.5

static double assumed_margin(const struct compare_case *file, const struct compare_group *group)
{
    static const char *const costs[] = {"ns", "ticks", "cycles"};
    const struct compare_quantity *quantity = &file->quantities[group->quantity];
    bool lasts = false;
    for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
        lasts = lasts || strcmp(quantity->unit, costs[i]) == 0;
    const bool shared = file->sides[0].shared || file->sides[group->side].shared;
    return lasts && shared ? fmax(SHARED_MARGIN, quantity->margin) : quantity->margin;
}

static void take_margins(const struct compare_case *file, const struct compare_report *report,
                         struct compare_group *group)
{
    const struct compare_quantity *quantity = &file->quantities[group->quantity];
    const struct compare_side *first = &file->sides[0], *other = &file->sides[group->side];
    group->above = group->below = assumed_margin(file, group);
    if (!quantity->timed)
        return;
    const struct side_spread here = spread_of(file, report, group, 0),
                             there = spread_of(file, report, group, group->side);
    const bool turned = group->unit && strcmp(group->unit, quantity->unit) != 0;
    group->above = both_margins(group->above, here.shares.high / there.shares.low);
    group->below = both_margins(group->below, there.shares.high / here.shares.low);
    group->step =
        fmax(here.step * (turned ? first->tick_ns : 1), there.step * (turned ? other->tick_ns : 1));
}

/* --- what all say together --- */

static void take_sums(struct compare_group *group, const struct stratified *sums)
{
    const struct dominance dominance = stratified_dominance(sums, COMPARE_CONFIDENCE);
    group->delta = dominance.delta;
    group->delta_interval = dominance.interval;
    if (sums->strata < 2)
        return;
    group->p = stratified_p(sums);
    group->least_p = fmin(2 * exp(sums->log_least), 1);
}

/* ----------------------------------------------------------------------------------------------
 * All tests of a comparison are one family: clean data must accuse nobody, however many cells
 * there are. */

#define COMPARE_LEVEL (1 - COMPARE_CONFIDENCE)

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

static void adjust_take_figures(struct compare_group *group, const struct compare_effect *effect)
{
    group->delta = effect->delta;
    group->delta_interval = effect->delta_interval;
}

/* What its members say, and what they say together. of: how many stand how. */
static void conclude_group(const struct compare_case *file, struct compare_report *report,
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
        /* The figures of a group are those of its own that differ by themselves, if any do. */
        group->standing = STANDING_DIFFERS;
        compare_typical(file, report, group, true);
        adjust_take_figures(group, &report->effects[group->typical]);
        return;
    }
    if (group->quantities == 1)
        adjust_take_figures(group, typical);
    if (told && beyond)
        group->standing = STANDING_DIFFERS;
    else if (told || of[STANDING_WITHIN] || group->differing)
        group->standing = STANDING_WITHIN;
    else if (of[STANDING_UNSURE])
        group->standing = STANDING_UNSURE;
    else
        group->standing = of[STANDING_FEW] && !of[STANDING_SAME] ? STANDING_FEW : STANDING_SAME;
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

/* All tests so far are one family; what follows from each then. */
static void compare_adjust(const struct compare_case *file, struct compare_report *report)
{
    const size_t most = report->effect_count + report->group_count + report->verdict_count +
                        report->share_count + 1;
    AUTO_MEMORY struct entry *entries = memory_new(most, sizeof(*entries));
    AUTO_MEMORY struct one_test *tests = memory_new(most, sizeof(*tests));
    const size_t count = list_tests(report, entries);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct one_test){.p = entries[i].p, .least_p = entries[i].least_p};
    adjust_tests(tests, count, COMPARE_LEVEL, &report->tests);
    for (size_t i = 0; i < count; i++)
        *entries[i].adjusted = tests[i].adjusted;
    const double share = COMPARE_LEVEL / (double)(report->tests ? report->tests : 1);
    for (size_t i = 0; i < report->effect_count; i++) {
        if (isnan(report->effects[i].p))
            continue;
        if (shifts(&report->effects[i]) && is_told(report->effects[i].adjusted_p))
            report->effects[i].standing = standing_told(report, &report->effects[i]);
        else
            report->effects[i].standing =
                shifts(&report->effects[i]) && report->effects[i].least_p > share ? STANDING_FEW
                                                                                  : STANDING_SAME;
    }

    for (size_t i = 0; i < report->verdict_count; i++) {
        if (isnan(report->verdicts[i].p) || report->verdicts[i].standing != STANDING_UNSURE)
            continue;
        if (is_told(report->verdicts[i].adjusted_p) ||
            is_told_together(file, report, &report->verdicts[i]))
            report->verdicts[i].standing = STANDING_DIFFERS;
    }

    AUTO_MEMORY size_t(*of)[COMPARE_STANDINGS] = memory_new(report->group_count, sizeof(*of));
    for (size_t i = 0; i < report->effect_count; i++)
        if (report->effects[i].group != COMPARE_NO_GROUP)
            of[report->effects[i].group][report->effects[i].standing]++;
    for (size_t i = 0; i < report->group_count; i++)
        conclude_group(file, report, &report->groups[i], of[i]);
    /* What differs in a group that does not may be of the moment. */
    for (size_t i = 0; i < report->effect_count; i++) {
        struct compare_effect *effect = &report->effects[i];
        if (effect->standing != STANDING_DIFFERS ||
            report->groups[effect->group].standing == STANDING_DIFFERS)
            continue;
        effect->standing = STANDING_UNSURE;
        report->groups[effect->group].differing--;
    }
}

/* ----------------------------------------------------------------------------------------------
 * Do the sides say the same of something? What counts how many runs were alike is tested; of the
 * rest a difference is one where nobody was unsure. */

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

static bool counts_runs(const struct compare_claim *claim, size_t sides)
{
    for (size_t i = 0; i < sides; i++)
        if (claim->sides[i].word && claim->sides[i].runs)
            return true;
    return false;
}

static void judge_claim(const struct compare_case *file, struct compare_report *report,
                        size_t index, struct stratified *sums)
{
    const struct compare_claim *claim = &file->claims[index];
    struct compare_verdict *verdict = &report->verdicts[index];
    *verdict = (struct compare_verdict){.claim = index,
                                        .standing = standing_of(claim, file->side_count),
                                        .p = (double)NAN,
                                        .least_p = 1,
                                        .adjusted_p = (double)NAN};
    if (counts_runs(claim, file->side_count)) {
        /* The pair that differs most, as one of as many as there are. */
        const struct compare_word *first = NULL;
        size_t pairs = 0;
        for (size_t i = 0; i < file->side_count; i++) {
            const struct compare_word *word = &claim->sides[i];
            struct rank_test test;
            if (!word->word || !word->runs)
                continue;
            if (!first) {
                first = word;
                continue;
            }
            AUTO_MEMORY double *values = memory_new(first->runs + word->runs, sizeof(*values));
            for (size_t j = 0; j < first->hits && j < first->runs; j++)
                values[j] = 1;
            for (size_t j = 0; j < word->hits && j < word->runs; j++)
                values[first->runs + j] = 1;
            const struct two_samples samples = {values, values + first->runs, first->runs,
                                                word->runs};
            rank_test(&samples, &test);

            if (test.p > ALONE)
                stratified_add(sums_of(report, sums, claim->study), &test, first->runs, word->runs);
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
    }
}

static void compare_verdicts(const struct compare_case *file, struct compare_report *report)
{
    report->verdicts = memory_new(file->claim_count, sizeof(*report->verdicts));
    report->shares = memory_new(file->claim_count, sizeof(*report->shares));
    AUTO_MEMORY struct stratified *sums = memory_new(file->claim_count, sizeof(*sums));
    report->verdict_count = file->claim_count;
    for (size_t i = 0; i < file->claim_count; i++)
        judge_claim(file, report, i, sums);
    for (size_t i = 0; i < report->share_count; i++) {
        struct compare_shares *shares = &report->shares[i];
        shares->excess = sums[i].excess;
        shares->p = sums[i].strata > 1 ? stratified_p(&sums[i]) : (double)NAN;
        shares->least_p = fmin(2 * exp(sums[i].log_least), 1);
        shares->adjusted_p = (double)NAN;
    }
}

/* --- all sides --- */

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

void compare_judge(const struct compare_case *file, struct compare_report *report)
{
    *report = (struct compare_report){0};
    if (file->side_count < 2)
        return;
    report->fact_differs = memory_new(file->fact_count, sizeof(*report->fact_differs));
    for (size_t i = 0; i < file->fact_count; i++)
        report->fact_differs[i] = differs(&file->facts[i], file->side_count);
    const size_t others = file->side_count - 1;
    report->effects = memory_new(file->quantity_count * others + 1, sizeof(*report->effects));
    for (size_t i = 0; i < file->quantity_count * others; i++) {
        struct compare_effect *effect = &report->effects[report->effect_count];
        *effect = (struct compare_effect){.quantity = i / others,
                                          .side = 1 + i % others,
                                          .group = COMPARE_NO_GROUP,
                                          .shift = (double)NAN,
                                          .ratio = (double)NAN,
                                          .delta = (double)NAN,
                                          .first_median = (double)NAN,
                                          .median = (double)NAN,
                                          .p = (double)NAN,
                                          .adjusted_p = (double)NAN};
        measure_effect(file, effect);
        /* What neither this side nor the first has is no part of this comparison. */
        report->effect_count += effect->first_count || effect->count;
    }
    report->groups = memory_new(report->effect_count, sizeof(*report->groups));
    AUTO_MEMORY struct stratified *sums = memory_new(report->effect_count, sizeof(*sums));
    for (size_t i = 0; i < report->effect_count; i++) {
        struct compare_effect *effect = &report->effects[i];
        if (!was_compared(effect))
            continue;
        struct compare_group *group = group_of(file, report, effect);
        effect->group = (size_t)(group - report->groups);
        const struct rank_test test = {.least_p = effect->least_p,
                                       .excess = effect->rank_excess,
                                       .variance = effect->rank_variance};
        stratified_add(&sums[effect->group], &test, effect->first_count, effect->count);
        group->quantities++;
    }
    for (size_t i = 0; i < report->group_count; i++) {
        take_sums(&report->groups[i], &sums[i]);
        compare_typical(file, report, &report->groups[i], false);
        take_margins(file, report, &report->groups[i]);
    }

    compare_verdicts(file, report);
    report->deviations = memory_new(file->quantity_count, sizeof(*report->deviations));
    for (size_t i = 0; i < file->quantity_count; i++) {
        struct compare_deviation *deviation = &report->deviations[report->deviation_count];
        if (!file->quantities[i].program)
            continue;
        deviation_of(file, i, deviation);
        report->deviation_count += deviation->machines > 1 && !isnan(deviation->deviation_percent);
    }

    compare_adjust(file, report);
    report->different = compare_groups_that(report, STANDING_DIFFERS) ||
                        compare_verdicts_that(report, STANDING_DIFFERS);
}

#define THAT(of)                                                                                   \
    size_t compare_##of##s_that(const struct compare_report *report,                               \
                                enum compare_standing standing)                                    \
    {                                                                                              \
        size_t count = 0;                                                                          \
        for (size_t i = 0; i < report->of##_count; i++)                                            \
            count += report->of##s[i].standing == standing;                                        \
        return count;                                                                              \
    }

THAT(effect)
THAT(group)
THAT(verdict)

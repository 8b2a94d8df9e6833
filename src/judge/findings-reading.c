/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One judged point as evidence for a claim: how far its counts are from what was foretold, and how
 * sure that is. Shared by the rules of findings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "studies/validate/findings.h"
#include "stats/interval.h"

double reading_foretold(const struct judged_point *point, enum foretold foretold)
{
    const struct truth *truth = &point->point->truth;
    if (foretold == FORETOLD_LOOP_ENDS)
        return (double)point->point->n + 1;
    return (double)(truth->low > 0 ? truth->low : truth->high);
}

static size_t quiet_runs(const struct judged_point *point)
{
    return point->runs - point->disturbed;
}

/* A deviation of this size would lie outside a 95 % interval of this width in four of five samples.
 */
static double detectable_from(double half_width, size_t runs)
{
    double df = runs > 1 ? (double)runs - 1 : 1;
    double edge = t_quantile(0.975, df);
    return half_width * (edge + t_quantile(0.8, df)) / edge;
}

/* Deviation of the mean from the truth's limits. */
static double beyond(double mean, const struct truth *truth)
{
    if (mean < (double)truth->low)
        return mean - (double)truth->low;
    if (mean > (double)truth->high)
        return mean - (double)truth->high;
    return 0;
}

static enum finding_verdict within(double low, double high)
{
    if (low >= -WITHIN_PERCENT && high <= WITHIN_PERCENT)
        return FINDING_HOLDS;
    if (low > WITHIN_PERCENT || high < -WITHIN_PERCENT)
        return FINDING_FAILS;
    return FINDING_INCONCLUSIVE;
}

bool reading_take(const struct judgement *judgement, const struct judged_row *row,
                  const struct judged_point *point, enum foretold foretold, bool reported,
                  struct reading *reading)
{
    double count = reading_foretold(point, foretold);
    size_t quiet = quiet_runs(point);
    if (point->point->truth.grade == TRUTH_NONE || count <= 0 || quiet == 0)
        return false;
    double estimate, low, high;
    if (foretold == FORETOLD_TRUTH) {
        estimate = beyond(point->mean, &point->point->truth);
        low = point->low;
        high = point->high;
    } else {
        double df = quiet > 1 ? (double)quiet - 1 : 1;
        double half =
            quiet > 1 ? t_quantile(0.975, df) * point->stdev / sqrt((double)quiet) : HUGE_VAL;
        estimate = point->mean - count;
        low = estimate - half;
        high = estimate + half;
    }
    double added = reported ? (double)point->overhead : 0;
    *reading = (struct reading){.judgement = judgement, .row = row, .point = point};
    reading->estimate = 100 * (estimate + added) / count;
    reading->low = 100 * (low + added) / count;
    reading->high = 100 * (high + added) / count;
    reading->detectable = detectable_from((reading->high - reading->low) / 2, quiet);
    reading->verdict = within(reading->low, reading->high);
    return true;
}

bool reading_is_open(const struct reading *reading)
{
    return !isfinite(reading->low) || !isfinite(reading->high);
}

/* A single run says nothing where there are points of more. What is refuted weighs more than what
 * is open, and that more than what is confirmed; among equals the one whose interval reaches
 * furthest. */
bool reading_graver(const struct reading *one, const struct reading *other)
{
    if (reading_is_open(one) != reading_is_open(other))
        return reading_is_open(other);
    static const int gravity[] = {
        [FINDING_HOLDS] = 1, [FINDING_INCONCLUSIVE] = 2, [FINDING_FAILS] = 3};
    if (gravity[one->verdict] != gravity[other->verdict])
        return gravity[one->verdict] > gravity[other->verdict];
    return fmax(fabs(one->low), fabs(one->high)) > fmax(fabs(other->low), fabs(other->high));
}

void reading_report(const struct reading *reading, struct finding *finding)
{
    finding->verdict = reading->verdict;
    finding->has_estimate = !reading_is_open(reading);
    if (!finding->has_estimate)
        return;
    finding->estimate = reading->estimate;
    finding->low = reading->low;
    finding->high = reading->high;
    finding->detectable = reading->detectable;
}

/* Digits enough to tell 0.9 from 1.1, and none behind the point where they say nothing. */
static int digits_of(double percent)
{
    return fabs(percent) >= 10 ? 0 : fabs(percent) >= 0.1 ? 1 : 3;
}

void reading_words(const struct reading *reading, char *words, size_t size)
{
    double low = reading->low, high = reading->high, estimate = reading->estimate;
    if (!reading_is_open(reading) && high - low < 1e-9)
        snprintf(words, size, "%+.*f %%", digits_of(estimate), estimate);
    else if (!reading_is_open(reading))
        snprintf(words, size, "%+.*f %% [%+.*f, %+.*f]", digits_of(estimate), estimate,
                 digits_of(low), low, digits_of(high), high);
    else
        snprintf(words, size, "%+.*f %%, a single run", digits_of(estimate), estimate);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where one point stands: the smallest decision of the judge, from which all verdicts follow. */
#include <math.h>

#include "judge/points.h"
#include "judge/rows.h"

#define ZERO_PART  0.01 /* of N: what may be counted where nothing was to be */
#define ZERO_LEAST 100  /* N below this, times the overhead, is too small to tell */
#define WILD       0.5  /* standard deviation over count: no bias is consistent beyond this */
#define WILD_PART  0.1  /* of the truth: a count below this is as good as none */

bool grade_is_firm(enum truth_grade grade)
{
    return grade == TRUTH_PROVEN || grade == TRUTH_BOUNDED;
}

bool point_demands_counts(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    if (judged->runs == 0 || !grade_is_firm(truth->grade))
        return false;
    return judged->against_account ? point_predicted(judged) > 0 : truth->low > 0;
}

/* The most that the way itself may add or leave out. */
static double added(const struct judged_point *judged)
{
    return fmax(fabs((double)judged->overhead),
                fmax(fabs((double)judged->overhead_low), fabs((double)judged->overhead_high)));
}

static bool all_exact(const struct judged_point *judged)
{
    size_t quiet = judged->runs - judged->disturbed;
    return quiet ? judged->exact == quiet : judged->disturbed_exact == judged->runs;
}

static bool within(const struct judged_point *judged, double tolerance)
{
    return judged->low >= -tolerance && judged->high <= tolerance;
}

/* The error is beyond the tolerance, and not by chance. */
static bool surely_beyond(const struct judged_point *judged, double tolerance)
{
    return judged->strict_low > tolerance || judged->strict_high < -tolerance;
}

static enum standing zero_standing(const struct judged_point *judged)
{
    double least = ZERO_LEAST * fmax(1, added(judged)), n = (double)judged->point->n;
    return n >= least && surely_beyond(judged, ZERO_PART * n) ? STANDING_EXCESS : STANDING_SMALL;
}

bool point_is_wild(const struct judged_point *judged)
{
    double size = fmax(fabs(judged->mean), WILD_PART * fabs(point_predicted(judged)));
    return judged->runs > 1 && judged->stdev > WILD * size;
}

static enum standing off(const struct judged_point *judged,
                         const struct circumstances *circumstances)
{
    return point_is_wild(judged) && !circumstances->explained ? STANDING_UNCLEAR : STANDING_OFF;
}

/* Of a truth that outweighs the overhead. */
static enum standing weighty_standing(const struct judged_point *judged,
                                      const struct circumstances *circumstances)
{
    if (within(judged, point_tolerance(judged))) {
        if (judged->strays == 0 || !circumstances->strays_count)
            return STANDING_WITHIN;
        return circumstances->explained ? STANDING_OFF : STANDING_UNCLEAR;
    }
    if (surely_beyond(judged, 0))
        return off(judged, circumstances);
    return circumstances->explained ? STANDING_OFF : STANDING_UNCLEAR;
}

/* Of a truth that does not outweigh the overhead: as much as that. An overhead that is always the
 * same hides less: half of the truth, once that is much more than the overhead's spread. */
static double coarse_tolerance(const struct judged_point *judged)
{
    double coarse = fmax(point_tolerance(judged), added(judged));
    double spread = (double)judged->overhead_high - (double)judged->overhead_low;
    double predicted = fabs(point_predicted(judged));
    if (judged->has_overhead && predicted >= ZERO_LEAST * fmax(1, spread))
        coarse = fmin(coarse, predicted / 2);
    return coarse;
}

enum standing point_standing(const struct judged_point *judged,
                             const struct circumstances *circumstances)
{
    const struct truth *truth = &judged->point->truth;
    if (judged->runs == 0 || truth->grade == TRUTH_NONE)
        return STANDING_NONE;
    if (all_exact(judged) && (judged->has_overhead || truth->grade != TRUTH_PROVEN))
        return STANDING_EXACT;
    double predicted = point_predicted(judged);
    if (predicted == 0)
        return zero_standing(judged);
    /* A bounded truth that may be nothing still has an upper limit. */
    bool weighty =
        judged->outweighs || (!(truth->grade == TRUTH_PROVEN && !judged->against_account) &&
                              (double)truth->high >= ZERO_LEAST * added(judged));
    if (weighty)
        return weighty_standing(judged, circumstances);
    return surely_beyond(judged, coarse_tolerance(judged)) ? off(judged, circumstances)
                                                           : STANDING_SMALL;
}

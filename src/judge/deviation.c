/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a ladder that is off can be put into one sentence: stuck, a factor, an offset, off in one
 * part of the ladder only, outside limits, or none of these. */
#include <math.h>

#include "judge/note.h"
#include "judge/points.h"
#include "judge/rows.h"

#define ALIKE 0.1   /* deviations that differ by less than this part of themselves are the same */
#define FINE  0.002 /* and ratios that differ by less than this */

static const struct circumstances plain = {.explained = true, .strays_count = true};

/* What the points of a row have in common. */
struct features {
    size_t points, off, weighty;
    const struct judged_point *last;                 /* that was measured */
    const struct judged_point *first_off, *last_off; /* of those that are off */
    const struct judged_point *lightest, *heaviest;  /* of those that outweigh the overhead */
    double error_low, error_high;                    /* of all */
    double raw_low, raw_high; /* counts before the overhead was subtracted, means */
    double predicted_low, predicted_high;
};

static bool is_off(const struct judged_point *judged)
{
    enum standing standing = point_standing(judged, &plain);
    return standing == STANDING_OFF || standing == STANDING_EXCESS;
}

static bool is_right(const struct judged_point *judged)
{
    enum standing standing = point_standing(judged, &plain);
    return standing == STANDING_EXACT || standing == STANDING_WITHIN;
}

static void widen(double value, bool first, double *low, double *high)
{
    *low = first ? value : fmin(*low, value);
    *high = first ? value : fmax(*high, value);
}

static void look_at(const struct judged_point *judged, struct features *features)
{
    double predicted = point_predicted(judged);
    bool first = features->points++ == 0;
    widen(judged->mean - predicted, first, &features->error_low, &features->error_high);
    widen(judged->mean + (double)judged->overhead, first, &features->raw_low, &features->raw_high);
    widen(predicted, first, &features->predicted_low, &features->predicted_high);
    features->last = judged;
    if (judged->outweighs) {
        if (features->weighty++ == 0)
            features->lightest = judged;
        features->heaviest = judged;
    }
    if (!is_off(judged))
        return;
    if (features->off++ == 0)
        features->first_off = judged;
    features->last_off = judged;
}

static struct features features_of(const struct judged_row *row)
{
    struct features features = {0};
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].runs > 0 && row->points[i].point->truth.grade != TRUTH_NONE)
            look_at(&row->points[i], &features);
    return features;
}

static bool describe_limits(struct judged_row *row, const struct features *features)
{
    const struct judged_point *judged = features->last_off;
    if (row->grade != TRUTH_BOUNDED)
        return false;
    char n[FIGURE_SIZE], reads[FIGURE_SIZE], low[FIGURE_SIZE], high[FIGURE_SIZE];
    const struct truth *truth = &judged->point->truth;
    /* The mean may lie within although some runs do not. */
    bool above = judged->mean > (double)truth->high, below = judged->mean < (double)truth->low;
    bool up = judged->max > (double)truth->high;
    note_add(row->note, "Reads %s%s at N = %s, outside its limits of %s to %s.",
             above || below ? ""
             : up           ? "up to "
                            : "down to ",
             figure_of(above || below ? judged->mean
                       : up           ? judged->max
                                      : judged->min,
                       reads),
             figure_of((double)judged->point->n, n), figure_of((double)truth->low, low),
             figure_of((double)truth->high, high));
    return true;
}

static bool describe_stuck(struct judged_row *row, const struct features *features)
{
    if (features->predicted_high <= 2 * features->predicted_low || features->points < 2 ||
        features->raw_high - features->raw_low > 0.01 * fabs(features->raw_high) + 0.5 ||
        features->predicted_high < 2)
        return false;
    char value[FIGURE_SIZE];
    note_add(row->note, "Stuck: reads %s whatever was done.",
             figure_of(round(features->raw_high), value));
    return true;
}

static bool describe_excess(struct judged_row *row, const struct features *features)
{
    const struct judged_point *judged = features->last_off;
    if (features->predicted_high != 0 || features->predicted_low != 0)
        return false;
    char n[FIGURE_SIZE], mean[FIGURE_SIZE];
    note_add(row->note, "Counts %s at N = %s where there is nothing to count.",
             figure_of(judged->mean, mean), figure_of((double)judged->point->n, n));
    return true;
}

/* Is this factor the factor of every point that outweighs the overhead? Integers round. */
static bool factor_fits(const struct judged_row *row, double factor)
{
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        double predicted = point_predicted(judged);
        double allowed = fmax(1, fmax(FINE, ALIKE * fabs(factor - 1)) * predicted);
        if (judged->outweighs && judged->runs > 0 &&
            fabs(judged->mean - factor * predicted) > allowed)
            return false;
    }
    return true;
}

static bool describe_factor(struct judged_row *row, const struct features *features)
{
    if (features->weighty == 0)
        return false;
    double factor = features->heaviest->mean / point_predicted(features->heaviest);
    if (fabs(factor - 1) < FINE || !factor_fits(row, factor))
        return false;
    char first[FIGURE_SIZE], last[FIGURE_SIZE];
    figure_of((double)features->lightest->point->n, first);
    figure_of((double)features->heaviest->point->n, last);
    if (features->weighty == 1)
        note_add(row->note, "Reads %.3f of the truth at N = %s.", factor, last);
    else
        note_add(row->note, "Reads %.3f of the truth at every N from %s to %s.", factor, first,
                 last);
    return true;
}

static bool describe_offset(struct judged_row *row, const struct features *features)
{
    double middle = (features->error_low + features->error_high) / 2;
    double range = features->error_high - features->error_low;
    bool alike = range <= ALIKE * fabs(middle) || (range <= 1 && fabs(middle) >= 2);
    if (features->points < 2 || !alike || fabs(middle) < 0.5)
        return false;
    char offset[FIGURE_SIZE];
    note_add(row->note, "Is off by %s at every N.", signed_figure(middle, offset));
    return true;
}

/* Right in one part of the ladder, off in the other. */
static bool describe_part(struct judged_row *row, const struct features *features)
{
    const struct judged_point *before = NULL, *after = NULL;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        if (judged->runs == 0)
            continue;
        if (judged < features->first_off && is_right(judged))
            before = judged;
        if (judged > features->last_off && is_right(judged) && !after)
            after = judged;
    }
    size_t stretch = (size_t)(features->last_off - features->first_off) + 1;
    if (stretch != features->off || (!before == !after))
        return false;
    const struct judged_point *example = before ? features->last_off : features->first_off;
    char border[FIGURE_SIZE], n[FIGURE_SIZE], mean[FIGURE_SIZE], truth[FIGURE_SIZE];
    figure_of((double)(before ? before : after)->point->n, border);
    note_add(row->note, "Right %s N = %s, off %s it: reads %s of %s at N = %s.",
             before ? "up to" : "from", border, before ? "above" : "below",
             figure_of(example->mean, mean), figure_of(point_predicted(example), truth),
             figure_of((double)example->point->n, n));
    return true;
}

static void describe_range(struct judged_row *row, const struct features *features)
{
    char low[FIGURE_SIZE], high[FIGURE_SIZE];
    if (features->points == 1) {
        note_add(row->note, "Reads %s where %s was predicted.",
                 figure_of(features->last->mean, low),
                 figure_of(point_predicted(features->last), high));
        return;
    }
    note_add(row->note, "Errors range from %s to %s; no constant offset or factor describes them.",
             signed_figure(features->error_low, low), signed_figure(features->error_high, high));
}

void describe_deviation(struct judged_row *row)
{
    static bool (*const descriptions[])(struct judged_row *, const struct features *) = {
        describe_limits, describe_stuck,  describe_excess,
        describe_factor, describe_offset, describe_part,
    };
    struct features features = features_of(row);
    if (features.off == 0)
        return;
    for (size_t i = 0; i < sizeof(descriptions) / sizeof(*descriptions); i++)
        if (descriptions[i](row, &features))
            return;
    describe_range(row, &features);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ladders: the points of an event that differ in N only, and the line through their counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/least-squares.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * How a ladder that is off can be put into one sentence: stuck, a factor, an offset, off in one
 * part of the ladder only, outside limits, or none of these. */

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

static void widen(double value, bool first, double *low, double *high)
{
    *low = first ? value : fmin(*low, value);
    *high = first ? value : fmax(*high, value);
}

static void look_at(const struct judged_point *judged, struct features *features)
{
    double predicted = point_predicted(judged);
    enum standing standing = point_standing(judged, &plain);
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
    if (standing != STANDING_OFF && standing != STANDING_EXCESS)
        return;
    if (features->off++ == 0)
        features->first_off = judged;
    features->last_off = judged;
}

static bool describe_limits(struct judged_row *row, const struct features *features)
{
    const struct judged_point *judged = features->last_off;
    const struct truth *truth = &judged->point->truth;
    if (row->grade != TRUTH_BOUNDED)
        return false;
    /* The mean may lie within although some runs do not. */
    bool outside = judged->mean > (double)truth->high || judged->mean < (double)truth->low;
    bool up = judged->max > (double)truth->high;
    SAY(&row->why, OUTSIDE_LIMITS,
        outside ? (const char *)NULL
        : up    ? "up to"
                : "down to",
        outside ? judged->mean
        : up    ? judged->max
                : judged->min,
        judged->point->n, truth->low, truth->high);
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
    if (features->weighty == 1)
        SAY(&row->why, FACTOR_ONCE, factor, features->heaviest->point->n);
    else
        SAY(&row->why, FACTOR, factor, features->lightest->point->n, features->heaviest->point->n);
    return true;
}

/* Right in one part of the ladder, off in the other. */
static bool describe_part(struct judged_row *row, const struct features *features)
{
    const struct judged_point *before = NULL, *after = NULL;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        enum standing standing = point_standing(judged, &plain);
        if (standing != STANDING_EXACT && standing != STANDING_WITHIN)
            continue;
        if (judged < features->first_off)
            before = judged;
        if (judged > features->last_off && !after)
            after = judged;
    }
    size_t stretch = (size_t)(features->last_off - features->first_off) + 1;
    if (stretch != features->off || (!before == !after))
        return false;
    const struct judged_point *example = before ? features->last_off : features->first_off;
    if (before)
        SAY(&row->why, RIGHT_UP_TO, before->point->n, example->mean, point_predicted(example),
            example->point->n);
    else
        SAY(&row->why, RIGHT_FROM, after->point->n, example->mean, point_predicted(example),
            example->point->n);
    return true;
}

/* The note on the factor or offset of a row that is off: "reads 1.020 of the truth at every N". */
static void describe_deviation(struct judged_row *row)
{
    struct features features = {0};
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].runs > 0 && row->points[i].point->truth.grade != TRUTH_NONE)
            look_at(&row->points[i], &features);
    if (features.off == 0 || describe_limits(row, &features))
        return;
    if (features.points >= 2 && features.predicted_high > 2 * features.predicted_low &&
        features.predicted_high >= 2 &&
        features.raw_high - features.raw_low <= 0.01 * fabs(features.raw_high) + 0.5) {
        SAY(&row->why, STUCK, round(features.raw_high));
        return;
    }
    if (features.predicted_high == 0 && features.predicted_low == 0) {
        SAY(&row->why, EXCESS, features.last_off->mean, features.last_off->point->n);
        return;
    }
    if (describe_factor(row, &features))
        return;
    double middle = (features.error_low + features.error_high) / 2;
    double range = features.error_high - features.error_low;
    bool alike = range <= ALIKE * fabs(middle) || (range <= 1 && fabs(middle) >= 2);
    if (features.points >= 2 && alike && fabs(middle) >= 0.5)
        SAY(&row->why, OFFSET, middle);
    else if (describe_part(row, &features))
        return;
    else if (features.points == 1)
        SAY(&row->why, ONE_POINT, features.last->mean, point_predicted(features.last));
    else
        SAY(&row->why, SCATTERED, features.error_low, features.error_high);
}

/* ----------------------------------------------------------------------------------------------
 * The verdict on one ladder, and the sentence that goes with it. */

#define TELLING 100 /* times what the overhead varies: as much as a truth must outweigh it */

/* How many points of a row stand where. */
struct tally {
    size_t of[STANDING_COUNT];
    size_t telling; /* exact or within, and not hidden by what the overhead varies */
    size_t predict; /* points whose truth, of whatever grade, is not zero */
    size_t demand;  /* points whose truth says that something was to be counted … */
    size_t zero;    /* … and of those the ones that read nothing but 0 */
    size_t wild;    /* … and the ones whose counts are all over the place */
    size_t wide;    /* points within limits that tell little … */
    const struct judged_point *widest; /* … and the last of these */
    size_t ignored;                    /* runs that got no counter */
    size_t failed;                     /* points that could not be measured */
};

static struct tally tally_row(const struct judged_row *row,
                              const struct circumstances *circumstances)
{
    struct tally tally = {0};
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        enum standing standing = point_standing(judged, circumstances);
        double predicted = point_predicted(judged);
        bool demands = point_demands_counts(judged);
        tally.of[standing]++;
        /* Where the overhead varies as much as the counts themselves, some agree by luck. */
        const bool right =
            standing == STANDING_WITHIN ||
            (standing == STANDING_EXACT && predicted >= TELLING * overhead_spread(judged));
        const bool vague = right && demands && !point_limits_tell(judged);
        tally.telling += right && !vague;
        tally.wide += vague;
        if (vague)
            tally.widest = judged;
        tally.predict += judged->runs > 0 && predicted != 0;
        tally.demand += demands;
        tally.zero += demands && judged->is_zero;
        tally.wild += demands && point_is_wild(judged);
        tally.ignored += judged->unscheduled;
        tally.failed += judged->point->failed > 0;
    }
    return tally;
}

/* No point of it could be judged at all. */
static void judge_unmeasured(struct judged_row *row, const struct tally *tally)
{
    const char *why = NULL;
    bool left_out = true; /* planned, but the run ended before it was measured */
    for (size_t i = 0; i < row->point_count; i++) {
        const struct point *point = row->points[i].point;
        why = why ? why : point->failure_reason;
        left_out &= point->run_count == 0 && point->truth.grade != TRUTH_NONE;
    }
    row->verdict = VERDICT_UNJUDGED;
    if (tally->ignored > 0 && row->points[0].runs == 0) {
        row->verdict = VERDICT_UNSCHEDULED;
        SAY(&row->why, NO_COUNTER, tally->ignored);
    } else if (tally->failed > 0) {
        SAY(&row->why, FAILED, why ? why : "the probe gave no reason.");
    } else if (left_out) {
        SAY(&row->why, NO_TURN);
    } else {
        SAY(&row->why, NO_PREDICTION);
    }
}

static void describe_noise(struct judged_row *row, const struct tally *tally,
                           const struct circumstances *circumstances)
{
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        bool unclear = point_standing(judged, circumstances) == STANDING_UNCLEAR;
        const double truth = point_predicted(judged);
        if (!unclear && (tally->of[STANDING_UNCLEAR] > 0 || !point_is_wild(judged)))
            continue;
        if (judged->runs == 1)
            SAY(&row->why, ONE_RUN, judged->mean, judged->point->n, truth);
        else
            SAY(&row->why, SPREAD, judged->point->n, judged->min, judged->max, truth,
                judged->runs - judged->disturbed);
        return;
    }
    const struct judged_point *last = &row->points[row->point_count - 1];
    SAY(&row->why, NULL_SPREAD, last->overhead_low, last->overhead_high);
}

/* Are all counts what a model says? That proves nothing: whoever is right may be so by chance. */
static bool fits_model(const struct tally *tally)
{
    return tally->predict > 0 && tally->of[STANDING_UNCLEAR] + tally->of[STANDING_OFF] +
                                         tally->of[STANDING_EXCESS] + tally->of[STANDING_SMALL] ==
                                     0;
}

static void describe_fine(struct judged_row *row)
{
    /* The N of the points that count for the verdict, and the largest error that their intervals
     * leave open. */
    double percent = 0;
    uint64_t first = 0, last = 0;
    bool any = false;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        double predicted = fabs(point_predicted(judged));
        if (judged->runs == 0 ||
            (row->verdict == VERDICT_ACCURATE && row->grade == TRUTH_PROVEN && !judged->outweighs))
            continue;
        last = judged->point->n;
        first = any ? first : last;
        any = true;
        /* Below a hundred, half a count is more than the one percent. */
        if (predicted >= 100 && isfinite(judged->low))
            percent = fmax(percent, 100 * fmax(fabs(judged->low), fabs(judged->high)) / predicted);
    }
    if (row->verdict == VERDICT_EXACT)
        SAY(&row->why, EXACT_LADDER, first, last);
    else if (row->grade == TRUTH_BOUNDED)
        SAY(&row->why, WITHIN_LIMITS, first, last);
    else if (row->grade == TRUTH_MODEL && percent == 0)
        SAY(&row->why, EQUALS_MODEL, first, last);
    else if (row->grade == TRUTH_MODEL)
        SAY(&row->why, WITHIN_MODEL, percent, first, last);
    else
        SAY(&row->why, WITHIN, percent, first, last);
}

static void describe_unjudged(struct judged_row *row, const struct tally *tally)
{
    const struct judged_point *last = &row->points[row->point_count - 1];
    double predicted = point_predicted(last);
    if (row->grade == TRUTH_MODEL && fits_model(tally))
        describe_fine(row);
    else if (row->grade == TRUTH_MODEL && predicted != 0)
        SAY(&row->why, OFF_MODEL, last->mean / predicted);
    else if (row->grade == TRUTH_BOUNDED && tally->widest)
        SAY(&row->why, WIDE_LIMITS, tally->widest->point->truth.low,
            tally->widest->point->truth.high, tally->widest->point->n);
    else if (row->grade == TRUTH_BOUNDED)
        SAY(&row->why, WEAK_LIMITS);
    else if (tally->demand == 0 && tally->of[STANDING_SMALL])
        SAY(&row->why, NEARLY_ZERO);
    else if (tally->demand == 0)
        SAY(&row->why, ZERO);
    else
        SAY(&row->why, TOO_SMALL, last->overhead);
}

static enum verdict decide(const struct judged_row *row, const struct tally *tally,
                           const struct circumstances *circumstances)
{
    size_t off = tally->of[STANDING_OFF] + tally->of[STANDING_EXCESS];
    size_t unclear = tally->of[STANDING_UNCLEAR], small = tally->of[STANDING_SMALL];
    if (tally->demand > 0 && tally->zero == tally->demand)
        return VERDICT_DEAD;
    if (!grade_is_firm(row->grade))
        return VERDICT_UNJUDGED;
    if (unclear > 0)
        return VERDICT_NOISY;
    if (off > 0)
        return VERDICT_BIASED;
    if (tally->demand == 0)
        return VERDICT_UNJUDGED;
    if (row->grade == TRUTH_PROVEN && tally->of[STANDING_WITHIN] + small == 0)
        return VERDICT_EXACT;
    if (tally->telling > 0)
        return VERDICT_ACCURATE;
    if (tally->wide > 0)
        return VERDICT_UNJUDGED;
    /* Nothing outweighs what the way adds. Where that is noise, differing from run to run by more
     * than half of itself, it is too much of it. */
    const struct judged_point *last = &row->points[row->point_count - 1];
    double spread = overhead_spread(last);
    bool unsteady = spread > 0.5 * fabs((double)last->overhead) && spread > 1;
    /* What has an explanation is no noise. */
    const bool noisy = (tally->wild == tally->demand && !circumstances->explained) || unsteady;
    return noisy ? VERDICT_NOISY : VERDICT_UNJUDGED;
}

void judge_row(struct judged_row *row, const struct circumstances *circumstances)
{
    struct tally tally = tally_row(row, circumstances);
    row->cause = CAUSE_NONE;
    row->why = (struct reasons){0};
    if (tally.of[STANDING_NONE] == row->point_count) {
        judge_unmeasured(row, &tally);
        return;
    }
    row->verdict = decide(row, &tally, circumstances);
    switch (row->verdict) {
    case VERDICT_DEAD:
        SAY(&row->why, DEAD_LADDER, tally.demand);
        break;
    case VERDICT_NOISY:
        describe_noise(row, &tally, circumstances);
        break;
    case VERDICT_BIASED:
        describe_deviation(row);
        break;
    case VERDICT_EXACT:
    case VERDICT_ACCURATE:
        describe_fine(row);
        break;
    default:
        describe_unjudged(row, &tally);
        break;
    }
}

/* ----------------------------------------------------------------------------------------------
 * Runs that a verdict does not rest on: strays, disturbed ones, those without a counter. Whether
 * they may be left aside, and what is said of them, so that none are hidden. */

#define STRAY_PART 4   /* more than one in so many points with strays is no chance … */
#define STRAY_RARE 200 /* … where more than one in so many runs is one */

/* Strays are an accident in few points, and a property of the counter in many. */
bool too_many_strays(const struct judgement *judgement)
{
    size_t points = 0, with = 0, runs = 0, strays = 0;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (!judged->outweighs)
            continue;
        points++;
        runs += judged->runs;
        strays += judged->strays;
        with += judged->strays > 0;
    }
    /* In a thousand runs of every point there is a rare one nearly everywhere. */
    return with > 1 && with * STRAY_PART > points && strays * STRAY_RARE > runs;
}

/* Disturbed runs that are not exact, and the largest error among them. A fault that strayed in is
 * there to be counted by an event that counts faults. */
static size_t disturbed_wrong(const struct judgement *judgement, double *most)
{
    const char *class = judgement->evidence->class;
    bool is_of_faults = class && strcmp(class, "page-faults") == 0;
    size_t wrong = 0;
    *most = 0;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        double own = (double)judged->point->faults, usual = (double)judged->usual_faults;
        for (size_t k = 0; k < judged->point->run_count; k++) {
            const struct evidence_run *run = &judged->point->runs[k];
            double error, faults = (double)account_faults(&run->account);
            if (!run_is_disturbed(judged, run) || !run_error(judged, run, &error) || error == 0 ||
                (is_of_faults && own >= 0 && error == faults - own - usual))
                continue;
            wrong++;
            *most = fabs(error) > fabs(*most) ? error : *most;
        }
    }
    return wrong;
}

void note_disturbed(struct judgement *judgement)
{
    double most, percent = 100 * (double)judgement->disturbed / (double)judgement->runs;
    if (judgement->disturbed == 0)
        return;
    size_t wrong = disturbed_wrong(judgement, &most);
    if (wrong == 0) {
        SAY(&judgement->why, DISTURBED_RIGHT, percent);
        if (judgement->usual)
            judgement->usual = judgement->why.count;
    } else {
        SAY(&judgement->why, DISTURBED_WRONG, percent, wrong, judgement->disturbed, most);
    }
}

/* --- the line --- */

/* Of runs that are judged: what each was to count, which of limits nobody knows, and its count. */
static size_t gather_line(const struct judged_row *row, double *x, double *y)
{
    size_t count = 0;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        const struct truth *truth = &judged->point->truth;
        if (!judged->against_account && (truth->grade == TRUTH_NONE || truth->low != truth->high))
            continue;
        for (size_t j = 0; j < judged->point->run_count; j++) {
            const struct evidence_run *run = &judged->point->runs[j];
            wide value;
            if (!run_is_judged(judged, run) || !run_count_of(run, &value))
                continue;
            x[count] = judged->against_account ? (double)account_switches(&run->account) -
                                                     (double)judged->usual_switches
                                               : (double)truth->low;
            y[count++] = (double)(value - judged->overhead);
        }
    }
    return count;
}

static void fit_row(struct judged_row *row)
{
    size_t most = 0;
    for (size_t i = 0; i < row->point_count; i++)
        most += row->points[i].runs;
    AUTO_MEMORY double *x = memory_new(most, sizeof(*x));
    AUTO_MEMORY double *y = memory_new(most, sizeof(*y));
    size_t count = gather_line(row, x, y);
    bool differ = false;
    for (size_t i = 1; i < count; i++)
        differ |= x[i] != x[0];
    if (count < 3 || !differ)
        return;
    struct least_squares fit;
    struct coefficient intercept, slope;
    int error = straight_line(x, y, count, &fit, &intercept, &slope);
    if (error == 0 && !intercept.aliased && !slope.aliased)
        row->fit = (struct judged_fit){true,           intercept.value,    intercept.low,
                                       intercept.high, slope.value,        slope.low,
                                       slope.high,     fit.residual_stdev, fit.r_squared};
}

/* --- the ladders --- */

static struct judged_row *row_for(struct judgement *judgement, const struct point *point)
{
    for (size_t i = 0; i < judgement->row_count; i++) {
        struct judged_row *row = &judgement->rows[i];
        if (strcmp(row->specimen, point->specimen) == 0 && strcmp(row->path, point->path) == 0 &&
            strcmp(row->core, point->core) == 0 && row->pattern == point->pattern &&
            row->counters == point->counters)
            return row;
    }
    struct judged_row *row = memory_add(judgement->rows, judgement->row_count);
    row->specimen = point->specimen;
    row->path = point->path;
    row->core = point->core;
    row->pattern = point->pattern;
    row->counters = point->counters;
    return row;
}

static int by_n(const void *left, const void *right)
{
    const struct point *a = ((const struct judged_point *)left)->point;
    const struct point *b = ((const struct judged_point *)right)->point;
    return a->n != b->n ? (a->n < b->n ? -1 : 1) : a < b ? -1 : 1; /* equals as planned */
}

/* The weakest claim that still binds: proven where any point is. */
static enum truth_grade row_grade(const struct judged_row *row)
{
    enum truth_grade best = TRUTH_NONE; /* of the others the first is the best */
    for (size_t i = 0; i < row->point_count; i++) {
        enum truth_grade grade = point_grade(&row->points[i]);
        if (grade != TRUTH_NONE && (best == TRUTH_NONE || grade < best))
            best = grade;
    }
    return best;
}

void gather_rows(struct judgement *judgement)
{
    const struct evidence *evidence = judgement->evidence;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        if (point->is_null)
            continue;
        struct judged_row *row = row_for(judgement, point);
        struct judged_point *judged = memory_add(row->points, row->point_count);
        judge_point(evidence, point, judged);
        judgement->runs += judged->runs;
        judgement->disturbed += judged->disturbed;
    }
    for (size_t i = 0; i < judgement->row_count; i++) {
        struct judged_row *row = &judgement->rows[i];
        row->judgement = judgement;
        qsort(row->points, row->point_count, sizeof(*row->points), by_n);
        for (size_t j = 0; j < row->point_count; j++) {
            row->points[j].row = row;
            *memory_add(judgement->points, judgement->point_count) = &row->points[j];
        }
        row->grade = row_grade(row);
        fit_row(row);
    }
}

bool row_matters(const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].outweighs)
            return true;
    return false;
}

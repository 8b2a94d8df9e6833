/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ladders: the points of an event that differ in N only, and the line through their counts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
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

/* The note on the factor or offset of a row that is off: "reads 1.020 of the truth at every N". */
static void describe_deviation(struct judged_row *row)
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

/* ----------------------------------------------------------------------------------------------
 * The verdict on one ladder, and the sentence that goes with it. */

#define TELLING 100 /* times what the overhead varies: as much as a truth must outweigh it */

/* How many points of a row stand where. */
struct tally {
    size_t exact, within, small, unclear, off, excess, none;
    size_t telling; /* exact or within, and not hidden by what the overhead varies */
    size_t predict; /* points whose truth, of whatever grade, is not zero */
    size_t demand;  /* points whose truth says that something was to be counted … */
    size_t zero;    /* … and of those the ones that read nothing but 0 */
    size_t wild;    /* … and the ones whose counts are all over the place */
    size_t ignored; /* runs that got no counter */
    size_t failed;  /* points that could not be measured */
};

/* Is a point that is right right for certain? Where the overhead varies as much as the counts
 * themselves, some agree by luck. */
static bool is_telling(const struct judged_point *judged, enum standing standing)
{
    double varies = (double)judged->overhead_high - (double)judged->overhead_low;
    return standing == STANDING_WITHIN ||
           (standing == STANDING_EXACT && point_predicted(judged) >= TELLING * varies);
}

static struct tally tally_row(const struct judged_row *row,
                              const struct circumstances *circumstances)
{
    struct tally tally = {0};
    size_t *const of[] = {
        [STANDING_NONE] = &tally.none,       [STANDING_EXACT] = &tally.exact,
        [STANDING_WITHIN] = &tally.within,   [STANDING_SMALL] = &tally.small,
        [STANDING_UNCLEAR] = &tally.unclear, [STANDING_OFF] = &tally.off,
        [STANDING_EXCESS] = &tally.excess,
    };
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        enum standing standing = point_standing(judged, circumstances);
        (*of[standing])++;
        tally.telling += is_telling(judged, standing);
        bool demands = point_demands_counts(judged);
        tally.predict += judged->runs > 0 && point_predicted(judged) != 0;
        tally.demand += demands;
        tally.zero += demands && judged->is_zero;
        tally.wild += demands && point_is_wild(judged);
        tally.ignored += judged->unscheduled;
        tally.failed += judged->point->failed > 0;
    }
    return tally;
}

/* The N of the points that count for a verdict, and the largest error that their intervals leave
 * open, in percent. */
struct reach {
    double first, last, percent;
    bool any;
};

static bool counts_for(const struct judged_row *row, const struct judged_point *judged)
{
    if (judged->runs == 0)
        return false;
    return row->verdict != VERDICT_ACCURATE || row->grade != TRUTH_PROVEN || judged->outweighs;
}

static struct reach reach_of(const struct judged_row *row)
{
    struct reach reach = {0};
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        double predicted = fabs(point_predicted(judged));
        if (!counts_for(row, judged))
            continue;
        reach.last = (double)judged->point->n;
        reach.first = reach.any ? reach.first : reach.last;
        reach.any = true;
        /* Below a hundred, half a count is more than the one percent. */
        if (predicted >= 100 && isfinite(judged->low))
            reach.percent =
                fmax(reach.percent, 100 * fmax(fabs(judged->low), fabs(judged->high)) / predicted);
    }
    return reach;
}

static const char *why_unmeasured(const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].point->failure_reason)
            return row->points[i].point->failure_reason;
    return NULL;
}

/* Planned, but the run ended before it was measured. */
static bool was_left_out(const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].point->run_count > 0 || row->points[i].point->truth.grade == TRUTH_NONE)
            return false;
    return true;
}

/* No point of it could be judged at all. */
static void judge_unmeasured(struct judged_row *row, const struct tally *tally)
{
    const char *why = why_unmeasured(row);
    row->verdict = VERDICT_UNJUDGED;
    if (tally->ignored > 0 && tally->none == row->point_count && row->points[0].runs == 0) {
        row->verdict = VERDICT_UNSCHEDULED;
        note_add(row->note, "The counter never got time on the PMU: %zu runs with running time 0.",
                 tally->ignored);
    } else if (tally->failed > 0) {
        note_add(row->note, "Could not be measured: %.300s",
                 why ? why : "the probe gave no reason.");
    } else if (was_left_out(row)) {
        note_add(row->note, "Was not measured: the run ended before its turn came.");
    } else {
        note_add(row->note, "This code predicts nothing for the event.");
    }
}

static void describe_noise(struct judged_row *row, const struct tally *tally,
                           const struct circumstances *circumstances)
{
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        bool unclear = point_standing(judged, circumstances) == STANDING_UNCLEAR;
        if (!unclear && (tally->unclear > 0 || !point_is_wild(judged)))
            continue;
        char n[FIGURE_SIZE], low[FIGURE_SIZE], high[FIGURE_SIZE], truth[FIGURE_SIZE];
        if (judged->runs == 1) {
            note_add(row->note,
                     "Reads %s at N = %s where %s was predicted, in a single run: more are needed "
                     "to tell noise from a bias.",
                     figure_of(judged->mean, low), figure_of((double)judged->point->n, n),
                     figure_of(point_predicted(judged), truth));
            return;
        }
        note_add(row->note,
                 "At N = %s counts range from %s to %s where %s was predicted: too much to "
                 "judge from %zu runs.",
                 figure_of((double)judged->point->n, n), figure_of(judged->min, low),
                 figure_of(judged->max, high), figure_of(point_predicted(judged), truth),
                 judged->runs - judged->disturbed);
        return;
    }
    const struct judged_point *last = &row->points[row->point_count - 1];
    char low[FIGURE_SIZE], high[FIGURE_SIZE];
    note_add(row->note,
             "What is counted without any code ranges from %s to %s: too much for the counts here.",
             figure_of((double)last->overhead_low, low),
             figure_of((double)last->overhead_high, high));
}

static void describe_fine(struct judged_row *row)
{
    char first[FIGURE_SIZE], last[FIGURE_SIZE];
    struct reach reach = reach_of(row);
    figure_of(reach.first, first);
    figure_of(reach.last, last);
    if (row->verdict == VERDICT_EXACT)
        note_add(row->note, "Every quiet run equals the truth, N from %s to %s.", first, last);
    else if (row->grade == TRUTH_BOUNDED)
        note_add(row->note,
                 "Lies within the limits that can be stated, N from %s to %s; no more can be said.",
                 first, last);
    else if (row->grade == TRUTH_MODEL && reach.percent == 0)
        note_add(row->note, "Equals what the model says, N from %s to %s; a model proves nothing.",
                 first, last);
    else
        note_add(row->note, "Within %s %% of %s, N from %s to %s.", ROUNDED(reach.percent, 2),
                 row->grade == TRUTH_MODEL ? "what the model says" : "the truth", first, last);
}

static void describe_unjudged(struct judged_row *row, const struct tally *tally)
{
    char ratio[FIGURE_SIZE], overhead[FIGURE_SIZE];
    const struct judged_point *last = &row->points[row->point_count - 1];
    double predicted = point_predicted(last);
    if (row->grade == TRUTH_MODEL && predicted != 0)
        note_add(row->note, "Reads %s of what the model says; a model proves nothing.",
                 figure_of(last->mean / predicted, ratio));
    else if (row->grade == TRUTH_BOUNDED)
        note_add(row->note,
                 "Lies within the limits that can be stated, but these allow for zero as well.");
    else if (tally->demand == 0)
        note_add(row->note, tally->small ? "Predicts zero; a few were counted, too few to matter."
                                         : "Predicts zero, and zero was read.");
    else
        note_add(row->note,
                 "Counts are too small against the overhead of %s to be judged; a larger N is "
                 "needed.",
                 figure_of((double)last->overhead, overhead));
}

/* What the way adds differs from run to run by more than half of itself. */
static bool overhead_is_unsteady(const struct judged_row *row)
{
    const struct judged_point *last = &row->points[row->point_count - 1];
    double spread = (double)last->overhead_high - (double)last->overhead_low;
    return spread > 0.5 * fabs((double)last->overhead) && spread > 1;
}

static enum verdict decide(const struct judged_row *row, const struct tally *tally)
{
    if (tally->demand > 0 && tally->zero == tally->demand)
        return VERDICT_DEAD;
    if (!grade_is_firm(row->grade))
        return tally->predict > 0 && tally->unclear + tally->off + tally->excess + tally->small == 0
                   ? VERDICT_ACCURATE
                   : VERDICT_UNJUDGED;
    if (tally->unclear > 0)
        return VERDICT_NOISY;
    if (tally->off + tally->excess > 0)
        return VERDICT_BIASED;
    if (tally->demand == 0)
        return VERDICT_UNJUDGED;
    if (row->grade == TRUTH_PROVEN && tally->within + tally->small == 0)
        return VERDICT_EXACT;
    if (tally->telling > 0)
        return VERDICT_ACCURATE;
    /* Nothing outweighs what the way adds. Where that is noise, it is too much of it. */
    return tally->wild == tally->demand || overhead_is_unsteady(row) ? VERDICT_NOISY
                                                                     : VERDICT_UNJUDGED;
}

void judge_row(struct judged_row *row, const struct circumstances *circumstances)
{
    struct tally tally = tally_row(row, circumstances);
    row->cause = CAUSE_NONE;
    row->note[0] = '\0';
    if (tally.none == row->point_count) {
        judge_unmeasured(row, &tally);
        return;
    }
    row->verdict = decide(row, &tally);
    switch (row->verdict) {
    case VERDICT_DEAD:
        note_add(row->note, "Reads 0 in all of %zu points although there was something to count.",
                 tally.demand);
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
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++) {
            const struct judged_point *judged = &judgement->rows[i].points[j];
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

/* A fault that strayed in is there to be counted by an event that counts faults. */
static bool follows_account(const struct judgement *judgement, const struct judged_point *judged,
                            const struct evidence_run *run, double error)
{
    const char *class = judgement->evidence->class;
    return class && strcmp(class, "page-faults") == 0 && judged->point->faults >= 0 &&
           error == (double)account_faults(&run->account) - (double)judged->point->faults -
                        (double)judged->usual_faults;
}

/* Disturbed runs that are not exact, and the largest error among them. */
static size_t disturbed_wrong(const struct judgement *judgement, double *most)
{
    size_t wrong = 0;
    *most = 0;
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++) {
            const struct judged_point *judged = &judgement->rows[i].points[j];
            for (size_t k = 0; k < judged->point->run_count; k++) {
                const struct evidence_run *run = &judged->point->runs[k];
                double error;
                if (!run_is_disturbed(judged, run) || !run_error(judged, run, &error) ||
                    error == 0 || follows_account(judgement, judged, run, error))
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
    char figure[FIGURE_SIZE];
    if (judgement->disturbed == 0)
        return;
    size_t wrong = disturbed_wrong(judgement, &most);
    if (wrong == 0) {
        note_add(judgement->note,
                 "%.1f %% of the runs were disturbed, and count right all the same.", percent);
        if (judgement->usual)
            judgement->usual = strlen(judgement->note);
    } else
        note_add(judgement->note,
                 "%.1f %% of the runs were disturbed; %zu of these %zu count something else (by up "
                 "to %s).",
                 percent, wrong, judgement->disturbed, signed_figure(most, figure));
}

void note_drift(struct judgement *judgement)
{
    struct drift drift = compare_runs_in_turn(judgement);
    if (!drift.found)
        return;
    if (judgement->cause == CAUSE_NONE || judgement->cause == CAUSE_INTERFACE_OVERHEAD)
        judgement->cause = CAUSE_UNKNOWN;
    note_add(judgement->note,
             "Runs of a process count %s each time, in most of %zu processes: the counter drifts "
             "or is not set back.",
             drift.up ? "more" : "less", drift.processes);
}

void note_unscheduled(struct judgement *judgement, size_t unscheduled)
{
    if (unscheduled > 0)
        note_add(judgement->note, "%.1f %% of the runs got no counter and say nothing.",
                 100 * (double)unscheduled / (double)(judgement->runs + unscheduled));
}

/* ----------------------------------------------------------------------------------------------
 * Ladders: the points of an event that differ in N only, and the line through their counts. */

/* --- the line --- */

static size_t fitted_runs(const struct judged_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->point_count; i++)
        count += row->points[i].runs;
    return count;
}

/* What the run was to count; of limits nobody knows. */
static bool run_truth(const struct judged_point *judged, const struct evidence_run *run,
                      double *predicted)
{
    const struct truth *truth = &judged->point->truth;
    if (judged->against_account) {
        *predicted = (double)account_switches(&run->account) - (double)judged->usual_switches;
        return true;
    }
    *predicted = (double)truth->low;
    return truth->grade != TRUTH_NONE && truth->low == truth->high;
}

static size_t gather_line(const struct judged_row *row, double *x, double *y)
{
    size_t count = 0;
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *judged = &row->points[i];
        for (size_t j = 0; j < judged->point->run_count; j++) {
            const struct evidence_run *run = &judged->point->runs[j];
            wide value;
            if (!run_is_judged(judged, run) || !run_count_of(run, &value) ||
                !run_truth(judged, run, &x[count]))
                continue;
            y[count++] = (double)(value - judged->overhead);
        }
    }
    return count;
}

static bool differ(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return true;
    return false;
}

/* -ENOMEM. */
static int fit_row(struct judged_row *row)
{
    size_t most = fitted_runs(row);
    if (most < 3)
        return 0;
    AUTO_FREE double *x = reallocarray(NULL, most, sizeof(*x));
    AUTO_FREE double *y = reallocarray(NULL, most, sizeof(*y));
    if (!x || !y)
        return -ENOMEM;
    size_t count = gather_line(row, x, y);
    if (count < 3 || !differ(x, count))
        return 0;
    struct least_squares fit;
    struct coefficient intercept, slope;
    int error = straight_line(x, y, count, &fit, &intercept, &slope);
    if (error == -ENOMEM)
        return error;
    row->fit.known = error == 0 && !intercept.aliased && !slope.aliased;
    if (!row->fit.known)
        return 0;
    row->fit = (struct judged_fit){true,           intercept.value,    intercept.low,
                                   intercept.high, slope.value,        slope.low,
                                   slope.high,     fit.residual_stdev, fit.r_squared};
    return 0;
}

/* --- the ladders --- */

static bool belongs(const struct judged_row *row, const struct point *point)
{
    return strcmp(row->specimen, point->specimen) == 0 && strcmp(row->path, point->path) == 0 &&
           strcmp(row->core, point->core) == 0 && row->pattern == point->pattern &&
           row->counters == point->counters;
}

static struct judged_row *row_for(struct judgement *judgement, const struct point *point)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        if (belongs(&judgement->rows[i], point))
            return &judgement->rows[i];
    struct judged_row *grown =
        reallocarray(judgement->rows, judgement->row_count + 1, sizeof(*grown));
    if (!grown)
        return NULL;
    judgement->rows = grown;
    struct judged_row *row = &grown[judgement->row_count++];
    *row = (struct judged_row){.specimen = point->specimen,
                               .path = point->path,
                               .core = point->core,
                               .pattern = point->pattern,
                               .counters = point->counters};
    return row;
}

static struct judged_point *append_point(struct judged_row *row)
{
    struct judged_point *grown =
        reallocarray(row->points, row->point_count + 1, sizeof(*row->points));
    if (!grown)
        return NULL;
    row->points = grown;
    return &grown[row->point_count++];
}

static int by_n(const void *left, const void *right)
{
    const struct point *a = ((const struct judged_point *)left)->point;
    const struct point *b = ((const struct judged_point *)right)->point;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return a < b ? -1 : 1; /* as planned */
}

/* The weakest claim that still binds: proven where any point is. */
static enum truth_grade row_grade(const struct judged_row *row)
{
    static const enum truth_grade best[] = {TRUTH_PROVEN, TRUTH_BOUNDED, TRUTH_MODEL};
    for (size_t i = 0; i < sizeof(best) / sizeof(*best); i++)
        for (size_t j = 0; j < row->point_count; j++) {
            const struct judged_point *judged = &row->points[j];
            enum truth_grade grade =
                judged->against_account ? TRUTH_PROVEN : judged->point->truth.grade;
            if (grade == best[i])
                return grade;
        }
    return TRUTH_NONE;
}

int gather_rows(struct judgement *judgement)
{
    const struct evidence *evidence = judgement->evidence;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *point = &evidence->points[i];
        if (point->is_null)
            continue;
        struct judged_row *row = row_for(judgement, point);
        struct judged_point *judged = row ? append_point(row) : NULL;
        if (!judged)
            return -ENOMEM;
        int error = judge_point(evidence, point, judged);
        if (error < 0)
            return error;
        judgement->runs += judged->runs;
        judgement->disturbed += judged->disturbed;
    }
    for (size_t i = 0; i < judgement->row_count; i++) {
        struct judged_row *row = &judgement->rows[i];
        qsort(row->points, row->point_count, sizeof(*row->points), by_n);
        row->grade = row_grade(row);
        int error = fit_row(row);
        if (error < 0)
            return error;
    }
    return 0;
}

bool row_matters(const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++)
        if (row->points[i].outweighs)
            return true;
    return false;
}

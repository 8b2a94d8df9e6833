/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict on one ladder, and the sentence that goes with it. */
#include <math.h>

#include "judge/note.h"
#include "judge/points.h"
#include "judge/rows.h"

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

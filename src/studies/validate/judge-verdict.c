/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict on one event by itself, from all of its rows: the first in order of precedence that
 * applies. What other events say of it comes later (relations.c). */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/validate/judge.h"
#include "judge/explain.h"
#include "judge/note.h"
#include "judge/points.h"

#define EXPLAINED_SHARE 0.5 /* of the squared errors: what is left is no longer most of it */

/* How many rows came to what. */
struct verdicts {
    size_t of[VERDICT_COUNT];
    size_t firm[VERDICT_COUNT];   /* of those on proven or bounded truths */
    size_t noisy;                 /* of the noisy ones those that speak against the counter */
    size_t inexact;               /* points on firm truths with a run that is not exact */
    size_t demand, zero, exact;   /* points that demand counts; that read 0; that are exact */
    size_t proven_exact;          /* points that demand counts by a proven truth, exact */
    size_t runs, unscheduled;     /* over all points */
    size_t measured, model, none; /* points with runs; of them with a model, with no truth */
};

static void count_point(const struct judged_point *judged,
                        const struct circumstances *circumstances, struct verdicts *verdicts)
{
    enum truth_grade grade = judged->against_account ? TRUTH_PROVEN : judged->point->truth.grade;
    verdicts->runs += judged->runs;
    verdicts->unscheduled += judged->unscheduled;
    verdicts->measured += judged->runs > 0;
    verdicts->model += judged->runs > 0 && grade == TRUTH_MODEL;
    verdicts->none += judged->runs > 0 && grade == TRUTH_NONE;
    bool demands = point_demands_counts(judged);
    enum standing standing = point_standing(judged, circumstances);
    verdicts->demand += demands;
    verdicts->zero += demands && judged->is_zero;
    if (!grade_is_firm(grade) || standing == STANDING_NONE)
        return;
    verdicts->inexact += standing != STANDING_EXACT;
    verdicts->exact += standing == STANDING_EXACT;
    verdicts->proven_exact += demands && grade == TRUTH_PROVEN && standing == STANDING_EXACT;
}

/* Another way counts this very code right? Then what drowns the counts of this one is no noise of
 * the code. */
static bool is_right_elsewhere(const struct judgement *judgement, const struct judged_row *row)
{
    const struct judged_point *last = &row->points[row->point_count - 1];
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *other = &judgement->rows[i];
        if ((other->verdict != VERDICT_EXACT && other->verdict != VERDICT_ACCURATE) ||
            strcmp(other->specimen, row->specimen) != 0)
            continue;
        for (size_t j = 0; j < other->point_count; j++)
            if (other->points[j].runs > 0 && other->points[j].point->n == last->point->n)
                return true;
    }
    return false;
}

/* Noise that speaks against the counter: at an N that matters; or all over the place at the largest
 * N, where nothing matters only because the null cell of the way is as wild, and another way shows
 * how it should be. */
static bool noise_counts(const struct judgement *judgement, const struct judged_row *row)
{
    if (row->verdict != VERDICT_NOISY || !grade_is_firm(row->grade))
        return false;
    return row_matters(row) || (point_is_wild(&row->points[row->point_count - 1]) &&
                                is_right_elsewhere(judgement, row));
}

static struct verdicts count_verdicts(const struct judgement *judgement,
                                      const struct circumstances *circumstances)
{
    struct verdicts verdicts = {0};
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        verdicts.of[row->verdict]++;
        verdicts.firm[row->verdict] += grade_is_firm(row->grade);
        verdicts.noisy += noise_counts(judgement, row);
        for (size_t j = 0; j < row->point_count; j++)
            count_point(&row->points[j], circumstances, &verdicts);
    }
    return verdicts;
}

static enum verdict decide(const struct verdicts *verdicts)
{
    if (verdicts->runs == 0)
        return verdicts->unscheduled > 0 ? VERDICT_UNSCHEDULED : VERDICT_UNJUDGED;
    if (verdicts->demand > 0 && verdicts->zero == verdicts->demand)
        return VERDICT_DEAD;
    /* Where other code shows the counter to be right, small counts may drown in what the way adds.
     */
    size_t right = verdicts->firm[VERDICT_EXACT] + verdicts->firm[VERDICT_ACCURATE];
    if (verdicts->noisy > 0 || (verdicts->firm[VERDICT_NOISY] > 0 && right == 0))
        return VERDICT_NOISY;
    /* Dead on some code, alive on other. */
    bool deviates = verdicts->firm[VERDICT_BIASED] + verdicts->firm[VERDICT_DEAD] > 0;
    if (!deviates && verdicts->inexact == 0 && verdicts->proven_exact > 0)
        return VERDICT_EXACT;
    if (deviates)
        return VERDICT_BIASED;
    if (right > 0)
        return VERDICT_ACCURATE;
    /* Nothing but models: all of them must fit. */
    size_t firm_unjudged = verdicts->firm[VERDICT_UNJUDGED];
    return verdicts->of[VERDICT_ACCURATE] > 0 && verdicts->of[VERDICT_UNJUDGED] == firm_unjudged
               ? VERDICT_ACCURATE
               : VERDICT_UNJUDGED;
}

/* --- the note --- */

static bool row_demands(const struct judged_row *row)
{
    for (size_t i = 0; i < row->point_count; i++)
        if (point_demands_counts(&row->points[i]))
            return true;
    return false;
}

/* The row that shows the verdict best: the first that has it, and rather one that predicts
 * something than one that predicts zero. */
static const struct judged_row *row_with(const struct judgement *judgement, enum verdict verdict)
{
    const struct judged_row *found = NULL;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (row->verdict == verdict && row_demands(row))
            return row;
        if (row->verdict == verdict && !found)
            found = row;
    }
    return found;
}

static void note_row(struct judgement *judgement, enum verdict verdict, size_t others)
{
    const struct judged_row *row = row_with(judgement, verdict);
    if (!row)
        return;
    if (judgement->row_count == 1)
        note_add(judgement->note, "%s", row->note);
    else if (others > 1)
        note_add(judgement->note, "%.60s (one of %zu that deviate): %s", row->specimen, others,
                 row->note);
    else
        note_add(judgement->note, "%.60s: %s", row->specimen, row->note);
}

static void note_overhead(struct judgement *judgement)
{
    char overhead[FIGURE_SIZE], low[FIGURE_SIZE], high[FIGURE_SIZE];
    const struct judged_point *first = &judgement->rows[0].points[0];
    const char *path = judgement->rows[0].path;
    figure_of(fabs((double)judgement->overhead), overhead);
    if (first->overhead_low != first->overhead_high)
        note_add(judgement->note, "%.40s adds %s%s to every count (%s to %s).", path,
                 judgement->overhead < 0 ? "-" : "", overhead,
                 figure_of((double)first->overhead_low, low),
                 figure_of((double)first->overhead_high, high));
    else if (judgement->overhead < 0)
        note_add(judgement->note, "%.40s takes %s away from every count.", path, overhead);
    else
        note_add(judgement->note, "%.40s adds %s to every count.", path, overhead);
}

/* What each run was compared with, where that is no function of N. */
static void note_account(struct judgement *judgement)
{
    if (judgement->row_count > 0 && judgement->rows[0].points[0].against_account)
        note_add(judgement->note, "Each run is held against the system's own account of it "
                                  "(getrusage), not against N.");
}

/* Of an event of which there is no point at all. */
static void note_unplanned(struct judgement *judgement)
{
    const struct evidence *evidence = judgement->evidence;
    const char *reason = evidence->reason;
    if (!reason)
        note_add(judgement->note, "No specimen here predicts %.60s.", evidence->class);
    else if (!*reason)
        note_add(judgement->note, "Was not measured: the run ended before its turn came.");
    else
        note_add(judgement->note, "%c%s.", toupper((unsigned char)*reason), reason + 1);
}

static void note_unjudged(struct judgement *judgement, const struct verdicts *verdicts)
{
    const struct evidence *evidence = judgement->evidence;
    if (!evidence->class)
        note_add(judgement->note,
                 "What it counts is not known, so that no specimen can be held against it.");
    else if (judgement->row_count == 0)
        note_unplanned(judgement);
    else if (verdicts->measured == 0 || verdicts->measured > verdicts->none)
        note_row(judgement, VERDICT_UNJUDGED, 1);
    else
        note_add(judgement->note, "No specimen that was measured predicts %.60s.", evidence->class);
}

static void note_exact(struct judgement *judgement, const struct verdicts *verdicts)
{
    note_add(judgement->note, "Every quiet run equals the truth, at %s%zu point%s.",
             verdicts->exact > 1 ? "each of " : "", verdicts->exact,
             verdicts->exact > 1 ? "s" : "");
    judgement->usual = strlen(judgement->note);
}

static void note_accurate(struct judgement *judgement)
{
    /* Exact wherever it could be judged, but not everywhere. */
    bool any = row_with(judgement, VERDICT_ACCURATE) != NULL;
    note_row(judgement, any ? VERDICT_ACCURATE : VERDICT_EXACT, 1);
}

static void write_note(struct judgement *judgement, const struct verdicts *verdicts)
{
    switch (judgement->verdict) {
    case VERDICT_UNJUDGED:
        note_unjudged(judgement, verdicts);
        break;
    case VERDICT_EXACT:
        note_exact(judgement, verdicts);
        break;
    case VERDICT_ACCURATE:
        note_accurate(judgement);
        break;
    case VERDICT_DEAD:
        note_add(judgement->note, "Reads 0 in every run of %zu points where counts were certain.",
                 verdicts->demand);
        break;
    case VERDICT_BIASED:
        note_row(judgement, verdicts->firm[VERDICT_BIASED] ? VERDICT_BIASED : VERDICT_DEAD,
                 verdicts->of[VERDICT_BIASED]);
        break;
    default:
        note_row(judgement, judgement->verdict, verdicts->of[judgement->verdict]);
        break;
    }
}

/* --- the cause --- */

static void take_explanation(struct judgement *judgement, const struct explained *explained)
{
    if (explained->count == 0)
        return;
    judgement->cause = explained->list[0].cause;
    if (explained->note[0]) {
        char rest[NOTE_SIZE];
        memcpy(rest, judgement->note, sizeof(rest));
        judgement->note[0] = '\0';
        note_add(judgement->note, "%s", explained->note);
        note_add(judgement->note, "%s", rest);
    }
}

static void note_first_runs(struct judgement *judgement, const struct first_runs *first)
{
    if (judgement->cause == CAUSE_UNKNOWN || judgement->cause == CAUSE_NONE)
        judgement->cause = first->error < 0 ? CAUSE_LOST_COUNTS : CAUSE_UNKNOWN;
    note_add(judgement->note,
             "The first run of a process differs from the others, in most of %zu processes (by "
             "%+.1f %% of the truth).",
             first->processes, 100 * first->error);
}

static bool processes_differ(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0; j < judgement->rows[i].point_count; j++)
            if (judgement->rows[i].points[j].processes_differ)
                return true;
    return false;
}

static void find_cause(struct judgement *judgement, const struct verdicts *verdicts,
                       const struct explained *explained, const struct first_runs *first)
{
    bool deviates = judgement->verdict == VERDICT_NOISY || judgement->verdict == VERDICT_BIASED;
    if (deviates)
        judgement->cause = CAUSE_UNKNOWN;
    if (deviates || judgement->verdict == VERDICT_ACCURATE) {
        take_explanation(judgement, explained);
        if (first->differ)
            note_first_runs(judgement, first);
    }
    if (judgement->verdict == VERDICT_DEAD)
        judgement->cause = CAUSE_UNKNOWN;
    bool fine = judgement->verdict == VERDICT_EXACT || judgement->verdict == VERDICT_ACCURATE;
    if (fine || deviates)
        note_disturbed(judgement);
    if (fine && judgement->has_overhead && judgement->overhead != 0) {
        if (judgement->cause == CAUSE_NONE)
            judgement->cause = CAUSE_INTERFACE_OVERHEAD;
        note_overhead(judgement);
    }
    if (deviates && explained->count == 0 && processes_differ(judgement))
        note_add(judgement->note, "Whole processes differ from one another.");
    if ((fine || deviates) && !judgement->has_overhead)
        note_add(judgement->note,
                 "No null cell was measured: whatever the interface adds is still in the counts.");
    if (fine || deviates) {
        note_drift(judgement);
        note_unscheduled(judgement, verdicts->unscheduled);
        note_account(judgement);
    }
}

/* A row that deviates has the event's cause; one that is exact or dead tells its own. */
static void hand_down_cause(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->row_count; i++) {
        struct judged_row *row = &judgement->rows[i];
        const struct judged_point *first = &row->points[0];
        if (row->verdict == VERDICT_NOISY || row->verdict == VERDICT_BIASED)
            row->cause = judgement->cause;
        else if (row->verdict == VERDICT_DEAD)
            row->cause = CAUSE_UNKNOWN;
        else if ((row->verdict == VERDICT_EXACT || row->verdict == VERDICT_ACCURATE) &&
                 first->overhead != 0)
            row->cause = CAUSE_INTERFACE_OVERHEAD;
    }
}

/* --- all of it --- */

static double explained_share(const struct explained *explained)
{
    double share = 0;
    for (size_t i = 0; i < explained->count; i++)
        share += explained->list[i].share;
    return share;
}

static void judge_refused(const struct evidence *evidence, struct judgement *judgement)
{
    judgement->verdict = VERDICT_UNSUPPORTED;
    if (evidence->error == EACCES || evidence->error == EPERM)
        judgement->cause = CAUSE_PERMISSION;
    note_add(judgement->note, "%s",
             evidence->reason && evidence->reason[0] ? evidence->reason
                                                     : strerror(evidence->error));
}

static void keep_explanations(struct judgement *judgement, const struct explained *explained)
{
    memcpy(judgement->explanations, explained->list, sizeof(explained->list));
    judgement->explanation_count = explained->count;
    memcpy(judgement->fits, explained->fits, sizeof(judgement->fits));
}

int judge_event(const struct evidence *evidence, uint64_t seed, struct judgement *judgement)
{
    judgement->evidence = evidence;
    int error = gather_rows(judgement);
    if (error < 0)
        return error;
    if (evidence->error != 0 && judgement->runs == 0) {
        judge_refused(evidence, judgement);
        for (size_t i = 0; i < judgement->row_count; i++)
            judgement->rows[i].verdict = VERDICT_UNSUPPORTED;
        return 0;
    }
    struct explained explained = {0};
    if (judgement->runs > 0)
        error = explain(judgement, seed, &explained);
    if (error < 0)
        return error;
    struct first_runs first = compare_first_runs(judgement);
    struct circumstances circumstances = {
        .explained = first.differ || explained_share(&explained) >= EXPLAINED_SHARE,
        .strays_count = first.differ || too_many_strays(judgement),
    };
    for (size_t i = 0; i < judgement->row_count; i++)
        judge_row(&judgement->rows[i], &circumstances);
    struct verdicts verdicts = count_verdicts(judgement, &circumstances);
    judgement->verdict = decide(&verdicts);
    if (judgement->row_count > 0) {
        judgement->has_overhead = judgement->rows[0].points[0].has_overhead;
        judgement->overhead = judgement->rows[0].points[0].overhead;
    }
    keep_explanations(judgement, &explained);
    write_note(judgement, &verdicts);
    find_cause(judgement, &verdicts, &explained, &first);
    hand_down_cause(judgement);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs that a verdict does not rest on: strays, disturbed ones, those without a counter. Whether
 * they may be left aside, and what is said of them, so that none are hidden. */
#include <math.h>
#include <string.h>

#include "studies/validate/judge.h"
#include "judge/explain.h"
#include "judge/note.h"
#include "judge/points.h"

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

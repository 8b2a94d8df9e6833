/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From points to ladders, and where each point of a ladder stands. */
#pragma once

#include "studies/validate/study.h"

/* Where a point stands against its truth. */
enum standing {
    STANDING_NONE,    /* nothing was counted, or nothing predicts it */
    STANDING_EXACT,   /* every judged run equals the truth, or lies within its limits */
    STANDING_WITHIN,  /* it matters, and the interval of its error is within the tolerance */
    STANDING_SMALL,   /* too small against the overhead to say more than that it is not far off */
    STANDING_UNCLEAR, /* neither within nor off */
    STANDING_OFF,     /* off, and surely so */
    STANDING_EXCESS,  /* nothing was to be counted, and far too much was */
};

/* What is known of the event as a whole when its points are looked at. */
struct circumstances {
    bool explained;    /* most of the errors have an explanation: they are no noise */
    bool strays_count; /* too many points have strays for chance */
};

enum standing point_standing(const struct judged_point *judged,
                             const struct circumstances *circumstances);
/* Truth that says that something was to be counted: more than zero for certain. */
bool point_demands_counts(const struct judged_point *judged);
/* Counts that are all over the place are off by no amount that could be stated. */
bool point_is_wild(const struct judged_point *judged);
/* Does the grade allow for exact, dead and biased? */
bool grade_is_firm(enum truth_grade grade);

/* Groups the points of the judgement's evidence into rows, sums up every point, fits every ladder.
 * judgement->evidence must be set. -ENOMEM. */
int gather_rows(struct judgement *judgement);
/* -ENOMEM. */
int fit_row(struct judged_row *row);
/* Verdict, and the note that goes with it; the cause is the event's, where the row deviates. */
void judge_row(struct judged_row *row, const struct circumstances *circumstances);
/* The same for the factor or offset of a row that is off: "reads 1.020 of the truth at every N". */
void describe_deviation(struct judged_row *row);
/* Does the truth outweigh the overhead anywhere on this ladder? Where it does not, noise says
 * little of the counter. */
bool row_matters(const struct judged_row *row);

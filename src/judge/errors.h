/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The errors of all runs of one event, point by point: what every explanation looks at. An
 * explanation that was found takes its part out of them (a run that wrapped is unwrapped, a lost
 * one is left out), and what remains is laid before the next. */
#pragma once

#include "studies/validate/study.h"

struct error_run {
    const struct evidence_run *run;
    double error; /* count minus overhead minus truth */
    bool disturbed, multiplexed;
    bool left_out; /* an explanation has claimed it */
};

struct error_point {
    const struct judged_point *judged;
    const struct point *point;
    double truth;     /* predicted count; of a bounded truth its lower limit */
    bool proven;      /* … to the count: the others have shapes, but no place in a regression */
    bool far_outside; /* of the limits of a bounded truth: it has a place all the same */
    bool left_out;    /* an explanation has claimed it */
    struct error_run *runs;
    size_t run_count;
    /* Of the quiet runs that are not left out: */
    size_t quiet, processes;
    double spread;   /* between the quartiles of the errors */
    double location; /* of the error; robust */
    double sigma;    /* of the location, at least half a count */
    double excess;   /* variance of the location that only shows between processes */
    bool constant;   /* all of them are equal */
    double enabled;  /* mean, s */
    double interrupts, faults;
    size_t way; /* points with the same one have their overhead from the same null cell … */
    double added_noise;    /* counts that runs of this way differ by however small they are */
    double overhead_sigma; /* … and share its error */
};

struct errors {
    const struct judgement *judgement;
    struct error_point *points; /* null cells and points without truth are not among them */
    size_t count;
    size_t way_count;
    bool all_zero;   /* every run reads 0 before anything is subtracted */
    bool exact;      /* no point that is not left out shows any noise */
    double noise_df; /* how well the points' sigmas are known */
};

/* -ENOMEM. */
int errors_collect(const struct judgement *judgement, struct errors *errors);
/* Location and sigma of every point, from the runs that are not left out. -ENOMEM. */
int errors_sum_up(struct errors *errors);
/* Steps of it. One point by itself: its variance stands in sigma until the noise is settled; the
 * degrees of freedom behind it are returned. values, work: room for all of its runs. */
double error_point_sum_up(struct error_point *point, double *values, double *work);
int errors_settle_noise(struct errors *errors);
void errors_release(struct errors *errors);

/* Does the point take part in a regression? */
bool error_point_counts(const struct error_point *point);
/* The count of a run: what was reported, less the overhead, not extrapolated. */
double run_count_raw(const struct error_point *point, const struct error_run *run);

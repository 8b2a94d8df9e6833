/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A single point that is off by more than noise makes, where nothing that all points have in common
 * says why: too little for a cause, too much to be silent. */
#include <math.h>

#include "judge/explaining.h"
#include "judge/note.h"

#define SIGMAS_LEAST 5.0 /* of the point's mean: far beyond what the worst of many would be */
#define QUIET_LEAST  5   /* runs, for a mean and its spread to be known */

int explain_point(struct explaining *explaining)
{
    const struct errors *errors = &explaining->errors;
    const struct error_point *worst = NULL;
    double most = SIGMAS_LEAST;
    if (explaining->explained->count > 0)
        return 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double sigmas = fabs(point->location) / hypot(point->sigma, point->overhead_sigma);
        if (error_point_counts(point) && point->quiet >= QUIET_LEAST && sigmas > most) {
            worst = point;
            most = sigmas;
        }
    }
    if (!worst)
        return 0;
    double half = 2 * fabs(worst->location) / most;
    /* It explains nothing: the share stays 0. */
    struct explanation found = {.cause = CAUSE_UNKNOWN,
                                .per = "run",
                                .size = worst->location,
                                .low = worst->location - half,
                                .high = worst->location + half};
    explaining_add(explaining, &found,
                   "%.60s is off by %s [%s, %s] at N = %s, more than noise makes.",
                   worst->point->specimen, ROUNDED(found.size, 4), ROUNDED(found.low, 4),
                   ROUNDED(found.high, 4), FIGURE((double)worst->point->n));
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why an event deviates: what the errors of all its points have in common. Called by the judge once
 * rows and points are summed up; decides no verdict. */
#pragma once

#include "studies/validate/study.h"

/* What was found, best first. */
struct explained {
    struct explanation list[EXPLANATIONS_MOST];
    size_t count;
    char fits[64];        /* the class that the event counts instead; "" */
    char note[NOTE_SIZE]; /* the first of them as a sentence with its size; "" when count is 0 */
};

/* Looks at judgement->rows (points, overheads), not at their verdicts. Reports what is significant
 * even where it is small: the verdict may still be accurate. Nothing found: count 0.
 * 0 or -ENOMEM. */
int explain(const struct judgement *judgement, uint64_t seed, struct explained *explained);

/* The error of one run of a judged point: count minus overhead minus truth (0 within limits); false
 * for a run that got no counter, or that has no truth. */
bool run_error(const struct judged_point *point, const struct evidence_run *run, double *error);
/* Did a second account see more than the code does itself? */
bool run_is_disturbed(const struct judged_point *point, const struct evidence_run *run);

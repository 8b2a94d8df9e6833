/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the runs of one point to what they say: the first step of the judge. Whether a count is
 * exact is decided in integers here; everything later works on doubles. */
#pragma once

#include "studies/validate/study.h"

__extension__ typedef __int128 wide;

/* The count of a run as a signed number: one above 2^63 is a difference that went below zero.
 * Extrapolated where the counter had the PMU part of the time, to the nearest. false: it never had
 * it. */
bool run_count_of(const struct evidence_run *run, wide *count);
bool run_is_multiplexed(const struct evidence_run *run);
/* Page faults, and context switches, of both kinds. */
int64_t account_faults(const struct account *account);
int64_t account_switches(const struct account *account);

/* The error of a run, exactly: see run_error in explain.h. */
bool run_exact_error(const struct judged_point *judged, const struct evidence_run *run,
                     wide *error);

/* What the null cell of a point's way says: overhead and its spread, the way's own account.
 * Without such a cell has_overhead stays false. -ENOMEM. */
int measure_overhead(const struct evidence *evidence, struct judged_point *judged);

/* Fills judged from the point, which it points to. -ENOMEM. */
int judge_point(const struct evidence *evidence, const struct point *point,
                struct judged_point *judged);

/* What 1 % of the truth is, but never less than half a count: no integer comes closer. */
double point_tolerance(const struct judged_point *judged);
/* The truth as one number: the middle of the limits; of an account the mean over the runs. */
double point_predicted(const struct judged_point *judged);

/* Calls for every quiet run that got a counter (for every one of them when none is quiet). */
bool run_is_judged(const struct judged_point *judged, const struct evidence_run *run);

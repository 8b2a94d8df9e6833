/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of comparing, in the order in which the judge takes them. Each: 0 or -ENOMEM. */
#pragma once

#include "judge/compare/report.h"

#define COMPARE_LEVEL (1 - COMPARE_CONFIDENCE)

int compare_effects(const struct compare_case *file, struct compare_report *report);
int compare_groups(const struct compare_case *file, struct compare_report *report);
int compare_verdicts(const struct compare_case *file, struct compare_report *report);
int compare_deviations(const struct compare_case *file, struct compare_report *report);
/* All tests so far are one family; what follows from each then. */
int compare_adjust(const struct compare_case *file, struct compare_report *report);

/* Finds the effect in the middle of the group: by ratio where a margin is in question and all have
 * one, else by shift; of two, the one that shifts less. own: among those that differ by themselves.
 */
int compare_typical(const struct compare_case *file, const struct compare_report *report,
                    struct compare_group *group, bool own);

/* Is this effect of the group beyond what runs of one machine differ by? */
bool compare_beyond(const struct compare_group *group, const struct compare_effect *effect);

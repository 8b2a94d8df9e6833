/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Do idle states matter? Sleeps with CPUs held awake against plain ones: what clocks show of them,
 * and how late they end. */
#pragma once

#include "judge/clocks/replicates.h"
#include "studies/clocks/study.h"

/* By how many ns sleeps were longer than asked for. */
struct idle_sleeps {
    struct replicate_list plain, awake;
};
int idle_add_sleep(struct idle_sleeps *sleeps, bool awake, double late_ns);
void idle_release(struct idle_sleeps *sleeps);
/* Fills what concerns sleeps, and the sentence. Sorts the lists. */
void idle_compare(const struct clocks_case *file, const struct clocks_report *report,
                  struct idle_sleeps *sleeps, struct clocks_disturbances *seen);

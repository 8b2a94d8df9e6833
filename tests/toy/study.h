/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A study to begin another one from: how many ticks an empty window takes, and whether it always
 * takes as many. CONTRIBUTING.md ("Add a study") is about this one, and a test builds it.
 *
 *     study.c   options, plan, loading, what it says: its entry in the driver
 *     judge.c   from samples to a verdict; pure */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What was measured. */
struct toy_case {
    double *ticks; /* of every window */
    size_t count;
};

/* What the judge says of it. */
struct toy_report {
    double least, median, most;
    bool steady; /* half of the windows are within a fifth of the median */
};
struct toy_report toy_judge(const struct toy_case *file);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far CPUs are apart, by round trips between them. */
#include "judge/clocks/report.h"

int clocks_judge_pairs(const struct clocks_case *file, struct clocks_report *report)
{
    (void)file, (void)report;
    return 0;
}

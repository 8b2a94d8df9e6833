/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How fast a clock runs, against what it claims. */
#include "judge/clocks/report.h"

int clocks_judge_rates(const struct clocks_case *file, struct clocks_report *report)
{
    (void)file, (void)report;
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What host, scheduler and idle states did meanwhile. */
#include "judge/clocks/report.h"

int clocks_judge_disturbances(const struct clocks_case *file, struct clocks_report *report)
{
    (void)file, (void)report;
    return 0;
}

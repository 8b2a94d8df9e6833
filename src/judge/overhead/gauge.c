/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is the core ours? */
#include "judge/overhead/report.h"

int overhead_judge_gauges(const struct overhead_case *file, struct overhead_report *report)
{
    (void)file, (void)report;
    return 0;
}

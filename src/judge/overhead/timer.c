/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What metering itself costs. */
#include "judge/overhead/report.h"

int overhead_judge_timers(const struct overhead_case *file, struct overhead_report *report)
{
    (void)file, (void)report;
    return 0;
}

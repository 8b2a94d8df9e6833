/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which factors matter. */
#include "judge/error/report.h"

int error_judge_factors(const struct error_case *file, struct error_report *report)
{
    (void)file, (void)report;
    return 0;
}

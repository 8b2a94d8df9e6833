/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop at many places. */
#include "judge/error/report.h"

int error_judge_placement(const struct error_case *file, uint64_t seed, struct error_report *report)
{
    (void)file, (void)seed, (void)report;
    return 0;
}

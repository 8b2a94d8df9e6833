/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What clocks are compared with, and what that proves. */
#include "judge/clocks/report.h"

int clocks_find_reference(const struct clocks_case *file, struct clocks_report *report)
{
    (void)file, (void)report;
    return 0;
}

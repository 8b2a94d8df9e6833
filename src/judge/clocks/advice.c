/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which clock for what. */
#include "judge/clocks/report.h"

int clocks_advise(const struct clocks_case *file, struct clocks_report *report)
{
    (void)file, (void)report;
    return 0;
}

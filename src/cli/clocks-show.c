/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `assay clocks`, for people. */
#include "cli/clocks.h"

void clocks_put_report(const struct clocks_run *run, const struct style *style, struct text *out)
{
    (void)style;
    text_printf(out, "%zu looks\n", run->report.looks);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `assay clocks`, for programs. */
#include "cli/clocks.h"

json_t *clocks_results_json(const struct clocks_run *run)
{
    (void)run;
    return json_array();
}

json_t *clocks_analysis_json(const struct clocks_run *run)
{
    (void)run;
    return json_object();
}

json_t *clocks_findings_json(const struct clocks_run *run)
{
    (void)run;
    return json_array();
}

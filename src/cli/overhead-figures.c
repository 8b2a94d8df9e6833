/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay overhead`. */
#include "cli/overhead.h"

#include "show/figure.h"

json_t *overhead_figures(const struct overhead_run *run)
{
    (void)run;
    return json_array();
}

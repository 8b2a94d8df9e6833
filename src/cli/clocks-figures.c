/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay clocks`. */
#include "cli/clocks.h"

#include "show/figure.h"

json_t *clocks_figures(const struct clocks_run *run)
{
    (void)run;
    return json_array();
}

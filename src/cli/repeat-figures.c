/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay repeat`. */
#include "cli/repeat.h"

#include "show/figure.h"

json_t *repeat_figures(const struct repeat_run_of *run)
{
    (void)run;
    return json_array();
}

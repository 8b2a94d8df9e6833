/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay error`. */
#include "cli/error.h"

#include "show/figure.h"

json_t *error_figures(const struct erring *erring)
{
    (void)erring;
    return json_array();
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay validate`. */
#include "cli/validate.h"

#include "show/figure.h"

json_t *validate_figures(const struct validating *validating)
{
    (void)validating;
    return json_array();
}

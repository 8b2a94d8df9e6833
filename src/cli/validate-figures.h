/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files that make figures of `assay validate` share. */
#pragma once

#include "studies/validate/parts.h"

#define VALIDATE_FIGURE_ROWS 1000u

/* Has it runs that can be held against one number? */
bool validate_is_comparable(const struct judged_point *point);
/* Of a count, from the point's truth; NAN where that is zero. */
double validate_percent(const struct judged_point *point, double count);

json_t *validate_figure_verdicts(const struct judgements *judgements);
json_t *validate_figure_specimens(const struct judgements *judgements);
json_t *validate_figure_overhead(const struct judgements *judgements);
json_t *validate_figure_explanations(const struct judgements *judgements);

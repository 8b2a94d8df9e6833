/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has the parts judged that compare figures of processes. Include after cmocka.h. */
#pragma once

#include "overhead-judging.h"

/* Every report up to the figures, and the part itself. */

static inline struct overhead_report judge_figures(const struct overhead_builder *builder)
{
    struct overhead_report report = judge_passes(builder);
    overhead_judge_figures(&builder->file, &report);
    return report;
}

static inline struct overhead_report judge_part(const struct overhead_builder *builder,
                                                overhead_judge_part *part)
{
    struct overhead_report report = judge_figures(builder);
    part(&builder->file, &report);
    return report;
}

/* A number that is none is told by isnan; -Wfloat-conversion keeps it out of assert_true. */
#define assert_nan(value) assert_true(isnan(value) != 0)

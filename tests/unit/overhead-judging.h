/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Has built cases of overhead judged, up to the part that a test is about. Include after cmocka.h.
 */
#pragma once

#include <stdio.h>

#include "overhead-builder.h"
#include "studies/overhead/study.h"

#define assert_near(value, expected, slack)                                                        \
    do {                                                                                           \
        double near_value = (value), near_expected = (expected);                                   \
        if (!(fabs(near_value - near_expected) <= (slack))) {                                      \
            fprintf(stderr, "%s is %g, expected %g\n", #value, near_value, near_expected);         \
            assert_true(false);                                                                    \
        }                                                                                          \
    } while (0)

/* What metering costs, and which passes were disturbed. */
static inline struct overhead_report judge_passes(const struct overhead_builder *builder)
{
    struct overhead_report report = {0};
    overhead_judge_timers(&builder->file, &report);
    overhead_judge_gauges(&builder->file, &report);
    return report;
}

/* … and rows. */
static inline struct overhead_report judge_cells(const struct overhead_builder *builder)
{
    struct overhead_report report = judge_passes(builder);
    overhead_judge_rows(&builder->file, &report);
    return report;
}

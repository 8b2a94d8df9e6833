/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of processes, and how the parts that use them choose among them. */
#pragma once

#include "studies/overhead/study.h"

/* "static" … where it calls a library, the state of its page where it reads one, else "inline". */
const char *overhead_variant(const struct overhead_operation *operation, const char *link);
bool overhead_same_meter(const struct overhead_meter *left, const struct overhead_meter *right);
/* Ticks and nanoseconds; not what is counted. */
bool overhead_is_time(const struct overhead_meter *meter);
/* Not the ticks of an emulated machine, whose cycles are no time either. */
bool overhead_means_something(const struct overhead_case *file,
                              const struct overhead_figure *figure);
/* What the tour calls of its own: nothing, the gauge. */
bool overhead_is_own(const struct overhead_operation *operation);
void overhead_release_figures(struct overhead_report *report);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The quantum in which a clock counts: a quick clock moves between any two readings, so its
 * smallest step is how long readings take; but all its steps are multiples of what it counts in. */
#pragma once

#include <stddef.h>

/* Of distances between readings, rising and above 0: ticks, never more than `smallest`; it need not
 * be a whole number, as clocks are scaled and rounded. Where too few distances are known, or too
 * much alike, `smallest` itself. */
double quantum_of(const double *sorted, size_t count, double smallest);
/* The same of a clock that stands still for long: its smallest step, or a small part of that where
 * too few steps were seen by themselves. 0: no such number, its steps differ. */
double quantum_of_steps(const double *sorted, size_t count, double smallest);

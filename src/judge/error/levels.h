/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The null cells of one event as observations with levels of factors, one value a process: what the
 * analysis of variance and the range of a factor's levels are computed from. */
#pragma once

#include "studies/error/study.h"
#include "judge/error/ways.h"

struct error_observed {
    const struct error_cell *cell;
    uint32_t levels[FACTOR_COUNT];
    double mean; /* of the processes */
    size_t processes;
};
struct error_levels {
    struct error_observed *cells;
    size_t count;
    uint32_t levels[FACTOR_COUNT]; /* how many of each factor occur */
    uint32_t factors;              /* bits of those with at least two */
    size_t other_choices;          /* cells left out: other events as further counters … */
    size_t other_layout;           /* … and counters opened one by one, where groups exist */
};

/* Of ways begin … end - 1, which share the event. 0 or -ENOMEM. */
int error_levels_of(const struct error_case *file, const struct error_ways *ways, size_t begin,
                    size_t end, struct error_levels *levels);
void error_levels_release(struct error_levels *levels);
#define AUTO_ERROR_LEVELS __attribute__((cleanup(error_levels_release)))

/* How far apart the levels of a factor lie between cells that agree in all other factors: what else
 * differs between the cells of a level does not move it as it moves plain means. 0 where they are
 * equal; NaN where no two levels can be compared so. 0 or -ENOMEM. */
int error_range_of(const struct error_levels *levels, enum error_factor factor, double *range);

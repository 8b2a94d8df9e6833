/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of the null specimen in one order, so that those which a part compares stand together:
 * by event, machine, path, pattern, layout, number and choice of counters, -O, link. Measured
 * events come before stepped ones, otherwise in the order in which the case names them; paths and
 * the rest by name. */
#pragma once

#include "judge/error/evidence.h"

struct error_way_of {
    const struct error_cell *cell; /* PART_NULL or PART_STEPPED, with runs */
    uint32_t event;                /* number of the event, equal for equal events */
    /* Of the choices of further counters, the one by which numbers of counters are compared: the
     * event itself repeated; where a path takes no event twice, one growing row of others. */
    bool usual;
};
struct error_ways {
    struct error_way_of *list;
    size_t count;
    size_t most_runs, most_processes; /* of one cell */
};

/* 0 or -ENOMEM. */
int error_ways_of(const struct error_case *file, struct error_ways *ways);
void error_ways_release(struct error_ways *ways);
#define AUTO_ERROR_WAYS __attribute__((cleanup(error_ways_release)))

/* Where the stretch that begins at `begin` and shares event, machine, path … up to `depth` ends. */
enum error_way_depth {
    WAY_EVENT,
    WAY_MACHINE,
    WAY_PATH,
    WAY_PATTERN,
    WAY_LAYOUT,
    WAY_COUNTERS,
    WAY_OTHERS
};
size_t error_ways_end(const struct error_ways *ways, size_t begin, enum error_way_depth depth);

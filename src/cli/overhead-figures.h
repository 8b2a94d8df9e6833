/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of the figures of `assay overhead`, and what they share. Each part appends its figures
 * where there is something to draw. */
#pragma once

#include "cli/figure-rows.h"
#include "cli/overhead-show.h"

#define OVERHEAD_PAPER "Weaver 2015, "

typedef void overhead_figures_part(const struct overhead_run *run, json_t *figures);
overhead_figures_part overhead_add_call_figures;        /* Figure 1, and levels */
overhead_figures_part overhead_add_machine_figures;     /* Figure 1, by kernel */
overhead_figures_part overhead_add_cold_figures;        /* Figures 3 to 7 */
overhead_figures_part overhead_add_predecessor_figures; /* what stood before */
overhead_figures_part overhead_add_sweep_figures;       /* Figures 5 and 8 */
overhead_figures_part overhead_add_peer_figures;        /* others against bare calls */

/* The first column of every figure; overhead_append_figure takes it away where there is one
 * machine. */
#define OVERHEAD_MACHINE_COLUMN(role)                                                              \
    {                                                                                              \
        "machine", "machine", role, true                                                           \
    }
json_t *overhead_machine_json(const struct overhead_case *file, uint32_t machine);
void overhead_append_figure(const struct overhead_run *run, json_t *figures, json_t *figure);

/* What a figure is in. Meters of one unit share a figure; user mode and kernel alone have none
 * where both together have one. */
struct overhead_units {
    const char *list[16];
    size_t count;
};
void overhead_units_add(const struct overhead_run *run, const struct overhead_meter *meter,
                        struct overhead_units *units);
bool overhead_has_unit(const struct overhead_run *run, const struct overhead_meter *meter,
                       const char *unit);

json_t *overhead_path_json(const struct overhead_case *file, uint32_t operation);
json_t *overhead_kind_json(const struct overhead_case *file, uint32_t operation);
/* "perf-read.read, lazy", and "on NAME" where there are several machines. */
void overhead_put_series(const struct overhead_case *file, uint32_t machine, uint32_t operation,
                         const char *variant, struct text *out);
void overhead_put_cost(struct text *words, double value);

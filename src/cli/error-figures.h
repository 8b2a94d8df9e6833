/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of the figures of `assay error`, and what they share. Each part appends its figures
 * where there is something to draw. */
#pragma once

#include "cli/error-show.h"
#include "cli/figure-rows.h"

#define ERROR_PAPER "Zaparanuks et al. 2009, "

typedef void error_figures_part(const struct erring *erring, json_t *figures);
error_figures_part error_add_null_figures;      /* Figures 1, 4 and 6 */
error_figures_part error_add_best_figure;       /* Table 3 */
error_figures_part error_add_counter_figures;   /* Figure 5 */
error_figures_part error_add_build_figures;     /* -O levels and link modes */
error_figures_part error_add_factor_figure;     /* Section 4.3 */
error_figures_part error_add_slope_figures;     /* Figures 7 and 8 */
error_figures_part error_add_size_figures;      /* Figure 9 */
error_figures_part error_add_place_figures;     /* Figures 11 and 12 */
error_figures_part error_add_agreement_figures; /* stepped, multiplexed, whole commands */

/* The first column of every figure; error_append_figure takes it away where there is one machine.
 */
#define ERROR_MACHINE_COLUMN(role)                                                                 \
    {                                                                                              \
        "machine", "machine", role, true                                                           \
    }
json_t *error_machine_json(const struct error_case *file, uint32_t machine);
void error_append_figure(const struct erring *erring, json_t *figures, json_t *figure);

/* The event, "instructions:u, stepped" where it was counted by execution. */
json_t *error_event_json(const char *event, bool stepped);
/* "user", "kernel", "user and kernel", "any". */
json_t *error_mode_json(enum count_mode mode);
bool error_is_stepped(const struct error_cell *cell);
/* "perf-read read-read", and "on NAME" where there are several machines. */
void error_put_way(const struct error_case *file, uint32_t machine, const char *path,
                   enum pattern pattern, struct text *out);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay repeat`, and what they share. */
#include <string.h>

#include "cli/repeat-show.h"

enum figure_role repeat_machine_role(const struct repeat_run_of *run)
{
    return run->file.machine_count > 1 ? ROLE_FACET : ROLE_NONE;
}

bool repeat_counts_repetitions(const struct repeat_run_of *run, const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell && cell->class[row->event] &&
           strcmp(cell->class[row->event], "instructions-raw") == 0;
}

bool repeat_counts_instructions(const struct repeat_run_of *run, const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell && cell->class[row->event] && strcmp(cell->class[row->event], "instructions") == 0;
}

json_t *repeat_figures(const struct repeat_run_of *run)
{
    static repeat_figure *const all[] = {
        repeat_variation_figure, repeat_spread_figure,      repeat_machines_figure,
        repeat_alone_figure,     repeat_without_figure,     repeat_environment_figure,
        repeat_stack_figure,     repeat_addresses_figure,   repeat_causes_figure,
        repeat_sources_figure,   repeat_repetitions_figure, repeat_contributions_figure,
        repeat_adjusted_figure,  repeat_ranking_figure,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        figures_append(figures, all[i](run));
    return figures;
}

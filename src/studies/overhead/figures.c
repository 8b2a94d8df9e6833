/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay overhead`: those of the paper, from what was measured here. */
#include "cli/overhead-figures.h"

#include "output/json.h"
#include "show/utf8.h"

json_t *overhead_machine_json(const struct overhead_case *file, uint32_t machine)
{
    static const char on[] = " on ";
    AUTO_TEXT struct text label = {0};
    overhead_put_machine(file, machine, &label);
    return label.length ? json_text(text_string(&label) + strlen(on)) : json_null();
}

void overhead_append_figure(const struct overhead_run *run, json_t *figures, json_t *figure)
{
    if (run->file.machine_count < 2)
        figure_drop_column(figure, "machine");
    figures_append_apart(figures, figure);
}

void overhead_units_add(const struct overhead_run *run, const struct overhead_meter *meter,
                        struct overhead_units *units)
{
    const char *unit = overhead_unit(meter);
    if (overhead_is_half(&run->report, meter) ||
        units->count == sizeof(units->list) / sizeof(*units->list))
        return;
    for (size_t i = 0; i < units->count; i++)
        if (overhead_same_word(units->list[i], unit))
            return;
    units->list[units->count++] = unit;
}

bool overhead_has_unit(const struct overhead_run *run, const struct overhead_meter *meter,
                       const char *unit)
{
    return overhead_same_word(overhead_unit(meter), unit) && !overhead_is_half(&run->report, meter);
}

json_t *overhead_path_json(const struct overhead_case *file, uint32_t operation)
{
    return operation < file->operation_count ? json_text(file->operations[operation].path)
                                             : json_null();
}

json_t *overhead_kind_json(const struct overhead_case *file, uint32_t operation)
{
    return operation < file->operation_count ? json_text(file->operations[operation].kind)
                                             : json_null();
}

void overhead_put_series(const struct overhead_case *file, uint32_t machine, uint32_t operation,
                         const char *variant, struct text *out)
{
    overhead_put_call(overhead_name(file, operation), variant, out);
    overhead_put_machine(file, machine, out);
}

void overhead_put_cost(struct text *words, double value)
{
    char cost[NUMBER_SIZE];
    overhead_cost(value, cost, sizeof(cost));
    text_puts(words, cost);
}

json_t *overhead_figures(const struct overhead_run *run)
{
    static overhead_figures_part *const parts[] = {
        overhead_add_call_figures,        overhead_add_machine_figures, overhead_add_cold_figures,
        overhead_add_predecessor_figures, overhead_add_sweep_figures,   overhead_add_peer_figures,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, figures);
    return figures;
}

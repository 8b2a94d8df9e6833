/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay error`: those of the paper, from what was measured here. */
#include "cli/error-figures.h"

#include "show/utf8.h"

json_t *error_machine_json(const struct error_case *file, uint32_t machine)
{
    AUTO_TEXT struct text label = {0};
    if (machine >= file->machine_count)
        return json_null();
    const struct error_machine *of = &file->machines[machine];
    text_puts(&label, of->name);
    for (size_t i = 0; i < file->machine_count; i++)
        if (i != machine && strcmp(file->machines[i].name, of->name) == 0) {
            text_printf(&label, " (%.6s)", of->fingerprint);
            break;
        }
    return json_text(text_string(&label));
}

void error_append_figure(const struct erring *erring, json_t *figures, json_t *figure)
{
    if (erring->file.machine_count < 2)
        figure_drop_column(figure, "machine");
    figures_append_apart(figures, figure);
}

json_t *error_event_json(const char *event, bool stepped)
{
    AUTO_TEXT struct text name = {0};
    error_put_event(event, stepped, &name);
    return json_text(text_string(&name));
}

json_t *error_mode_json(enum count_mode mode)
{
    static const char *const words[COUNT_MODES] = {[COUNT_ANY] = "any",
                                                   [COUNT_USER] = "user",
                                                   [COUNT_KERNEL] = "kernel",
                                                   [COUNT_BOTH] = "user and kernel"};
    return json_text(words[mode]);
}

bool error_is_stepped(const struct error_cell *cell)
{
    return cell->part == PART_STEPPED;
}

void error_put_way(const struct error_case *file, uint32_t machine, const char *path,
                   enum pattern pattern, struct text *out)
{
    text_put_clean(out, path);
    text_printf(out, " %s", pattern_descriptions[pattern]);
    error_put_machine(file, machine, out);
}

json_t *error_figures(const struct erring *erring)
{
    static error_figures_part *const parts[] = {
        error_add_null_figures,  error_add_best_figure,   error_add_counter_figures,
        error_add_build_figures, error_add_factor_figure, error_add_agreement_figures,
        error_add_slope_figures, error_add_size_figures,  error_add_place_figures,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](erring, figures);
    return figures;
}

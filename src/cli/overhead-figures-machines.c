/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls by machine, in the order of the versions of their kernels; of one machine alone what is
 * executed in user mode and in the kernel. */
#include <math.h>

#include "cli/overhead-figures.h"
#include "show/utf8.h"

static const char *mode_of(const struct overhead_machine_row *row)
{
    const char *mode = row->meter && row->meter->mode ? row->meter->mode : "";
    return row->total ? "uk" : mode;
}

static const char *mode_words(const struct overhead_machine_row *row)
{
    static const char *const modes[][2] = {
        {"u", "user"}, {"k", "kernel"}, {"uk", "user and kernel"}};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (overhead_same_word(mode_of(row), modes[i][0]))
            return modes[i][1];
    return "any";
}

static const char *unit_of(const struct overhead_machine_row *row)
{
    return row->meter ? meter_unit_names[row->meter->unit] : "ns";
}

/* Both modes together and time are for comparing machines; of one machine the modes are. */
static bool is_shown(const struct overhead_run *run, const struct overhead_machine_row *row)
{
    bool half = overhead_same_word(mode_of(row), "u") || overhead_same_word(mode_of(row), "k");
    return isfinite(row->median) && (run->file.machine_count > 1) != half;
}

/* How many calls were compared with another machine's. */
static size_t put_comparison(const struct overhead_run *run, const char *unit, struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_machine_row *most = NULL;
    size_t compared = 0, different = 0;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (!is_shown(run, row) || !overhead_same_word(unit_of(row), unit) || !row->has_ratio ||
            row->machine == row->reference)
            continue;
        compared++;
        different += row->differs;
        if (row->differs && row->ratio > 0 &&
            (!most || fabs(log(row->ratio)) > fabs(log(most->ratio))))
            most = row;
    }
    text_printf(words,
                "%zu of %zu calls cost more or less than on the first machine that has "
                "them, beyond chance. ",
                different, compared);
    if (!most)
        return compared;
    text_puts(words, "The largest difference: ");
    text_put_clean(words, most->path);
    text_putc(words, '.');
    text_put_clean(words, most->kind);
    overhead_put_machine(&run->file, most->machine, words);
    text_printf(words, ", %.2f times as many %s as", most->ratio, unit);
    overhead_put_machine(&run->file, most->reference, words);
    text_puts(words, ".");
    return compared;
}

static void put_modes(const struct overhead_run *run, struct text *words)
{
    text_puts(words, "Instructions of a call in user mode and in the kernel. ");
    if (overhead_hides_switches(&run->report))
        text_puts(words, "Of start and stop they are the least: the operating system halts the "
                         "meters while it switches a counter.");
}

static void add_unit(const struct overhead_run *run, const char *unit, json_t *figures)
{
    const bool several = run->file.machine_count > 1;
    const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_SERIES),
        {"kind", "call", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"variant", "variant", ROLE_GROUP, true},
        {"mode", "mode", several ? ROLE_NONE : ROLE_SERIES, true},
        {"median", "median", ROLE_VALUE, false},
        {"low", "at least (95 %)", ROLE_LOW, false},
        {"high", "at most (95 %)", ROLE_HIGH, false},
        {"ratio", "times the first machine", ROLE_NONE, false},
        {"ratio_low", "ratio at least", ROLE_NONE, false},
        {"ratio_high", "ratio at most", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, several ? "machines" : "executed", unit);
    text_printf(&title,
                several ? "What a call costs, by machine and kernel, in %s"
                        : "What a call executes, by mode, in %s",
                unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = several ? OVERHEAD_PAPER "Figure 1" : NULL,
        .kind = FIGURE_BARS,
        .x = {unit, SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->machine_row_count && figure_has_room(figure); i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (!is_shown(run, row) || !overhead_same_word(unit_of(row), unit))
            continue;
        double ratio = row->has_ratio ? 1 : NAN;
        FIGURE_ROW(figure, overhead_machine_json(&run->file, row->machine), json_text(row->kind),
                   json_text(row->path), json_text(row->variant), json_text(mode_words(row)),
                   figure_number(row->median), figure_number(row->low), figure_number(row->high),
                   figure_number(ratio * row->ratio), figure_number(ratio * row->ratio_low),
                   figure_number(ratio * row->ratio_high), json_count(row->processes));
    }
    if (!several)
        put_modes(run, &words);
    else if (!put_comparison(run, unit, &words))
        json_array_clear(json_object_get(figure, "rows")); /* of one machine alone */
    figure_set_caption(figure, &words);
    overhead_append_figure(run, figures, figure);
}

void overhead_add_machine_figures(const struct overhead_run *run, json_t *figures)
{
    for (int unit = 0; unit < METER_UNITS; unit++)
        add_unit(run, meter_unit_names[unit], figures);
}

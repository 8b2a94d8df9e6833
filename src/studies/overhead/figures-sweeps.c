/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How cost grows with the number of events, and of reads in a row. */
#include <math.h>

#include "cli/overhead-figures.h"
#include "show/utf8.h"

/* What one figure is of: a kind of call by events, or reads in a row (kind NULL). */
struct sweep {
    const char *unit, *kind;
};

static bool is_of(const struct overhead_run *run, const struct overhead_slope *slope,
                  const struct sweep *sweep)
{
    if (slope->by_reads == (sweep->kind != NULL) ||
        !overhead_has_unit(run, slope->meter, sweep->unit))
        return false;
    return !sweep->kind ||
           (slope->operation < run->file.operation_count &&
            overhead_same_word(run->file.operations[slope->operation].kind, sweep->kind));
}

/* The title says which kind of call: "perf-read, static, group". */
static void put_series(const struct overhead_run *run, const struct overhead_slope *slope,
                       struct text *out)
{
    const char *path = slope->operation < run->file.operation_count
                           ? run->file.operations[slope->operation].path
                           : "?";
    overhead_put_call(path, slope->variant, out);
    if (!slope->by_reads)
        text_puts(out, slope->separate ? ", separate" : ", group");
    overhead_put_machine(&run->file, slope->machine, out);
}

static void put_call(const struct overhead_run *run, const struct overhead_slope *slope,
                     struct text *out)
{
    overhead_put_call(overhead_name(&run->file, slope->operation), slope->variant, out);
    text_puts(out, slope->by_reads ? "" : slope->separate ? ", separate" : ", group");
    overhead_put_machine(&run->file, slope->machine, out);
}

static const char *shape_of(const struct overhead_slope *slope)
{
    if (slope->straight)
        return "straight";
    if (slope->miss <= OVERHEAD_TOLD)
        return "nearly straight";
    return slope->first_apart ? "straight from the second on" : "bent";
}

static void add_points(const struct overhead_run *run, const struct overhead_slope *slope,
                       json_t *figure)
{
    AUTO_TEXT struct text series = {0};
    put_series(run, slope, &series);
    for (size_t i = 0; i < slope->points && figure_has_room(figure); i++) {
        double each =
            slope->by_reads ? slope->medians[i] / (double)slope->counts[i] : slope->medians[i];
        FIGURE_ROW(
            figure, overhead_machine_json(&run->file, slope->machine),
            overhead_kind_json(&run->file, slope->operation),
            overhead_path_json(&run->file, slope->operation), json_text(slope->variant),
            json_text(slope->separate ? "separate" : "group"), json_text(text_string(&series)),
            json_count(slope->counts[i]), figure_number(each), figure_number(slope->medians[i]),
            figure_number(slope->slope), figure_number(slope->low), figure_number(slope->high),
            json_text(shape_of(slope)), json_count(slope->processes));
    }
    if (!slope->by_reads && slope->points)
        figure_add_line(figure, "fitted", text_string(&series), slope->base, slope->slope,
                        (double)slope->counts[0], (double)slope->most_count);
}

/* The steepest and the flattest of all. */
static void put_slopes(const struct overhead_run *run, const struct sweep *sweep,
                       struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_slope *most = NULL, *least = NULL;
    size_t straight = 0, count = 0;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct overhead_slope *slope = &report->slopes[i];
        if (!is_of(run, slope, sweep) || !isfinite(slope->slope))
            continue;
        count++;
        straight += slope->straight || slope->miss <= OVERHEAD_TOLD;
        most = !most || slope->slope > most->slope ? slope : most;
        least = !least || slope->slope < least->slope ? slope : least;
    }
    if (!most)
        return;
    text_printf(words, "%zu of %zu grow as a straight line. Each further %s adds ", straight, count,
                sweep->kind ? "event" : "read");
    overhead_put_cost(words, least->slope);
    text_printf(words, " %s (", sweep->unit);
    put_call(run, least, words);
    text_puts(words, ")");
    if (most != least) {
        text_puts(words, " to ");
        overhead_put_cost(words, most->slope);
        text_puts(words, " (");
        put_call(run, most, words);
        text_puts(words, ")");
    }
    text_puts(words, ".");
}

static void add_sweep(const struct overhead_run *run, const struct sweep *sweep, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_NONE),
        {"kind", "call", ROLE_NONE, true},
        {"path", "path", ROLE_NONE, true},
        {"variant", "variant", ROLE_NONE, true},
        {"layout", "opened", ROLE_NONE, true},
        {"way", "way", ROLE_SERIES, false},
        {"count", "how many", ROLE_X, false},
        {"cost", "cost", ROLE_Y, false},
        {"median", "median of a span", ROLE_NONE, false},
        {"slope", "for each further", ROLE_NONE, false},
        {"low", "at least (95 %)", ROLE_NONE, false},
        {"high", "at most (95 %)", ROLE_NONE, false},
        {"shape", "growth", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    const char *unit = sweep->unit;
    const bool by_reads = !sweep->kind;
    AUTO_TEXT struct text what = {0}, id = {0}, title = {0}, axis = {0}, words = {0};
    figure_put_id(&what, by_reads ? "reads-in-a-row" : "more-events", by_reads ? "" : sweep->kind);
    figure_put_id(&id, text_string(&what), unit);
    text_puts(&title,
              by_reads ? "Reads in a row, what each of them costs in " : "More events, what a ");
    if (!by_reads) {
        text_put_clean(&title, sweep->kind);
        text_puts(&title, " costs in ");
    }
    text_put_clean(&title, unit);
    text_printf(&axis, by_reads ? "%s a read" : "%s a call", unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = by_reads ? OVERHEAD_PAPER "Figure 5" : OVERHEAD_PAPER "Figure 8",
        .kind = FIGURE_LINES,
        .x = {by_reads ? "reads in a row" : "events", by_reads ? SCALE_LOG : SCALE_LINEAR, false},
        .y = {text_string(&axis), SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->slope_count; i++)
        if (is_of(run, &report->slopes[i], sweep))
            add_points(run, &report->slopes[i], figure);
    put_slopes(run, sweep, &words);
    if (!words.length)
        text_puts(&words, "Medians over processes.");
    figure_set_caption(figure, &words);
    if (!by_reads)
        figure_add_note(figure, "group: one call for all events; separate: one call each.");
    overhead_append_figure(run, figures, figure);
}

/* A figure for each kind of call, in the order in which operations name them. */
static void add_kinds(const struct overhead_run *run, const char *unit, json_t *figures)
{
    const struct overhead_operation *operations = run->file.operations;
    for (size_t i = 0; i < run->file.operation_count; i++) {
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = !overhead_same_word(operations[j].kind, operations[i].kind);
        if (first)
            add_sweep(run, &(struct sweep){unit, operations[i].kind}, figures);
    }
}

void overhead_add_sweep_figures(const struct overhead_run *run, json_t *figures)
{
    struct overhead_units units = {0};
    for (size_t i = 0; i < run->report.slope_count; i++)
        overhead_units_add(run, run->report.slopes[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        add_kinds(run, units.list[i], figures);
        add_sweep(run, &(struct sweep){units.list[i], NULL}, figures);
    }
}

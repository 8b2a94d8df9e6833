/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a counter shows against what is known: against stepped windows, against the truth where it
 * counts part of the time, and against the code itself where a whole command was counted. */
#include <math.h>

#include "cli/error-figures.h"
#include "show/utf8.h"

/* --- stepped --- */

static void put_agreement(const struct error_stepped *stepped, struct text *words)
{
    text_puts(words, "In ");
    figure_put_number(words, (double)stepped->equal);
    text_puts(words, " of ");
    figure_put_number(words, (double)stepped->comparable);
    text_puts(words, " cells the counter shows what stepping shows");
    if (stepped->edge) {
        text_puts(words, ", but for a constant ");
        figure_put_number(words, (double)stepped->edge);
        text_puts(words, " that is the CPU's own");
    }
    text_puts(words, ". Points off the line are windows in which the counter sees more or less "
                     "than is executed.");
}

static void add_agreement(const struct erring *erring, const struct error_agreement *agreement,
                          json_t *figure)
{
    const struct error_row *row = agreement->row;
    const struct error_cell *cell = row->cell;
    FIGURE_ROW(figure, error_machine_json(&erring->file, cell->machine), json_text(cell->path),
               json_text(pattern_descriptions[cell->pattern]), json_text(cell->opt),
               json_text(cell->link), json_count(cell->counters),
               figure_number((double)row->stepped), figure_number((double)row->later.median),
               figure_number((double)agreement->difference),
               figure_number(100 * (double)agreement->agreeing / fmax(1, (double)agreement->runs)),
               json_text(agreement->difference == agreement->edge ? "agrees" : "differs"));
}

static void add_stepped(const struct erring *erring, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_NONE),
        {"path", "path", ROLE_SERIES, true},
        {"pattern", "pattern", ROLE_NONE, true},
        {"opt", "-O level", ROLE_NONE, false},
        {"link", "link mode", ROLE_NONE, false},
        {"counters", "counters", ROLE_NONE, false},
        {"stepped", "stepped", ROLE_X, false},
        {"measured", "counted (median)", ROLE_Y, false},
        {"difference", "usual difference", ROLE_NONE, false},
        {"agreeing", "% of runs with it", ROLE_NONE, false},
        {"verdict", "verdict", ROLE_NONE, true},
        {0},
    };
    const struct error_stepped *stepped = &erring->report.stepped;
    AUTO_TEXT struct text words = {0};
    double least = INFINITY, most = -INFINITY;
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "measured-against-stepped",
        .title = "Empty windows: what the counter shows against what is executed",
        .kind = FIGURE_POINTS,
        .x = {"instructions, stepped", SCALE_LINEAR, false},
        .y = {"instructions, counted", SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t i = 0; i < stepped->comparable && figure_has_room(figure); i++) {
        add_agreement(erring, &stepped->list[i], figure);
        least = fmin(least, (double)stepped->list[i].row->stepped);
        most = fmax(most, (double)stepped->list[i].row->stepped);
    }
    figure_fit_scale(figure, "x");
    figure_fit_scale(figure, "y");
    figure_add_line(figure, "counted as stepped", NULL, 0, 1, least, most);
    put_agreement(stepped, &words);
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

/* --- more events than counters --- */

static void put_multiplex(const struct error_report *report, struct text *words)
{
    double steady = NAN, phased = NAN;
    for (size_t i = 0; i < report->multiplex_count; i++) {
        const struct error_multiplex *one = &report->multiplex[i];
        double *worst = one->phased ? &phased : &steady;
        if (isnan(*worst) || fabs(one->median) > fabs(*worst))
            *worst = one->median;
    }
    text_puts(words, "Each event ran part of the time and was extrapolated. ");
    if (isfinite(steady))
        text_printf(words, "On steady code that is off by %+.2g %% at worst, by the median. ",
                    steady);
    if (isfinite(phased))
        text_printf(words, "On code whose work comes in phases it is off by %+.2g %% at worst.",
                    phased);
}

static void add_multiplex(const struct erring *erring, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_GROUP),
        {"event", "event", ROLE_GROUP, true},
        {"path", "path", ROLE_GROUP, true},
        {"code", "code", ROLE_GROUP, false},
        {"counters", "events at once", ROLE_NONE, false},
        {"share", "% of the time counted", ROLE_NONE, false},
        {"median", "error, %", ROLE_VALUE, false},
        {"low", "smallest run", ROLE_LOW, false},
        {"high", "largest run", ROLE_HIGH, false},
        {"single", "alone, %", ROLE_NONE, false},
        {"kind", "kind of code", ROLE_SERIES, true},
        {"runs", "runs", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "multiplexing",
        .title = "More events than counters: what extrapolation is worth",
        .kind = FIGURE_BARS,
        .x = {"error in % of the truth", SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->multiplex_count && figure_has_room(figure); i++) {
        const struct error_multiplex *one = &report->multiplex[i];
        FIGURE_ROW(figure, error_machine_json(&erring->file, one->machine), json_text(one->event),
                   json_text(one->path), json_text(one->specimen), json_count(one->counters),
                   figure_number(100 * one->share), figure_number(one->median),
                   figure_number(one->low), figure_number(one->high), figure_number(one->single),
                   json_text(one->phased ? "in phases" : "steady"), json_count(one->runs));
    }
    put_multiplex(report, &words);
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

/* --- whole commands --- */

/* What the best path adds to the same event; NaN: none was measured. */
static double best_window(const struct error_report *report, const struct error_cell *cell)
{
    for (size_t i = 0; i < report->best_count; i++)
        if (report->best[i].overall && report->best[i].machine == cell->machine &&
            strcmp(report->best[i].event, cell->event) == 0)
            return report->best[i].median;
    return NAN;
}

static void add_tools(const struct erring *erring, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_NONE),
        {"event", "event", ROLE_NONE, true},
        {"path", "tool", ROLE_NONE, true},
        {"code", "code", ROLE_NONE, false},
        {"n", "iterations", ROLE_NONE, false},
        {"min", "least", ROLE_NONE, false},
        {"median", "median", ROLE_NONE, false},
        {"max", "most", ROLE_NONE, false},
        {"window", "best window", ROLE_NONE, false},
        {"unit", "unit", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "whole-commands",
        .title = "Whole commands under perf stat",
        .caption = "What the tool counts of a process beyond what the code itself counts: "
                   "starting, linking, ending. Beside it what the best window adds to the same "
                   "event.",
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < report->row_count && figure_has_room(figure); i++) {
        const struct error_row *row = &report->rows[i];
        const struct error_cell *cell = row->cell;
        if (cell->part == PART_TOOL && cell->has_truth)
            FIGURE_ROW(
                figure, error_machine_json(&erring->file, cell->machine), json_text(cell->event),
                json_text(cell->path), json_text(cell->specimen), json_count(cell->n),
                figure_number((double)row->error.min), figure_number((double)row->error.median),
                figure_number((double)row->error.max), figure_number(best_window(report, cell)),
                json_text(error_unit(cell->event, cell->base)));
    }
    error_append_figure(erring, figures, figure);
}

void error_add_agreement_figures(const struct erring *erring, json_t *figures)
{
    add_stepped(erring, figures);
    add_multiplex(erring, figures);
    add_tools(erring, figures);
}

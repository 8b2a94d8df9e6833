/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop at other places: chosen ones, and those where patterns and -O levels happen to put
 * it. On an emulated machine places mean nothing. */
#include <math.h>

#include "cli/error-figures.h"
#include "show/utf8.h"

#define LINE_BYTES 64

static bool means_something(const struct erring *erring, const struct error_placement *placement)
{
    return placement->is_time && placement->machine < erring->file.machine_count &&
           !erring->file.machines[placement->machine].emulated;
}

static bool leads(const struct erring *erring, size_t index)
{
    const struct error_placement *list = erring->report.placements;
    for (size_t i = 0; i < index; i++)
        if (means_something(erring, &list[i]) && strcmp(list[i].event, list[index].event) == 0)
            return false;
    return means_something(erring, &list[index]);
}

/* --- at chosen places --- */

static void put_placement(const struct erring *erring, const struct error_placement *placement,
                          struct text *words)
{
    const char *unit = error_unit(placement->event, NULL);
    text_puts(words, "The same bytes take ");
    figure_put_number(words, placement->least);
    text_puts(words, " to ");
    figure_put_number(words, placement->most);
    text_printf(words, " %s an iteration", unit);
    error_put_machine(&erring->file, placement->machine, words);
    text_printf(words, ", by a factor of %.2f", placement->factor);
    if (isfinite(placement->factor_low) && isfinite(placement->factor_high))
        text_printf(words, " (%.2f to %.2f)", placement->factor_low, placement->factor_high);
    if (placement->factor_low > 1)
        text_puts(words, ", by where they lie alone. ");
    else
        text_puts(words, ", which chance may explain. ");
}

static void add_places(const struct erring *erring, const struct error_placement *placement,
                       bool in_line, json_t *figure)
{
    for (size_t i = 0; i < placement->places && figure_has_room(figure); i++) {
        const struct error_place *place = &erring->report.places[placement->first + i];
        if ((place->offset < LINE_BYTES) == in_line)
            FIGURE_ROW(figure, error_machine_json(&erring->file, placement->machine),
                       json_integer(place->offset), figure_number(place->per_iteration),
                       figure_number(place->low), figure_number(place->high),
                       json_count(place->processes));
    }
}

/* Places within a line of the cache, or those further in the page. */
static void add_place_figure(const struct erring *erring, const char *event, bool in_line,
                             json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_SERIES),
        {"offset", "offset in the page", ROLE_X, false},
        {"fastest", "fastest run", ROLE_Y, false},
        {"low", "fastest process", ROLE_LOW, false},
        {"high", "slowest process", ROLE_HIGH, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text id = {0}, title = {0}, axis = {0}, words = {0};
    figure_put_id(&id, in_line ? "places" : "places-in-page", event);
    text_printf(&title, "The same loop at other places%s: ", in_line ? "" : " of a page");
    text_put_clean(&title, event);
    text_printf(&axis, "%s an iteration", error_unit(event, NULL));
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = in_line ? ERROR_PAPER "Figure 11" : NULL,
        .kind = FIGURE_POINTS,
        .x = {in_line ? "bytes behind the beginning of a line of 64"
                      : "bytes behind the beginning of a page",
              SCALE_LINEAR, false},
        .y = {text_string(&axis), SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->placement_count; i++) {
        const struct error_placement *placement = &report->placements[i];
        if (!means_something(erring, placement) || strcmp(placement->event, event) != 0)
            continue;
        size_t before = figure_rows(figure);
        add_places(erring, placement, in_line, figure);
        if (figure_rows(figure) > before)
            put_placement(erring, placement, &words);
    }
    text_puts(&words, "Each point is the fastest run at its place, bars reach from the fastest to "
                      "the slowest process.");
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

/* --- where patterns and -O levels put it --- */

static bool is_window(const struct error_cell *cell, const char *event)
{
    return cell->part == PART_PLACEMENT && cell->runs && cell->offset < 0 && cell->n &&
           strcmp(cell->event, event) == 0;
}

/* Of the longest loop: the edges of the window weigh least there. */
static bool is_longest(const struct error_case *file, const struct error_cell *cell)
{
    for (size_t i = 0; i < file->cell_count; i++)
        if (is_window(&file->cells[i], cell->event) && file->cells[i].n > cell->n &&
            file->cells[i].machine == cell->machine)
            return false;
    return !file->machines[cell->machine].emulated;
}

static double fastest_run(const struct error_cell *cell)
{
    int64_t least = cell->values[0];
    for (size_t i = 1; i < cell->runs; i++)
        least = cell->values[i] < least ? cell->values[i] : least;
    return (double)least / (double)cell->n;
}

static void put_windows(const struct error_report *report, const char *event, struct text *words)
{
    for (size_t i = 0; i < report->placement_count; i++) {
        const struct error_placement *placement = &report->placements[i];
        if (strcmp(placement->event, event) != 0 || !placement->has_windows)
            continue;
        text_printf(words,
                    "The same loop takes %.2f times as long in one window as in another. The "
                    "pattern alone explains %.0f %% of that, the -O level %.0f %%, their "
                    "combination %.0f %% more: it decides where the loop lies. ",
                    placement->window_factor, 100 * placement->by_pattern, 100 * placement->by_opt,
                    100 * placement->by_both);
    }
}

static void add_window_figure(const struct erring *erring, const char *event, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_NONE),
        {"opt", "-O level", ROLE_X, false},
        {"window", "pattern and link mode", ROLE_Y, false},
        {"fastest", "an iteration", ROLE_VALUE, false},
        {"path", "path", ROLE_NONE, true},
        {"pattern", "pattern", ROLE_NONE, true},
        {"n", "iterations", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {0},
    };
    const struct error_case *file = &erring->file;
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "windows", event);
    text_puts(&title, "The loop where patterns and -O levels put it: ");
    text_put_clean(&title, event);
    text_printf(&title, ", %s an iteration", error_unit(event, NULL));
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = ERROR_PAPER "Figure 12",
        .kind = FIGURE_MATRIX,
        .x = {"-O level", SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        AUTO_TEXT struct text window = {0};
        if (!is_window(cell, event) || !is_longest(file, cell) || !figure_has_room(figure))
            continue;
        error_put_way(file, cell->machine, cell->path, cell->pattern, &window);
        text_puts(&window, ", ");
        text_put_clean(&window, cell->link);
        FIGURE_ROW(figure, error_machine_json(file, cell->machine), json_text(cell->opt),
                   json_text(text_string(&window)), figure_number(fastest_run(cell)),
                   json_text(cell->path), json_text(pattern_descriptions[cell->pattern]),
                   json_count(cell->n), json_count(cell->runs));
    }
    put_windows(&erring->report, event, &words);
    text_puts(&words, "Each field is the fastest run.");
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

void error_add_place_figures(const struct erring *erring, json_t *figures)
{
    for (size_t i = 0; i < erring->report.placement_count; i++) {
        if (!leads(erring, i))
            continue;
        const char *event = erring->report.placements[i].event;
        add_place_figure(erring, event, true, figures);
        add_place_figure(erring, event, false, figures);
        add_window_figure(erring, event, figures);
    }
}

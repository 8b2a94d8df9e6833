/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What more counters add to an empty window: a figure for each event whose error changes with their
 * number. */
#include <math.h>

#include "cli/error-figures.h"
#include "show/utf8.h"

static bool same_event(const struct error_by_counters *left, const struct error_by_counters *right)
{
    return strcmp(left->event, right->event) == 0 && left->stepped == right->stepped;
}

/* Is it the first of its event? */
static bool leads(const struct error_report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_event(&report->by_counters[i], &report->by_counters[index]))
            return false;
    return true;
}

static bool changes(const struct error_by_counters *by)
{
    for (size_t i = 1; i < by->points; i++)
        if (by->medians[i] < by->medians[0] || by->medians[i] > by->medians[0])
            return true;
    return false;
}

static bool event_changes(const struct error_report *report, const struct error_by_counters *like)
{
    for (size_t i = 0; i < report->by_counters_count; i++)
        if (same_event(&report->by_counters[i], like) && changes(&report->by_counters[i]))
            return true;
    return false;
}

static void add_points(const struct erring *erring, const struct error_by_counters *by,
                       json_t *figure)
{
    AUTO_TEXT struct text series = {0};
    text_puts(&series, pattern_descriptions[by->pattern]);
    text_puts(&series, by->separate ? ", opened one by one" : "");
    error_put_machine(&erring->file, by->machine, &series);
    for (size_t i = 0; i < by->points && figure_has_room(figure); i++)
        FIGURE_ROW(figure, error_machine_json(&erring->file, by->machine), json_text(by->path),
                   json_text(pattern_descriptions[by->pattern]), json_text(text_string(&series)),
                   json_count(by->counters[i]), figure_number(by->medians[i]),
                   figure_number((double)by->mins[i]), figure_number(by->slope),
                   figure_number(by->low), figure_number(by->high));
}

static void put_slope(const struct erring *erring, const struct error_by_counters *by,
                      struct text *words)
{
    figure_put_number(words, by->slope);
    if (by->low < by->high) {
        text_puts(words, " (");
        figure_put_number(words, by->low);
        text_puts(words, " to ");
        figure_put_number(words, by->high);
        text_puts(words, ")");
    }
    text_puts(words, " through ");
    error_put_way(&erring->file, by->machine, by->path, by->pattern, words);
    text_puts(words, by->separate ? ", opened one by one" : "");
}

static void put_caption(const struct erring *erring, const struct error_by_counters *like,
                        struct text *words)
{
    const struct error_report *report = &erring->report;
    const struct error_by_counters *most = NULL, *least = NULL;
    for (size_t i = 0; i < report->by_counters_count; i++) {
        const struct error_by_counters *by = &report->by_counters[i];
        if (!same_event(by, like) || !isfinite(by->slope))
            continue;
        most = !most || by->slope > most->slope ? by : most;
        least = !least || by->slope < least->slope ? by : least;
    }
    if (!most)
        return;
    text_puts(words, "Each further counter adds ");
    put_slope(erring, most, words);
    if (most != least) {
        text_puts(words, ", where it adds most, and ");
        put_slope(erring, least, words);
        text_puts(words, ", where it adds least");
    }
    text_puts(words, ". ");
}

static void add_event(const struct erring *erring, const struct error_by_counters *like,
                      json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_NONE),
        {"path", "path", ROLE_FACET, true},
        {"pattern", "pattern", ROLE_NONE, true},
        {"way", "way", ROLE_SERIES, false},
        {"counters", "counters", ROLE_X, false},
        {"median", "median", ROLE_Y, false},
        {"min", "least", ROLE_NONE, false},
        {"slope", "for each further counter", ROLE_NONE, false},
        {"slope_low", "at least (95 %)", ROLE_NONE, false},
        {"slope_high", "at most (95 %)", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    const char *unit = error_unit(like->event, NULL);
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "by-counters", like->event);
    text_puts(&title, "What an empty window counts, by the number of counters: ");
    error_put_event(like->event, like->stepped, &title);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = strcmp(unit, "instructions") == 0 ? ERROR_PAPER "Figure 5" : NULL,
        .kind = FIGURE_LINES,
        .x = {"counters at a time", SCALE_LINEAR, false},
        .y = {unit, SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->by_counters_count; i++)
        if (same_event(&report->by_counters[i], like))
            add_points(erring, &report->by_counters[i], figure);
    put_caption(erring, like, &words);
    text_puts(&words, "Medians at one -O level and link mode.");
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

void error_add_counter_figures(const struct erring *erring, json_t *figures)
{
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text same = {0};
    size_t before = json_array_size(figures);
    for (size_t i = 0; i < report->by_counters_count; i++) {
        const struct error_by_counters *by = &report->by_counters[i];
        if (!leads(report, i))
            continue;
        if (event_changes(report, by)) {
            add_event(erring, by, figures);
            continue;
        }
        text_puts(&same, same.length ? ", "
                                     : "The number of counters changes nothing in the "
                                       "medians of ");
        error_put_event(by->event, by->stepped, &same);
    }
    text_puts(&same, ".");
    if (same.length > 1 && json_array_size(figures) > before)
        figure_add_note(json_array_get(figures, json_array_size(figures) - 1), text_string(&same));
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What empty windows count: all of them together, and by path and pattern. One figure has one
 * unit. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/error-figures.h"
#include "judge/error/replicates.h"
#include "judge/error/ways.h"
#include "show/utf8.h"

#define UNITS_MOST 16u

static const char *unit_of(const struct error_cell *cell)
{
    return error_unit(cell->event, cell->base);
}

/* --- all of them --- */

static void put_overview(const struct erring *erring, const struct error_cell *cell,
                         const json_t *figure, struct text *words)
{
    const json_t *rows = json_object_get(figure, "rows");
    const json_t *row = json_array_get(rows, json_array_size(rows) - 1);
    double runs = json_number_value(json_array_get(row, 3));
    double least = json_number_value(json_array_get(row, 4));
    double median = json_number_value(json_array_get(row, 6));
    double most = json_number_value(json_array_get(row, 9));
    text_puts(words, "Of ");
    figure_put_number(words, runs);
    text_puts(words, " empty windows of ");
    error_put_event(cell->event, error_is_stepped(cell), words);
    error_put_machine(&erring->file, cell->machine, words);
    if (least >= most) {
        text_puts(words, ", every one counted ");
        figure_put_number(words, most);
        text_puts(words, ". ");
        return;
    }
    text_puts(words, ", half counted ");
    figure_put_number(words, median);
    text_puts(words, " or more although nothing happened in them; the least counted ");
    figure_put_number(words, least);
    text_puts(words, ", the most ");
    figure_put_number(words, most);
    text_puts(words, ". ");
}

static void add_overview(const struct erring *erring, const struct error_ways *ways,
                         json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_GROUP),
        {"event", "event", ROLE_GROUP, true},
        {"mode", "mode", ROLE_NONE, true},
        BOX_COLUMNS,
        {0},
    };
    AUTO_TEXT struct text words = {0};
    AUTO_POOLED struct pooled pooled = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "null-overview",
        .title = "Instructions counted although nothing is measured, all ways together",
        .paper = ERROR_PAPER "Figure 1",
        .kind = FIGURE_BOXES,
        .x = {"instructions", SCALE_SYMLOG, true},
        .columns = columns,
    });
    for (size_t begin = 0, end; begin < ways->count; begin = end) {
        const struct error_cell *first = ways->list[begin].cell;
        end = error_ways_end(ways, begin, WAY_MACHINE);
        if (strcmp(unit_of(first), "instructions") != 0 || !figure_has_room(figure))
            continue;
        pooled_clear(&pooled);
        for (size_t i = begin; i < end; i++)
            for (size_t run = 0; run < ways->list[i].cell->runs; run++)
                pooled_add(&pooled, (double)error_of(ways->list[i].cell, run));
        size_t before = figure_rows(figure);
        FIGURE_BOX(figure, &pooled, true, error_machine_json(&erring->file, first->machine),
                   error_event_json(first->event, error_is_stepped(first)),
                   error_mode_json(first->mode));
        if (figure_rows(figure) > before && before < 4)
            put_overview(erring, first, figure, &words);
    }
    text_puts(&words, "How far apart they lie is what choosing the way of measuring is worth.");
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

/* --- by path and pattern --- */

static bool counts_alone(const struct error_cell *cell)
{
    return cell->counters == 1 && !cell->separate;
}

/* The ways with the least and the greatest median of one event. */
struct extremes {
    const struct error_cell *least, *most;
    double least_median, most_median;
};

static void take_extreme(struct extremes *extremes, const struct error_cell *cell, double median)
{
    if (!extremes->least || median < extremes->least_median) {
        extremes->least = cell;
        extremes->least_median = median;
    }
    if (!extremes->most || median > extremes->most_median) {
        extremes->most = cell;
        extremes->most_median = median;
    }
}

static void put_extremes(const struct erring *erring, const struct extremes *extremes,
                         struct text *words)
{
    const struct error_cell *least = extremes->least, *most = extremes->most;
    if (!least)
        return;
    error_put_event(least->event, error_is_stepped(least), words);
    if (extremes->least_median >= extremes->most_median) {
        text_puts(words, ": every path and pattern adds ");
        figure_put_number(words, extremes->least_median);
        text_puts(words, ", by the median. ");
        return;
    }
    text_puts(words, ": least is added by ");
    error_put_way(&erring->file, least->machine, least->path, least->pattern, words);
    text_puts(words, " (median ");
    figure_put_number(words, extremes->least_median);
    text_puts(words, "), most by ");
    error_put_way(&erring->file, most->machine, most->path, most->pattern, words);
    text_puts(words, " (");
    figure_put_number(words, extremes->most_median);
    text_puts(words, "). ");
}

static void pool_usual(struct pooled *pooled, const struct error_cell *cell, int64_t *errors)
{
    size_t count = error_usual_runs(cell, errors);
    for (size_t i = 0; i < count; i++)
        pooled_add(pooled, (double)errors[i]);
}

/* One box of each path and pattern of an event, in the stretch of ways that is the event's. */
static void add_event(const struct erring *erring, const struct error_ways *ways, size_t begin,
                      size_t end, int64_t *errors, json_t *figure, struct text *words)
{
    AUTO_POOLED struct pooled pooled = {0};
    struct extremes extremes = {0};
    for (size_t next; begin < end; begin = next) {
        const struct error_cell *cell = ways->list[begin].cell;
        next = error_ways_end(ways, begin, WAY_PATTERN);
        pooled_clear(&pooled);
        for (size_t i = begin; i < next; i++)
            if (counts_alone(ways->list[i].cell))
                pool_usual(&pooled, ways->list[i].cell, errors);
        if (!figure_has_room(figure))
            return;
        size_t before = figure_rows(figure);
        FIGURE_BOX(figure, &pooled, false, error_machine_json(&erring->file, cell->machine),
                   error_event_json(cell->event, error_is_stepped(cell)), json_text(cell->path),
                   json_text(pattern_descriptions[cell->pattern]), error_mode_json(cell->mode));
        if (figure_rows(figure) == before)
            continue;
        const json_t *row = json_array_get(json_object_get(figure, "rows"), before);
        take_extreme(&extremes, cell, json_number_value(json_array_get(row, 8)));
    }
    put_extremes(erring, &extremes, words);
}

static void add_unit(const struct erring *erring, const struct error_ways *ways, const char *unit,
                     json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_GROUP),
        {"event", "event", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"pattern", "pattern", ROLE_GROUP, true},
        {"mode", "mode", ROLE_NONE, true},
        BOX_COLUMNS,
        {0},
    };
    bool instructions = strcmp(unit, "instructions") == 0;
    AUTO_FREE int64_t *errors = calloc(ways->most_runs + 1, sizeof(*errors));
    AUTO_TEXT struct text words = {0}, id = {0}, title = {0};
    figure_put_id(&id, "null-by-path", unit);
    text_printf(&title, "What an empty window counts, by path and pattern: %s", unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = instructions ? ERROR_PAPER "Figure 6" : NULL,
        .kind = FIGURE_BOXES,
        .x = {unit, SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t begin = 0, end; errors && begin < ways->count; begin = end) {
        end = error_ways_end(ways, begin, WAY_EVENT);
        if (strcmp(unit_of(ways->list[begin].cell), unit) == 0)
            add_event(erring, ways, begin, end, errors, figure, &words);
    }
    /* Where nothing varies a picture shows nothing. */
    if (figure_is_flat(figure))
        json_object_set_new(figure, "kind", json_string("table"));
    figure_fit_scale(figure, "x");
    figure_set_caption(figure, &words);
    figure_add_note(figure, "One counter; all runs but the first of each process, over -O levels "
                            "and link modes. Whiskers reach to the 99th of a hundred.");
    error_append_figure(erring, figures, figure);
}

/* Those that the paper is about come first. */
static int unit_place(const char *unit)
{
    static const char *const first[] = {"instructions", "cycles", "ticks", "ns"};
    int place = 0;
    while (place < 4 && strcmp(first[place], unit) != 0)
        place++;
    return place;
}

static int by_place(const void *left, const void *right)
{
    return unit_place(*(const char *const *)left) - unit_place(*(const char *const *)right);
}

void error_add_null_figures(const struct erring *erring, json_t *figures)
{
    AUTO_ERROR_WAYS struct error_ways ways;
    const char *units[UNITS_MOST];
    size_t count = 0;
    if (error_ways_of(&erring->file, &ways) < 0)
        return;
    add_overview(erring, &ways, figures);
    for (size_t begin = 0; begin < ways.count; begin = error_ways_end(&ways, begin, WAY_EVENT)) {
        const char *unit = unit_of(ways.list[begin].cell);
        bool known = count == UNITS_MOST;
        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(units[i], unit) == 0;
        if (!known)
            units[count++] = unit;
    }
    qsort(units, count, sizeof(*units), by_place);
    for (size_t i = 0; i < count; i++)
        add_unit(erring, &ways, units[i], figures);
}

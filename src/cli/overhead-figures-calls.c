/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each call costs once all was called before, a box each; and those that cost now this, now
 * that. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/overhead-figures.h"
#include "judge/overhead/cells.h"
#include "show/utf8.h"

/* More values than that make no smoother violin. */
#define POOLED_MOST 20000u
#define KINDS_MOST  16u

/* --- the values behind a row --- */

static bool is_behind(const struct overhead_cell *cell, const struct overhead_row *row)
{
    const struct overhead_factors *factors = &cell->factors;
    return factors->machine == row->machine && factors->operation == row->operation &&
           factors->events == row->events && factors->separate == row->separate &&
           factors->reads == row->reads && factors->temperature == row->temperature &&
           overhead_same_word(cell->tour->link, row->link) &&
           overhead_same_word(cell->tour->counted, row->counted) &&
           overhead_is_like_meter(cell->meter, row->meter);
}

/* Undisturbed calls up to the 99th of a hundred: beyond it a violin would be a line. */
static void pool_row(const struct overhead_run *run, const struct overhead_cells *cells,
                     const struct overhead_row *row, struct pooled *pooled)
{
    size_t step = row->runs / POOLED_MOST + 1;
    pooled_clear(pooled);
    for (size_t i = 0; i < cells->count; i++) {
        const struct overhead_cell *cell = &cells->list[i];
        if (!is_behind(cell, row))
            continue;
        double metering = run->report.timers[cell->factors.meter].cost;
        for (size_t j = 0; j < cell->runs; j += step) {
            double cost = (double)cells->values[cell->begin + j] - metering;
            if (cost <= row->p99)
                pooled_add(pooled, cost);
        }
    }
}

/* --- boxes --- */

/* The cheapest and the dearest call of a kind. */
static void put_kind(const struct overhead_run *run, const char *kind, const char *unit,
                     struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_row *least = NULL, *most = NULL;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        if (!overhead_has_unit(run, row->meter, unit) || !overhead_is_usual(run, i) ||
            !overhead_same_word(run->file.operations[row->operation].kind, kind) ||
            !isfinite(row->median))
            continue;
        least = !least || row->median < least->median ? row : least;
        most = !most || row->median > most->median ? row : most;
    }
    if (!least)
        return;
    text_printf(words, "The cheapest %s is ", kind);
    overhead_put_series(&run->file, least->machine, least->operation, least->variant, words);
    text_puts(words, " with ");
    overhead_put_cost(words, least->median);
    text_printf(words, " %s", unit);
    if (most != least) {
        text_puts(words, ", the dearest ");
        overhead_put_series(&run->file, most->machine, most->operation, most->variant, words);
        text_puts(words, " with ");
        overhead_put_cost(words, most->median);
    }
    text_puts(words, ". ");
}

static json_t *levels_json(const struct overhead_row *row)
{
    AUTO_TEXT struct text words = {0};
    if (row->level_count < 2)
        return json_null();
    for (size_t i = 0; i < row->level_count; i++) {
        text_puts(&words, i ? ", " : "");
        overhead_put_cost(&words, row->levels[i].median);
        text_puts(&words, " (");
        overhead_put_share(row->levels[i].share, &words);
        text_puts(&words, ")");
    }
    return json_text(text_string(&words));
}

static void add_box(const struct overhead_run *run, const struct overhead_cells *cells,
                    const struct overhead_row *row, struct pooled *pooled, json_t *figure)
{
    struct distribution box = {0};
    pool_row(run, cells, row, pooled);
    if (pooled->failed || distribution_of(pooled->values, pooled->count, &box) < 0)
        box.density = box.samples = json_null();
    FIGURE_ROW(figure, overhead_machine_json(&run->file, row->machine),
               overhead_kind_json(&run->file, row->operation),
               overhead_path_json(&run->file, row->operation), json_text(row->variant),
               figure_number(row->min), figure_number(row->q1), figure_number(row->median),
               figure_number(row->q3), figure_number(row->p99), figure_number(row->max),
               figure_number(row->low), figure_number(row->high), levels_json(row),
               json_count(row->events), json_text(row->counted), json_count(row->runs),
               json_count(row->processes), json_count(row->disturbed), box.density, box.samples);
}

static bool is_of(const struct overhead_run *run, size_t index, const char *unit, const char *kind)
{
    const struct overhead_row *row = &run->report.rows[index];
    return overhead_has_unit(run, row->meter, unit) && overhead_is_usual(run, index) &&
           overhead_same_word(run->file.operations[row->operation].kind, kind);
}

/* The cheapest first. */
static int by_cost(const void *left, const void *right)
{
    const struct overhead_row *a = *(const struct overhead_row *const *)left,
                              *b = *(const struct overhead_row *const *)right;
    if (a->median != b->median)
        return a->median < b->median ? -1 : 1;
    return (a > b) - (a < b);
}

static void add_boxes(const struct overhead_run *run, const struct overhead_cells *cells,
                      const char *unit, const char *kind, json_t *figure)
{
    const struct overhead_report *report = &run->report;
    AUTO_POOLED struct pooled pooled = {0};
    AUTO_FREE const struct overhead_row **list = calloc(report->row_count + 1, sizeof(*list));
    size_t count = 0;
    for (size_t i = 0; list && i < report->row_count; i++)
        if (is_of(run, i, unit, kind))
            list[count++] = &report->rows[i];
    if (count)
        qsort(list, count, sizeof(*list), by_cost);
    for (size_t i = 0; i < count && figure_has_room(figure); i++)
        add_box(run, cells, list[i], &pooled, figure);
}

static const char *paper_of(const char *kind)
{
    static const char *const papers[][2] = {{"start", OVERHEAD_PAPER "Figure 1b"},
                                            {"stop", OVERHEAD_PAPER "Figure 1c"},
                                            {"read", OVERHEAD_PAPER "Figure 1a"}};
    for (size_t i = 0; i < sizeof(papers) / sizeof(*papers); i++)
        if (overhead_same_word(kind, papers[i][0]))
            return papers[i][1];
    return NULL;
}

/* Reads in user code are so much cheaper than starts that each kind has an axis of its own. */
static void add_kind(const struct overhead_run *run, const struct overhead_cells *cells,
                     const char *unit, const char *kind, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_GROUP),
        {"kind", "call", ROLE_NONE, true},
        {"path", "path", ROLE_GROUP, true},
        {"variant", "variant", ROLE_GROUP, true},
        {"min", "least", ROLE_MIN, false},
        {"q1", "lower quartile", ROLE_Q1, false},
        {"median", "median", ROLE_MEDIAN, false},
        {"q3", "upper quartile", ROLE_Q3, false},
        {"p99", "99 of 100 below", ROLE_MAX, false},
        {"max", "most", ROLE_NONE, false},
        {"low", "median at least (95 %)", ROLE_NONE, false},
        {"high", "median at most (95 %)", ROLE_NONE, false},
        {"levels", "levels", ROLE_NONE, false},
        {"events", "counters", ROLE_NONE, false},
        {"counted", "counted", ROLE_NONE, false},
        {"runs", "calls", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {"disturbed", "calls left aside", ROLE_NONE, false},
        {"density", "density", ROLE_DENSITY, false},
        {"samples", "samples", ROLE_SAMPLES, false},
        {0},
    };
    AUTO_TEXT struct text id = {0}, what = {0}, title = {0}, words = {0};
    figure_put_id(&what, "calls", kind);
    figure_put_id(&id, text_string(&what), unit);
    text_puts(&title, "What a ");
    text_put_clean(&title, kind);
    text_puts(&title, " costs once all was called before, in ");
    text_put_clean(&title, unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = paper_of(kind),
        .kind = FIGURE_BOXES,
        .x = {unit, SCALE_LINEAR, false},
        .columns = columns,
    });
    add_boxes(run, cells, unit, kind, figure);
    figure_fit_scale(figure, "x");
    put_kind(run, kind, unit, &words);
    text_puts(&words, "Boxes are the middle half of the undisturbed calls, whiskers reach from the "
                      "least to the 99th of a hundred.");
    figure_set_caption(figure, &words);
    overhead_append_figure(run, figures, figure);
}

static int by_order(const void *left, const void *right)
{
    size_t a = overhead_kind_order(*(const char *const *)left),
           b = overhead_kind_order(*(const char *const *)right);
    return (a > b) - (a < b);
}

static void add_unit(const struct overhead_run *run, const struct overhead_cells *cells,
                     const char *unit, json_t *figures)
{
    const char *kinds[KINDS_MOST] = {0};
    size_t count = 0;
    for (size_t i = 0; i < run->file.operation_count; i++) {
        const char *kind = run->file.operations[i].kind;
        bool known = count == KINDS_MOST;
        for (size_t j = 0; j < count && !known; j++)
            known = overhead_same_word(kinds[j], kind);
        if (!known)
            kinds[count++] = kind;
    }
    qsort(kinds, count, sizeof(*kinds), by_order);
    for (size_t i = 0; i < count; i++)
        add_kind(run, cells, unit, kinds[i], figures);
}

/* --- levels --- */

static void add_levels(const struct overhead_run *run, const struct overhead_row *row,
                       json_t *figure)
{
    static const char *const by[] = {"", "process", "call", "the call before"};
    AUTO_TEXT struct text call = {0};
    overhead_put_row_call(&run->file, row, &call);
    for (size_t i = 0; i < row->level_count; i++) {
        const struct overhead_level *level = &row->levels[i];
        AUTO_TEXT struct text name = {0};
        text_printf(&name, "%zu: ", i + 1);
        overhead_put_share(level->share, &name);
        text_puts(&name, " of calls");
        FIGURE_ROW(figure, overhead_machine_json(&run->file, row->machine),
                   overhead_path_json(&run->file, row->operation), json_text(text_string(&call)),
                   json_text(text_string(&name)), figure_number(level->median),
                   figure_number(level->q1), figure_number(level->q3),
                   figure_number(100 * level->share), json_text(by[row->levels_kind]));
    }
}

static void add_level_figure(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_GROUP),        {"path", "path", ROLE_NONE, true},
        {"call", "call", ROLE_GROUP, false},        {"level", "level", ROLE_GROUP, false},
        {"median", "median", ROLE_VALUE, false},    {"q1", "lower quartile", ROLE_LOW, false},
        {"q3", "upper quartile", ROLE_HIGH, false}, {"share", "% of calls", ROLE_NONE, false},
        {"by", "decided by", ROLE_SERIES, false},   {0},
    };
    const struct overhead_report *report = &run->report;
    size_t calls = 0;
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "levels", unit);
    text_puts(&title, "Calls that cost now this, now that, in ");
    text_put_clean(&title, unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .kind = FIGURE_BARS,
        .x = {unit, SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        if (!overhead_has_unit(run, row->meter, unit) || row->level_count < 2 ||
            !overhead_is_usual(run, i) || !figure_has_room(figure))
            continue;
        add_levels(run, row, figure);
        calls++;
    }
    text_printf(&words,
                "The costs of %zu call%s fall into heaps with nothing between them: a mean, or the "
                "median over all, would be a cost that hardly any call has.",
                calls, calls == 1 ? "" : "s");
    figure_set_caption(figure, &words);
    overhead_append_figure(run, figures, figure);
}

void overhead_add_call_figures(const struct overhead_run *run, json_t *figures)
{
    const struct overhead_report *report = &run->report;
    AUTO_CELLS struct overhead_cells cells = {0};
    struct overhead_units units = {0};
    if (overhead_cells_collect(&run->file, report, &cells) < 0)
        return;
    for (size_t i = 0; i < report->row_count; i++)
        overhead_units_add(run, report->rows[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        add_unit(run, &cells, units.list[i], figures);
        add_level_figure(run, units.list[i], figures);
    }
}

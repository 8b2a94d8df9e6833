/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay overhead`: those of the paper, from what was measured here. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "studies/overhead/parts.h"

/* "perf-read.read, lazy", and "on NAME" where there are several machines. */
static void put_series(const struct overhead_run *run, const void *called, struct text *out)
{
    overhead_put_called(run, called, out);
    overhead_put_machine(&run->file, ((const struct overhead_called *)called)->machine, out);
}

/* ----------------------------------------------------------------------------------------------
 * What each call costs once all was called before, a box each; and those that cost now this, now
 * that. */

/* More values than that make no smoother violin. */
#define POOLED_MOST 20000u
#define KINDS_MOST  16u

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
    put_series(run, least, words);
    text_printf(words, " with %s %s", OVERHEAD_COST(least->median), unit);
    if (most != least) {
        text_puts(words, ", the dearest ");
        put_series(run, most, words);
        text_printf(words, " with %s", OVERHEAD_COST(most->median));
    }
    text_puts(words, ". ");
}

static json_t *levels_json(const struct overhead_row *row)
{
    AUTO_TEXT struct text words = {0};
    if (row->level_count < 2)
        return json_null();
    for (size_t i = 0; i < row->level_count; i++) {
        text_printf(&words, "%s%s (", i ? ", " : "", OVERHEAD_COST(row->levels[i].median));
        overhead_put_share(row->levels[i].share, &words);
        text_puts(&words, ")");
    }
    return json_text(text_string(&words));
}

static void add_box(const struct overhead_run *run, const struct overhead_cells *cells,
                    const struct overhead_row *row, struct pooled *pooled, json_t *figure)
{
    struct distribution box = {0};
    /* Undisturbed calls up to the 99th of a hundred: beyond it a violin would be a line. */
    size_t step = row->runs / POOLED_MOST + 1;
    pooled_clear(pooled);
    for (size_t i = 0; i < cells->count; i++) {
        const struct overhead_cell *cell = &cells->list[i];
        const struct overhead_factors *factors = &cell->factors;
        if (!(factors->machine == row->machine && factors->operation == row->operation &&
              factors->events == row->events && factors->separate == row->separate &&
              factors->reads == row->reads && factors->temperature == row->temperature &&
              overhead_same_word(cell->tour->link, row->link) &&
              overhead_same_word(cell->tour->counted, row->counted) &&
              overhead_same_meter(cell->meter, row->meter)))
            continue;
        double metering = run->report.timers[cell->factors.meter].cost;
        for (size_t j = 0; j < cell->runs; j += step) {
            double cost = (double)cells->values[cell->begin + j] - metering;
            if (cost <= row->p99)
                pooled_add(pooled, cost);
        }
    }
    if (distribution_of(pooled->values, pooled->count, &box) < 0)
        box.density = box.samples = json_null();
    FIGURE_ROW(figure, OVERHEAD_CALLED_JSON(run, row), figure_number(row->min),
               figure_number(row->q1), figure_number(row->median), figure_number(row->q3),
               figure_number(row->p99), figure_number(row->max), figure_number(row->low),
               figure_number(row->high), levels_json(row), json_count(row->events),
               json_text(row->counted), json_count(row->runs), json_count(row->processes),
               json_count(row->disturbed), box.density, box.samples);
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
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "calls", kind);
    text_puts(&title, "What a ");
    text_put_clean(&title, kind);
    text_puts(&title, " costs once all was called before, in ");
    json_t *figure = overhead_unit_figure(unit, (struct figure_spec){
                                                    .id = text_string(&id),
                                                    .title = text_string(&title),
                                                    .paper = paper_of(kind),
                                                    .kind = FIGURE_BOXES,
                                                    .x = {unit, SCALE_LINEAR, false},
                                                    .columns = columns,
                                                });
    const struct overhead_report *report = &run->report;
    AUTO_POOLED struct pooled pooled = {0};
    AUTO_MEMORY const struct overhead_row **list = memory_new(report->row_count + 1, sizeof(*list));
    size_t count = 0;
    for (size_t i = 0; i < report->row_count; i++)
        if (is_of(run, i, unit, kind))
            list[count++] = &report->rows[i];
    if (count)
        qsort(list, count, sizeof(*list), by_cost);
    for (size_t i = 0; i < count && figure_has_room(figure); i++)
        add_box(run, cells, list[i], &pooled, figure);
    figure_fit_scale(figure, "x");
    put_kind(run, kind, unit, &words);
    text_puts(&words, "Boxes are the middle half of the undisturbed calls, whiskers reach from the "
                      "least to the 99th of a hundred.");
    overhead_append_figure(run, figures, figure, &words);
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
    AUTO_TEXT struct text words = {0};
    json_t *figure =
        overhead_unit_figure(unit, (struct figure_spec){
                                       .id = "levels",
                                       .title = "Calls that cost now this, now that, in ",
                                       .kind = FIGURE_BARS,
                                       .x = {unit, SCALE_LINEAR, true},
                                       .columns = columns,
                                   });
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        if (!overhead_has_unit(run, row->meter, unit) || row->level_count < 2 ||
            !overhead_is_usual(run, i) || !figure_has_room(figure))
            continue;
        static const char *const by[] = {"", "process", "call", "the call before"};
        AUTO_TEXT struct text call = {0};
        overhead_put_row_call(&run->file, row, &call);
        for (size_t j = 0; j < row->level_count; j++) {
            const struct overhead_level *level = &row->levels[j];
            AUTO_TEXT struct text name = {0};
            text_printf(&name, "%zu: ", j + 1);
            overhead_put_share(level->share, &name);
            text_puts(&name, " of calls");
            FIGURE_ROW(figure, overhead_machine_json(&run->file, row->machine),
                       json_text(run->file.operations[row->operation].path),
                       json_text(text_string(&call)), json_text(text_string(&name)),
                       figure_number(level->median), figure_number(level->q1),
                       figure_number(level->q3), figure_number(100 * level->share),
                       json_text(by[row->levels_kind]));
        }
        calls++;
    }
    text_printf(&words,
                "The costs of %zu call%s fall into heaps with nothing between them: a mean, or the "
                "median over all, would be a cost that hardly any call has.",
                calls, calls == 1 ? "" : "s");
    overhead_append_figure(run, figures, figure, &words);
}

static void overhead_add_call_figures(const struct overhead_run *run, json_t *figures)
{
    const struct overhead_report *report = &run->report;
    struct overhead_units units = {0};
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct overhead_cells cells = overhead_cells_collect(&run->file, report);
    for (size_t i = 0; i < report->row_count; i++)
        overhead_units_add(run, report->rows[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        add_unit(run, &cells, units.list[i], figures);
        add_level_figure(run, units.list[i], figures);
    }
    memory_scope_end(&scope);
}

/* ----------------------------------------------------------------------------------------------
 * The first call of a process against later ones, and the same call again and again. */

#define TOLD_MOST       4u /* in a caption */
#define LEAST_PROCESSES 5u /* of times; what is emulated varies little */

static bool says_something(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return cold->processes >=
           (overhead_is_emulated(&run->file, cold->machine) ? 1u : LEAST_PROCESSES);
}

static bool same_call(const struct overhead_cold *left, const struct overhead_cold *right)
{
    return overhead_same_call(left, right) && left->events == right->events &&
           overhead_same_word(left->link, right->link) &&
           overhead_same_word(left->counted, right->counted);
}

/* Of one call in one variant: where nothing of its instrument was called before, else the first. */
static bool is_first_call(const struct overhead_run *run, size_t index)
{
    const struct overhead_cold *list = run->report.cold, *cold = &list[index];
    if (!says_something(run, cold) || !isfinite(cold->first))
        return false;
    for (size_t i = 0; i < run->report.cold_count; i++)
        if (i != index && same_call(&list[i], cold) && says_something(run, &list[i]) &&
            (list[i].opening > cold->opening || (i < index && list[i].opening == cold->opening)))
            return false;
    return true;
}

static double later_of(const struct overhead_cold *cold)
{
    return isfinite(cold->warm) ? cold->warm : cold->second;
}

static void put_dearest(const struct overhead_run *run, const char *unit, struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_cold *most = NULL, *least = NULL;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!overhead_has_unit(run, cold->meter, unit) || !is_first_call(run, i) ||
            !isfinite(cold->ratio))
            continue;
        most = !most || cold->ratio > most->ratio ? cold : most;
        least = !least || cold->ratio < least->ratio ? cold : least;
    }
    if (!most)
        return;
    text_puts(words, "The first ");
    put_series(run, most, words);
    text_printf(words, " costs %.3g times a later one (%s against %s %s), which is the most",
                most->ratio, OVERHEAD_COST(most->first), OVERHEAD_COST(later_of(most)), unit);
    if (least != most) {
        text_puts(words, "; the first ");
        put_series(run, least, words);
        text_printf(words, " costs %.3g times", least->ratio);
    }
    text_puts(words, ". ");
}

static void add_firsts(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_GROUP),
        {"kind", "call", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"variant", "variant", ROLE_GROUP, true},
        {"first", "first call", ROLE_BEFORE, false},
        {"later", "later calls", ROLE_AFTER, false},
        {"second", "second call", ROLE_NONE, false},
        {"extra", "the first costs more by", ROLE_NONE, false},
        {"low", "at least (95 %)", ROLE_NONE, false},
        {"high", "at most (95 %)", ROLE_NONE, false},
        {"ratio", "times a later one", ROLE_NONE, false},
        {"faults", "page faults in the first", ROLE_NONE, false},
        {"before", "straight after", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = overhead_unit_figure(
        unit, (struct figure_spec){
                  .id = "first-calls",
                  .title = "The first call of a process against later ones, in ",
                  .paper = OVERHEAD_PAPER "Figures 3, 4, 6 and 7",
                  .kind = FIGURE_DUMBBELLS,
                  .x = {unit, SCALE_LOG, false},
                  .columns = columns,
              });
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (overhead_has_unit(run, cold->meter, unit) && is_first_call(run, i) &&
            figure_has_room(figure))
            FIGURE_ROW(figure, OVERHEAD_CALLED_JSON(run, cold), figure_number(cold->first),
                       figure_number(later_of(cold)), figure_number(cold->second),
                       figure_number(cold->extra), figure_number(cold->low),
                       figure_number(cold->high), figure_number(cold->ratio),
                       figure_number(cold->faults),
                       json_text(overhead_before(&run->file, cold->predecessor)),
                       json_count(cold->processes));
    }
    figure_fit_scale(figure, "x");
    put_dearest(run, unit, &words);
    text_puts(&words, "Lazily linked programs bind a symbol in its first call; a page that nobody "
                      "touched is mapped by the first read.");
    overhead_append_figure(run, figures, figure, &words);
}

/* --- again and again --- */

static void put_decline(const struct overhead_run *run, const char *unit, struct text *words)
{
    const struct overhead_report *report = &run->report;
    size_t told = 0;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!overhead_has_unit(run, cold->meter, unit) || !cold->row_length ||
            !isfinite(cold->later_ratio))
            continue;
        put_series(run, cold, words);
        text_printf(words, ": from %s to %s %s%s. ", OVERHEAD_COST(cold->row[0]),
                    OVERHEAD_COST(cold->later), unit,
                    cold->goes_on    ? ", and it still falls after the second"
                    : cold->declines ? ", settled by the second"
                                     : ", which is no fall beyond chance");
        if (++told == TOLD_MOST)
            return;
    }
}

static void add_rows(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_NONE),
        {"path", "path", ROLE_NONE, true},
        {"variant", "variant", ROLE_NONE, true},
        {"call", "call", ROLE_SERIES, false},
        {"number", "number of the call", ROLE_X, false},
        {"median", "median", ROLE_Y, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = overhead_unit_figure(
        unit, (struct figure_spec){
                  .id = "again",
                  .title = "The same call again and again in a fresh process, in ",
                  .paper = OVERHEAD_PAPER "Figure 5",
                  .kind = FIGURE_LINES,
                  .x = {"number of the call in its process", SCALE_LOG, false},
                  .y = {unit, SCALE_LOG, false},
                  .columns = columns,
              });
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        AUTO_TEXT struct text call = {0};
        if (!overhead_has_unit(run, cold->meter, unit))
            continue;
        put_series(run, cold, &call);
        for (uint32_t j = 0;
             j < cold->row_length && j < OVERHEAD_MOST_POINTS && figure_has_room(figure); j++)
            FIGURE_ROW(figure, overhead_machine_json(&run->file, cold->machine),
                       json_text(run->file.operations[cold->operation].path),
                       json_text(cold->variant), json_text(text_string(&call)), json_integer(j + 1),
                       figure_number(cold->row[j]), json_count(cold->row_processes));
    }
    figure_fit_scale(figure, "y");
    put_decline(run, unit, &words);
    if (!words.length)
        text_puts(&words, "Medians over processes.");
    overhead_append_figure(run, figures, figure, &words);
}

static void overhead_add_cold_figures(const struct overhead_run *run, json_t *figures)
{
    struct overhead_units units = {0};
    for (size_t i = 0; i < run->report.cold_count; i++)
        overhead_units_add(run, run->report.cold[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        add_firsts(run, units.list[i], figures);
        add_rows(run, units.list[i], figures);
    }
}

/* --- all figures --- */

json_t *overhead_machine_json(const struct overhead_case *file, uint32_t machine)
{
    static const char on[] = " on ";
    AUTO_TEXT struct text label = {0};
    overhead_put_machine(file, machine, &label);
    return label.length ? json_text(text_string(&label) + strlen(on)) : json_null();
}

json_t *overhead_unit_figure(const char *unit, struct figure_spec spec)
{
    AUTO_TEXT struct text id = {0}, title = {0};
    figure_put_id(&id, spec.id, unit);
    text_puts(&title, spec.title);
    text_put_clean(&title, unit);
    spec.id = text_string(&id);
    spec.title = text_string(&title);
    return figure_new(&spec);
}

void overhead_append_figure(const struct overhead_run *run, json_t *figures, json_t *figure,
                            const struct text *caption)
{
    if (caption)
        figure_set_caption(figure, caption);
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

json_t *overhead_figures(const void *kept)
{
    const struct overhead_run *run = kept;
    static overhead_figures_part *const parts[] = {
        overhead_add_call_figures,        overhead_add_machine_figures, overhead_add_cold_figures,
        overhead_add_predecessor_figures, overhead_add_sweep_figures,   overhead_add_peer_figures,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, figures);
    return figures;
}

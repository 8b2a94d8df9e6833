/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay error`: those of the paper, from what was measured here. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What the figures share: words for machines, events and ways, and how one is appended. */

json_t *error_machine_json(const struct error_case *file, uint32_t machine)
{
    if (machine >= file->machine_count)
        return json_null();
    const struct error_machine *of = &file->machines[machine];
    for (size_t i = 0; i < file->machine_count; i++)
        if (i != machine && strcmp(file->machines[i].name, of->name) == 0)
            return json_text(memory_format("%s (%.6s)", of->name, of->fingerprint));
    return json_text(of->name);
}

void error_append_figure(const struct error_run *run, json_t *figures, json_t *figure,
                         const struct text *words)
{
    if (words)
        figure_set_caption(figure, words);
    if (run->file.machine_count < 2)
        figure_drop_column(figure, "machine");
    figures_append_apart(figures, figure);
}

/* "user", "kernel", "user and kernel", "any". */
static json_t *error_mode_json(enum count_mode mode)
{
    static const char *const words[COUNT_MODES] = {[COUNT_ANY] = "any",
                                                   [COUNT_USER] = "user",
                                                   [COUNT_KERNEL] = "kernel",
                                                   [COUNT_BOTH] = "user and kernel"};
    return json_text(words[mode]);
}

/* ----------------------------------------------------------------------------------------------
 * What a counter shows against what is known: against stepped windows, against the truth where it
 * counts part of the time, and against the code itself where a whole command was counted. */

/* --- stepped --- */

static void add_stepped(const struct error_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_NONE)},
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
    const struct error_stepped *stepped = &run->report.stepped;
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
        const struct error_agreement *agreement = &stepped->list[i];
        const struct error_row *row = agreement->row;
        const struct error_cell *cell = row->cell;
        double agreeing = (double)agreement->agreeing / fmax(1, (double)agreement->runs);
        FIGURE_ROW(figure, error_machine_json(&run->file, cell->machine), json_text(cell->path),
                   json_text(pattern_descriptions[cell->pattern]), json_text(cell->opt),
                   json_text(cell->link), json_count(cell->counters),
                   figure_number((double)row->stepped), figure_number((double)row->later.median),
                   figure_number((double)agreement->difference), figure_number(100 * agreeing),
                   json_text(agreement->difference == agreement->edge ? "agrees" : "differs"));
        least = fmin(least, (double)row->stepped);
        most = fmax(most, (double)row->stepped);
    }
    figure_fit_scale(figure, "x");
    figure_fit_scale(figure, "y");
    figure_add_line(figure, "counted as stepped", NULL, 0, 1, least, most);
    text_printf(&words, "In %s of %s cells the counter shows what stepping shows",
                BRIEF((double)stepped->equal), BRIEF((double)stepped->comparable));
    if (stepped->edge)
        text_printf(&words, ", but for a constant %s that is the CPU's own",
                    BRIEF((double)stepped->edge));
    text_puts(&words, ". Points off the line are windows in which the counter sees more or less "
                      "than is executed.");
    error_append_figure(run, figures, figure, &words);
}

/* --- more events than counters --- */

static void add_multiplex(const struct error_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_GROUP)},
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
    const struct error_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "multiplexing",
        .title = "More events than counters: what extrapolation is worth",
        .kind = FIGURE_BARS,
        .x = {"error in % of the truth", SCALE_LINEAR, true},
        .columns = columns,
    });
    double steady = NAN, phased = NAN;
    for (size_t i = 0; i < report->multiplex_count; i++) {
        const struct error_multiplex *one = &report->multiplex[i];
        double *worst = one->phased ? &phased : &steady;
        if (isnan(*worst) || fabs(one->median) > fabs(*worst))
            *worst = one->median;
        if (figure_has_room(figure))
            FIGURE_ROW(figure, error_machine_json(&run->file, one->machine), json_text(one->event),
                       json_text(one->path), json_text(one->specimen), json_count(one->counters),
                       figure_number(100 * one->share), figure_number(one->median),
                       figure_number(one->low), figure_number(one->high),
                       figure_number(one->single), json_text(one->phased ? "in phases" : "steady"),
                       json_count(one->runs));
    }
    text_puts(&words, "Each event ran part of the time and was extrapolated. ");
    if (isfinite(steady))
        text_printf(&words, "On steady code that is off by %+.2g %% at worst, by the median. ",
                    steady);
    if (isfinite(phased))
        text_printf(&words, "On code whose work comes in phases it is off by %+.2g %% at worst.",
                    phased);
    error_append_figure(run, figures, figure, &words);
}

/* --- whole commands --- */

static void add_tools(const struct error_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_NONE)},
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
    const struct error_report *report = &run->report;
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
            FIGURE_ROW(figure, error_machine_json(&run->file, cell->machine),
                       json_text(cell->event), json_text(cell->path), json_text(cell->specimen),
                       json_count(cell->n), figure_number((double)row->error.min),
                       figure_number((double)row->error.median),
                       figure_number((double)row->error.max),
                       figure_number(error_best_window(report, cell)),
                       json_text(error_unit(cell->event, cell->base)));
    }
    error_append_figure(run, figures, figure, NULL);
}

/* ----------------------------------------------------------------------------------------------
 * The best pattern of each path, and the paper's own rows beside ours. */

/* The paper's Table 3. */
static void error_add_best_figure(const struct error_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_GROUP)},
        {"mode", "mode", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"pattern", "best pattern", ROLE_GROUP, false},
        {"median", "median", ROLE_VALUE, false},
        {"min", "least", ROLE_NONE, false},
        {"low", "2.5 % of runs below", ROLE_LOW, false},
        {"high", "2.5 % of runs above", ROLE_HIGH, false},
        {"of", "of", ROLE_SERIES, false},
        {"runs", "runs", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &run->report;
    bool ours[COUNT_MODES] = {false}; /* is there something of ours? */
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "best-pattern",
        .title = "The best pattern of each path, and what it adds",
        .paper = ERROR_PAPER "Table 3",
        .kind = FIGURE_BARS,
        .x = {"instructions", SCALE_SYMLOG, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (!error_is_instructions(best))
            continue;
        ours[best->mode] = true;
        if (error_is_counted(report, best, false))
            continue;
        if (figure_has_room(figure))
            FIGURE_ROW(
                figure, error_machine_json(&run->file, best->machine), error_mode_json(best->mode),
                json_text(best->path), json_text(pattern_descriptions[best->pattern]),
                figure_number(best->median), figure_number((double)best->min),
                figure_number(best->spread_low), figure_number(best->spread_high),
                json_text(best->stepped ? "here, exact" : "here, counted"), json_count(best->runs));
        if (best->overall && best->mode != COUNT_KERNEL)
            text_printf(&words, "%s: %s adds least, %s by the median%s. ",
                        error_event_told(best->event, best->stepped),
                        error_way(&run->file, best->machine, best->path, best->pattern),
                        BRIEF(best->median), best->median == 0 ? "" : "; subtract that");
    }
    for (size_t i = 0; i < sizeof(error_table3) / sizeof(*error_table3) && !figure_is_empty(figure);
         i++) {
        const struct error_table3 *row = &error_table3[i];
        for (enum count_mode mode = COUNT_USER; mode < COUNT_MODES; mode++)
            if (ours[mode] && strcmp(count_mode_names[mode], row->mode) == 0)
                FIGURE_ROW(figure, json_text("the paper's"), error_mode_json(mode),
                           json_text(row->tool), json_text(pattern_descriptions[row->pattern]),
                           figure_number(row->median), figure_number((double)row->min), NULL, NULL,
                           json_text("the paper"), NULL);
    }
    text_puts(&words, "What compares with the paper is the order: direct calls, PAPI's low level, "
                      "its high level.");
    figure_add_note(figure, "pm: perfmon, pc: perfctr, PL and PH: PAPI's low and high level on "
                            "them; the paper's medians are over its three processors.");
    error_append_figure(run, figures, figure, &words);
}

/* ----------------------------------------------------------------------------------------------
 * What more counters add to an empty window: a figure for each event whose error changes with
 * their number. */

static bool same_event(const struct error_by_counters *left, const struct error_by_counters *right)
{
    return strcmp(left->event, right->event) == 0 && left->stepped == right->stepped;
}

static void put_slope(const struct error_run *run, const struct error_by_counters *by,
                      struct text *words)
{
    text_puts(words, BRIEF(by->slope));
    if (by->low < by->high)
        text_printf(words, " (%s to %s)", BRIEF(by->low), BRIEF(by->high));
    text_printf(words, " through %s%s", error_way(&run->file, by->machine, by->path, by->pattern),
                by->separate ? ", opened one by one" : "");
}

static void add_event(const struct error_run *run, const struct error_by_counters *like,
                      json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_NONE)},
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
    const struct error_report *report = &run->report;
    const struct error_by_counters *most = NULL, *least = NULL;
    const char *unit = error_unit(like->event, NULL);
    AUTO_TEXT struct text id = {0}, words = {0};
    figure_put_id(&id, "by-counters", like->event);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = memory_format("What an empty window counts, by the number of counters: %s",
                               error_event_told(like->event, like->stepped)),
        .paper = strcmp(unit, "instructions") == 0 ? ERROR_PAPER "Figure 5" : NULL,
        .kind = FIGURE_LINES,
        .x = {"counters at a time", SCALE_LINEAR, false},
        .y = {unit, SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->by_counters_count; i++) {
        const struct error_by_counters *by = &report->by_counters[i];
        if (!same_event(by, like))
            continue;
        const char *pattern = pattern_descriptions[by->pattern];
        const char *series =
            memory_format("%s%s%s", pattern, by->separate ? ", opened one by one" : "",
                          error_on(&run->file, by->machine));
        for (size_t j = 0; j < by->points && figure_has_room(figure); j++)
            FIGURE_ROW(figure, error_machine_json(&run->file, by->machine), json_text(by->path),
                       json_text(pattern), json_text(series), json_count(by->list[j].counters),
                       figure_number(by->list[j].median), figure_number((double)by->list[j].min),
                       figure_number(by->slope), figure_number(by->low), figure_number(by->high));
        if (!isfinite(by->slope))
            continue;
        most = !most || by->slope > most->slope ? by : most;
        least = !least || by->slope < least->slope ? by : least;
    }
    if (most) {
        text_puts(&words, "Each further counter adds ");
        put_slope(run, most, &words);
        if (most != least) {
            text_puts(&words, ", where it adds most, and ");
            put_slope(run, least, &words);
            text_puts(&words, ", where it adds least");
        }
        text_puts(&words, ". ");
    }
    text_puts(&words, "Medians at one -O level and link mode.");
    error_append_figure(run, figures, figure, &words);
}

/* The paper's Figure 5. */
static void error_add_counter_figures(const struct error_run *run, json_t *figures)
{
    const struct error_report *report = &run->report;
    AUTO_TEXT struct text same = {0};
    size_t before = json_array_size(figures);
    for (size_t i = 0; i < report->by_counters_count; i++) {
        const struct error_by_counters *by = &report->by_counters[i];
        bool leads = true, changes = false;
        for (size_t j = 0; j < report->by_counters_count; j++) {
            const struct error_by_counters *other = &report->by_counters[j];
            if (!same_event(other, by))
                continue;
            leads &= j >= i;
            for (size_t k = 1; k < other->points; k++)
                changes |= other->list[k].median < other->list[0].median ||
                           other->list[k].median > other->list[0].median;
        }
        if (leads && changes)
            add_event(run, by, figures);
        if (!leads || changes)
            continue;
        text_printf(&same, "%s%s",
                    same.length ? ", "
                                : "The number of counters changes nothing in the medians of ",
                    error_event_told(by->event, by->stepped));
    }
    text_puts(&same, ".");
    if (same.length > 1 && json_array_size(figures) > before)
        figure_add_note(json_array_get(figures, json_array_size(figures) - 1), text_string(&same));
}

/* ----------------------------------------------------------------------------------------------
 * What empty windows count: all of them together, and by path and pattern. One figure has one
 * unit. */

#define UNITS_MOST 16u

static const char *unit_of(const struct error_cell *cell)
{
    return error_unit(cell->event, cell->base);
}

/* --- all of them --- */

static void put_overview(const struct error_run *run, const struct error_cell *cell,
                         const struct pooled_box *box, struct text *words)
{
    text_printf(words, "Of %s empty windows of %s%s, ", BRIEF((double)box->count),
                error_event_told(cell->event, cell->part == PART_STEPPED),
                error_on(&run->file, cell->machine));
    if (box->least >= box->most)
        text_printf(words, "every one counted %s. ", BRIEF(box->most));
    else
        text_printf(words,
                    "half counted %s or more although nothing happened in them; the least counted "
                    "%s, the most %s. ",
                    BRIEF(box->median), BRIEF(box->least), BRIEF(box->most));
}

static void add_overview(const struct error_run *run, const struct error_ways *ways,
                         json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_GROUP)},
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
            for (size_t at = 0; at < ways->list[i].cell->runs; at++)
                pooled_add(&pooled, (double)error_of(ways->list[i].cell, at));
        size_t before = figure_rows(figure);
        const struct pooled_box box =
            FIGURE_BOX(figure, &pooled, true, error_machine_json(&run->file, first->machine),
                       json_text(error_event_told(first->event, first->part == PART_STEPPED)),
                       error_mode_json(first->mode));
        if (box.count && before < 4)
            put_overview(run, first, &box, &words);
    }
    text_puts(&words, "How far apart they lie is what choosing the way of measuring is worth.");
    error_append_figure(run, figures, figure, &words);
}

/* --- by path and pattern --- */

/* One box of each path and pattern of an event, in the stretch of ways that is the event's. */
static void null_add_event(const struct error_run *run, const struct error_ways *ways, size_t begin,
                           size_t end, json_t *figure, struct text *words)
{
    const struct error_case *file = &run->file;
    const char *event = error_event_told(ways->list[begin].cell->event,
                                         ways->list[begin].cell->part == PART_STEPPED);
    AUTO_POOLED struct pooled pooled = {0};
    AUTO_ERROR_POOL struct error_pool pool = {0};
    /* The ways with the least and the greatest median. */
    const struct error_cell *least = NULL, *most = NULL;
    double least_median = 0, most_median = 0;
    for (size_t next; begin < end; begin = next) {
        const struct error_cell *cell = ways->list[begin].cell;
        next = error_ways_end(ways, begin, WAY_PATTERN);
        pooled_clear(&pooled);
        for (size_t i = begin; i < next; i++)
            if (error_counts_alone(ways->list[i].cell))
                error_pool_add(&pool, ways->list[i].cell);
        for (; pool.count; pool.count--)
            pooled_add(&pooled, (double)pool.errors[pool.count - 1]);
        if (!figure_has_room(figure))
            return;
        const struct pooled_box box =
            FIGURE_BOX(figure, &pooled, false, error_machine_json(file, cell->machine),
                       json_text(event), json_text(cell->path),
                       json_text(pattern_descriptions[cell->pattern]), error_mode_json(cell->mode));
        if (!box.count)
            continue;
        if (!least || box.median < least_median) {
            least = cell;
            least_median = box.median;
        }
        if (!most || box.median > most_median) {
            most = cell;
            most_median = box.median;
        }
    }
    if (least && least_median >= most_median)
        text_printf(words, "%s: every path and pattern adds %s, by the median. ", event,
                    BRIEF(least_median));
    else if (least)
        text_printf(words, "%s: least is added by %s (median %s), most by %s (%s). ", event,
                    error_way(file, least->machine, least->path, least->pattern),
                    BRIEF(least_median), error_way(file, most->machine, most->path, most->pattern),
                    BRIEF(most_median));
}

static void add_unit(const struct error_run *run, const struct error_ways *ways, const char *unit,
                     json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_GROUP)},
        {"event", "event", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"pattern", "pattern", ROLE_GROUP, true},
        {"mode", "mode", ROLE_NONE, true},
        BOX_COLUMNS,
        {0},
    };
    AUTO_TEXT struct text words = {0}, id = {0};
    figure_put_id(&id, "null-by-path", unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = memory_format("What an empty window counts, by path and pattern: %s", unit),
        .paper = strcmp(unit, "instructions") == 0 ? ERROR_PAPER "Figure 6" : NULL,
        .kind = FIGURE_BOXES,
        .x = {unit, SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t begin = 0, end; begin < ways->count; begin = end) {
        end = error_ways_end(ways, begin, WAY_EVENT);
        if (strcmp(unit_of(ways->list[begin].cell), unit) == 0)
            null_add_event(run, ways, begin, end, figure, &words);
    }
    /* Where nothing varies a picture shows nothing. */
    if (figure_is_flat(figure))
        json_object_set_new(figure, "kind", json_string("table"));
    figure_fit_scale(figure, "x");
    figure_add_note(figure, "One counter; all runs but the first of each process, over -O levels "
                            "and link modes. Whiskers reach to the 99th of a hundred.");
    error_append_figure(run, figures, figure, &words);
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

/* The paper's Figures 1, 4 and 6. */
static void error_add_null_figures(const struct error_run *run, json_t *figures)
{
    const struct error_ways ways = error_ways_of(&run->file);
    const char *units[UNITS_MOST] = {0};
    size_t count = 0;
    add_overview(run, &ways, figures);
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
        add_unit(run, &ways, units[i], figures);
}

/* --- the whole --- */

json_t *error_figures(const void *kept)
{
    static error_figures_part *const parts[] = {
        error_add_null_figures,
        error_add_best_figure,
        error_add_counter_figures,
        error_add_factor_figure,
        add_stepped,
        add_multiplex,
        add_tools,
        error_add_slope_figures,
        error_add_size_figures,
        error_add_place_figures,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](kept, figures);
    return figures;
}

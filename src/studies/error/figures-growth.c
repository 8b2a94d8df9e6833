/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the error grows while the measured code runs: what each iteration adds, the error by the
 * number of iterations, and counts of the kernel alone. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/error-figures.h"
#include "judge/error/duration.h"
#include "judge/error/replicates.h"
#include "show/number.h"
#include "show/utf8.h"
#include "stats/spread.h"

static bool same_event(const struct error_slope *left, const struct error_slope *right)
{
    return strcmp(left->event, right->event) == 0;
}

static bool leads(const struct error_report *report, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_event(&report->slopes[i], &report->slopes[index]))
            return false;
    return true;
}

static const char *paper_of(const char *event)
{
    if (strcmp(event, "instructions:uk") == 0)
        return ERROR_PAPER "Figure 7";
    return strcmp(event, "instructions:u") == 0 ? ERROR_PAPER "Figure 8" : NULL;
}

/* --- what an iteration adds --- */

static bool grows(const struct error_slope *slope)
{
    return slope->low > 0 || slope->high < 0;
}

/* What is next to nothing for an iteration is told for a million of them. */
#define SMALL   1e-3
#define MILLION 1e6

static double iterations_of(const struct error_report *report, const struct error_slope *like)
{
    double most = 0;
    for (size_t i = 0; i < report->slope_count; i++)
        if (same_event(&report->slopes[i], like))
            most = fmax(most, fabs(report->slopes[i].slope));
    return most < SMALL ? MILLION : 1;
}

static const char *iterations_told(double iterations)
{
    return iterations > 1 ? "a million iterations" : "an iteration";
}

static void put_slopes(const struct erring *erring, const struct error_slope *like,
                       struct text *words)
{
    const struct error_report *report = &erring->report;
    const struct error_slope *least = like, *most = like;
    size_t ways = 0, growing = 0;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        if (!same_event(slope, like))
            continue;
        ways++;
        growing += grows(slope);
        least = slope->slope < least->slope ? slope : least;
        most = slope->slope > most->slope ? slope : most;
    }
    const double iterations = iterations_of(report, like);
    char low[NUMBER_SIZE], high[NUMBER_SIZE], whole[NUMBER_SIZE];
    number_significant(least->slope * iterations, 2, low, sizeof(low));
    number_significant(most->slope * iterations, 2, high, sizeof(high));
    number_significant(most->slope * (double)most->longest, 2, whole, sizeof(whole));
    if (ways == 1)
        text_printf(words, "The error %s with the loop beyond chance. ",
                    growing ? "grows or falls" : "does not grow or fall");
    else
        text_printf(words,
                    "Through %zu of %zu ways of measuring the error grows or falls with the loop "
                    "beyond chance. ",
                    growing, ways);
    text_printf(words, "%s %s", iterations > 1 ? "A million iterations add" : "An iteration adds",
                low);
    if (most->slope > least->slope)
        text_printf(words, " to %s", high);
    text_printf(words, " %s", error_unit(like->event, NULL));
    if ((double)most->longest != iterations) {
        text_printf(words, ": %s in a loop of ", whole);
        figure_put_number(words, (double)most->longest);
    }
    text_puts(words, ".");
}

static void add_slopes(const struct erring *erring, const struct error_slope *like, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_GROUP),
        {"path", "path", ROLE_GROUP, true},
        {"pattern", "pattern", ROLE_GROUP, true},
        {"slope", "added", ROLE_VALUE, false},
        {"low", "at least (95 %)", ROLE_LOW, false},
        {"high", "at most (95 %)", ROLE_HIGH, false},
        {"detectable", "detectable", ROLE_NONE, false},
        {"iterations", "for so many iterations", ROLE_NONE, false},
        {"longest", "longest loop", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    const double iterations = iterations_of(report, like);
    AUTO_TEXT struct text id = {0}, title = {0}, axis = {0}, words = {0};
    figure_put_id(&id, "slope", like->event);
    text_puts(&title, "What the iterations of a loop add: ");
    text_put_clean(&title, like->event);
    text_printf(&axis, "%s %s", error_unit(like->event, NULL), iterations_told(iterations));
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = paper_of(like->event),
        .kind = FIGURE_BARS,
        .x = {text_string(&axis), SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->slope_count && figure_has_room(figure); i++) {
        const struct error_slope *slope = &report->slopes[i];
        if (same_event(slope, like))
            FIGURE_ROW(
                figure, error_machine_json(&erring->file, slope->machine), json_text(slope->path),
                json_text(pattern_descriptions[slope->pattern]),
                figure_number(slope->slope * iterations), figure_number(slope->low * iterations),
                figure_number(slope->high * iterations),
                figure_number(slope->detectable * iterations), json_count((uint64_t)iterations),
                json_count(slope->longest), json_count(slope->runs));
    }
    put_slopes(erring, like, &words);
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

/* --- the error by N --- */

static void add_point(const struct erring *erring, const struct error_cell *cell, int64_t *errors,
                      int64_t *scratch, json_t *figure)
{
    AUTO_TEXT struct text series = {0};
    size_t count = error_usual_runs(cell, errors);
    error_sort(errors, count, scratch);
    struct error_spread spread = error_spread_of(errors, count);
    error_put_way(&erring->file, cell->machine, cell->path, cell->pattern, &series);
    FIGURE_ROW(figure, error_machine_json(&erring->file, cell->machine), json_text(cell->path),
               json_text(pattern_descriptions[cell->pattern]), json_text(text_string(&series)),
               json_count(cell->n), figure_number((double)spread.median),
               figure_number((double)spread.q1), figure_number((double)spread.q3),
               json_text(cell->opt), json_text(cell->link), json_count(count));
}

/* Everything of the event that the slopes are of; NULL: out of memory. */
static json_t *points_of(const struct erring *erring, const struct error_slope *like,
                         const struct figure_spec *spec)
{
    const struct error_case *file = &erring->file;
    size_t most = 1;
    for (size_t i = 0; i < file->cell_count; i++)
        most = file->cells[i].runs > most ? file->cells[i].runs : most;
    AUTO_FREE int64_t *errors = calloc(most, sizeof(*errors));
    AUTO_FREE int64_t *scratch = calloc(most, sizeof(*scratch));
    if (!errors || !scratch)
        return NULL;
    json_t *figure = figure_new(spec);
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (cell->runs && strcmp(cell->event, like->event) == 0 && shows_duration(cell) &&
            figure_has_room(figure))
            add_point(erring, cell, errors, scratch, figure);
    }
    return figure;
}

static void add_fits(const struct erring *erring, const struct error_slope *like, json_t *figure)
{
    const struct error_report *report = &erring->report;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        AUTO_TEXT struct text series = {0}, name = {0};
        if (!same_event(slope, like))
            continue;
        error_put_way(&erring->file, slope->machine, slope->path, slope->pattern, &series);
        const double iterations = iterations_of(report, like);
        char added[NUMBER_SIZE];
        number_significant(slope->slope * iterations, 2, added, sizeof(added));
        text_printf(&name, "%s: %s %s", text_string(&series), added,
                    iterations > 1 ? "a million" : "each");
        figure_add_line(figure, text_string(&name), text_string(&series), slope->intercept,
                        slope->slope, 1, (double)slope->longest);
    }
}

/* Do straight lines look like it? */
static bool is_straight(const json_t *figure)
{
    static const char *const axes[] = {"x", "y"};
    for (size_t i = 0; i < 2; i++)
        if (strcmp(json_string_value(json_object_get(json_object_get(figure, axes[i]), "scale")),
                   "linear") != 0)
            return false;
    return true;
}

static void add_by_n(const struct erring *erring, const struct error_slope *like, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_NONE),           {"path", "path", ROLE_NONE, true},
        {"pattern", "pattern", ROLE_NONE, true},   {"way", "way", ROLE_SERIES, false},
        {"n", "iterations", ROLE_X, false},        {"median", "median", ROLE_Y, false},
        {"q1", "lower quartile", ROLE_LOW, false}, {"q3", "upper quartile", ROLE_HIGH, false},
        {"opt", "-O level", ROLE_NONE, false},     {"link", "link mode", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},        {0},
    };
    AUTO_TEXT struct text id = {0}, title = {0}, axis = {0}, words = {0};
    figure_put_id(&id, "by-n", like->event);
    text_puts(&title, "The error by the length of a loop: ");
    text_put_clean(&title, like->event);
    text_printf(&axis, "%s too many", error_unit(like->event, NULL));
    json_t *figure = points_of(erring, like,
                               &(struct figure_spec){
                                   .id = text_string(&id),
                                   .title = text_string(&title),
                                   .kind = FIGURE_POINTS,
                                   .x = {"iterations of the loop", SCALE_LOG, false},
                                   .y = {text_string(&axis), SCALE_SYMLOG, false},
                                   .columns = columns,
                               });
    if (!figure)
        return;
    figure_fit_scale(figure, "x");
    figure_fit_scale(figure, "y");
    add_fits(erring, like, figure);
    text_puts(&words, "Points are medians of cells, their bars the middle half of the runs; ");
    text_puts(&words, is_straight(figure) ? "lines are those that the slopes are of."
                                          : "curves are the straight lines that the slopes are of, "
                                            "bent where an axis is logarithmic.");
    text_puts(&words, " What is there at one iteration is what measuring itself adds, what comes "
                      "on top of it came while the loop ran.");
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

/* --- what does not grow at all --- */

static void add_constants(const struct erring *erring, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_NONE),
        {"event", "event", ROLE_NONE, true},
        {"path", "path", ROLE_NONE, true},
        {"pattern", "pattern", ROLE_NONE, true},
        {"added", "always added", ROLE_NONE, false},
        {"longest", "longest loop", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    bool user = false;
    uint64_t runs = 0;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "no-slope",
        .title = "What does not grow with a loop",
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < report->slope_count && figure_has_room(figure); i++) {
        const struct error_slope *slope = &report->slopes[i];
        if (!error_is_constant(report, slope, same_event))
            continue;
        user |= strcmp(slope->event, "instructions:u") == 0;
        runs += slope->runs;
        FIGURE_ROW(figure, error_machine_json(&erring->file, slope->machine),
                   json_text(slope->event), json_text(slope->path),
                   json_text(pattern_descriptions[slope->pattern]), figure_number(slope->intercept),
                   json_count(slope->longest), json_count(slope->runs));
    }
    text_puts(&words, "None of ");
    figure_put_number(&words, (double)runs);
    text_puts(&words, " runs of these events deviates, however long the loop: their error is that "
                      "of an empty window.");
    figure_set_caption(figure, &words);
    if (user)
        json_object_set_new(figure, "paper", json_text(ERROR_PAPER "Figure 8"));
    error_append_figure(erring, figures, figure);
}

void error_add_slope_figures(const struct erring *erring, json_t *figures)
{
    const struct error_report *report = &erring->report;
    for (size_t i = 0; i < report->slope_count; i++) {
        if (!leads(report, i) || error_is_constant(report, &report->slopes[i], same_event))
            continue;
        add_slopes(erring, &report->slopes[i], figures);
        add_by_n(erring, &report->slopes[i], figures);
    }
    add_constants(erring, figures);
}

/* --- counts of the kernel alone --- */

static void put_sizes(const struct erring *erring, struct text *words)
{
    const struct error_report *report = &erring->report;
    const struct error_by_size *first = &report->by_size[0], *last = first;
    for (size_t i = 1; i < report->by_size_count; i++)
        if (report->by_size[i].machine == first->machine &&
            strcmp(report->by_size[i].event, first->event) == 0 &&
            strcmp(report->by_size[i].path, first->path) == 0)
            last = &report->by_size[i];
    text_puts(words, "The loop never calls the operating system, yet ");
    text_put_clean(words, first->event);
    text_puts(words, " through ");
    text_put_clean(words, first->path);
    text_puts(words, " shows ");
    figure_put_number(words, first->mean);
    text_puts(words, " on average with ");
    figure_put_number(words, (double)first->n);
    text_puts(words, first->n == 1 ? " iteration" : " iterations");
    if (last != first) {
        text_puts(words, " and ");
        figure_put_number(words, last->mean);
        text_puts(words, " with ");
        figure_put_number(words, (double)last->n);
    }
    text_puts(words, ". ");
    const struct error_ticks *ticks = &report->ticks;
    if (ticks->known)
        text_printf(words,
                    "Interrupts explain %.2g instructions an iteration (%.2g each); %.2g were "
                    "measured: %s.",
                    ticks->predicted, ticks->each, ticks->measured,
                    ticks->agrees ? "the two agree" : "the two differ");
}

static void add_size(const struct erring *erring, const struct error_by_size *size, json_t *figure)
{
    AUTO_TEXT struct text n = {0};
    figure_put_number(&n, (double)size->n);
    FIGURE_ROW(figure, error_machine_json(&erring->file, size->machine), json_text(size->event),
               json_text(size->path), json_text(text_string(&n)),
               figure_number((double)size->spread.min), figure_number((double)size->spread.q1),
               figure_number((double)size->spread.median), figure_number((double)size->spread.q3),
               figure_number((double)size->spread.max), figure_number(size->mean),
               figure_number(size->interrupts), json_count(size->runs));
}

void error_add_size_figures(const struct erring *erring, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_GROUP),
        {"event", "event", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"n", "iterations", ROLE_GROUP, false},
        {"min", "least", ROLE_MIN, false},
        {"q1", "lower quartile", ROLE_Q1, false},
        {"median", "median", ROLE_MEDIAN, false},
        {"q3", "upper quartile", ROLE_Q3, false},
        {"max", "most", ROLE_MAX, false},
        {"mean", "mean", ROLE_NONE, false},
        {"interrupts", "interrupts a run", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "kernel-by-size",
        .title = "What the kernel counts while a loop runs, by the length of the loop",
        .paper = ERROR_PAPER "Figure 9",
        .kind = FIGURE_BOXES,
        .x = {"counted in kernel mode", SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t i = 0; i < report->by_size_count && figure_has_room(figure); i++)
        add_size(erring, &report->by_size[i], figure);
    figure_fit_scale(figure, "x");
    if (report->by_size_count)
        put_sizes(erring, &words);
    figure_set_caption(figure, &words);
    error_append_figure(erring, figures, figure);
}

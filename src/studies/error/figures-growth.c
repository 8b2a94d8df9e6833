/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pictures of what makes the error grow: duration, factors, the place of the code. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/table.h"
#include "stats/moments.h"
#include "studies/error/judge.h"
#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What -O levels and link modes change, cell by cell, and which factors matter. */

/* --- -O levels and link modes --- */

struct builds {
    const struct erring *erring;
    const struct error_ways *ways;
    int64_t *errors, *scratch; /* room for the runs of any cell */
    double *medians;           /* room for one each way */
    json_t *figure;
    double most; /* the largest difference */
    const struct error_cell *most_cell;
};

static bool counts_alone(const struct error_cell *cell)
{
    return cell->counters == 1 && !cell->separate;
}

/* The cells of one path and pattern; of one build alone there is nothing to compare. */
static void add_builds(struct builds *builds, size_t begin, size_t end)
{
    double least = INFINITY;
    size_t cells = 0;
    for (size_t i = begin; i < end; i++) {
        const struct error_cell *cell = builds->ways->list[i].cell;
        builds->medians[i] = NAN;
        if (!counts_alone(cell))
            continue;
        size_t count = error_usual_runs(cell, builds->errors);
        error_sort(builds->errors, count, builds->scratch);
        builds->medians[i] = (double)error_quantile(builds->errors, count, 1, 2);
        least = fmin(least, builds->medians[i]);
        cells++;
    }
    for (size_t i = begin; i < end && cells > 1 && figure_has_room(builds->figure); i++) {
        const struct error_cell *cell = builds->ways->list[i].cell;
        AUTO_TEXT struct text build = {0}, way = {0};
        if (isnan(builds->medians[i]))
            continue;
        text_printf(&build, "%s %s", cell->opt, cell->link);
        error_put_way(&builds->erring->file, cell->machine, cell->path, cell->pattern, &way);
        FIGURE_ROW(builds->figure, error_machine_json(&builds->erring->file, cell->machine),
                   json_text(text_string(&build)), json_text(text_string(&way)),
                   figure_number(builds->medians[i] - least), figure_number(builds->medians[i]),
                   json_text(cell->path), json_text(pattern_descriptions[cell->pattern]),
                   json_text(cell->opt), json_text(cell->link));
        if (!builds->most_cell || builds->medians[i] - least > builds->most) {
            builds->most = builds->medians[i] - least;
            builds->most_cell = cell;
        }
    }
}

static void put_builds(const struct builds *builds, const char *unit, struct text *words)
{
    const struct error_cell *cell = builds->most_cell;
    if (!cell)
        return;
    if (builds->most <= 0) {
        text_puts(words, "Neither the -O level nor the link mode changes the median of any path "
                         "and pattern.");
        return;
    }
    text_puts(words, "For one path and pattern the build changes the median by at most ");
    figure_put_number(words, builds->most);
    text_printf(words, " %s: ", unit);
    error_put_way(&builds->erring->file, cell->machine, cell->path, cell->pattern, words);
    text_puts(words, " at ");
    text_put_clean(words, cell->opt);
    text_puts(words, ", linked ");
    text_put_clean(words, cell->link);
    text_puts(words, ".");
}

static void add_build_figure(struct builds *builds, size_t begin, size_t end, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_NONE),
        {"build", "-O level and link mode", ROLE_X, false},
        {"way", "path and pattern", ROLE_Y, false},
        {"beyond", "beyond the least of its row", ROLE_VALUE, false},
        {"median", "median", ROLE_NONE, false},
        {"path", "path", ROLE_NONE, true},
        {"pattern", "pattern", ROLE_NONE, true},
        {"opt", "-O level", ROLE_NONE, true},
        {"link", "link mode", ROLE_NONE, true},
        {0},
    };
    const struct error_cell *first = builds->ways->list[begin].cell;
    const char *unit = error_unit(first->event, first->base);
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "by-build", first->event);
    text_puts(&title, "What -O level and link mode change: ");
    error_put_event(first->event, error_is_stepped(first), &title);
    builds->most_cell = NULL;
    builds->figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .kind = FIGURE_MATRIX,
        .x = {"-O level and link mode", SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t next; begin < end; begin = next) {
        next = error_ways_end(builds->ways, begin, WAY_PATTERN);
        add_builds(builds, begin, next);
    }
    put_builds(builds, unit, &words);
    figure_set_caption(builds->figure, &words);
    figure_add_note(builds->figure, "Each field is the median of a build less the least of its "
                                    "row; one counter, all runs but the first of each process.");
    error_append_figure(builds->erring, figures, builds->figure);
}

/* Of instructions, counted where they are, else stepped. */
static bool shows_builds(const struct erring *erring, const struct error_cell *cell)
{
    bool counted = error_has_cpu_counter(&erring->file);
    return cell->base && strcmp(cell->base, "instructions") == 0 &&
           error_is_stepped(cell) == !counted;
}

void error_add_build_figures(const struct erring *erring, json_t *figures)
{
    AUTO_ERROR_WAYS struct error_ways ways;
    if (error_ways_of(&erring->file, &ways) < 0)
        return;
    AUTO_FREE int64_t *errors = calloc(ways.most_runs + 1, sizeof(*errors));
    AUTO_FREE int64_t *scratch = calloc(ways.most_runs + 1, sizeof(*scratch));
    AUTO_FREE double *medians = calloc(ways.count + 1, sizeof(*medians));
    struct builds builds = {erring, &ways, errors, scratch, medians, NULL, 0, NULL};
    if (!errors || !scratch || !medians)
        return;
    for (size_t begin = 0, end; begin < ways.count; begin = end) {
        end = error_ways_end(&ways, begin, WAY_EVENT);
        if (shows_builds(erring, ways.list[begin].cell))
            add_build_figure(&builds, begin, end, figures);
    }
}

/* --- which factors matter --- */

/* "pattern × -O level" */
static void put_name(const struct error_effect *effect, struct text *words)
{
    static const char *const told[FACTOR_COUNT] = {
        [FACTOR_MACHINE] = "machine",   [FACTOR_PATH] = "path",    [FACTOR_PATTERN] = "pattern",
        [FACTOR_COUNTERS] = "counters", [FACTOR_OPT] = "-O level", [FACTOR_LINK] = "link mode",
    };
    const char *times = "";
    for (size_t i = 0; i < FACTOR_COUNT; i++)
        if (effect->factors & (1u << i)) {
            text_printf(words, "%s%s", times, told[i]);
            times = " × ";
        }
}

/* "path 52 %, pattern 60 %" of those that matter, or the names alone of those that do not. */
static size_t put_effects(const struct error_report *report, const struct error_anova *anova,
                          bool matter, struct text *words)
{
    size_t count = 0;
    for (size_t i = anova->first; i < anova->first + anova->effects; i++) {
        const struct error_effect *effect = &report->effects[i];
        if (effect->matters != matter)
            continue;
        text_puts(words, count++ ? ", " : "");
        put_name(effect, words);
        if (matter && isfinite(effect->share_within))
            text_printf(words, " %.0f %%", 100 * effect->share_within);
    }
    return count;
}

static void put_anova(const struct error_report *report, const struct error_anova *anova,
                      struct text *words)
{
    AUTO_TEXT struct text yes = {0}, no = {0};
    if (!anova->effects || error_is_untested(anova))
        return;
    size_t matter = put_effects(report, anova, true, &yes);
    size_t others = put_effects(report, anova, false, &no);
    error_put_event(anova->event, anova->stepped, words);
    if (matter)
        text_printf(words, ": what matters is %s", text_string(&yes));
    else
        text_puts(words, ": nothing matters");
    if (matter && others)
        text_printf(words, "; not %s", text_string(&no));
    text_puts(words, ". ");
}

static void put_untested(const struct error_report *report, struct text *words)
{
    size_t count = 0;
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        if (!anova->effects || !error_is_untested(anova))
            continue;
        text_puts(words, count++ ? ", " : "Not judged, for want of cells with several processes: ");
        error_put_event(anova->event, anova->stepped, words);
    }
    if (count)
        text_puts(words, ".");
}

static const char *verdict_on(const struct error_anova *anova, const struct error_effect *effect)
{
    if (error_is_untested(anova))
        return "not judged";
    return effect->matters ? "matters" : "does not matter";
}

static void add_effect(const struct error_anova *anova, const struct error_effect *effect,
                       json_t *figure)
{
    bool several = (effect->factors & (effect->factors - 1)) != 0;
    AUTO_TEXT struct text name = {0};
    put_name(effect, &name);
    FIGURE_ROW(figure, error_event_json(effect->event, effect->stepped),
               json_text(text_string(&name)), figure_number(100 * effect->share_within),
               figure_number(100 * effect->effect_size), json_text(verdict_on(anova, effect)),
               json_count(effect->df), figure_number(effect->f), figure_number(effect->p),
               figure_number(several ? NAN : effect->range));
}

/* Does any factor explain something of the event? */
static bool explains(const struct error_report *report, const struct error_anova *anova)
{
    for (size_t i = anova->first; i < anova->first + anova->effects; i++)
        if (report->effects[i].share_within > 1e-4)
            return true;
    return false;
}

void error_add_factor_figure(const struct erring *erring, json_t *figures)
{
    static const struct figure_column columns[] = {
        {"event", "event", ROLE_FACET, true},
        {"factor", "factor", ROLE_GROUP, false},
        {"share", "% of the variance within paths", ROLE_VALUE, false},
        {"share_all", "% of all variance", ROLE_NONE, false},
        {"matters", "verdict", ROLE_SERIES, false},
        {"df", "degrees of freedom", ROLE_NONE, false},
        {"f", "F", ROLE_NONE, false},
        {"p", "p", ROLE_NONE, false},
        {"range", "lowest to highest level", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "factors",
        .title = "Which factors matter to what an empty window counts",
        .paper = ERROR_PAPER "Section 4.3",
        .kind = FIGURE_BARS,
        .x = {"% of the variance", SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        for (size_t j = 0; j < anova->effects && explains(report, anova); j++)
            if (figure_has_room(figure))
                add_effect(anova, &report->effects[anova->first + j], figure);
        put_anova(report, anova, &words);
    }
    put_untested(report, &words);
    figure_set_caption(figure, &words);
    figure_add_note(figure, "A factor matters when p < 0.001 and it explains 1 % of the variance "
                            "or more: path and machine of all of it, others within each path.");
    error_append_figure(erring, figures, figure);
}

/* ----------------------------------------------------------------------------------------------
 * The same loop at other places: chosen ones, and those where patterns and -O levels happen to put
 * it. On an emulated machine places mean nothing. */

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

/* ----------------------------------------------------------------------------------------------
 * How the error grows while the measured code runs: what each iteration adds, the error by the
 * number of iterations, and counts of the kernel alone. */

static bool same_event(const struct error_slope *left, const struct error_slope *right)
{
    return strcmp(left->event, right->event) == 0;
}

static bool duration_leads(const struct error_report *report, size_t index)
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
        if (!duration_leads(report, i) || error_is_constant(report, &report->slopes[i], same_event))
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

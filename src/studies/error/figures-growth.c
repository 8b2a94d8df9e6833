/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pictures of what makes the error grow: duration, factors, the place of the code. */
#include <math.h>

#include "base/memory.h"
#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which factors matter. */

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
static size_t put_effects(const struct error_anova *anova, bool matter, struct text *words)
{
    size_t count = 0;
    for (size_t i = 0; i < anova->effect_count; i++) {
        const struct error_effect *effect = &anova->effects[i];
        if (effect->matters != matter)
            continue;
        text_puts(words, count++ ? ", " : "");
        put_name(effect, words);
        if (matter && isfinite(effect->share_within))
            text_printf(words, " %.0f %%", 100 * effect->share_within);
    }
    return count;
}

void error_add_factor_figure(const struct error_run *run, json_t *figures)
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
    const struct error_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "factors",
        .title = "Which factors matter to what an empty window counts",
        .paper = ERROR_PAPER "Section 4.3",
        .kind = FIGURE_BARS,
        .x = {"% of the variance", SCALE_LINEAR, true},
        .columns = columns,
    });
    AUTO_TEXT struct text unjudged = {0};
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        const struct error_effect *effects = anova->effects;
        const bool untested = error_is_untested(anova);
        bool explains = false; /* does any factor explain something of the event? */
        for (size_t j = 0; j < anova->effect_count; j++)
            explains |= effects[j].share_within > 1e-4;
        for (size_t j = 0; j < anova->effect_count && explains; j++) {
            const struct error_effect *effect = &effects[j];
            bool several = (effect->factors & (effect->factors - 1)) != 0;
            AUTO_TEXT struct text name = {0};
            put_name(effect, &name);
            if (figure_has_room(figure))
                FIGURE_ROW(figure, json_text(error_event_told(effect->event, effect->stepped)),
                           json_text(text_string(&name)), figure_number(100 * effect->share_within),
                           figure_number(100 * effect->effect_size),
                           json_text(untested          ? "not judged"
                                     : effect->matters ? "matters"
                                                       : "does not matter"),
                           json_count(effect->df), figure_number(effect->f),
                           figure_number(effect->p), figure_number(several ? NAN : effect->range));
        }
        if (anova->effect_count && !untested) {
            AUTO_TEXT struct text yes = {0}, no = {0};
            size_t matter = put_effects(anova, true, &yes);
            size_t others = put_effects(anova, false, &no);
            text_printf(&words, "%s: %s%s%s%s. ", error_event_told(anova->event, anova->stepped),
                        matter ? "what matters is " : "nothing matters", text_string(&yes),
                        matter && others ? "; not " : "", matter && others ? text_string(&no) : "");
        } else if (anova->effect_count)
            text_printf(&unjudged, "%s%s",
                        unjudged.length ? ", "
                                        : "Not judged, for want of cells with several processes: ",
                        error_event_told(anova->event, anova->stepped));
    }
    text_printf(&words, "%s%s", text_string(&unjudged), unjudged.length ? "." : "");
    figure_add_note(figure, "A factor matters when p < 0.001 and it explains 1 % of the variance "
                            "or more: path and machine of all of it, others within each path.");
    error_append_figure(run, figures, figure, &words);
}

/* ----------------------------------------------------------------------------------------------
 * The same loop at other places: chosen ones, and those where patterns and -O levels happen to put
 * it. On an emulated machine places mean nothing. */

#define LINE_BYTES 64

static bool means_something(const struct error_run *run, const struct error_placement *placement)
{
    return placement->is_time && placement->machine < run->file.machine_count &&
           !run->file.machines[placement->machine].emulated;
}

static bool leads(const struct error_run *run, size_t index)
{
    const struct error_placement *list = run->report.placements;
    for (size_t i = 0; i < index; i++)
        if (means_something(run, &list[i]) && strcmp(list[i].event, list[index].event) == 0)
            return false;
    return means_something(run, &list[index]);
}

/* --- at chosen places --- */

/* Places within a line of the cache, or those further in the page. */
static void add_place_figure(const struct error_run *run, const char *event, bool in_line,
                             json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_SERIES)},
        {"offset", "offset in the page", ROLE_X, false},
        {"fastest", "fastest run", ROLE_Y, false},
        {"low", "fastest process", ROLE_LOW, false},
        {"high", "slowest process", ROLE_HIGH, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct error_report *report = &run->report;
    AUTO_TEXT struct text id = {0}, words = {0};
    figure_put_id(&id, in_line ? "places" : "places-in-page", event);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = memory_format("The same loop at other places%s: %s", in_line ? "" : " of a page",
                               error_clean(event)),
        .paper = in_line ? ERROR_PAPER "Figure 11" : NULL,
        .kind = FIGURE_POINTS,
        .x = {in_line ? "bytes behind the beginning of a line of 64"
                      : "bytes behind the beginning of a page",
              SCALE_LINEAR, false},
        .y = {memory_format("%s an iteration", error_unit(event, NULL)), SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->placement_count; i++) {
        const struct error_placement *placement = &report->placements[i];
        if (!means_something(run, placement) || strcmp(placement->event, event) != 0)
            continue;
        size_t before = figure_rows(figure);
        for (size_t j = 0; j < placement->places && figure_has_room(figure); j++) {
            const struct error_place *place = &placement->list[j];
            if ((place->offset < LINE_BYTES) == in_line)
                FIGURE_ROW(figure, error_machine_json(&run->file, placement->machine),
                           json_integer(place->offset), figure_number(place->per_iteration),
                           figure_number(place->low), figure_number(place->high),
                           json_count(place->processes));
        }
        if (figure_rows(figure) == before)
            continue;
        text_printf(&words, "The same bytes take %s to %s %s an iteration%s, by a factor of %.2f",
                    BRIEF(placement->least), BRIEF(placement->most), error_unit(event, NULL),
                    error_on(&run->file, placement->machine), placement->factor);
        if (isfinite(placement->factor_low) && isfinite(placement->factor_high))
            text_printf(&words, " (%.2f to %.2f)", placement->factor_low, placement->factor_high);
        text_puts(&words, placement->factor_low > 1 ? ", by where they lie alone. "
                                                    : ", which chance may explain. ");
    }
    text_puts(&words, "Each point is the fastest run at its place, bars reach from the fastest to "
                      "the slowest process.");
    error_append_figure(run, figures, figure, &words);
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

static void add_window_figure(const struct error_run *run, const char *event, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_NONE)},
        {"opt", "-O level", ROLE_X, false},
        {"window", "pattern and link mode", ROLE_Y, false},
        {"fastest", "an iteration", ROLE_VALUE, false},
        {"path", "path", ROLE_NONE, true},
        {"pattern", "pattern", ROLE_NONE, true},
        {"n", "iterations", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {0},
    };
    const struct error_case *file = &run->file;
    const struct error_report *report = &run->report;
    AUTO_TEXT struct text id = {0}, words = {0};
    figure_put_id(&id, "windows", event);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = memory_format("The loop where patterns and -O levels put it: %s, %s an iteration",
                               error_clean(event), error_unit(event, NULL)),
        .paper = ERROR_PAPER "Figure 12",
        .kind = FIGURE_MATRIX,
        .x = {"-O level", SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (!is_window(cell, event) || !is_longest(file, cell) || !figure_has_room(figure))
            continue;
        int64_t fastest = cell->values[0];
        for (size_t at = 1; at < cell->runs; at++)
            fastest = cell->values[at] < fastest ? cell->values[at] : fastest;
        const char *window =
            memory_format("%s, %s", error_way(file, cell->machine, cell->path, cell->pattern),
                          error_clean(cell->link));
        FIGURE_ROW(figure, error_machine_json(file, cell->machine), json_text(cell->opt),
                   json_text(window), figure_number((double)fastest / (double)cell->n),
                   json_text(cell->path), json_text(pattern_descriptions[cell->pattern]),
                   json_count(cell->n), json_count(cell->runs));
    }
    for (size_t i = 0; i < report->placement_count; i++) {
        const struct error_placement *placement = &report->placements[i];
        if (strcmp(placement->event, event) == 0 && placement->has_windows)
            text_printf(&words,
                        "The same loop takes %.2f times as long in one window as in another. The "
                        "pattern alone explains %.0f %% of that, the -O level %.0f %%, their "
                        "combination %.0f %% more: it decides where the loop lies. ",
                        placement->windows.factor, 100 * placement->windows.by_pattern,
                        100 * placement->windows.by_opt, 100 * placement->windows.by_both);
    }
    text_puts(&words, "Each field is the fastest run.");
    error_append_figure(run, figures, figure, &words);
}

void error_add_place_figures(const struct error_run *run, json_t *figures)
{
    for (size_t i = 0; i < run->report.placement_count; i++) {
        if (!leads(run, i))
            continue;
        const char *event = run->report.placements[i].event;
        add_place_figure(run, event, true, figures);
        add_place_figure(run, event, false, figures);
        add_window_figure(run, event, figures);
    }
}

/* ----------------------------------------------------------------------------------------------
 * How the error grows while the measured code runs: what each iteration adds, and counts
 * of the kernel alone. */

static bool same_event(const struct error_slope *left, const struct error_slope *right)
{
    return strcmp(left->event, right->event) == 0;
}

/* --- what an iteration adds --- */

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

#define TWO_DIGITS(value) SIGNIFICANT(value, 2)

static void put_slopes(const struct error_run *run, const struct error_slope *like,
                       struct text *words)
{
    const struct error_report *report = &run->report;
    const struct error_slope *least = like, *most = like;
    size_t ways = 0, growing = 0;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        if (!same_event(slope, like))
            continue;
        ways++;
        growing += slope->low > 0 || slope->high < 0;
        least = slope->slope < least->slope ? slope : least;
        most = slope->slope > most->slope ? slope : most;
    }
    const double iterations = iterations_of(report, like);
    if (ways == 1)
        text_printf(words, "The error %s with the loop beyond chance. ",
                    growing ? "grows or falls" : "does not grow or fall");
    else
        text_printf(words,
                    "Through %zu of %zu ways of measuring the error grows or falls with the loop "
                    "beyond chance. ",
                    growing, ways);
    text_printf(words, "%s %s", iterations > 1 ? "A million iterations add" : "An iteration adds",
                TWO_DIGITS(least->slope * iterations));
    if (most->slope > least->slope)
        text_printf(words, " to %s", TWO_DIGITS(most->slope * iterations));
    text_printf(words, " %s", error_unit(like->event, NULL));
    if ((double)most->longest != iterations)
        text_printf(words, ": %s in a loop of %s", TWO_DIGITS(most->slope * (double)most->longest),
                    BRIEF((double)most->longest));
    text_puts(words, ".");
}

static void add_slopes(const struct error_run *run, const struct error_slope *like, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_GROUP)},
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
    const struct error_report *report = &run->report;
    const double iterations = iterations_of(report, like);
    AUTO_TEXT struct text id = {0}, words = {0};
    figure_put_id(&id, "slope", like->event);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = memory_format("What the iterations of a loop add: %s", error_clean(like->event)),
        .paper = strcmp(like->event, "instructions:uk") == 0  ? ERROR_PAPER "Figure 7"
                 : strcmp(like->event, "instructions:u") == 0 ? ERROR_PAPER "Figure 8"
                                                              : NULL,
        .kind = FIGURE_BARS,
        .x = {memory_format("%s %s", error_unit(like->event, NULL),
                            iterations > 1 ? "a million iterations" : "an iteration"),
              SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->slope_count && figure_has_room(figure); i++) {
        const struct error_slope *slope = &report->slopes[i];
        if (same_event(slope, like))
            FIGURE_ROW(
                figure, error_machine_json(&run->file, slope->machine), json_text(slope->path),
                json_text(pattern_descriptions[slope->pattern]),
                figure_number(slope->slope * iterations), figure_number(slope->low * iterations),
                figure_number(slope->high * iterations),
                figure_number(slope->detectable * iterations), json_count((uint64_t)iterations),
                json_count(slope->longest), json_count(slope->runs));
    }
    put_slopes(run, like, &words);
    error_append_figure(run, figures, figure, &words);
}

/* --- what does not grow at all --- */

static void add_constants(const struct error_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_NONE)},           {"event", "event", ROLE_NONE, true},
        {"path", "path", ROLE_NONE, true},           {"pattern", "pattern", ROLE_NONE, true},
        {"added", "always added", ROLE_NONE, false}, {"longest", "longest loop", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},          {0},
    };
    const struct error_report *report = &run->report;
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
        FIGURE_ROW(figure, error_machine_json(&run->file, slope->machine), json_text(slope->event),
                   json_text(slope->path), json_text(pattern_descriptions[slope->pattern]),
                   figure_number(slope->intercept), json_count(slope->longest),
                   json_count(slope->runs));
    }
    text_printf(&words,
                "None of %s runs of these events deviates, however long the loop: their error is "
                "that of an empty window.",
                BRIEF((double)runs));
    if (user)
        json_object_set_new(figure, "paper", json_text(ERROR_PAPER "Figure 8"));
    error_append_figure(run, figures, figure, &words);
}

void error_add_slope_figures(const struct error_run *run, json_t *figures)
{
    const struct error_report *report = &run->report;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        bool leads = true;
        for (size_t j = 0; j < i && leads; j++)
            leads = !same_event(&report->slopes[j], slope);
        if (leads && !error_is_constant(report, slope, same_event))
            add_slopes(run, slope, figures);
    }
    add_constants(run, figures);
}

/* --- counts of the kernel alone --- */

static void put_sizes(const struct error_report *report, struct text *words)
{
    const struct error_by_size *first = &report->by_size[0], *last = first;
    for (size_t i = 1; i < report->by_size_count; i++)
        if (report->by_size[i].machine == first->machine &&
            strcmp(report->by_size[i].event, first->event) == 0 &&
            strcmp(report->by_size[i].path, first->path) == 0)
            last = &report->by_size[i];
    text_printf(words,
                "The loop never calls the operating system, yet %s through %s shows %s on average "
                "with %s iteration%s",
                error_clean(first->event), error_clean(first->path), BRIEF(first->mean),
                BRIEF((double)first->n), first->n == 1 ? "" : "s");
    if (last != first)
        text_printf(words, " and %s with %s", BRIEF(last->mean), BRIEF((double)last->n));
    text_puts(words, ". ");
    const struct error_ticks *ticks = &report->ticks;
    if (ticks->known)
        text_printf(words,
                    "Interrupts explain %.2g instructions an iteration (%.2g each); %.2g were "
                    "measured: %s.",
                    ticks->predicted, ticks->each, ticks->measured,
                    ticks->agrees ? "the two agree" : "the two differ");
}

void error_add_size_figures(const struct error_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        {ERROR_MACHINE_COLUMN(ROLE_GROUP)},
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
    const struct error_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "kernel-by-size",
        .title = "What the kernel counts while a loop runs, by the length of the loop",
        .paper = ERROR_PAPER "Figure 9",
        .kind = FIGURE_BOXES,
        .x = {"counted in kernel mode", SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t i = 0; i < report->by_size_count && figure_has_room(figure); i++) {
        const struct error_by_size *size = &report->by_size[i];
        const struct error_spread *spread = &size->spread;
        FIGURE_ROW(figure, error_machine_json(&run->file, size->machine), json_text(size->event),
                   json_text(size->path), json_text(BRIEF((double)size->n)),
                   figure_number((double)spread->min), figure_number((double)spread->q1),
                   figure_number((double)spread->median), figure_number((double)spread->q3),
                   figure_number((double)spread->max), figure_number(size->mean),
                   figure_number(size->interrupts), json_count(size->runs));
    }
    figure_fit_scale(figure, "x");
    if (report->by_size_count)
        put_sizes(report, &words);
    error_append_figure(run, figures, figure, &words);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What -O levels and link modes change, cell by cell, and which factors matter. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/error-figures.h"
#include "judge/error/replicates.h"
#include "stats/spread.h"
#include "judge/error/ways.h"
#include "show/utf8.h"

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

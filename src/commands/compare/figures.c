/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A comparison as figures: verdicts by side, effects with their intervals, what was measured by
 * side, and programs from side to side. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "commands/compare/compare.h"
#include "output/figure.h"

#define ROWS_MOST  800u
#define BOXES_MOST 120u

static json_t *joined(const char *first, const char *second)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%s · %s", first, second);
    return json_text(text_string(&words));
}

/* --- facts and verdicts --- */

/* Tables with a column a side: their columns, and what these are called. */
struct by_side {
    struct figure_column columns[2 + COMPARE_MOST_SIDES + 1];
    char letters[COMPARE_MOST_SIDES][8], keys[COMPARE_MOST_SIDES][16];
};

static void list_columns(const struct comparing *comparing, const struct figure_column first[2],
                         struct by_side *table)
{
    *table = (struct by_side){.columns = {first[0], first[1]}};
    for (size_t i = 0; i < comparing->file.side_count; i++) {
        report_label(i, table->letters[i]);
        snprintf(table->keys[i], sizeof(table->keys[i]), "side-%zu", i + 1);
        table->columns[2 + i] =
            (struct figure_column){table->keys[i], table->letters[i], ROLE_NONE, false};
    }
}

static json_t *facts_figure(const struct comparing *comparing)
{
    static const struct figure_column first[] = {{"fact", "fact", ROLE_NONE, false},
                                                 {"weight", "of", ROLE_NONE, false}};
    static const char *const weights[] = {"other code", "machine", "setting"};
    struct by_side table;
    list_columns(comparing, first, &table);
    json_t *shown =
        figure_new(&(struct figure_spec){.id = "facts",
                                         .title = "What differs between the machines",
                                         .caption = "Only what is not the same on all sides. Where "
                                                    "the code differs, counts of instructions are "
                                                    "counts of something else.",
                                         .kind = FIGURE_TABLE,
                                         .columns = table.columns});
    const struct compare_case *file = &comparing->file;
    for (size_t i = 0; i < file->fact_count; i++) {
        if (!comparing->report.fact_differs[i])
            continue;
        json_t *row[2 + COMPARE_MOST_SIDES] = {json_text(file->facts[i].title),
                                               json_string(weights[file->facts[i].weight])};
        for (size_t side = 0; side < file->side_count; side++)
            row[2 + side] = json_text(file->facts[i].values[side]);
        figure_add_row(shown, row, 2 + file->side_count);
    }
    return shown;
}

static const char not_judged[] = "not judged";

static void add_fields(const struct comparing *comparing, json_t *shown,
                       const struct compare_claim *claim)
{
    for (size_t side = 0; side < comparing->file.side_count; side++) {
        const struct compare_word *word = &claim->sides[side];
        FIGURE_ROW(shown, json_string(compare_letter(side)), joined(claim->study, claim->subject),
                   json_text(word->word ? word->word : not_judged), json_text(word->detail),
                   json_text(claim->study));
    }
}

static json_t *verdicts_figure(const struct comparing *comparing)
{
    static const struct figure_column columns[] = {
        {"side", "side", ROLE_X, false},           {"of", "of", ROLE_Y, false},
        {"verdict", "verdict", ROLE_VALUE, false}, {"detail", "detail", ROLE_NONE, false},
        {"study", "study", ROLE_NONE, true},       {0},
    };
    const struct compare_report *report = &comparing->report;
    const size_t differ = compare_verdicts_that(report, STANDING_DIFFERS),
                 most = ROWS_MOST / comparing->file.side_count;
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption,
                "Verdicts that differ: %zu. Not among them: %zu that agree, %zu that came out "
                "otherwise where that may be chance or a side is unsure, and %zu that were given "
                "on one side only.",
                differ, compare_verdicts_that(report, STANDING_SAME),
                compare_verdicts_that(report, STANDING_UNSURE),
                compare_verdicts_that(report, STANDING_APART));
    json_t *shown = figure_new(&(struct figure_spec){.id = "verdicts",
                                                     .title = "Verdicts that differ, by side",
                                                     .caption = text_string(&caption),
                                                     .kind = FIGURE_MATRIX,
                                                     .x = {.label = "side"},
                                                     .columns = columns});
    size_t count = 0;
    for (size_t i = 0; i < report->verdict_count; i++)
        if (report->verdicts[i].standing == STANDING_DIFFERS && count++ < most)
            add_fields(comparing, shown, &comparing->file.claims[report->verdicts[i].claim]);
    return shown;
}

static json_t *doubts_figure(const struct comparing *comparing)
{
    static const struct figure_column first[] = {{"study", "study", ROLE_NONE, true},
                                                 {"of", "of", ROLE_NONE, false}};
    const struct compare_report *report = &comparing->report;
    struct by_side table;
    size_t count = 0;
    list_columns(comparing, first, &table);
    json_t *shown = figure_new(&(struct figure_spec){
        .id = "doubts",
        .title = "Verdicts that came out otherwise, which is no difference",
        .caption = "So many runs as these, or words of which one is unsure, come out otherwise "
                   "from one run of a machine to the next.",
        .kind = FIGURE_TABLE,
        .columns = table.columns});
    for (size_t i = 0; i < report->verdict_count; i++) {
        const struct compare_claim *claim = &comparing->file.claims[report->verdicts[i].claim];
        if (report->verdicts[i].standing != STANDING_UNSURE || count++ >= ROWS_MOST)
            continue;
        json_t *row[2 + COMPARE_MOST_SIDES] = {json_text(claim->study), json_text(claim->subject)};
        for (size_t side = 0; side < comparing->file.side_count; side++) {
            AUTO_TEXT struct text words = {0};
            if (claim->sides[side].word)
                compare_put_word(&claim->sides[side], &words);
            else
                text_puts(&words, not_judged);
            row[2 + side] = json_text(text_string(&words));
        }

        figure_add_row(shown, row, 2 + comparing->file.side_count);
    }
    return shown;
}

/* --- quantities --- */

static const struct figure_column effect_columns[] = {
    {"of", "of", ROLE_GROUP, false},
    {"value", "Cliff's delta", ROLE_VALUE, false},
    {"low", "low", ROLE_LOW, false},
    {"high", "high", ROLE_HIGH, false},
    {"side", "side", ROLE_SERIES, true},
    {"study", "study", ROLE_NONE, true},
    {"event", "event", ROLE_NONE, true},
    {"first", "median of A", ROLE_NONE, false},
    {"there", "median there", ROLE_NONE, false},
    {"shift", "shift", ROLE_NONE, false},
    {"ratio", "ratio", ROLE_NONE, false},
    {"unit", "in", ROLE_NONE, false},
    {"with", "with", ROLE_NONE, false},
    {"differ", "differ by themselves", ROLE_NONE, false},
    {"quantities", "of", ROLE_NONE, false},
    {0},
};

static json_t *group_name(const struct comparing *comparing, const struct compare_group *group)
{
    const struct compare_quantity *quantity = &comparing->file.quantities[group->quantity];
    return joined(quantity->event, quantity->subject);
}

static void add_effect(const struct comparing *comparing, json_t *shown,
                       const struct compare_group *group)
{
    const struct compare_effect *effect = &comparing->report.effects[group->typical];
    const struct compare_quantity *quantity = &comparing->file.quantities[effect->quantity];
    FIGURE_ROW(shown, group_name(comparing, group), figure_number(group->delta),
               figure_number(group->delta_interval.low), figure_number(group->delta_interval.high),
               json_string(compare_letter(group->side)), json_text(quantity->study),
               json_text(quantity->event), figure_number(effect->first_median),
               figure_number(effect->median), figure_number(effect->shift),
               figure_number(effect->ratio), json_text(effect->unit), json_text(quantity->factors),
               json_integer((json_int_t)group->differing),
               json_integer((json_int_t)group->quantities));
}

static json_t *effects_figure(const struct comparing *comparing)
{
    const struct compare_report *report = &comparing->report;
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption,
                "Groups (an event of a path, call, program or clock) that differ once all %zu "
                "tests are adjusted together: %zu of %zu. At 1 every process there lies above "
                "every one of A, at -1 below; at 0 neither would be more often above. Whiskers "
                "are 95 %% intervals.",
                report->tests, compare_groups_that(report, STANDING_DIFFERS), report->group_count);
    json_t *shown = figure_new(&(struct figure_spec){.id = "effects",
                                                     .title = "How clearly quantities differ",
                                                     .caption = text_string(&caption),
                                                     .kind = FIGURE_BARS,
                                                     .x = {.label = "Cliff's delta"},
                                                     .columns = effect_columns});
    size_t rows = 0;
    for (size_t i = 0; i < report->group_count; i++)
        if (report->groups[i].standing == STANDING_DIFFERS && rows++ < ROWS_MOST / 4)
            add_effect(comparing, shown, &report->groups[i]);
    return shown;
}

static json_t *shifts_figure(const struct comparing *comparing)
{
    static const struct figure_column columns[] = {
        {"of", "of", ROLE_GROUP, false},
        {"a", "median of A", ROLE_BEFORE, false},
        {"there", "median there", ROLE_AFTER, false},
        {"side", "side", ROLE_FACET, true},
        {"unit", "in", ROLE_NONE, false},
        {"with", "with", ROLE_NONE, false},
        {"study", "study", ROLE_NONE, true},
        {0},
    };
    json_t *shown = figure_new(&(struct figure_spec){
        .id = "shifts",
        .title = "Where quantities that differ lie",
        .caption =
            "From A to the other side: medians of processes, of the quantity in the middle of each "
            "group that differs.",
        .kind = FIGURE_DUMBBELLS,
        .x = {.label = "median of processes", .scale = SCALE_SYMLOG},
        .columns = columns});
    size_t rows = 0;
    for (size_t i = 0; i < comparing->report.group_count; i++) {
        const struct compare_group *group = &comparing->report.groups[i];
        const struct compare_effect *effect = &comparing->report.effects[group->typical];
        const struct compare_quantity *quantity = &comparing->file.quantities[effect->quantity];
        if (group->standing != STANDING_DIFFERS || rows++ >= ROWS_MOST / 4)
            continue;
        FIGURE_ROW(shown, group_name(comparing, group), figure_number(effect->first_median),
                   figure_number(effect->median), json_string(compare_letter(group->side)),
                   json_text(effect->unit), json_text(quantity->factors),
                   json_text(quantity->study));
    }
    return shown;
}

static void add_box(json_t *shown, const struct compare_case *file,
                    const struct compare_effect *effect, size_t side)
{
    const struct compare_quantity *quantity = &file->quantities[effect->quantity];
    const struct compare_values *values = &quantity->sides[side];
    const double factor = strcmp(effect->unit, quantity->unit) == 0 ? 1 : file->sides[side].tick_ns;
    AUTO_MEMORY double *list = memory_new(values->count, sizeof(*list));
    struct distribution box;
    for (size_t i = 0; i < values->count; i++)
        list[i] = values->list[i] * factor;
    if (distribution_of(list, values->count, &box) < 0)
        return;
    FIGURE_ROW(shown, joined(quantity->event, quantity->subject), json_string(compare_letter(side)),
               figure_number(box.min), figure_number(box.q1), figure_number(box.median),
               figure_number(box.q3), figure_number(box.max), box.density, box.samples,
               json_text(effect->unit), json_text(quantity->factors), json_text(quantity->study),
               json_text(file->sides[side].label));
}

static json_t *boxes_figure(const struct comparing *comparing)
{
    static const struct figure_column columns[] = {
        {"of", "of", ROLE_GROUP, false},
        {"side", "side", ROLE_GROUP, false},
        {"min", "min", ROLE_MIN, false},
        {"q1", "q1", ROLE_Q1, false},
        {"median", "median", ROLE_MEDIAN, false},
        {"q3", "q3", ROLE_Q3, false},
        {"max", "max", ROLE_MAX, false},
        {"density", "density", ROLE_DENSITY, false},
        {"samples", "samples", ROLE_SAMPLES, false},
        {"unit", "in", ROLE_FACET, false},
        {"with", "with", ROLE_NONE, false},
        {"study", "study", ROLE_NONE, true},
        {"label", "called", ROLE_SERIES, false},
        {0},
    };
    json_t *shown = figure_new(&(struct figure_spec){
        .id = "boxes",
        .title = "What was measured, by side",
        .caption =
            "Medians of processes, of the quantity in the middle of each group that differs.",
        .kind = FIGURE_BOXES,
        .x = {.label = "median of a process", .scale = SCALE_SYMLOG},
        .columns = columns});
    size_t boxes = 0;
    for (size_t i = 0; i < comparing->report.group_count; i++) {
        const struct compare_group *group = &comparing->report.groups[i];
        if (group->standing != STANDING_DIFFERS || boxes >= BOXES_MOST)
            continue;
        boxes += 2;
        add_box(shown, &comparing->file, &comparing->report.effects[group->typical], 0);
        add_box(shown, &comparing->file, &comparing->report.effects[group->typical], group->side);
    }
    return shown;
}

/* --- several machines --- */

static json_t *deviations_figure(const struct comparing *comparing)
{
    static const struct figure_column columns[] = {
        {"program", "program", ROLE_GROUP, true},
        {"event", "event", ROLE_SERIES, true},
        {"value", "deviation in percent", ROLE_VALUE, false},
        {"worst", "farthest in percent", ROLE_NONE, false},
        {"mean", "mean", ROLE_NONE, false},
        {"sides", "sides", ROLE_NONE, false},
        {0},
    };
    const struct compare_report *report = &comparing->report;
    size_t deviating = 0;
    for (size_t i = 0; i < report->deviation_count; i++)
        deviating += report->deviations[i].deviation_percent > 0;
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption,
                "The standard deviation of the sides' mean counts, in percent of their mean, for "
                "the %zu of %zu counts that are not the same on every side.",
                deviating, report->deviation_count);
    json_t *shown = figure_new(
        &(struct figure_spec){.id = "deviations",
                              .title = "Controlled programs from side to side",
                              .caption = text_string(&caption),
                              .paper = "Weaver and McKee 2008, deviation between machines",
                              .kind = FIGURE_BARS,
                              .x = {.label = "deviation in percent of the mean", .zero = true},
                              .columns = columns});
    size_t rows = 0;
    for (size_t i = 0; i < report->deviation_count; i++) {
        const struct compare_deviation *deviation = &report->deviations[i];
        const struct compare_quantity *quantity = &comparing->file.quantities[deviation->quantity];
        if (!(deviation->deviation_percent > 0) || rows++ >= ROWS_MOST)
            continue;
        FIGURE_ROW(shown, json_text(quantity->subject), json_text(quantity->event),
                   figure_number(deviation->deviation_percent),
                   figure_number(deviation->worst_percent), figure_number(deviation->mean),
                   json_integer((json_int_t)deviation->machines));
    }
    return shown;
}

static json_t *factors_figure(const struct comparing *comparing)
{
    static const struct figure_column columns[] = {
        {"factor", "factor", ROLE_GROUP, false},
        {"value", "share of the variance", ROLE_VALUE, false},
        {"event", "event", ROLE_FACET, true},
        {"p", "p", ROLE_NONE, false},
        {"matters", "matters", ROLE_NONE, false},
        {0},
    };
    json_t *shown = figure_new(&(struct figure_spec){
        .id = "factors",
        .title = "The machine as a factor of what measuring adds",
        .caption = "How much of the variance of the error of an empty window each factor explains; "
                   "the machine is one of them here. Events whose error never varies are not "
                   "drawn.",
        .paper = "Zaparanuks et al. 2009, Section 4.3",
        .kind = FIGURE_BARS,
        .x = {.label = "share of the variance", .zero = true},
        .columns = columns});
    const struct compare_together *anova = compare_anova(comparing);
    for (size_t i = 0; anova && i < anova->factor_count; i++) {
        const struct compared_factor *factor = &anova->factors[i];
        if (compare_has_machine(anova, factor->event))
            FIGURE_ROW(shown, json_text(factor->name), figure_number(factor->share),
                       json_text(factor->event), figure_number(factor->p),
                       json_string(factor->matters ? "yes" : "no"));
    }
    return shown;
}

json_t *compare_figures(const struct comparing *comparing)
{
    static json_t *(*const makers[])(const struct comparing *) = {
        verdicts_figure,   effects_figure, shifts_figure, boxes_figure,
        deviations_figure, factors_figure, facts_figure,  doubts_figure};
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
        figures_append(figures, makers[i](comparing));
    return figures;
}

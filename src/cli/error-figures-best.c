/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The best pattern of each path, and the paper's own rows beside ours. */
#include "cli/error-figures.h"
#include "show/utf8.h"

static bool is_instructions(const struct error_best *best)
{
    return best->base && strcmp(best->base, "instructions") == 0;
}

/* The mode of a row of the paper, COUNT_ANY where there is nothing of ours in it. */
static enum count_mode mode_of(const struct error_report *report, const struct error_table3 *row)
{
    for (size_t i = 0; i < report->best_count; i++)
        if (is_instructions(&report->best[i]) &&
            strcmp(count_mode_names[report->best[i].mode], row->mode) == 0)
            return report->best[i].mode;
    return COUNT_ANY;
}

/* Is it counted as well, so that nobody needs what was stepped? */
static bool is_counted(const struct error_report *report, const struct error_best *best)
{
    for (size_t i = 0; i < report->best_count; i++)
        if (!report->best[i].stepped && is_instructions(&report->best[i]) &&
            report->best[i].mode == best->mode && report->best[i].machine == best->machine)
            return true;
    return false;
}

static void add_ours(const struct erring *erring, json_t *figure)
{
    const struct error_report *report = &erring->report;
    for (size_t i = 0; i < report->best_count && figure_has_room(figure); i++) {
        const struct error_best *best = &report->best[i];
        if (is_instructions(best) && !(best->stepped && is_counted(report, best)))
            FIGURE_ROW(figure, error_machine_json(&erring->file, best->machine),
                       error_mode_json(best->mode), json_text(best->path),
                       json_text(pattern_descriptions[best->pattern]), figure_number(best->median),
                       figure_number((double)best->min), figure_number(best->spread_low),
                       figure_number(best->spread_high),
                       json_text(best->stepped ? "here, exact" : "here, counted"),
                       json_count(best->runs));
    }
}

static void add_theirs(const struct error_report *report, json_t *figure)
{
    for (size_t i = 0; i < sizeof(error_table3) / sizeof(*error_table3); i++) {
        const struct error_table3 *row = &error_table3[i];
        enum count_mode mode = mode_of(report, row);
        if (mode != COUNT_ANY)
            FIGURE_ROW(figure, json_text("the paper's"), error_mode_json(mode),
                       json_text(row->tool), json_text(pattern_descriptions[row->pattern]),
                       figure_number(row->median), figure_number((double)row->min), NULL, NULL,
                       json_text("the paper"), NULL);
    }
}

static void put_caption(const struct erring *erring, struct text *words)
{
    const struct error_report *report = &erring->report;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (!is_instructions(best) || !best->overall || best->mode == COUNT_KERNEL ||
            (best->stepped && is_counted(report, best)))
            continue;
        error_put_event(best->event, best->stepped, words);
        text_puts(words, ": ");
        error_put_way(&erring->file, best->machine, best->path, best->pattern, words);
        text_puts(words, " adds least, ");
        figure_put_number(words, best->median);
        text_puts(words,
                  best->median == 0 ? " by the median. " : " by the median; subtract that. ");
    }
    text_puts(words, "What compares with the paper is the order: direct calls, PAPI's low level, "
                     "its high level.");
}

void error_add_best_figure(const struct erring *erring, json_t *figures)
{
    static const struct figure_column columns[] = {
        ERROR_MACHINE_COLUMN(ROLE_GROUP),
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
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "best-pattern",
        .title = "The best pattern of each path, and what it adds",
        .paper = ERROR_PAPER "Table 3",
        .kind = FIGURE_BARS,
        .x = {"instructions", SCALE_SYMLOG, true},
        .columns = columns,
    });
    add_ours(erring, figure);
    if (!figure_is_empty(figure))
        add_theirs(&erring->report, figure);
    put_caption(erring, &words);
    figure_set_caption(figure, &words);
    figure_add_note(figure, "pm: perfmon, pc: perfctr, PL and PH: PAPI's low and high level on "
                            "them; the paper's medians are over its three processors.");
    error_append_figure(erring, figures, figure);
}

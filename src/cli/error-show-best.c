/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's Table 3 beside ours: for every path the pattern with the smallest error. Below it the
 * events that the paper did not have. */
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"
#include "show/utf8.h"

/* What a path here is like in the paper's table. */
static const char *kind_of_path(const char *path)
{
    return strncmp(path, "papi-", 5) == 0 ? path : "direct";
}

static bool is_instructions(const struct error_best *best)
{
    return best->base && strcmp(best->base, "instructions") == 0;
}

/* Measured beats stepped where there are both: the paper measured. */
static bool is_shadowed(const struct error_report *report, const struct error_best *best)
{
    for (size_t i = 0; best->stepped && i < report->best_count; i++) {
        const struct error_best *other = &report->best[i];
        if (!other->stepped && other->machine == best->machine && is_instructions(other) &&
            other->mode == best->mode && strcmp(other->path, best->path) == 0)
            return true;
    }
    return false;
}

static void add_ours(struct table *table, const struct error_best *best)
{
    char median[NUMBER_SIZE] = "", min[NUMBER_SIZE] = "";
    if (best) {
        number_brief(best->median, median, sizeof(median));
        number_brief((double)best->min, min, sizeof(min));
    }
    enum tone tone = best && best->overall ? TONE_STRONG : TONE_PLAIN;
    table_add(table, tone, best ? best->path : "");
    table_addf(table, tone, "%s%s", best ? pattern_names[best->pattern] : "",
               best && best->overall ? " *" : "");
    table_add(table, tone, median);
    table_add(table, tone, min);
    table_add(table, TONE_PLAIN, !best ? "" : best->stepped ? "exact" : "counted");
}

/* A kind of path of which there is nothing of ours in this mode. */
static void add_none(struct table *table, const char *like)
{
    table_add(table, TONE_DIM, like);
    table_add(table, TONE_DIM, "-");
    table_add(table, TONE_DIM, "-");
    table_add(table, TONE_DIM, "-");
    table_add(table, TONE_DIM, "none");
}

static void add_theirs(struct table *table, const struct error_table3 *row)
{
    char median[NUMBER_SIZE] = "", min[NUMBER_SIZE] = "";
    if (row) {
        number_brief(row->median, median, sizeof(median));
        number_brief((double)row->min, min, sizeof(min));
    }
    table_add(table, TONE_DIM, row ? row->tool : "");
    table_add(table, TONE_DIM, row ? pattern_names[row->pattern] : "");
    table_add(table, TONE_DIM, median);
    table_add(table, TONE_DIM, min);
}

/* The next row of either side at or after *at; NULL: no more. */
static const struct error_best *next_ours(const struct error_report *report, uint32_t machine,
                                          enum count_mode mode, const char *like, size_t *at)
{
    for (; *at < report->best_count; (*at)++) {
        const struct error_best *best = &report->best[*at];
        if (best->machine == machine && is_instructions(best) && best->mode == mode &&
            !is_shadowed(report, best) && strcmp(kind_of_path(best->path), like) == 0)
            return &report->best[(*at)++];
    }
    return NULL;
}

static const struct error_table3 *next_theirs(enum count_mode mode, const char *like, size_t *at)
{
    for (; *at < sizeof(error_table3) / sizeof(*error_table3); (*at)++) {
        const struct error_table3 *row = &error_table3[*at];
        if (strcmp(row->mode, count_mode_names[mode]) == 0 && strcmp(row->like, like) == 0)
            return &error_table3[(*at)++];
    }
    return NULL;
}

/* Both sides of one mode and one kind of path, as long as either has rows. */
static void add_group(struct table *table, const struct error_report *report, uint32_t machine,
                      enum count_mode mode, const char *like)
{
    size_t ours = 0, theirs = 0;
    bool any = false; /* has a row that names what ours is */
    for (;;) {
        const struct error_best *best = next_ours(report, machine, mode, like, &ours);
        const struct error_table3 *row = next_theirs(mode, like, &theirs);
        if (!best && !row)
            return;
        table_add(table, TONE_PLAIN, count_mode_names[mode]);
        if (best || any)
            add_ours(table, best);
        else
            add_none(table, like);
        any = true;
        add_theirs(table, row);
    }
}

static bool any_measured(const struct error_report *report, enum count_mode mode)
{
    for (size_t i = 0; i < report->best_count; i++)
        if (is_instructions(&report->best[i]) && report->best[i].mode == mode)
            return true;
    return false;
}

/* A mode without rows of ours is a line below. */
static void put_table3(const struct error_report *report, uint32_t machine, bool all,
                       const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "mode"},
        {.title = "path"},
        {.title = "best"},
        {.title = "median", .right = true},
        {.title = "min", .right = true},
        {.title = ""},
        {.title = "paper"},
        {.title = "best"},
        {.title = "median", .right = true},
        {.title = "min", .right = true},
    };
    static const enum count_mode modes[] = {COUNT_USER, COUNT_BOTH, COUNT_KERNEL};
    static const char *const kinds[] = {"direct", "papi-low", "papi-high"};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        for (size_t j = 0; j < sizeof(kinds) / sizeof(*kinds); j++)
            if (all || any_measured(report, modes[i]))
                add_group(&table, report, machine, modes[i], kinds[j]);
    table_put(&table, style, out);
    table_free(&table);
}

/* --- events beside instructions --- */

static void add_other(struct table *table, const struct error_case *file,
                      const struct error_best *best)
{
    AUTO_TEXT struct text event = {0};
    char median[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    number_brief(best->median, median, sizeof(median));
    number_brief(best->spread_low, low, sizeof(low));
    number_brief(best->spread_high, high, sizeof(high));
    text_put_clean(&event, best->event);
    error_put_machine(file, best->machine, &event);
    table_add(table, TONE_PLAIN, text_string(&event));
    table_add(table, TONE_PLAIN, best->path);
    table_add(table, TONE_PLAIN, pattern_names[best->pattern]);
    table_add(table, TONE_PLAIN, median);
    if (strcmp(low, high) == 0)
        table_add(table, TONE_PLAIN, "always");
    else
        table_addf(table, TONE_PLAIN, "%s to %s", low, high);
    table_add(table, TONE_DIM, error_unit(best->event, best->base));
}

static void put_others(const struct erring *erring, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},         {.title = "path"},
        {.title = "best"},          {.title = "median", .right = true},
        {.title = "19 of 20 runs"}, {.title = "", .wraps = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    const struct error_report *report = &erring->report;
    bool folded = false;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (is_instructions(best))
            continue;
        if (erring->options->all || best->overall)
            add_other(&table, &erring->file, best);
        else
            folded = true;
    }
    if (table.count) {
        section_put_heading("Other events counted although nothing is measured", style, out);
        table_put(&table, style, out);
    }
    if (folded)
        section_put_words("the best path of each; --all has every path", style, out);
    table_free(&table);
}

/* --- all of it --- */

/* Why a mode has no rows of ours; what the paper has of it. */
static void put_missing(const struct erring *erring, enum count_mode mode,
                        const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (any_measured(&erring->report, mode))
        return;
    text_printf(&words, "%s: nothing of ours, %s", count_mode_names[mode],
                error_has_cpu_counter(&erring->file)
                    ? "because instructions were not measured in that mode"
                    : "because no counter of the CPU can be opened here");
    for (size_t i = 0; i < sizeof(error_table3) / sizeof(*error_table3) && !erring->options->all;
         i++) {
        const struct error_table3 *row = &error_table3[i];
        char median[NUMBER_SIZE];
        if (strcmp(row->mode, count_mode_names[mode]) != 0)
            continue;
        number_brief(row->median, median, sizeof(median));
        text_printf(&words, "%s %s %s",
                    strstr(text_string(&words), "paper's") ? "," : "; the paper's", row->tool,
                    median);
    }
    section_put_words(text_string(&words), style, out);
}

void error_put_best(const struct erring *erring, const struct style *style, struct text *out)
{
    section_put_heading(
        "Instructions counted although nothing is measured, and the paper's Table 3", style, out);
    for (uint32_t machine = 0; machine == 0 || machine < erring->file.machine_count; machine++) {
        if (erring->file.machine_count > 1) {
            text_put_clean(out, erring->file.machines[machine].name);
            text_putc(out, '\n');
        }
        put_table3(&erring->report, machine, erring->options->all, style, out);
    }
    put_missing(erring, COUNT_USER, style, out);
    put_missing(erring, COUNT_BOTH, style, out);
    if (any_measured(&erring->report, COUNT_USER) || any_measured(&erring->report, COUNT_BOTH) ||
        erring->options->all)
        section_put_words(
            "best: the pattern that adds least over -O levels and link modes, with one "
            "counter; *: least of all paths; exact: stepped; pm perfmon, pc perfctr, PL "
            "and PH PAPI's low and high level on them",
            style, out);
    put_others(erring, style, out);
}

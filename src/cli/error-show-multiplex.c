/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More events than counters, against the truth; and whole commands under other tools beside the
 * paths. */
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"
#include "show/utf8.h"

static void add_multiplex(struct table *table, const struct error_multiplex *multiplex)
{
    table_addf(table, TONE_PLAIN, "  %s", multiplex->specimen);
    table_addf(table, TONE_PLAIN, "%.0f %%", 100 * multiplex->share);
    table_addf(table, TONE_STRONG, "%+.2f %%", multiplex->median);
    table_addf(table, TONE_PLAIN, "%+.2f to %+.2f %%", multiplex->low, multiplex->high);
    if (isfinite(multiplex->single))
        table_addf(table, TONE_PLAIN, "%+.2f %%", multiplex->single);
    else
        table_add(table, TONE_PLAIN, "");
    if (isfinite(multiplex->per_rotation))
        table_addf(table, TONE_PLAIN, "%.2g", multiplex->per_rotation);
    else
        table_add(table, TONE_PLAIN, "");
}

static bool same_way(const struct error_multiplex *left, const struct error_multiplex *right)
{
    return strcmp(left->event, right->event) == 0 && strcmp(left->path, right->path) == 0 &&
           left->counters == right->counters;
}

/* All codes measured the way of the one at `first`, unless they were told before. */
static void put_way(const struct error_report *report, size_t first, const struct style *style,
                    struct text *out)
{
    static const struct column columns[] = {
        {.title = "  code"},
        {.title = "counted", .right = true},
        {.title = "error", .right = true},
        {.title = "smallest to largest"},
        {.title = "alone", .right = true},
        {.title = "phases", .right = true},
    };
    const struct error_multiplex *like = &report->multiplex[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < first; i++)
        if (same_way(&report->multiplex[i], like))
            return;
    text_put_clean(&words, like->event);
    text_printf(&words, " through %s, %u of them at once", like->path, like->counters);
    section_put_words(text_string(&words), style, out);
    for (size_t i = first; i < report->multiplex_count; i++)
        if (same_way(&report->multiplex[i], like))
            add_multiplex(&table, &report->multiplex[i]);
    table_put(&table, style, out);
    table_free(&table);
}

static void put_reason(const struct erring *erring, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const char *reason = error_no_counter_reason(&erring->file);
    bool has = error_has_cpu_counter(&erring->file);
    text_puts(&words, "not measured");
    if (!has)
        text_puts(&words, ": no counter of the CPU can be opened here");
    if (!has && reason[0])
        text_printf(&words, " (%s)", reason);
    section_put_words(text_string(&words), style, out);
}

void error_put_multiplex(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    if (error_is_uncounted(erring, !report->multiplex_count))
        return;
    section_put_heading("More events than counters", style, out);
    for (size_t i = 0; i < report->multiplex_count; i++)
        put_way(report, i, style, out);
    if (report->multiplex_count)
        section_put_words("counted: share of the time that the counter ran, from which the rest is "
                          "extrapolated; alone: the error with one counter; phases: changes of the "
                          "code's work in one turn of the counters",
                          style, out);
    else
        put_reason(erring, style, out);
}

/* --- whole commands --- */

/* What the best path adds to the same event; "" where none was measured. */
static void put_window(const struct error_report *report, const struct error_cell *cell, char *text,
                       size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < report->best_count; i++)
        if (report->best[i].overall && report->best[i].machine == cell->machine &&
            strcmp(report->best[i].event, cell->event) == 0)
            number_brief(report->best[i].median, text, size);
}

static void add_tool(struct table *table, const struct error_report *report,
                     const struct error_row *row)
{
    char window[NUMBER_SIZE];
    put_window(report, row->cell, window, sizeof(window));
    char median[NUMBER_SIZE], min[NUMBER_SIZE], max[NUMBER_SIZE], n[NUMBER_SIZE];
    number_brief((double)row->error.median, median, sizeof(median));
    number_brief((double)row->error.min, min, sizeof(min));
    number_brief((double)row->error.max, max, sizeof(max));
    number_count(row->cell->n, n, sizeof(n));
    table_add(table, TONE_PLAIN, row->cell->event);
    table_addf(table, TONE_PLAIN, "%s%s%s", row->cell->specimen, row->cell->n ? " " : "",
               row->cell->n ? n : "");
    table_add(table, TONE_PLAIN, median);
    table_add(table, TONE_PLAIN, min);
    table_add(table, TONE_PLAIN, max);
    table_add(table, TONE_PLAIN, window);
}

/* Why no tool was measured: the absence that names it. */
static const char *tool_reason(const struct erring *erring)
{
    for (size_t i = 0; i < erring->file.absence_count; i++)
        if (strstr(erring->file.absences[i].what, "perf-stat"))
            return erring->file.absences[i].reason;
    for (size_t i = 0; i < erring->skips.count; i++)
        if (strstr(erring->skips.list[i].what, "perf-stat"))
            return erring->skips.list[i].reason;
    for (size_t i = 0; i < erring->file.cell_count; i++)
        if (erring->file.cells[i].part == PART_TOOL && erring->file.cells[i].reason)
            return erring->file.cells[i].reason;
    return "no tool that counts whole commands, as `perf stat` does, was part of this run";
}

void error_put_tools(const struct erring *erring, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},
        {.title = "code"},
        {.title = "median", .right = true},
        {.title = "min", .right = true},
        {.title = "max", .right = true},
        {.title = "window", .right = true},
    };
    const struct error_report *report = &erring->report;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    section_put_heading("Whole commands under perf stat", style, out);
    /* A count of code that no truth can be taken off says nothing of the tool. */
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].cell->part == PART_TOOL &&
            (erring->options->all || report->rows[i].cell->has_truth))
            add_tool(&table, report, &report->rows[i]);
    if (table.count) {
        table_put(&table, style, out);
        section_put_words(erring->options->all
                              ? "beyond what the code itself counts, where that is known (not for "
                                "times of a loop); window: what the best path adds"
                              : "beyond what the code itself counts; window: what the best path "
                                "adds",
                          style, out);
    } else {
        AUTO_TEXT struct text words = {0};
        const char *reason = tool_reason(erring);
        text_puts(&words, "not measured: ");
        text_put_clean(&words, reason);
        section_put_words(text_string(&words), style, out);
    }
    table_free(&table);
}

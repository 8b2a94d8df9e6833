/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * More events than counters, against the truth; and whole commands under other tools beside the
 * paths. */
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"

static void add_multiplex(struct table *table, const struct error_multiplex *multiplex)
{
    table_add(table, TONE_PLAIN, multiplex->event);
    table_add(table, TONE_PLAIN, multiplex->specimen);
    table_addf(table, TONE_PLAIN, "%u", multiplex->counters);
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

void error_put_multiplex(const struct erring *erring, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},
        {.title = "code"},
        {.title = "counters", .right = true},
        {.title = "ran", .right = true},
        {.title = "error", .right = true},
        {.title = "smallest to largest"},
        {.title = "alone", .right = true},
        {.title = "phases a turn", .right = true},
    };
    const struct error_report *report = &erring->report;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    error_put_heading("More events than counters", style, out);
    for (size_t i = 0; i < report->multiplex_count; i++)
        add_multiplex(&table, &report->multiplex[i]);
    if (table.count) {
        table_put(&table, style, out);
    } else {
        AUTO_TEXT struct text words = {0};
        const char *reason = error_no_counter_reason(&erring->file);
        bool has = error_has_cpu_counter(&erring->file);
        text_puts(&words,
                  has ? "not measured" : "not measured: no counter of the CPU can be opened here");
        if (!has && reason[0])
            text_printf(&words, " (%s)", reason);
        error_put_words(text_string(&words), style, out);
    }
    table_free(&table);
}

/* --- whole commands --- */

static void add_tool(struct table *table, const struct error_row *row)
{
    char median[ERROR_NUMBER_SIZE], min[ERROR_NUMBER_SIZE], max[ERROR_NUMBER_SIZE], n[NUMBER_SIZE];
    error_number((double)row->error.median, median, sizeof(median));
    error_number((double)row->error.min, min, sizeof(min));
    error_number((double)row->error.max, max, sizeof(max));
    number_count(row->cell->n, n, sizeof(n));
    table_add(table, TONE_PLAIN, row->cell->event);
    table_add(table, TONE_PLAIN, row->cell->path);
    table_add(table, TONE_PLAIN, row->cell->specimen);
    table_add(table, TONE_PLAIN, row->cell->n ? n : "");
    table_add(table, TONE_PLAIN, median);
    table_add(table, TONE_PLAIN, min);
    table_add(table, TONE_PLAIN, max);
    table_add(table, TONE_DIM, error_unit(row->cell->event, row->cell->base));
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
    return "";
}

void error_put_tools(const struct erring *erring, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},
        {.title = "tool"},
        {.title = "code"},
        {.title = "N", .right = true},
        {.title = "median", .right = true},
        {.title = "min", .right = true},
        {.title = "max", .right = true},
        {.title = ""},
    };
    const struct error_report *report = &erring->report;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    error_put_heading("Whole commands under a tool", style, out);
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].cell->part == PART_TOOL)
            add_tool(&table, &report->rows[i]);
    if (table.count) {
        table_put(&table, style, out);
    } else {
        AUTO_TEXT struct text words = {0};
        const char *reason = tool_reason(erring);
        text_printf(&words, "not measured%s%s", reason[0] ? ": " : "", reason);
        error_put_words(text_string(&words), style, out);
    }
    table_free(&table);
}

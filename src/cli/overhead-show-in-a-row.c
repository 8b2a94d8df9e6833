/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the same call costs again and again in a fresh process, with nothing between. Shown with
 * --all: in short, finding W5 says it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"

static bool has_row(const struct overhead_cold *cold)
{
    return cold->row_length >= OVERHEAD_ROW_SHORTEST && cold->row_processes;
}

/* Each variant of a call once. */
static bool is_told(const struct overhead_run *run, const struct overhead_cold *like, size_t index)
{
    const struct overhead_cold *list = run->report.cold, *cold = &list[index];
    bool told = has_row(cold) && overhead_same_cold_group(cold, like);
    for (size_t i = 0; i < index && told; i++)
        told = !has_row(&list[i]) || list[i].operation != cold->operation ||
               !overhead_same_word(list[i].variant, cold->variant) ||
               !overhead_same_cold_group(&list[i], cold);
    return told;
}

static void add_cost(struct table *table, double value)
{
    char text[NUMBER_SIZE];
    overhead_cost(value, text, sizeof(text));
    table_add(table, TONE_PLAIN, text);
}

static void add_line(struct table *table, const struct overhead_run *run,
                     const struct overhead_cold *cold)
{
    AUTO_TEXT struct text call = {0};
    AUTO_TEXT struct text ratio = {0};
    overhead_put_call(overhead_name(&run->file, cold->operation), cold->variant, &call);
    text_printf(&ratio, "%.2f", cold->later_ratio);
    if (isfinite(cold->later_low) && isfinite(cold->later_high))
        text_printf(&ratio, " (%.2f to %.2f)", cold->later_low, cold->later_high);
    table_add(table, TONE_PLAIN, text_string(&call));
    table_addf(table, TONE_PLAIN, "%" PRIu32, cold->row_length);
    add_cost(table, cold->row[0]);
    add_cost(table, cold->row[1]);
    add_cost(table, cold->later);
    table_add(table, TONE_STRONG, isfinite(cold->later_ratio) ? text_string(&ratio) : "-");
}

static void put_group(const struct overhead_run *run, const struct overhead_cold *like,
                      const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "calls", .right = true},
        {.title = "first", .right = true},
        {.title = "second", .right = true},
        {.title = "later", .right = true},
        {.title = "later / first", .wraps = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text heading = {0};
    for (size_t i = 0; i < run->report.cold_count; i++)
        if (is_told(run, like, i))
            add_line(&table, run, &run->report.cold[i]);
    if (table.count) {
        text_printf(&heading, "The same call again and again in a fresh process, in %s",
                    overhead_unit(like->meter));
        overhead_put_machine(&run->file, like->machine, &heading);
        section_put_heading(text_string(&heading), style, out);
        table_put(&table, style, out);
        section_put_words("later: the median of the second to the last", style, out);
    }
    table_free(&table);
}

void overhead_put_in_a_row(const struct overhead_run *run, const struct style *style,
                           struct text *out)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->cold_count && run->options->all; i++) {
        bool leads = true;
        for (size_t j = 0; j < i && leads; j++)
            leads = !overhead_same_cold_group(&report->cold[i], &report->cold[j]);
        if (leads)
            put_group(run, &report->cold[i], style, out);
    }
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the first calls of a fresh process cost, the page faults in them, and what the same call
 * again and again comes to. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"

static bool same_group(const struct overhead_cold *left, const struct overhead_cold *right)
{
    return left->machine == right->machine && overhead_is_like_meter(left->meter, right->meter);
}

static bool same_call(const struct overhead_cold *left, const struct overhead_cold *right)
{
    return left->operation == right->operation &&
           overhead_same_word(left->variant, right->variant) &&
           overhead_same_word(left->link, right->link) && same_group(left, right);
}

/* Of a call one line: the one where nothing of its instrument was called before, or else the first;
 * of calls that bind nothing one link mode. --all has every one. */
static bool is_shown(const struct overhead_run *run, size_t index)
{
    const struct overhead_cold *list = run->report.cold, *cold = &list[index];
    if (run->options->all)
        return true;
    for (size_t i = 0; i < run->report.cold_count; i++) {
        bool like = i != index && same_group(&list[i], cold) &&
                    list[i].operation == cold->operation &&
                    overhead_same_word(list[i].variant, cold->variant);
        if (like && list[i].opening != cold->opening && !cold->opening)
            return false;
        if (like && list[i].opening == cold->opening && i < index)
            return false;
    }
    return true;
}

static void put_call(const struct overhead_run *run, const struct overhead_cold *cold,
                     struct text *out)
{
    overhead_put_call(overhead_name(&run->file, cold->operation), cold->variant, out);
    if (run->options->all && cold->link && !overhead_same_word(cold->link, cold->variant))
        text_printf(out, " (%s)", cold->link);
}

static void add_cost(struct table *table, enum tone tone, double value)
{
    char text[NUMBER_SIZE];
    overhead_cost(value, text, sizeof(text));
    table_add(table, tone, text);
}

/* What of its instrument was called before; nothing where it opens. */
static const char *before(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return cold->opening || cold->predecessor < 0 ? ""
                                                  : overhead_before(&run->file, cold->predecessor);
}

static void add_line(struct table *table, const struct overhead_run *run,
                     const struct overhead_cold *cold)
{
    AUTO_TEXT struct text call = {0};
    AUTO_TEXT struct text extra = {0};
    put_call(run, cold, &call);
    overhead_put_interval(cold->extra, cold->low, cold->high, &extra);
    table_add(table, TONE_PLAIN, text_string(&call));
    table_add(table, TONE_DIM, run->options->all ? before(run, cold) : "");
    add_cost(table, TONE_STRONG, cold->first);
    add_cost(table, TONE_PLAIN, cold->second);
    add_cost(table, TONE_PLAIN, cold->warm);
    if (isfinite(cold->faults))
        table_addf(table, TONE_PLAIN, cold->faults == rint(cold->faults) ? "%.0f" : "%.2f",
                   cold->faults);
    else
        table_add(table, TONE_DIM, "-");
    table_add(table, TONE_PLAIN, text_string(&extra));
}

/* How many calls were far above the others, and how many of those the account explains. */
static void put_outliers(const struct overhead_run *run, const struct overhead_cold *like,
                         const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    size_t processes = 0, runs = 0, outliers = 0;
    double explained = 0;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!same_group(cold, like))
            continue;
        processes = !processes || cold->processes < processes ? cold->processes : processes;
        runs += cold->runs;
        outliers += cold->outlier_count;
        if (isfinite(cold->outliers_explained))
            explained += cold->outliers_explained * (double)cold->outlier_count;
    }
    text_printf(&words, "%zu fresh processes or more a line. ", processes);
    if (runs && outliers) {
        text_puts(&words, "Far above the rest: ");
        overhead_put_share((double)outliers / (double)runs, &words);
        text_puts(&words, " of the calls; ");
        overhead_put_share(explained / (double)outliers, &words);
        text_puts(&words, " of these took a page fault or a context switch that others did not.");
    }
    section_put_words(text_string(&words), style, out);
}

static void put_group(const struct overhead_run *run, size_t first, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "after"},
        {.title = "first", .right = true},
        {.title = "second", .right = true},
        {.title = "warm", .right = true},
        {.title = "faults", .right = true},
        {.title = "first adds", .wraps = true},
    };
    const struct overhead_report *report = &run->report;
    const struct overhead_cold *like = &report->cold[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text heading = {0};
    for (size_t i = first; i < report->cold_count; i++)
        if (same_group(&report->cold[i], like) && is_shown(run, i))
            add_line(&table, run, &report->cold[i]);
    text_printf(&heading, "The first calls of a process, in %s", overhead_unit(like->meter));
    overhead_put_machine(&run->file, like->machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    table_put(&table, style, out);
    table_free(&table);
    put_outliers(run, like, style, out);
}

/* --- again and again --- */

static bool has_row(const struct overhead_cold *cold)
{
    return cold->row_length >= OVERHEAD_ROW_SHORTEST && cold->row_processes;
}

static void add_row(struct table *table, const struct overhead_run *run,
                    const struct overhead_cold *cold)
{
    AUTO_TEXT struct text call = {0};
    AUTO_TEXT struct text ratio = {0};
    put_call(run, cold, &call);
    text_printf(&ratio, "%.2f", cold->later_ratio);
    if (isfinite(cold->later_low) && isfinite(cold->later_high))
        text_printf(&ratio, " (%.2f to %.2f)", cold->later_low, cold->later_high);
    table_add(table, TONE_PLAIN, text_string(&call));
    table_addf(table, TONE_PLAIN, "%" PRIu32, cold->row_length);
    add_cost(table, TONE_PLAIN, cold->row[0]);
    add_cost(table, TONE_PLAIN, cold->row[1]);
    add_cost(table, TONE_PLAIN, cold->later);
    table_add(table, TONE_STRONG, isfinite(cold->later_ratio) ? text_string(&ratio) : "-");
}

static void put_rows(const struct overhead_run *run, size_t first, const struct style *style,
                     struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "calls", .right = true},
        {.title = "first", .right = true},
        {.title = "second", .right = true},
        {.title = "later", .right = true},
        {.title = "later / first", .wraps = true},
    };
    const struct overhead_report *report = &run->report;
    const struct overhead_cold *like = &report->cold[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text heading = {0};
    for (size_t i = first; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        bool told = has_row(cold) && same_group(cold, like);
        for (size_t j = first; j < i && told; j++)
            told = !has_row(&report->cold[j]) || !same_call(&report->cold[j], cold);
        if (told)
            add_row(&table, run, cold);
    }
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

void overhead_put_cold(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool any = false;
    for (int rows = 0; rows < 2; rows++) {
        for (size_t i = 0; i < report->cold_count; i++) {
            bool leads = run->options->all || !overhead_is_half(report, report->cold[i].meter);
            for (size_t j = 0; j < i && leads; j++)
                leads = !same_group(&report->cold[i], &report->cold[j]);
            if (leads && rows)
                put_rows(run, i, style, out);
            else if (leads)
                put_group(run, i, style, out);
            any |= leads;
        }
        if (any && !rows)
            section_put_words("warm: the median once all was called before; first adds: beyond "
                              "that (or the second), with its 95 % interval; faults: page faults "
                              "in a first call, on average",
                              style, out);
    }
}

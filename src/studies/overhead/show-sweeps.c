/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How cost grows with the number of events, and of reads in a row. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"

static bool same_group(const struct overhead_slope *left, const struct overhead_slope *right)
{
    return left->machine == right->machine && left->by_reads == right->by_reads &&
           overhead_is_like_meter(left->meter, right->meter);
}

/* "straight", or the power of the count by which the cost grows; counts that never vary show the
 * smallest bend, which nobody needs to know. */
static void put_shape(const struct overhead_slope *slope, struct text *out)
{
    if (slope->straight)
        text_puts(out, "straight");
    else if (slope->miss <= OVERHEAD_TOLD)
        text_puts(out, "nearly");
    else if (slope->first_apart)
        text_puts(out, "stepped");
    else if (!isfinite(slope->exponent))
        text_puts(out, "bent");
    else
        text_printf(out, "n^%.2f", slope->exponent);
}

/* Of a call with one variant the variant is no news. */
static bool has_variants(const struct overhead_report *report, const struct overhead_slope *like)
{
    for (size_t i = 0; i < report->slope_count; i++)
        if (same_group(&report->slopes[i], like) &&
            report->slopes[i].operation == like->operation &&
            !overhead_same_word(report->slopes[i].variant, like->variant))
            return true;
    return false;
}

static void add_line(struct table *table, const struct overhead_run *run,
                     const struct overhead_slope *slope)
{
    AUTO_TEXT struct text call = {0};
    AUTO_TEXT struct text each = {0};
    AUTO_TEXT struct text shape = {0};
    char one[NUMBER_SIZE], most[NUMBER_SIZE];
    overhead_put_call(overhead_name(&run->file, slope->operation),
                      has_variants(&run->report, slope) ? slope->variant : NULL, &call);
    overhead_cost(slope->one, one, sizeof(one));
    overhead_cost(slope->most, most, sizeof(most));
    if (slope->first_apart)
        overhead_put_interval(slope->rest_slope, slope->rest_low, slope->rest_high, &each);
    else
        overhead_put_interval(slope->slope, slope->low, slope->high, &each);
    put_shape(slope, &shape);
    table_add(table, TONE_PLAIN, text_string(&call));
    table_add(table, TONE_PLAIN, slope->by_reads ? "" : slope->separate ? "separate" : "group");
    table_add(table, TONE_PLAIN, one);
    table_addf(table, TONE_PLAIN, "%s at %" PRIu32, most, slope->most_count);
    table_add(table, slope->straight ? TONE_PLAIN : TONE_WARN, text_string(&shape));
    table_add(table, TONE_STRONG, text_string(&each));
}

static bool is_bare(const struct overhead_run *run, const struct overhead_slope *slope)
{
    return slope->operation < run->file.operation_count &&
           overhead_same_word(run->file.operations[slope->operation].instrument, "perf");
}

/* Bare calls tell how events add up; libraries where there are no bare ones, and reads metered
 * together, with --all. */
static bool is_shown(const struct overhead_run *run, const struct overhead_slope *slope)
{
    const struct overhead_report *report = &run->report;
    if (run->options->all)
        return true;
    if (slope->by_reads || overhead_is_half(report, slope->meter))
        return false;
    for (size_t i = 0; i < report->slope_count && !is_bare(run, slope); i++)
        if (same_group(&report->slopes[i], slope) && is_bare(run, &report->slopes[i]))
            return false;
    return true;
}

static void put_group(const struct overhead_run *run, size_t first, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "opened"},
        {.title = "at 1", .right = true},
        {.title = "at most", .right = true},
        {.title = "growth"},
        {.title = "each further", .wraps = true},
    };
    const struct overhead_report *report = &run->report;
    const struct overhead_slope *like = &report->slopes[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text heading = {0};
    for (size_t i = first; i < report->slope_count; i++)
        if (same_group(&report->slopes[i], like) && is_shown(run, &report->slopes[i]))
            add_line(&table, run, &report->slopes[i]);
    text_printf(&heading, "%s, in %s", like->by_reads ? "Reads in a row" : "More events",
                overhead_unit(like->meter));
    overhead_put_machine(&run->file, like->machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    table_put(&table, style, out);
    table_free(&table);
}

void overhead_put_sweeps(const struct overhead_run *run, const struct style *style,
                         struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool events = false, reads = false;
    for (int by_reads = 0; by_reads < 2; by_reads++)
        for (size_t i = 0; i < report->slope_count; i++) {
            bool leads =
                report->slopes[i].by_reads == (by_reads != 0) && is_shown(run, &report->slopes[i]);
            for (size_t j = 0; j < i && leads; j++)
                leads = !is_shown(run, &report->slopes[j]) ||
                        !same_group(&report->slopes[i], &report->slopes[j]);
            if (leads)
                put_group(run, i, style, out);
            events |= leads && !by_reads;
            reads |= leads && by_reads;
        }
    AUTO_TEXT struct text words = {0};
    if (events || reads)
        text_puts(&words, "growth: straight line, nearly (within 5 %), stepped (straight from the "
                          "second on), or a power of the number; each further: what it adds, with "
                          "its 95 % interval. ");
    if (events)
        text_puts(&words, "group: one call for all; separate: one each. ");
    if (reads)
        text_puts(&words, "Reads in a row: what all of them cost together.");
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

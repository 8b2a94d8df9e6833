/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the error grows while the measured code runs, and what interrupts explain of it. */
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"
#include "show/utf8.h"

/* 0.0014, 4e-07, 0 */
static void put_slope(double value, char *text, size_t size)
{
    if (!isfinite(value))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.2g", value == 0 ? 0 : value);
}

static void add_slope(struct table *table, const struct error_slope *slope)
{
    char value[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE], detectable[NUMBER_SIZE];
    char longest[NUMBER_SIZE], runs[NUMBER_SIZE];
    put_slope(slope->slope, value, sizeof(value));
    put_slope(slope->low, low, sizeof(low));
    put_slope(slope->high, high, sizeof(high));
    put_slope(slope->detectable, detectable, sizeof(detectable));
    number_count(slope->longest, longest, sizeof(longest));
    number_count(slope->runs, runs, sizeof(runs));
    bool grows = slope->low > 0 || slope->high < 0;
    table_addf(table, TONE_PLAIN, "  %s %s", slope->path, pattern_names[slope->pattern]);
    table_add(table, grows ? TONE_STRONG : TONE_PLAIN, value);
    if (slope->exact)
        table_add(table, TONE_DIM, "no run deviates");
    else if (!isfinite(slope->low) || !isfinite(slope->high))
        table_add(table, TONE_DIM, "nothing repeats");
    else
        table_addf(table, TONE_DIM, "%s to %s", low, high);
    table_add(table, TONE_DIM, slope->exact ? "" : detectable);
    table_add(table, TONE_PLAIN, longest);
    table_add(table, TONE_PLAIN, runs);
}

static bool same_event(const struct error_slope *left, const struct error_slope *right)
{
    return left->machine == right->machine && strcmp(left->event, right->event) == 0;
}

bool error_is_constant(const struct error_report *report, const struct error_slope *like,
                       error_alike *alike)
{
    for (size_t i = 0; i < report->slope_count; i++)
        if (alike(&report->slopes[i], like) &&
            (!report->slopes[i].exact || report->slopes[i].slope != 0))
            return false;
    return true;
}

/* "page-faults: nothing, through 5 paths, up to N = 1,000,000; no run of 4,000 deviates" */
static void put_constant(const struct erring *erring, const struct error_slope *like,
                         const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text words = {0};
    size_t ways = 0, runs = 0;
    uint64_t longest = 0;
    for (size_t i = 0; i < report->slope_count; i++)
        if (same_event(&report->slopes[i], like)) {
            ways++;
            runs += report->slopes[i].runs;
            longest = report->slopes[i].longest > longest ? report->slopes[i].longest : longest;
        }
    char all[NUMBER_SIZE], most[NUMBER_SIZE];
    number_count(runs, all, sizeof(all));
    number_count(longest, most, sizeof(most));
    text_put_clean(&words, like->event);
    error_put_machine(&erring->file, like->machine, &words);
    text_printf(&words, ": nothing, up to N = %s; none of %s runs over %zu path%s deviates", most,
                all, ways, ways == 1 ? "" : "s");
    section_put_words(text_string(&words), style, out);
}

static void put_event(const struct erring *erring, const struct error_slope *like,
                      const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    static const struct column columns[] = {
        {.title = "  path"},
        {.title = "an iteration", .right = true},
        {.title = "95 % interval"},
        {.title = "detectable", .right = true},
        {.title = "up to N", .right = true},
        {.title = "runs", .right = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    text_put_clean(out, like->event);
    error_put_machine(&erring->file, like->machine, out);
    text_putc(out, '\n');
    for (size_t i = 0; i < report->slope_count; i++)
        if (same_event(&report->slopes[i], like))
            add_slope(&table, &report->slopes[i]);
    table_put(&table, style, out);
    table_free(&table);
}

static size_t ways_of(const struct error_report *report, const struct error_slope *like)
{
    size_t ways = 0;
    for (size_t i = 0; i < report->slope_count; i++)
        ways += same_event(&report->slopes[i], like);
    return ways;
}

/* "instructions:uk: 0.0033 (0.0032 to 0.0035) through perf-read ao, up to N = 1,000,000, 1,078
 * runs; detectable 0.00018": a table of one row is no table. */
static void put_only(const struct erring *erring, const struct error_slope *slope,
                     const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    char longest[NUMBER_SIZE], runs[NUMBER_SIZE];
    number_count(slope->longest, longest, sizeof(longest));
    number_count(slope->runs, runs, sizeof(runs));
    text_put_clean(&words, slope->event);
    error_put_machine(&erring->file, slope->machine, &words);
    text_printf(&words, ": %.2g", slope->slope);
    if (isfinite(slope->low) && isfinite(slope->high) && !slope->exact)
        text_printf(&words, " (%.2g to %.2g)", slope->low, slope->high);
    text_printf(&words, " through %s, %s, up to N = %s, %s runs", slope->path,
                pattern_descriptions[slope->pattern], longest, runs);
    if (!isfinite(slope->low) || !isfinite(slope->high))
        text_puts(&words, "; nothing repeats, so there is no interval");
    else if (!slope->exact && isfinite(slope->detectable))
        text_printf(&words, "; detectable %.2g", slope->detectable);
    section_put_words(text_string(&words), style, out);
}

static bool put_slopes(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = !same_event(&report->slopes[j], slope);
        if (!first)
            continue;
        if (error_is_constant(report, slope, same_event) && !erring->options->all)
            put_constant(erring, slope, style, out);
        else if (ways_of(report, slope) == 1 && !erring->options->all)
            put_only(erring, slope, style, out);
        else
            put_event(erring, slope, style, out);
    }
    return report->slope_count != 0;
}

/* --- counts of the kernel alone, by the size of the loop --- */

static void add_size(struct table *table, const struct error_by_size *size)
{
    char n[NUMBER_SIZE], runs[NUMBER_SIZE], median[NUMBER_SIZE], mean[NUMBER_SIZE];
    char max[NUMBER_SIZE], interrupts[NUMBER_SIZE] = "";
    number_count(size->n, n, sizeof(n));
    number_count(size->runs, runs, sizeof(runs));
    number_brief((double)size->spread.median, median, sizeof(median));
    number_brief(size->mean, mean, sizeof(mean));
    number_brief((double)size->spread.max, max, sizeof(max));
    if (isfinite(size->interrupts))
        snprintf(interrupts, sizeof(interrupts), "%.3g", size->interrupts);
    table_add(table, TONE_PLAIN, size->event);
    table_add(table, TONE_PLAIN, size->path);
    table_add(table, TONE_PLAIN, n);
    table_add(table, TONE_PLAIN, runs);
    table_add(table, TONE_PLAIN, median);
    table_add(table, TONE_PLAIN, mean);
    table_add(table, TONE_PLAIN, max);
    table_add(table, TONE_PLAIN, interrupts);
}

static void put_sizes(const struct error_report *report, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "in the kernel"},         {.title = "path"},
        {.title = "N", .right = true},      {.title = "runs", .right = true},
        {.title = "median", .right = true}, {.title = "mean", .right = true},
        {.title = "max", .right = true},    {.title = "interrupts", .right = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < report->by_size_count; i++)
        add_size(&table, &report->by_size[i]);
    if (table.count) {
        text_putc(out, '\n');
        table_put(&table, style, out);
    }
    table_free(&table);
}

/* --- ticks --- */

static void put_ticks(const struct error_ticks *ticks, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!ticks->known) {
        if (ticks->reason[0])
            text_printf(&words, "what interrupts explain of it is not known: %s", ticks->reason);
    } else {
        char each[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
        number_brief(rint(ticks->each), each, sizeof(each));
        number_brief(rint(ticks->each_low), low, sizeof(low));
        number_brief(rint(ticks->each_high), high, sizeof(high));
        /* Counting interrupts along makes each dearer, so this slope is not the one above. */
        text_printf(&words,
                    "An interrupt costs %s instructions (%s to %s), and %.3g of them come in an "
                    "iteration: together %.2g (%.2g to %.2g) an iteration, where user+kernel "
                    "counts%s grow by %.2g (%.2g to %.2g): %s",
                    each, low, high, ticks->rate, ticks->predicted, ticks->predicted_low,
                    ticks->predicted_high, ticks->reason[0] ? "" : " with interrupts counted along",
                    ticks->measured, ticks->measured_low, ticks->measured_high,
                    ticks->agrees ? "they explain it" : "they do not explain it");
        if (ticks->reason[0])
            text_printf(&words, " (%s)", ticks->reason);
    }
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

void error_put_duration(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    section_put_heading("What each iteration of a loop adds", style, out);
    if (!put_slopes(erring, style, out)) {
        AUTO_TEXT struct text words = {0};
        const char *reason = error_no_counter_reason(&erring->file);
        text_puts(&words, "no loop was measured with an event whose count is known");
        if (reason[0])
            text_printf(&words, ": no counter of the CPU can be opened here (%s)", reason);
        section_put_words(text_string(&words), style, out);
    }
    put_sizes(report, style, out);
    if (!error_is_uncounted(erring, !report->ticks.known))
        put_ticks(&report->ticks, style, out);
}

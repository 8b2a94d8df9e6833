/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the first calls of a fresh process cost, and the page faults in them. */
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"

static bool same_group(const struct overhead_cold *left, const struct overhead_cold *right)
{
    return left->machine == right->machine && overhead_is_like_meter(left->meter, right->meter);
}

static void add_cost(struct table *table, enum tone tone, double value)
{
    char text[NUMBER_SIZE];
    overhead_cost(value, text, sizeof(text));
    table_add(table, tone, text);
}

static void add_line(struct table *table, const struct overhead_case *file,
                     const struct overhead_cold *cold)
{
    AUTO_TEXT struct text call = {0};
    AUTO_TEXT struct text extra = {0};
    overhead_put_call(overhead_name(file, cold->operation), cold->variant, &call);
    if (cold->link && *cold->link && !overhead_same_word(cold->link, cold->variant) &&
        !overhead_same_word(cold->link, "static"))
        text_printf(&call, " (%s)", cold->link);
    overhead_put_interval(cold->extra, cold->low, cold->high, &extra);
    table_add(table, TONE_PLAIN, text_string(&call));
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
    size_t processes = 0;
    double most = 0, explained = NAN;
    const struct overhead_cold *worst = NULL;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!same_group(cold, like))
            continue;
        processes = !processes || cold->processes < processes ? cold->processes : processes;
        if (cold->outliers > most) {
            most = cold->outliers;
            explained = cold->outliers_explained;
            worst = cold;
        }
    }
    text_printf(&words, "%zu or more processes a call", processes);
    if (worst) {
        text_puts(&words, "; of the calls up to ");
        overhead_put_share(most, &words);
        text_puts(&words, " (");
        overhead_put_call(overhead_name(&run->file, worst->operation), worst->variant, &words);
        text_puts(&words, ") are far above the rest");
        if (isfinite(explained)) {
            text_puts(&words, ", ");
            overhead_put_share(explained, &words);
            text_puts(&words, " of them with a page fault or a context switch");
        }
    }
    section_put_words(text_string(&words), style, out);
}

static void put_group(const struct overhead_run *run, size_t first, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "first", .right = true},
        {.title = "second", .right = true},
        {.title = "later", .right = true},
        {.title = "faults", .right = true},
        {.title = "first adds", .wraps = true},
    };
    const struct overhead_report *report = &run->report;
    const struct overhead_cold *like = &report->cold[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text heading = {0};
    for (size_t i = first; i < report->cold_count; i++)
        if (same_group(&report->cold[i], like))
            add_line(&table, &run->file, &report->cold[i]);
    text_printf(&heading, "The first calls of a process, in %s", overhead_unit(like->meter));
    overhead_put_machine(&run->file, like->machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    table_put(&table, style, out);
    table_free(&table);
    put_outliers(run, like, style, out);
}

void overhead_put_cold(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool any = false;
    for (size_t i = 0; i < report->cold_count; i++) {
        bool leads = true;
        for (size_t j = 0; j < i && leads; j++)
            leads = !same_group(&report->cold[i], &report->cold[j]);
        if (leads)
            put_group(run, i, style, out);
        any |= leads;
    }
    if (any)
        section_put_words("later: the median once all was called before; first adds: beyond that, "
                          "with its 95 % interval; faults: page faults in a first call, on average",
                          style, out);
}

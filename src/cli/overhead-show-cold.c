/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the first calls of a fresh process cost, and the page faults in them: link modes beside each
 * other, or every predecessor in a line of its own. */
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"

/* Link modes that have columns; others are shown with --all. */
static const char *const links[] = {"lazy", "bind-now"};
#define FEW_NAMED 4u
#define LEAST     5u  /* processes of times; what is emulated varies little */
#define NEWS      2.0 /* times */
#define LINKS     (sizeof(links) / sizeof(*links))

bool overhead_same_cold_group(const struct overhead_cold *left, const struct overhead_cold *right)
{
    return left->machine == right->machine && overhead_is_like_meter(left->meter, right->meter);
}

static bool has_column(const char *variant)
{
    for (size_t i = 0; i < LINKS; i++)
        if (overhead_same_word(variant, links[i]))
            return true;
    return false;
}

/* Of enough processes that a figure of it is worth showing? */
static bool says_something(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return run->options->all ||
           cold->processes >= (overhead_is_emulated(&run->file, cold->machine) ? 1u : LEAST);
}

static void add_cost(struct table *table, enum tone tone, double value)
{
    char text[NUMBER_SIZE];
    overhead_cost(value, text, sizeof(text));
    table_add(table, tone, text);
}

static void add_faults(struct table *table, double faults)
{
    if (!isfinite(faults))
        table_add(table, TONE_DIM, "-");
    else
        table_addf(table, TONE_PLAIN, faults == rint(faults) || faults >= 10 ? "%.0f" : "%.2f",
                   faults);
}

/* --- the brief table: a line a call --- */

/* Of the call in this variant (NULL: whichever no column is for) the cell where nothing of its
 * instrument was called before; else the first. */
static const struct overhead_cold *find(const struct overhead_run *run,
                                        const struct overhead_cold *like, const char *variant)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_cold *found = NULL;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        bool fits =
            variant ? overhead_same_word(cold->variant, variant) : !has_column(cold->variant);
        if (!fits || cold->operation != like->operation || !overhead_same_cold_group(cold, like) ||
            !says_something(run, cold))
            continue;
        if (!found || (cold->opening && !found->opening))
            found = cold;
    }
    return found;
}

static bool leads_call(const struct overhead_run *run, size_t index)
{
    const struct overhead_cold *list = run->report.cold;
    for (size_t i = 0; i < index; i++)
        if (list[i].operation == list[index].operation &&
            overhead_same_cold_group(&list[i], &list[index]))
            return false;
    return true;
}

static bool has_figures(const struct overhead_run *run, const struct overhead_cold *like)
{
    bool any = find(run, like, NULL) != NULL;
    for (size_t i = 0; i < LINKS && !any; i++)
        any = find(run, like, links[i]) != NULL;
    return any;
}

static double dearest(const struct overhead_run *run, const struct overhead_cold *like)
{
    const struct overhead_cold *plain = find(run, like, NULL);
    double first = plain ? plain->first : NAN;
    for (size_t i = 0; i < LINKS; i++) {
        const struct overhead_cold *linked = find(run, like, links[i]);
        first = linked ? fmax(first, linked->first) : first;
    }
    return first;
}

/* Reads, and what costs twice as much the first time; the rest comes with --all. */
static bool is_news(const struct overhead_run *run, const struct overhead_cold *like)
{
    const struct overhead_operation *call = &run->file.operations[like->operation];
    double warm = like->warm;
    return overhead_same_word(call->kind, "read") || !isfinite(warm) ||
           dearest(run, like) >= NEWS * warm;
}

static void add_brief(struct table *table, const struct overhead_run *run,
                      const struct overhead_cold *like)
{
    const struct overhead_cold *plain = find(run, like, NULL), *told = plain;
    double faults = plain ? plain->faults : NAN;
    table_add(table, TONE_PLAIN, overhead_name(&run->file, like->operation));
    add_cost(table, TONE_STRONG, plain ? plain->first : NAN);
    for (size_t i = 0; i < LINKS; i++) {
        const struct overhead_cold *linked = find(run, like, links[i]);
        if (!linked) {
            table_add(table, TONE_PLAIN, "");
            continue;
        }
        add_cost(table, TONE_PLAIN, linked->first);
        told = told ? told : linked;
        faults = fmax(faults, linked->faults);
    }
    add_cost(table, TONE_PLAIN, told ? told->second : NAN);
    add_cost(table, TONE_PLAIN, told ? told->warm : NAN);
    add_faults(table, faults);
}

static bool put_brief(const struct overhead_run *run, const struct overhead_cold *like,
                      const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "first", .right = true},
        {.title = "lazy", .right = true},
        {.title = "bind-now", .right = true},
        {.title = "second", .right = true},
        {.title = "warm", .right = true},
        {.title = "faults", .right = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    size_t left = 0;
    for (size_t i = 0; i < run->report.cold_count; i++) {
        const struct overhead_cold *cold = &run->report.cold[i];
        if (!overhead_same_cold_group(cold, like) || !leads_call(run, i) || !has_figures(run, cold))
            continue;
        if (is_news(run, cold))
            add_brief(&table, run, cold);
        else
            left++;
    }
    bool any = table.count != 0 || left;
    table_put(&table, style, out);
    if (!any)
        section_put_words("Too few fresh processes were measured to tell; a larger --budget has "
                          "more.",
                          style, out);
    table_free(&table);
    return any;
}

/* --- the full table: a line a cell --- */

/* What of its instrument was called before; nothing where it opens. */
static const char *before(const struct overhead_run *run, const struct overhead_cold *cold)
{
    if (cold->opening || cold->predecessor < 0)
        return "";
    return overhead_before(&run->file, cold->predecessor);
}

static void add_line(struct table *table, const struct overhead_run *run,
                     const struct overhead_cold *cold)
{
    AUTO_TEXT struct text call = {0};
    AUTO_TEXT struct text extra = {0};
    overhead_put_call(overhead_name(&run->file, cold->operation), cold->variant, &call);
    overhead_put_range(cold->low, cold->high, &extra);
    table_add(table, TONE_PLAIN, text_string(&call));
    add_cost(table, TONE_STRONG, cold->first);
    add_cost(table, TONE_PLAIN, cold->second);
    add_cost(table, TONE_PLAIN, cold->warm);
    add_faults(table, cold->faults);
    if (*before(run, cold))
        text_printf(&extra, " (after %s)", before(run, cold));
    table_add(table, TONE_PLAIN, text_string(&extra));
}

static bool put_full(const struct overhead_run *run, const struct overhead_cold *like,
                     const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "first", .right = true},
        {.title = "second", .right = true},
        {.title = "warm", .right = true},
        {.title = "faults", .right = true},
        {.title = "first adds", .wraps = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < run->report.cold_count; i++)
        if (overhead_same_cold_group(&run->report.cold[i], like))
            add_line(&table, run, &run->report.cold[i]);
    table_put(&table, style, out);
    table_free(&table);
    return true;
}

/* --- both --- */

/* Has the cell a figure in the table? */
static bool is_told(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return run->options->all ||
           find(run, cold, has_column(cold->variant) ? cold->variant : NULL) == cold;
}

/* "240 fresh processes a figure, fewer for papi-high.begin (3)." */
static void put_processes(const struct overhead_run *run, const struct overhead_cold *like,
                          struct text *out)
{
    const struct overhead_report *report = &run->report;
    size_t most = 0, few = 0;
    for (size_t i = 0; i < report->cold_count; i++)
        if (overhead_same_cold_group(&report->cold[i], like) && report->cold[i].processes > most)
            most = report->cold[i].processes;
    text_printf(out, "%zu fresh process%s a figure", most, most == 1 ? "" : "es");
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!overhead_same_cold_group(cold, like) || 2 * cold->processes >= most ||
            !is_told(run, cold) || few == FEW_NAMED)
            continue;
        text_puts(out, few++ ? ", " : ", fewer for ");
        overhead_put_call(overhead_name(&run->file, cold->operation), cold->variant, out);
        text_printf(out, " (%zu)", cold->processes);
    }
    text_puts(out, few == FEW_NAMED ? " and others. " : ". ");
}

/* How many calls were far above the others, and how many of those the account explains. */
static void put_outliers(const struct overhead_run *run, const struct overhead_cold *like,
                         const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    size_t runs = 0, outliers = 0;
    double explained = 0;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!overhead_same_cold_group(cold, like))
            continue;
        runs += cold->runs;
        outliers += cold->outlier_count;
        if (isfinite(cold->outliers_explained))
            explained += cold->outliers_explained * (double)cold->outlier_count;
    }
    put_processes(run, like, &words);
    if (runs && outliers) {
        text_puts(&words, "Far above the rest: ");
        overhead_put_share((double)outliers / (double)runs, &words);
        text_puts(&words, " of the calls; ");
        overhead_put_share(explained / (double)outliers, &words);
        text_puts(&words, " of these took an unusual page fault or context switch.");
    }
    section_put_words(text_string(&words), style, out);
}

/* False: there was nothing to show. */
static bool put_group(const struct overhead_run *run, const struct overhead_cold *like,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text heading = {0};
    text_printf(&heading, "The first calls of a process, in %s", overhead_unit(like->meter));
    overhead_put_machine(&run->file, like->machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    bool any =
        run->options->all ? put_full(run, like, style, out) : put_brief(run, like, style, out);
    if (any)
        put_outliers(run, like, style, out);
    return any;
}

void overhead_put_cold(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool any = false;
    for (size_t i = 0; i < report->cold_count; i++) {
        bool leads = run->options->all || !overhead_is_half(report, report->cold[i].meter);
        for (size_t j = 0; j < i && leads; j++)
            leads = !overhead_same_cold_group(&report->cold[i], &report->cold[j]);
        if (leads && put_group(run, &report->cold[i], style, out))
            any = true;
    }
    if (any)
        section_put_words(run->options->all
                              ? "warm: the median once all was called before; first adds: 95 % "
                                "interval of what the first costs beyond that (or the second); "
                                "faults: page faults in a first call, on average; after: what of "
                                "the same counters was called before"
                              : "first: static or inline; lazy, bind-now: of a program linked so; "
                                "warm: once all was called before; faults: page faults in a first "
                                "call, on average; calls that cost less than twice as much the "
                                "first time have no line",
                          style, out);
}

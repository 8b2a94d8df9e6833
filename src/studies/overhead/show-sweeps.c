/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What changes the cost of a call, for people: how many there are, how often it is called, what
 * was called before, and whether it is the first. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "studies/overhead/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What stood before a call and changed what it costs. */

#define ROWS_SHOWN 4u

struct pair {
    const struct overhead_row *row, *usual;
    double ratio;
};

bool overhead_is_pair(const struct overhead_row *row, const struct overhead_row *usual)
{
    return !row->all_predecessors && row->predecessor >= 0 && row->runs &&
           row->temperature == usual->temperature && overhead_same_call(row, usual) &&
           row->events == usual->events && row->separate == usual->separate &&
           row->reads == usual->reads && overhead_same_word(row->link, usual->link) &&
           overhead_same_word(row->counted, usual->counted);
}

static int by_size(const void *left, const void *right)
{
    double a = fabs(log(((const struct pair *)left)->ratio)),
           b = fabs(log(((const struct pair *)right)->ratio));
    return (a < b) - (a > b);
}

/* Pairs that matter, the largest first; *looked: how many there are at all. */
static struct pair *find_pairs(const struct overhead_run *run, const struct overhead_row *first,
                               size_t *count, size_t *looked)
{
    const struct overhead_report *report = &run->report;
    struct pair *pairs = NULL;
    *count = *looked = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *usual = &report->rows[i];
        if (!overhead_same_group(usual, first) || !overhead_is_usual(run, i) ||
            (!run->studying.given->all && overhead_is_folded(run, i)))
            continue;
        for (size_t j = 0; j < report->row_count; j++) {
            const struct overhead_row *row = &report->rows[j];
            if (!overhead_is_pair(row, usual))
                continue;
            (*looked)++;
            double apart = fabs(row->median - usual->median);
            /* What is within the smallest step of the meter is no difference. */
            const struct overhead_timer *timer =
                overhead_timer_of(report, row->machine, row->meter);
            if (usual->median > 0 && apart > OVERHEAD_TOLD * usual->median &&
                apart > (timer ? timer->resolution : 0) &&
                (row->low > usual->median || row->high < usual->median))
                *memory_add(pairs, *count) = (struct pair){row, usual, row->median / usual->median};
        }
    }
    if (pairs)
        qsort(pairs, *count, sizeof(*pairs), by_size);
    return pairs;
}

/* Does a pair that is shown read a counter right after it was stopped? */
static bool reads_after_stop(const struct overhead_case *file, const struct pair *pairs,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct overhead_row *row = pairs[i].row;
        const struct overhead_operation *call = &file->operations[row->operation];
        const struct overhead_operation *before = &file->operations[row->predecessor];
        if (overhead_same_word(call->kind, "read") && overhead_same_word(before->kind, "stop") &&
            overhead_same_word(call->instrument, before->instrument))
            return true;
    }
    return false;
}

static void put_group(const struct overhead_run *run, const struct overhead_row *first,
                      const struct style *style, struct text *out)
{
    size_t count = 0, looked = 0;
    AUTO_MEMORY struct pair *pairs = find_pairs(run, first, &count, &looked);
    AUTO_TEXT struct text words = {0};
    if (!looked)
        return;
    overhead_put_heading(run, "What the call before changes", first->meter, first->machine, style,
                         out);
    if (!count) {
        text_printf(&words,
                    "Nothing: in none of %zu pairs does a call cost 5 %% more or less after one "
                    "call than after all of them.",
                    looked);
    } else {
        static const struct column columns[] = {
            {.title = "call"},
            {.title = "straight after"},
            {.title = "costs", .right = true},
            {.title = "usually", .right = true},
            {.title = "times", .right = true},
        };
        struct table table = {.columns = columns,
                              .column_count = sizeof(columns) / sizeof(*columns)};
        size_t shown = run->studying.given->all || count < ROWS_SHOWN ? count : ROWS_SHOWN;
        for (size_t i = 0; i < shown; i++) {
            AUTO_TEXT struct text call = {0};
            overhead_put_row_call(&run->file, pairs[i].row, &call);
            table_add(&table, TONE_PLAIN, text_string(&call));
            table_add(&table, TONE_PLAIN, overhead_before(&run->file, pairs[i].row->predecessor));
            overhead_add_cost(&table, TONE_STRONG, pairs[i].row->median);
            overhead_add_cost(&table, TONE_PLAIN, pairs[i].usual->median);
            table_addf(&table, TONE_PLAIN, "%.2f", pairs[i].ratio);
        }
        table_put(&table, style, out);
        table_free(&table);
        text_printf(&words,
                    "%zu of %zu pairs of calls cost more than 5 %% more or less than usual, the "
                    "median over all calls before",
                    count, looked);
        if (count > ROWS_SHOWN && !run->studying.given->all)
            text_printf(&words, "; the %u largest are shown", ROWS_SHOWN);
        if (reads_after_stop(&run->file, pairs, count))
            text_puts(&words, ". After a stop, a read is one of a counter that does not run.");
    }
    section_put_words(text_string(&words), style, out);
}

/* Times; where there are none what the kernel executes, which varies. */
static bool is_shown(const struct overhead_run *run, const struct overhead_row *row)
{
    if (run->studying.given->all || !overhead_counts_code(row->meter))
        return true;
    const char *mode = overhead_has_clock(&run->report, row->machine) ? "uk" : "k";
    return overhead_is_emulated(&run->file, row->machine) &&
           overhead_same_word(row->meter->mode, mode);
}

void overhead_put_predecessors(const struct overhead_run *run, const struct style *style,
                               struct text *out)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->row_count; i++)
        if (OVERHEAD_LEADS(report->rows, i) && is_shown(run, &report->rows[i]))
            put_group(run, &report->rows[i], style, out);
}

/* ----------------------------------------------------------------------------------------------
 * What the first calls of a fresh process cost, and the page faults in them: link modes beside
 * each other, or every predecessor in a line of its own. */

/* Link modes that have columns; others are shown with --all. */
static const char *const links[] = {"lazy", "bind-now"};
#define FEW_NAMED 4u
#define LEAST     5u  /* processes of times; what is emulated varies little */
#define NEWS      2.0 /* times */
#define LINKS     (sizeof(links) / sizeof(*links))

static bool has_column(const char *variant)
{
    for (size_t i = 0; i < LINKS; i++)
        if (overhead_same_word(variant, links[i]))
            return true;
    return false;
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
        /* Of enough processes that a figure of it is worth showing? */
        if (!fits || cold->operation != like->operation || !overhead_same_group(cold, like) ||
            !(run->studying.given->all ||
              cold->processes >= (overhead_is_emulated(&run->file, cold->machine) ? 1u : LEAST)))
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
            overhead_same_group(&list[i], &list[index]))
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
        if (!overhead_same_group(cold, like) || !leads_call(run, i) || !has_figures(run, cold))
            continue;
        if (is_news(run, cold)) {
            const struct overhead_cold *plain = find(run, cold, NULL), *told = plain;
            double faults = plain ? plain->faults : NAN;
            table_add(&table, TONE_PLAIN, overhead_name(&run->file, cold->operation));
            overhead_add_cost(&table, TONE_STRONG, plain ? plain->first : NAN);
            for (size_t j = 0; j < LINKS; j++) {
                const struct overhead_cold *linked = find(run, cold, links[j]);
                if (!linked) {
                    table_add(&table, TONE_PLAIN, "");
                    continue;
                }
                overhead_add_cost(&table, TONE_PLAIN, linked->first);
                told = told ? told : linked;
                faults = fmax(faults, linked->faults);
            }
            overhead_add_cost(&table, TONE_PLAIN, told ? told->second : NAN);
            overhead_add_cost(&table, TONE_PLAIN, told ? told->warm : NAN);
            add_faults(&table, faults);
        } else
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

static void put_range(double low, double high, struct text *out)
{
    const char *from = OVERHEAD_COST(low), *to = OVERHEAD_COST(high);
    text_printf(out, strcmp(from, to) != 0 ? "%s to %s" : "%s", from, to);
}

/* --- the full table: a line a cell --- */

/* What of its instrument was called before; nothing where it opens. */
static const char *before(const struct overhead_run *run, const struct overhead_cold *cold)
{
    if (cold->opening || cold->predecessor < 0)
        return "";
    return overhead_before(&run->file, cold->predecessor);
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
    for (size_t i = 0; i < run->report.cold_count; i++) {
        const struct overhead_cold *cold = &run->report.cold[i];
        if (!overhead_same_group(cold, like))
            continue;
        AUTO_TEXT struct text call = {0}, extra = {0};
        overhead_put_called(run, cold, &call);
        put_range(cold->low, cold->high, &extra);
        table_add(&table, TONE_PLAIN, text_string(&call));
        overhead_add_cost(&table, TONE_STRONG, cold->first);
        overhead_add_cost(&table, TONE_PLAIN, cold->second);
        overhead_add_cost(&table, TONE_PLAIN, cold->warm);
        add_faults(&table, cold->faults);
        if (*before(run, cold))
            text_printf(&extra, " (after %s)", before(run, cold));
        table_add(&table, TONE_PLAIN, text_string(&extra));
    }
    table_put(&table, style, out);
    table_free(&table);
    return true;
}

/* --- both --- */

/* Has the cell a figure in the table? */
static bool is_told(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return run->studying.given->all ||
           find(run, cold, has_column(cold->variant) ? cold->variant : NULL) == cold;
}

/* False: there was nothing to show. */
static bool cold_put_group(const struct overhead_run *run, const struct overhead_cold *like,
                           const struct style *style, struct text *out)
{
    overhead_put_heading(run, "The first calls of a process", like->meter, like->machine, style,
                         out);
    bool any = run->studying.given->all ? put_full(run, like, style, out)
                                        : put_brief(run, like, style, out);
    if (any) {
        /* How many calls were far above the others, and how many of those the account explains. */
        const struct overhead_report *report = &run->report;
        AUTO_TEXT struct text words = {0};
        size_t runs = 0, outliers = 0;
        double explained = 0;
        for (size_t i = 0; i < report->cold_count; i++) {
            const struct overhead_cold *cold = &report->cold[i];
            if (!overhead_same_group(cold, like))
                continue;
            runs += cold->runs;
            outliers += cold->outlier_count;
            if (isfinite(cold->outliers_explained))
                explained += cold->outliers_explained * (double)cold->outlier_count;
        }
        /* "240 fresh processes a figure, fewer for papi-high.begin (3)." */
        size_t most = 0, few = 0;
        for (size_t i = 0; i < report->cold_count; i++)
            if (overhead_same_group(&report->cold[i], like) && report->cold[i].processes > most)
                most = report->cold[i].processes;
        text_printf(&words, "%zu fresh process%s a figure", most, most == 1 ? "" : "es");
        for (size_t i = 0; i < report->cold_count; i++) {
            const struct overhead_cold *few_of = &report->cold[i];
            if (!overhead_same_group(few_of, like) || 2 * few_of->processes >= most ||
                !is_told(run, few_of) || few == FEW_NAMED)
                continue;
            text_puts(&words, few++ ? ", " : ", fewer for ");
            overhead_put_called(run, few_of, &words);
            text_printf(&words, " (%zu)", few_of->processes);
        }
        text_puts(&words, few == FEW_NAMED ? " and others. " : ". ");
        if (runs && outliers) {
            text_puts(&words, "Far above the rest: ");
            overhead_put_share((double)outliers / (double)runs, &words);
            text_puts(&words, " of the calls; ");
            overhead_put_share(explained / (double)outliers, &words);
            text_puts(&words, " of these took an unusual page fault or context switch.");
        }
        section_put_words(text_string(&words), style, out);
    }
    return any;
}

void overhead_put_cold(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool any = false;
    for (size_t i = 0; i < report->cold_count; i++) {
        if ((run->studying.given->all || !overhead_is_half(report, report->cold[i].meter)) &&
            OVERHEAD_LEADS(report->cold, i))
            any |= cold_put_group(run, &report->cold[i], style, out);
    }
    if (any)
        section_put_words(run->studying.given->all
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

/* ----------------------------------------------------------------------------------------------
 * How cost grows with the number of events, and of reads in a row. */

static bool same_group(const struct overhead_slope *left, const struct overhead_slope *right)
{
    return left->by_reads == right->by_reads && overhead_same_group(left, right);
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

static bool is_bare(const struct overhead_run *run, const struct overhead_slope *slope)
{
    return slope->operation < run->file.operation_count &&
           overhead_same_word(run->file.operations[slope->operation].instrument, "perf");
}

/* Bare calls tell how events add up; libraries where there are no bare ones, and reads metered
 * together, with --all. */
static bool sweeps_is_shown(const struct overhead_run *run, const struct overhead_slope *slope)
{
    const struct overhead_report *report = &run->report;
    if (run->studying.given->all)
        return true;
    if (slope->by_reads || overhead_is_half(report, slope->meter))
        return false;
    for (size_t i = 0; i < report->slope_count && !is_bare(run, slope); i++)
        if (same_group(&report->slopes[i], slope) && is_bare(run, &report->slopes[i]))
            return false;
    return true;
}

static void sweeps_put_group(const struct overhead_run *run, size_t first,
                             const struct style *style, struct text *out)
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
    for (size_t i = first; i < report->slope_count; i++) {
        const struct overhead_slope *slope = &report->slopes[i];
        if (!same_group(slope, like) || !sweeps_is_shown(run, slope))
            continue;
        AUTO_TEXT struct text call = {0}, each = {0}, shape = {0};
        overhead_put_call(overhead_name(&run->file, slope->operation),
                          has_variants(&run->report, slope) ? slope->variant : NULL, &call);
        if (slope->first_apart)
            overhead_put_interval(slope->rest_slope, slope->rest_low, slope->rest_high,
                                  overhead_cost, &each);
        else
            overhead_put_interval(slope->slope, slope->low, slope->high, overhead_cost, &each);
        /* "straight", or the power of the count by which the cost grows; counts that never vary
         * show the smallest bend, which nobody needs to know. */
        if (slope->straight)
            text_puts(&shape, "straight");
        else if (slope->miss <= OVERHEAD_TOLD)
            text_puts(&shape, "nearly");
        else if (slope->first_apart)
            text_puts(&shape, "stepped");
        else if (!isfinite(slope->exponent))
            text_puts(&shape, "bent");
        else
            text_printf(&shape, "n^%.2f", slope->exponent);
        table_add(&table, TONE_PLAIN, text_string(&call));
        table_add(&table, TONE_PLAIN,
                  slope->by_reads   ? ""
                  : slope->separate ? "separate"
                                    : "group");
        overhead_add_cost(&table, TONE_PLAIN, slope->one);
        table_addf(&table, TONE_PLAIN, "%s at %" PRIu32, OVERHEAD_COST(slope->most),
                   slope->most_count);
        table_add(&table, slope->straight ? TONE_PLAIN : TONE_WARN, text_string(&shape));
        table_add(&table, TONE_STRONG, text_string(&each));
    }
    overhead_put_heading(run, like->by_reads ? "Reads in a row" : "More events", like->meter,
                         like->machine, style, out);
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
            bool leads = report->slopes[i].by_reads == (by_reads != 0) &&
                         sweeps_is_shown(run, &report->slopes[i]);
            for (size_t j = 0; j < i && leads; j++)
                leads = !sweeps_is_shown(run, &report->slopes[j]) ||
                        !same_group(&report->slopes[i], &report->slopes[j]);
            if (leads)
                sweeps_put_group(run, i, style, out);
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

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stood before a call and changed what it costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/overhead-show.h"
#include "judge/overhead/clock.h"

#define ROWS_SHOWN 4u

struct pair {
    const struct overhead_row *row, *usual;
    double ratio;
};

bool overhead_is_pair(const struct overhead_row *row, const struct overhead_row *usual)
{
    return !row->all_predecessors && row->predecessor >= 0 && row->runs &&
           row->temperature == usual->temperature && row->machine == usual->machine &&
           row->operation == usual->operation && row->events == usual->events &&
           row->separate == usual->separate && row->reads == usual->reads &&
           overhead_same_word(row->variant, usual->variant) &&
           overhead_same_word(row->link, usual->link) &&
           overhead_same_word(row->counted, usual->counted) &&
           overhead_is_like_meter(row->meter, usual->meter);
}

/* Smallest step of the meter: what is within it is no difference. */
static double step_of(const struct overhead_report *report, const struct overhead_row *row)
{
    for (size_t i = 0; i < report->timer_count; i++)
        if (report->timers[i].machine == row->machine &&
            overhead_is_like_meter(report->timers[i].meter, row->meter))
            return report->timers[i].resolution;
    return 0;
}

static bool matters(const struct overhead_report *report, const struct overhead_row *row,
                    const struct overhead_row *usual)
{
    double apart = fabs(row->median - usual->median);
    return usual->median > 0 && apart > OVERHEAD_TOLD * usual->median &&
           apart > step_of(report, row) && (row->low > usual->median || row->high < usual->median);
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
    struct pair *pairs = calloc(report->row_count, sizeof(*pairs));
    *count = *looked = 0;
    for (size_t i = 0; pairs && i < report->row_count; i++) {
        const struct overhead_row *usual = &report->rows[i];
        if (usual->machine != first->machine ||
            !overhead_is_like_meter(usual->meter, first->meter) || !overhead_is_usual(run, i) ||
            (!run->options->all && overhead_is_folded(run, i)))
            continue;
        for (size_t j = 0; j < report->row_count; j++) {
            const struct overhead_row *row = &report->rows[j];
            if (!overhead_is_pair(row, usual))
                continue;
            (*looked)++;
            if (*count < report->row_count && matters(report, row, usual))
                pairs[(*count)++] = (struct pair){row, usual, row->median / usual->median};
        }
    }
    if (pairs)
        qsort(pairs, *count, sizeof(*pairs), by_size);
    return pairs;
}

static void add_pair(struct table *table, const struct overhead_case *file, const struct pair *pair)
{
    AUTO_TEXT struct text call = {0};
    char median[NUMBER_SIZE], usual[NUMBER_SIZE];
    overhead_put_row_call(file, pair->row, &call);
    overhead_cost(pair->row->median, median, sizeof(median));
    overhead_cost(pair->usual->median, usual, sizeof(usual));
    table_add(table, TONE_PLAIN, text_string(&call));
    table_add(table, TONE_PLAIN, overhead_before(file, pair->row->predecessor));
    table_add(table, TONE_STRONG, median);
    table_add(table, TONE_PLAIN, usual);
    table_addf(table, TONE_PLAIN, "%.2f", pair->ratio);
}

static void put_pairs(const struct overhead_run *run, const struct pair *pairs, size_t count,
                      const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "straight after"},
        {.title = "costs", .right = true},
        {.title = "usually", .right = true},
        {.title = "times", .right = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    size_t shown = run->options->all || count < ROWS_SHOWN ? count : ROWS_SHOWN;
    for (size_t i = 0; i < shown; i++)
        add_pair(&table, &run->file, &pairs[i]);
    table_put(&table, style, out);
    table_free(&table);
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
    AUTO_FREE struct pair *pairs = find_pairs(run, first, &count, &looked);
    AUTO_TEXT struct text words = {0};
    out->failed |= !pairs;
    if (!pairs || !looked)
        return;
    text_printf(&words, "What the call before changes, in %s", overhead_unit(first->meter));
    overhead_put_machine(&run->file, first->machine, &words);
    section_put_heading(text_string(&words), style, out);
    text_clear(&words);
    if (!count) {
        text_printf(&words,
                    "Nothing: in none of %zu pairs does a call cost 5 %% more or less after one "
                    "call than after all of them.",
                    looked);
    } else {
        put_pairs(run, pairs, count, style, out);
        text_printf(&words,
                    "%zu of %zu pairs of calls cost more than 5 %% more or less than usual, the "
                    "median over all calls before",
                    count, looked);
        if (count > ROWS_SHOWN && !run->options->all)
            text_printf(&words, "; the %u largest are shown", ROWS_SHOWN);
        if (reads_after_stop(&run->file, pairs, count))
            text_puts(&words, ". After a stop, a read is one of a counter that does not run.");
    }
    section_put_words(text_string(&words), style, out);
}

/* Times; where there are none what the kernel executes, which varies. */
static bool is_shown(const struct overhead_run *run, const struct overhead_row *row)
{
    if (run->options->all || !overhead_counts_code(row->meter))
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
        if (overhead_leads(run, i) && is_shown(run, &report->rows[i]))
            put_group(run, &report->rows[i], style, out);
}

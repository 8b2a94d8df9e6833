/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What more counters add, and other ones; and the measured error held against the stepped one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/error-show.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define ROWS_SHOWN 8u /* of tables that --all has in full */

/* --- number of counters --- */

static bool is_flat(const struct error_by_counters *by)
{
    return by->slope == 0 || (by->low <= 0 && by->high >= 0);
}

/* "1: 37, 2: 41, 4: 49" */
static void put_points(const struct error_by_counters *by, struct text *out)
{
    for (size_t i = 0; i < by->points; i++) {
        char median[NUMBER_SIZE];
        number_brief(by->medians[i], median, sizeof(median));
        text_printf(out, "%s%" PRIu32 ":%s", i ? " " : "", by->counters[i], median);
    }
}

static void add_line(struct table *table, const struct error_by_counters *by)
{
    AUTO_TEXT struct text points = {0};
    char slope[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    put_points(by, &points);
    number_brief(by->slope, slope, sizeof(slope));
    number_brief(by->low, low, sizeof(low));
    number_brief(by->high, high, sizeof(high));
    table_addf(table, TONE_PLAIN, "  %s %s%s", by->path, pattern_names[by->pattern],
               by->separate ? ", separate" : "");
    table_add(table, is_flat(by) ? TONE_PLAIN : TONE_STRONG, slope);
    if (strcmp(low, high) == 0)
        table_add(table, TONE_DIM, "");
    else
        table_addf(table, TONE_DIM, "%s to %s", low, high);
    table_add(table, TONE_DIM, text_string(&points));
}

static bool same_event(const struct error_by_counters *left, const struct error_by_counters *right)
{
    return left->machine == right->machine && strcmp(left->event, right->event) == 0 &&
           left->stepped == right->stepped;
}

/* Of each event what grows most and what grows least, unless all are asked for. */
static bool is_extreme(const struct error_report *report, size_t index)
{
    const struct error_by_counters *list = report->by_counters, *by = &list[index];
    bool most = true, least = true;
    for (size_t i = 0; i < report->by_counters_count; i++) {
        if (i == index || !same_event(&list[i], by))
            continue;
        most &= list[i].slope < by->slope || (!(list[i].slope > by->slope) && i > index);
        least &= list[i].slope > by->slope || (!(list[i].slope < by->slope) && i > index);
    }
    return most || least;
}

static void put_choices(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    const struct error_choice *widest = NULL;
    for (size_t i = 0; i < report->choice_count; i++) {
        const struct error_choice *choice = &report->choices[i];
        bool has_plain = !isnan(choice->plain); /* a path may take no event twice */
        if (has_plain && (!widest || fabs(choice->median - choice->plain) >
                                         fabs(widest->median - widest->plain)))
            widest = choice;
        if (!erring->options->all)
            continue;
        AUTO_TEXT struct text words = {0};
        char median[NUMBER_SIZE], plain[NUMBER_SIZE];
        number_brief(choice->median, median, sizeof(median));
        number_brief(choice->plain, plain, sizeof(plain));
        text_put_clean(&words, choice->event);
        error_put_machine(&erring->file, choice->machine, &words);
        text_printf(&words, " %s, %s beside ", choice->path, pattern_descriptions[choice->pattern]);
        text_put_clean(&words, choice->others);
        text_printf(&words, ": %s", median);
        if (has_plain)
            text_printf(&words, ", beside itself %s", plain);
        section_put_words(text_string(&words), style, out);
    }
    if (!widest || erring->options->all)
        return;
    AUTO_TEXT struct text words = {0};
    char median[NUMBER_SIZE], plain[NUMBER_SIZE];
    number_brief(widest->median, median, sizeof(median));
    number_brief(widest->plain, plain, sizeof(plain));
    text_puts(&words, "Which events the others are changes most for ");
    text_put_clean(&words, widest->event);
    error_put_machine(&erring->file, widest->machine, &words);
    text_printf(&words, " through %s, %s: %s beside ", widest->path,
                pattern_descriptions[widest->pattern], median);
    text_put_clean(&words, widest->others);
    text_printf(&words, ", %s beside itself", plain);
    section_put_words(text_string(&words), style, out);
}

/* The lines of the event of the one at `first`, unless they were put before. */
static void put_event(const struct erring *erring, size_t first, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "  path"},
        {.title = "a counter", .right = true},
        {.title = "95 % interval"},
        {.title = "median by number", .wraps = true},
    };
    const struct error_report *report = &erring->report;
    const struct error_by_counters *list = report->by_counters;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < first; i++)
        if (same_event(&list[i], &list[first]))
            return;
    for (size_t i = first; i < report->by_counters_count; i++)
        if (same_event(&list[i], &list[first]))
            add_line(&table, &list[i]);
    error_put_event(list[first].event, list[first].stepped, out);
    error_put_machine(&erring->file, list[first].machine, out);
    text_putc(out, '\n');
    table_put(&table, style, out);
    table_free(&table);
}

/* One row: "msr/tsc/  perf-prctl ar  2,567  2,424 to 2,709". */
static void add_brief(struct table *table, const struct error_case *file,
                      const struct error_by_counters *by)
{
    AUTO_TEXT struct text event = {0};
    char slope[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    error_put_event(by->event, by->stepped, &event);
    error_put_machine(file, by->machine, &event);
    number_brief(by->slope, slope, sizeof(slope));
    number_brief(by->low, low, sizeof(low));
    number_brief(by->high, high, sizeof(high));
    table_add(table, TONE_PLAIN, text_string(&event));
    table_addf(table, TONE_PLAIN, "%s %s%s", by->path, pattern_names[by->pattern],
               by->separate ? ", separate" : "");
    table_add(table, is_flat(by) ? TONE_PLAIN : TONE_STRONG, slope);
    if (strcmp(low, high) == 0)
        table_add(table, TONE_DIM, "");
    else
        table_addf(table, TONE_DIM, "%s to %s", low, high);
}

/* Of each event what grows most and what grows least; how many were left out. */
static size_t put_briefly(const struct erring *erring, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},
        {.title = "path"},
        {.title = "a counter", .right = true},
        {.title = "95 % interval"},
    };
    const struct error_report *report = &erring->report;
    const struct error_by_counters *list = report->by_counters;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    size_t folded = 0;
    for (size_t i = 0; i < report->by_counters_count; i++)
        if (is_extreme(report, i))
            add_brief(&table, &erring->file, &list[i]);
        else
            folded++;
    table_put(&table, style, out);
    table_free(&table);
    return folded;
}

void error_put_counters(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    section_put_heading("What each further counter adds", style, out);
    if (!report->by_counters_count)
        error_put_nothing(erring, "nothing was measured with more than one counter",
                          "number of counters", style, out);
    for (size_t i = 0; i < report->by_counters_count && erring->options->all; i++)
        put_event(erring, i, style, out);
    if (report->by_counters_count && !erring->options->all && put_briefly(erring, style, out))
        section_put_words(
            "of each event what grows most and least; --all has every path, pattern and "
            "number",
            style, out);
    put_choices(erring, style, out);
}

/* --- measured against stepped --- */

static void put_deviant(const struct error_agreement *agreement, const struct style *style,
                        struct text *out)
{
    const struct error_cell *cell = agreement->row->cell;
    AUTO_TEXT struct text words = {0};
    char difference[NUMBER_SIZE], stepped[NUMBER_SIZE];
    number_signed(agreement->difference, difference, sizeof(difference));
    number_signed(agreement->row->stepped, stepped, sizeof(stepped));
    text_printf(&words, "%s, %s, -%s, %s, %" PRIu32 " counter%s: %s off in %zu of %zu runs",
                cell->path, pattern_descriptions[cell->pattern], cell->opt, cell->link,
                cell->counters, cell->counters == 1 ? "" : "s", difference, agreement->agreeing,
                agreement->runs);
    AUTO_TEXT struct text clean = {0};
    text_put_clean(&clean, text_string(&words));
    text_puts(out, "  ");
    wrap(out, text_string(&clean), 2, 4, style->width);
}

/* "instructions:u: 47 of 48 cells count what stepping counts +1: this CPU's own edge" */
static void put_agreement(const struct erring *erring, uint32_t machine, const struct style *style,
                          struct text *out)
{
    const struct error_stepped *stepped = &erring->report.stepped;
    size_t comparable = 0, equal = 0;
    int64_t edge = 0;
    for (size_t i = 0; i < stepped->comparable; i++) {
        const struct error_agreement *agreement = &stepped->list[i];
        if (agreement->row->cell->machine != machine)
            continue;
        comparable++;
        edge = agreement->edge;
        equal += agreement->difference == edge;
    }
    if (!comparable)
        return;
    AUTO_TEXT struct text words = {0};
    char number[NUMBER_SIZE];
    number_signed(edge, number, sizeof(number));
    text_puts(&words, "instructions:u");
    error_put_machine(&erring->file, machine, &words);
    text_printf(&words, ": %zu of %zu cells count what stepping counts", equal, comparable);
    if (edge < -ERROR_EDGE_MOST || edge > ERROR_EDGE_MOST)
        text_printf(&words,
                    " %s: more than the edge of a window makes. The counter adds to every window, "
                    "or what the operating system executes leaks into user mode; "
                    "`assay validate instructions:u` tells which",
                    number);
    else if (edge)
        text_printf(&words, " %s: this CPU's own edge of a window", number);
    section_put_words(text_string(&words), style, out);
}

void error_put_stepped(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_stepped *stepped = &erring->report.stepped;
    AUTO_TEXT struct text words = {0};
    if (error_is_uncounted(erring, !stepped->comparable))
        return;
    section_put_heading("Measured against stepped", style, out);
    if (!stepped->comparable) {
        const char *reason = error_no_counter_reason(&erring->file);
        text_puts(&words, "no cell was both measured and stepped");
        if (reason[0])
            text_printf(&words, ": no counter of the CPU can be opened here (%s)", reason);
        section_put_words(text_string(&words), style, out);
        return;
    }
    for (uint32_t machine = 0; machine == 0 || machine < erring->file.machine_count; machine++)
        put_agreement(erring, machine, style, out);
    size_t shown = 0;
    for (size_t i = 0; i < stepped->comparable; i++)
        if (stepped->list[i].difference != stepped->list[i].edge &&
            (shown++ < ROWS_SHOWN || erring->options->all))
            put_deviant(&stepped->list[i], style, out);
    if (shown > ROWS_SHOWN && !erring->options->all) {
        text_clear(&words);
        text_printf(&words, "and %zu more, which --all has", shown - ROWS_SHOWN);
        section_put_words(text_string(&words), style, out);
    }
}

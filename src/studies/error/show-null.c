/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The error of windows with nothing inside, for people: boxes, further counters, and which factors
 * matter. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/plot.h"
#include "output/table.h"
#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What more counters add, and other ones; and the measured error held against the stepped one. */

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

/* Whether the instruction at either end of a window counts is the CPU's own; more is no edge. */
#define ERROR_EDGE_MOST 2

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

/* ----------------------------------------------------------------------------------------------
 * Which factors matter: the analysis of variance of the event that matters most in full, of the
 * others by what matters. */

#define NO_RANGE 1e-9 /* below it a difference of means is what rounding left */

static void put_p(double p, char *text, size_t size)
{
    if (!isfinite(p))
        snprintf(text, size, "-");
    else if (p < 1e-15)
        snprintf(text, size, "<1e-15");
    else
        snprintf(text, size, p < 0.001 ? "%.0e" : "%.3f", p);
}

static void put_f(const struct error_effect *effect, char *text, size_t size)
{
    if (isinf(effect->f))
        snprintf(text, size, "infinite");
    else if (isnan(effect->f))
        snprintf(text, size, "-");
    else if (effect->f >= 1000)
        number_significant(effect->f, 3, text, size);
    else
        snprintf(text, size, "%.3g", effect->f);
}

static void put_share(double share, char *text, size_t size)
{
    if (!isfinite(share))
        snprintf(text, size, "-");
    else if (share > 0 && share < 0.001)
        snprintf(text, size, "<0.1 %%");
    else
        snprintf(text, size, "%.1f %%", 100 * share);
}

static void add_effect(struct table *table, const struct error_effect *effect)
{
    char f[NUMBER_SIZE], p[NUMBER_SIZE], share[NUMBER_SIZE], within[NUMBER_SIZE],
        range[NUMBER_SIZE] = "";
    put_f(effect, f, sizeof(f));
    put_p(effect->p, p, sizeof(p));
    put_share(effect->effect_size, share, sizeof(share));
    put_share(effect->share_within, within, sizeof(within));
    if (!(effect->factors & (effect->factors - 1)))
        number_brief(fabs(effect->range) < NO_RANGE ? 0 : effect->range, range, sizeof(range));
    table_add(table, TONE_PLAIN, effect->name);
    table_addf(table, TONE_PLAIN, "%zu", effect->df);
    table_add(table, TONE_PLAIN, f);
    table_add(table, TONE_PLAIN, p);
    table_add(table, TONE_PLAIN, share);
    table_add(table, effect->matters ? TONE_STRONG : TONE_PLAIN, within);
    table_add(table, TONE_PLAIN, range);
    table_add(table, effect->matters ? TONE_STRONG : TONE_DIM, effect->matters ? "yes" : "no");
}

static void put_head(const struct error_anova *anova, struct text *out)
{
    char count[NUMBER_SIZE], cells[NUMBER_SIZE];
    number_count(anova->count, count, sizeof(count));
    number_count(anova->cells, cells, sizeof(cells));
    error_put_event(anova->event, anova->stepped, out);
    text_printf(out, ": %s processes in %s cells", count, cells);
    if (isfinite(anova->r_squared))
        text_printf(out, ", %.1f %% of the variance explained", 100 * anova->r_squared);
}

static void put_table(const struct error_report *report, const struct error_anova *anova, bool all,
                      const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "factor"},
        {.title = "df", .right = true},
        {.title = "F", .right = true},
        {.title = "p", .right = true},
        {.title = "of variance", .right = true},
        {.title = "within paths", .right = true},
        {.title = "range", .right = true},
        {.title = "matters"},
    };
    AUTO_TEXT struct text words = {0};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    put_head(anova, &words);
    section_put_words(text_string(&words), style, out);
    for (size_t i = 0; i < anova->effects; i++)
        add_effect(&table, &report->effects[anova->first + i]);
    table_put(&table, style, out);
    table_free(&table);
    if (all && anova->note[0])
        section_put_words(anova->note, style, out);
    else if (!all && anova->no_variance)
        section_put_words("processes of a cell never differ, so F is infinite: the share decides",
                          style, out);
}

bool error_is_untested(const struct error_anova *anova)
{
    return !anova->residual_df && !anova->no_variance;
}

static void put_untested(const struct error_report *report, size_t shown, const struct style *style,
                         struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < report->anova_count; i++) {
        if (i == shown || !error_is_untested(&report->anovas[i]))
            continue;
        text_puts(&words,
                  words.length ? ", " : "not judged, for want of cells with several processes: ");
        error_put_event(report->anovas[i].event, report->anovas[i].stepped, &words);
    }
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

/* Was everything that could be compared found not to matter? */
static bool is_idle(const struct error_report *report, const struct error_anova *anova)
{
    for (size_t i = 0; i < anova->effects; i++)
        if (report->effects[anova->first + i].matters)
            return false;
    return anova->effects != 0;
}

static void put_idle(const struct error_report *report, size_t shown, const struct style *style,
                     struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        if (i == shown || error_is_untested(anova) || !is_idle(report, anova))
            continue;
        text_puts(&words, words.length ? ", " : "");
        error_put_event(anova->event, anova->stepped, &words);
    }
    if (!words.length)
        return;
    text_puts(&words, ": nothing matters");
    section_put_words(text_string(&words), style, out);
}

/* "msr/tsc/: path 61 %, pattern 22 %; not opt, link" */
static void put_brief(const struct error_report *report, const struct error_anova *anova,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text rest = {0};
    error_put_event(anova->event, anova->stepped, &words);
    text_puts(&words, ": ");
    size_t head = words.length;
    for (size_t i = 0; i < anova->effects; i++) {
        const struct error_effect *effect = &report->effects[anova->first + i];
        char share[NUMBER_SIZE];
        put_share(effect->share_within, share, sizeof(share));
        if (effect->matters)
            text_printf(&words, "%s%s %s", words.length > head ? ", " : "", effect->name, share);
        else
            text_printf(&rest, "%s%s", rest.length ? ", " : "", effect->name);
    }
    if (words.length == head)
        text_puts(&words, "nothing could be compared");
    else if (rest.length)
        text_printf(&words, "; not %s", text_string(&rest));
    if (!anova->effects && anova->note[0])
        text_printf(&words, ": %s", anova->note);
    section_put_words(text_string(&words), style, out);
}

/* Stepped windows first, as they are exact; else the first that has effects. */
static size_t main_of(const struct error_report *report)
{
    for (size_t i = 0; i < report->anova_count; i++)
        if (report->anovas[i].stepped && report->anovas[i].effects)
            return i;
    for (size_t i = 0; i < report->anova_count; i++)
        if (report->anovas[i].effects)
            return i;
    return 0;
}

void error_put_factors(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    size_t shown = main_of(report);
    section_put_heading("Which factors matter", style, out);
    if (!report->anova_count) {
        section_put_words("nothing to compare: too few cells of the null specimen were measured",
                          style, out);
        return;
    }
    for (size_t i = 0; i < report->anova_count; i++)
        if (erring->options->all || i == shown)
            put_table(report, &report->anovas[i], erring->options->all, style, out);
    for (size_t i = 0; i < report->anova_count; i++)
        if (!erring->options->all && i != shown && !error_is_untested(&report->anovas[i]) &&
            !is_idle(report, &report->anovas[i]))
            put_brief(report, &report->anovas[i], style, out);
    if (!erring->options->all) {
        put_idle(report, shown, style, out);
        put_untested(report, shown, style, out);
    }
    section_put_words(
        "matters: p < 0.001 and at least 1 % of the variance, of factors other than path "
        "and machine within each path; range: between the means of its levels",
        style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The null error as box plots, a box for each path and pattern, and what the first run of a
 * process adds to it. */

#define BOXES_MOST  96u
#define LABEL_SIZE  64u
#define EVENTS_MOST 8u

/* --- which events --- */

/* Instructions with and without the kernel's; where there is no counter the stepped windows, and
 * what passes for time. */
static bool is_main(const struct error_cell *cell, bool has_counter)
{
    if (cell->part == PART_STEPPED)
        return !has_counter && cell->base && strcmp(cell->base, "instructions") == 0 &&
               cell->event && !strstr(cell->event, "raw");
    if (cell->part != PART_NULL)
        return false;
    return has_counter
               ? cell->base && strcmp(cell->base, "instructions") == 0 && cell->mode != COUNT_KERNEL
               : strcmp(error_unit(cell->event, cell->base), "ticks") == 0;
}

static bool is_pooled(const struct error_cell *cell)
{
    return cell->runs && cell->counters == 1 &&
           (cell->part == PART_NULL || cell->part == PART_STEPPED);
}

/* Names of the events to be shown, in the order of the cells. */
static size_t choose_events(const struct erring *erring, const char **events)
{
    const struct error_case *file = &erring->file;
    bool has_counter = error_has_cpu_counter(file);
    size_t count = 0;
    for (size_t i = 0; i < file->cell_count && count < EVENTS_MOST; i++) {
        const struct error_cell *cell = &file->cells[i];
        bool known = !is_pooled(cell) || !(erring->options->all || is_main(cell, has_counter));
        for (size_t j = 0; j < count && !known; j++)
            known = strcmp(events[j], cell->event) == 0;
        if (!known)
            events[count++] = cell->event;
    }
    return count;
}

/* --- the values of a box --- */

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

struct pool {
    int64_t *values;
    size_t count, capacity;
};

/* All runs but the first of each process, or all where there is one. */
static bool pool_add(struct pool *pool, const struct error_cell *cell)
{
    if (pool->count + cell->runs > pool->capacity) {
        size_t capacity = 2 * (pool->count + cell->runs);
        int64_t *grown = realloc(pool->values, capacity * sizeof(*grown));
        if (!grown)
            return false;
        pool->values = grown;
        pool->capacity = capacity;
    }
    for (size_t process = 0; process < cell->processes; process++) {
        size_t begin = cell->begins[process], end = cell->begins[process + 1];
        for (size_t run = end - begin > 1 ? begin + 1 : begin; run < end; run++)
            pool->values[pool->count++] = error_of(cell, run);
    }
    return true;
}

/* A value that was really read, as those of error_quantile. */
static double pool_quantile(const struct pool *pool, double share)
{
    return (double)pool->values[(size_t)(share * (double)(pool->count - 1) + 0.5)];
}

/* --- the boxes of one event --- */

struct boxing {
    const struct erring *erring;
    struct box boxes[BOXES_MOST];
    char labels[BOXES_MOST][LABEL_SIZE];
    size_t count;
    bool marked, failed;
};

static bool same_box(const struct error_cell *left, const struct error_cell *right)
{
    return strcmp(left->event, right->event) == 0 && strcmp(left->path, right->path) == 0 &&
           left->pattern == right->pattern;
}

/* Adds a value as often as the cell has runs in a box. */
static bool pool_repeat(struct pool *pool, const struct error_cell *cell, int64_t value)
{
    size_t first = pool->count;
    if (!pool_add(pool, cell))
        return false;
    for (size_t i = first; i < pool->count; i++)
        pool->values[i] = value;
    return true;
}

/* Median of what was stepped, each cell weighing as much as in the box; NaN: nothing was. */
static double stepped_of(const struct error_report *report, const struct error_cell *like)
{
    struct pool pool = {0};
    double median = NAN;
    bool complete = true;
    for (size_t i = 0; complete && i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        if (is_pooled(row->cell) && row->cell->part == PART_NULL && same_box(row->cell, like))
            complete = row->has_stepped && pool_repeat(&pool, row->cell, row->stepped);
    }
    if (complete && pool.count) {
        qsort(pool.values, pool.count, sizeof(*pool.values), compare);
        median = pool_quantile(&pool, 0.5);
    }
    free(pool.values);
    return median;
}

static void add_box(struct boxing *boxing, const struct error_cell *like)
{
    const struct error_case *file = &boxing->erring->file;
    struct pool pool = {0};
    if (boxing->count == BOXES_MOST)
        return;
    for (size_t i = 0; i < file->cell_count && !boxing->failed; i++)
        if (is_pooled(&file->cells[i]) && same_box(&file->cells[i], like))
            boxing->failed = !pool_add(&pool, &file->cells[i]);
    if (!boxing->failed && pool.count) {
        struct box *box = &boxing->boxes[boxing->count];
        char *label = boxing->labels[boxing->count++];
        qsort(pool.values, pool.count, sizeof(*pool.values), compare);
        snprintf(label, LABEL_SIZE, "%.50s %s", like->path, pattern_names[like->pattern]);
        *box = (struct box){.label = label,
                            .min = (double)pool.values[0],
                            .q1 = pool_quantile(&pool, 0.25),
                            .median = pool_quantile(&pool, 0.5),
                            .q3 = pool_quantile(&pool, 0.75),
                            .max = (double)pool.values[pool.count - 1],
                            .mark = stepped_of(&boxing->erring->report, like)};
        boxing->marked |= isfinite(box->mark);
    }
    free(pool.values);
}

static bool looks_alike(const struct box *left, const struct box *right)
{
    bool marked = isfinite(left->mark), like = isfinite(right->mark);
    return left->min == right->min && left->q1 == right->q1 && left->median == right->median &&
           left->q3 == right->q3 && left->max == right->max && marked == like &&
           (!marked || left->mark == right->mark);
}

/* Patterns of a path that look alike share a line: "perf-syscall ar ao rr ro". */
static void fold(struct boxing *boxing, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < boxing->count; i++) {
        size_t like = first;
        while (like < kept && !looks_alike(&boxing->boxes[like], &boxing->boxes[i]))
            like++;
        if (like < kept) {
            size_t length = strlen(boxing->labels[like]);
            const char *pattern = strrchr(boxing->labels[i], ' ');
            snprintf(boxing->labels[like] + length, LABEL_SIZE - length, "%s", pattern);
            continue;
        }
        boxing->boxes[kept] = boxing->boxes[i];
        boxing->boxes[kept].label = boxing->labels[kept];
        if (kept != i)
            memcpy(boxing->labels[kept], boxing->labels[i], LABEL_SIZE);
        kept++;
    }
    boxing->count = kept;
}

/* Is the pattern the best of its path for this event? */
static bool is_best(const struct error_report *report, const struct error_cell *like)
{
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (best->pattern == like->pattern && strcmp(best->event, like->event) == 0 &&
            strcmp(best->path, like->path) == 0)
            return true;
    }
    return false;
}

/* A box for each path and pattern of the event, or for the best pattern of each path; paths in the
 * order of the cells, patterns in theirs. */
static void add_boxes(struct boxing *boxing, const char *event, bool best_only)
{
    const struct error_case *file = &boxing->erring->file;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        bool first = is_pooled(cell) && strcmp(cell->event, event) == 0;
        for (size_t j = 0; j < i && first; j++)
            first = !is_pooled(&file->cells[j]) || strcmp(file->cells[j].event, event) != 0 ||
                    strcmp(file->cells[j].path, cell->path) != 0;
        size_t begin = boxing->count;
        for (int pattern = 0; first && pattern < PATTERN_COUNT; pattern++) {
            struct error_cell like = {
                .event = cell->event, .path = cell->path, .pattern = (enum pattern)pattern};
            if (!best_only || is_best(&boxing->erring->report, &like))
                add_box(boxing, &like);
        }
        if (!boxing->erring->options->all)
            fold(boxing, begin);
    }
}

/* --- what the first run adds --- */

/* What the first run adds in cells of one link mode: least and most. */
struct first_runs {
    bool any;
    int64_t least, most;         /* median of first runs less that of the others */
    const struct error_cell *at; /* where it is most */
};

static struct first_runs first_runs_of(const struct error_report *report, const char *event,
                                       const char *link)
{
    struct first_runs first = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        const struct error_cell *cell = row->cell;
        if (!is_pooled(cell) || cell->runs <= cell->processes || strcmp(cell->event, event) != 0 ||
            strcmp(cell->link, link) != 0)
            continue;
        int64_t added = row->first.median - row->later.median;
        if (!first.any || added > first.most) {
            first.most = added;
            first.at = cell;
        }
        first.least = !first.any || added < first.least ? added : first.least;
        first.any = true;
    }
    return first;
}

/* Is this the first row of the event with its link mode? */
static bool leads(const struct error_report *report, const char *event, size_t index)
{
    const struct error_cell *cell = report->rows[index].cell;
    bool first = is_pooled(cell) && strcmp(cell->event, event) == 0;
    for (size_t i = 0; i < index && first; i++) {
        const struct error_cell *other = report->rows[i].cell;
        first = !is_pooled(other) || strcmp(other->event, event) != 0 ||
                strcmp(other->link, cell->link) != 0;
    }
    return first;
}

/* "static 0, lazy 0 to +603 (perf-read ro)" */
static void put_first(const struct erring *erring, const char *event, struct text *out)
{
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text said = {0};
    bool differs = false;
    for (size_t i = 0; i < report->row_count; i++) {
        if (!leads(report, event, i))
            continue;
        const char *link = report->rows[i].cell->link;
        struct first_runs first = first_runs_of(report, event, link);
        if (!first.any)
            continue;
        char least[NUMBER_SIZE], most[NUMBER_SIZE];
        number_signed(first.least, least, sizeof(least));
        number_signed(first.most, most, sizeof(most));
        text_printf(&said, "%s%s %s", said.length ? ", " : "", link, least);
        if (first.least != first.most)
            text_printf(&said, " to %s (%s, %s)", most, first.at->path,
                        pattern_descriptions[first.at->pattern]);
        differs |= first.least || first.most;
    }
    if (differs)
        text_printf(out, "The first run of a process adds besides, by link mode: %s. ",
                    text_string(&said));
}

static void boxes_put_event(const struct erring *erring, const char *event, bool best_only,
                            const struct style *style, struct text *out)
{
    AUTO_FREE struct boxing *boxing = calloc(1, sizeof(*boxing));
    AUTO_TEXT struct text heading = {0};
    AUTO_TEXT struct text words = {0};
    if (!boxing) {
        out->failed = true;
        return;
    }
    bool stepped = strncmp(event, "step/", 5) == 0;
    boxing->erring = erring;
    add_boxes(boxing, event, best_only);
    out->failed |= boxing->failed;
    text_puts(&heading, "Null error of ");
    error_put_event(event, stepped, &heading);
    text_puts(&heading, stepped ? " (exact)" : "");
    text_puts(&heading, best_only ? ", best pattern of each path" : "");
    section_put_heading(text_string(&heading), style, out);
    boxes_put(boxing->boxes, boxing->count, error_unit(event, NULL), style, out);
    if (!best_only)
        put_first(erring, event, &words);
    if (boxing->marked)
        text_puts(&words, "The sign apart is the exact count, by stepping. ");
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

void error_put_boxes(const struct erring *erring, const struct style *style, struct text *out)
{
    const char *events[EVENTS_MOST];
    size_t count = choose_events(erring, events);
    /* One event shows how patterns differ; of the others the paths do. */
    for (size_t i = 0; i < count; i++)
        boxes_put_event(erring, events[i], i > 0 && !erring->options->all, style, out);
    if (count)
        section_put_words(
            "boxes: the middle half of all runs but each process's first, over -O levels and link "
            "modes, one counter; whiskers: the rest",
            style, out);
}

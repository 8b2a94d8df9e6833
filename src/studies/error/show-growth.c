/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What makes the error grow, for people: duration, the place of the code, more counters than the
 * CPU has. */
#include <math.h>
#include <stdio.h>

#include "output/table.h"
#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * The same loop at many places: a column of text for each offset in a line, as high as an
 * iteration is slow, and the places further up in the page in words. */

#define LINE_BYTES 64u
#define LEVELS     8u

static const char *const unicode_levels[LEVELS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                                   "\u2585", "\u2586", "\u2587", "\u2588"};
static const char *const ascii_levels[LEVELS] = {"1", "2", "3", "4", "5", "6", "7", "8"};

/* Which of the levels from `least` to `most` the value is at. */
static size_t level_of(double value, double least, double most)
{
    double share = most > least ? (value - least) / (most - least) : 0;
    long level = lrint(share * (LEVELS - 1));
    return level < 0 ? 0 : level >= (long)LEVELS ? LEVELS - 1 : (size_t)level;
}

/* A factor below which a place changes nothing that a reader would call a change. */
static bool is_flat(const struct error_placement *placement)
{
    return !(placement->factor >= 1.02);
}

/* False: there is too little to draw. */
static bool put_line(const struct error_report *report, const struct error_placement *placement,
                     struct text *out)
{
    const char *const *levels = utf8_is_expected() ? unicode_levels : ascii_levels;
    size_t at = 0, count = 0;
    for (size_t i = 0; i < placement->places; i++)
        count += report->places[placement->first + i].offset < (int64_t)LINE_BYTES;
    if (count < 2)
        return false;
    text_puts(out, "  0 ");
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &report->places[placement->first + i];
        if (place->offset < (int64_t)at || place->offset >= (int64_t)LINE_BYTES)
            continue;
        for (; at < (size_t)place->offset; at++)
            text_putc(out, '.');
        text_puts(out, levels[level_of(place->per_iteration, placement->least, placement->most)]);
        at++;
    }
    for (; at < LINE_BYTES; at++)
        text_putc(out, '.');
    text_puts(out, " 63\n");
    return true;
}

/* "further in the page, 22 places: 0.766 to 1.16, slowest at 4,080" */
static void put_pages_briefly(const struct error_report *report,
                              const struct error_placement *placement, const struct style *style,
                              struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const struct error_place *fastest = NULL, *slowest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &report->places[placement->first + i];
        if (place->offset < (int64_t)LINE_BYTES)
            continue;
        count++;
        fastest = !fastest || place->per_iteration < fastest->per_iteration ? place : fastest;
        slowest = !slowest || place->per_iteration > slowest->per_iteration ? place : slowest;
    }
    if (!count)
        return;
    char least[NUMBER_SIZE], most[NUMBER_SIZE], where[NUMBER_SIZE];
    number_brief(fastest->per_iteration, least, sizeof(least));
    number_brief(slowest->per_iteration, most, sizeof(most));
    number_count((uint64_t)slowest->offset, where, sizeof(where));
    text_printf(&words, "further in the page, %zu place%s: %s to %s, slowest at offset %s", count,
                count == 1 ? "" : "s", least, most, where);
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

/* "128: 1.02, 4,032: 2.04": beyond the first line. */
static void put_pages(const struct error_report *report, const struct error_placement *placement,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &report->places[placement->first + i];
        if (place->offset < (int64_t)LINE_BYTES)
            continue;
        char value[NUMBER_SIZE], offset[NUMBER_SIZE];
        number_brief(place->per_iteration, value, sizeof(value));
        number_count((uint64_t)place->offset, offset, sizeof(offset));
        text_printf(&words, "%s%s: %s", words.length ? ", " : "further in the page ", offset,
                    value);
    }
    if (words.length) {
        text_puts(out, "  ");
        wrap(out, text_string(&words), 2, 4, style->width);
    }
}

static void put_windows(const struct error_placement *placement, struct text *words)
{
    text_printf(words,
                "the loop as compiled into the windows: factor %.2f; the pattern explains %.0f %% "
                "of it, -O %.0f %%, both together %.0f %% more",
                placement->window_factor, 100 * placement->by_pattern, 100 * placement->by_opt,
                100 * placement->by_both);
}

/* Was anything drawn? */
static bool put_placement(const struct erring *erring, const struct error_placement *placement,
                          const struct style *style, struct text *out)
{
    bool drawn = false;
    AUTO_TEXT struct text words = {0};
    char least[NUMBER_SIZE], most[NUMBER_SIZE];
    number_brief(placement->least, least, sizeof(least));
    number_brief(placement->most, most, sizeof(most));
    text_put_clean(&words, placement->event);
    error_put_machine(&erring->file, placement->machine, &words);
    if (placement->places) {
        text_printf(&words, ": %s to %s %s an iteration, factor %.2f", least, most,
                    error_unit(placement->event, NULL), placement->factor);
        if (isfinite(placement->factor_low) && isfinite(placement->factor_high))
            text_printf(&words, " (%.2f to %.2f)", placement->factor_low, placement->factor_high);
        if (isfinite(placement->by_place))
            text_printf(&words, "; the place explains %.0f %% of the variance",
                        100 * placement->by_place);
    } else if (placement->has_windows && !erring->options->all) {
        text_puts(&words, ", ");
        put_windows(placement, &words);
    } else {
        text_puts(&words, ": not measured at chosen places");
    }
    section_put_words(text_string(&words), style, out);
    if (!is_flat(placement) || erring->options->all) {
        drawn = put_line(&erring->report, placement, out);
        if (erring->options->all)
            put_pages(&erring->report, placement, style, out);
        else
            put_pages_briefly(&erring->report, placement, style, out);
    }
    if (placement->has_windows && (placement->places || erring->options->all)) {
        text_clear(&words);
        put_windows(placement, &words);
        text_puts(out, "  ");
        wrap(out, text_string(&words), 2, 4, style->width);
    }
    return drawn;
}

void error_put_placement(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    bool drawn = false;
    section_put_heading("The same loop at other places", style, out);
    for (size_t i = 0; i < report->placement_count; i++)
        drawn |= put_placement(erring, &report->placements[i], style, out);
    if (!report->placement_count)
        error_put_nothing(erring, "nothing was measured at several places", "placement", style,
                          out);
    if (drawn)
        section_put_words("each column an offset in a line of 64 bytes, the higher the slower; a "
                          "point: not measured",
                          style, out);
}

/* ----------------------------------------------------------------------------------------------
 * More events than counters, against the truth; and whole commands under other tools beside the
 * paths. */

static void add_multiplex(struct table *table, const struct error_multiplex *multiplex)
{
    table_addf(table, TONE_PLAIN, "  %s", multiplex->specimen);
    table_addf(table, TONE_PLAIN, "%.0f %%", 100 * multiplex->share);
    table_addf(table, TONE_STRONG, "%+.2f %%", multiplex->median);
    table_addf(table, TONE_PLAIN, "%+.2f to %+.2f %%", multiplex->low, multiplex->high);
    if (isfinite(multiplex->single))
        table_addf(table, TONE_PLAIN, "%+.2f %%", multiplex->single);
    else
        table_add(table, TONE_PLAIN, "");
    if (isfinite(multiplex->per_rotation))
        table_addf(table, TONE_PLAIN, "%.2g", multiplex->per_rotation);
    else
        table_add(table, TONE_PLAIN, "");
}

static bool same_way(const struct error_multiplex *left, const struct error_multiplex *right)
{
    return strcmp(left->event, right->event) == 0 && strcmp(left->path, right->path) == 0 &&
           left->counters == right->counters;
}

/* All codes measured the way of the one at `first`, unless they were told before. */
static void put_way(const struct error_report *report, size_t first, const struct style *style,
                    struct text *out)
{
    static const struct column columns[] = {
        {.title = "  code"},
        {.title = "counted", .right = true},
        {.title = "error", .right = true},
        {.title = "smallest to largest"},
        {.title = "alone", .right = true},
        {.title = "phases", .right = true},
    };
    const struct error_multiplex *like = &report->multiplex[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < first; i++)
        if (same_way(&report->multiplex[i], like))
            return;
    text_put_clean(&words, like->event);
    text_printf(&words, " through %s, %u of them at once", like->path, like->counters);
    section_put_words(text_string(&words), style, out);
    for (size_t i = first; i < report->multiplex_count; i++)
        if (same_way(&report->multiplex[i], like))
            add_multiplex(&table, &report->multiplex[i]);
    table_put(&table, style, out);
    table_free(&table);
}

static void put_reason(const struct erring *erring, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const char *reason = error_no_counter_reason(&erring->file);
    bool has = error_has_cpu_counter(&erring->file);
    text_puts(&words, "not measured");
    if (!has)
        text_puts(&words, ": no counter of the CPU can be opened here");
    if (!has && reason[0])
        text_printf(&words, " (%s)", reason);
    section_put_words(text_string(&words), style, out);
}

void error_put_multiplex(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    if (error_is_uncounted(erring, !report->multiplex_count))
        return;
    section_put_heading("More events than counters", style, out);
    for (size_t i = 0; i < report->multiplex_count; i++)
        put_way(report, i, style, out);
    if (report->multiplex_count)
        section_put_words("counted: share of the time that the counter ran, from which the rest is "
                          "extrapolated; alone: the error with one counter; phases: changes of the "
                          "code's work in one turn of the counters",
                          style, out);
    else
        put_reason(erring, style, out);
}

/* --- whole commands --- */

/* What the best path adds to the same event; "" where none was measured. */
static void put_window(const struct error_report *report, const struct error_cell *cell, char *text,
                       size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < report->best_count; i++)
        if (report->best[i].overall && report->best[i].machine == cell->machine &&
            strcmp(report->best[i].event, cell->event) == 0)
            number_brief(report->best[i].median, text, size);
}

static void add_tool(struct table *table, const struct error_report *report,
                     const struct error_row *row)
{
    char window[NUMBER_SIZE];
    put_window(report, row->cell, window, sizeof(window));
    char median[NUMBER_SIZE], min[NUMBER_SIZE], max[NUMBER_SIZE], n[NUMBER_SIZE];
    number_brief((double)row->error.median, median, sizeof(median));
    number_brief((double)row->error.min, min, sizeof(min));
    number_brief((double)row->error.max, max, sizeof(max));
    number_count(row->cell->n, n, sizeof(n));
    table_add(table, TONE_PLAIN, row->cell->event);
    table_addf(table, TONE_PLAIN, "%s%s%s", row->cell->specimen, row->cell->n ? " " : "",
               row->cell->n ? n : "");
    table_add(table, TONE_PLAIN, median);
    table_add(table, TONE_PLAIN, min);
    table_add(table, TONE_PLAIN, max);
    table_add(table, TONE_PLAIN, window);
}

/* Why no tool was measured: the absence that names it. */
static const char *tool_reason(const struct erring *erring)
{
    for (size_t i = 0; i < erring->file.absence_count; i++)
        if (strstr(erring->file.absences[i].what, "perf-stat"))
            return erring->file.absences[i].reason;
    for (size_t i = 0; i < erring->skips.count; i++)
        if (strstr(erring->skips.list[i].what, "perf-stat"))
            return erring->skips.list[i].reason;
    for (size_t i = 0; i < erring->file.cell_count; i++)
        if (erring->file.cells[i].part == PART_TOOL && erring->file.cells[i].reason)
            return erring->file.cells[i].reason;
    return "no tool that counts whole commands, as `perf stat` does, was part of this run";
}

void error_put_tools(const struct erring *erring, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},
        {.title = "code"},
        {.title = "median", .right = true},
        {.title = "min", .right = true},
        {.title = "max", .right = true},
        {.title = "window", .right = true},
    };
    const struct error_report *report = &erring->report;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    section_put_heading("Whole commands under perf stat", style, out);
    /* A count of code that no truth can be taken off says nothing of the tool. */
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].cell->part == PART_TOOL &&
            (erring->options->all || report->rows[i].cell->has_truth))
            add_tool(&table, report, &report->rows[i]);
    if (table.count) {
        table_put(&table, style, out);
        section_put_words(erring->options->all
                              ? "beyond what the code itself counts, where that is known (not for "
                                "times of a loop); window: what the best path adds"
                              : "beyond what the code itself counts; window: what the best path "
                                "adds",
                          style, out);
    } else {
        AUTO_TEXT struct text words = {0};
        const char *reason = tool_reason(erring);
        text_puts(&words, "not measured: ");
        text_put_clean(&words, reason);
        section_put_words(text_string(&words), style, out);
    }
    table_free(&table);
}

/* ----------------------------------------------------------------------------------------------
 * How the error grows while the measured code runs, and what interrupts explain of it. */

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

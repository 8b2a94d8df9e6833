/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What makes the error grow, for people: duration, the place of the code, more counters than the
 * CPU has. */
#include <math.h>
#include <stdio.h>

#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * The same loop at many places: a column of text for each offset in a line, as high as an
 * iteration is slow, and the places further up in the page in words. */

#define LINE_BYTES 64u
#define LEVELS     8u

static const char *const unicode_levels[LEVELS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                                   "\u2585", "\u2586", "\u2587", "\u2588"};
static const char *const ascii_levels[LEVELS] = {"1", "2", "3", "4", "5", "6", "7", "8"};

/* False: there is too little to draw. */
static bool put_line(const struct error_placement *placement, struct text *out)
{
    const char *const *levels = utf8_is_expected() ? unicode_levels : ascii_levels;
    const double least = placement->least, most = placement->most;
    size_t at = 0, count = 0;
    for (size_t i = 0; i < placement->places; i++)
        count += placement->list[i].offset < (int64_t)LINE_BYTES;
    if (count < 2)
        return false;
    text_puts(out, "  0 ");
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &placement->list[i];
        if (place->offset < (int64_t)at || place->offset >= (int64_t)LINE_BYTES)
            continue;
        for (; at < (size_t)place->offset; at++)
            text_putc(out, '.');
        double share = most > least ? (place->per_iteration - least) / (most - least) : 0;
        long level = lrint(share * (LEVELS - 1));
        text_puts(out, levels[level < 0 ? 0 : level >= (long)LEVELS ? LEVELS - 1 : (size_t)level]);
        at++;
    }
    for (; at < LINE_BYTES; at++)
        text_putc(out, '.');
    text_puts(out, " 63\n");
    return true;
}

static void put_further(const char *words, const struct style *style, struct text *out)
{
    text_puts(out, "  ");
    wrap(out, words, 2, 4, style->width);
}

/* Beyond the first line: "further in the page 128: 1.02, 4,032: 2.04"; or in brief "further in the
 * page, 22 places: 0.766 to 1.16, slowest at 4,080". */
static void put_pages(const struct error_placement *placement, bool all, const struct style *style,
                      struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const struct error_place *fastest = NULL, *slowest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *place = &placement->list[i];
        if (place->offset < (int64_t)LINE_BYTES)
            continue;
        if (all)
            text_printf(&words, "%s%s: %s", count ? ", " : "further in the page ",
                        WHOLE((uint64_t)place->offset), BRIEF(place->per_iteration));
        count++;
        fastest = !fastest || place->per_iteration < fastest->per_iteration ? place : fastest;
        slowest = !slowest || place->per_iteration > slowest->per_iteration ? place : slowest;
    }
    if (!count)
        return;
    if (!all)
        text_printf(&words, "further in the page, %zu place%s: %s to %s, slowest at offset %s",
                    count, count == 1 ? "" : "s", BRIEF(fastest->per_iteration),
                    BRIEF(slowest->per_iteration), WHOLE((uint64_t)slowest->offset));
    put_further(text_string(&words), style, out);
}

/* Was anything drawn? */
static bool put_placement(const struct error_run *run, const struct error_placement *placement,
                          const struct style *style, struct text *out)
{
    bool drawn = false, all = run->studying.options->all;
    AUTO_TEXT struct text words = {0}, windows = {0};
    text_printf(&windows,
                "the loop as compiled into the windows: factor %.2f; the pattern explains %.0f %% "
                "of it, -O %.0f %%, both together %.0f %% more",
                placement->windows.factor, 100 * placement->windows.by_pattern,
                100 * placement->windows.by_opt, 100 * placement->windows.by_both);
    text_printf(&words, "%s%s", placement->event, error_on(&run->file, placement->machine));
    if (placement->places) {
        text_printf(&words, ": %s to %s %s an iteration, factor %.2f", BRIEF(placement->least),
                    BRIEF(placement->most), error_unit(placement->event, NULL), placement->factor);
        if (isfinite(placement->factor_low) && isfinite(placement->factor_high))
            text_printf(&words, " (%.2f to %.2f)", placement->factor_low, placement->factor_high);
        if (isfinite(placement->by_place))
            text_printf(&words, "; the place explains %.0f %% of the variance",
                        100 * placement->by_place);
    } else if (placement->has_windows && !all) {
        text_printf(&words, ", %s", text_string(&windows));
    } else {
        text_puts(&words, ": not measured at chosen places");
    }
    section_put_words(text_string(&words), style, out);
    /* Below this factor a place changes nothing that a reader would call a change. */
    if (placement->factor >= 1.02 || all) {
        drawn = put_line(placement, out);
        put_pages(placement, all, style, out);
    }
    if (placement->has_windows && (placement->places || all))
        put_further(text_string(&windows), style, out);
    return drawn;
}

void error_put_placement(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    bool drawn = false;
    section_put_heading("The same loop at other places", style, out);
    for (size_t i = 0; i < report->placement_count; i++)
        drawn |= put_placement(run, &report->placements[i], style, out);
    if (!report->placement_count)
        error_put_nothing(run, "nothing was measured at several places", "placement", style, out);
    if (drawn)
        section_put_words("each column an offset in a line of 64 bytes, the higher the slower; a "
                          "point: not measured",
                          style, out);
}

/* ----------------------------------------------------------------------------------------------
 * More events than counters, against the truth; and whole commands under other tools beside the
 * paths. */

void error_put_uncounted(const struct error_run *run, const char *words, const struct style *style,
                         struct text *out)
{
    const char *reason = error_no_counter_reason(&run->file);
    error_put_words(style, out, "%s: no counter of the CPU can be opened here%s%s%s", words,
                    reason[0] ? " (" : "", reason, reason[0] ? ")" : "");
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
    static const struct column columns[] = {{WORDS("  code")}, {NUMBER("counted")},
                                            {NUMBER("error")}, {WORDS("smallest to largest")},
                                            {NUMBER("alone")}, {NUMBER("phases")}};
    const struct error_multiplex *like = &report->multiplex[first];
    struct table table = {TABLE_OF(columns)};
    for (size_t i = 0; i < first; i++)
        if (same_way(&report->multiplex[i], like))
            return;
    error_put_words(style, out, "%s through %s, %u of them at once", like->event, like->path,
                    like->counters);
    for (size_t i = first; i < report->multiplex_count; i++) {
        const struct error_multiplex *one = &report->multiplex[i];
        if (!same_way(one, like))
            continue;
        table_addf(&table, TONE_PLAIN, "  %s", one->specimen);
        table_addf(&table, TONE_PLAIN, "%.0f %%", 100 * one->share);
        table_addf(&table, TONE_STRONG, "%+.2f %%", one->median);
        table_addf(&table, TONE_PLAIN, "%+.2f to %+.2f %%", one->low, one->high);
        if (isfinite(one->single))
            table_addf(&table, TONE_PLAIN, "%+.2f %%", one->single);
        else
            table_add(&table, TONE_PLAIN, "");
        if (isfinite(one->per_rotation))
            table_addf(&table, TONE_PLAIN, "%.2g", one->per_rotation);
        else
            table_add(&table, TONE_PLAIN, "");
    }
    table_put(&table, style, out);
    table_free(&table);
}

void error_put_multiplex(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    if (error_is_uncounted(run, !report->multiplex_count))
        return;
    section_put_heading("More events than counters", style, out);
    for (size_t i = 0; i < report->multiplex_count; i++)
        put_way(report, i, style, out);
    if (report->multiplex_count)
        section_put_words("counted: share of the time that the counter ran, from which the rest is "
                          "extrapolated; alone: the error with one counter; phases: changes of the "
                          "code's work in one turn of the counters",
                          style, out);
    else if (error_has_cpu_counter(&run->file))
        section_put_words("not measured", style, out);
    else
        error_put_uncounted(run, "not measured", style, out);
}

/* --- whole commands --- */

/* Why no tool was measured: the absence that names it. */
static const char *tool_reason(const struct error_run *run)
{
    for (size_t i = 0; i < run->file.absence_count; i++)
        if (strstr(run->file.absences[i].what, "perf-stat"))
            return run->file.absences[i].reason;
    for (size_t i = 0; i < run->studying.skips.count; i++)
        if (strstr(run->studying.skips.list[i].what, "perf-stat"))
            return run->studying.skips.list[i].reason;
    for (size_t i = 0; i < run->file.cell_count; i++)
        if (run->file.cells[i].part == PART_TOOL && run->file.cells[i].reason)
            return run->file.cells[i].reason;
    return "no tool that counts whole commands, as `perf stat` does, was part of this run";
}

void error_put_tools(const struct error_run *run, const struct style *style, struct text *out)
{
    static const struct column columns[] = {{WORDS("event")}, {WORDS("code")}, {NUMBER("median")},
                                            {NUMBER("min")},  {NUMBER("max")}, {NUMBER("window")}};
    const struct error_report *report = &run->report;
    struct table table = {TABLE_OF(columns)};
    section_put_heading("Whole commands under perf stat", style, out);
    /* A count of code that no truth can be taken off says nothing of the tool. */
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        const struct error_cell *cell = row->cell;
        if (cell->part != PART_TOOL || !(run->studying.options->all || cell->has_truth))
            continue;
        double window = error_best_window(report, cell);
        table_add(&table, TONE_PLAIN, cell->event);
        table_addf(&table, TONE_PLAIN, "%s%s%s", cell->specimen, cell->n ? " " : "",
                   cell->n ? WHOLE(cell->n) : "");
        ADD_TEXTS(&table, TONE_PLAIN, BRIEF((double)row->error.median),
                  BRIEF((double)row->error.min), BRIEF((double)row->error.max),
                  isnan(window) ? "" : BRIEF(window));
    }
    if (table.count) {
        table_put(&table, style, out);
        section_put_words(run->studying.options->all
                              ? "beyond what the code itself counts, where that is known (not for "
                                "times of a loop); window: what the best path adds"
                              : "beyond what the code itself counts; window: what the best path "
                                "adds",
                          style, out);
    } else {
        error_put_words(style, out, "not measured: %s", tool_reason(run));
    }
    table_free(&table);
}

/* ----------------------------------------------------------------------------------------------
 * How the error grows while the measured code runs, and what interrupts explain of it. */

/* 0.0014, 4e-07, 0 */
static const char *slope_told(double value, char text[NUMBER_SIZE])
{
    if (!isfinite(value))
        return "-";
    snprintf(text, NUMBER_SIZE, "%.2g", value == 0 ? 0 : value);
    return text;
}
#define SLOPE(value) slope_told(value, (char[NUMBER_SIZE]){""})

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

static void put_event(const struct error_run *run, const struct error_slope *like,
                      const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    static const struct column columns[] = {{WORDS("  path")},        {NUMBER("an iteration")},
                                            {WORDS("95 % interval")}, {NUMBER("detectable")},
                                            {NUMBER("up to N")},      {NUMBER("runs")}};
    struct table table = {TABLE_OF(columns)};
    text_printf(out, "%s%s\n", error_clean(like->event), error_on(&run->file, like->machine));
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        bool grows = slope->low > 0 || slope->high < 0;
        if (!same_event(slope, like))
            continue;
        table_addf(&table, TONE_PLAIN, "  %s %s", slope->path, pattern_names[slope->pattern]);
        table_add(&table, grows ? TONE_STRONG : TONE_PLAIN, SLOPE(slope->slope));
        if (slope->exact)
            table_add(&table, TONE_DIM, "no run deviates");
        else if (!isfinite(slope->low) || !isfinite(slope->high))
            table_add(&table, TONE_DIM, "nothing repeats");
        else
            table_addf(&table, TONE_DIM, "%s to %s", SLOPE(slope->low), SLOPE(slope->high));
        table_add(&table, TONE_DIM, slope->exact ? "" : SLOPE(slope->detectable));
        ADD_TEXTS(&table, TONE_PLAIN, WHOLE(slope->longest), WHOLE(slope->runs));
    }
    table_put(&table, style, out);
    table_free(&table);
}

/* "instructions:uk: 0.0033 (0.0032 to 0.0035) through perf-read ao, up to N = 1,000,000, 1,078
 * runs; detectable 0.00018": a table of one row is no table. */
static void put_only(const struct error_run *run, const struct error_slope *slope,
                     const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%s%s: %.2g", slope->event, error_on(&run->file, slope->machine),
                slope->slope);
    if (isfinite(slope->low) && isfinite(slope->high) && !slope->exact)
        text_printf(&words, " (%.2g to %.2g)", slope->low, slope->high);
    text_printf(&words, " through %s, %s, up to N = %s, %s runs", slope->path,
                pattern_descriptions[slope->pattern], WHOLE(slope->longest), WHOLE(slope->runs));
    if (!isfinite(slope->low) || !isfinite(slope->high))
        text_puts(&words, "; nothing repeats, so there is no interval");
    else if (!slope->exact && isfinite(slope->detectable))
        text_printf(&words, "; detectable %.2g", slope->detectable);
    section_put_words(text_string(&words), style, out);
}

static void put_slopes(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    const bool all = run->studying.options->all;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = !same_event(&report->slopes[j], slope);
        if (!first)
            continue;
        size_t ways = 0, runs = 0;
        uint64_t longest = 0;
        for (size_t j = i; j < report->slope_count; j++) {
            const struct error_slope *other = &report->slopes[j];
            if (!same_event(other, slope))
                continue;
            ways++;
            runs += other->runs;
            longest = other->longest > longest ? other->longest : longest;
        }
        if (error_is_constant(report, slope, same_event) && !all)
            error_put_words(style, out,
                            "%s%s: nothing, up to N = %s; none of %s runs over %zu path%s deviates",
                            slope->event, error_on(&run->file, slope->machine), WHOLE(longest),
                            WHOLE(runs), ways, ways == 1 ? "" : "s");
        else if (ways == 1 && !all)
            put_only(run, slope, style, out);
        else
            put_event(run, slope, style, out);
    }
}

/* --- counts of the kernel alone, by the size of the loop --- */

static void put_sizes(const struct error_report *report, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {WORDS("in the kernel")}, {WORDS("path")},  {NUMBER("N")},   {NUMBER("runs")},
        {NUMBER("median")},       {NUMBER("mean")}, {NUMBER("max")}, {NUMBER("interrupts")}};
    struct table table = {TABLE_OF(columns)};
    for (size_t i = 0; i < report->by_size_count; i++) {
        const struct error_by_size *size = &report->by_size[i];
        char interrupts[NUMBER_SIZE] = "";
        if (isfinite(size->interrupts))
            snprintf(interrupts, sizeof(interrupts), "%.3g", size->interrupts);
        ADD_TEXTS(&table, TONE_PLAIN, size->event, size->path, WHOLE(size->n), WHOLE(size->runs),
                  BRIEF((double)size->spread.median), BRIEF(size->mean),
                  BRIEF((double)size->spread.max), interrupts);
    }
    if (table.count) {
        text_putc(out, '\n');
        table_put(&table, style, out);
    }
    table_free(&table);
}

/* --- ticks --- */

static void put_ticks(const struct error_ticks *ticks, const struct style *style, struct text *out)
{
    const bool unlike = ticks->why.count != 0;
    /* Counting interrupts along makes each dearer, so this slope is not the one above. */
    if (ticks->known)
        error_put_words(
            style, out,
            "An interrupt costs %s instructions (%s to %s), and %.3g of them come in an "
            "iteration: together %.2g (%.2g to %.2g) an iteration, where user+kernel "
            "counts%s grow by %.2g (%.2g to %.2g): %s%s%s%s",
            BRIEF(rint(ticks->each)), BRIEF(rint(ticks->each_low)), BRIEF(rint(ticks->each_high)),
            ticks->rate, ticks->predicted, ticks->predicted_low, ticks->predicted_high,
            unlike ? "" : " with interrupts counted along", ticks->measured, ticks->measured_low,
            ticks->measured_high, ticks->agrees ? "they explain it" : "they do not explain it",
            unlike ? " (" : "", reasons_text(&ticks->why), unlike ? ")" : "");
    else
        error_put_words(style, out, "what interrupts explain of it is not known: %s",
                        reasons_text(&ticks->why));
}

void error_put_duration(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    static const char none[] = "no loop was measured with an event whose count is known";
    section_put_heading("What each iteration of a loop adds", style, out);
    put_slopes(run, style, out);
    if (!report->slope_count && error_no_counter_reason(&run->file)[0])
        error_put_uncounted(run, none, style, out);
    else if (!report->slope_count)
        section_put_words(none, style, out);
    put_sizes(report, style, out);
    if (!error_is_uncounted(run, !report->ticks.known))
        put_ticks(&report->ticks, style, out);
}

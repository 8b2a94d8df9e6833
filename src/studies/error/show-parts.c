/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Part by part, for people: the error of windows with nothing inside, by factors and by
 * further counters; and what makes it grow: duration, the place of the code, too many events. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What more counters add, and other ones; and the measured error held against the stepped one. */

/* A sentence for an empty part, with the reason for which the plan left out `what`. */
static void put_nothing(const struct error_run *run, const char *words, const char *what,
                        const struct style *style, struct text *out)
{
    const char *reason = "";
    for (size_t i = run->studying.skips.count; i-- > 0;)
        if (!run->studying.skips.list[i].for_programs &&
            strncmp(run->studying.skips.list[i].what, what, strlen(what)) == 0)
            reason = run->studying.skips.list[i].reason;
    error_put_words(style, out, "%s%s%s", words, reason[0] ? ": " : "", reason);
}

/* Is a part that is empty so for want of a counter? One line then says it of all such parts. */
static bool is_uncounted(const struct error_run *run, bool empty)
{
    return empty && !error_has_cpu_counter(&run->file);
}

#define ROWS_SHOWN 8u /* of tables that --all has in full */

/* --- number of counters --- */

static bool same_event(const struct error_by_counters *left, const struct error_by_counters *right)
{
    return left->machine == right->machine && strcmp(left->event, right->event) == 0 &&
           left->stepped == right->stepped;
}

/* Of each event what grows most and what grows least. */
static bool is_extreme(const struct error_report *report, const void *row)
{
    const struct error_by_counters *list = report->by_counters, *by = row;
    const size_t index = (size_t)(by - list);
    bool most = true, least = true;
    for (size_t i = 0; i < report->by_counters_count; i++) {
        if (i == index || !same_event(&list[i], by))
            continue;
        most &= list[i].slope < by->slope || (!(list[i].slope > by->slope) && i > index);
        least &= list[i].slope > by->slope || (!(list[i].slope < by->slope) && i > index);
    }
    return most || least;
}

static void put_choices(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    const struct error_choice *widest = NULL;
    for (size_t i = 0; i < report->choice_count; i++) {
        const struct error_choice *choice = &report->choices[i];
        if (!isnan(choice->plain) && /* a path may take no event twice */
            (!widest ||
             fabs(choice->median - choice->plain) > fabs(widest->median - widest->plain)))
            widest = choice;
    }
    if (widest)
        error_put_words(style, out,
                        "Which events the others are changes most for %s%s through %s, %s: %s "
                        "beside %s, %s beside itself",
                        widest->event, error_on(&run->file, widest->machine), widest->path,
                        pattern_descriptions[widest->pattern], BRIEF(widest->median),
                        widest->others, BRIEF(widest->plain));
}

void error_put_counters(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    section_put_heading("What each further counter adds", style, out);
    if (!report->by_counters_count)
        put_nothing(run, "nothing was measured with more than one counter", "number of counters",
                    style, out);
    else {
        error_put_rows(run, fields_find(&error_analysis, "counters"), run, is_extreme, style, out);
        section_put_words("of each event what grows most and least; --all has every path and "
                          "pattern",
                          style, out);
    }
    put_choices(run, style, out);
}

/* --- measured against stepped --- */

/* The first of those that count something else. */
static bool is_deviant(const struct error_report *report, const void *row)
{
    const struct error_agreement *one = report->stepped.list, *agreement = row;
    size_t before = 0;
    if (agreement->difference == agreement->edge)
        return false;
    for (; one < agreement; one++)
        before += one->difference != one->edge;
    return before < ROWS_SHOWN;
}

/* Whether the instruction at either end of a window counts is the CPU's own; more is no edge. */
#define ERROR_EDGE_MOST 2

/* "instructions:u: 47 of 48 cells count what stepping counts +1: this CPU's own edge" */
static void put_agreement(const struct error_run *run, uint32_t machine, const struct style *style,
                          struct text *out)
{
    const struct error_stepped *stepped = &run->report.stepped;
    size_t comparable = 0, equal = 0;
    int64_t edge = 0;
    for (size_t i = 0; i < stepped->comparable; i++) {
        const struct error_agreement *agreement = &stepped->list[i];
        if (agreement->machine != machine)
            continue;
        comparable++;
        edge = agreement->edge;
        equal += agreement->difference == edge;
    }
    if (!comparable)
        return;
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "instructions:u%s: %zu of %zu cells count what stepping counts",
                error_on(&run->file, machine), equal, comparable);
    if (edge < -ERROR_EDGE_MOST || edge > ERROR_EDGE_MOST)
        text_printf(&words,
                    " %s: more than the edge of a window makes. The counter adds to every window, "
                    "or what the operating system executes leaks into user mode; "
                    "`assay validate instructions:u` tells which",
                    SIGNED(edge));
    else if (edge)
        text_printf(&words, " %s: this CPU's own edge of a window", SIGNED(edge));
    section_put_words(text_string(&words), style, out);
}

void error_put_stepped(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_stepped *stepped = &run->report.stepped;
    if (is_uncounted(run, !stepped->comparable))
        return;
    section_put_heading("Measured against stepped", style, out);
    if (!stepped->comparable)
        section_put_words("no cell was both measured and stepped", style, out);
    for (uint32_t machine = 0; machine == 0 || machine < run->file.machine_count; machine++)
        put_agreement(run, machine, style, out);
    error_put_rows(run, fields_find(fields_find(&error_analysis, "stepped")->at.of, "cells"),
                   stepped, is_deviant, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * Which factors matter, and the events of which none does. */

bool error_is_untested(const struct error_anova *anova)
{
    return !anova->residual_df && !anova->no_variance;
}

/* Was everything that could be compared found not to matter? */
static bool is_idle(const struct error_anova *anova)
{
    for (size_t i = 0; i < anova->effect_count; i++)
        if (anova->effects[i].matters)
            return false;
    return anova->effect_count != 0;
}

/* The events that could not be tested, or those of which nothing matters. */
static void put_alike(const struct error_report *report, bool untested, const struct style *style,
                      struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < report->anova_count; i++) {
        const struct error_anova *anova = &report->anovas[i];
        if (error_is_untested(anova) == untested && (untested || is_idle(anova)))
            text_printf(&words, "%s%s", words.length ? ", " : "",
                        error_event_told(anova->event, anova->stepped));
    }
    if (words.length)
        error_put_words(style, out, "%s%s%s",
                        untested ? "not judged, for want of cells with several processes: " : "",
                        text_string(&words), untested ? "" : ": nothing matters");
}

static const void *mattering(const void *item, const void *context, size_t index)
{
    const struct error_report *report = &((const struct error_run *)item)->report;
    (void)context;
    for (size_t i = 0; i < report->effect_count; i++)
        if (report->effects[i].matters && index-- == 0)
            return &report->effects[i];
    return NULL;
}

void error_put_factors(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct field effects = {
        .key = "anova", .at = LIST_BY(mattering, fields_find(&error_analysis, "anova")->at.of)};
    section_put_heading("Which factors matter", style, out);
    if (!run->report.anova_count) {
        section_put_words("nothing to compare: too few cells of the null specimen were measured",
                          style, out);
        return;
    }
    if (mattering(run, run, 0))
        fields_put_table(&effects, run, run, style, out);
    put_alike(&run->report, false, style, out);
    put_alike(&run->report, true, style, out);
    section_put_words(
        "matters: p < 0.001 and a share of the variance of at least 1 %, of factors other than "
        "path and machine within each path; --all has the others",
        style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The null error of one event, by path and pattern; a page draws those of all. */

/* Patterns of a path that look alike share a row. */
struct null_row {
    const char *path, *patterns;
    struct error_spread spread;
};
struct null_rows {
    struct null_row *list;
    size_t count;
};
static const struct field null_fields[] = {
    {"path", AT(struct null_row, path)},      {"pattern", AT(struct null_row, patterns)},
    {"min", AT(struct null_row, spread.min)}, {"median", AT(struct null_row, spread.median)},
    {"max", AT(struct null_row, spread.max)},
};
static const struct fields null_table = FIELDS("error.null", NULL, null_fields);
static const struct field null_list = {"null", LIST(struct null_rows, list, count, &null_table)};

/* Instructions in user mode, or with the kernel's; where there is no counter the stepped windows,
 * or what passes for time. */
static bool is_main(const struct error_cell *cell, bool counted, bool stepped)
{
    if ((cell->part == PART_STEPPED) != stepped)
        return false;
    const bool instructions = cell->base && strcmp(cell->base, "instructions") == 0;
    if (stepped)
        return !counted && instructions && !strstr(cell->event, "raw");
    return counted ? instructions && cell->mode != COUNT_KERNEL
                   : strcmp(error_unit(cell->event, cell->base), "ticks") == 0;
}

static void add_null_row(struct null_rows *rows, const struct error_cell *cell,
                         struct error_spread spread)
{
    const char *pattern = pattern_names[cell->pattern];
    for (size_t i = 0; i < rows->count; i++) {
        struct null_row *row = &rows->list[i];
        if (strcmp(row->path, cell->path) == 0 && row->spread.min == spread.min &&
            row->spread.median == spread.median && row->spread.max == spread.max) {
            row->patterns = memory_format("%s %s", row->patterns, pattern);
            return;
        }
    }
    *memory_add(rows->list, rows->count) = (struct null_row){cell->path, pattern, spread};
}

/* Of the ways begin … end - 1, which share event and machine. */
static void put_null_event(const struct error_run *run, const struct error_ways *ways, size_t begin,
                           size_t end, const struct style *style, struct text *out)
{
    const struct error_cell *cell = ways->list[begin].cell;
    const bool stepped = cell->part == PART_STEPPED;
    AUTO_ERROR_POOL struct error_pool pool = {0};
    struct null_rows rows = {0};
    section_put_heading(
        memory_format("Null error of %s%s%s", error_event_told(cell->event, stepped),
                      stepped ? " (exact)" : "", error_on(&run->file, cell->machine)),
        style, out);
    for (size_t next; begin < end; begin = next) {
        next = error_ways_end(ways, begin, WAY_PATTERN);
        for (size_t i = begin; i < next; i++)
            if (error_counts_alone(ways->list[i].cell))
                error_pool_add(&pool, ways->list[i].cell);
        const size_t count = error_pool_sort(&pool);
        if (count)
            add_null_row(&rows, ways->list[begin].cell, error_spread_of(pool.errors, count));
    }
    fields_put_table(&null_list, &rows, run, style, out);
    section_put_words("all runs but each process's first, over -O levels and link modes, one "
                      "counter",
                      style, out);
}

void error_put_null(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_ways ways = error_ways_of(&run->file);
    const bool counted = error_has_cpu_counter(&run->file);
    for (int stepped = 1; stepped >= 0; stepped--)
        for (size_t begin = 0, end; begin < ways.count; begin = end) {
            end = error_ways_end(&ways, begin, WAY_MACHINE);
            if (is_main(ways.list[begin].cell, counted, stepped)) {
                put_null_event(run, &ways, begin, end, style, out);
                return;
            }
        }
}

/* ----------------------------------------------------------------------------------------------
 * The same loop at many places. */

static void put_placement(const struct error_run *run, const struct error_placement *placement,
                          const struct style *style, struct text *out)
{
    const struct error_place *slowest = placement->list;
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%s%s", placement->event, error_on(&run->file, placement->machine));
    for (size_t i = 1; i < placement->places; i++)
        if (placement->list[i].per_iteration > slowest->per_iteration)
            slowest = &placement->list[i];
    if (placement->places) {
        text_printf(&words, ": %s to %s %s an iteration over %zu places, factor %.2f",
                    BRIEF(placement->least), BRIEF(placement->most),
                    error_unit(placement->event, NULL), placement->places, placement->factor);
        if (isfinite(placement->factor_low) && isfinite(placement->factor_high))
            text_printf(&words, " (%.2f to %.2f)", placement->factor_low, placement->factor_high);
        if (isfinite(placement->by_place))
            text_printf(&words, "; the place explains %.0f %% of the variance",
                        100 * placement->by_place);
        /* Below this factor a place changes nothing that a reader would call a change. */
        if (placement->factor >= 1.02)
            text_printf(&words, "; slowest %s bytes into a page", WHOLE((uint64_t)slowest->offset));
    } else {
        text_puts(&words, ": not measured at chosen places");
    }
    if (placement->has_windows)
        text_printf(&words,
                    "; the loop as compiled into the windows: factor %.2f; the pattern explains "
                    "%.0f %% of it, -O %.0f %%, both together %.0f %% more",
                    placement->windows.factor, 100 * placement->windows.by_pattern,
                    100 * placement->windows.by_opt, 100 * placement->windows.by_both);
    section_put_words(text_string(&words), style, out);
}

void error_put_placement(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    section_put_heading("The same loop at other places", style, out);
    for (size_t i = 0; i < report->placement_count; i++)
        put_placement(run, &report->placements[i], style, out);
    if (!report->placement_count)
        put_nothing(run, "nothing was measured at several places", "placement", style, out);
}

/* ----------------------------------------------------------------------------------------------
 * More events than counters, against the truth; and whole commands under other tools beside the
 * paths. */

void error_put_multiplex(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    if (is_uncounted(run, !report->multiplex_count))
        return;
    section_put_heading("More events than counters", style, out);
    if (report->multiplex_count) {
        error_put_rows(run, fields_find(&error_analysis, "multiplexing"), run, NULL, style, out);
        section_put_words("share: of the time, in which the counter ran, from which the rest is "
                          "extrapolated; from, to: the runs",
                          style, out);
    } else {
        section_put_words("not measured", style, out);
    }
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
        if (cell->part != PART_TOOL || !cell->has_truth)
            continue;
        double window = error_best_window(report, cell);
        table_add(&table, TONE_PLAIN, cell->event);
        table_addf(&table, TONE_PLAIN, "%s%s%s", cell->specimen, cell->n ? " " : "",
                   cell->n ? WHOLE(cell->n) : "");
        const double values[] = {(double)row->error.median, (double)row->error.min,
                                 (double)row->error.max, window};
        for (size_t j = 0; j < 4; j++)
            table_add(&table, TONE_PLAIN, isnan(values[j]) ? "" : BRIEF(values[j]));
    }
    if (table.count) {
        table_put(&table, style, out);
        section_put_words("beyond what the code itself counts; window: what the best path adds",
                          style, out);
    } else {
        error_put_words(style, out, "not measured: %s", tool_reason(run));
    }
    table_free(&table);
}

/* ----------------------------------------------------------------------------------------------
 * How the error grows while the measured code runs, and what interrupts explain of it. */

static bool same_slope(const struct error_slope *left, const struct error_slope *right)
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

/* "instructions:uk: 0.0033 (0.0032 to 0.0035) through perf-read ao, up to N = 1,000,000, 1,078
 * runs; detectable 0.00018" */
static void put_slope(const struct error_run *run, const struct error_slope *slope,
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

/* Why there is nothing at all. */
static void put_no_slope(const struct error_run *run, const struct style *style, struct text *out)
{
    const char *reason = "";
    for (size_t i = run->file.absence_count; i-- > 0;)
        if (strncmp(run->file.absences[i].what, "instructions", strlen("instructions")) == 0)
            reason = run->file.absences[i].reason;
    error_put_words(style, out, "no loop was measured with an event whose count is known%s%s%s",
                    reason[0] ? ": no counter of the CPU can be opened here (" : "", reason,
                    reason[0] ? ")" : "");
}

static void put_slopes(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct error_slope *slope = &report->slopes[i];
        bool first = true;
        if (!error_is_constant(report, slope, same_slope)) {
            put_slope(run, slope, style, out);
            continue;
        }
        for (size_t j = 0; j < i && first; j++)
            first = !same_slope(&report->slopes[j], slope);
        size_t ways = 0, runs = 0;
        uint64_t longest = 0;
        for (size_t j = i; j < report->slope_count && first; j++) {
            const struct error_slope *other = &report->slopes[j];
            if (!same_slope(other, slope))
                continue;
            ways++;
            runs += other->runs;
            longest = other->longest > longest ? other->longest : longest;
        }
        if (first)
            error_put_words(style, out,
                            "%s%s: nothing, up to N = %s; none of %s runs over %zu path%s deviates",
                            slope->event, error_on(&run->file, slope->machine), WHOLE(longest),
                            WHOLE(runs), ways, ways == 1 ? "" : "s");
    }
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
    section_put_heading("What each iteration of a loop adds", style, out);
    put_slopes(run, style, out);
    if (!report->slope_count)
        put_no_slope(run, style, out);
    if (report->by_size_count) {
        text_puts(out, "\nin the kernel\n");
        error_put_rows(run, fields_find(&error_analysis, "by_size"), run, NULL, style, out);
    }
    if (!is_uncounted(run, !report->ticks.known))
        put_ticks(&report->ticks, style, out);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` found, as field tables (output/field.h): a row a cell, and what the rows say
 * together. */
#include <math.h>

#include "output/field.h"
#include "studies/error/parts.h"

static const struct error_run *run_of(const void *kept)
{
    return kept;
}

/* ----------------------------------------------------------------------------------------------
 * What several tables say alike. */

/* Items begin with the index of their machine, which is told where there are several. */
static struct value machine_of(const void *item, const void *context)
{
    const struct error_case *file = &run_of(context)->file;
    const uint32_t machine = *(const uint32_t *)item;
    return file->machine_count > 1 && machine < file->machine_count
               ? value_text(file->machines[machine].fingerprint)
               : value_left_out();
}
#define MACHINE                                                                                    \
    {                                                                                              \
        "machine", GET(FIELD_TEXT, machine_of),                                                    \
            "fingerprint of the machine, where several are judged together", .optional = true      \
    }
#define EVENT(type)                                                                                \
    {                                                                                              \
        "event", AT(type, event), "the event, or the source that steps", .column = true            \
    }
#define MODE(type)                                                                                 \
    {                                                                                              \
        "mode", AT(type, mode), "mode in which it counts", NAMED(count_mode_names)                 \
    }
#define PATH(type)                                                                                 \
    {                                                                                              \
        "path", AT(type, path), "path by which it was counted", .column = true                     \
    }
#define PATTERN(type)                                                                              \
    {                                                                                              \
        "pattern", AT(type, pattern), "calls at either end of the window", NAMED(pattern_names),   \
            .column = true                                                                         \
    }
#define STEPPED(type)                                                                              \
    {                                                                                              \
        "stepped", AT(type, stepped), "executed step by step instead of counted"                   \
    }
#define UNTOLD .absent = "it cannot be stated from what was measured"
#define COLUMN .column = true

/* Rows show one of their three alone as columns. */
#define SPREAD(shown)                                                                              \
    {"min", AT(struct error_spread, min), "the least"},                                            \
        {"q1", AT(struct error_spread, q1), "lower quartile"},                                     \
        {"median", AT(struct error_spread, median), "a value that was read", .column = (shown)},   \
        {"q3", AT(struct error_spread, q3), "upper quartile"},                                     \
    {                                                                                              \
        "max", AT(struct error_spread, max), "the largest", .column = (shown)                      \
    }
static const struct field shown_fields[] = {SPREAD(true)}, spread_fields[] = {SPREAD(false)};
static const struct fields shown_table = FIELDS("error.shown", "how errors lie", shown_fields),
                           spread_table = FIELDS("error.spread", "how errors lie", spread_fields);

/* ----------------------------------------------------------------------------------------------
 * Rows. */

static struct value cell_others(const void *item, const void *context)
{
    const struct error_cell *cell = item;
    (void)context;
    return value_text(cell->others && *cell->others ? cell->others : NULL);
}

static struct value cell_failed(const void *item, const void *context)
{
    const struct error_cell *cell = item;
    (void)context;
    return cell->failed ? value_count(cell->failed) : value_left_out();
}

/* What tells a window from others. */
static const struct field window_fields[] = {
    EVENT(struct error_cell),
    MODE(struct error_cell),
    PATH(struct error_cell),
    PATTERN(struct error_cell),
    {"counters", AT(struct error_cell, counters), "counters in use, this one included", COLUMN},
    {"opt", AT(struct error_cell, opt), "-O level of the window", COLUMN},
    {"link", AT(struct error_cell, link), "how the program is linked", COLUMN},
};
static const struct fields window_table = FIELDS("error.window", "a way to measure", window_fields);

static const struct field cell_fields[] = {
    {.at = SPLICED(&window_table)},
    {"part", AT(struct error_cell, part), "the part of the study it belongs to",
     NAMED(error_part_names)},
    {"others", GET(FIELD_TEXT, cell_others),
     "events of the further counters, with commas; null: the same event again", .nullable = true},
    {"separate", AT(struct error_cell, separate),
     "counters were opened one by one, not as a group"},
    {"specimen", AT(struct error_cell, specimen), "the code in the window, with its parameters"},
    {"n", AT(struct error_cell, n), "its size"},
    MACHINE,
    {"runs", AT(struct error_cell, runs), "runs that got a counter", COLUMN},
    {"processes", AT(struct error_cell, processes), "processes they are of"},
    {"disturbed", AT(struct error_cell, disturbed),
     "runs in which the operating system did more than the code asks for"},
    {"multiplexed", AT(struct error_cell, multiplexed), "runs extrapolated from part of the time"},
    {"unscheduled", AT(struct error_cell, unscheduled),
     "runs that got no counter; not in the rest"},
    {"truth", AT(struct error_cell, truth), "the count predicted",
     .known = KNOWN(struct error_cell, has_truth),
     .absent = "nothing predicts this count: the figures are the counts"},
    {"failed", GET(FIELD_COUNT, cell_failed), "processes that could not measure it",
     .optional = true},
    {"failed_reason", AT(struct error_cell, reason), "why", .optional = true, .nullable = true},
};
static const struct fields cell_table = FIELDS("error.cell", "what was measured", cell_fields);

static const void *row_cell(const void *item, const void *context)
{
    (void)context;
    return ((const struct error_row *)item)->cell;
}

/* A stepped cell says it of itself. */
static struct value stepped_of(const struct error_row *row, int64_t own, int64_t other)
{
    const struct error_cell *cell = row->cell;
    const bool can_be =
        cell->mode == COUNT_USER && cell->base && !strcmp(cell->base, "instructions");
    if (cell->part == PART_STEPPED)
        return value_integer(own);
    return row->has_stepped ? value_integer(other)
           : can_be         ? value_absent("this window was not stepped")
                            : value_absent(NULL);
}

static struct value row_stepped(const void *item, const void *context)
{
    const struct error_row *row = item;
    (void)context;
    return stepped_of(row, row->later.median, row->stepped);
}

static struct value row_stepped_first(const void *item, const void *context)
{
    const struct error_row *row = item;
    (void)context;
    return stepped_of(row, row->first.median, row->stepped_first);
}

static struct value row_stepped_varies(const void *item, const void *context)
{
    const struct error_row *row = item;
    (void)context;
    if (row->cell->part == PART_STEPPED)
        return value_flag(row->later.min != row->later.max);
    return row->has_stepped ? value_flag(row->stepped_varies) : value_left_out();
}

#define ONLY_USER .absent = "only instructions in user mode can be stepped"
static const struct field row_fields[] = {
    {.at = SPLICED_BY(row_cell, &cell_table)},
    {.at = SPLICED_AT(struct error_row, error, &shown_table)},
    {"stepped", GET(FIELD_INTEGER, row_stepped), "the exact count of the same window by stepping",
     ONLY_USER},
    {"stepped_first", GET(FIELD_INTEGER, row_stepped_first),
     "the same of the first run of a process", ONLY_USER},
    {"stepped_varies", GET(FIELD_FLAG, row_stepped_varies),
     "stepped runs or processes differ: it is their median", .optional = true},
    {"first", OBJECT(struct error_row, first, &spread_table),
     "the first run of each process, in which everything is called for the first time"},
    {"later", OBJECT(struct error_row, later, &spread_table),
     "all other runs; as first where there are none"},
};
static const struct fields row_table = FIELDS(
    "error.row", "a cell: counted minus predicted, the count itself where nothing predicts it",
    row_fields);
const struct field error_results = {
    "results", LIST(struct error_run, report.rows, report.row_count, &row_table), "a row a cell"};

/* ----------------------------------------------------------------------------------------------
 * What the rows say together: null error. */

static const struct field best_fields[] = {
    MACHINE,
    EVENT(struct error_best),
    MODE(struct error_best),
    PATH(struct error_best),
    PATTERN(struct error_best),
    STEPPED(struct error_best),
    {"median", AT(struct error_best, median), "of the errors over -O levels and link modes", UNTOLD,
     COLUMN},
    {"min", AT(struct error_best, min), "the least of them"},
    {"subtract", AT(struct error_best, subtract), "what to take off a count measured so"},
    {"low", AT(struct error_best, spread_low), "2.5 % of the runs lie below", UNTOLD, COLUMN},
    {"high", AT(struct error_best, spread_high), "2.5 % of the runs lie above", UNTOLD, COLUMN},
    {"runs", AT(struct error_best, runs), "runs", COLUMN},
    {"cells", AT(struct error_best, cells), "cells they are of"},
    {"overall", AT(struct error_best, overall), "no path has less for this event and mode"},
};
static const struct fields best_table =
    FIELDS("error.best", "the best pattern of a path: one counter, runs after a process's first",
           best_fields);

static const struct field table3_fields[] = {
    {"mode", AT(struct error_table3, mode), "mode in which it counts"},
    {"tool", AT(struct error_table3, tool), "the paper's name of the path"},
    {"like", AT(struct error_table3, like), "what it corresponds to here"},
    PATTERN(struct error_table3),
    {"median", AT(struct error_table3, median), "median of the errors", .unit = UNIT_INSTRUCTIONS},
    {"min", AT(struct error_table3, min), "the least of them", .unit = UNIT_INSTRUCTIONS},
};
static const struct fields table3_table =
    FIELDS("error.table3", "a row of the paper's Table 3", table3_fields);

static const void *table3_row(const void *item, const void *context, size_t index)
{
    (void)item, (void)context;
    return index < sizeof(error_table3) / sizeof(*error_table3) ? &error_table3[index] : NULL;
}

static struct value effect_range(const void *item, const void *context)
{
    const struct error_effect *effect = item;
    const bool several = effect->factors & (effect->factors - 1);
    (void)context;
    return several ? value_absent("a range is of the levels of one factor")
                   : value_real(effect->range);
}

#define INFINITE .absent = "processes of a cell never differ: F has no finite value"
static const struct field effect_fields[] = {
    {"event", AT(struct error_effect, event), "the event, or the source that steps"},
    STEPPED(struct error_effect),
    {"factor", AT(struct error_effect, name), "the factor, or those that act together", COLUMN},
    {"df", AT(struct error_effect, df), "degrees of freedom", COLUMN},
    {"sum_sq", AT(struct error_effect, sum_sq), "sum of squares", UNTOLD},
    {"f", AT(struct error_effect, f), "F", INFINITE, COLUMN},
    {"p", AT(struct error_effect, p), "chance of such an F without an effect", INFINITE, COLUMN},
    {"effect_size", AT(struct error_effect, effect_size), "eta squared: share of all variance",
     UNTOLD, .unit = UNIT_RATIO},
    {"share_within", AT(struct error_effect, share_within),
     "share of the variance within each path of each machine, by which a factor matters; of path "
     "and machine themselves: of all",
     UNTOLD, .title = "share", COLUMN},
    {"partial", AT(struct error_effect, partial), "partial eta squared", UNTOLD,
     .unit = UNIT_RATIO},
    {"range", GET(FIELD_REAL, effect_range), "from the lowest to the highest level", UNTOLD,
     COLUMN},
    {"significant", AT(struct error_effect, significant), "p is below 0.001"},
    {"matters", AT(struct error_effect, matters),
     "significant, and at least 1 % of the variance within", COLUMN},
};
static const struct fields effect_table =
    FIELDS("error.effect", "a factor in the analysis of variance of an event", effect_fields);
const struct field error_effects = {"effects",
                                    LIST(struct error_anova, effects, effect_count, &effect_table)};

static const struct field model_fields[] = {
    EVENT(struct error_anova),
    STEPPED(struct error_anova),
    {"replicates", AT(struct error_anova, count), "values: one a process", COLUMN},
    {"cells", AT(struct error_anova, cells), "combinations of levels measured", COLUMN},
    {"constant_cells", AT(struct error_anova, constant_cells), "of these, processes never differ"},
    {"empty_cells", AT(struct error_anova, empty_cells), "combinations not measured"},
    {"no_variance", AT(struct error_anova, no_variance), "all are constant: F is infinite"},
    {"r_squared", AT(struct error_anova, r_squared), "share of the variance explained", UNTOLD},
    {"residual_sum_sq", AT(struct error_anova, residual_sum), "sum of squares not explained",
     UNTOLD},
    {"total_sum_sq", AT(struct error_anova, total_sum), "sum of all squares", UNTOLD},
    {"residual_df", AT(struct error_anova, residual_df), "degrees of freedom of what is left"},
    {"note", AT(struct error_anova, note), "what had to be left out, and why", COLUMN},
};
static const struct fields model_table =
    FIELDS("error.model", "what an analysis of variance rests on", model_fields);

static const struct field point_fields[] = {
    {"counters", AT(struct error_point, counters), "counters in use"},
    {"median", AT(struct error_point, median), "median of the errors", UNTOLD},
    {"min", AT(struct error_point, min), "the least of them"},
};
static const struct fields point_table =
    FIELDS("error.point", "the error with so many counters", point_fields);

static const struct field counters_fields[] = {
    MACHINE,
    EVENT(struct error_by_counters),
    MODE(struct error_by_counters),
    PATH(struct error_by_counters),
    PATTERN(struct error_by_counters),
    STEPPED(struct error_by_counters),
    {"separate", AT(struct error_by_counters, separate), "opened one by one, not as a group"},
    {"points", LIST(struct error_by_counters, list, points, &point_table), "by their number"},
    {"slope", AT(struct error_by_counters, slope), "error that each further counter adds", UNTOLD,
     COLUMN},
    {"low", AT(struct error_by_counters, low), "lower end of its 95 % interval", UNTOLD, COLUMN},
    {"high", AT(struct error_by_counters, high), "upper end of it", UNTOLD, COLUMN},
};
static const struct fields counters_table =
    FIELDS("error.counters", "what further counters add", counters_fields);

static const struct field choice_fields[] = {
    MACHINE,
    EVENT(struct error_choice),
    PATH(struct error_choice),
    PATTERN(struct error_choice),
    {"others", AT(struct error_choice, others), "events of the further counters", COLUMN},
    {"counters", AT(struct error_choice, counters), "counters in use", COLUMN},
    {"median", AT(struct error_choice, median), "median of the errors beside them", UNTOLD, COLUMN},
    {"plain", AT(struct error_choice, plain), "the same beside itself",
     .absent = "it was not measured beside itself", COLUMN},
};
static const struct fields choice_table =
    FIELDS("error.choice", "what the choice of the other events changes", choice_fields);

static const void *agreement_cell(const void *item, const void *context)
{
    (void)context;
    return ((const struct error_agreement *)item)->row->cell;
}

static struct value agreement_stepped(const void *item, const void *context)
{
    (void)context;
    return value_integer(((const struct error_agreement *)item)->row->stepped);
}

static const struct field agreement_fields[] = {
    {.at = SPLICED_BY(agreement_cell, &window_table)},
    {"stepped", GET(FIELD_INTEGER, agreement_stepped), "the exact count"},
    {"difference", AT(struct error_agreement, difference),
     "the usual counted minus stepped, after a process's first run"},
    {"first_difference", AT(struct error_agreement, first_difference), "the same of first runs"},
    {"edge", AT(struct error_agreement, edge), "the usual difference on its machine"},
    {"runs", AT(struct error_agreement, runs), "runs"},
    {"agreeing", AT(struct error_agreement, agreeing), "runs with the usual difference"},
};
static const struct fields agreement_table =
    FIELDS("error.agreement", "a window that was both measured and stepped", agreement_fields);

static struct value stepped_edge(const void *item, const void *context)
{
    const struct error_stepped *stepped = item;
    (void)context;
    return stepped->comparable ? value_integer(stepped->edge) : value_absent(NULL);
}

static const struct field stepped_fields[] = {
    {"comparable", AT(struct error_stepped, comparable), "cells both measured and stepped"},
    {"equal", AT(struct error_stepped, equal), "of these, with the usual difference"},
    {"edge", GET(FIELD_INTEGER, stepped_edge), "that difference: the CPU's own edge of a window",
     .absent = "no cell was both measured and stepped"},
    {"cells", LIST(struct error_stepped, list, comparable, &agreement_table), "all of them"},
};
static const struct fields stepped_table =
    FIELDS("error.stepped", "what the counter shows against what is executed", stepped_fields);

/* ----------------------------------------------------------------------------------------------
 * What makes the error grow. */

static const struct field slope_fields[] = {
    MACHINE,
    EVENT(struct error_slope),
    MODE(struct error_slope),
    PATH(struct error_slope),
    PATTERN(struct error_slope),
    {"slope", AT(struct error_slope, slope), "error that an iteration adds", UNTOLD, COLUMN},
    {"low", AT(struct error_slope, low), "lower end of its 95 % interval", UNTOLD, COLUMN},
    {"high", AT(struct error_slope, high), "upper end of it", UNTOLD, COLUMN},
    {"intercept", AT(struct error_slope, intercept), "error without an iteration", UNTOLD},
    {"detectable", AT(struct error_slope, detectable),
     "the smallest slope that four of five such samples would show", UNTOLD, COLUMN},
    {"exact", AT(struct error_slope, exact), "no run deviates from the line"},
    {"runs", AT(struct error_slope, runs), "runs", COLUMN},
    {"points", AT(struct error_slope, points), "lengths of the loop"},
    {"longest", AT(struct error_slope, longest), "the largest", COLUMN},
};
static const struct fields slope_table =
    FIELDS("error.slope", "how the error grows with the iterations of a loop", slope_fields);

static const struct field size_fields[] = {
    EVENT(struct error_by_size),
    PATH(struct error_by_size),
    {"n", AT(struct error_by_size, n), "iterations of the loop", .title = "N", COLUMN},
    {"runs", AT(struct error_by_size, runs), "runs", COLUMN},
    {.at = SPLICED_AT(struct error_by_size, spread, &shown_table)},
    {"mean", AT(struct error_by_size, mean), "mean", UNTOLD, COLUMN},
    {"interrupts", AT(struct error_by_size, interrupts), "interrupts of a run, on average",
     .absent = "interrupts were not counted along", COLUMN},
};
static const struct fields size_table =
    FIELDS("error.size", "counts of the kernel alone while a loop runs", size_fields);

#define TICKS(key, meaning)                                                                        \
    {#key, AT(struct error_ticks, key), meaning, UNTOLD},                                          \
        {#key "_low", AT(struct error_ticks, key##_low), "lower end of its 95 % interval",         \
         UNTOLD},                                                                                  \
    {                                                                                              \
#key "_high", AT(struct error_ticks, key##_high), "upper end of it", UNTOLD                \
    }
static const struct field ticks_fields[] = {
    TICKS(each, "instructions for each interrupt"),
    TICKS(rate, "interrupts for each iteration"),
    TICKS(predicted, "instructions for each iteration that follow from these"),
    TICKS(measured, "instructions for each iteration in user and kernel mode"),
    {"agrees", AT(struct error_ticks, agrees), "the intervals of the last two overlap"},
};
static const struct fields ticks_table =
    FIELDS("error.ticks", "whether interrupts explain how the error grows", ticks_fields);

static const void *run_ticks(const void *item, const void *context)
{
    (void)context;
    return run_of(item)->report.ticks.known ? &run_of(item)->report.ticks : NULL;
}

static struct value no_ticks(const void *item, const void *context)
{
    (void)context;
    return value_because(&run_of(item)->report.ticks.why);
}

static const struct field place_fields[] = {
    {"offset", AT(struct error_place, offset), "in a page", .unit = UNIT_BYTES},
    {"per_iteration", AT(struct error_place, per_iteration), "the fastest run", UNTOLD},
    {"low", AT(struct error_place, low), "the fastest process", UNTOLD},
    {"high", AT(struct error_place, high), "the slowest process", UNTOLD},
    {"processes", AT(struct error_place, processes), "processes"},
};
static const struct fields place_table =
    FIELDS("error.place", "an iteration of the loop at one place", place_fields);

static const struct field windows_fields[] = {
    {"factor", AT(struct error_windows, factor), "the slowest window over the fastest", UNTOLD},
    {"by_pattern", AT(struct error_windows, by_pattern),
     "share of the variance that the pattern explains", UNTOLD},
    {"by_opt", AT(struct error_windows, by_opt), "that the -O level explains", UNTOLD},
    {"by_both", AT(struct error_windows, by_both), "that their combination explains beyond that",
     UNTOLD},
    {"p_pattern", AT(struct error_windows, p_pattern), "chance that the pattern has no effect",
     UNTOLD},
    {"p_opt", AT(struct error_windows, p_opt), "that the -O level has none", UNTOLD},
    {"p_both", AT(struct error_windows, p_both), "that their combination has none", UNTOLD},
};
static const struct fields windows_table = FIELDS(
    "error.windows", "the loop where patterns and -O levels happen to put it", windows_fields);

static const struct field placement_fields[] = {
    MACHINE,
    EVENT(struct error_placement),
    {"is_time", AT(struct error_placement, is_time), "it counts time, which places can change"},
    {"least", AT(struct error_placement, least), "an iteration at the fastest place", UNTOLD,
     COLUMN},
    {"most", AT(struct error_placement, most), "at the place that the factor is of", UNTOLD,
     COLUMN},
    {"factor", AT(struct error_placement, factor), "most over least, of a place that stands out",
     UNTOLD, COLUMN},
    {"factor_low", AT(struct error_placement, factor_low), "lower end of its 95 % interval",
     UNTOLD},
    {"factor_high", AT(struct error_placement, factor_high), "upper end of it", UNTOLD},
    {"by_place", AT(struct error_placement, by_place), "share of the variance that places explain",
     UNTOLD},
    {"places", LIST(struct error_placement, list, places, &place_table), "by offset"},
    {"windows", OBJECT(struct error_placement, windows, &windows_table),
     "the loop where patterns and -O levels happen to put it",
     .known = KNOWN(struct error_placement, has_windows),
     .absent = "the loop was not measured in the windows of the patterns"},
};
static const struct fields placement_table =
    FIELDS("error.placement", "one loop at many places", placement_fields);

static const struct field multiplex_fields[] = {
    EVENT(struct error_multiplex),
    {"path", AT(struct error_multiplex, path), "path by which it was counted"},
    {"specimen", AT(struct error_multiplex, specimen), "the code in the window", .title = "code",
     COLUMN},
    {"phased", AT(struct error_multiplex, phased), "its work comes in phases"},
    {"counters", AT(struct error_multiplex, counters), "events at once"},
    {"runs", AT(struct error_multiplex, runs), "runs"},
    {"share", AT(struct error_multiplex, share), "of the time that the counter ran", UNTOLD,
     COLUMN},
    {"median", AT(struct error_multiplex, median), "median error of the truth", UNTOLD,
     .unit = UNIT_PERCENT, .title = "error", COLUMN},
    {"low", AT(struct error_multiplex, low), "the least of a run", UNTOLD, .unit = UNIT_PERCENT,
     .title = "from", COLUMN},
    {"high", AT(struct error_multiplex, high), "the largest of a run", UNTOLD, .unit = UNIT_PERCENT,
     .title = "to", COLUMN},
    {"per_rotation", AT(struct error_multiplex, per_rotation),
     "phases for each turn of the counters", .absent = "its work does not come in phases"},
    {"single", AT(struct error_multiplex, single), "median error with one counter",
     .absent = "it was not measured with one counter", .unit = UNIT_PERCENT},
};
static const struct fields multiplex_table =
    FIELDS("error.multiplex", "more events than counters, against the truth", multiplex_fields);

/* ----------------------------------------------------------------------------------------------
 * What to do, and all of it. */

static const struct field advice_fields[] = {
    MODE(struct error_advice),
    {"event", AT(struct error_advice, event), "the event", .nullable = true},
    {"text", AT(struct error_advice, why), "what to do", COLUMN},
};
static const struct fields advice_table =
    FIELDS("error.advice", "how to count an event with the least error", advice_fields);

static struct value check_name(const void *item, const void *context)
{
    (void)context;
    return value_text(((const struct error_check *)item)->check->name);
}

static struct value check_fix(const void *item, const void *context)
{
    (void)context;
    return value_text(((const struct error_check *)item)->advice.fix);
}

static const struct field check_fields[] = {
    {"check", GET(FIELD_TEXT, check_name), "the check of `assay doctor`"},
    {"status", AT(struct error_check, advice.status), "what it found", .names = check_status_names,
     .name_count = CHECK_BAD + 1},
    {"value", AT(struct error_check, advice.value), "the setting"},
    {"fix", GET(FIELD_TEXT, check_fix), "the command that changes it; may be empty"},
};
static const struct fields check_table =
    FIELDS("error.check", "what `assay doctor` finds amiss that bears on this study", check_fields);

static struct value run_seconds(const void *item, const void *context)
{
    (void)context;
    return value_real(round(run_of(item)->studying.seconds * 10) / 10);
}

#define REPORTED(list, count, table) LIST(struct error_run, report.list, report.count, table)
static const struct field analysis_fields[] = {
    {"store", AT(struct error_run, studying.stored), "file with the samples", .nullable = true},
    {"complete", AT(struct error_run, studying.complete), "everything planned was measured"},
    {"seconds", GET(FIELD_REAL, run_seconds), "that the command took", .unit = UNIT_S},
    {"measurements", AT(struct error_run, report.measurements), "runs in all cells"},
    {"cells", AT(struct error_run, report.cells_measured), "cells with runs"},
    {"least_processes", AT(struct error_run, report.least_processes), "of a null cell"},
    {"best", REPORTED(best, best_count, &best_table),
     "the best pattern of each path, by event and mode"},
    {"table3", LIST_BY(table3_row, &table3_table), "the paper's own rows"},
    {"anova", REPORTED(effects, effect_count, &effect_table), "which factors matter"},
    {"models", REPORTED(anovas, anova_count, &model_table),
     "what each analysis of variance rests on"},
    {"counters", REPORTED(by_counters, by_counters_count, &counters_table),
     "what further counters add"},
    {"choices", REPORTED(choices, choice_count, &choice_table),
     "what the choice of other events changes"},
    {"stepped", OBJECT(struct error_run, report.stepped, &stepped_table),
     "measured against stepped"},
    {"slopes", REPORTED(slopes, slope_count, &slope_table), "how the error grows with a loop"},
    {"by_size", REPORTED(by_size, by_size_count, &size_table),
     "counts of the kernel alone while a loop runs"},
    {"ticks",
     {.kind = FIELD_OBJECT, .part = run_ticks, .get = no_ticks, .of = &ticks_table},
     "whether interrupts explain how the error grows",
     .coded = true},
    {"placement", REPORTED(placements, placement_count, &placement_table),
     "one loop at many places"},
    {"multiplexing", REPORTED(multiplex, multiplex_count, &multiplex_table),
     "more events than counters"},
    {"advice", REPORTED(advice, advice_count, &advice_table), "what to do"},
    {"doctor", LIST(struct error_run, checks, check_count, &check_table),
     "what no way of measuring fixes"},
};
const struct fields error_analysis =
    FIELDS("error.analysis", "what the cells say together", analysis_fields);

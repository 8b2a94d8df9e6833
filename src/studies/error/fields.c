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
            "fingerprint of the machine, where there are several", .optional = true                \
    }
/* A member under its own name. */
#define F(type, member, ...)                                                                       \
    {                                                                                              \
        .key = #member, .at = AT(struct error_##type, member), .meaning = __VA_ARGS__              \
    }
#define EVENT(type)   F(type, event, "the event, or the source that steps", COLUMN)
#define MODE(type)    F(type, mode, "mode in which it counts", NAMED(count_mode_names))
#define PATH(type)    F(type, path, "path by which it was counted", COLUMN)
#define PATTERN(type) F(type, pattern, "calls at its ends", NAMED(pattern_names), COLUMN)
#define STEPPED(type) F(type, stepped, "executed step by step instead of counted")
#define UNTOLD        .absent = "it cannot be stated from what was measured"
#define COLUMN        .column = true

/* Rows show one of their three alone as columns. */
#define SPREAD(shown)                                                                              \
    F(spread, min, "the least"), F(spread, q1, "lower quartile"),                                  \
        F(spread, median, "a value that was read", .column = (shown)),                             \
        F(spread, q3, "upper quartile"), F(spread, max, "the largest", .column = (shown))
static const struct field shown_fields[] = {SPREAD(true)}, spread_fields[] = {SPREAD(false)};
static const struct fields shown_table = FIELDS("error.shown", "how errors lie", shown_fields),
                           spread_table = FIELDS("error.spread", "how errors lie", spread_fields);

/* ----------------------------------------------------------------------------------------------
 * Rows. */

GETTER(cell_others, struct error_cell,
       value_text(item->others && * item->others ? item->others : NULL))

GETTER(cell_failed, struct error_cell, item->failed ? value_count(item->failed) : value_left_out())

/* What tells a window from others. */
static const struct field window_fields[] = {
    EVENT(cell),
    MODE(cell),
    PATH(cell),
    PATTERN(cell),
    F(cell, counters, "counters in use, this one included", COLUMN),
    F(cell, opt, "-O level of the window", COLUMN),
    F(cell, link, "how the program is linked", COLUMN),
};
static const struct fields window_table = FIELDS("error.window", "a way to measure", window_fields);

static const struct field cell_fields[] = {
    {.at = SPLICED(&window_table)},
    F(cell, part, "the part of the study it belongs to", NAMED(error_part_names)),
    {"others", GET(FIELD_TEXT, cell_others),
     "events of the further counters, with commas; null: the same event again", .nullable = true},
    F(cell, separate, "counters were opened one by one, not as a group"),
    F(cell, specimen, "the code in the window, with its parameters"),
    F(cell, n, "its size"),
    MACHINE,
    F(cell, runs, "runs that got a counter", COLUMN),
    F(cell, processes, "processes they are of"),
    F(cell, disturbed, "runs in which the operating system did more than the code asks for"),
    F(cell, multiplexed, "runs extrapolated from part of the time"),
    F(cell, unscheduled, "runs that got no counter; not in the rest"),
    F(cell, truth, "the count predicted", .known = KNOWN(struct error_cell, has_truth),
      .absent = "nothing predicts this count: the figures are the counts"),
    {"failed", GET(FIELD_COUNT, cell_failed), "processes that could not measure it",
     .optional = true},
    {"failed_reason", AT(struct error_cell, reason), "why", .optional = true, .nullable = true},
};
static const struct fields cell_table = FIELDS("error.cell", "what was measured", cell_fields);

PART(row_cell, struct error_row, item->cell)

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

GETTER(row_stepped, struct error_row, stepped_of(item, item->later.median, item->stepped))

GETTER(row_stepped_first, struct error_row,
       stepped_of(item, item->first.median, item->stepped_first))

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
    EVENT(best),
    MODE(best),
    PATH(best),
    PATTERN(best),
    STEPPED(best),
    F(best, median, "of the errors over -O levels and link modes", UNTOLD, COLUMN),
    F(best, min, "the least of them"),
    F(best, subtract, "what to take off a count measured so"),
    {"low", AT(struct error_best, spread_low), "2.5 % of the runs lie below", UNTOLD, COLUMN},
    {"high", AT(struct error_best, spread_high), "2.5 % of the runs lie above", UNTOLD, COLUMN},
    F(best, runs, "runs"),
    F(best, cells, "cells they are of"),
    F(best, overall, "no path has less for this event and mode", .title = "least", COLUMN),
};
static const struct fields best_table =
    FIELDS("error.best", "the best pattern of a path: one counter, runs after a process's first",
           best_fields);

static const struct field table3_fields[] = {
    F(table3, mode, "mode in which it counts"),
    F(table3, tool, "the paper's name of the path"),
    F(table3, like, "what it corresponds to here"),
    F(table3, pattern, "calls at its ends", NAMED(pattern_names)),
    F(table3, median, "median of the errors", .unit = UNIT_INSTRUCTIONS),
    F(table3, min, "the least of them", .unit = UNIT_INSTRUCTIONS),
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
    EVENT(effect),
    STEPPED(effect),
    {"factor", AT(struct error_effect, name), "the factor, or those that act together", COLUMN},
    F(effect, df, "degrees of freedom"),
    F(effect, sum_sq, "sum of squares", UNTOLD),
    F(effect, f, "F", INFINITE),
    F(effect, p, "chance of such an F without an effect", INFINITE, COLUMN),
    F(effect, effect_size, "eta squared: share of all variance", UNTOLD, .unit = UNIT_RATIO),
    F(effect, share_within,
      "share of the variance within each path of each machine, by which a factor matters; of path "
      "and machine themselves: of all",
      UNTOLD, .title = "share", COLUMN),
    F(effect, partial, "partial eta squared", UNTOLD, .unit = UNIT_RATIO),
    {"range", GET(FIELD_REAL, effect_range), "from the lowest to the highest level", UNTOLD,
     COLUMN},
    F(effect, significant, "p is below 0.001"),
    F(effect, matters, "significant, and at least 1 % of the variance within", COLUMN),
};
static const struct fields effect_table =
    FIELDS("error.effect", "a factor in the analysis of variance of an event", effect_fields);

static const struct field model_fields[] = {
    EVENT(anova),
    STEPPED(anova),
    {"replicates", AT(struct error_anova, count), "values: one a process", COLUMN},
    F(anova, cells, "combinations of levels measured", COLUMN),
    F(anova, constant_cells, "of these, processes never differ"),
    F(anova, empty_cells, "combinations not measured"),
    F(anova, no_variance, "all are constant: F is infinite"),
    F(anova, r_squared, "share of the variance explained", UNTOLD),
    {"residual_sum_sq", AT(struct error_anova, residual_sum), "sum of squares not explained",
     UNTOLD},
    {"total_sum_sq", AT(struct error_anova, total_sum), "sum of all squares", UNTOLD},
    F(anova, residual_df, "degrees of freedom of what is left"),
    F(anova, note, "what had to be left out, and why", COLUMN),
};
static const struct fields model_table =
    FIELDS("error.model", "what an analysis of variance rests on", model_fields);

static const struct field point_fields[] = {
    F(point, counters, "counters in use"),
    F(point, median, "median of the errors", UNTOLD),
    F(point, min, "the least of them"),
};
static const struct fields point_table =
    FIELDS("error.point", "the error with so many counters", point_fields);

static const struct field counters_fields[] = {
    MACHINE,
    EVENT(by_counters),
    MODE(by_counters),
    PATH(by_counters),
    PATTERN(by_counters),
    STEPPED(by_counters),
    F(by_counters, separate, "opened one by one, not as a group"),
    {"points", LIST(struct error_by_counters, list, points, &point_table), "by their number"},
    F(by_counters, slope, "error that each further counter adds", UNTOLD, COLUMN),
    F(by_counters, low, "lower end of its 95 % interval", UNTOLD, COLUMN),
    F(by_counters, high, "upper end of it", UNTOLD, COLUMN),
};
static const struct fields counters_table =
    FIELDS("error.counters", "what further counters add", counters_fields);

static const struct field choice_fields[] = {
    MACHINE,
    EVENT(choice),
    PATH(choice),
    PATTERN(choice),
    F(choice, others, "events of the further counters", COLUMN),
    F(choice, counters, "counters in use"),
    F(choice, median, "median of the errors beside them", UNTOLD, COLUMN),
    F(choice, plain, "the same beside itself", .absent = "it was not measured beside itself",
      COLUMN),
};
static const struct fields choice_table =
    FIELDS("error.choice", "what the choice of the other events changes", choice_fields);

PART(agreement_cell, struct error_agreement, item->row->cell)

GETTER(agreement_stepped, struct error_agreement, value_integer(item->row->stepped))

static const struct field agreement_fields[] = {
    {.at = SPLICED_BY(agreement_cell, &window_table)},
    {"stepped", GET(FIELD_INTEGER, agreement_stepped), "the exact count"},
    F(agreement, difference, "the usual counted minus stepped, after a process's first run",
      COLUMN),
    F(agreement, first_difference, "the same of first runs"),
    F(agreement, edge, "the usual difference on its machine"),
    F(agreement, runs, "runs"),
    F(agreement, agreeing, "runs with the usual difference"),
};
static const struct fields agreement_table =
    FIELDS("error.agreement", "a window that was both measured and stepped", agreement_fields);

GETTER(stepped_edge, struct error_stepped,
       item->comparable ? value_integer(item->edge) : value_absent(NULL))

static const struct field stepped_fields[] = {
    F(stepped, comparable, "cells both measured and stepped"),
    F(stepped, equal, "of these, with the usual difference"),
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
    EVENT(slope),
    MODE(slope),
    PATH(slope),
    PATTERN(slope),
    F(slope, slope, "error that an iteration adds", UNTOLD),
    F(slope, low, "lower end of its 95 % interval", UNTOLD),
    F(slope, high, "upper end of it", UNTOLD),
    F(slope, intercept, "error without an iteration", UNTOLD),
    F(slope, detectable, "the smallest slope that four of five such samples would show", UNTOLD,
      COLUMN),
    F(slope, exact, "no run deviates from the line"),
    F(slope, runs, "runs"),
    F(slope, points, "lengths of the loop"),
    F(slope, longest, "the largest"),
};
static const struct fields slope_table =
    FIELDS("error.slope", "how the error grows with the iterations of a loop", slope_fields);

static const struct field size_fields[] = {
    EVENT(by_size),
    PATH(by_size),
    F(by_size, n, "iterations of the loop", .title = "N", COLUMN),
    F(by_size, runs, "runs", COLUMN),
    {.at = SPLICED_AT(struct error_by_size, spread, &shown_table)},
    F(by_size, mean, "mean", UNTOLD, COLUMN),
    F(by_size, interrupts, "interrupts of a run, on average",
      .absent = "interrupts were not counted along", COLUMN),
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
    F(ticks, agrees, "the intervals of the last two overlap"),
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
    F(place, offset, "in a page", .unit = UNIT_BYTES),
    F(place, per_iteration, "the fastest run", UNTOLD),
    F(place, low, "the fastest process", UNTOLD),
    F(place, high, "the slowest process", UNTOLD),
    F(place, processes, "processes"),
};
static const struct fields place_table =
    FIELDS("error.place", "an iteration of the loop at one place", place_fields);

static const struct field windows_fields[] = {
    F(windows, factor, "the slowest window over the fastest", UNTOLD),
    F(windows, by_pattern, "share of the variance that the pattern explains", UNTOLD),
    F(windows, by_opt, "that the -O level explains", UNTOLD),
    F(windows, by_both, "that their combination explains beyond that", UNTOLD),
    F(windows, p_pattern, "chance that the pattern has no effect", UNTOLD),
    F(windows, p_opt, "that the -O level has none", UNTOLD),
    F(windows, p_both, "that their combination has none", UNTOLD),
};
static const struct fields windows_table = FIELDS(
    "error.windows", "the loop where patterns and -O levels happen to put it", windows_fields);

static const struct field placement_fields[] = {
    MACHINE,
    EVENT(placement),
    F(placement, is_time, "it counts time, which places can change"),
    F(placement, least, "an iteration at the fastest place", UNTOLD),
    F(placement, most, "at the place that the factor is of", UNTOLD),
    F(placement, factor, "most over least, of a place that stands out", UNTOLD),
    F(placement, factor_low, "lower end of its 95 % interval", UNTOLD),
    F(placement, factor_high, "upper end of it", UNTOLD),
    F(placement, by_place, "share of the variance that places explain", UNTOLD),
    {"places", LIST(struct error_placement, list, places, &place_table), "by offset"},
    {"windows", OBJECT(struct error_placement, windows, &windows_table),
     "the loop where patterns and -O levels happen to put it",
     .known = KNOWN(struct error_placement, has_windows),
     .absent = "the loop was not measured in the windows of the patterns"},
};
static const struct fields placement_table =
    FIELDS("error.placement", "one loop at many places", placement_fields);

static const struct field multiplex_fields[] = {
    EVENT(multiplex),
    F(multiplex, path, "path by which it was counted"),
    F(multiplex, specimen, "the code in the window", .title = "code", COLUMN),
    F(multiplex, phased, "its work comes in phases"),
    F(multiplex, counters, "events at once"),
    F(multiplex, runs, "runs"),
    F(multiplex, share, "of the time that the counter ran", UNTOLD, COLUMN),
    F(multiplex, median, "median error of the truth", UNTOLD, .unit = UNIT_PERCENT,
      .title = "error", COLUMN),
    F(multiplex, low, "the least of a run", UNTOLD, .unit = UNIT_PERCENT, .title = "from", COLUMN),
    F(multiplex, high, "the largest of a run", UNTOLD, .unit = UNIT_PERCENT, .title = "to", COLUMN),
    F(multiplex, per_rotation, "phases for each turn of the counters",
      .absent = "its work does not come in phases"),
    F(multiplex, single, "median error with one counter",
      .absent = "it was not measured with one counter", .unit = UNIT_PERCENT),
};
static const struct fields multiplex_table =
    FIELDS("error.multiplex", "more events than counters, against the truth", multiplex_fields);

/* ----------------------------------------------------------------------------------------------
 * What to do, and all of it. */

static const struct field advice_fields[] = {
    MODE(advice),
    F(advice, event, "the event", .nullable = true),
    {"text", AT(struct error_advice, why), "what to do", COLUMN},
};
static const struct fields advice_table =
    FIELDS("error.advice", "how to count an event with the least error", advice_fields);

GETTER(check_name, struct error_check, value_text(item->check->name))

GETTER(check_fix, struct error_check, value_text(item->advice.fix))

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

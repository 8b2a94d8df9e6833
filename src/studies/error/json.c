/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` measured, as JSON (docs/json): a row a cell, and what the rows say together.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "engine/claims.h"
#include "studies/error/parts.h"

static void error_put_spread_json(json_t *object, const struct error_spread *spread)
{
    json_object_set_new(object, "min", json_difference(spread->min));
    json_object_set_new(object, "q1", json_difference(spread->q1));
    json_object_set_new(object, "median", json_difference(spread->median));
    json_object_set_new(object, "q3", json_difference(spread->q3));
    json_object_set_new(object, "max", json_difference(spread->max));
}

static json_t *spread_json(const struct error_spread *spread)
{
    json_t *object = json_object();
    error_put_spread_json(object, spread);
    return object;
}

/* The factors that make a cell what it is. */
static void put_factors(json_t *object, const struct erring *erring, const struct error_cell *cell)
{
    const struct error_case *file = &erring->file;
    json_object_set_new(object, "event", json_text(cell->event));
    json_object_set_new(object, "mode", json_text(count_mode_names[cell->mode]));
    json_object_set_new(object, "part", json_text(error_part_names[cell->part]));
    json_object_set_new(object, "path", json_text(cell->path));
    json_object_set_new(object, "pattern", json_text(pattern_names[cell->pattern]));
    json_object_set_new(object, "counters", json_count(cell->counters));
    json_object_set_new(object, "others",
                        cell->others && *cell->others ? json_text(cell->others) : json_null());
    json_object_set_new(object, "separate", json_boolean(cell->separate));
    json_object_set_new(object, "opt", json_text(cell->opt));
    json_object_set_new(object, "link", json_text(cell->link));
    json_object_set_new(object, "specimen", json_text(cell->specimen));
    json_object_set_new(object, "n", json_count(cell->n));
    if (file->machine_count > 1 && cell->machine < file->machine_count)
        json_object_set_new(object, "machine",
                            json_text(file->machines[cell->machine].fingerprint));
}

static void put_stepped(json_t *object, const struct error_row *row)
{
    const struct error_cell *cell = row->cell;
    if (cell->part == PART_STEPPED) {
        json_object_set_new(object, "stepped", json_difference(row->later.median));
        json_object_set_new(object, "stepped_first", json_difference(row->first.median));
        json_object_set_new(object, "stepped_varies",
                            json_boolean(row->later.min != row->later.max));
        return;
    }
    bool can_be = cell->mode == COUNT_USER && cell->base && !strcmp(cell->base, "instructions");
    if (row->has_stepped) {
        json_object_set_new(object, "stepped", json_difference(row->stepped));
        json_object_set_new(object, "stepped_first", json_difference(row->stepped_first));
        json_object_set_new(object, "stepped_varies", json_boolean(row->stepped_varies));
        return;
    }
    const char *reason =
        can_be ? "this window was not stepped" : "only instructions in user mode can be stepped";
    json_absent(object, "stepped", reason);
    json_absent(object, "stepped_first", reason);
}

static json_t *row_json(const struct erring *erring, const struct error_row *row)
{
    const struct error_cell *cell = row->cell;
    json_t *object = json_object();
    put_factors(object, erring, cell);
    json_object_set_new(object, "runs", json_count(cell->runs));
    json_object_set_new(object, "processes", json_count(cell->processes));
    json_object_set_new(object, "disturbed", json_count(cell->disturbed));
    json_object_set_new(object, "multiplexed", json_count(cell->multiplexed));
    json_object_set_new(object, "unscheduled", json_count(cell->unscheduled));
    if (cell->has_truth)
        json_object_set_new(object, "truth", json_difference(cell->truth));
    else
        json_absent(object, "truth", "nothing predicts this count: the figures are the counts");
    error_put_spread_json(object, &row->error);
    put_stepped(object, row);
    json_object_set_new(object, "first", spread_json(&row->first));
    json_object_set_new(object, "later", spread_json(&row->later));
    if (cell->failed) {
        json_object_set_new(object, "failed", json_count(cell->failed));
        json_object_set_new(object, "failed_reason", json_text(cell->reason));
    }
    return object;
}

json_t *error_results_json(const struct erring *erring)
{
    json_t *list = json_array();
    for (size_t i = 0; i < erring->report.row_count; i++)
        json_array_append_new(list, row_json(erring, &erring->report.rows[i]));
    return list;
}

json_t *error_findings_json(const struct erring *erring)
{
    return claims_json(erring->report.findings, ERROR_FINDINGS);
}

/* ----------------------------------------------------------------------------------------------
 * What the cells of `assay error` say together, as JSON (docs/json). */

/* Which machine, where there are several. */
static void put_machine(json_t *object, const struct error_case *file, uint32_t machine)
{
    if (file->machine_count > 1 && machine < file->machine_count)
        json_object_set_new(object, "machine", json_text(file->machines[machine].fingerprint));
}

static void put_way(json_t *object, const char *event, enum count_mode mode, const char *path,
                    enum pattern pattern)
{
    json_object_set_new(object, "event", json_text(event));
    json_object_set_new(object, "mode", json_text(count_mode_names[mode]));
    json_object_set_new(object, "path", json_text(path));
    json_object_set_new(object, "pattern", json_text(pattern_names[pattern]));
}

/* --- Table 3 --- */

static json_t *best_json(const struct error_case *file, const struct error_best *best)
{
    json_t *object = json_object();
    put_way(object, best->event, best->mode, best->path, best->pattern);
    json_object_set_new(object, "stepped", json_boolean(best->stepped));
    JSON_PUT_REALS(object, {"median", best->median, NULL});
    json_object_set_new(object, "min", json_difference(best->min));
    json_object_set_new(object, "subtract", json_difference(best->subtract));
    JSON_PUT_REALS(object, {"low", best->spread_low, NULL}, {"high", best->spread_high, NULL});
    json_object_set_new(object, "runs", json_count(best->runs));
    json_object_set_new(object, "cells", json_count(best->cells));
    json_object_set_new(object, "overall", json_boolean(best->overall));
    put_machine(object, file, best->machine);
    return object;
}

static json_t *table3_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof(error_table3) / sizeof(*error_table3); i++) {
        const struct error_table3 *row = &error_table3[i];
        json_t *object = json_object();
        json_object_set_new(object, "mode", json_text(row->mode));
        json_object_set_new(object, "tool", json_text(row->tool));
        json_object_set_new(object, "like", json_text(row->like));
        json_object_set_new(object, "pattern", json_text(pattern_names[row->pattern]));
        json_object_set_new(object, "median", json_real(row->median));
        json_object_set_new(object, "min", json_difference(row->min));
        json_array_append_new(list, object);
    }
    return list;
}

/* --- factors --- */

static json_t *effect_json(const struct error_effect *effect)
{
    static const char infinite[] = "processes of a cell never differ: F has no finite value";
    static const char of_one[] = "a range is of the levels of one factor";
    bool several = (effect->factors & (effect->factors - 1)) != 0;
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(effect->event));
    json_object_set_new(object, "stepped", json_boolean(effect->stepped));
    json_object_set_new(object, "factor", json_text(effect->name));
    json_object_set_new(object, "df", json_count(effect->df));
    JSON_PUT_REALS(object, {"sum_sq", effect->sum_sq, NULL}, {"f", effect->f, infinite},
                   {"p", effect->p, infinite}, {"effect_size", effect->effect_size, NULL},
                   {"share_within", effect->share_within, NULL}, {"partial", effect->partial, NULL},
                   {"range", several ? NAN : effect->range, several ? of_one : NULL});
    json_object_set_new(object, "significant", json_boolean(effect->significant));
    json_object_set_new(object, "matters", json_boolean(effect->matters));
    return object;
}

static json_t *model_json(const struct error_anova *anova)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(anova->event));
    json_object_set_new(object, "stepped", json_boolean(anova->stepped));
    json_object_set_new(object, "replicates", json_count(anova->count));
    json_object_set_new(object, "cells", json_count(anova->cells));
    json_object_set_new(object, "constant_cells", json_count(anova->constant_cells));
    json_object_set_new(object, "empty_cells", json_count(anova->empty_cells));
    json_object_set_new(object, "no_variance", json_boolean(anova->no_variance));
    JSON_PUT_REALS(object, {"r_squared", anova->r_squared, NULL},
                   {"residual_sum_sq", anova->residual_sum, NULL},
                   {"total_sum_sq", anova->total_sum, NULL});
    json_object_set_new(object, "residual_df", json_count(anova->residual_df));
    json_object_set_new(object, "note", anova->note[0] ? json_text(anova->note) : json_null());
    return object;
}

/* --- counters --- */

static json_t *counters_json(const struct error_case *file, const struct error_by_counters *by)
{
    json_t *object = json_object(), *points = json_array();
    put_way(object, by->event, by->mode, by->path, by->pattern);
    json_object_set_new(object, "stepped", json_boolean(by->stepped));
    json_object_set_new(object, "separate", json_boolean(by->separate));
    for (size_t i = 0; i < by->points; i++) {
        json_t *point = json_object();
        json_object_set_new(point, "counters", json_count(by->counters[i]));
        JSON_PUT_REALS(point, {"median", by->medians[i], NULL});
        json_object_set_new(point, "min", json_difference(by->mins[i]));
        json_array_append_new(points, point);
    }
    json_object_set_new(object, "points", points);
    JSON_PUT_REALS(object, {"slope", by->slope, NULL}, {"low", by->low, NULL},
                   {"high", by->high, NULL});
    put_machine(object, file, by->machine);
    return object;
}

static json_t *choice_json(const struct error_case *file, const struct error_choice *choice)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(choice->event));
    json_object_set_new(object, "path", json_text(choice->path));
    json_object_set_new(object, "pattern", json_text(pattern_names[choice->pattern]));
    json_object_set_new(object, "others", json_text(choice->others));
    json_object_set_new(object, "counters", json_count(choice->counters));
    JSON_PUT_REALS(object, {"median", choice->median, NULL},
                   {"plain", choice->plain, "it was not measured beside itself"});
    put_machine(object, file, choice->machine);
    return object;
}

/* --- measured against stepped --- */

static json_t *agreement_json(const struct error_agreement *agreement)
{
    const struct error_cell *cell = agreement->row->cell;
    json_t *object = json_object();
    put_way(object, cell->event, cell->mode, cell->path, cell->pattern);
    json_object_set_new(object, "counters", json_count(cell->counters));
    json_object_set_new(object, "opt", json_text(cell->opt));
    json_object_set_new(object, "link", json_text(cell->link));
    json_object_set_new(object, "stepped", json_difference(agreement->row->stepped));
    json_object_set_new(object, "difference", json_difference(agreement->difference));
    json_object_set_new(object, "first_difference", json_difference(agreement->first_difference));
    json_object_set_new(object, "edge", json_difference(agreement->edge));
    json_object_set_new(object, "runs", json_count(agreement->runs));
    json_object_set_new(object, "agreeing", json_count(agreement->agreeing));
    return object;
}

static json_t *stepped_json(const struct error_stepped *stepped)
{
    json_t *object = json_object(), *list = json_array();
    json_object_set_new(object, "comparable", json_count(stepped->comparable));
    json_object_set_new(object, "equal", json_count(stepped->equal));
    if (stepped->comparable)
        json_object_set_new(object, "edge", json_difference(stepped->edge));
    else
        json_absent(object, "edge", "no cell was both measured and stepped");
    for (size_t i = 0; i < stepped->comparable; i++)
        json_array_append_new(list, agreement_json(&stepped->list[i]));
    json_object_set_new(object, "cells", list);
    return object;
}

/* --- duration --- */

static json_t *slope_json(const struct error_case *file, const struct error_slope *slope)
{
    json_t *object = json_object();
    put_machine(object, file, slope->machine);
    put_way(object, slope->event, slope->mode, slope->path, slope->pattern);
    JSON_PUT_REALS(object, {"slope", slope->slope, NULL}, {"low", slope->low, NULL},
                   {"high", slope->high, NULL}, {"intercept", slope->intercept, NULL},
                   {"detectable", slope->detectable, NULL});
    json_object_set_new(object, "exact", json_boolean(slope->exact));
    json_object_set_new(object, "runs", json_count(slope->runs));
    json_object_set_new(object, "points", json_count(slope->points));
    json_object_set_new(object, "longest", json_count(slope->longest));
    return object;
}

static json_t *size_json(const struct error_by_size *size)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(size->event));
    json_object_set_new(object, "path", json_text(size->path));
    json_object_set_new(object, "n", json_count(size->n));
    json_object_set_new(object, "runs", json_count(size->runs));
    error_put_spread_json(object, &size->spread);
    JSON_PUT_REALS(object, {"mean", size->mean, NULL},
                   {"interrupts", size->interrupts, "interrupts were not counted along"});
    return object;
}

static void put_ticks(json_t *analysis, const struct error_ticks *ticks)
{
    if (!ticks->known) {
        json_absent(analysis, "ticks",
                    ticks->reason[0] ? ticks->reason : "interrupts were not counted");
        return;
    }
    json_t *object = json_object();
    JSON_PUT_REALS(
        object, {"each", ticks->each, NULL}, {"each_low", ticks->each_low, NULL},
        {"each_high", ticks->each_high, NULL}, {"rate", ticks->rate, NULL},
        {"rate_low", ticks->rate_low, NULL}, {"rate_high", ticks->rate_high, NULL},
        {"predicted", ticks->predicted, NULL}, {"predicted_low", ticks->predicted_low, NULL},
        {"predicted_high", ticks->predicted_high, NULL}, {"measured", ticks->measured, NULL},
        {"measured_low", ticks->measured_low, NULL}, {"measured_high", ticks->measured_high, NULL});
    json_object_set_new(object, "agrees", json_boolean(ticks->agrees));
    json_object_set_new(analysis, "ticks", object);
}

/* --- placement and multiplexing --- */

static json_t *place_json(const struct error_place *place)
{
    json_t *object = json_object();
    json_object_set_new(object, "offset", json_difference(place->offset));
    JSON_PUT_REALS(object, {"per_iteration", place->per_iteration, NULL}, {"low", place->low, NULL},
                   {"high", place->high, NULL});
    json_object_set_new(object, "processes", json_count(place->processes));
    return object;
}

static json_t *placement_json(const struct error_case *file, const struct error_report *report,
                              const struct error_placement *placement)
{
    json_t *object = json_object(), *places = json_array();
    put_machine(object, file, placement->machine);
    json_object_set_new(object, "event", json_text(placement->event));
    json_object_set_new(object, "is_time", json_boolean(placement->is_time));
    JSON_PUT_REALS(object, {"least", placement->least, NULL}, {"most", placement->most, NULL},
                   {"factor", placement->factor, NULL}, {"factor_low", placement->factor_low, NULL},
                   {"factor_high", placement->factor_high, NULL},
                   {"by_place", placement->by_place, NULL});
    for (size_t i = 0; i < placement->places; i++)
        json_array_append_new(places, place_json(&report->places[placement->first + i]));
    json_object_set_new(object, "places", places);
    if (!placement->has_windows) {
        json_absent(object, "windows", "the loop was not measured in the windows of the patterns");
        return object;
    }
    json_t *windows = json_object();
    JSON_PUT_REALS(windows, {"factor", placement->window_factor, NULL},
                   {"by_pattern", placement->by_pattern, NULL}, {"by_opt", placement->by_opt, NULL},
                   {"by_both", placement->by_both, NULL}, {"p_pattern", placement->p_pattern, NULL},
                   {"p_opt", placement->p_opt, NULL}, {"p_both", placement->p_both, NULL});
    json_object_set_new(object, "windows", windows);
    return object;
}

static json_t *multiplex_json(const struct error_multiplex *multiplex)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(multiplex->event));
    json_object_set_new(object, "path", json_text(multiplex->path));
    json_object_set_new(object, "specimen", json_text(multiplex->specimen));
    json_object_set_new(object, "phased", json_boolean(multiplex->phased));
    json_object_set_new(object, "counters", json_count(multiplex->counters));
    json_object_set_new(object, "runs", json_count(multiplex->runs));
    JSON_PUT_REALS(object, {"share", multiplex->share, NULL}, {"median", multiplex->median, NULL},
                   {"low", multiplex->low, NULL}, {"high", multiplex->high, NULL},
                   {"per_rotation", multiplex->per_rotation, "its work does not come in phases"},
                   {"single", multiplex->single, "it was not measured with one counter"});
    return object;
}

/* --- what to do --- */

static json_t *advice_json(const struct error_advice *advice)
{
    json_t *object = json_object();
    json_object_set_new(object, "mode", json_text(count_mode_names[advice->mode]));
    json_object_set_new(object, "event", json_text(advice->event));
    json_object_set_new(object, "text", json_text(advice->text));
    return object;
}

static json_t *checks_json(const struct facts *facts)
{
    json_t *list = json_array();
    AUTO_FREE struct error_check *checks = NULL;
    size_t count = 0;
    if (error_checks(facts, &checks, &count) < 0) {
        json_decref(list);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "check", json_text(checks[i].check->name));
        json_object_set_new(object, "status",
                            json_text(check_status_names[checks[i].advice.status]));
        json_object_set_new(object, "value", json_text(checks[i].advice.value));
        json_object_set_new(object, "fix", json_text(checks[i].advice.fix));
        json_array_append_new(list, object);
    }
    return list;
}

/* A function that makes a list of all rows of a kind. */
#define LIST(name, row, element)                                                                   \
    static json_t *name(const struct row *rows, size_t count)                                      \
    {                                                                                              \
        json_t *list = json_array();                                                               \
        for (size_t i = 0; i < count; i++)                                                         \
            json_array_append_new(list, element(&rows[i]));                                        \
        return list;                                                                               \
    }
/* The same of rows that belong to a machine. */
#define LIST_BY_MACHINE(name, row, element)                                                        \
    static json_t *name(const struct error_case *file, const struct row *rows, size_t count)       \
    {                                                                                              \
        json_t *list = json_array();                                                               \
        for (size_t i = 0; i < count; i++)                                                         \
            json_array_append_new(list, element(file, &rows[i]));                                  \
        return list;                                                                               \
    }
LIST_BY_MACHINE(all_best, error_best, best_json)
LIST_BY_MACHINE(all_counters, error_by_counters, counters_json)
LIST_BY_MACHINE(all_choices, error_choice, choice_json)
LIST_BY_MACHINE(all_slopes, error_slope, slope_json)
LIST(all_effects, error_effect, effect_json)
LIST(all_models, error_anova, model_json)
LIST(all_sizes, error_by_size, size_json)
LIST(all_multiplex, error_multiplex, multiplex_json)
LIST(all_advice, error_advice, advice_json)

static json_t *placements_json(const struct error_case *file, const struct error_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->placement_count; i++)
        json_array_append_new(list, placement_json(file, report, &report->placements[i]));
    return list;
}

static void put_frame(json_t *analysis, const struct erring *erring)
{
    const struct error_report *report = &erring->report;
    json_object_set_new(analysis, "store",
                        erring->store ? json_text(store_path(erring->store)) : json_null());
    json_object_set_new(analysis, "complete", json_boolean(erring->complete));
    json_object_set_new(analysis, "seconds", json_real(round(erring->seconds * 10) / 10));
    json_object_set_new(analysis, "measurements", json_count(report->measurements));
    json_object_set_new(analysis, "cells", json_count(report->cells_measured));
    json_object_set_new(analysis, "least_processes", json_count(report->least_processes));
}

json_t *error_analysis_json(const struct erring *erring)
{
    const struct error_report *report = &erring->report;
    json_t *analysis = json_object();
    put_frame(analysis, erring);
    json_object_set_new(analysis, "best",
                        all_best(&erring->file, report->best, report->best_count));
    json_object_set_new(analysis, "table3", table3_json());
    json_object_set_new(analysis, "anova", all_effects(report->effects, report->effect_count));
    json_object_set_new(analysis, "models", all_models(report->anovas, report->anova_count));
    json_object_set_new(
        analysis, "counters",
        all_counters(&erring->file, report->by_counters, report->by_counters_count));
    json_object_set_new(analysis, "choices",
                        all_choices(&erring->file, report->choices, report->choice_count));
    json_object_set_new(analysis, "stepped", stepped_json(&report->stepped));
    json_object_set_new(analysis, "slopes",
                        all_slopes(&erring->file, report->slopes, report->slope_count));
    json_object_set_new(analysis, "by_size", all_sizes(report->by_size, report->by_size_count));
    put_ticks(analysis, &report->ticks);
    json_object_set_new(analysis, "placement", placements_json(&erring->file, report));
    json_object_set_new(analysis, "multiplexing",
                        all_multiplex(report->multiplex, report->multiplex_count));
    json_object_set_new(analysis, "advice", all_advice(report->advice, report->advice_count));
    json_object_set_new(analysis, "doctor", checks_json(erring->facts));
    return analysis;
}

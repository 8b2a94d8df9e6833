/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` measured, as JSON (docs/json): a row a cell, and what the rows say together.
 */
#include <math.h>

#include "engine/claims.h"
#include "studies/error/parts.h"

/* Several members at once; their values are owned from here on. */
struct member {
    const char *key;
    json_t *value;
};
static void put_members(json_t *object, const struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, members[i].key, members[i].value);
}
#define PUT(object, ...)                                                                           \
    put_members(object, (const struct member[]){__VA_ARGS__},                                      \
                sizeof((const struct member[]){__VA_ARGS__}) / sizeof(struct member))

/* A list with one object for each i below the count. */
#define PUT_LIST(object, key, count, element)                                                      \
    do {                                                                                           \
        json_t *list = json_array();                                                               \
        for (size_t i = 0; i < (count); i++)                                                       \
            json_array_append_new(list, element);                                                  \
        json_object_set_new(object, key, list);                                                    \
    } while (0)

static json_t *put_spread(json_t *object, const struct error_spread *spread)
{
    PUT(object, {"min", json_difference(spread->min)}, {"q1", json_difference(spread->q1)},
        {"median", json_difference(spread->median)}, {"q3", json_difference(spread->q3)},
        {"max", json_difference(spread->max)});
    return object;
}

/* Which machine, where there are several. */
static void put_machine(json_t *object, const struct error_case *file, uint32_t machine)
{
    if (file->machine_count > 1 && machine < file->machine_count)
        PUT(object, {"machine", json_text(file->machines[machine].fingerprint)});
}

static json_t *row_json(const struct error_case *file, const struct error_row *row)
{
    const struct error_cell *cell = row->cell;
    json_t *object = json_object();
    PUT(object, {"event", json_text(cell->event)},
        {"mode", json_text(count_mode_names[cell->mode])},
        {"part", json_text(error_part_names[cell->part])}, {"path", json_text(cell->path)},
        {"pattern", json_text(pattern_names[cell->pattern])},
        {"counters", json_count(cell->counters)},
        {"others", cell->others && *cell->others ? json_text(cell->others) : json_null()},
        {"separate", json_boolean(cell->separate)}, {"opt", json_text(cell->opt)},
        {"link", json_text(cell->link)}, {"specimen", json_text(cell->specimen)},
        {"n", json_count(cell->n)});
    put_machine(object, file, cell->machine);
    PUT(object, {"runs", json_count(cell->runs)}, {"processes", json_count(cell->processes)},
        {"disturbed", json_count(cell->disturbed)}, {"multiplexed", json_count(cell->multiplexed)},
        {"unscheduled", json_count(cell->unscheduled)});
    if (cell->has_truth)
        PUT(object, {"truth", json_difference(cell->truth)});
    else
        json_absent(object, "truth", "nothing predicts this count: the figures are the counts");
    put_spread(object, &row->error);
    if (cell->part == PART_STEPPED) {
        PUT(object, {"stepped", json_difference(row->later.median)},
            {"stepped_first", json_difference(row->first.median)},
            {"stepped_varies", json_boolean(row->later.min != row->later.max)});
    } else if (row->has_stepped) {
        PUT(object, {"stepped", json_difference(row->stepped)},
            {"stepped_first", json_difference(row->stepped_first)},
            {"stepped_varies", json_boolean(row->stepped_varies)});
    } else {
        bool can_be = cell->mode == COUNT_USER && cell->base && !strcmp(cell->base, "instructions");
        const char *reason = can_be ? "this window was not stepped"
                                    : "only instructions in user mode can be stepped";
        json_absent(object, "stepped", reason);
        json_absent(object, "stepped_first", reason);
    }
    PUT(object, {"first", put_spread(json_object(), &row->first)},
        {"later", put_spread(json_object(), &row->later)});
    if (cell->failed)
        PUT(object, {"failed", json_count(cell->failed)},
            {"failed_reason", json_text(cell->reason)});
    return object;
}

json_t *error_results_json(const void *kept)
{
    const struct error_run *run = kept;
    json_t *list = json_array();
    for (size_t i = 0; i < run->report.row_count; i++)
        json_array_append_new(list, row_json(&run->file, &run->report.rows[i]));
    return list;
}

/* ----------------------------------------------------------------------------------------------
 * What the cells of `assay error` say together, as JSON (docs/json). */

static json_t *way_json(const char *event, enum count_mode mode, const char *path,
                        enum pattern pattern)
{
    json_t *object = json_object();
    PUT(object, {"event", json_text(event)}, {"mode", json_text(count_mode_names[mode])},
        {"path", json_text(path)}, {"pattern", json_text(pattern_names[pattern])});
    return object;
}

/* --- Table 3 --- */

static json_t *best_json(const struct error_case *file, const struct error_best *best)
{
    json_t *object = way_json(best->event, best->mode, best->path, best->pattern);
    PUT(object, {"stepped", json_boolean(best->stepped)});
    JSON_PUT_REALS(object, {"median", best->median, NULL});
    PUT(object, {"min", json_difference(best->min)}, {"subtract", json_difference(best->subtract)});
    JSON_PUT_REALS(object, {"low", best->spread_low, NULL}, {"high", best->spread_high, NULL});
    PUT(object, {"runs", json_count(best->runs)}, {"cells", json_count(best->cells)},
        {"overall", json_boolean(best->overall)});
    put_machine(object, file, best->machine);
    return object;
}

static json_t *table3_json(const struct error_table3 *row)
{
    json_t *object = json_object();
    PUT(object, {"mode", json_text(row->mode)}, {"tool", json_text(row->tool)},
        {"like", json_text(row->like)}, {"pattern", json_text(pattern_names[row->pattern])},
        {"median", json_real(row->median)}, {"min", json_difference(row->min)});
    return object;
}

/* --- factors --- */

static json_t *effect_json(const struct error_effect *effect)
{
    static const char infinite[] = "processes of a cell never differ: F has no finite value";
    static const char of_one[] = "a range is of the levels of one factor";
    bool several = (effect->factors & (effect->factors - 1)) != 0;
    json_t *object = json_object();
    PUT(object, {"event", json_text(effect->event)}, {"stepped", json_boolean(effect->stepped)},
        {"factor", json_text(effect->name)}, {"df", json_count(effect->df)});
    JSON_PUT_REALS(object, {"sum_sq", effect->sum_sq, NULL}, {"f", effect->f, infinite},
                   {"p", effect->p, infinite}, {"effect_size", effect->effect_size, NULL},
                   {"share_within", effect->share_within, NULL}, {"partial", effect->partial, NULL},
                   {"range", several ? NAN : effect->range, several ? of_one : NULL});
    PUT(object, {"significant", json_boolean(effect->significant)},
        {"matters", json_boolean(effect->matters)});
    return object;
}

json_t *error_anova_json(const void *kept)
{
    const struct error_report *report = &((const struct error_run *)kept)->report;
    json_t *list = json_array();
    for (size_t i = 0; i < report->effect_count; i++)
        json_array_append_new(list, effect_json(&report->effects[i]));
    return list;
}

static json_t *model_json(const struct error_anova *anova)
{
    json_t *object = json_object();
    PUT(object, {"event", json_text(anova->event)}, {"stepped", json_boolean(anova->stepped)},
        {"replicates", json_count(anova->count)}, {"cells", json_count(anova->cells)},
        {"constant_cells", json_count(anova->constant_cells)},
        {"empty_cells", json_count(anova->empty_cells)},
        {"no_variance", json_boolean(anova->no_variance)});
    JSON_PUT_REALS(object, {"r_squared", anova->r_squared, NULL},
                   {"residual_sum_sq", anova->residual_sum, NULL},
                   {"total_sum_sq", anova->total_sum, NULL});
    PUT(object, {"residual_df", json_count(anova->residual_df)},
        {"note", anova->note[0] ? json_text(anova->note) : json_null()});
    return object;
}

/* --- counters --- */

static json_t *counters_json(const struct error_case *file, const struct error_by_counters *by)
{
    json_t *object = way_json(by->event, by->mode, by->path, by->pattern), *points = json_array();
    PUT(object, {"stepped", json_boolean(by->stepped)}, {"separate", json_boolean(by->separate)});
    for (size_t i = 0; i < by->points; i++) {
        json_t *point = json_object();
        PUT(point, {"counters", json_count(by->counters[i])});
        JSON_PUT_REALS(point, {"median", by->medians[i], NULL});
        PUT(point, {"min", json_difference(by->mins[i])});
        json_array_append_new(points, point);
    }
    PUT(object, {"points", points});
    JSON_PUT_REALS(object, {"slope", by->slope, NULL}, {"low", by->low, NULL},
                   {"high", by->high, NULL});
    put_machine(object, file, by->machine);
    return object;
}

static json_t *choice_json(const struct error_case *file, const struct error_choice *choice)
{
    json_t *object = json_object();
    PUT(object, {"event", json_text(choice->event)}, {"path", json_text(choice->path)},
        {"pattern", json_text(pattern_names[choice->pattern])},
        {"others", json_text(choice->others)}, {"counters", json_count(choice->counters)});
    JSON_PUT_REALS(object, {"median", choice->median, NULL},
                   {"plain", choice->plain, "it was not measured beside itself"});
    put_machine(object, file, choice->machine);
    return object;
}

/* --- measured against stepped --- */

static json_t *agreement_json(const struct error_agreement *agreement)
{
    const struct error_cell *cell = agreement->row->cell;
    json_t *object = way_json(cell->event, cell->mode, cell->path, cell->pattern);
    PUT(object, {"counters", json_count(cell->counters)}, {"opt", json_text(cell->opt)},
        {"link", json_text(cell->link)}, {"stepped", json_difference(agreement->row->stepped)},
        {"difference", json_difference(agreement->difference)},
        {"first_difference", json_difference(agreement->first_difference)},
        {"edge", json_difference(agreement->edge)}, {"runs", json_count(agreement->runs)},
        {"agreeing", json_count(agreement->agreeing)});
    return object;
}

static json_t *stepped_json(const struct error_stepped *stepped)
{
    json_t *object = json_object();
    PUT(object, {"comparable", json_count(stepped->comparable)},
        {"equal", json_count(stepped->equal)});
    if (stepped->comparable)
        PUT(object, {"edge", json_difference(stepped->edge)});
    else
        json_absent(object, "edge", "no cell was both measured and stepped");
    PUT_LIST(object, "cells", stepped->comparable, agreement_json(&stepped->list[i]));
    return object;
}

/* --- duration --- */

static json_t *slope_json(const struct error_case *file, const struct error_slope *slope)
{
    json_t *object = json_object();
    put_machine(object, file, slope->machine);
    PUT(object, {"event", json_text(slope->event)},
        {"mode", json_text(count_mode_names[slope->mode])}, {"path", json_text(slope->path)},
        {"pattern", json_text(pattern_names[slope->pattern])});
    JSON_PUT_REALS(object, {"slope", slope->slope, NULL}, {"low", slope->low, NULL},
                   {"high", slope->high, NULL}, {"intercept", slope->intercept, NULL},
                   {"detectable", slope->detectable, NULL});
    PUT(object, {"exact", json_boolean(slope->exact)}, {"runs", json_count(slope->runs)},
        {"points", json_count(slope->points)}, {"longest", json_count(slope->longest)});
    return object;
}

static json_t *size_json(const struct error_by_size *size)
{
    json_t *object = json_object();
    PUT(object, {"event", json_text(size->event)}, {"path", json_text(size->path)},
        {"n", json_count(size->n)}, {"runs", json_count(size->runs)});
    put_spread(object, &size->spread);
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
    PUT(object, {"agrees", json_boolean(ticks->agrees)});
    PUT(analysis, {"ticks", object});
}

/* --- placement and multiplexing --- */

static json_t *placement_json(const struct error_run *run, const struct error_placement *placement)
{
    json_t *object = json_object(), *places = json_array();
    put_machine(object, &run->file, placement->machine);
    PUT(object, {"event", json_text(placement->event)},
        {"is_time", json_boolean(placement->is_time)});
    JSON_PUT_REALS(object, {"least", placement->least, NULL}, {"most", placement->most, NULL},
                   {"factor", placement->factor, NULL}, {"factor_low", placement->factor_low, NULL},
                   {"factor_high", placement->factor_high, NULL},
                   {"by_place", placement->by_place, NULL});
    for (size_t i = 0; i < placement->places; i++) {
        const struct error_place *of = &run->report.places[placement->first + i];
        json_t *place = json_object();
        PUT(place, {"offset", json_difference(of->offset)});
        JSON_PUT_REALS(place, {"per_iteration", of->per_iteration, NULL}, {"low", of->low, NULL},
                       {"high", of->high, NULL});
        PUT(place, {"processes", json_count(of->processes)});
        json_array_append_new(places, place);
    }
    PUT(object, {"places", places});
    if (!placement->has_windows) {
        json_absent(object, "windows", "the loop was not measured in the windows of the patterns");
        return object;
    }
    json_t *windows = json_object();
    JSON_PUT_REALS(windows, {"factor", placement->window_factor, NULL},
                   {"by_pattern", placement->by_pattern, NULL}, {"by_opt", placement->by_opt, NULL},
                   {"by_both", placement->by_both, NULL}, {"p_pattern", placement->p_pattern, NULL},
                   {"p_opt", placement->p_opt, NULL}, {"p_both", placement->p_both, NULL});
    PUT(object, {"windows", windows});
    return object;
}

static json_t *multiplex_json(const struct error_multiplex *multiplex)
{
    json_t *object = json_object();
    PUT(object, {"event", json_text(multiplex->event)}, {"path", json_text(multiplex->path)},
        {"specimen", json_text(multiplex->specimen)}, {"phased", json_boolean(multiplex->phased)},
        {"counters", json_count(multiplex->counters)}, {"runs", json_count(multiplex->runs)});
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
    PUT(object, {"mode", json_text(count_mode_names[advice->mode])},
        {"event", json_text(advice->event)}, {"text", json_text(advice->text)});
    return object;
}

static json_t *check_json(const struct error_check *check)
{
    json_t *object = json_object();
    PUT(object, {"check", json_text(check->check->name)},
        {"status", json_text(check_status_names[check->advice.status])},
        {"value", json_text(check->advice.value)}, {"fix", json_text(check->advice.fix)});
    return object;
}

json_t *error_analysis_json(const void *kept)
{
    const struct error_run *run = kept;
    const struct error_report *report = &run->report;
    const struct error_case *file = &run->file;
    json_t *analysis = json_object();
    struct error_check *checks;
    const size_t check_count = error_checks(run->studying.facts, &checks);
    PUT(analysis, {"store", run->studying.stored ? json_text(run->studying.stored) : json_null()},
        {"complete", json_boolean(run->studying.complete)},
        {"seconds", json_real(round(run->studying.seconds * 10) / 10)},
        {"measurements", json_count(report->measurements)},
        {"cells", json_count(report->cells_measured)},
        {"least_processes", json_count(report->least_processes)});
    PUT_LIST(analysis, "best", report->best_count, best_json(file, &report->best[i]));
    PUT_LIST(analysis, "table3", sizeof(error_table3) / sizeof(*error_table3),
             table3_json(&error_table3[i]));
    PUT(analysis, {"anova", error_anova_json(run)});
    PUT_LIST(analysis, "models", report->anova_count, model_json(&report->anovas[i]));
    PUT_LIST(analysis, "counters", report->by_counters_count,
             counters_json(file, &report->by_counters[i]));
    PUT_LIST(analysis, "choices", report->choice_count, choice_json(file, &report->choices[i]));
    PUT(analysis, {"stepped", stepped_json(&report->stepped)});
    PUT_LIST(analysis, "slopes", report->slope_count, slope_json(file, &report->slopes[i]));
    PUT_LIST(analysis, "by_size", report->by_size_count, size_json(&report->by_size[i]));
    put_ticks(analysis, &report->ticks);
    PUT_LIST(analysis, "placement", report->placement_count,
             placement_json(run, &report->placements[i]));
    PUT_LIST(analysis, "multiplexing", report->multiplex_count,
             multiplex_json(&report->multiplex[i]));
    PUT_LIST(analysis, "advice", report->advice_count, advice_json(&report->advice[i]));
    PUT_LIST(analysis, "doctor", check_count, check_json(&checks[i]));
    return analysis;
}

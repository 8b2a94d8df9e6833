/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay overhead` measured, as JSON (docs/json): a row a cell. What the rows say together is
 * in overhead-json-analysis.c. */
#include "cli/overhead-json.h"

#include <math.h>

#include "engine/claims.h"

void overhead_put_machine_json(json_t *object, const struct overhead_case *file, uint32_t machine)
{
    if (machine >= file->machine_count)
        return;
    if (file->machine_count > 1)
        json_object_set_new(object, "machine", json_text(file->machines[machine].fingerprint));
    json_object_set_new(object, "emulated", json_boolean(file->machines[machine].emulated));
}

void overhead_put_meter_json(json_t *object, const struct overhead_meter *meter)
{
    const char *mode = meter && meter->mode && *meter->mode ? meter->mode : NULL;
    json_object_set_new(object, "unit", json_text(meter ? meter_unit_names[meter->unit] : "ns"));
    json_object_set_new(object, "mode", json_text(mode));
    json_object_set_new(object, "meter", json_text(meter ? meter->event : NULL));
}

void overhead_put_operation_json(json_t *object, const struct overhead_case *file,
                                 uint32_t operation)
{
    bool known = operation < file->operation_count;
    json_object_set_new(object, "path", json_text(known ? file->operations[operation].path : "?"));
    json_object_set_new(object, "operation",
                        json_text(known ? file->operations[operation].kind : "?"));
}

static void put_predecessor(json_t *object, const struct overhead_case *file,
                            const struct overhead_row *row)
{
    bool known = !row->all_predecessors && row->predecessor >= 0 &&
                 (size_t)row->predecessor < file->operation_count;
    json_object_set_new(object, "predecessor",
                        json_text(known ? file->operations[row->predecessor].name : NULL));
    json_object_set_new(object, "predecessor_times",
                        known ? json_count(row->predecessor_times) : json_null());
    json_object_set_new(object, "all_predecessors", json_boolean(row->all_predecessors));
}

/* The factors that make a cell what it is. */
static void put_factors(json_t *object, const struct overhead_case *file,
                        const struct overhead_row *row)
{
    bool cold = row->temperature == TEMPERATURE_COLD;
    overhead_put_operation_json(object, file, row->operation);
    json_object_set_new(object, "variant", json_text(row->variant));
    json_object_set_new(object, "link", json_text(row->link));
    json_object_set_new(object, "counted", json_text(row->counted));
    json_object_set_new(object, "events", json_count(row->events));
    json_object_set_new(object, "layout", json_text(row->separate ? "separate" : "group"));
    json_object_set_new(object, "reads", json_count(row->reads));
    json_object_set_new(object, "temperature", json_text(temperature_names[row->temperature]));
    json_object_set_new(object, "position", cold ? json_count(row->position) : json_null());
    put_predecessor(object, file, row);
    overhead_put_meter_json(object, row->meter);
    overhead_put_machine_json(object, file, row->machine);
}

static json_t *levels_json(const struct overhead_row *row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < row->level_count && i < OVERHEAD_MOST_LEVELS; i++) {
        const struct overhead_level *level = &row->levels[i];
        json_t *object = json_object();
        JSON_PUT_REALS(object, {"median", level->median, NULL}, {"q1", level->q1, NULL},
                       {"q3", level->q3, NULL}, {"share", level->share, NULL});
        json_object_set_new(object, "processes", json_count(level->processes));
        json_array_append_new(list, object);
    }
    return list;
}

static const char *levels_by(enum level_kind kind)
{
    static const char *const words[] = {[LEVELS_BY_PROCESS] = "process",
                                        [LEVELS_BY_CALL] = "call",
                                        [LEVELS_BY_PREDECESSOR] = "predecessor"};
    return words[kind];
}

static void put_outliers(json_t *object, const struct overhead_row *row)
{
    json_object_set_new(object, "outliers", json_count(row->outliers));
    json_object_set_new(object, "outliers_faulted", json_count(row->outliers_faulted));
    json_object_set_new(object, "outliers_switched", json_count(row->outliers_switched));
    if (row->temperature == TEMPERATURE_COLD)
        json_object_set_new(object, "faults", json_count(row->faults));
    else
        json_absent(object, "faults", "the account of a warm tour is taken once a pass");
}

static json_t *row_json(const struct overhead_case *file, const struct overhead_row *row)
{
    static const char none[] = "no call of an undisturbed pass";
    /* Figures of no runs are none, whatever the memory held. */
    double missing = row->runs ? 0 : NAN;
    json_t *object = json_object();
    put_factors(object, file, row);
    json_object_set_new(object, "processes", json_count(row->processes));
    json_object_set_new(object, "runs", json_count(row->runs));
    json_object_set_new(object, "disturbed", json_count(row->disturbed));
    JSON_PUT_REALS(object, {"disturbed_median", row->disturbed_median, "no pass was disturbed"},
                   {"min", row->min + missing, none}, {"q1", row->q1 + missing, none},
                   {"median", row->median + missing, none}, {"q3", row->q3 + missing, none},
                   {"p99", row->p99 + missing, none}, {"max", row->max + missing, none},
                   {"low", row->low + missing, none}, {"high", row->high + missing, none});
    json_object_set_new(object, "levels", levels_json(row));
    json_object_set_new(object, "levels_by", json_text(levels_by(row->levels_kind)));
    put_outliers(object, row);
    return object;
}

json_t *overhead_results_json(const struct overhead_run *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->report.row_count; i++)
        json_array_append_new(list, row_json(&run->file, &run->report.rows[i]));
    return list;
}

json_t *overhead_findings_json(const struct overhead_run *run)
{
    return claims_json(run->report.findings, OVERHEAD_FINDINGS);
}

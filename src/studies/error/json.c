/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` measured, as JSON (docs/json): a row a cell. What the rows say together is in
 * error-analysis-json.c. */
#include "cli/error-show.h"
#include "engine/claims.h"

void error_put_spread_json(json_t *object, const struct error_spread *spread)
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

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of `assay repeat` for programs (docs/json): one event of one program under one setting,
 * with every count behind the figures. What they say together is in repeat-json-analysis.c. */
#include <math.h>

#include "engine/claims.h"
#include "cli/repeat-show.h"

static json_t *counts_json(const struct repeat_cell *cell, uint32_t event)
{
    json_t *counts = json_array();
    for (size_t i = 0; i < cell->runs; i++)
        json_array_append_new(counts, json_count(cell->counts[i * cell->events + event]));
    return counts;
}

static void put_adjusted(json_t *object, const struct repeat_row *row)
{
    static const char none[] = "neither a truth nor a source says what it should be";
    static const char few[] = "there are fewer than two runs, or the mean is 0";
    if (!row->is_adjusted) {
        json_absent(object, "adjusted", "what faults and interrupts add to it is not known");
        return;
    }
    json_t *adjusted = json_object();
    JSON_PUT_REALS(adjusted, {"mean", row->adjusted_mean, few}, {"stdev", row->adjusted_stdev, few},
                   {"cv_percent", row->adjusted_cv_percent, few}, {"residual", row->residual, none},
                   {"residual_low", row->residual_low, none},
                   {"residual_high", row->residual_high, none});
    json_object_set_new(object, "adjusted", adjusted);
}

/* Figures of no runs are none, whatever the memory held. */
static void put_figures(json_t *object, const struct repeat_row *row)
{
    static const char unrun[] = "no run could be counted";
    static const char few[] = "there are fewer than two runs, or the mean is 0";
    if (row->runs) {
        json_object_set_new(object, "min", json_count(row->min));
        json_object_set_new(object, "max", json_count(row->max));
    } else {
        json_absent(object, "min", unrun);
        json_absent(object, "max", unrun);
    }
    const double missing = row->runs ? 0 : NAN;
    JSON_PUT_REALS(object, {"mean", row->mean + missing, unrun},
                   {"stdev", row->stdev + missing, few},
                   {"cv_percent", row->cv_percent + missing, few});
}

static json_t *row_json(const struct repeat_run_of *run, const struct repeat_row *row,
                        const struct repeat_cell *cell)
{
    char setting[200];
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(cell->event[row->event]));
    json_object_set_new(object, "source", json_text(cell->source));
    json_object_set_new(object, "setting",
                        json_text(setting_name(cell->controls, setting, sizeof(setting))));
    json_object_set_new(object, "runs", json_count(row->runs));
    json_object_set_new(object, "counts", counts_json(cell, row->event));
    put_figures(object, row);
    put_adjusted(object, row);
    json_object_set_new(object, "program", json_text(repeat_program_name(run, cell->program)));
    json_object_set_new(object, "machine", json_text(repeat_machine_name(run, cell->machine)));
    json_object_set_new(object, "class",
                        json_text(cell->class[row->event] && *cell->class[row->event]
                                      ? cell->class[row->event]
                                      : NULL));
    json_object_set_new(object, "sweep",
                        json_text(cell->sweep > SWEEP_NONE && cell->sweep < SWEEP_COUNT
                                      ? sweep_names[cell->sweep]
                                      : NULL));
    json_object_set_new(object, "swept", json_count(cell->swept));
    json_object_set_new(object, "apart", json_count(row->apart));
    json_object_set_new(object, "distinct", json_count(row->distinct));
    json_object_set_new(object, "identical", json_count(repeat_alike(run, row)));
    JSON_PUT_REALS(object, {"median", row->runs ? row->usual : NAN, "no run could be counted"});
    json_object_set_new(object, "failed", json_count(cell->failed));
    return object;
}

json_t *repeat_results_json(const struct repeat_run_of *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        const struct repeat_cell *cell = repeat_cell_of(run, row);
        if (cell)
            json_array_append_new(list, row_json(run, row, cell));
    }
    return list;
}

json_t *repeat_findings_json(const struct repeat_run_of *run)
{
    return claims_json(run->report.findings, REPEAT_FINDINGS);
}

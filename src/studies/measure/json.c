/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One result of a measurement as JSON (docs/json). */
#include "base/text.h"
#include "cli/measure-rows.h"
#include "output/json.h"

static void put_maybe(json_t *object, const char *key, struct maybe number, const char *reason)
{
    if (number.known)
        json_object_set_new(object, key, json_difference(number.value));
    else
        json_absent(object, key, reason);
}

static json_t *values_json(const struct reading *readings, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        bool counted = reading_value(&readings[i], &value);
        json_array_append_new(list, counted ? json_count(value) : json_null());
    }
    return list;
}

static void put_factors_json(json_t *object, const struct row *row)
{
    const struct cell *cell = &row->cell->cell;
    json_object_set_new(object, "event", json_text(cell->events[row->counter]));
    json_object_set_new(object, "path", json_text(cell->path));
    json_object_set_new(object, "pattern", json_text(pattern_names[cell->pattern]));
    json_object_set_new(object, "specimen", json_text(cell->specimen));
    json_object_set_new(object, "n", json_count(cell->n));
    json_object_set_new(object, "counters", json_count(cell->counters));
    json_object_set_new(object, "opt", json_text(cell->opt));
    json_object_set_new(object, "link", json_text(cell->link));
    json_object_set_new(object, "separate", json_boolean(cell->separate));
    json_object_set_new(object, "cpu", cell->cpu < 0 ? json_null() : json_integer(cell->cpu));
    json_object_set_new(object, "processes", json_count(row->cell->done));
    json_object_set_new(object, "class", json_text(row->cell->counters[row->counter].class));
}

static void put_quantiles_json(json_t *object, const struct summary *summary)
{
    const struct {
        const char *key;
        uint64_t value;
    } quantiles[] = {{"min", summary->values.min},
                     {"q1", summary->values.q1},
                     {"median", summary->values.median},
                     {"q3", summary->values.q3},
                     {"max", summary->values.max}};
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        if (summary->judged)
            json_object_set_new(object, quantiles[i].key, json_count(quantiles[i].value));
        else
            json_absent(object, quantiles[i].key, "no run got a counter");
    }
}

/* The limits of a truth: both the truth itself where it is known. */
static void put_limits_json(json_t *object, const struct row *row)
{
    const struct summary *summary = &row->summary;
    struct maybe low = summary->expected.truth, high = low;
    if (summary->limits.known) {
        low = (struct maybe){true, summary->limits.low};
        high = (struct maybe){true, summary->limits.high};
    }
    put_maybe(object, "truth_low", low, row->why_no_truth);
    put_maybe(object, "truth_high", high, row->why_no_truth);
}

json_t *row_json(const struct row *row, const struct reading *readings, size_t count)
{
    const struct summary *summary = &row->summary;
    const char *no_error = summary->expected.truth.known
                               ? "the counts cannot be compared with the truth"
                           : summary->limits.known ? "only limits of the truth are known"
                                                   : row->why_no_truth;
    AUTO_TEXT struct text note = {0};
    row_sentence(row, &note);
    json_t *object = json_object();
    put_factors_json(object, row);
    json_object_set_new(object, "runs", json_count(summary->runs));
    json_object_set_new(object, "values", values_json(readings, count));
    put_maybe(object, "truth", summary->expected.truth, row->why_no_truth);
    put_limits_json(object, row);
    json_object_set_new(object, "truth_grade", json_text(row_grade(row)));
    put_maybe(object, "overhead", summary->expected.overhead, "no null cell was measured");
    put_maybe(object, "error", summary->error, no_error);
    put_maybe(object, "error_min", summary->error_min, no_error);
    put_maybe(object, "error_max", summary->error_max, no_error);
    put_quantiles_json(object, summary);
    json_object_set_new(object, "constant", json_boolean(summary->constant));
    json_object_set_new(object, "disturbed", json_count(summary->disturbed));
    json_object_set_new(object, "multiplexed", json_count(summary->multiplexed));
    json_object_set_new(object, "scaling_min", json_real(summary->scaling_min));
    json_object_set_new(object, "scaling_max", json_real(summary->scaling_max));
    json_object_set_new(object, "unscheduled", json_count(summary->unscheduled));
    json_object_set_new(object, "note", json_text(text_string(&note)));
    return object;
}

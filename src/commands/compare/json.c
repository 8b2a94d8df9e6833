/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A comparison for programs: a row a quantity and side, and what all of it says. */
#include <math.h>

#include "commands/compare/compare.h"

static const char too_few[] = "there are too few values for one";
static const char not_compared[] = "it was not compared";

/* What it is and how it stands, as every row begins. */
static json_t *row_of(const struct compare_quantity *quantity, size_t side,
                      enum compare_standing standing, const char *unit)
{
    json_t *row = json_object();
    json_object_set_new(row, "study", json_text(quantity->study));
    json_object_set_new(row, "event", json_text(quantity->event));
    json_object_set_new(row, "subject", json_text(quantity->subject));
    json_object_set_new(row, "side", compare_letter_json(side));
    json_object_set_new(row, "standing", json_text(compare_standing_names[standing]));
    json_object_set_new(row, "unit", json_text(unit));
    return row;
}

static json_t *effect_json(const struct comparing *comparing, const struct compare_effect *effect)
{
    const struct compare_quantity *quantity = &comparing->file.quantities[effect->quantity];
    const bool compared = effect->group != COMPARE_NO_GROUP;
    const char *why = compared ? too_few : not_compared;
    json_t *row = row_of(quantity, effect->side, effect->standing, effect->unit);
    json_object_set_new(row, "factors", json_text(quantity->factors));
    json_object_set_new(row, "timed", json_boolean(quantity->timed));
    json_object_set_new(row, "first_processes", json_count(effect->first_count));
    json_object_set_new(row, "processes", json_count(effect->count));
    if (effect->why)
        json_object_set_new(row, "why", json_text(effect->why));
    const struct interval none = {(double)NAN, (double)NAN};
    const struct interval *shift = compared ? &effect->shift_interval : &none,
                          *delta = compared ? &effect->delta_interval : &none,
                          *ratio = compared ? &effect->ratio_interval : &none;
    JSON_PUT_REALS(row, {"first_median", effect->first_median, not_compared},
                   {"median", effect->median, not_compared}, {"shift", effect->shift, not_compared},
                   {"shift_low", shift->low, why}, {"shift_high", shift->high, why},
                   {"ratio", effect->ratio, compared ? "a value is not positive" : not_compared},
                   {"ratio_low", ratio->low, why}, {"ratio_high", ratio->high, why},
                   {"delta", effect->delta, not_compared}, {"delta_low", delta->low, why},
                   {"delta_high", delta->high, why}, {"p", effect->p, not_compared},
                   {"adjusted_p", effect->adjusted_p, not_compared});
    return row;
}

json_t *compare_results_json(const struct comparing *comparing)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < comparing->report.effect_count; i++)
        json_array_append_new(rows, effect_json(comparing, &comparing->report.effects[i]));
    return rows;
}

static json_t *sides_json(const struct comparing *comparing)
{
    json_t *sides = json_array();
    for (size_t i = 0; i < comparing->file.side_count; i++) {
        const struct compare_side *side = &comparing->file.sides[i];
        json_t *runs = json_array(), *row = json_object();
        for (size_t j = 0; j < comparing->reported.count; j++)
            if (comparing->side_of[j] == i) {
                json_t *run = json_object();
                json_object_set_new(run, "store", json_text(comparing->reported.list[j].run->name));
                json_object_set_new(run, "command",
                                    json_text(comparing->reported.list[j].run->command));
                json_array_append_new(runs, run);
            }
        json_object_set_new(row, "side", compare_letter_json(i));
        json_object_set_new(row, "label", json_text(side->label));
        json_object_set_new(row, "machine", json_machine(&comparing->facts[i], side->fingerprint));
        json_object_set_new(row, "runs", runs);
        json_put_real(row, "tick_ns", side->tick_ns > 0 ? side->tick_ns : (double)NAN,
                      "no run of `assay clocks` tells it");
        json_array_append_new(sides, row);
    }
    return sides;
}

static json_t *facts_json_of(const struct comparing *comparing)
{
    static const char *const weights[] = {"code", "machine", "setting"};
    json_t *facts = json_array();
    for (size_t i = 0; i < comparing->file.fact_count; i++) {
        const struct compare_fact *fact = &comparing->file.facts[i];
        json_t *row = json_object(), *values = json_array();
        if (!comparing->report.fact_differs[i]) {
            json_decref(row);
            json_decref(values);
            continue;
        }
        for (size_t side = 0; side < comparing->file.side_count; side++)
            json_array_append_new(values, json_text(fact->values[side]));
        json_object_set_new(row, "fact", json_text(fact->key));
        json_object_set_new(row, "title", json_text(fact->title));
        json_object_set_new(row, "weight", json_text(weights[fact->weight]));
        json_object_set_new(row, "values", values);
        json_array_append_new(facts, row);
    }
    return facts;
}

static json_t *word_json(const struct compare_word *word)
{
    if (!word->word)
        return json_null();
    json_t *row = json_object();
    json_object_set_new(row, "verdict", json_text(word->word));
    json_object_set_new(row, "detail", json_text(word->detail));
    json_object_set_new(row, "unsure", json_boolean(word->unsure));
    if (word->runs) {
        json_object_set_new(row, "alike", json_count(word->hits));
        json_object_set_new(row, "runs", json_count(word->runs));
    }
    return row;
}

static json_t *verdicts_json(const struct comparing *comparing)
{
    json_t *verdicts = json_array();
    for (size_t i = 0; i < comparing->report.verdict_count; i++) {
        const struct compare_verdict *verdict = &comparing->report.verdicts[i];
        const struct compare_claim *claim = &comparing->file.claims[verdict->claim];
        json_t *row = json_object(), *sides = json_array();
        for (size_t side = 0; side < comparing->file.side_count; side++)
            json_array_append_new(sides, word_json(&claim->sides[side]));
        json_object_set_new(row, "study", json_text(claim->study));
        json_object_set_new(row, "subject", json_text(claim->subject));
        json_object_set_new(row, "standing", json_text(compare_standing_names[verdict->standing]));
        json_object_set_new(row, "sides", sides);
        json_put_real(row, "adjusted_p", verdict->adjusted_p, "it counts no runs");
        json_array_append_new(verdicts, row);
    }
    return verdicts;
}

static json_t *group_json(const struct comparing *comparing, const struct compare_group *group)
{
    static const char alone[] = "it is one quantity alone, or nothing in it varies";
    const struct compare_effect *typical = &comparing->report.effects[group->typical];
    json_t *row = row_of(&comparing->file.quantities[group->quantity], group->side, group->standing,
                         group->unit);
    json_object_set_new(row, "quantities", json_count(group->quantities));
    json_object_set_new(row, "differing", json_count(group->differing));
    json_object_set_new(row, "typical",
                        json_text(comparing->file.quantities[typical->quantity].factors));
    JSON_PUT_REALS(
        row, {"first_median", typical->first_median, too_few}, {"median", typical->median, too_few},
        {"shift", typical->shift, too_few}, {"ratio", typical->ratio, "a value is not positive"},
        {"delta", group->delta, too_few}, {"delta_low", group->delta_interval.low, too_few},
        {"delta_high", group->delta_interval.high, too_few}, {"p", group->p, alone},
        {"adjusted_p", group->adjusted_p, alone});
    return row;
}

static json_t *groups_json(const struct comparing *comparing)
{
    json_t *groups = json_array();
    for (size_t i = 0; i < comparing->report.group_count; i++)
        json_array_append_new(groups, group_json(comparing, &comparing->report.groups[i]));
    return groups;
}

static json_t *deviations_json(const struct comparing *comparing)
{
    json_t *deviations = json_array();
    for (size_t i = 0; i < comparing->report.deviation_count; i++) {
        const struct compare_deviation *deviation = &comparing->report.deviations[i];
        const struct compare_quantity *quantity = &comparing->file.quantities[deviation->quantity];
        json_t *row = json_object();
        json_object_set_new(row, "program", json_text(quantity->subject));
        json_object_set_new(row, "event", json_text(quantity->event));
        json_object_set_new(row, "sides", json_count(deviation->machines));
        JSON_PUT_REALS(row, {"mean", deviation->mean, NULL},
                       {"deviation_percent", deviation->deviation_percent, NULL},
                       {"worst_percent", deviation->worst_percent, NULL});
        json_array_append_new(deviations, row);
    }
    return deviations;
}

static json_t *anova_json(const struct comparing *comparing)
{
    json_t *rows = compare_anova(comparing);
    return rows ? json_incref(rows) : json_array();
}

json_t *compare_analysis_json(const struct comparing *comparing)
{
    json_t *analysis = json_object();
    json_object_set_new(analysis, "different", json_boolean(comparing->report.different));
    json_object_set_new(analysis, "headline", compare_headline(comparing));
    json_object_set_new(analysis, "sides", sides_json(comparing));
    json_object_set_new(analysis, "facts", facts_json_of(comparing));
    json_object_set_new(analysis, "verdicts", verdicts_json(comparing));
    json_object_set_new(analysis, "groups", groups_json(comparing));
    json_object_set_new(analysis, "deviations", deviations_json(comparing));
    json_object_set_new(analysis, "anova", anova_json(comparing));
    json_object_set_new(analysis, "tests", json_count(comparing->report.tests));
    json_object_set_new(analysis, "notes", json_incref(comparing->notes));
    return analysis;
}

json_t *compare_skipped_json(const struct comparing *comparing)
{
    json_t *skipped = json_array();
    for (size_t i = 0; i < comparing->reported.count; i++) {
        const struct reported_run *judged = &comparing->reported.list[i];
        if (judged->reason)
            json_array_append_new(skipped, json_skipped(judged->run->name, judged->reason, 0));
    }
    return skipped;
}

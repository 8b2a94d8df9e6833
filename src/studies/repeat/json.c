/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of `assay repeat` for programs (docs/json): one event of one program under one setting,
 * with every count behind the figures; and what they say together. */
#include <math.h>
#include <stdint.h>

#include "engine/claims.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What all rows say together: effects of controls, sweeps, causes, sources held against each other,
 * contributions of the operating system, the proper counters, and the programs themselves. */

static const char few[] = "there are fewer than two runs, or the mean is 0";

static json_t *named(const struct repeating *run, size_t machine, size_t program)
{
    return JSON_OBJECT({"program", json_text(repeat_program_name(run, program))},
                       {"machine", json_text(repeat_machine_name(run, machine))});
}

/* --- which control brings what --- */

static json_t *part_json(const struct control_part *part, enum control control)
{
    static const char unmeasured[] = "this setting was not measured";
    json_t *object = JSON_OBJECT({"control", json_text(control_names[control])});
    JSON_PUT_REALS(
        object, {"only_cv_percent", part->only_cv, unmeasured},
        {"only_part", part->only_part, unmeasured}, {"only_low", part->only_low, unmeasured},
        {"only_high", part->only_high, unmeasured}, {"only_shift", part->only_shift, unmeasured});
    JSON_PUT(object, {"only_shifts", json_boolean(part->only_shifts)});
    JSON_PUT_REALS(object, {"without_cv_percent", part->without_cv, unmeasured},
                   {"without_part", part->without_part, unmeasured},
                   {"without_low", part->without_low, unmeasured},
                   {"without_high", part->without_high, unmeasured},
                   {"without_shift", part->without_shift, unmeasured});
    return JSON_PUT(object, {"without_shifts", json_boolean(part->without_shifts)},
                    {"brings", json_boolean(part->brings)},
                    {"needed", json_boolean(part->is_needed)});
}

static void put_cv(json_t *object, const char *key, const struct repeat_row *row)
{
    json_put_real(object, key, row && row->runs ? row->cv_percent : NAN, few);
}

static json_t *effect_json(const struct repeating *run, const struct repeat_effect *effect)
{
    const struct repeat_row *as_is = repeat_row_at(run, effect->as_is);
    const struct repeat_cell *cell = repeat_cell_of(run, as_is);
    const char *none =
        isinf(effect->ratio) ? "controlled runs are identical" : "neither setting varies";
    json_t *parts = json_array(),
           *object = named(run, cell ? cell->machine : SIZE_MAX, cell ? cell->program : SIZE_MAX);
    JSON_PUT(object, {"source", json_text(cell ? cell->source : "?")},
             {"event", json_text(repeat_event_of(run, as_is))});
    put_cv(object, "as_is_cv_percent", as_is);
    put_cv(object, "controlled_cv_percent", repeat_row_at(run, effect->controlled));
    JSON_PUT_REALS(object, {"ratio", effect->ratio, none}, {"ratio_low", effect->ratio_low, none},
                   {"ratio_high", effect->ratio_high, none});
    for (int control = 0; control < CONTROL_COUNT; control++)
        json_array_append_new(parts, part_json(&effect->parts[control], (enum control)control));
    return JSON_PUT(object, {"who", json_text(effect->who)}, {"controls", parts});
}

/* --- the others --- */

static json_t *program_json(const struct repeating *run, const struct repeat_program *known)
{
    const size_t program = (size_t)(known - run->file.programs);
    const struct repeat_effect *effect = NULL;
    for (size_t machine = 0; machine < run->file.machine_count && !effect; machine++)
        effect = repeat_leading(run, machine, program);
    const struct repeat_row *as_is = effect ? repeat_row_at(run, effect->as_is) : NULL;
    json_t *object =
        JSON_OBJECT({"program", json_text(repeat_program_name(run, program))},
                    {"words", json_text(known->words)}, {"subject", json_boolean(known->subject)},
                    {"own", json_boolean(repeat_is_own(run, program))});
    json_put(object, "truth", known->has_truth ? json_difference(known->truth) : NULL,
             "nothing predicts how many instructions it executes");
    JSON_PUT(object, {"event", json_text(as_is ? repeat_event_of(run, as_is) : NULL)});
    put_cv(object, "as_is_cv_percent", as_is);
    put_cv(object, "controlled_cv_percent", effect ? repeat_row_at(run, effect->controlled) : NULL);
    return object;
}

static json_t *sweep_json(const struct repeating *run, const struct repeat_sweep *sweep)
{
    static const char none[] = "draws of addresses have no order";
    const bool known = sweep->sweep > SWEEP_NONE && sweep->sweep < SWEEP_COUNT;
    json_t *object =
        JSON_PUT(named(run, sweep->machine, sweep->program), {"source", json_text(sweep->source)},
                 {"event", json_text(sweep->event)},
                 {"sweep", json_text(known ? sweep_names[sweep->sweep] : "?")},
                 {"points", json_count(sweep->points)}, {"first", json_count(sweep->first)},
                 {"last", json_count(sweep->last)});
    JSON_PUT_REALS(object, {"lowest", sweep->lowest, NULL}, {"highest", sweep->highest, NULL});
    JSON_PUT(object, {"levels", json_count(sweep->levels)});
    JSON_PUT_REALS(object, {"slope", sweep->slope, none}, {"slope_low", sweep->slope_low, none},
                   {"slope_high", sweep->slope_high, none},
                   {"within", sweep->within, "no point has two runs"});
    return JSON_PUT(object, {"matters", json_boolean(sweep->matters)},
                    {"what", json_text(sweep->what)});
}

static json_t *seen_json(const struct repeating *run, const struct repeat_seen *seen)
{
    const char *cause = seen->cause < PARTING_COUNT ? repeat_parting_names[seen->cause] : "?";
    return JSON_PUT(named(run, seen->machine, seen->program), {"cause", json_text(cause)},
                    {"parted", json_boolean(seen->parted)}, {"times", json_count(seen->times)},
                    {"evidence", json_text(seen->evidence)});
}

static json_t *alignment_json(const struct repeating *run, const struct repeat_alignment *alignment)
{
    json_t *reasons = json_array();
    json_t *object = JSON_PUT(named(run, alignment->machine, alignment->program),
                              {"source", json_text(alignment->source)},
                              {"against", json_text(alignment->against)});
    JSON_PUT_REALS(object, {"raw", alignment->raw, "the source does not tell it"},
                   {"repetitions", alignment->repetitions, "the source does not tell them"},
                   {"aligned", alignment->aligned, NULL}, {"reference", alignment->reference, NULL},
                   {"difference", alignment->difference, NULL});
    for (size_t i = 0; i < alignment->reason_count && i < ALIGN_MOST_REASONS; i++) {
        const struct align_reason *from = &alignment->reasons[i];
        json_t *reason = JSON_OBJECT({"what", json_text(from->what)});
        JSON_PUT_REALS(reason, {"instructions", from->instructions, "it was not counted apart"});
        json_array_append_new(reasons, JSON_PUT(reason, {"evidence", json_text(from->words)}));
    }
    JSON_PUT(object, {"same", json_boolean(alignment->same)}, {"reasons", reasons});
    JSON_PUT_REALS(object, {"unexplained", alignment->unexplained, "functions were not compared"});
    return object;
}

static json_t *contribution_json(const struct repeating *run,
                                 const struct repeat_contribution *contribution)
{
    const char *why = contribution->why[0] ? contribution->why : NULL;
    const double missing = contribution->known ? 0 : NAN;
    json_t *object =
        JSON_OBJECT({"machine", json_text(repeat_machine_name(run, contribution->machine))},
                    {"event", json_text(contribution->event)}, {"of", json_text(contribution->of)});
    JSON_PUT_REALS(object, {"each", contribution->each + missing, why},
                   {"low", contribution->low + missing, why},
                   {"high", contribution->high + missing, why});
    JSON_PUT(object, {"runs", json_count(contribution->runs)},
             {"programs", json_count(contribution->programs)});
    JSON_PUT_REALS(object, {"residual", contribution->residual + missing, why});
    return JSON_PUT(object, {"firm", json_boolean(contribution->firm)});
}

static json_t *rank_json(const struct repeating *run, const struct repeat_rank *rank)
{
    json_t *object =
        JSON_OBJECT({"machine", json_text(repeat_machine_name(run, rank->machine))},
                    {"class", json_text(rank->class)}, {"event", json_text(rank->event)},
                    {"place", json_count(rank->place)});
    JSON_PUT_REALS(object, {"off_percent", rank->off_percent, NULL},
                   {"stdev_percent", rank->stdev_percent, NULL});
    return JSON_PUT(object, {"programs", json_count(rank->programs)});
}

#define LIST(object, key, make, run, list, count)                                                  \
    do {                                                                                           \
        json_t *members = json_array();                                                            \
        for (size_t i = 0; i < (count); i++)                                                       \
            json_array_append_new(members, make(run, &(list)[i]));                                 \
        json_object_set_new(object, key, members);                                                 \
    } while (0)

json_t *repeat_analysis_json(const void *shown)
{
    const struct repeating *run = shown;
    const struct repeat_report *report = &run->report;
    json_t *object = json_object();
    LIST(object, "effects", effect_json, run, report->effects, report->effect_count);
    LIST(object, "sweeps", sweep_json, run, report->sweeps, report->sweep_count);
    LIST(object, "causes", seen_json, run, report->seen, report->seen_count);
    LIST(object, "alignment", alignment_json, run, report->alignments, report->alignment_count);
    LIST(object, "contributions", contribution_json, run, report->contributions,
         report->contribution_count);
    LIST(object, "ranking", rank_json, run, report->ranks, report->rank_count);
    LIST(object, "programs", program_json, run, run->file.programs, run->file.program_count);
    JSON_PUT(object, {"executions", json_count(report->executions)},
             {"seconds", json_real(run->studying.seconds)},
             {"complete", json_boolean(run->studying.complete)},
             {"store", json_text(run->studying.stored)});
    json_put(object, "status", run->status >= 0 ? json_count((uint64_t)run->status) : NULL,
             "no execution of the command ended");
    return object;
}

/* ----------------------------------------------------------------------------------------------
 * The rows: one event of one program under one setting, with every count behind the figures. */

static void put_adjusted(json_t *object, const struct repeat_row *row)
{
    static const char none[] = "neither a truth nor a source says what it should be";
    json_t *adjusted = row->is_adjusted ? json_object() : NULL;
    if (adjusted)
        JSON_PUT_REALS(
            adjusted, {"mean", row->adjusted_mean, few}, {"stdev", row->adjusted_stdev, few},
            {"cv_percent", row->adjusted_cv_percent, few}, {"residual", row->residual, none},
            {"residual_low", row->residual_low, none}, {"residual_high", row->residual_high, none});
    json_put(object, "adjusted", adjusted, "what faults and interrupts add to it is not known");
}

static json_t *row_json(const struct repeating *run, const struct repeat_row *row,
                        const struct repeat_cell *cell)
{
    static const char unrun[] = "no run could be counted";
    const char *class = cell->class[row->event];
    const bool swept = cell->sweep > SWEEP_NONE && cell->sweep < SWEEP_COUNT;
    /* Figures of no runs are none, whatever the memory held. */
    const double missing = row->runs ? 0 : NAN;
    json_t *counts = json_array();
    for (size_t i = 0; i < cell->runs; i++)
        json_array_append_new(counts, json_count(cell->counts[i * cell->events + row->event]));
    json_t *object = JSON_OBJECT({"event", json_text(cell->event[row->event])},
                                 {"source", json_text(cell->source)},
                                 {"setting", json_text(REPEAT_SETTING(cell->controls))},
                                 {"runs", json_count(row->runs)}, {"counts", counts});
    json_put(object, "min", row->runs ? json_count(row->min) : NULL, unrun);
    json_put(object, "max", row->runs ? json_count(row->max) : NULL, unrun);
    JSON_PUT_REALS(object, {"mean", row->mean + missing, unrun},
                   {"stdev", row->stdev + missing, few},
                   {"cv_percent", row->cv_percent + missing, few});
    put_adjusted(object, row);
    JSON_PUT(object, {"program", json_text(repeat_program_name(run, cell->program))},
             {"machine", json_text(repeat_machine_name(run, cell->machine))},
             {"class", json_text(class && *class ? class : NULL)},
             {"sweep", json_text(swept ? sweep_names[cell->sweep] : NULL)},
             {"swept", json_count(cell->swept)}, {"apart", json_count(row->apart)},
             {"distinct", json_count(row->distinct)},
             {"identical", json_count(repeat_alike(run, row))});
    JSON_PUT_REALS(object, {"median", row->usual + missing, unrun});
    return JSON_PUT(object, {"failed", json_count(cell->failed)});
}

json_t *repeat_results_json(const void *shown)
{
    const struct repeating *run = shown;
    json_t *list = json_array();
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        const struct repeat_cell *cell = repeat_cell_of(run, row);
        if (cell)
            json_array_append_new(list, row_json(run, row, cell));
    }
    return list;
}

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
 * What control brings, and what was executed, for programs (docs/json). */

/* --- which control brings what --- */

static json_t *part_json(const struct control_part *part, enum control control)
{
    static const char unmeasured[] = "this setting was not measured";
    json_t *object = json_object();
    json_object_set_new(object, "control", json_text(control_names[control]));
    JSON_PUT_REALS(
        object, {"only_cv_percent", part->only_cv, unmeasured},
        {"only_part", part->only_part, unmeasured}, {"only_low", part->only_low, unmeasured},
        {"only_high", part->only_high, unmeasured}, {"only_shift", part->only_shift, unmeasured});
    json_object_set_new(object, "only_shifts", json_boolean(part->only_shifts));
    JSON_PUT_REALS(object, {"without_cv_percent", part->without_cv, unmeasured},
                   {"without_part", part->without_part, unmeasured},
                   {"without_low", part->without_low, unmeasured},
                   {"without_high", part->without_high, unmeasured},
                   {"without_shift", part->without_shift, unmeasured});
    json_object_set_new(object, "without_shifts", json_boolean(part->without_shifts));
    json_object_set_new(object, "brings", json_boolean(part->brings));
    json_object_set_new(object, "needed", json_boolean(part->is_needed));
    return object;
}

static void put_cv(json_t *object, const char *key, const struct repeat_row *row)
{
    json_put_real(object, key, row && row->runs ? row->cv_percent : NAN,
                  "there are fewer than two runs, or the mean is 0");
}

static json_t *repeat_effect_json(const struct repeating *run, const struct repeat_effect *effect)
{
    const struct repeat_row *as_is = repeat_row_at(run, effect->as_is);
    const struct repeat_row *controlled = repeat_row_at(run, effect->controlled);
    const struct repeat_cell *cell = repeat_cell_of(run, as_is);
    const char *none =
        isinf(effect->ratio) ? "controlled runs are identical" : "neither setting varies";
    json_t *object = json_object(), *parts = json_array();
    json_object_set_new(object, "program",
                        json_text(repeat_program_name(run, cell ? cell->program : SIZE_MAX)));
    json_object_set_new(object, "machine",
                        json_text(repeat_machine_name(run, cell ? cell->machine : SIZE_MAX)));
    json_object_set_new(object, "source", json_text(cell ? cell->source : "?"));
    json_object_set_new(object, "event", json_text(repeat_event_of(run, as_is)));
    put_cv(object, "as_is_cv_percent", as_is);
    put_cv(object, "controlled_cv_percent", controlled);
    JSON_PUT_REALS(object, {"ratio", effect->ratio, none}, {"ratio_low", effect->ratio_low, none},
                   {"ratio_high", effect->ratio_high, none});
    json_object_set_new(object, "who", json_text(effect->who));
    for (int control = 0; control < CONTROL_COUNT; control++)
        json_array_append_new(parts, part_json(&effect->parts[control], (enum control)control));
    json_object_set_new(object, "controls", parts);
    return object;
}

/* --- programs --- */

static json_t *repeat_program_json(const struct repeating *run, size_t program)
{
    const struct repeat_program *known = &run->file.programs[program];
    const struct repeat_effect *effect = NULL;
    for (size_t machine = 0; machine < run->file.machine_count && !effect; machine++)
        effect = repeat_leading(run, machine, program);
    const struct repeat_row *as_is = effect ? repeat_row_at(run, effect->as_is) : NULL;
    json_t *object = json_object();
    json_object_set_new(object, "program", json_text(repeat_program_name(run, program)));
    json_object_set_new(object, "words", json_text(known->words));
    json_object_set_new(object, "subject", json_boolean(known->subject));
    json_object_set_new(object, "own", json_boolean(repeat_is_own(run, program)));
    if (known->has_truth)
        json_object_set_new(object, "truth", json_difference(known->truth));
    else
        json_absent(object, "truth", "nothing predicts how many instructions it executes");
    json_object_set_new(object, "event", json_text(as_is ? repeat_event_of(run, as_is) : NULL));
    put_cv(object, "as_is_cv_percent", as_is);
    put_cv(object, "controlled_cv_percent", effect ? repeat_row_at(run, effect->controlled) : NULL);
    return object;
}

/* ----------------------------------------------------------------------------------------------
 * What all rows of `assay repeat` say together, for programs (docs/json): effects of controls,
 * sweeps, causes, sources held against each other, contributions of the operating system, the
 * proper counters, and the programs themselves. */

static json_t *named(const struct repeating *run, size_t machine, size_t program)
{
    json_t *object = json_object();
    json_object_set_new(object, "program", json_text(repeat_program_name(run, program)));
    json_object_set_new(object, "machine", json_text(repeat_machine_name(run, machine)));
    return object;
}

static json_t *sweep_json(const struct repeating *run, const struct repeat_sweep *sweep)
{
    static const char none[] = "draws of addresses have no order";
    json_t *object = named(run, sweep->machine, sweep->program);
    const bool known = sweep->sweep > SWEEP_NONE && sweep->sweep < SWEEP_COUNT;
    json_object_set_new(object, "source", json_text(sweep->source));
    json_object_set_new(object, "event", json_text(sweep->event));
    json_object_set_new(object, "sweep", json_text(known ? sweep_names[sweep->sweep] : "?"));
    json_object_set_new(object, "points", json_count(sweep->points));
    json_object_set_new(object, "first", json_count(sweep->first));
    json_object_set_new(object, "last", json_count(sweep->last));
    JSON_PUT_REALS(object, {"lowest", sweep->lowest, NULL}, {"highest", sweep->highest, NULL});
    json_object_set_new(object, "levels", json_count(sweep->levels));
    JSON_PUT_REALS(object, {"slope", sweep->slope, none}, {"slope_low", sweep->slope_low, none},
                   {"slope_high", sweep->slope_high, none},
                   {"within", sweep->within, "no point has two runs"});
    json_object_set_new(object, "matters", json_boolean(sweep->matters));
    json_object_set_new(object, "what", json_text(sweep->what));
    return object;
}

static json_t *seen_json(const struct repeating *run, const struct repeat_seen *seen)
{
    json_t *object = named(run, seen->machine, seen->program);
    json_object_set_new(
        object, "cause",
        json_text(seen->cause < PARTING_COUNT ? repeat_parting_names[seen->cause] : "?"));
    json_object_set_new(object, "parted", json_boolean(seen->parted));
    json_object_set_new(object, "times", json_count(seen->times));
    json_object_set_new(object, "evidence", json_text(seen->evidence));
    return object;
}

static json_t *alignment_json(const struct repeating *run, const struct repeat_alignment *alignment)
{
    json_t *object = named(run, alignment->machine, alignment->program), *reasons = json_array();
    json_object_set_new(object, "source", json_text(alignment->source));
    json_object_set_new(object, "against", json_text(alignment->against));
    JSON_PUT_REALS(object, {"raw", alignment->raw, "the source does not tell it"},
                   {"repetitions", alignment->repetitions, "the source does not tell them"},
                   {"aligned", alignment->aligned, NULL}, {"reference", alignment->reference, NULL},
                   {"difference", alignment->difference, NULL});
    json_object_set_new(object, "same", json_boolean(alignment->same));
    for (size_t i = 0; i < alignment->reason_count && i < ALIGN_MOST_REASONS; i++) {
        const struct align_reason *from = &alignment->reasons[i];
        json_t *reason = json_object();
        json_object_set_new(reason, "what", json_text(from->what));
        JSON_PUT_REALS(reason, {"instructions", from->instructions, "it was not counted apart"});
        json_object_set_new(reason, "evidence", json_text(from->words));
        json_array_append_new(reasons, reason);
    }
    json_object_set_new(object, "reasons", reasons);
    JSON_PUT_REALS(object, {"unexplained", alignment->unexplained, "functions were not compared"});
    return object;
}

static json_t *contribution_json(const struct repeating *run,
                                 const struct repeat_contribution *contribution)
{
    const char *why = contribution->why[0] ? contribution->why : NULL;
    const double missing = contribution->known ? 0 : NAN;
    json_t *object = json_object();
    json_object_set_new(object, "machine",
                        json_text(repeat_machine_name(run, contribution->machine)));
    json_object_set_new(object, "event", json_text(contribution->event));
    json_object_set_new(object, "of", json_text(contribution->of));
    JSON_PUT_REALS(object, {"each", contribution->each + missing, why},
                   {"low", contribution->low + missing, why},
                   {"high", contribution->high + missing, why});
    json_object_set_new(object, "runs", json_count(contribution->runs));
    json_object_set_new(object, "programs", json_count(contribution->programs));
    JSON_PUT_REALS(object, {"residual", contribution->residual + missing, why});
    json_object_set_new(object, "firm", json_boolean(contribution->firm));
    return object;
}

static json_t *rank_json(const struct repeating *run, const struct repeat_rank *rank)
{
    json_t *object = json_object();
    json_object_set_new(object, "machine", json_text(repeat_machine_name(run, rank->machine)));
    json_object_set_new(object, "class", json_text(rank->class));
    json_object_set_new(object, "event", json_text(rank->event));
    json_object_set_new(object, "place", json_count(rank->place));
    JSON_PUT_REALS(object, {"off_percent", rank->off_percent, NULL},
                   {"stdev_percent", rank->stdev_percent, NULL});
    json_object_set_new(object, "programs", json_count(rank->programs));
    return object;
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
    json_t *object = json_object(), *programs = json_array();
    LIST(object, "effects", repeat_effect_json, run, report->effects, report->effect_count);
    LIST(object, "sweeps", sweep_json, run, report->sweeps, report->sweep_count);
    LIST(object, "causes", seen_json, run, report->seen, report->seen_count);
    LIST(object, "alignment", alignment_json, run, report->alignments, report->alignment_count);
    LIST(object, "contributions", contribution_json, run, report->contributions,
         report->contribution_count);
    LIST(object, "ranking", rank_json, run, report->ranks, report->rank_count);
    for (size_t i = 0; i < run->file.program_count; i++)
        json_array_append_new(programs, repeat_program_json(run, i));
    json_object_set_new(object, "programs", programs);
    json_object_set_new(object, "executions", json_count(report->executions));
    json_object_set_new(object, "seconds", json_real(run->studying.seconds));
    json_object_set_new(object, "complete", json_boolean(run->studying.complete));
    json_object_set_new(object, "store", json_text(run->studying.stored));
    if (run->status >= 0)
        json_object_set_new(object, "status", json_count((uint64_t)run->status));
    else
        json_absent(object, "status", "no execution of the command ended");
    return object;
}

/* ----------------------------------------------------------------------------------------------
 * The rows of `assay repeat` for programs (docs/json): one event of one program under one setting,
 * with every count behind the figures. */

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

static json_t *row_json(const struct repeating *run, const struct repeat_row *row,
                        const struct repeat_cell *cell)
{
    char setting[200];
    json_t *object = json_object(), *counts = json_array();
    for (size_t i = 0; i < cell->runs; i++)
        json_array_append_new(counts, json_count(cell->counts[i * cell->events + row->event]));
    json_object_set_new(object, "event", json_text(cell->event[row->event]));
    json_object_set_new(object, "source", json_text(cell->source));
    json_object_set_new(object, "setting",
                        json_text(setting_name(cell->controls, setting, sizeof(setting))));
    json_object_set_new(object, "runs", json_count(row->runs));
    json_object_set_new(object, "counts", counts);
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

json_t *repeat_findings_json(const void *shown)
{
    const struct repeating *run = shown;
    return claims_json(run->report.findings, REPEAT_FINDINGS);
}

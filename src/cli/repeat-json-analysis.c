/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all rows of `assay repeat` say together, for programs (docs/json): effects of controls,
 * sweeps, causes, sources held against each other, contributions of the operating system, the
 * proper counters, and the programs themselves. */
#include <math.h>
#include <stdint.h>

#include "cli/repeat-show.h"

static json_t *named(const struct repeat_run_of *run, size_t machine, size_t program)
{
    json_t *object = json_object();
    json_object_set_new(object, "program", json_text(repeat_program_name(run, program)));
    json_object_set_new(object, "machine", json_text(repeat_machine_name(run, machine)));
    return object;
}

static json_t *sweep_json(const struct repeat_run_of *run, const struct repeat_sweep *sweep)
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

static json_t *seen_json(const struct repeat_run_of *run, const struct repeat_seen *seen)
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

static json_t *reason_json(const struct align_reason *reason)
{
    json_t *object = json_object();
    json_object_set_new(object, "what", json_text(reason->what));
    JSON_PUT_REALS(object, {"instructions", reason->instructions, "it was not counted apart"});
    json_object_set_new(object, "evidence", json_text(reason->words));
    return object;
}

static json_t *alignment_json(const struct repeat_run_of *run,
                              const struct repeat_alignment *alignment)
{
    json_t *object = named(run, alignment->machine, alignment->program), *reasons = json_array();
    json_object_set_new(object, "source", json_text(alignment->source));
    json_object_set_new(object, "against", json_text(alignment->against));
    JSON_PUT_REALS(object, {"raw", alignment->raw, "the source does not tell it"},
                   {"repetitions", alignment->repetitions, "the source does not tell them"},
                   {"aligned", alignment->aligned, NULL}, {"reference", alignment->reference, NULL},
                   {"difference", alignment->difference, NULL});
    json_object_set_new(object, "same", json_boolean(alignment->same));
    for (size_t i = 0; i < alignment->reason_count && i < ALIGN_MOST_REASONS; i++)
        json_array_append_new(reasons, reason_json(&alignment->reasons[i]));
    json_object_set_new(object, "reasons", reasons);
    JSON_PUT_REALS(object, {"unexplained", alignment->unexplained, "functions were not compared"});
    return object;
}

static json_t *contribution_json(const struct repeat_run_of *run,
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

static json_t *rank_json(const struct repeat_run_of *run, const struct repeat_rank *rank)
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

static void put_status(json_t *object, const struct repeat_run_of *run)
{
    if (run->status >= 0)
        json_object_set_new(object, "status", json_count((uint64_t)run->status));
    else
        json_absent(object, "status", "no execution of the command ended");
}

#define LIST(object, key, make, run, list, count)                                                  \
    do {                                                                                           \
        json_t *members = json_array();                                                            \
        for (size_t i = 0; i < (count); i++)                                                       \
            json_array_append_new(members, make(run, &(list)[i]));                                 \
        json_object_set_new(object, key, members);                                                 \
    } while (0)

json_t *repeat_analysis_json(const struct repeat_run_of *run)
{
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
    json_object_set_new(object, "seconds", json_real(run->seconds));
    json_object_set_new(object, "complete", json_boolean(run->complete));
    json_object_set_new(object, "store", json_text(run->stored));
    put_status(object, run);
    return object;
}

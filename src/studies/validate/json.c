/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay validate` found, as JSON (docs/json): a row for each event, path and specimen. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/monotonic.h"
#include "engine/claims.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * From what the store holds to verdicts: at the end for the reader, between rounds for the plan. */

static int load(struct validating *validating, struct failure *failure)
{
    judgements_release(&validating->judgements);
    case_release(&validating->file);
    validating->judgements = (struct judgements){0};
    validating->file = (struct case_file){0};
    int error = validate_load(validating->store, &validating->file, failure);
    if (error < 0)
        return failure->code ? error : fail_with(failure, error, "out of memory");
    error = judge_case(&validating->file, validating->seed, &validating->judgements);
    return error < 0 ? fail_with(failure, error, "out of memory") : 0;
}

int validate_judge(struct validating *validating)
{
    struct failure failure = {0};
    if (load(validating, &failure) < 0)
        return validate_fail(&failure, EXIT_FAILED);
    validate_findings(&validating->file, &validating->judgements, validating->findings);
    validating->seconds = (double)(monotonic_ms() - validating->started) / 1000;
    return EXIT_DONE;
}

/* --- for the plan --- */

static bool is_surprising(const struct judgement *judgement)
{
    switch (judgement->verdict) {
    case VERDICT_NOISY:
    case VERDICT_BIASED:
        return true;
    case VERDICT_DEAD:
    case VERDICT_EXACT:
    case VERDICT_ACCURATE:
        return judgement->cause != CAUSE_NONE && judgement->cause != CAUSE_INTERFACE_OVERHEAD &&
               judgement->cause != CAUSE_MODE_NOT_APPLICABLE;
    default:
        return false;
    }
}

/* The largest N that reads zero although its truth is not, and the smallest above that counts. */
static void find_threshold(const struct judged_row *row, struct validate_subject *subject)
{
    for (size_t i = 0; i < row->point_count; i++) {
        const struct judged_point *point = &row->points[i];
        if (!point->runs || point->point->truth.low <= 0)
            continue;
        uint64_t n = point->point->n;
        if (point->is_zero && !subject->counts_from)
            subject->zero_to = n;
        else if (!point->is_zero && subject->zero_to && !subject->counts_from)
            subject->counts_from = n;
    }
}

static void learn_event(const struct judgement *judgement, struct validate_subject *subject,
                        const char *primary)
{
    subject->deviates = is_surprising(judgement);
    if (judgement->verdict == VERDICT_UNSCHEDULED)
        validate_next_core(subject);
    subject->zero_to = subject->counts_from = 0;
    for (size_t i = 0; i < judgement->row_count; i++) {
        const struct judged_row *row = &judgement->rows[i];
        if (strcmp(row->specimen, primary) == 0 && strcmp(row->path, subject->ways[0].path) == 0) {
            find_threshold(row, subject);
            break;
        }
    }
    if (!subject->counts_from)
        subject->zero_to = 0;
}

int validate_learn(struct validating *validating, struct failure *failure)
{
    int error = load(validating, failure);
    if (error < 0)
        return error;
    for (size_t i = 0; i < validating->study.subject_count; i++) {
        struct validate_subject *subject = &validating->subjects[i];
        size_t primary = validate_primary(&validating->study, subject->class);
        for (size_t j = 0; j < validating->judgements.count; j++)
            if (strcmp(validating->judgements.list[j].evidence->event, subject->name) == 0)
                learn_event(&validating->judgements.list[j], subject,
                            validating->study.specimens[primary].name);
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What `assay validate` found, as JSON (docs/json): a row for each event, path and specimen. */

static void put_prediction(json_t *object, const struct judged_point *point)
{
    const struct truth *truth = &point->point->truth;
    if (point->against_account)
        json_absent(object, "predicted", "each run is held against the system's account of it");
    else if (truth->grade == TRUTH_NONE)
        json_absent(object, "predicted", "nothing predicts this count");
    else if (truth->low != truth->high)
        json_absent(object, "predicted", "only limits can be stated");
    else
        json_object_set_new(object, "predicted", json_difference(truth->low));
    if (truth->grade != TRUTH_NONE && truth->low != truth->high) {
        json_object_set_new(object, "predicted_low", json_difference(truth->low));
        json_object_set_new(object, "predicted_high", json_difference(truth->high));
    }
}

static void put_figures(json_t *object, const struct judged_point *point)
{
    static const char none[] = "no quiet run got a counter";
    bool known = point->runs > point->disturbed;
    const struct {
        const char *key;
        double value;
    } figures[] = {{"min", point->min},       {"median", point->median},
                   {"max", point->max},       {"mean", point->mean},
                   {"stdev", point->stdev},   {"variance", point->stdev * point->stdev},
                   {"error_low", point->low}, {"error_high", point->high}};
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        json_put_real(object, figures[i].key, known ? figures[i].value : NAN,
                      known ? "too few runs" : none);
    const struct truth *truth = &point->point->truth;
    bool comparable = known && !point->against_account && truth->grade != TRUTH_NONE &&
                      truth->low == truth->high && truth->low != 0;
    json_put_real(object, "percent_difference",
                  comparable ? 100 * (point->mean - (double)truth->low) / (double)truth->low : NAN,
                  !known                   ? none
                  : point->against_account ? "each run is held against the system's account of it"
                  : truth->low != truth->high ? "only limits can be stated"
                                              : "the prediction is zero");
}

static json_t *point_json(const struct judged_point *point)
{
    json_t *object = json_object();
    json_object_set_new(object, "n", json_count(point->point->n));
    put_prediction(object, point);
    json_object_set_new(object, "runs", json_count(point->runs));
    json_object_set_new(object, "disturbed", json_count(point->disturbed));
    json_object_set_new(object, "multiplexed", json_count(point->multiplexed));
    json_object_set_new(object, "unscheduled", json_count(point->unscheduled));
    json_object_set_new(object, "exact", json_count(point->exact));
    put_figures(object, point);
    if (point->point->failed) {
        json_object_set_new(object, "failed", json_count(point->point->failed));
        json_object_set_new(object, "failed_reason", json_text(point->point->failure_reason));
    }
    return object;
}

static void put_fit(json_t *object, const struct judged_fit *fit)
{
    if (!fit->known) {
        json_absent(object, "fit", "fewer than two predictions were measured");
        return;
    }
    json_t *line = json_object();
    const struct {
        const char *key;
        double value;
    } figures[] = {{"intercept", fit->intercept},
                   {"intercept_low", fit->intercept_low},
                   {"intercept_high", fit->intercept_high},
                   {"slope", fit->slope},
                   {"slope_low", fit->slope_low},
                   {"slope_high", fit->slope_high},
                   {"residual", fit->residual},
                   {"r_squared", fit->r_squared}};
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        json_put_real(line, figures[i].key, figures[i].value,
                      "the points are too few, or all alike");
    json_object_set_new(object, "fit", line);
}

static void put_overhead(json_t *object, bool known, int64_t overhead)
{
    if (known)
        json_object_set_new(object, "overhead", json_difference(overhead));
    else
        json_absent(object, "overhead", "no null cell of this way was measured");
}

static json_t *row_json(const struct judgement *judgement, const struct judged_row *row)
{
    bool measured = row->point_count != 0;
    json_t *object = json_object(), *points = json_array();
    json_object_set_new(object, "event", json_text(judgement->evidence->event));
    json_object_set_new(object, "path", json_text(row->path));
    json_object_set_new(object, "pattern", json_text(pattern_names[row->pattern]));
    json_object_set_new(object, "counters", json_count(row->counters));
    json_object_set_new(object, "core",
                        row->core && *row->core ? json_text(row->core) : json_null());
    json_object_set_new(object, "specimen", json_text(row->specimen));
    json_object_set_new(object, "class", json_text(judgement->evidence->class));
    json_object_set_new(object, "truth_grade", json_text(validate_grade_names[row->grade]));
    json_object_set_new(object, "verdict", json_text(verdict_names[row->verdict]));
    json_object_set_new(object, "cause", json_text(cause_names[row->cause]));
    json_object_set_new(object, "note", json_text(row->note));
    put_overhead(object, measured && row->points[0].has_overhead,
                 measured ? row->points[0].overhead : 0);
    put_fit(object, &row->fit);
    for (size_t i = 0; i < row->point_count; i++)
        json_array_append_new(points, point_json(&row->points[i]));
    json_object_set_new(object, "points", points);
    return object;
}

/* An event of which nothing was measured still has a row. */
static json_t *bare_json(const struct judgement *judgement)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(judgement->evidence->event));
    json_object_set_new(object, "path", json_null());
    json_object_set_new(object, "pattern", json_null());
    json_object_set_new(object, "counters", json_null());
    json_object_set_new(object, "core", json_null());
    json_object_set_new(object, "specimen", json_null());
    json_object_set_new(object, "class", json_text(judgement->evidence->class));
    json_object_set_new(object, "truth_grade", json_null());
    json_object_set_new(object, "verdict", json_text(verdict_names[judgement->verdict]));
    json_object_set_new(object, "cause", json_text(cause_names[judgement->cause]));
    json_object_set_new(object, "note", json_text(judgement->note));
    json_absent(object, "overhead", "nothing was measured");
    json_absent(object, "fit", "nothing was measured");
    json_object_set_new(object, "points", json_array());
    return object;
}

json_t *validate_results_json(const struct validating *validating)
{
    json_t *list = json_array();
    for (size_t i = 0; i < validating->judgements.count; i++) {
        const struct judgement *judgement = &validating->judgements.list[i];
        if (!judgement->row_count)
            json_array_append_new(list, bare_json(judgement));
        for (size_t j = 0; j < judgement->row_count; j++)
            json_array_append_new(list, row_json(judgement, &judgement->rows[j]));
    }
    return list;
}

/* --- over all rows of an event --- */

json_t *validate_explanations_json(const struct judgement *judgement)
{
    json_t *list = json_array();
    for (size_t i = 0; i < judgement->explanation_count; i++) {
        const struct explanation *found = &judgement->explanations[i];
        json_t *object = json_object();
        json_object_set_new(object, "cause", json_text(cause_names[found->cause]));
        json_object_set_new(object, "per", json_text(found->per));
        json_put_real(object, "size", found->size, "it cannot be stated");
        json_put_real(object, "low", found->low, "it cannot be stated");
        json_put_real(object, "high", found->high, "it cannot be stated");
        json_put_real(object, "share", found->share, "it cannot be stated");
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *event_json(const struct judgement *judgement)
{
    const struct evidence *evidence = judgement->evidence;
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(evidence->event));
    json_object_set_new(object, "kind", json_text(evidence->kind));
    json_object_set_new(object, "class", json_text(evidence->class));
    json_object_set_new(object, "verdict", json_text(verdict_names[judgement->verdict]));
    json_object_set_new(object, "cause", json_text(cause_names[judgement->cause]));
    json_object_set_new(object, "note", json_text(judgement->note));
    json_object_set_new(object, "errno",
                        evidence->error ? json_integer(evidence->error) : json_null());
    put_overhead(object, judgement->has_overhead, judgement->overhead);
    json_object_set_new(object, "runs", json_count(judgement->runs));
    json_object_set_new(object, "disturbed", json_count(judgement->disturbed));
    json_object_set_new(object, "rank",
                        judgement->rank ? json_count(judgement->rank) : json_null());
    json_object_set_new(object, "disagrees", json_boolean(judgement->disagrees));
    json_object_set_new(object, "fits",
                        judgement->fits[0] ? json_text(judgement->fits) : json_null());
    json_object_set_new(object, "explanations", validate_explanations_json(judgement));
    return object;
}

static json_t *caps_json(const struct validating *validating)
{
    json_t *list = json_array();
    for (size_t i = 0; i < validating->study.subject_count; i++) {
        struct validate_cap cap;
        if (!validate_cap(&validating->study, &validating->plan, i, &cap))
            continue;
        json_t *object = json_object();
        json_object_set_new(object, "event", json_text(validating->subjects[i].name));
        json_object_set_new(object, "specimen", json_text(cap.specimen));
        json_object_set_new(object, "n", json_count(cap.n));
        json_object_set_new(object, "top", json_count(cap.top));
        json_put_real(object, "hit_ns", cap.hit_ns > 0 ? round(cap.hit_ns) : NAN,
                      "it was not measured");
        json_array_append_new(list, object);
    }
    return list;
}

/* What was found before of events that this run could not open. */
static json_t *earlier_json(const struct validating *validating)
{
    json_t *list = json_array();
    const char *name;
    json_t *entry;
    json_object_foreach(validating->earlier, name, entry)
    {
        json_t *object = json_object();
        json_object_set_new(object, "event", json_text(name));
        json_object_set_new(object, "verdict", json_text(json_word(entry, "verdict")));
        json_object_set_new(object, "validated", json_text(json_word(entry, "validated")));
        json_array_append_new(list, object);
    }
    return list;
}

json_t *validate_analysis_json(const struct validating *validating)
{
    json_t *analysis = json_object(), *events = json_array();
    size_t runs = 0, disturbed = 0;
    for (size_t i = 0; i < validating->judgements.count; i++) {
        const struct judgement *judgement = &validating->judgements.list[i];
        json_array_append_new(events, event_json(judgement));
        runs += judgement->runs;
        disturbed += judgement->disturbed;
    }
    json_object_set_new(analysis, "store", json_text(store_path(validating->store)));
    json_object_set_new(analysis, "passport",
                        json_text(validating->passport[0] ? validating->passport : NULL));
    json_object_set_new(analysis, "complete", json_boolean(validating->complete));
    json_object_set_new(analysis, "seconds", json_real(round(validating->seconds * 10) / 10));
    json_object_set_new(analysis, "runs", json_count(runs));
    json_object_set_new(analysis, "disturbed", json_count(disturbed));
    json_object_set_new(analysis, "events", events);
    json_object_set_new(analysis, "capped", caps_json(validating));
    json_object_set_new(analysis, "earlier", earlier_json(validating));
    return analysis;
}

json_t *validate_findings_json(const struct validating *validating)
{
    return claims_json(validating->findings, VALIDATE_FINDINGS);
}

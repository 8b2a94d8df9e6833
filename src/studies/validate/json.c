/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay validate` found, as JSON (docs/json): a row for each event, path and specimen. */
#include <math.h>

#include "studies/validate/parts.h"

static void put_prediction(json_t *object, const struct judged_point *point)
{
    const struct truth *truth = &point->point->truth;
    const char *why = point->against_account ? "each run is held against the system's account of it"
                      : truth->grade == TRUTH_NONE ? "nothing predicts this count"
                      : truth->low != truth->high  ? "only limits can be stated"
                                                   : NULL;
    json_put(object, "predicted", why ? NULL : json_difference(truth->low), why);
    if (truth->grade != TRUTH_NONE && truth->low != truth->high)
        JSON_PUT(object, {"predicted_low", json_difference(truth->low)},
                 {"predicted_high", json_difference(truth->high)});
}

static void put_figures(json_t *object, const struct judged_point *point)
{
    static const char none[] = "no quiet run got a counter";
    static const char account[] = "each run is held against the system's account of it";
    const struct truth *truth = &point->point->truth;
    double low = (double)truth->low;
    bool known = point->runs > point->disturbed;
    const char *few = known ? "too few runs" : none;
    bool comparable = known && !point->against_account && truth->grade != TRUTH_NONE &&
                      truth->low == truth->high && truth->low != 0;
    static const struct judged_point blank = {
        .min = NAN, .median = NAN, .max = NAN, .mean = NAN, .stdev = NAN, .low = NAN, .high = NAN};
    const struct judged_point *of = known ? point : &blank;
    JSON_PUT_REALS(object, {"min", of->min, few}, {"median", of->median, few},
                   {"max", of->max, few}, {"mean", of->mean, few}, {"stdev", of->stdev, few},
                   {"variance", of->stdev * of->stdev, few}, {"error_low", of->low, few},
                   {"error_high", of->high, few},
                   {"percent_difference", comparable ? 100 * (point->mean - low) / low : NAN,
                    !known                      ? none
                    : point->against_account    ? account
                    : truth->low != truth->high ? "only limits can be stated"
                                                : "the prediction is zero"});
}

static json_t *point_json(const struct judged_point *point)
{
    json_t *object = JSON_OBJECT({"n", json_count(point->point->n)});
    put_prediction(object, point);
    JSON_PUT(object, {"runs", json_count(point->runs)}, {"disturbed", json_count(point->disturbed)},
             {"multiplexed", json_count(point->multiplexed)},
             {"unscheduled", json_count(point->unscheduled)}, {"exact", json_count(point->exact)});
    put_figures(object, point);
    if (point->point->failed)
        JSON_PUT(object, {"failed", json_count(point->point->failed)},
                 {"failed_reason", json_text(point->point->failure_reason)});
    return object;
}

static json_t *fit_json(const struct judged_fit *fit)
{
    static const char few[] = "the points are too few, or all alike";
    json_t *line = json_object();
    JSON_PUT_REALS(line, {"intercept", fit->intercept, few},
                   {"intercept_low", fit->intercept_low, few},
                   {"intercept_high", fit->intercept_high, few}, {"slope", fit->slope, few},
                   {"slope_low", fit->slope_low, few}, {"slope_high", fit->slope_high, few},
                   {"residual", fit->residual, few}, {"r_squared", fit->r_squared, few});
    return line;
}

static const char no_null[] = "no null cell of this way was measured";

/* row NULL: an event of which nothing was measured still has one. */
static json_t *row_json(const struct judgement *judgement, const struct judged_row *row)
{
    static const struct judged_row none = {0};
    const struct judged_row *of = row ? row : &none;
    json_t *points = json_array();
    json_t *object = JSON_OBJECT(
        {"event", json_text(judgement->evidence->event)}, {"path", json_text(of->path)},
        {"pattern", json_text(row ? pattern_names[row->pattern] : NULL)},
        {"counters", row ? json_count(row->counters) : json_null()},
        {"core", json_text(of->core && *of->core ? of->core : NULL)},
        {"specimen", json_text(of->specimen)}, {"class", json_text(judgement->evidence->class)},
        {"truth_grade", json_text(validate_grade_names[of->grade])},
        {"verdict", json_text(verdict_names[row ? row->verdict : judgement->verdict])},
        {"cause", json_text(cause_names[row ? row->cause : judgement->cause])},
        {"note", json_text(row ? row->note : judgement->note)});
    bool has_overhead = of->point_count && of->points[0].has_overhead;
    json_put(object, "overhead", has_overhead ? json_difference(of->points[0].overhead) : NULL,
             row ? no_null : "nothing was measured");
    json_put(object, "fit", of->fit.known ? fit_json(&of->fit) : NULL,
             row ? "fewer than two predictions were measured" : "nothing was measured");
    for (size_t i = 0; i < of->point_count; i++)
        json_array_append_new(points, point_json(&of->points[i]));
    json_object_set_new(object, "points", points);
    return object;
}

json_t *validate_results_json(const void *kept)
{
    const struct validating *run = kept;
    json_t *list = json_array();
    for (size_t i = 0; i < run->judgements.count; i++) {
        const struct judgement *judgement = &run->judgements.list[i];
        if (!judgement->row_count)
            json_array_append_new(list, row_json(judgement, NULL));
        for (size_t j = 0; j < judgement->row_count; j++)
            json_array_append_new(list, row_json(judgement, &judgement->rows[j]));
    }
    return list;
}

/* --- over all rows of an event --- */

json_t *validate_explanations_json(const struct judgement *judgement)
{
    static const char none[] = "it cannot be stated";
    json_t *list = json_array();
    for (size_t i = 0; i < judgement->explanation_count; i++) {
        const struct explanation *found = &judgement->explanations[i];
        json_t *object = JSON_OBJECT({"cause", json_text(cause_names[found->cause])},
                                     {"per", json_text(found->per)});
        JSON_PUT_REALS(object, {"size", found->size, none}, {"low", found->low, none},
                       {"high", found->high, none}, {"share", found->share, none});
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *event_json(const struct judgement *judgement)
{
    const struct evidence *evidence = judgement->evidence;
    json_t *object = JSON_OBJECT(
        {"event", json_text(evidence->event)}, {"kind", json_text(evidence->kind)},
        {"class", json_text(evidence->class)},
        {"verdict", json_text(verdict_names[judgement->verdict])},
        {"cause", json_text(cause_names[judgement->cause])}, {"note", json_text(judgement->note)},
        {"errno", evidence->error ? json_integer(evidence->error) : json_null()});
    json_put(object, "overhead",
             judgement->has_overhead ? json_difference(judgement->overhead) : NULL, no_null);
    JSON_PUT(object, {"runs", json_count(judgement->runs)},
             {"disturbed", json_count(judgement->disturbed)},
             {"rank", judgement->rank ? json_count(judgement->rank) : json_null()},
             {"disagrees", json_boolean(judgement->disagrees)},
             {"fits", json_text(judgement->fits[0] ? judgement->fits : NULL)},
             {"explanations", validate_explanations_json(judgement)});
    return object;
}

static json_t *caps_json(const struct validating *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->plan.subject_count; i++) {
        struct validate_cap cap;
        if (!validate_cap(&run->plan, i, &cap))
            continue;
        json_t *object = JSON_OBJECT({"event", json_text(run->plan.subjects[i].name)},
                                     {"specimen", json_text(cap.specimen)},
                                     {"n", json_count(cap.n)}, {"top", json_count(cap.top)});
        json_put_real(object, "hit_ns", cap.hit_ns > 0 ? round(cap.hit_ns) : NAN,
                      "it was not measured");
        json_array_append_new(list, object);
    }
    return list;
}

/* What was found before of events that this run could not open. */
static json_t *earlier_json(const struct validating *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->earlier_count; i++)
        json_array_append_new(list,
                              JSON_OBJECT({"event", json_text(run->earlier[i].event)},
                                          {"verdict", json_text(run->earlier[i].verdict)},
                                          {"validated", json_text(run->earlier[i].validated)}));
    return list;
}

json_t *validate_analysis_json(const void *kept)
{
    const struct validating *run = kept;
    json_t *events = json_array();
    for (size_t i = 0; i < run->judgements.count; i++)
        json_array_append_new(events, event_json(&run->judgements.list[i]));
    return JSON_OBJECT({"store", json_text(run->studying.stored)},
                       {"passport", json_text(run->passport[0] ? run->passport : NULL)},
                       {"complete", json_boolean(run->studying.complete)},
                       {"seconds", json_real(round(run->studying.seconds * 10) / 10)},
                       {"runs", json_count(run->judgements.runs)},
                       {"disturbed", json_count(run->judgements.disturbed)}, {"events", events},
                       {"capped", caps_json(run)}, {"earlier", earlier_json(run)});
}

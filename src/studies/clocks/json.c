/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `assay clocks`, for programs (docs/json): a row for a clock over one kind of
 * interval, and around the rows what all of them say together, with what is known of each clock. */
#include <math.h>

#include "engine/claims.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * One clock in the JSON of `assay clocks`: what it claims, what was measured of it, and how far it
 * can be trusted. */

static const char no_row[] = "it was not read in a row";
static const char no_step[] = "no step of it was seen";
static const char no_pair[] = "no two CPUs compared their readings of it";
static const char no_rate[] = "nothing was there to compare its rate with";
static const char no_other[] = "it was compared with no clock of the same rate";

/* NaN where the part said nothing, whatever the memory held. */
static double only(bool known, double value)
{
    return known ? value : NAN;
}

static void put_claims(json_t *object, const struct clock_known *clock)
{
    json_t *claims = json_object();
    if (clock->hz)
        json_object_set_new(claims, "hz", json_count(clock->hz));
    else
        json_absent(claims, "hz", "nobody claims any rate");
    json_object_set_new(claims, "by", json_text(clock->claim));
    JSON_PUT_REALS(claims, {"resolution_ns", only(clock->resolution_ns > 0, clock->resolution_ns),
                            "the operating system does not say"});
    json_object_set_new(claims, "steered", json_boolean(clock->steered));
    json_object_set_new(object, "claims", claims);
}

/* The keys that every reader may rely on. */
static void put_promised(json_t *object, const struct clock_seen *seen)
{
    json_object_set_new(object, "clock", json_text(seen->clock->name));
    JSON_PUT_REALS(
        object,
        {"cost_ticks", only(seen->cost.known, seen->cost.ticks),
         seen->cost.known ? "no tick can be read here" : no_row},
        {"resolution_ns", only(seen->granularity.known, seen->granularity.resolution_ns), no_step});
    if (seen->monotonic.known)
        json_object_set_new(object, "monotonic", json_boolean(!seen->monotonic.backward));
    else
        json_absent(object, "monotonic", no_row);
    JSON_PUT_REALS(
        object,
        {"cross_cpu_offset_ticks", only(seen->offsets.known, seen->offsets.offset), no_pair},
        {"rate_ppm", seen->rate ? seen->rate->ppm : NAN, no_rate});
}

static void put_cost(json_t *object, const struct clock_seen *seen)
{
    const struct clock_cost *cost = &seen->cost;
    const struct clock_granularity *steps = &seen->granularity;
    const char *why = cost->known ? "no tick can be read here" : no_row;
    JSON_PUT_REALS(object, {"cost_low_ticks", only(cost->known, cost->low), why},
                   {"cost_high_ticks", only(cost->known, cost->high), why},
                   {"cost_ns", only(cost->known, cost->ns), no_row},
                   {"step_ticks", only(steps->known, steps->step_ticks), no_step},
                   {"usual_step_ticks", only(steps->known, steps->usual_ticks), no_step},
                   {"quantum_ticks", only(steps->known, steps->quantum_ticks), no_step},
                   {"ns_per_tick", only(seen->scale.known, seen->scale.ns_per_tick),
                    "its rate is neither claimed nor could it be measured"});
    json_object_set_new(object, "blocks", json_count(cost->known ? cost->blocks : 0));
    json_object_set_new(object, "steps", json_count(steps->known ? steps->steps : 0));
    json_object_set_new(object, "coarse", json_boolean(steps->known && steps->coarse));
    json_object_set_new(object, "rate_claimed",
                        json_boolean(seen->scale.known && seen->scale.claimed));
}

static void put_order(json_t *object, const struct clock_seen *seen)
{
    const struct clock_monotonic *order = &seen->monotonic;
    json_object_set_new(object, "readings", json_count(order->known ? order->readings : 0));
    json_object_set_new(object, "backward", json_count(order->known ? order->backward : 0));
    JSON_PUT_REALS(object,
                   {"backward_worst_ticks", only(order->known, order->worst_ticks), no_row});
    if (order->known && order->wrapped)
        JSON_PUT_REALS(object,
                       {"wrap_ticks", order->wrap_ticks, "where it wraps could not be told"});
    else
        json_absent(object, "wrap_ticks", order->known ? "it was not seen to wrap" : no_row);
    if (order->cross_known)
        json_object_set_new(object, "monotonic_across_cpus", json_boolean(!order->cross_backward));
    else
        json_absent(object, "monotonic_across_cpus", no_pair);
    json_object_set_new(object, "trips", json_count(order->cross_known ? order->trips : 0));
    json_object_set_new(object, "trips_backward",
                        json_count(order->cross_known ? order->cross_backward : 0));
    JSON_PUT_REALS(
        object, {"trips_worst_ticks", only(order->cross_known, order->cross_worst_ticks), no_pair},
        {"cross_cpu_bound_ticks", only(seen->offsets.known, seen->offsets.bound), no_pair},
        {"cross_cpu_proven_ticks", only(seen->offsets.known, seen->offsets.worst), no_pair});
}

static json_t *rate_json(const struct clocks_run *run, const struct clock_rate *rate)
{
    json_t *object = json_object();
    json_object_set_new(object, "against", json_text(clocks_name(&run->file, rate->against)));
    json_object_set_new(object, "independent", json_boolean(rate->independent));
    JSON_PUT_REALS(object, {"ppm", rate->ppm, NULL}, {"low", rate->low, NULL},
                   {"high", rate->high, NULL});
    json_object_set_new(object, "against_claim", json_boolean(rate->against_claim));
    json_object_set_new(object, "tells", json_boolean(rate->tells));
    JSON_PUT_REALS(object, {"span_s", rate->span_s, NULL});
    return object;
}

static void put_rates(json_t *object, const struct clocks_run *run, const struct clock_seen *seen)
{
    json_t *rates = json_array();
    JSON_PUT_REALS(object, {"rate_low_ppm", seen->rate ? seen->rate->low : NAN, no_rate},
                   {"rate_high_ppm", seen->rate ? seen->rate->high : NAN, no_rate});
    for (size_t i = 0; seen->rates && i < CLOCK_MOST_RATES; i++)
        if (seen->rates[i].known)
            json_array_append_new(rates, rate_json(run, &seen->rates[i]));
    json_object_set_new(object, "rates", rates);
}

static void put_same(json_t *object, const struct clocks_run *run, const struct clock_seen *seen)
{
    const struct clock_same *same = &seen->same;
    json_object_set_new(
        object, "same_as",
        json_text(same->known && same->same ? clocks_name(&run->file, same->with) : NULL));
    JSON_PUT_REALS(object, {"parted_ns", only(same->known, same->parted_ns), no_other},
                   {"parted_bound_ns", only(same->known, same->bound_ns), no_other},
                   {"parted_span_s", only(same->known, same->span_s), no_other},
                   {"parted_ppb", only(same->known, same->ppb), no_other});
}

/* NULL: there is none. */
static void put_trust(json_t *object, const struct clock_verdict *verdict)
{
    if (verdict)
        json_object_set_new(object, "trust", json_text(clock_trust_names[verdict->trust]));
    else
        json_absent(object, "trust", "it was not judged");
}

static void put_verdict(json_t *object, const struct clocks_run *run,
                        const struct clock_verdict *verdict)
{
    const struct clock_row *worst = clocks_worst_row(run, verdict);
    json_t *faults = json_array();
    for (size_t i = FAULT_NONE + 1; verdict && i < CLOCK_FAULTS; i++)
        if (verdict->faults & 1u << i)
            json_array_append_new(faults, json_text(clock_fault_names[i]));
    put_trust(object, verdict);
    json_object_set_new(
        object, "fault",
        json_text(verdict && verdict->fault ? clock_fault_names[verdict->fault] : NULL));
    json_object_set_new(object, "faults", faults);
    json_object_set_new(object, "why", json_text(verdict && verdict->why[0] ? verdict->why : NULL));
    JSON_PUT_REALS(
        object,
        {"worst_ratio", verdict ? verdict->worst_ratio : NAN, "it was compared over no interval"},
        {"shortest_us", verdict ? verdict->shortest_us : NAN, "it tells no interval to 1 %"});
    json_object_set_new(object, "worst_workload", json_text(worst ? worst->workload : NULL));
}

static json_t *clocks_clock_json(const struct clocks_run *run, size_t index)
{
    const struct clock_seen seen = clocks_seen(run, index);
    json_t *object = json_object();
    put_promised(object, &seen);
    put_verdict(object, run, seen.verdict);
    json_object_set_new(object, "role", json_text(clock_role_names[seen.clock->role]));
    json_object_set_new(object, "way", json_text(seen.clock->way));
    json_object_set_new(object, "hardware", json_text(seen.clock->hardware));
    json_object_set_new(object, "note",
                        json_text(seen.clock->note && *seen.clock->note ? seen.clock->note : NULL));
    json_object_set_new(object, "external", json_boolean(seen.clock->external));
    put_claims(object, seen.clock);
    put_cost(object, &seen);
    put_order(object, &seen);
    put_rates(object, run, &seen);
    put_same(object, run, &seen);
    return object;
}

/* ----------------------------------------------------------------------------------------------
 * The report of `assay clocks`, for programs (docs/json): a row for a clock over one kind of
 * interval, and around the rows what all of them say together. */

/* --- rows --- */

static json_t *row_json(const struct clocks_run *run, const struct clock_row *row)
{
    static const char none[] = "no interval of it was whole";
    /* Figures of no runs are none, whatever the memory held. */
    double missing = row->runs ? 0 : NAN;
    json_t *object = json_object();
    json_object_set_new(object, "clock", json_text(clocks_name(&run->file, row->clock)));
    json_object_set_new(object, "reference", json_text(clocks_name(&run->file, row->reference)));
    json_object_set_new(object, "reference_independent", json_boolean(row->independent));
    json_object_set_new(object, "workload", json_text(row->workload ? row->workload : "?"));
    json_object_set_new(object, "threads", json_count(row->threads));
    json_object_set_new(object, "requested_ms", json_real((double)row->requested_us / 1000));
    json_object_set_new(object, "runs", json_count(row->runs));
    JSON_PUT_REALS(object, {"ratio_median", row->ratio_median + missing, none},
                   {"ratio_min", row->ratio_min + missing, none},
                   {"ratio_max", row->ratio_max + missing, none},
                   {"max_error_ns", row->max_error_ns + missing, none});
    put_trust(object,
              row->clock < run->file.clock_count ? clocks_seen(run, row->clock).verdict : NULL);
    json_object_set_new(object, "moves", json_count(row->moves));
    json_object_set_new(object, "handover", json_boolean(row->handover));
    json_object_set_new(object, "awake", json_boolean(row->awake));
    JSON_PUT_REALS(
        object, {"naive_median", row->naive_median + missing, none},
        {"naive_min", row->naive_min + missing, none},
        {"naive_max", row->naive_max + missing, none}, {"bound_ns", row->bound_ns + missing, none},
        {"beyond_ns", row->beyond_ns + missing, none}, {"scatter", row->scatter + missing, none},
        {"median_ns", row->median_ns + missing, none});
    json_object_set_new(object, "preempted", json_count(row->preempted));
    return object;
}

json_t *clocks_results_json(const void *kept)
{
    const struct clocks_run *run = kept;
    json_t *list = json_array();
    for (size_t i = 0; i < run->report.row_count; i++)
        json_array_append_new(list, row_json(run, &run->report.rows[i]));
    return list;
}

/* --- around the rows --- */

/* The name of a clock where there is one. */
static json_t *name_json(const struct clocks_run *run, int32_t clock)
{
    return json_text(clock < 0 ? NULL : clocks_name(&run->file, (uint32_t)clock));
}

/* Nothing was watched: an index of zeros means no clock. */
static json_t *reference_json(const struct clocks_run *run)
{
    const struct clocks_reference *reference = &run->report.reference;
    bool any = run->file.clock_count > 0 && run->report.verdicts;
    json_t *object = json_object();
    if (any && reference->clock >= 0)
        json_object_set_new(object, "clock", name_json(run, reference->clock));
    else
        json_absent(object, "clock", "no clock was read that others could be compared with");
    json_object_set_new(object, "outside", name_json(run, any ? reference->outside : -1));
    json_object_set_new(object, "rtc", name_json(run, any ? reference->rtc : -1));
    json_object_set_new(object, "why", json_text(reference->why[0] ? reference->why : NULL));
    return object;
}

static json_t *claims_of_machine_json(const struct clocks_case *file)
{
    json_t *object = json_object();
    json_object_set_new(object, "clocksource", json_text(file->clocksource));
    json_object_set_new(object, "available", json_text(file->available));
    json_object_set_new(object, "flags", json_text(file->flags));
    JSON_PUT_REALS(object, {"steered_ppm", file->steered_ppm,
                            "the operating system does not say by how much it steers"});
    return object;
}

static json_t *disturbances_json(const struct clocks_disturbances *seen)
{
    static const char unslept[] = "no sleep was watched";
    static const char unheld[] = "CPUs could not be held awake";
    json_t *object = json_object();
    JSON_PUT_REALS(object, {"watched_ns", seen->watched_ns, NULL},
                   {"stolen_ns", seen->stolen_ns, "the operating system does not count it"});
    json_object_set_new(object, "stolen_intervals", json_count(seen->stolen_intervals));
    JSON_PUT_REALS(object, {"suspended_ns", seen->suspended_ns, "no clock here counts it"});
    json_object_set_new(object, "suspended_intervals", json_count(seen->suspended_intervals));
    json_object_set_new(object, "preempted", json_count(seen->preempted));
    json_object_set_new(object, "intervals", json_count(seen->intervals));
    JSON_PUT_REALS(object, {"overslept_median_ns", seen->overslept_median_ns, unslept},
                   {"overslept_max_ns", seen->overslept_max_ns, unslept},
                   {"awake_median_ns", seen->awake_median_ns, unheld},
                   {"awake_max_ns", seen->awake_max_ns, unheld});
    json_object_set_new(object, "idle", json_text(seen->idle[0] ? seen->idle : NULL));
    return object;
}

static json_t *pair_json(const struct clocks_run *run, const struct clock_pair *pair)
{
    static const char moving[] = "no constant offset agrees with every trip";
    bool constant = pair->low <= pair->high;
    json_t *object = json_object();
    json_object_set_new(object, "clock", json_text(clocks_name(&run->file, pair->clock)));
    json_object_set_new(object, "cpu", json_integer(pair->cpu));
    json_object_set_new(object, "partner", json_integer(pair->partner));
    json_object_set_new(object, "trips", json_count(pair->trips));
    json_object_set_new(object, "backward", json_count(pair->backward));
    json_object_set_new(object, "constant", json_boolean(constant));
    JSON_PUT_REALS(object, {"low_ticks", pair->low, NULL}, {"high_ticks", pair->high, NULL},
                   {"offset_ticks", constant ? pair->offset : NAN, moving},
                   {"bound_ticks", constant ? pair->bound : NAN, moving});
    return object;
}

static json_t *advice_json(const struct clocks_run *run, const struct clocks_advice *advice)
{
    (void)run;
    return json_pack("{s:o}", "text", json_text(advice->text));
}

static json_t *point_json(const struct clocks_run *run, const struct clock_point *point)
{
    json_t *object = json_object();
    json_object_set_new(object, "clock", json_text(clocks_name(&run->file, point->clock)));
    JSON_PUT_REALS(object, {"requested_ms", point->requested_ms, NULL},
                   {"measured_ms", point->measured_ms, "its rate is not known"},
                   {"reference_ms", point->reference_ms, "there is no reference"});
    return object;
}

#define LIST(object, key, make, run, list, count)                                                  \
    do {                                                                                           \
        json_t *members = json_array();                                                            \
        for (size_t i = 0; i < (count); i++)                                                       \
            json_array_append_new(members, make(run, &(list)[i]));                                 \
        json_object_set_new(object, key, members);                                                 \
    } while (0)

json_t *clocks_analysis_json(const void *kept)
{
    const struct clocks_run *run = kept;
    const struct clocks_report *report = &run->report;
    json_t *object = json_object(), *clocks = json_array();
    for (size_t i = 0; i < run->file.clock_count; i++)
        if (clocks_is_judged(run, i))
            json_array_append_new(clocks, clocks_clock_json(run, i));
    json_object_set_new(object, "clocks", clocks);
    json_object_set_new(object, "looks", json_count(report->looks));
    json_object_set_new(object, "intervals", json_count(report->intervals));
    json_object_set_new(object, "seconds", json_real(run->studying.seconds));
    json_object_set_new(object, "complete", json_boolean(run->studying.complete));
    json_object_set_new(object, "store", json_text(run->studying.stored));
    json_object_set_new(object, "emulated", json_boolean(run->file.emulated));
    json_object_set_new(object, "cpus", json_count(run->file.cpus));
    json_object_set_new(object, "reference", reference_json(run));
    json_object_set_new(object, "claims", claims_of_machine_json(&run->file));
    json_object_set_new(object, "disturbances", disturbances_json(&report->disturbances));
    LIST(object, "pairs", pair_json, run, report->pairs, report->pair_count);
    LIST(object, "advice", advice_json, run, report->advice, report->advice_count);
    if (run->studying.options->all)
        LIST(object, "points", point_json, run, report->points, report->point_count);
    return object;
}

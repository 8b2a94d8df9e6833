/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of a command for programs (docs/json). */
#include <math.h>
#include <string.h>

#include "cli/command-outcome.h"
#include "studies/stat/study.h"

#define EXACT_TO 9007199254740992.0 /* 2^53 */

/* A whole number where it is one. */
static json_t *number_json(double value)
{
    return value == rint(value) && fabs(value) <= EXACT_TO ? json_integer((json_int_t)value)
                                                           : json_real(value);
}

static void put_readings(const struct stat_run *run, const struct stat_event *event, json_t *object)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->run_count; i++) {
        const struct stat_reading *reading = &event->runs[i];
        json_t *row = json_object();
        json_object_set_new(row, "value", json_count(reading->value));
        json_object_set_new(row, "enabled", json_count(reading->enabled));
        json_object_set_new(row, "running", json_count(reading->running));
        json_object_set_new(row, "averaged", json_boolean(stat_is_averaged(run, i)));
        json_array_append_new(list, row);
    }
    json_object_set_new(object, "runs", list);
}

static void put_figure(const struct stat_run *run, const struct stat_event *event, json_t *object)
{
    const struct stat_figure *figure = &event->figure;
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"count", figure->count},
                   {"corrected", figure->corrected},
                   {"min", figure->min},
                   {"max", figure->max}};
    const char *reason = event->reason ? event->reason : "it never got a counter";
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (stat_has_figure(event))
            json_object_set_new(object, numbers[i].key, number_json(numbers[i].value));
        else
            json_absent(object, numbers[i].key, reason);
    if (stat_has_figure(event) && figure->has_uncertainty)
        json_object_set_new(object, "uncertainty", number_json(figure->uncertainty));
    else
        json_absent(object, "uncertainty",
                    !stat_has_figure(event)         ? reason
                    : figure->state == STAT_PARTIAL ? "a part was counted"
                    : stat_relayed(run) > 0 ? "nothing is known of what relaying its output added"
                                            : "nothing is known of what starting adds, and one "
                                              "execution tells no spread");
    json_object_set_new(object, "low",
                        stat_has_figure(event) && figure->has_uncertainty
                            ? number_json(fmax(0, figure->corrected - figure->uncertainty))
                            : json_null());
    json_object_set_new(object, "high",
                        stat_has_figure(event) && figure->has_uncertainty
                            ? number_json(figure->corrected + figure->uncertainty)
                            : json_null());
    if (stat_has_figure(event) && figure->has_overhead)
        json_object_set_new(object, "overhead", number_json(figure->overhead));
    else
        json_absent(object, "overhead", stat_has_figure(event) ? event->overhead_reason : reason);
    json_object_set_new(object, "relayed", json_real(stat_has_figure(event) ? figure->relayed : 0));
    json_object_set_new(object, "share", json_real(stat_has_figure(event) ? figure->share : 0));
    json_t *parts = json_object();
    json_object_set_new(parts, "spread", json_real(figure->from_spread));
    json_object_set_new(parts, "drift", json_real(figure->from_drift));
    json_object_set_new(parts, "starting", json_real(figure->from_nulls));
    json_object_set_new(parts, "sharing", json_real(figure->from_sharing));
    json_object_set_new(parts, "overcounts", json_real(figure->from_overcounts));
    json_object_set_new(parts, "relaying", json_real(figure->from_relaying));
    json_object_set_new(object, "parts", parts);
}

static void put_trust(const struct stat_run *run, const struct stat_event *event, json_t *object)
{
    const struct known_trust *trust = event->is_validated ? &event->trust : NULL;
    const bool withheld = stat_is_withheld(run, event);
    if (withheld)
        json_absent(object, "trust", "what the command wrote was relayed, which adds to counts");
    else if (trust)
        json_object_set_new(object, "trust", json_text(trust->verdict));
    if (trust) {
        json_object_set_new(object, "trust_age", json_integer(trust->age_s));
    } else {
        const char *reason = event->is_counted ? "not validated" : "it was not counted";
        json_absent(object, "trust", reason);
        json_absent(object, "trust_age", reason);
    }
    json_object_set_new(object, "trust_cause",
                        json_text(withheld ? STAT_WITHHELD_CAUSE : stat_trust_cause(event)));
    json_object_set_new(object, "trust_event", json_text(trust ? trust->event : NULL));
    json_object_set_new(object, "trust_stale", trust ? json_boolean(trust->stale) : json_null());
    json_object_set_new(object, "trust_difference",
                        json_text(trust && trust->stale ? trust->difference : NULL));
}

static json_t *event_json(const struct stat_run *run, const struct stat_event *event)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_text(event->name));
    json_object_set_new(object, "class", json_text(event->class));
    json_object_set_new(object, "unit", json_text(stat_is_time(event) ? "ns" : "counts"));
    json_object_set_new(object, "state", json_text(stat_state_names[event->figure.state]));
    put_figure(run, event, object);
    put_trust(run, event, object);
    if (event->figure.state != STAT_UNSUPPORTED)
        put_readings(run, event, object);
    else
        json_object_set_new(object, "runs", json_array());
    return object;
}

json_t *stat_results_json(const struct stat_run *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->event_count && run->run_count; i++)
        json_array_append_new(list, event_json(run, &run->events[i]));
    return list;
}

static json_t *execution_json(const struct stat_run *run, size_t index)
{
    const struct stat_execution *execution = &run->runs[index];
    const struct account *account = &execution->account;
    json_t *object = json_object();
    command_ending_put(object, execution->status);
    json_object_set_new(object, "seconds", json_real((double)execution->nanoseconds / 1e9));
    if (execution->relayed)
        json_object_set_new(object, "output_bytes", json_count(execution->output_bytes));
    else
        json_absent(object, "output_bytes", COMMAND_OUTPUT_LENT);
    json_object_set_new(object, "page_faults",
                        json_count(account->minor_faults + account->major_faults));
    json_object_set_new(object, "context_switches",
                        json_count(account->voluntary + account->involuntary));
    if (execution->tasks_known) {
        json_object_set_new(object, "tasks", json_count(execution->tasks));
        json_object_set_new(object, "processes", json_count(execution->processes));
    } else {
        json_absent(object, "tasks", "nobody here tells births of threads");
        json_absent(object, "processes", "nobody here tells births of processes");
    }
    json_object_set_new(object, "left", json_count(execution->left));
    json_object_set_new(object, "averaged", json_boolean(stat_is_averaged(run, index)));
    return object;
}

json_t *stat_analysis_json(const struct stat_run *run)
{
    json_t *object = json_object(), *list = json_array();
    char setting[200];
    for (size_t i = 0; i < run->run_count; i++)
        json_array_append_new(list, execution_json(run, i));
    json_object_set_new(object, "program", json_text(run->line));
    json_object_set_new(object, "setting",
                        json_text(setting_name(run->controls, setting, sizeof(setting))));
    json_object_set_new(object, "executions", list);
    json_object_set_new(object, "calibrations", json_count(run->null_count));
    json_object_set_new(object, "invocations", json_count(run->pace_count));
    json_object_set_new(object, "store", json_text(run->store ? store_path(run->store) : NULL));
    json_object_set_new(object, "complete",
                        json_boolean(run->run_count == run->repeat && !run->was_interrupted));
    json_object_set_new(object, "seconds", json_real(run->seconds));
    return object;
}

json_t *stat_skipped_json(const struct stat_run *run)
{
    struct skips skips = {0};
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].reason)
            skips_add(&skips, run->events[i].name, run->events[i].reason, run->events[i].error);
    if (run->refused && !run->asked)
        skips_add(&skips, STAT_COUNTER, run->refused, 0);
    if (run->reason)
        skips_add(&skips, run->line, run->reason, run->error);
    json_t *list = skips_json(&skips);
    skips_free(&skips);
    return list;
}

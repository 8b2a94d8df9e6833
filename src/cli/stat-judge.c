/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures and trust of the events of a command: what was loaded, laid before the judge. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/stat/study.h"
#include "study/mode.h"

/* ns of a task that are the operating system's, from its birth or exec to where counting begins and
 * from where it ends to the task's end; generous, since machines are slow and emulated. */
#define STAT_STARTING_NS 10000000u

/* --- figures --- */

bool stat_is_averaged(const struct stat_run *run, size_t index)
{
    return !run->runs[index].broken_off || run->run_count == 1;
}

size_t stat_averaged(const struct stat_run *run)
{
    size_t count = 0;
    while (count < run->run_count && stat_is_averaged(run, count))
        count++;
    return count; /* the one that was broken off is the last */
}

double stat_seconds(const struct stat_run *run)
{
    const size_t count = stat_averaged(run);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)run->runs[i].nanoseconds / 1e9;
    return count ? sum / (double)count : 0;
}

double stat_relayed(const struct stat_run *run)
{
    const size_t count = stat_averaged(run);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += run->runs[i].relayed ? (double)run->runs[i].output_bytes : 0;
    return count ? sum / (double)count : 0;
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = ((const struct stat_reading *)left)->value,
                   b = ((const struct stat_reading *)right)->value;
    return (a > b) - (a < b);
}

/* What relaying added to the event, by programs of the kit that were relayed, in proportion to what
 * they wrote. The program's own pace decides how often it has to wait, and that is not theirs: the
 * bar is all that they showed. False: nothing is known of it. */
static bool judge_relaying(const struct stat_run *run, struct stat_event *event,
                           struct stat_evidence *evidence)
{
    const double bytes = stat_relayed(run);
    if (bytes <= 0)
        return true;
    for (size_t i = 0; i < 2; i++) {
        if (run->relay_counts[i] != STAT_RELAYS || !event->is_counted)
            return false;
        qsort(event->relays[i], STAT_RELAYS, sizeof(**event->relays), by_value);
    }
    const struct stat_reading *few = event->relays[0], *many = event->relays[1];
    const double scale = fmax(1, bytes / STAT_PAGE / STAT_MOST_PAGES);
    const size_t last = STAT_RELAYS - 1, middle = STAT_RELAYS / 2;
    evidence->relayed = scale * fmax(0, (double)many[middle].value - (double)few[middle].value);
    evidence->relayed_bar = scale * fmax(0, (double)many[last].value - (double)few[0].value);
    return true;
}

/* Counts too many that validation found for each of something; its upper limit. */
static double overcount(const struct stat_event *event, enum cause cause, const char *per)
{
    const struct judgement *verdict = event->verdict;
    for (size_t i = 0; verdict && i < verdict->explanation_count; i++) {
        const struct explanation *explanation = &verdict->explanations[i];
        if (explanation->cause == cause && strcmp(explanation->per, per) == 0)
            return fmax(fabs(explanation->low), fabs(explanation->high));
    }
    return 0;
}

enum stat_nature stat_nature_of(const struct stat_run *run, const struct stat_event *event)
{
    const char *class = event->class ? event->class : "";
    const bool stays = run->controls & CONTROL_BIT(CONTROL_CPU);
    if (stat_is_time(event))
        return STAT_OF_TIME;
    return strcmp(class, "context-switches") == 0 ||
                   (strcmp(class, "cpu-migrations") == 0 && !stays)
               ? STAT_OF_CHANCE
               : STAT_OF_WORK;
}

/* An execution of a program that gains rights ends the counters on it. That of the command itself
 * is known; of others below it the time on a CPU tells that nothing counted. */
static int judge_losses(struct stat_run *run, struct stat_event *event, size_t count)
{
    bool dropped = false, partial = false;
    for (size_t i = 0; i < count; i++) {
        const struct stat_execution *execution = &run->runs[i];
        const uint64_t spent = execution->cpu_nanoseconds;
        const uint64_t unseen = spent / 10 + execution->tasks * STAT_STARTING_NS;
        dropped = dropped || execution->rights == RIGHTS_GAINED;
        partial = partial || (execution->tasks_known && execution->tasks > 1 &&
                              event->runs[i].enabled + unseen < spent);
    }
    if (dropped) {
        event->figure.state = STAT_DROPPED;
        free(event->reason);
        event->reason = strdup(STAT_RIGHTS);
        return event->reason ? 0 : -ENOMEM;
    }
    if (partial && stat_has_figure(event)) {
        event->figure.state = STAT_PARTIAL;
        event->figure.has_uncertainty = false;
    }
    return 0;
}

static int judge_event(struct stat_run *run, struct stat_event *event)
{
    const enum stat_state state = event->figure.state;
    const size_t count = stat_averaged(run);
    double faults = 0, interrupts = 0;
    for (size_t i = 0; i < count; i++) {
        const struct account *account = &run->runs[i].account;
        faults += (double)(account->minor_faults + account->major_faults) / (double)count;
        interrupts += (double)run->runs[i].interrupts / (double)count;
    }
    struct stat_evidence evidence = {
        .nature = stat_nature_of(run, event),
        .seconds = stat_seconds(run) * (double)count,
        .paces = run->paces,
        .pace_count = run->pace_count,
        .runs = event->runs,
        .run_count = count,
        .nulls = event->nulls,
        .null_count = run->null_count,
        .has_truth = event->has_truth,
        .truth = event->truth,
        .is_random = !run->is_controlled,
        .per_fault = overcount(event, CAUSE_FAULT_OVERCOUNT, "page fault"),
        .faults = faults,
        .per_interrupt = overcount(event, CAUSE_INTERRUPT_OVERCOUNT, "interrupt"),
        .interrupts = interrupts,
    };
    const bool relaying_known = judge_relaying(run, event, &evidence);
    const int error = stat_judge(&evidence, &event->figure);
    event->figure.has_uncertainty = event->figure.has_uncertainty && relaying_known;
    if (state == STAT_ACCOUNTED && event->figure.state == STAT_COUNTED)
        event->figure.state = STAT_ACCOUNTED;
    if (!event->figure.has_overhead && !event->overhead_reason)
        event->overhead_reason = "the program of the kit that tells it got no counter";
    return error == 0 && event->is_counted ? judge_losses(run, event, count) : error;
}

int stat_judge_all(struct stat_run *run)
{
    int error = 0;
    for (size_t i = 0; i < run->event_count && error == 0; i++)
        if (run->events[i].figure.state != STAT_UNSUPPORTED)
            error = judge_event(run, &run->events[i]);
    return error;
}

/* --- trust --- */

void stat_find_trust(struct stat_run *run)
{
    latest_verdicts_load(run->fingerprint, &run->options->common, &run->latest);
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        int64_t age_s;
        if (!event->is_counted)
            continue;
        event->verdict = latest_verdict(&run->latest, event->name, &age_s);
        event->is_validated =
            trust_of(&run->latest, run->facts, event->name, true, &event->trust) == 0;
        /* Whatever adds counts in user mode adds them to all modes together. */
        AUTO_FREE char *user = event_mode(event->name) ? NULL : event_in_user_mode(event->name);
        if (user && !(event->verdict && event->verdict->explanation_count))
            event->verdict = latest_verdict(&run->latest, user, &age_s);
    }
}

bool stat_is_time(const struct stat_event *event)
{
    return event->class &&
           (strcmp(event->class, "task-clock") == 0 || strcmp(event->class, "cpu-clock") == 0);
}

bool stat_has_figure(const struct stat_event *event)
{
    return event->figure.state != STAT_UNSUPPORTED && event->figure.state != STAT_UNSCHEDULED &&
           event->figure.state != STAT_DROPPED;
}

bool stat_is_good(const struct stat_event *event)
{
    const int verdict = event->is_validated ? verdict_from_name(event->trust.verdict) : -1;
    return verdict >= 0 && verdict_is_trusted((enum verdict)verdict);
}

bool stat_is_withheld(const struct stat_run *run, const struct stat_event *event)
{
    return stat_is_good(event) && stat_relayed(run) > 0;
}

const char *stat_trust_cause(const struct stat_event *event)
{
    const bool bad = event->is_validated && !stat_is_good(event);
    return bad && event->trust.cause[0] ? event->trust.cause : NULL;
}

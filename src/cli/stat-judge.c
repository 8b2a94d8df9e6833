/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures and trust of the events of a command: what was loaded, laid before the judge. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/stat.h"
#include "study/mode.h"

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
    const struct stat_evidence evidence = {
        .nature = stat_nature_of(run, event),
        .seconds = stat_seconds(run) * (double)count,
        .runs = event->runs,
        .run_count = count,
        .nulls = event->nulls,
        .null_count = run->null_count,
        .has_truth = event->has_truth,
        .truth = event->truth,
        .per_fault = overcount(event, CAUSE_FAULT_OVERCOUNT, "page fault"),
        .faults = faults,
        .per_interrupt = overcount(event, CAUSE_INTERRUPT_OVERCOUNT, "interrupt"),
        .interrupts = interrupts,
    };
    const int error = stat_judge(&evidence, &event->figure);
    if (state == STAT_ACCOUNTED && event->figure.state == STAT_COUNTED)
        event->figure.state = STAT_ACCOUNTED;
    if (!event->figure.has_overhead && !event->overhead_reason)
        event->overhead_reason = "the program of the kit that tells it got no counter";
    return error;
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
    return event->figure.state != STAT_UNSUPPORTED && event->figure.state != STAT_UNSCHEDULED;
}

bool stat_is_good(const struct stat_event *event)
{
    const int verdict = event->is_validated ? verdict_from_name(event->trust.verdict) : -1;
    return verdict >= 0 && verdict_is_trusted((enum verdict)verdict);
}

const char *stat_trust_cause(const struct stat_event *event)
{
    const bool bad = event->is_validated && !stat_is_good(event);
    return bad && event->trust.cause[0] ? event->trust.cause : NULL;
}

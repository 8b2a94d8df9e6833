/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay stat` counts: the events of -e, or those of perf stat, as far as this machine has
 * them; and what of each the program of known truth does by its own code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cli/absences.h"
#include "cli/command-status.h"
#include "studies/stat/study.h"
#include "study/mode.h"

/* Columns of what became of the command need places in the cell as well. */
#define COLUMNS     9
#define MOST_EVENTS (CELL_MAX_COUNTERS - COLUMNS)

static const char *const usual[] = {"task-clock",  "context-switches", "cpu-migrations",
                                    "page-faults", "cycles",           "instructions",
                                    "branches",    "branch-misses"};

/* --- names --- */

static struct stat_event *add(struct stat_run *run, const char *name, bool asked)
{
    struct stat_event *event = list_add(&run->events, &run->event_count, sizeof(*event));
    if (!event)
        return NULL;
    *event = (struct stat_event){.asked = asked, .name = strdup(name)};
    return event->name ? event : NULL;
}

static int check_names(const struct string_list *names, struct failure *failure)
{
    if (names->count > MOST_EVENTS)
        return fail_with(failure, -EINVAL,
                         "at most %d events can be counted at once: run it again "
                         "for the others",
                         MOST_EVENTS);
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        const char *source = command_source(name);
        if (strspn(name, " \t\n"))
            return fail_with(failure, -EINVAL,
                             "--event '%.100s': a blank stands before the name; commas alone "
                             "separate events",
                             name);
        if (strpbrk(name, "{}"))
            return fail_with(failure, -EINVAL,
                             "--event %.100s: events are counted one by one, not in groups; the "
                             "report says which of them shared a counter. Leave the braces out",
                             name);
        if (!*source || strcmp(source, "perf_event") != 0)
            return fail_with(failure, -EINVAL,
                             "--event %.100s: that is none of perf_event. What counts by executing "
                             "is asked by `assay truth`",
                             name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(name, names->items[j]) == 0)
                return fail_with(failure, -EINVAL, "--event %.100s is named twice", name);
    }
    return 0;
}

/* --- what the machine says of them --- */

static int take_class(struct stat_event *event, const struct listed_event *listed)
{
    event->class = listed->class && *listed->class ? strdup(listed->class) : NULL;
    event->kind = listed->kind ? strdup(listed->kind) : NULL;
    event->is_counted = true;
    return event->class || !listed->class || !*listed->class ? 0 : -ENOMEM;
}

static int refuse(struct stat_event *event, int error, const char *reason)
{
    event->error = error;
    event->reason = strdup(reason);
    event->figure.state = STAT_UNSUPPORTED;
    return event->reason ? 0 : -ENOMEM;
}

/* These happen in the operating system alone: in user mode a 0 would stand for "not seen". */
static bool is_never_in_user_mode(const char *name)
{
    return strcmp(name, "context-switches") == 0 || strcmp(name, "cpu-migrations") == 0;
}

/* Who may not count the operating system's part counts the program's own, as perf stat does. */
static int try_user_mode(struct stat_run *run, struct stat_event *event, struct failure *failure)
{
    struct listed_event listed;
    char *name = NULL;
    if (event->asked || is_never_in_user_mode(event->name) ||
        asprintf(&name, "%s:u", event->name) < 0)
        return 0;
    int error = session_try_event(run->session, name, &listed, failure);
    if (error == 0 && listed.openable && (error = take_class(event, &listed)) == 0) {
        free(event->name);
        event->name = name;
        return 1;
    }
    free(name);
    return error == -ENOENT || error == -EINVAL ? 0 : error;
}

static int try_event(struct stat_run *run, struct stat_event *event, struct failure *failure)
{
    struct listed_event listed;
    struct failure unknown = {0};
    int error = session_try_event(run->session, event->name, &listed, &unknown);
    if (error == 0 && listed.openable)
        return take_class(event, &listed);
    if ((error == -ENOENT || error == -EINVAL) && event->asked) {
        *failure = unknown;
        return error;
    }
    if (error < 0 && error != -ENOENT && error != -EINVAL) {
        *failure = unknown;
        return error;
    }
    if (error == 0 && (listed.error == EACCES || listed.error == EPERM)) {
        struct stat_event refused = {0};
        if (refuse(&refused, listed.error, listed.reason) < 0)
            return -ENOMEM;
        const int instead = try_user_mode(run, event, failure);
        if (instead == 0) {
            event->error = refused.error;
            event->reason = refused.reason;
            event->figure.state = STAT_UNSUPPORTED;
            return 0;
        }
        free(refused.reason);
        return instead < 0 ? instead : 0;
    }
    return error == 0 ? refuse(event, listed.error, listed.reason)
                      : refuse(event, -error, unknown.text);
}

/* --- the truth of the program that is executed to learn what starting adds --- */

/* Of these its code makes none: all that are seen come from starting it and counting. */
static const char *const never_made[] = {"page-faults",      "minor-faults",   "major-faults",
                                         "context-switches", "cpu-migrations", "alignment-faults",
                                         "emulation-faults"};

static bool is_of(const char *class, const char *const *classes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(classes[i], class) == 0)
            return true;
    return false;
}

/* Does the event count what programs do in user mode? */
static bool counts_user(const char *name)
{
    const char *mode = event_mode(name);
    return !mode || strchr(mode, 'u') || !strpbrk(mode, "kh");
}

static void take_truth(const struct stat_run *run, struct stat_event *event)
{
    const struct catalogue_subject *subject = catalogue_subject(run->catalogue, STAT_NULL_NAME);
    if (!subject)
        event->overhead_reason = STAT_NO_PROGRAM;
    else if (event->class &&
             is_of(event->class, never_made, sizeof(never_made) / sizeof(*never_made)))
        event->has_truth = true;
    else if (event->class && strcmp(event->class, "instructions") == 0 && subject->has_truth) {
        event->has_truth = true;
        event->truth =
            counts_user(event->name) ? subject->base + subject->each * (int64_t)STAT_NULL_N : 0;
    } else
        event->overhead_reason = STAT_NO_TRUTH;
}

/* --- all of it --- */

/* Where perf_event is refused the operating system's account of the process is all there is. */
int stat_take_account(struct stat_run *run)
{
    static const char *const accounted[] = {"page-faults", "context-switches"};
    for (size_t i = 0; i < sizeof(accounted) / sizeof(*accounted); i++) {
        struct stat_event *event = add(run, accounted[i], false);
        if (!event || !(event->class = strdup(accounted[i])))
            return -ENOMEM;
        event->figure.state = STAT_ACCOUNTED;
    }
    return 0;
}

static int take_asked(struct stat_run *run, struct failure *failure)
{
    const struct string_list *asked = &run->options->events;
    const size_t count = asked->count ? asked->count : sizeof(usual) / sizeof(*usual);
    for (size_t i = 0; i < count; i++) {
        struct stat_event *event =
            add(run, asked->count ? asked->items[i] : usual[i], asked->count > 0);
        if (!event)
            return -ENOMEM;
        if (run->refused) {
            if (refuse(event, EPERM, run->refused) < 0)
                return -ENOMEM;
            continue;
        }
        const int error = try_event(run, event, failure);
        if (error < 0)
            return error;
        take_truth(run, event);
    }
    return 0;
}

static int take_account(struct stat_run *run)
{
    const int error = stat_take_account(run);
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].figure.state == STAT_ACCOUNTED)
            take_truth(run, &run->events[i]);
    return error;
}

int stat_find_events(struct stat_run *run)
{
    struct failure failure = {0};
    const struct catalogue_absence *absence =
        absences_find(run->catalogue, "counter", STAT_COUNTER);
    run->refused = absence                                            ? absence->reason
                   : !catalogue_counter(run->catalogue, STAT_COUNTER) ? "the kit does not count "
                                                                        "commands by perf_event"
                                                                      : NULL;
    int error = check_names(&run->options->events, &failure);
    if (error == 0 && (run->asked || !run->refused))
        error = take_asked(run, &failure);
    if (error == 0 && run->refused)
        error = take_account(run);
    if (error == 0)
        return EXIT_DONE;
    if (!failure.code)
        fail_with(&failure, error, "out of memory");
    return stat_fail(&failure);
}

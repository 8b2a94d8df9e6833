/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of an earlier `assay stat` in the place of a machine: the events it was asked for, what
 * each is known to count of the program of the kit, and the two cells that were executed. Trust is
 * what is known of that machine today. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "studies/stat/study.h"

/* --- events --- */

static bool copy(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

/* One that cannot be counted has the reason; where perf_event counts nothing at all, that has. */
static int take_event(void *context, const struct stored_event *stored)
{
    struct stat_run *run = context;
    if (strcmp(stored->name, STAT_COUNTER) == 0) {
        run->refused = run->known_refusal = strdup(stored->reason ? stored->reason : "");
        return run->refused ? 0 : -ENOMEM;
    }
    struct stat_event *event = list_add(&run->events, &run->event_count, sizeof(*event));
    if (!event)
        return -ENOMEM;
    *event = (struct stat_event){.is_counted = !stored->error, .error = stored->error};
    if (stored->error)
        event->figure.state = STAT_UNSUPPORTED;
    run->asked = true;
    const char *reason = stored->reason ? stored->reason : "";
    return copy(&event->name, stored->name) && copy(&event->class, stored->class) &&
                   copy(&event->reason, stored->error ? reason : NULL)
               ? 0
               : -ENOMEM;
}

/* --- cells --- */

static int keep_cell(struct stat_run *run, const struct stored_cell *stored)
{
    struct cell *cell = list_add(&run->cells, &run->cell_count, sizeof(*cell));
    return cell ? cell_copy(cell, &stored->cell) : -ENOMEM;
}

/* The user's command, whose output was passed on. */
static int take_command(struct stat_run *run, const struct stored_cell *stored)
{
    const struct cell_command *command = &stored->cell.command;
    const uint32_t named =
        CONTROL_BIT(CONTROL_CPU) | CONTROL_BIT(CONTROL_DIRECTORY) | CONTROL_BIT(CONTROL_STDIN);
    run->command_cell = stored->cell.id;
    run->repeat = stored->processes;
    run->timeout = command->timeout;
    run->controls = command->controls;
    run->is_controlled = (run->controls & ~named) != 0;
    run->no_input = !command->input && !(run->controls & CONTROL_BIT(CONTROL_STDIN));
    if (!copy(&run->line, command->words) || !copy(&run->name, command->name))
        return -ENOMEM;
    if (stored->done > stored->failed || !stored->error)
        return 0;
    run->error = stored->error;
    return copy(&run->reason, stored->reason ? stored->reason : "") ? 0 : -ENOMEM;
}

static struct stat_event *event_of(struct stat_run *run, const char *name)
{
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].is_counted && strcmp(run->events[i].name, name) == 0)
            return &run->events[i];
    return NULL;
}

/* The program of the kit, all events at once: the last time counts, and only if it was counted. */
static void take_null(struct stat_run *run, const struct stored_cell *stored)
{
    const bool counted = stored->done > stored->failed;
    run->null_cell = counted ? stored->cell.id : 0;
    run->overhead_reason = counted ? STAT_NO_TRUTH : STAT_NULL_FAILED;
    for (uint32_t i = 0; i < stored->cell.counters; i++) {
        struct stat_event *event = event_of(run, stored->cell.events[i]);
        if (!event)
            continue;
        event->has_truth = counted && stored->counters[i].has_truth;
        event->truth = event->has_truth ? stored->counters[i].truth : 0;
    }
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct stat_run *run = context;
    const int error = keep_cell(run, stored);
    if (error < 0 || stored->cell.id != run->cell_count || !stored->cell.command.words)
        return error;
    if (stored->cell.command.shown && !run->line)
        return take_command(run, stored);
    if (stored->cell.command.shown) { /* what relaying adds: a page first, then several */
        uint32_t *relay = &run->relay_cells[run->relay_cells[0] != 0];
        if (stored->done > stored->failed && stored->processes == STAT_RELAYS)
            *relay = stored->cell.id;
        return 0;
    }
    if (stored->processes == STAT_NULLS)
        take_null(run, stored);
    return 0;
}

/* --- the run --- */

/* What is not known of an event has a reason, which is the same as it was. */
static int explain_overheads(struct stat_run *run)
{
    const int error = run->refused ? stat_take_account(run) : 0;
    for (size_t i = 0; i < run->event_count; i++) {
        struct stat_event *event = &run->events[i];
        if (event->figure.state == STAT_ACCOUNTED)
            event->has_truth = run->null_cell != 0;
        event->overhead_reason = event->has_truth ? NULL : run->overhead_reason;
    }
    return error;
}

static int recall(struct stat_run *run, struct failure *failure)
{
    run->overhead_reason = STAT_NO_PROGRAM;
    int error = stored_run_open(run->options->from, "stat", &run->store, &run->stored, failure);
    if (error == 0)
        error = store_each_event(run->store, take_event, run, failure);
    if (error == 0)
        error = store_each_cell(run->store, take_cell, run, failure);
    if (error == 0 && !run->line)
        error =
            fail_with(failure, -EINVAL, "the run in %.300s ended before the command was executed",
                      run->options->from);
    if (error == 0 && !run->event_count && !run->refused)
        error = fail_with(failure, -EINVAL,
                          "the run in %.300s is of a version that did not keep which events it "
                          "counted: `assay export` has its counts",
                          run->options->from);
    if (error == 0)
        error = explain_overheads(run);
    run->facts = &run->stored.facts;
    run->fingerprint = run->stored.info.fingerprint;
    run->was_interrupted = !run->stored.info.finished;
    run->cut_off = run->stored.info.ended && strcmp(run->stored.info.ended, STAT_CUT_OFF) == 0;
    return error < 0 && !failure->code ? fail_with(failure, error, "out of memory") : error;
}

int stat_open_from(struct stat_run *run)
{
    struct failure failure = {0};
    return recall(run, &failure) < 0 ? stat_fail(&failure) : EXIT_DONE;
}

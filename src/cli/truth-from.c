/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of an earlier `assay truth` in the place of a machine: the command, who tried to count
 * it, and who did. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cli/deliver.h"
#include "studies/truth/study.h"

struct recalling {
    struct truth_run *run;
    uint32_t cell; /* that counted it; 0: none did */
};

static bool take_text(char **to, const char *from)
{
    free(*to);
    *to = strdup(from ? from : "");
    return *to != NULL;
}

/* Every try is a cell: the first column is SOURCE/CLASS/. */
static int take_cell(void *context, const struct stored_cell *stored)
{
    struct recalling *recalling = context;
    struct truth_run *run = recalling->run;
    const struct cell_command *command = &stored->cell.command;
    char source[32] = "";
    if (!command->words || !stored->cell.counters)
        return 0;
    snprintf(source, sizeof(source), "%.*s", (int)strcspn(stored->cell.events[0], "/"),
             stored->cell.events[0]);
    run->controls = command->controls;
    run->timeout = command->timeout;
    run->shown = command->shown;
    if (!take_text(&run->line, command->words) || !take_text(&run->name, command->name))
        return -ENOMEM;
    if (stored->done) {
        recalling->cell = stored->cell.id;
        return take_text(&run->known_counter.source, source) ? 0 : -ENOMEM;
    }
    run->error = stored->error;
    return skips_add(&run->skips, source, stored->reason ? stored->reason : "", stored->error);
}

/* Sources that were not there have no event, only their name. */
static int take_absent(void *context, const struct stored_event *event)
{
    struct truth_run *run = context;
    return strchr(event->name, '/') ? 0
                                    : skips_add(&run->skips, event->name,
                                                event->reason ? event->reason : "", event->error);
}

static int take_note(void *context, const struct stored_event *event)
{
    struct truth_run *run = context;
    const char *source = run->known_counter.source;
    const size_t length = source ? strlen(source) : 0;
    if (!length || strncmp(event->name, source, length) != 0 || event->name[length] != '/')
        return 0;
    return take_text(&run->known_counter.note, event->reason) ? 0 : -ENOMEM;
}

static int take_subject(void *context, const struct stored_subject *stored)
{
    struct catalogue *known = context;
    struct catalogue_subject *subject =
        list_add(&known->subjects, &known->subject_count, sizeof(*subject));
    if (!subject)
        return -ENOMEM;
    *subject = (struct catalogue_subject){.name = strdup(stored->name),
                                          .has_truth = stored->has_truth,
                                          .base = stored->base,
                                          .each = stored->each};
    return subject->name ? 0 : -ENOMEM;
}

static int recall(struct truth_run *run, struct failure *failure)
{
    struct recalling recalling = {.run = run};
    int error = stored_run_open(run->options->from, "truth", &run->store, &run->stored, failure);
    if (error == 0)
        error = store_each_event(run->store, take_absent, run, failure);
    if (error == 0)
        error = store_each_cell(run->store, take_cell, &recalling, failure);
    if (error == 0)
        error = store_each_event(run->store, take_note, run, failure);
    if (error == 0)
        error = store_each_subject(run->store, take_subject, &run->known, failure);
    if (error == 0 && !run->line)
        error = fail_with(failure, -EINVAL, "the run in %.300s ended before the command was tried",
                          run->options->from);
    if (error < 0)
        return failure->code ? error : fail_with(failure, error, "out of memory");
    run->catalogue = &run->known;
    run->facts = &run->stored.facts;
    run->fingerprint = run->stored.info.fingerprint;
    if (!recalling.cell)
        return 0;
    run->counter = &run->known_counter;
    return truth_load(run, recalling.cell, failure);
}

int truth_open_from(struct truth_run *run)
{
    struct failure failure = {0};
    return recall(run, &failure) < 0 ? truth_fail(&failure) : EXIT_DONE;
}

void truth_release_known(struct truth_run *run)
{
    for (size_t i = 0; i < run->known.subject_count; i++)
        free(run->known.subjects[i].name);
    free(run->known.subjects);
    free(run->known_counter.source);
    free(run->known_counter.note);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store of an earlier measurement in the place of a machine: its events, and what its specimens
 * do. Stores of versions that kept neither are judged by what their cells say: only limits of
 * bounded truths are missing then. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "studies/measure/study.h"
#include "engine/run-store.h"

static int take_event(void *context, const struct stored_event *stored)
{
    struct measuring *measuring = context;
    if (stored->error)
        return skips_add(&measuring->skips, stored->name, stored->reason ? stored->reason : "",
                         stored->error);
    const struct counted_event event = {(char *)(uintptr_t)stored->name,
                                        (char *)(uintptr_t)stored->kind,
                                        (char *)(uintptr_t)stored->class};
    return measure_keep_event(measuring, &event);
}

/* NULL: out of memory. */
static struct catalogue_specimen *specimen_of(struct catalogue *known, const char *name)
{
    for (size_t i = 0; i < known->specimen_count; i++)
        if (strcmp(known->specimens[i].name, name) == 0)
            return &known->specimens[i];
    struct catalogue_specimen *specimen =
        list_add(&known->specimens, &known->specimen_count, sizeof(*specimen));
    if (specimen)
        specimen->name = strdup(name);
    return specimen && specimen->name ? specimen : NULL;
}

static int take_truth(void *context, const struct stored_truth *stored)
{
    struct catalogue_specimen *specimen = specimen_of(context, stored->specimen);
    struct catalogue_truth *truth =
        specimen ? list_add(&specimen->truths, &specimen->truth_count, sizeof(*truth)) : NULL;
    if (!truth)
        return -ENOMEM;
    *truth = (struct catalogue_truth){.class = strdup(stored->class),
                                      .base = stored->base,
                                      .each = stored->each,
                                      .high_base = stored->high_base,
                                      .high_each = stored->high_each,
                                      .grade = strdup(stored->grade),
                                      .why = strdup(stored->why ? stored->why : "")};
    return truth->class && truth->grade && truth->why ? 0 : -ENOMEM;
}

void measure_release_known(struct catalogue *known)
{
    for (size_t i = 0; i < known->specimen_count; i++) {
        struct catalogue_specimen *specimen = &known->specimens[i];
        for (size_t j = 0; j < specimen->truth_count; j++) {
            free(specimen->truths[j].class);
            free(specimen->truths[j].grade);
            free(specimen->truths[j].why);
        }
        free(specimen->truths);
        free(specimen->name);
    }
    free(known->specimens);
    *known = (struct catalogue){0};
}

int measure_open_from(struct measuring *measuring)
{
    struct failure failure = {0};
    struct stored_run *stored = &measuring->stored;
    int error =
        stored_run_open(measuring->options->from, "measure", &measuring->store, stored, &failure);
    if (error == 0)
        error = store_each_event(measuring->store, take_event, measuring, &failure);
    if (error == 0)
        error =
            store_each_specimen_truth(measuring->store, take_truth, &measuring->known, &failure);
    if (error < 0)
        return run_store_refuse("measure", error, true, &failure);
    measuring->catalogue = &measuring->known;
    measuring->facts = &stored->facts;
    measuring->fingerprint = stored->info.fingerprint;
    measuring->seed = stored->info.seed;
    measuring->complete = stored->info.finished != NULL;
    return EXIT_DONE;
}

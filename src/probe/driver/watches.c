/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The way of a watch to its harness. Its events are names of clocks, of which perf_event knows
 * nothing: what can be read is what the harnesses said of themselves, and clocks that a person
 * brought along are tried when they are opened. */
#include "probe/driver/watches.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/harness/job.h"

#define HARNESS_PREFIX "harness-watch-"
#define PATIENCE_MS    20000

static bool is_harness(const struct kit_harness *harness, const char *link)
{
    return strncmp(harness->file, HARNESS_PREFIX, strlen(HARNESS_PREFIX)) == 0 &&
           strcmp(harness->link, link) == 0;
}

static const struct absence *absence_of(const struct offers *offers, const char *kind,
                                        const char *name)
{
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, kind) == 0 &&
            strcmp(offers->absences[index].name, name) == 0)
            return &offers->absences[index];
    return NULL;
}

static int find_harness(struct known_cell *known, const struct probe_kit *kit,
                        const struct offers *offers)
{
    const struct cell *cell = &known->cell;
    if (strcmp(cell->opt, "O2") != 0)
        return fail_with(&known->failure, -ENOENT, "watches are compiled at -O2, not -%.8s",
                         cell->opt);
    size_t index = 0;
    while (index < kit->harness_count && !is_harness(&kit->harnesses[index], cell->link))
        index++;
    if (index == kit->harness_count)
        return fail_with(&known->failure, -ENOENT,
                         "this kit has no harness that watches clocks with link mode %.32s",
                         cell->link);
    const struct absence *absence = absence_of(offers, "harness", kit->harnesses[index].file);
    if (absence)
        return fail_with(&known->failure, -(absence->error ? absence->error : ENOEXEC), "%s: %s",
                         absence->name, absence->reason);
    known->harness = index;
    return 0;
}

/* A shared object cannot be loaded by a static program. */
static int check_external(struct known_cell *known, const struct external_clock *clock)
{
    if (clock->way == EXTERNAL_OBJECT && strcmp(known->cell.link, "static") == 0)
        return fail_with(&known->failure, -ENOTSUP,
                         "the clock %s is a shared object, which a static harness cannot load: "
                         "watch it with link mode lazy",
                         clock->name);
    return 0;
}

static int check_clock(struct known_cell *known, const struct offers *offers, const char *name)
{
    struct external_clock clock;
    int result = external_clock_parse(name, &clock, &known->failure);
    if (result < 0)
        return result;
    if (result > 0)
        return check_external(known, &clock);
    const struct absence *absence = absence_of(offers, "clock", name);
    if (absence)
        return fail_with(&known->failure, -(absence->error ? absence->error : ENOTSUP),
                         "the clock %s cannot be read here: %s", name, absence->reason);
    if (!clocks_find(offers, name))
        return fail_with(&known->failure, -ENOENT, "this kit has no clock %s", name);
    return 0;
}

int watch_resolve(struct known_cell *known, const struct probe_kit *kit,
                  const struct offers *offers)
{
    int result = find_harness(known, kit, offers);
    for (uint32_t index = 0; index < known->cell.counters && result == 0; index++)
        result = check_clock(known, offers, known->cell.events[index]);
    return result;
}

int64_t watch_patience_ms(const struct cell_watch *watch)
{
    /* Busy machines take many times the length; readings of a row are no time. */
    return PATIENCE_MS + (watch->kind == WATCH_ROW ? 0 : (int64_t)(watch->length / 1000) * 10);
}

void watch_fill_job(struct job *job, const struct cell *cell)
{
    const struct cell_watch *watch = &cell->watch;
    for (uint32_t index = 0; index < cell->counters; index++) {
        job->events[index] = (struct job_event){0};
        snprintf(job->events[index].name, JOB_NAME, "%s", cell->events[index]);
    }
    job->watch.kind = (uint32_t)watch->kind;
    snprintf(job->watch.workload, sizeof(job->watch.workload), "%s",
             watch->workload ? watch->workload : "");
    job->watch.length = watch->length;
    job->watch.threads = watch->threads;
    job->watch.moves = watch->moves;
    job->watch.handover = watch->handover;
    job->watch.awake = watch->awake;
    job->watch.partner = watch->partner;
}

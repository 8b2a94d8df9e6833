/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making wishes for `assay error`: what every stage needs to say what it would measure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "studies/error/plan.h"
#include "study/mode.h"
#include "study/word-list.h"

#define USUAL_PROCESSES    20u
#define EMULATED_PROCESSES 3u /* counts there are exact, visits dear */
#define USUAL_RUNS         20u
#define TOOL               "perf-stat"

static error_wish_stage *const wishers[STAGE_COUNT] = {
    [STAGE_CROSSING] = error_wish_crossing,   [STAGE_COUNTERS] = error_wish_counters,
    [STAGE_DURATION] = error_wish_duration,   [STAGE_PLACEMENT] = error_wish_placement,
    [STAGE_TOOL] = error_wish_tool,           [STAGE_CALIBRATE] = error_wish_calibration,
    [STAGE_MULTIPLEX] = error_wish_multiplex,
};

uint32_t error_wished_processes(const struct error_study *study)
{
    if (study->processes)
        return study->processes;
    return study->emulated ? EMULATED_PROCESSES : USUAL_PROCESSES;
}

uint32_t error_wished_runs(const struct error_study *study)
{
    return study->runs ? study->runs : USUAL_RUNS;
}

/* --- words --- */

const char *error_usual_link(const struct catalogue_path *path, char word[16])
{
    return word_list_prefer(path->links, "static", word);
}

const char *error_usual_opt(const struct catalogue_path *path, char word[16])
{
    return word_list_prefer(path->opts, "O2", word);
}

/* --- what goes with what --- */

bool error_event_of_cpu(const struct error_event *event)
{
    static const char *const kinds[] = {"hardware", "cache", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(event->kind, kinds[i]) == 0)
            return true;
    /* Other PMUs (msr, uncore) have no modes; those of cores have. */
    return strcmp(event->kind, "pmu") == 0 && event_mode(event->name);
}

bool error_event_waits(const struct error_event *event)
{
    return strcmp(event->kind, "tracepoint") == 0;
}

bool error_uses_path(const struct error_study *study, const struct catalogue_path *path,
                     const char *source)
{
    if (strcmp(path->name, TOOL) == 0 || !word_list_has(path->sources, source))
        return false;
    for (size_t i = 0; i < study->path_count; i++)
        if (strcmp(study->paths[i], path->name) == 0)
            return true;
    return study->path_count == 0;
}

bool error_path_counts(const struct catalogue_path *path, const struct error_event *event)
{
    /* User code can read counters of the CPU only. */
    if (strncmp(path->name, "perf-user", 9) == 0)
        return error_event_of_cpu(event);
    /* PAPI speaks of the CPU, of software events and of tracepoints. */
    if (strncmp(path->name, "papi-", 5) == 0)
        return strcmp(event->kind, "pmu") != 0 || error_event_of_cpu(event);
    return strcmp(event->kind, "papi") != 0;
}

/* --- a wish --- */

static bool fill(const struct error_wisher *wisher, const struct wished_window *way,
                 const struct error_asked *asked, struct cell *cell)
{
    *cell = (struct cell){.counters = asked->counters,
                          .path = strdup(way->path->name),
                          .pattern = way->pattern,
                          .specimen = strdup(asked->specimen),
                          .n = asked->n,
                          .opt = strdup(way->opt),
                          .link = strdup(way->link),
                          .runs = asked->runs,
                          .separate = asked->separate,
                          .cpu = wisher->study->cpu};
    bool whole = cell->path && cell->specimen && cell->opt && cell->link;
    for (uint32_t i = 0; i < asked->counters; i++) {
        const char *event = i && asked->others ? asked->others[i - 1] : asked->event;
        cell->events[i] = strdup(event);
        whole &= cell->events[i] != NULL;
    }
    return whole;
}

void error_wish(struct error_wisher *wisher, const struct wished_window *way,
                const struct error_asked *asked)
{
    struct error_wishes *wishes = wisher->wishes;
    struct error_wish wish = {.processes = asked->processes};
    if (wisher->error < 0)
        return;
    if ((wishes->count & (wishes->count - 1)) == 0) {
        size_t size = wishes->count ? 2 * wishes->count : 1;
        struct error_wish *grown = reallocarray(wishes->list, size, sizeof(*grown));
        if (!grown) {
            wisher->error = -ENOMEM;
            return;
        }
        wishes->list = grown;
    }
    bool whole = fill(wisher, way, asked, &wish.cell);
    wishes->list[wishes->count++] = wish;
    if (!whole)
        wisher->error = -ENOMEM;
}

int error_wish_list(const struct error_study *study, enum error_stage stage,
                    struct error_wishes *wishes)
{
    struct error_wisher wisher = {.study = study, .wishes = wishes};
    wishers[stage](&wisher);
    return wisher.error;
}

void error_wishes_free(struct error_wishes *wishes)
{
    for (size_t i = 0; i < wishes->count; i++)
        cell_release(&wishes->list[i].cell);
    free(wishes->list);
    *wishes = (struct error_wishes){0};
}

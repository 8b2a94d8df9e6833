/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The null cells that `assay error` wishes for, and the same windows stepped: the crossing of path,
 * pattern, -O and link. */
#include <string.h>

#include "studies/error/plan.h"
#include "study/word-list.h"

/* The same every time, unless something is amiss. */
#define STEPPED_PROCESSES 2u
#define STEPPED_RUNS      3u

/* Which levels and link modes of a path: the usual one of each, the other links at the usual
 * level, and the rest. */
enum corner { USUAL, OTHER_LINKS, OTHER_LEVELS };

static bool in_corner(const struct catalogue_path *path, enum corner corner, const char *opt,
                      const char *link)
{
    char usual_opt[16], usual_link[16];
    bool level = strcmp(opt, error_usual_opt(path, usual_opt)) == 0;
    bool linked = strcmp(link, error_usual_link(path, usual_link)) == 0;
    switch (corner) {
    case USUAL:
        return level && linked;
    case OTHER_LINKS:
        return level && !linked;
    default:
        return !level;
    }
}

/* One cell for each pattern, level and link mode of the corner. */
static void wish_path(struct error_wisher *wisher, const struct catalogue_path *path,
                      enum corner corner, const struct error_asked *asked)
{
    char opt[16], link[16];
    for (const char *opts = path->opts; word_list_next(&opts, opt);)
        for (const char *links = path->links; word_list_next(&links, link);) {
            if (!in_corner(path, corner, opt, link))
                continue;
            for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
                const struct wished_window way = {path, (enum pattern)pattern, opt, link};
                if (word_list_has(path->patterns, pattern_names[pattern]))
                    error_wish(wisher, &way, asked);
            }
        }
}

/* Processes of a cell: fewer in the corners of an emulated machine, whose counts never vary. */
static uint32_t processes_of(const struct error_study *study, enum corner corner, uint32_t usual)
{
    uint32_t most = error_wished_processes(study);
    if (study->emulated && corner != USUAL && !study->processes)
        usual--;
    return usual < most ? usual : most;
}

static void wish_stepped(struct error_wisher *wisher, const struct catalogue_path *path,
                         enum corner corner)
{
    const struct error_study *study = wisher->study;
    const struct error_asked asked = {.event = study->stepped,
                                      .counters = 1,
                                      .specimen = "null",
                                      .runs = STEPPED_RUNS,
                                      .processes = processes_of(study, corner, STEPPED_PROCESSES)};
    if (study->stepped && error_uses_path(study, path, "step") &&
        word_list_has(path->sources, "perf_event"))
        wish_path(wisher, path, corner, &asked);
}

/* Which events, by what they are crossed with and cost. */
enum rank { CROSSED, OTHERS, WAITING };

static bool has_rank(const struct error_event *event, enum rank rank)
{
    if (event->placed_only || event->companion)
        return false;
    return rank == (event->crossed ? CROSSED : error_event_waits(event) ? WAITING : OTHERS);
}

static void wish_events(struct error_wisher *wisher, const struct catalogue_path *path,
                        enum rank rank, enum corner corner)
{
    const struct error_study *study = wisher->study;
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        const struct error_asked asked = {
            .event = event->name,
            .counters = 1,
            .specimen = "null",
            .runs = error_wished_runs(study),
            .processes = processes_of(study, corner, error_wished_processes(study))};
        if (has_rank(event, rank) && error_uses_path(study, path, "perf_event") &&
            error_path_counts(path, event))
            wish_path(wisher, path, corner, &asked);
    }
}

/* Path by path, so that what is stepped is counted as well wherever a budget ends. */
static void wish_crossed(struct error_wisher *wisher, enum corner corner)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->path_count; i++) {
        wish_stepped(wisher, &catalogue->paths[i], corner);
        wish_events(wisher, &catalogue->paths[i], CROSSED, corner);
    }
}

static void wish_others(struct error_wisher *wisher, enum rank rank, enum corner corner)
{
    const struct catalogue *catalogue = wisher->study->catalogue;
    for (size_t i = 0; i < catalogue->path_count; i++)
        wish_events(wisher, &catalogue->paths[i], rank, corner);
}

void error_wish_crossing(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    wish_crossed(wisher, USUAL);
    wish_others(wisher, OTHERS, USUAL);
    wish_crossed(wisher, OTHER_LINKS);
    wish_crossed(wisher, OTHER_LEVELS);
    wish_others(wisher, WAITING, USUAL);
    if (!study->emulated || study->full)
        wish_others(wisher, OTHERS, OTHER_LINKS);
    if (study->full) {
        wish_others(wisher, OTHERS, OTHER_LEVELS);
        wish_others(wisher, WAITING, OTHER_LINKS);
        wish_others(wisher, WAITING, OTHER_LEVELS);
    }
}

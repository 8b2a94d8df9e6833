/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The null cells that `assay error` wishes for, and the same windows stepped: the crossing of path,
 * pattern, -O and link. */
#include <string.h>

#include "study/error-plan.h"

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
                      enum corner corner, const struct wished_cell *asked)
{
    char opt[16], link[16];
    for (const char *opts = path->opts; error_next_word(&opts, opt);)
        for (const char *links = path->links; error_next_word(&links, link);) {
            if (!in_corner(path, corner, opt, link))
                continue;
            for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
                const struct wished_window way = {path, (enum pattern)pattern, opt, link};
                if (error_list_has(path->patterns, pattern_names[pattern]))
                    error_wish(wisher, &way, asked);
            }
        }
}

static void wish_stepped(struct error_wisher *wisher, enum corner corner)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    uint32_t most = error_wished_processes(study);
    struct wished_cell asked = {.event = study->stepped,
                                .counters = 1,
                                .specimen = "null",
                                .runs = STEPPED_RUNS,
                                .processes = most < STEPPED_PROCESSES ? most : STEPPED_PROCESSES};
    for (size_t i = 0; study->stepped && i < catalogue->path_count; i++)
        if (error_uses_path(study, &catalogue->paths[i], "step") &&
            error_list_has(catalogue->paths[i].sources, "perf_event"))
            wish_path(wisher, &catalogue->paths[i], corner, &asked);
}

static void wish_event(struct error_wisher *wisher, const struct error_event *event,
                       enum corner corner)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    struct wished_cell asked = {.event = event->name,
                                .counters = 1,
                                .specimen = "null",
                                .runs = error_wished_runs(study),
                                .processes = error_wished_processes(study)};
    for (size_t i = 0; i < catalogue->path_count; i++)
        if (error_uses_path(study, &catalogue->paths[i], "perf_event") &&
            error_path_counts(&catalogue->paths[i], event))
            wish_path(wisher, &catalogue->paths[i], corner, &asked);
}

static void wish_events(struct error_wisher *wisher, bool crossed, enum corner corner)
{
    const struct error_study *study = wisher->study;
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        if (event->crossed == crossed && !event->placed_only && !event->companion)
            wish_event(wisher, event, corner);
    }
}

void error_wish_crossing(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    wish_stepped(wisher, USUAL);
    wish_events(wisher, true, USUAL);
    wish_events(wisher, false, USUAL);
    for (int corner = OTHER_LINKS; corner <= OTHER_LEVELS; corner++) {
        wish_stepped(wisher, (enum corner)corner);
        wish_events(wisher, true, (enum corner)corner);
    }
    if (!study->emulated || study->full)
        wish_events(wisher, false, OTHER_LINKS);
    if (study->full)
        wish_events(wisher, false, OTHER_LEVELS);
}

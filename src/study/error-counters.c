/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The null cells with several counters that `assay error` wishes for: how many there are, and which
 * events the further ones count. */
#include <string.h>

#include "studies/error/plan.h"
#include "study/mode.h"
#include "study/word-list.h"

#define MOST_CHOICES 3u /* other events beside the first, unless everything is asked for */

static const uint32_t numbers[] = {2, 4, 8, 3, 6}, emulated_numbers[] = {2, 4, 6};
#define NUMBERS               (sizeof(numbers) / sizeof(*numbers))
#define EMULATED_NUMBERS      (sizeof(emulated_numbers) / sizeof(*emulated_numbers))
#define FULL_NUMBERS          15u /* 2 to 16 */
#define NUMBERS_OF_BOTH_MODES 2u

static size_t number_count(const struct error_study *study)
{
    return study->full ? FULL_NUMBERS : study->emulated ? EMULATED_NUMBERS : NUMBERS;
}

static uint32_t number_at(const struct error_study *study, size_t i)
{
    return study->full ? (uint32_t)i + 2 : study->emulated ? emulated_numbers[i] : numbers[i];
}

/* Every pattern of the path, at its usual level and link mode. */
static void wish_patterns(struct error_wisher *wisher, const struct catalogue_path *path,
                          const struct error_asked *asked)
{
    char opt[16], link[16];
    struct wished_window way = {
        .path = path, .opt = error_usual_opt(path, opt), .link = error_usual_link(path, link)};
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        way.pattern = (enum pattern)pattern;
        if (word_list_has(path->patterns, pattern_names[pattern]))
            error_wish(wisher, &way, asked);
    }
}

/* PAPI counts an event once in a set: it needs others beside it. */
static bool takes_copies(const struct catalogue_path *path)
{
    return strncmp(path->name, "papi-", 5) != 0;
}

/* Events that can stand beside the first, at most CELL_MAX_COUNTERS - 1. */
static uint32_t companions(const struct error_study *study, const struct catalogue_path *path,
                           const struct error_event *first, const char **names)
{
    uint32_t count = 0;
    for (size_t i = 0; i < study->event_count && count < CELL_MAX_COUNTERS - 1; i++) {
        const struct error_event *event = &study->events[i];
        if (event != first && error_path_counts(path, event) && !error_event_waits(event) &&
            error_event_of_cpu(event) == error_event_of_cpu(first))
            names[count++] = event->name;
    }
    return count;
}

static struct error_asked null_of(const struct error_study *study, const char *event,
                                  uint32_t counters)
{
    return (struct error_asked){.event = event,
                                .counters = counters,
                                .specimen = "null",
                                .runs = error_wished_runs(study),
                                .processes = error_wished_processes(study)};
}

static void wish_number(struct error_wisher *wisher, const struct error_event *event,
                        uint32_t counters)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    struct error_asked asked = null_of(study, event->name, counters);
    for (size_t i = 0; i < catalogue->path_count; i++) {
        const struct catalogue_path *path = &catalogue->paths[i];
        const char *others[CELL_MAX_COUNTERS];
        if (!error_uses_path(study, path, "perf_event") || !error_path_counts(path, event))
            continue;
        asked.others = NULL;
        if (!takes_copies(path)) {
            if (companions(study, path, event, others) < counters - 1)
                continue;
            asked.others = others;
        }
        wish_patterns(wisher, path, &asked);
    }
}

static void wish_stepped_number(struct error_wisher *wisher, uint32_t counters)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    if (!study->stepped)
        return;
    struct error_asked asked = null_of(study, study->stepped, counters);
    asked.runs = 3;
    asked.processes = asked.processes < 2 ? asked.processes : 2;
    for (size_t i = 0; i < catalogue->path_count; i++) {
        const struct catalogue_path *path = &catalogue->paths[i];
        if (error_uses_path(study, path, "step") && word_list_has(path->sources, "perf_event") &&
            takes_copies(path))
            wish_patterns(wisher, path, &asked);
    }
}

/* Opened one by one instead of as a group. */
static void wish_separate(struct error_wisher *wisher, const struct error_event *event)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, "perf-read");
    if (!path || !error_uses_path(study, path, "perf_event"))
        return;
    for (uint32_t counters = 2; counters <= 8; counters *= 2) {
        struct error_asked asked = null_of(study, event->name, counters);
        asked.separate = true;
        wish_patterns(wisher, path, &asked);
    }
}

/* Two counters, of which the second counts something else. */
static void wish_choices(struct error_wisher *wisher, const struct error_event *event,
                         const char *path_name)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, path_name);
    uint32_t chosen = 0;
    if (!path || !error_uses_path(study, path, "perf_event") || !error_path_counts(path, event))
        return;
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *other = &study->events[i];
        if (other == event || other->placed_only || !error_path_counts(path, other) ||
            ((other->companion || error_event_waits(other)) && !study->full))
            continue;
        if (chosen++ >= MOST_CHOICES && !study->full)
            return;
        struct error_asked asked = null_of(study, event->name, 2);
        asked.others = &other->name;
        wish_patterns(wisher, path, &asked);
    }
}

/* Whether each further counter costs the kernel something is asked of read-read in both modes
 * (finding Z3): also where that mode is not crossed, and before what is only more of the same. */
static void wish_both_modes(struct error_wisher *wisher, const struct error_event *event)
{
    const struct error_study *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    for (size_t number = 0; number < NUMBERS_OF_BOTH_MODES; number++)
        for (size_t i = 0; i < catalogue->path_count; i++) {
            const struct catalogue_path *path = &catalogue->paths[i];
            char opt[16], link[16];
            struct error_asked asked = null_of(study, event->name, number_at(study, number));
            struct wished_window way = {.path = path,
                                        .pattern = PATTERN_RR,
                                        .opt = error_usual_opt(path, opt),
                                        .link = error_usual_link(path, link)};
            if (error_uses_path(study, path, "perf_event") && takes_copies(path) &&
                error_path_counts(path, event) && word_list_has(path->patterns, "rr"))
                error_wish(wisher, &way, &asked);
        }
}

static bool counts_both_modes(const struct error_event *event)
{
    return error_event_of_cpu(event) && event->class && strcmp(event->class, "instructions") == 0 &&
           event_mode(event->name) && strcmp(event_mode(event->name), "uk") == 0;
}

void error_wish_counters(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    for (size_t i = 0; i < study->event_count; i++)
        if (!study->events[i].crossed && !study->full && counts_both_modes(&study->events[i]))
            wish_both_modes(wisher, &study->events[i]);
    for (size_t number = 0; number < number_count(study); number++) {
        wish_stepped_number(wisher, number_at(study, number));
        for (size_t i = 0; i < study->event_count; i++)
            if (study->events[i].crossed ||
                (study->full && !study->events[i].placed_only && !study->events[i].companion))
                wish_number(wisher, &study->events[i], number_at(study, number));
    }
    for (size_t i = 0; i < study->event_count; i++)
        if (study->events[i].crossed)
            wish_choices(wisher, &study->events[i], "perf-read");
    for (size_t i = 0; i < study->event_count; i++)
        if (study->events[i].crossed) {
            wish_separate(wisher, &study->events[i]);
            if (!study->full)
                break;
        }
    for (size_t i = 0; i < study->event_count; i++)
        if (study->events[i].crossed)
            wish_choices(wisher, &study->events[i], "papi-low");
}

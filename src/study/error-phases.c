/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of `assay error` with more counters than the CPU has. Phases as long as half
 * a turn of the counters alias with it; how long they take has to be measured first. */
#include <stdio.h>
#include <string.h>

#include "studies/error/plan.h"
#include "study/mode.h"

#define CALIBRATION_N      1000u
#define USUAL_ROTATION     UINT64_C(4000000) /* ns */
#define BLOCKS             2u                /* of each kind in a run */
#define MANY               16u
#define PROCESSES          5u
#define EMULATED_PROCESSES 1u /* dear: rather every cell once than one twice */
#define RUNS               5u
#define EMULATED_RUNS      2u

/* Instructions of user code, which the specimen knows. */
static const char *counted(const struct error_study *study)
{
    for (size_t i = 0; i < study->event_count; i++) {
        const struct error_event *event = &study->events[i];
        if (error_event_of_cpu(event) && event->class &&
            strcmp(event->class, "instructions") == 0 && event_counts_user_only(event->name))
            return event->name;
    }
    return NULL;
}

static void wish_phases(struct error_wisher *wisher, struct error_asked asked)
{
    const struct error_study *study = wisher->study;
    const struct catalogue_path *path = catalogue_path(study->catalogue, "perf-read");
    char opt[16], link[16];
    asked.event = counted(study);
    if (!path || !error_uses_path(study, path, "perf_event") || !asked.event ||
        !catalogue_specimen(study->catalogue, "phases"))
        return;
    const struct wished_window way = {path, PATTERN_AO, error_usual_opt(path, opt),
                                      error_usual_link(path, link)};
    error_wish(wisher, &way, &asked);
}

void error_wish_calibration(struct error_wisher *wisher)
{
    wish_phases(
        wisher,
        (struct error_asked){
            .specimen = "phases", .n = CALIBRATION_N, .counters = 1, .runs = 5, .processes = 2});
}

void error_wish_multiplex(struct error_wisher *wisher)
{
    const struct error_study *study = wisher->study;
    double rotation = (double)(study->rotation_ns ? study->rotation_ns : USUAL_ROTATION);
    if (!(study->phase_ns > 0))
        return;
    /* Every rotation moves the events on by one: each runs for as many rotations in a row as there
     * are counters, and comes back after as many as there are events. It sees work alone or calls
     * alone where a block lasts half of that; blocks of one rotation it would see in turn. One N is
     * a step of each kind: a block of `period` steps lasts half of it on average. */
    double steps = 2 * rotation * (MANY / 2.0) / study->phase_ns;
    uint64_t period = steps < 2 ? 2 : steps > 1e7 ? 10000000u : (uint64_t)steps;
    uint32_t processes = study->emulated ? EMULATED_PROCESSES : PROCESSES;
    const uint64_t periods[] = {period, 1};
    const uint32_t counters[] = {MANY, 1};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            char name[64];
            snprintf(name, sizeof(name), "phases/period=%llu/", (unsigned long long)periods[j]);
            wish_phases(wisher, (struct error_asked){.specimen = name,
                                                     .n = BLOCKS * period,
                                                     .counters = counters[i],
                                                     .separate = counters[i] > 1,
                                                     .runs = study->emulated ? EMULATED_RUNS : RUNS,
                                                     .processes = processes});
        }
}

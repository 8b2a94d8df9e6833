/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a cell of the study of measurement error is there for, by its factors alone. */
#include <string.h>

#include "study/error.h"
#include "study/mode.h"

/* Classes of time: code that does the same work may take another one, so nothing predicts them. */
static bool class_is_time(const char *class)
{
    static const char *const times[] = {"cycles",     "ref-cycles", "bus-cycles",
                                        "task-clock", "cpu-clock",  "ticks"};
    for (size_t i = 0; class && i < sizeof(times) / sizeof(times[0]); i++)
        if (strcmp(class, times[i]) == 0)
            return true;
    return false;
}

static bool is_stepped(const char *event, const char *kind)
{
    static const char stepper[] = "step/";
    return strncmp(event, stepper, sizeof(stepper) - 1) == 0 &&
           (!*kind || strcmp(kind, "source") == 0);
}

/* The name without parameters. */
static bool specimen_is(const struct cell *cell, const char *name)
{
    size_t length = strcspn(cell->specimen, "/");
    return strlen(name) == length && strncmp(cell->specimen, name, length) == 0;
}

static bool others_count_interrupts(const struct cell *cell)
{
    for (uint32_t i = 1; i < cell->counters; i++)
        if (!event_counts_interrupts(cell->events[i]))
            return false;
    return true;
}

/* In all modes an event of the CPU has no truth in the store, because nobody predicts what the
 * operating system executes; a loop that never calls it is an exception. */
static bool has_truth_on_loop(const struct stored_counter *counter, const char *kind,
                              const char *event)
{
    return counter->has_truth || (counter->class && event_counts_beyond_specimen(kind, event));
}

static enum error_part part_of_loop(const struct stored_cell *stored, const char *kind)
{
    const struct cell *cell = &stored->cell;
    const char *event = cell->events[0];
    if (cell->counters > 1)
        return others_count_interrupts(cell) ? PART_DURATION : PART_MULTIPLEX;
    if (event_counts_interrupts(event))
        return PART_DURATION;
    if (class_is_time(stored->counters[0].class))
        return PART_PLACEMENT;
    return has_truth_on_loop(&stored->counters[0], kind, event) ? PART_DURATION : PART_PLACEMENT;
}

bool error_part_of(const struct stored_cell *cell, const char *kind, enum error_part *part)
{
    static const struct {
        const char *specimen;
        enum error_part part;
    } specimens[] = {{"null", PART_NULL}, {"placed", PART_PLACEMENT}, {"phases", PART_MULTIPLEX}};
    if (strcmp(cell->cell.path, "perf-stat") == 0) {
        *part = PART_TOOL;
        return true;
    }
    if (is_stepped(cell->cell.events[0], kind)) {
        *part = PART_STEPPED;
        return true;
    }
    for (size_t i = 0; i < sizeof(specimens) / sizeof(specimens[0]); i++) {
        if (specimen_is(&cell->cell, specimens[i].specimen)) {
            *part = specimens[i].part;
            return true;
        }
    }
    if (!specimen_is(&cell->cell, "loop"))
        return false;
    *part = part_of_loop(cell, kind);
    return true;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Windows and whole programs as quantities. Samples come by cell and process, so that no more than
 * one process is held at a time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "study/compare.h"
#include "engine/loading.h"

#define NO_QUANTITY SIZE_MAX

/* Which quantities the counters of a cell are. */
struct known_cell {
    uint32_t id, counters;
    bool program;
    uint32_t status; /* column that says how a program ended; == counters: none */
    size_t quantity[CELL_MAX_COUNTERS];
};

struct reading {
    const struct compare_loading *loading;
    struct known_cell *cells;
    size_t cell_count;
    size_t current; /* cell of the samples that come */
    /* --- the process of the samples that come --- */
    uint32_t process;
    double *values[CELL_MAX_COUNTERS];
    size_t count[CELL_MAX_COUNTERS], capacity[CELL_MAX_COUNTERS];
    bool timed_out;
};

/* --- cells --- */

static void put_window(const struct cell *cell, struct text *factors)
{
    text_printf(factors, "%s, %s", pattern_names[cell->pattern], cell->specimen);
    if (cell->n)
        text_printf(factors, ", N %llu", (unsigned long long)cell->n);
    text_printf(factors, ", %s, %s", cell->opt, cell->link);
    if (cell->counters > 1)
        text_printf(factors, ", %u counters%s", cell->counters,
                    cell->separate ? " one by one" : "");
    for (uint32_t i = 1; i < cell->counters; i++)
        if (strcmp(cell->events[i], cell->events[0]) != 0)
            text_printf(factors, ", with %s", cell->events[i]);
}

/* Classified before. */
static size_t add_quantity(const struct reading *reading, struct compare_quantity *like,
                           const char *event)
{
    struct compare_case *file = reading->loading->file;
    like->study = (char *)reading->loading->study;
    like->event = (char *)event;
    const struct compare_quantity *quantity = compare_add_quantity(file, like);
    return quantity ? (size_t)(quantity - file->quantities) : NO_QUANTITY;
}

/* Also those of kinds: the page cache moves them all. */
static bool is_page_fault(const char *event)
{
    static const char *const names[] = {"page-faults", "faults", "minor-faults", "major-faults",
                                        "exceptions:page_fault"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(event, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static int know_window(const struct reading *reading, const struct cell *cell,
                       struct known_cell *known)
{
    AUTO_TEXT struct text factors = {0};
    put_window(cell, &factors);
    struct compare_quantity like = {.subject = cell->path, .factors = factors.bytes};
    compare_classify(cell->events[0], &like);
    if (strcmp(cell->path, "perf-stat") == 0 && is_page_fault(cell->events[0]))
        like.margin = COMPARE_FAULT_MARGIN; /* its window is a whole program */
    known->quantity[0] =
        factors.failed ? NO_QUANTITY : add_quantity(reading, &like, cell->events[0]);
    return known->quantity[0] == NO_QUANTITY ? -ENOMEM : 0;
}

static void classify_program(const struct cell *cell, const char *event,
                             struct compare_quantity *like)
{
    compare_classify(event, like);
    const bool faults = is_page_fault(event), lasting = strcmp(like->unit, "ns") == 0;
    if (faults)
        like->margin = COMPARE_FAULT_MARGIN;
    else if (lasting)
        like->margin = COMPARE_PROGRAM_TIME_MARGIN;
    like->program = cell->command.controls == CONTROLS_ALL && !faults && !lasting;
}

/* Swept ones and those that were watched more closely are no plain executions. */
static int know_program(const struct reading *reading, const struct cell *cell,
                        struct known_cell *known)
{
    char setting[256];
    AUTO_TEXT struct text factors = {0};
    known->program = true;
    if (cell->command.sweep != SWEEP_NONE || cell->command.detail != DETAIL_NONE)
        return 0;
    text_puts(&factors, setting_name(cell->command.controls, setting, sizeof(setting)));
    struct compare_quantity like = {.subject = cell->command.name, .factors = factors.bytes};
    if (factors.failed)
        return -ENOMEM;
    for (uint32_t i = 0; i < cell->counters; i++) {
        const char *event = cell->events[i];
        if (strcmp(event, RUN_STATUS) == 0)
            known->status = i;
        if (run_column(event) && strcmp(event, RUN_NANOSECONDS) != 0)
            continue;
        classify_program(cell, event, &like);
        known->quantity[i] = add_quantity(reading, &like, event);
        if (known->quantity[i] == NO_QUANTITY)
            return -ENOMEM;
    }
    return 0;
}

static int know_cell(void *context, const struct stored_cell *stored)
{
    struct reading *reading = context;
    const struct cell *cell = &stored->cell;
    struct known_cell *grown =
        realloc(reading->cells, (reading->cell_count + 1) * sizeof(*reading->cells));
    if (!grown)
        return loading_no_memory(reading->loading->failure);
    reading->cells = grown;
    struct known_cell *known = &grown[reading->cell_count++];
    *known =
        (struct known_cell){.id = cell->id, .counters = cell->counters, .status = cell->counters};
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        known->quantity[i] = NO_QUANTITY;
    if (cell->tour.calls || cell->watch.kind != WATCH_NONE)
        return 0;
    int error = cell->command.words ? know_program(reading, cell, known)
                                    : know_window(reading, cell, known);
    return error < 0 ? loading_no_memory(reading->loading->failure) : 0;
}

/* --- samples --- */

/* The process is complete: what it comes to. */
static int end_process(struct reading *reading)
{
    const struct compare_loading *loading = reading->loading;
    int error = 0;
    for (uint32_t i = 0; i < CELL_MAX_COUNTERS && error == 0; i++) {
        if (reading->count[i] && !reading->timed_out) {
            size_t quantity = reading->cells[reading->current].quantity[i];
            error = compare_add_median(&loading->file->quantities[quantity], loading->side,
                                       reading->values[i], reading->count[i]);
        }
        reading->count[i] = 0;
    }
    reading->timed_out = false;
    return error < 0 ? loading_no_memory(loading->failure) : 0;
}

static int keep_value(struct reading *reading, uint32_t counter, double value)
{
    if (reading->count[counter] == reading->capacity[counter]) {
        const size_t capacity = reading->capacity[counter] ? reading->capacity[counter] * 2 : 64;
        double *grown = realloc(reading->values[counter], capacity * sizeof(*grown));
        if (!grown)
            return loading_no_memory(reading->loading->failure);
        reading->values[counter] = grown;
        reading->capacity[counter] = capacity;
    }
    reading->values[counter][reading->count[counter]++] = value;
    return 0;
}

static int keep_sample(void *context, const struct sample *sample)
{
    struct reading *reading = context;
    if (sample->process != reading->process ||
        sample->cell != reading->cells[reading->current].id) {
        int error = end_process(reading);
        if (error < 0)
            return error;
        reading->process = sample->process;
        while (reading->current + 1 < reading->cell_count &&
               reading->cells[reading->current].id != sample->cell)
            reading->current++;
    }
    const struct known_cell *known = &reading->cells[reading->current];
    if (known->id != sample->cell || sample->counter >= known->counters)
        return 0;
    if (known->program && sample->counter == known->status && sample->value >= STATUS_TIMEOUT)
        reading->timed_out = true;
    const bool whole = !sample->enabled || sample->running >= sample->enabled;
    if (known->quantity[sample->counter] == NO_QUANTITY || !whole)
        return 0;
    /* Differences below zero are stored as counts near 2^64. */
    return keep_value(reading, sample->counter, (double)(int64_t)sample->value);
}

int compare_load_cells(const struct compare_loading *loading)
{
    struct reading reading = {.loading = loading};
    int error = store_each_cell(loading->store, know_cell, &reading, loading->failure);
    if (error == 0 && reading.cell_count)
        error = store_each_sample(loading->store, 0, keep_sample, &reading, loading->failure);
    if (error == 0 && reading.cell_count)
        error = end_process(&reading);
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        free(reading.values[i]);
    free(reading.cells);
    return error;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to quantities: windows and whole programs by their events, or as its study does. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "commands/compare/compare.h"
#include "engine/loading.h"
#include "wire/command.h"

/* ----------------------------------------------------------------------------------------------
 * Windows and whole programs as quantities. Samples come by cell and process, so that no more than
 * one process is held at a time. */

/* Page faults of a whole program: a fault maps as many pages as the page cache holds in one piece,
 * which differs with how the file came into it, and stays so for a whole run. */
#define COMPARE_FAULT_MARGIN .25
/* How long a whole program takes: with as much to do as there are CPUs somebody else may have half
 * of each; and who runs on the other thread of a core, on a host also unseen, halves its speed, so
 * that its time on a CPU is no better. All executions of one invocation share that. */
#define COMPARE_PROGRAM_TIME_MARGIN 1.

#define NO_QUANTITY SIZE_MAX

/* Which quantities the counters of a cell are. */
struct known_cell {
    uint32_t status; /* column that says how a program ended; UINT32_MAX: none */
    size_t quantity[CELL_MAX_COUNTERS];
};

struct reading {
    const struct compared *compared;
    struct known_cell *cells;
    size_t cell_count;
    /* --- the process of the runs that come --- */
    double *values[CELL_MAX_COUNTERS];
    size_t count[CELL_MAX_COUNTERS];
    bool timed_out;
};

/* --- cells --- */

/* Classified before. */
static size_t add_quantity(const struct reading *reading, struct compare_quantity *like,
                           const char *event)
{
    like->event = event;
    return (size_t)(compared_quantity(reading->compared, like) -
                    reading->compared->file->quantities);
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

/* Swept ones and those that were watched more closely are no plain executions. */
static void know_program(const struct reading *reading, const struct cell *cell,
                         struct known_cell *known)
{
    char setting[256];
    AUTO_TEXT struct text factors = {0};
    if (cell->command.sweep != SWEEP_NONE || cell->command.detail != DETAIL_NONE)
        return;
    text_puts(&factors, setting_name(cell->command.controls, setting, sizeof(setting)));
    struct compare_quantity like = {.subject = cell->command.name, .factors = factors.bytes};
    for (uint32_t i = 0; i < cell->counters; i++) {
        const char *event = cell->events[i];
        if (strcmp(event, RUN_STATUS) == 0)
            known->status = i;
        if (run_column(event) && strcmp(event, RUN_NANOSECONDS) != 0)
            continue;
        compared_classify(event, &like);
        const bool faults = is_page_fault(event), lasting = strcmp(like.unit, "ns") == 0;
        if (faults)
            like.margin = COMPARE_FAULT_MARGIN;
        else if (lasting)
            like.margin = COMPARE_PROGRAM_TIME_MARGIN;
        like.program = cell->command.controls == CONTROLS_ALL && !faults && !lasting;

        known->quantity[i] = add_quantity(reading, &like, event);
    }
}

static int know_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct reading *reading = context;
    const struct cell *cell = &stored->cell;
    if (cell->tour.calls || cell->watch.kind != WATCH_NONE)
        return 0;
    *place = reading->cell_count;
    struct known_cell *known = memory_add(reading->cells, reading->cell_count);
    known->status = UINT32_MAX;
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        known->quantity[i] = NO_QUANTITY;
    if (cell->command.words)
        know_program(reading, cell, known);
    else {
        AUTO_TEXT struct text factors = {0};
        text_printf(&factors, "%s, %s", pattern_names[cell->pattern], cell->specimen);
        if (cell->n)
            text_printf(&factors, ", N %llu", (unsigned long long)cell->n);
        text_printf(&factors, ", %s, %s", cell->opt, cell->link);
        if (cell->counters > 1)
            text_printf(&factors, ", %u counters%s", cell->counters,
                        cell->separate ? " one by one" : "");
        for (uint32_t i = 1; i < cell->counters; i++)
            if (strcmp(cell->events[i], cell->events[0]) != 0)
                text_printf(&factors, ", with %s", cell->events[i]);

        struct compare_quantity like = {.subject = cell->path, .factors = factors.bytes};
        compared_classify(cell->events[0], &like);
        if (strcmp(cell->path, "perf-stat") == 0 && is_page_fault(cell->events[0]))
            like.margin = COMPARE_FAULT_MARGIN; /* its window is a whole program */
        known->quantity[0] = add_quantity(reading, &like, cell->events[0]);
    }

    return 0;
}

/* --- runs --- */

static int keep_run(void *context, const struct read_run *run)
{
    struct reading *reading = context;
    const struct known_cell *known = &reading->cells[run->place];
    for (uint32_t i = 0; i < run->counters; i++) {
        const bool whole = !run->enabled[i] || run->running[i] >= run->enabled[i];
        if (i == known->status && run->values[i] >= STATUS_TIMEOUT)
            reading->timed_out = true;
        /* Differences below zero are stored as counts near 2^64. */
        if (known->quantity[i] != NO_QUANTITY && whole)
            *memory_add(reading->values[i], reading->count[i]) = (double)(int64_t)run->values[i];
    }
    return 0;
}

/* The process is complete: what it comes to. */
static int end_process(void *context, size_t place, uint32_t process)
{
    struct reading *reading = context;
    (void)process;
    for (uint32_t i = 0; i < CELL_MAX_COUNTERS; i++) {
        if (reading->count[i] && !reading->timed_out)
            compared_median(reading->compared,
                            &reading->compared->file->quantities[reading->cells[place].quantity[i]],
                            reading->values[i], reading->count[i]);
        reading->count[i] = 0;
    }
    reading->timed_out = false;
    return 0;
}

int compare_load(struct store *store, size_t side, struct compare_case *file,
                 struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    const struct study_told *told = error == 0 ? told_of(command_find(info.command)) : NULL;
    const struct compared compared = {file, info.command, side};
    if (told && told->compared.load)
        error = told->compared.load(store, &compared, failure);
    else if (error == 0) {
        struct reading reading = {.compared = &compared};
        struct reader reader = {.store = store,
                                .failure = failure,
                                .context = &reading,
                                .cell = know_cell,
                                .run = keep_run,
                                .end = end_process,
                                .by_cell = true};
        error = reader_read(&reader);
    }
    store_info_release(&info);
    return error;
}

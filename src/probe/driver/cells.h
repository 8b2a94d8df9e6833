/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cells of a session. A cell's events are resolved once, at its first visit; what came of that,
 * good or bad, serves all further visits. */
#pragma once

#include "events/event.h"
#include "probe/command/command.h"
#include "probe/driver/catalogue.h"
#include "probe/sources/source.h"
#include "wire/cell.h"

struct known_cell {
    struct cell cell;
    bool resolved;             /* tried, with the outcome below */
    struct failure failure;    /* code 0: it can be visited */
    const struct offer *offer; /* NULL: it is a tour, a watch or a command */
    size_t harness;            /* index into the kit's */
    bool needs_folder;
    const struct source *source; /* whose events they are, or the tool that counts those of the
                                    operating system; NULL: the path does */
    const struct command_counter *counter;  /* of a command; else NULL */
    struct event events[CELL_MAX_COUNTERS]; /* none of a watch: its events are clocks */
    struct event counted;                   /* by the calls of a tour */
};

struct cells {
    struct known_cell **list; /* by ascending id */
    size_t count, capacity;
};

/* Defines the cell, or replaces the one with its id; takes over what *cell holds. */
int cells_define(struct cells *cells, struct cell *cell);
struct known_cell *cells_find(const struct cells *cells, uint32_t id);
void cells_free(struct cells *cells);

/* Makes sure harness and events are known; the cell's failure says why it cannot be visited. */
int cell_resolve(struct known_cell *known, const struct event_view *view,
                 const struct probe_kit *kit, const struct offers *offers);

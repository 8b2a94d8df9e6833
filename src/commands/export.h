/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What assay export can write: tables out of a store, row by row, as CSV or as the results of the
 * JSON envelope. */
#pragma once

#include <stdio.h>

#include "base/text.h"
#include "store/collection.h"
#include "store/store.h"

/* What cells of a store can be besides plain: each kind brings columns of its own. */
struct export_kinds {
    bool toured, watched, commanded;
};

/* The row being written. Values come in the order of the table's columns. */
struct export_row {
    bool json;
    const char *const *columns;   /* names; ends with NULL */
    size_t next;                  /* column the next value belongs to */
    struct export_kinds kinds;    /* of the stores' cells: their columns are among these */
    const struct listed_run *run; /* whose rows these are */
    bool numbered;                /* its number is the first value of each row */
    uint64_t rows;                /* written so far */
    struct text line;
    FILE *stream;
};

void row_count(struct export_row *row, uint64_t value);
void row_difference(struct export_row *row, int64_t value);
void row_flag(struct export_row *row, bool value);         /* true and false; 1 and 0 in CSV */
void row_text(struct export_row *row, const char *string); /* NULL: no value */
void row_none(struct export_row *row);
/* Writes the row. -EINTR when the user wants to stop, negative errno when the reader is gone. */
int row_end(struct export_row *row);
/* The line of names that begins a CSV file (RFC 4180); nothing in JSON. */
int row_header(struct export_row *row);

/* The calls of one cell, by run. */
struct tour_walk {
    char *text;
    const char **calls;
    uint32_t length; /* 0: the cell is no tour */
};
/* Ends the one before; -ENOMEM. */
int tour_walk_begin(struct tour_walk *walk, const struct cell_tour *tour);
void tour_walk_end(struct tour_walk *walk);
/* counted, open and cold; none of a cell that is no tour. */
void row_tour(struct export_row *row, const struct cell_tour *tour);
/* pass, operation and predecessor of a run. */
void row_call(struct export_row *row, const struct tour_walk *walk, uint32_t run);

/* name, words, source of the event, setting, sweep, swept and detail; none of a cell that is no
 * command. */
#define COMMAND_COLUMNS "name", "words", "source", "setting", "sweep", "swept", "detail"
void row_command(struct export_row *row, const struct cell_command *command, const char *event);
/* Of cells alone: directory, input, keep and timeout. */
#define COMMAND_CELL_COLUMNS "directory", "input", "keep", "timeout"
void row_command_cell(struct export_row *row, const struct cell_command *command);
/* The tables of commands. */
extern const char *const subject_columns[], *const executed_columns[], *const call_columns[];
int write_subjects(struct store *store, struct export_row *row, struct failure *failure);
int write_executed(struct store *store, struct export_row *row, struct failure *failure);
int write_calls(struct store *store, struct export_row *row, struct failure *failure);

/* The run itself. */
int write_runs(struct store *store, struct export_row *row, struct failure *failure);

/* The watch of one cell. */
struct export_watch {
    struct cell_watch watch; /* borrowed */
    uint32_t columns;
    char clocks[CELL_MAX_COUNTERS][CLOCK_NAME]; /* of each column, of a user's the name alone */
};
void export_watch_begin(struct export_watch *watch, const struct cell *cell);
/* kind, workload, length, threads, moves, handover, awake and partner; none of a cell that is no
 * watch. */
void row_watch(struct export_row *row, const struct cell_watch *watch);
/* round, thread, look, clock and part of a reading. */
void row_look(struct export_row *row, const struct export_watch *watch, uint32_t run,
              uint32_t column);

/* One thing that can be exported. */
struct export_table {
    const char *name;
    const char *const *columns;
    const char *const *toured_columns;  /* more of them where the store has tours; NULL: none */
    const char *const *watched_columns; /* the same of watches */
    const char *const *command_columns; /* the same of commands */
    int (*write)(struct store *store, struct export_row *row, struct failure *failure);
};
extern const struct export_table export_tables[]; /* ends with name NULL */

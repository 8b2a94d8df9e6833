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

/* The run itself. */
int write_runs(struct store *store, struct export_row *row, struct failure *failure);

/* A column that is a member of what the store tells of each row. */
struct export_field {
    const char *name;
    enum {
        FIELD_TEXT,
        FIELD_FLAG,
        FIELD_COUNT,
        FIELD_SMALL, /* a count of 32 bits */
        FIELD_DIFFERENCE,
        FIELD_ERROR, /* an errno; 0: none */
    } kind;
    size_t offset;
};

/* One thing that can be exported. */
struct export_table {
    const char *name;
    const char *const *columns;         /* NULL: those of the fields */
    const char *const *toured_columns;  /* more of them where the store has tours; NULL: none */
    const char *const *watched_columns; /* the same of watches */
    const char *const *command_columns; /* the same of commands */
    const struct export_field *fields;  /* ends with name NULL */
    int (*write)(struct store *store, struct export_row *row, struct failure *failure);
};
extern const struct export_table export_tables[]; /* ends with name NULL */

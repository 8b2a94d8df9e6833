/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What assay export can write: tables out of a store, row by row, as CSV or as the results of the
 * JSON envelope. */
#pragma once

#include <stdio.h>

#include "base/text.h"
#include "output/field.h"
#include "store/store.h"

/* What cells of a store can be besides plain: each kind brings columns of its own. */
struct export_kinds {
    bool toured, watched, commanded;
};

/* The row being written. */
struct export_row {
    bool json;
    bool naming;                  /* what is written are the names alone */
    bool absent;                  /* what is written has no values */
    size_t next;                  /* column the next value belongs to */
    struct export_kinds kinds;    /* of the stores' cells: their columns are among these */
    const struct listed_run *run; /* whose rows these are */
    bool numbered;                /* its number is the first value of each row */
    uint64_t rows;                /* written so far */
    bool describing;              /* columns are listed here instead: */
    struct field *described;
    size_t described_count;
    struct text line;
    FILE *stream;
};

void row_count(struct export_row *row, const char *name, uint64_t value);
void row_difference(struct export_row *row, const char *name, int64_t value);
/* true and false; 1 and 0 in CSV */
void row_flag(struct export_row *row, const char *name, bool value);
/* NULL: no value */
void row_text(struct export_row *row, const char *name, const char *string);
/* Writes the row. -EINTR when the user wants to stop, negative errno when the reader is gone. */
int row_end(struct export_row *row);

/* The run itself. */
int write_runs(struct store *store, struct export_row *row, struct failure *failure);

/* Where columns are described instead: that this is one. */
bool row_describe(struct export_row *row, const char *name, enum field_kind kind, bool nullable);

/* One thing that can be exported. */
struct export_table {
    const char *name;
    const char *meaning; /* of a row */
    int (*put_names)(struct export_row *row);
    int (*write)(struct store *store, struct export_row *row, struct failure *failure);
    bool has_kinds; /* cells of each kind have columns of their own in it */
};
extern const struct export_table export_tables[]; /* ends with name NULL */

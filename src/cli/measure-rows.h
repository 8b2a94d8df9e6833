/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of a measurement: one per event of a cell, judged from the store; what a person and
 * what a program gets to see are made from the same rows. */
#pragma once

#include "cli/distribution.h"
#include "cli/measure-words.h"
#include "studies/measure/study.h"
#include "cli/replay.h"

/* Factors in words. Those that are the same in every row need to be said only once. */
enum row_factor {
    ROW_EVENT,
    ROW_PATH,
    ROW_PATTERN,
    ROW_SPECIMEN,
    ROW_N,
    ROW_COUNTERS,
    ROW_OPT,
    ROW_LINK,
    ROW_FACTORS
};

struct row {
    const struct replayed_cell *cell;
    uint32_t counter;
    char *factors[ROW_FACTORS];
    struct summary summary;           /* of the event's first counter */
    struct copies copies;             /* what its other counters read */
    char *why_no_truth;               /* where only limits are known: why no more is */
    struct distribution distribution; /* where rows have them; count 0: no run got a counter */
};

/* proven, bounded or model; NULL without a truth. */
const char *row_grade(const struct row *row);
/* What to make of a row, in a sentence without a full stop. */
void row_sentence(const struct row *row, struct text *out);

struct rows {
    struct measuring *measuring;
    struct replay replay;
    struct row *list;
    size_t count;
    json_t *results;    /* NULL: not asked for */
    bool distributions; /* rows have them */
};

/* Judges every cell of the store; cells that did not run go to measuring->skips. Call rows_release
 * in either case. */
int rows_gather(struct rows *rows, struct failure *failure);
void rows_release(struct rows *rows);

json_t *measure_figures(const struct rows *rows);

/* One result as JSON; readings are its runs. */
json_t *row_json(const struct row *row, const struct reading *readings, size_t count);

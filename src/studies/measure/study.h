/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay measure`: options -> events -> cells -> samples in a store -> judgement.
 *
 * The folder:
 *
 *     study.c  options, and the command from start to end
 *     sweep.c  factors -> cells
 *     rows.c   samples in a store -> rows
 *     show.c   the rows for people
 *     json.c   the rows for programs, and as a picture */
#pragma once

#include "base/failure.h"
#include "base/text.h"
#include "engine/command.h"
#include "engine/predict.h"
#include "engine/run-store.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "output/figure.h"
#include "store/store.h"

struct measure_options {
    struct common_options common;
    struct string_list event, path, pattern, specimen, n, counters, opt, link;
    bool separate, each, no_overhead, resume;
    struct optional runs;
    uint64_t processes, budget;
    int64_t cpu;
    struct seed seed;
    const char *store, *from;
};

/* One execution of the command. */
struct measuring {
    const struct measure_options *options;
    /* --- the machine; of a stored run that is judged again there is no session, and the catalogue
     * has what the store knows: specimens and their truths --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct stored_run stored;
    struct catalogue known;
    const struct facts *facts;
    const char *fingerprint;
    /* --- what is measured --- */
    struct counted_event *events;
    size_t event_count;
    struct cell *cells;
    size_t cell_count;
    struct skips skips;
    struct geometry *geometry; /* what `assay caches` measured here */
    struct store *store;
    bool complete; /* every visit of the plan has ended */
    uint64_t seed;
};

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* The cross product of the factors, null cells included; what cannot be is skipped with a reason.
 */
int measure_sweep(struct measuring *measuring);
/* Judges what the store holds and shows it. */
int measure_show(struct measuring *measuring);

/* Message on standard error and, with --json or where it is kept, an envelope that lists what was
 * skipped. */
int measure_refuse(struct measuring *measuring, const struct failure *failure, int status);

/* ----------------------------------------------------------------------------------------------
 * The summary of a cell in words. */

/* "1,000 in 100 of 100 runs" or "2,431 ns [2,381 … 2,990]"; class may be NULL. */
void measure_counted(const struct summary *summary, const char *class, struct text *out);
/* Further counters of the same event in the same cell, taken together. */
struct copies {
    uint32_t counters;
    size_t runs, unscheduled; /* of all of them */
    uint64_t min, max;        /* of the runs that got a counter */
};
void copies_add(struct copies *copies, const struct summary *summary);
/* Appends what they read, where that is not what `first` says too. */
void copies_sentence(const struct copies *copies, const struct summary *first, struct text *out);

/* What to make of it, in a sentence without a full stop: "exact in every run". event is the name,
 * for remarks about its mode; why_no_truth explains an unknown truth. */
void measure_sentence(const struct summary *summary, const char *event, const char *why_no_truth,
                      struct text *out);

/* ----------------------------------------------------------------------------------------------
 * A stored run, judged again: from a store alone, without the machine. */

struct replayed_counter {
    char *class, *grade; /* NULL: none */
    struct maybe truth;
};

struct replayed_cell {
    struct cell cell;
    struct replayed_counter counters[CELL_MAX_COUNTERS];
    struct maybe faults, switches; /* the specimen's own */
    uint32_t processes, done, failed;
    int error; /* of the first failed process */
    char *reason;
};

struct replay {
    struct store *store;
    struct replayed_cell *cells;
    size_t count;
};

/* ----------------------------------------------------------------------------------------------
 * The rows of a measurement: one per event of a cell, judged from the store; what a person and
 * what a program gets to see are made from the same rows. */

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
/* Does it differ between rows? What does not is said once. */
bool rows_vary(const struct rows *rows, int factor);

json_t *measure_figures(const void *run);

/* One result as JSON; readings are its runs. */
json_t *row_json(const struct row *row, const struct reading *readings, size_t count);

/* ----------------------------------------------------------------------------------------------
 * Who counts an event, and what follows from it for a cell: which paths it can take and how many
 * runs are sensible. */

#define SOURCE_NAME 64 /* bytes; longer names are cut and fit nothing */

/* "perf_event", "papi" for a preset, or the source in front of an event's first slash. */
void source_of(const struct counted_event *event, char name[SOURCE_NAME]);

/* The path an event of the source takes when nobody chose: the first that can count it. NULL: none
 * here. */
const struct catalogue_path *source_path(const struct catalogue *catalogue, const char *source);

/* "events of step can be counted on bare, perf-read only" */
void source_put_paths(const struct catalogue *catalogue, const char *source, struct text *out);

/* Runs in a process where nobody said how many. */
uint64_t source_runs(const struct catalogue *catalogue, const char *source);

/* Is word one of a list such as "ar,ao"? */
bool list_has(const char *list, const char *word);

/* ----------------------------------------------------------------------------------------------
 * A specimen's parameters as a person wrote them, judged before anything is measured. */

/* name: NAME or NAME/KEY=VALUE,.../ of this specimen. -EINVAL with a sentence when a key is none of
 * the specimen's, or a value no number. Which numbers make sense is the probe's to judge. */
int specimen_name_check(const struct catalogue_specimen *specimen, const char *name,
                        struct failure *failure);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told measure_told;

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

/* Tries every event that was asked for; keeps those that open. */
int measure_try_events(struct measuring *measuring);
/* The cross product of the factors, null cells included; what cannot be is skipped with a reason.
 */
int measure_sweep(struct measuring *measuring);
/* A new store with plan and predictions, or (--resume) an old one; then measuring->cells are those
 * of the store. */
int measure_open_store(struct measuring *measuring);
/* Runs what is not yet in the store. */
int measure_execute(struct measuring *measuring);
/* --from: opens the store of an earlier run, with its events and specimens. */
int measure_open_from(struct measuring *measuring);
void measure_release_known(struct catalogue *known);
/* Judges what the store holds and shows it. */
int measure_show(struct measuring *measuring);

/* Adds an event to those that are counted. -ENOMEM. */
int measure_keep_event(struct measuring *measuring, const struct counted_event *event);

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

int replay_open(struct replay *replay, struct store *store, struct failure *failure);
void replay_close(struct replay *replay);

/* The runs of one counter in the order they ran; the caller frees *readings. */
int replay_readings(const struct replay *replay, const struct replayed_cell *cell, uint32_t counter,
                    struct reading **readings, size_t *count, struct failure *failure);
/* Judges them, with the overhead that the matching null cell shows. */
int replay_judge(const struct replay *replay, const struct replayed_cell *cell, uint32_t counter,
                 const struct reading *readings, size_t count, struct summary *summary,
                 struct failure *failure);

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

json_t *measure_figures(const struct rows *rows);

/* One result as JSON; readings are its runs. */
json_t *row_json(const struct row *row, const struct reading *readings, size_t count);

/* ----------------------------------------------------------------------------------------------
 * The values of every factor of a sweep, as words, after they were checked against what the
 * machine has. */

enum factor { PATH, PATTERN, SPECIMEN, COUNT_N, COUNTERS, OPT, LINK, FACTORS };

/* An empty list is one value, which each cell chooses by its path. */
struct factors {
    struct string_list values[FACTORS];
};

/* EXIT_DONE, or the exit code with its reason in failure. Values that are known but not to be had
 * here go to measuring->skips. Call factors_free in either case. */
int factors_resolve(struct factors *factors, struct measuring *measuring, struct failure *failure);
void factors_free(struct factors *factors);

/* Is word one of a list such as "ar,ao"? */
bool list_has(const char *list, const char *word);

/* ----------------------------------------------------------------------------------------------
 * Who counts an event, and what follows from it for a cell: which paths it can take and how many
 * runs are sensible. */

#define SOURCE_NAME 64 /* bytes; longer names are cut and fit nothing */

/* "perf_event", "papi" for a preset, or the source in front of an event's first slash. */
void source_of(const struct counted_event *event, char name[SOURCE_NAME]);

/* The one source of all events; -EINVAL with a sentence when they have several. */
int source_of_all(const struct counted_event *events, size_t count, char name[SOURCE_NAME],
                  struct failure *failure);

/* The path an event of the source takes when nobody chose: the first that can count it. NULL: none
 * here. */
const struct catalogue_path *source_path(const struct catalogue *catalogue, const char *source);

/* "events of step can be counted on bare, perf-read only" */
void source_put_paths(const struct catalogue *catalogue, const char *source, struct text *out);

/* Does one process of the cell ask more of the source than it does in some ten minutes? Then reason
 * says so, and which source here would do it. Nothing is known of other sources. */
bool source_too_slow(const struct catalogue *catalogue, const char *source, const struct cell *cell,
                     struct text *reason);

/* Runs in a process where nobody said how many. */
uint64_t source_runs(const struct catalogue *catalogue, const char *source);

/* ----------------------------------------------------------------------------------------------
 * A specimen's parameters as a person wrote them, judged before anything is measured. */

/* name: NAME or NAME/KEY=VALUE,.../ of this specimen. -EINVAL with a sentence when a key is none of
 * the specimen's, or a value no number. Which numbers make sense is the probe's to judge. */
int specimen_name_check(const struct catalogue_specimen *specimen, const char *name,
                        struct failure *failure);

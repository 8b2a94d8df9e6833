/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay measure`: options -> events -> cells -> samples in a store -> rows.
 *
 * The folder:
 *
 *     study.c    options, its entry in the driver, the store of a run
 *     sweep.c    factors -> cells
 *     load.c     samples in a store -> rows, judged
 *     show.c     the rows for people
 *     fields.c   what a row is made of: JSON, CSV, Markdown
 *     figures.c  the rows as pictures
 *     summary.c  what reports, runs and comparisons say of it */
#pragma once

#include "base/failure.h"
#include "base/text.h"
#include "engine/command.h"
#include "engine/predict.h"
#include "engine/study.h"
#include "output/field.h"

struct measure_options {
    struct study_options study;
    struct string_list event, path, pattern, specimen, n, counters, opt, link;
    bool separate, each, no_overhead;
    struct optional runs;
    uint64_t processes;
    int64_t cpu;
};

/* ----------------------------------------------------------------------------------------------
 * What a store has of a cell, and what it says: one row for each of its events. What a person and
 * what a program get to see are made of the same rows. */

/* Further counters of the same event in the same cell, taken together. */
struct copies {
    uint32_t counters;
    size_t runs, unscheduled; /* of all of them */
    uint64_t min, max;        /* of the runs that got a counter */
};

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
    const struct stored_cell *cell;
    uint32_t counter;
    char *factors[ROW_FACTORS];
    struct summary summary;         /* of the event's first counter */
    struct copies copies;           /* what its other counters read */
    const struct reading *readings; /* its runs, where programs get them; NULL */
    size_t reading_count;
    char *why_no_truth;               /* where only limits are known: why no more is */
    struct distribution distribution; /* where somebody keeps figures; count 0: no run got a
                                         counter */
};

/* One execution of the command. */
struct measuring {
    struct studying studying;
    struct counted_event *events; /* that open */
    size_t event_count;
    struct cell *cells; /* of the plan */
    size_t cell_count;
    const struct geometry *geometry; /* what `assay caches` measured here, while cells are made */
    int refused;                     /* the exit code that goes with a refusal */
    uint32_t processes;              /* of each cell, as its run was asked for; 0: not known */
    struct catalogue known;          /* of a stored run: specimens and their truths */
    struct stored_cell *measured;    /* by rising ids; copies */
    struct summary **overheads;      /* [measured_count] of each null cell that ran a [counter] */
    size_t measured_count;
    struct row *rows;
    size_t row_count;
};

static inline const struct measure_options *measure_asked(const struct measuring *run)
{
    return (const struct measure_options *)run->studying.options;
}

/* The cross product of the factors, null cells included; what cannot be is skipped with a reason.
 * EXIT_DONE, or the exit code that goes with the failure. */
int measure_sweep(struct measuring *run, struct failure *failure);
#define MEASURE_MOST_PROCESSES 10000000u /* a plan is drawn in memory */

/* One that opens; NULL: none has that name. */
const struct counted_event *measure_event(const struct measuring *run, const char *name);

/* Entries of the driver. */
int measure_load(void *kept, struct store *store, struct failure *failure);
void measure_put_report(const void *kept, const struct style *style, struct text *out);
extern const struct field measure_results; /* fields.c */
extern const struct fields measure_analysis;
json_t *measure_figures(const void *kept);

/* Does it differ between rows? What does not is said once. */
bool rows_vary(const struct measuring *run, int factor);
/* proven, bounded or model; NULL without a truth. */
const char *row_grade(const struct row *row);
/* What to make of a row, in a sentence without a full stop. */
void row_sentence(const struct row *row, struct text *out);

/* ----------------------------------------------------------------------------------------------
 * The summary of a cell in words. */

/* "1,000 in 100 of 100 runs" or "2,431 ns [2,381 … 2,990]"; class may be NULL. */
void measure_counted(const struct summary *summary, const char *class, struct text *out);
void copies_add(struct copies *copies, const struct summary *summary);
/* Appends what they read, where that is not what `first` says too. */
void copies_sentence(const struct copies *copies, const struct summary *first, struct text *out);

/* What to make of it, in a sentence without a full stop: "exact in every run". event is the name,
 * for remarks about its mode; why_no_truth explains an unknown truth. */
void measure_sentence(const struct summary *summary, const char *event, const char *why_no_truth,
                      struct text *out);

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

/* ----------------------------------------------------------------------------------------------
 * A specimen's parameters as a person wrote them, judged before anything is measured. */

/* name: NAME or NAME/KEY=VALUE,.../ of this specimen. -EINVAL with a sentence when a key is none of
 * the specimen's, or a value no number. Which numbers make sense is the probe's to judge. */
int specimen_name_check(const struct catalogue_specimen *specimen, const char *name,
                        struct failure *failure);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told measure_told;

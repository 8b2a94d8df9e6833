/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` measures: from the catalogue, the events that open, a budget and what visits
 * cost to the cells of each stage. Pure: touches no machine and no store. */
#pragma once

#include "engine/session.h"
#include "store/store.h"
#include "studies/error/study.h"
#include "wire/cell.h"

/* In the order in which they are measured; each has cells, the most important first. */
enum error_stage {
    STAGE_CROSSING,  /* null cells, and the same windows stepped: path x pattern x opt x link */
    STAGE_DURATION,  /* the loop with many N */
    STAGE_PLACEMENT, /* the loop at many places */
    STAGE_TOOL,      /* whole commands under another program */
    STAGE_CALIBRATE, /* how long phases take, for … */
    STAGE_MULTIPLEX, /* … more counters than the CPU has */
    STAGE_COUNTERS,  /* how many counters, and which: takes whatever is left */
    STAGE_COUNT,
};
extern const char *const error_stage_names[STAGE_COUNT];

/* An event that opens. */
struct error_event {
    const char *name, *kind;
    const char *class; /* NULL: none known */
    bool crossed;      /* every -O level and link mode */
    bool placed_only;  /* wanted for placement alone */
    bool companion;    /* wanted as a further counter alone */
};
/* Is it a counter of the CPU? */
bool error_event_of_cpu(const struct error_event *event);
/* Opening and closing a tracepoint waits for the whole machine, tens of milliseconds each time:
 * such events are measured last and least. */
bool error_event_waits(const struct error_event *event);

struct error_study {
    const struct catalogue *catalogue;
    const struct error_event *events; /* the most important first; source events are not here */
    size_t event_count;
    const char *stepped;    /* "step/instructions/"; NULL: nothing steps here */
    const char *interrupts; /* the event that counts interrupts; NULL: none can be had */
    const char *clock;      /* the event of path clock; NULL: none */
    const char *const *paths;
    size_t path_count;        /* 0: all that the catalogue has */
    uint32_t processes, runs; /* of a null cell; 0: as the plan thinks */
    bool full;                /* no limits of cost: cross everything */
    bool emulated;            /* visits are dear, times mean nothing */
    int32_t cpu;              /* -1: the scheduler's choice */
    uint64_t page;            /* bytes of a page; 0: 4096 */
    double phase_ns;          /* one N of the specimen phases; 0: not calibrated yet */
    uint64_t rotation_ns;     /* a turn of the counters; 0: 4 ms */
};
uint32_t error_wished_processes(const struct error_study *study);
uint32_t error_wished_runs(const struct error_study *study);

/* --- wishes: what a stage would measure if it cost nothing --- */
struct error_wish {
    struct cell cell; /* its strings are the memory's; no id */
    uint32_t processes;
};
struct error_wishes {
    struct error_wish *list; /* the most important first */
    size_t count;
};
struct error_wishes error_wish_list(const struct error_study *study, enum error_stage stage);

/* Does the specimen say how many of the class there are? */
bool error_has_truth(const struct catalogue_specimen *specimen, const char *class);

/* The stage of a cell, by its factors alone; STAGE_COUNT: of none. */
enum error_stage error_stage_of(const struct error_study *study, const struct cell *cell);

/* --- what visits cost: by path, source, number of counters, and whether they wait --- */
struct error_price {
    const char *path; /* of the catalogue or of a cell that lives as long */
    bool stepped, waits;
    uint32_t size; /* 0: one counter, 1: up to four, 2: more */
    uint64_t visits, ns;
};
#define ERROR_PRICES 128u
struct error_prices {
    struct error_price list[ERROR_PRICES];
    size_t count;
};
/* A visit of the cell took so long. */
void error_price_learn(const struct error_study *study, struct error_prices *prices,
                       const struct cell *cell, uint64_t ns);
/* What the next will take. */
uint64_t error_price(const struct error_study *study, const struct error_prices *prices,
                     const struct cell *cell);

/* --- the plan --- */
struct error_about {
    enum error_stage stage;
    uint32_t wanted;  /* processes that it should have */
    uint32_t planned; /* visits that stand in the store */
    uint32_t failed;  /* of these */
};
struct error_plan {
    struct cell *cells; /* plan_append's: ids count from 1 in this order */
    size_t count;
    struct error_about *about; /* [cell] */
    struct error_prices prices;
};
/* Appends the wishes of the stage that fit into ns beside those more important; returns how many do
 * not. A wish that is in the plan already is not appended again. */
size_t error_plan_stage(const struct error_study *study, enum error_stage stage, uint64_t ns,
                        struct error_plan *plan);
/* The same, but only the first wish of every price, whatever it costs: a look at what visits cost
 * here. */
void error_plan_pilot(const struct error_study *study, enum error_stage stage,
                      struct error_plan *plan);
/* Takes over a cell of a stored plan. */
void error_plan_adopt(const struct error_study *study, struct error_plan *plan,
                      const struct cell *cell, uint32_t planned, uint32_t failed);
/* By what the first visit of each cell showed: cells that failed get no further one, and where the
 * rest would take more than ns the least important of the stage stay with what they have; returns
 * how many. */
size_t error_plan_settle(const struct error_study *study, enum error_stage stage, uint64_t ns,
                         struct error_plan *plan);
/* Is there a cell that lacks visits? */
bool error_plan_wants(const struct error_plan *plan);
/* Has a stage after this one begun? Then a run that goes on has done with it. */
bool error_plan_is_past(const struct error_plan *plan, enum error_stage stage);
/* The visits that are wanted and not planned yet, at most `most` for each cell, in rounds of random
 * order; counts them as planned. The caller frees *visits. */
void error_plan_visits(struct error_plan *plan, uint32_t most, uint64_t seed, struct visit **visits,
                       size_t *count);

/* --- the parts that make wishes --- */
struct error_wisher {
    const struct error_study *study;
    struct error_wishes wishes;
};
/* The window and what is counted in it. */
struct wished_window {
    const struct catalogue_path *path;
    enum pattern pattern;
    const char *opt, *link;
};
/* One more wish: counters of the same event, or `others` (count - 1 of them) beside it. */
struct error_asked {
    const char *event, *const *others;
    uint32_t counters;
    bool separate;
    const char *specimen;
    uint64_t n;
    uint32_t runs, processes;
};
void error_wish(struct error_wisher *wisher, const struct wished_window *way,
                const struct error_asked *asked);
/* Paths that can count for the source and were not ruled out; walks by index. The tool's path is
 * none of them. */
bool error_uses_path(const struct error_study *study, const struct catalogue_path *path,
                     const char *source);
/* Can the path count the event, as far as can be told from names? */
bool error_path_counts(const struct catalogue_path *path, const struct error_event *event);
const char *error_usual_link(const struct catalogue_path *path, char word[16]);
const char *error_usual_opt(const struct catalogue_path *path, char word[16]);

typedef void error_wish_stage(struct error_wisher *wisher);
error_wish_stage error_wish_crossing, error_wish_counters, error_wish_duration,
    error_wish_placement, error_wish_tool, error_wish_calibration, error_wish_multiplex;

/* ----------------------------------------------------------------------------------------------
 * The study of measurement error: from stores to the case that its judge gets. */

/* What a cell is there for, by its factors alone: path perf-stat is a tool; an event of a source
 * that steps is stepped; specimens placed and phases say it themselves; null is null; the loop is
 * for duration where its event has a truth on it or counts interrupts, else (ticks, cycles, ns) for
 * placement; a loop with more than one counter is for duration where the further ones count
 * interrupts, else for multiplexing. False: no part of this study. */
bool error_part_of(const struct stored_cell *cell, const char *kind, enum error_part *part);

/* Adds what the store holds: its machine (once for a fingerprint), cells with all runs (those with
 * the factors of an earlier store's join them), and what could not be opened. Reads ten million
 * samples in seconds, holding little more than the values. */
int error_load(struct store *store, struct error_case *file, struct failure *failure);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay clocks`: clocks -> watches -> samples in a store -> judgement -> show. */
#pragma once

#include "base/text.h"
#include "engine/session.h"
#include "engine/study.h"
#include "engine/wishes.h"
#include "output/field.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"
#include "studies/clocks/study.h"
#include "wire/watch.h"

/* ----------------------------------------------------------------------------------------------
 * What it would watch: from the catalogue's clocks, those that people bring along and the CPUs that
 * may be used to cells, the most important first, and what visits are expected to cost (plan.c). */

/* What a watch is there for. */
enum clocks_stage {
    CLOCKS_INTERVALS, /* sleep and compute, one thread, nothing else */
    CLOCKS_ROWS,
    CLOCKS_STEPS,
    CLOCKS_EDGES,
    CLOCKS_TRIPS,
    CLOCKS_MOVES,
    CLOCKS_THREADS,
    CLOCKS_HANDOVER,
    CLOCKS_OTHERS, /* other workloads */
    CLOCKS_AWAKE,
    CLOCKS_FINE, /* sleep and compute at the lengths between */
    CLOCKS_STAGES
};
extern const char *const clocks_stage_names[CLOCKS_STAGES];

/* How long a reading takes. */
enum clocks_pace {
    PACE_QUICK,   /* a system call at most */
    PACE_SLOW,    /* microseconds: a file, another process */
    PACE_GLACIAL, /* a program is started */
    CLOCKS_PACES
};
enum clocks_pace clocks_pace_of(double ns);

/* A person's own clock. */
struct clocks_own {
    const char *text; /* as it was given: the event of cells */
    struct external_clock clock;
    enum clocks_pace pace;
    bool moves; /* within a few readings: its steps need not be waited for */
};

struct clocks_scope {
    const struct catalogue *catalogue;
    const char *const *names; /* candidates of the catalogue */
    size_t name_count;        /* 0: all */
    const struct clocks_own *own;
    size_t own_count;
    const char *const *workloads;
    size_t workload_count; /* 0: all */
    const int32_t *cpus;   /* that may be used */
    size_t cpu_count;
    int32_t cpu;     /* where nothing moves; -1: wherever */
    bool quick;      /* fewer points */
    bool emulated;   /* visits are dear */
    uint64_t budget; /* ms; 0: no limit */
    uint64_t seed;
};

struct clocks_plan {
    struct wishes *wishes;
    const char *meter;       /* what is read around rows and after steps; NULL: nothing can be */
    size_t pairs, all_pairs; /* of CPUs that trips go between, and that there are */
    struct watch_absence {   /* kinds of watches that cannot be had here */
        const char *what, *reason;
        int error;
    } * absences;
    size_t absence_count;
};

/* Everything that could be watched; the same scope gives the same cells. -E2BIG where a look cannot
 * hold so many clocks. */
int clocks_plan_make(const struct clocks_scope *scope, struct clocks_plan *plan,
                     struct wishes *wishes, struct failure *failure);

/* --- clocks --- */
extern const char *const clocks_workloads[]; /* ends with NULL */
/* Can it be judged, rather than being a place or stolen time? */
bool clocks_is_candidate(const struct catalogue_clock *clock);
/* All clocks of a look, outermost first: those that are slow, then what needs the operating system,
 * and innermost what every other is compared with. Names of the catalogue and texts of people.
 * Returns how many there are; at most `most` are written. */
size_t clocks_look(const struct clocks_scope *study, const char **columns, size_t most);
/* The quick ones that go on whatever the CPU does, for looks at them from outside and at edges. */
size_t clocks_quick_walls(const struct clocks_scope *study, const char **columns, size_t most);
/* What is read around rows: the CPU's counter in order, else a clock by system call; NULL. */
const char *clocks_meter(const struct catalogue *catalogue);

/* --- cells --- */
/* A cell of a watch; its texts are copies. */
void clocks_cell(struct cell *cell, const struct cell_watch *watch, uint32_t runs, int32_t cpu,
                 const char *const *columns, size_t count);

/* --- pairs of CPUs --- */
struct cpu_pair {
    int32_t cpu, partner;
};
/* Up to `most` of all pairs, drawn from the seed where that is fewer; but as many as it takes that
 * every CPU is in one. */
void clocks_pairs(const int32_t *cpus, size_t count, size_t most, uint64_t seed,
                  struct cpu_pair **pairs, size_t *pair_count);

/* --- the case that the judge gets (measure.c) --- */
/* What the store holds: its machine, clocks, watches with the readings of all processes that ended
 * well (groups that are not whole are left out), and absences. Hostile stores (columns that no kind
 * of watch has, runs beyond the cell, clocks that nobody described) get a sentence. */
int clocks_load(struct store *store, struct clocks_case *file, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * One execution of the command. */

struct clocks_options {
    struct study_options study;
    struct string_list clock; /* names, or a user's own (wire/watch.h) added to all others */
    struct string_list workload;
    bool quick;
};

struct clocks_run {
    struct studying studying;
    /* --- the plan --- */
    struct string_list names; /* candidates of the catalogue that were asked for */
    struct clocks_own *own;   /* those that a person brought along */
    size_t own_count;
    struct clocks_scope scope;
    struct clocks_plan plan;
    /* --- looks from outside --- */
    bool outside;                                /* the controller is another machine */
    const char *outside_look[CELL_MAX_COUNTERS]; /* what the driver reads, without the controller's
                                                    two columns */
    size_t outside_count;
    ptrdiff_t outside_cell; /* index in the plan; -1: not there yet */
    /* --- what it says --- */
    struct clocks_case file;
    struct clocks_report report;
};

static inline const struct clocks_options *clocks_asked(const struct clocks_run *run)
{
    return (const struct clocks_options *)run->studying.options;
}

/* --- measuring (measure.c) --- */

/* Reads every clock that a person brought along, once: one that cannot be read would spoil every
 * look that it is part of. Tells how long a reading takes. */
int clocks_try_own(struct clocks_run *run, struct failure *failure);
/* Clocks and absences go into a new store; an unfinished one is checked, and its cells become the
 * plan's. */
int clocks_put(void *kept, struct failure *failure);
/* Can the run go on, by when the machine was booted? -ESTALE says why not. */
int clocks_check_boot(const struct clocks_run *run, struct failure *failure);
int clocks_adopt(void *kept, struct failure *failure);
/* Is the controller another machine, and what does it look at then? */
void clocks_find_outside(struct clocks_run *run);
/* Several looks, which go into the store as one process of the cell of looks from outside. */
int clocks_look_from_outside(void *kept);

/* --- for people, and for programs --- */
void clocks_put_report(const void *kept, const struct style *style, struct text *out);
extern const struct field clocks_results, clocks_pair_list;
extern const struct fields clocks_analysis;
/* The clock that rows, pairs, points and rates begin with; how long a row was to take, ms. */
field_get clocks_first, clocks_requested;
/* Rows and kinds of pictures (output/figure.h), as a page shows them. */
json_t *clocks_figures(const void *kept);

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay clocks` shows, for people and for programs, and what they share. Each
 * part for people is a paragraph or a table, or nothing where nothing of it was measured.
 */

/* --- one clock --- */
/* All that the judge says of one clock. */
struct clock_seen {
    const struct clock_known *clock;
    struct clock_scale scale;
    struct clock_cost cost;
    struct clock_granularity granularity;
    struct clock_monotonic monotonic;
    struct clock_offsets offsets;
    struct clock_same same;
    const struct clock_rate *rates; /* CLOCK_MOST_RATES */
    const struct clock_rate *rate;  /* the one that says most: against something independent
                                       before anything else; NULL: none is known */
    const struct clock_verdict *verdict;
};
struct clock_seen clocks_seen(const struct clocks_run *run, size_t index);
/* A clock of the machine that is judged: no place, no stolen time, and not the controller's. */
bool clocks_is_judged(const struct clocks_run *run, size_t index);
/* Was it compared over any interval? */
bool clocks_has_rows(const struct clocks_run *run, size_t clock);
/* Of the same workload and circumstances, whatever its length? */
bool clocks_are_alike(const struct clock_row *left, const struct clock_row *right);
/* Name of the clock. */
const char *clocks_name(const struct clocks_case *file, uint32_t clock);
/* The row in which it deviates most; NULL: it was not compared. */
const struct clock_row *clocks_worst_row(const struct clocks_run *run,
                                         const struct clock_verdict *verdict);
/* Of a ratio of intervals: the end of its range that is farther from 1. */
double clocks_worse(double low, double high);

/* --- words --- */
/* 1.000002, 0.0003, 3.4: as many digits as tell how far from 1. */
void clocks_ratio(double ratio, char *text, size_t size);
/* +0.3, -120; signed. */
void clocks_ppm(double ppm, char *text, size_t size);
/* "+0.3 ±0.1" ppm, bounds where asked for; "×0.08" of what it claims where that is far off. */
void clocks_put_rate(const struct clock_rate *rate, bool bounds, struct text *out);
/* "sleep", "compute, 2 threads", "sleep, moved": what an interval was. */
void clocks_put_interval(const struct clock_row *row, struct text *out);

/* By usefulness: a person's own, then dependable ones first, cheap before dear. */
uint32_t *clocks_by_use(const struct clocks_run *run, size_t *count);

/* --- for people, in the order in which they are shown --- */
typedef void clocks_part(const struct clocks_run *run, const struct style *style, struct text *out);
clocks_part clocks_put_summary, clocks_put_table, clocks_put_workloads, clocks_put_pairs;

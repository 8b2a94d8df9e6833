/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay clocks` would watch: from the catalogue's clocks, those that people bring along and
 * the CPUs that may be used to cells, the most important first, and what visits are expected to
 * cost. Pure: touches no machine and no store. */
#pragma once

#include "engine/session.h"
#include "engine/wishes.h"
#include "store/store.h"
#include "studies/clocks/study.h"
#include "wire/watch.h"

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

/* ----------------------------------------------------------------------------------------------
 * The study of clocks: from a store to the case that its judge gets. */

/* What the store holds: its machine, clocks, watches with the readings of all processes that ended
 * well (groups that are not whole are left out), and absences. Hostile stores (columns that no kind
 * of watch has, runs beyond the cell, clocks that nobody described) get a sentence. The caller
 * releases the case also after a failure. */
int clocks_load(struct store *store, struct clocks_case *file, struct failure *failure);

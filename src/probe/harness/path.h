/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a path is, inside a harness: its windows, one function for every pattern, form of specimen
 * and layout of counters, compiled at one optimisation level; and the operations around them. The
 * operations stand outside the window and never use a symbol that a window measures.
 *
 * What a harness is made of:
 *   path.h              paths, windows, and what is shared from opening to closing
 *   window-template.h   the one template of all windows; ../paths fills it in
 *   job.h               the memory shared with the driver, and what every harness does with it;
 *                       time and the operating system's account of a run
 *   main.c, run.c       the process; the runs of one visit
 *   perf-operations.c   around the windows on perf descriptors, those read in user code too
 *   user-reads.c        whether user code can read counters, and reads that trap
 *   trap-operations.c   around the windows that open no counter: bare, clock, trap
 *   papi-operations.c   around the windows of the two PAPI paths
 *   papi-set.h          from events to PAPI's sets, for touring harnesses too
 *   static-loader.c     what takes the place of dlopen where PAPI is linked statically */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/harness/job.h"
#include "specimens/specimen.h"

/* What one read of a descriptor gives: PERF_FORMAT_GROUP with both times. */
enum { READING_NR, READING_ENABLED, READING_RUNNING, READING_VALUES };
#define READING_WORDS (READING_VALUES + CELL_MAX_COUNTERS)
/* In the separate layout reading i of one counter starts at i * READING_SEPARATE. */
#define READING_SEPARATE (READING_VALUES + 1)

enum layout {
    LAYOUT_GROUP,    /* one descriptor (or event set) stands for all counters */
    LAYOUT_SEPARATE, /* every counter has its own */
    LAYOUT_COUNT,
};

typedef void specimen_function(struct specimen_state *state);

/* What a window works on. Everything it needs is fetched from here before it opens. */
struct window {
    int descriptors[CELL_MAX_COUNTERS];                                   /* perf paths */
    const volatile struct perf_event_mmap_page *pages[CELL_MAX_COUNTERS]; /* perf-user paths */
    uint32_t count;                                                       /* descriptors in use */
    int event_set;                                                        /* PAPI paths */
    uint64_t *before;          /* filled by an opening read */
    uint64_t *after;           /* filled by a closing read */
    size_t bytes;              /* of one read in the group layout */
    uintptr_t first;           /* operands of the slot: N of the loop, or the state … */
    specimen_function *second; /* … and the code of a called specimen */
    long status;               /* what the closing call returned */
};
typedef void window_function(struct window *window);

/* One measurement: what the operations share from open to close. */
struct instrument {
    struct job *job;
    const struct path *path;
    struct window window;
    struct specimen_state state;
    uint64_t before[CELL_MAX_COUNTERS * READING_SEPARATE + READING_WORDS];
    uint64_t after[CELL_MAX_COUNTERS * READING_SEPARATE + READING_WORDS];
    uint64_t user_before[CELL_MAX_COUNTERS]; /* counts read in user code: perf-user paths */
    uint64_t user_after[CELL_MAX_COUNTERS];
    /* While the window is stepped it reads copies of its pages: see perf-operations.c. */
    struct perf_event_mmap_page copies[CELL_MAX_COUNTERS];
    const volatile struct perf_event_mmap_page *mapped[CELL_MAX_COUNTERS];
    bool started;    /* the counters count, outside a window too */
    uint64_t opened; /* nanoseconds, for paths that do not report the time a counter was enabled */
};

/* All return 0 or a negative errno, the sentence then in job->reason. */
struct path_operations {
    /* Can this path work on this machine at all? May be NULL: yes. */
    int (*usable)(char *reason, size_t size);
    /* Prints what else the path's library offers, one line each; may be NULL. */
    void (*describe)(void);
    int (*open)(struct instrument *instrument);
    /* Before and after every window; `release` writes row `run`, unless
     * `finish` does. */
    int (*arm)(struct instrument *instrument);
    int (*release)(struct instrument *instrument, uint32_t run);
    /* For paths whose library gives its values when the process exits: fills all rows then. NULL
     * where `release` does. */
    int (*finish)(struct job *job);
    void (*close)(struct instrument *instrument);
};

struct path {
    const char *name;
    const char *opt;     /* "O0" … "O3" */
    const char *note;    /* what to know when reading its numbers; "" */
    const char *sources; /* whose events it can count: "perf_event,step" */
    bool task_wide;      /* start and stop switch all events of the task */
    bool user_reads;     /* reads make no system call */
    bool needs_folder;   /* the library writes files: job->folder must be given */
    bool executes; /* what counts is not disturbed by faults and switches: no account of them */
    const struct path_operations *operations;
    window_function *windows[PATTERN_COUNT][SPECIMEN_FORMS][LAYOUT_COUNT]; /* NULL: not supported */
};

extern const struct path *const path_registry[]; /* generated for each harness; ends with NULL */

/* Marks of every window, in an allocated section so that they survive stripping: where its first
 * instruction stands and where the one after its last, and the same of the slot in it (with nothing
 * in the slot both are one address). Offsets are relative to the field itself. */
enum { MARK_OPENS, MARK_CLOSED, MARK_SLOT, MARK_FILLED };
struct window_mark {
    int32_t address;
    int32_t path;    /* the struct path it belongs to */
    uint32_t window; /* (pattern * SPECIMEN_FORMS + form) * LAYOUT_COUNT + layout */
    uint32_t kind;
};

extern const struct window_mark __start_assay_marks[], __stop_assay_marks[];

/* Address of the mark, or 0 where there is not exactly one: a compiler that doubled the window
 * would double it. */
static inline uintptr_t window_mark_address(const struct path *path, uint32_t pattern,
                                            enum specimen_form form, enum layout layout,
                                            uint32_t kind)
{
    uint32_t window = (pattern * SPECIMEN_FORMS + (uint32_t)form) * LAYOUT_COUNT + (uint32_t)layout;
    uintptr_t found = 0;
    for (const struct window_mark *mark = __start_assay_marks; mark < __stop_assay_marks; mark++)
        if ((uintptr_t)&mark->path + (uintptr_t)(intptr_t)mark->path == (uintptr_t)path &&
            mark->window == window && mark->kind == kind) {
            if (found)
                return 0;
            found = (uintptr_t)&mark->address + (uintptr_t)(intptr_t)mark->address;
        }
    return found;
}

extern const struct path_operations bare_operations;
extern const struct path_operations clock_operations;
extern const struct path_operations trap_operations;
extern const struct path_operations perf_operations;
extern const struct path_operations perf_user_populated_operations;
extern const struct path_operations perf_user_touched_operations;
extern const struct path_operations perf_user_cold_operations;

/* Does the window itself start the counters? Else they count before it opens. */
static inline bool pattern_starts_inside(uint32_t pattern)
{
    return pattern == PATTERN_AR || pattern == PATTERN_AO;
}

/* --- Runs one job: the runs of one visit, in this process --- */

/* The path knows its values only once its library has seen the process exit: call exit(), and the
 * job gets its answer there. */
#define RUN_CONCLUDES_AT_EXIT 1

/* 0, RUN_CONCLUDES_AT_EXIT, or a negative errno with the sentence in job->reason. */
int run_job(struct job *job);

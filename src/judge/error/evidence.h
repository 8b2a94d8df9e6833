/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is laid before the judge of measurement error: cells, each one combination of factors with
 * all its runs. Nothing here knows a machine, a store or a tool, so a test can plant any effect.
 * Millions of runs are laid before it: a run is its value, and only cells whose part needs it hold
 * more. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cell.h"

/* Which mode an event counts in. */
enum count_mode {
    COUNT_ANY,    /* its name says nothing, and it is no counter of the CPU: page faults, ticks */
    COUNT_USER,   /* u */
    COUNT_KERNEL, /* k */
    COUNT_BOTH,   /* uk */
    COUNT_MODES,
};
extern const char *const count_mode_names[COUNT_MODES]; /* "any", "u", "k", "uk" */

/* What a cell is there for. It follows from its factors (error_part_of in study/error.h). */
enum error_part {
    PART_NULL,      /* nothing in the window, counted by an event: all of it is error */
    PART_STEPPED,   /* the same windows executed step by step: exact, in user mode */
    PART_DURATION,  /* the loop with many N: how the error grows */
    PART_PLACEMENT, /* one loop at many places, and in the windows of many patterns and levels */
    PART_MULTIPLEX, /* more events than counters, against truth */
    PART_TOOL,      /* a whole command under another program, `perf stat` */
    PART_COUNT,
};

struct error_cell {
    enum error_part part;
    uint32_t machine; /* index */
    char *event;      /* "instructions:uk", "step/instructions/" */
    char *base;       /* without its mode: "instructions"; of a source its class */
    char *kind;       /* hardware, software, tracepoint, source … as the probe listed it */
    char *class;      /* NULL: what it counts is not known */
    enum count_mode mode;
    char *path, *opt, *link;
    enum pattern pattern;
    uint32_t counters;
    bool separate;
    char *others;   /* events of the further counters, with commas; "": the same as the first */
    char *specimen; /* with its parameters */
    int64_t offset; /* of a placed specimen, bytes from the beginning of a page; -1: not placed */
    uint64_t n;
    bool has_truth; /* predicted for the specimen and N; null cells always: 0 */
    int64_t truth;
    /* --- the runs that got a counter, by process and run --- */
    int64_t *values; /* reported; multiplexed ones extrapolated to the whole time */
    size_t runs;
    size_t *begins; /* [processes + 1]: where the runs of each process begin in values; the first
                       run of a process is the one whose calls were never made before */
    size_t processes;
    size_t unscheduled, multiplexed, disturbed; /* runs; the first are not among values */
    /* --- only PART_DURATION, PART_PLACEMENT and PART_MULTIPLEX; else NULL --- */
    double *enabled, *running; /* ns, of each run */
    double *interrupts;        /* counted along with each run; NULL where they were not */
    /* --- processes that could not measure it --- */
    uint32_t failed;
    int error;
    char *reason; /* NULL: none failed */
};

struct error_machine {
    char *name;        /* "AMD EPYC (x86_64)" */
    char *fingerprint; /* machines with the same one are one machine */
    char *kit;         /* which build of the harnesses measured it; NULL: not known */
    bool emulated;     /* its times and placement mean nothing */
};

/* An event that was wanted and cannot be opened, or that no path can count. */
struct error_absence {
    char *what, *reason;
    int error;
};

struct error_case {
    struct error_machine *machines;
    size_t machine_count;
    struct error_cell *cells;
    size_t cell_count;
    struct error_absence *absences;
    size_t absence_count;
};

/* Grow by one, zeroed; NULL when out of memory. */
struct error_machine *error_case_add_machine(struct error_case *file);
struct error_cell *error_case_add_cell(struct error_case *file);
struct error_absence *error_case_add_absence(struct error_case *file);
void error_case_release(struct error_case *file);

/* left - right; where that does not fit, the nearest that does: a counter can report anything. */
static inline int64_t error_minus(int64_t left, int64_t right)
{
    int64_t difference;
    if (!__builtin_sub_overflow(left, right, &difference))
        return difference;
    return right > 0 ? INT64_MIN : INT64_MAX;
}
/* Reported minus truth of one run; the value itself where there is no truth. */
static inline int64_t error_of(const struct error_cell *cell, size_t run)
{
    return cell->has_truth ? error_minus(cell->values[run], cell->truth) : cell->values[run];
}
/* Measured the same way: machine, path, pattern, opt, link, number of counters, layout. Events
 * (and the choice of the further ones), specimen and N may differ. */
bool error_same_way(const struct error_cell *left, const struct error_cell *right);

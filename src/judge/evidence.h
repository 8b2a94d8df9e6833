/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is laid before the judge: events, and for each of them points, that is code of known counts
 * measured in one way, with every run. Nothing here knows a machine, a store or a tool: whoever has
 * such numbers can have them judged, and a test can plant a lie in them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cell.h"

/* One run of a window. */
struct evidence_run {
    uint64_t value;            /* as reported */
    uint64_t enabled, running; /* ns; running < enabled: the counter had the PMU part of the time */
    struct account account;    /* of the operating system, for the same run */
    uint32_t process;          /* which fresh process it ran in */
    uint32_t interrupts;       /* counted along; only where the point says that they were */
};

enum truth_grade { TRUTH_NONE, TRUTH_PROVEN, TRUTH_BOUNDED, TRUTH_MODEL };

/* The count of the event's class for this code and N; low == high unless bounded. */
struct truth {
    enum truth_grade grade;
    int64_t low, high;
};

/* What else a run of this code does, predicted for the same N. One of these may be what the event
 * really counts (a class), or what it counts wrongly (an opcode, a class). */
enum trait_kind { TRAIT_CLASS, TRAIT_OPCODE };
struct trait {
    enum trait_kind kind;
    char *name; /* "syscalls", "fldcw" */
    int64_t count;
    bool proven; /* always for opcodes, which are read from the code */
};

/* One specimen at one N, measured in one way. */
struct point {
    char *specimen; /* with its parameters */
    uint64_t n;
    char *path, *opt, *link;
    enum pattern pattern;
    uint32_t counters; /* opened at once */
    int32_t cpu;       /* -1: any */
    char *core;        /* type of core that it ran on; "": all are alike, or unknown */
    bool is_null;      /* nothing stands in the window: what is counted is overhead */
    struct truth truth;
    /* Page faults and context switches of the code itself in a run; -1: not predicted. */
    int64_t faults, switches;
    struct trait *traits;
    size_t trait_count;
    struct evidence_run *runs;
    size_t run_count;
    bool has_interrupts;  /* the runs' interrupts were counted along */
    uint32_t failed;      /* processes that could not measure it … */
    char *failure_reason; /* … and why; NULL: none */
};

/* One event under one name. */
struct evidence {
    char *event; /* "instructions:u" */
    char *kind;  /* hardware, software, tracepoint, source … */
    char *class; /* NULL: what it counts is not known */
    int error;   /* errno of opening it; 0: it opens */
    /* Why it cannot be opened, or why nothing can judge it; "": its turn did not come; NULL: nobody
     * said. */
    char *reason;
    struct point *points; /* in the order in which they were planned */
    size_t point_count;
};

/* Everything that was measured on one machine. */
struct case_file {
    struct evidence *events;
    size_t event_count;
    bool emulated;    /* times and caches of this machine mean nothing */
    bool virtualized; /* a hypervisor is between us and the CPU */
};

/* Grow by one, zeroed; NULL when out of memory. */
struct evidence *case_add_event(struct case_file *file);
struct point *evidence_add_point(struct evidence *evidence);
struct trait *point_add_trait(struct point *point);
/* Room for `count` more runs, zeroed; the caller counts them in run_count itself. */
struct evidence_run *point_add_runs(struct point *point, size_t count);
void case_release(struct case_file *file);

/* The trait of that name, or NULL. */
const struct trait *point_trait(const struct point *point, enum trait_kind kind, const char *name);
/* Measured the same way: path, pattern, opt, link, number of counters, core and CPU. */
bool point_same_way(const struct point *left, const struct point *right);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is laid before the judge of clocks: clocks with what is claimed of them, and watches, which
 * are readings of them in the order in which they were taken. Nothing here knows a machine, a store
 * or a tool, so a test can plant any clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cell.h"

enum clock_role {
    ROLE_WALL,     /* claims to go on whatever the CPU does */
    ROLE_CPU_TIME, /* claims to go on while its thread or process runs */
    ROLE_CYCLES,   /* claims to count what the CPU does */
    ROLE_PLACE,    /* no clock: the CPU's number */
    ROLE_STOLEN,   /* no candidate: ns that the host took */
    CLOCK_ROLES
};
extern const char
    *const clock_role_names[CLOCK_ROLES]; /* "wall" "cpu-time" … as in the catalogue */

struct clock_known {
    char *name; /* "tsc", "monotonic-raw", "outside"; of a user's clock the NAME alone */
    enum clock_role role;
    char *way;      /* "instruction", "vdso", "syscall", "read", "device", "object", "ask", "run",
                       "controller" */
    char *hardware; /* "tsc", "rtc", "outside", "external" …: one word, one counter (or maybe) */
    char *claim;    /* who says how fast it runs; "" */
    char *note;
    uint64_t hz;          /* ticks a second as claimed; 0: nobody claims any */
    double resolution_ns; /* as the operating system claims; 0: it does not */
    bool steered;         /* the operating system adjusts its rate */
    bool external;        /* a user's */
};

/* All processes of one cell. A look is a run; a group the looks that belong together (watch.h). */
struct clock_watch {
    enum watch_kind kind;
    char *workload;  /* "" for other kinds than interval */
    uint64_t length; /* as in the cell */
    uint32_t threads, moves;
    bool handover, awake;
    int32_t cpu, partner;
    uint32_t columns;
    uint32_t *clocks; /* [columns]: index of the clock */
    size_t processes; /* that ended well, in the order of their visits */
    size_t *begins;   /* [processes + 1]: where the looks of a process begin; whole groups only */
    uint64_t *values; /* [look * columns + column] */
    struct account *accounts; /* [look]; of an interval the first look of its last side holds what
                                 its thread's account saw since the first look of all */
    uint32_t failed;
    int error;
    char *reason; /* NULL: none failed */
};

/* A clock or a kind of watch that cannot be had here. */
struct clock_absence {
    char *what, *reason;
    int error;
};

struct clocks_case {
    char *machine;      /* "AMD EPYC (x86_64)" */
    bool emulated;      /* its time is made by a program */
    char *clocksource;  /* the operating system's; "" */
    char *available;    /* others that it could use, with spaces; "" */
    char *flags;        /* of the CPU that concern its counter: "constant_tsc nonstop_tsc"; "" */
    double steered_ppm; /* by which the operating system says it steers; NaN: it does not say */
    uint32_t cpus;      /* that may be used */
    struct clock_known *clocks;
    size_t clock_count;
    struct clock_watch *watches;
    size_t watch_count;
    struct clock_absence *absences;
    size_t absence_count;
};

/* Grow by one, zeroed; NULL when out of memory. */
struct clock_known *clocks_case_add_clock(struct clocks_case *file);
struct clock_watch *clocks_case_add_watch(struct clocks_case *file);
struct clock_absence *clocks_case_add_absence(struct clocks_case *file);
void clocks_case_release(struct clocks_case *file);

/* Index of the clock by name, or -1. */
int clocks_index(const struct clocks_case *file, const char *name);
/* Is it judged, rather than a place or stolen time? */
bool clock_is_candidate(const struct clock_known *clock);
/* The column of that clock in the watch, or -1. */
int watch_column(const struct clock_watch *watch, uint32_t clock);

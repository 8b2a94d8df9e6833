/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is laid before the judge of overhead: tours, each a row of calls that processes made one
 * after the other, every call metered by itself. Nothing here knows a machine, a store or a tool,
 * so a test can plant any cost. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cell.h"
#include "wire/tour.h"

/* Something that can be called, on one machine or several. */
struct overhead_operation {
    char *name;        /* "perf-read.start" */
    char *path, *kind; /* "perf-read", "start" */
    char *instrument;  /* "perf"; "timer" for what the tour calls of its own */
    char *page;        /* "cold", "touched", "populated"; "" */
    bool binds;        /* calls a library: its link mode is its variant */
    char *note;
};

/* What was read around every call. */
enum meter_unit {
    METER_TICKS,
    METER_NS,
    METER_INSTRUCTIONS,
    METER_CYCLES,
    METER_EVENTS,
    METER_UNITS
};
extern const char *const meter_unit_names[METER_UNITS]; /* "ticks" … */
struct overhead_meter {
    char *event; /* "clock/ticks/", "instructions:k" */
    char *mode;  /* "u", "k", "uk"; "" */
    enum meter_unit unit;
    double step; /* it counts so many at once, as far as it is known beforehand; 0: ones */
};

/* All processes of one cell. */
struct overhead_tour {
    uint32_t machine; /* index */
    char *link;
    char *counted; /* event of the instruments */
    uint32_t open; /* counters of each instrument */
    bool separate;
    bool cold;
    uint32_t meter_count;
    struct overhead_meter *meters;
    /* the calls of one pass */
    size_t length;
    uint32_t *calls; /* [length], index of the operation */
    uint32_t *times; /* [length] */
    /* processes, in the order of their visits; each made `passes` whole passes */
    size_t processes;
    uint32_t *passes;         /* [process] */
    size_t *begins;           /* [processes + 1]: where the calls of a process begin in values */
    int64_t *values;          /* [call * meter_count + meter]; raw, with what metering costs */
    struct account *accounts; /* of the calls of a cold tour; of a warm one the first call of a pass
                                 holds the pass's; [call] */
    uint32_t failed;
    int error;
    char *reason; /* NULL: none failed */
};

struct overhead_machine {
    char *name;        /* "AMD EPYC (x86_64)" */
    char *cpu, *os;    /* model; release of the operating system's kernel */
    char *fingerprint; /* machines with the same one are one machine */
    char *kit;
    bool emulated; /* its times mean nothing; its counts do */
    /* Instructions that pass in one tick of its emulated clock (clock.c); 0: ticks are no
     * instructions here, for this reason ("": nobody asked). */
    double tick;
    char tick_why[160];
};

/* An operation that cannot be called here, or a meter that cannot be had. */
struct overhead_absence {
    char *what, *reason;
    int error;
};

struct overhead_case {
    struct overhead_machine *machines;
    size_t machine_count;
    struct overhead_operation *operations;
    size_t operation_count;
    struct overhead_tour *tours;
    size_t tour_count;
    struct overhead_absence *absences;
    size_t absence_count;
};

/* Grow by one, zeroed; NULL when out of memory. */
struct overhead_machine *overhead_case_add_machine(struct overhead_case *file);
struct overhead_operation *overhead_case_add_operation(struct overhead_case *file);
struct overhead_tour *overhead_case_add_tour(struct overhead_case *file);
struct overhead_absence *overhead_case_add_absence(struct overhead_case *file);
void overhead_case_release(struct overhead_case *file);

/* Index of the operation by name, or -1. */
int overhead_operation_index(const struct overhead_case *file, const char *name);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells and samples: what the controller asks for and what the probe gives back. A cell is one
 * combination of factors; a visit is one fresh process that runs one cell; a batch is a stretch of
 * the runs of one visit. Shared by both sides of the wire.
 *
 * The chapters of src/wire:
 *
 *     frame       the lines on the pipe: written, parsed, read
 *     cell        cells as frames, and copies of them
 *     batch       samples as frames, in columns
 *     tour        the calls of a tour as text
 *     watch       what each run of a watch is, and clocks that people bring along
 *     command     what can be controlled of a program, and what is told of it
 *     pattern     the names of patterns, alone: harnesses carry them and nothing else of the wire
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "wire/command.h"
#include "wire/frame.h"
#include "wire/watch.h"

#define CELL_MAX_COUNTERS 32
#define CELL_MAX_RUNS     1000000u /* in one process */

enum pattern { PATTERN_AR, PATTERN_AO, PATTERN_RR, PATTERN_RO, PATTERN_COUNT };

extern const char *const pattern_names[PATTERN_COUNT];        /* "ar" … */
extern const char *const pattern_descriptions[PATTERN_COUNT]; /* "start-read" … */
/* -1 when unknown */
int pattern_from_name(const char *name);

/* A cell of timed calls: its process makes them one after the other, and every run is one call,
 * metered by itself. The cell's events are then the meters: what is read right before and right
 * after each call. Path, pattern, specimen and N of such a cell are "tour", rr, "null" and 0. */
struct cell_tour {
    char *calls;   /* in order, with commas (tour.c); NULL: the cell is no tour */
    char *counted; /* the event that the calls switch and read */
    uint32_t open; /* how many counters of it each instrument has, as a group unless `separate` */
    bool cold;     /* nothing was touched, called or bound before; every call has an account */
};

/* A cell of readings of clocks: every run is one look, at which all its clocks are read once; its
 * values are what they showed, not differences. The cell's events are then names of clocks, a
 * column each (wire/watch.h says what the runs of each kind are). Path, pattern, specimen and N of
 * such a cell are "watch", rr, "null" and 0. */
struct cell_watch {
    enum watch_kind kind; /* WATCH_NONE: the cell is no watch; then nothing below means anything */
    char *workload;       /* interval: "sleep", "compute" …; NULL for other kinds */
    uint64_t length;      /* interval: µs that the workload is to take; row: readings in a block;
                             steps, edges: µs to wait for the next at most; else 0 */
    uint32_t threads;     /* interval: that do the same at the same time; else 1 */
    uint32_t moves;       /* interval: forced changes of CPU between its ends, evenly spread */
    bool handover;        /* interval: another thread, on another CPU where there is one, works and
                             looks at the end */
    bool awake;           /* CPUs are kept from idle states meanwhile (/dev/cpu_dma_latency) */
    int32_t partner;      /* trips: the CPU that answers; cell.cpu asks. Else -1 */
};

/* A cell of whole programs: its visit executes one, and its one run is what was counted from the
 * first instruction to the end, threads and children with it. Its events are of one source, or of
 * perf_event, and columns of wire/command.h. Path, pattern, specimen and N of such a cell are
 * "command", rr, "null" and 0, runs 1; cpu is where it is pinned if that is controlled. */
struct cell_command {
    char *words;       /* program and arguments, quoted as in exec: (base/words.h); NULL: none */
    char *name;        /* what people call it: of a workload, of a subject, or the program's */
    char *directory;   /* NULL: where the probe is */
    char *input;       /* a file to read; NULL: nothing */
    char *keep;        /* variables of the environment that stay when it is controlled, with
                          commas; NULL: none */
    uint32_t controls; /* CONTROL_BIT of each that is on */
    enum command_sweep sweep;
    uint64_t swept;   /* what of, see wire/command.h */
    uint64_t timeout; /* ms; 0: it may take as long as it likes */
    enum command_detail detail;
    bool shown;             /* what it writes is seen by who asked for it */
    enum command_lent lent; /* how, where it is; a matter of the session that no store has */
};

struct cell {
    uint32_t id; /* chosen by the controller, unique within a session and a store */
    char *events[CELL_MAX_COUNTERS]; /* one per counter; the first is the event under test */
    uint32_t counters;
    char *path;
    enum pattern pattern;
    char *specimen;
    uint64_t n;
    char *opt;     /* "O0" … "O3" */
    char *link;    /* "static", "lazy", "bind-now" */
    uint32_t runs; /* in each process */
    bool separate; /* counters opened one by one instead of as a group */
    int32_t cpu;   /* pin to this CPU; -1: leave it to the scheduler */
    struct cell_tour tour;
    struct cell_watch watch;
    struct cell_command command;
};

int cell_put(struct wire_writer *writer, const struct cell *cell); /* a whole "cell" frame */
int cell_get(const struct wire_frame *frame, struct cell *cell, struct failure *failure);
int cell_copy(struct cell *to, const struct cell *from);
void cell_release(struct cell *cell);
/* Is its tour whole, or is it none? -EINVAL with what is wrong. cell_get and the store ask. */
int cell_check_tour(const struct cell *cell, struct failure *failure);
/* How many calls a pass makes; 0: the cell is no tour. */
uint32_t cell_tour_length(const struct cell_tour *tour);
bool cell_same_tour(const struct cell *left, const struct cell *right);
/* The same of a watch: does what it asks make sense for its kind? */
int cell_check_watch(const struct cell *cell, struct failure *failure);
bool cell_same_watch(const struct cell *left, const struct cell *right);
/* The same of a command. */
int cell_check_command(const struct cell *cell, struct failure *failure);
bool cell_same_command(const struct cell *left, const struct cell *right);

/* What the operating system's own accounting saw during one run, outside the window. */
struct account {
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t voluntary;   /* context switches */
    uint64_t involuntary; /* context switches */
};

/* Rows: value, enabled and running are [run * counters + counter], raw differences over the
 * window; times in ns. */
struct batch {
    uint32_t cell;
    uint32_t process;
    uint32_t first_run;
    uint32_t runs;
    uint32_t counters;
    const uint64_t *values;
    const uint64_t *enabled;
    const uint64_t *running;
    const struct account *accounts; /* [run] */
};

/* Whole "samples" frames, as many as the length of a line demands; none when there are no runs. */
int batch_put(struct wire_writer *writer, const struct batch *batch);

/* Parses into memory owned by storage, reused from call to call. */
struct batch_storage {
    uint64_t *values, *enabled, *running;
    struct account *accounts;
    size_t rows, account_rows;
};
int batch_get(const struct wire_frame *frame, struct batch *batch, struct batch_storage *storage,
              struct failure *failure);
void batch_storage_free(struct batch_storage *storage);

/* The calls of a tour as text: "perf-read.start,perf-read.read*8,timer.nothing". Each is a path, a
 * kind and, behind a star, how often it is made in a row inside one metered span. Both sides read
 * it, and so does who judges a store: run r of the cell is call r modulo the length of the tour, in
 * pass r / length, and was preceded by the call before it (the last one, for the first of a later
 * pass; nothing of the tour, for the first of all). */

#define TOUR_MOST_CALLS 4096u
#define TOUR_MOST_TIMES 1024u
#define TOUR_NAME       64 /* of an operation, with its end */

struct tour_call {
    char operation[TOUR_NAME]; /* "perf-read.start" */
    uint32_t times;            /* at least 1 */
};

/* -EINVAL with what is wrong; -ENOMEM. The caller frees *calls. */
int tour_parse(const char *text, struct tour_call **calls, size_t *count, struct failure *failure);

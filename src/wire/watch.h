/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches: cells whose runs are readings of clocks. Both sides know from here what run r of each
 * kind is, and so does who judges a store. A look reads every clock of the cell once, in the order
 * of its columns, or backwards; the value of a clock is in its own column either way. Slow clocks
 * come first, so that they are outermost and the quick ones close to what is timed. */
#pragma once

#include <stdint.h>

enum watch_kind {
    WATCH_NONE,
    /* All clocks around one and the same workload. An interval is WATCH_INTERVAL_LOOKS runs of a
     * thread: forwards, backwards, forwards; the workload; forwards, backwards, forwards. Any two
     * looks that follow each other in opposite orders are symmetric about their middle, so the mean
     * of a clock's two readings is its reading at one moment, the same for all clocks. Runs: by
     * interval, then thread, then look. What the paper calls its order (reference, candidate, work,
     * reference, candidate) is the first look of either side. */
    WATCH_INTERVAL,
    /* What a reading costs, and whether it ever goes back. Columns: X, X, X, X, M, M. A run is a
     * block of cell.watch.length readings of X with nothing between, M being read right before and
     * right after it: first reading, last reading, how many readings were below the one before,
     * by how much the worst was (0: none), M before, M after. */
    WATCH_ROW,
    /* Granularity. Columns: X, M. A run is the next reading of X that differs from the one before,
     * and M right after it. A clock that does not change for cell.watch.length µs fails the visit,
     * and the sentence says so. */
    WATCH_STEPS,
    /* Two CPUs. Three runs a round trip: cell.cpu looks and passes the word; the partner, which
     * waits for it, looks and passes it back; cell.cpu looks. Whoever passes the word finished
     * looking before, so that the three are in the order of causes. */
    WATCH_TRIPS,
    /* A clock so coarse that only its steps tell anything (column 0: an RTC): two runs a step, a
     * look before the last reading of the old value, and a look after the first of the new one.
     * Column 0 of both: the value that was read between, old and new. */
    WATCH_EDGES,
    /* The controller's own clock around a look of the driver: first column when it asked, last
     * column when it had the answer, both of its CLOCK_MONOTONIC_RAW, in ns. Never sent as a cell:
     * the controller makes its rows itself (session_look). */
    WATCH_OUTSIDE,
    WATCH_KINDS
};
extern const char *const watch_kind_names[WATCH_KINDS]; /* "" "interval" … */
/* WATCH_NONE when unknown. */
enum watch_kind watch_kind_from_name(const char *name);

#define WATCH_SIDE_LOOKS     3u
#define WATCH_INTERVAL_LOOKS 6u
#define WATCH_TRIP_LOOKS     3u
#define WATCH_EDGE_LOOKS     2u
enum watch_row_column {
    ROW_FIRST,
    ROW_LAST,
    ROW_BACKWARD,
    ROW_WORST,
    ROW_BEFORE,
    ROW_AFTER,
    ROW_COLUMNS
};
#define WATCH_MOST_THREADS 64u
#define WATCH_MOST_MOVES   1024u
#define WATCH_MOST_BLOCK   65536u
#define WATCH_MOST_MICROS  600000000u /* that a workload lasts, or a step is waited for */
#define WATCH_WORKLOAD     32         /* bytes of its word, with its end */

/* Does a run with this number end a whole interval, block, trip, …? Runs in such a group: */
static inline uint32_t watch_group(enum watch_kind kind, uint32_t threads)
{
    switch (kind) {
    case WATCH_INTERVAL:
        return WATCH_INTERVAL_LOOKS * threads;
    case WATCH_TRIPS:
        return WATCH_TRIP_LOOKS;
    case WATCH_EDGES:
        return WATCH_EDGE_LOOKS;
    default:
        return 1;
    }
}

/* A clock that is not the probe's own: what a person wrote behind --clock, and what stands as the
 * event of a cell. "NAME=object:FILE:SYMBOL": a shared object and a function of it that takes
 * nothing and returns uint64_t. "NAME=ask:COMMAND": runs once, gets an empty line for each reading
 * and answers each with a line that is a number. "NAME=run:COMMAND": runs for each reading, and
 * prints a number. Commands are words with the quotes of exec: transports, and no shell. "@HZ"
 * behind NAME says how many ticks it claims to make a second; without it the rate is taken from
 * how it runs during computation. */
#define CLOCK_NAME       32             /* of any clock, with its end */
#define CLOCK_TEXT       512            /* of a user's clock, all of it, with its end */
#define EXTERNAL_MOST_HZ 1000000000000u /* a tick in a picosecond */
struct external_clock {
    char name[CLOCK_NAME];
    uint64_t hz; /* 0: not said */
    enum external_way { EXTERNAL_OBJECT, EXTERNAL_ASK, EXTERNAL_RUN } way;
    const char *what; /* FILE:SYMBOL or COMMAND, within the text that was parsed */
};
struct failure;
/* 1: it is one; 0: a plain name, which is in clock->name then; -EINVAL with what is wrong. Names
 * are letters, digits, '.', '_' and '-', and begin with a letter or digit. */
int external_clock_parse(const char *text, struct external_clock *clock, struct failure *failure);

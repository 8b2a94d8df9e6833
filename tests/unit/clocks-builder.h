/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A small world with a true time, CPUs and clocks that follow it or do not, from a seed. It makes
 * cases for the judge of clocks: watches of every kind, laid out as wire/watch.h says, with what
 * readings cost, cold looks, preemption, stolen time and suspension. It knows nothing of the judge
 * but the shape of its evidence. Memory that runs out ends the test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"
#include "studies/clocks/study.h"

#define BUILT_MOST_CLOCKS   32
#define BUILT_MOST_THREADS  8
#define BUILT_MOST_SUSPENDS 64

enum built_of {
    BUILT_TIME,           /* true time */
    BUILT_THREAD,         /* the time that the thread that looks has run */
    BUILT_PROCESS,        /* … that all threads of its process have */
    BUILT_CPU_NUMBER,     /* a place */
    BUILT_STOLEN,         /* ns that the host took */
    BUILT_OUTSIDE_MACHINE /* true time, of another machine: never asleep, never suspended */
};

/* One clock. Zeroes are sensible: an exact one in ns that costs 25 ns to read. */
struct built_clock {
    const char *name;
    const char *way, *hardware, *claim; /* NULL: "vdso", "tsc", "the builder" */
    enum clock_role role;
    enum built_of of;
    uint64_t hz; /* as claimed; 0: nobody claims any */
    bool steered, external;
    double resolution_ns; /* as claimed */
    double true_hz;       /* 0: as claimed, or 1e9 */
    double cost_ns;       /* of a reading; 0: 25 */
    double beginning;     /* ticks at true time 0; 0: 1e15 ticks, or nothing for clocks that wrap */
    /* how it lies */
    double ppm;           /* faster than it should be */
    double idle_ppm;      /* … while its thread sleeps, on top */
    double wander_ppm;    /* amplitude of a slow wave in its rate; period: wander_s, 0 as 7 s */
    double wander_s;      /* s */
    double frequency_dip; /* its rate swings between 1 and 1 − dip, every 70 ms */
    bool anew;            /* its rate and wander begin anew, at the true time, in every process */
    bool stops_in_sleep;
    bool stops_in_suspend;
    double cpu_offset_ns;             /* CPU c is ahead by c times this */
    double step_ns;                   /* it goes in steps of this */
    uint32_t wrap_bits;               /* it wraps at 2^bits; 0: never */
    double back_every_ns, back_by_ns; /* it goes back for good by so much, about so often */
    double glitch_share, glitch_ns;   /* single readings that are low by this, a share of all */
    double jump_at_ns, jump_by_ns;    /* set once by somebody, at that true time */
    double scatter_ns;                /* each reading is off by up to ± this */
};

/* One watch. Zeroes are sensible but for kind: one thread, no moves, all clocks of the world, CPU 0
 * of the world, lengths of 20 ms (interval), 1000 readings (row). */
struct built_watch {
    enum watch_kind kind;
    const char *workload; /* NULL: "sleep" for intervals */
    uint64_t length;
    uint32_t threads, moves;
    bool handover, awake;
    int32_t cpu, partner;
    /* by name, in the order of their columns; none: all of the world in their order (interval,
     * trips, and outside between its two columns), the first and "monotonic" (row, steps) */
    const char *columns[BUILT_MOST_CLOCKS];
};

struct built_suspend {
    double at, ns; /* true time */
};

struct built_world {
    struct clocks_case file;
    struct built_clock clocks[BUILT_MOST_CLOCKS];
    struct random random;
    double now;   /* true time, ns */
    double began; /* of the process that looks */
    double thread_ns, process_ns, helper_ns;
    double slept_ns, stolen_ns;
    struct built_suspend suspends[BUILT_MOST_SUSPENDS];
    size_t suspend_count;
    /* what disturbs; 0 is none */
    double jitter;          /* of costs, relative: they are up to 1 + jitter times as large */
    double cold_ns;         /* the first look after the workload takes up to so much longer */
    double preempted_share; /* of intervals whose work is interrupted */
    double preempted_ns;    /* for so long, up to */
    double look_preempted;  /* chance that one reading of a clock is interrupted */
    double stolen_share;    /* of intervals; the host takes up to preempted_ns */
    double suspend_share;   /* of intervals that a suspension of suspend_ns falls into */
    double suspend_ns;
    double overslept_ns; /* mean by which sleeps are longer; 0: 60 µs */
    double trip_ns;      /* the word from one CPU to another; 0: 120 */
    double outside_ns; /* least latency of one way to the controller; 0: 40 µs. Mean tail: same */
};

/* A world at its beginning: one machine, `cpus` CPUs, the clocksource "tsc", no clocks. */
void built_begin(struct built_world *world, uint64_t seed, uint32_t cpus);
/* Jitter, cold looks up to 50 µs, preemption and stolen time, as machines in use have them. */
void built_disturb(struct built_world *world);
/* The index of the clock. */
uint32_t built_clock(struct built_world *world, const struct built_clock *clock);
/* What a PC has: cpu, steal, task-clock, process-cputime, thread-cputime, boottime, realtime,
 * monotonic-coarse (4 ms), monotonic, monotonic-raw and tsc (2.6 GHz), in this order. */
void built_usual_clocks(struct built_world *world);
/* Finds a clock of the world to change it before the watches begin. */
struct built_clock *built_find(struct built_world *world, const char *name);

/* How many worlds to try: `usual`, or ASSAY_TEST_SEEDS times as many where that is in the
 * environment (1 … 100), for a night with nothing else to do. */
uint32_t built_seeds(uint32_t usual);

/* The index of the watch, which has no looks yet. */
size_t built_watch(struct built_world *world, const struct built_watch *plan);
/* One more process of the watch: so many intervals (blocks, steps, trips, edges, outside looks). */
void built_visit(struct built_world *world, size_t index, uint32_t groups);
double built_uniform(struct built_world *world, double low, double high);
/* True time passes. */
void built_pass(struct built_world *world, double ns);
/* What `assay clocks` does, made small: sleeps and computations of 20 … 160 ms and the other
 * workloads, threads, moves, handovers, in shuffled visits; with rows, steps and trips for clocks
 * that are no place if `shapes`. size 1: about 100 intervals. Needs no clock of a certain name but
 * "monotonic" for rows. Returns its true length in ns. */
double built_plan(struct built_world *world, uint32_t size, bool shapes);

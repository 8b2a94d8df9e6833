/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Case files of machines whose counters are right: simulated ones, drawn from a seed. What the
 * judge finds in them is a false alarm. */
#pragma once

#include "noise.h"
#include "specimens.h"

/* What is counted. */
struct countable {
    const char *event, *kind, *class;
    double top; /* largest N */
    double overhead_low, overhead_high;
    bool is_hardware; /* may be noisy; the others are counted by the operating system */
};
extern const struct countable countables[];
extern const size_t countable_count;
const struct countable *countable_find(const char *event);

/* What is measured besides: cases have more shapes than one. */
enum world {
    WORLD_USUAL,
    WORLD_LONG,        /* the ladder goes on to windows of a second, in few runs */
    WORLD_MOVES,       /* code that gives up the CPU, and code that changes it */
    WORLD_MODEL_ROWS,  /* some of the code has a model for a truth, which is off by up to 30 % */
    WORLD_MODELS,      /* all of it has, but for limits on one */
    WORLD_CYCLES,      /* `cycles:u` of the same PMU, with windows of calls and faults … */
    WORLD_CYCLES_ONLY, /* … and without */
    WORLDS
};

/* One machine, and how it is measured. */
struct machine {
    const struct countable *countable;
    struct noise noise;
    uint64_t overhead;
    uint32_t processes, runs; /* runs: in each process */
    uint32_t own_faults;      /* of the way itself, in every run's account */
    bool counts_interrupts;
    bool virtualized;
    bool multiplexes; /* a share of the runs had the counter part of the time */
    bool two_core_types;
    bool has_twin;          /* the same event without a mode is measured, too */
    size_t specimens;       /* how many at least */
    const char *wanted[10]; /* specimens that must be among them, up to a NULL */
    enum world world;
    double switches; /* a second: how often somebody else gets the CPU in a long window */
    /* Of cycles:u: what a system call spends in the kernel, and is it counted? */
    double call_cycles;
    bool ignores_filter;
};

/* Draws a machine with noise of that kind for an event. Events of the operating system have no
 * noise but disturbed runs. */
void machine_draw(struct random *random, const struct countable *countable, enum noise_kind noise,
                  struct machine *machine);
void machine_want(struct machine *machine, const char *specimen);
void machine_enter(struct random *random, struct machine *machine, enum world world);
/* Event 0 is the one of the machine, event 1 its twin or cycles:u. Ends the program when out of
 * memory. */
void clean_case(struct random *random, const struct frozen_specimens *specimens,
                const struct machine *machine, struct case_file *file);

/* --- single points, for who plans them himself --- */

/* ns that a window of it is open. */
double window_ns(const struct frozen_specimen *specimen, uint64_t n);
/* All but its runs, in the usual way; the truth is that of the class. */
void point_describe(struct point *point, const struct frozen_specimen *specimen, uint64_t n,
                    const char *class);
/* Runs of a machine that counts right; each: of a process. */
void point_draw_runs(struct random *random, const struct machine *machine,
                     const struct frozen_specimen *specimen, uint32_t processes, uint32_t each,
                     struct point *point);
/* The same of cycles:u. */
void cycles_draw_runs(struct random *random, const struct machine *machine,
                      const struct frozen_specimen *specimen, uint32_t processes, uint32_t each,
                      struct point *point);

/* Interrupts happen whether or not somebody counts them: a lie may depend on them, and then they
 * are taken out of the evidence where the machine does not count them. */
void case_hide_interrupts(struct case_file *file);

/* strdup that ends the program when out of memory. */
char *copy_of(const char *text);

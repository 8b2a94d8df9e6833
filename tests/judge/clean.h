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
};

/* Draws a machine with noise of that kind for an event. Events of the operating system have no
 * noise but disturbed runs. */
void machine_draw(struct random *random, const struct countable *countable, enum noise_kind noise,
                  struct machine *machine);
void machine_want(struct machine *machine, const char *specimen);
/* Event 0 is the one of the machine, event 1 its twin. Ends the program when out of memory. */
void clean_case(struct random *random, const struct frozen_specimens *specimens,
                const struct machine *machine, struct case_file *file);

/* Interrupts happen whether or not somebody counts them: a lie may depend on them, and then they
 * are taken out of the evidence where the machine does not count them. */
void case_hide_interrupts(struct case_file *file);

/* strdup that ends the program when out of memory. */
char *copy_of(const char *text);

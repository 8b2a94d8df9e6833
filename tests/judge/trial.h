/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One trial of the judge: a case follows from a seed, a lie is planted in it or none, and what the
 * judge says is set against what was planted. */
#pragma once

#include "plants.h"

#define RECORDINGS 5
extern const char *const recording_names[RECORDINGS];

/* What a trial is made from; nothing changes it. */
struct bench {
    struct frozen_specimens specimens;
    char folder[4096]; /* of this source */
};
void bench_set_up(struct bench *bench);

struct trial {
    uint64_t seed;
    const struct plant *plant; /* NULL: clean */
    enum noise_kind noise;
    int recording;   /* a recorded machine instead of a simulated one; -1: none */
    double ratio;    /* plant so many times the noise, in linear plants; 0: draw the size */
    double relative; /* noise in parts of the count besides; 0: as drawn */
    bool is_narrow;  /* few specimens, for many trials */
};

struct outcome {
    bool is_void; /* the machine has nothing to plant this lie in */
    double ratio; /* the planted error in units of the noise; 0 when clean */
    enum verdict verdict;
    enum cause cause;
    bool is_detected; /* something was said to be wrong */
    bool is_right_verdict, is_right_cause;
    bool is_too_far; /* trusted for longer windows than were right */
    bool is_named;   /* opcodes: the one, and with its factor */
    char event[80], note[480];
    char planted[120]; /* in words */
};

/* Ends the program when out of memory. */
void trial_run(const struct bench *bench, const struct trial *trial, struct outcome *outcome);

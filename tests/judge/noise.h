/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What makes the runs of a right counter differ: six kinds of noise, drawn from a seed. */
#pragma once

#include <stdint.h>

#include "stats/random.h"

enum noise_kind {
    NOISE_NONE,         /* every run alike */
    NOISE_PROPORTIONAL, /* Gaussian, a share of the count */
    NOISE_ADDITIVE,     /* Gaussian, so many counts a run */
    NOISE_HEAVY,        /* Student's t with three degrees of freedom: far outliers, unannounced */
    NOISE_BIMODAL,      /* whole processes sit in one of two states, some counts apart */
    NOISE_TICKS,        /* single runs far off, which the operating system's account saw */
    NOISE_KINDS
};
extern const char *const noise_names[NOISE_KINDS];

struct noise {
    enum noise_kind kind;
    double relative;     /* of the count */
    double additive;     /* counts */
    double step;         /* counts between the two states of processes */
    double disturbed;    /* share of runs that the account saw disturbed … */
    double disturbed_by; /* … and the most counts such a run may gain */
};

/* Draws the figures of a kind. overhead: of the way of measuring, which additive noise is a part
 * of: a point matters to the judge where its truth is a hundred times the overhead, so what stays
 * below it never makes a verdict noisy. */
void noise_draw(struct random *random, enum noise_kind kind, double overhead, struct noise *noise);
/* What one quiet run adds to a right count. second_state: the state of its process. */
double noise_of_run(struct random *random, const struct noise *noise, double count,
                    int second_state);

/* Standard deviation of what quiet runs of a right count differ by, rounding to whole counts
 * included. */
double noise_stdev(const struct noise *noise, double count);

double random_unit(struct random *random); /* 0 … 1, uniform */
double random_between(struct random *random, double low, double high);
double random_log_between(struct random *random, double low, double high); /* both above 0 */
double random_normal(struct random *random);
uint32_t random_poisson(struct random *random, double mean);
/* A whole number: the next below or above, so that the mean stays; never below 0. */
uint64_t random_round(struct random *random, double value);

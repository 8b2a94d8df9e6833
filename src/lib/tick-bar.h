/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: the error bar of ticks, from regions with nothing inside but two readings of the
 * counter. Pure. docs/uncertainty.md says why. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TICK_NULLS 64 /* the newest count */
#define TICK_FEW   32 /* with fewer there is no bar */
/* Steps by which the place of code and how warm it is move a window, the same in all of them. */
#define TICK_PLACE 0.2

struct tick_nulls {
    double around[TICK_NULLS];  /* ticks of the region that are not between the readings inside */
    double inside[TICK_NULLS];  /* and those between */
    uint64_t apart[TICK_NULLS]; /* from the end of the one before */
    size_t next, count;
    size_t refused; /* one after the other */
    double usual;   /* a whole region; 0: not known yet */
    uint64_t ended; /* the one before; 0: there is none */
};

/* What measuring adds to a region. */
struct tick_bar {
    double middle;
    double low, high; /* with a confidence of 95 % */
    double quartiles; /* the distance between those of `around` */
    double step;      /* what all of them are multiples of */
};

/* Of a region: the counter at its beginning, twice inside, and at its end. One that is much longer
 * than all others was interrupted and is not taken, unless all are from now on. */
void tick_nulls_add(struct tick_nulls *nulls, const uint64_t readings[4]);

/* False: too few. */
bool tick_bar_of(struct tick_nulls *nulls, struct tick_bar *bar);

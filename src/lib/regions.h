/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: regions with a name, added up. Names are numbered for the process, calipers add
 * while the program runs (regions.c), correct.c makes totals of that, and the process gathers these
 * when calipers are closed and prints them (table.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "assay.h"
#include "lib/calipers.h"

/* --- The names of regions, numbered for the whole process --- */

/* Numbers begin with 1. The last one stands for all names behind the first ASSAY_REGIONS_MOST. */
#define REGION_FURTHER (ASSAY_REGIONS_MOST + 1)

/* The number of a name, given to it now if it has none: in no lock and without memory, because
 * regions end in signal handlers. The name is copied: who named it may be unloaded. */

/* Is it the one of the empty regions that calibrating measures? */
bool region_is_own(uint32_t number);

/* What is printed for it: harmless, on one line, at most 63 bytes. */
#define REGION_SHOWN 64
void region_shown(uint32_t number, char *text);

/* --- Sums and totals --- */

/* Single regions as corrected, but for the window. squares: of differences from the mean. guessed:
 * the sum of what was added because the counter was shared. */
struct single_figures {
    double least, most, mean, squares;
    double guessed;
};

/* What calipers add up for a name. */
struct region_sums {
    uint64_t regions;
    uint64_t noticed_regions;
    uint64_t unread;                /* of the regions: nothing could be read */
    uint64_t disturbed;             /* of the regions: ASSAY_SAW_DISTURBED */
    enum assay_state worst;         /* of counters */
    struct region_reading all;      /* as if they had been one region */
    struct single_figures single[]; /* by event */
};

struct regions {
    size_t stride;       /* bytes of struct region_sums with its figures */
    uintptr_t busy;      /* the stack frame that adds just now; 0: none */
    uint64_t dropped;    /* regions of signal handlers that interrupted it */
    unsigned char *sums; /* of the numbers 1 to REGION_FURTHER */
};

/* The same as numbers that can be added, of whatever calipers. Error bars are two: random ones add
 * up by their squares, what is wrong alike in every region does by itself. */
struct region_total {
    uint64_t regions, noticed_regions;
    uint64_t raw;
    double corrected, random_square, alike;
    struct single_figures single; /* corrected */
    unsigned noticed;
    enum assay_state state;
};

int regions_prepare(struct assay_calipers *calipers); /* 0 or -ENOMEM */
void regions_free(struct assay_calipers *calipers);
/* NULL: no region has ended under this number. */
const struct region_sums *regions_sums(const struct assay_calipers *calipers, uint32_t number);

/* correct.c: pure. With the index behind the last event: time, in nanoseconds. */
void region_total_of(const struct assay_calipers *calipers, const struct region_sums *sums,
                     size_t index, struct region_total *total);
void region_total_add(struct region_total *into, const struct region_total *more);
double region_total_uncertainty(const struct region_total *total);
double region_total_deviation(const struct region_total *total);

/* --- What the process keeps of calipers that are closed, and its table at the end --- */

void process_forked(void); /* in the child: what the parent gathered is not its own */
void process_ended(void);  /* writes the table, where it was asked for, and forgets the totals */

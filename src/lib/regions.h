/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Inside libassay: regions with a name, added up. Calipers add while the program runs (regions.c),
 * the process gathers what they found when they are closed (gathered.c), and table.c prints that.
 */
#pragma once

#include "lib/calipers.h"
#include "lib/region-names.h"

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

/* regions-total.c: pure. With the index behind the last event: time, in nanoseconds. */
void region_total_of(const struct assay_calipers *calipers, const struct region_sums *sums,
                     size_t index, struct region_total *total);
void region_total_add(struct region_total *into, const struct region_total *more);
double region_total_uncertainty(const struct region_total *total);
double region_total_deviation(const struct region_total *total);

/* gathered.c: totals of calipers with the same events on the same path. */
struct gathered {
    struct gathered *next;
    size_t count; /* events; every row has one total more, for time */
    enum assay_path path;
    uint64_t calipers; /* that were added */
    uint64_t dropped;
    char *names[ASSAY_CALIPERS_MOST];
    char *reasons[ASSAY_CALIPERS_MOST + 1];    /* NULL: it is counted; the last: of the path */
    struct region_total *rows[REGION_FURTHER]; /* by number - 1; NULL: nothing */
};
int gathered_add(struct gathered **list, const struct assay_calipers *calipers);
int gathered_add_all(struct gathered **list, const struct gathered *more);
void gathered_free(struct gathered *list);

/* table.c: all of them as a text, which the caller frees; NULL: out of memory. */
char *table_text(const struct gathered *list, uint64_t lost);

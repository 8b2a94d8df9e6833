/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Regions of known numbers of instructions, compiled in several ways (calipers-regions.c): what the
 * program that measures them (calipers.c) knows of each way. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is executed in the outermost region, if what the calipers add is left out. */
#define REGION_SIZES      8
#define REGION_SIZES_LIST 0, 1, 10, 100, 1000, 10000, 100000, 1000000
#define REGION_INSIDE     10 /* instructions in every region inside another one */

enum region_shape {
    REGION_SINGLE,
    REGION_ONE_CHILD,
    REGION_THREE_CHILDREN,
    REGION_DEPTH_THREE,
    REGION_NAMED_CHILDREN, /* two with names, one without */
    REGION_SHAPES,
};

struct region_maker {
    const char *name; /* how it was compiled */
    int (*calibrate)(void);
    void (*make[REGION_SHAPES][REGION_SIZES])(void);
};

/* Instructions of the regions inside, of a shape. */
extern const uint64_t region_inside[REGION_SHAPES];
extern const char *const region_shape_names[REGION_SHAPES];

extern const struct region_maker region_maker_O0, region_maker_O2, region_maker_called;

/* ---- calipers.c, for calipers-company.c ---- */

#define TIMES      20 /* regions of each kind: counts repeat exactly but where a timer strikes */
#define AGAIN_MOST 3  /* of these, in place of disturbed ones */

struct assay_calipers;

/* A case of the test, in TAP. */
__attribute__((format(printf, 2, 3))) void tell(bool holds, const char *format, ...);
/* With this many counters of instructions; ends the program where there are none. */
struct assay_calipers *open_calipers(size_t count, unsigned flags);
/* How many counts of a region were wrong, of all events and TIMES. */
int wrong(void (*make)(void), size_t count, uint64_t truth, double room, bool cycles);

void calipers_in_company(void);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of caches: from the latency of rings of pointers to lines, sizes, ways and TLBs
 * (docs/caches.md). Pure: points in, report out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/caches-curve.h"
#include "study/random.h"

/* The experiments, each a shape of ring. */
enum chase_shape {
    CHASE_DENSE, /* every line of `bytes`, few pages at a time: caches, without TLBs */
    CHASE_PAGES, /* one line in each page of `bytes`: TLBs */
    CHASE_SETS,  /* lines `stride` apart, in the same sets of a cache: ways */
    CHASE_PAIRS, /* two loads `pair` apart in every stride: lines */
};

struct caches_point {
    enum chase_shape shape;
    bool huge; /* on huge pages */
    uint64_t bytes, stride, pair;
    double *ticks; /* of a step, in every run of every process */
    size_t count;
};

struct caches_points {
    struct caches_point *list;
    size_t count;
};

/* Adds one run to the point with these properties, making it when there is none. -ENOMEM. */
int caches_add(struct caches_points *points, const struct caches_point *like, double ticks);
void caches_points_free(struct caches_points *points);

/* Which runs count: all, or half of those of each point, drawn. */
struct caches_draw {
    bool halves;
    struct random random;
};
/* The fastest of the runs that count. */
double caches_ticks(const struct caches_point *point, struct caches_draw *draw);

/* --- what one draw shows --- */

struct level_found {
    struct rise rise;
    uint64_t bytes; /* 0: cannot be told */
    uint64_t line;  /* 0 likewise */
    uint64_t ways;
};
struct tlb_found {
    struct rise rise; /* sizes in bytes reached */
};
struct caches_found {
    struct level_found levels[RISES_MOST];
    size_t level_count;
    struct tlb_found tlbs[2][RISES_MOST]; /* on pages, on huge pages */
    size_t tlb_count[2];
    double slow[2]; /* ticks of a step over the most pages: on pages, on huge pages; 0: none */
    uint64_t slow_bytes;
};
void caches_find(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                 struct caches_found *found);

/* The parts of caches_find. */
void caches_dense_curve(const struct caches_points *points, struct caches_draw *draw,
                        struct curve *curve);
uint64_t caches_find_line(const struct caches_points *points, struct caches_draw *draw,
                          uint64_t fits, uint64_t next);
/* way: bytes of one, for the next level; smaller_way that of the level before, or 0. */
uint64_t caches_find_ways(const struct caches_points *points, struct caches_draw *draw,
                          const struct level_found *level, uint64_t smaller_way, uint64_t *way);
void caches_find_tlbs(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                      const struct curve *dense, struct caches_found *found);

/* --- the judgement --- */

/* A number with the share of draws that agree on it, or the reason why there is none. */
struct caches_value {
    bool known;
    uint64_t value;
    double confidence;
    char reason[240];
};

struct caches_claim {
    unsigned level;
    char type[16];              /* "data", "unified" */
    uint64_t bytes, line, ways; /* 0: not claimed */
};

#define CACHES_ROWS 16u

struct caches_row {
    unsigned level;
    char type[16];                    /* data, unified, tlb, tlb-huge */
    const struct caches_claim *claim; /* NULL: none */
    struct caches_value bytes, line, ways;
    uint64_t low, high;  /* what it holds lies between; 0: not even that is known */
    double ticks, after; /* of a step that fits, and of one that does not; 0: unknown */
};

/* What larger pages change for rings of `bytes`, one line a page. */
struct caches_page_effect {
    bool known;
    uint64_t bytes;
    double small, huge; /* ticks of a step */
    char reason[240];
};

struct caches_report {
    struct caches_row rows[CACHES_ROWS];
    size_t row_count;
    struct caches_page_effect pages;
};

struct caches_situation {
    uint64_t page;                     /* bytes of the machine's page */
    const struct caches_claim *claims; /* data and unified caches, smallest first */
    size_t claim_count;
    const char *unfit;   /* why timing means nothing here (an emulated machine); NULL: it does */
    const char *no_huge; /* why there are no huge pages; NULL: there are */
    uint64_t seed;
};
void caches_judge(const struct caches_points *points, const struct caches_situation *situation,
                  struct caches_report *report);

/* --- the plan --- */

struct caches_limits {
    uint64_t page;       /* bytes of the machine's page */
    bool huge;           /* huge pages may be asked for */
    uint64_t most_bytes; /* of the largest ring */
};

/* All rings to measure, as points without runs. -ENOMEM. */
int caches_plan(const struct caches_limits *limits, struct caches_points *plan);

/* How a point is measured: steps along the ring in each run, runs in each process, processes. */
uint64_t caches_steps(const struct caches_point *point);
uint32_t caches_runs(const struct caches_point *point);
uint32_t caches_processes(const struct caches_point *point);

#define CACHES_NAME 96 /* bytes that hold any specimen's name below */
/* The point as a specimen's name, "chase/bytes=…/", and back; false for another specimen. */
void caches_specimen(const struct caches_point *point, uint64_t page, char name[CACHES_NAME]);
bool caches_from_specimen(const char *name, struct caches_point *point);

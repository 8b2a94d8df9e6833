/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of caches: from the latency of rings of pointers to lines, sizes, ways and TLBs
 * (docs/caches.md). Pure: points in, report out.
 *
 * The folder:
 *
 *     study.h    points, claims and what the judge says of them
 *     study.c    options, stores, and the command from start to end
 *     parts.h    what study.c, load.c and the outputs share
 *     plan.c     which rings are measured next
 *     load.c     samples and facts of a store -> points and claims
 *     judge.c    rises of latency -> sizes, lines, ways, TLBs; pure
 *     show.c     the report for people
 *     figures.c  which rows make which picture */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/random.h"

/* ----------------------------------------------------------------------------------------------
 * Curves of latency against size, and what can be read from their shape: flat stretches (the ring
 * fits somewhere) and the rises between them (it no longer does). Pure. */

#define CURVE_MOST 512u
#define RISES_MOST 8u

struct curve {
    size_t count;
    uint64_t sizes[CURVE_MOST]; /* rising, each once */
    double ticks[CURVE_MOST];
};

/* Adds a point where it belongs; of two with one size the faster counts. Points beyond CURVE_MOST
 * are dropped. */
void curve_add(struct curve *curve, uint64_t size, double ticks);

/* A larger ring is never faster than a smaller one, so whatever is slower than a larger one was
 * disturbed: every point is lowered to the fastest of those from it on. */
void curve_lower(struct curve *curve);

/* Latency at a size between the curve's, straight in the logarithm of the size; the end points
 * beyond its ends. The curve must not be empty. */
double curve_at(const struct curve *curve, uint64_t size);

/* One rise between two flat stretches. */
struct rise {
    double before, after; /* ticks of the stretches */
    uint64_t last_before; /* the largest size that is still as fast as before */
    uint64_t next;        /* the size that follows on the curve */
    uint64_t half;        /* the largest size that is still nearer to before than to after */
    uint64_t beyond_half; /* the size that follows */
    bool sharp;           /* it leaves the flat stretch with a jump that says where … */
    bool step;            /* … or with one that alone does not */
    bool ends;            /* false: no flat stretch follows, the curve ends while it rises */
};

/* The rises of a curve that was lowered, from small to large. */
size_t curve_rises(const struct curve *curve, struct rise rises[RISES_MOST]);

/* ----------------------------------------------------------------------------------------------
 * The study of caches: from the latency of rings of pointers to lines, sizes, ways and TLBs
 * (docs/caches.md). Pure: points in, report out. */

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
    /* Of each process that measured it: its fastest run, in ticks of a step. Runs of one process
     * share whatever disturbed it, so processes are what is counted and drawn. */
    double *ticks;
    size_t count;
    size_t failed; /* processes that could not measure it */
    uint64_t last; /* the process that was added last */
};

struct caches_points {
    struct caches_point *list;
    size_t count;
};

/* Adds one run of a process to the point with these properties, making it when there is none. The
 * runs of a process come together; numbers of processes are unique within a point and not 0.
 * -ENOMEM. */
int caches_add(struct caches_points *points, const struct caches_point *like, uint64_t process,
               double ticks);
/* So many processes failed on it. -ENOMEM. */
int caches_add_failed(struct caches_points *points, const struct caches_point *like,
                      uint32_t processes);
void caches_points_free(struct caches_points *points);

/* Which processes count: all, or half of those of each point, drawn. */
struct caches_draw {
    bool halves;
    struct random random;
};
/* The fastest of the processes that count; false when none does. */
bool caches_ticks(const struct caches_point *point, struct caches_draw *draw, double *ticks);

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
    bool over_pages[2]; /* was any ring over pages measured? */
};
void caches_find(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                 struct caches_found *found);

/* The parts of caches_find. */
void caches_dense_curve(const struct caches_points *points, struct caches_draw *draw,
                        struct curve *curve);
/* The smallest ring of pairs that cannot fit into `fits` bytes, and stays within `next` bytes where
 * that is known; 0: none was measured. */
uint64_t caches_pair_ring(const struct caches_points *points, uint64_t fits, uint64_t next);
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
    uint64_t huge_page;                /* and of a huge one; 0: not known */
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

/* What to measure next, given what was: rings that nobody measured, then those that decide where a
 * rise is, until each has as many processes as it needs. A point of the plan has no ticks; its
 * count is how many more processes it wants. An empty plan: there is nothing more to learn.
 * -ENOMEM. */
int caches_plan(const struct caches_limits *limits, const struct caches_points *points,
                struct caches_points *plan);
void caches_plan_free(struct caches_points *plan);

/* How a point is measured: steps along the ring in each run, runs in each process. */
uint64_t caches_steps(const struct caches_point *point);
uint32_t caches_runs(const struct caches_point *point);

#define CACHES_NAME 96 /* bytes that hold any specimen's name below */
/* The point as a specimen's name, "chase/bytes=…/", and back; false for another specimen. */
void caches_specimen(const struct caches_point *point, uint64_t page, char name[CACHES_NAME]);
bool caches_from_specimen(const char *name, struct caches_point *point);

/* ----------------------------------------------------------------------------------------------
 * The parts of caches_judge: how many draws agree, what stands because of it, and the rows that
 * come of caches and of TLBs. */

#define CACHES_DRAWS      100
#define CACHES_CONFIDENT  0.8 /* share of draws that must agree */
#define CACHES_TLB_LEVELS 2u

/* --- agreement --- */

/* How many draws agree with the whole. */
struct caches_tally {
    unsigned rise[RISES_MOST], bytes[RISES_MOST], line[RISES_MOST], ways[RISES_MOST];
    unsigned tlb[2][RISES_MOST], tlb_rise[2][RISES_MOST];
};
void caches_count_draw(const struct caches_found *whole, const struct caches_found *draw,
                       struct caches_tally *tally);

/* Octaves between two sizes; without end when one is 0. */
double caches_distance(uint64_t left, uint64_t right);

extern const char caches_disagree[]; /* the reason when draws do */
/* The value stands when enough draws agree; `unknown` is the reason where it is 0. */
struct caches_value caches_settle(uint64_t value, unsigned agreeing, const char *unknown);
void caches_unknown(struct caches_value *value, const char *why);
/* Where latency rises, when most draws see it begin there. */
bool caches_settle_range(struct caches_row *row, const struct rise *rise, unsigned agreeing);
/* Why a rise that was seen gives no size. */
void caches_gradual(const struct rise *rise, struct caches_value *value);
void caches_put_kib(uint64_t bytes, char *text, size_t size);

/* --- rows --- */

/* NULL when the report is full. */
struct caches_row *caches_add_row(struct caches_report *report, unsigned level, const char *type);
/* A row of which nothing is known, and why. */
void caches_add_unseen(struct caches_report *report, const struct caches_claim *claim,
                       unsigned level, const char *type, const char *why);

/* --- what rings over pages show --- */

/* Always a row for each level, so that any two runs can be set side by side. */
void caches_add_tlbs(const struct caches_found *whole, const struct caches_tally *tally, int huge,
                     const struct caches_situation *situation, struct caches_report *report);
/* The largest ring over pages that two processes measured on either kind of page. */
void caches_judge_pages(const struct caches_points *points,
                        const struct caches_situation *situation,
                        struct caches_page_effect *effect);

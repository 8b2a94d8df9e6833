/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of caches: from the latency of rings of pointers to lines, sizes, ways and TLBs
 * (docs/caches.md). Pure: points in, report out.
 *
 * The folder:
 *
 *     study.h    points, claims and what the judge says of them
 *     study.c    options, its entry in the driver
 *     parts.h    what study.c, load.c and the outputs share
 *     plan.c     which rings are measured next
 *     load.c     samples and facts of a store -> points and claims
 *     judge.c    rises of latency -> sizes, lines, ways, TLBs; pure
 *     words.c    what it says where it cannot tell
 *     fields.c   what results are made of: JSON, CSV, Markdown
 *     show.c     the report for people
 *     figures.c  which rows make which picture
 *     summary.c  what reports, runs and comparisons say of it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reason.h"
#include "stats/random.h"

/* --- what can be read from the shape of a curve of latency against size: flat stretches (the ring
 * fits somewhere) and the rises between them (it no longer does) --- */

#define RISES_MOST 8u

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

/* --- what was measured --- */

#define CHASE_SHAPES 4u
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

bool caches_same(const struct caches_point *left, const struct caches_point *right);
/* Adds one run of a process to the point with these properties, making it when there is none. The
 * runs of a process come together; numbers of processes are unique within a point and not 0. */
void caches_add(struct caches_points *points, const struct caches_point *like, uint64_t process,
                double ticks);
/* So many processes failed on it. */
void caches_add_failed(struct caches_points *points, const struct caches_point *like,
                       uint32_t processes);

/* Which processes count: all, or half of those of each point, drawn. */
struct caches_draw {
    bool halves;
    struct random random;
};

/* --- what one draw shows --- */

struct level_found {
    struct rise rise;
    uint64_t bytes; /* 0: cannot be told */
    uint64_t line;  /* 0 likewise */
    uint64_t ways;
};
struct caches_found {
    struct level_found levels[RISES_MOST];
    size_t level_count;
    struct rise tlbs[2][RISES_MOST]; /* in bytes reached, on pages and on huge pages */
    size_t tlb_count[2];
    bool over_pages[2]; /* was any ring over pages measured? */
};
void caches_find(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                 struct caches_found *found);

/* The smallest ring of pairs that cannot fit into `fits` bytes, and stays within `next` bytes where
 * that is known; 0: none was measured. */
uint64_t caches_pair_ring(const struct caches_points *points, uint64_t fits, uint64_t next);

/* --- the judgement --- */

enum caches_reason {
    CACHES_DISAGREE,
    CACHES_UNENDED,
    CACHES_GRADUAL,
    CACHES_TLB_LINES,
    CACHES_TLB_WAYS,
    CACHES_NO_RISE,
    CACHES_NO_FURTHER_RISE,
    CACHES_NO_RING,
    CACHES_HUGE_LIKE_SMALL,
    CACHES_HUGE_UNSEEN,
    CACHES_TOO_LITTLE,
    CACHES_NO_LINE,
    CACHES_PREFETCHED,
    CACHES_SETS_HASHED,
    CACHES_NO_SIZE,
    CACHES_UNSEEN,
    CACHES_UNSEEN_SHARED,
    CACHES_FLAT,
    CACHES_FOREIGN, /* as the machine itself says */
};
extern const struct reason_words caches_words[]; /* words.c */

/* A number with the share of draws that agree on it, or the reason why there is none. */
struct caches_value {
    bool known;
    uint64_t value;
    double confidence;
    struct reasons why; /* there is none */
};

struct caches_claim {
    unsigned level;
    char type[16];              /* "data", "unified" */
    uint64_t bytes, line, ways; /* 0: not claimed */
};

#define CACHES_ROWS 24u /* more than there are claims, rises and TLBs */

struct caches_row {
    unsigned level;
    char type[16]; /* data, unified, tlb, tlb-huge */
    char name[48]; /* "L1 data", "TLB 2, huge pages" */
    bool tlb;
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
    struct reasons why; /* it is not known */
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
 * count is how many more processes it wants. An empty plan: there is nothing more to learn. */
void caches_plan(const struct caches_limits *limits, const struct caches_points *points,
                 struct caches_points *plan);

/* How a point is measured: steps along the ring in each run, runs in each process. */
uint64_t caches_steps(const struct caches_point *point);
uint32_t caches_runs(const struct caches_point *point);

#define CACHES_NAME 96 /* bytes that hold any specimen's name below */
/* The point as a specimen's name, "chase/bytes=…/", and back; false for another specimen. */
void caches_specimen(const struct caches_point *point, uint64_t page, char name[CACHES_NAME]);
bool caches_from_specimen(const char *name, struct caches_point *point);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told caches_told;

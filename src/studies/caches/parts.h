/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay caches`: options -> rings -> samples in a store -> judgement -> show. */
#pragma once

#include "engine/study.h"
#include "output/field.h"
#include "studies/caches/study.h"

/* --- from a store --- */

/* How far its plan came, why the first that failed did, and what is missing, by enum chase_shape.
 */
struct caches_progress {
    uint64_t planned, done, failed;
    uint64_t missing[CHASE_SHAPES];
    char reason[240];
};

/* Every ring the store holds. 0 or negative errno with the reason. */
int caches_load(struct store *store, struct caches_points *points, struct caches_progress *progress,
                struct failure *failure);

/* What the facts claim of data caches, smallest first. */
struct caches_claims {
    struct caches_claim list[6];
    size_t count;
};
void caches_claims(const struct facts *facts, struct caches_claims *claims);
/* Bytes of a page. */
uint64_t caches_page(const struct facts *facts);
/* Why timing means nothing on the machine, and why it has no huge pages; NULL: it does, it has. */
const char *caches_unfit(const struct facts *facts);
const char *caches_no_huge(const struct facts *facts);
/* Judges the points of the machine of these facts, whose claims the rows of the report point at. */
void caches_judge_on(const struct facts *facts, const char *unfit, uint64_t seed,
                     const struct caches_points *points, struct caches_claims *claims,
                     struct caches_report *report);

struct caches_options {
    struct study_options study; /* first */
    int64_t cpu;
};

/* One execution of the command. */
struct caches_run {
    struct studying studying; /* first */
    int32_t cpu;
    const char *unfit; /* why nothing can be measured */
    struct caches_progress progress;
    struct caches_points points;
    struct caches_claims claims;
    struct caches_report report;
};

/* For the entry of the study: kept is struct caches_run. */
void caches_put_report(const void *kept, const struct style *style, struct text *out);
extern const struct field caches_results; /* fields.c */
extern const struct fields caches_analysis;
json_t *caches_figures(const void *kept);
/* Where the plan was not finished: what is missing and how to go on. */
void caches_put_unfinished(const struct caches_run *run, struct text *out);

/* No size was found, but two between which it lies. */
bool caches_is_bracketed(const struct caches_row *row);

/* ----------------------------------------------------------------------------------------------
 * What the latest run of `assay caches` on a machine measured, as parameters of specimens whose
 * work depends on caches. What nobody measured the probe takes from the machine's claims. */

#define GEOMETRY_KEYS 8

struct geometry {
    uint64_t values[GEOMETRY_KEYS]; /* in the order of the table in load.c; 0: not known */
};

/* Judges the machine's latest store of that command. Where there is none, or none that can be used
 * (said unless --quiet), nothing is known. */
void geometry_load(const struct catalogue *catalogue, const struct common_options *common,
                   struct geometry *geometry);

/* The specimen's name with every parameter that it takes, that was measured, and that the name does
 * not give itself; the caller frees it. */
char *geometry_complete_name(const struct geometry *geometry, const struct catalogue *catalogue,
                             const char *name);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay caches`: options -> rings -> samples in a store -> judgement -> show. */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/run-store.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "machine/facts.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"
#include "studies/caches/study.h"

/* --- from a store --- */

/* Processes that failed, and why the first of them did. */
struct caches_failures {
    uint64_t count;
    char reason[240];
};

/* Adds every ring the store holds. 0 or negative errno with the reason. */
int caches_load(struct store *store, struct caches_points *points, struct caches_failures *failures,
                struct failure *failure);

/* What the facts claim of data caches, smallest first. */
struct caches_claims {
    struct caches_claim list[6];
    size_t count;
};
void caches_claims(const struct facts *facts, struct caches_claims *claims);
/* Bytes of a page. */
uint64_t caches_page(const struct facts *facts);
/* Bytes of a huge page; 0: not known. */
uint64_t caches_huge_page(const struct facts *facts);
/* For struct caches_situation: NULL or a reason. */
const char *caches_unfit(const struct facts *facts);
const char *caches_no_huge(const struct facts *facts);

/* One execution of the command. */
struct caching {
    const struct caches_options *options;
    /* --- the machine; a stored run that is judged again has neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct stored_run stored;
    const struct facts *facts;
    const char *fingerprint;
    /* --- what is measured --- */
    uint64_t seed;
    int32_t cpu;
    struct cell *cells;
    size_t cell_count;
    struct store *store; /* NULL: nothing can be measured */
    bool complete;       /* every visit of the plan has ended */
    /* --- what came of it --- */
    struct caches_claims claims;
    char unfit[240]; /* why nothing can; "" */
    struct caches_failures failures;
    struct caches_points points;
    struct caches_report report;
    struct skips skips;
};

/* run: struct caching. */
void caches_put_report(const void *run, const struct style *style, struct text *out);
/* Where the plan was not finished: what is missing and how to go on. The store must be open. */
void caches_put_unfinished(const struct caching *caching, struct text *out);

/* The rows and what else is known, as JSON; run: struct caching. */
json_t *caches_results_json(const void *run);
json_t *caches_analysis_json(const void *run);
json_t *caches_figures(const void *run);

/* "L1 data", "TLB 2, huge pages". */
void caches_name_row(const struct caches_row *row, char *text, size_t size);
bool caches_is_tlb(const struct caches_row *row);
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

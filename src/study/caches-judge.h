/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of caches_judge: how many draws agree, what stands because of it, and the rows that
 * come of caches and of TLBs. */
#pragma once

#include "studies/caches/study.h"

#define CACHES_DRAWS      100
#define CACHES_CONFIDENT  0.8 /* share of draws that must agree */
#define CACHES_TLB_LEVELS 2u

/* --- agreement (caches-agree.c) --- */

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

/* --- what rings over pages show (caches-pages.c) --- */

/* Always a row for each level, so that any two runs can be set side by side. */
void caches_add_tlbs(const struct caches_found *whole, const struct caches_tally *tally, int huge,
                     const struct caches_situation *situation, struct caches_report *report);
/* The largest ring over pages that two processes measured on either kind of page. */
void caches_judge_pages(const struct caches_points *points,
                        const struct caches_situation *situation,
                        struct caches_page_effect *effect);

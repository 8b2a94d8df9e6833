/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What rings over pages show: how far TLBs reach, on small and on huge pages, and what larger pages
 * are worth. A part of caches_judge. */
#include <stdio.h>
#include <string.h>

#include "study/caches-judge.h"

#define HUGE_LEAST 4u /* huge pages: no TLB holds fewer, so what rises before is none */

static void fill_tlb(struct caches_row *row, const struct rise *rise, unsigned agreeing,
                     unsigned begins)
{
    bool placed = caches_settle_range(row, rise, begins);
    bool narrow = rise->ends && caches_distance(rise->half, rise->last_before) <= 1;
    row->bytes = caches_settle(narrow ? rise->half : 0, agreeing, caches_disagree);
    if (!narrow && placed)
        caches_gradual(rise, &row->bytes);
    caches_unknown(&row->line, "a TLB has no lines");
    caches_unknown(&row->ways, "only the reach of a TLB is measured");
}

/* Bytes of a huge page: where nobody says, what one page of a page table maps. */
static uint64_t huge_page(const struct caches_situation *situation)
{
    return situation->huge_page ? situation->huge_page : situation->page / 8 * situation->page;
}

enum nearness {
    FAR_ENOUGH,
    TOO_NEAR,   /* a rise within so few huge pages is no reach of them */
    LIKE_SMALL, /* nor is any later one: small pages show the same rise */
};

/* What a rise over huge pages is; unless it may be a reach, `why` says why not. */
static enum nearness nearness_of(const struct caches_found *whole, const struct rise *rise,
                                 const struct caches_situation *situation, char *why, size_t size)
{
    char here[32];
    if (rise->half >= HUGE_LEAST * huge_page(situation))
        return FAR_ENOUGH;
    caches_put_kib(rise->half, here, sizeof(here));
    for (size_t i = 0; i < whole->tlb_count[0]; i++)
        if (caches_distance(whole->tlbs[0][i].rise.half, rise->half) <= 1) {
            snprintf(why, size,
                     "huge pages behave like small ones here: on both, latency rises at %s, less "
                     "than %u huge pages; the host may back them with small pages",
                     here, HUGE_LEAST);
            return LIKE_SMALL;
        }
    snprintf(why, size,
             "not seen: latency rises at %s, but that is less than %u huge pages, and on small "
             "pages it does not",
             here, HUGE_LEAST);
    return TOO_NEAR;
}

void caches_add_tlbs(const struct caches_found *whole, const struct caches_tally *tally, int huge,
                     const struct caches_situation *situation, struct caches_report *report)
{
    const char *type = huge ? "tlb-huge" : "tlb";
    char near[240], why[240] = "no further rise in latency over the pages that were tried";
    unsigned level = 1;
    if (!whole->tlb_count[huge])
        snprintf(why, sizeof(why), "no rise in latency over the pages that were tried");
    if (!whole->over_pages[huge])
        snprintf(why, sizeof(why), "%s",
                 huge && situation->no_huge ? situation->no_huge
                                            : "no ring over pages was measured");
    /* What rises later are walks of page tables that no longer fit into a cache. */
    for (size_t i = 0; i < whole->tlb_count[huge] && level <= CACHES_TLB_LEVELS; i++) {
        const struct rise *rise = &whole->tlbs[huge][i].rise;
        enum nearness nearness =
            huge ? nearness_of(whole, rise, situation, near, sizeof(near)) : FAR_ENOUGH;
        if (nearness != FAR_ENOUGH && level == 1)
            memcpy(why, near, sizeof(why));
        if (nearness == LIKE_SMALL)
            break;
        if (nearness == TOO_NEAR)
            continue;
        struct caches_row *row = caches_add_row(report, level++, type);
        if (row)
            fill_tlb(row, rise, tally->tlb[huge][i], tally->tlb_rise[huge][i]);
    }
    for (; level <= CACHES_TLB_LEVELS; level++)
        caches_add_unseen(report, NULL, level, type, why);
}

static double confirmed_ticks(const struct caches_points *points, bool huge, uint64_t bytes)
{
    struct caches_draw all = {.halves = false};
    double ticks = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        if (point->shape == CHASE_PAGES && point->huge == huge && point->bytes == bytes &&
            point->count >= 2)
            caches_ticks(point, &all, &ticks);
    }
    return ticks;
}

void caches_judge_pages(const struct caches_points *points,
                        const struct caches_situation *situation, struct caches_page_effect *effect)
{
    for (size_t i = 0; i < points->count; i++) {
        uint64_t bytes = points->list[i].bytes;
        double small = confirmed_ticks(points, false, bytes);
        double huge = confirmed_ticks(points, true, bytes);
        if (small > 0 && huge > 0 && bytes > effect->bytes)
            *effect = (struct caches_page_effect){
                .known = true, .bytes = bytes, .small = small, .huge = huge};
    }
    if (!effect->known)
        snprintf(effect->reason, sizeof(effect->reason), "%s",
                 situation->no_huge ? situation->no_huge : "too little was measured");
}

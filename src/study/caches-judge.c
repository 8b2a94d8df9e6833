/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Judges the study of caches: what all runs show stands when random halves of them show it too;
 * the share of halves that agree is the confidence. Whatever does not stand has a reason. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/caches.h"

#define DRAWS       100
#define CONFIDENT   0.8  /* share of draws that must agree */
#define ONE_STEP    0.18 /* octaves: sizes this near are neighbours on the grid */
#define TWO_STEPS   0.36
#define TLB_LEVELS  2u
#define HALF_OCTAVE 0.5 /* within which draws must see a rise begin for its range to stand */
#define HUGE_LEAST  4u  /* huge pages: no TLB holds fewer, so what rises before is none */

static void reason(struct caches_value *value, const char *text)
{
    value->known = false;
    snprintf(value->reason, sizeof(value->reason), "%s", text);
}

static double distance(uint64_t left, uint64_t right)
{
    return left && right ? fabs(log2((double)left / (double)right)) : INFINITY;
}

/* The level of a draw that stands for this one: the nearest rise within an octave. */
static const struct level_found *same_level(const struct caches_found *draw,
                                            const struct rise *rise)
{
    const struct level_found *best = NULL;
    double nearest = 1.0;
    for (size_t i = 0; i < draw->level_count; i++) {
        double away = distance(draw->levels[i].rise.half, rise->half);
        if (away <= nearest) {
            nearest = away;
            best = &draw->levels[i];
        }
    }
    return best;
}

static bool tlb_agrees(const struct caches_found *draw, int huge, const struct rise *rise)
{
    for (size_t i = 0; i < draw->tlb_count[huge]; i++)
        if (draw->tlbs[huge][i].rise.ends == rise->ends &&
            distance(draw->tlbs[huge][i].rise.half, rise->half) <= TWO_STEPS)
            return true;
    return false;
}

static bool tlb_begins(const struct caches_found *draw, int huge, const struct rise *rise)
{
    for (size_t i = 0; i < draw->tlb_count[huge]; i++)
        if (distance(draw->tlbs[huge][i].rise.last_before, rise->last_before) <= HALF_OCTAVE)
            return true;
    return false;
}

/* How many draws agree with the whole. */
struct tally {
    unsigned rise[RISES_MOST], bytes[RISES_MOST], line[RISES_MOST], ways[RISES_MOST];
    unsigned tlb[2][RISES_MOST], tlb_rise[2][RISES_MOST];
};

static void count_draw(const struct caches_found *whole, const struct caches_found *draw,
                       struct tally *tally)
{
    for (size_t i = 0; i < whole->level_count; i++) {
        const struct level_found *here = &whole->levels[i];
        const struct level_found *there = same_level(draw, &here->rise);
        if (!there)
            continue;
        tally->rise[i] += distance(here->rise.last_before, there->rise.last_before) <= HALF_OCTAVE;
        tally->bytes[i] += distance(here->bytes, there->bytes) <= ONE_STEP;
        tally->line[i] += here->line && here->line == there->line;
        tally->ways[i] += here->ways && here->ways == there->ways;
    }
    for (int huge = 0; huge < 2; huge++)
        for (size_t i = 0; i < whole->tlb_count[huge]; i++) {
            tally->tlb[huge][i] += tlb_agrees(draw, huge, &whole->tlbs[huge][i].rise);
            tally->tlb_rise[huge][i] += tlb_begins(draw, huge, &whole->tlbs[huge][i].rise);
        }
}

static const char disagree[] = "repeated runs do not agree; measure again on a quieter machine";

static struct caches_value settle(uint64_t value, unsigned agreeing, const char *unknown)
{
    struct caches_value settled = {.known = value != 0, .value = value};
    settled.confidence = (double)agreeing / DRAWS;
    if (!value)
        reason(&settled, unknown);
    else if (settled.confidence < CONFIDENT)
        reason(&settled, disagree);
    return settled;
}

static void put_kib(uint64_t bytes, char *text, size_t size)
{
    snprintf(text, size, "%llu KiB", (unsigned long long)(bytes / 1024));
}

/* Where latency rises, when most draws see it begin there. */
static bool settle_range(struct caches_row *row, const struct rise *rise, unsigned agreeing)
{
    row->ticks = rise->before;
    row->after = rise->after;
    if (agreeing < CONFIDENT * DRAWS)
        return false;
    row->low = rise->last_before;
    row->high = rise->ends ? rise->beyond_half : 0;
    return true;
}

/* Why a rise that was seen gives no size. */
static void gradual(const struct rise *rise, struct caches_value *value)
{
    char low[32], high[32];
    put_kib(rise->last_before, low, sizeof(low));
    put_kib(rise->beyond_half, high, sizeof(high));
    value->known = false;
    if (!rise->ends)
        snprintf(value->reason, sizeof(value->reason),
                 "memory is still getting slower at the largest ring: it holds at least %s", low);
    else
        snprintf(value->reason, sizeof(value->reason),
                 "misses begin slowly, between %s and %s: memory pages lie unevenly over its sets, "
                 "or others use it too",
                 low, high);
}

/* --- rows --- */

static struct caches_row *add_row(struct caches_report *report, unsigned level, const char *type)
{
    if (report->row_count == CACHES_ROWS)
        return NULL;
    struct caches_row *row = &report->rows[report->row_count++];
    *row = (struct caches_row){.level = level};
    snprintf(row->type, sizeof(row->type), "%s", type);
    return row;
}

static void add_unseen(struct caches_report *report, const struct caches_claim *claim,
                       unsigned level, const char *type, const char *why)
{
    struct caches_row *row = add_row(report, level, type);
    if (!row)
        return;
    row->claim = claim;
    reason(&row->bytes, why);
    reason(&row->line, why);
    reason(&row->ways, why);
}

static void fill_level(struct caches_row *row, const struct level_found *level,
                       const struct tally *tally, size_t index, uint64_t first_line)
{
    bool placed = settle_range(row, &level->rise, tally->rise[index]);
    row->bytes = settle(level->bytes, tally->bytes[index], disagree);
    if (!level->bytes && placed)
        gradual(&level->rise, &row->bytes);
    else if (row->bytes.known)
        row->high = level->rise.next;
    row->line = settle(level->line, tally->line[index],
                       "two loads never cost clearly less for being near each other, or no ring "
                       "was sure to miss it");
    if (row->line.known && first_line && level->line != first_line)
        reason(&row->line, "neighbouring lines come together: a prefetcher hides where one ends");
    row->ways = settle(level->ways, tally->ways[index],
                       level->bytes ? "lines that should share a set do not evict each other "
                                      "consistently: sets are hashed, or memory pages lie anywhere"
                                    : "its size is not known");
    if (!row->bytes.known && row->ways.known)
        reason(&row->ways, "its size is not known");
}

static const char *level_type(unsigned level)
{
    return level == 1 ? "data" : "unified";
}

/* Which claim each rise belongs to, in order and nearest in size: tries all ways to leave out
 * claims or rises. */
static double match(const struct caches_found *whole, size_t rise,
                    const struct caches_situation *situation, size_t claim, int chosen[RISES_MOST])
{
    if (rise == whole->level_count)
        return 0;
    double best = INFINITY;
    int rest[RISES_MOST] = {0}, taken[RISES_MOST];
    const double unmatched = 3; /* octaves: further away it is another cache */
    best = unmatched + match(whole, rise + 1, situation, claim, rest);
    memcpy(taken, rest, sizeof(taken));
    taken[rise] = -1;
    for (size_t i = claim; i < situation->claim_count; i++) {
        double away = distance(whole->levels[rise].rise.half, situation->claims[i].bytes) +
                      match(whole, rise + 1, situation, i + 1, rest);
        if (away < best) {
            best = away;
            memcpy(taken, rest, sizeof(taken));
            taken[rise] = (int)i;
        }
    }
    memcpy(chosen, taken, sizeof(taken));
    return best;
}

static const char *unseen_level(const struct caches_claim *claim)
{
    if (claim->level < 3)
        return "no rise in latency near this size: there is no such cache, or others on this "
               "machine kept using it; try a larger --budget, or a quieter machine";
    return "no rise in latency near this size: neighbours may use most of it, the host may give "
           "this machine only a part, or its pages lie scattered so that the rise is smeared; try "
           "a larger --budget, or a quieter machine";
}

static void add_levels(const struct caches_found *whole, const struct tally *tally,
                       const struct caches_situation *situation, struct caches_report *report)
{
    int chosen[RISES_MOST] = {0};
    size_t claim = 0;
    match(whole, 0, situation, 0, chosen);
    for (size_t i = 0; i <= whole->level_count; i++) {
        size_t until = situation->claim_count;
        if (i < whole->level_count)
            until = chosen[i] < 0 ? claim : (size_t)chosen[i];
        for (; situation->claims && claim < until; claim++)
            add_unseen(report, &situation->claims[claim], situation->claims[claim].level,
                       situation->claims[claim].type, unseen_level(&situation->claims[claim]));
        if (i == whole->level_count)
            break;
        /* Neither claimed nor clear: a wrinkle of the curve, made by a neighbour. */
        if (chosen[i] < 0 && situation->claim_count &&
            (!whole->levels[i].bytes || tally->bytes[i] < CONFIDENT * DRAWS))
            continue;
        const struct caches_claim *mine =
            situation->claims && chosen[i] >= 0 ? &situation->claims[claim++] : NULL;
        unsigned level = mine ? mine->level : (unsigned)i + 1;
        struct caches_row *row = add_row(report, level, mine ? mine->type : level_type(level));
        if (!row)
            return;
        row->claim = mine;
        fill_level(row, &whole->levels[i], tally, i, i ? whole->levels[0].line : 0);
    }
}

static void fill_tlb(struct caches_row *row, const struct rise *rise, unsigned agreeing,
                     unsigned begins)
{
    bool placed = settle_range(row, rise, begins);
    bool narrow = rise->ends && distance(rise->half, rise->last_before) <= 1;
    row->bytes = settle(narrow ? rise->half : 0, agreeing, disagree);
    if (!narrow && placed)
        gradual(rise, &row->bytes);
    reason(&row->line, "a TLB has no lines");
    reason(&row->ways, "only the reach of a TLB is measured");
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
    put_kib(rise->half, here, sizeof(here));
    for (size_t i = 0; i < whole->tlb_count[0]; i++)
        if (distance(whole->tlbs[0][i].rise.half, rise->half) <= 1) {
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

/* Always a row for each level, so that any two runs can be set side by side. */
static void add_tlbs(const struct caches_found *whole, const struct tally *tally, int huge,
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
    for (size_t i = 0; i < whole->tlb_count[huge] && level <= TLB_LEVELS; i++) {
        const struct rise *rise = &whole->tlbs[huge][i].rise;
        enum nearness nearness =
            huge ? nearness_of(whole, rise, situation, near, sizeof(near)) : FAR_ENOUGH;
        if (nearness != FAR_ENOUGH && level == 1)
            memcpy(why, near, sizeof(why));
        if (nearness == LIKE_SMALL)
            break;
        if (nearness == TOO_NEAR)
            continue;
        struct caches_row *row = add_row(report, level++, type);
        if (row)
            fill_tlb(row, rise, tally->tlb[huge][i], tally->tlb_rise[huge][i]);
    }
    for (; level <= TLB_LEVELS; level++)
        add_unseen(report, NULL, level, type, why);
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

/* The largest ring over pages that two processes measured on either kind of page. */
static void judge_pages(const struct caches_points *points,
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

static void judge_unfit(const struct caches_situation *situation, struct caches_report *report,
                        const char *why)
{
    for (size_t i = 0; i < situation->claim_count; i++)
        add_unseen(report, &situation->claims[i], situation->claims[i].level,
                   situation->claims[i].type, why);
    if (!situation->claim_count)
        add_unseen(report, NULL, 1, level_type(1), why);
    for (unsigned level = 1; level <= TLB_LEVELS; level++)
        add_unseen(report, NULL, level, "tlb", why);
    for (unsigned level = 1; level <= TLB_LEVELS; level++)
        add_unseen(report, NULL, level, "tlb-huge", why);
    report->pages.known = false;
    snprintf(report->pages.reason, sizeof(report->pages.reason), "%s", why);
}

void caches_judge(const struct caches_points *points, const struct caches_situation *situation,
                  struct caches_report *report)
{
    *report = (struct caches_report){0};
    if (situation->unfit) {
        judge_unfit(situation, report, situation->unfit);
        return;
    }
    struct caches_draw draw = {.halves = false};
    struct caches_found whole, drawn;
    struct tally tally = {0};
    caches_find(points, situation->page, &draw, &whole);
    if (!whole.level_count) {
        judge_unfit(situation, report,
                    "latency is the same for every size, or too little was measured");
        return;
    }
    draw.halves = true;
    random_seed(&draw.random, situation->seed);
    for (int i = 0; i < DRAWS; i++) {
        caches_find(points, situation->page, &draw, &drawn);
        count_draw(&whole, &drawn, &tally);
    }
    add_levels(&whole, &tally, situation, report);
    add_tlbs(&whole, &tally, 0, situation, report);
    add_tlbs(&whole, &tally, 1, situation, report);
    judge_pages(points, situation, &report->pages);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all runs show stands when random halves of them show it too; the share of halves that agree
 * is the confidence. Whatever does not stand has a reason. A part of caches_judge. */
#include <math.h>
#include <stdio.h>

#include "study/caches-judge.h"

#define ONE_STEP    0.18 /* octaves: sizes this near are neighbours on the grid */
#define TWO_STEPS   0.36
#define HALF_OCTAVE 0.5 /* within which draws must see a rise begin for its range to stand */

void caches_unknown(struct caches_value *value, const char *why)
{
    value->known = false;
    snprintf(value->reason, sizeof(value->reason), "%s", why);
}

double caches_distance(uint64_t left, uint64_t right)
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
        double away = caches_distance(draw->levels[i].rise.half, rise->half);
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
            caches_distance(draw->tlbs[huge][i].rise.half, rise->half) <= TWO_STEPS)
            return true;
    return false;
}

static bool tlb_begins(const struct caches_found *draw, int huge, const struct rise *rise)
{
    for (size_t i = 0; i < draw->tlb_count[huge]; i++)
        if (caches_distance(draw->tlbs[huge][i].rise.last_before, rise->last_before) <= HALF_OCTAVE)
            return true;
    return false;
}

void caches_count_draw(const struct caches_found *whole, const struct caches_found *draw,
                       struct caches_tally *tally)
{
    for (size_t i = 0; i < whole->level_count; i++) {
        const struct level_found *here = &whole->levels[i];
        const struct level_found *there = same_level(draw, &here->rise);
        if (!there)
            continue;
        tally->rise[i] +=
            caches_distance(here->rise.last_before, there->rise.last_before) <= HALF_OCTAVE;
        tally->bytes[i] += caches_distance(here->bytes, there->bytes) <= ONE_STEP;
        tally->line[i] += here->line && here->line == there->line;
        tally->ways[i] += here->ways && here->ways == there->ways;
    }
    for (int huge = 0; huge < 2; huge++)
        for (size_t i = 0; i < whole->tlb_count[huge]; i++) {
            tally->tlb[huge][i] += tlb_agrees(draw, huge, &whole->tlbs[huge][i].rise);
            tally->tlb_rise[huge][i] += tlb_begins(draw, huge, &whole->tlbs[huge][i].rise);
        }
}

const char caches_disagree[] = "repeated runs do not agree; measure again on a quieter machine";

struct caches_value caches_settle(uint64_t value, unsigned agreeing, const char *unknown)
{
    struct caches_value settled = {.known = value != 0, .value = value};
    settled.confidence = (double)agreeing / CACHES_DRAWS;
    if (!value)
        caches_unknown(&settled, unknown);
    else if (settled.confidence < CACHES_CONFIDENT)
        caches_unknown(&settled, caches_disagree);
    return settled;
}

void caches_put_kib(uint64_t bytes, char *text, size_t size)
{
    snprintf(text, size, "%llu KiB", (unsigned long long)(bytes / 1024));
}

bool caches_settle_range(struct caches_row *row, const struct rise *rise, unsigned agreeing)
{
    row->ticks = rise->before;
    row->after = rise->after;
    if (agreeing < CACHES_CONFIDENT * CACHES_DRAWS)
        return false;
    row->low = rise->last_before;
    row->high = rise->ends ? rise->beyond_half : 0;
    return true;
}

void caches_gradual(const struct rise *rise, struct caches_value *value)
{
    char low[32], high[32];
    caches_put_kib(rise->last_before, low, sizeof(low));
    caches_put_kib(rise->beyond_half, high, sizeof(high));
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

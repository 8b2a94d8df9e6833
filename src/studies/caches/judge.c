/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Judges the study of caches: finds rises in all runs and in random halves of them, and makes a row
 * of every cache that was seen or claimed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/caches-judge.h"

struct caches_row *caches_add_row(struct caches_report *report, unsigned level, const char *type)
{
    if (report->row_count == CACHES_ROWS)
        return NULL;
    struct caches_row *row = &report->rows[report->row_count++];
    *row = (struct caches_row){.level = level};
    snprintf(row->type, sizeof(row->type), "%s", type);
    return row;
}

void caches_add_unseen(struct caches_report *report, const struct caches_claim *claim,
                       unsigned level, const char *type, const char *why)
{
    struct caches_row *row = caches_add_row(report, level, type);
    if (!row)
        return;
    row->claim = claim;
    caches_unknown(&row->bytes, why);
    caches_unknown(&row->line, why);
    caches_unknown(&row->ways, why);
}

static void fill_level(struct caches_row *row, const struct level_found *level,
                       const struct caches_tally *tally, size_t index, uint64_t first_line)
{
    bool placed = caches_settle_range(row, &level->rise, tally->rise[index]);
    row->bytes = caches_settle(level->bytes, tally->bytes[index], caches_disagree);
    if (!level->bytes && placed)
        caches_gradual(&level->rise, &row->bytes);
    else if (row->bytes.known)
        row->high = level->rise.next;
    row->line =
        caches_settle(level->line, tally->line[index],
                      "two loads never cost clearly less for being near each other, or no ring "
                      "was sure to miss it");
    if (row->line.known && first_line && level->line != first_line)
        caches_unknown(&row->line,
                       "neighbouring lines come together: a prefetcher hides where one ends");
    row->ways =
        caches_settle(level->ways, tally->ways[index],
                      level->bytes ? "lines that should share a set do not evict each other "
                                     "consistently: sets are hashed, or memory pages lie anywhere"
                                   : "its size is not known");
    if (!row->bytes.known && row->ways.known)
        caches_unknown(&row->ways, "its size is not known");
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
        double away = caches_distance(whole->levels[rise].rise.half, situation->claims[i].bytes) +
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

static void add_levels(const struct caches_found *whole, const struct caches_tally *tally,
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
            caches_add_unseen(report, &situation->claims[claim], situation->claims[claim].level,
                              situation->claims[claim].type,
                              unseen_level(&situation->claims[claim]));
        if (i == whole->level_count)
            break;
        /* Neither claimed nor clear: a wrinkle of the curve, made by a neighbour. */
        if (chosen[i] < 0 && situation->claim_count &&
            (!whole->levels[i].bytes || tally->bytes[i] < CACHES_CONFIDENT * CACHES_DRAWS))
            continue;
        const struct caches_claim *mine =
            situation->claims && chosen[i] >= 0 ? &situation->claims[claim++] : NULL;
        unsigned level = mine ? mine->level : (unsigned)i + 1;
        struct caches_row *row =
            caches_add_row(report, level, mine ? mine->type : level_type(level));
        if (!row)
            return;
        row->claim = mine;
        fill_level(row, &whole->levels[i], tally, i, i ? whole->levels[0].line : 0);
    }
}

static void judge_unfit(const struct caches_situation *situation, struct caches_report *report,
                        const char *why)
{
    for (size_t i = 0; i < situation->claim_count; i++)
        caches_add_unseen(report, &situation->claims[i], situation->claims[i].level,
                          situation->claims[i].type, why);
    if (!situation->claim_count)
        caches_add_unseen(report, NULL, 1, level_type(1), why);
    for (unsigned level = 1; level <= CACHES_TLB_LEVELS; level++)
        caches_add_unseen(report, NULL, level, "tlb", why);
    for (unsigned level = 1; level <= CACHES_TLB_LEVELS; level++)
        caches_add_unseen(report, NULL, level, "tlb-huge", why);
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
    struct caches_tally tally = {0};
    caches_find(points, situation->page, &draw, &whole);
    if (!whole.level_count) {
        judge_unfit(situation, report,
                    "latency is the same for every size, or too little was measured");
        return;
    }
    draw.halves = true;
    random_seed(&draw.random, situation->seed);
    for (int i = 0; i < CACHES_DRAWS; i++) {
        caches_find(points, situation->page, &draw, &drawn);
        caches_count_draw(&whole, &drawn, &tally);
    }
    add_levels(&whole, &tally, situation, report);
    caches_add_tlbs(&whole, &tally, 0, situation, report);
    caches_add_tlbs(&whole, &tally, 1, situation, report);
    caches_judge_pages(points, situation, &report->pages);
}

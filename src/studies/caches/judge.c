/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Judges the study of caches: finds rises in all runs and in random halves of them, and makes a row
 * of every cache that was seen or claimed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/caches/study.h"

/* ----------------------------------------------------------------------------------------------
 * What all runs show stands when random halves of them show it too; the share of halves that agree
 * is the confidence. Whatever does not stand has a reason. */

#define DRAWS       100
#define CONFIDENT   0.8 /* share of draws that must agree */
#define TLB_LEVELS  2u
#define ONE_STEP    0.18 /* octaves: sizes this near are neighbours on the grid */
#define TWO_STEPS   0.36
#define HALF_OCTAVE 0.5 /* within which draws must see a rise begin for its range to stand */

/* How many draws agree with the whole. */
struct tally {
    unsigned rise[RISES_MOST], bytes[RISES_MOST], line[RISES_MOST], ways[RISES_MOST];
    unsigned tlb[2][RISES_MOST], tlb_rise[2][RISES_MOST];
};

#define BECAUSE(value, code, ...)                                                                  \
    ((value)->known = false, (value)->why = (struct reasons){0},                                   \
     REASON(&(value)->why, CLAUSE, &caches_words[code] __VA_OPT__(, ) __VA_ARGS__))

/* Octaves between two sizes; without end when one is 0. */
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
    for (int huge = 0; huge < 2; huge++) {
        for (size_t i = 0; i < whole->tlb_count[huge]; i++) {
            const struct rise *here = &whole->tlbs[huge][i];
            bool agrees = false, begins = false;
            for (size_t j = 0; j < draw->tlb_count[huge]; j++) {
                const struct rise *there = &draw->tlbs[huge][j];
                agrees |=
                    there->ends == here->ends && distance(there->half, here->half) <= TWO_STEPS;
                begins |= distance(there->last_before, here->last_before) <= HALF_OCTAVE;
            }
            tally->tlb[huge][i] += agrees;
            tally->tlb_rise[huge][i] += begins;
        }
    }
}

/* The value stands when enough draws agree; `missing` is the reason where it is 0. */
static struct caches_value settle(uint64_t value, unsigned agreeing, enum caches_reason missing)
{
    struct caches_value settled = {.known = value != 0, .value = value};
    settled.confidence = (double)agreeing / DRAWS;
    if (!value)
        BECAUSE(&settled, missing);
    else if (settled.confidence < CONFIDENT)
        BECAUSE(&settled, CACHES_DISAGREE);
    return settled;
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
    const uint64_t low = rise->last_before / 1024, high = rise->beyond_half / 1024;
    if (rise->ends)
        BECAUSE(value, CACHES_GRADUAL, low, high);
    else
        BECAUSE(value, CACHES_UNENDED, low);
}

/* --- rows --- */

static struct caches_row *add_row(struct caches_report *report, unsigned level, const char *type)
{
    struct caches_row *row = &report->rows[report->row_count++];
    const bool tlb = strncmp(type, "tlb", 3) == 0;
    *row = (struct caches_row){.level = level, .tlb = tlb};
    snprintf(row->type, sizeof(row->type), "%s", type);
    snprintf(row->name, sizeof(row->name), tlb ? "TLB %u%s" : "L%u %s", level,
             !tlb                       ? type
             : strcmp(type, "tlb") == 0 ? ""
                                        : ", huge pages");
    return row;
}

/* A row of which nothing is known, and why. */
static void add_unseen(struct caches_report *report, const struct caches_claim *claim,
                       unsigned level, const char *type, const struct reasons *why)
{
    struct caches_row *row = add_row(report, level, type);
    row->claim = claim;
    row->bytes.why = row->line.why = row->ways.why = *why;
}

/* ----------------------------------------------------------------------------------------------
 * Reads flat stretches and rises from a curve of latency against size. The numbers below decide
 * what is called a level; the tests run them over simulated caches, and docs/caches.md says what
 * each is for. */

#define FLAT_GROWTH  1.10 /* a flat stretch grows by no more than this from its first point on … */
#define FLAT_OCTAVES 0.9  /* … and is at least so wide */
#define SAME_LEVEL   1.5  /* stretches nearer than this are one, drifting */
#define UNENDED_RISE 3.0  /* a rise at the end of a curve is believed from this factor on */
#define STILL_BEFORE 0.03 /* share of a rise up to which a point counts as not yet risen */
#define FINE_RATIO   1.14 /* a rise is sharp when the next size, this near, … */
#define FINE_JUMP    0.35 /* … shows this share of it, … */
#define COARSE_RATIO 1.27 /* … or one further away, up to here, … */
#define COARSE_JUMP  0.60 /* … shows so much; */
#define STEP_FIRST   0.10 /* it is a step when the next size shows this share … */
#define STEP_SECOND  0.22 /* … and the one after it this */
#define STRETCHES    64u
#define CURVE_MOST   512u

struct curve {
    size_t count;
    uint64_t sizes[CURVE_MOST]; /* rising, each once */
    double ticks[CURVE_MOST];
};

/* Adds a point where it belongs; of two with one size the faster counts. Points beyond CURVE_MOST
 * are dropped. */
static void curve_add(struct curve *curve, uint64_t size, double ticks)
{
    size_t at = 0;
    while (at < curve->count && curve->sizes[at] < size)
        at++;
    if (at < curve->count && curve->sizes[at] == size) {
        curve->ticks[at] = fmin(curve->ticks[at], ticks);
        return;
    }
    if (curve->count == CURVE_MOST)
        return;
    memmove(&curve->sizes[at + 1], &curve->sizes[at], (curve->count - at) * sizeof(uint64_t));
    memmove(&curve->ticks[at + 1], &curve->ticks[at], (curve->count - at) * sizeof(double));
    curve->sizes[at] = size;
    curve->ticks[at] = ticks;
    curve->count++;
}

/* A larger ring is never faster than a smaller one, so whatever is slower than a larger one was
 * disturbed: every point is lowered to the fastest of those from it on. */
static void curve_lower(struct curve *curve)
{
    for (size_t at = curve->count; at-- > 1;)
        curve->ticks[at - 1] = fmin(curve->ticks[at - 1], curve->ticks[at]);
}

/* Latency at a size between the curve's, straight in the logarithm of the size; the end points
 * beyond its ends. The curve must not be empty. */
static double curve_at(const struct curve *curve, uint64_t size)
{
    size_t at = 0;
    while (at < curve->count && curve->sizes[at] < size)
        at++;
    if (at == 0)
        return curve->ticks[0];
    if (at == curve->count)
        return curve->ticks[at - 1];
    double left = log2((double)curve->sizes[at - 1]), right = log2((double)curve->sizes[at]);
    double share = (log2((double)size) - left) / (right - left);
    return curve->ticks[at - 1] + share * (curve->ticks[at] - curve->ticks[at - 1]);
}

struct stretch {
    size_t first, last;
};

/* Flat stretches from left to right. */
static size_t find_stretches(const struct curve *curve, struct stretch list[STRETCHES])
{
    size_t count = 0;
    for (size_t first = 0; first < curve->count && count < STRETCHES;) {
        size_t last = first;
        while (last + 1 < curve->count &&
               curve->ticks[last + 1] <= FLAT_GROWTH * curve->ticks[first])
            last++;
        if (last > first &&
            log2((double)curve->sizes[last] / (double)curve->sizes[first]) >= FLAT_OCTAVES) {
            list[count++] = (struct stretch){first, last};
            first = last + 1;
        } else {
            first++;
        }
    }
    return count;
}

static double share(const struct curve *curve, const struct rise *rise, size_t at)
{
    return (curve->ticks[at] - rise->before) / (rise->after - rise->before);
}

/* The last point from `first` on whose share of the rise is at most `limit`. */
static size_t last_within(const struct curve *curve, const struct rise *rise, size_t first,
                          size_t end, double limit)
{
    size_t at = first;
    while (at + 1 < end && share(curve, rise, at + 1) <= limit)
        at++;
    return at;
}

static void measure_rise(const struct curve *curve, struct rise *rise, size_t first, size_t end)
{
    size_t onset = last_within(curve, rise, first, end, STILL_BEFORE);
    size_t half = last_within(curve, rise, onset, end, 0.5);
    size_t last = curve->count - 1;
    rise->last_before = curve->sizes[onset];
    rise->next = curve->sizes[onset < last ? onset + 1 : last];
    rise->half = curve->sizes[half];
    rise->beyond_half = curve->sizes[half < last ? half + 1 : last];
    if (!rise->ends || onset + 1 >= curve->count || share(curve, rise, onset) > STILL_BEFORE)
        return;
    /* Where lines go to sets evenly and the least recently used goes first, all miss from the first
     * line too many. */
    double at = (double)curve->sizes[onset], next = share(curve, rise, onset + 1);
    double ratio = (double)curve->sizes[onset + 1] / at;
    rise->sharp =
        ratio <= FINE_RATIO ? next >= FINE_JUMP : ratio <= COARSE_RATIO && next >= COARSE_JUMP;
    /* Where any line may have to go, some miss from there on; but where pages lie anywhere, the
     * sets that got too many miss early, and that looks alike. */
    rise->step = onset + 2 < curve->count && (double)curve->sizes[onset + 2] / at <= COARSE_RATIO &&
                 next >= STEP_FIRST && share(curve, rise, onset + 2) >= STEP_SECOND;
}

/* The rises of a curve that was lowered, from small to large. */
static size_t curve_rises(const struct curve *curve, struct rise rises[RISES_MOST])
{
    struct stretch stretches[STRETCHES];
    size_t stretch_count = find_stretches(curve, stretches), count = 0;
    for (size_t i = 0; i < stretch_count && count < RISES_MOST; i++) {
        bool ends = i + 1 < stretch_count;
        size_t middle = stretches[i].first + (stretches[i].last - stretches[i].first) / 2;
        struct rise rise = {.before = curve->ticks[middle], .ends = ends};
        size_t end = ends ? stretches[i + 1].first + 1 : curve->count;
        rise.after = curve->ticks[end - 1];
        if (rise.after < (ends ? SAME_LEVEL : UNENDED_RISE) * rise.before ||
            rise.after <= rise.before)
            continue;
        measure_rise(curve, &rise, stretches[i].first, end);
        rises[count++] = rise;
    }
    return count;
}

/* ----------------------------------------------------------------------------------------------
 * Points of the study of caches: what was measured of each ring, and which of its runs count. */

bool caches_same(const struct caches_point *left, const struct caches_point *right)
{
    return left->shape == right->shape && left->huge == right->huge &&
           left->bytes == right->bytes && left->stride == right->stride &&
           left->pair == right->pair;
}

static struct caches_point *point_like(struct caches_points *points,
                                       const struct caches_point *like)
{
    for (size_t i = points->count; i-- > 0;) /* runs of one ring come together */
        if (caches_same(&points->list[i], like))
            return &points->list[i];
    struct caches_point *point = memory_add(points->list, points->count);
    *point = *like;
    point->ticks = NULL;
    point->count = 0;
    point->failed = 0;
    return point;
}

void caches_add(struct caches_points *points, const struct caches_point *like, uint64_t process,
                double ticks)
{
    struct caches_point *point = point_like(points, like);
    /* Whatever disturbs a run makes it slower, never faster: the fastest is the least disturbed. */
    if (point->count && point->last == process) {
        point->ticks[point->count - 1] = fmin(point->ticks[point->count - 1], ticks);
        return;
    }
    *memory_add(point->ticks, point->count) = ticks;
    point->last = process;
}

void caches_add_failed(struct caches_points *points, const struct caches_point *like,
                       uint32_t processes)
{
    point_like(points, like)->failed += processes;
}

/* The fastest of the processes that count; false when none does. */
static bool ticks_of(const struct caches_point *point, struct caches_draw *draw, double *ticks)
{
    /* Half of them, rounded up or down by chance: of a single process nothing is confirmed. */
    size_t wanted =
        draw->halves ? (point->count + random_below(&draw->random, 2)) / 2 : point->count;
    *ticks = INFINITY;
    if (!wanted)
        return false;
    for (size_t i = 0; i < point->count && wanted; i++) {
        /* Each of those that are left is taken with the same chance. */
        if (draw->halves && random_below(&draw->random, point->count - i) >= wanted)
            continue;
        wanted--;
        *ticks = fmin(*ticks, point->ticks[i]);
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * What one draw of the runs shows: levels from the dense rings, then the line and the ways of
 * each, and TLBs from rings over pages. */

#define LINE_ASSUMED 64u  /* rings over pages are compared with dense ones of as many lines */
#define WAYS_LIMIT   0.05 /* share of a rise up to which lines still fit into their set */
#define PAIR_FACTOR  2u   /* a ring of pairs is so many times the cache it must not fit into */
#define WAY_OFF      0.06 /* octaves by which ways times their size may miss the level's size */
#define STEP_BELOW   0.25 /* before a line's end the second load costs at most this share … */
#define STEP_ABOVE   0.75 /* … and from it on at least this */
#define STEP_LEAST   1.15 /* the two must differ by this */

uint64_t caches_pair_ring(const struct caches_points *points, uint64_t fits, uint64_t next)
{
    uint64_t best = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        if (point->shape != CHASE_PAIRS || point->bytes < PAIR_FACTOR * fits ||
            (next && point->bytes > next))
            continue;
        if (!best || point->bytes < best)
            best = point->bytes;
    }
    return best;
}

/* What rings of that shape cost, of so many bytes or with that stride where `like` says one: by
 * their size, how many lines they have, or how far apart the pair is. */
static void curve_of(const struct caches_points *points, const struct caches_point *like,
                     struct caches_draw *draw, struct curve *curve)
{
    curve->count = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        double ticks;
        if (point->shape == like->shape && (!like->bytes || point->bytes == like->bytes) &&
            (!like->stride || point->stride == like->stride) && ticks_of(point, draw, &ticks))
            curve_add(curve,
                      point->shape == CHASE_PAIRS  ? point->pair
                      : point->shape == CHASE_SETS ? point->bytes / point->stride
                                                   : point->bytes,
                      ticks);
    }
    curve_lower(curve);
}

static uint64_t find_line(const struct caches_points *points, struct caches_draw *draw,
                          uint64_t fits, uint64_t next)
{
    struct caches_point like = {.shape = CHASE_PAIRS};
    struct curve curve;
    like.bytes = fits ? caches_pair_ring(points, fits, next) : 0;
    if (!like.bytes)
        return 0;
    curve_of(points, &like, draw, &curve);
    if (curve.count < 3)
        return 0;
    double low = curve.ticks[0], high = curve.ticks[curve.count - 1];
    if (high < STEP_LEAST * low)
        return 0;
    size_t step = 0;
    while (curve.ticks[step] <= low + STEP_BELOW * (high - low))
        step++;
    return curve.ticks[step] >= low + STEP_ABOVE * (high - low) ? curve.sizes[step] : 0;
}

/* How many lines the level still holds, given what rings cost that fit into it; 0: it held all that
 * were tried, or between the last that it held and the first that it did not others were not
 * tried. */
static uint64_t lines_held(const struct curve *curve, const struct curve *fitting,
                           const struct rise *rise)
{
    uint64_t held = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double fits = fitting ? curve_at(fitting, curve->sizes[i]) : rise->before;
        if (curve->ticks[i] > fmax(fits, rise->before) + WAYS_LIMIT * (rise->after - rise->before))
            return curve->sizes[i] == held + 1 ? held : 0;
        held = curve->sizes[i];
    }
    return 0;
}

static uint64_t smallest_stride_above(const struct caches_points *points, uint64_t bound)
{
    uint64_t best = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct caches_point *point = &points->list[i];
        if (point->shape == CHASE_SETS && point->stride > bound && (!best || point->stride < best))
            best = point->stride;
    }
    return best;
}

/* Up to the size of one way a level holds half as many lines for every doubling of the stride; from
 * there on all lines share a set, and it holds as many as it has ways. Lines that conflict in a
 * level also conflict in the smaller ones, which costs more than a plain miss there: so they are
 * compared with lines that conflict in the smaller level alone. way: bytes of one, for the next
 * level; smaller_way that of the level before, or 0. */
static uint64_t find_ways(const struct caches_points *points, struct caches_draw *draw,
                          const struct level_found *level, uint64_t smaller_way, uint64_t *way)
{
    struct caches_point sets = {.shape = CHASE_SETS, .stride = smaller_way};
    struct curve fitting = {0}, here, doubled;
    *way = 0;
    if (!level->bytes)
        return 0;
    if (smaller_way)
        curve_of(points, &sets, draw, &fitting);
    const struct curve *reference = fitting.count ? &fitting : NULL;
    for (uint64_t stride = smallest_stride_above(points, smaller_way); stride;
         stride = smallest_stride_above(points, stride)) {
        sets.stride = stride;
        curve_of(points, &sets, draw, &here);
        uint64_t held = lines_held(&here, reference, &level->rise);
        sets.stride = 2 * stride;
        curve_of(points, &sets, draw, &doubled);
        if (!held || held != lines_held(&doubled, reference, &level->rise))
            continue;
        *way = stride;
        return distance(held * stride, level->bytes) <= WAY_OFF ? held : 0;
    }
    return 0;
}

static void find_tlbs(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                      const struct curve *dense, struct caches_found *found)
{
    for (int huge = 0; huge < 2; huge++) {
        /* Latency over pages less what as many lines cost when they lie side by side: the TLBs'
         * share, on top of the fastest. */
        struct curve curve = {0};
        for (size_t i = 0; i < points->count; i++) {
            const struct caches_point *point = &points->list[i];
            double ticks;
            if (point->shape != CHASE_PAGES || point->huge != huge ||
                !ticks_of(point, draw, &ticks))
                continue;
            double packed = curve_at(dense, point->bytes / page * LINE_ASSUMED);
            curve_add(&curve, point->bytes, dense->ticks[0] + fmax(0, ticks - packed));
        }
        curve_lower(&curve);
        found->tlb_count[huge] = curve_rises(&curve, found->tlbs[huge]);
        found->over_pages[huge] = curve.count != 0;
    }
}

void caches_find(const struct caches_points *points, uint64_t page, struct caches_draw *draw,
                 struct caches_found *found)
{
    struct curve dense;
    struct rise rises[RISES_MOST];
    *found = (struct caches_found){0};
    curve_of(points, &(struct caches_point){.shape = CHASE_DENSE}, draw, &dense);
    if (!dense.count)
        return;
    found->level_count = curve_rises(&dense, rises);
    uint64_t way = 0;
    for (size_t i = 0; i < found->level_count; i++) {
        struct level_found *level = &found->levels[i];
        uint64_t next = i + 1 < found->level_count ? rises[i + 1].last_before : 0;
        level->rise = rises[i];
        level->bytes = rises[i].sharp || rises[i].step ? rises[i].last_before : 0;
        level->line = find_line(points, draw, rises[i].beyond_half, next);
        /* Without the smaller level's way there is nothing to compare with. */
        if (i == 0 || way)
            level->ways = find_ways(points, draw, level, way, &way);
        /* A mere step is believed when ways times their size end there too. */
        if (!rises[i].sharp && !level->ways)
            level->bytes = 0;
    }
    find_tlbs(points, page, draw, &dense, found);
}

/* ----------------------------------------------------------------------------------------------
 * Rings as names of the specimen chase, and back: so that a store says by itself what it holds. */

#define CLUSTER_PAGES 16u /* fewer than any TLB has entries */
#define SPREAD        64u /* bytes: the nodes of neighbouring pages lie in neighbouring sets */

void caches_specimen(const struct caches_point *point, uint64_t page, char name[CACHES_NAME])
{
    char more[48] = "";
    uint64_t cluster = CLUSTER_PAGES * page;
    if (point->shape == CHASE_DENSE)
        snprintf(more, sizeof(more), ",cluster=%" PRIu64, cluster);
    else if (point->shape == CHASE_PAGES)
        snprintf(more, sizeof(more), ",spread=%u", SPREAD);
    else if (point->shape == CHASE_PAIRS)
        snprintf(more, sizeof(more), ",pair=%" PRIu64 ",cluster=%" PRIu64, point->pair, cluster);
    snprintf(name, CACHES_NAME, "chase/bytes=%" PRIu64 ",stride=%" PRIu64 "%s%s/", point->bytes,
             point->stride, more, point->huge ? ",huge=1" : "");
}

/* The value of a key among the parameters; 0 where it is not given. */
static uint64_t parameter(const char *name, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strchr(name, '/'); at && at[1]; at = strpbrk(at + 1, ",/"))
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=')
            return strtoull(at + 2 + length, NULL, 10);
    return 0;
}

bool caches_from_specimen(const char *name, struct caches_point *point)
{
    if (strncmp(name, "chase/", 6) != 0)
        return false;
    *point = (struct caches_point){
        .huge = parameter(name, "huge") != 0,
        .bytes = parameter(name, "bytes"),
        .stride = parameter(name, "stride"),
        .pair = parameter(name, "pair"),
    };
    point->shape = point->pair                  ? CHASE_PAIRS
                   : parameter(name, "spread")  ? CHASE_PAGES
                   : parameter(name, "cluster") ? CHASE_DENSE
                                                : CHASE_SETS;
    return point->bytes && point->stride && point->stride <= point->bytes;
}

/* ----------------------------------------------------------------------------------------------
 * What rings over pages show: how far TLBs reach, on small and on huge pages, and what larger
 * pages are worth. */

#define HUGE_LEAST 4u /* huge pages: no TLB holds fewer, so what rises before is none */

static void fill_tlb(struct caches_row *row, const struct rise *rise, unsigned agreeing,
                     unsigned begins)
{
    bool placed = settle_range(row, rise, begins);
    bool narrow = rise->ends && distance(rise->half, rise->last_before) <= 1;
    row->bytes = settle(narrow ? rise->half : 0, agreeing, CACHES_DISAGREE);
    if (!narrow && placed)
        gradual(rise, &row->bytes);
    BECAUSE(&row->line, CACHES_TLB_LINES);
    BECAUSE(&row->ways, CACHES_TLB_WAYS);
}

/* Small pages show the same rise. */
static bool is_of_small_pages(const struct caches_found *whole, const struct rise *rise)
{
    for (size_t i = 0; i < whole->tlb_count[0]; i++)
        if (distance(whole->tlbs[0][i].half, rise->half) <= 1)
            return true;
    return false;
}

/* Always a row for each level, so that any two runs can be set side by side. */
static void add_tlbs(const struct caches_found *whole, const struct tally *tally, int huge,
                     const struct caches_situation *situation, struct caches_report *report)
{
    const char *type = huge ? "tlb-huge" : "tlb";
    struct caches_value none = {0};
    unsigned level = 1;
    /* Where nobody says, what one page of a page table maps. A rise within few huge pages is no
     * reach of them. */
    uint64_t least =
        situation->huge_page ? situation->huge_page : situation->page / 8 * situation->page;
    least *= huge ? HUGE_LEAST : 0;
    if (huge && !whole->over_pages[huge] && situation->no_huge)
        BECAUSE(&none, CACHES_FOREIGN, situation->no_huge);
    else if (!whole->over_pages[huge])
        BECAUSE(&none, CACHES_NO_RING);
    else
        BECAUSE(&none, whole->tlb_count[huge] ? CACHES_NO_FURTHER_RISE : CACHES_NO_RISE);
    /* What rises later are walks of page tables that no longer fit into a cache. */
    for (size_t i = 0; i < whole->tlb_count[huge] && level <= TLB_LEVELS; i++) {
        const struct rise *rise = &whole->tlbs[huge][i];
        if (rise->half >= least) {
            fill_tlb(add_row(report, level++, type), rise, tally->tlb[huge][i],
                     tally->tlb_rise[huge][i]);
            continue;
        }
        const bool small = is_of_small_pages(whole, rise);
        if (level == 1)
            BECAUSE(&none, small ? CACHES_HUGE_LIKE_SMALL : CACHES_HUGE_UNSEEN, rise->half / 1024,
                    HUGE_LEAST);
        if (small) /* so does any later one */
            break;
    }
    for (; level <= TLB_LEVELS; level++)
        add_unseen(report, NULL, level, type, &none.why);
}

/* The largest ring over pages that two processes measured on either kind of page. */
static void judge_pages(const struct caches_points *points,
                        const struct caches_situation *situation, struct caches_page_effect *effect)
{
    struct caches_draw all = {.halves = false};
    for (size_t i = 0; i < points->count * points->count; i++) {
        const struct caches_point *small = &points->list[i / points->count];
        const struct caches_point *huge = &points->list[i % points->count];
        struct caches_page_effect found = {.known = true, .bytes = small->bytes};
        if (small->shape == CHASE_PAGES && huge->shape == CHASE_PAGES && !small->huge &&
            huge->huge && small->bytes == huge->bytes && small->bytes > effect->bytes &&
            small->count >= 2 && huge->count >= 2 && ticks_of(small, &all, &found.small) &&
            ticks_of(huge, &all, &found.huge) && found.small > 0 && found.huge > 0)
            *effect = found;
    }
    if (!effect->known && situation->no_huge)
        BECAUSE(effect, CACHES_FOREIGN, situation->no_huge);
    else if (!effect->known)
        BECAUSE(effect, CACHES_TOO_LITTLE);
}

/* --- a row of every cache that was seen or claimed --- */

static void fill_level(struct caches_row *row, const struct level_found *level,
                       const struct tally *tally, size_t index, uint64_t first_line)
{
    bool placed = settle_range(row, &level->rise, tally->rise[index]);
    row->bytes = settle(level->bytes, tally->bytes[index], CACHES_DISAGREE);
    if (!level->bytes && placed)
        gradual(&level->rise, &row->bytes);
    else if (row->bytes.known)
        row->high = level->rise.next;
    row->line = settle(level->line, tally->line[index], CACHES_NO_LINE);
    if (row->line.known && first_line && level->line != first_line)
        BECAUSE(&row->line, CACHES_PREFETCHED);
    row->ways =
        settle(level->ways, tally->ways[index], level->bytes ? CACHES_SETS_HASHED : CACHES_NO_SIZE);
    if (!row->bytes.known && row->ways.known)
        BECAUSE(&row->ways, CACHES_NO_SIZE);
}

/* Which claim each rise belongs to, in order and nearest in size: tries all ways to leave out
 * claims or rises. */
static double match(const struct caches_found *whole, size_t rise,
                    const struct caches_situation *situation, size_t claim, int chosen[RISES_MOST])
{
    if (rise == whole->level_count)
        return 0;
    const double unmatched = 3; /* octaves: further away it is another cache */
    double best = unmatched + match(whole, rise + 1, situation, claim, chosen);
    int rest[RISES_MOST] = {0};
    chosen[rise] = -1;
    for (size_t i = claim; i < situation->claim_count; i++) {
        double away = distance(whole->levels[rise].rise.half, situation->claims[i].bytes) +
                      match(whole, rise + 1, situation, i + 1, rest);
        if (away >= best)
            continue;
        best = away;
        memcpy(chosen, rest, sizeof(rest));
        chosen[rise] = (int)i;
    }
    return best;
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
        for (; situation->claims && claim < until; claim++) {
            const struct caches_claim *unseen = &situation->claims[claim];
            struct caches_value none = {0};
            BECAUSE(&none, unseen->level < 3 ? CACHES_UNSEEN : CACHES_UNSEEN_SHARED);
            add_unseen(report, unseen, unseen->level, unseen->type, &none.why);
        }
        if (i == whole->level_count)
            break;
        /* Neither claimed nor clear: a wrinkle of the curve, made by a neighbour. */
        if (chosen[i] < 0 && situation->claim_count &&
            (!whole->levels[i].bytes || tally->bytes[i] < CONFIDENT * DRAWS))
            continue;
        const struct caches_claim *mine =
            situation->claims && chosen[i] >= 0 ? &situation->claims[claim++] : NULL;
        unsigned level = mine ? mine->level : (unsigned)i + 1;
        struct caches_row *row = add_row(report, level,
                                         mine         ? mine->type
                                         : level == 1 ? "data"
                                                      : "unified");
        row->claim = mine;
        fill_level(row, &whole->levels[i], tally, i, i ? whole->levels[0].line : 0);
    }
}

static void judge_unfit(const struct caches_situation *situation, struct caches_report *report,
                        const struct reasons *why)
{
    for (size_t i = 0; i < situation->claim_count; i++)
        add_unseen(report, &situation->claims[i], situation->claims[i].level,
                   situation->claims[i].type, why);
    if (!situation->claim_count)
        add_unseen(report, NULL, 1, "data", why);
    for (int huge = 0; huge < 2; huge++)
        for (unsigned level = 1; level <= TLB_LEVELS; level++)
            add_unseen(report, NULL, level, huge ? "tlb-huge" : "tlb", why);
    report->pages.why = *why;
}

void caches_judge(const struct caches_points *points, const struct caches_situation *situation,
                  struct caches_report *report)
{
    struct caches_value unfit = {0};
    *report = (struct caches_report){0};
    if (situation->unfit) {
        BECAUSE(&unfit, CACHES_FOREIGN, situation->unfit);
        judge_unfit(situation, report, &unfit.why);
        return;
    }
    struct caches_draw draw = {.halves = false};
    struct caches_found whole, drawn;
    struct tally tally = {0};
    caches_find(points, situation->page, &draw, &whole);
    if (!whole.level_count) {
        BECAUSE(&unfit, CACHES_FLAT);
        judge_unfit(situation, report, &unfit.why);
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

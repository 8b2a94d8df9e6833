/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which rings the study of caches measures next. First all once; then, where latency rises, again
 * and again, because neighbours move a rise to smaller sizes and only patience moves it back; and
 * sets of the sizes that were found. Pure, so that a run that broke off goes on where it was. */

#include "base/memory.h"
#include "studies/caches/study.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

#define DENSE_LEAST    (4 * KIB)
#define DENSE_FINE     (12 * KIB) /* from here on eight sizes an octave, below four */
#define DENSE_STRIDE   64u        /* no machine of today has shorter lines that matter */
#define HUGE_FROM      (256 * KIB)
#define PAGES_LEAST    16u
#define PAGES_MOST     8192u
#define PAIR_STRIDE    1024u
#define SETS_HUGE_FROM (16 * KIB) /* smaller caches are found by virtual addresses */
#define FIRST_LEVEL    (256 * KIB)
#define LARGE_RING     (8 * MIB)
#define LEAST_STEPS    16384u
#define MOST_STEPS     200000u

struct planning {
    const struct caches_limits *limits;
    const struct caches_points *points;
    struct caches_points *plan;
    struct caches_found found; /* in all that was measured */
    size_t wanted;             /* processes each ring shall have */
    uint64_t most;             /* bytes of the largest that is of interest yet */
};

/* Asks for what the ring lacks of the wanted processes. */
static void want(struct planning *planning, enum chase_shape shape, bool huge, uint64_t bytes,
                 uint64_t stride, uint64_t pair)
{
    struct caches_point point = {
        .shape = shape, .huge = huge, .bytes = bytes, .stride = stride, .pair = pair};
    size_t done = 0;
    for (size_t i = 0; i < planning->points->count; i++)
        if (caches_same(&planning->points->list[i], &point))
            done = planning->points->list[i].count + planning->points->list[i].failed;
    /* A ring over pages holds few lines: the first TLB is looked for with the first level. */
    uint64_t extent = shape == CHASE_PAGES  ? bytes / 4
                      : shape == CHASE_SETS ? 0 /* few lines, however far apart */
                                            : bytes;
    if (extent > planning->most || bytes > planning->limits->most_bytes || done >= planning->wanted)
        return;
    point.count = planning->wanted - done;
    *memory_add(planning->plan->list, planning->plan->count) = point;
}

/* So many sizes an octave, 8, 9 … 15, 16, 18 …: 48 KiB, 1.25 MiB and 36 MiB are among them. */
static uint64_t next_size(uint64_t size, uint64_t an_octave)
{
    uint64_t step = 1;
    while (2 * an_octave * step <= size)
        step *= 2;
    return size + step;
}

/* Calls want for the dense rings from `low` to `high`. */
static void want_dense(struct planning *planning, uint64_t low, uint64_t high)
{
    bool huge = planning->limits->huge;
    for (uint64_t bytes = DENSE_LEAST; bytes <= high && bytes <= planning->limits->most_bytes;
         bytes = next_size(bytes, bytes < DENSE_FINE ? 4 : 8)) {
        if (bytes < low)
            continue;
        if (bytes <= HUGE_FROM || !huge)
            want(planning, CHASE_DENSE, false, bytes, DENSE_STRIDE, 0);
        if (bytes >= HUGE_FROM && huge)
            want(planning, CHASE_DENSE, true, bytes, DENSE_STRIDE, 0);
    }
}

static void want_pages(struct planning *planning, bool huge, uint64_t low, uint64_t high)
{
    uint64_t page = planning->limits->page;
    if (huge && !planning->limits->huge)
        return;
    for (uint64_t pages = PAGES_LEAST; pages <= PAGES_MOST; pages = next_size(pages, huge ? 2 : 4))
        if (pages * page >= low && pages * page <= high)
            want(planning, CHASE_PAGES, huge, pages * page, page, 0);
}

static void want_pairs(struct planning *planning, uint64_t bytes)
{
    for (uint64_t pair = 16; pair <= PAIR_STRIDE / 4; pair *= 2)
        want(planning, CHASE_PAIRS, planning->limits->huge && bytes >= HUGE_FROM, bytes,
             PAIR_STRIDE, pair);
}

/* Every ring that says where something is. */
static void want_base(struct planning *planning)
{
    static const uint64_t pair_rings[] = {64 * KIB,  128 * KIB, 256 * KIB,
                                          512 * KIB, 2 * MIB,   8 * MIB};
    want_dense(planning, 0, UINT64_MAX);
    want_pages(planning, false, 0, UINT64_MAX);
    want_pages(planning, true, 0, UINT64_MAX);
    for (size_t i = 0; i < sizeof(pair_rings) / sizeof(*pair_rings); i++)
        want_pairs(planning, pair_rings[i]);
}

/* Rings that tell the lines of the first levels. */
static void want_lines(struct planning *planning, size_t levels)
{
    const struct caches_found *found = &planning->found;
    for (size_t i = 0; i < found->level_count && i < levels; i++) {
        uint64_t next = i + 1 < found->level_count ? found->levels[i + 1].rise.last_before : 0;
        uint64_t ring = caches_pair_ring(planning->points, found->levels[i].rise.beyond_half, next);
        if (ring)
            want_pairs(planning, ring);
    }
}

/* Rings around the rises. Large ones take long, and what disturbs them are other machines. */
static void want_edges(struct planning *planning)
{
    const struct caches_found *found = &planning->found;
    size_t wanted = planning->wanted;
    for (size_t i = 0; i < found->level_count; i++) {
        const struct rise *rise = &found->levels[i].rise;
        uint64_t low = rise->last_before - rise->last_before / 8;
        uint64_t high = rise->beyond_half + rise->beyond_half / 4;
        planning->wanted = low >= LARGE_RING / 2 && wanted > 2 ? 2 : wanted;
        want_dense(planning, low, high);
        planning->wanted = wanted;
    }
    for (int huge = 0; huge < 2; huge++)
        for (size_t i = 0; i < found->tlb_count[huge]; i++) {
            const struct rise *rise = &found->tlbs[huge][i];
            want_pages(planning, huge, rise->last_before - rise->last_before / 4,
                       rise->beyond_half + rise->beyond_half / 2);
        }
    want_lines(planning, 2);
}

/* A line is told by few rings, each of which must once have been undisturbed: they are cheap to
 * repeat. */
static void want_first_line(struct planning *planning)
{
    want_lines(planning, 1);
}

/* Numbers of lines in one set. What a set holds is known where the next number was tried as well.
 */
static const uint8_t set_lines[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                    12, 13, 15, 16, 17, 18, 20, 21, 24, 25};

/* Sets of levels whose size is seen, for 2 to 24 ways: below the stride of one way a level holds
 * more lines than are of interest. */
static void want_sets(struct planning *planning)
{
    const struct caches_found *found = &planning->found;
    for (size_t level = 0; level < found->level_count && level < 2; level++) {
        const struct rise *rise = &found->levels[level].rise;
        if ((!rise->sharp && !rise->step) || rise->last_before > planning->most)
            continue;
        uint64_t stride = 1024, bytes = rise->last_before;
        /* At first for few ways, as first levels mostly have; later for any. */
        uint64_t most_ways = planning->most == FIRST_LEVEL && planning->wanted <= 2 ? 8 : 16;
        while (2 * stride <= bytes / most_ways)
            stride *= 2;
        for (; stride <= bytes; stride *= 2)
            for (size_t i = 0; i < sizeof(set_lines); i++)
                if ((set_lines[i] - 1u) * stride <= 2 * bytes)
                    want(planning, CHASE_SETS, planning->limits->huge && stride >= SETS_HUGE_FROM,
                         set_lines[i] * stride, stride, 0);
    }
}

/* In this order, each until it lacks nothing. The first level comes first: where time is short, it
 * is what most depends on. */
static const struct {
    void (*rings)(struct planning *planning);
    size_t processes;
    uint64_t most;
} passes[] = {
    {want_base, 1, FIRST_LEVEL}, {want_edges, 4, FIRST_LEVEL}, {want_first_line, 10, FIRST_LEVEL},
    {want_sets, 2, FIRST_LEVEL}, {want_edges, 6, FIRST_LEVEL}, {want_base, 1, UINT64_MAX},
    {want_sets, 4, FIRST_LEVEL}, {want_edges, 3, UINT64_MAX},  {want_sets, 2, UINT64_MAX},
    {want_base, 2, UINT64_MAX},  {want_edges, 6, UINT64_MAX},  {want_sets, 6, UINT64_MAX},
    {want_base, 3, UINT64_MAX},  {want_edges, 12, UINT64_MAX},
};

void caches_plan(const struct caches_limits *limits, const struct caches_points *points,
                 struct caches_points *plan)
{
    struct planning planning = {.limits = limits, .points = points, .plan = plan};
    struct caches_draw all = {.halves = false};
    *plan = (struct caches_points){0};
    caches_find(points, limits->page, &all, &planning.found);
    for (size_t i = 0; i < sizeof(passes) / sizeof(*passes) && !plan->count; i++) {
        planning.wanted = passes[i].processes;
        planning.most = passes[i].most;
        passes[i].rings(&planning);
    }
}

uint64_t caches_steps(const struct caches_point *point)
{
    uint64_t nodes = point->bytes / point->stride;
    return nodes < LEAST_STEPS ? LEAST_STEPS : nodes > MOST_STEPS ? MOST_STEPS : nodes;
}

/* Many short runs find a quiet moment; rings that take long to link are run once. */
uint32_t caches_runs(const struct caches_point *point)
{
    if (point->bytes > LARGE_RING)
        return 1;
    return point->bytes > MIB ? 3 : point->bytes > 256 * KIB ? 8 : 48;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Levels in the values of one cell: heaps with a real valley between them. Whole processes may sit
 * on one level, or calls of one process on several; either way what repeats must speak for it, a
 * few processes that differ by more than their spread, or calls whose density falls. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * Heaps by density: a smoothed histogram is cut at every dip, then neighbours that nothing keeps
 * apart are joined, the least separated first. */

enum { BINS = 512, MOST_HEAPS = BINS / 2 + 1 };

/* A valley must be lower than this share of the smaller peak. */
static const double DEEP = 0.5;

struct histogram {
    double low, width; /* of bins */
    double heights[BINS];
    size_t bins;
};

struct heap {
    size_t peak, valley; /* bins; valley: to the heap above */
    size_t begin, end;   /* in the sorted row */
};

/* Chance that of two equally dense places one shows at most `few` where the other shows `many`. */
static double chance_of_valley(size_t few, size_t many)
{
    return many ? incomplete_beta(0.5, 0.5, (double)many, (double)few + 1) : 1;
}

/* How many are below the limit. */
static size_t count_below(const double *sorted, size_t count, double limit)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many of the sorted numbers are in [low, high). */
static size_t count_within(const double *sorted, size_t count, double low, double high)
{
    size_t below = count_below(sorted, count, low), all = count_below(sorted, count, high);
    return all > below ? all - below : 0;
}

/* The stretch that is looked at. A few wild values must not coarsen it, and a heap of the least
 * share at either end must not fall out of it. */
static void span_of(const double *sorted, size_t count, double least_share, double *low,
                    double *high)
{
    double inner = 0.8 * least_share, outer = 0.2 * least_share;
    double first = quantile(sorted, count, inner), last = quantile(sorted, count, 1 - inner);
    *low = fmax(quantile(sorted, count, outer), first - (last - first));
    *high = fmin(quantile(sorted, count, 1 - outer), last + (last - first));
}

static void smooth(struct histogram *histogram, double deviation)
{
    double kernel[BINS], smoothed[BINS] = {0};
    size_t reach = (size_t)ceil(3 * deviation);
    if (reach >= BINS)
        reach = BINS - 1;
    for (size_t i = 0; i <= reach; i++)
        kernel[i] = exp(-0.5 * (double)(i * i) / (deviation * deviation));
    for (size_t from = 0; from < histogram->bins; from++) {
        if (histogram->heights[from] == 0)
            continue;
        size_t first = from > reach ? from - reach : 0, last = from + reach;
        for (size_t to = first; to <= last && to < histogram->bins; to++)
            smoothed[to] += histogram->heights[from] * kernel[to > from ? to - from : from - to];
    }
    for (size_t i = 0; i < histogram->bins; i++)
        histogram->heights[i] = smoothed[i];
}

/* False: there is no stretch to look at. */
static bool fill_histogram(struct histogram *histogram, const double *sorted, size_t count,
                           const struct mode_search *search)
{
    double low, high;
    span_of(sorted, count, search->least_share, &low, &high);
    if (!(high > low) || !isfinite(high - low))
        return false;
    *histogram = (struct histogram){0};
    histogram->width = fmax(search->bandwidth / 4, (high - low) / (BINS - 16));
    double deviation = fmax(search->bandwidth / histogram->width, 1.5);
    double margin = fmin(3 * deviation, 7) * histogram->width;
    histogram->low = low - margin;
    histogram->bins = (size_t)((high + margin - histogram->low) / histogram->width) + 1;
    if (histogram->bins > BINS)
        histogram->bins = BINS;
    size_t first = count_below(sorted, count, low);
    for (size_t i = first; i < count && sorted[i] <= high; i++)
        histogram->heights[(size_t)((sorted[i] - histogram->low) / histogram->width)]++;
    smooth(histogram, deviation);
    return true;
}

/* Every peak, and the lowest place before the next. */
static size_t find_heaps(const struct histogram *histogram, struct heap heaps[MOST_HEAPS])
{
    size_t count = 0;
    bool rising = true;
    size_t top = 0, bottom = 0;
    const double *heights = histogram->heights;
    for (size_t i = 0; i <= histogram->bins; i++) {
        double here = i < histogram->bins ? heights[i] : -1;
        if (rising && here > heights[top])
            top = i;
        else if (rising && here < heights[top]) {
            heaps[count++] = (struct heap){.peak = top};
            bottom = i < histogram->bins ? i : top;
            rising = false;
        } else if (!rising && i < histogram->bins && here < heights[bottom])
            bottom = i;
        else if (!rising && i < histogram->bins && here > heights[bottom]) {
            heaps[count - 1].valley = bottom;
            top = i;
            rising = true;
        }
    }
    return count;
}

static double place_of(const struct histogram *histogram, size_t bin)
{
    return histogram->low + ((double)bin + 0.5) * histogram->width;
}

/* The middle of what is about as empty as the emptiest bin. */
static double border_of(const struct histogram *histogram, const struct heap *heap,
                        const struct heap *above)
{
    double lower = fmin(histogram->heights[heap->peak], histogram->heights[above->peak]);
    double limit = histogram->heights[heap->valley] + 0.02 * lower;
    size_t first = heap->valley;
    while (first > heap->peak && histogram->heights[first - 1] <= limit)
        first--;
    size_t last = heap->valley;
    while (last < above->peak && histogram->heights[last + 1] <= limit)
        last++;
    return (place_of(histogram, first) + place_of(histogram, last)) / 2;
}

struct cutting {
    const double *sorted;
    size_t count;
    const struct mode_search *search;
    const struct histogram *histogram;
};

static bool is_near(const struct cutting *cutting, const struct heap *heap,
                    const struct heap *above)
{
    double low = place_of(cutting->histogram, heap->peak);
    double high = place_of(cutting->histogram, above->peak);
    return high - low < cutting->search->distance * fabs(low) ||
           high - low < cutting->search->steps;
}

static bool is_small(const struct cutting *cutting, const struct heap *heap)
{
    return (double)(heap->end - heap->begin) <
           cutting->search->least_share * (double)cutting->count;
}

static bool is_chance(const struct cutting *cutting, const struct heap *heap,
                      const struct heap *above)
{
    double low = place_of(cutting->histogram, heap->peak);
    double high = place_of(cutting->histogram, above->peak);
    double border = border_of(cutting->histogram, heap, above), half = (high - low) / 8;
    size_t lower = count_within(cutting->sorted, cutting->count, low - half, low + half);
    size_t upper = count_within(cutting->sorted, cutting->count, high - half, high + half);
    size_t valley = count_within(cutting->sorted, cutting->count, border - half, border + half);
    return chance_of_valley(valley, lower < upper ? lower : upper) > cutting->search->chance;
}

/* How little keeps the two apart: above 0 they are one heap. */
static double closeness(const struct cutting *cutting, const struct heap *heap,
                        const struct heap *above)
{
    const double *heights = cutting->histogram->heights;
    double ratio = heights[heap->valley] / fmin(heights[heap->peak], heights[above->peak]);
    if (ratio > DEEP)
        return 1 + ratio;
    if (is_small(cutting, heap) || is_small(cutting, above) || is_near(cutting, heap, above) ||
        is_chance(cutting, heap, above))
        return 0.5 + ratio / 2;
    return 0;
}

static size_t join_close(const struct cutting *cutting, struct heap *heaps, size_t count)
{
    for (;;) {
        double closest = 0;
        size_t at = 0;
        for (size_t i = 0; i < count; i++) {
            heaps[i].begin = i ? heaps[i - 1].end : 0;
            heaps[i].end = cutting->count;
            if (i + 1 < count)
                heaps[i].end = count_below(cutting->sorted, cutting->count,
                                           border_of(cutting->histogram, &heaps[i], &heaps[i + 1]));
        }
        for (size_t i = 0; i + 1 < count; i++) {
            double close = closeness(cutting, &heaps[i], &heaps[i + 1]);
            if (close > closest) {
                closest = close;
                at = i;
            }
        }
        if (closest == 0)
            return count;
        if (cutting->histogram->heights[heaps[at + 1].peak] >
            cutting->histogram->heights[heaps[at].peak])
            heaps[at].peak = heaps[at + 1].peak;
        heaps[at].valley = heaps[at + 1].valley;
        for (size_t i = at + 1; i + 1 < count; i++)
            heaps[i] = heaps[i + 1];
        count--;
    }
}

size_t find_modes(const double *sorted, size_t count, const struct mode_search *search,
                  struct mode modes[MOST_MODES])
{
    struct histogram histogram;
    struct heap heaps[MOST_HEAPS] = {{0}};
    modes[0] = (struct mode){0, count, sorted[count / 2], INFINITY};
    if (!fill_histogram(&histogram, sorted, count, search))
        return 1;
    struct cutting cutting = {sorted, count, search, &histogram};
    size_t found = join_close(&cutting, heaps, find_heaps(&histogram, heaps));
    if (found > MOST_MODES || found == 0)
        return 1;
    for (size_t i = 0; i < found; i++)
        modes[i] = (struct mode){heaps[i].begin, heaps[i].end, place_of(&histogram, heaps[i].peak),
                                 i + 1 < found ? border_of(&histogram, &heaps[i], &heaps[i + 1])
                                               : INFINITY};
    return found;
}

/* --- levels --- */

/* A level: this share of runs at least, this much above the one below it, this many steps. */
static const double LEAST_SHARE = 0.05, LEAST_DISTANCE = 0.08, LEAST_STEPS = 4;
/* A process with this share of its runs on one side of a border stays there. */
static const double STAYS = 0.95;
/* Processes stay on their level where fewer runs than this part of what chance would place are off
 * it. */
static const double OFF_LEVEL = 1.0 / 3;
/* Chance that an even density shows such a valley. */
static const double CHANCE = 1e-4;
/* Processes by themselves: as many, of them on either side, and so many deviations apart, of both
 * sides and of the wider one. */
enum { LEAST_PROCESSES = 15, LEAST_BESIDE = 3 };
static const double APART = 8;
/* Half of what a window spans of the distance of two levels. */
static const double WINDOW = 0.125;

/* The processes of a sample, about one border. */
struct process {
    size_t begin, end;
    double median;
    size_t below; /* runs below the border */
};

struct sides {
    struct process *processes;
    size_t count;
};

static void find_processes(const struct level_sample *sample, struct sides *sides)
{
    size_t largest = 0;

    for (size_t begin = 0, end; begin < sample->count; begin = end) {
        for (end = begin + 1; end < sample->count && sample->group[end] == sample->group[begin];)
            end++;
        sides->processes[sides->count++] = (struct process){.begin = begin, .end = end};
        largest = end - begin > largest ? end - begin : largest;
    }
    AUTO_MEMORY double *sorted = memory_new(largest + 1, sizeof(*sorted));
    for (size_t i = 0; i < sides->count; i++) {
        struct process *process = &sides->processes[i];
        size_t runs = process->end - process->begin;
        memcpy(sorted, sample->values + process->begin, runs * sizeof(*sorted));
        sort_values(sorted, runs);
        process->median = quantile(sorted, runs, 0.5);
    }
}

/* Two neighbouring modes and the place between them. */
struct pair {
    double low, high; /* medians */
    double border;
    double least, most; /* where the two begin and end */
};

/* Calls of processes that are on both sides: does their density fall in between? */
static bool calls_speak(const struct level_sample *sample, const struct sides *sides,
                        const struct pair *pair)
{
    double half = WINDOW * (pair->high - pair->low);
    size_t lower = 0, upper = 0, valley = 0;
    for (size_t i = 0; i < sides->count; i++) {
        const struct process *process = &sides->processes[i];
        double runs = (double)(process->end - process->begin), below = (double)process->below;
        if (!(below > (1 - STAYS) * runs && below < STAYS * runs))
            continue;
        for (size_t at = process->begin; at < process->end; at++) {
            lower += fabs(sample->values[at] - pair->low) < half;
            upper += fabs(sample->values[at] - pair->high) < half;
            valley += fabs(sample->values[at] - pair->border) < half;
        }
    }
    return chance_of_valley(valley, lower < upper ? lower : upper) <= CHANCE;
}

/* Many processes: does the density of their medians fall in between? */
static bool density_speaks(const struct sides *sides, const struct pair *pair)
{
    double half = WINDOW * (pair->high - pair->low);
    size_t lower = 0, upper = 0, valley = 0;
    for (size_t i = 0; i < sides->count; i++) {
        double median = sides->processes[i].median;
        lower += fabs(median - pair->low) < half;
        upper += fabs(median - pair->high) < half;
        valley += fabs(median - pair->border) < half;
    }
    return chance_of_valley(valley, lower < upper ? lower : upper) <= CHANCE;
}

/* Few processes: are the two sides further apart than their spread explains? */
static bool distance_speaks(const struct sides *sides, const struct pair *pair)
{
    double squares[2] = {0};
    size_t beside[2] = {0};
    for (size_t i = 0; i < sides->count; i++) {
        double median = sides->processes[i].median;
        size_t side = median >= pair->border;
        if (median < pair->least || median >= pair->most)
            continue;
        double off = median - (side ? pair->high : pair->low);
        squares[side] += off * off;
        beside[side]++;
    }
    if (beside[0] < LEAST_BESIDE || beside[1] < LEAST_BESIDE ||
        beside[0] + beside[1] < LEAST_PROCESSES)
        return false;
    double distance = pair->high - pair->low;
    double both = (squares[0] + squares[1]) / (double)(beside[0] + beside[1] - 2);
    double wider = fmax(squares[0] / (double)(beside[0] - 1), squares[1] / (double)(beside[1] - 1));
    return distance >= APART * sqrt(both) && distance >= APART * sqrt(wider);
}

static bool is_told_apart(const struct level_sample *sample, struct sides *sides,
                          const struct pair *pair)
{
    for (size_t i = 0; i < sides->count; i++) {
        struct process *process = &sides->processes[i];
        process->below = 0;
        for (size_t at = process->begin; at < process->end; at++)
            process->below += sample->values[at] < pair->border;
    }
    return calls_speak(sample, sides, pair) || density_speaks(sides, pair) ||
           distance_speaks(sides, pair);
}

static double median_of(const struct level_sample *sample, const struct mode *mode)
{
    return quantile(sample->sorted + mode->begin, mode->end - mode->begin, 0.5);
}

/* Joins neighbours that nothing tells apart; returns how many are left. */
static size_t join_modes(const struct level_sample *sample, struct sides *sides, struct mode *modes,
                         size_t count)
{
    for (size_t i = 0; i + 1 < count;) {
        struct pair pair = {median_of(sample, &modes[i]), median_of(sample, &modes[i + 1]),
                            modes[i].border, i ? modes[i - 1].border : -INFINITY,
                            modes[i + 1].border};
        double distance = pair.high - pair.low;
        if (distance >= LEAST_DISTANCE * fabs(pair.low) &&
            distance >= LEAST_STEPS * sample->resolution && is_told_apart(sample, sides, &pair)) {
            i++;
            continue;
        }
        modes[i].end = modes[i + 1].end;
        modes[i].border = modes[i + 1].border;
        memmove(&modes[i + 1], &modes[i + 2], (count - i - 2) * sizeof(*modes));
        count--;
        i = i ? i - 1 : 0;
    }
    return count;
}

/* More than can be told: the nearest neighbours become one. */
static size_t keep_most(const struct level_sample *sample, struct mode *modes, size_t count)
{
    while (count > OVERHEAD_MOST_LEVELS) {
        size_t nearest = 0;
        double least = INFINITY;
        for (size_t i = 0; i + 1 < count; i++) {
            double distance = median_of(sample, &modes[i + 1]) - median_of(sample, &modes[i]);
            if (distance < least) {
                least = distance;
                nearest = i;
            }
        }
        modes[nearest].end = modes[nearest + 1].end;
        modes[nearest].border = modes[nearest + 1].border;
        memmove(&modes[nearest + 1], &modes[nearest + 2], (count - nearest - 2) * sizeof(*modes));
        count--;
    }
    return count;
}

static void fill_level(const struct level_sample *sample, const struct mode *mode,
                       struct overhead_level *level)
{
    const double *sorted = sample->sorted + mode->begin;
    size_t count = mode->end - mode->begin;
    *level = (struct overhead_level){.median = quantile(sorted, count, 0.5),
                                     .q1 = quantile(sorted, count, 0.25),
                                     .q3 = quantile(sorted, count, 0.75),
                                     .share = (double)count / (double)sample->count};
}

/* On which level most runs of each process are, and whether they stay there. */
static enum level_kind place_processes(const struct level_sample *sample, const struct sides *sides,
                                       const struct mode *modes, size_t count,
                                       struct overhead_level *levels)
{
    size_t off = 0;
    double largest = 0;
    for (size_t i = 0; i < sides->count; i++) {
        const struct process *process = &sides->processes[i];
        size_t runs[OVERHEAD_MOST_LEVELS] = {0}, most = 0;
        for (size_t at = process->begin; at < process->end; at++) {
            size_t level = 0;
            while (level + 1 < count && sample->values[at] >= modes[level].border)
                level++;
            runs[level]++;
        }
        for (size_t level = 1; level < count; level++)
            most = runs[level] > runs[most] ? level : most;
        levels[most].processes++;
        off += process->end - process->begin - runs[most];
    }
    for (size_t level = 0; level < count; level++)
        largest = fmax(largest, levels[level].share);
    double by_chance = (1 - largest) * (double)sample->count;
    return (double)off < OFF_LEVEL * by_chance ? LEVELS_BY_PROCESS : LEVELS_BY_CALL;
}

static size_t one_level(const struct level_sample *sample, struct overhead_level *levels,
                        enum level_kind *kind)
{
    struct mode all = {0, sample->count, 0, INFINITY};
    fill_level(sample, &all, &levels[0]);
    for (size_t i = 0; i < sample->count; i++)
        levels[0].processes += !i || sample->group[i] != sample->group[i - 1];
    *kind = LEVELS_ONE;
    return 1;
}

size_t overhead_levels_sorted(const struct level_sample *sample,
                              struct overhead_level levels[OVERHEAD_MOST_LEVELS],
                              enum level_kind *kind)
{
    struct mode modes[MOST_MODES];
    double low = quantile(sample->sorted, sample->count, 0.01);
    double high = quantile(sample->sorted, sample->count, 0.99);
    /* Nothing to look for: the middle of all runs is narrower than two levels are apart. */
    if (high - low < LEAST_DISTANCE * fabs(low) || high - low < LEAST_STEPS * sample->resolution)
        return one_level(sample, levels, kind);
    double middle = quantile(sample->sorted, sample->count, 0.5);
    struct mode_search search = {.bandwidth =
                                     fmax(fmax(0.02 * fabs(middle), sample->resolution), 1e-9),
                                 .least_share = LEAST_SHARE,
                                 .distance = LEAST_DISTANCE,
                                 .steps = LEAST_STEPS * sample->resolution,
                                 .chance = 1};
    size_t count = find_modes(sample->sorted, sample->count, &search, modes);
    if (count == 1)
        return one_level(sample, levels, kind);
    /* The modes that processes bear out are levels. */
    AUTO_MEMORY struct process *processes = memory_new(sample->count + 1, sizeof(*processes));
    struct sides sides = {.processes = processes};
    find_processes(sample, &sides);
    count = keep_most(sample, modes, join_modes(sample, &sides, modes, count));
    if (count == 1)
        return one_level(sample, levels, kind);
    for (size_t i = 0; i < count; i++)
        fill_level(sample, &modes[i], &levels[i]);
    *kind = place_processes(sample, &sides, modes, count, levels);
    return count;
}

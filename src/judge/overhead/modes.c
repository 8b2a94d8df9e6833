/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Heaps by density: a smoothed histogram is cut at every dip, then neighbours that nothing keeps
 * apart are joined, the least separated first. */
#include "judge/overhead/modes.h"

#include <math.h>
#include <stdbool.h>

#include "stats/incomplete-beta.h"
#include "stats/moments.h"

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

double chance_of_valley(size_t few, size_t many)
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

size_t count_within(const double *sorted, size_t count, double low, double high)
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

static void mark_ends(const struct cutting *cutting, struct heap *heaps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        heaps[i].begin = i ? heaps[i - 1].end : 0;
        heaps[i].end = cutting->count;
        if (i + 1 < count)
            heaps[i].end = count_below(cutting->sorted, cutting->count,
                                       border_of(cutting->histogram, &heaps[i], &heaps[i + 1]));
    }
}

static size_t join(const struct histogram *histogram, struct heap *heaps, size_t count, size_t at)
{
    if (histogram->heights[heaps[at + 1].peak] > histogram->heights[heaps[at].peak])
        heaps[at].peak = heaps[at + 1].peak;
    heaps[at].valley = heaps[at + 1].valley;
    for (size_t i = at + 1; i + 1 < count; i++)
        heaps[i] = heaps[i + 1];
    return count - 1;
}

static size_t join_close(const struct cutting *cutting, struct heap *heaps, size_t count)
{
    for (;;) {
        double closest = 0;
        size_t at = 0;
        mark_ends(cutting, heaps, count);
        for (size_t i = 0; i + 1 < count; i++) {
            double close = closeness(cutting, &heaps[i], &heaps[i + 1]);
            if (close > closest) {
                closest = close;
                at = i;
            }
        }
        if (closest == 0)
            return count;
        count = join(cutting->histogram, heaps, count, at);
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

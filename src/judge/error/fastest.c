/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The fastest run of each process, and the taming of disturbed ones. */
#include "judge/error/fastest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/moments.h"
#include "stats/random.h"

/* So many times the usual distance from the median is still believed, and so many times what nine
 * of ten do not exceed: where most processes agree to the tick, the usual distance is none. */
static const double BELIEVED = 6, BELIEVED_RARE = 2;

/* Orders without meaning that are tried, and how many of them may look as clear as the real one. */
enum { SHUFFLES = 99, AS_CLEAR_MOST = 1 };

size_t fastest_of(const struct error_cell *cell, size_t group, struct fastest *list)
{
    size_t count = 0;
    double n = cell->n ? (double)cell->n : 1;
    for (size_t process = 0; process < cell->processes; process++) {
        size_t begin = cell->begins[process], end = cell->begins[process + 1];
        if (begin == end)
            continue;
        int64_t least = cell->values[begin];
        for (size_t run = begin + 1; run < end; run++)
            least = cell->values[run] < least ? cell->values[run] : least;
        list[count++] = (struct fastest){.group = group, .per_iteration = (double)least / n};
    }
    return count;
}

/* Few enough to be put in their places one by one, which medians of processes are, thousands of
 * times. */
static const size_t FEW = 40;

static void insert_each(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

double median_of(double *values, size_t count)
{
    if (count <= FEW)
        insert_each(values, count);
    else
        sort_values(values, count);
    return quantile(values, count, 0.5);
}

double fastest_median(const struct fastest *list, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = list[i].per_iteration;
    return median_of(scratch, count);
}

size_t fastest_end(const struct fastest *list, size_t count, size_t begin)
{
    size_t end = begin;
    while (end < count && list[end].group == list[begin].group)
        end++;
    return end;
}

/* Distance from the median that is still believed, over all groups. */
static double believed_reach(const struct fastest *list, size_t count, const double *medians,
                             double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(list[i].per_iteration - medians[i]);
    double usual = median_of(scratch, count), rare = quantile(scratch, count, 0.9);
    return fmax(BELIEVED * usual, BELIEVED_RARE * rare);
}

static void tame(struct fastest *list, size_t count, double *medians, double *scratch)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = fastest_end(list, count, begin);
        double median = fastest_median(list + begin, end - begin, scratch);
        for (size_t i = begin; i < end; i++)
            medians[i] = median;
    }
    double reach = believed_reach(list, count, medians, scratch);
    for (size_t i = 0; i < count; i++)
        list[i].per_iteration =
            fmin(fmax(list[i].per_iteration, medians[i] - reach), medians[i] + reach);
}

/* Share of the square sum that lies between groups. */
static double share_between(const struct fastest *list, size_t count)
{
    double mean = 0, all = 0, between = 0;
    for (size_t i = 0; i < count; i++)
        mean += list[i].per_iteration / (double)count;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = fastest_end(list, count, begin);
        double sum = 0;
        for (size_t i = begin; i < end; i++) {
            double away = list[i].per_iteration - mean;
            sum += away;
            all += away * away;
        }
        between += sum * sum / (double)(end - begin);
    }
    return all > 0 ? between / all : 0;
}

static void shuffle(struct fastest *list, size_t count, struct random *random)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)random_below(random, i);
        double value = list[i - 1].per_iteration;
        list[i - 1].per_iteration = list[other].per_iteration;
        list[other].per_iteration = value;
    }
}

int fastest_tame(struct fastest *list, size_t count, uint64_t seed)
{
    if (!count)
        return 0;
    AUTO_FREE double *medians = calloc(count, sizeof *medians);
    AUTO_FREE double *scratch = calloc(count, sizeof *scratch);
    AUTO_FREE struct fastest *tamed = calloc(count, sizeof *tamed);
    AUTO_FREE struct fastest *shuffled = calloc(count, sizeof *shuffled);
    if (!medians || !scratch || !tamed || !shuffled)
        return -ENOMEM;
    memcpy(tamed, list, count * sizeof *list);
    tame(tamed, count, medians, scratch);
    double share = share_between(tamed, count);
    struct random random;
    random_seed(&random, seed);
    int as_clear = 0;
    for (int i = 0; i < SHUFFLES && as_clear <= AS_CLEAR_MOST; i++) {
        memcpy(shuffled, list, count * sizeof *list);
        shuffle(shuffled, count, &random);
        tame(shuffled, count, medians, scratch);
        as_clear += share_between(shuffled, count) >= share;
    }
    if (as_clear <= AS_CLEAR_MOST)
        memcpy(list, tamed, count * sizeof *list);
    return 0;
}

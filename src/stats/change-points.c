/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Binary segmentation, with pairs of changes beside single ones: a stretch is cut where the mean
 * rank on the two sides (or within and around an excursion) differs most, if shuffled copies of it
 * rarely differ as much; then the parts are looked at the same way. In the end every cut is moved
 * to the best place between its neighbours and must stand the test once more there. */
#include "stats/change-points.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/moments.h"
#include "stats/random.h"

/* Excursions begin and end at one of so many places, evenly spread; single changes anywhere. */
#define EXCURSION_PLACES 64
/* Moving one cut may move the best place of the next; it settles in a few rounds. */
#define MOST_ROUNDS 5

struct ranked {
    double value;
    size_t place;
};

struct work {
    const double *values;
    const struct change_search *search;
    struct random random;
    struct ranked *order; /* [count] */
    double *ranks;        /* [count] of the stretch, their mean taken off */
    double *sums;         /* [count + 1] of the first so many ranks */
    double *scales;       /* [count + 1] for a group of so many */
    size_t *cuts;         /* with 0 and count at the ends */
    size_t cut_count;
    size_t *todo; /* stretches left to look at, by their begin and end */
    size_t todo_count;
};

static void release_work(struct work *work)
{
    free(work->order);
    free(work->ranks);
    free(work->sums);
    free(work->scales);
    free(work->cuts);
    free(work->todo);
}
#define AUTO_WORK __attribute__((cleanup(release_work)))

/* The clearest change of a stretch: values from begin (to end, if an excursion) differ from the
 * others. */
struct change {
    double clarity;
    size_t begin, end;
};

static int by_rank(const void *left, const void *right)
{
    double a = ((const struct ranked *)left)->value, b = ((const struct ranked *)right)->value;
    return (a > b) - (a < b);
}

static void rank_stretch(struct work *work, size_t begin, size_t count)
{
    for (size_t i = 0; i < count; i++)
        work->order[i] = (struct ranked){work->values[begin + i], i};
    qsort(work->order, count, sizeof *work->order, by_rank);
    double mean = (double)(count - 1) / 2;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && work->order[next].value == work->order[i].value;)
            next++;
        double rank = (double)(i + next - 1) / 2 - mean;
        for (size_t j = i; j < next; j++)
            work->ranks[work->order[j].place] = rank;
    }
    for (size_t size = 1; size < count; size++)
        work->scales[size] = sqrt((double)count / ((double)size * (double)(count - size)));
}

static void consider(const struct work *work, size_t begin, size_t end, size_t size,
                     struct change *best)
{
    double clarity = fabs(work->sums[end] - work->sums[begin]) * work->scales[size];
    if (clarity > best->clarity)
        *best = (struct change){clarity, begin, end};
}

static size_t excursion_step(size_t count)
{
    return count / EXCURSION_PLACES + 1;
}

static struct change clearest(struct work *work, size_t count, bool with_excursions)
{
    size_t shortest = work->search->shortest;
    struct change best = {0};
    for (size_t i = 0; i < count; i++)
        work->sums[i + 1] = work->sums[i] + work->ranks[i];
    for (size_t i = shortest; i + shortest <= count; i++)
        consider(work, i, count, count - i, &best);
    if (!with_excursions)
        return best;
    size_t step = excursion_step(count);
    for (size_t i = shortest; i + 2 * shortest <= count; i += step)
        for (size_t j = i + shortest; j + shortest <= count; j += step)
            consider(work, i, j, j - i, &best);
    return best;
}

/* Moves the ends of an excursion, which were looked for in steps, to the best places nearby. Uses
 * the sums that clearest() left. */
static struct change sharpen(const struct work *work, size_t count, struct change change)
{
    size_t shortest = work->search->shortest, step = excursion_step(count);
    if (change.end == count || step == 1)
        return change;
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        struct change before = change;
        size_t first = before.begin > shortest + step ? before.begin - step : shortest;
        for (size_t i = first; i <= before.begin + step && i + shortest <= before.end; i++)
            consider(work, i, before.end, before.end - i, &change);
        size_t begin = change.begin;
        first = before.end > begin + shortest + step ? before.end - step : begin + shortest;
        for (size_t j = first; j <= before.end + step && j + shortest <= count; j++)
            consider(work, begin, j, j - begin, &change);
        if (change.begin == before.begin && change.end == before.end)
            break;
    }
    return change;
}

static void shuffle(struct work *work, size_t count)
{
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = random_below(&work->random, i + 1);
        double kept = work->ranks[i];
        work->ranks[i] = work->ranks[other];
        work->ranks[other] = kept;
    }
}

/* Share of shuffled rows as clear as the stretch, itself counted; 1 as soon as it is above alpha.
 * Leaves the ranks shuffled. */
static double chance_of(struct work *work, size_t count, double clarity, bool with_excursions)
{
    size_t draws = work->search->draws, as_clear = 1;
    double allowed = work->search->alpha * (double)(draws + 1);
    if (clarity == 0)
        return 1;
    for (size_t i = 0; i < draws; i++) {
        shuffle(work, count);
        /* Sums in another order round differently. */
        as_clear += clearest(work, count, with_excursions).clarity >= clarity * (1 - 1e-12);
        if ((double)as_clear > allowed)
            return 1;
    }
    return (double)as_clear / (double)(draws + 1);
}

static void add_cut(struct work *work, size_t cut)
{
    size_t place = work->cut_count++;
    for (; work->cuts[place - 1] > cut; place--)
        work->cuts[place] = work->cuts[place - 1];
    work->cuts[place] = cut;
}

static void look_later(struct work *work, size_t begin, size_t end)
{
    if (end - begin < 2 * work->search->shortest)
        return;
    work->todo[work->todo_count++] = begin;
    work->todo[work->todo_count++] = end;
}

static void cut_stretch(struct work *work, size_t begin, size_t end)
{
    size_t count = end - begin;
    rank_stretch(work, begin, count);
    struct change change = clearest(work, count, true), sharp = sharpen(work, count, change);
    /* Shuffled rows are not sharpened, so what is compared with them is not either. */
    if (chance_of(work, count, change.clarity, true) > work->search->alpha)
        return;
    size_t from = begin + sharp.begin, to = begin + sharp.end;
    add_cut(work, from);
    look_later(work, begin, from);
    look_later(work, from, to);
    if (to == end)
        return;
    add_cut(work, to);
    look_later(work, to, end);
}

/* Moves a cut to the best place between its neighbours; says whether it moved. */
static bool settle(struct work *work, size_t index)
{
    size_t begin = work->cuts[index - 1], count = work->cuts[index + 1] - begin;
    rank_stretch(work, begin, count);
    size_t best = begin + clearest(work, count, false).begin;
    bool moved = best != begin && best != work->cuts[index];
    if (moved)
        work->cuts[index] = best;
    return moved;
}

static void settle_all(struct work *work)
{
    bool moved = true;
    for (size_t round = 0; moved && round < MOST_ROUNDS; round++) {
        moved = false;
        for (size_t i = 1; i + 1 < work->cut_count; i++)
            moved |= settle(work, i);
    }
}

static double chance_of_cut(struct work *work, size_t index)
{
    size_t begin = work->cuts[index - 1], count = work->cuts[index + 1] - begin;
    rank_stretch(work, begin, count);
    return chance_of(work, count, clearest(work, count, false).clarity, false);
}

/* Drops a cut that does not stand between its neighbours, if there is one. */
static bool drop_one(struct work *work, double *chances)
{
    for (size_t i = 1; i + 1 < work->cut_count; i++) {
        chances[i] = chance_of_cut(work, i);
        if (chances[i] <= work->search->alpha)
            continue;
        memmove(work->cuts + i, work->cuts + i + 1, (work->cut_count - i - 1) * sizeof *work->cuts);
        work->cut_count--;
        return true;
    }
    return false;
}

static double median_between(struct work *work, size_t begin, size_t end)
{
    memcpy(work->ranks, work->values + begin, (end - begin) * sizeof *work->ranks);
    sort_values(work->ranks, end - begin);
    return quantile(work->ranks, end - begin, .5);
}

static int reserve(struct work *work, size_t count)
{
    size_t levels = count / work->search->shortest + 2;
    if (count > SIZE_MAX / sizeof(struct ranked) / 2 - 2)
        return -ENOMEM;
    work->order = calloc(count + 1, sizeof *work->order);
    work->ranks = calloc(count + 1, sizeof *work->ranks);
    work->sums = calloc(count + 1, sizeof *work->sums);
    work->scales = calloc(count + 1, sizeof *work->scales);
    work->cuts = calloc(levels + 1, sizeof *work->cuts);
    work->todo = calloc(2 * levels, sizeof *work->todo);
    return work->order && work->ranks && work->sums && work->scales && work->cuts && work->todo
               ? 0
               : -ENOMEM;
}

static int check_search(const double *values, size_t count, const struct change_search *search)
{
    if (!(search->alpha > 0 && search->alpha < 1) || !search->shortest ||
        1 / ((double)search->draws + 1) > search->alpha)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i]))
            return -EINVAL;
    return 0;
}

int find_change_points(const double *values, size_t count, const struct change_search *search,
                       struct change_point *points, size_t *found)
{
    *found = 0;
    int error = check_search(values, count, search);
    if (error)
        return error;
    AUTO_WORK struct work work = {.values = values, .search = search};
    AUTO_FREE double *chances = calloc(count / search->shortest + 3, sizeof *chances);
    error = chances ? reserve(&work, count) : -ENOMEM;
    if (error)
        return error;
    random_seed(&work.random, search->seed);
    work.cuts[1] = count;
    work.cut_count = 2;
    look_later(&work, 0, count);
    while (work.todo_count) {
        work.todo_count -= 2;
        cut_stretch(&work, work.todo[work.todo_count], work.todo[work.todo_count + 1]);
    }
    do
        settle_all(&work);
    while (drop_one(&work, chances));
    for (size_t i = 1; i + 1 < work.cut_count; i++)
        points[(*found)++] = (struct change_point){
            work.cuts[i], median_between(&work, work.cuts[i - 1], work.cuts[i]),
            median_between(&work, work.cuts[i], work.cuts[i + 1]), chances[i]};
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which clocks a look holds and in which order: the slow ones outermost, so that the quick ones
 * stand close to what is timed, and innermost what all others are compared with. */
#include <stdlib.h>
#include <string.h>

#include "studies/clocks/plan.h"

/* The CPU's counter, as it is; and read in order with the instructions around it. */
static const char *const counters[] = {"tsc", "cntvct", "rdtime"};
static const char *const fenced[] = {"tsc-fenced", "cntvct-fenced", "rdtime-fenced"};
/* Every other is compared with the first of these that is there. */
static const char *const references[] = {"monotonic-raw", "monotonic-raw-syscall"};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_among(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static bool kind_is(const struct catalogue_clock *clock, const char *kind)
{
    return strcmp(clock->kind, kind) == 0;
}

bool clocks_is_candidate(const struct catalogue_clock *clock)
{
    return !kind_is(clock, "place") && !kind_is(clock, "stolen");
}

bool clocks_has_edges(const struct catalogue_clock *clock)
{
    return strcmp(clock->hardware, "rtc") == 0 || (clock->hz > 0 && clock->hz <= 10);
}

bool clocks_is_asked(const struct clocks_study *study, const struct catalogue_clock *clock)
{
    return !study->name_count || is_among(clock->name, study->names, study->name_count);
}

static bool is_offered(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        if (strcmp(catalogue->clocks[i].name, name) == 0)
            return true;
    return false;
}

static const char *reference(const struct catalogue *catalogue)
{
    for (size_t i = 0; i < COUNT(references); i++)
        if (is_offered(catalogue, references[i]))
            return references[i];
    return "";
}

/* Needed to judge others, whoever asked for what: references, devices that are none of the CPU's
 * counters, and columns that are no clocks. */
static bool is_needed(const struct clocks_study *study, const struct catalogue_clock *clock)
{
    return !clocks_is_candidate(clock) || strcmp(clock->way, "device") == 0 ||
           strcmp(clock->name, reference(study->catalogue)) == 0 ||
           is_among(clock->name, counters, COUNT(counters));
}

/* --- the order --- */

struct place {
    const char *column;
    int rank; /* smaller: farther out */
    size_t index;
};

static const struct {
    const char *way;
    int rank;
} ways[] = {{"read", 20}, {"syscall", 21}, {"vdso", 22}, {"instruction", 23}};

static int rank_of(const struct clocks_study *study, const struct catalogue_clock *clock)
{
    if (kind_is(clock, "place"))
        return 32;
    if (is_among(clock->name, counters, COUNT(counters)))
        return 31;
    if (strcmp(clock->name, reference(study->catalogue)) == 0)
        return 30;
    if (kind_is(clock, "stolen"))
        return 0;
    if (clock->slow)
        return 3;
    for (size_t i = 0; i < COUNT(ways); i++)
        if (strcmp(clock->way, ways[i].way) == 0)
            return ways[i].rank;
    return 10;
}

static int rank_of_own(const struct clocks_own *own)
{
    static const int ranks[CLOCKS_PACES] = {[PACE_GLACIAL] = 1, [PACE_SLOW] = 2, [PACE_QUICK] = 4};
    return ranks[own->pace];
}

static int compare(const void *left, const void *right)
{
    const struct place *one = left, *other = right;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static size_t put_in_order(struct place *places, size_t count, const char **columns, size_t most)
{
    qsort(places, count, sizeof(*places), compare);
    for (size_t i = 0; i < count && i < most; i++)
        columns[i] = places[i].column;
    free(places);
    return count;
}

size_t clocks_look(const struct clocks_study *study, const char **columns, size_t most)
{
    const struct catalogue *catalogue = study->catalogue;
    struct place *places = calloc(catalogue->clock_count + study->own_count + 1, sizeof(*places));
    size_t count = 0;
    for (size_t i = 0; places && i < catalogue->clock_count; i++) {
        const struct catalogue_clock *clock = &catalogue->clocks[i];
        if (!clocks_has_edges(clock) &&
            (clocks_is_asked(study, clock) || is_needed(study, clock))) {
            places[count] = (struct place){clock->name, rank_of(study, clock), count};
            count++;
        }
    }
    for (size_t i = 0; places && i < study->own_count; i++) {
        places[count] = (struct place){study->own[i].text, rank_of_own(&study->own[i]), count};
        count++;
    }
    return places ? put_in_order(places, count, columns, most) : 0;
}

size_t clocks_quick_walls(const struct clocks_study *study, const char **columns, size_t most)
{
    const struct catalogue *catalogue = study->catalogue;
    struct place *places = calloc(catalogue->clock_count + 1, sizeof(*places));
    size_t count = 0;
    for (size_t i = 0; places && i < catalogue->clock_count; i++) {
        const struct catalogue_clock *clock = &catalogue->clocks[i];
        if (kind_is(clock, "wall") && !clock->slow && !clocks_has_edges(clock) &&
            (clocks_is_asked(study, clock) || is_needed(study, clock))) {
            places[count] = (struct place){clock->name, rank_of(study, clock), count};
            count++;
        }
    }
    return places ? put_in_order(places, count, columns, most) : 0;
}

const char *clocks_meter(const struct catalogue *catalogue)
{
    static const char *const others[] = {"monotonic-raw-syscall", "monotonic-syscall",
                                         "monotonic-raw", "monotonic"};
    for (size_t i = 0; i < COUNT(fenced); i++)
        if (is_offered(catalogue, fenced[i]))
            return fenced[i];
    for (size_t i = 0; i < COUNT(others); i++)
        if (is_offered(catalogue, others[i]))
            return others[i];
    return NULL;
}

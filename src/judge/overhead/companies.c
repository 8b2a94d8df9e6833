/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tours by the set of what they call. */
#include "judge/overhead/companies.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* Sets of calls, each as sorted numbers. */
struct set {
    uint64_t *members;
    size_t count;
};

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static int set_of(const struct overhead_tour *tour, bool with_times, struct set *set)
{
    set->members = calloc(tour->length + 1, sizeof(*set->members));
    if (!set->members)
        return -ENOMEM;
    for (size_t i = 0; i < tour->length; i++)
        set->members[i] = (uint64_t)tour->calls[i] << 32 | (with_times ? tour->times[i] : 0);
    qsort(set->members, tour->length, sizeof(*set->members), by_number);
    for (size_t i = 0; i < tour->length; i++)
        if (i == 0 || set->members[i] != set->members[i - 1])
            set->members[set->count++] = set->members[i];
    return 0;
}

static bool same_set(const struct set *left, const struct set *right)
{
    if (left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++)
        if (left->members[i] != right->members[i])
            return false;
    return true;
}

/* The number of a company is that of its first tour. */
static int number(const struct overhead_case *file, bool with_times, uint32_t *numbers)
{
    int error = 0;
    struct set *sets = calloc(file->tour_count + 1, sizeof(*sets));
    if (!sets)
        return -ENOMEM;
    for (size_t i = 0; i < file->tour_count && !error; i++) {
        error = set_of(&file->tours[i], with_times, &sets[i]);
        numbers[i] = 0;
        while (!error && !same_set(&sets[numbers[i]], &sets[i]))
            numbers[i]++;
    }
    for (size_t i = 0; i < file->tour_count; i++)
        free(sets[i].members);
    free(sets);
    return error;
}

int companies_of(const struct overhead_case *file, struct companies *companies)
{
    companies->with_times = calloc(file->tour_count + 1, sizeof(*companies->with_times));
    companies->operations = calloc(file->tour_count + 1, sizeof(*companies->operations));
    if (!companies->with_times || !companies->operations)
        return -ENOMEM;
    int error = number(file, true, companies->with_times);
    return error ? error : number(file, false, companies->operations);
}

void companies_release(struct companies *companies)
{
    free(companies->with_times);
    free(companies->operations);
}

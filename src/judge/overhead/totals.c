/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a tour metered an event in user and in kernel mode, their sum is a meter of its own: it
 * must be taken call by call, for medians do not add up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "studies/overhead/judge.h"
#include "judge/overhead/clock.h"
#include "judge/overhead/figures.h"

/* Is it the event of `user`, in another mode? */
static bool is_mode_of(const struct overhead_meter *user, const struct overhead_meter *other,
                       const char *mode)
{
    size_t base = strcspn(user->event, ":"), other_base = strcspn(other->event, ":");
    return strcmp(user->mode, "u") == 0 && strcmp(other->mode, mode) == 0 &&
           user->unit == other->unit && base == other_base &&
           strncmp(user->event, other->event, base) == 0;
}

static const struct overhead_meter *other_mode(const struct overhead_tour *tour,
                                               const struct overhead_meter *user, const char *mode)
{
    for (uint32_t i = 0; i < tour->meter_count; i++)
        if (is_mode_of(user, &tour->meters[i], mode))
            return &tour->meters[i];
    return NULL;
}

/* Not where both modes were also metered together: that is the total, measured. */
static bool find_halves(struct sorted_tour *sorted)
{
    const struct overhead_tour *tour = sorted->tour;
    for (uint32_t user = 0; user < tour->meter_count; user++) {
        const struct overhead_meter *kernel = other_mode(tour, &tour->meters[user], "k");
        if (!kernel || other_mode(tour, &tour->meters[user], "uk"))
            continue;
        sorted->user = user;
        sorted->kernel = (uint32_t)(kernel - tour->meters);
        return true;
    }
    return false;
}

/* The total of that event, made where no tour before had it. NULL: out of memory. */
static const struct overhead_meter *total_of(const struct overhead_meter *half,
                                             struct overhead_report *report)
{
    size_t base = strcspn(half->event, ":");
    for (size_t i = 0; i < report->total_count; i++)
        if (report->totals[i].unit == half->unit && strcspn(report->totals[i].event, ":") == base &&
            strncmp(report->totals[i].event, half->event, base) == 0)
            return &report->totals[i];
    char *event = malloc(base + sizeof(":uk")), *mode = strdup("uk");
    if (!event || !mode) {
        free(event);
        free(mode);
        return NULL;
    }
    memcpy(event, half->event, base);
    memcpy(event + base, ":uk", sizeof(":uk"));
    report->totals[report->total_count] = (struct overhead_meter){event, mode, half->unit, 0};
    return &report->totals[report->total_count++];
}

static bool same_factors(const struct overhead_tour *left, const struct overhead_tour *right)
{
    return left->machine == right->machine && left->open == right->open &&
           left->separate == right->separate && left->cold == right->cold &&
           strcmp(left->link, right->link) == 0 && strcmp(left->counted, right->counted) == 0;
}

static bool makes_call(const struct overhead_tour *tour, uint32_t operation, uint32_t times)
{
    for (size_t i = 0; i < tour->length; i++)
        if (tour->calls[i] == operation && tour->times[i] == times)
            return true;
    return false;
}

/* Did the clock of an emulated machine count the instructions of the same calls? It misses none,
 * and the counters do: there is one total, and that is the clock's. */
static bool is_clocked(const struct sorted *sorted, const struct overhead_tour *tour)
{
    for (size_t i = 0; i < sorted->count; i++) {
        const struct overhead_tour *other = sorted->tours[i].tour;
        bool clocked = other->processes && other->meter_count &&
                       overhead_is_clock(&other->meters[0]) && same_factors(tour, other);
        for (size_t j = 0; j < tour->length && clocked; j++)
            clocked = makes_call(other, tour->calls[j], tour->times[j]);
        if (clocked)
            return true;
    }
    return false;
}

int overhead_find_totals(struct sorted *sorted, struct overhead_report *report)
{
    /* Room for one of each tour, so that none moves. */
    report->total_count = 0;
    report->totals = calloc(sorted->count + 1, sizeof(*report->totals));
    if (!report->totals)
        return -ENOMEM;
    for (size_t i = 0; i < sorted->count; i++) {
        struct sorted_tour *one = &sorted->tours[i];
        if (!find_halves(one) || is_clocked(sorted, one->tour))
            continue;
        one->total = total_of(&one->tour->meters[one->user], report);
        if (!one->total)
            return -ENOMEM;
    }
    return 0;
}

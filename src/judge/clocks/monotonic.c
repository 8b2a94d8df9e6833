/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a clock goes back: in one thread, by all readings that follow each other there, and
 * across CPUs, by looks in the order of causes. A counter that begins anew is not a step back. */
#include <errno.h>
#include <math.h>

#include "judge/clocks/succession.h"

/* A counter of fewer bits wraps so often that nobody calls it a clock. */
#define FEWEST_BITS 8

struct account_of_clock {
    struct clock_monotonic *monotonic;
    uint64_t largest;
    double period;  /* 0: first round, in which all that is below the one before counts */
    uint64_t maybe; /* of a counter that wraps surely elsewhere, these are no steps back */
    double maybe_worst;
};

static int count(const struct stretch *stretch, void *context)
{
    struct account_of_clock *account = context;
    struct clock_monotonic *monotonic = account->monotonic;
    monotonic->readings += stretch->readings;
    if (stretch->largest > account->largest)
        account->largest = stretch->largest;
    if (!stretch->backward)
        return 0;
    enum wraps wraps = account->period > 0 ? stretch_wraps(stretch, account->period) : WRAPS_NOT;
    if (wraps == WRAPS_SURELY) {
        monotonic->wraps += stretch->backward;
    } else if (wraps == WRAPS_MAYBE) {
        account->maybe += stretch->backward;
        account->maybe_worst = fmax(account->maybe_worst, stretch->worst);
    } else {
        monotonic->backward += stretch->backward;
        monotonic->worst_ticks = fmax(monotonic->worst_ticks, stretch->worst);
    }
    return 0;
}

/* A counter that was seen to wrap showed values up to its period and never beyond. */
static double period_of(uint64_t largest)
{
    int bits = largest ? 64 - __builtin_clzll(largest) : 0;
    return bits < FEWEST_BITS ? 0 : ldexp(1, bits);
}

static int judge_thread(const struct clocks_case *file, const struct clocks_report *report,
                        uint32_t clock, struct clock_monotonic *monotonic)
{
    struct account_of_clock account = {.monotonic = monotonic};
    int error = visit_stretches(file, report, clock, count, &account);
    if (!error && monotonic->backward > 0) {
        *monotonic = (struct clock_monotonic){0};
        account.period = period_of(account.largest);
        error = visit_stretches(file, report, clock, count, &account);
    }
    monotonic->known = monotonic->readings > 0;
    monotonic->wrapped = monotonic->wraps > 0;
    if (!monotonic->wrapped) {
        monotonic->backward += account.maybe;
        monotonic->worst_ticks = fmax(monotonic->worst_ticks, account.maybe_worst);
    }
    monotonic->wrap_ticks = monotonic->wrapped ? account.period : 0;
    return error;
}

/* By how much a look shows less than one before it in the order of causes; 0: by nothing. */
static double worst_of_trip(const struct clock_monotonic *monotonic, const uint64_t *first,
                            uint32_t columns)
{
    double there = ticks_between(monotonic, first[0], first[columns]);
    double back = ticks_between(monotonic, first[columns], first[2 * (size_t)columns]);
    return fmax(0, fmax(-there, -back));
}

static void judge_trips(const struct clocks_case *file, const struct clocks_report *report,
                        const struct clock_watch *watch, uint32_t clock, int column)
{
    struct clock_monotonic *monotonic = &report->monotonic[clock];
    size_t looks = watch->begins[watch->processes];
    for (size_t look = 0; look + WATCH_TRIP_LOOKS <= looks; look += WATCH_TRIP_LOOKS) {
        if (trip_is_lost(file, report, clock, watch, look))
            continue;
        const uint64_t *first = watch->values + look * watch->columns + column;
        double worst = worst_of_trip(monotonic, first, watch->columns);
        monotonic->trips++;
        monotonic->cross_backward += worst > 0;
        monotonic->cross_worst_ticks = fmax(monotonic->cross_worst_ticks, worst);
    }
}

/* Has an earlier watch of the clock the same two CPUs? */
static bool is_known_pair(const struct clocks_case *file, size_t index, uint32_t clock)
{
    const struct clock_watch *watch = &file->watches[index];
    for (size_t i = 0; i < index; i++) {
        const struct clock_watch *other = &file->watches[i];
        bool same = (other->cpu == watch->cpu && other->partner == watch->partner) ||
                    (other->cpu == watch->partner && other->partner == watch->cpu);
        if (other->kind == WATCH_TRIPS && other->processes > 0 && same &&
            watch_column(other, clock) >= 0)
            return true;
    }
    return false;
}

/* Time of a CPU or of a thread has no order across threads. */
static void judge_across(const struct clocks_case *file, const struct clocks_report *report,
                         uint32_t clock)
{
    struct clock_monotonic *monotonic = &report->monotonic[clock];
    if (file->clocks[clock].role != ROLE_WALL)
        return;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        int column = watch_column(watch, clock);
        if (watch->kind != WATCH_TRIPS || watch->processes == 0 || column < 0)
            continue;
        monotonic->cross_known = true;
        monotonic->pairs += !is_known_pair(file, i, clock);
        judge_trips(file, report, watch, clock, column);
    }
}

int clocks_judge_monotonicity(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->clock_count; i++) {
        struct clock_monotonic *monotonic = &report->monotonic[i];
        if (!clock_is_candidate(&file->clocks[i]))
            continue;
        int error = judge_thread(file, report, (uint32_t)i, monotonic);
        if (error < 0)
            return error;
        judge_across(file, report, (uint32_t)i);
    }
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The error bar of ticks.
 *
 * A counter shows multiples of its step, so that a distance between two readings may be off by up
 * to a step on either side, and by little more often than by much: the shares of values in a row
 * are samples of a density that goes in straight lines between them. Quantiles are those of that
 * density. They do not jump from one step to the next with a single value, and the distance between
 * quartiles is never 0, even where all values are the same: then it is 0.59 of a step. */
#include "lib/tick-bar.h"

#include "lib/root.h"

#define OUTSIDE      0.02 /* on each side: one of 50 values */
#define BISECTIONS   14   /* of two steps */
#define WIDER        1.03 /* see side */
#define LEAST        1.35 /* steps: a distance by two readings, held against another one */
#define WIDEST       2    /* quartiles' distances */
#define MUCH_LONGER  10
#define REFUSED_MOST 16

/* --- taking --- */

static bool was_interrupted(struct tick_nulls *nulls, double whole)
{
    if (nulls->usual <= 0 || whole <= MUCH_LONGER * nulls->usual) {
        nulls->refused = 0;
        return false;
    }
    if (++nulls->refused <= REFUSED_MOST)
        return true;
    nulls->refused = nulls->count = nulls->next = 0; /* that is how it is now */
    nulls->usual = 0;
    return false;
}

void tick_nulls_add(struct tick_nulls *nulls, const uint64_t readings[4])
{
    double whole = (double)(readings[3] - readings[0]),
           inside = (double)(readings[2] - readings[1]);
    uint64_t apart = nulls->ended ? readings[0] - nulls->ended : 0;
    nulls->ended = readings[3];
    if (was_interrupted(nulls, whole))
        return;
    nulls->apart[nulls->next] = apart;
    nulls->around[nulls->next] = whole - inside;
    nulls->inside[nulls->next] = inside;
    nulls->next = (nulls->next + 1) % TICK_NULLS;
    if (nulls->count < TICK_NULLS)
        nulls->count++;
}

/* --- what they come to --- */

/* Different values in order, and how many have each. */
struct shares {
    double value[TICK_NULLS], many[TICK_NULLS];
    size_t count;
    double all, step;
};

static void share_of(struct shares *shares, double value)
{
    size_t at = shares->count;
    while (at > 0 && shares->value[at - 1] >= value)
        at--;
    if (at == shares->count || shares->value[at] != value) {
        for (size_t i = shares->count; i > at; i--) {
            shares->value[i] = shares->value[i - 1];
            shares->many[i] = shares->many[i - 1];
        }
        shares->value[at] = value;
        shares->many[at] = 0;
        shares->count++;
    }
    shares->many[at]++;
}

static void shares_of(const double *values, const struct tick_nulls *nulls, struct shares *shares)
{
    shares->count = 0;
    shares->all = (double)nulls->count;
    for (size_t i = 0; i < nulls->count; i++)
        share_of(shares, values[i]);
}

static uint64_t common_step(uint64_t one, uint64_t other)
{
    while (other) {
        uint64_t rest = one % other;
        one = other;
        other = rest;
    }
    return one;
}

/* Of the newest only: a counter may be off by an odd number of ticks between CPUs, once. */
static double step_of(const struct tick_nulls *nulls, const struct shares *inside,
                      const struct shares *around)
{
    uint64_t step = 0;
    for (size_t i = 0; i < nulls->count; i++)
        step = common_step(nulls->apart[i], step);
    for (size_t i = 0; i < inside->count; i++)
        step = common_step(step, (uint64_t)inside->value[i]);
    for (size_t i = 0; i < around->count; i++)
        step = common_step(step, (uint64_t)around->value[i]);
    return step ? (double)step : 1;
}

/* How many are below, each spread over two steps: most in the middle, none at the borders. */
static double below(const struct shares *shares, double limit)
{
    double sum = 0;
    for (size_t i = 0; i < shares->count; i++) {
        double steps = (limit - shares->value[i]) / shares->step;
        if (steps <= -1)
            break;
        if (steps >= 1)
            sum += shares->many[i];
        else if (steps < 0)
            sum += shares->many[i] * (1 + steps) * (1 + steps) / 2;
        else
            sum += shares->many[i] * (1 - (1 - steps) * (1 - steps) / 2);
    }
    return sum;
}

/* It is within a step of the value at which as many have been counted. */
static double quantile(const struct shares *shares, double share)
{
    double wanted = share * shares->all, counted = 0;
    size_t at = 0;
    while (at + 1 < shares->count && counted + shares->many[at] < wanted)
        counted += shares->many[at++];
    double low = shares->value[at] - shares->step, high = shares->value[at] + shares->step;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (below(shares, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Of the values between two limits. Of a counter that moves in coarse steps this is right where the
 * median is not: of 46 ticks it shows now 40, now 80, and no other value. */
static double mean_between(const struct shares *shares, double low, double high)
{
    double sum = 0, many = 0;
    for (size_t i = 0; i < shares->count; i++) {
        if (shares->value[i] + shares->step < low || shares->value[i] - shares->step > high)
            continue;
        sum += shares->value[i] * shares->many[i];
        many += shares->many[i];
    }
    return many > 0 ? sum / many : (low + high) / 2;
}

/* By a little wider than the scatter of empty regions: so few of them do not tell it better. The
 * place of code and how warm it is move a region's ends by parts of a step. A tail is left out when
 * it is so far away that it cannot belong to one region in twenty. */
static double side(double scatter, double quartiles, double step)
{
    double wide = WIDER * scatter + TICK_PLACE * step;
    wide = wide < WIDEST * quartiles ? wide : WIDEST * quartiles;
    return wide > LEAST * step ? wide : LEAST * step;
}

bool tick_bar_of(struct tick_nulls *nulls, struct tick_bar *bar)
{
    struct shares within, shares;
    if (nulls->count < TICK_FEW)
        return false;
    shares_of(nulls->inside, nulls, &within);
    shares_of(nulls->around, nulls, &shares);
    bar->step = within.step = shares.step = step_of(nulls, &within, &shares);
    double inside =
        mean_between(&within, quantile(&within, OUTSIDE), quantile(&within, 1 - OUTSIDE));
    double low = quantile(&shares, OUTSIDE), high = quantile(&shares, 1 - OUTSIDE);
    double around = mean_between(&shares, low, high);
    bar->quartiles = quantile(&shares, 0.75) - quantile(&shares, 0.25);
    /* Two halves of a reading inside are in `around`: as much as from one to the next. */
    bar->middle = around - inside;
    bar->low = bar->middle - side(around - low, bar->quartiles, shares.step);
    bar->high = bar->middle + side(high - around, bar->quartiles, shares.step);
    nulls->usual = around + inside;
    return true;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One run: its count, its error, and whether something disturbed it. All in integers, so that a
 * count above 2^53 is still exact or not. */
#include "judge/explain.h"
#include "judge/points.h"

/* Far above every count, and far enough below the limit to subtract and add a few. */
#define WIDE_MOST ((wide)1 << 120)

bool run_is_multiplexed(const struct evidence_run *run)
{
    return run->running < run->enabled;
}

bool run_count_of(const struct evidence_run *run, wide *count)
{
    if (run->running == 0 && run->enabled > 0)
        return false;
    wide value = (int64_t)run->value;
    if (!run_is_multiplexed(run)) {
        *count = value;
        return true;
    }
    /* At most 2^63 * (2^64 - 1) + (2^63 - 1), which is less than 2^127. */
    bool negative = value < 0;
    wide magnitude = negative ? -value : value;
    wide scaled = (magnitude * (wide)run->enabled + (wide)(run->running / 2)) / (wide)run->running;
    if (scaled > WIDE_MOST)
        scaled = WIDE_MOST;
    *count = negative ? -scaled : scaled;
    return true;
}

static int64_t sum_of(uint64_t left, uint64_t right)
{
    uint64_t sum;
    if (__builtin_add_overflow(left, right, &sum) || sum > INT64_MAX)
        return INT64_MAX;
    return (int64_t)sum;
}

int64_t account_faults(const struct account *account)
{
    return sum_of(account->minor_faults, account->major_faults);
}

int64_t account_switches(const struct account *account)
{
    return sum_of(account->voluntary, account->involuntary);
}

/* Did the account see more than the code does (-1: nobody knows) and the way does? */
static bool exceeds(int64_t seen, int64_t own, int64_t usual)
{
    return own >= 0 && (wide)seen > (wide)own + usual;
}

bool run_is_disturbed(const struct judged_point *judged, const struct evidence_run *run)
{
    const struct point *point = judged->point;
    return exceeds(account_faults(&run->account), point->faults, judged->usual_faults) ||
           exceeds(account_switches(&run->account), point->switches, judged->usual_switches);
}

bool run_is_judged(const struct judged_point *judged, const struct evidence_run *run)
{
    wide count;
    return run_count_of(run, &count) &&
           (judged->disturbed == judged->runs || !run_is_disturbed(judged, run));
}

bool run_exact_error(const struct judged_point *judged, const struct evidence_run *run, wide *error)
{
    const struct truth *truth = &judged->point->truth;
    wide count;
    if (truth->grade == TRUTH_NONE || !run_count_of(run, &count))
        return false;
    count -= judged->overhead;
    wide low = truth->low, high = truth->high;
    if (judged->against_account)
        low = high = (wide)account_switches(&run->account) - judged->usual_switches;
    *error = count < low ? count - low : count > high ? count - high : 0;
    return true;
}

bool run_error(const struct judged_point *judged, const struct evidence_run *run, double *error)
{
    wide exact;
    if (!run_exact_error(judged, run, &exact))
        return false;
    *error = (double)exact;
    return true;
}

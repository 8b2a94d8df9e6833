/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs that are wrong beside runs of the same code that are right: some lost counts, or only those
 * are wrong during which the counter was away. */
#include <math.h>

#include "judge/explaining.h"
#include "stats/interval.h"

#define TRUTH_LEAST      10    /* smaller ones are lost altogether or not at all */
#define NOISE_TIMES      100.0 /* the spread of the null cell that a truth must outweigh */
#define RIGHT            0.01  /* of the truth */
#define LOW              0.05
#define LOST_LEAST       3    /* runs */
#define LOST_EXACT       5    /* runs, when all others are exact */
#define SMALL_LOST_LEAST 10   /* runs, when they lost little */
#define TAIL_LEVEL       1e-6 /* chance of taking a tail for losses */
#define POINTS_LEAST     2

/* --- lost counts --- */

struct lost {
    size_t runs, right, exact, low, zero, high;
    size_t mixed, low_in_mixed; /* groups with both right and low ones, and the low runs there */
};

enum state { STATE_RIGHT, STATE_LOW, STATE_HIGH };

/* Large losses against a share of the truth, small ones against a truth that is met exactly. */
static enum state state_of(const struct error_point *point, const struct error_run *run, bool small)
{
    double low = small ? 0.5 : fmax(3, LOW * point->truth);
    return run->error < -low ? STATE_LOW : run->error > low ? STATE_HIGH : STATE_RIGHT;
}

static bool looked_at(const struct error_point *point, const struct error_run *run)
{
    return point->proven && !point->left_out && !run->left_out && !run->disturbed &&
           !run->multiplexed && point->truth >= fmax(TRUTH_LEAST, NOISE_TIMES * point->added_noise);
}

/* Where the runs end that are looked at together: those of a point, or for small losses those of
 * one process, because whole processes may differ for other reasons. */
static size_t end_of_group(const struct error_point *point, size_t from, bool small)
{
    if (!small)
        return point->run_count;
    size_t to = from + 1;
    while (to < point->run_count && point->runs[to].run->process == point->runs[from].run->process)
        to++;
    return to;
}

static void count_group(const struct error_point *point, size_t from, size_t to, bool small,
                        struct lost *lost)
{
    struct lost here = {0};
    for (size_t j = from; j < to; j++) {
        const struct error_run *run = &point->runs[j];
        if (!looked_at(point, run))
            continue;
        enum state state = state_of(point, run, small);
        here.runs++;
        here.right += state == STATE_RIGHT;
        here.exact += run->error == 0;
        here.low += state == STATE_LOW;
        here.high += state == STATE_HIGH;
        here.zero += state == STATE_LOW && fabs(run_count_raw(point, run)) <= 0.001 * point->truth;
    }
    bool mixed = here.low && here.right >= (small ? here.low : 1);
    lost->runs += here.runs;
    lost->right += here.right;
    lost->exact += here.exact;
    lost->low += here.low;
    lost->high += here.high;
    lost->zero += here.zero;
    lost->mixed += mixed;
    lost->low_in_mixed += mixed ? here.low : 0;
}

static struct lost count_lost(const struct errors *errors, bool small)
{
    struct lost lost = {0};
    for (size_t i = 0; i < errors->count; i++)
        for (size_t from = 0, to; from < errors->points[i].run_count; from = to) {
            to = end_of_group(&errors->points[i], from, small);
            count_group(&errors->points[i], from, to, small, &lost);
        }
    return lost;
}

/* Tails reach both ways; to read nothing at all is no tail. */
static bool is_one_sided(const struct lost *lost)
{
    if (lost->zero >= LOST_LEAST && 2 * lost->zero >= lost->low)
        return true;
    if (lost->low >= LOST_EXACT && lost->high == 0 && lost->exact == lost->right)
        return true; /* without noise there are no tails */
    /* Chance of so few high ones among them if either were as likely. */
    size_t outside = lost->low + lost->high;
    return share_interval(lost->high, outside, 1 - 2 * TAIL_LEVEL).high < 0.5;
}

static bool is_lost(const struct lost *lost, bool small)
{
    double runs = (double)lost->runs, low = (double)lost->low;
    return lost->low >= (small ? SMALL_LOST_LEAST : LOST_LEAST) && lost->mixed >= POINTS_LEAST &&
           (double)lost->high <= (small ? 0.02 : 0.1) * low &&
           (double)lost->right >= (small ? 0.3 : 0.1) * runs &&
           (double)lost->low_in_mixed >= 0.8 * low && is_one_sided(lost);
}

static void leave_lost_out(struct errors *errors, bool small)
{
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++) {
            struct error_run *run = &errors->points[i].runs[j];
            run->left_out |= looked_at(&errors->points[i], run) &&
                             state_of(&errors->points[i], run, small) == STATE_LOW;
        }
}

int explain_lost(struct explaining *explaining)
{
    for (int small = 0; small < 2; small++) {
        struct lost lost = count_lost(&explaining->errors, small);
        if (!is_lost(&lost, small))
            continue;
        struct interval share = share_interval(lost.low, lost.runs, 0.95);
        struct explanation found = {.cause = CAUSE_LOST_COUNTS,
                                    .per = "run",
                                    .size = (double)lost.low / (double)lost.runs,
                                    .low = share.low,
                                    .high = share.high,
                                    .share = 1};
        explaining_add(explaining, &found,
                       "%.3g %% of the runs [%.3g, %.3g] lost counts (%zu of %zu, %zu read "
                       "nothing); the others are %s.",
                       100 * found.size, 100 * share.low, 100 * share.high, lost.low, lost.runs,
                       lost.zero, small ? "exact" : "within 5 %");
        leave_lost_out(&explaining->errors, small);
        return 0;
    }
    return 0;
}

/* --- multiplexing --- */

struct shared {
    size_t whole, whole_right; /* runs with the counter all the time */
    size_t part, part_right;   /* runs with the counter part of the time, extrapolated */
    size_t raw_right;          /* those that are right as they were reported */
    double relative, squares;  /* sums over them: relative error, its square */
};

static bool is_near(const struct error_point *point, double error)
{
    return fabs(error) <= fmax(1.5, RIGHT * point->truth);
}

static struct shared count_shared(const struct errors *errors)
{
    struct shared shared = {0};
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        for (size_t j = 0; j < point->run_count; j++) {
            const struct error_run *run = &point->runs[j];
            double least = fmax(TRUTH_LEAST, NOISE_TIMES * 2 * point->added_noise);
            if (!point->proven || point->truth < least || run->disturbed)
                continue;
            if (!run->multiplexed) {
                shared.whole++;
                shared.whole_right += is_near(point, run->error);
                continue;
            }
            double relative = run->error / point->truth;
            shared.part++;
            shared.part_right += is_near(point, run->error);
            shared.raw_right += is_near(point, run_count_raw(point, run) - point->truth);
            shared.relative += relative;
            shared.squares += relative * relative;
        }
    }
    return shared;
}

int explain_multiplexing(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct shared shared = count_shared(errors);
    double part = (double)shared.part, right = (double)shared.part_right;
    bool spoiled = shared.part >= LOST_LEAST && right <= 0.75 * part &&
                   (double)shared.raw_right >= 0.95 * part;
    bool only_part = shared.part >= 5 && shared.whole >= 10 &&
                     (double)shared.whole_right >= 0.95 * (double)shared.whole &&
                     right <= 0.75 * part;
    if (!spoiled && !only_part)
        return 0;
    double mean = shared.relative / part;
    double spread = sqrt(fmax(shared.squares / part - mean * mean, 0));
    double half = t_quantile(0.975, fmax(part - 1, 1)) * spread / sqrt(part);
    struct explanation found = {.cause = CAUSE_MULTIPLEXING,
                                .per = "multiplexed run",
                                .size = mean,
                                .low = mean - half,
                                .high = mean + half,
                                .share = 1};
    if (spoiled)
        explaining_add(explaining, &found,
                       "What multiplexed runs report is right as it is (%zu of %zu); extrapolating "
                       "by the time on the counter spoils it by %.3g %% [%.3g, %.3g].",
                       shared.raw_right, shared.part, 100 * mean, 100 * found.low,
                       100 * found.high);
    else
        explaining_add(explaining, &found,
                       "Only multiplexed runs are wrong: %zu of %zu, by %.3g %% [%.3g, %.3g] on "
                       "average; of the others %zu of %zu are right.",
                       shared.part - shared.part_right, shared.part, 100 * mean, 100 * found.low,
                       100 * found.high, shared.whole_right, shared.whole);
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++)
            errors->points[i].runs[j].left_out |= errors->points[i].runs[j].multiplexed;
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors that come and go from run to run of the same code: with the interrupts that were counted
 * along, with faults that strayed in, or at random with a chance that grows with time, as ticks
 * do. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/explaining.h"
#include "judge/points.h"
#include "stats/interval.h"
#include "stats/moments.h"

#define LEVEL         1e-5 /* chance of seeing a slope where there is none */
#define VARIED_LEAST  6    /* runs that had more or fewer than usual */
#define HANDLER       50.0 /* counts for each interrupt from which its handler must be among them */
#define TICKS_LEAST   10
#define RATE_LEAST    10.0    /* interrupts in a second that are believed */
#define RATE_MOST     20000.0 /* the same */
#define LIKELIER      2.0
#define MUCH_LIKELIER 8.0 /* difference of log likelihoods */

/* --- a slope within points --- */

typedef double run_figure(const struct evidence_run *run);

static double interrupts_of(const struct evidence_run *run)
{
    return run->interrupts;
}

static double faults_of(const struct evidence_run *run)
{
    return (double)account_faults(&run->account);
}

struct slope {
    double products, squares;   /* sums of w dx dy, w dx dx */
    double errors;              /* of w dy dy */
    double value, low, high, p; /* p: of there being none */
    double share;
    size_t runs, varied, points;
    double *ratios; /* dy / dx where dx is not 0 */
};

/* Runs of one process of one point, from `from` to `to`: deviations from the medians of both. */
static void add_group(struct slope *slope, const struct error_point *point, size_t from, size_t to,
                      run_figure *counted, double *x, double *y)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        if (!point->runs[i].left_out) {
            x[count] = counted(point->runs[i].run);
            y[count++] = point->runs[i].error;
        }
    if (count < 2)
        return;
    sort_values(x, count);
    sort_values(y, count);
    double usual_x = quantile(x, count, 0.5), usual_y = quantile(y, count, 0.5);
    double noise = (quantile(y, count, 0.75) - quantile(y, count, 0.25)) / 1.35;
    double weight = 1 / (noise * noise + 0.25);
    size_t varied = slope->varied;
    for (size_t i = from; i < to; i++) {
        if (point->runs[i].left_out)
            continue;
        double dx = counted(point->runs[i].run) - usual_x, dy = point->runs[i].error - usual_y;
        slope->runs++;
        slope->products += weight * dx * dy;
        slope->squares += weight * dx * dx;
        slope->errors += weight * dy * dy;
        if (dx != 0)
            slope->ratios[slope->varied++] = dy / dx;
    }
    slope->points += slope->varied > varied;
}

static void finish_slope(struct slope *slope)
{
    slope->p = 1;
    if (slope->varied < VARIED_LEAST || !(slope->squares > 0))
        return;
    double df = (double)slope->runs - (double)slope->points - 1;
    if (df < 1)
        return;
    slope->value = slope->products / slope->squares;
    double rest = fmax(slope->errors - slope->value * slope->products, 0);
    /* Never better than the noise that a rounded count has. */
    double error = sqrt(fmax(rest / df, 1) / slope->squares);
    double half = t_quantile(0.975, df) * error;
    slope->low = slope->value - half;
    slope->high = slope->value + half;
    slope->p = t_two_sided_p(slope->value / error, df);
    slope->share = slope->errors > 0 ? 1 - fmin(rest / slope->errors, 1) : 0;
    sort_values(slope->ratios, slope->varied);
    /* One wild run among many makes a slope, but not the usual ratio. */
    double usual = quantile(slope->ratios, slope->varied, 0.5);
    if (fabs(usual - slope->value) > 0.5 * fabs(slope->value) || slope->points < 2)
        slope->p = 1;
}

static int find_slope(const struct errors *errors, run_figure *counted, bool needs_interrupts,
                      struct slope *slope)
{
    size_t most = 1, all = 1;
    for (size_t i = 0; i < errors->count; i++) {
        all += errors->points[i].run_count;
        most = errors->points[i].run_count > most ? errors->points[i].run_count : most;
    }
    AUTO_FREE double *x = calloc(most, sizeof(double));
    AUTO_FREE double *y = calloc(most, sizeof(double));
    AUTO_FREE double *ratios = calloc(all, sizeof(double));
    *slope = (struct slope){.p = 1, .ratios = ratios};
    if (!x || !y || !ratios)
        return -ENOMEM;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (point->left_out || (needs_interrupts && !point->point->has_interrupts))
            continue;
        for (size_t from = 0, to; from < point->run_count; from = to) {
            to = from + 1;
            while (to < point->run_count &&
                   point->runs[to].run->process == point->runs[from].run->process)
                to++;
            add_group(slope, point, from, to, counted, x, y);
        }
    }
    finish_slope(slope);
    slope->ratios = NULL;
    return 0;
}

/* --- ticks that nobody counted: at random, the longer the more --- */

struct ticks {
    double each;                      /* counts that one of them adds */
    double events;                    /* how many of them */
    double seconds, truths, runs;     /* sums over the runs */
    double by_time, by_run, by_truth; /* log likelihoods: chance grows with time, is the same for
                                         all, grows with the count */
    double square, df;                /* of the points around it, by time */
    double variance, mean;            /* sums over points */
};

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The most frequent error that is not 0, where most are; 0: there is none, or some are negative. */
static int usual_excess(const struct errors *errors, double *each)
{
    size_t all = 0, count = 0, negative = 0, quiet = 0;
    for (size_t i = 0; i < errors->count; i++)
        all += errors->points[i].run_count;
    AUTO_FREE double *values = calloc(all + 1, sizeof(double));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++) {
            const struct error_run *run = &errors->points[i].runs[j];
            if (!error_point_counts(&errors->points[i]) || run->disturbed || run->left_out)
                continue;
            quiet++;
            negative += run->error < -0.5;
            if (run->error > 0.5)
                values[count++] = run->error;
        }
    *each = 0;
    if (count < 3 || (double)negative > 0.001 * (double)quiet)
        return 0;
    qsort(values, count, sizeof(double), by_value);
    size_t longest = 0;
    for (size_t i = 0, length = 0; i < count; i++) {
        length = i && values[i] == values[i - 1] ? length + 1 : 1;
        if (length > longest) {
            longest = length;
            *each = values[i];
        }
    }
    return 0;
}

/* Sums over the quiet runs of a point. */
struct excess {
    double events, squares, seconds, runs;
};

static struct excess excess_of(const struct error_point *point, double each)
{
    struct excess excess = {0};
    for (size_t i = 0; i < point->run_count; i++) {
        const struct error_run *run = &point->runs[i];
        if (run->disturbed || run->left_out)
            continue;
        double events = run->error / each;
        excess.events += events;
        excess.squares += events * events;
        excess.seconds += (double)run->run->enabled / 1e9;
        excess.runs++;
    }
    return excess;
}

static double likelihood(double events, double expected)
{
    double least = fmax(expected, 1e-9);
    return events * log(least) - least;
}

static void weigh_point(struct ticks *ticks, const struct error_point *point)
{
    struct excess excess = excess_of(point, ticks->each);
    double expected = ticks->events / ticks->seconds * excess.seconds;
    ticks->by_time += likelihood(excess.events, expected);
    ticks->by_run += likelihood(excess.events, ticks->events / ticks->runs * excess.runs);
    ticks->by_truth += likelihood(excess.events, ticks->events / fmax(ticks->truths, 1) *
                                                     point->truth * excess.runs);
    /* Rare ones have no normal deviation: half an event more than none. */
    ticks->square += (excess.events - expected) * (excess.events - expected) / fmax(expected, 0.5);
    ticks->df++;
    ticks->mean += excess.events / excess.runs;
    if (excess.runs > 1)
        ticks->variance +=
            (excess.squares - excess.events * excess.events / excess.runs) / (excess.runs - 1);
}

static void count_ticks(const struct errors *errors, struct ticks *ticks)
{
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!error_point_counts(point))
            continue;
        struct excess excess = excess_of(point, ticks->each);
        ticks->events += excess.events;
        ticks->seconds += excess.seconds;
        ticks->truths += point->truth * excess.runs;
        ticks->runs += excess.runs;
    }
    for (size_t i = 0; i < errors->count && ticks->seconds > 0; i++)
        if (error_point_counts(&errors->points[i]))
            weigh_point(ticks, &errors->points[i]);
}

static bool are_ticks(const struct ticks *ticks)
{
    double rate = ticks->seconds > 0 ? ticks->events / ticks->seconds : 0;
    return ticks->events >= TICKS_LEAST && rate >= RATE_LEAST && rate <= RATE_MOST &&
           ticks->by_time > ticks->by_run + MUCH_LIKELIER &&
           ticks->by_time > ticks->by_truth + LIKELIER && ticks->square <= 5 * ticks->df &&
           /* An error that is the same in every run is no matter of chance. */
           ticks->variance >= 0.02 * ticks->mean && ticks->variance <= 20 * ticks->mean;
}

static int explain_ticks(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct ticks ticks = {0};
    int result = usual_excess(errors, &ticks.each);
    if (result < 0 || ticks.each <= 0)
        return result;
    count_ticks(errors, &ticks);
    if (!are_ticks(&ticks))
        return 0;
    double rate = ticks.events / ticks.seconds;
    double spread = fmax(ticks.square / fmax(ticks.df - 1, 1), 1);
    double half = 1.96 * sqrt(ticks.events * spread) / ticks.seconds;
    bool leaks = ticks.each >= HANDLER && event_is_user_only(errors->judgement->evidence);
    struct explanation found = {.cause = leaks ? CAUSE_KERNEL_LEAK : CAUSE_INTERRUPT_OVERCOUNT,
                                .per = "second",
                                .size = rate * ticks.each,
                                .low = (rate - half) * ticks.each,
                                .high = (rate + half) * ticks.each,
                                .share = 1};
    explaining_add(explaining, &found,
                   "Adds %g at %.3g interrupts a second [%.3g, %.3g]: errors are multiples of it "
                   "that come at random, the more the longer a run lasts.",
                   ticks.each, rate, rate - half, rate + half);
    /* Rare ones do not move a point's median; where they are frequent, their mean goes. */
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++) {
            struct error_run *run = &errors->points[i].runs[j];
            double expected = rate * (double)run->run->enabled / 1e9;
            if (expected > 1)
                run->error -= ticks.each * expected;
            else if (run->error > 0)
                run->error = fmod(run->error, ticks.each);
        }
    return 0;
}

int explain_interrupts(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct slope slope;
    int result = find_slope(errors, interrupts_of, true, &slope);
    if (result < 0)
        return result;
    if (slope.p > LEVEL)
        return explain_ticks(explaining);
    bool leaks = fabs(slope.value) >= HANDLER && event_is_user_only(errors->judgement->evidence);
    struct explanation found = {.cause = leaks ? CAUSE_KERNEL_LEAK : CAUSE_INTERRUPT_OVERCOUNT,
                                .per = "interrupt",
                                .size = slope.value,
                                .low = slope.low,
                                .high = slope.high,
                                .share = slope.share};
    explaining_add(explaining, &found,
                   "Adds %.4g for each interrupt [%.4g, %.4g], as runs of the same code show "
                   "(%zu runs with more or fewer than usual)%s.",
                   slope.value, slope.low, slope.high, slope.varied,
                   leaks ? ": the handler is counted" : "");
    double whole = round(slope.value);
    double each = whole >= slope.low && whole <= slope.high ? whole : slope.value;
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++)
            errors->points[i].runs[j].error -= each * errors->points[i].runs[j].run->interrupts;
    return 0;
}

/* Code that faults by itself tells more than faults that stray in; these are asked without it. */
static bool code_faults(const struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].point->faults >= 10)
            return true;
    return false;
}

int explain_stray_faults(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct slope slope;
    if (code_faults(errors))
        return 0;
    int result = find_slope(errors, faults_of, false, &slope);
    if (result < 0 || slope.p > LEVEL)
        return result;
    bool leaks = fabs(slope.value) >= HANDLER && event_is_user_only(errors->judgement->evidence);
    struct explanation found = {.cause = leaks ? CAUSE_KERNEL_LEAK : CAUSE_FAULT_OVERCOUNT,
                                .per = "page fault",
                                .size = slope.value,
                                .low = slope.low,
                                .high = slope.high,
                                .share = slope.share};
    explaining_add(explaining, &found,
                   "Adds %.4g for each page fault [%.4g, %.4g], as %zu runs show that had more or "
                   "fewer than usual%s.",
                   slope.value, slope.low, slope.high, slope.varied,
                   leaks ? ": the handler is counted" : "");
    return 0;
}

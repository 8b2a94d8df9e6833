/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the readings of an event to a corrected count with its uncertainty. */
#include "studies/stat/judge.h"

#include <math.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"

#define CONFIDENCE       0.95
#define NORMAL_975       1.959963984540054
#define MEDIAN_TO_MEAN   1.2533141373155003 /* sqrt(pi / 2): a median's error over a mean's */
#define SMALLEST_TO_TELL 2                  /* executions, for a spread */
#define SMALLEST_TO_WARM 3                  /* executions, to tell that the first was cold */
#define COLD             1.1

/* What times of one machine differ by from one invocation to the next, in which nothing that was
 * executed there had a part (docs/stat.md has the measurements): half of the 95 % interval as a
 * share of the time, as assumed where no earlier invocation tells, which counts as so many of them
 * do; and the part of the variance between executions that all of an invocation have in common.
 * Both are of short invocations; they fall with the fourth root of the time. */
#define DRIFT         0.1
#define DRIFT_WEIGHT  4.0
#define DRIFT_LEAST   0.02
#define DRIFT_SHARED  0.25
#define DRIFT_SECONDS 0.1

const char *const stat_state_names[STAT_STATES] = {
    [STAT_COUNTED] = "counted",         [STAT_MULTIPLEXED] = "multiplexed",
    [STAT_UNSCHEDULED] = "unscheduled", [STAT_UNSUPPORTED] = "unsupported",
    [STAT_ACCOUNTED] = "accounted",     [STAT_DROPPED] = "dropped",
    [STAT_PARTIAL] = "partial",
};

static bool shared_counter(const struct stat_reading *reading)
{
    return reading->running < reading->enabled;
}

static double extrapolated(const struct stat_reading *reading)
{
    const double value = (double)reading->value;
    return shared_counter(reading) ? value * (double)reading->enabled / (double)reading->running
                                   : value;
}

/* The values of those that got a counter; returns how many. */
static size_t values_of(const struct stat_reading *readings, size_t count, double *values)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (readings[i].running)
            values[kept++] = extrapolated(&readings[i]);
    return kept;
}

static double half_width(double stdev, size_t count, double times)
{
    return t_quantile(0.5 + CONFIDENCE / 2, (double)count - 1) * stdev * times;
}

/* How far above a sum of rare events that chance makes their mean may lie: the upper limit of 95 %
 * for a Poisson variable, by Wilson and Hilferty's cube root. */
static double above_chance(double sum)
{
    const double next = sum + 1;
    return next * pow(1 - 1 / (9 * next) + NORMAL_975 / (3 * sqrt(next)), 3) - sum;
}

/* By how much farther the mean may lie from that of a sample which leans to one side, as where a
 * mode of the program was seen once (Johnson's correction of Student's interval). */
static double leaning(const double *values, const struct moments *moments)
{
    const double count = (double)moments->count;
    double cubes = 0;
    for (size_t i = 0; i < moments->count; i++)
        cubes += pow(values[i] - moments->mean, 3) / count;
    const double variance = moments->variance * (count - 1) / count;
    return variance > 0 ? fabs(cubes) / variance * (1 + 2 * NORMAL_975 * NORMAL_975) / (6 * count)
                        : 0;
}

/* Half of the 95 % interval, as a share: what is assumed, and what invocations showed. */
static double drift_of(const struct stat_evidence *evidence)
{
    const double assumed = DRIFT / t_quantile(0.5 + CONFIDENCE / 2, DRIFT_WEIGHT);
    double squares = DRIFT_WEIGHT * assumed * assumed, weight = DRIFT_WEIGHT;
    if (evidence->pace_count >= SMALLEST_TO_TELL) {
        const struct moments paces = moments_of(evidence->paces, evidence->pace_count);
        const double seen = paces.mean > 0 ? paces.stdev / paces.mean : 0;
        squares += ((double)paces.count - 1) * seen * seen;
        weight += (double)paces.count - 1;
    }
    return t_quantile(0.5 + CONFIDENCE / 2, weight) * sqrt(squares / weight);
}

/* values: in the order of the executions. */
static void judge_spread(const struct stat_evidence *evidence, const double *values,
                         const struct moments *moments, struct stat_figure *found)
{
    const double runs = (double)found->runs;
    if (found->runs >= SMALLEST_TO_TELL)
        found->from_spread =
            half_width(moments->stdev, found->runs, 1 / sqrt(runs)) + leaning(values, moments);
    /* Executions that are alike, and one alone, do not tell that chance had no part. */
    if (evidence->nature == STAT_OF_CHANCE)
        found->from_spread = fmax(found->from_spread, above_chance(moments->mean * runs) / runs);
    if (evidence->nature == STAT_OF_TIME && found->runs >= SMALLEST_TO_TELL) {
        const double lasting = fmin(1.0, pow(DRIFT_SECONDS / evidence->seconds, 0.25));
        found->from_drift = hypot(fmax(drift_of(evidence) * lasting, DRIFT_LEAST) * moments->mean,
                                  NORMAL_975 * moments->stdev * sqrt(DRIFT_SHARED) * lasting);
    }
    if (evidence->nature == STAT_OF_TIME && found->runs >= SMALLEST_TO_WARM) {
        const struct moments rest = moments_of(values + 1, found->runs - 1);
        if (values[0] > rest.max && values[0] > COLD * rest.mean)
            found->cold = values[0] / rest.mean;
    }
}

double stat_unseen(size_t runs)
{
    return 1 - pow(1 - CONFIDENCE, 1 / (double)runs);
}

/* What an execution adds is drawn like that of the nulls: of one execution its own draw counts as
 * well, of several it is in their spread already. */
static void judge_nulls(const struct stat_evidence *evidence, double *values,
                        struct stat_figure *found)
{
    const size_t count = values_of(evidence->nulls, evidence->null_count, values);
    if (!evidence->has_truth || !count)
        return;
    const struct moments moments = moments_of(values, count);
    sort_values(values, count);
    found->has_overhead = true;
    const double median = quantile(values, count, 0.5);
    found->overhead = median - (double)evidence->truth;
    if (count < SMALLEST_TO_TELL)
        return;
    const double of_median = MEDIAN_TO_MEAN / sqrt((double)count);
    const bool alone = found->runs < SMALLEST_TO_TELL;
    found->from_nulls =
        half_width(moments.stdev, count, sqrt((alone ? 1.0 : 0.0) + of_median * of_median));
    if (alone) { /* small whole numbers spread less than they differ: what was seen may come again
                  */
        const double seen = fmax(moments.max - median, median - moments.min);
        /* and a few that are equal do not exclude the next whole number where addresses are random
         */
        found->from_nulls = fmax(found->from_nulls, evidence->is_random ? fmax(seen, 1) : seen);
    }
}

/* ns that an event keeps a counter when several take turns, as the operating system has it unless
 * told otherwise (perf_event_mux_interval_ms). */
#define STAT_TURN_NS 4000000.0

/* Errors of single executions, each by itself, in their mean. What one got of its turns is a sample
 * of them, drawn without putting back, of which each counts as unevenly as it is large. */
static void judge_sharing(const struct stat_evidence *evidence, struct stat_figure *found)
{
    double squares = 0, enabled = 0, running = 0;
    for (size_t i = 0; i < evidence->run_count; i++) {
        const struct stat_reading *reading = &evidence->runs[i];
        enabled += (double)reading->enabled;
        running += (double)reading->running;
        if (!reading->running || !shared_counter(reading))
            continue;
        const double seen = (double)reading->running / (double)reading->enabled;
        const double turns = fmax(1.0, (double)reading->running / STAT_TURN_NS);
        const double value = extrapolated(reading);
        const double error = fmin(value, NORMAL_975 * value * sqrt((1 - seen) / turns));
        squares += error * error;
        found->state = STAT_MULTIPLEXED;
    }
    found->share = enabled > 0 ? fmin(1.0, running / enabled) : 0;
    found->from_sharing = sqrt(squares) / (double)found->runs;
}

void stat_judge(const struct stat_evidence *evidence, struct stat_figure *found)
{
    AUTO_MEMORY double *values =
        memory_new(evidence->run_count + evidence->null_count + 1, sizeof(*values));
    *found = (struct stat_figure){.state = STAT_COUNTED};
    found->runs = values_of(evidence->runs, evidence->run_count, values);
    if (!found->runs) {
        found->state = STAT_UNSCHEDULED;
        return;
    }
    const struct moments moments = moments_of(values, found->runs);
    found->count = moments.mean;
    found->min = moments.min;
    found->max = moments.max;
    judge_spread(evidence, values, &moments, found);
    judge_sharing(evidence, found);
    judge_nulls(evidence, values, found);
    found->from_overcounts = fabs(evidence->per_fault) * evidence->faults +
                             fabs(evidence->per_interrupt) * evidence->interrupts;
    /* Relaying only adds, so it added no more than there is. */
    const double beyond = fmax(0, found->count - found->overhead);
    found->relayed = fmin(evidence->relayed, beyond);
    found->from_relaying = fmin(evidence->relayed_bar, beyond);
    found->corrected = found->count - found->overhead - found->relayed;
    found->has_uncertainty = found->has_overhead || found->runs >= SMALLEST_TO_TELL;
    found->uncertainty =
        sqrt(found->from_spread * found->from_spread + found->from_drift * found->from_drift +
             found->from_nulls * found->from_nulls + found->from_sharing * found->from_sharing) +
        found->from_overcounts + found->from_relaying;
    if (found->corrected < 0) { /* less was added than usual, by this much at least */
        found->uncertainty -= found->corrected;
        found->corrected = 0;
    }
}

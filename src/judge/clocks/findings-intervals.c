/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computation and sleep (K1, K2): does the counter agree with a clock that is not made of it? Where
 * no such clock was around the intervals, one from outside may tell of the whole time. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "studies/clocks/judge.h"
#include "stats/interval.h"
#include "stats/moments.h"

/* "Too low": by this at least. */
#define TOO_LOW 0.99
/* "Scatters": the middle half of equal sleeps spreads by this at least. */
#define SCATTERS 0.01
#define DRAWS    2000
/* Of the time that was watched from outside, less sleep than this tells nothing of sleep. */
#define SLEPT_SHARE 0.01

static bool is_plain(const struct clock_watch *watch)
{
    return watch->threads == 1 && !watch->moves && !watch->handover && !watch->awake;
}

static bool is_computation(const struct clock_watch *watch)
{
    return is_plain(watch) && strcmp(watch->workload, "compute") == 0;
}

static bool is_sleep(const struct clock_watch *watch)
{
    return is_plain(watch) && strcmp(watch->workload, "sleep") == 0;
}

/* Share of the time seen from outside in which `chosen` went on; all threads idle meanwhile. */
static double share_of(const struct clocks_facts *facts, chosen_watch *chosen, double span_s)
{
    double us = 0;
    for (size_t i = 0; i < facts->file->watch_count; i++) {
        const struct clock_watch *watch = &facts->file->watches[i];
        if (watch->kind == WATCH_INTERVAL && watch->processes > 0 && chosen(watch))
            us += (double)watch->length * (double)watch->begins[watch->processes] /
                  WATCH_INTERVAL_LOOKS;
    }
    return span_s > 0 ? us / 1e6 / span_s : 0;
}

static void tell_outside(const struct clocks_facts *facts, const struct clock_rate *rate,
                         double share, const char *what, struct finding *finding)
{
    finding_clause(finding,
                   "against %.24s, which is made elsewhere, %.24s runs %+.1f ppm [%+.1f, %+.1f] "
                   "beyond its claim over %.0f s, of which %.0f %% was %s",
                   facts->file->clocks[rate->against].name,
                   facts->file->clocks[facts->counter].name, rate->ppm, rate->low, rate->high,
                   rate->span_s, 100 * share, what);
}

/* --- K1 --- */

static void computation_from_outside(const struct clocks_facts *facts,
                                     const struct clock_rate *rate, struct finding *finding)
{
    double share = share_of(facts, is_computation, rate->span_s);
    struct estimate estimate =
        estimate_within(rate->ppm / 1e6, rate->low / 1e6, rate->high / 1e6, AGREE_SHARE);
    estimate.value += 1;
    estimate.low += 1;
    estimate.high += 1;
    if (estimate.verdict == FINDING_FAILS || share < SLEPT_SHARE)
        estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&estimate, finding);
    tell_outside(facts, rate, share, "computation", finding);
    if (estimate.verdict == FINDING_INCONCLUSIVE)
        finding_clause(finding, "whether computation or something else did it cannot be told");
}

int rule_computation(const struct clocks_facts *facts, struct finding *finding)
{
    struct agreement agreement;
    const struct clock_rate *rate = outside_rate(facts);
    if (agreement_of(facts, is_computation, &agreement) < 0)
        return -ENOMEM;
    if (!agreement.intervals) {
        finding_clause(finding, "no computation was timed by the CPU's counter and a reference");
        return 0;
    }
    struct estimate estimate = agreement_estimate(&agreement);
    if (agreement.independent || estimate.verdict == FINDING_FAILS) {
        estimate_report(&estimate, finding);
        tell_agreement(facts, &agreement, "computations", finding);
    } else if (rate) {
        computation_from_outside(facts, rate, finding);
    } else {
        tell_agreement(facts, &agreement, "computations", finding);
        tell_same_counter(facts, finding);
    }
    return 0;
}

/* --- K2 --- */

static double middle_half(const double *values, size_t count, void *context)
{
    double sorted[512];
    (void)context;
    /* Evenly spaced ones of more. */
    size_t used = count < 512 ? count : 512;
    for (size_t i = 0; i < used; i++)
        sorted[i] = values[i * count / used];
    sort_values(sorted, used);
    return quantile(sorted, used, .75) - quantile(sorted, used, .25);
}

/* How much sleeps of one length spread, relative to their median. */
static int scatter_of(const struct clocks_facts *facts, struct estimate *scatter)
{
    AUTO_REPLICATES struct replicate_list residuals = {0};
    struct interval interval;
    if (agreement_residuals(facts, is_sleep, &residuals) < 0 ||
        bootstrap_interval(residuals.values, residuals.count, middle_half, NULL, DRAWS, .95,
                           facts->seed, &interval) < 0)
        return -ENOMEM;
    double value = residuals.count ? middle_half(residuals.values, residuals.count, NULL) : NAN;
    *scatter = estimate_at_least(value, interval.low, interval.high, SCATTERS);
    return 0;
}

/* If all that is missing were lost in sleep, its share of the time makes it so much of sleep. */
static void sleep_from_outside(const struct clocks_facts *facts, const struct clock_rate *rate,
                               struct finding *finding)
{
    double share = share_of(facts, is_sleep, rate->span_s);
    if (share < SLEPT_SHARE) {
        tell_outside(facts, rate, share, "sleep", finding);
        finding_clause(finding, "too little to tell of sleep");
        return;
    }
    double each = 1e6 * fmin(share, 1);
    struct estimate estimate =
        estimate_below(1 + rate->ppm / each, 1 + rate->low / each, 1 + rate->high / each, TOO_LOW);
    /* What is too low over the whole time may have been lost elsewhere, and shows no scatter. */
    if (estimate.verdict == FINDING_HOLDS)
        estimate.verdict = FINDING_INCONCLUSIVE;
    estimate_report(&estimate, finding);
    tell_outside(facts, rate, share, "sleep", finding);
    if (estimate.verdict == FINDING_INCONCLUSIVE)
        finding_clause(finding, "whether sleep or something else did it cannot be told");
}

static void sleep_by_reference(const struct clocks_facts *facts, const struct agreement *agreement,
                               const struct estimate *low, const struct estimate *scatter,
                               struct finding *finding)
{
    estimate_report(low, finding);
    if (verdict_graver(scatter->verdict, low->verdict))
        finding->verdict = scatter->verdict;
    tell_agreement(facts, agreement, "sleeps", finding);
    finding_clause(finding, "the middle half of equal sleeps spreads by %.2g %%",
                   100 * scatter->value);
    if (low->verdict == FINDING_HOLDS && scatter->verdict == FINDING_FAILS)
        finding_clause(finding, "it reads too low, but evenly");
}

int rule_sleep(const struct clocks_facts *facts, struct finding *finding)
{
    struct agreement agreement;
    struct estimate scatter;
    const struct clock_rate *rate = outside_rate(facts);
    if (agreement_of(facts, is_sleep, &agreement) < 0 || scatter_of(facts, &scatter) < 0)
        return -ENOMEM;
    if (!agreement.intervals) {
        finding_clause(finding, "no sleep was timed by the CPU's counter and a reference");
        return 0;
    }
    struct overhead_median ratio = agreement.ratio;
    struct estimate low = estimate_below(ratio.median, ratio.low, ratio.high, TOO_LOW);
    if (agreement.independent || low.verdict == FINDING_HOLDS) {
        sleep_by_reference(facts, &agreement, &low, &scatter, finding);
    } else if (rate) {
        sleep_from_outside(facts, rate, finding);
    } else {
        tell_agreement(facts, &agreement, "sleeps", finding);
        tell_same_counter(facts, finding);
        finding_clause(finding, "the timer that ends a sleep may count the same ticks");
    }
    return 0;
}

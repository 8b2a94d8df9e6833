/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order (K3, K4): does the counter go back in one thread, and is it still to be trusted when
 * threads and CPUs change? What goes back is wrong by itself: that needs no other clock. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "studies/clocks/judge.h"
#include "judge/clocks/words.h"
#include "judge/note.h"
#include "stats/interval.h"

/* With fewer readings one step back in a thousand would stay unseen. */
#define FEWEST_READINGS 3000
#define MILLION         1e6
/* Trips without which an offset is not bound by anything but luck. */
#define FEWEST_TRIPS 30
/* What must not stay unseen: the tolerance of the shortest interval, 20 ms. */
#define OFFSET_NS (20e6 * AGREE_SHARE)

/* --- K3 --- */

/* None of N: at most 3 / N, 95 % one-sided; four of five such rows would show 1.6 / N. */
static void report_none(uint64_t readings, struct finding *finding)
{
    finding->has_estimate = true;
    finding->estimate = finding->low = 0;
    finding->high = -log(.05) / (double)readings * MILLION;
    finding->detectable = -log(.2) / (double)readings * MILLION;
}

static void report_some(const struct clock_monotonic *order, struct finding *finding)
{
    struct interval share = share_interval((size_t)order->backward, (size_t)order->readings, .95);
    finding->has_estimate = true;
    finding->estimate = (double)order->backward / (double)order->readings * MILLION;
    finding->low = share.low * MILLION;
    finding->high = share.high * MILLION;
    finding->detectable = -log(.2) / (double)order->readings * MILLION;
}

int rule_one_thread(const struct clocks_facts *facts, struct finding *finding)
{
    const struct clock_monotonic *order = &facts->report->monotonic[facts->counter];
    const char *name = facts->file->clocks[facts->counter].name;
    if (!order->known) {
        finding_clause(finding, "no readings of %.24s follow each other in one thread", name);
        return 0;
    }
    if (order->backward > 0) {
        finding->verdict = FINDING_FAILS;
        report_some(order, finding);
        finding_clause(finding,
                       "%s of %s readings of %.24s are below the one before in the same "
                       "thread, by up to %s ticks",
                       FIGURE((double)order->backward), FIGURE((double)order->readings), name,
                       FIGURE(order->worst_ticks));
    } else {
        bool enough = order->readings >= FEWEST_READINGS;
        finding->verdict = enough ? FINDING_HOLDS : FINDING_INCONCLUSIVE;
        report_none(order->readings, finding);
        finding_clause(finding,
                       "none of %s readings of %.24s is below the one before in the same "
                       "thread: at most one in %s is%s",
                       FIGURE((double)order->readings), name,
                       FIGURE(floor((double)order->readings / -log(.05))),
                       enough ? "" : ", which is not rare enough to be called never");
    }
    if (order->wrapped)
        finding_clause(finding, "it begins anew at 2^%.0f, which is no step back",
                       log2(order->wrap_ticks));
    return 0;
}

/* --- K4 --- */

static bool changes(const struct clock_watch *watch)
{
    return watch->threads > 1 || watch->moves > 0 || watch->handover;
}

static void tell_offsets(const struct clocks_facts *facts, struct finding *finding)
{
    const struct clock_monotonic *order = &facts->report->monotonic[facts->counter];
    const struct clock_offsets *offsets = &facts->report->offsets[facts->counter];
    const struct clock_scale *scale = &facts->report->scales[facts->counter];
    char words[WORDS_TIME] = "";
    if (scale->known)
        words_time(offsets->largest_bound * scale->ns_per_tick, words);
    if (order->cross_backward > 0)
        finding_clause(finding,
                       "in %zu of %zu trips between CPUs a later reading is below an earlier one, "
                       "by up to %s ticks (CPU %d and %d: %+.0f)",
                       order->cross_backward, order->trips, FIGURE(round(order->cross_worst_ticks)),
                       offsets->cpu, offsets->partner, offsets->offset);
    else
        finding_clause(finding,
                       "in %zu trips between %zu %s of CPUs no later reading is below an earlier "
                       "one, so they are no more than %s ticks apart%s%s%s",
                       order->trips, order->pairs, order->pairs == 1 ? "pair" : "pairs",
                       FIGURE(round(offsets->largest_bound)), *words ? " (" : "", words,
                       *words ? ")" : "");
}

/* By the pair that is farthest apart. */
static enum finding_verdict report_offsets(const struct clocks_facts *facts,
                                           struct finding *finding)
{
    const struct clock_monotonic *order = &facts->report->monotonic[facts->counter];
    const struct clock_offsets *offsets = &facts->report->offsets[facts->counter];
    const struct clock_scale *scale = &facts->report->scales[facts->counter];
    finding->has_estimate = true;
    finding->estimate = offsets->offset;
    finding->low = offsets->offset - offsets->bound;
    finding->high = offsets->offset + offsets->bound;
    finding->detectable = offsets->largest_bound;
    if (order->cross_backward > 0 || offsets->worst != 0)
        return FINDING_FAILS;
    bool bound = scale->known && offsets->largest_bound * scale->ns_per_tick <= OFFSET_NS;
    return bound && order->trips >= FEWEST_TRIPS ? FINDING_HOLDS : FINDING_INCONCLUSIVE;
}

/* Why no two CPUs were compared. */
static const char *why_no_trips(const struct clocks_facts *facts)
{
    const struct clocks_case *file = facts->file;
    if (file->cpus == 1)
        return "only one CPU may be used here";
    for (size_t i = 0; i < file->watch_count; i++)
        if (file->watches[i].kind == WATCH_TRIPS && file->watches[i].reason)
            return file->watches[i].reason;
    for (size_t i = 0; i < file->absence_count; i++)
        if (file->absences[i].what && strstr(file->absences[i].what, "trips"))
            return file->absences[i].reason;
    return "no two CPUs were compared";
}

/* Intervals with threads and moves, beside the trips. */
static void judge_intervals(const struct clocks_facts *facts, const struct agreement *agreement,
                            struct finding *finding)
{
    struct estimate estimate = agreement_estimate(agreement);
    if (!agreement->intervals) {
        finding_clause(finding, "no interval with several threads or a change of CPU was timed");
        if (finding->verdict == FINDING_HOLDS)
            finding->verdict = FINDING_INCONCLUSIVE;
        return;
    }
    bool tells = agreement->independent || estimate.verdict == FINDING_FAILS;
    if (tells && verdict_graver(estimate.verdict, finding->verdict))
        finding->verdict = estimate.verdict;
    tell_agreement(facts, agreement, "intervals with threads or changes of CPU", finding);
    if (!tells)
        finding_clause(finding, "of these trips alone decide: the reference is made of the same "
                                "counter and would go wrong with it");
}

int rule_changes(const struct clocks_facts *facts, struct finding *finding)
{
    struct agreement agreement;
    if (agreement_of(facts, changes, &agreement) < 0)
        return -ENOMEM;
    if (!facts->report->offsets[facts->counter].known) {
        finding_clause(finding, "%.240s", why_no_trips(facts));
        struct estimate estimate = agreement_estimate(&agreement);
        if (agreement.intervals && estimate.verdict == FINDING_FAILS) {
            finding->verdict = FINDING_FAILS;
            tell_agreement(facts, &agreement, "intervals with threads or changes of CPU", finding);
        }
        return 0;
    }
    finding->verdict = report_offsets(facts, finding);
    tell_offsets(facts, finding);
    judge_intervals(facts, &agreement, finding);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The CPU's counter against the reference, over intervals of a kind: what all of them say together,
 * how many are off by themselves, and what agreement is worth. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/clocks/judge.h"
#include "judge/clocks/marks.h"
#include "judge/clocks/readings.h"
#include "judge/note.h"
#include "stats/interval.h"
#include "stats/moments.h"

/* So many intervals that are off are no accident any more. */
#define OFF_SHARE 0.05

/* The columns of both clocks; false: the watch does not tell. */
struct columns {
    uint32_t counter, reference;
    double counter_ns, reference_ns; /* a tick */
};

static bool columns_of(const struct clocks_facts *facts, const struct clock_watch *watch,
                       struct columns *columns)
{
    int32_t reference = facts->report->reference.clock;
    if (reference < 0 || (uint32_t)reference == facts->counter)
        return false;
    int own = watch_column(watch, facts->counter);
    int other = watch_column(watch, (uint32_t)reference);
    const struct clock_scale *own_scale = &facts->report->scales[facts->counter];
    const struct clock_scale *other_scale = &facts->report->scales[reference];
    if (own < 0 || other < 0 || !own_scale->known || !other_scale->known)
        return false;
    *columns = (struct columns){(uint32_t)own, (uint32_t)other, own_scale->ns_per_tick,
                                other_scale->ns_per_tick};
    return true;
}

/* One interval by both clocks. */
struct pair {
    double counter, reference; /* ns */
    double bound;              /* ns that the readings leave open */
};

static struct pair pair_at(const struct clock_watch *watch, const struct columns *columns,
                           size_t index)
{
    struct interval_reading both[2];
    watch_interval_of_two(watch, index, columns->counter, columns->reference, both);
    return (struct pair){
        both[0].elapsed * columns->counter_ns, both[1].elapsed * columns->reference_ns,
        both[0].bound * columns->counter_ns + both[1].bound * columns->reference_ns};
}

static size_t process_of(const struct clock_watch *watch, size_t index)
{
    size_t process = 0, look = watch_interval_look(watch, index);
    while (process + 1 < watch->processes && watch->begins[process + 1] <= look)
        process++;
    return process;
}

/* What is gathered over all watches. */
struct gathered {
    struct replicate_list ratios, doubts;
    size_t processes;
    double farthest;
};

/* Clocks may go on or stop while the machine is suspended: nothing is compared over that. */
static int gather(const struct clocks_case *file, const struct clock_watch *watch,
                  const struct columns *columns, struct gathered *all, struct agreement *agreement)
{
    for (size_t i = 0; i < watch_intervals(watch); i++) {
        struct pair pair = pair_at(watch, columns, i);
        size_t process = all->processes + process_of(watch, i);
        if (!(pair.reference > 0) || interval_suspended(file, watch, i))
            continue;
        double ratio = pair.counter / pair.reference;
        if (replicate_add(&all->ratios, process, ratio) < 0 ||
            replicate_add(&all->doubts, process, pair.bound / pair.reference) < 0)
            return -ENOMEM;
        double off = fabs(pair.counter - pair.reference);
        agreement->intervals++;
        agreement->off += off > pair.bound + AGREE_SHARE * pair.reference;
        if (!(fabs(ratio - 1) <= all->farthest)) {
            all->farthest = fabs(ratio - 1);
            agreement->worst = ratio;
        }
    }
    all->processes += watch->processes;
    agreement->shortest_us = fmin(agreement->shortest_us, (double)watch->length);
    agreement->longest_us = fmax(agreement->longest_us, (double)watch->length);
    return 0;
}

int agreement_of(const struct clocks_facts *facts, chosen_watch *chosen,
                 struct agreement *agreement)
{
    struct gathered all = {.farthest = -1};
    int error = 0;
    *agreement = (struct agreement){.shortest_us = INFINITY};
    for (size_t i = 0; i < facts->file->watch_count && !error; i++) {
        const struct clock_watch *watch = &facts->file->watches[i];
        struct columns columns;
        if (watch->kind == WATCH_INTERVAL && watch->processes > 0 && chosen(watch) &&
            columns_of(facts, watch, &columns))
            error = gather(facts->file, watch, &columns, &all, agreement);
    }
    if (!error && agreement->intervals > 0) {
        double doubt = replicate_median(&all.doubts).median;
        agreement->ratio = replicate_median(&all.ratios);
        agreement->ratio.low -= doubt;
        agreement->ratio.high += doubt;
        agreement->independent = clocks_independent(facts->file, facts->counter,
                                                    (uint32_t)facts->report->reference.clock);
    }
    replicate_release(&all.ratios);
    replicate_release(&all.doubts);
    return error;
}

/* Adds those of one watch: a watch has one length. */
static int add_residuals(const struct clocks_case *file, const struct clock_watch *watch,
                         const struct columns *columns, struct replicate_list *residuals)
{
    size_t count = watch_intervals(watch), used = 0;
    double *ratios = malloc((count + 1) * sizeof(*ratios));
    int error = ratios ? 0 : -ENOMEM;
    for (size_t i = 0; i < count && !error; i++) {
        struct pair pair = pair_at(watch, columns, i);
        if (pair.reference > 0 && !interval_suspended(file, watch, i))
            ratios[used++] = pair.counter / pair.reference;
    }
    if (!error && used > 1) {
        sort_values(ratios, used);
        double median = quantile(ratios, used, .5);
        for (size_t i = 0; i < used && !error && median > 0; i++)
            error = replicate_add(residuals, residuals->count, ratios[i] / median);
    }
    free(ratios);
    return error;
}

int agreement_residuals(const struct clocks_facts *facts, chosen_watch *chosen,
                        struct replicate_list *residuals)
{
    int error = 0;
    for (size_t i = 0; i < facts->file->watch_count && !error; i++) {
        const struct clock_watch *watch = &facts->file->watches[i];
        struct columns columns;
        if (watch->kind == WATCH_INTERVAL && watch->processes > 0 && chosen(watch) &&
            columns_of(facts, watch, &columns))
            error = add_residuals(facts->file, watch, &columns, residuals);
    }
    return error;
}

struct estimate agreement_estimate(const struct agreement *agreement)
{
    struct overhead_median ratio = agreement->ratio;
    struct estimate estimate =
        estimate_within(ratio.median - 1, ratio.low - 1, ratio.high - 1, AGREE_SHARE);
    estimate.value = ratio.median;
    estimate.low = ratio.low;
    estimate.high = ratio.high;
    if (share_interval(agreement->off, agreement->intervals, .95).low > OFF_SHARE)
        estimate.verdict = FINDING_FAILS;
    else if (agreement->off > 0 && estimate.verdict == FINDING_HOLDS)
        estimate.verdict = FINDING_INCONCLUSIVE;
    return estimate;
}

void tell_agreement(const struct clocks_facts *facts, const struct agreement *agreement,
                    const char *what, struct finding *finding)
{
    const struct clock_known *counter = &facts->file->clocks[facts->counter];
    const struct clock_known *other = &facts->file->clocks[facts->report->reference.clock];
    char length[48] = "";
    if (agreement->longest_us > agreement->shortest_us)
        snprintf(length, sizeof(length), "%s to ", ROUNDED(agreement->shortest_us / 1e3, 3));
    finding_clause(finding, "%.24s shows %.6f of %.24s over %zu %s of %s%s ms", counter->name,
                   agreement->ratio.median, other->name, agreement->intervals, what, length,
                   ROUNDED(agreement->longest_us / 1e3, 3));
    if (agreement->off > 0)
        finding_clause(finding,
                       "%zu of them are off by more than their readings leave open, the "
                       "worst shows %.6f",
                       agreement->off, agreement->worst);
    if (!facts->report->scales[facts->counter].claimed)
        finding_clause(finding, "nobody claims its rate: it is the one it had over computation");
}

void tell_same_counter(const struct clocks_facts *facts, struct finding *finding)
{
    const struct clock_known *counter = &facts->file->clocks[facts->counter];
    const struct clock_known *other = &facts->file->clocks[facts->report->reference.clock];
    finding_clause(finding,
                   "that proves nothing: %.24s is made of the same counter as %.24s, so both are "
                   "wrong together; a clock made elsewhere could tell: --via ssh: from another "
                   "machine, or an RTC or PTP device",
                   other->name, counter->name);
}

const struct clock_rate *outside_rate(const struct clocks_facts *facts)
{
    const struct clock_rate *rates = facts->report->rates[facts->counter];
    const int32_t preferred[] = {facts->report->reference.outside, facts->report->reference.rtc};
    for (size_t i = 0; i < sizeof(preferred) / sizeof(*preferred); i++)
        for (size_t j = 0; j < CLOCK_MOST_RATES; j++)
            if (rates[j].known && rates[j].independent && rates[j].against_claim &&
                preferred[i] >= 0 && rates[j].against == (uint32_t)preferred[i])
                return &rates[j];
    return NULL;
}

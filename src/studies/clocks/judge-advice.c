/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which clock for what, and at which cost: a sentence for each use, with the figures of this report
 * that say so. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/clocks/study.h"
#include "judge/clocks/words.h"

struct asked {
    const struct clocks_case *file;
    const struct clocks_report *report;
};
typedef bool adviser(const struct asked *asked, char *text, size_t size);

static const char *name_of(const struct asked *asked, int32_t clock)
{
    return asked->file->clocks[clock].name;
}

/* May its intervals be believed, as far as anything here could tell? */
static bool is_usable(const struct asked *asked, uint32_t clock)
{
    enum clock_trust trust = asked->report->verdicts[clock].trust;
    return asked->file->clocks[clock].role == ROLE_WALL &&
           (trust == TRUST_DEPENDABLE || trust == TRUST_NOT_FALSIFIABLE) &&
           (int32_t)clock != asked->report->reference.outside;
}

static bool has_usable(const struct asked *asked)
{
    for (uint32_t i = 0; i < asked->file->clock_count; i++)
        if (is_usable(asked, i))
            return true;
    return false;
}

/* Was any clock that may be used held against one of another make? */
static bool has_independent(const struct asked *asked)
{
    for (uint32_t clock = 0; clock < asked->file->clock_count; clock++) {
        int32_t reference = asked->report->reference.clock;
        if (!is_usable(asked, clock))
            continue;
        if (reference >= 0 && clocks_independent(asked->file, clock, (uint32_t)reference))
            return true;
        for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
            if (asked->report->rates[clock][i].known && asked->report->rates[clock][i].independent)
                return true;
    }
    return false;
}

/* --- short regions --- */

/* ns by which a region can be wrong: one reading is inside it, and its ends are not told better
 * than the resolution. Infinite: unknown. */
static double region_error(const struct asked *asked, uint32_t clock)
{
    const struct clock_cost *cost = &asked->report->costs[clock];
    const struct clock_granularity *granularity = &asked->report->granularities[clock];
    if (!cost->known || !granularity->known || isnan(cost->ns) || isnan(granularity->resolution_ns))
        return INFINITY;
    return cost->ns + granularity->resolution_ns;
}

/* The usable clock with the smallest error, other than one that must be called as `unlike` is. */
static int32_t best_for_regions(const struct asked *asked, const char *unlike)
{
    int32_t best = -1;
    double least = INFINITY;
    for (uint32_t i = 0; i < asked->file->clock_count; i++) {
        double error = region_error(asked, i);
        if (is_usable(asked, i) && error < least &&
            !(unlike && strcmp(asked->file->clocks[i].way, unlike) == 0)) {
            best = (int32_t)i;
            least = error;
        }
    }
    return best;
}

/* A form of the clock that waits for the code before it. */
static int32_t fenced_form(const struct asked *asked, int32_t clock)
{
    char name[64];
    snprintf(name, sizeof(name), "%.40s-fenced", name_of(asked, clock));
    int index = clocks_index(asked->file, name);
    return index >= 0 && is_usable(asked, (uint32_t)index) &&
                   isfinite(region_error(asked, (uint32_t)index))
               ? index
               : -1;
}

/* By habit of programs, best first, where nothing measured tells between them. */
static const char *const for_long[] = {"boottime", "monotonic", "monotonic-raw",
                                       "monotonic-syscall", "monotonic-raw-syscall"};

static int32_t best_for_long(const struct asked *asked)
{
    bool suspended = asked->report->disturbances.suspended_ns > 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = suspended ? 0 : 1; i < sizeof(for_long) / sizeof(*for_long); i++) {
            int index = clocks_index(asked->file, for_long[i]);
            if (index < 0 || !is_usable(asked, (uint32_t)index))
                continue;
            if (round > 0 || asked->report->verdicts[index].trust == TRUST_DEPENDABLE)
                return index;
        }
    return best_for_regions(asked, NULL);
}

/* Costs that differ by less than this are a matter of habit. */
#define AS_CHEAP 1.5

/* One whose ticks are ns, and so need no rate. -1: the best needs none either, or there is none. */
static int32_t best_without_rate(const struct asked *asked, int32_t best)
{
    int32_t cheapest = best_for_regions(asked, asked->file->clocks[best].way);
    int32_t usual = best_for_long(asked);
    bool as_good =
        cheapest >= 0 && usual >= 0 && usual != best &&
        region_error(asked, (uint32_t)usual) <= AS_CHEAP * region_error(asked, (uint32_t)cheapest);
    return as_good ? usual : cheapest;
}

static bool advise_short(const struct asked *asked, char *text, size_t size)
{
    int32_t best = best_for_regions(asked, NULL);
    if (best < 0)
        return false;
    int32_t fenced = fenced_form(asked, best), next = best_without_rate(asked, best);
    char cost[WORDS_TIME], step[WORDS_TIME], one[WORDS_TIME], other[WORDS_TIME], more[WORDS_TIME];
    double error = region_error(asked, (uint32_t)best);
    size_t used = (size_t)snprintf(
        text, size,
        "Short regions: %.24s. A reading takes %s and tells %s apart: %s of a region of 1 µs, "
        "%s of 100 µs.",
        name_of(asked, best), words_time(asked->report->costs[best].ns, cost),
        words_time(asked->report->granularities[best].resolution_ns, step),
        words_share(error / 1e3, one), words_share(error / 1e5, other));
    if (fenced >= 0 && used < size)
        used += (size_t)snprintf(
            text + used, size - used, " Where the order of instructions matters: %.30s, %s.",
            name_of(asked, fenced), words_time(asked->report->costs[fenced].ns, more));
    if (next >= 0 && used < size)
        snprintf(text + used, size - used, " Without knowing a rate: %.24s, %s.",
                 name_of(asked, next), words_time(asked->report->costs[next].ns, more));
    return true;
}

/* --- long intervals --- */

/* " It was never more than 1.2 µs from …", of the clock over intervals. */
static size_t put_deviation(const struct asked *asked, int32_t clock, char *text, size_t size)
{
    const struct clocks_report *report = asked->report;
    const struct clock_row *worst = NULL;
    uint64_t longest = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct clock_row *row = &report->rows[i];
        if (row->clock != (uint32_t)clock || row->reference == row->clock)
            continue;
        longest = row->requested_us > longest ? row->requested_us : longest;
        if (!worst || row->max_error_ns > worst->max_error_ns)
            worst = row;
    }
    if (!worst)
        return 0;
    char error[WORDS_TIME], length[WORDS_TIME];
    int put =
        snprintf(text, size, " Over up to %s never more than %s from %.24s.",
                 words_time((double)longest * 1e3, length), words_time(worst->max_error_ns, error),
                 name_of(asked, (int32_t)worst->reference));
    return put > 0 ? (size_t)put : 0;
}

/* Against a clock that is made elsewhere, if any. */
static void put_rate(const struct asked *asked, int32_t clock, char *text, size_t size)
{
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
        const struct clock_rate *rate = &asked->report->rates[clock][i];
        if (!rate->known || !rate->independent)
            continue;
        snprintf(text, size, " Against %.24s: %+.1f ppm [%+.1f, %+.1f].",
                 name_of(asked, (int32_t)rate->against), rate->ppm, rate->low, rate->high);
        return;
    }
}

static bool advise_long(const struct asked *asked, char *text, size_t size)
{
    int32_t best = best_for_long(asked);
    if (best < 0)
        return false;
    char cost[WORDS_TIME] = "";
    if (asked->report->costs[best].known && isfinite(asked->report->costs[best].ns))
        words_time(asked->report->costs[best].ns, cost);
    size_t used = (size_t)snprintf(text, size, "Long intervals: %.24s%s%s%s.", name_of(asked, best),
                                   *cost ? " (" : "", cost, *cost ? " a reading)" : "");
    used += put_deviation(asked, best, text + used, size - used);
    if (used < size)
        put_rate(asked, best, text + used, size - used);
    return true;
}

/* --- across CPUs --- */

/* ns that two CPUs may be apart by it; infinite: unknown, or they are. */
static double apart_ns(const struct asked *asked, uint32_t clock)
{
    const struct clocks_report *report = asked->report;
    const struct clock_offsets *offsets = &report->offsets[clock];
    if (!is_usable(asked, clock) || !offsets->known || !report->scales[clock].known ||
        offsets->worst != 0 || report->monotonic[clock].cross_backward > 0)
        return INFINITY;
    return offsets->largest_bound * report->scales[clock].ns_per_tick;
}

/* Bounds are as good as the shortest trip: of clocks that differ by less than this the cheapest. */
#define AS_NEAR 2.0

static int32_t best_across(const struct asked *asked)
{
    int32_t best = -1;
    double least = INFINITY, cheapest = INFINITY;
    for (uint32_t i = 0; i < asked->file->clock_count; i++)
        least = fmin(least, apart_ns(asked, i));
    for (uint32_t i = 0; i < asked->file->clock_count && isfinite(least); i++) {
        double cost = asked->report->costs[i].known ? asked->report->costs[i].ns : INFINITY;
        if (apart_ns(asked, i) <= AS_NEAR * least && (best < 0 || cost < cheapest)) {
            best = (int32_t)i;
            cheapest = cost;
        }
    }
    return best;
}

static bool advise_across(const struct asked *asked, char *text, size_t size)
{
    const struct clocks_report *report = asked->report;
    int32_t best = best_across(asked);
    if (best < 0)
        return false;
    char words[WORDS_TIME], cost[WORDS_TIME] = "unknown";
    if (report->costs[best].known && isfinite(report->costs[best].ns))
        words_time(report->costs[best].ns, cost);
    snprintf(text, size,
             "Across CPUs and threads: %.24s, at a cost of %s. CPUs differ by less than %s (%zu %s "
             "compared), and none was shown another's future.",
             name_of(asked, best), cost, words_time(apart_ns(asked, (uint32_t)best), words),
             report->offsets[best].pairs, report->offsets[best].pairs == 1 ? "pair" : "pairs");
    return true;
}

/* --- CPU time --- */

static bool advise_cpu_time(const struct asked *asked, char *text, size_t size)
{
    const struct clocks_report *report = asked->report;
    int32_t best = -1;
    double least = INFINITY;
    for (uint32_t i = 0; i < asked->file->clock_count; i++) {
        bool right = report->verdicts[i].trust == TRUST_CPU_TIME_ONLY &&
                     asked->file->clocks[i].role == ROLE_CPU_TIME;
        double cost = report->costs[i].known ? report->costs[i].ns : INFINITY;
        if (right && (best < 0 || cost < least)) {
            best = (int32_t)i;
            least = cost;
        }
    }
    if (best < 0)
        return false;
    char cost[WORDS_TIME] = "an unknown time";
    if (isfinite(least))
        words_time(least, cost);
    snprintf(text, size, "CPU time: %.24s, %s a reading. It stands still over sleep and waiting.",
             name_of(asked, best), cost);
    return true;
}

/* --- what could be known and is not --- */

static bool advise_falsifying(const struct asked *asked, char *text, size_t size)
{
    const struct clocks_report *report = asked->report;
    for (uint32_t i = 0; i < asked->file->clock_count; i++)
        if (report->verdicts[i].trust == TRUST_DEPENDABLE)
            return false;
    if (!has_usable(asked)) {
        snprintf(text, size,
                 "No clock of this machine is to be trusted for an interval: time from "
                 "outside, by a clock of another machine.");
        return true;
    }
    if (has_independent(asked)) {
        snprintf(text, size,
                 "No clock was confirmed by one that is made of another counter, although there is "
                 "one: watch longer, and all workloads.");
        return true;
    }
    snprintf(text, size,
             "No rate could be falsified here: ask from another machine (assay clocks --via "
             "ssh:HOST), whose clock then tells, or give this one an RTC or a PTP device.");
    return true;
}

/* --- what the machine does --- */

static bool advise_disturbed(const struct asked *asked, char *text, size_t size)
{
    const struct clocks_disturbances *seen = &asked->report->disturbances;
    char words[WORDS_TIME], worst[WORDS_TIME];
    if (seen->stolen_ns > 0 && seen->watched_ns > 0) {
        snprintf(text, size,
                 "The host took %s of the time, and intervals hold it: repeat them, and take the "
                 "least or the median.",
                 words_share(seen->stolen_ns / seen->watched_ns, words));
        return true;
    }
    if (!(seen->overslept_median_ns > 0))
        return false;
    snprintf(text, size,
             "Do not take the length that a sleep was asked for as its length: it ends %s late, at "
             "most %s here. Read a clock before and after.",
             words_time(seen->overslept_median_ns, words),
             words_time(seen->overslept_max_ns, worst));
    return true;
}

int clocks_advise(const struct clocks_case *file, struct clocks_report *report)
{
    static adviser *const advisers[] = {
        advise_short,    advise_long,       advise_across,
        advise_cpu_time, advise_falsifying, advise_disturbed,
    };
    enum { ADVISERS = sizeof(advisers) / sizeof(*advisers) };
    struct asked asked = {file, report};
    size_t looks = 0;
    for (size_t i = 0; i < file->watch_count; i++)
        looks +=
            file->watches[i].processes ? file->watches[i].begins[file->watches[i].processes] : 0;
    if (looks == 0)
        return 0;
    report->advice = calloc(ADVISERS, sizeof(*report->advice));
    if (!report->advice)
        return -ENOMEM;
    for (size_t i = 0; i < ADVISERS; i++) {
        struct clocks_advice *advice = &report->advice[report->advice_count];
        report->advice_count += advisers[i](&asked, advice->text, sizeof(advice->text));
    }
    return 0;
}

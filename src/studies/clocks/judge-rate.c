/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How fast a clock runs, against what it claims. The mean rate over a span follows from its two
 * ends, and its bounds from theirs, however the rate varied between. How much it varies shows in
 * stretches of the span, and widens the interval. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/clocks/limits.h"
#include "judge/clocks/marks.h"
#include "stats/interval.h"
#include "stats/moments.h"

#define MOST_STRETCHES 16
/* A rate known to ± this is worth a figure, also where it may be right. */
#define NARROW_PPM (CLOCKS_RATE_PPM / 10)

/* A part of the span with its two ends. */
struct stretch {
    double own, other, bound; /* ns */
};

/* From the narrowest mark among the first ones to the narrowest among the last: a wide mark at an
 * end tells less than one some moments nearer. */
static struct stretch between(const struct clock_mark *marks, size_t count)
{
    size_t first = 0, last = count - 1;
    size_t edge = count / 4;
    for (size_t i = 1; i <= edge; i++) {
        double span = marks[last].other - marks[first].other;
        double later = marks[i].other - marks[first].other;
        if (marks[i].bound * span < marks[first].bound * (span - later))
            first = i;
    }
    for (size_t i = count - 1; i-- > count - 1 - edge;) {
        double span = marks[last].other - marks[first].other;
        double earlier = marks[last].other - marks[i].other;
        if (marks[i].bound * span < marks[last].bound * (span - earlier))
            last = i;
    }
    return (struct stretch){.own = marks[last].own - marks[first].own,
                            .other = marks[last].other - marks[first].other,
                            .bound = marks[last].bound + marks[first].bound};
}

static double ppm_of(const struct stretch *stretch)
{
    return (stretch->own / stretch->other - 1) * 1e6;
}

static double bound_of(const struct stretch *stretch)
{
    return stretch->bound / stretch->other * 1e6;
}

static void summarize(const struct stretch *whole, const struct stretch *parts, size_t count,
                      struct clock_rate *rate)
{
    double ppm[MOST_STRETCHES], least = -INFINITY, most = INFINITY;
    rate->known = true;
    rate->ppm = ppm_of(whole);
    rate->sure_low = rate->low = rate->ppm - bound_of(whole);
    rate->sure_high = rate->high = rate->ppm + bound_of(whole);
    rate->span_s = whole->other * 1e-9;
    rate->stretches = count;
    for (size_t i = 0; i < count; i++) {
        ppm[i] = ppm_of(&parts[i]);
        least = fmax(least, ppm[i] - bound_of(&parts[i]));
        most = fmin(most, ppm[i] + bound_of(&parts[i]));
        rate->wrong_slow += ppm[i] + bound_of(&parts[i]) < -CLOCKS_RATE_PPM;
        rate->wrong_fast += ppm[i] - bound_of(&parts[i]) > CLOCKS_RATE_PPM;
    }
    if (!count)
        return;
    /* where one rate fits all stretches, nothing says that it varied */
    if (count >= 3 && least > most) {
        struct interval spread = t_interval(ppm, count, 0.95);
        rate->low = fmin(rate->low, spread.low);
        rate->high = fmax(rate->high, spread.high);
    }
    sort_values(ppm, count);
    rate->usual_ppm = quantile(ppm, count, 0.5);
    rate->slowest_ppm = ppm[0];
    rate->fastest_ppm = ppm[count - 1];
}

/* The narrowest mark within a short time of that one. */
static size_t narrowest_near(const struct clock_marks *marks, size_t first, double within)
{
    size_t best = first;
    for (size_t i = first;
         i < marks->count && marks->list[i].other - marks->list[first].other <= within; i++)
        if (marks->list[i].bound < marks->list[best].bound)
            best = i;
    return best;
}

/* Stretches of about equal length, each from the end of the one before. Marks may come in bursts,
 * between which a long time passes: a stretch has at least its share of the span. */
static size_t divide(const struct clock_marks *marks, struct stretch parts[MOST_STRETCHES])
{
    double span = marks->list[marks->count - 1].other - marks->list[0].other;
    double least = span / MOST_STRETCHES, near = least / 4;
    size_t count = 0, node = narrowest_near(marks, 0, near);
    for (size_t i = node + 1; i < marks->count && count < MOST_STRETCHES; i++) {
        if (marks->list[i].other - marks->list[node].other < 0.9 * least)
            continue;
        size_t next = narrowest_near(marks, i, near);
        parts[count++] = (struct stretch){
            .own = marks->list[next].own - marks->list[node].own,
            .other = marks->list[next].other - marks->list[node].other,
            .bound = marks->list[next].bound + marks->list[node].bound,
        };
        node = i = next;
    }
    return count;
}

/* One line through everything: for clocks that all processes share. */
static void by_whole(const struct clock_marks *marks, struct clock_rate *rate)
{
    if (marks->count < 2)
        return;
    struct stretch whole = between(marks->list, marks->count), parts[MOST_STRETCHES];
    if (!(whole.other > 0))
        return;
    size_t parts_count = divide(marks, parts);
    summarize(&whole, parts, parts_count, rate);
}

static int compare_places(const void *left, const void *right)
{
    const struct clock_mark *one = left, *two = right;
    if (one->watch != two->watch)
        return one->watch < two->watch ? -1 : 1;
    if (one->process != two->process)
        return one->process < two->process ? -1 : 1;
    return (one->other > two->other) - (one->other < two->other);
}

/* Only within processes: a clock of the user's may begin anew in each. Processes are put together
 * to MOST_STRETCHES stretches. */
static void by_processes(struct clock_marks *marks, struct clock_rate *rate)
{
    struct stretch whole = {0}, parts[MOST_STRETCHES] = {{0}};
    size_t process = 0;
    qsort(marks->list, marks->count, sizeof(*marks->list), compare_places);
    for (size_t begin = 0, end = 0; begin < marks->count; begin = end, process++) {
        while (end < marks->count && marks->list[end].watch == marks->list[begin].watch &&
               marks->list[end].process == marks->list[begin].process)
            end++;
        struct stretch part = between(marks->list + begin, end - begin);
        if (end - begin < 2 || !(part.other > 0))
            continue;
        struct stretch *sum = &parts[process % MOST_STRETCHES];
        struct stretch *sums[] = {&whole, sum};
        for (size_t i = 0; i < 2; i++) {
            sums[i]->own += part.own;
            sums[i]->other += part.other;
            sums[i]->bound += part.bound;
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < MOST_STRETCHES; i++)
        if (parts[i].other > 0)
            parts[count++] = parts[i];
    if (whole.other > 0)
        summarize(&whole, parts, count, rate);
}

static int judge(const struct clocks_case *file, const struct clocks_report *report, uint32_t clock,
                 uint32_t against, struct clock_rate *rate)
{
    struct clock_marks marks;
    int error = clock_marks_find(file, report, clock, against, &marks);
    if (error)
        return error;
    double step = clock_step_ns(report, clock) - report->scales[clock].ns_per_tick;
    for (size_t i = 0; i < marks.count; i++)
        marks.list[i].bound += fmax(0, step);
    struct clock_rate whole = {0}, parts = {0};
    if (marks.count) {
        by_whole(&marks, &whole);
        if (file->clocks[clock].external)
            by_processes(&marks, &parts);
    }
    /* where the two agree, the whole span tells more */
    bool tells = parts.known && parts.sure_high - parts.sure_low < CLOCKS_RATE_PPM;
    bool agree =
        whole.known && whole.sure_low <= parts.sure_high && whole.sure_high >= parts.sure_low;
    *rate = tells && !agree ? parts : whole;
    rate->against = against;
    rate->tells = rate->known &&
                  (rate->low > 0 || rate->high < 0 || rate->high - rate->low <= 2 * NARROW_PPM);
    rate->independent = clocks_independent(file, clock, against);
    rate->against_claim = report->scales[clock].claimed;
    clock_marks_release(&marks);
    return 0;
}

/* CPU time has no rate over a span in which it also sleeps. */
static int judge_clock(const struct clocks_case *file, struct clocks_report *report, uint32_t clock)
{
    const int32_t others[CLOCK_MOST_RATES] = {
        report->reference.clock,
        report->reference.outside,
        report->reference.rtc,
        clocks_index(file, "monotonic-raw"),
    };
    size_t count = 0;
    if (file->clocks[clock].role != ROLE_WALL)
        return 0;
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
        if (others[i] < 0 || others[i] == (int32_t)clock ||
            (i == CLOCK_MOST_RATES - 1 && others[i] == others[0]))
            continue;
        struct clock_rate *rate = &report->rates[clock][count];
        int error = judge(file, report, clock, (uint32_t)others[i], rate);
        if (error)
            return error;
        count += rate->known;
    }
    if (count < CLOCK_MOST_RATES && !report->rates[clock][count].known)
        report->rates[clock][count] = (struct clock_rate){0};
    return 0;
}

int clocks_judge_rates(const struct clocks_case *file, struct clocks_report *report)
{
    int error = 0;
    for (uint32_t clock = 0; clock < file->clock_count && error == 0; clock++)
        error = judge_clock(file, report, clock);
    return error;
}

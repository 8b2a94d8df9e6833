/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How fast a clock runs, against what it claims. The mean rate over a span follows from its two
 * ends, and its bounds from theirs, however the rate varied between. How much it varies shows in
 * stretches of the span, and widens the interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * Marks: moments at which two clocks were read together, from whatever watch: ends of intervals,
 * looks from outside, edges of an RTC. What is said of rates and of identity is made of them. */

struct clock_mark {
    double own, other; /* ns since the first mark, each by its clock */
    double bound;      /* ns: own − other is right to ± this, half widths and ticks of both */
    double suspended;  /* ns that the machine was suspended until then, as far as can be known */
    uint32_t watch;
    uint32_t process; /* within the watch */
};

struct clock_marks {
    struct clock_mark *list; /* by rising `other` */
    size_t count;
};

/* Two clocks that are read together: what their values are counted from, and what a tick is. */
struct couple {
    const struct clock_watch *watch;
    uint32_t own_column, other_column;
    bool begun;
    uint64_t own_first, other_first;
    double own_scale, other_scale; /* ns a tick */
    int counts, stops; /* clocks in ns that count suspension and that do not; -1: none */
};

static uint64_t value_of(const struct clock_watch *watch, size_t look, uint32_t column)
{
    return watch->values[look * watch->columns + column];
}

/* How far the clock that counts suspension is ahead of the one that does not, at two looks that
 * follow each other (or at one). */
static double suspended_until(const struct couple *couple, size_t look, size_t next)
{
    const struct clock_watch *watch = couple->watch;
    if (couple->counts < 0 || couple->stops < 0)
        return 0;
    int counts = watch_column(watch, (uint32_t)couple->counts);
    int stops = watch_column(watch, (uint32_t)couple->stops);
    if (counts < 0 || stops < 0)
        return 0;
    double sum = 0;
    for (size_t i = 0; i < 2; i++)
        sum += (double)(int64_t)(value_of(watch, i ? next : look, (uint32_t)counts) -
                                 value_of(watch, i ? next : look, (uint32_t)stops));
    return sum / 2;
}

/* The moment lies between two readings of either clock. */
static void add_between(struct couple *couple, const uint64_t own[2], const uint64_t other[2],
                        const size_t looks[2], struct clock_marks *marks)
{
    size_t look = looks[0];
    if (!couple->begun) {
        couple->begun = true;
        couple->own_first = own[0];
        couple->other_first = other[0];
    }
    double own_width = (double)(int64_t)(own[1] - own[0]) * couple->own_scale;
    double other_width = (double)(int64_t)(other[1] - other[0]) * couple->other_scale;
    uint32_t process = 0;
    while (process + 1 < couple->watch->processes && couple->watch->begins[process + 1] <= look)
        process++;
    *memory_add(marks->list, marks->count) = (struct clock_mark){
        .own = (double)(int64_t)(own[0] - couple->own_first) * couple->own_scale + own_width / 2,
        .other = (double)(int64_t)(other[0] - couple->other_first) * couple->other_scale +
                 other_width / 2,
        .bound =
            (fabs(own_width) + fabs(other_width)) / 2 + couple->own_scale + couple->other_scale,
        .suspended = suspended_until(couple, looks[0], looks[1]),
        .process = process,
    };
}

static void add_intervals(struct couple *couple, struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    for (size_t i = 0; i < 2 * watch_intervals(watch); i++) {
        size_t look =
            watch_interval_pair(watch, i / 2, i % 2, couple->own_column, couple->other_column);
        uint64_t own[2] = {value_of(watch, look, couple->own_column),
                           value_of(watch, look + 1, couple->own_column)};
        uint64_t other[2] = {value_of(watch, look, couple->other_column),
                             value_of(watch, look + 1, couple->other_column)};
        add_between(couple, own, other, (size_t[2]){look, look + 1}, marks);
    }
}

/* The first and the last column are the outside clock's, around the moment of the look. */
static void add_outside(struct couple *couple, struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    for (size_t look = 0; look < watch->begins[watch->processes]; look++) {
        uint64_t own[2] = {value_of(watch, look, couple->own_column),
                           value_of(watch, look, couple->own_column)};
        uint64_t other[2] = {value_of(watch, look, 0), value_of(watch, look, watch->columns - 1)};
        add_between(couple, own, other, (size_t[2]){look, look}, marks);
    }
}

/* The new value began somewhere between the two looks. */
static void add_edges(struct couple *couple, struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    for (size_t look = 0; look + 1 < watch->begins[watch->processes]; look += WATCH_EDGE_LOOKS) {
        uint64_t own[2] = {value_of(watch, look, couple->own_column),
                           value_of(watch, look + 1, couple->own_column)};
        uint64_t edge = value_of(watch, look + 1, 0);
        uint64_t other[2] = {edge, edge};
        add_between(couple, own, other, (size_t[2]){look, look + 1}, marks);
        /* an edge is the very beginning of a tick: none is lost to its coarseness */
        marks->list[marks->count - 1].bound -= couple->other_scale;
    }
}

static int compare_marks(const void *left, const void *right)
{
    const struct clock_mark *one = left, *two = right;
    return (one->other > two->other) - (one->other < two->other);
}

static void keep_longest_awake(struct clock_marks *marks)
{
    size_t best = 0, best_count = 0;
    double longest = -1;
    for (size_t begin = 0, end = 0; begin < marks->count; begin = end) {
        while (end < marks->count && fabs(marks->list[end].suspended -
                                          marks->list[begin].suspended) < CLOCKS_SUSPENDED_NS)
            end++;
        double span = marks->list[end - 1].other - marks->list[begin].other;
        if (span > longest) {
            longest = span;
            best = begin;
            best_count = end - begin;
        }
    }
    memmove(marks->list, marks->list + best, best_count * sizeof(*marks->list));
    marks->count = best_count;
}

/* Which watches tell the two against each other, and how? */
static void add_watch(struct couple *couple, uint32_t clock, uint32_t other,
                      struct clock_marks *marks)
{
    const struct clock_watch *watch = couple->watch;
    int own_column = watch_column(watch, clock), other_column = watch_column(watch, other);
    if (own_column < 0 || other_column < 0 || !watch->processes)
        return;
    couple->own_column = (uint32_t)own_column;
    couple->other_column = (uint32_t)other_column;
    if (watch->kind == WATCH_INTERVAL)
        add_intervals(couple, marks);
    else if (watch->kind == WATCH_OUTSIDE && other_column == 0 && watch->columns > 2)
        add_outside(couple, marks);
    else if (watch->kind == WATCH_EDGES && other_column == 0)
        add_edges(couple, marks);
}

/* The moments at which both were read; where the machine was suspended between some, those of its
 * longest time awake, because only some clocks go on meanwhile. Empty where a scale is unknown.
 * There are many: the caller gives the list back. */
static struct clock_marks clock_marks_find(const struct clocks_case *file,
                                           const struct clocks_report *report, uint32_t clock,
                                           uint32_t other)
{
    struct clock_marks marks = {0};
    if (!report->scales[clock].known || !report->scales[other].known)
        return marks;
    struct couple couple = {.own_scale = report->scales[clock].ns_per_tick,
                            .other_scale = report->scales[other].ns_per_tick,
                            .counts = clocks_index(file, "boottime"),
                            .stops = clocks_index(file, "monotonic")};
    for (size_t i = 0; i < file->watch_count; i++) {
        couple.watch = &file->watches[i];
        size_t mark = marks.count;
        for (add_watch(&couple, clock, other, &marks); mark < marks.count; mark++)
            marks.list[mark].watch = (uint32_t)i;
    }
    if (marks.count) {
        qsort(marks.list, marks.count, sizeof(*marks.list), compare_marks);
        keep_longest_awake(&marks);
    }
    return marks;
}

static int compare_values(const void *left, const void *right)
{
    uint64_t one = *(const uint64_t *)left, two = *(const uint64_t *)right;
    return (one > two) - (one < two);
}

/* All readings of a clock in intervals, and how many pairs of looks there were, and how many of
 * them showed one value. */
struct readings {
    uint64_t *values;
    size_t count, pairs, still;
};

static void gather(const struct clocks_case *file, uint32_t clock, struct readings *readings)
{
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        int column = watch_column(watch, clock);
        if (watch->kind != WATCH_INTERVAL || column < 0)
            continue;
        for (size_t look = 0; look < watch_intervals(watch) * WATCH_INTERVAL_LOOKS; look++) {
            uint64_t value = value_of(watch, look, (uint32_t)column);
            if (look % WATCH_SIDE_LOOKS) {
                readings->pairs++;
                readings->still += value == readings->values[readings->count - 1];
            }
            *memory_add(readings->values, readings->count) = value;
        }
    }
}

double clock_step_find(const struct clocks_case *file, uint32_t clock)
{
    struct readings readings = {0};
    uint64_t step = 0;
    gather(file, clock, &readings);
    /* A look takes about a microsecond: who stands still over most of them has steps far longer. */
    if (readings.pairs && readings.still * 2 > readings.pairs) {
        qsort(readings.values, readings.count, sizeof(*readings.values), compare_values);
        for (size_t i = 1; i < readings.count; i++) {
            uint64_t gap = readings.values[i] - readings.values[i - 1];
            if (gap && (!step || gap < step))
                step = gap;
        }
    }
    memory_give_back(readings.values);
    return step ? (double)step : 1;
}

double clock_step_ns(const struct clocks_report *report, uint32_t clock)
{
    const struct clock_scale *scale = &report->scales[clock];
    if (!scale->known)
        return 0;
    double step = fmax(1, scale->step_ticks) * scale->ns_per_tick;
    const struct clock_granularity *granularity = &report->granularities[clock];
    if (granularity->known && granularity->coarse)
        step = fmax(step, granularity->usual_ticks * scale->ns_per_tick);
    return step;
}

bool interval_suspended(const struct clocks_case *file, const struct clock_watch *watch,
                        size_t index)
{
    int counts = clocks_index(file, "boottime"), stops = clocks_index(file, "monotonic");
    if (counts < 0 || stops < 0)
        return false;
    int counts_column = watch_column(watch, (uint32_t)counts);
    int stops_column = watch_column(watch, (uint32_t)stops);
    if (counts_column < 0 || stops_column < 0)
        return false;
    struct interval_reading both[2];
    watch_interval_of_two(watch, index, (uint32_t)counts_column, (uint32_t)stops_column, both);
    return both[0].elapsed - both[1].elapsed > CLOCKS_SUSPENDED_NS + both[0].bound + both[1].bound;
}

/* ----------------------------------------------------------------------------------------------
 * Which clocks are one counter in other clothes: those between which one straight line holds all
 * the time, within the bounds of every look. Where both are said to be made of one counter, the
 * line itself has to show it: what they really left it by, rather than what slow readings could
 * have hidden, as on machines that a program makes. */

#define SEARCH_STEPS 60

/* Of all lines with this slope, the one that leaves the least beyond the bounds. */
struct same_line {
    double slope, offset; /* own − other = offset + slope * other */
    double beyond;        /* ns; ≤ 0: every bound is kept */
};

static struct same_line best_offset(const struct clock_marks *marks, double slope)
{
    double lowest = -INFINITY, highest = INFINITY;
    for (size_t i = 0; i < marks->count; i++) {
        const struct clock_mark *mark = &marks->list[i];
        double rest = mark->own - mark->other - slope * mark->other;
        lowest = fmax(lowest, rest - mark->bound);
        highest = fmin(highest, rest + mark->bound);
    }
    return (struct same_line){
        .slope = slope, .offset = (lowest + highest) / 2, .beyond = (lowest - highest) / 2};
}

/* What is left beyond the bounds is convex in the slope. */
static struct same_line best_line(const struct clock_marks *marks)
{
    const struct clock_mark *first = &marks->list[0], *last = &marks->list[marks->count - 1];
    double span = last->other - first->other;
    double middle = (last->own - first->own) / span - 1;
    struct same_line around = best_offset(marks, middle);
    double reach = 4 * (fmax(0, around.beyond) + first->bound + last->bound) / span;
    double low = middle - reach, high = middle + reach;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double third = (high - low) / 3;
        if (best_offset(marks, low + third).beyond < best_offset(marks, high - third).beyond)
            high -= third;
        else
            low += third;
    }
    return best_offset(marks, (low + high) / 2);
}

/* The bound that half of the marks keep. */
static double usual_bound(const struct clock_marks *marks)
{
    AUTO_MEMORY double *bounds = memory_new(marks->count, sizeof(*bounds));
    for (size_t i = 0; i < marks->count; i++)
        bounds[i] = marks->list[i].bound;
    sort_values(bounds, marks->count);
    return quantile(bounds, marks->count, 0.5);
}

static double farthest(const struct clock_marks *marks, const struct same_line *line, double bound)
{
    double farthest = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct clock_mark *mark = &marks->list[i];
        double rest = mark->own - mark->other - line->offset - line->slope * mark->other;
        if (mark->bound <= bound || fabs(rest) > mark->bound)
            farthest = fmax(farthest, fabs(rest));
    }
    return farthest;
}

static void compare(const struct clocks_case *file, const struct clocks_report *report,
                    uint32_t clock, uint32_t with, struct clock_marks *marks,
                    struct clock_same *same)
{
    double steps = clock_step_ns(report, clock) - report->scales[clock].ns_per_tick +
                   clock_step_ns(report, with) - report->scales[with].ns_per_tick;
    double span = marks->list[marks->count - 1].other - marks->list[0].other;
    for (size_t i = 0; i < marks->count; i++)
        marks->list[i].bound += fmax(0, steps);
    double bound = usual_bound(marks);
    if (!(span > 0))
        return;
    struct same_line line = best_line(marks);
    *same = (struct clock_same){
        .with = with, .bound_ns = bound, .span_s = span * 1e-9, .ppb = bound / (span * 1e-9)};
    same->parted_ns = farthest(marks, &line, bound);
    if (clocks_one_family(file, clock, with))
        same->ppb = fmin(same->ppb, (same->parted_ns + report->scales[clock].ns_per_tick +
                                     report->scales[with].ns_per_tick) /
                                        (span * 1e-9));
    /* They part for sure, or they could not have parted unseen; between the two nothing is known.
     * Nor is it where they are said to be different counters: good oscillators at one temperature
     * keep a straight line for minutes. */
    same->same =
        line.beyond <= 0 && same->ppb <= CLOCKS_SAME_PPB && !clocks_independent(file, clock, with);
    same->known = line.beyond > 0 || same->same;
}

void clocks_find_same(const struct clocks_case *file, struct clocks_report *report)
{
    /* What the others may be: the CPU's own counter, plainly read; else the reference. */
    const int counter = clocks_counter(file), own = counter < 0 ? report->reference.clock : counter;
    for (uint32_t clock = 0; clock < file->clock_count && own >= 0; clock++) {
        int32_t with = (int)clock == own ? report->reference.clock : own;
        if (file->clocks[clock].role != ROLE_WALL || with < 0 || with == (int32_t)clock)
            continue;
        struct clock_marks marks = clock_marks_find(file, report, clock, (uint32_t)with);
        if (marks.count >= 4)
            compare(file, report, clock, (uint32_t)with, &marks, &report->same[clock]);
        memory_give_back(marks.list);
    }
}

#define MOST_STRETCHES 16
/* A rate known to ± this is worth a figure, also where it may be right. */
#define NARROW_PPM (CLOCKS_RATE_PPM / 10)

/* A part of the span with its two ends. */
struct rate_stretch {
    double own, other, bound; /* ns */
};

/* From the narrowest mark among the first ones to the narrowest among the last: a wide mark at an
 * end tells less than one some moments nearer. */
static struct rate_stretch between(const struct clock_mark *marks, size_t count)
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
    return (struct rate_stretch){.own = marks[last].own - marks[first].own,
                                 .other = marks[last].other - marks[first].other,
                                 .bound = marks[last].bound + marks[first].bound};
}

static double ppm_of(const struct rate_stretch *stretch)
{
    return (stretch->own / stretch->other - 1) * 1e6;
}

static double bound_of(const struct rate_stretch *stretch)
{
    return stretch->bound / stretch->other * 1e6;
}

static void summarize(const struct rate_stretch *whole, const struct rate_stretch *parts,
                      size_t count, struct clock_rate *rate)
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
static size_t divide(const struct clock_marks *marks, struct rate_stretch parts[MOST_STRETCHES])
{
    double span = marks->list[marks->count - 1].other - marks->list[0].other;
    double least = span / MOST_STRETCHES, near = least / 4;
    size_t count = 0, node = narrowest_near(marks, 0, near);
    for (size_t i = node + 1; i < marks->count && count < MOST_STRETCHES; i++) {
        if (marks->list[i].other - marks->list[node].other < 0.9 * least)
            continue;
        size_t next = narrowest_near(marks, i, near);
        parts[count++] = (struct rate_stretch){
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
    struct rate_stretch whole = between(marks->list, marks->count), parts[MOST_STRETCHES];
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
    struct rate_stretch whole = {0}, parts[MOST_STRETCHES] = {{0}};
    size_t process = 0;
    qsort(marks->list, marks->count, sizeof(*marks->list), compare_places);
    for (size_t begin = 0, end = 0; begin < marks->count; begin = end, process++) {
        while (end < marks->count && marks->list[end].watch == marks->list[begin].watch &&
               marks->list[end].process == marks->list[begin].process)
            end++;
        struct rate_stretch part = between(marks->list + begin, end - begin);
        if (end - begin < 2 || !(part.other > 0))
            continue;
        struct rate_stretch *sum = &parts[process % MOST_STRETCHES];
        struct rate_stretch *sums[] = {&whole, sum};
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

static void judge(const struct clocks_case *file, const struct clocks_report *report,
                  uint32_t clock, uint32_t against, struct clock_rate *rate)
{
    struct clock_marks marks = clock_marks_find(file, report, clock, against);
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
    memory_give_back(marks.list);
}

struct clock_rate clocks_rate_between(const struct clocks_case *file,
                                      const struct clocks_report *report, uint32_t clock,
                                      uint32_t against)
{
    struct clock_rate rate;
    judge(file, report, clock, against, &rate);
    return rate;
}

/* CPU time has no rate over a span in which it also sleeps. */
static void judge_clock(const struct clocks_case *file, struct clocks_report *report,
                        uint32_t clock)
{
    const int32_t others[CLOCK_MOST_RATES] = {
        report->reference.clock,
        report->reference.outside,
        report->reference.rtc,
        clocks_index(file, "monotonic-raw"),
    };
    size_t count = 0;
    if (file->clocks[clock].role != ROLE_WALL)
        return;
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
        if (others[i] < 0 || others[i] == (int32_t)clock ||
            (i == CLOCK_MOST_RATES - 1 && others[i] == others[0]))
            continue;
        struct clock_rate *rate = &report->rates[clock][count];
        judge(file, report, clock, (uint32_t)others[i], rate);
        count += rate->known;
    }
    if (count < CLOCK_MOST_RATES && !report->rates[clock][count].known)
        report->rates[clock][count] = (struct clock_rate){0};
}

void clocks_judge_rates(const struct clocks_case *file, struct clocks_report *report)
{
    for (uint32_t clock = 0; clock < file->clock_count; clock++)
        judge_clock(file, report, clock);
}

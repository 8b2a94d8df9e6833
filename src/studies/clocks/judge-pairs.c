/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far the clocks of two CPUs are apart. A look on the one lies between two on the other in the
 * order of causes, so every trip says which offsets are impossible; what no trip contradicts is the
 * answer, and it needs no assumption on how long a way takes. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * Finds in all watches the readings that follow each other in one thread. Where the CPU may have
 * changed between two of them they are left out: what that does is judged by trips. */

/* Where a clock should be after a stretch is not known better than this, by the pace of blocks and
 * steps, and by the rates that are known of clocks. */
#define PACE_SHARE 0.1
#define RATE_SHARE 0.003
/* Nor is the place where it begins anew, in parts of the period. */
#define PERIOD_SHARE (1.0 / 256)
/* Without anything beside it: a step back so near to the period. */
#define NEAR_PERIOD 0.875
/* Ticks by which anything may be off. */
#define TICKS_SLACK 4.0
/* What is known to this part of the period tells which way round it went. */
#define SURE_SHARE 0.25

struct search {
    const struct clocks_case *file;
    const struct clocks_report *report;
    uint32_t clock;
    stretch_visitor *visitor;
    void *context;
};

enum wraps stretch_wraps(const struct stretch *stretch, double period)
{
    bool near = stretch->worst >= NEAR_PERIOD * period;
    /* All differences are modulo 2^64: what wraps there has gone on in them. */
    if (isnan(stretch->expected) || period >= 0x1p64)
        return near ? WRAPS_SURELY : WRAPS_NOT;
    double times = round((stretch->expected - stretch->way) / period);
    times = fmax(times, (double)stretch->backward);
    double off = fabs(stretch->way + times * period - stretch->expected);
    double free = stretch->slack + PERIOD_SHARE * period + TICKS_SLACK;
    if (off <= free)
        return free <= SURE_SHARE * period ? WRAPS_SURELY : WRAPS_MAYBE;
    return stretch->interrupted ? WRAPS_MAYBE : WRAPS_NOT;
}

double ticks_between(const struct clock_monotonic *clock, uint64_t before, uint64_t now)
{
    double ticks = (double)(int64_t)(now - before);
    return clock->wrapped ? remainder(ticks, clock->wrap_ticks) : ticks;
}

/* --- two looks --- */

static const uint64_t *look_at(const struct clock_watch *watch, size_t look)
{
    return watch->values + look * watch->columns;
}

/* Ticks that the reference says have passed; NaN: it was not read, or the rate is unknown. */
static double expected_between(const struct search *search, const struct clock_watch *watch,
                               size_t before, size_t now)
{
    int32_t reference = search->report->reference.clock;
    int column = reference < 0 ? -1 : watch_column(watch, (uint32_t)reference);
    if (column < 0 || (uint32_t)reference == search->clock)
        return NAN;
    const struct clock_scale *own = &search->report->scales[search->clock];
    const struct clock_scale *other = &search->report->scales[reference];
    if (!own->known || !other->known || !(own->ns_per_tick > 0))
        return NAN;
    int64_t ticks = (int64_t)(look_at(watch, now)[column] - look_at(watch, before)[column]);
    return (double)ticks * other->ns_per_tick / own->ns_per_tick;
}

/* How much later or earlier than the reference a clock between can have been read in a look that
 * was cold or interrupted: other clocks that were read in it differ by as much, in ns. */
static double disagreement(const struct search *search, const struct clock_watch *watch,
                           size_t before, size_t now)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t column = 0; column < watch->columns; column++) {
        uint32_t clock = watch->clocks[column];
        const struct clock_scale *scale = &search->report->scales[clock];
        if (clock == search->clock || search->file->clocks[clock].role != ROLE_WALL ||
            !scale->known)
            continue;
        int64_t ticks = (int64_t)(look_at(watch, now)[column] - look_at(watch, before)[column]);
        least = fmin(least, (double)ticks * scale->ns_per_tick);
        most = fmax(most, (double)ticks * scale->ns_per_tick);
    }
    return most > least ? most - least : 0;
}

/* Did others get the CPU in the interval of this look, by its thread's own account? */
static bool was_interrupted(const struct clock_watch *watch, size_t look)
{
    if (watch->kind != WATCH_INTERVAL || !watch->accounts)
        return false;
    size_t first = look - look % WATCH_INTERVAL_LOOKS;
    return watch->accounts[first + WATCH_SIDE_LOOKS].involuntary > 0;
}

/* expected, slack and interrupted are given. */
static void visit_pair(const struct search *search, uint64_t before, uint64_t now,
                       struct stretch stretch)
{
    int64_t way = (int64_t)(now - before);
    stretch.readings = 1;
    stretch.backward = way < 0;
    stretch.worst = way < 0 ? -(double)way : 0;
    stretch.way = (double)way;
    stretch.largest = now > before ? now : before;
    search->visitor(&stretch, search->context);
}

static void visit_looks(const struct search *search, const struct clock_watch *watch, int column,
                        size_t before, size_t now)
{
    uint64_t from = look_at(watch, before)[column], to = look_at(watch, now)[column];
    struct stretch stretch = {.expected = NAN};
    /* Only who went back is asked where it should be. */
    if ((int64_t)(to - from) < 0)
        stretch.expected = expected_between(search, watch, before, now);
    if (isnan(stretch.expected)) {
        visit_pair(search, from, to, stretch);
        return;
    }
    stretch.slack =
        RATE_SHARE * fabs(stretch.expected) + disagreement(search, watch, before, now) /
                                                  search->report->scales[search->clock].ns_per_tick;
    /* Of two looks with nothing between, all of the time may lie between two readings. */
    if (now % WATCH_SIDE_LOOKS != 0)
        stretch.slack += fabs(stretch.expected);
    stretch.interrupted = was_interrupted(watch, before) || was_interrupted(watch, now);
    visit_pair(search, from, to, stretch);
}

bool trip_is_lost(const struct clocks_case *file, const struct clocks_report *report,
                  uint32_t clock, const struct clock_watch *watch, size_t look)
{
    const struct clock_monotonic *monotonic = &report->monotonic[clock];
    const struct clock_scale *own = &report->scales[clock];
    if (!monotonic->wrapped || !own->known)
        return false;
    double longest = 0;
    for (uint32_t column = 0; column < watch->columns; column++) {
        uint32_t other = watch->clocks[column];
        const struct clock_scale *scale = &report->scales[other];
        if (other == clock || file->clocks[other].role != ROLE_WALL || !scale->known ||
            report->monotonic[other].wrapped)
            continue;
        uint64_t first = look_at(watch, look)[column];
        int64_t ticks = (int64_t)(look_at(watch, look + 2)[column] - first);
        longest = fmax(longest, (double)ticks * scale->ns_per_tick);
    }
    return longest > SURE_SHARE * monotonic->wrap_ticks * own->ns_per_tick;
}

/* --- intervals --- */

static bool on_one_cpu(const struct search *search, const struct clock_watch *watch, int place,
                       size_t before, size_t now)
{
    if (place >= 0)
        return look_at(watch, before)[place] == look_at(watch, now)[place];
    return search->file->cpus == 1 || (watch->cpu >= 0 && !watch->moves && !watch->handover);
}

/* Is look number `index` of its process by the thread that took the one before? A thread is known
 * by its number only within an interval. */
static bool by_one_thread(const struct search *search, const struct clock_watch *watch,
                          size_t index)
{
    size_t look = index % WATCH_INTERVAL_LOOKS;
    if (look == WATCH_SIDE_LOOKS)
        return !watch->handover;
    if (look != 0)
        return true;
    return watch->threads == 1 && !watch->handover &&
           search->file->clocks[search->clock].role == ROLE_WALL;
}

static void visit_intervals(const struct search *search, const struct clock_watch *watch)
{
    int column = watch_column(watch, search->clock),
        place = watch_role_column(search->file, watch, ROLE_PLACE);
    for (size_t process = 0; column >= 0 && process < watch->processes; process++) {
        size_t begin = watch->begins[process];
        for (size_t now = begin + 1; now < watch->begins[process + 1]; now++)
            if (by_one_thread(search, watch, now - begin) &&
                on_one_cpu(search, watch, place, now - 1, now))
                visit_looks(search, watch, column, now - 1, now);
    }
}

/* --- trips: each of the two CPUs has a thread of its own --- */

static void visit_trips(const struct search *search, const struct clock_watch *watch)
{
    int column = watch_column(watch, search->clock);
    for (size_t process = 0; column >= 0 && process < watch->processes; process++) {
        size_t begin = watch->begins[process], end = watch->begins[process + 1];
        for (size_t trip = begin; trip + WATCH_TRIP_LOOKS <= end; trip += WATCH_TRIP_LOOKS) {
            visit_looks(search, watch, column, trip, trip + 2);
            if (trip == begin)
                continue;
            visit_looks(search, watch, column, trip - 1, trip);
            visit_looks(search, watch, column, trip - 2, trip + 1);
        }
    }
}

/* --- rows and steps: the clock beside it tells how far it should have gone --- */

/* Median of what the clock went for each tick of the one beside it; NaN: never forwards. */
static double pace_of(const struct clock_watch *watch)
{
    size_t looks = watch->begins[watch->processes], count = 0;
    AUTO_MEMORY double *paces = memory_new(looks + 1, sizeof(*paces));
    for (size_t process = 0; process < watch->processes; process++)
        for (size_t look = watch->begins[process]; look < watch->begins[process + 1]; look++) {
            const uint64_t *now = look_at(watch, look), *before = now - watch->columns;
            bool row = watch->kind == WATCH_ROW;
            if (!row && look == watch->begins[process])
                continue;
            double way = (double)(int64_t)(row ? now[ROW_LAST] - now[ROW_FIRST] : *now - *before);
            double beside =
                (double)(int64_t)(row ? now[ROW_AFTER] - now[ROW_BEFORE] : now[1] - before[1]);
            if (way >= 0 && beside > 0 && !(row && now[ROW_BACKWARD]))
                paces[count++] = way / beside;
        }
    sort_values(paces, count);
    return count ? quantile(paces, count, .5) : NAN;
}

/* By the pace of the watch itself; where every block goes back, by what both claim. */
static double expected_pace(const struct search *search, const struct clock_watch *watch)
{
    uint32_t beside = watch->clocks[watch->columns - 1];
    const struct clock_scale *own = &search->report->scales[search->clock];
    const struct clock_scale *other = &search->report->scales[beside];
    if (beside == search->clock)
        return NAN; /* a clock cannot vouch for itself */
    const double pace = pace_of(watch);
    return isnan(pace) && own->known && other->known ? other->ns_per_tick / own->ns_per_tick : pace;
}

/* A stretch of so many ticks of the clock beside it. */
static struct stretch paced(double pace, uint64_t before, uint64_t after)
{
    double expected = pace * (double)(int64_t)(after - before);
    return (struct stretch){.expected = expected, .slack = PACE_SHARE * fabs(expected)};
}

static void visit_block(const struct search *search, const struct clock_watch *watch, size_t look,
                        double pace)
{
    const uint64_t *row = look_at(watch, look);
    uint64_t largest = row[ROW_FIRST] > row[ROW_LAST] ? row[ROW_FIRST] : row[ROW_LAST];
    struct stretch stretch = paced(pace, row[ROW_BEFORE], row[ROW_AFTER]);
    stretch.readings = watch->length;
    stretch.backward = row[ROW_BACKWARD];
    stretch.worst = (double)row[ROW_WORST];
    stretch.way = (double)(int64_t)(row[ROW_LAST] - row[ROW_FIRST]);
    stretch.largest = largest > row[ROW_WORST] ? largest : row[ROW_WORST];
    search->visitor(&stretch, search->context);
}

static void visit_row(const struct search *search, const struct clock_watch *watch)
{
    const double pace = expected_pace(search, watch);
    for (size_t process = 0; process < watch->processes; process++)
        for (size_t look = watch->begins[process]; look < watch->begins[process + 1]; look++) {
            const uint64_t *now = look_at(watch, look), *before = now - watch->columns;
            if (look > watch->begins[process])
                visit_pair(search, before[ROW_LAST], now[ROW_FIRST],
                           paced(pace, before[ROW_AFTER], now[ROW_BEFORE]));
            visit_block(search, watch, look, pace);
        }
}

static void visit_steps(const struct search *search, const struct clock_watch *watch)
{
    const double pace = expected_pace(search, watch);
    for (size_t process = 0; process < watch->processes; process++)
        for (size_t look = watch->begins[process] + 1; look < watch->begins[process + 1]; look++) {
            const uint64_t *now = look_at(watch, look), *before = now - watch->columns;
            visit_pair(search, before[0], now[0], paced(pace, before[1], now[1]));
        }
}

void visit_stretches(const struct clocks_case *file, const struct clocks_report *report,
                     uint32_t clock, stretch_visitor *visitor, void *context)
{
    struct search search = {file, report, clock, visitor, context};
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->processes == 0 || watch->columns == 0)
            continue;
        bool first = watch->clocks[0] == clock;
        if (watch->kind == WATCH_INTERVAL)
            visit_intervals(&search, watch);
        else if (watch->kind == WATCH_TRIPS)
            visit_trips(&search, watch);
        else if (watch->kind == WATCH_ROW && first && watch->columns == ROW_COLUMNS)
            visit_row(&search, watch);
        else if (watch->kind == WATCH_STEPS && first && watch->columns == 2)
            visit_steps(&search, watch);
    }
}

/* Offsets that are left; empty where low > high. */
struct allowed {
    double low, high;
};

/* --- one process --- */

/* Common divisor of all differences: a clock that moves in quanta of it may show less than a later
 * look by up to one of them, and still be right. */
static uint64_t divisor(uint64_t one, uint64_t other)
{
    while (other) {
        uint64_t rest = one % other;
        one = other;
        other = rest;
    }
    return one;
}

static uint64_t distance(uint64_t one, uint64_t other)
{
    int64_t way = (int64_t)(one - other);
    return way < 0 ? 0 - (uint64_t)way : (uint64_t)way;
}

/* In ticks. A coarse clock moves in steps that need not be alike: its usual one. */
static double pair_quantum(const struct clock_watch *watch, int column,
                           const struct clock_granularity *granularity)
{
    uint64_t common = 0;
    size_t looks = watch->begins[watch->processes];
    for (size_t look = 1; look < looks && common != 1; look++) {
        const uint64_t *now = watch->values + look * watch->columns + column;
        common = divisor(common, distance(*now, *(now - watch->columns)));
    }
    double quantum = common ? (double)common : 1;
    if (granularity->known)
        quantum = fmax(quantum,
                       granularity->coarse ? granularity->usual_ticks : granularity->quantum_ticks);
    return quantum;
}

/* What is asked of one watch. */
struct asked {
    const struct clocks_case *file;
    const struct clocks_report *report;
    const struct clock_watch *watch;
    uint32_t clock;
    int column;
};

/* Counts the trips besides. Trips during which the asking CPU's own clock went back say nothing. */
static struct allowed allowed_by(const struct asked *of, size_t process, struct clock_pair *pair)
{
    const struct clock_watch *watch = of->watch;
    const struct clock_monotonic *monotonic = &of->report->monotonic[of->clock];
    struct allowed allowed = {-INFINITY, INFINITY};
    for (size_t look = watch->begins[process];
         look + WATCH_TRIP_LOOKS <= watch->begins[process + 1]; look += WATCH_TRIP_LOOKS) {
        if (trip_is_lost(of->file, of->report, of->clock, watch, look))
            continue;
        const uint64_t *asked = watch->values + look * watch->columns + of->column;
        const uint64_t *answered = asked + watch->columns, *heard = answered + watch->columns;
        double most = ticks_between(monotonic, *asked, *answered);
        double least = ticks_between(monotonic, *heard, *answered);
        pair->trips++;
        pair->backward += most < 0 || least > 0;
        if (ticks_between(monotonic, *asked, *heard) < 0)
            continue;
        allowed.low = fmax(allowed.low, least);
        allowed.high = fmin(allowed.high, most);
    }
    return allowed;
}

/* --- one pair of CPUs --- */

/* Offsets are the greater CPU's minus the lesser's, whichever asked. */
static struct allowed mirrored(struct allowed allowed)
{
    return (struct allowed){-allowed.high, -allowed.low};
}

static void add_watch(const struct asked *of, struct clock_pair *pair)
{
    const struct clock_watch *watch = of->watch;
    double quantum = pair_quantum(watch, of->column, &of->report->granularities[of->clock]);
    for (size_t process = 0; process < watch->processes; process++) {
        struct allowed allowed = allowed_by(of, process, pair);
        allowed.low -= quantum;
        allowed.high += quantum;
        if (watch->cpu != pair->cpu)
            allowed = mirrored(allowed);
        pair->processes++;
        pair->torn += allowed.low > allowed.high;
        pair->low = fmax(pair->low, allowed.low);
        pair->high = fmin(pair->high, allowed.high);
    }
}

static struct clock_pair *pair_of(struct clocks_report *report, uint32_t clock,
                                  const struct clock_watch *watch)
{
    bool forwards = watch->cpu < watch->partner;
    int32_t cpu = forwards ? watch->cpu : watch->partner;
    int32_t partner = forwards ? watch->partner : watch->cpu;
    for (size_t i = 0; i < report->pair_count; i++) {
        struct clock_pair *pair = &report->pairs[i];
        if (pair->clock == clock && pair->cpu == cpu && pair->partner == partner)
            return pair;
    }
    struct clock_pair *pair = memory_add(report->pairs, report->pair_count);
    *pair = (struct clock_pair){
        .clock = clock, .cpu = cpu, .partner = partner, .low = -INFINITY, .high = INFINITY};
    return pair;
}

static int compare(const void *one, const void *other)
{
    const struct clock_pair *left = one, *right = other;
    if (left->clock != right->clock)
        return left->clock < right->clock ? -1 : 1;
    if (left->cpu != right->cpu)
        return left->cpu < right->cpu ? -1 : 1;
    return (left->partner > right->partner) - (left->partner < right->partner);
}

/* Only clocks that claim to be one for all CPUs. */
static void collect(const struct clocks_case *file, struct clocks_report *report)
{
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_TRIPS || watch->processes == 0 || watch->cpu == watch->partner)
            continue;
        for (uint32_t column = 0; column < watch->columns; column++) {
            uint32_t clock = watch->clocks[column];
            if (file->clocks[clock].role != ROLE_WALL)
                continue;
            struct asked asked = {file, report, watch, clock, (int)column};
            add_watch(&asked, pair_of(report, clock, watch));
        }
    }
}

/* Pairs of which no trip said anything. */
static void drop_silent(struct clocks_report *report)
{
    size_t kept = 0;
    for (size_t i = 0; i < report->pair_count; i++)
        if (isfinite(report->pairs[i].low) && isfinite(report->pairs[i].high))
            report->pairs[kept++] = report->pairs[i];
    report->pair_count = kept;
}

/* --- all pairs of a clock --- */

/* How far from 0 the offset is for certain, on the farther side where no offset is left; 0: it may
 * be none. */
static double certain(const struct clock_pair *pair)
{
    double above = fmax(pair->low, 0), below = fmin(pair->high, 0);
    return above > -below ? above : below;
}

static void sum_up(const struct clock_pair *pair, double *farthest, struct clock_offsets *offsets)
{
    double sure = certain(pair);
    if (fabs(sure) > *farthest) {
        *farthest = fabs(sure);
        offsets->worst = pair->constant ? pair->offset : sure;
    }
    if (!offsets->known || fabs(pair->offset) > fabs(offsets->offset)) {
        offsets->offset = pair->offset;
        offsets->bound = pair->bound;
        offsets->cpu = pair->cpu;
        offsets->partner = pair->partner;
    }
    offsets->known = true;
    offsets->pairs++;
    offsets->largest_bound = fmax(offsets->largest_bound, fmax(fabs(pair->low), fabs(pair->high)));
}

void clocks_judge_pairs(const struct clocks_case *file, struct clocks_report *report)
{
    collect(file, report);
    if (report->pair_count > 0)
        qsort(report->pairs, report->pair_count, sizeof(*report->pairs), compare);
    drop_silent(report);
    double farthest = 0;
    for (size_t i = 0; i < report->pair_count; i++) {
        struct clock_pair *pair = &report->pairs[i];
        if (i == 0 || pair->clock != pair[-1].clock)
            farthest = 0;
        pair->constant = pair->low <= pair->high;
        pair->offset = (pair->low + pair->high) / 2;
        pair->bound = fabs(pair->high - pair->low) / 2;
        sum_up(pair, &farthest, &report->offsets[pair->clock]);
    }
}

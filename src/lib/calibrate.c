/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What calipers cost: empty regions are measured, kept and put into figures. First the figures,
 * which are pure; then the error bar of ticks and the neighbours that it is made of; then
 * calibrating. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/calipers.h"

/* ----------------------------------------------------------------------------------------------
 * What counts of empty regions come to. Pure. A counter mostly shows the same for every one: then
 * that is what is subtracted, and nothing is uncertain. Else the median is, and the limits are
 * those between which the next one lies 95 times of 100, whatever the distribution: of n values in
 * order, the next falls below the k-th with a probability of k / (n + 1).
 *
 * Of what the operating system counts, every empty region adds the same: so many system calls, or
 * nothing. A page that some of them touch for the first time (ThreadSanitizer's records fill one in
 * every 16) is not what the next one adds, so there what most agree on is subtracted. */

#define NEARLY_ALL    0.95
#define MOST          0.5
#define STANDARD_95   1.96
#define OUTSIDE_LEAST 40 /* one of so many lies outside on a side */

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double middle_of(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Mean and spread, with the `outside` least and largest as if they were at their border: the few
 * that something disturbed unseen weigh no more than others. That makes the spread too small, by
 * about as much as there are of them. */
static void summed(const double *sorted, size_t count, size_t outside, struct null_figures *figures)
{
    size_t first = outside ? outside - 1 : 0, last = count - 1 - first;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i < first ? first : i > last ? last : i];
    figures->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        double off = sorted[i < first ? first : i > last ? last : i] - figures->mean;
        squares += off * off;
    }
    figures->spread = count > 1 ? root_of(squares / (double)(count - 1)) : 0;
    figures->spread *= (double)count / (double)(count - 2 * outside);
    figures->error = STANDARD_95 * figures->spread / root_of((double)count);
}

/* Where nearly all agree on a value, what is odd is no noise around it: all of it weighs. */
static void summed_odd(const double *sorted, size_t count, struct null_figures *figures)
{
    size_t odd = 0;
    for (size_t i = 0; i < count; i++)
        odd += sorted[i] != figures->middle;
    figures->odd = (double)odd / (double)count;
    summed(sorted, count, 0, figures);
    double beside = figures->mean - figures->middle;
    figures->error += beside < 0 ? -beside : beside;
    figures->mean = figures->middle;
}

void null_figures_of(enum caliper_nature nature, const double *values, size_t count,
                     struct null_figures *figures)
{
    double ordered[CALIPERS_NULLS];
    *figures = (struct null_figures){.steady = true};
    if (!count || count > CALIPERS_NULLS)
        return;
    for (size_t i = 0; i < count; i++)
        ordered[i] = values[i];
    qsort(ordered, count, sizeof(*ordered), by_value);
    size_t outside = (count + 1) / OUTSIDE_LEAST;
    size_t first = outside ? outside - 1 : 0;
    figures->low = ordered[first];
    figures->high = ordered[count - 1 - first];
    double sums[2] = {0, 0};
    size_t half = count / 2;
    for (size_t i = 0; i < half; i++) {
        const double pair[2] = {values[i], values[count - half + i]};
        for (size_t side = 0; side < 2; side++)
            sums[side] += pair[side] < figures->low    ? figures->low
                          : pair[side] > figures->high ? figures->high
                                                       : pair[side];
    }
    double moved = sums[1] - sums[0];
    figures->steady =
        (moved < 0 ? -moved : moved) <= (figures->high - figures->low) / 3 * (double)half;
    double share = nature == NATURE_COUNT ? MOST : NEARLY_ALL;
    /* Of sorted values, the one that most have, when so large a share of them does. */
    size_t same = 0;
    figures->middle = ordered[count / 2];
    for (size_t i = 0; i < count; i++)
        same += ordered[i] == figures->middle;
    if ((double)same >= share * (double)count) {
        summed_odd(ordered, count, figures);
    } else {
        figures->middle = middle_of(ordered, count);
        figures->odd = 1;
        summed(ordered, count, outside, figures);
    }
}

static double less_noise(double both, double one)
{
    return root_of(both * both - one * one);
}

/* The outer of two empty regions less an empty one is what the inner adds. The outer's own noise is
 * in both and must not be counted twice. Many pairs add up to their mean and not to their median.
 */
void null_figures_pair(const struct null_figures *alone, struct null_figures *pair)
{
    struct null_figures outer = *pair;
    pair->mean = outer.mean - alone->mean;
    pair->middle = pair->mean;
    pair->low = pair->middle - less_noise(outer.middle - outer.low, alone->middle - alone->low);
    pair->high = pair->middle + less_noise(outer.high - outer.middle, alone->high - alone->middle);
    pair->spread = less_noise(outer.spread, alone->spread);
}

/* ----------------------------------------------------------------------------------------------
 * The error bar of ticks.
 *
 * A counter shows multiples of its step, so that a distance between two readings may be off by up
 * to a step on either side, and by little more often than by much: the shares of values in a row
 * are samples of a density that goes in straight lines between them. Quantiles are those of that
 * density. They do not jump from one step to the next with a single value, and the distance between
 * quartiles is never 0, even where all values are the same: then it is 0.59 of a step. */

#define OUTSIDE      0.02 /* on each side: one of 50 values */
#define BISECTIONS   14   /* of two steps */
#define WIDER        1.03 /* see side */
#define LEAST        1.35 /* steps: a distance by two readings, held against another one */
#define WIDEST       2    /* quartiles' distances */
#define MUCH_LONGER  10
#define REFUSED_MOST 16

/* --- taking --- */

static bool window_was_interrupted(struct tick_nulls *nulls, double whole)
{
    if (nulls->usual <= 0 || whole <= MUCH_LONGER * nulls->usual) {
        nulls->refused = 0;
        return false;
    }
    if (++nulls->refused <= REFUSED_MOST)
        return true;
    nulls->refused = nulls->count = nulls->next = 0; /* that is how it is now */
    nulls->usual = 0;
    return false;
}

void tick_nulls_add(struct tick_nulls *nulls, const uint64_t readings[4])
{
    double whole = (double)(readings[3] - readings[0]),
           inside = (double)(readings[2] - readings[1]);
    uint64_t apart = nulls->ended ? readings[0] - nulls->ended : 0;
    nulls->ended = readings[3];
    if (window_was_interrupted(nulls, whole))
        return;
    nulls->apart[nulls->next] = apart;
    nulls->around[nulls->next] = whole - inside;
    nulls->inside[nulls->next] = inside;
    nulls->next = (nulls->next + 1) % TICK_NULLS;
    if (nulls->count < TICK_NULLS)
        nulls->count++;
}

/* --- what they come to --- */

/* Different values in order, and how many have each. */
struct shares {
    double value[TICK_NULLS], many[TICK_NULLS];
    size_t count;
    double all, step;
};

static void share_of(struct shares *shares, double value)
{
    size_t at = shares->count;
    while (at > 0 && shares->value[at - 1] >= value)
        at--;
    if (at == shares->count || shares->value[at] != value) {
        for (size_t i = shares->count; i > at; i--) {
            shares->value[i] = shares->value[i - 1];
            shares->many[i] = shares->many[i - 1];
        }
        shares->value[at] = value;
        shares->many[at] = 0;
        shares->count++;
    }
    shares->many[at]++;
}

static void shares_of(const double *values, const struct tick_nulls *nulls, struct shares *shares)
{
    shares->count = 0;
    shares->all = (double)nulls->count;
    for (size_t i = 0; i < nulls->count; i++)
        share_of(shares, values[i]);
}

static uint64_t common_step(uint64_t one, uint64_t other)
{
    while (other) {
        uint64_t rest = one % other;
        one = other;
        other = rest;
    }
    return one;
}

/* Of the newest only: a counter may be off by an odd number of ticks between CPUs, once. */
static double step_of(const struct tick_nulls *nulls, const struct shares *inside,
                      const struct shares *around)
{
    uint64_t step = 0;
    for (size_t i = 0; i < nulls->count; i++)
        step = common_step(nulls->apart[i], step);
    for (size_t i = 0; i < inside->count; i++)
        step = common_step(step, (uint64_t)inside->value[i]);
    for (size_t i = 0; i < around->count; i++)
        step = common_step(step, (uint64_t)around->value[i]);
    return step ? (double)step : 1;
}

/* How many are below, each spread over two steps: most in the middle, none at the borders. */
static double below(const struct shares *shares, double limit)
{
    double sum = 0;
    for (size_t i = 0; i < shares->count; i++) {
        double steps = (limit - shares->value[i]) / shares->step;
        if (steps <= -1)
            break;
        if (steps >= 1)
            sum += shares->many[i];
        else if (steps < 0)
            sum += shares->many[i] * (1 + steps) * (1 + steps) / 2;
        else
            sum += shares->many[i] * (1 - (1 - steps) * (1 - steps) / 2);
    }
    return sum;
}

/* It is within a step of the value at which as many have been counted. */
static double quantile(const struct shares *shares, double share)
{
    double wanted = share * shares->all, counted = 0;
    size_t at = 0;
    while (at + 1 < shares->count && counted + shares->many[at] < wanted)
        counted += shares->many[at++];
    double low = shares->value[at] - shares->step, high = shares->value[at] + shares->step;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (below(shares, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Of the values between two limits. Of a counter that moves in coarse steps this is right where the
 * median is not: of 46 ticks it shows now 40, now 80, and no other value. */
static double mean_between(const struct shares *shares, double low, double high)
{
    double sum = 0, many = 0;
    for (size_t i = 0; i < shares->count; i++) {
        if (shares->value[i] + shares->step < low || shares->value[i] - shares->step > high)
            continue;
        sum += shares->value[i] * shares->many[i];
        many += shares->many[i];
    }
    return many > 0 ? sum / many : (low + high) / 2;
}

/* By a little wider than the scatter of empty regions: so few of them do not tell it better. The
 * place of code and how warm it is move a region's ends by parts of a step. A tail is left out when
 * it is so far away that it cannot belong to one region in twenty. */
static double side(double scatter, double quartiles, double step)
{
    double wide = WIDER * scatter + TICK_PLACE * step;
    wide = wide < WIDEST * quartiles ? wide : WIDEST * quartiles;
    return wide > LEAST * step ? wide : LEAST * step;
}

bool tick_bar_of(struct tick_nulls *nulls, struct tick_bar *bar)
{
    struct shares within, shares;
    if (nulls->count < TICK_FEW)
        return false;
    shares_of(nulls->inside, nulls, &within);
    shares_of(nulls->around, nulls, &shares);
    bar->step = within.step = shares.step = step_of(nulls, &within, &shares);
    double inside =
        mean_between(&within, quantile(&within, OUTSIDE), quantile(&within, 1 - OUTSIDE));
    double low = quantile(&shares, OUTSIDE), high = quantile(&shares, 1 - OUTSIDE);
    double around = mean_between(&shares, low, high);
    bar->quartiles = quantile(&shares, 0.75) - quantile(&shares, 0.25);
    /* Two halves of a reading inside are in `around`: as much as from one to the next. */
    bar->middle = around - inside;
    bar->low = bar->middle - side(around - low, bar->quartiles, shares.step);
    bar->high = bar->middle + side(high - around, bar->quartiles, shares.step);
    nulls->usual = around + inside;
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * Ticks that measuring adds change within microseconds, with what the other thread of a core does
 * and with what the host of a virtual machine does. So whoever asks for the ticks or the time of a
 * region first measures a few windows with nothing inside but two readings of the counter: they are
 * its neighbours in time, and made by the caller's own code as the region was. A window is what of
 * a region's ends stands between its readings of ticks. Whatever else the path reads is outside of
 * it, so that one measure serves all paths, and none of it needs a system call. */

#define EACH_TIME 8
#define QUARTILES 1.349 /* standard deviations between those of a normal distribution */

static bool has_ticks(const struct assay_calipers *calipers, enum assay_purpose purpose)
{
    bool ticks = purpose != ASSAY_FOR_COUNTS && calipers->time.kind == CALIPER_TICKS;
    for (size_t i = 0; i < calipers->count && purpose != ASSAY_FOR_TIME; i++)
        ticks |= calipers->events[i].kind == CALIPER_TICKS;
    return ticks;
}

/* Windows have the frame of no region, which is the innermost only outside of all. */
int assay_neighbours_wanted(enum assay_purpose purpose)
{
    const struct assay_calipers *calipers = calipers_here();
    if (!calipers || calipers->forked || calipers->here.depth || !has_ticks(calipers, purpose) ||
        (purpose != ASSAY_FOR_CALIBRATION && !calipers->calibrated))
        return 0;
    size_t missing = TICK_NULLS - calipers->tick_nulls.count;
    return missing > EACH_TIME ? (int)missing : EACH_TIME;
}

void assay_neighbours_take(uint64_t from, uint64_t to)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || calipers->here.depth)
        return;
    const struct assay_frame *frame = calipers->here.frame;
    const uint64_t readings[4] = {frame->ticks[0], from, to, frame->ticks[1]};
    for (int i = 1; i < 4; i++) {
        if (readings[i] < readings[i - 1]) /* a handler came that measured its own */
            return;
    }
    tick_nulls_add(&calipers->tick_nulls, readings);
}

/* Many windows come to their mean, but for what the place of code and its warmth do to all. */
static void use_bar(struct caliper *caliper, const struct tick_bar *bar)
{
    struct null_figures *alone = &caliper->null[ASSAY_NULL_ALONE];
    alone->middle = alone->mean = bar->middle;
    alone->low = bar->low;
    alone->high = bar->high;
    alone->spread = bar->quartiles / QUARTILES;
    alone->error = STANDARD_95 * alone->spread / root_of(TICK_NULLS) + TICK_PLACE * bar->step;
    alone->odd = 1;
}

void neighbours_use(struct assay_calipers *calipers)
{
    struct tick_bar bar;
    if (!tick_bar_of(&calipers->tick_nulls, &bar))
        return;
    for (size_t i = 0; i < calipers->count; i++) {
        if (calipers->events[i].kind == CALIPER_TICKS)
            use_bar(&calipers->events[i], &bar);
    }
    if (calipers->time.kind == CALIPER_TICKS) {
        use_bar(&calipers->time, &bar);
        calipers->time.step = (uint64_t)bar.step;
    }
}

/* ----------------------------------------------------------------------------------------------
 * Neighbours are warm: their ends find what they look up in the nearest cache. Behind a region that
 * filled the caches with other things, be it by system calls, the end waits for two or three loads
 * that follow from one another. How long, is measured with a walk through memory in the place of
 * the region. A region as long as a walk may have put out as much as that, and, since nobody fills
 * a cache in less than half the time, one of half that length. */

#define COLD_MEMORY  ((size_t)4 << 20)
#define COLD_L1      ((size_t)64 << 10) /* where nobody tells how large it is */
#define COLD_LINE    64
#define COLD_TRIALS  11
#define COLD_LATE    8    /* of them in order: the two latest may have been interrupted */
#define COLD_WIDER   1.25 /* what was measured, as callers' ends look up in other places */
#define COLD_FARTHER 8    /* times the most that was measured, where that was less: memory */

double tick_cold_of(const struct tick_cold *cold, double ticks, double children)
{
    /* Of those inside both ends are in the region around; they share its length. */
    const double each = ticks / (1 + children);
    double adds = 0;
    for (size_t i = 0; i < cold->count; i++)
        adds = each >= cold->list[i].ticks ? cold->list[i].adds : adds;
    if (cold->count && each > 2 * cold->list[cold->count - 1].ticks)
        adds *= COLD_FARTHER;
    return adds * (1 + 2 * children);
}

#ifdef ASSAY_COUNTER_NAME
/* Ticks of a window that are not the walk's; and those. */
static double cold_window(const struct assay_calipers *calipers,
                          const volatile unsigned char *memory, size_t bytes, double *inside)
{
    assay_window_begin();
    uint64_t from = assay_counter_begin();
    for (size_t i = 0; i < bytes; i += COLD_LINE)
        (void)memory[i];
    uint64_t to = assay_counter_begin();
    assay_window_end();
    const struct assay_frame *frame = calipers->here.frame;
    *inside = (double)(to - from);
    return (double)(frame->ticks[1] - frame->ticks[0]) - *inside;
}

/* One of some windows in their order, and the shortest walk. The first one fills the caches. */
static double cold_windows(const struct assay_calipers *calipers, const unsigned char *memory,
                           size_t bytes, size_t chosen, double *walk)
{
    double values[COLD_TRIALS], inside;
    *walk = __builtin_inf();
    cold_window(calipers, memory, bytes, &inside);
    for (size_t i = 0; i < COLD_TRIALS; i++) {
        values[i] = cold_window(calipers, memory, bytes, &inside);
        *walk = inside < *walk ? inside : *walk;
    }
    qsort(values, COLD_TRIALS, sizeof(*values), by_value);
    return values[chosen];
}

static void take_cold(struct assay_calipers *calipers)
{
    struct tick_cold *cold = &calipers->tick_cold;
    long told = -1;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    told = sysconf(_SC_LEVEL1_DCACHE_SIZE);
#endif
    *cold = (struct tick_cold){.count = 0};
    unsigned char *memory =
        mmap(NULL, COLD_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    memset(memory, 1, COLD_MEMORY); /* untouched pages are one and the same */
    double walk, most = 0, warm = cold_windows(calipers, memory, 0, COLD_TRIALS / 2, &walk);
    for (size_t bytes = 2 * (told >= COLD_LINE ? (size_t)told : COLD_L1);
         bytes <= COLD_MEMORY && cold->count < TICK_COLD_MOST; bytes *= 2) {
        double adds = cold_windows(calipers, memory, bytes, COLD_LATE, &walk) - warm;
        most = adds > most ? adds : most;
        cold->list[cold->count].ticks = walk / 2;
        cold->list[cold->count++].adds = COLD_WIDER * most;
    }
    munmap(memory, COLD_MEMORY);
}
#else
static void take_cold(struct assay_calipers *calipers)
{
    (void)calipers; /* ticks are unsupported */
}
#endif

/* ----------------------------------------------------------------------------------------------
 * Calibrating: empty regions, alone and inside each other, kept and put into figures. Those in
 * which something was noticed are not kept; others are measured in their place. */

#define MEASURES (ASSAY_CALIPERS_MOST + 1) /* events, and time */

struct nulls {
    size_t taken[ASSAY_NULL_KINDS], kept[ASSAY_NULL_KINDS];
    double values[ASSAY_NULL_KINDS][MEASURES][CALIPERS_NULLS];
    uint64_t before[ASSAY_CALIPERS_MOST]; /* the last reading of a clock */
    long interruptions;                   /* faults and switches of this thread so far */
};

/* How many empty regions of a kind. Those that trap take thousands of times as long, and all count
 * the same: nothing but an instruction more or less can be the matter with them. */
struct amounts {
    size_t warm, wanted, spare, few; /* see CALIPERS_… */
};

static const struct amounts *amounts_of(const struct assay_calipers *calipers)
{
    static const struct amounts counted = {CALIPERS_WARM, CALIPERS_NULLS, CALIPERS_SPARE,
                                           CALIPERS_FEW};
    static const struct amounts trapped = {2, 8, 2, 8};
    return calipers->path == ASSAY_PATH_TRAP ? &trapped : &counted;
}

void nulls_free(struct nulls *nulls)
{
    free(nulls);
}

/* What the operating system counts itself, and what is trapped, suffers from no interruption; and
 * where every instruction traps, regions are so long that each may have one. */
static bool any_suffers(const struct assay_calipers *calipers)
{
    bool suffers = false;
    for (size_t i = 0; i < calipers->count; i++)
        suffers |= calipers->events[i].nature != NATURE_COUNT;
    return suffers;
}

int assay_calibrate_start(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers to calibrate");
    if (calipers->here.depth)
        return set_fail(-EBUSY, "calipers cannot be calibrated within a region");
    if (!calipers->nulls)
        calipers->nulls = malloc(sizeof(*calipers->nulls));
    if (!calipers->nulls)
        return set_fail(-ENOMEM, "out of memory");
    memset(calipers->nulls, 0, sizeof(*calipers->nulls));
    for (size_t i = 0; i < calipers->count; i++)
        calipers->events[i].step = 0;
    calipers->tick_nulls = (struct tick_nulls){.count = 0};
    const struct amounts *amounts = amounts_of(calipers);
    return (int)(amounts->warm + amounts->wanted + (any_suffers(calipers) ? amounts->spare : 0));
}

/* A clock's step divides every distance between two of its readings. */
static void take_step(struct nulls *nulls, size_t index, struct caliper *event,
                      const struct assay_frame *frame)
{
    bool ticks = event->kind == CALIPER_TICKS;
    if (event->nature != NATURE_CLOCK)
        return;
    uint64_t begun = ticks ? frame->ticks[0] : frame->begun[event->word];
    uint64_t ended = ticks ? frame->ticks[1] : frame->ended[event->word];
    event->step = common_step(event->step, ended - begun);
    if (nulls->before[index])
        event->step = common_step(event->step, begun - nulls->before[index]);
    nulls->before[index] = ended;
}

/* Faults and switches of this thread since it was last asked: between two empty regions there is
 * time for that, whatever the regions themselves watch. */
static bool thread_was_interrupted(struct nulls *nulls)
{
    struct rusage usage;
    long before = nulls->interruptions;
    if (getrusage(RUSAGE_THREAD, &usage) == 0)
        nulls->interruptions = usage.ru_minflt + usage.ru_majflt + usage.ru_nvcsw + usage.ru_nivcsw;
    return nulls->interruptions != before;
}

void assay_calibrate_take(enum assay_nulls kind)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || !calipers->nulls || !calipers->result || (size_t)kind >= ASSAY_NULL_KINDS)
        return;
    struct nulls *nulls = calipers->nulls;
    struct region_reading reading;
    reading_of(calipers, calipers->result, &reading);
    size_t at = nulls->kept[kind];
    const struct amounts *amounts = amounts_of(calipers);
    bool interrupted = thread_was_interrupted(calipers->nulls), suffers = any_suffers(calipers);
    unsigned matters = suffers ? ~0u : ~(unsigned)CALIPERS_INTERRUPTIONS;
    bool disturbed = reading.lost || (suffers && interrupted) || reading.noticed & matters;
    if (nulls->taken[kind]++ < amounts->warm || at >= amounts->wanted || disturbed)
        return;
    for (size_t i = 0; i < calipers->count; i++) {
        nulls->values[kind][i][at] = net_reading(&calipers->events[i], reading.raw[i], &reading);
        take_step(nulls, i, &calipers->events[i], calipers->result);
    }
    nulls->values[kind][calipers->count][at] =
        net_reading(&calipers->time, time_reading(calipers, &reading), &reading);
    nulls->kept[kind]++;
}

static void figures(const struct nulls *nulls, size_t measure, struct caliper *caliper)
{
    struct null_figures *null = caliper->null;
    for (size_t kind = 0; kind < ASSAY_NULL_KINDS; kind++)
        null_figures_of(caliper->nature, nulls->values[kind][measure], nulls->kept[kind],
                        &null[kind]);
    null_figures_pair(&null[ASSAY_NULL_ALONE], &null[ASSAY_NULL_PAIR]);
    null_figures_pair(&null[ASSAY_NULL_ALONE], &null[ASSAY_NULL_NAMED]);
}

/* --- whether they can be relied on --- */

static __attribute__((format(printf, 2, 3))) void doubt(struct caliper *event, const char *format,
                                                        ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    event->unsteady = true;
    event->reason = strdup(text);
}

static void judge(struct caliper *event, const struct amounts *amounts, size_t kept)
{
    const struct null_figures *alone = &event->null[ASSAY_NULL_ALONE];
    if (event->error) /* it has a reason already */
        return;
    free(event->reason);
    event->reason = NULL;
    event->unsteady = false;
    if (kept < amounts->wanted / 2)
        doubt(event,
              "of %zu empty regions only %zu were undisturbed (faults, switches, or counters "
              "shared with others): calibrate again when less goes on",
              amounts->wanted + amounts->spare, kept);
    else if (event->busy && alone->high <= 0)
        doubt(event, "the counter stands still: an empty region executes something, and it counted "
                     "nothing. Ask `assay validate` about it");
    else if (event->nature == NATURE_CLOCK && !event->step)
        doubt(event, "the clock stood still while empty regions were measured");
    else if (!alone->steady || !event->null[ASSAY_NULL_PAIR].steady ||
             !event->null[ASSAY_NULL_NAMED].steady)
        doubt(event,
              "empty regions went on changing while they were measured, from %.0f to %.0f: "
              "calibrate again when the machine has settled",
              alone->low, alone->high);
}

int assay_calibrate_finish(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || !calipers->nulls)
        return set_fail(-EINVAL, "assay_calibrate_finish comes after assay_calibrate_start");
    const struct nulls *nulls = calipers->nulls;
    const struct amounts *amounts = amounts_of(calipers);
    size_t kept = amounts->wanted;
    for (size_t kind = 0; kind < ASSAY_NULL_KINDS; kind++)
        kept = nulls->kept[kind] < kept ? nulls->kept[kind] : kept;
    for (size_t i = 0; i < calipers->count; i++) {
        figures(nulls, i, &calipers->events[i]);
        judge(&calipers->events[i], amounts, kept);
    }
    figures(nulls, calipers->count, &calipers->time);
    neighbours_use(calipers);
    if (has_ticks(calipers, ASSAY_FOR_CALIBRATION))
        take_cold(calipers);
    if (calipers->path == ASSAY_PATH_USER && calipers->time.kind == CALIPER_TICKS)
        calipers->tick_ns = 1e9 / assay_clock_rate(NULL);
    calipers->calibrated = kept < amounts->few ? 0 : kept;
    calipers->result = NULL;
    return 0;
}

int assay_calipers_overhead(const struct assay_calipers *calipers, size_t index,
                            struct assay_overhead *overhead)
{
    *overhead = (struct assay_overhead){0};
    if (index >= calipers->count)
        return set_fail(-EINVAL, "calipers with %zu events have no event %zu", calipers->count,
                        index);
    const struct null_figures *null = calipers->events[index].null;
    if (!calipers->calibrated)
        return 0;
    *overhead = (struct assay_overhead){
        .window = null[ASSAY_NULL_ALONE].middle,
        .window_low = null[ASSAY_NULL_ALONE].low,
        .window_high = null[ASSAY_NULL_ALONE].high,
        .pair = null[ASSAY_NULL_PAIR].middle,
        .pair_low = null[ASSAY_NULL_PAIR].low,
        .pair_high = null[ASSAY_NULL_PAIR].high,
        .pair_named = null[ASSAY_NULL_NAMED].middle,
        .pair_named_low = null[ASSAY_NULL_NAMED].low,
        .pair_named_high = null[ASSAY_NULL_NAMED].high,
        .runs = calipers->calibrated,
    };
    return 0;
}

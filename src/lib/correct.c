/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From what was read in a region to a count with its error bar. Pure. docs/uncertainty.md states
 * the model that this file is. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"
#include "lib/set.h"
#include "lib/root.h"

#define STANDARD_95  1.96
#define RARELY       0.05    /* what happens less often is beyond a confidence of 95 % */
#define KERNEL_MOST  20000.0 /* events that the operating system's part of an interruption adds */
#define TWO_READINGS 0.776   /* steps: two readings of a clock differ by less, 95 times of 100 */

/* How far the truth may be below and above what is corrected. */
struct bar {
    double down, up;
};

static double square(double value)
{
    return value * value;
}

static double larger(double one, double other)
{
    return one > other ? one : other;
}

/* --- what measuring adds --- */

static double added(const struct null_figures *null, const struct region_reading *reading)
{
    return null[ASSAY_NULL_ALONE].middle +
           (double)reading->children * null[ASSAY_NULL_PAIR].middle +
           (double)reading->named * null[ASSAY_NULL_NAMED].middle;
}

/* Squares. Each pair has its own noise, which partly evens out; what is wrong with their figure is
 * wrong as often as there are pairs. Where empty regions all agree but for a few, as few of the
 * pairs inside are odd: that counts from where one of them is to be expected. */
static double pairs_noise(const struct null_figures *outer, double pairs)
{
    if (pairs * outer->odd < RARELY)
        return 0;
    return pairs * square(STANDARD_95 * outer->spread) + square(pairs * outer->error);
}

static struct bar by_nulls(const struct null_figures *null, const struct region_reading *reading)
{
    const struct null_figures *alone = &null[ASSAY_NULL_ALONE];
    double children = (double)reading->children, named = (double)reading->named;
    double inside =
        pairs_noise(&null[ASSAY_NULL_PAIR], children) + pairs_noise(&null[ASSAY_NULL_NAMED], named);
    if ((children + named) * alone->odd >= RARELY)
        inside += square((children + named) * alone->error);
    return (struct bar){root_of(square(alone->high - alone->middle) + inside),
                        root_of(square(alone->middle - alone->low) + inside)};
}

/* --- what happened inside --- */

/* How many of the timer's interrupts are in it, with a confidence of 95 %: as many as periods, and
 * one more where the rest of a period is not short. */
static double interrupts(const struct assay_calipers *calipers,
                         const struct region_reading *reading)
{
    if (calipers->timer_ns <= 0)
        return 0;
    return (double)(uint64_t)(reading->length_ns / calipers->timer_ns + (1 - RARELY));
}

/* Each interruption of user code may be counted as one event more, by CPUs that count the return
 * from it; a counter of the operating system's events sees what was done in it. A fault is the
 * region's own doing: what the operating system executes for it is no error. */
static double by_interruptions(const struct assay_calipers *calipers, const struct caliper *event,
                               const struct region_reading *reading)
{
    double switches = (double)reading->switches;
    if (reading->noticed & ASSAY_SAW_SWITCHES)
        switches = larger(switches, 1);
    double faults = (double)reading->faults;
    if (reading->noticed & ASSAY_SAW_FAULTS)
        faults = larger(faults, 1);
    double foreign = switches + interrupts(calipers, reading);
    return faults + foreign * (event->sees_kernel ? KERNEL_MOST : 1);
}

static void widen(const struct assay_calipers *calipers, const struct caliper *event,
                  const struct region_reading *reading, double corrected, struct bar *bar)
{
    if (event->nature == NATURE_HARDWARE)
        bar->down += by_interruptions(calipers, event, reading) +
                     calipers->name_most * (double)reading->named;
    if (event->kind == CALIPER_CALL) {
        double differ = CALLS_DIFFER * added(event->null, reading);
        bar->down += differ;
        bar->up += differ;
    }
    if (event->nature == NATURE_CLOCK) {
        bar->down = larger(bar->down, TWO_READINGS * (double)event->step);
        bar->up = larger(bar->up, TWO_READINGS * (double)event->step);
    }
    if (reading->noticed & ASSAY_SAW_DISTURBED) /* a reading was made again, which is less */
        bar->down += larger(event->null[ASSAY_NULL_PAIR].middle, 0);
    if (reading->noticed & ASSAY_SAW_TOO_DEEP || reading->met) /* nobody knows how much */
        bar->down = larger(bar->down, corrected);
}

/* --- all of it --- */

static enum assay_state state_of(const struct caliper *event, const struct region_reading *reading)
{
    if (event->kind == CALIPER_ABSENT || !reading->counted)
        return ASSAY_UNSUPPORTED;
    if (event->kind != CALIPER_COUNTER || event->word == WORD_TRAP)
        return ASSAY_COUNTED;
    if (reading->lost)
        return ASSAY_UNSCHEDULED;
    if (!reading->enabled_ns && reading->noticed & ASSAY_SAW_MULTIPLEXING)
        return ASSAY_MULTIPLEXED; /* for how long, the path did not tell */
    struct counter_report times = {0, reading->enabled_ns, reading->running_ns};
    return counter_state(&times);
}

/* What the counter would have counted while others had its place: as much as while it ran. It may
 * have been nothing, or twice that. */
static double unseen(uint64_t raw, const struct region_reading *reading)
{
    struct counter_report report = {raw, reading->enabled_ns, reading->running_ns};
    return counter_scale(&report) - (double)raw;
}

static void nothing_counted(struct assay_count *count)
{
    count->low = -__builtin_inf();
    count->high = count->uncertainty = __builtin_inf();
}

void correct_measure(const struct assay_calipers *calipers, const struct caliper *event,
                     uint64_t counted, const struct region_reading *reading,
                     struct assay_count *count)
{
    *count = (struct assay_count){
        .raw = counted, .state = state_of(event, reading), .noticed = reading->noticed};
    if (event->nature == NATURE_COUNT)
        count->noticed &= ~(unsigned)CALIPERS_INTERRUPTIONS;
    if (event->unsteady)
        count->noticed |= ASSAY_NOT_STEADY;
    if (count->state == ASSAY_MULTIPLEXED || count->state == ASSAY_UNSCHEDULED)
        count->noticed |= ASSAY_SAW_MULTIPLEXING;
    else
        count->noticed &= ~(unsigned)ASSAY_SAW_MULTIPLEXING;
    if (count->state == ASSAY_UNSUPPORTED || count->state == ASSAY_UNSCHEDULED) {
        nothing_counted(count);
        return;
    }
    double raw = net_reading(event, count->raw, reading);
    bool timed = count->state == ASSAY_MULTIPLEXED && reading->running_ns;
    double guessed = timed ? unseen(count->raw, reading) : 0;
    struct bar bar = {raw, 0}; /* not calibrated: everything may be what measuring added */
    count->corrected = raw + guessed;
    if (calipers->calibrated) {
        count->corrected -= added(event->null, reading);
        bar = by_nulls(event->null, reading);
        widen(calipers, event, reading, count->corrected, &bar);
    } else {
        count->noticed |= ASSAY_NOT_CALIBRATED;
    }
    if (count->state == ASSAY_MULTIPLEXED && !timed)
        bar.up = __builtin_inf();
    count->low = count->corrected - bar.down - guessed;
    count->high = count->corrected + bar.up + guessed;
    count->uncertainty = larger(count->high - count->corrected, count->corrected - count->low);
}

void correct_count(const struct assay_calipers *calipers, size_t index,
                   const struct region_reading *reading, struct assay_count *count)
{
    correct_measure(calipers, &calipers->events[index], reading->raw[index], reading, count);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From what was added up to counts with their error bars, and such totals added. Pure.
 *
 * The sums are corrected as one region that counted all of it, which leaves the windows of the
 * others in it: n regions, n - 1 windows. Many of them come to their mean and not to their median.
 * On top of that region's own bar u comes for them
 *
 *     uncertainty = sqrt(u * u + (n - 1) * h * h) + (n - 1) * m
 *
 * h: by how much single windows differ from their mean, by chance; m: by how much the mean itself
 * may be wrong, the same in all. Where empty regions agree but for a few, that counts from where
 * one of the n is to be expected among those few: see correct.c, which takes regions inside alike.
 */
#define ASSAY_NO_INLINE
#include "lib/regions.h"
#include "lib/root.h"

#define STANDARD_95  1.96
#define RARELY       0.05
#define TWO_READINGS 0.776 /* steps of a clock */

static double square(double value)
{
    return value * value;
}

static double larger(double one, double other)
{
    return one > other ? one : other;
}

static void add_windows(const struct caliper *event, uint64_t more, struct region_total *total)
{
    const struct null_figures *window = &event->null[ASSAY_NULL_ALONE];
    double steps = event->nature == NATURE_CLOCK ? TWO_READINGS * (double)event->step : 0;
    total->corrected -= (double)more * window->mean;
    if ((double)more * window->odd < RARELY)
        return;
    total->random_square += (double)more * square(larger(STANDARD_95 * window->spread, steps));
    double differ = event->kind == CALIPER_CALL ? CALLS_DIFFER * window->mean : 0;
    total->alike += (double)more * (window->error + differ);
}

static void count_total(const struct assay_calipers *calipers, const struct region_sums *sums,
                        size_t index, uint64_t read, struct region_total *total)
{
    const struct caliper *event = &calipers->events[index];
    struct region_reading all = sums->all;
    struct assay_count count;
    all.running_ns = all.enabled_ns; /* shared counters were seen to region by region */
    all.noticed &= ~(unsigned)ASSAY_SAW_MULTIPLEXING;
    correct_count(calipers, index, &all, &count);
    if (is_counter(event) && sums->worst > count.state)
        count.state = sums->worst;
    total->raw = count.raw;
    total->noticed |= count.noticed;
    total->state =
        sums->unread && count.state < ASSAY_UNSCHEDULED ? ASSAY_UNSCHEDULED : count.state;
    total->random_square = square(count.uncertainty);
    if (count.state == ASSAY_UNSUPPORTED)
        return;
    const struct null_figures *window = &event->null[ASSAY_NULL_ALONE];
    double guessed = sums->single[index].guessed;
    total->corrected = count.corrected + (guessed < __builtin_inf() ? guessed : 0);
    total->alike = count.state == ASSAY_UNSCHEDULED ? __builtin_inf() : guessed;
    if (calipers->calibrated)
        add_windows(event, read - 1, total);
    if (sums->disturbed > 1) /* one of them is in the bar already */
        total->alike +=
            (double)(sums->disturbed - 1) * larger(event->null[ASSAY_NULL_PAIR].middle, 0);
    total->single = sums->single[index];
    total->single.least -= window->middle;
    total->single.most -= window->middle;
    total->single.mean -= window->middle;
}

/* By the path's own clock, and in nanoseconds by what the sum of them comes to. */
static void time_total(const struct assay_calipers *calipers, const struct region_sums *sums,
                       uint64_t read, struct region_total *total)
{
    struct region_total windows = {0};
    struct assay_count count;
    struct assay_duration time;
    correct_time(calipers, &sums->all, &time);
    correct_measure(calipers, &calipers->time, time_reading(calipers, &sums->all), &sums->all,
                    &count);
    total->state = time.state;
    total->random_square = square(time.uncertainty);
    if (time.state == ASSAY_UNSUPPORTED)
        return;
    double scale = count.corrected != 0 ? time.ns / count.corrected : 1;
    if (calipers->calibrated)
        add_windows(&calipers->time, read - 1, &windows);
    total->corrected = time.ns + scale * windows.corrected;
    total->random_square += square(scale) * windows.random_square;
    total->alike = scale * windows.alike;
}

void region_total_of(const struct assay_calipers *calipers, const struct region_sums *sums,
                     size_t index, struct region_total *total)
{
    uint64_t read = sums->regions - sums->unread;
    *total = (struct region_total){
        .regions = sums->regions,
        .noticed_regions = sums->noticed_regions,
        .noticed = sums->all.noticed,
        .state = ASSAY_UNSUPPORTED,
    };
    if (read && index < calipers->count)
        count_total(calipers, sums, index, read, total);
    else if (read)
        time_total(calipers, sums, read, total);
}

void region_total_add(struct region_total *into, const struct region_total *more)
{
    double one = (double)into->regions, other = (double)more->regions;
    if (!more->regions)
        return;
    if (!into->regions) {
        *into = *more;
        return;
    }
    struct single_figures *single = &into->single;
    double between = more->single.mean - single->mean;
    single->squares += more->single.squares + square(between) * one * other / (one + other);
    single->mean += between * other / (one + other);
    single->least = more->single.least < single->least ? more->single.least : single->least;
    single->most = more->single.most > single->most ? more->single.most : single->most;
    into->regions += more->regions;
    into->noticed_regions += more->noticed_regions;
    into->raw += more->raw;
    into->corrected += more->corrected;
    into->random_square += more->random_square;
    into->alike += more->alike;
    into->noticed |= more->noticed;
    into->state = more->state > into->state ? more->state : into->state;
}

double region_total_uncertainty(const struct region_total *total)
{
    return root_of(total->random_square) + total->alike;
}

/* Of what single regions show: the deviation of a sample; 0 for one region. */
double region_total_deviation(const struct region_total *total)
{
    if (total->regions < 2 || !(total->single.squares > 0))
        return 0;
    return root_of(total->single.squares / (double)(total->regions - 1));
}

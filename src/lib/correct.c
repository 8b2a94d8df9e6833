/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From the frame of a region to counts with their error bars: what was read, what measuring added
 * to it, how long it took, and totals of many regions. docs/uncertainty.md states the model that
 * this file is. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/calipers.h"

/* --- From the frame of a region to numbers --- */

static uint64_t moved(const struct assay_frame *frame, size_t word)
{
    return frame->ended[word] - frame->begun[word];
}

/* What the system calls delivered, if they did. */
static void take_report(const struct assay_calipers *calipers, const struct assay_frame *frame,
                        struct region_reading *reading)
{
    const int64_t size = (int64_t)calipers->here.size;
    if (frame->got[0] != size || frame->got[1] != size) {
        reading->lost = true;
        return;
    }
    if (calipers->path == ASSAY_PATH_READ) {
        reading->enabled_ns = moved(frame, 1);
        reading->running_ns = moved(frame, 2);
        reading->length_ns = (double)reading->enabled_ns;
    }
    if (calipers->companion_words[0])
        reading->faults = moved(frame, calipers->companion_words[0]);
    if (calipers->companion_words[1])
        reading->switches = moved(frame, calipers->companion_words[1]);
}

void reading_of(const struct assay_calipers *calipers, const struct assay_frame *frame,
                struct region_reading *reading)
{
    *reading = (struct region_reading){0};
    if (!frame || calipers->forked) {
        reading->noticed = ASSAY_NOT_MEASURED;
        return;
    }
    reading->counted = !(frame->noticed & ASSAY_NOT_MEASURED);
    reading->children = frame->children;
    reading->named = frame->named;
    reading->noticed = (unsigned)frame->noticed;
    reading->met = frame->noticed & NOTICED_MET;
    reading->ticks = frame->ticks[1] - frame->ticks[0];
    reading->measuring = frame->measuring;
    for (size_t i = 0; i < calipers->count; i++) {
        const struct caliper *event = &calipers->events[i];
        if (event->kind == CALIPER_TICKS)
            reading->raw[i] = reading->ticks;
        else if (event->kind == CALIPER_COUNTER && calipers->path == ASSAY_PATH_USER &&
                 event->word != WORD_TRAP)
            reading->raw[i] = calipers_user_count(calipers, frame, event->word);
        else if (event->kind == CALIPER_COUNTER)
            reading->raw[i] = moved(frame, event->word);
    }
    if (calipers->path == ASSAY_PATH_USER && reading->noticed & ASSAY_SAW_MULTIPLEXING) {
        reading->enabled_ns = frame->enabled_ns;
        reading->running_ns = frame->running_ns;
    }
    reading->length_ns = (double)reading->ticks * calipers->tick_ns;
    if (calipers->here.ways & ASSAY_WAY_READ)
        take_report(calipers, frame, reading);
    if (reading->faults)
        reading->noticed |= ASSAY_SAW_FAULTS;
    if (reading->switches)
        reading->noticed |= ASSAY_SAW_SWITCHES;
    if (reading->running_ns < reading->enabled_ns)
        reading->noticed |= ASSAY_SAW_MULTIPLEXING;
    if (calipers->timer_ns > 0 && reading->length_ns >= calipers->timer_ns)
        reading->noticed |= ASSAY_SAW_INTERRUPTS;
}

/* ----------------------------------------------------------------------------------------------
 * From what was read in a region to a count with its error bar. Pure. */

#define STANDARD_95  1.96
#define RARELY       0.05    /* what happens less often is beyond a confidence of 95 % */
#define KERNEL_MOST  20000.0 /* events that the operating system's part of an interruption adds */
#define PAIR_PLACE   0.5     /* steps by which the place of its code moves a region inside */
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

/* The same of any measure; ASSAY_COUNTED unless it is absent or nothing was read. */
static void correct_measure(const struct assay_calipers *calipers, const struct caliper *event,
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
        count->low = -__builtin_inf();
        count->high = count->uncertainty = __builtin_inf();
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
        if (event->nature == NATURE_HARDWARE)
            bar.down += by_interruptions(calipers, event, reading) +
                        calipers->name_most * (double)reading->named;
        if (event->kind == CALIPER_CALL) {
            double differ = CALLS_DIFFER * added(event->null, reading);
            bar.down += differ;
            bar.up += differ;
        }
        if (event->nature == NATURE_CLOCK) {
            bar.down = larger(bar.down, TWO_READINGS * (double)event->step);
            bar.up = larger(bar.up, TWO_READINGS * (double)event->step);
        }
        if (event->kind == CALIPER_TICKS) {
            double placed = PAIR_PLACE * (double)event->step * (double)reading->children;
            bar.down += placed + tick_cold_of(&calipers->tick_cold, raw, (double)reading->children);
            bar.up += placed;
        }
        if (reading->noticed & ASSAY_SAW_DISTURBED) /* a reading was made again, which is less */
            bar.down += larger(event->null[ASSAY_NULL_PAIR].middle, 0);
        if (reading->noticed & ASSAY_SAW_TOO_DEEP || reading->met) /* nobody knows how much */
            bar.down = larger(bar.down, count->corrected);
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

/* ----------------------------------------------------------------------------------------------
 * How long a region took: what the system call told of it, or its ticks by the clock's rate. */

/* perf_event's own clock and CLOCK_MONOTONIC_RAW are made of one counter with numbers rounded apart
 * from each other. */
#define ROUNDED_APART 1e-6

uint64_t time_reading(const struct assay_calipers *calipers, const struct region_reading *reading)
{
    return calipers->time.kind == CALIPER_CALL ? reading->enabled_ns : reading->ticks;
}

void time_in_ns(const struct assay_count *count, double ticks_a_ns, double error,
                struct assay_duration *time)
{
    double ns = count->corrected / ticks_a_ns;
    time->ns = ns;
    time->uncertainty = count->uncertainty / ticks_a_ns + (ns < 0 ? -ns : ns) * error;
    time->state = count->state;
}

void correct_time(const struct assay_calipers *calipers, const struct region_reading *reading,
                  struct assay_duration *time)
{
    struct assay_count count;
    double error = ROUNDED_APART, ticks_a_ns = 1;
    correct_measure(calipers, &calipers->time, time_reading(calipers, reading), reading, &count);
    if (count.state == ASSAY_COUNTED && calipers->time.kind == CALIPER_TICKS) {
        ticks_a_ns = assay_clock_rate(&error) * 1e-9;
        if (strcmp(assay_clock_reason(), "") != 0) /* it is another clock after all */
            count.state = ASSAY_UNSUPPORTED;
    }
    if (count.state != ASSAY_COUNTED)
        *time = (struct assay_duration){0, __builtin_inf(), ASSAY_UNSUPPORTED};
    else
        time_in_ns(&count, ticks_a_ns, error, time);
}

/* ----------------------------------------------------------------------------------------------
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
 * one of the n is to be expected among those few, as it is with regions inside (pairs_noise). */

static void add_windows(const struct assay_calipers *calipers, const struct caliper *event,
                        const struct region_reading *all, uint64_t more, struct region_total *total)
{
    const struct null_figures *window = &event->null[ASSAY_NULL_ALONE];
    double steps = event->nature == NATURE_CLOCK ? TWO_READINGS * (double)event->step : 0;
    total->corrected -= (double)more * window->mean;
    /* Regions of the usual length; that of one as long as all is in its bar. */
    if (event->kind == CALIPER_TICKS)
        total->alike += (double)more * tick_cold_of(&calipers->tick_cold,
                                                    (double)all->ticks / (double)(more + 1), 0);
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
        add_windows(calipers, event, &sums->all, read - 1, total);
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
        add_windows(calipers, &calipers->time, &sums->all, read - 1, &windows);
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

/* ----------------------------------------------------------------------------------------------
 * What the region that ended last counted and how long it took, corrected by its neighbours. */

/* Of the region that ended last: all of it, although a handler may come whose regions take the same
 * frame. Then there is a result again, and it is the handler's. */
static void reading_of_last(struct assay_calipers *calipers, struct region_reading *reading)
{
    struct assay_frame *frame = NULL;
    do {
        frame = calipers->result;
        calipers->result = NULL;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        reading_of(calipers, frame, reading);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (calipers->result);
    calipers->result = frame;
}

void counts_of(struct assay_calipers *calipers, struct assay_count *counts)
{
    struct region_reading reading;
    reading_of_last(calipers, &reading);
    for (size_t i = 0; i < calipers->count; i++)
        correct_count(calipers, i, &reading, &counts[i]);
}

static struct assay_calipers *corrected_by_neighbours(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (calipers && calipers->calibrated)
        neighbours_use(calipers);
    return calipers;
}

int assay_counts_finish(struct assay_count *counts)
{
    struct assay_calipers *calipers = corrected_by_neighbours();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    counts_of(calipers, counts);
    return 0;
}

int assay_time_finish(struct assay_duration *time)
{
    struct assay_calipers *calipers = corrected_by_neighbours();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    struct region_reading reading;
    reading_of_last(calipers, &reading);
    correct_time(calipers, &reading, time);
    return 0;
}

/* --- What was noticed in a region, in words --- */

static const struct {
    unsigned bit;
    const char *words;
} all[] = {
    {ASSAY_SAW_FAULTS, "page faults"},
    {ASSAY_SAW_SWITCHES, "a switch of the CPU"},
    {ASSAY_SAW_INTERRUPTS, "interrupts of the timer"},
    {ASSAY_SAW_MULTIPLEXING, "counters shared with others"},
    {ASSAY_SAW_DISTURBED, "an interrupted reading"},
    {ASSAY_SAW_TOO_DEEP, "regions too deep to be measured"},
    {ASSAY_NOT_CALIBRATED, "not calibrated"},
    {ASSAY_NOT_MEASURED, "not measured"},
    {ASSAY_NOT_STEADY, "calibrating was not steady"},
    {ASSAY_SAW_LOST_TRAPS, "traps were lost"},
};

int assay_noticed_words(unsigned noticed, char *words, size_t size)
{
    size_t used = 0;
    unsigned known = 0;
    if (size)
        words[0] = 0;
    for (size_t i = 0; i <= sizeof(all) / sizeof(all[0]); i++) {
        const bool last = i == sizeof(all) / sizeof(all[0]);
        const char *text = last ? "something unknown" : all[i].words;
        if (!(last ? noticed & ~known : noticed & all[i].bit))
            continue;
        known |= last ? 0 : all[i].bit;
        size_t left = used < size ? size - used : 0;
        used += (size_t)snprintf(left ? words + used : NULL, left, "%s%s", used ? ", " : "", text);
    }
    return (int)used;
}

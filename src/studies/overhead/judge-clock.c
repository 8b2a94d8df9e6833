/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many instructions a tick of an emulated clock is. The gauge is a fixed block of code: its
 * instructions in user mode over its ticks. Counters that meter halt while the operating system
 * switches others; the clock goes on. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * The step of a meter. Values next to each other are one place, seen with a rounded step; where
 * the places lie at whole multiples of one distance, that distance is the step, else it is 1. */

/* Steps below this are not told from scattered values of a meter that counts in ones. */
static const double LEAST_STEP = 4;
/* Places that must be seen, and the share of them that must fit. */
enum { LEAST_PLACES = 4 };
static const double FITTING = 0.9;

/* The wild tail has few values far apart, which fit anything: only up to the 95th percentile. And
 * values much rarer than most are odd ones. Returns how many distinct ones there are, at the
 * beginning of values. */
static size_t keep_distinct(int64_t *values, size_t count)
{
    size_t distinct = 0, kept = 0, end;
    count -= count / 20;
    for (size_t i = 0; i < count; i++)
        distinct += !i || values[i] != values[i - 1];
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && values[end] == values[i];)
            end++;
        if (10 * (end - i) * distinct >= count)
            values[kept++] = values[i];
    }
    return kept;
}

/* Twice the middle of every stretch of neighbours; not narrow: stretches are longer than a rounded
 * step makes them. Returns how many. */
static size_t join_neighbours(const int64_t *values, size_t count, int64_t *places, bool *narrow)
{
    size_t found = 0, wide = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && values[end] - values[end - 1] == 1)
            end++;
        wide += end - i > 3;
        places[found++] = values[i] + values[end - 1];
        i = end;
    }
    *narrow = (double)wide <= (1 - FITTING) * (double)found;
    return found;
}

/* From one place to the next, twice, in order. */
static void take_distances(const int64_t *places, size_t count, int64_t *distances,
                           int64_t *scratch)
{
    for (size_t i = 0; i + 1 < count; i++)
        distances[i] = places[i + 1] - places[i];
    error_sort(distances, count - 1, scratch);
}

/* Longer distances say little: any error of the step is multiplied. */
static const double MOST_STEPS = 8;

/* A better step from distances that are few steps long: least squares through 0. */
static double refine(const int64_t *distances, size_t count, double step)
{
    double products = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double distance = (double)distances[i] / 2, steps = round(distance / step);
        if (steps >= 1 && steps <= MOST_STEPS) {
            products += distance * steps;
            squares += steps * steps;
        }
    }
    return squares > 0 ? products / squares : step;
}

static bool fits(const int64_t *distances, size_t count, double step)
{
    size_t fitting = 0, short_ones = 0;
    double slack = fmax(1, 0.06 * step);
    for (size_t i = 0; i < count; i++) {
        double distance = (double)distances[i] / 2, steps = round(distance / step);
        if (steps > MOST_STEPS)
            continue;
        short_ones++;
        fitting += fabs(distance - step * steps) <= slack;
    }
    return (double)fitting >= FITTING * (double)short_ones;
}

/* The longest that fits: half a step fits as well. */
static double step_of(const int64_t *distances, size_t count)
{
    for (size_t part = 5; part > 0; part--) {
        double step = (double)error_quantile(distances, count, part, 10) / 2;
        if (step < LEAST_STEP)
            return 1;
        step = refine(distances, count, step);
        if (fits(distances, count, step))
            return step;
    }
    return 1;
}

double find_resolution(int64_t *values, size_t count, int64_t *scratch)
{
    error_sort(values, count, scratch);
    size_t distinct = keep_distinct(values, count);
    if (distinct < 2)
        return 0;
    bool narrow = false;
    size_t places = join_neighbours(values, distinct, scratch, &narrow);
    if (places < LEAST_PLACES)
        return places < distinct ? 1 : 0;
    if (!narrow)
        return 1;
    take_distances(scratch, places, values, scratch + places);
    return step_of(values, places - 1);
}

/* ----------------------------------------------------------------------------------------------
 * What can be said of a pass before anything is judged. */

/* Where the values of a pass begin. */
static const int64_t *overhead_pass_values(const struct overhead_tour *tour, size_t process,
                                           uint32_t pass)
{
    return tour->values + (tour->begins[process] + pass * tour->length) * tour->meter_count;
}

/* The median of values in order; count is not 0. */
static double overhead_middle(const int64_t *sorted, size_t count)
{
    size_t below = (count - 1) / 2, above = count / 2;
    return ((double)sorted[below] + (double)sorted[above]) / 2;
}

static const struct account *account_of(const struct overhead_tour *tour, size_t process,
                                        uint32_t pass)
{
    return &tour->accounts[tour->begins[process] + pass * tour->length];
}

/* No pass faults or is switched as often; sums of such do not overflow. */
#define MOST_COUNTED (UINT64_C(1) << 40)

static uint64_t faults_of(const struct account *account)
{
    uint64_t faults = account->minor_faults + account->major_faults;
    return faults < MOST_COUNTED ? faults : MOST_COUNTED;
}

static uint64_t switches_of(const struct account *account)
{
    return account->involuntary < MOST_COUNTED ? account->involuntary : MOST_COUNTED;
}

/* A tour whose calls start commands faults in every pass; one whose calls do not, in none. Three
 * quartile distances above the upper quartile is more than usual. */
static uint64_t most_of(int64_t *counts, size_t count, int64_t *scratch)
{
    if (!count)
        return UINT64_MAX;
    error_sort(counts, count, scratch);
    struct error_spread spread = error_spread_of(counts, count);
    return spread.median == 0 ? 0 : (uint64_t)(spread.q3 + 3 * (spread.q3 - spread.q1));
}

static void usual_accounts(struct overhead_passes *passes)
{
    const struct overhead_tour *tour = passes->tour;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < tour->processes; i++)
        count += tour->passes[i];
    passes->most_faults = passes->most_switches = UINT64_MAX;
    if (tour->cold || !count || !tour->length)
        return;
    AUTO_MEMORY int64_t *faults = memory_new(count, sizeof(*faults));
    AUTO_MEMORY int64_t *switches = memory_new(count, sizeof(*switches));
    AUTO_MEMORY int64_t *scratch = memory_new(count, sizeof(*scratch));
    for (size_t process = 0; process < tour->processes; process++)
        for (uint32_t pass = 0; pass < tour->passes[process]; pass++, at++) {
            const struct account *account = account_of(tour, process, pass);
            faults[at] = (int64_t)faults_of(account);
            switches[at] = (int64_t)switches_of(account);
        }
    passes->most_faults = most_of(faults, count, scratch);
    passes->most_switches = most_of(switches, count, scratch);
}

struct overhead_passes overhead_passes_open(const struct overhead_case *file,
                                            const struct overhead_tour *tour)
{
    struct overhead_passes passes = {
        .tour = tour,
        .gauges = memory_new(tour->length + 1, sizeof(*passes.gauges)),
        .nothings = memory_new(tour->length + 1, sizeof(*passes.nothings)),
        .scratch = memory_new(2 * tour->length + 1, sizeof(*passes.scratch)),
    };
    for (uint32_t call = 0; call < tour->length; call++) {
        const char *name = file->operations[tour->calls[call]].name;
        if (strcmp(name, "timer.gauge") == 0)
            passes.gauges[passes.gauge_count++] = call;
        if (strcmp(name, "timer.nothing") == 0)
            passes.nothings[passes.nothing_count++] = call;
    }
    usual_accounts(&passes);
    return passes;
}

void overhead_passes_close(struct overhead_passes *passes)
{
    memory_give_back(passes->gauges);
    memory_give_back(passes->nothings);
    memory_give_back(passes->scratch);
}

double overhead_pass_gauge(const struct overhead_passes *passes, size_t process, uint32_t pass,
                           uint32_t meter)
{
    const struct overhead_tour *tour = passes->tour;
    const int64_t *values = overhead_pass_values(tour, process, pass);
    size_t count = passes->gauge_count;
    if (!count)
        return NAN;
    for (size_t i = 0; i < count; i++)
        passes->scratch[i] = values[(size_t)passes->gauges[i] * tour->meter_count + meter];
    error_sort(passes->scratch, count, passes->scratch + count);
    if (tour->cold)
        return (double)passes->scratch[0];
    return overhead_middle(passes->scratch, count);
}

bool overhead_pass_unsettled(const struct overhead_passes *passes, size_t process, uint32_t pass)
{
    if (passes->tour->cold)
        return false;
    const struct account *account = account_of(passes->tour, process, pass);
    return faults_of(account) > passes->most_faults || switches_of(account) > passes->most_switches;
}

/* The meter's index in the tour, or -1. */
static int overhead_meter_index(const struct overhead_tour *tour,
                                const struct overhead_meter *meter)
{
    for (uint32_t i = 0; i < tour->meter_count; i++)
        if (overhead_same_meter(&tour->meters[i], meter))
            return (int)i;
    return -1;
}

const struct overhead_timer *overhead_timer_of(const struct overhead_report *report,
                                               uint32_t machine, const struct overhead_meter *meter)
{
    for (size_t i = 0; i < report->timer_count; i++)
        if (report->timers[i].machine == machine &&
            overhead_same_meter(report->timers[i].meter, meter))
            return &report->timers[i];
    return NULL;
}

const struct overhead_gauge *overhead_gauge_of(const struct overhead_report *report,
                                               uint32_t machine, const struct overhead_meter *meter)
{
    for (size_t i = 0; i < report->gauge_count; i++)
        if (report->gauges[i].machine == machine &&
            overhead_same_meter(report->gauges[i].meter, meter))
            return &report->gauges[i];
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * Is the core ours? The gauge is a block of independent additions: whoever shares the core's
 * execution units, or slows its clock, makes it dearer, and everything else with it. From the
 * gauges of all warm passes follows what is usual and where disturbance begins. */

/* Nothing below this factor of the usual gauge is called disturbed where no valley tells; and heaps
 * nearer to the lowest than this are the same core at work (other places of code, other links). */
static const double FACTOR = 1.25;
/* Deviations of the usual spread, by its lower half: one of two thousand passes is beyond. */
static const double DEVIATIONS = 3.3;

struct passes_seen {
    double *gauges; /* of settled passes, sorted in the end */
    size_t count, unsettled, passes;
};

/* The usual spread in parts of the gauge; from the lower half, which nobody disturbs. */
static double usual_factor(const double *sorted, size_t count)
{
    double median = quantile(sorted, count, 0.5), q1 = quantile(sorted, count, 0.25);
    if (!(q1 > 0))
        return FACTOR;
    return fmax(FACTOR, exp(DEVIATIONS * log(median / q1) / 0.6745));
}

/* What the passes say of the gauge. */
static void settle(const struct passes_seen *seen, double resolution, struct overhead_gauge *gauge)
{
    gauge->passes = seen->passes;
    gauge->known =
        seen->count > 0 && (gauge->meter->unit == METER_TICKS || gauge->meter->unit == METER_NS ||
                            gauge->meter->unit == METER_CYCLES);
    gauge->usual = gauge->limit = NAN;
    size_t above = 0;
    if (gauge->known) {
        /* Heaps up to the first that is clearly dearer than the lowest are ours. */
        double q1 = quantile(seen->gauges, seen->count, 0.25);
        struct mode_search search = {.bandwidth = fmax(fmax(0.03 * fabs(q1), resolution), 1e-9),
                                     .least_share = 0.03,
                                     .distance = 0.08,
                                     .steps = 4 * resolution,
                                     .chance = 1e-5};
        struct mode modes[MOST_MODES];
        size_t found = find_modes(seen->gauges, seen->count, &search, modes), ours = 1;
        while (ours < found && modes[ours].peak < FACTOR * modes[0].peak)
            ours++;
        size_t count = modes[ours - 1].end;
        gauge->usual = quantile(seen->gauges, count, 0.5);
        if (ours < found)
            gauge->limit = modes[ours - 1].border;
        else
            gauge->limit = fmax(gauge->usual * usual_factor(seen->gauges, count),
                                gauge->usual + 4 * resolution);
        while (above < seen->count && seen->gauges[seen->count - 1 - above] > gauge->limit)
            above++;
    }
    if (seen->passes)
        gauge->share = (double)(above + seen->unsettled) / (double)seen->passes;
    if (gauge->known) {
        double share = (double)above / (double)seen->count;
        double times = above ? seen->gauges[seen->count - 1 - above / 2] / gauge->usual : NAN;
        if (above)
            TELL(&gauge->why, share > 0.8 ? SAYS_SHARED_CORE : SAYS_BUSY_NEIGHBOUR, times,
                 100 * share);
        else if (seen->unsettled)
            TELL(&gauge->why, SAYS_INTERRUPTED,
                 100 * (double)seen->unsettled / (double)seen->passes);
        else
            TELL(&gauge->why, SAYS_ALL_ALIKE);
    } else
        TELL(&gauge->why, seen->count ? SAYS_COUNTS_ALONE : SAYS_NO_GAUGE);
}

/* Judges the gauge after `cost` is taken off; the gauge names its machine and meter. The resolution
 * may be 0. */
static void overhead_measure_gauge(const struct overhead_case *file, double cost, double resolution,
                                   struct overhead_gauge *gauge)
{
    struct passes_seen seen = {0};
    size_t most = 1;
    for (size_t i = 0; i < file->tour_count; i++)
        for (size_t process = 0; process < file->tours[i].processes; process++)
            most += file->tours[i].passes[process];
    seen.gauges = memory_new(most, sizeof(*seen.gauges));
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        int meter = overhead_meter_index(tour, gauge->meter);
        if (tour->machine != gauge->machine || tour->cold || meter < 0)
            continue;
        AUTO_PASSES struct overhead_passes passes = overhead_passes_open(file, tour);
        for (size_t process = 0; process < tour->processes; process++)
            for (uint32_t pass = 0; pass < tour->passes[process]; pass++) {
                double cost_of_gauge = overhead_pass_gauge(&passes, process, pass, (uint32_t)meter);
                seen.passes++;
                if (overhead_pass_unsettled(&passes, process, pass))
                    seen.unsettled++;
                else if (!isnan(cost_of_gauge))
                    seen.gauges[seen.count++] = cost_of_gauge - cost;
            }
    }
    sort_values(seen.gauges, seen.count);
    settle(&seen, resolution, gauge);
    memory_give_back(seen.gauges);
}

void overhead_judge_gauges(const struct overhead_case *file, struct overhead_report *report)
{
    report->gauges = memory_new(report->timer_count + 1, sizeof(*report->gauges));
    for (size_t i = 0; i < report->timer_count; i++) {
        const struct overhead_timer *timer = &report->timers[i];
        struct overhead_gauge *gauge = &report->gauges[report->gauge_count++];
        gauge->machine = timer->machine;
        gauge->meter = timer->meter;
        overhead_measure_gauge(file, timer->cost, timer->resolution, gauge);
    }
}

/* --- ticks as instructions --- */

/* So far from a whole number a rate may be: ticks on either side of the median average out. */
static const double NEARLY_WHOLE = 0.1;

bool overhead_is_clock(const struct overhead_meter *meter)
{
    return meter->unit == METER_INSTRUCTIONS && strcmp(meter->event, OVERHEAD_CLOCK) == 0;
}

bool overhead_has_clock(const struct overhead_report *report, uint32_t machine)
{
    for (size_t i = 0; i < report->timer_count; i++)
        if (report->timers[i].machine == machine && overhead_is_clock(report->timers[i].meter))
            return true;
    return false;
}

/* Names of events that a counter of the CPU counts begin so. */
static const char *const of_the_cpu[] = {
    "instructions", "cycles", "branch", "cache", "L1-",  "LLC-", "ref-cycles",
    "bus-cycles",   "dTLB-",  "iTLB-",  "cpu/",  "cpu_", "arm"};

static bool is_of_the_cpu(const char *event)
{
    for (size_t i = 0; event && i < sizeof(of_the_cpu) / sizeof(*of_the_cpu); i++)
        if (strncmp(event, of_the_cpu[i], strlen(of_the_cpu[i])) == 0)
            return true;
    return false;
}

bool overhead_misses_switches(const struct overhead_report *report, const struct overhead_row *row)
{
    return is_of_the_cpu(row->meter->event) && is_of_the_cpu(row->counted) &&
           !overhead_has_clock(report, row->machine);
}

double overhead_middle_by(const struct overhead_meter *meter, const int64_t *sorted, size_t count)
{
    double median = overhead_middle(sorted, count), sum = 0;
    size_t near = 0;
    for (size_t i = 0; i < count && meter->step > 0; i++)
        if (fabs((double)sorted[i] - median) <= meter->step) {
            sum += (double)sorted[i];
            near++;
        }
    return near ? sum / (double)near : median;
}

/* --- the gauge, by one meter --- */

/* The middle of all spans of an operation in warm tours of the machine. NaN: it was not metered. */
static double middle_of(const struct overhead_case *file, uint32_t machine, const char *event,
                        const char *operation)
{
    /* Ticks come in ones, and those on either side of the median tell what lies between. */
    const struct overhead_meter ones = {.step = strcmp(event, OVERHEAD_CLOCK) == 0 ? 1 : 0};
    int64_t *values = NULL;
    size_t count = 0;
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        uint32_t meter = 0;
        while (meter < tour->meter_count && strcmp(tour->meters[meter].event, event) != 0)
            meter++;
        if (tour->machine != machine || tour->cold || meter == tour->meter_count)
            continue;
        for (size_t at = 0; at < overhead_calls_of(tour); at++)
            if (strcmp(file->operations[tour->calls[at % tour->length]].name, operation) == 0)
                *memory_add(values, count) = tour->values[at * tour->meter_count + meter];
    }
    if (!count)
        return NAN;
    AUTO_MEMORY int64_t *scratch = memory_new(count, sizeof(*scratch));
    error_sort(values, count, scratch);
    const double middle = overhead_middle_by(&ones, values, count);
    memory_give_back(values);
    return middle;
}

/* What the gauge costs without its metering. */
static double gauge_cost(const struct overhead_case *file, uint32_t machine, const char *event)
{
    return middle_of(file, machine, event, "timer.gauge") -
           middle_of(file, machine, event, "timer.nothing");
}

/* --- one machine --- */

static bool has_ticks(const struct overhead_case *file, uint32_t machine)
{
    for (size_t i = 0; i < file->tour_count; i++)
        for (uint32_t meter = 0; meter < file->tours[i].meter_count; meter++)
            if (file->tours[i].machine == machine && file->tours[i].processes &&
                file->tours[i].meters[meter].unit == METER_TICKS)
                return true;
    return false;
}

/* Spans of a damaged store may be anything: what cannot be multiplied is none. */
static bool clock_fits(const struct overhead_case *file, uint32_t machine, int64_t rate)
{
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        size_t values = overhead_calls_of(tour) * tour->meter_count;
        for (size_t at = 0; tour->machine == machine && at < values; at++) {
            int64_t product;
            if (tour->meters[at % tour->meter_count].unit == METER_TICKS &&
                __builtin_mul_overflow(tour->values[at], rate, &product))
                return false;
        }
    }
    return true;
}

static void convert(struct overhead_tour *tour, uint32_t index, int64_t rate)
{
    struct overhead_meter *meter = &tour->meters[index];
    meter->mode = memory_copy("uk");
    meter->unit = METER_INSTRUCTIONS;
    meter->step = (double)rate;
    for (size_t at = 0; at < overhead_calls_of(tour); at++)
        tour->values[at * tour->meter_count + index] *= rate;
}

void overhead_read_clocks(struct overhead_case *file)
{
    for (uint32_t i = 0; i < file->machine_count; i++) {
        struct overhead_machine *machine = &file->machines[i];
        if (!machine->emulated || machine->tick > 0 || !has_ticks(file, i))
            continue;
        double ticks = gauge_cost(file, i, OVERHEAD_CLOCK);
        double rate = gauge_cost(file, i, "instructions:u") / ticks, whole = round(rate);
        if (!isfinite(rate) || !(ticks > 0))
            TELL(&machine->tick_why, SAYS_TICK_UNMETERED);
        else if (!(whole >= 1) || whole > 1e6 || fabs(rate - whole) > NEARLY_WHOLE)
            TELL(&machine->tick_why, SAYS_TICK_NOT_WHOLE, rate);
        else if (!clock_fits(file, i, (int64_t)whole))
            TELL(&machine->tick_why, SAYS_TICK_ABSURD);
        else
            machine->tick = whole;
        for (size_t j = 0; j < file->tour_count && machine->tick > 0; j++)
            for (uint32_t meter = 0; meter < file->tours[j].meter_count; meter++)
                if (file->tours[j].machine == i && file->tours[j].meters[meter].unit == METER_TICKS)
                    convert(&file->tours[j], meter, (int64_t)whole);
    }
}

/* ----------------------------------------------------------------------------------------------
 * What metering itself costs: spans with nothing in them, in warm passes that nobody disturbed;
 * the median of each process, then of processes. And the step in which the meter counts. */

/* Spans from which the step is read. */
enum { MOST_LOOKED_AT = 1 << 16 };

struct timing {
    const struct overhead_case *file;
    struct overhead_timer *timer;
    const struct overhead_gauge *gauge; /* NULL: take disturbed passes, too */
    bool cold;                          /* there is no warm tour */
    double *medians;                    /* of processes */
    size_t processes, runs;
};

static bool is_counted(const struct timing *timing, const struct overhead_passes *passes,
                       size_t process, uint32_t pass, uint32_t meter)
{
    if (!timing->gauge)
        return true;
    double gauge = overhead_pass_gauge(passes, process, pass, meter) - timing->timer->cost;
    return !overhead_pass_unsettled(passes, process, pass) &&
           !(timing->gauge->known && gauge > timing->gauge->limit);
}

static void time_tour(struct timing *timing, const struct overhead_tour *tour, uint32_t meter)
{
    AUTO_PASSES struct overhead_passes passes = overhead_passes_open(timing->file, tour);
    if (!passes.nothing_count)
        return;
    size_t most = 0;
    for (size_t i = 0; i < tour->processes; i++)
        most = tour->passes[i] > most ? tour->passes[i] : most;
    AUTO_MEMORY int64_t *spans = memory_new(2 * most * passes.nothing_count + 1, sizeof(*spans));
    for (size_t process = 0; process < tour->processes; process++) {
        size_t count = 0;
        for (uint32_t pass = 0; pass < tour->passes[process]; pass++)
            if (is_counted(timing, &passes, process, pass, meter)) {
                /* Nothing of one pass; of a cold one without the first, for which the meter itself
                 * was cold. */
                const int64_t *values = overhead_pass_values(passes.tour, process, pass);
                size_t first = timing->cold && pass == 0 ? 1 : 0, taken = 0;
                for (size_t i = first; i < passes.nothing_count; i++)
                    spans[count + taken++] =
                        values[(size_t)passes.nothings[i] * passes.tour->meter_count + meter];
                count += taken;
            }
        if (!count)
            continue;
        error_sort(spans, count, spans + most * passes.nothing_count);
        timing->medians[timing->processes++] =
            overhead_middle_by(timing->timer->meter, spans, count);
        timing->runs += count;
    }
}

/* Over all tours of the machine and meter that are warm, or cold. */
static void time_tours(struct timing *timing)
{
    timing->processes = timing->runs = 0;
    for (size_t i = 0; i < timing->file->tour_count; i++) {
        const struct overhead_tour *tour = &timing->file->tours[i];
        int meter = overhead_meter_index(tour, timing->timer->meter);
        if (tour->machine != timing->timer->machine || meter < 0 || tour->cold != timing->cold)
            continue;
        time_tour(timing, tour, (uint32_t)meter);
    }
    if (!timing->processes)
        return;
    sort_values(timing->medians, timing->processes);
    struct overhead_timer *timer = timing->timer;
    timer->known = true;
    timer->cost = quantile(timing->medians, timing->processes, 0.5);
    timer->low = quantile(timing->medians, timing->processes, 0.025);
    timer->high = quantile(timing->medians, timing->processes, 0.975);
    timer->processes = timing->processes;
    timer->runs = timing->runs;
}

/* --- the step --- */

static void find_step(const struct overhead_case *file, struct overhead_timer *timer)
{
    size_t all = 0, seen = 0, count = 0;
    enum meter_unit unit = timer->meter->unit;
    for (size_t i = 0; i < file->tour_count; i++)
        if (file->tours[i].machine == timer->machine &&
            overhead_meter_index(&file->tours[i], timer->meter) >= 0)
            all += overhead_calls_of(&file->tours[i]);
    if (unit != METER_TICKS && unit != METER_NS) { /* a count counts in ones */
        timer->resolution = timer->meter->step > 1 ? timer->meter->step : all > 0;
        return;
    }
    AUTO_MEMORY int64_t *values = memory_new(MOST_LOOKED_AT + 1, sizeof(*values));
    AUTO_MEMORY int64_t *scratch = memory_new(2 * MOST_LOOKED_AT + 2, sizeof(*scratch));
    size_t stride = all / MOST_LOOKED_AT + 1;
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        int meter = overhead_meter_index(tour, timer->meter);
        if (tour->machine != timer->machine || meter < 0)
            continue;
        for (size_t at = 0; at < overhead_calls_of(tour); at++)
            if (seen++ % stride == 0 && count < MOST_LOOKED_AT)
                values[count++] = tour->values[at * tour->meter_count + (size_t)meter];
    }
    timer->resolution = find_resolution(values, count, scratch);
}

/* --- one timer --- */

void overhead_judge_timers(const struct overhead_case *file, struct overhead_report *report)
{
    size_t processes = 1;
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        processes += tour->processes;
        for (uint32_t j = 0; j < tour->meter_count; j++)
            if (!overhead_timer_of(report, tour->machine, &tour->meters[j]))
                *memory_add(report->timers, report->timer_count) =
                    (struct overhead_timer){.machine = tour->machine, .meter = &tour->meters[j]};
    }
    AUTO_MEMORY double *medians = memory_new(processes, sizeof(*medians));
    for (size_t i = 0; i < report->timer_count; i++) {
        /* What is undisturbed follows from the gauge, whose cost contains that of metering: first
         * by all passes, then by those that the gauge lets stand. Where it lets none stand, all
         * count. */
        struct timing timing = {.file = file, .timer = &report->timers[i], .medians = medians};
        struct overhead_gauge gauge = {.machine = report->timers[i].machine,
                                       .meter = report->timers[i].meter};
        time_tours(&timing);
        find_step(file, &report->timers[i]);
        timing.cold = !timing.processes;
        if (!timing.cold) {
            overhead_measure_gauge(file, report->timers[i].cost, report->timers[i].resolution,
                                   &gauge);
            timing.gauge = &gauge;
        }
        time_tours(&timing);
    }
}

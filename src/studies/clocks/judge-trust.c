/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The verdict on every clock, and the fault that explains it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/moments.h"
#include "studies/clocks/study.h"

/* ----------------------------------------------------------------------------------------------
 * The trial of one clock: all its intervals, each with what it should have been and by how much it
 * may differ. */

/* One interval by the clock and by the reference. */
struct tried_interval {
    const struct clock_watch *watch;
    double own, other; /* ns */
    double slack;      /* ns: off by more is wrong */
    double off;        /* ns: own − other */
    bool wrong;
    bool moved;     /* it ended on another CPU */
    bool disturbed; /* others got the CPU meanwhile: by the account, or stolen */
};

struct clock_trial {
    const struct clocks_case *file;
    const struct clocks_report *report;
    uint32_t clock;
    double step_ns;   /* by which it may be behind */
    double told_ns;   /* how finely it tells time, at best */
    uint64_t largest; /* of all its readings in intervals */
    struct tried_interval *list;
    size_t count, wrong;
    double *scratch; /* [count + 1] */
};

/* A coarse clock's steps need not all be alike. */
#define STEP_SLACK 1.5

static bool was_moved(const struct clocks_case *file, const struct clock_watch *watch, size_t look)
{
    int place = watch_role_column(file, watch, ROLE_PLACE);
    if (place < 0)
        return (watch->moves || watch->handover) && file->cpus != 1;
    size_t last = look + WATCH_SIDE_LOOKS;
    return watch->values[look * watch->columns + (size_t)place] !=
           watch->values[last * watch->columns + (size_t)place];
}

static bool was_disturbed(const struct clocks_case *file, const struct clock_watch *watch,
                          size_t look)
{
    size_t last = look + WATCH_SIDE_LOOKS;
    if (watch->accounts && watch->accounts[last].involuntary)
        return true;
    int stolen = watch_role_column(file, watch, ROLE_STOLEN);
    return stolen >= 0 && watch->values[look * watch->columns + (size_t)stolen] !=
                              watch->values[(last + 2) * watch->columns + (size_t)stolen];
}

static void try_interval(struct clock_trial *trial, const struct clock_watch *watch, size_t index,
                         uint32_t own, uint32_t other)
{
    double own_scale = trial->report->scales[watch->clocks[own]].ns_per_tick;
    double other_scale = trial->report->scales[watch->clocks[other]].ns_per_tick;
    struct interval_reading both[2];
    watch_interval_of_two(watch, index, own, other, both);
    size_t look = watch_interval_look(watch, index);
    struct tried_interval *tried = &trial->list[trial->count++];
    *tried = (struct tried_interval){
        .watch = watch,
        .own = both[0].elapsed * own_scale,
        .other = both[1].elapsed * other_scale,
        .moved = was_moved(trial->file, watch, look),
        .disturbed = was_disturbed(trial->file, watch, look),
    };
    tried->slack = both[0].bound * own_scale + both[1].bound * other_scale + other_scale +
                   STEP_SLACK * trial->step_ns + CLOCKS_INTERVAL_PPM * 1e-6 * fabs(tried->other);
    tried->off = tried->own - tried->other;
    tried->wrong = fabs(tried->off) > tried->slack;
    trial->wrong += tried->wrong;
    for (size_t i = look; i < look + WATCH_INTERVAL_LOOKS; i++)
        if (watch->values[i * watch->columns + own] > trial->largest)
            trial->largest = watch->values[i * watch->columns + own];
}

/* Intervals during which the machine was suspended are left out. The lists are long: they are given
 * back by trial_end. */
static void trial_gather(struct clock_trial *trial, const bool *left_out)
{
    const struct clocks_case *file = trial->file;
    int32_t reference = trial->report->reference.clock;
    size_t room = trial->report->intervals + 1, number = 0;
    trial->list = memory_new(room, sizeof(*trial->list));
    trial->scratch = memory_new(room, sizeof(*trial->scratch));
    const struct clock_granularity *seen = &trial->report->granularities[trial->clock];
    trial->step_ns = clock_step_ns(trial->report, trial->clock);
    bool told = seen->known && seen->coarse && seen->resolution_ns > 0;
    trial->told_ns = told ? seen->resolution_ns : trial->step_ns;
    if (reference < 0 || !trial->report->scales[reference].known ||
        !trial->report->scales[trial->clock].known || reference == (int32_t)trial->clock)
        return;
    for (size_t i = 0; i < file->watch_count; i++) {
        const struct clock_watch *watch = &file->watches[i];
        if (watch->kind != WATCH_INTERVAL)
            continue;
        int own = watch_column(watch, trial->clock);
        int other = watch_column(watch, (uint32_t)reference);
        for (size_t j = 0; j < watch_intervals(watch); j++, number++)
            if (own >= 0 && other >= 0 && !left_out[number])
                try_interval(trial, watch, j, (uint32_t)own, (uint32_t)other);
    }
}

static void trial_end(struct clock_trial *trial)
{
    memory_give_back(trial->list);
    memory_give_back(trial->scratch);
}

/* --- which intervals are meant --- */

typedef bool tried_choice(const struct tried_interval *interval);

static bool tried_stayed(const struct tried_interval *interval)
{
    return interval->watch->threads == 1 && !interval->moved && !interval->watch->handover;
}

static bool runs_all_the_time(const struct tried_interval *interval)
{
    static const char *const running[] = {"compute", "spin", "faults"};
    for (size_t i = 0; i < sizeof(running) / sizeof(*running); i++)
        if (strcmp(interval->watch->workload, running[i]) == 0)
            return true;
    return false;
}

/* One thread, no moves. */
static bool tried_sleep(const struct tried_interval *interval)
{
    return tried_stayed(interval) && strcmp(interval->watch->workload, "sleep") == 0;
}

/* The same, of what runs all the time. */
static bool tried_running(const struct tried_interval *interval)
{
    return tried_stayed(interval) && runs_all_the_time(interval);
}

static bool tried_moved(const struct tried_interval *interval)
{
    return interval->moved;
}

/* Several, running. */
static bool tried_threads(const struct tried_interval *interval)
{
    return interval->watch->threads > 1 && runs_all_the_time(interval);
}

static size_t trial_count(const struct clock_trial *trial, tried_choice *choice)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->count; i++)
        count += choice(&trial->list[i]);
    return count;
}

static size_t trial_wrong(const struct clock_trial *trial, tried_choice *choice)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->count; i++)
        count += trial->list[i].wrong && choice(&trial->list[i]);
    return count;
}

/* Of own / other; NaN: none. */
static double trial_ratio(const struct clock_trial *trial, tried_choice *choice, double share)
{
    size_t count = 0;
    for (size_t i = 0; i < trial->count; i++)
        if (choice(&trial->list[i]) && trial->list[i].other > 0)
            trial->scratch[count++] = trial->list[i].own / trial->list[i].other;
    if (!count)
        return NAN;
    sort_values(trial->scratch, count);
    return quantile(trial->scratch, count, share);
}

/* Was the clock itself read around such an interval, any for NULL, one with a change of CPU for ""?
 * The reference has no trial of its own. */
static bool stood_around(const struct clock_trial *trial, const char *workload)
{
    for (size_t i = 0; i < trial->file->watch_count; i++) {
        const struct clock_watch *watch = &trial->file->watches[i];
        if (watch->kind == WATCH_INTERVAL && watch_intervals(watch) &&
            watch_column(watch, trial->clock) >= 0 &&
            (!workload || (*workload ? strcmp(watch->workload, workload) == 0
                                     : watch->moves || watch->handover)))
            return true;
    }
    return false;
}

/* What must have been watched before a clock is called dependable: bits, 0: all of it was. */
enum trial_lack { LACKS_SLEEP = 1, LACKS_COMPUTATION = 2, LACKS_MOVES = 4 };
static uint32_t trial_lacks(const struct clock_trial *trial)
{
    bool reference = trial->report->reference.clock == (int32_t)trial->clock;
    bool slept = reference ? stood_around(trial, "sleep") : trial_count(trial, tried_sleep);
    bool ran = reference ? stood_around(trial, "compute") : trial_count(trial, tried_running);
    bool moved = reference ? stood_around(trial, "") : trial_count(trial, tried_moved);
    moved = moved || trial->report->offsets[trial->clock].known || trial->file->cpus == 1;
    return (slept ? 0u : (uint32_t)LACKS_SLEEP) | (ran ? 0u : (uint32_t)LACKS_COMPUTATION) |
           (moved ? 0u : (uint32_t)LACKS_MOVES);
}

/* Share of these that are right once the clock's rate is taken to be `ratio`. */
static double trial_fits(const struct clock_trial *trial, tried_choice *choice, double ratio)
{
    size_t count = 0, fits = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        if (!choice(tried))
            continue;
        count++;
        fits += fabs(tried->own - ratio * tried->other) <= fmax(1, ratio) * tried->slack;
    }
    return count ? (double)fits / (double)count : NAN;
}

/* ----------------------------------------------------------------------------------------------
 * The faults of clocks that claim CPU time or cycles: held to what they claim, which is
 * computation by one thread with nobody in between. */

#define BIT(fault) (1u << (fault))

/* Fewer than these prove nothing: a thread that waits for its turn after a move, or before it was
 * first seen, waits without an entry in any account. */
#define LEAST_QUIET 3

static bool undisturbed(const struct tried_interval *interval)
{
    return tried_running(interval) && !interval->disturbed && !interval->watch->moves;
}

/* Does it go on while its thread sleeps? */
static bool counts_sleep(const struct clock_trial *trial)
{
    return trial_ratio(trial, tried_sleep, 0.5) > 0.5;
}

/* Too little in some intervals can be somebody who took the CPU unseen; too little in all of them,
 * or too much in most, is the clock's. */
static bool runs_wrong(const struct clock_trial *trial)
{
    size_t count = 0, quiet = 0, behind = 0, ahead = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        if (!tried_running(tried))
            continue;
        double slack = tried->slack + CLOCKS_CPU_TIME_SHARE * tried->other;
        count++;
        /* nobody who takes the CPU makes it too much */
        ahead += tried->off > slack;
        quiet += undisturbed(tried);
        behind += undisturbed(tried) && tried->off < -slack;
    }
    return (quiet >= LEAST_QUIET && (double)behind >= 0.9 * (double)quiet) || 2 * ahead > count;
}

/* Cycles for each ns, of intervals of all lengths. */
static bool varies(const struct clock_trial *trial)
{
    double low = trial_ratio(trial, undisturbed, 0.1), high = trial_ratio(trial, undisturbed, 0.9);
    return high - low > 2 * CLOCKS_CPU_TIME_SHARE;
}

/* The faults of one that claims CPU time or cycles. */
static uint32_t cpu_time_faults(const struct clock_trial *trial)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    uint32_t faults = trial->told_ns > CLOCKS_COARSE_NS ? BIT(FAULT_COARSE_STEPS) : 0;
    bool cycles = trial->file->clocks[trial->clock].role == ROLE_CYCLES;
    if (monotonic->wrapped)
        return faults | BIT(FAULT_WRAPS);
    if (monotonic->known && monotonic->backward)
        return faults | BIT(FAULT_STEPS_BACKWARDS);
    if (cycles && varies(trial))
        return faults | BIT(FAULT_VARIES_WITH_FREQUENCY);
    if (runs_wrong(trial) || (!cycles && counts_sleep(trial)))
        return faults | BIT(FAULT_WRONG_RATE);
    return faults;
}

/* ----------------------------------------------------------------------------------------------
 * The faults of a clock that claims to tell time. Each is told by where the intervals are wrong,
 * in which direction, and by what else was seen of the clock. */

/* Of a coarse clock, steps that may be missing or too many in one of so many intervals. */
#define LATE_STEPS  4
#define LATE_SELDOM 20

/* A counter that begins anew lacks whole periods; who lacks anything else does not wrap. */
static bool lacks_whole_periods(const struct clock_trial *trial)
{
    int bits = 64;
    while (bits > 0 && !(trial->largest >> (bits - 1)))
        bits--;
    if (bits < 8 || bits > 62 || !trial->wrong)
        return false;
    double period = ldexp(1, bits) * trial->report->scales[trial->clock].ns_per_tick;
    size_t explained = 0, telling = 0;
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        /* one that wrapped between two looks is bounded by about a period, and tells nothing */
        if (!tried->wrong || period < 10 * tried->slack)
            continue;
        telling++;
        double periods = round(-tried->off / period);
        explained += periods >= 1 && fabs(tried->off + periods * period) <= tried->slack;
    }
    return telling && explained == telling;
}

static bool wraps(const struct clock_trial *trial)
{
    return trial->report->monotonic[trial->clock].wrapped || lacks_whole_periods(trial);
}

/* Of all readings, how many were below the one before? */
static double backward_share(const struct clock_trial *trial)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    return monotonic->known && monotonic->readings
               ? (double)monotonic->backward / (double)monotonic->readings
               : 0;
}

static bool stops_during_sleep(const struct clock_trial *trial)
{
    double asleep = trial_ratio(trial, tried_sleep, 0.5);
    size_t sleeps = trial_count(trial, tried_sleep), runs = trial_count(trial, tried_running);
    return asleep < CLOCKS_STOPPED_RATIO &&
           (double)trial_wrong(trial, tried_sleep) >= 0.8 * (double)sleeps &&
           (double)trial_wrong(trial, tried_running) <= 0.1 * (double)runs;
}

static bool moved_ones_are_wrong(const struct clock_trial *trial)
{
    size_t moved = trial_count(trial, tried_moved), stayed = trial_count(trial, tried_stayed);
    size_t wrong = trial_wrong(trial, tried_moved);
    return wrong >= 2 && (double)wrong >= 0.2 * (double)moved &&
           (double)trial_wrong(trial, tried_stayed) <= 0.02 * (double)stayed;
}

/* Trips that contradict each other within one process show no offset, whatever they show. */
static bool pairs_disagree(const struct clock_trial *trial)
{
    const struct clocks_report *report = trial->report;
    double limit = CLOCKS_OFFSET_NS / report->scales[trial->clock].ns_per_tick;
    for (size_t i = 0; i < report->pair_count; i++) {
        const struct clock_pair *pair = &report->pairs[i];
        if (pair->clock == trial->clock && pair->torn == 0 && pair->constant &&
            (pair->low > limit || pair->high < -limit))
            return true;
    }
    return false;
}

static bool counts_other_threads(const struct clock_trial *trial)
{
    double alone = trial_ratio(trial, tried_running, 0.5);
    double together = trial_ratio(trial, tried_threads, 0.5);
    return together > 1.3 && fabs(alone - 1) < 0.05;
}

/* By how much its rate may be off, ppm. */
static double rate_limit(const struct clock_trial *trial)
{
    double steered = trial->file->steered_ppm;
    if (!trial->file->clocks[trial->clock].steered)
        return CLOCKS_RATE_PPM;
    return CLOCKS_RATE_PPM + (isnan(steered) ? CLOCKS_MOST_STEERING_PPM
                                             : fmin(fabs(steered), CLOCKS_MOST_STEERING_PPM));
}

/* Wrong as a whole, and in most of its stretches or surely in several of them: a single jump makes
 * only one stretch wrong. */
static bool is_wrong(const struct clock_rate *rate, double limit)
{
    double usual = rate->stretches ? rate->usual_ppm : rate->ppm;
    size_t many = rate->stretches / 4 > 2 ? rate->stretches / 4 : 2;
    if (rate->sure_low > limit)
        return usual > limit || rate->wrong_fast >= many;
    if (rate->sure_high < -limit)
        return usual < -limit || rate->wrong_slow >= many;
    return false;
}

/* Shows this clock of another counter that the rate is right? */
static bool confirms(const struct clock_rate *rate, double limit)
{
    return rate->known && rate->independent && rate->against_claim && rate->low > -limit &&
           rate->high < limit;
}

/* Is it right by the clock of another machine? What that says counts for more than what is inside
 * of this one, all of which a hypervisor may make. */
static bool right_from_outside(const struct clock_trial *trial)
{
    const struct clock_rate *rates = trial->report->rates[trial->clock];
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
        if (confirms(&rates[i], rate_limit(trial)) &&
            (int32_t)rates[i].against == trial->report->reference.outside)
            return true;
    return false;
}

/* The rate by which a clock of another make shows that one to be wrong; NULL: none does. What it
 * says of others is nothing then. */
static const struct clock_rate *refuted_by(const struct clock_trial *trial, uint32_t clock)
{
    const struct clock_trial other = {.file = trial->file, .report = trial->report, .clock = clock};
    const struct clock_rate *rates = trial->report->rates[clock];
    for (size_t i = 0; i < CLOCK_MOST_RATES && !right_from_outside(&other); i++)
        if (rates[i].known && rates[i].independent && rates[i].against_claim &&
            is_wrong(&rates[i], rate_limit(&other)))
            return &rates[i];
    return NULL;
}

/* Runs the clock at another rate than it may, for sure? The rate that says so, or NULL. */
static const struct clock_rate *wrong_rate(const struct clock_trial *trial)
{
    const struct clock_rate *rates = trial->report->rates[trial->clock];
    double limit = rate_limit(trial);
    const struct clock_rate *found = NULL;
    if (right_from_outside(trial))
        return NULL;
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
        if (rates[i].known && rates[i].against_claim && is_wrong(&rates[i], limit) &&
            (rates[i].independent || !refuted_by(trial, rates[i].against)) &&
            (!found || (rates[i].independent && !found->independent)))
            found = &rates[i];
    return found;
}

/* The rate against a clock of another counter that shows it to be right; NULL: none. */
static const struct clock_rate *confirming_rate(const struct clock_trial *trial)
{
    const struct clock_rate *rates = trial->report->rates[trial->clock];
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
        if (confirms(&rates[i], rate_limit(trial)))
            return &rates[i];
    return NULL;
}

int32_t clocks_better_reference(const struct clocks_case *file, const struct clocks_report *report)
{
    const int32_t reference = report->reference.clock, outside = report->reference.outside;
    struct clock_trial trial = {.file = file, .report = report, .clock = (uint32_t)reference};
    const struct clock_rate *rate = reference < 0 || outside < 0 ? NULL : wrong_rate(&trial);
    for (trial.clock = 0; rate && rate->independent && trial.clock < file->clock_count;
         trial.clock++)
        if (right_from_outside(&trial) && stood_around(&trial, NULL) &&
            clock_step_ns(report, trial.clock) <= CLOCKS_COARSE_NS)
            return (int32_t)trial.clock;
    return -1;
}

/* One rate that all intervals have, or one while it runs and another while it sleeps. */
static bool has_another_rate(const struct clock_trial *trial)
{
    double all = trial_ratio(trial, tried_stayed, 0.5);
    if (trial->wrong && trial_fits(trial, tried_stayed, all) >= 0.9 &&
        (double)trial_wrong(trial, tried_stayed) >= 0.3 * (double)trial_count(trial, tried_stayed))
        return true;
    double asleep = trial_ratio(trial, tried_sleep, 0.5);
    double running = trial_ratio(trial, tried_running, 0.5);
    bool differ = 2 * trial_wrong(trial, tried_sleep) > trial_count(trial, tried_sleep) ||
                  2 * trial_wrong(trial, tried_running) > trial_count(trial, tried_running);
    return differ && asleep > 0 && running > 0 && trial_fits(trial, tried_sleep, asleep) >= 0.9 &&
           trial_fits(trial, tried_running, running) >= 0.9;
}

/* Against the clock around the intervals a wrong rate must be seen in them, where it is large
 * enough; against others it stands for itself. */
static bool faults_runs_wrong(const struct clock_trial *trial)
{
    const struct clock_rate *rate = wrong_rate(trial);
    if (has_another_rate(trial))
        return true;
    if (!rate)
        return false;
    if ((int32_t)rate->against != trial->report->reference.clock)
        return true;
    double median = (trial_ratio(trial, tried_stayed, 0.5) - 1) * 1e6;
    bool same_sign = (median > 0) == (rate->ppm > 0);
    return same_sign && fabs(median) >= CLOCKS_RATE_PPM / 2 &&
           trial_fits(trial, tried_stayed, 1 + rate->ppm * 1e-6) >= 0.9;
}

/* Few intervals are wrong, and nearly all of them too short. */
static bool lost_time_at_once(const struct clock_trial *trial)
{
    size_t behind = 0;
    for (size_t i = 0; i < trial->count; i++)
        behind += trial->list[i].wrong && trial->list[i].off < 0;
    return trial->wrong && 2 * trial->wrong < trial->count &&
           (double)behind >= 0.9 * (double)trial->wrong;
}

/* A clock that goes in steps makes one late now and then, when the tick of the operating system
 * comes late (an idle CPU, a host that took the time): that is no more than its steps being coarse.
 */
static bool steps_came_late(const struct clock_trial *trial)
{
    for (size_t i = 0; i < trial->count; i++) {
        const struct tried_interval *tried = &trial->list[i];
        if (tried->wrong && fabs(tried->off) > tried->slack + LATE_STEPS * trial->told_ns)
            return false;
    }
    return LATE_SELDOM * trial->wrong <= trial->count;
}

/* Most intervals are wrong by some part of their length, and it never went back. */
static bool faults_varies(const struct clock_trial *trial)
{
    if (2 * trial_wrong(trial, tried_running) <= trial_count(trial, tried_running))
        return false;
    double low = trial_ratio(trial, tried_running, 0.1);
    double high = trial_ratio(trial, tried_running, 0.9);
    return low > 0 && high < 2 && high - low > 2 * CLOCKS_CPU_TIME_SHARE;
}

/* The faults of a clock that claims to tell time, as bits; 0: none. */
static uint32_t wall_faults(const struct clock_trial *trial)
{
    uint32_t faults = trial->told_ns > CLOCKS_COARSE_NS ? BIT(FAULT_COARSE_STEPS) : 0;
    double backward = backward_share(trial);
    if (wraps(trial))
        return faults | BIT(FAULT_WRAPS);
    if (backward > CLOCKS_SCATTERED_SHARE)
        return faults | BIT(FAULT_SCATTERS);
    bool jumps = moved_ones_are_wrong(trial) || pairs_disagree(trial);
    /* A thread that was moved unasked shows the offset of CPUs as a step back. */
    bool stray = jumps && trial_wrong(trial, tried_stayed) == 0 &&
                 trial->report->monotonic[trial->clock].backward <= 2;
    if (backward > 0 && !stray)
        return faults | BIT(FAULT_STEPS_BACKWARDS);
    if (jumps)
        faults |= BIT(FAULT_JUMPS_BETWEEN_CPUS);
    if (counts_other_threads(trial))
        faults |= BIT(FAULT_COUNTS_OTHER_THREADS);
    if (stops_during_sleep(trial))
        return faults | BIT(FAULT_STOPS_DURING_SLEEP);
    if (faults_runs_wrong(trial))
        return faults | BIT(FAULT_WRONG_RATE);
    if (faults & ~BIT(FAULT_COARSE_STEPS))
        return faults;
    if ((faults & BIT(FAULT_COARSE_STEPS)) && steps_came_late(trial))
        return faults;
    if (lost_time_at_once(trial))
        return faults | BIT(FAULT_STEPS_BACKWARDS);
    if (trial->wrong)
        return faults | BIT(faults_varies(trial) ? FAULT_VARIES_WITH_FREQUENCY : FAULT_SCATTERS);
    return faults;
}

/* Of several faults the one that explains most: those before explain what those behind show. */
static const enum clock_fault precedence[] = {
    FAULT_WRAPS,
    FAULT_STOPS_DURING_SLEEP,
    FAULT_JUMPS_BETWEEN_CPUS,
    FAULT_COUNTS_OTHER_THREADS,
    FAULT_WRONG_RATE,
    FAULT_STEPS_BACKWARDS,
    FAULT_VARIES_WITH_FREQUENCY,
    FAULT_SCATTERS,
    FAULT_COARSE_STEPS,
};

static enum clock_fault main_fault(uint32_t faults)
{
    for (size_t i = 0; i < sizeof(precedence) / sizeof(*precedence); i++)
        if (faults & (1u << precedence[i]))
            return precedence[i];
    return FAULT_NONE;
}

/* CPU time that one thread began and another ended means nothing, so nor does how far it is off. */
static void find_worst_row(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    double worst = -1;
    bool of_thread = trial->file->clocks[trial->clock].role != ROLE_WALL;
    verdict->worst_row = -1;
    verdict->worst_ratio = NAN;
    for (size_t i = 0; i < trial->report->row_count; i++) {
        const struct clock_row *row = &trial->report->rows[i];
        if (row->clock != trial->clock || (of_thread && row->handover))
            continue;
        double ratio =
            fabs(row->ratio_min - 1) > fabs(row->ratio_max - 1) ? row->ratio_min : row->ratio_max;
        if (fabs(ratio - 1) > worst) {
            worst = fabs(ratio - 1);
            verdict->worst_row = (int32_t)i;
            verdict->worst_ratio = ratio;
        }
    }
}

/* A reading takes its time and tells no more than its step: both a hundred times over. */
static double shortest(const struct clock_trial *trial, const struct clock_verdict *verdict)
{
    const struct clock_cost *cost = &trial->report->costs[trial->clock];
    const struct clock_granularity *granularity = &trial->report->granularities[trial->clock];
    bool usable = verdict->fault == FAULT_NONE || verdict->fault == FAULT_COARSE_STEPS;
    double step = trial->told_ns;
    if (granularity->known && granularity->resolution_ns > step)
        step = granularity->resolution_ns;
    if (!usable || !(step > 0))
        return NAN;
    return 100 * (step + (cost->known && cost->ns > 0 ? cost->ns : 0)) * 1e-3;
}

/* Did anything that is made of another counter agree with it? */
static bool was_confirmed(const struct clock_trial *trial)
{
    const struct clocks_report *report = trial->report;
    int32_t reference = report->reference.clock;
    if (confirming_rate(trial))
        return true;
    return reference >= 0 && trial->count &&
           clocks_independent(trial->file, trial->clock, (uint32_t)reference);
}

/* How that clock runs against the wrong one; of a clock of which only edges are seen, turned round.
 */
static struct clock_rate rate_to(const struct clock_trial *trial, uint32_t wrong)
{
    const struct clock_rate *back = trial->report->rates[wrong];
    struct clock_rate rate = clocks_rate_between(trial->file, trial->report, trial->clock, wrong);
    for (size_t i = 0; i < CLOCK_MOST_RATES && !rate.known; i++)
        if (back[i].known && back[i].against == trial->clock)
            rate = (struct clock_rate){.known = true,
                                       .against_claim = back[i].against_claim,
                                       .low = -back[i].high,
                                       .high = -back[i].low};
    return rate;
}

/* How fast the clock runs by who showed that the other one runs at that rate: ppm, for sure. */
static struct interval rate_through(const struct clock_rate *off, const struct clock_rate *rate)
{
    return (struct interval){1e6 * ((1 + off->sure_low * 1e-6) * (1 + rate->low * 1e-6) - 1),
                             1e6 * ((1 + off->sure_high * 1e-6) * (1 + rate->high * 1e-6) - 1)};
}

/* Is it wrong by the reference alone, which is wrong itself, and as a right one would be? */
static bool differs_from_wrong(const struct clock_trial *trial, uint32_t faults)
{
    const int32_t reference = trial->report->reference.clock;
    const struct clock_rate *off = reference < 0 || reference == (int32_t)trial->clock ||
                                           faults != BIT(FAULT_WRONG_RATE) || wrong_rate(trial)
                                       ? NULL
                                       : refuted_by(trial, (uint32_t)reference);
    if (!off)
        return false;
    const struct clock_rate rate = rate_to(trial, (uint32_t)reference);
    const struct interval through = rate_through(off, &rate);
    return rate.known && through.low < rate_limit(trial) && through.high > -rate_limit(trial);
}

static void judge_clock(struct clock_trial *trial, const bool *left_out, size_t reference_faults,
                        struct clock_verdict *verdict)
{
    bool wall = trial->file->clocks[trial->clock].role == ROLE_WALL;
    bool is_reference = trial->report->reference.clock == (int32_t)trial->clock;
    trial_gather(trial, left_out);
    verdict->faults = wall ? wall_faults(trial) : cpu_time_faults(trial);
    if (wall && differs_from_wrong(trial, verdict->faults)) {
        verdict->faults = 0;
        BECAUSE(&verdict->why, CLAUSE, CLOCKS_DIFFERS,
                trial->file->clocks[trial->report->reference.clock].name);
    }
    if (is_reference && reference_faults)
        verdict->faults |= 1u << FAULT_SCATTERS;
    verdict->fault = main_fault(verdict->faults);
    verdict->trust = verdict->faults                               ? TRUST_NOT_DEPENDABLE
                     : !wall                                       ? TRUST_CPU_TIME_ONLY
                     : was_confirmed(trial) && !trial_lacks(trial) ? TRUST_DEPENDABLE
                                                                   : TRUST_NOT_FALSIFIABLE;
    const struct clock_rate *rate = wall ? wrong_rate(trial) : NULL;
    verdict->falsified = verdict->faults && rate && rate->independent ? rate : NULL;
    find_worst_row(trial, verdict);
    verdict->shortest_us = shortest(trial, verdict);
}

/* ----------------------------------------------------------------------------------------------
 * What agrees with a wrong clock is wrong, although nothing of another make was read beside it. */

/* Is any clock of its counter right by who says that the other one is wrong, or from outside? Then
 * it is not the counter that is wrong. */
static bool counter_is_right(const struct clock_trial *trial, uint32_t witness)
{
    struct clock_trial other = *trial;
    for (other.clock = 0; other.clock < trial->file->clock_count; other.clock++) {
        const struct clock_rate *rates = trial->report->rates[other.clock];
        for (size_t i = 0; i < CLOCK_MOST_RATES; i++)
            if ((other.clock == trial->clock ||
                 clocks_one_family(trial->file, other.clock, trial->clock)) &&
                confirms(&rates[i], rate_limit(&other)) &&
                (rates[i].against == witness ||
                 (int32_t)rates[i].against == trial->report->reference.outside))
                return true;
    }
    return false;
}

static enum clock_tie tie_of_wall(const struct clock_trial *trial, uint32_t wrong, double *ppm)
{
    const struct clock_rate *off = trial->report->verdicts[wrong].falsified;
    const struct clock_rate rate = rate_to(trial, wrong);
    const double limit = rate_limit(trial);
    *ppm = rate.known ? fmax(fabs(rate.low), fabs(rate.high)) : (double)NAN;
    if (!rate.known)
        return clocks_one_family(trial->file, trial->clock, wrong) &&
                       !counter_is_right(trial, off->against)
                   ? TIE_COUNTER
                   : TIE_NONE;
    const struct interval through = rate_through(off, &rate);
    if (!rate.against_claim)
        return (int32_t)wrong == trial->report->reference.clock ? TIE_TAKEN : TIE_NONE;
    if (through.low > limit || through.high < -limit)
        return TIE_AGREES;
    return rate.low <= 0 && rate.high >= 0 ? TIE_UNTOLD : TIE_NONE;
}

/* CPU time was found right by the reference alone, to so much. */
static enum clock_tie tie_of_cpu_time(const struct clock_trial *trial, uint32_t wrong, double *ppm)
{
    const struct clock_rate *off = trial->report->verdicts[wrong].falsified;
    const double share = CLOCKS_CPU_TIME_SHARE * 1e6;
    const bool compared = trial_count(trial, tried_running);
    *ppm = (double)NAN;
    if ((int32_t)wrong != trial->report->reference.clock ||
        (off->sure_low <= share && off->sure_high >= -share))
        return TIE_NONE;
    return compared                                              ? TIE_AGREES
           : clocks_one_family(trial->file, trial->clock, wrong) ? TIE_COUNTER
                                                                 : TIE_NONE;
}

static void tie_clock(struct clock_trial *trial, struct clock_verdict *verdict)
{
    const struct clocks_report *report = trial->report;
    const enum clock_role role = trial->file->clocks[trial->clock].role;
    for (uint32_t wrong = 0; wrong < trial->file->clock_count; wrong++) {
        const struct clock_rate *off = report->verdicts[wrong].falsified;
        double ppm;
        if (!off || off->against == trial->clock)
            continue;
        const enum clock_tie tie = role == ROLE_WALL ? tie_of_wall(trial, wrong, &ppm)
                                                     : tie_of_cpu_time(trial, wrong, &ppm);
        /* the one that says most: of equal ones the reference, which all were read beside */
        if (tie && (!verdict->tie || tie < verdict->tie ||
                    (tie == verdict->tie && (int32_t)wrong == report->reference.clock))) {
            verdict->tie = tie;
            verdict->tied = wrong;
            verdict->tied_ppm = ppm;
        }
    }
    if (!verdict->tie)
        return;
    const bool wrong = verdict->tie != TIE_UNTOLD;
    verdict->trust = wrong ? TRUST_NOT_DEPENDABLE : TRUST_NOT_FALSIFIABLE;
    verdict->shortest_us = NAN;
    if (wrong) {
        verdict->fault = FAULT_WRONG_RATE;
        verdict->faults |= BIT(FAULT_WRONG_RATE);
    }
}

/* Who is right by a clock of another make is tied to nothing, nor are cycles, which tell no time.
 */
static void tie_clocks(const struct clocks_case *file, struct clocks_report *report,
                       const bool *left_out)
{
    for (uint32_t clock = 0; clock < file->clock_count; clock++) {
        struct clock_trial trial = {.file = file, .report = report, .clock = clock};
        const enum clock_role role = file->clocks[clock].role;
        if (report->verdicts[clock].faults || (role != ROLE_WALL && role != ROLE_CPU_TIME) ||
            (int32_t)clock == report->reference.outside || !clock_was_measured(report, clock) ||
            right_from_outside(&trial))
            continue;
        trial_gather(&trial, left_out);
        tie_clock(&trial, &report->verdicts[clock]);
        trial_end(&trial);
    }
}

/* What agrees with the reference and is made of another counter vouches for it as much as the other
 * way round. */
static void confirm_reference(const struct clocks_case *file, struct clocks_report *report)
{
    int32_t reference = report->reference.clock;
    if (reference < 0 || report->verdicts[reference].trust != TRUST_NOT_FALSIFIABLE ||
        report->verdicts[reference].tie)
        return;
    struct clock_trial trial = {.file = file, .report = report, .clock = (uint32_t)reference};
    if (trial_lacks(&trial))
        return;
    for (uint32_t clock = 0; clock < file->clock_count; clock++)
        if (file->clocks[clock].role == ROLE_WALL &&
            report->verdicts[clock].trust == TRUST_DEPENDABLE &&
            report->verdicts[clock].worst_row >= 0 &&
            clocks_independent(file, clock, (uint32_t)reference))
            report->verdicts[reference].trust = TRUST_DEPENDABLE;
}

/* ----------------------------------------------------------------------------------------------
 * Why a clock is trusted or not: what was seen, in which workload, the worst ratio, against which
 * reference, and whether that could be known better. */

/* That a time or a number has no place in the sentence. */
static double unless(bool known, double value)
{
    return known ? value : (double)NAN;
}

/* Does the row speak of the fault? Where a clock stops during sleep, what it shows to another
 * thread is no measure of that. */
static bool speaks_of(const struct clock_row *row, enum clock_fault fault)
{
    bool alone = row->threads == 1 && !row->moves && !row->handover;
    if (fault == FAULT_STOPS_DURING_SLEEP)
        return alone && strcmp(row->workload, "sleep") == 0;
    if (fault == FAULT_JUMPS_BETWEEN_CPUS)
        return row->moves || row->handover;
    if (fault == FAULT_COUNTS_OTHER_THREADS)
        return row->threads > 1;
    return alone;
}

/* The row with the worst ratio among those that speak of the fault; NULL: none does. */
static const struct clock_row *worst_of(const struct clock_trial *trial, enum clock_fault fault,
                                        double *ratio)
{
    const struct clock_row *worst = NULL;
    for (size_t i = 0; i < trial->report->row_count; i++) {
        const struct clock_row *row = &trial->report->rows[i];
        if (row->clock != trial->clock || !speaks_of(row, fault))
            continue;
        const double extreme =
            fabs(row->ratio_max - 1) > fabs(row->ratio_min - 1) ? row->ratio_max : row->ratio_min;
        if (!worst || fabs(extreme - 1) > fabs(*ratio - 1)) {
            worst = row;
            *ratio = extreme;
        }
    }
    return worst;
}

static void say_worst(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    double ratio = verdict->worst_ratio;
    const struct clock_row *row = worst_of(trial, verdict->fault, &ratio);
    if (!row && verdict->worst_row < 0)
        return;
    if (!row)
        row = &trial->report->rows[verdict->worst_row];
    BECAUSE(&verdict->why, CLAUSE, CLOCKS_AT_WORST, row->workload, (double)row->requested_us * 1e3,
            unless(row->threads > 1, row->threads), unless(row->moves, row->moves),
            row->handover ? "handed" : NULL, ratio, trial->file->clocks[row->reference].name);
    BECAUSE(&verdict->why, NONE, row->independent ? CLOCKS_MADE_ELSEWHERE : CLOCKS_MAYBE_ALIKE);
}

static void say_rate(const struct clock_trial *trial, const struct clock_rate *rate,
                     struct reasons *why)
{
    const char *against = trial->file->clocks[rate->against].name;
    const bool unsteady = rate->stretches && rate->fastest_ppm - rate->slowest_ppm > 10000;
    const double slowest = unless(unsteady, 1 + rate->slowest_ppm * 1e-6);
    const double fastest = unless(unsteady, 1 + rate->fastest_ppm * 1e-6);
    if (fabs(rate->ppm) < 10000)
        BECAUSE(why, SENTENCE, rate->ppm > 0 ? CLOCKS_RUNS_FAST : CLOCKS_RUNS_SLOW, fabs(rate->ppm),
                rate->low, rate->high, slowest, fastest, rate->span_s, against);
    else
        BECAUSE(why, SENTENCE, CLOCKS_RUNS_TIMES, 1 + rate->ppm * 1e-6, slowest, fastest,
                rate->span_s, against);
    BECAUSE(why, NONE, rate->independent ? CLOCKS_MADE_ELSEWHERE : CLOCKS_MAYBE_ALIKE);
}

/* Is the clock right by one witness of another make, and surely wrong by another one? */
static void say_contradiction(const struct clock_trial *trial, uint32_t clock,
                              const struct clock_rate *rate, struct reasons *why)
{
    const struct clock_trial of = {.file = trial->file, .report = trial->report, .clock = clock};
    const double limit = rate_limit(&of);
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
        const struct clock_rate *other = &trial->report->rates[clock][i];
        const struct clock_rate *wrong = confirms(rate, limit) ? other : rate;
        if (other->known && other->independent && rate->independent &&
            confirms(rate, limit) != confirms(other, limit) &&
            (wrong->sure_low > limit || wrong->sure_high < -limit))
            BECAUSE(why, NONE, CLOCKS_WITNESSES_DIFFER, trial->file->clocks[other->against].name,
                    other->ppm, other->low, other->high, trial->file->clocks[rate->against].name);
    }
}

/* Which wrong clock it is tied to, by what, and how wrong that is. */
static void say_tie(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    static const enum clocks_saying sayings[] = {[TIE_AGREES] = CLOCKS_AGREES,
                                                 [TIE_COUNTER] = CLOCKS_OF_WRONG_COUNTER,
                                                 [TIE_TAKEN] = CLOCKS_RATE_TAKEN,
                                                 [TIE_UNTOLD] = CLOCKS_NOT_PARTED};
    const char *name = trial->file->clocks[verdict->tied].name;
    const struct clock_rate *off = trial->report->verdicts[verdict->tied].falsified;
    if (verdict->tie == TIE_AGREES || verdict->tie == TIE_UNTOLD)
        BECAUSE(&verdict->why, CLAUSE, sayings[verdict->tie], name, verdict->tied_ppm);
    else
        BECAUSE(&verdict->why, CLAUSE, sayings[verdict->tie], name);
    say_rate(trial, off, &verdict->why);
    say_contradiction(trial, verdict->tied, off, &verdict->why);
}

static void say_wrong_rate(const struct clock_trial *trial, struct reasons *why)
{
    const struct clock_rate *rate = wrong_rate(trial);
    const double asleep = trial_ratio(trial, tried_sleep, 0.5);
    const double running = trial_ratio(trial, tried_running, 0.5);
    if (trial->file->emulated)
        BECAUSE(why, CLAUSE, CLOCKS_MADE_BY_PROGRAM);
    if (rate) {
        say_rate(trial, rate, why);
        say_contradiction(trial, trial->clock, rate, why);
    } else if (fabs(asleep - running) > CLOCKS_INTERVAL_PPM * 1e-6)
        BECAUSE(why, SENTENCE, CLOCKS_RUNS_BY_WORK, running, asleep);
    else
        BECAUSE(why, SENTENCE, CLOCKS_RUNS_TIMES, trial_ratio(trial, tried_stayed, 0.5),
                (double)NAN, (double)NAN, (double)NAN, (const char *)NULL);
}

static void say_fault(const struct clock_trial *trial, enum clock_fault fault, struct reasons *why)
{
    const struct clock_monotonic *monotonic = &trial->report->monotonic[trial->clock];
    const struct clock_offsets *offsets = &trial->report->offsets[trial->clock];
    const double tick_ns = trial->report->scales[trial->clock].ns_per_tick;
    switch (fault) {
    case FAULT_WRONG_RATE:
        say_wrong_rate(trial, why);
        break;
    case FAULT_STOPS_DURING_SLEEP:
        BECAUSE(why, CLAUSE, CLOCKS_STOPS, trial_ratio(trial, tried_sleep, 0.5));
        break;
    case FAULT_JUMPS_BETWEEN_CPUS:
        BECAUSE(why, CLAUSE, CLOCKS_CPUS_DISAGREE, offsets->cpu, offsets->partner,
                unless(offsets->known && offsets->worst != 0, fabs(offsets->offset) * tick_ns));
        BECAUSE(why, CLAUSE, CLOCKS_MOVED_WRONG, trial_wrong(trial, tried_moved),
                trial_count(trial, tried_moved), trial_wrong(trial, tried_stayed),
                trial_count(trial, tried_stayed));
        break;
    case FAULT_STEPS_BACKWARDS:
        if (monotonic->backward)
            BECAUSE(why, CLAUSE, CLOCKS_STEPS_BACK, monotonic->backward, monotonic->readings,
                    monotonic->worst_ticks * tick_ns);
        else
            BECAUSE(why, CLAUSE, CLOCKS_LACKS_TIME, trial->wrong, trial->count);
        break;
    case FAULT_WRAPS:
        if (monotonic->wrapped && monotonic->wrap_ticks > 0)
            BECAUSE(why, CLAUSE, CLOCKS_WRAPS, lround(log2(monotonic->wrap_ticks)),
                    monotonic->wrap_ticks * tick_ns);
        else
            BECAUSE(why, CLAUSE, CLOCKS_LACKS_PERIODS);
        break;
    case FAULT_COARSE_STEPS:
        BECAUSE(why, CLAUSE, CLOCKS_COARSE, trial->told_ns);
        break;
    case FAULT_COUNTS_OTHER_THREADS:
        BECAUSE(why, CLAUSE, CLOCKS_COUNTS_OTHERS, trial_ratio(trial, tried_threads, 0.5));
        break;
    case FAULT_VARIES_WITH_FREQUENCY:
        BECAUSE(why, CLAUSE, CLOCKS_VARIES, trial_ratio(trial, tried_running, 0.1),
                trial_ratio(trial, tried_running, 0.9));
        break;
    case FAULT_SCATTERS:
    case FAULT_NONE:
    case CLOCK_FAULTS:
        BECAUSE(why, CLAUSE, CLOCKS_SCATTERED, trial->wrong, trial->count);
        break;
    }
}

/* Did it show what no CPU time can be, where another thread ended the interval? */
static bool fails_handed_over(const struct clock_trial *trial)
{
    for (size_t i = 0; i < trial->report->row_count; i++) {
        const struct clock_row *row = &trial->report->rows[i];
        if (row->clock == trial->clock && row->handover &&
            (row->ratio_min < 0 || row->ratio_max > 1.1))
            return true;
    }
    return false;
}

static void say_cpu_time(const struct clock_trial *trial, struct reasons *why)
{
    bool cycles = trial->file->clocks[trial->clock].role == ROLE_CYCLES;
    double running = trial_ratio(trial, tried_running, 0.5);
    double asleep = trial_ratio(trial, tried_sleep, 0.5);
    double together = trial_ratio(trial, tried_threads, 0.5);
    size_t disturbed = 0, computed = trial_count(trial, tried_running);
    if (isnan(running) && isnan(asleep)) {
        BECAUSE(why, CLAUSE, CLOCKS_CLAIMS_ONLY, cycles ? "cycles" : "CPU time");
        return;
    }
    const char *what = cycles ? "cycles of its thread" : "time on a CPU";
    if (isnan(running))
        BECAUSE(why, CLAUSE, CLOCKS_COUNTS_ASLEEP, what, asleep);
    else
        BECAUSE(why, CLAUSE, CLOCKS_COUNTS_ONLY, what, running,
                trial->file->clocks[trial->report->reference.clock].name, asleep,
                unless(together > 1.3, together));
    for (size_t i = 0; i < trial->count; i++)
        disturbed += tried_running(&trial->list[i]) && trial->list[i].disturbed;
    if (disturbed && disturbed == computed)
        BECAUSE(why, CLAUSE, CLOCKS_ALL_DISTURBED, computed);
    else if (disturbed)
        BECAUSE(why, CLAUSE, CLOCKS_DISTURBED, disturbed, computed);
    if (fails_handed_over(trial))
        BECAUSE(why, CLAUSE, CLOCKS_USELESS_ACROSS);
}

static void say_fine(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    const struct clock_rate *rate = confirming_rate(trial);
    const uint32_t lacks = trial_lacks(trial);
    const bool reference = trial->report->reference.clock == (int32_t)trial->clock;
    struct reasons *why = &verdict->why;
    if (verdict->trust == TRUST_DEPENDABLE && rate) {
        BECAUSE(why, CLAUSE, CLOCKS_RIGHT, fmax(fabs(rate->low), fabs(rate->high)),
                trial->file->clocks[rate->against].name);
        say_contradiction(trial, trial->clock, rate, why);
    } else if (verdict->trust == TRUST_DEPENDABLE)
        BECAUSE(why, CLAUSE, CLOCKS_RIGHT_BY_REFERENCE);
    else if ((trial->count || reference) && lacks && was_confirmed(trial))
        BECAUSE(why, CLAUSE, CLOCKS_TOO_FEW_KINDS,
                lacks & LACKS_SLEEP         ? "sleep"
                : lacks & LACKS_COMPUTATION ? "computation"
                                            : "change of CPU");
    else
        BECAUSE(why, CLAUSE,
                !trial->count && !reference ? CLOCKS_NOT_COMPARED : CLOCKS_NOTHING_ELSE);
}

static void explain_trust(const struct clock_trial *trial, struct clock_verdict *verdict)
{
    if (verdict->why.count) {
        return; /* said when it was found */
    } else if (verdict->tie) {
        say_tie(trial, verdict);
    } else if (verdict->trust == TRUST_NOT_DEPENDABLE) {
        say_fault(trial, verdict->fault, &verdict->why);
        if (verdict->fault != FAULT_WRONG_RATE || !wrong_rate(trial))
            say_worst(trial, verdict);
    } else if (verdict->trust == TRUST_CPU_TIME_ONLY) {
        say_cpu_time(trial, &verdict->why);
    } else {
        say_fine(trial, verdict);
    }
}

void clocks_judge_trust(const struct clocks_case *file, struct clocks_report *report)
{
    size_t reference_faults = 0;
    const bool *left_out = reference_faults_find(file, report, &reference_faults);
    for (uint32_t clock = 0; clock < file->clock_count; clock++) {
        struct clock_trial trial = {.file = file, .report = report, .clock = clock};
        struct clock_verdict *verdict = &report->verdicts[clock];
        *verdict = (struct clock_verdict){.trust = TRUST_NOT_FALSIFIABLE,
                                          .worst_row = -1,
                                          .worst_ratio = NAN,
                                          .shortest_us = NAN};
        if (clock_is_candidate(&file->clocks[clock]))
            judge_clock(&trial, left_out, reference_faults, verdict);
        trial_end(&trial);
    }
    tie_clocks(file, report, left_out);
    confirm_reference(file, report);
    for (uint32_t clock = 0; clock < file->clock_count; clock++) {
        struct clock_trial trial = {.file = file, .report = report, .clock = clock};
        if (!clock_is_candidate(&file->clocks[clock]))
            continue;
        trial_gather(&trial, left_out);
        explain_trust(&trial, &report->verdicts[clock]);
        trial_end(&trial);
    }
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of one point: counts less overhead, and intervals of their mean error that a few
 * strays do not spoil and that processes which differ among themselves widen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * One run: its count, its error, and whether something disturbed it. All in integers, so that a
 * count above 2^53 is still exact or not. */

/* Far above every count, and far enough below the limit to subtract and add a few. */
#define WIDE_MOST ((wide)1 << 120)

bool run_is_multiplexed(const struct evidence_run *run)
{
    return run->running < run->enabled;
}

bool run_count_of(const struct evidence_run *run, wide *count)
{
    if (run->running == 0 && run->enabled > 0)
        return false;
    wide value = (int64_t)run->value;
    if (!run_is_multiplexed(run)) {
        *count = value;
        return true;
    }
    /* At most 2^63 * (2^64 - 1) + (2^63 - 1), which is less than 2^127. */
    bool negative = value < 0;
    wide magnitude = negative ? -value : value;
    wide scaled = (magnitude * (wide)run->enabled + (wide)(run->running / 2)) / (wide)run->running;
    if (scaled > WIDE_MOST)
        scaled = WIDE_MOST;
    *count = negative ? -scaled : scaled;
    return true;
}

static int64_t sum_of(uint64_t left, uint64_t right)
{
    uint64_t sum;
    return __builtin_add_overflow(left, right, &sum) || sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

int64_t account_faults(const struct account *account)
{
    return sum_of(account->minor_faults, account->major_faults);
}

int64_t account_switches(const struct account *account)
{
    return sum_of(account->voluntary, account->involuntary);
}

/* Did the account see more than the code does (-1: nobody knows) and the way does? */
static bool exceeds(int64_t seen, int64_t own, int64_t usual)
{
    return own >= 0 && (wide)seen > (wide)own + usual;
}

bool run_is_disturbed(const struct judged_point *judged, const struct evidence_run *run)
{
    const struct point *point = judged->point;
    return exceeds(account_faults(&run->account), point->faults, judged->usual_faults) ||
           exceeds(account_switches(&run->account), point->switches, judged->usual_switches);
}

bool run_is_judged(const struct judged_point *judged, const struct evidence_run *run)
{
    wide count;
    return run_count_of(run, &count) &&
           (judged->disturbed == judged->runs || !run_is_disturbed(judged, run));
}

bool run_exact_error(const struct judged_point *judged, const struct evidence_run *run, wide *error)
{
    const struct truth *truth = &judged->point->truth;
    wide count;
    if (truth->grade == TRUTH_NONE || !run_count_of(run, &count))
        return false;
    count -= judged->overhead;
    wide low = truth->low, high = truth->high;
    if (judged->against_account)
        low = high = (wide)account_switches(&run->account) - judged->usual_switches;
    *error = count < low ? count - low : count > high ? count - high : 0;
    return true;
}

bool run_error(const struct judged_point *judged, const struct evidence_run *run, double *error)
{
    wide exact;
    if (!run_exact_error(judged, run, &exact))
        return false;
    *error = (double)exact;
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * What a way of measuring adds by itself, from its null cell: the median of the counts, their
 * spread, and how many faults and switches the operating system's account shows without any code.
 * Never fitted from the cells that it is subtracted from. */

const struct point *point_null(const struct evidence *evidence, const struct point *point)
{
    const struct point *best = NULL;
    for (size_t i = 0; i < evidence->point_count; i++) {
        const struct point *candidate = &evidence->points[i];
        if (candidate->is_null && candidate->run_count > (best ? best->run_count : 0) &&
            point_same_way(candidate, point))
            best = candidate;
    }
    return best;
}

bool null_run_is_disturbed(const struct judged_point *judged, const struct evidence_run *run)
{
    return account_faults(&run->account) > judged->usual_faults ||
           account_switches(&run->account) > judged->usual_switches;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* An element, not a mean of two: the middle one, of an even number the lower. */
static int64_t middle(int64_t *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[(count - 1) / 2];
}

/* Counts of the null cell's runs that got a counter; of quiet ones only, or of all. */
static size_t null_counts(const struct point *null, const struct judged_point *judged, bool quiet,
                          int64_t *values)
{
    size_t count = 0;
    for (size_t i = 0; i < null->run_count; i++) {
        wide value;
        if ((quiet && null_run_is_disturbed(judged, &null->runs[i])) ||
            !run_count_of(&null->runs[i], &value))
            continue;
        values[count++] = value > INT64_MAX   ? INT64_MAX
                          : value < INT64_MIN ? INT64_MIN
                                              : (int64_t)value;
    }
    return count;
}

/* What the null cell of a point's way says: overhead and its spread, the way's own account.
 * Without such a cell has_overhead stays false. */
static void measure_overhead(const struct evidence *evidence, struct judged_point *judged)
{
    const struct point *null = point_null(evidence, judged->point);
    if (!null)
        return;
    AUTO_MEMORY int64_t *values = memory_new(null->run_count, sizeof(*values));
    for (size_t i = 0; i < null->run_count; i++)
        values[i] = account_faults(&null->runs[i].account);
    judged->usual_faults = middle(values, null->run_count);
    for (size_t i = 0; i < null->run_count; i++)
        values[i] = account_switches(&null->runs[i].account);
    judged->usual_switches = middle(values, null->run_count);
    size_t count = null_counts(null, judged, true, values);
    if (count == 0)
        count = null_counts(null, judged, false, values);
    if (count == 0)
        return;
    judged->has_overhead = true;
    judged->overhead = middle(values, count);
    size_t tail = count / 20; /* a twentieth on either side */
    judged->overhead_low = values[tail];
    judged->overhead_high = values[count - 1 - tail];
}

/* --- the figures --- */

#define USUAL      0.95
#define STRICT     0.9999
#define OUTWEIGHS  100    /* times the overhead */
#define PART       0.01   /* of the truth: the tolerance */
#define STEP_PART  0.1    /* of the truth: the most that extrapolation excuses … */
#define STEP_LEAST 4.0    /* … or so many counts */
#define STRAY      10.0   /* robust standard deviations from the median */
#define MAD_SCALE  1.4826 /* from the median deviation of normal values to their standard one */
#define STRAY_RUNS 5      /* fewer runs have no strays */
#define DIFFER     1e-6   /* significance at which processes differ: there are many points */

/* The account knows this class run by run. */
#define ACCOUNTED_CLASS "context-switches"

double point_predicted(const struct judged_point *judged)
{
    const struct point *point = judged->point;
    if (!judged->against_account)
        return (double)point->truth.low +
               ((double)point->truth.high - (double)point->truth.low) / 2;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < point->run_count; i++) {
        if (!run_is_judged(judged, &point->runs[i]))
            continue;
        sum += (double)account_switches(&point->runs[i].account) - (double)judged->usual_switches;
        count++;
    }
    return count ? sum / (double)count : 0;
}

double point_tolerance(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    double size = judged->against_account
                      ? fabs(point_predicted(judged))
                      : fmax(fabs((double)truth->low), fabs((double)truth->high));
    /* A counter that had the PMU for one part in s counts whole numbers of that part: no
     * extrapolated count comes closer than s to the truth. The most that s usually is: the larger
     * of the runs', but no more than a tenth of the truth, from which on it tells nothing. */
    double step = 0;
    for (size_t i = 0; judged->multiplexed > 0 && i < judged->point->run_count; i++) {
        const struct evidence_run *run = &judged->point->runs[i];
        if (run->running > 0 && run_is_multiplexed(run))
            step = fmax(step, (double)run->enabled / (double)run->running);
    }
    step = fmin(step, fmax(STEP_PART * size, STEP_LEAST));
    return fmax(fmax(PART * size, 0.5), step);
}

/* Does the operating system's account tell of each run what this event should have counted? Some
 * sources keep none: then it is zero throughout. */
static bool has_account(const struct evidence *evidence, const struct point *point)
{
    if (!evidence->class || strcmp(evidence->class, ACCOUNTED_CLASS) != 0 ||
        point->truth.grade == TRUTH_NONE)
        return false;
    if (point->truth.low == 0 && point->truth.grade == TRUTH_PROVEN)
        return true;
    for (size_t i = 0; i < point->run_count; i++)
        if (account_switches(&point->runs[i].account) > 0)
            return true;
    return false;
}

static bool outweighs(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    wide added = 0, limits[] = {judged->overhead, judged->overhead_low, judged->overhead_high};
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        wide size = limits[i] < 0 ? -limits[i] : limits[i];
        added = size > added ? size : added;
    }
    wide least = judged->against_account ? (wide)point_predicted(judged) : truth->low;
    return (truth->grade == TRUTH_PROVEN || truth->grade == TRUTH_BOUNDED) && least > 0 &&
           least >= OUTWEIGHS * added;
}

static void tally_runs(struct judged_point *judged)
{
    const struct point *point = judged->point;
    judged->is_zero = true;
    for (size_t i = 0; i < point->run_count; i++) {
        const struct evidence_run *run = &point->runs[i];
        wide count, error;
        if (!run_count_of(run, &count)) {
            judged->unscheduled++;
            continue;
        }
        bool disturbed = run_is_disturbed(judged, run);
        bool exact = run_exact_error(judged, run, &error) && error == 0;
        judged->runs++;
        judged->multiplexed += run_is_multiplexed(run);
        judged->disturbed += disturbed;
        judged->exact += exact && !disturbed;
        judged->disturbed_exact += exact && disturbed;
        judged->is_zero = judged->is_zero && run->value == 0;
    }
    judged->is_zero = judged->is_zero && judged->runs > 0;
}

/* Errors of the runs that are judged, with the process of each. */
struct point_errors {
    double *values, *sorted;
    uint32_t *processes;
    size_t count;
};

/* With room in which values may be sorted. */
static struct point_errors gather_errors(const struct judged_point *judged)
{
    const struct point *point = judged->point;
    struct point_errors errors = {
        .values = memory_new(point->run_count, sizeof(*errors.values)),
        .sorted = memory_new(point->run_count, sizeof(*errors.sorted)),
        .processes = memory_new(point->run_count, sizeof(*errors.processes)),
    };
    for (size_t i = 0; i < point->run_count; i++) {
        double error;
        if (!run_is_judged(judged, &point->runs[i]) || !run_error(judged, &point->runs[i], &error))
            continue;
        errors.values[errors.count] = error;
        errors.processes[errors.count++] = point->runs[i].process;
    }
    return errors;
}

/* One run, or one in a hundred, may be beside all others: something happened that no account saw.
 * More of them are a property of the counter, and stay. */
static void set_strays_aside(struct judged_point *judged, struct point_errors *errors)
{
    if (errors->count < STRAY_RUNS)
        return;
    memcpy(errors->sorted, errors->values, errors->count * sizeof(*errors->values));
    sort_values(errors->sorted, errors->count);
    double median = quantile(errors->sorted, errors->count, 0.5);
    for (size_t i = 0; i < errors->count; i++)
        errors->sorted[i] = fabs(errors->values[i] - median);
    sort_values(errors->sorted, errors->count);
    double scale = MAD_SCALE * quantile(errors->sorted, errors->count, 0.5);
    double distance = fmax(STRAY * scale, point_tolerance(judged));
    size_t most = errors->count / 100 > 1 ? errors->count / 100 : 1, strays = 0;
    for (size_t i = 0; i < errors->count; i++)
        strays += fabs(errors->values[i] - median) > distance;
    if (strays == 0 || strays > most)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < errors->count; i++) {
        if (fabs(errors->values[i] - median) > distance)
            continue;
        errors->values[kept] = errors->values[i];
        errors->processes[kept++] = errors->processes[i];
    }
    errors->count = kept;
    judged->strays = strays;
}

/* Where whole processes differ, runs of one process are not independent and a process counts as
 * one value, its mean: how many values are to be taken from `sorted`, 0 where the runs themselves
 * serve. */
static size_t processes_instead(const struct point_errors *errors)
{
    double within = 0, grand = moments_of(errors->values, errors->count).mean, between = 0;
    size_t groups = 0;
    for (size_t i = 0, end; i < errors->count; i = end) {
        for (end = i; end < errors->count && errors->processes[end] == errors->processes[i];)
            end++;
        struct moments moments = moments_of(errors->values + i, end - i);
        errors->sorted[groups++] = moments.mean;
        within += moments.variance * (double)(end - i - 1);
    }
    if (groups < 2 || errors->count <= groups)
        return 0;
    double each = (double)errors->count / (double)groups;
    for (size_t i = 0; i < groups; i++)
        between += each * (errors->sorted[i] - grand) * (errors->sorted[i] - grand);
    if (between <= 0 || within <= 0)
        return between <= 0 ? 0 : groups;
    double df_between = (double)(groups - 1), df_within = (double)(errors->count - groups);
    double p = f_p(between / df_between / (within / df_within), df_between, df_within);
    return p < DIFFER ? groups : 0;
}

/* Of the counts themselves, strays included. */
static void find_moments(struct judged_point *judged)
{
    const struct point *point = judged->point;
    AUTO_MEMORY double *counts = memory_new(point->run_count, sizeof(*counts));
    size_t count = 0;
    for (size_t i = 0; i < point->run_count; i++) {
        wide value;
        if (run_is_judged(judged, &point->runs[i]) && run_count_of(&point->runs[i], &value))
            counts[count++] = (double)(value - judged->overhead);
    }
    struct moments moments = moments_of(counts, count);
    judged->min = moments.min;
    judged->max = moments.max;
    judged->mean = moments.mean;
    judged->stdev = moments.stdev;
    sort_values(counts, count);
    judged->median = quantile(counts, count, 0.5);
}

void judge_point(const struct evidence *evidence, const struct point *point,
                 struct judged_point *judged)
{
    *judged = (struct judged_point){.point = point,
                                    .low = -INFINITY,
                                    .high = INFINITY,
                                    .strict_low = -INFINITY,
                                    .strict_high = INFINITY};
    measure_overhead(evidence, judged);
    judged->against_account = has_account(evidence, point);
    tally_runs(judged);
    judged->outweighs = outweighs(judged);
    if (judged->runs == 0)
        return;
    find_moments(judged);
    if (point->truth.grade == TRUTH_NONE)
        return;
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct point_errors errors = gather_errors(judged);
    set_strays_aside(judged, &errors);
    size_t groups = processes_instead(&errors), count = groups ? groups : errors.count;
    judged->processes_differ = groups > 0;
    const double *values = groups ? errors.sorted : errors.values;
    struct interval usual = t_interval(values, count, USUAL);
    struct interval strict = t_interval(values, count, STRICT);
    judged->low = usual.low;
    judged->high = usual.high;
    judged->strict_low = strict.low;
    judged->strict_high = strict.high;
    memory_scope_end(&scope);
}

/* ----------------------------------------------------------------------------------------------
 * Where one point stands: the smallest decision of the judge, from which all verdicts follow. */

#define ZERO_PART  0.01 /* of N: what may be counted where nothing was to be */
#define ZERO_LEAST 100  /* N below this, times the overhead, is too small to tell */
#define WILD       0.5  /* standard deviation over count: no bias is consistent beyond this */
#define WILD_PART  0.1  /* of the truth: a count below this is as good as none */

#define FAR_OFF 2.0 /* times more, or less, than a model says */

bool point_limits_tell(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    return (double)truth->high - (double)truth->low <= 2 * point_tolerance(judged);
}

bool grade_is_firm(enum truth_grade grade)
{
    return grade == TRUTH_PROVEN || grade == TRUTH_BOUNDED;
}

enum truth_grade point_grade(const struct judged_point *judged)
{
    return judged->against_account ? TRUTH_PROVEN : judged->point->truth.grade;
}

bool point_demands_counts(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    if (judged->runs == 0 || !grade_is_firm(truth->grade))
        return false;
    return judged->against_account ? point_predicted(judged) > 0 : truth->low > 0;
}

/* The most that the way itself may add or leave out. */
static double added(const struct judged_point *judged)
{
    return fmax(fabs((double)judged->overhead),
                fmax(fabs((double)judged->overhead_low), fabs((double)judged->overhead_high)));
}

double overhead_spread(const struct judged_point *judged)
{
    return (double)judged->overhead_high - (double)judged->overhead_low;
}

/* The error is beyond the tolerance, and not by chance. */
static bool surely_beyond(const struct judged_point *judged, double tolerance)
{
    return judged->strict_low > tolerance || judged->strict_high < -tolerance;
}

bool point_is_wild(const struct judged_point *judged)
{
    double size = fmax(fabs(judged->mean), WILD_PART * fabs(point_predicted(judged)));
    return judged->runs > 1 && judged->stdev > WILD * size;
}

bool point_is_far(const struct judged_point *judged)
{
    const struct truth *truth = &judged->point->truth;
    const double n = (double)judged->point->n, low = (double)truth->low;
    if (judged->runs < 2 || truth->grade == TRUTH_NONE || n < ZERO_LEAST * fmax(1, added(judged)))
        return false;
    return judged->strict_low > fmax((FAR_OFF - 1) * (double)truth->high, n) ||
           (low > 0 && judged->strict_high < -(1 - 1 / FAR_OFF) * low);
}

/* Of a truth that does not outweigh the overhead: as much as that. An overhead that is always the
 * same hides less: half of the truth, once that is much more than the overhead's spread. */
static double coarse_tolerance(const struct judged_point *judged)
{
    double coarse = fmax(point_tolerance(judged), added(judged));
    double predicted = fabs(point_predicted(judged));
    if (judged->has_overhead && predicted >= ZERO_LEAST * fmax(1, overhead_spread(judged)))
        coarse = fmin(coarse, predicted / 2);
    return coarse;
}

enum standing point_standing(const struct judged_point *judged,
                             const struct circumstances *circumstances)
{
    const struct truth *truth = &judged->point->truth;
    if (judged->runs == 0 || truth->grade == TRUTH_NONE)
        return STANDING_NONE;
    size_t quiet = judged->runs - judged->disturbed;
    bool exact = quiet ? judged->exact == quiet : judged->disturbed_exact == judged->runs;
    if (exact && (judged->has_overhead || truth->grade != TRUTH_PROVEN))
        return STANDING_EXACT;
    double most_added = added(judged), n = (double)judged->point->n;
    if (point_predicted(judged) == 0)
        return n >= ZERO_LEAST * fmax(1, most_added) && surely_beyond(judged, ZERO_PART * n)
                   ? STANDING_EXCESS
                   : STANDING_SMALL;
    /* A bounded truth that may be nothing still has an upper limit. */
    bool weighty =
        judged->outweighs || (!(truth->grade == TRUTH_PROVEN && !judged->against_account) &&
                              (double)truth->high >= ZERO_LEAST * most_added);
    double tolerance = point_tolerance(judged);
    bool within = judged->low >= -tolerance && judged->high <= tolerance;
    /* One run alone has no interval: that it is near says little, but nothing against it. */
    const size_t judged_runs = quiet ? quiet : judged->runs;
    if (judged_runs == 1 && fabs(judged->mean - point_predicted(judged)) <= tolerance &&
        truth->low == truth->high && judged->runs > 1)
        return STANDING_SMALL;
    if (weighty && within && (judged->strays == 0 || !circumstances->strays_count))
        return STANDING_WITHIN;
    if (!weighty && !surely_beyond(judged, coarse_tolerance(judged)))
        return STANDING_SMALL;
    /* Of what only varies, and of counts all over the place, an explanation says that it is off. */
    if (circumstances->explained)
        return STANDING_OFF;
    bool varies = weighty && (within || !surely_beyond(judged, 0));
    return varies || point_is_wild(judged) ? STANDING_UNCLEAR : STANDING_OFF;
}

/* ----------------------------------------------------------------------------------------------
 * Runs of a process that are not alike. Counts that arrive late, or a counter that must be warmed
 * up: the first run differs from the others; one such run in a hundred would pass for a stray. A
 * counter that is not set back, or drifts: every run has more than the one before. */

#define PROCESSES_LEAST 4
#define MOSTLY          0.8
#define RISING_LEAST    5    /* runs in turn: by chance they stand so once in 120 times */
#define DRIFT_TRUTH     1000 /* from which on drifts are looked for */

struct tally_of_firsts {
    size_t below, above, processes;
    double sum; /* of relative errors of those that differ */
};

/* A first run differs when it is outside the range of the others by more than that range. */
static void look_at_process(const struct judged_point *judged, size_t start, size_t length,
                            struct tally_of_firsts *tally)
{
    const struct evidence_run *runs = judged->point->runs;
    double first, low = 0, high = 0, predicted = point_predicted(judged);
    size_t others = 0;
    if (!run_is_judged(judged, &runs[start]) || !run_error(judged, &runs[start], &first))
        return;
    for (size_t i = start + 1; i < start + length; i++) {
        double error;
        if (!run_is_judged(judged, &runs[i]) || !run_error(judged, &runs[i], &error))
            continue;
        low = others ? fmin(low, error) : error;
        high = others ? fmax(high, error) : error;
        others++;
    }
    if (others < 3)
        return;
    tally->processes++;
    double margin = fmax(high - low, 0.5);
    if (first >= low - margin && first <= high + margin)
        return;
    *(first < low ? &tally->below : &tally->above) += 1;
    tally->sum += predicted != 0 ? first / predicted : 0;
}

/* Errors of the judged runs of a process never fall, and rise by more than a count and at least
 * twice. sign: -1 for the other way round. */
static bool keeps_rising(const struct judged_point *judged, size_t from, size_t to, double sign)
{
    double first = 0, last = 0;
    size_t rises = 0, runs = 0;
    for (size_t i = from; i < to; i++) {
        double error;
        const struct evidence_run *run = &judged->point->runs[i];
        if (!run_is_judged(judged, run) || !run_error(judged, run, &error))
            continue;
        error *= sign;
        if (runs++ == 0)
            first = last = error;
        if (error < last)
            return false;
        rises += error > last;
        last = error;
    }
    return runs >= RISING_LEAST && rises >= 3 && last - first > 1;
}

struct run_order compare_runs(const struct judgement *judgement)
{
    struct tally_of_firsts tally = {0};
    size_t processes = 0, up = 0, down = 0;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        const struct point *point = judged->point;
        if (!point_demands_counts(judged))
            continue;
        /* Small counts have no room to rise. */
        bool has_room = point_predicted(judged) >= DRIFT_TRUTH;
        for (size_t from = 0, to; from < point->run_count; from = to) {
            to = from + 1;
            while (to < point->run_count && point->runs[to].process == point->runs[from].process)
                to++;
            look_at_process(judged, from, to - from, &tally);
            bool rises = has_room && keeps_rising(judged, from, to, 1);
            up += rises;
            down += has_room && !rises && keeps_rising(judged, from, to, -1);
            processes += has_room && to - from >= RISING_LEAST;
        }
    }
    size_t differ = tally.below > tally.above ? tally.below : tally.above;
    size_t most = up > down ? up : down;
    return (struct run_order){.first_differs = tally.processes >= PROCESSES_LEAST &&
                                               (double)differ >= MOSTLY * (double)tally.processes,
                              .processes = tally.processes,
                              .error = differ ? tally.sum / (double)(tally.below + tally.above) : 0,
                              .drifts = processes >= PROCESSES_LEAST &&
                                        (double)most >= MOSTLY * (double)processes,
                              .up = up > down,
                              .drifting = processes};
}

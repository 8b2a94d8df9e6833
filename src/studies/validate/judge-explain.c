/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From judged points to errors, their location and how well that is known: robust on purpose, since
 * one disturbed run in a hundred must neither move a point nor widen it. Then one explanation after
 * the other is asked for them (docs/causes.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * Errors, and the location of each point's. */

#define MAD_TO_STDEV 1.4826
#define WINSOR       3.5 /* robust standard deviations beyond which a run counts as that far */
#define FEW          0.1 /* of the values that may differ from all others */
#define EXCESS       3.0 /* between processes, over what the runs' own noise makes */
#define EXACT_DF     1000.0

struct summary {
    double location, variance; /* of the location */
    double df;
};

double run_count_raw(const struct error_point *point, const struct error_run *run)
{
    /* Signed: a count that went below zero is a huge one. */
    return (double)((wide)(int64_t)run->run->value - point->judged->overhead);
}

/* The errors of the point's runs, and its truth. */
static void collect_point(const struct judged_point *judged, struct error_point *point)
{
    const struct truth *truth = &judged->point->truth;
    double predictions = 0; /* sum of what the account predicted, over the runs */
    *point = (struct error_point){.judged = judged, .point = judged->point};
    point->runs = memory_new(judged->point->run_count, sizeof(*point->runs));
    for (size_t i = 0; i < judged->point->run_count; i++) {
        const struct evidence_run *run = &judged->point->runs[i];
        struct error_run *error = &point->runs[point->run_count];
        if (!run_error(judged, run, &error->error) || !isfinite(error->error))
            continue;
        error->run = run;
        error->disturbed = !run_is_judged(judged, run);
        error->multiplexed = run_is_multiplexed(run);
        predictions += run_count_raw(point, error) - error->error;
        point->run_count++;
    }
    bool by_account = judged->against_account && point->run_count;
    point->truth = by_account ? predictions / (double)point->run_count : (double)truth->low;
    point->proven = by_account || (truth->grade == TRUTH_PROVEN && truth->low == truth->high);
}

static void errors_collect(const struct judgement *judgement, struct errors *errors)
{
    *errors = (struct errors){.judgement = judgement, .all_zero = true};
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (!judged->runs || !grade_is_firm(point_grade(judged)))
            continue;
        errors->all_zero &= judged->is_zero;
        struct error_point *point = memory_add(errors->points, errors->count);
        collect_point(judged, point);
        size_t like = 0;
        while (!point_same_way(errors->points[like].point, point->point))
            like++;
        point->way =
            &errors->points[like] == point ? errors->way_count++ : errors->points[like].way;
    }
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++) {
            errors->points[i].runs[j].point = &errors->points[i];
            *memory_add(errors->runs, errors->run_count) = &errors->points[i].runs[j];
        }
}

/* 0 where there are none. Sorts. */
static double sorted_quantile(double *values, size_t count, double part)
{
    sort_values(values, count);
    return count ? quantile(values, count, part) : 0;
}

/* Median where most values are the same; else the mean, with values further out than `winsor`
 * drawn in. Sorts. */
static struct summary robust(double *values, size_t count, double winsor, double *work)
{
    struct summary summary = {0};
    if (!count)
        return summary;
    double median = sorted_quantile(values, count, 0.5);
    for (size_t i = 0; i < count; i++)
        work[i] = fabs(values[i] - median);
    double spread = MAD_TO_STDEV * sorted_quantile(work, count, 0.5);
    summary.location = median;
    summary.df = (double)count - 1;
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        different += values[i] != median;
    /* All but a few are the same: those few are accidents. */
    if (!(spread > 0) && (double)different <= FEW * (double)count)
        return summary;
    if (!(spread > 0))
        spread = INFINITY;
    for (size_t i = 0; i < count; i++)
        work[i] = fmin(fmax(values[i], median - winsor * spread), median + winsor * spread);
    struct moments moments = moments_of(work, count);
    summary.location = moments.mean;
    summary.variance = moments.variance / (double)count;
    return summary;
}

size_t error_process_end(const struct error_point *point, size_t from)
{
    size_t to = from + 1;
    while (to < point->run_count && point->runs[to].run->process == point->runs[from].run->process)
        to++;
    return to;
}

/* The quiet runs of one process from `from` on, into values. */
static size_t next_process(const struct error_point *point, size_t *from, double *values)
{
    size_t count = 0, end = error_process_end(point, *from);
    for (size_t i = *from; i < end; i++)
        if (!point->runs[i].disturbed && !point->runs[i].left_out)
            values[count++] = point->runs[i].error;
    *from = end;
    return count;
}

/* One point by itself: its variance stands in sigma until the noise is settled; the degrees of
 * freedom behind it are returned. values, work: room for all of its runs. */
static double error_point_sum_up(struct error_point *point, double *values, double *work)
{
    size_t count = 0, processes = 0, quiet = 0;
    double interrupts = 0, faults = 0, switches = 0, enabled = 0;
    for (size_t i = 0; i < point->run_count; i++) {
        const struct error_run *run = &point->runs[i];
        if (run->disturbed || run->left_out)
            continue;
        quiet++;
        enabled += (double)run->run->enabled / 1e9;
        interrupts += run->run->interrupts;
        faults += (double)account_faults(&run->run->account);
        switches += (double)account_switches(&run->run->account);
    }
    point->quiet = quiet;
    point->enabled = quiet ? enabled / (double)quiet : 0;
    point->interrupts = quiet ? interrupts / (double)quiet : 0;
    point->faults = quiet ? faults / (double)quiet : 0;
    point->switches = quiet ? switches / (double)quiet : 0;
    for (size_t from = 0; from < point->run_count;) {
        double *start = values + count;
        size_t more = next_process(point, &from, start);
        count += more;
        processes += more > 0;
    }
    struct summary runs = robust(values, count, WINSOR, work);
    point->processes = processes;
    /* Between the quartiles, which a few wild runs do not reach. */
    point->spread = count ? quantile(values, count, 0.75) - quantile(values, count, 0.25) : 0;
    size_t got = 0;
    for (size_t from = 0; from < point->run_count;) {
        size_t more = next_process(point, &from, work);
        if (more)
            values[got++] = sorted_quantile(work, more, 0.5);
    }
    /* Whole processes may sit in another state: what varies between them is the noise, and none of
     * the few is an outlier. */
    struct summary between = robust(values, got, INFINITY, work);
    bool by_process = processes >= 3 && between.variance > runs.variance;
    point->excess = between.variance > EXCESS * runs.variance ? between.variance : 0;
    point->location = by_process ? between.location : runs.location;
    double variance = runs.variance;
    if (processes >= 2)
        variance = fmax(variance, between.variance);
    point->sigma = variance;
    return by_process ? between.df : runs.df;
}

/* ----------------------------------------------------------------------------------------------
 * How well the error of each point is known: from its own runs, from points like it, and from the
 * null cell whose error all points of a way share. */

/* A count cannot be known better than this: it is rounded, and a truth of many counts has small
 * relative faults of its own that must not outweigh every small point. */
#define FLOOR_COUNTS    0.5
#define FLOOR_RELATIVE  1e-5
#define POOLED_DF       4.0 /* weight of the neighbours' noise against a point's own */
#define SMALL_TRUTH     100.0
#define EXCESS_LEAST    3      /* specimens that show it: then all have it */
#define EXCESS_QUANTILE 0.7    /* of the points: what three in ten have at least */
#define FAR             3.0    /* half widths beyond the limits of a bounded truth */
#define MEDIAN_VARIANCE 1.571  /* of a median over that of a mean: pi / 2 */
#define ROUNDING        0.0834 /* variance of rounding to a whole number: 1 / 12 */

/* --- the noise of points --- */

/* The usual noise of points like this one: of the same N, or of the same ladder below. */
static double pooled(const struct errors *errors, size_t index, bool ladder, double *work)
{
    const struct error_point *point = &errors->points[index];
    size_t count = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *other = &errors->points[i];
        bool like = ladder ? i <= index && index - i < 3 : other->point->n == point->point->n;
        if (like && other->quiet && !other->left_out)
            work[count++] = other->sigma;
    }
    return sorted_quantile(work, count, 0.5);
}

/* What differs between processes may be so many counts, or a part of the truth: how its variance
 * grows with the truth tells, with its square or not at all. */
static bool excess_is_relative(const struct errors *errors)
{
    double count = 0, x = 0, y = 0, products = 0, squares = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!(point->excess > 0) || point->truth < 1)
            continue;
        double truth = log(point->truth), excess = log(point->excess);
        count++;
        x += truth;
        y += excess;
        products += truth * excess;
        squares += truth * truth;
    }
    return products - x * y / fmax(count, 1) > squares - x * x / fmax(count, 1);
}

/* Two processes are often in the same state and then look as if there were no other: what differs
 * between processes is learnt from all points. By chance a few differ: where it is no part of the
 * truth, most points must. */
static double common_excess(const struct errors *errors, double *work)
{
    size_t count = 0;
    for (size_t i = 0; i < errors->count; i++)
        if (errors->points[i].quiet && !errors->points[i].left_out)
            work[count++] = errors->points[i].excess;
    return sorted_quantile(work, count, EXCESS_QUANTILE);
}

/* In parts of the truth, from the points of about this N. */
static double relative_excess(const struct errors *errors, const struct error_point *point)
{
    double sum = 0, count = 0;
    size_t specimens = 0;
    const char *last = "";
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *other = &errors->points[i];
        double n = (double)other->point->n, own = (double)point->point->n;
        if (!other->quiet || other->left_out || other->truth < 1 || n > 11 * own || own > 11 * n)
            continue;
        count++;
        sum += other->excess / (other->truth * other->truth);
        specimens += other->excess > 0 && strcmp(last, other->point->specimen) != 0;
        if (other->excess > 0)
            last = other->point->specimen;
    }
    return specimens >= EXCESS_LEAST ? sum / count * point->truth * point->truth : 0;
}

/* Far outside its limits even a bounded truth says how far: from their middle, give or take half
 * their width. */
static void place_bounded(struct error_point *point)
{
    const struct truth *truth = &point->point->truth;
    double half = ((double)truth->high - (double)truth->low) / 2;
    point->far_outside = false;
    if (point->proven || truth->grade != TRUTH_BOUNDED ||
        fabs(point->location) <= FAR * (half + point->sigma))
        return;
    point->far_outside = true;
    point->truth = (double)truth->low + half;
    point->location += point->location > 0 ? half : -half;
    point->sigma = hypot(point->sigma, half);
}

static void settle_sigmas(struct errors *errors)
{
    double *variances = memory_new(errors->count, sizeof(double));
    double *work = memory_new(errors->count, sizeof(double));
    bool relative = excess_is_relative(errors);
    double common = common_excess(errors, work);
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double df = point->quiet > 1 ? (double)point->quiet - 1 : 1;
        double others = fmax(pooled(errors, i, false, work), pooled(errors, i, true, work));
        double shrunk = (df * point->sigma + POOLED_DF * others) / (df + POOLED_DF);
        double excess = relative ? relative_excess(errors, point) : common;
        variances[i] = fmax(fmax(point->sigma, shrunk), excess);
    }
    for (size_t i = 0; i < errors->count; i++) {
        struct error_point *point = &errors->points[i];
        double part = FLOOR_RELATIVE * fabs(point->truth);
        point->scatter = sqrt(variances[i] + FLOOR_COUNTS * FLOOR_COUNTS);
        point->sigma = hypot(point->scatter, part);
        place_bounded(point);
    }
}

/* --- the error of the overhead, which all points of a way share --- */

/* The null cell of a way as if it were a point: how far each of its runs is from the overhead. */
static struct error_point collect_null(const struct error_point *of,
                                       const struct evidence *evidence)
{
    const struct point *best = point_null(evidence, of->point);
    struct error_point null = {.judged = of->judged, .point = best};
    null.runs = memory_new(best ? best->run_count : 0, sizeof(*null.runs));
    for (size_t i = 0; best && i < best->run_count; i++) {
        const struct evidence_run *run = &best->runs[i];
        wide count;
        if (run_count_of(run, &count))
            null.runs[null.run_count++] =
                (struct error_run){.run = run,
                                   .error = (double)(count - of->judged->overhead),
                                   .disturbed = null_run_is_disturbed(of->judged, run)};
    }
    return null;
}

/* Small counts of the same way have the same noise as its null cell, which is only one of them. */
static double variance_of_small(const struct errors *errors, size_t way, double *work)
{
    size_t count = 0;
    double least = INFINITY;
    for (size_t i = 0; i < errors->count; i++)
        if (errors->points[i].way == way)
            least = fmin(least, fabs(errors->points[i].truth));
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (point->way == way && point->quiet && fabs(point->truth) <= 10 * least + 10)
            work[count++] = point->sigma;
    }
    return sorted_quantile(work, count, 0.5);
}

/* How far apart quiet runs of small counts usually are: noise that no truth shrinks. */
static double usual_spread(const struct errors *errors, size_t way, double *work)
{
    size_t count = 0;
    double spread = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        const struct judged_point *judged = point->judged;
        if (point->way != way)
            continue;
        spread = (double)judged->overhead_high - (double)judged->overhead_low;
        if (point->quiet && point->truth <= SMALL_TRUTH)
            work[count++] = point->spread;
    }
    return fmax(spread, sorted_quantile(work, count, 0.5));
}

/* While sigmas still are variances. */
static void measure_overhead_sigma(struct errors *errors)
{
    double *variances = memory_new(errors->count, sizeof(double));
    bool relative = excess_is_relative(errors);
    for (size_t way = 0; way < errors->way_count; way++) {
        const struct error_point *first = errors->points;
        while (first->way != way)
            first++;
        struct error_point null = collect_null(first, errors->judgement->evidence);
        error_point_sum_up(&null, memory_new(null.run_count, sizeof(double)),
                           memory_new(null.run_count, sizeof(double)));
        double variance =
            MEDIAN_VARIANCE * fmax(null.sigma, variance_of_small(errors, way, variances));
        /* The median of processes in two states is one of the states, never between them. */
        double excess = relative ? 0 : common_excess(errors, variances);
        variance = fmax(variance, excess * fmax((double)null.processes, 1));
        double sigma = variance > 0 ? sqrt(variance + ROUNDING) : 0;
        double spread = usual_spread(errors, way, variances);
        for (size_t i = 0; i < errors->count; i++)
            if (errors->points[i].way == way) {
                errors->points[i].overhead_sigma = first->judged->has_overhead ? sigma : 0;
                errors->points[i].added_noise = spread;
            }
    }
}

/* --- all of it --- */

/* Location and sigma of every point, from the runs that are not left out. */
static void errors_sum_up(struct errors *errors)
{
    struct memory_scope scope;
    memory_scope_begin(&scope);
    double *values = memory_new(errors->run_count, sizeof(double));
    double *work = memory_new(errors->run_count, sizeof(double));
    for (size_t i = 0; i < errors->count; i++)
        errors->points[i].far_outside = false;
    errors->exact = true;
    errors->noise_df = 0;
    for (size_t i = 0; i < errors->count; i++) {
        struct error_point *point = &errors->points[i];
        double df = error_point_sum_up(point, values, work);
        if (!error_point_counts(point))
            continue;
        errors->exact &= point->sigma == 0;
        errors->noise_df += point->sigma > 0 ? df : 0;
    }
    if (errors->exact)
        errors->noise_df = EXACT_DF;
    errors->noise_df = fmax(errors->noise_df, 1);
    measure_overhead_sigma(errors);
    settle_sigmas(errors);
    memory_scope_end(&scope);
}

bool error_point_counts(const struct error_point *point)
{
    /* One run says nothing of the noise. */
    return (point->proven || point->far_outside) && !point->left_out && point->quiet > 1;
}

static double error_sigmas(const struct error_point *point, double error)
{
    return fabs(error) / hypot(point->sigma, point->overhead_sigma);
}

/* ----------------------------------------------------------------------------------------------
 * A mode that lets through what it should leave out. Windows of many system calls say so beside
 * windows of none, whatever truth they have; and where they have none, by the event without its
 * mode, counted in the same windows. Asked before anything else, and by itself: what the operating
 * system executes differs from call to call, and follows no line. */

#define LEAK_LEAST   10.0 /* counts a call: less is how CPUs count the border between both modes */
#define ALL_OF_IT    0.98 /* of what the event counts without its mode */
#define NOT_ALL      0.9
#define CALLS_BESIDE 10 /* system calls in a window beside the event without its mode */

bool point_enters_system(const struct point *point)
{
    static const char *const ways[] = {"syscalls", "context-switches", "page-faults"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        if (point_class_count(point, ways[i]) > 0)
            return true;
    return point->faults > 0 || point->switches > 0;
}

/* System calls of code that does nothing else there: a thread that leaves its CPU may lose counts
 * for another reason. */
static double calls_of(const struct point *point)
{
    const bool other = point->faults > 0 || point->switches > 0 ||
                       point_class_count(point, "context-switches") > 0 ||
                       point_class_count(point, "cpu-migrations") > 0;
    return other ? 0 : point_class_count(point, "syscalls");
}

/* By how much, in parts of its truth, the largest window without system calls is off; false: there
 * is none with a truth. What is off there, too, is no leak. */
static bool usual_error(const struct judgement *judgement, double *part)
{
    double largest = 0;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        const double predicted = point_predicted(judged);
        if (judged->runs < 2 || judged->point->truth.grade == TRUTH_NONE || predicted <= largest ||
            point_enters_system(judged->point))
            continue;
        largest = predicted;
        *part = fmax(fabs(judged->low), fabs(judged->high)) / predicted;
    }
    return largest > 0;
}

/* Against the truth of the point. */
static enum filter test_by_truth(const struct judged_point *judged, double part,
                                 struct judgement *judgement)
{
    const double calls = calls_of(judged->point), predicted = point_predicted(judged);
    const double usual = part * predicted / calls;
    const double low = judged->strict_low / calls, high = judged->strict_high / calls;
    if (low - usual >= LEAK_LEAST) {
        judgement->leak = (low + high) / 2;
        judgement->leak_low = judged->low / calls;
        judgement->leak_high = judged->high / calls;
        return FILTER_IGNORED;
    }
    return high < LEAK_LEAST ? FILTER_WORKS : FILTER_UNKNOWN;
}

/* The usual count of the event without its mode; the middle one of quiet runs, or of all. */
static double usual_unfiltered(const struct point *point, const struct judged_point *judged)
{
    double *values = memory_new(point->run_count, sizeof(double));
    size_t count = 0;
    for (size_t i = 0; i < point->run_count; i++)
        if (!judged || run_is_judged(judged, &point->runs[i]))
            values[count++] = (double)point->runs[i].unfiltered;
    return sorted_quantile(values, count, 0.5);
}

/* What a system call adds to the event, and to the event without its mode: beyond windows of none,
 * or of few, because the one counter is switched while the other counts. */
static bool growth(const struct judgement *judgement, double *own, double *plain)
{
    const struct judged_point *few = NULL, *many = NULL;
    for (size_t i = 0; i < judgement->point_count; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (!judged->point->has_unfiltered || judged->runs < 2 || calls_of(judged->point) < 1)
            continue;
        few = !few || judged->point->n < few->point->n ? judged : few;
        many = !many || judged->point->n > many->point->n ? judged : many;
    }
    if (!many)
        return false;
    const struct point *null = point_null(judgement->evidence, many->point);
    const double calls = calls_of(many->point) - (null ? 0 : calls_of(few->point));
    if (calls < CALLS_BESIDE)
        return false;
    *own = (many->median - (null ? 0 : few->median)) / calls;
    *plain = (usual_unfiltered(many->point, many) -
              (null ? usual_unfiltered(null, NULL) : usual_unfiltered(few->point, few))) /
             calls;
    return true;
}

/* Does the operating system do some of it whatever it does? Of anything else that as much is
 * counted without the mode says nothing: there may be none of it. */
static bool is_everywhere(const char *class)
{
    static const char *const classes[] = {"cycles",        "ref-cycles", "bus-cycles",
                                          "instructions",  "branches",   "instructions-issued",
                                          "cond-branches", "loads",      "stores"};
    for (size_t i = 0; class && i < sizeof(classes) / sizeof(*classes); i++)
        if (strcmp(class, classes[i]) == 0)
            return true;
    return false;
}

void test_filter(struct judgement *judgement)
{
    const struct evidence *evidence = judgement->evidence;
    double part = 0, own, plain;
    judgement->leak = judgement->leak_low = judgement->leak_high = NAN;
    if (!evidence->kind || !kind_is_of_cpu(evidence->kind) || !event_is_user_only(evidence))
        return;
    const bool comparable = usual_error(judgement, &part);
    for (size_t i = 0; i < judgement->point_count && judgement->filter != FILTER_IGNORED; i++) {
        const struct judged_point *judged = judgement->points[i];
        if (!comparable || judged->runs < 2 || judged->is_zero ||
            judged->point->truth.grade == TRUTH_NONE || calls_of(judged->point) < CALLS_LEAST)
            continue;
        const enum filter filter = test_by_truth(judged, part, judgement);
        judgement->filter = filter != FILTER_UNKNOWN ? filter : judgement->filter;
    }
    if (judgement->filter != FILTER_UNKNOWN || !growth(judgement, &own, &plain))
        return;
    if (own >= LEAK_LEAST && own >= ALL_OF_IT * plain && is_everywhere(evidence->class)) {
        judgement->filter = FILTER_IGNORED;
        judgement->leak = own;
    } else if (plain >= LEAK_LEAST && own < NOT_ALL * plain) {
        judgement->filter = FILTER_WORKS;
    }
}

/* What enters the operating system is explained, and left out of what is asked next. */
static void explain_filter(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    const struct judgement *judgement = errors->judgement;
    double all = 0, theirs = 0;
    if (judgement->filter != FILTER_IGNORED)
        return;
    for (size_t i = 0; i < errors->count; i++) {
        struct error_point *point = &errors->points[i];
        const double sigmas = point->location / hypot(point->sigma, point->overhead_sigma);
        all += sigmas * sigmas;
        point->left_out = point_enters_system(point->point);
        theirs += point->left_out ? sigmas * sigmas : 0;
    }
    const double share = all > 0 ? theirs / all : 1;
    struct explanation found = explanation_of(CAUSE_KERNEL_LEAK, "system call", judgement->leak,
                                              judgement->leak_low, judgement->leak_high, share);
    struct reasons *say = explaining_add(explaining, &found);
    if (isfinite(judgement->leak_low))
        SAY(say, EACH_IN_KERNEL, false, found.size, found.per, found.low, found.high,
            (const char *)NULL);
    else
        SAY(say, UNFILTERED, found.size);
}

/* ----------------------------------------------------------------------------------------------
 * A single point that is off by more than noise makes, where nothing that all points have in
 * common says why: too little for a cause, too much to be silent. */

#define SIGMAS_LEAST 5.0 /* of the point's mean: far beyond what the worst of many would be */
#define QUIET_LEAST  5   /* runs, for a mean and its spread to be known */

/* --- windows that last --- */

#define LONG_RUNS     3   /* quiet ones */
#define LARGE         1e4 /* truths from which on noise that is a part of them shows */
#define LONGER        3.0 /* times as long as any window that is right */
#define LONG_NS_LEAST 1e6
#define ALIKE         0.1 /* of the runs may differ where few are quiet */

/* ns, the mean over all runs, disturbed or not. */
static double window_of(const struct error_point *point)
{
    double sum = 0;
    for (size_t i = 0; i < point->run_count; i++)
        sum += (double)point->runs[i].run->enabled;
    return sum / (double)point->run_count;
}

/* The noise of one run in parts of the truth, as large counts usually have it: few runs of a long
 * window do not know their own. */
static double relative_noise(const struct errors *errors)
{
    double *parts = memory_new(errors->count, sizeof(double));
    size_t count = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (error_point_counts(point) && point->truth >= LARGE)
            parts[count++] = point->judged->stdev / point->truth;
    }
    return sorted_quantile(parts, count, 0.5);
}

/* On a busy machine most windows that last are disturbed: what nearly all runs are off by, quiet or
 * not, is no disturbance. A fault that strayed in is there to be counted by who counts faults. */
static bool all_are_off(const struct errors *errors, const struct error_point *point,
                        double *location, double *width)
{
    const char *class = errors->judgement->evidence->class;
    const bool faults =
        class && (strcmp(class, "page-faults") == 0 || strcmp(class, "minor-faults") == 0);
    double *values = memory_new(point->run_count, sizeof(double));
    size_t count = 0;
    for (size_t i = 0; i < point->run_count; i++) {
        const struct account *account = &point->runs[i].run->account;
        const double strayed =
            (double)(account_faults(account) - point->judged->usual_faults - point->point->faults);
        values[count++] =
            point->runs[i].error - (faults && point->point->faults >= 0 ? fmax(strayed, 0) : 0);
    }
    const double low = sorted_quantile(values, count, ALIKE);
    const double high = quantile(values, count, 1 - ALIKE);
    *location = quantile(values, count, 0.5);
    *width = fmax((high - low) / 2, 0.5);
    return count >= LONG_RUNS && low * high > 0;
}

/* Right in windows of up to some length, off in all longer ones: no part of the truth is too small
 * for that. false: it is not so. */
static bool explain_long(struct explaining *explaining)
{
    const struct errors *errors = &explaining->errors;
    const struct error_point *first = NULL;
    const double noise = relative_noise(errors);
    double right = 0, location = 0, sigma = 0;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < errors->count; i++) {
            const struct error_point *point = &errors->points[i];
            const double own = noise * point->truth / sqrt(fmax((double)point->quiet, 1));
            double error = point->location;
            double width = hypot(fmax(point->scatter, own), point->overhead_sigma);
            bool off = fabs(error) > SIGMAS_LEAST * width;
            if (!point->proven || point->left_out || !point->run_count)
                continue;
            if (point->quiet < LONG_RUNS)
                off = all_are_off(errors, point, &error, &width) &&
                      fabs(error) > SIGMAS_LEAST * hypot(width, point->overhead_sigma);
            const double lasts = point->judged->runs ? window_of(point) : 0;
            if (off && pass == 0 && (!first || lasts < window_of(first))) {
                first = point;
                location = error;
                sigma = width;
            }
            if (off || pass == 0 || !first)
                continue;
            if (lasts < window_of(first))
                right = fmax(right, lasts);
            else if (fabs(error) + SIGMAS_LEAST * width < fabs(location) / 2)
                return false;
        }
    if (!first || right <= 0 || window_of(first) < LONG_NS_LEAST ||
        window_of(first) < LONGER * right)
        return false;
    struct explanation found = explanation_of(CAUSE_UNKNOWN, "run", location, location - 2 * sigma,
                                              location + 2 * sigma, 0);
    explaining->explained->right_to_ns = right;
    SAY(explaining_add(explaining, &found), LONG_WINDOWS, right, location, window_of(first),
        first->point->specimen, first->point->n);
    return true;
}

/* One point that is off, where all others together said nothing. */
static void explain_point(struct explaining *explaining)
{
    const struct errors *errors = &explaining->errors;
    const struct error_point *worst = NULL;
    double most = SIGMAS_LEAST;
    if (explaining->explained->count > 0 || explain_long(explaining))
        return;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double sigmas = error_sigmas(point, point->location);
        if (error_point_counts(point) && point->quiet >= QUIET_LEAST && sigmas > most) {
            worst = point;
            most = sigmas;
        }
    }
    if (!worst)
        return;
    double half = 2 * fabs(worst->location) / most;
    /* It explains nothing: the share stays 0. */
    struct explanation found = explanation_of(CAUSE_UNKNOWN, "run", worst->location,
                                              worst->location - half, worst->location + half, 0);
    SAY(explaining_add(explaining, &found), POINT_OFF, worst->point->specimen, found.size,
        found.low, found.high, worst->point->n);
}

/* ----------------------------------------------------------------------------------------------
 * Another class whose truths the counts are, or a fixed multiple of them. Said only where the
 * points can tell both classes apart, and where no factor on the event's own class does as well. */

#define FITS         5.0 /* standard deviations that a point may be off */
#define DIFFERS      6.0 /* standard deviations that the event's own class must be off … */
#define POINTS_LEAST 3   /* … at so many points */
#define OTHERS_MOST  4   /* named as just as good */

static const double multiples[] = {1, 2, 3, 4, 8, 16, 0.5, 0.25, 0.125};

struct fit {
    size_t known;             /* points that state the class */
    size_t wrong;             /* of them, where the class does not fit */
    size_t telling;           /* where it fits and the event's own truth does not … */
    const char *specimen;     /* … on this code … */
    bool elsewhere;           /* … and on other code, too */
    size_t unstated;          /* where the own truth does not fit and this class is not stated */
    bool along;               /* the counts are the own class and that of the other one besides */
    double square;            /* of what it leaves, in standard deviations */
    double own;               /* of what the own class leaves */
    double products, squares; /* for the multiple: count * class, class * class, by sigma */
};

/* class NULL: the event's own. */
static struct fit try_class(const struct errors *errors, const char *class, double multiple)
{
    struct fit fit = {.along = true};
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!error_point_counts(point))
            continue;
        const struct trait *trait = class ? point_trait(point->point, TRAIT_CLASS, class) : NULL;
        bool own_fails = error_sigmas(point, point->location) > DIFFERS;
        if (class && !trait) {
            fit.unstated += own_fails;
            continue;
        }
        double truth = class ? (double)trait->count : point->truth;
        double count = point->truth + point->location;
        double off = error_sigmas(point, count - multiple * truth);
        fit.known++;
        fit.wrong += off > FITS;
        fit.along &= error_sigmas(point, point->location - multiple * truth) <= FITS;
        /* Where the noise could hide the class, that it is there says nothing. */
        if (off <= FITS && own_fails && error_sigmas(point, multiple * truth) > DIFFERS) {
            fit.elsewhere |= fit.specimen && strcmp(fit.specimen, point->point->specimen) != 0;
            fit.specimen = point->point->specimen;
            fit.telling++;
        }
        fit.square += off * off;
        fit.own += error_sigmas(point, point->location) * error_sigmas(point, point->location);
        double weight = 1 / (point->sigma * point->sigma);
        fit.products += weight * count * truth;
        fit.squares += weight * truth * truth;
    }
    return fit;
}

/* Does a plain factor on the event's own class make all counts right? */
static bool own_factor_fits(const struct errors *errors)
{
    struct fit own = try_class(errors, NULL, 1);
    if (!(own.squares > 0))
        return true;
    struct fit scaled = try_class(errors, NULL, own.products / own.squares);
    return !scaled.wrong;
}

struct definitions {
    const char *names[OTHERS_MOST + 1];
    struct fit first;
    size_t count;
};

/* All classes of which the counts are this multiple. */
static void gather(const struct errors *errors, double multiple, struct definitions *candidates)
{
    const char *own = errors->judgement->evidence->class;
    candidates->count = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct point *point = errors->points[i].point;
        for (size_t j = 0; j < point->trait_count && error_point_counts(&errors->points[i]); j++) {
            const char *name = point->traits[j].name;
            bool passed = point->traits[j].kind != TRAIT_CLASS || (own && strcmp(own, name) == 0);
            for (size_t k = 0; k < i && !passed; k++)
                passed = error_point_counts(&errors->points[k]) &&
                         point_trait(errors->points[k].point, TRAIT_CLASS, name);
            if (passed || candidates->count > OTHERS_MOST)
                continue;
            struct fit fit = try_class(errors, name, multiple);
            /* What one specimen alone does of all is no definition: it does other things as well.
             */
            if (!fit.known || fit.wrong || fit.unstated || fit.telling < POINTS_LEAST ||
                (!fit.elsewhere && errors->judgement->row_count > 1) ||
                (multiple != 1 && fit.along))
                continue;
            if (!candidates->count)
                candidates->first = fit;
            candidates->names[candidates->count++] = name;
        }
    }
}

static void say(struct explaining *explaining, double multiple,
                const struct definitions *candidates)
{
    const struct fit *fit = &candidates->first;
    AUTO_TEXT struct text others = {0};
    for (size_t i = 1; i < candidates->count; i++)
        text_printf(&others, "%s%s", i == 1 ? "" : ", ", candidates->names[i]);
    double half = t_quantile(0.975, explaining->errors.noise_df) / sqrt(fit->squares);
    if (explaining->errors.exact)
        half = 0;
    struct explanation found =
        explanation_of(CAUSE_OTHER_DEFINITION, candidates->names[0], multiple, multiple - half,
                       multiple + half, fit->own > 0 ? 1 - fmin(fit->square / fit->own, 1) : 1);
    explaining->explained->fits = candidates->names[0];
    const char *own = explaining->errors.judgement->evidence->class;
    /* One ladder alone often allows for both. */
    struct fit plain = try_class(&explaining->errors, NULL, 1);
    bool factor_fits = multiple == 1 && plain.squares > 0 && own_factor_fits(&explaining->errors);
    SAY(explaining_add(explaining, &found), OTHER_CLASS, multiple != 1 ? multiple : NAN,
        candidates->names[0], text_string(&others), own ? own : "what it says", fit->known,
        fit->telling, factor_fits ? plain.products / plain.squares : NAN);
}

/* Another class whose truths the counts are; then nothing is left to be explained. */
static bool explain_definition(struct explaining *explaining)
{
    struct definitions candidates;
    for (size_t i = 0; i < sizeof(multiples) / sizeof(*multiples); i++) {
        /* A multiple of another class explains nothing that a factor does not. */
        if (multiples[i] != 1 && own_factor_fits(&explaining->errors))
            return false;
        gather(&explaining->errors, multiples[i], &candidates);
        if (candidates.count) {
            say(explaining, multiples[i], &candidates);
            return true;
        }
    }
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * Runs that are wrong beside runs of the same code that are right: some lost counts, or only those
 * are wrong during which the counter was away. */

#define TRUTH_LEAST       10    /* smaller ones are lost altogether or not at all */
#define NOISE_TIMES       100.0 /* the spread of the null cell that a truth must outweigh */
#define RIGHT             0.01  /* of the truth */
#define LOW               0.05
#define LOST_LEAST        3    /* runs */
#define LOST_EXACT        5    /* runs, when all others are exact */
#define SMALL_LOST_LEAST  10   /* runs, when they lost little */
#define TAIL_LEVEL        1e-6 /* chance of taking a tail for losses */
#define LOST_POINTS_LEAST 2

/* --- lost counts --- */

struct lost {
    size_t runs, right, exact, low, zero, high;
    size_t mixed, low_in_mixed; /* groups with both right and low ones, and the low runs there */
};

enum state { STATE_RIGHT, STATE_LOW, STATE_HIGH };

/* Large losses against a share of the truth, small ones against a truth that is met exactly. */
static enum state state_of(const struct error_point *point, const struct error_run *run, bool small)
{
    double low = small ? 0.5 : fmax(3, LOW * point->truth);
    return run->error < -low ? STATE_LOW : run->error > low ? STATE_HIGH : STATE_RIGHT;
}

static bool looked_at(const struct error_point *point, const struct error_run *run)
{
    return point->proven && !point->left_out && !run->left_out && !run->disturbed &&
           !run->multiplexed && point->truth >= fmax(TRUTH_LEAST, NOISE_TIMES * point->added_noise);
}

static void count_group(const struct error_point *point, size_t from, size_t to, bool small,
                        struct lost *lost)
{
    const size_t low_before = lost->low, right_before = lost->right;
    for (size_t j = from; j < to; j++) {
        const struct error_run *run = &point->runs[j];
        if (!looked_at(point, run))
            continue;
        enum state state = state_of(point, run, small);
        lost->runs++;
        lost->right += state == STATE_RIGHT;
        lost->exact += run->error == 0;
        lost->low += state == STATE_LOW;
        lost->high += state == STATE_HIGH;
        lost->zero += state == STATE_LOW && fabs(run_count_raw(point, run)) <= 0.001 * point->truth;
    }
    const size_t low = lost->low - low_before, right = lost->right - right_before;
    bool mixed = low && right >= (small ? low : 1);
    lost->mixed += mixed;
    lost->low_in_mixed += mixed ? low : 0;
}

static struct lost count_lost(const struct errors *errors, bool small)
{
    struct lost lost = {0};
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        /* Runs of a point are looked at together; for small losses those of one process, because
         * whole processes may differ for other reasons. */
        for (size_t from = 0, to; from < point->run_count; from = to) {
            to = small ? error_process_end(point, from) : point->run_count;
            count_group(point, from, to, small, &lost);
        }
    }
    return lost;
}

static bool is_lost(const struct lost *lost, bool small)
{
    double runs = (double)lost->runs, low = (double)lost->low;
    if (lost->low < (small ? SMALL_LOST_LEAST : LOST_LEAST) || lost->mixed < LOST_POINTS_LEAST ||
        (double)lost->high > (small ? 0.02 : 0.1) * low ||
        (double)lost->right < (small ? 0.3 : 0.1) * runs || (double)lost->low_in_mixed < 0.8 * low)
        return false;
    /* Tails reach both ways; to read nothing at all is no tail, and without noise there are none.
     */
    if ((lost->zero >= LOST_LEAST && 2 * lost->zero >= lost->low) ||
        (lost->low >= LOST_EXACT && lost->high == 0 && lost->exact == lost->right))
        return true;
    /* Chance of so few high ones among them if either were as likely. */
    size_t outside = lost->low + lost->high;
    return share_interval(lost->high, outside, 1 - 2 * TAIL_LEVEL).high < 0.5;
}

static void explain_lost(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct lost lost = count_lost(errors, false);
    bool small = !is_lost(&lost, false);
    if (small)
        lost = count_lost(errors, true);
    if (small && !is_lost(&lost, true))
        return;
    struct interval share = share_interval(lost.low, lost.runs, 0.95);
    struct explanation found = explanation_of(
        CAUSE_LOST_COUNTS, "run", (double)lost.low / (double)lost.runs, share.low, share.high, 1);
    SAY(explaining_add(explaining, &found), LOST, 100 * found.size, 100 * share.low,
        100 * share.high, lost.low, lost.runs, lost.zero, small);
    for (size_t i = 0; i < errors->run_count; i++) {
        struct error_run *run = errors->runs[i];
        run->left_out |=
            looked_at(run->point, run) && state_of(run->point, run, small) == STATE_LOW;
    }
}

/* --- multiplexing --- */

struct shared {
    size_t whole, whole_right; /* runs with the counter all the time */
    size_t part, part_right;   /* runs with the counter part of the time, extrapolated */
    size_t raw_right;          /* those that are right as they were reported */
    double relative, squares;  /* sums over them: relative error, its square */
};

static bool is_near(const struct error_point *point, double error)
{
    return fabs(error) <= fmax(1.5, RIGHT * point->truth);
}

static void explain_multiplexing(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct shared shared = {0};
    for (size_t i = 0; i < errors->run_count; i++) {
        const struct error_run *run = errors->runs[i];
        const struct error_point *point = run->point;
        bool near = is_near(point, run->error);
        if (run->disturbed || !point->proven ||
            point->truth < fmax(TRUTH_LEAST, NOISE_TIMES * 2 * point->added_noise))
            continue;
        if (!run->multiplexed) {
            shared.whole++;
            shared.whole_right += near;
            continue;
        }
        double relative = run->error / point->truth;
        shared.part++;
        shared.part_right += near;
        shared.raw_right += is_near(point, run_count_raw(point, run) - point->truth);
        shared.relative += relative;
        shared.squares += relative * relative;
    }
    double part = (double)shared.part, right = (double)shared.part_right;
    bool spoiled = shared.part >= LOST_LEAST && right <= 0.75 * part &&
                   (double)shared.raw_right >= 0.95 * part;
    bool only_part = shared.part >= 5 && shared.whole >= 10 &&
                     (double)shared.whole_right >= 0.95 * (double)shared.whole &&
                     right <= 0.75 * part;
    if (!spoiled && !only_part)
        return;
    double mean = shared.relative / part;
    double spread = sqrt(fmax(shared.squares / part - mean * mean, 0));
    double half = t_quantile(0.975, fmax(part - 1, 1)) * spread / sqrt(part);
    struct explanation found =
        explanation_of(CAUSE_MULTIPLEXING, "multiplexed run", mean, mean - half, mean + half, 1);
    if (spoiled)
        SAY(explaining_add(explaining, &found), EXTRAPOLATED, shared.raw_right, shared.part,
            100 * mean, 100 * found.low, 100 * found.high);
    else
        SAY(explaining_add(explaining, &found), MULTIPLEXED, shared.part - shared.part_right,
            shared.part, 100 * mean, 100 * found.low, 100 * found.high, shared.whole_right,
            shared.whole);
    for (size_t i = 0; i < errors->run_count; i++)
        errors->runs[i]->left_out |= errors->runs[i]->multiplexed;
}

/* --- all of them, one after the other --- */

struct explanation explanation_of(enum cause cause, const char *per, double size, double low,
                                  double high, double share)
{
    struct explanation found = {
        .cause = cause, .size = size, .low = low, .high = high, .share = share};
    snprintf(found.per, sizeof(found.per), "%s", per);
    return found;
}

struct reasons *explaining_add(struct explaining *explaining, const struct explanation *explanation)
{
    struct explained *explained = explaining->explained;
    if (explained->count == EXPLANATIONS_MOST)
        return &explaining->sentences[EXPLANATIONS_MOST];
    explained->list[explained->count] = *explanation;
    return &explaining->sentences[explained->count++];
}

bool event_is_user_only(const struct evidence *evidence)
{
    const char *mode;
    event_base(evidence->event, &mode);
    /* PAPI counts user code alone unless told otherwise. */
    if (evidence->kind &&
        (strcmp(evidence->kind, "source") == 0 || strcmp(evidence->kind, "papi") == 0))
        return true;
    return strchr(mode, 'u') && !strchr(mode, 'k') && !strchr(mode, 'h');
}

/* The best first: the list is short, and equal ones keep their order. Then their sentences. */
static void write_note(struct explaining *explaining)
{
    struct explained *explained = explaining->explained;
    const struct reasons *sentences[EXPLANATIONS_MOST];
    const size_t count = explained->count;
    for (size_t i = 0; i < count; i++) {
        struct explanation own = explained->list[i];
        size_t at = i;
        for (; at > 0 && own.share > explained->list[at - 1].share; at--) {
            explained->list[at] = explained->list[at - 1];
            sentences[at] = sentences[at - 1];
        }
        explained->list[at] = own;
        sentences[at] = &explaining->sentences[i];
    }
    /* Copies, which outlive all that it took to find them. */
    for (size_t i = 0; i < count; i++) {
        const struct reason *said = sentences[i]->list;
        reasons_add(&explained->note, JOINT_SENTENCE, said->words, said->values, said->value_count);
    }
}

typedef void explanation_part(struct explaining *explaining);

static void ask(struct explaining *explaining, explanation_part *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = explaining->explained->count;
        parts[i](explaining);
        /* What was found is taken out of the errors: sum up what remains. */
        if (explaining->explained->count > before)
            errors_sum_up(&explaining->errors);
    }
}

void explain(const struct judgement *judgement, struct explained *explained)
{
    static explanation_part *const shapes[] = {explain_filter,    explain_multiplexing,
                                               explain_wrap,      explain_saturation,
                                               explain_threshold, explain_lost};
    static explanation_part *const doings[] = {explain_interrupts, explain_regression,
                                               explain_stray_faults, explain_point};
    struct memory_scope scope;
    memory_scope_begin(&scope);
    *explained = (struct explained){.right_to_ns = INFINITY};
    struct explaining *explaining = memory_new(1, sizeof(*explaining));
    explaining->explained = explained;
    errors_collect(judgement, &explaining->errors);
    /* An event that never counts has no error to explain: which zero it is says the judge. */
    if (!explaining->errors.count)
        explain_filter(explaining);
    else if (!explaining->errors.all_zero) {
        errors_sum_up(&explaining->errors);
        ask(explaining, shapes, sizeof(shapes) / sizeof(*shapes));
        if (!explain_definition(explaining))
            ask(explaining, doings, sizeof(doings) / sizeof(*doings));
    }
    memory_scope_leave(&scope);
    write_note(explaining);
    memory_scope_end(&scope);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors that come and go from run to run of the same code: with the interrupts that were counted
 * along, with faults that strayed in, or at random with a chance that grows with time, as ticks
 * do. */
#include <math.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * Counts that are wrong in a way that their size alone betrays: they wrapped, they stop at a
 * ceiling, they stay zero up to some size. */

#define WRAP_LEAST      16
#define WRAP_MOST       63    /* counts are signed: below zero is no wrap at 2^64 */
#define WRAPPED_LEAST   3     /* runs */
#define WRAP_SHARE      0.999 /* of the squared errors: multiples of a modulus leave next to nothing */
#define EXCEPTIONS      0.02 /* of the runs may be disturbed in other ways */
#define SMALL           100  /* truths up to this say nothing of the relative noise */
#define SLACK           16   /* counts that a wrapped one may be off besides */
#define USUAL_TIMES     5    /* the usual error that hardly any exceeds */
#define ACCIDENTS       0.2  /* of the runs of a point that reads nothing may count all the same */
#define POINTS_LEAST    2
#define SIGMAS_TO_WRONG 5.0

/* --- wrapped --- */

struct wrapped {
    size_t runs, exceptions;
    size_t wrapped, points; /* runs, and points with such runs */
    size_t away_from_zero;  /* wrapped runs that do not simply read nothing */
    double before, after;   /* square sums */
};

/* The error less the nearest multiple of the modulus, and which multiple. */
static double unwrap(const struct error_point *point, const struct error_run *run, double modulus,
                     double *multiple)
{
    /* Exactly: 2^63 less a few counts is another number than 2^63. */
    wide exact;
    long double error = run->error;
    if (run_exact_error(point->judged, run->run, &exact))
        error = (long double)exact;
    long double nearest = roundl(error / modulus);
    *multiple = (double)nearest;
    return (double)(error - nearest * modulus);
}

/* How far counts that cannot have wrapped are usually off: in counts, or in parts of truths that
 * are large against those. */
static double usual_error(const struct errors *errors, double modulus, double from, double to,
                          bool relative)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!point->proven || point->truth < from || point->truth > to)
            continue;
        for (size_t j = 0; j < point->run_count; j++) {
            const struct error_run *run = &point->runs[j];
            double multiple;
            if (run->multiplexed || run->left_out || run->disturbed)
                continue;
            double rest = fabs(unwrap(point, run, modulus, &multiple));
            sum += relative ? rest / point->truth : rest;
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

static struct wrapped try_modulus(const struct errors *errors, double modulus)
{
    struct wrapped wrapped = {0};
    double counts = usual_error(errors, modulus, 0, SMALL, false);
    double from = fmax(SMALL, 1000 * counts);
    double part = usual_error(errors, modulus, from, modulus / 2, true);
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        size_t before = wrapped.wrapped;
        double room = fmax(SLACK, USUAL_TIMES * (counts + part * point->truth));
        for (size_t j = 0; j < point->run_count && point->proven; j++) {
            const struct error_run *run = &point->runs[j];
            double multiple, rest, raw = fabs(run_count_raw(point, run));
            if (run->multiplexed || run->left_out || run->disturbed)
                continue;
            rest = unwrap(point, run, modulus, &multiple);
            wrapped.runs++;
            wrapped.before += run->error * run->error;
            wrapped.after += rest * rest;
            /* Where noise hides which multiple it is, the count still stays below the modulus.
             * Between two readings it wraps once; a counter of so many bits has none above them. */
            bool tells = room <= modulus / 8, small = raw <= modulus;
            bool fits = (tells ? fabs(rest) <= room : small) && (fabs(multiple) <= 1 || small);
            bool wraps = fits && multiple != 0 && tells;
            wrapped.exceptions += !fits;
            wrapped.wrapped += wraps;
            wrapped.away_from_zero += wraps && raw > room;
        }
        wrapped.points += wrapped.wrapped > before;
    }
    return wrapped;
}

void explain_wrap(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    double largest = 0;
    for (size_t i = 0; i < errors->run_count; i++)
        largest = fmax(largest, fabs(errors->runs[i]->error));
    /* Errors of less than half a modulus are no multiple of it. */
    int most = largest > 1 ? ilogb(largest) + 1 : 0;
    for (int bits = most < WRAP_MOST ? most : WRAP_MOST; bits >= WRAP_LEAST; bits--) {
        double modulus = ldexp(1, bits);
        struct wrapped wrapped = try_modulus(errors, modulus);
        if (wrapped.wrapped < WRAPPED_LEAST || wrapped.points < POINTS_LEAST ||
            !wrapped.away_from_zero ||
            (double)wrapped.exceptions > EXCEPTIONS * (double)wrapped.runs ||
            wrapped.after > (1 - WRAP_SHARE) * wrapped.before)
            continue;
        struct explanation found = explanation_of(CAUSE_WRAP, "wrap", -modulus, -modulus, -modulus,
                                                  1 - fmin(wrapped.after / wrapped.before, 1));
        SAY(explaining_add(explaining, &found), WRAPS, bits, wrapped.wrapped, wrapped.runs);
        for (size_t i = 0; i < errors->run_count; i++) {
            struct error_run *run = errors->runs[i];
            double multiple;
            if (!run->multiplexed)
                run->error = unwrap(run->point, run, modulus, &multiple);
        }
        return;
    }
}

/* --- stops at a ceiling --- */

/* Does every quiet run of the point read this, to a thousandth? */
static bool stays_at(const struct error_point *point, double level)
{
    for (size_t i = 0; i < point->run_count; i++)
        if (!point->runs[i].disturbed && !point->runs[i].left_out &&
            fabs(run_count_raw(point, &point->runs[i]) - level) > 0.001 * level + 0.5)
            return false;
    return point->quiet > 0;
}

static bool is_right(const struct error_point *point)
{
    double noise = SIGMAS_TO_WRONG * hypot(point->sigma, point->overhead_sigma);
    return fabs(point->location) <= fmax(noise, 0.01 * point->truth);
}

void explain_saturation(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    double ceiling = 0, lowest = INFINITY, highest = 0;
    size_t stuck = 0, below = 0, right = 0;
    for (size_t i = 0; i < errors->run_count; i++)
        ceiling = fmax(ceiling, run_count_raw(errors->runs[i]->point, errors->runs[i]));
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!error_point_counts(point) || point->truth <= 0)
            continue;
        if (point->truth <= 1.002 * ceiling) {
            below++;
            right += is_right(point);
        } else if (stays_at(point, ceiling)) {
            stuck++;
            lowest = fmin(lowest, point->truth);
            highest = fmax(highest, point->truth);
        } else
            return;
    }
    /* Two different truths, one count; and right where it can be. */
    if (stuck < POINTS_LEAST || ceiling < 2 || highest < 1.5 * lowest || right < POINTS_LEAST ||
        (double)right < 0.9 * (double)below)
        return;
    struct explanation found =
        explanation_of(CAUSE_LOST_COUNTS, "ceiling", ceiling, ceiling, ceiling, 1);
    SAY(explaining_add(explaining, &found), CEILING, ceiling, lowest, highest);
    for (size_t i = 0; i < errors->count; i++)
        errors->points[i].left_out |= errors->points[i].truth > 1.002 * ceiling;
}

/* --- zero up to some size --- */

/* Nothing within the noise, and that is clearly less than the truth? */
static bool reads_nothing(const struct error_point *point)
{
    double noise = SIGMAS_TO_WRONG * hypot(point->sigma, point->overhead_sigma);
    double count = point->truth + point->location;
    double room = 0.5 + 4 * point->added_noise + 0.25 * point->truth;
    size_t counted = 0;
    for (size_t i = 0; i < point->run_count; i++)
        counted += !point->runs[i].disturbed && !point->runs[i].left_out &&
                   point->runs[i].run->value && fabs(run_count_raw(point, &point->runs[i])) > room;
    if ((double)counted > ACCIDENTS * (double)point->quiet)
        return false;
    return point->quiet > 0 && (point->truth > noise || noise < 3) &&
           fabs(count) <= fmin(fmax(noise, 0.5), 0.5 * point->truth);
}

static double upper_median(double *values, size_t count)
{
    sort_values(values, count);
    return count ? values[count / 2] : 0;
}

/* Counts from `from` on are right, or all of them lack the same (then the first so many are not
 * counted in larger ones either), or have the same too many: what counting itself adds, which the
 * null cell cannot show where it reads 0 as all small counts do. */
static bool right_from(const struct errors *errors, double from, size_t *right)
{
    size_t count = 0;
    double *locations = memory_new(errors->count, sizeof(double));
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].truth >= from)
            locations[count++] = errors->points[i].location;
    double lack = upper_median(locations, count);
    size_t wrong = 0;
    *right = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!error_point_counts(point) || point->truth < from)
            continue;
        bool is_shifted = (lack < 0 || point->judged->overhead == 0) && fabs(lack) <= from &&
                          fabs(point->location - lack) <= SIGMAS_TO_WRONG * point->sigma;
        bool fits = is_right(point) || is_shifted;
        *right += fits;
        wrong += !fits;
    }
    return (double)wrong <= 0.05 * (double)*right;
}

/* --- the first ones are missing --- */

/* What the points that are known best lack, their median. */
static double usual_lack(const struct errors *errors)
{
    double least = INFINITY;
    size_t count = 0;
    double *lacks = memory_new(errors->count, sizeof(double));
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].truth >= SMALL)
            least = fmin(least, errors->points[i].sigma);
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].truth >= SMALL &&
            errors->points[i].sigma <= 3 * least)
            lacks[count++] = -errors->points[i].location;
    return upper_median(lacks, count);
}

/* Every run lacks the same, and those that have less than that lack all of it. */
static void explain_late(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    double lack = usual_lack(errors);
    size_t fit = 0, wrong = 0, less = 0, more = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double sigma = hypot(point->sigma, point->overhead_sigma);
        if (!error_point_counts(point) || point->truth <= 0)
            continue;
        bool fits = fabs(point->location + fmin(point->truth, lack)) <= SIGMAS_TO_WRONG * sigma;
        bool is_off = fabs(point->location) > SIGMAS_TO_WRONG * sigma;
        wrong += !fits;
        fit += fits && is_off;
        less += fits && lack - point->truth > SIGMAS_TO_WRONG * sigma;
        more += fits && point->truth - lack > SIGMAS_TO_WRONG * sigma;
    }
    if (lack < 1 || fit < POINTS_LEAST + 1 || less < POINTS_LEAST || more < POINTS_LEAST ||
        (double)wrong > 0.05 * (double)fit)
        return;
    struct explanation found = explanation_of(CAUSE_THRESHOLD, "run", -lack, -lack, -lack, 1);
    SAY(explaining_add(explaining, &found), FIRST_MISSING, lack, fit, less);
    for (size_t i = 0; i < errors->run_count; i++)
        errors->runs[i]->error += fmin(errors->runs[i]->point->truth, lack);
}

void explain_threshold(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    double zero_to = 0, right_at = INFINITY;
    size_t zeros = 0, right = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double noise = SIGMAS_TO_WRONG * hypot(point->sigma, point->overhead_sigma);
        if (!error_point_counts(point) || point->truth <= 0)
            continue;
        if (reads_nothing(point)) {
            zeros += point->truth > noise; /* what the noise hides is not missing */
            zero_to = fmax(zero_to, point->truth);
        } else if (point->truth > noise || noise < 3) /* else the noise may hide counts, or not */
            right_at = fmin(right_at, point->truth);
    }
    if (zeros < POINTS_LEAST || !isfinite(right_at) || right_at <= zero_to ||
        !right_from(errors, right_at, &right) || right < POINTS_LEAST) {
        explain_late(explaining);
        return;
    }
    struct explanation found =
        explanation_of(CAUSE_THRESHOLD, "threshold", right_at, zero_to, right_at, 1);
    SAY(explaining_add(explaining, &found), THRESHOLD, zero_to, right_at, zeros, right);
    for (size_t i = 0; i < errors->count; i++)
        errors->points[i].left_out |= errors->points[i].truth <= zero_to;
}

/* --- what comes and goes --- */

#define LEVEL         1e-5 /* chance of seeing a slope where there is none */
#define VARIED_LEAST  6    /* runs that had more or fewer than usual */
#define HANDLER       50.0 /* counts for each interrupt from which its handler must be among them */
#define TICKS_LEAST   10
#define RATE_LEAST    10.0    /* interrupts in a second that are believed */
#define RATE_MOST     20000.0 /* the same */
#define LIKELIER      2.0
#define MUCH_LIKELIER 8.0 /* difference of log likelihoods */

/* --- a slope within points --- */

/* What may differ from run to run of the same code. */
enum doing { DOING_INTERRUPTS, DOING_FAULTS };

static double doings_of(const struct evidence_run *run, enum doing doing)
{
    return doing == DOING_FAULTS ? (double)account_faults(&run->account) : run->interrupts;
}

struct slope {
    double products, squares;   /* sums of w dx dy, w dx dx */
    double errors;              /* of w dy dy */
    double value, low, high, p; /* p: of there being none */
    double share;
    size_t runs, varied, points;
    double *ratios; /* dy / dx where dx is not 0 */
};

/* Runs of one process of one point, from `from` to `to`: deviations from the medians of both. */
static void add_group(struct slope *slope, const struct error_point *point, size_t from, size_t to,
                      enum doing doing, double *x, double *y)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        if (!point->runs[i].left_out) {
            x[count] = doings_of(point->runs[i].run, doing);
            y[count++] = point->runs[i].error;
        }
    if (count < 2)
        return;
    sort_values(x, count);
    sort_values(y, count);
    double usual_x = quantile(x, count, 0.5), usual_y = quantile(y, count, 0.5);
    double noise = (quantile(y, count, 0.75) - quantile(y, count, 0.25)) / 1.35;
    double weight = 1 / (noise * noise + 0.25);
    size_t varied = slope->varied;
    for (size_t i = from; i < to; i++) {
        if (point->runs[i].left_out)
            continue;
        double dx = doings_of(point->runs[i].run, doing) - usual_x,
               dy = point->runs[i].error - usual_y;
        slope->runs++;
        slope->products += weight * dx * dy;
        slope->squares += weight * dx * dx;
        slope->errors += weight * dy * dy;
        if (dx != 0)
            slope->ratios[slope->varied++] = dy / dx;
    }
    slope->points += slope->varied > varied;
}

static struct slope find_slope(const struct errors *errors, enum doing doing)
{
    const size_t all = errors->run_count;
    double *x = memory_new(all, sizeof(double)), *y = memory_new(all, sizeof(double));
    struct slope slope = {.p = 1, .ratios = memory_new(all, sizeof(double))};
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (point->left_out || (doing == DOING_INTERRUPTS && !point->point->has_interrupts))
            continue;
        for (size_t from = 0, to; from < point->run_count; from = to) {
            to = error_process_end(point, from);
            add_group(&slope, point, from, to, doing, x, y);
        }
    }
    double df = (double)slope.runs - (double)slope.points - 1;
    if (slope.varied < VARIED_LEAST || !(slope.squares > 0) || df < 1)
        return slope;
    slope.value = slope.products / slope.squares;
    double rest = fmax(slope.errors - slope.value * slope.products, 0);
    /* Never better than the noise that a rounded count has. */
    double error = sqrt(fmax(rest / df, 1) / slope.squares);
    double half = t_quantile(0.975, df) * error;
    slope.low = slope.value - half;
    slope.high = slope.value + half;
    slope.share = slope.errors > 0 ? 1 - fmin(rest / slope.errors, 1) : 0;
    sort_values(slope.ratios, slope.varied);
    /* One wild run among many makes a slope, but not the usual ratio. */
    double usual = quantile(slope.ratios, slope.varied, 0.5);
    if (fabs(usual - slope.value) <= 0.5 * fabs(slope.value) && slope.points >= 2)
        slope.p = t_two_sided_p(slope.value / error, df);
    return slope;
}

/* --- ticks that nobody counted: at random, the longer the more --- */

struct ticks {
    double each;                      /* counts that one of them adds */
    double events;                    /* how many of them */
    double seconds, truths, runs;     /* sums over the runs */
    double by_time, by_run, by_truth; /* log likelihoods: chance grows with time, is the same for
                                         all, grows with the count */
    double square, df;                /* of the points around it, by time */
    double variance, mean;            /* sums over points */
};

/* The most frequent error that is not 0, where most are; 0: there is none, or some are negative. */
static double usual_excess(const struct errors *errors)
{
    size_t count = 0, negative = 0, quiet = 0;
    double each = 0, *values = memory_new(errors->run_count, sizeof(double));
    for (size_t i = 0; i < errors->run_count; i++) {
        const struct error_run *run = errors->runs[i];
        if (!error_point_counts(run->point) || run->disturbed || run->left_out)
            continue;
        quiet++;
        negative += run->error < -0.5;
        if (run->error > 0.5)
            values[count++] = run->error;
    }
    if (count < 3 || (double)negative > 0.001 * (double)quiet)
        return 0;
    sort_values(values, count);
    size_t longest = 0;
    for (size_t i = 0, length = 0; i < count; i++) {
        length = i && values[i] == values[i - 1] ? length + 1 : 1;
        if (length > longest) {
            longest = length;
            each = values[i];
        }
    }
    return each;
}

/* Sums over the quiet runs of a point. */
struct excess {
    double events, squares, seconds, runs;
};

static struct excess excess_of(const struct error_point *point, double each)
{
    struct excess excess = {0};
    for (size_t i = 0; i < point->run_count; i++) {
        const struct error_run *run = &point->runs[i];
        if (run->disturbed || run->left_out)
            continue;
        double events = run->error / each;
        excess.events += events;
        excess.squares += events * events;
        excess.seconds += (double)run->run->enabled / 1e9;
        excess.runs++;
    }
    return excess;
}

static double likelihood(double events, double expected)
{
    double least = fmax(expected, 1e-9);
    return events * log(least) - least;
}

static void weigh_point(struct ticks *ticks, const struct error_point *point)
{
    struct excess excess = excess_of(point, ticks->each);
    double expected = ticks->events / ticks->seconds * excess.seconds;
    ticks->by_time += likelihood(excess.events, expected);
    ticks->by_run += likelihood(excess.events, ticks->events / ticks->runs * excess.runs);
    ticks->by_truth += likelihood(excess.events, ticks->events / fmax(ticks->truths, 1) *
                                                     point->truth * excess.runs);
    /* Rare ones have no normal deviation: half an event more than none. */
    ticks->square += (excess.events - expected) * (excess.events - expected) / fmax(expected, 0.5);
    ticks->df++;
    ticks->mean += excess.events / excess.runs;
    if (excess.runs > 1)
        ticks->variance +=
            (excess.squares - excess.events * excess.events / excess.runs) / (excess.runs - 1);
}

static void explain_ticks(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct ticks ticks = {.each = usual_excess(errors)};
    if (ticks.each <= 0)
        return;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!error_point_counts(point))
            continue;
        struct excess excess = excess_of(point, ticks.each);
        ticks.events += excess.events;
        ticks.seconds += excess.seconds;
        ticks.truths += point->truth * excess.runs;
        ticks.runs += excess.runs;
    }
    for (size_t i = 0; i < errors->count && ticks.seconds > 0; i++)
        if (error_point_counts(&errors->points[i]))
            weigh_point(&ticks, &errors->points[i]);
    double rate = ticks.seconds > 0 ? ticks.events / ticks.seconds : 0;
    /* An error that is the same in every run is no matter of chance. */
    if (ticks.events < TICKS_LEAST || rate < RATE_LEAST || rate > RATE_MOST ||
        ticks.by_time <= ticks.by_run + MUCH_LIKELIER ||
        ticks.by_time <= ticks.by_truth + LIKELIER || ticks.square > 5 * ticks.df ||
        ticks.variance < 0.02 * ticks.mean || ticks.variance > 20 * ticks.mean)
        return;
    double spread = fmax(ticks.square / fmax(ticks.df - 1, 1), 1);
    double half = 1.96 * sqrt(ticks.events * spread) / ticks.seconds;
    bool leaks = ticks.each >= HANDLER && event_is_user_only(errors->judgement->evidence);
    struct explanation found = explanation_of(
        leaks ? CAUSE_KERNEL_LEAK : CAUSE_INTERRUPT_OVERCOUNT, "second", rate * ticks.each,
        (rate - half) * ticks.each, (rate + half) * ticks.each, 1);
    SAY(explaining_add(explaining, &found), TICKS, ticks.each, rate, rate - half, rate + half);
    /* Rare ones do not move a point's median; where they are frequent, their mean goes. */
    for (size_t i = 0; i < errors->run_count; i++) {
        struct error_run *run = errors->runs[i];
        double expected = rate * (double)run->run->enabled / 1e9;
        if (expected > 1)
            run->error -= ticks.each * expected;
        else if (run->error > 0)
            run->error = fmod(run->error, ticks.each);
    }
}

static struct explanation slope_explanation(const struct errors *errors, const struct slope *slope,
                                            enum cause cause, const char *per)
{
    bool leaks = fabs(slope->value) >= HANDLER && event_is_user_only(errors->judgement->evidence);
    return explanation_of(leaks ? CAUSE_KERNEL_LEAK : cause, per, slope->value, slope->low,
                          slope->high, slope->share);
}

static void say_slope(struct explaining *explaining, const struct explanation *found, size_t varied,
                      enum validate_why code)
{
    REASON(explaining_add(explaining, found), SENTENCE, &validate_words[code], found->size,
           found->low, found->high, varied);
}

void explain_interrupts(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    struct slope slope = find_slope(errors, DOING_INTERRUPTS);
    if (slope.p > LEVEL) {
        explain_ticks(explaining);
        return;
    }
    struct explanation found =
        slope_explanation(errors, &slope, CAUSE_INTERRUPT_OVERCOUNT, "interrupt");
    say_slope(explaining, &found, slope.varied,
              found.cause == CAUSE_KERNEL_LEAK ? WHY_INTERRUPT_HANDLER : WHY_INTERRUPTS);
    double whole = round(slope.value);
    double each = whole >= slope.low && whole <= slope.high ? whole : slope.value;
    for (size_t i = 0; i < errors->run_count; i++)
        errors->runs[i]->error -= each * errors->runs[i]->run->interrupts;
}

void explain_stray_faults(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    /* Code that faults by itself tells more than faults that stray in. */
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].point->faults >= 10)
            return;
    struct slope slope = find_slope(errors, DOING_FAULTS);
    if (slope.p > LEVEL)
        return;
    struct explanation found =
        slope_explanation(errors, &slope, CAUSE_FAULT_OVERCOUNT, "page fault");
    say_slope(explaining, &found, slope.varied,
              found.cause == CAUSE_KERNEL_LEAK ? WHY_FAULT_HANDLER : WHY_STRAY_FAULTS);
}

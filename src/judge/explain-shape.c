/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts that are wrong in a way that their size alone betrays: they wrapped, they stop at a
 * ceiling, they stay zero up to some size. */
#include <math.h>
#include <stdlib.h>

#include "judge/explaining.h"
#include "judge/note.h"
#include "judge/points.h"

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

static void try_point(const struct error_point *point, double modulus, double room,
                      struct wrapped *wrapped)
{
    size_t before = wrapped->wrapped;
    for (size_t j = 0; j < point->run_count; j++) {
        const struct error_run *run = &point->runs[j];
        if (run->multiplexed || run->left_out || run->disturbed)
            continue;
        double multiple, rest = unwrap(point, run, modulus, &multiple);
        wrapped->runs++;
        wrapped->before += run->error * run->error;
        wrapped->after += rest * rest;
        /* Where noise hides which multiple it is, the count still stays below the modulus. */
        bool small = fabs(run_count_raw(point, run)) <= modulus;
        bool fits = room <= modulus / 8 ? fabs(rest) <= room : small;
        /* Between two readings it wraps once; a counter of so many bits has none above them. */
        fits = fits && (fabs(multiple) <= 1 || small);
        if (!fits)
            wrapped->exceptions++;
        else if (multiple != 0 && room <= modulus / 8) {
            wrapped->wrapped++;
            wrapped->away_from_zero += fabs(run_count_raw(point, run)) > room;
        }
    }
    wrapped->points += wrapped->wrapped > before;
}

static struct wrapped try_modulus(const struct errors *errors, double modulus)
{
    struct wrapped wrapped = {0};
    double counts = usual_error(errors, modulus, 0, SMALL, false);
    double from = fmax(SMALL, 1000 * counts);
    double part = usual_error(errors, modulus, from, modulus / 2, true);
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (point->proven)
            try_point(point, modulus, fmax(SLACK, USUAL_TIMES * (counts + part * point->truth)),
                      &wrapped);
    }
    return wrapped;
}

/* Errors of less than half a modulus are no multiple of it. */
static int most_bits(const struct errors *errors)
{
    double largest = 0;
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++)
            largest = fmax(largest, fabs(errors->points[i].runs[j].error));
    int bits = largest > 1 ? ilogb(largest) + 1 : 0;
    return bits < WRAP_MOST ? bits : WRAP_MOST;
}

int explain_wrap(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    for (int bits = most_bits(errors); bits >= WRAP_LEAST; bits--) {
        double modulus = ldexp(1, bits);
        struct wrapped wrapped = try_modulus(errors, modulus);
        if (wrapped.wrapped < WRAPPED_LEAST || wrapped.points < POINTS_LEAST ||
            !wrapped.away_from_zero ||
            (double)wrapped.exceptions > EXCEPTIONS * (double)wrapped.runs ||
            wrapped.after > (1 - WRAP_SHARE) * wrapped.before)
            continue;
        struct explanation found = {.cause = CAUSE_WRAP,
                                    .per = "wrap",
                                    .size = -modulus,
                                    .low = -modulus,
                                    .high = -modulus,
                                    .share = 1 - fmin(wrapped.after / wrapped.before, 1)};
        explaining_add(explaining, &found,
                       "Errors are multiples of 2^%d: the count wraps there (%zu of %zu runs).",
                       bits, wrapped.wrapped, wrapped.runs);
        for (size_t i = 0; i < errors->count; i++)
            for (size_t j = 0; j < errors->points[i].run_count; j++) {
                struct error_run *run = &errors->points[i].runs[j];
                double multiple;
                if (!run->multiplexed)
                    run->error = unwrap(&errors->points[i], run, modulus, &multiple);
            }
        return 0;
    }
    return 0;
}

/* --- stops at a ceiling --- */

static double highest_count(const struct errors *errors)
{
    double highest = 0;
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++)
            highest = fmax(highest, run_count_raw(&errors->points[i], &errors->points[i].runs[j]));
    return highest;
}

/* Does every quiet run of the point read this, to a thousandth? */
static bool stays_at(const struct error_point *point, double level)
{
    for (size_t i = 0; i < point->run_count; i++)
        if (!point->runs[i].disturbed && !point->runs[i].left_out &&
            fabs(run_count_raw(point, &point->runs[i]) - level) > 0.001 * level + 0.5)
            return false;
    return point->quiet > 0;
}

/* How far a point's location may be off by chance. */
static double sigma_of(const struct error_point *point)
{
    return hypot(point->sigma, point->overhead_sigma);
}

static bool is_right(const struct error_point *point)
{
    double noise = SIGMAS_TO_WRONG * sigma_of(point);
    return fabs(point->location) <= fmax(noise, 0.01 * point->truth);
}

int explain_saturation(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    double ceiling = highest_count(errors), lowest = INFINITY, highest = 0;
    size_t stuck = 0, below = 0, right = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!error_point_counts(point))
            continue;
        if (point->truth <= 0)
            continue;
        if (point->truth <= 1.002 * ceiling) {
            below++;
            right += is_right(point);
        } else if (stays_at(point, ceiling)) {
            stuck++;
            lowest = fmin(lowest, point->truth);
            highest = fmax(highest, point->truth);
        } else
            return 0;
    }
    /* Two different truths, one count; and right where it can be. */
    if (stuck < POINTS_LEAST || ceiling < 2 || highest < 1.5 * lowest || right < POINTS_LEAST ||
        (double)right < 0.9 * (double)below)
        return 0;
    struct explanation found = {.cause = CAUSE_LOST_COUNTS,
                                .per = "ceiling",
                                .size = ceiling,
                                .low = ceiling,
                                .high = ceiling,
                                .share = 1};
    explaining_add(explaining, &found,
                   "Counts stop at %s and are right below: truths from %s to %s all read it.",
                   FIGURE(ceiling), FIGURE(lowest), FIGURE(highest));
    for (size_t i = 0; i < errors->count; i++)
        errors->points[i].left_out |= errors->points[i].truth > 1.002 * ceiling;
    return 0;
}

/* --- zero up to some size --- */

/* Nothing within the noise, and that is clearly less than the truth? */
static bool reads_nothing(const struct error_point *point)
{
    double noise = SIGMAS_TO_WRONG * sigma_of(point);
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

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Counts from `from` on are right, or all of them lack the same (then the first so many are not
 * counted in larger ones either), or have the same too many: what counting itself adds, which the
 * null cell cannot show where it reads 0 as all small counts do. */
static bool right_from(const struct errors *errors, double from, size_t *right)
{
    size_t count = 0;
    double *locations = calloc(errors->count + 1, sizeof(double));
    if (!locations)
        return false;
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].truth >= from)
            locations[count++] = errors->points[i].location;
    qsort(locations, count, sizeof(double), by_value);
    double lack = count ? locations[count / 2] : 0;
    free(locations);
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
    double *lacks = calloc(errors->count + 1, sizeof(double));
    if (!lacks)
        return 0;
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].truth >= SMALL)
            least = fmin(least, errors->points[i].sigma);
    for (size_t i = 0; i < errors->count; i++)
        if (error_point_counts(&errors->points[i]) && errors->points[i].truth >= SMALL &&
            errors->points[i].sigma <= 3 * least)
            lacks[count++] = -errors->points[i].location;
    qsort(lacks, count, sizeof(double), by_value);
    double lack = count ? lacks[count / 2] : 0;
    free(lacks);
    return lack;
}

/* Every run lacks the same, and those that have less than that lack all of it. */
static int explain_late(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    double lack = usual_lack(errors);
    size_t fit = 0, wrong = 0, less = 0, more = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double sigma = sigma_of(point);
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
        return 0;
    struct explanation found = {.cause = CAUSE_THRESHOLD,
                                .per = "run",
                                .size = -lack,
                                .low = -lack,
                                .high = -lack,
                                .share = 1};
    explaining_add(explaining, &found,
                   "The first %s counts of every run are missing, and all of those that have no "
                   "more (%zu and %zu points).",
                   FIGURE(lack), fit, less);
    for (size_t i = 0; i < errors->count; i++)
        for (size_t j = 0; j < errors->points[i].run_count; j++)
            errors->points[i].runs[j].error += fmin(errors->points[i].truth, lack);
    return 0;
}

int explain_threshold(struct explaining *explaining)
{
    struct errors *errors = &explaining->errors;
    double zero_to = 0, right_at = INFINITY;
    size_t zeros = 0, right = 0;
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (error_point_counts(point) && point->truth > 0 && reads_nothing(point)) {
            zeros++;
            zero_to = fmax(zero_to, point->truth);
        }
    }
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        double noise = SIGMAS_TO_WRONG * sigma_of(point);
        /* Counts that the noise hides may be there or not. */
        if (error_point_counts(point) && point->truth > 0 && !reads_nothing(point) &&
            (point->truth > noise || noise < 3))
            right_at = fmin(right_at, point->truth);
    }
    if (zeros < POINTS_LEAST || !isfinite(right_at) || right_at <= zero_to ||
        !right_from(errors, right_at, &right) || right < POINTS_LEAST)
        return explain_late(explaining);
    struct explanation found = {.cause = CAUSE_THRESHOLD,
                                .per = "threshold",
                                .size = right_at,
                                .low = zero_to,
                                .high = right_at,
                                .share = 1};
    explaining_add(explaining, &found,
                   "Reads 0 up to a truth of %s and counts from %s on (%zu and %zu points).",
                   FIGURE(zero_to), FIGURE(right_at), zeros, right);
    for (size_t i = 0; i < errors->count; i++)
        errors->points[i].left_out |= errors->points[i].truth <= zero_to;
    return 0;
}

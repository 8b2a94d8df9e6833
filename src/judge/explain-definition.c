/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Another class whose truths the counts are, or a fixed multiple of them. Said only where the
 * points can tell both classes apart, and where no factor on the event's own class does as well. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/explaining.h"
#include "stats/interval.h"

#define FITS         5.0 /* standard deviations that a point may be off */
#define DIFFERS      6.0 /* standard deviations that the event's own class must be off … */
#define POINTS_LEAST 3   /* … at so many points */
#define OTHERS_MOST  4   /* named as just as good */

static const double multiples[] = {1, 2, 3, 4, 8, 16, 0.5, 0.25, 0.125};

struct fit {
    size_t known;             /* points that state the class */
    size_t wrong;             /* of them, where the class does not fit */
    size_t telling;           /* where it fits and the event's own truth does not */
    size_t unstated;          /* where the own truth does not fit and this class is not stated */
    double square;            /* of what it leaves, in standard deviations */
    double own;               /* of what the own class leaves */
    double products, squares; /* for the multiple: count * class, class * class, by sigma */
};

static double sigmas(const struct error_point *point, double error)
{
    return fabs(error) / hypot(point->sigma, point->overhead_sigma);
}

/* class NULL: the event's own. */
static struct fit try_class(const struct errors *errors, const char *class, double multiple)
{
    struct fit fit = {0};
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        if (!error_point_counts(point))
            continue;
        const struct trait *trait = class ? point_trait(point->point, TRAIT_CLASS, class) : NULL;
        bool own_fails = sigmas(point, point->location) > DIFFERS;
        if (class && !trait) {
            fit.unstated += own_fails;
            continue;
        }
        double truth = class ? (double)trait->count : point->truth;
        double count = point->truth + point->location;
        double off = sigmas(point, count - multiple * truth);
        fit.known++;
        fit.wrong += off > FITS;
        /* Where the noise could hide the class, that it is there says nothing. */
        fit.telling += off <= FITS && own_fails && sigmas(point, multiple * truth) > DIFFERS;
        fit.square += off * off;
        fit.own += sigmas(point, point->location) * sigmas(point, point->location);
        double weight = 1 / (point->sigma * point->sigma);
        fit.products += weight * count * truth;
        fit.squares += weight * truth * truth;
    }
    return fit;
}

static bool fits(const struct fit *fit)
{
    return fit->known && !fit->wrong && !fit->unstated && fit->telling >= POINTS_LEAST;
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

/* Are the counts the own class and that of the other one besides? */
static bool counts_along(const struct errors *errors, const char *class, double multiple)
{
    for (size_t i = 0; i < errors->count; i++) {
        const struct error_point *point = &errors->points[i];
        const struct trait *trait = point_trait(point->point, TRAIT_CLASS, class);
        if (error_point_counts(point) && trait &&
            sigmas(point, point->location - multiple * (double)trait->count) > FITS)
            return false;
    }
    return true;
}

/* Has the class been met in an earlier point, or earlier in this one? */
static bool is_repeated(const struct errors *errors, size_t at, size_t trait)
{
    const char *name = errors->points[at].point->traits[trait].name;
    for (size_t i = 0; i < at; i++)
        if (error_point_counts(&errors->points[i]) &&
            point_trait(errors->points[i].point, TRAIT_CLASS, name))
            return true;
    return false;
}

struct candidates {
    const char *names[OTHERS_MOST + 1];
    struct fit first;
    size_t count;
};

/* All classes of which the counts are this multiple. */
static void gather(const struct errors *errors, double multiple, struct candidates *candidates)
{
    const char *own = errors->judgement->evidence->class;
    candidates->count = 0;
    for (size_t i = 0; i < errors->count; i++) {
        if (!error_point_counts(&errors->points[i]))
            continue;
        const struct point *point = errors->points[i].point;
        for (size_t j = 0; j < point->trait_count; j++) {
            const char *name = point->traits[j].name;
            if (point->traits[j].kind != TRAIT_CLASS || (own && strcmp(own, name) == 0) ||
                is_repeated(errors, i, j))
                continue;
            struct fit fit = try_class(errors, name, multiple);
            if (!fits(&fit) || candidates->count > OTHERS_MOST ||
                (multiple != 1 && counts_along(errors, name, multiple)))
                continue;
            if (!candidates->count)
                candidates->first = fit;
            candidates->names[candidates->count++] = name;
        }
    }
}

static void say(struct explaining *explaining, double multiple, const struct candidates *candidates)
{
    const struct fit *fit = &candidates->first;
    char others[160] = "";
    size_t length = 0;
    for (size_t i = 1; i < candidates->count && length < sizeof(others); i++) {
        int more =
            snprintf(others + length, sizeof(others) - length, "%s%s",
                     i == 1 ? " (cannot be told apart here from " : ", ", candidates->names[i]);
        length += more > 0 ? (size_t)more : 0;
    }
    if (length && length < sizeof(others) - 1)
        snprintf(others + length, sizeof(others) - length, ")");
    double half = t_quantile(0.975, explaining->errors.noise_df) / sqrt(fit->squares);
    bool exact = explaining->errors.exact;
    struct explanation found = {.cause = CAUSE_OTHER_DEFINITION,
                                .size = multiple,
                                .low = exact ? multiple : multiple - half,
                                .high = exact ? multiple : multiple + half,
                                .share = fit->own > 0 ? 1 - fmin(fit->square / fit->own, 1) : 1};
    snprintf(found.per, sizeof(found.per), "%s", candidates->names[0]);
    snprintf(explaining->explained->fits, sizeof(explaining->explained->fits), "%s",
             candidates->names[0]);
    const char *own = explaining->errors.judgement->evidence->class;
    char times[32] = "";
    if (multiple != 1)
        snprintf(times, sizeof(times), "%g times ", multiple);
    /* One ladder alone often allows for both. */
    char factor[64] = "";
    struct fit plain = try_class(&explaining->errors, NULL, 1);
    if (multiple == 1 && plain.squares > 0 && own_factor_fits(&explaining->errors))
        snprintf(factor, sizeof(factor), " A factor of %.4g fits as well.",
                 plain.products / plain.squares);
    explaining_add(explaining, &found,
                   "Counts %s%s%s instead of %s: at all %zu points, %zu of which tell both "
                   "apart.%s",
                   times, candidates->names[0], others, own ? own : "what it says", fit->known,
                   fit->telling, factor);
}

int explain_definition(struct explaining *explaining, bool *found)
{
    struct candidates candidates;
    *found = false;
    for (size_t i = 0; i < sizeof(multiples) / sizeof(*multiples); i++) {
        /* A multiple of another class explains nothing that a factor does not. */
        if (multiples[i] != 1 && own_factor_fits(&explaining->errors))
            return 0;
        gather(&explaining->errors, multiples[i], &candidates);
        if (candidates.count) {
            say(explaining, multiples[i], &candidates);
            *found = true;
            return 0;
        }
    }
    return 0;
}

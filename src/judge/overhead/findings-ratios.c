/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One cost over another, with its interval, held against the mark that a claim sets; and the words
 * for both. */
#include <math.h>
#include <stdio.h>

#include "judge/note.h"
#include "judge/overhead/findings.h"

/* Times of fewer processes say little of the next one; counts of two that agree do. */
#define FEW_PROCESSES 5
#define FEW_COUNTED   2

/* Less than one unit is no cost to divide by. */
static double at_least_one(double value)
{
    return fmax(value, 1);
}

/* Distances of independent medians on the scale of ratios; those of one process go up and down
 * together, and then this is wider than need be. */
static double far(double one, double other)
{
    return sqrt(one * one + other * other);
}

static double distance(double from, double to)
{
    return to > 0 ? fabs(log(from / to)) : HUGE_VAL;
}

struct span {
    double value, low, high;
};

static struct span divide(const struct cost *one, const struct cost *other)
{
    double above = at_least_one(one->value), below = at_least_one(other->value);
    double down =
        far(distance(above, fmin(one->low, above)), distance(below, fmax(other->high, below)));
    double up = far(distance(above, fmax(one->high, above)),
                    distance(below, fmin(at_least_one(other->low), below)));
    double value = above / below;
    return (struct span){value, value * exp(-down), value * exp(up)};
}

/* What the levels of the cells would say: is any pair of them on the other side of the mark? */
static bool levels_object(const struct cost *one, const struct cost *other, double mark,
                          bool is_above)
{
    if (!cost_has_levels(one) && !cost_has_levels(other))
        return false;
    double least = at_least_one(one->least) / at_least_one(other->most);
    double most = at_least_one(one->most) / at_least_one(other->least);
    return is_above ? least < mark : most >= mark;
}

static struct ratio settle(const struct overhead_facts *facts, const struct cost *one,
                           const struct cost *other, double mark, struct estimate estimate)
{
    struct ratio ratio = {.estimate = estimate};
    size_t fewest = one->processes < other->processes ? one->processes : other->processes;
    if (fewest < (unit_is_time(facts->unit) ? FEW_PROCESSES : FEW_COUNTED)) {
        ratio.few = true;
        ratio.estimate.verdict = FINDING_INCONCLUSIVE;
    } else if (estimate.verdict != FINDING_INCONCLUSIVE &&
               levels_object(one, other, mark, estimate.low >= mark)) {
        ratio.by_levels = true;
        ratio.estimate.verdict = FINDING_INCONCLUSIVE;
    }
    return ratio;
}

struct ratio ratio_at_least(const struct overhead_facts *facts, const struct cost *one,
                            const struct cost *other, double mark)
{
    struct span span = divide(one, other);
    return settle(facts, one, other, mark,
                  estimate_at_least(span.value, span.low, span.high, mark));
}

struct ratio ratio_below(const struct overhead_facts *facts, const struct cost *one,
                         const struct cost *other, double mark)
{
    struct span span = divide(one, other);
    return settle(facts, one, other, mark, estimate_below(span.value, span.low, span.high, mark));
}

void tell_open(const struct ratio *ratio, struct finding *finding)
{
    if (ratio->few)
        finding_clause(finding, "too few processes were measured to tell");
    if (ratio->by_levels)
        finding_clause(finding, "these calls cost now this, now that (see their levels), and the "
                                "levels disagree");
}

const char *cost_words(double value, char text[])
{
    return figure_of(fabs(value) < 100 ? round(value * 10) / 10 : round(value), text);
}

const char *ratio_words(double value, char text[])
{
    snprintf(text, WORDS_SIZE, value < 1 ? "%.2f" : value < 10 ? "%.1f" : "%.0f", value);
    return text;
}

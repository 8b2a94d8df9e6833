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

/* With any one of its levels in the place of the median: on the other side of the mark? */
static bool crosses(double one, double other, double mark, bool is_above)
{
    return (at_least_one(one) / at_least_one(other) >= mark) != is_above;
}

/* The cost whose levels disagree; NULL: none. */
static const struct cost *objector(const struct cost *one, const struct cost *other, double mark,
                                   bool is_above)
{
    if (crosses(one->least, other->value, mark, is_above) ||
        crosses(one->most, other->value, mark, is_above))
        return one;
    if (crosses(one->value, other->least, mark, is_above) ||
        crosses(one->value, other->most, mark, is_above))
        return other;
    return NULL;
}

static struct ratio settle(const struct overhead_facts *facts, const struct cost *one,
                           const struct cost *other, double mark, struct estimate estimate)
{
    struct ratio ratio = {.estimate = estimate};
    size_t fewest = one->processes < other->processes ? one->processes : other->processes;
    ratio.few = fewest < (unit_is_time(facts->unit) ? FEW_PROCESSES : FEW_COUNTED);
    if (!ratio.few && estimate.verdict != FINDING_INCONCLUSIVE) {
        const struct cost *disagrees = objector(one, other, mark, estimate.low >= mark);
        ratio.by_levels = disagrees != NULL;
        ratio.least = disagrees ? disagrees->least : 0;
        ratio.most = disagrees ? disagrees->most : 0;
    }
    if (ratio.few || ratio.by_levels)
        ratio.estimate.verdict = FINDING_INCONCLUSIVE;
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

void tell_open(const struct overhead_facts *facts, const struct ratio *ratio,
               struct finding *finding)
{
    char least[WORDS_SIZE], most[WORDS_SIZE];
    if (ratio->few)
        finding_clause(finding, "too few processes were measured to tell");
    if (ratio->by_levels)
        finding_clause(finding,
                       "one of these calls costs now %s, now %s %s, and its levels disagree",
                       cost_words(ratio->least, least), cost_words(ratio->most, most),
                       meter_unit_names[facts->unit]);
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

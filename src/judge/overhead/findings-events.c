/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W7: how start, stop and read grow with the number of events: in a straight line or not, and
 * slower or not where one call serves a whole group. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/overhead/findings.h"

/* A power between these two is a straight line for eight events: within 1.6 times of it. */
#define LEAST_POWER 0.8
#define MOST_POWER  1.25
/* Growth below this share of the cost with one event is none. */
#define NO_GROWTH 0.01

static const struct overhead_operation *operation_of(const struct overhead_facts *facts,
                                                     const struct overhead_slope *slope)
{
    return slope->operation < facts->file->operation_count
               ? &facts->file->operations[slope->operation]
               : NULL;
}

/* Calls that use the operating system directly: what others add to them is told with peers. */
static bool concerns(const struct overhead_facts *facts, const struct overhead_slope *slope)
{
    const struct overhead_operation *operation = operation_of(facts, slope);
    return operation && slope->machine == facts->machine && !slope->by_reads &&
           slope->meter->unit == facts->unit && slope->points > 2 &&
           strncmp(operation->path, "perf-", 5) == 0;
}

static bool has_mode(const struct overhead_slope *slope, const char *mode)
{
    return slope->meter->mode && strcmp(slope->meter->mode, mode) == 0;
}

/* --- a straight line? --- */

static bool grows(const struct overhead_slope *slope)
{
    return slope->low > 0 && slope->slope > NO_GROWTH * fmax(slope->one, 1);
}

static struct estimate judge_power(const struct overhead_slope *slope)
{
    struct estimate straight = {.verdict = FINDING_INCONCLUSIVE,
                                .value = slope->exponent,
                                .low = slope->exponent_low,
                                .high = slope->exponent_high};
    double low = slope->exponent_low, high = slope->exponent_high;
    if (!isfinite(slope->exponent) || !isfinite(low) || !isfinite(high))
        return straight;
    /* For what is detectable. */
    straight = estimate_at_least(slope->exponent, low, high, 1);
    straight.verdict = low >= LEAST_POWER && high <= MOST_POWER ? FINDING_HOLDS
                       : low > MOST_POWER || high < LEAST_POWER ? FINDING_FAILS
                                                                : FINDING_INCONCLUSIVE;
    return straight;
}

static bool graver(const struct estimate *one, const struct estimate *other)
{
    if (one->verdict != other->verdict)
        return verdict_graver(one->verdict, other->verdict);
    return fabs(one->value - 1) > fabs(other->value - 1);
}

struct straightness {
    struct estimate gravest;
    const struct overhead_slope *slope; /* that it is of; NULL: none grows */
    size_t asked;
};

static struct straightness ask_straight(const struct overhead_facts *facts)
{
    struct straightness found = {.gravest = {.verdict = FINDING_UNTESTABLE}};
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (!concerns(facts, slope))
            continue;
        found.asked++;
        if (!grows(slope))
            continue;
        struct estimate power = judge_power(slope);
        if (!found.slope || graver(&power, &found.gravest)) {
            found.gravest = power;
            found.slope = slope;
        }
    }
    return found;
}

static void name_slope(const struct overhead_facts *facts, const struct overhead_slope *slope,
                       char *words, size_t size)
{
    const struct overhead_operation *operation = operation_of(facts, slope);
    snprintf(words, size, "%.40s of %s%s", operation->name,
             slope->separate ? "separate events" : "a group",
             has_mode(slope, "k") ? ", kernel code" : "");
}

static void tell_power(const struct overhead_facts *facts, const struct overhead_slope *slope,
                       struct finding *finding)
{
    char name[100], one[WORDS_SIZE], most[WORDS_SIZE];
    struct estimate power = judge_power(slope);
    name_slope(facts, slope, name, sizeof(name));
    finding_clause(finding, "%s %s: %s %s with one event, %s with %u%s", name,
                   power.verdict == FINDING_HOLDS   ? "grows linearly"
                   : power.verdict != FINDING_FAILS ? "may grow linearly or not"
                   : power.value > 1                ? "grows faster than linearly"
                                                    : "grows more slowly than linearly",
                   cost_words(slope->one, one), meter_unit_names[facts->unit],
                   cost_words(slope->most, most), slope->most_count,
                   power.verdict == FINDING_UNTESTABLE ? " (no power could be fitted)" : "");
}

/* What else here is certainly not straight. */
static void tell_other_powers(const struct overhead_facts *facts, const struct overhead_slope *told,
                              struct finding *finding)
{
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (slope == told || !concerns(facts, slope) || !grows(slope))
            continue;
        struct estimate power = judge_power(slope);
        if (power.verdict == FINDING_FAILS)
            tell_power(facts, slope, finding);
    }
}

/* --- slower as a group? --- */

/* The slope in all modes together. Slopes may be 0 or less: only the three figures are filled. */
static bool add_up(const struct overhead_facts *facts, const struct overhead_slope *like,
                   bool separate, struct cost *sum)
{
    size_t halves = 0;
    *sum = (struct cost){0};
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (!concerns(facts, slope) || slope->separate != separate ||
            slope->operation != like->operation || strcmp(slope->link, like->link) != 0)
            continue;
        bool half = has_mode(slope, "u") || has_mode(slope, "k");
        if (!half) {
            *sum = (struct cost){.value = slope->slope, .low = slope->low, .high = slope->high};
            return true;
        }
        sum->value += slope->slope;
        sum->low += slope->low;
        sum->high += slope->high;
        halves++;
    }
    return halves == 2;
}

struct slower {
    struct estimate gravest;
    const struct overhead_slope *slope;
    double group, separate;
};

/* A difference of slopes, as a share of that of separate events: slopes may be 0. */
static bool judge_slower(const struct overhead_facts *facts, const struct overhead_slope *like,
                         struct slower *slower)
{
    struct cost group, apart;
    if (!add_up(facts, like, false, &group) || !add_up(facts, like, true, &apart) ||
        !(apart.low > 0))
        return false;
    double value = group.value / apart.value;
    double down = hypot((group.value - group.low) / apart.value,
                        value * (apart.high - apart.value) / apart.value);
    double up = hypot((group.high - group.value) / apart.value,
                      value * (apart.value - apart.low) / apart.value);
    slower->gravest = estimate_below(value, value - down, value + up, 1);
    slower->slope = like;
    slower->group = group.value;
    slower->separate = apart.value;
    return true;
}

static struct slower ask_slower(const struct overhead_facts *facts)
{
    struct slower gravest = {.gravest = {.verdict = FINDING_UNTESTABLE}};
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        struct slower one;
        if (!concerns(facts, slope) || slope->separate || !judge_slower(facts, slope, &one))
            continue;
        if (!gravest.slope || verdict_graver(one.gravest.verdict, gravest.gravest.verdict) ||
            (one.gravest.verdict == gravest.gravest.verdict &&
             one.gravest.value > gravest.gravest.value))
            gravest = one;
    }
    return gravest;
}

static void tell_slower(const struct overhead_facts *facts, const struct slower *slower,
                        struct finding *finding)
{
    char group[WORDS_SIZE], apart[WORDS_SIZE];
    if (!slower->slope) {
        finding_clause(finding, "a group and separate events were not both measured");
        return;
    }
    finding_clause(finding, "each further event adds %s to %.40s of a group, %s of separate ones",
                   cost_words(slower->group, group), operation_of(facts, slower->slope)->name,
                   cost_words(slower->separate, apart));
}

void rule_more_events(const struct overhead_facts *facts, struct finding *finding)
{
    struct straightness straight = ask_straight(facts);
    struct slower slower = ask_slower(facts);
    if (!straight.asked) {
        if (facts->has_unit)
            finding_clause(finding, "calls with several events were not measured");
        tell_absent(facts, "perf-read.read", finding);
        return;
    }
    if (!straight.slope && !slower.slope) {
        finding_clause(finding, "no call costs certainly more with more events, so there is no "
                                "growth to compare");
        finding->verdict = FINDING_INCONCLUSIVE;
        return;
    }
    bool by_power =
        straight.slope && !verdict_graver(slower.gravest.verdict, straight.gravest.verdict);
    finding->unit = by_power ? "power of the number of events" : "times";
    estimate_report(by_power ? &straight.gravest : &slower.gravest, finding);
    if (straight.slope)
        tell_power(facts, straight.slope, finding);
    tell_slower(facts, &slower, finding);
    tell_other_powers(facts, straight.slope, finding);
}

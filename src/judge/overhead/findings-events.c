/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * W7: how start, stop and read grow with the number of events: in a straight line or not, and
 * slower or not where one call serves a whole group. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/overhead/findings.h"

/* A power between these two is a straight line: within a fifth of it for eight events. */
#define LEAST_POWER 0.9
#define MOST_POWER  1.1
/* So is what a straight line meets so well at every number of events. */
#define MISS_MOST 0.05
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
    if (operation && facts->hides && strcmp(operation->kind, "read") != 0)
        return false;
    return operation && slope->machine == facts->machine && !slope->by_reads &&
           slope->meter->unit == facts->unit && slope->points > 2 &&
           strncmp(operation->path, "perf-", 5) == 0;
}

static bool has_mode(const struct overhead_slope *slope, const char *mode)
{
    return slope->meter->mode && strcmp(slope->meter->mode, mode) == 0;
}

static bool is_half(const struct overhead_slope *slope)
{
    return has_mode(slope, "u") || has_mode(slope, "k");
}

/* --- a straight line? --- */

/* Is the same known of user and kernel code together? */
static bool has_whole(const struct overhead_facts *facts, const struct overhead_slope *half)
{
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (concerns(facts, slope) && !is_half(slope) && slope->operation == half->operation &&
            slope->separate == half->separate && strcmp(slope->link, half->link) == 0)
            return true;
    }
    return false;
}

static bool grows(const struct overhead_slope *slope)
{
    return slope->low > 0 && slope->slope > NO_GROWTH * fmax(slope->one, 1);
}

/* Events that share a call may grow more slowly than linearly: the claim says so. */
static enum finding_verdict verdict_of(const struct overhead_slope *slope)
{
    double low = slope->exponent_low, high = slope->exponent_high;
    if (slope->straight && slope->miss <= MISS_MOST)
        return FINDING_HOLDS;
    if (!isfinite(slope->exponent) || !isfinite(low) || !isfinite(high))
        return FINDING_INCONCLUSIVE;
    if (low > MOST_POWER || (high < LEAST_POWER && slope->separate))
        return FINDING_FAILS;
    return (low >= LEAST_POWER || !slope->separate) && high <= MOST_POWER ? FINDING_HOLDS
                                                                          : FINDING_INCONCLUSIVE;
}

static struct estimate judge_power(const struct overhead_slope *slope)
{
    /* For what is detectable. */
    struct estimate power =
        estimate_at_least(slope->exponent, slope->exponent_low, slope->exponent_high, 1);
    power.verdict = verdict_of(slope);
    return power;
}

/* Among equals those of separate events: where one call serves all, most of its cost is the call.
 */
static bool graver(const struct overhead_slope *one, const struct overhead_slope *other)
{
    enum finding_verdict now = verdict_of(one), before = verdict_of(other);
    if (now != before)
        return verdict_graver(now, before);
    if (one->separate != other->separate)
        return one->separate;
    return fabs(one->exponent - 1) > fabs(other->exponent - 1);
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
        if (!concerns(facts, slope) || (is_half(slope) && has_whole(facts, slope)))
            continue;
        found.asked++;
        if (!grows(slope))
            continue;
        if (!found.slope || graver(slope, found.slope)) {
            found.gravest = judge_power(slope);
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

static const char *growth_words(const struct overhead_slope *slope)
{
    enum finding_verdict verdict = verdict_of(slope);
    if (verdict == FINDING_INCONCLUSIVE)
        return "may grow linearly or not";
    if (verdict == FINDING_FAILS && slope->exponent > 1)
        return "grows faster than linearly";
    return verdict == FINDING_HOLDS && (slope->straight || slope->separate)
               ? "grows linearly"
               : "grows more slowly than linearly";
}

static void tell_power(const struct overhead_facts *facts, const struct overhead_slope *slope,
                       struct finding *finding)
{
    char name[100], one[WORDS_SIZE], most[WORDS_SIZE];
    name_slope(facts, slope, name, sizeof(name));
    finding_clause(finding, "%s %s: %s %s with one event, %s with %u", name, growth_words(slope),
                   cost_words(slope->one, one), meter_unit_names[facts->unit],
                   cost_words(slope->most, most), slope->most_count);
}

/* What else here is certainly not straight. */
static void tell_other_powers(const struct overhead_facts *facts, const struct overhead_slope *told,
                              struct finding *finding)
{
    for (size_t i = 0; i < facts->report->slope_count; i++) {
        const struct overhead_slope *slope = &facts->report->slopes[i];
        if (slope == told || !concerns(facts, slope) || !grows(slope) ||
            (is_half(slope) && has_whole(facts, slope)))
            continue;
        if (verdict_of(slope) == FINDING_FAILS)
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
        if (!is_half(slope)) {
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
        /* Reads in user code share nothing: every event has a page of its own. */
        if (!concerns(facts, slope) || slope->separate || *operation_of(facts, slope)->page ||
            !judge_slower(facts, slope, &one))
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
    if (!slower.slope && finding->verdict == FINDING_HOLDS)
        finding->verdict = FINDING_INCONCLUSIVE; /* half of the claim was not asked */
    if (straight.slope)
        tell_power(facts, straight.slope, finding);
    tell_slower(facts, &slower, finding);
    tell_other_powers(facts, straight.slope, finding);
}

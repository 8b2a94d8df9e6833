/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an operation costs on one machine, so that it can be held against another one: user and
 * kernel code together, after the same predecessors, in processes of the same kind. */
#include <math.h>
#include <string.h>

#include "judge/overhead/findings.h"
#include "stats/moments.h"

bool unit_is_time(enum meter_unit unit)
{
    return unit == METER_TICKS || unit == METER_NS || unit == METER_CYCLES;
}

bool cost_is_known(const struct cost *cost)
{
    return cost->processes > 0;
}

bool cost_has_levels(const struct cost *cost)
{
    return cost->least < cost->value || cost->most > cost->value;
}

struct cost cost_plus(struct cost one, struct cost other)
{
    if (!cost_is_known(&one) || !cost_is_known(&other))
        return (struct cost){0};
    size_t fewest = one.processes < other.processes ? one.processes : other.processes;
    return (struct cost){.value = one.value + other.value,
                         .low = one.low + other.low,
                         .high = one.high + other.high,
                         .least = one.least + other.least,
                         .most = one.most + other.most,
                         .faults = one.faults + other.faults,
                         .processes = fewest};
}

struct cost cost_times(struct cost cost, double factor)
{
    cost.value *= factor, cost.low *= factor, cost.high *= factor;
    cost.least *= factor, cost.most *= factor;
    cost.faults *= factor;
    return cost;
}

/* The step in which the meter counts: no interval is narrower. */
static double resolution_of(const struct overhead_facts *facts, const struct overhead_row *row)
{
    for (size_t i = 0; i < facts->report->timer_count; i++) {
        const struct overhead_timer *timer = &facts->report->timers[i];
        if (timer->machine == row->machine && timer->known &&
            strcmp(timer->meter->event, row->meter->event) == 0 && isfinite(timer->resolution))
            return timer->resolution;
    }
    return 0;
}

static struct cost cost_of_row(const struct overhead_facts *facts, const struct overhead_row *row)
{
    struct cost cost = {.value = row->median,
                        .low = row->low,
                        .high = row->high,
                        .least = row->median,
                        .most = row->median,
                        .faults = row->runs ? (double)row->faults / (double)row->runs : 0,
                        .processes = row->processes};
    bool by_steps = unit_is_time(facts->unit) || row->meter->step > 1;
    double half = by_steps ? resolution_of(facts, row) / 2 : 0;
    /* One process limits nothing; fmin and fmax take the other of a number and NaN. */
    cost.low = row->processes > 1 ? fmin(cost.low, cost.value - half) : -HUGE_VAL;
    cost.high = row->processes > 1 ? fmax(cost.high, cost.value + half) : HUGE_VAL;
    for (size_t i = 0; row->level_count > 1 && i < row->level_count; i++) {
        cost.least = fmin(cost.least, row->levels[i].median);
        cost.most = fmax(cost.most, row->levels[i].median);
    }
    return cost;
}

static bool same(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

static bool is_operation(const struct overhead_facts *facts, int32_t index, const char *name)
{
    return index >= 0 && (size_t)index < facts->file->operation_count &&
           same(facts->file->operations[index].name, name);
}

/* One call of an operation on one counter, of this machine, in this unit. */
static bool concerns(const struct overhead_facts *facts, const struct overhead_row *row,
                     enum temperature temperature, const char *link, const char *operation)
{
    return row->machine == facts->machine && row->meter->unit == facts->unit &&
           row->temperature == temperature && row->runs > 0 && row->events <= 1 &&
           row->reads <= 1 && !row->all_predecessors && (!link || same(row->link, link)) &&
           is_operation(facts, (int32_t)row->operation, operation);
}

static bool same_circumstances(const struct overhead_row *row, const struct overhead_row *like)
{
    return row->predecessor == like->predecessor &&
           row->predecessor_times == like->predecessor_times && row->position == like->position &&
           row->separate == like->separate && same(row->link, like->link) &&
           same(row->counted, like->counted);
}

static const struct overhead_row *row_like(const struct overhead_facts *facts,
                                           const struct overhead_row *like, const char *operation,
                                           const char *mode)
{
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        if (concerns(facts, row, like->temperature, like->link, operation) &&
            same_circumstances(row, like) && same(row->meter->mode, mode))
            return row;
    }
    return NULL;
}

/* What is metered in user mode alone needs the other half, too. */
static bool is_half(const struct overhead_meter *meter)
{
    return same(meter->mode, "u") || same(meter->mode, "k");
}

/* The operation in the circumstances of `like`, in all modes together. */
static struct cost whole_cost(const struct overhead_facts *facts, const struct overhead_row *like,
                              const char *operation)
{
    const struct overhead_row *row = NULL;
    if (!is_half(like->meter)) {
        row = row_like(facts, like, operation, like->meter->mode);
        return row ? cost_of_row(facts, row) : (struct cost){0};
    }
    const struct overhead_row *user = row_like(facts, like, operation, "u");
    const struct overhead_row *kernel = row_like(facts, like, operation, "k");
    if (!user || !kernel)
        return (struct cost){0};
    struct cost whole = cost_plus(cost_of_row(facts, user), cost_of_row(facts, kernel));
    whole.faults = cost_of_row(facts, user).faults; /* the same faults, seen by both */
    return whole;
}

/* Kernel rows are found beside those of user mode. */
static bool leads(const struct overhead_row *row)
{
    return !same(row->meter->mode, "k");
}

/* Is the operation known in all modes together as well, as the clock of an emulated machine counts
 * it? Then halves do not lead: they may miss what the clock does not. */
static bool has_whole(const struct overhead_facts *facts, enum temperature temperature,
                      const char *link, const char *operation)
{
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        if (concerns(facts, row, temperature, link, operation) && same(row->meter->mode, "uk"))
            return true;
    }
    return false;
}

/* Costs of one operation after several predecessors. */
#define PREDECESSORS_MOST 64
struct costs_after {
    struct cost sum;
    double down[PREDECESSORS_MOST], up[PREDECESSORS_MOST]; /* from the median to its limits */
};

static void add_cost(struct costs_after *after, size_t index, const struct cost *cost)
{
    after->sum = index ? cost_plus(after->sum, *cost) : *cost;
    after->down[index] = cost->value - cost->low;
    after->up[index] = cost->high - cost->value;
}

/* An interrupt in one of few processes makes the interval after one predecessor absurdly wide: what
 * counts is how wide they usually are. Not narrower for being several, as all are of one process.
 */
static struct cost mean_cost(struct costs_after *after, size_t count)
{
    struct cost mean = cost_times(after->sum, 1 / (double)count);
    sort_values(after->down, count);
    sort_values(after->up, count);
    mean.low = mean.value - after->down[count / 2];
    mean.high = mean.value + after->up[count / 2];
    return mean;
}

bool warm_costs(const struct overhead_facts *facts, const char *link, const char *const *operations,
                size_t count, struct cost *costs)
{
    struct costs_after after[WARM_MOST];
    struct cost each[WARM_MOST];
    size_t found = 0;
    bool whole = true;
    for (size_t j = 0; j < count; j++)
        whole &= has_whole(facts, TEMPERATURE_WARM, link, operations[j]);
    for (size_t i = 0; i < facts->report->row_count && found < PREDECESSORS_MOST; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        /* The very first call of a process follows nothing, and is no warm one. */
        if (!concerns(facts, row, TEMPERATURE_WARM, link, operations[0]) || !leads(row) ||
            row->predecessor < 0 || (whole && is_half(row->meter)))
            continue;
        bool all = true;
        for (size_t j = 0; all && j < count; j++) {
            each[j] = whole_cost(facts, row, operations[j]);
            all = cost_is_known(&each[j]);
        }
        for (size_t j = 0; all && j < count; j++)
            add_cost(&after[j], found, &each[j]);
        found += all;
    }
    for (size_t j = 0; j < count; j++)
        costs[j] = found ? mean_cost(&after[j], found) : (struct cost){0};
    return found > 0;
}

/* How well a cold row answers: the wanted predecessor before any, more runs before fewer. */
static bool better(const struct overhead_facts *facts, const struct overhead_row *row,
                   const struct overhead_row *best, const char *after)
{
    if (!best)
        return true;
    bool wanted[2];
    const struct overhead_row *rows[2] = {row, best};
    for (int i = 0; i < 2; i++) {
        int32_t before = rows[i]->predecessor;
        wanted[i] = after ? is_operation(facts, before, after)
                          : before < 0 || is_operation(facts, before, "timer.nothing");
    }
    return wanted[0] != wanted[1] ? wanted[0] : row->runs > best->runs;
}

struct cost cold_cost(const struct overhead_facts *facts, const char *link, const char *operation,
                      uint32_t position, const char *after)
{
    const struct overhead_row *best = NULL;
    bool whole = has_whole(facts, TEMPERATURE_COLD, link, operation);
    for (size_t i = 0; i < facts->report->row_count; i++) {
        const struct overhead_row *row = &facts->report->rows[i];
        if (!(whole && is_half(row->meter)) &&
            concerns(facts, row, TEMPERATURE_COLD, link, operation) && leads(row) &&
            row->position == position && better(facts, row, best, after))
            best = row;
    }
    return best ? whole_cost(facts, best, operation) : (struct cost){0};
}

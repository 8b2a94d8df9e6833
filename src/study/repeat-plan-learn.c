/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a plan learns from executions: whether programs can be started, whether they end, how long
 * they take and how many instructions they have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/repeat/plan.h"

#define MS_NS UINT64_C(1000000)

/* What the columns of a cell are. */
struct read_columns {
    int status, nanoseconds, instructions; /* -1: not there */
};

struct reading {
    struct repeat_plan *plan;
    struct read_columns *columns; /* [cell id] */
};

void repeat_plan_drop(struct repeat_plan *plan, size_t wish)
{
    struct wish *dropped = &plan->wishes.list[wish];
    plan->aims[wish].dropped = true;
    /* It waits for itself: nothing more is due. */
    dropped->after = wish;
    dropped->processes = dropped->least = 0;
}

static int column(const struct cell *cell, const char *event)
{
    for (uint32_t i = 0; i < cell->counters; i++)
        if (strcmp(cell->events[i], event) == 0)
            return (int)i;
    return -1;
}

/* instructions:u, qemu/instructions/ and their like. */
static bool counts_instructions(const char *event)
{
    const char *slash = strchr(event, '/');
    const char *name = slash ? slash + 1 : event;
    const size_t length = strcspn(name, slash ? "/" : ":");
    return length == strlen("instructions") && strncmp(name, "instructions", length) == 0;
}

static void find_columns(struct reading *reading)
{
    const struct wishes *wishes = &reading->plan->wishes;
    for (size_t i = 0; i < wishes->cell_count; i++) {
        struct read_columns *found = &reading->columns[i + 1];
        *found = (struct read_columns){.status = column(&wishes->cells[i], RUN_STATUS),
                                       .nanoseconds = column(&wishes->cells[i], RUN_NANOSECONDS),
                                       .instructions = -1};
        for (uint32_t j = 0; j < wishes->cells[i].counters && found->instructions < 0; j++)
            if (counts_instructions(wishes->cells[i].events[j]))
                found->instructions = (int)j;
    }
}

static void note_status(struct repeat_plan *plan, size_t wish, uint64_t status)
{
    struct repeat_aim *aim = &plan->aims[wish];
    struct repeat_told *told = &plan->told[aim->program];
    aim->runs++;
    aim->timed_out += status >= STATUS_TIMEOUT;
    if (wish != told->first)
        return;
    if (!told->has_status)
        told->status = status;
    told->has_status = true;
    told->runs++;
    told->endless += status >= STATUS_TIMEOUT;
}

static int note(void *context, const struct sample *sample)
{
    const struct reading *reading = context;
    struct repeat_plan *plan = reading->plan;
    if (sample->cell < 1 || sample->cell > plan->wishes.cell_count)
        return 0;
    const size_t wish = plan->wishes.about[sample->cell - 1].wish;
    const struct read_columns *columns = &reading->columns[sample->cell];
    const int counter = (int)sample->counter;
    if (wish == NO_WISH)
        return 0;
    struct repeat_told *told = &plan->told[plan->aims[wish].program];
    if (counter == columns->status)
        note_status(plan, wish, sample->value);
    if (counter == columns->nanoseconds && wish == told->first) {
        told->ns += sample->value;
        told->ns_runs++;
    }
    if (counter == columns->instructions && sample->value > told->instructions)
        told->instructions = sample->value;
    return 0;
}

static int read_executions(struct repeat_plan *plan, struct store *store, struct failure *failure)
{
    struct reading reading = {plan, calloc(plan->wishes.cell_count + 1, sizeof(*reading.columns))};
    AUTO_FREE void *columns = reading.columns;
    if (!columns)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t i = 0; i < plan->program_count; i++)
        plan->told[i] = (struct repeat_told){.first = plan->told[i].first};
    for (size_t i = 0; i < plan->wishes.count; i++)
        plan->aims[i].runs = plan->aims[i].timed_out = 0;
    find_columns(&reading);
    return store_each_sample(store, 0, note, &reading, failure);
}

/* --- what follows --- */

/* A second process is planned only when looking is over. */
static bool was_looked_at(const struct repeat_plan *plan)
{
    for (size_t i = 0; i < plan->wishes.count; i++)
        if (wishes_processes(&plan->wishes, i) > 1)
            return true;
    return false;
}

static void release_held(struct repeat_plan *plan)
{
    for (size_t i = 0; i < plan->wishes.count; i++) {
        if (plan->aims[i].held && !plan->aims[i].dropped)
            plan->wishes.list[i].after = plan->aims[i].after;
        plan->aims[i].held = false;
    }
}

static bool is_over(const struct repeat_plan *plan, size_t program)
{
    const struct repeat_told *told = &plan->told[program];
    return told->first != NO_WISH && (wishes_is_failing(&plan->wishes, told->first) ||
                                      (told->runs && told->endless == told->runs));
}

/* Does it wait for an execution by the same source that did not end? */
static bool follows_endless(const struct repeat_plan *plan, size_t wish)
{
    const size_t after = plan->wishes.list[wish].after;
    if (after == NO_WISH || after == wish)
        return false;
    const struct repeat_aim *aim = &plan->aims[wish], *before = &plan->aims[after];
    return before->dropped && before->program == aim->program && before->source == aim->source;
}

/* Nothing more of programs that cannot be started or never end; where the user's does not, of
 * nothing. */
static void give_up(struct repeat_plan *plan)
{
    const bool all = plan->program_count && plan->programs[0].user && is_over(plan, 0);
    for (size_t i = 0; i < plan->wishes.count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        const bool endless = aim->runs && aim->timed_out == aim->runs;
        if (!aim->dropped &&
            (all || endless || is_over(plan, aim->program) || follows_endless(plan, i)))
            repeat_plan_drop(plan, i);
    }
}

/* What waits for a source that turned out to be unable waits for the first execution instead. */
static void wait_for_others(struct repeat_plan *plan)
{
    for (size_t i = 0; i < plan->wishes.count; i++) {
        struct wish *wish = &plan->wishes.list[i];
        const struct repeat_aim *aim = &plan->aims[i];
        if (wish->after == NO_WISH || wish->after == i || aim->dropped || aim->held)
            continue;
        const struct repeat_aim *before = &plan->aims[wish->after];
        const bool able = !wishes_is_failing(&plan->wishes, wish->after) && !before->dropped;
        if (!able && before->program == aim->program && before->source != aim->source)
            wish->after = plan->told[aim->program].first;
    }
}

/* A person who names nobody but a stepper wants it tried: before anybody counted instructions its
 * price is a guess, and it takes no longer than it may. */
static uint64_t most_of_first(const struct repeat_plan *plan, size_t wish, uint64_t price)
{
    const struct repeat_aim *aim = &plan->aims[wish];
    const uint64_t timeout = plan->wishes.list[wish].cells[0].command.timeout * MS_NS;
    const uint64_t most = timeout - timeout / 10;
    const bool named = plan->passes && aim->pass == REPEAT_FIRST && aim->source != REPEAT_PLAIN &&
                       plan->sources[aim->source].each_ns;
    return named && timeout && price > most ? most : price;
}

/* Prices of what was seen are what it took, so that nothing is corrected twice. */
static void set_prices(struct repeat_plan *plan)
{
    for (size_t i = 0; i < plan->wishes.count; i++) {
        struct wish *wish = &plan->wishes.list[i];
        const struct repeat_aim *aim = &plan->aims[i];
        wish->expected_ns =
            wish->visits
                ? wish->ns / wish->visits
                : most_of_first(plan, i,
                                repeat_plan_price(plan, aim->program, aim->source, aim->detail));
    }
}

void repeat_plan_follow(struct repeat_plan *plan)
{
    give_up(plan);
    wait_for_others(plan);
    set_prices(plan);
}

int repeat_plan_learn(struct repeat_plan *plan, struct store *store, struct failure *failure)
{
    int error = read_executions(plan, store, failure);
    if (error < 0)
        return error;
    if (was_looked_at(plan) && !plan->passes)
        release_held(plan);
    repeat_plan_follow(plan);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay overhead`: which tours a budget holds, and the order of their visits. */
#include "studies/overhead/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "study/plan.h"

#define SURELY_FIT 4u /* counters */
#define GIVE_UP    5u /* failures after which a tour gets no further visit */

const char *const overhead_stage_names[OVERHEAD_STAGES] = {
    [OVERHEAD_READS] = "reads side by side",
    [OVERHEAD_SWITCHES] = "start, stop and read of shared counters",
    [OVERHEAD_SINGLES] = "start, stop and read of a path alone",
    [OVERHEAD_COLD] = "first calls",
    [OVERHEAD_COMMANDS] = "whole commands",
    [OVERHEAD_EVENTS] = "number of events",
    [OVERHEAD_REPEATS] = "reads in a row",
};

/* The most important first: bare calls in every respect, then what others make of them. */
static overhead_wish_stage *const wishers[] = {
    overhead_wish_reads,  overhead_wish_instruments, overhead_wish_bare_cold,
    overhead_wish_events, overhead_wish_repeats,     overhead_wish_commands,
    overhead_wish_cold,   overhead_wish_more_events,
};

static bool same_cell(const struct cell *left, const struct cell *right)
{
    return plan_same_way(left, right) && left->runs == right->runs &&
           strcmp(left->specimen, right->specimen) == 0 && left->n == right->n;
}

/* The same with fewer counters, whoever calls: how many fit is the machine's to say. */
static bool is_fewer(const struct cell *fewer, const struct cell *more)
{
    return fewer->tour.open < more->tour.open && fewer->separate == more->separate &&
           strcmp(fewer->link, more->link) == 0 && strcmp(fewer->events[0], more->events[0]) == 0;
}

/* Who does not fit with so many counters does not with more: those beyond what every CPU has are
 * tried one after the other. */
static void find_fewer(struct overhead_plan *plan)
{
    for (size_t i = 0; i < plan->wish_count; i++) {
        const struct cell *cell = &plan->wishes[i].circuits[0];
        uint32_t most = 0;
        plan->wishes[i].after = OVERHEAD_NO_WISH;
        for (size_t j = 0; j < plan->wish_count && cell->tour.open > SURELY_FIT; j++) {
            const struct cell *other = &plan->wishes[j].circuits[0];
            if (!is_fewer(other, cell) || other->tour.open <= most)
                continue;
            plan->wishes[i].after = j;
            most = other->tour.open;
        }
    }
}

static void wish_free(struct overhead_wish *wish)
{
    for (size_t i = 0; i < wish->circuit_count; i++)
        cell_release(&wish->circuits[i]);
    free(wish->circuits);
}

/* One counter of a sweep may be what another stage measures anyway, in the same orders. */
static void drop_repeated(struct overhead_plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->wish_count; i++) {
        bool repeated = false;
        for (size_t j = 0; j < kept && !repeated; j++)
            repeated = same_cell(&plan->wishes[i].circuits[0], &plan->wishes[j].circuits[0]);
        if (repeated)
            wish_free(&plan->wishes[i]);
        else
            plan->wishes[kept++] = plan->wishes[i];
    }
    plan->wish_count = kept;
}

int overhead_plan_wish(const struct overhead_study *study, struct overhead_plan *plan,
                       struct failure *failure)
{
    struct overhead_wisher wisher = {.study = study, .plan = plan, .failure = failure};
    for (size_t i = 0; i < study->meters_count; i++) {
        wisher.meters = &study->meters[i];
        for (size_t j = 0; j < sizeof(wishers) / sizeof(*wishers); j++)
            if (!study->uncounted || wishers[j] == overhead_wish_commands)
                wishers[j](&wisher);
    }
    if (wisher.error == 0)
        drop_repeated(plan);
    if (wisher.error == 0)
        find_fewer(plan);
    else if (wisher.error == -ENOMEM)
        fail_with(failure, -ENOMEM, "out of memory");
    return wisher.error;
}

/* --- the cells of a plan --- */

static size_t wish_of(const struct overhead_plan *plan, const struct cell *cell)
{
    for (size_t i = 0; i < plan->wish_count; i++)
        for (size_t j = 0; j < plan->wishes[i].circuit_count; j++)
            if (same_cell(&plan->wishes[i].circuits[j], cell))
                return i;
    return OVERHEAD_NO_WISH;
}

static int append(struct overhead_plan *plan, const struct cell *cell, struct overhead_about about)
{
    struct cell copy;
    struct overhead_about *grown = reallocarray(plan->about, plan->count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    plan->about = grown;
    int error = cell_copy(&copy, cell);
    if (error < 0)
        return error;
    error = plan_append(&plan->cells, &plan->count, &copy);
    if (error < 0)
        cell_release(&copy);
    else
        plan->about[plan->count - 1] = about;
    return error;
}

int overhead_plan_adopt(struct overhead_plan *plan, const struct cell *cell, uint32_t planned,
                        uint32_t failed)
{
    return append(
        plan, cell,
        (struct overhead_about){.wish = wish_of(plan, cell), .planned = planned, .failed = failed});
}

static uint32_t count_visits(const struct overhead_plan *plan, size_t wish, bool failed)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].wish == wish)
            sum += failed ? plan->about[i].failed : plan->about[i].planned;
    return sum;
}

uint32_t overhead_plan_processes(const struct overhead_plan *plan, size_t wish)
{
    return count_visits(plan, wish, false) - count_visits(plan, wish, true);
}

bool overhead_plan_is_failing(const struct overhead_plan *plan, size_t wish)
{
    uint32_t failed = count_visits(plan, wish, true);
    return failed && (failed >= GIVE_UP || failed == count_visits(plan, wish, false));
}

bool overhead_plan_is_due(const struct overhead_plan *plan, size_t wish)
{
    size_t after = plan->wishes[wish].after;
    return after == OVERHEAD_NO_WISH || overhead_plan_processes(plan, after) > 0;
}

/* --- goals --- */

static uint64_t cost_of(uint64_t price, uint32_t visits)
{
    uint64_t cost;
    return __builtin_mul_overflow(price, (uint64_t)visits, &cost) ? UINT64_MAX : cost;
}

static uint64_t less(uint64_t ns, uint64_t cost)
{
    return ns == UINT64_MAX ? ns : cost < ns ? ns - cost : 0;
}

void overhead_plan_look(const struct overhead_study *study, struct overhead_plan *plan, uint64_t ns)
{
    for (size_t i = 0; i < plan->wish_count; i++) {
        struct overhead_wish *wish = &plan->wishes[i];
        uint64_t price = overhead_plan_price(study, plan, wish);
        wish->goal = count_visits(plan, i, false);
        /* The most important one is measured whatever it costs: else nothing would be. */
        if (wish->goal || (price > ns && i > 0) || !overhead_plan_is_due(plan, i))
            continue;
        wish->goal = 1;
        ns = less(ns, price);
    }
}

/* Every tour the least that says something. What is left of ns. */
static uint64_t settle_least(const struct overhead_study *study, struct overhead_plan *plan,
                             uint64_t ns)
{
    for (size_t i = 0; i < plan->wish_count; i++) {
        struct overhead_wish *wish = &plan->wishes[i];
        uint32_t planned = count_visits(plan, i, false);
        wish->goal = planned;
        if (overhead_plan_is_failing(plan, i) || planned >= wish->least ||
            !overhead_plan_is_due(plan, i))
            continue;
        uint64_t cost = cost_of(overhead_plan_price(study, plan, wish), wish->least - planned);
        if (cost > ns && i > 0)
            continue;
        wish->goal = wish->least;
        ns = less(ns, cost);
    }
    return ns;
}

/* How many more the tour would have, if it cost nothing. */
static uint32_t room_of(const struct overhead_plan *plan, size_t index)
{
    const struct overhead_wish *wish = &plan->wishes[index];
    bool grows = wish->goal >= wish->least && wish->goal < wish->processes &&
                 !overhead_plan_is_failing(plan, index);
    return grows ? wish->processes - wish->goal : 0;
}

void overhead_plan_settle(const struct overhead_study *study, struct overhead_plan *plan,
                          uint64_t ns)
{
    double wanted = 0, left = (double)settle_least(study, plan, ns);
    for (size_t i = 0; i < plan->wish_count; i++)
        wanted +=
            (double)room_of(plan, i) * (double)overhead_plan_price(study, plan, &plan->wishes[i]);
    double share = wanted > left ? left / wanted : 1;
    for (size_t i = 0; i < plan->wish_count; i++)
        plan->wishes[i].goal += (uint32_t)(share * (double)room_of(plan, i));
}

static uint32_t lacking(const struct overhead_plan *plan, size_t wish)
{
    uint32_t planned = count_visits(plan, wish, false);
    return plan->wishes[wish].goal > planned ? plan->wishes[wish].goal - planned : 0;
}

bool overhead_plan_wants(const struct overhead_plan *plan)
{
    for (size_t i = 0; i < plan->wish_count; i++)
        if (lacking(plan, i))
            return true;
    return false;
}

/* --- the order --- */

/* Index of the circuit's cell, which is appended where it is not there yet; negative errno. */
static ptrdiff_t cell_of(struct overhead_plan *plan, size_t wish, const struct cell *circuit)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->about[i].wish == wish && same_cell(&plan->cells[i], circuit))
            return (ptrdiff_t)i;
    int error = append(plan, circuit, (struct overhead_about){.wish = wish});
    return error < 0 ? error : (ptrdiff_t)plan->count - 1;
}

/* Visits of a portion, by cell. */
struct portion {
    uint32_t *visits;
    size_t count;
};

static int grow(struct portion *portion, size_t count)
{
    if (portion->visits && count <= portion->count)
        return 0;
    uint32_t *grown = reallocarray(portion->visits, count, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    memset(grown + portion->count, 0, (count - portion->count) * sizeof(*grown));
    portion->visits = grown;
    portion->count = count;
    return 0;
}

/* One visit more, of the circuit that has the fewest. */
static int add_visit(struct overhead_plan *plan, size_t wish, struct portion *portion)
{
    size_t best = 0;
    uint32_t fewest = UINT32_MAX;
    for (size_t i = 0; i < plan->wishes[wish].circuit_count && fewest; i++) {
        ptrdiff_t cell = cell_of(plan, wish, &plan->wishes[wish].circuits[i]);
        if (cell < 0 || grow(portion, plan->count + 1) < 0)
            return -ENOMEM;
        if (plan->about[cell].planned < fewest) {
            best = (size_t)cell;
            fewest = plan->about[cell].planned;
        }
    }
    portion->visits[best]++;
    plan->about[best].planned++;
    return 0;
}

static int draw(const struct overhead_plan *plan, const struct portion *portion, uint64_t seed,
                struct visit **visits, size_t *count)
{
    int error = plan_rounds(plan->cells, plan->count, portion->visits, seed, visits, count);
    /* Ids count from 1 in the order of the plan; processes go on where they were. */
    for (size_t i = 0; error == 0 && i < *count; i++) {
        size_t cell = (*visits)[i].cell - 1;
        (*visits)[i].process += plan->about[cell].planned - portion->visits[cell];
    }
    return error;
}

int overhead_plan_visits(struct overhead_plan *plan, uint32_t portions, uint64_t seed,
                         struct visit **visits, size_t *count)
{
    struct portion portion = {0};
    int error = grow(&portion, plan->count + 1); /* not empty */
    for (size_t i = 0; i < plan->wish_count && error == 0; i++) {
        uint32_t wanted = lacking(plan, i);
        wanted = wanted / portions + (wanted % portions != 0);
        for (uint32_t made = 0; made < wanted && error == 0; made++)
            error = add_visit(plan, i, &portion);
    }
    if (error == 0)
        error = draw(plan, &portion, seed, visits, count);
    free(portion.visits);
    return error;
}

void overhead_plan_free(struct overhead_plan *plan)
{
    for (size_t i = 0; i < plan->wish_count; i++)
        wish_free(&plan->wishes[i]);
    for (size_t i = 0; i < plan->count; i++)
        cell_release(&plan->cells[i]);
    free(plan->wishes);
    free(plan->cells);
    free(plan->about);
    *plan = (struct overhead_plan){0};
}

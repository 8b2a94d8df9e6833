/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which wishes a budget holds, and the order of their visits. First stage of the pipeline. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "engine/wishes.h"
#include "stats/random.h"

/* ----------------------------------------------------------------------------------------------
 * Wishes and the store of their run: cells and visits go into it before they are measured, and
 * come back from it when the run is gone on with. */

int wishes_store(struct wishes *wishes, struct store *store, const struct visit *visits,
                 size_t count, wishes_put *put, void *context, struct failure *failure)
{
    size_t first = wishes->stored;
    int error = store_put_plan(store, wishes->cells + first, wishes->cell_count - first, visits,
                               count, failure);
    for (size_t i = first; i < wishes->cell_count && put && error == 0; i++)
        error = put(context, &wishes->cells[i], failure);
    /* Cells that lack what goes with them would be measured for nothing when the run goes on. */
    if (error < 0)
        store_give_up(store, failure);
    if (error == 0)
        error = store_commit(store, failure);
    if (error == 0)
        wishes->stored = wishes->cell_count;
    return error;
}

static int note_outcome(void *context, const struct stored_cell *stored)
{
    struct wishes *wishes = context;
    uint32_t id = stored->cell.id;
    if (id >= 1 && id <= wishes->cell_count) {
        wishes->about[id - 1].planned = stored->processes;
        wishes->about[id - 1].failed = stored->failed;
    }
    return 0;
}

static void add_up(struct wishes *wishes)
{
    for (size_t i = 0; i < wishes->count; i++)
        wishes->list[i].planned = wishes->list[i].failed = 0;
    for (size_t i = 0; i < wishes->cell_count; i++)
        if (wishes->about[i].wish != NO_WISH) {
            wishes->list[wishes->about[i].wish].planned += wishes->about[i].planned;
            wishes->list[wishes->about[i].wish].failed += wishes->about[i].failed;
        }
}

int wishes_learn_outcome(struct wishes *wishes, struct store *store, struct failure *failure)
{
    int error = store_each_cell(store, note_outcome, wishes, failure);
    add_up(wishes);
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * The order of visits. */

void plan_append(struct cell **cells, size_t *count, const struct cell *cell)
{
    struct cell *added = memory_add(*cells, *count);
    *added = *cell;
    added->id = (uint32_t)*count;
}

struct cell plan_copy(const struct cell *cell)
{
    struct cell copy = *cell;
    copy.path = memory_copy(cell->path);
    copy.specimen = memory_copy(cell->specimen);
    copy.opt = memory_copy(cell->opt);
    copy.link = memory_copy(cell->link);
    for (uint32_t i = 0; i < cell->counters; i++)
        copy.events[i] = memory_copy(cell->events[i]);
    copy.tour.calls = memory_copy(cell->tour.calls);
    copy.tour.counted = memory_copy(cell->tour.counted);
    copy.watch.workload = memory_copy(cell->watch.workload);
    copy.command.words = memory_copy(cell->command.words);
    copy.command.name = memory_copy(cell->command.name);
    copy.command.directory = memory_copy(cell->command.directory);
    copy.command.input = memory_copy(cell->command.input);
    copy.command.keep = memory_copy(cell->command.keep);
    return copy;
}

static void shuffle(struct visit *list, size_t count, struct random *random)
{
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)random_below(random, left);
        struct visit last = list[left - 1];
        list[left - 1] = list[chosen];
        list[chosen] = last;
    }
}

void plan_visits(const struct cell *cells, size_t cell_count, uint32_t processes, uint64_t seed,
                 struct visit **visits, size_t *visit_count)
{
    const size_t count = cell_count * processes;
    struct visit *list = memory_new(count, sizeof(*list));
    for (size_t i = 0; i < count; i++)
        list[i] = (struct visit){cells[i / processes].id, (uint32_t)(i % processes)};
    struct random random;
    random_seed(&random, seed);
    shuffle(list, count, &random);
    *visits = list;
    *visit_count = count;
}

/* The null cell of that cell's way; `count` where there is none. */
static size_t null_of(const struct cell *cells, size_t count, const size_t *nulls,
                      size_t null_count, const struct cell *cell)
{
    for (size_t i = 0; i < null_count; i++)
        if (plan_same_way(&cells[nulls[i]], cell))
            return nulls[i];
    return count;
}

/* Moves every null cell before the first cell of its way: where time runs out during the first
 * round, no cell was measured without what has to be subtracted from it. Visits hold indices. */
static void lead_with_nulls(const struct cell *cells, size_t cell_count, struct visit *list,
                            size_t count)
{
    AUTO_MEMORY size_t *nulls = memory_new(cell_count + 1, sizeof(*nulls));
    AUTO_MEMORY bool *placed = memory_new(cell_count + 1, sizeof(*placed));
    AUTO_MEMORY struct visit *drawn = memory_new(count + 1, sizeof(*drawn));
    size_t null_count = 0, at = 0;
    memcpy(drawn, list, count * sizeof(*drawn));
    placed[cell_count] = true; /* whoever has no null cell waits for none */
    for (size_t i = 0; i < count; i++)
        if (plan_is_overhead_cell(&cells[drawn[i].cell]))
            nulls[null_count++] = drawn[i].cell;
    for (size_t i = 0; i < count; i++) {
        size_t null = null_of(cells, cell_count, nulls, null_count, &cells[drawn[i].cell]);
        if (!placed[null])
            list[at++] = (struct visit){(uint32_t)null, drawn[i].process};
        placed[null] = true;
        if (!placed[drawn[i].cell])
            list[at++] = drawn[i];
        placed[drawn[i].cell] = true;
    }
}

void plan_rounds(const struct cell *cells, size_t cell_count, const uint32_t *processes,
                 uint64_t seed, struct visit **visits, size_t *visit_count)
{
    size_t count = 0;
    for (size_t i = 0; i < cell_count; i++)
        count += processes[i];
    struct visit *list = memory_new(count, sizeof(*list));
    struct random random;
    random_seed(&random, seed);
    size_t at = 0;
    for (uint32_t round = 0; at < count; round++) {
        size_t begin = at;
        for (size_t i = 0; i < cell_count; i++)
            if (processes[i] > round)
                list[at++] = (struct visit){(uint32_t)i, round};
        shuffle(list + begin, at - begin, &random);
        if (round == 0)
            lead_with_nulls(cells, cell_count, list, at);
    }
    for (size_t i = 0; i < count; i++)
        list[i].cell = cells[list[i].cell].id;
    *visits = list;
    *visit_count = count;
}

/* ----------------------------------------------------------------------------------------------
 * The null cells of a plan: the overhead of a way of measuring is measured in processes of its
 * own, never fitted from the cells it is subtracted from. */

static bool same_events(const struct cell *left, const struct cell *right)
{
    if (left->counters != right->counters)
        return false;
    for (uint32_t i = 0; i < left->counters; i++) {
        if (strcmp(left->events[i], right->events[i]) != 0)
            return false;
    }
    return true;
}

bool plan_same_way(const struct cell *left, const struct cell *right)
{
    return strcmp(left->path, right->path) == 0 && left->pattern == right->pattern &&
           strcmp(left->opt, right->opt) == 0 && strcmp(left->link, right->link) == 0 &&
           left->separate == right->separate && left->cpu == right->cpu &&
           same_events(left, right) && cell_same_tour(left, right) &&
           cell_same_watch(left, right) && cell_same_command(left, right);
}

bool plan_is_overhead_cell(const struct cell *cell)
{
    return strcmp(cell->specimen, "null") == 0 && cell->n == 0;
}

void plan_overhead_cells(struct cell **cells, size_t *count)
{
    size_t asked = *count;
    for (size_t i = 0; i < asked; i++) {
        bool there = false;
        for (size_t j = 0; j < *count && !there; j++)
            there =
                plan_is_overhead_cell(&(*cells)[j]) && plan_same_way(&(*cells)[j], &(*cells)[i]);
        if (there)
            continue;
        struct cell null = plan_copy(&(*cells)[i]);
        null.specimen = memory_copy("null");
        null.n = 0;
        plan_append(cells, count, &null);
    }
}

/* ----------------------------------------------------------------------------------------------
 * Which wishes a budget holds. */

#define GIVE_UP 5u /* failures after which a wish gets no further visit */

static bool same_cell(const struct cell *left, const struct cell *right)
{
    return plan_same_way(left, right) && left->runs == right->runs &&
           strcmp(left->specimen, right->specimen) == 0 && left->n == right->n;
}

void wishes_add(struct wishes *wishes, const struct wish *like, struct cell *cell)
{
    struct wish *wish = memory_add(wishes->list, wishes->count);
    *wish = *like;
    *memory_add(wish->cells, wish->cell_count) = *cell;
    *cell = (struct cell){0};
    while (wish->price && wishes->price_count <= wish->price)
        (void)memory_add(wishes->prices, wishes->price_count);
}

/* --- prices --- */

static uint64_t less(uint64_t ns, uint64_t cost)
{
    return ns == UINT64_MAX ? ns : cost < ns ? ns - cost : 0;
}

/* So many visits of the wish took that long. */
static void pay(struct wishes *wishes, size_t index, uint64_t visits, uint64_t ns)
{
    struct wish *wish = &wishes->list[index];
    wish->visits += visits;
    wish->ns += ns;
    if (!wish->price)
        return;
    wishes->prices[wish->price].visits += visits;
    wishes->prices[wish->price].ns += less(ns, visits * wish->runs_ns);
}

/* --- the cells of the plan --- */

/* The place of its cell `index` in the plan, from 1 on; 0: it has none yet. */
static size_t *place_of(struct wish *wish, size_t index)
{
    while (wish->place_count <= index)
        (void)memory_add(wish->places, wish->place_count);
    return &wish->places[index];
}

/* Cells that nobody wished for become those of the wishes that they agree with. */
void wishes_claim(struct wishes *wishes)
{
    for (size_t at = 0; at < wishes->cell_count; at++)
        for (size_t i = 0; i < wishes->count && wishes->about[at].wish == NO_WISH; i++)
            for (size_t j = 0; j < wishes->list[i].cell_count; j++)
                if (!*place_of(&wishes->list[i], j) &&
                    same_cell(&wishes->list[i].cells[j], &wishes->cells[at])) {
                    wishes->about[at].wish = i;
                    *place_of(&wishes->list[i], j) = at + 1;
                    pay(wishes, i, wishes->about[at].visits, wishes->about[at].ns);
                    break;
                }
    add_up(wishes);
}

bool wishes_all_claimed(const struct wishes *wishes)
{
    for (size_t at = 0; at < wishes->cell_count; at++)
        if (wishes->about[at].wish == NO_WISH)
            return false;
    return true;
}

static size_t append(struct wishes *wishes, const struct cell *cell, struct wished_cell about)
{
    size_t count = wishes->cell_count;
    const struct cell copy = plan_copy(cell);
    *memory_add(wishes->about, count) = about;
    plan_append(&wishes->cells, &wishes->cell_count, &copy);
    return wishes->cell_count - 1;
}

size_t wishes_add_cell(struct wishes *wishes, const struct cell *cell)
{
    return append(wishes, cell, (struct wished_cell){.wish = NO_WISH});
}

uint32_t wishes_processes(const struct wishes *wishes, size_t wish)
{
    return wishes->list[wish].planned - wishes->list[wish].failed;
}

bool wishes_is_failing(const struct wishes *wishes, size_t wish)
{
    const struct wish *tried = &wishes->list[wish];
    return tried->failed && (tried->failed >= GIVE_UP || tried->failed == tried->planned);
}

enum wish_fate wishes_fate(const struct wishes *wishes, size_t wish)
{
    const struct wish *asked = &wishes->list[wish];
    return wishes_is_failing(wishes, wish) || !wishes_is_due(wishes, wish) ||
                   asked->planned >= asked->least
               ? WISH_HELD
           : asked->planned ? WISH_CUT
                            : WISH_LEFT_OUT;
}

bool wishes_is_due(const struct wishes *wishes, size_t wish)
{
    size_t after = wishes->list[wish].after;
    return after == NO_WISH || wishes_processes(wishes, after) > 0;
}

uint64_t wishes_planned(const struct wishes *wishes)
{
    uint64_t visits = 0;
    for (size_t i = 0; i < wishes->cell_count; i++)
        visits += wishes->about[i].planned;
    return visits;
}

/* --- what visits cost --- */

void wishes_learn(struct wishes *wishes, uint32_t cell, uint64_t ns, uint64_t inside_ns,
                  uint64_t runs)
{
    if (cell < 1 || cell > wishes->cell_count)
        return;
    struct wished_cell *about = &wishes->about[cell - 1];
    about->visits++;
    about->ns += ns;
    about->inside_ns += inside_ns;
    about->runs += runs;
    if (about->wish != NO_WISH)
        pay(wishes, about->wish, 1, ns);
}

bool wishes_have_prices(const struct wishes *wishes)
{
    for (size_t i = 0; i < wishes->count; i++)
        if (wishes->list[i].visits)
            return true;
    return false;
}

/* How wrong what was expected is, over all that was seen. */
static double slowness(const struct wishes *wishes)
{
    double paid = 0, expected = 0;
    for (size_t i = 0; i < wishes->count; i++) {
        paid += (double)wishes->list[i].ns;
        expected += (double)wishes->list[i].visits * (double)wishes->list[i].expected_ns;
    }
    return expected > 0 && paid > 0 ? paid / expected : 1;
}

uint64_t wishes_price(const struct wishes *wishes, const struct wish *wish)
{
    const struct wish_price *price = wish->price ? &wishes->prices[wish->price] : NULL;
    if (wish->visits)
        return wish->ns / wish->visits;
    if (price && price->visits)
        return price->ns / price->visits + wish->runs_ns;
    return (uint64_t)(slowness(wishes) * (double)wish->expected_ns);
}

/* --- goals --- */

static uint64_t cost_of(uint64_t price, uint32_t visits)
{
    uint64_t cost;
    return __builtin_mul_overflow(price, (uint64_t)visits, &cost) ? UINT64_MAX : cost;
}

/* Is it the turn of its stage? */
static bool has_turn(const struct wishes *wishes, const struct wish *wish)
{
    return !wishes->turn || wish->stage == wishes->turn - 1;
}

void wishes_look(struct wishes *wishes, uint64_t ns, bool whole)
{
    bool any = false;
    for (size_t i = 0; i < wishes->count; i++) {
        struct wish *wish = &wishes->list[i];
        const uint32_t lacks = !whole                        ? !wish->planned
                               : wish->least > wish->planned ? wish->least - wish->planned
                                                             : 0;
        uint64_t cost = cost_of(wishes_price(wishes, wish), lacks);
        const bool first = !any && has_turn(wishes, wish);
        any |= first;
        wish->goal = wish->planned;
        /* The most important one is measured whatever it costs: else nothing would be. */
        if (!has_turn(wishes, wish) || (!wish->goal && cost > ns && !first) ||
            !wishes_is_due(wishes, i) || wishes_is_failing(wishes, i))
            continue;
        wish->goal += !wish->goal;
        ns = less(ns, cost);
    }
}

void wishes_try_prices(struct wishes *wishes)
{
    AUTO_MEMORY bool *tried = memory_new(wishes->price_count, sizeof(*tried));
    for (size_t i = 0; i < wishes->count; i++) {
        struct wish *wish = &wishes->list[i];
        wish->goal = wish->planned;
        if (!wish->price || wish->planned || !has_turn(wishes, wish) || tried[wish->price] ||
            wishes->prices[wish->price].visits || !wishes_is_due(wishes, i))
            continue;
        tried[wish->price] = true;
        wish->goal = 1;
    }
}

/* What those that wait for the end will take. */
static uint64_t keep_for_the_end(const struct wishes *wishes, uint64_t ns)
{
    for (size_t i = 0; i < wishes->count; i++) {
        const struct wish *wish = &wishes->list[i];
        if (wish->ends && wish->planned < wish->processes && !wishes_is_failing(wishes, i))
            ns = less(ns, cost_of(wishes_price(wishes, wish), wish->processes - wish->planned));
    }
    return ns;
}

/* Every wish the least that says something. What is left of ns. */
static uint64_t settle_least(struct wishes *wishes, uint64_t ns)
{
    bool any = false;
    for (size_t i = 0; i < wishes->count; i++) {
        struct wish *wish = &wishes->list[i];
        const bool first = !any && has_turn(wishes, wish);
        any |= first;
        /* In its turn a stage ends what its look began, in what time that takes. */
        const bool held_back = wishes->turn && !wish->planned;
        wish->goal = wish->planned;
        if (!has_turn(wishes, wish) || held_back || wish->ends || wish->planned >= wish->least ||
            wishes_is_failing(wishes, i) || !wishes_is_due(wishes, i))
            continue;
        uint64_t cost = cost_of(wishes_price(wishes, wish), wish->least - wish->planned);
        if (cost > ns && !first)
            continue;
        wish->goal = wish->least;
        ns = less(ns, cost);
    }
    return ns;
}

/* How many more the wish would have, if it cost nothing. */
static uint32_t room_of(const struct wishes *wishes, size_t index)
{
    const struct wish *wish = &wishes->list[index];
    bool grows = !wish->ends && wish->goal >= wish->least && wish->goal < wish->processes &&
                 has_turn(wishes, wish) && !wishes_is_failing(wishes, index);
    return grows ? wish->processes - wish->goal : 0;
}

/* Shares are rounded down: what that leaves goes to the most important ones, one visit each. */
static void settle_rest(struct wishes *wishes, double left)
{
    for (size_t i = 0; i < wishes->count; i++) {
        double price = (double)wishes_price(wishes, &wishes->list[i]);
        if (!room_of(wishes, i) || price > left)
            continue;
        wishes->list[i].goal++;
        left -= price;
    }
}

void wishes_settle(struct wishes *wishes, uint64_t ns)
{
    double wanted = 0, left = (double)settle_least(wishes, keep_for_the_end(wishes, ns));
    for (size_t i = 0; i < wishes->count; i++)
        wanted += (double)room_of(wishes, i) * (double)wishes_price(wishes, &wishes->list[i]);
    double share = wanted > left ? left / wanted : 1;
    for (size_t i = 0; i < wishes->count; i++) {
        uint32_t more = (uint32_t)(share * (double)room_of(wishes, i));
        wishes->list[i].goal += more;
        left -= (double)more * (double)wishes_price(wishes, &wishes->list[i]);
    }
    settle_rest(wishes, left);
}

void wishes_end(struct wishes *wishes, uint64_t ns)
{
    for (size_t i = 0; i < wishes->count; i++) {
        struct wish *wish = &wishes->list[i];
        uint64_t price = wishes_price(wishes, wish);
        wish->goal = wish->planned;
        while (wish->ends && wish->goal < wish->processes && price <= ns &&
               !wishes_is_failing(wishes, i)) {
            wish->goal++;
            ns = less(ns, price);
        }
    }
}

static uint32_t lacking(const struct wishes *wishes, size_t wish)
{
    const struct wish *wanted = &wishes->list[wish];
    return wanted->goal > wanted->planned ? wanted->goal - wanted->planned : 0;
}

bool wishes_want(const struct wishes *wishes)
{
    for (size_t i = 0; i < wishes->count; i++)
        if (lacking(wishes, i))
            return true;
    return false;
}

bool wishes_want_portions(const struct wishes *wishes)
{
    for (size_t i = 0; i < wishes->count; i++)
        if (!wishes->list[i].at_once && lacking(wishes, i))
            return true;
    return false;
}

/* --- the order --- */

/* Index of the wish's cell, which is appended where it is not there yet. */
static size_t cell_of(struct wishes *wishes, size_t wish, size_t index)
{
    size_t *place = place_of(&wishes->list[wish], index);
    if (!*place)
        *place = 1 + append(wishes, &wishes->list[wish].cells[index],
                            (struct wished_cell){.wish = wish});
    return *place - 1;
}

/* Visits of a portion, by cell. */
struct portion {
    uint32_t *visits;
    size_t count;
};

/* One visit more, of the cell that has the fewest. */
static void add_visit(struct wishes *wishes, size_t wish, struct portion *portion)
{
    size_t best = 0;
    uint32_t fewest = UINT32_MAX;
    for (size_t i = 0; i < wishes->list[wish].cell_count && fewest; i++) {
        size_t cell = cell_of(wishes, wish, i);
        if (wishes->about[cell].planned < fewest) {
            best = cell;
            fewest = wishes->about[cell].planned;
        }
    }
    while (portion->count <= wishes->cell_count)
        (void)memory_add(portion->visits, portion->count);
    portion->visits[best]++;
    wishes->about[best].planned++;
    wishes->list[wish].planned++;
}

/* A wish's part of a portion. What cannot be parted evenly falls to some wishes now and to others
 * later; but nobody waits for the first process. */
static uint32_t part_of(const struct wishes *wishes, size_t wish, uint32_t portions)
{
    uint32_t wanted = lacking(wishes, wish);
    if (wishes->list[wish].at_once)
        return wanted;
    uint32_t part = wanted / portions + (wish % portions < wanted % portions);
    bool first = wanted && !wishes->list[wish].planned;
    return first && !part ? 1 : part;
}

void wishes_visits(struct wishes *wishes, uint32_t portions, uint64_t seed, struct visit **visits,
                   size_t *count)
{
    struct portion portion = {0};
    for (size_t i = 0; i < wishes->count; i++) {
        uint32_t part = part_of(wishes, i, portions);
        for (uint32_t made = 0; made < part; made++)
            add_visit(wishes, i, &portion);
    }
    while (portion.count <= wishes->cell_count)
        (void)memory_add(portion.visits, portion.count);
    plan_rounds(wishes->cells, wishes->cell_count, portion.visits, seed, visits, count);
    /* Ids count from 1 in the order of the plan; processes go on where they were. */
    for (size_t i = 0; i < *count; i++) {
        size_t cell = (*visits)[i].cell - 1;
        (*visits)[i].process += wishes->about[cell].planned - portion.visits[cell];
    }
    memory_give_back(portion.visits);
}

static uint64_t price_of(const struct wishes *wishes, const struct visit *visit)
{
    const size_t wish = visit->cell >= 1 && visit->cell <= wishes->cell_count
                            ? wishes->about[visit->cell - 1].wish
                            : NO_WISH;
    return wish == NO_WISH ? 0 : wishes_price(wishes, &wishes->list[wish]);
}

/* Stable, so that equal ones stay in the order that was drawn. */
void wishes_dearest_last(const struct wishes *wishes, struct visit *visits, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct visit moved = visits[i];
        const uint64_t price = price_of(wishes, &moved);
        size_t place = i;
        for (; place && price_of(wishes, &visits[place - 1]) > price; place--)
            visits[place] = visits[place - 1];
        visits[place] = moved;
    }
}

/* --- an unfinished run --- */

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct wishes *wishes = context;
    const struct wished_cell about = {
        .wish = NO_WISH, .planned = stored->processes, .failed = stored->failed};
    append(wishes, &stored->cell, about);
    return 0;
}

int wishes_adopt(struct wishes *wishes, struct store *store, struct failure *failure)
{
    int error = store_each_cell(store, take_cell, wishes, failure);
    wishes->stored = wishes->cell_count;
    wishes_claim(wishes);
    return error;
}

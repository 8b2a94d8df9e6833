/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a plan of `assay repeat` learns from executions that a store holds: prices, and when to give
 * up. */
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "repeat-offers.h"

#define MS UINT64_C(1000000)

/* How executions of one source are to turn out. */
struct turns {
    uint64_t status, ns, instructions;
    uint64_t took; /* ns of a visit, as it is learnt */
    int error;     /* of the visit; 0: it is done */
};

struct world {
    struct offers offers;
    struct repeat_plan plan;
    struct store *store;
    struct facts facts;
    char folder[64];
    char path[96];
    struct turns turns[OFFER_COUNT]; /* of the program, by source */
    size_t made[OFFER_COUNT];        /* executions of the program */
    size_t others;                   /* of subjects */
};

static void must(int result, const struct failure *failure)
{
    if (result < 0)
        fail_msg("%s", failure->text);
}

static void begin(struct world *world, bool pmu)
{
    struct failure failure = {0};
    memset(world, 0, sizeof(*world));
    offers_make(&world->offers, pmu);
    world->plan = offers_plan(&world->offers);
    for (size_t i = 0; i < OFFER_COUNT; i++)
        world->turns[i] = (struct turns){.ns = 5 * MS, .instructions = 1000000, .took = 8 * MS};
    strcpy(world->folder, "/tmp/assay-learn-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    snprintf(world->path, sizeof(world->path), "%s/run.sqlite", world->folder);
    const struct store_run run = {.command = "repeat",
                                  .argv = "[]",
                                  .facts = &world->facts,
                                  .fingerprint = "0123456789abcdef"};
    must(store_create(&world->store, world->path, &run, &failure), &failure);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)about, (void)kind, (void)walk;
    return remove(path);
}

static void end(struct world *world)
{
    store_close(world->store);
    nftw(world->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define WORLD(pmu)                                                                                 \
    __attribute__((cleanup(end))) struct world world;                                              \
    begin(&world, pmu)

static uint64_t value_of(const char *event, const struct turns *turns)
{
    if (strcmp(event, RUN_STATUS) == 0)
        return turns->status;
    if (strcmp(event, RUN_NANOSECONDS) == 0)
        return turns->ns;
    return strstr(event, "instructions") ? turns->instructions : 1;
}

static void execute(struct world *world, const struct visit *visit)
{
    struct failure failure = {0};
    const struct cell *cell = &world->plan.wishes->cells[visit->cell - 1];
    const struct repeat_aim *aim =
        &world->plan.aims[world->plan.wishes->about[visit->cell - 1].wish];
    struct turns turns = {.took = 8 * MS, .ns = 5 * MS, .instructions = 1000};
    uint64_t values[CELL_MAX_COUNTERS], times[CELL_MAX_COUNTERS];
    const struct account account = {0};
    if (aim->program == 0 && aim->source != REPEAT_PLAIN) {
        turns = world->turns[aim->source];
        world->made[aim->source]++;
    }
    world->others += aim->program != 0;
    for (uint32_t i = 0; i < cell->counters; i++) {
        values[i] = value_of(cell->events[i], &turns);
        times[i] = turns.ns;
    }
    const struct batch batch = {.cell = visit->cell,
                                .process = visit->process,
                                .runs = 1,
                                .counters = cell->counters,
                                .values = values,
                                .enabled = times,
                                .running = times,
                                .accounts = &account};
    if (!turns.error)
        must(store_put_batch(world->store, &batch, &failure), &failure);
    must(store_end_visit(world->store, visit->cell, visit->process,
                         turns.error ? VISIT_FAILED : VISIT_DONE, turns.error,
                         turns.error ? "it cannot be had" : NULL, &failure),
         &failure);
    wishes_learn(world->plan.wishes, visit->cell, turns.took, 0, 0);
}

/* All visits that the goals want, and what follows from them; how many there were. */
static size_t go(struct world *world)
{
    struct failure failure = {0};
    struct visit *visits = NULL;
    size_t count = 0;
    wishes_visits(world->plan.wishes, 1, 7, &visits, &count);
    if (count)
        must(wishes_store(world->plan.wishes, world->store, visits, count, NULL, NULL, &failure),
             &failure);
    for (size_t i = 0; i < count; i++)
        execute(world, &visits[i]);
    memory_give_back(visits);
    must(wishes_learn_outcome(world->plan.wishes, world->store, &failure), &failure);
    must(repeat_plan_learn(&world->plan, world->store, &failure), &failure);
    return count;
}

static void look(struct world *world, uint64_t ns)
{
    size_t count = 1;
    while (count) {
        wishes_look(world->plan.wishes, ns, false);
        count = go(world);
    }
}

/* Goals, of the next pass where nothing lacks in those before it. */
static void settle(struct world *world, uint64_t ns)
{
    do
        wishes_settle(world->plan.wishes, ns);
    while (!wishes_want(world->plan.wishes) && repeat_plan_further(&world->plan));
}

/* Looks, and then everything in portions. */
static void all(struct world *world, uint64_t ns)
{
    look(world, ns / 4);
    for (int portion = 0; portion < 12; portion++) {
        settle(world, ns);
        go(world);
    }
}

TEST(a_source_under_which_it_never_ends_is_given_up_alone)
{
    WORLD(false);
    world.turns[OFFER_VALGRIND].status = STATUS_TIMEOUT + 9;
    all(&world, UINT64_MAX);
    /* As-is waited for controlled, and both were looked at once at most. */
    assert_in_range(world.made[OFFER_VALGRIND], 1, 2);
    assert_true(world.made[OFFER_QEMU] >= 24);
    assert_true(world.made[OFFER_PERF] >= 24);
    assert_true(world.others > 0);
}

TEST(a_source_that_cannot_is_asked_once_and_others_wait_no_longer_for_it)
{
    WORLD(false);
    world.turns[OFFER_QEMU].error = 38;
    all(&world, UINT64_MAX);
    assert_int_equal(world.made[OFFER_QEMU], 1);
    assert_true(world.made[OFFER_STEP] >= 24);
}

TEST(stepping_is_priced_by_the_instructions_that_a_cheaper_source_counted)
{
    WORLD(false);
    world.turns[OFFER_QEMU].instructions = 50000000;
    all(&world, 100000 * MS);
    /* 50 million steps of 20 us. */
    const uint64_t price = repeat_plan_price(&world.plan, 0, OFFER_STEP, DETAIL_NONE);
    assert_in_range(price, 900000 * MS, 1100000 * MS);
    assert_true(world.made[OFFER_QEMU] > 2);
    /* Its calls alone are watched. */
    const size_t stepped =
        repeat_find_wish(&world.plan, 0, OFFER_STEP, CONTROLS_ALL, SWEEP_NONE, DETAIL_NONE);
    assert_int_equal(wishes_processes(world.plan.wishes, stepped), 0);
    const size_t calls =
        repeat_find_wish(&world.plan, 0, OFFER_STEP, CONTROLS_ALL, SWEEP_NONE, DETAIL_CALLS);
    assert_int_equal(wishes_processes(world.plan.wishes, calls), 2);
}

static uint32_t executed(const struct world *world, size_t source, uint32_t controls)
{
    const size_t wish =
        repeat_find_wish(&world->plan, 0, source, controls, SWEEP_NONE, DETAIL_NONE);
    assert_true(wish != NO_WISH);
    return wishes_processes(world->plan.wishes, wish);
}

TEST(what_would_be_ended_before_its_end_is_not_begun)
{
    WORLD(false);
    /* 40 s of steps, and no execution may take more than 30 of the 120 s. */
    world.turns[OFFER_QEMU].instructions = 2000000;
    all(&world, UINT64_MAX);
    assert_int_equal(executed(&world, OFFER_STEP, CONTROLS_ALL), 0);
    assert_int_equal(executed(&world, OFFER_VALGRIND, CONTROLS_ALL), 12);
}

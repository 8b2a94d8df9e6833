/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The builder's watches: rows, steps, trips, edges, looks from outside, and whole plans. */
#include "clocks-builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void *resized(void *old, size_t size)
{
    void *grown = realloc(old, size ? size : 1);
    if (!grown)
        abort();
    return grown;
}

size_t built_grow(struct clock_watch *watch, size_t looks)
{
    size_t first = watch->begins[watch->processes];
    size_t columns = watch->columns;
    watch->values = resized(watch->values, (first + looks) * columns * sizeof(*watch->values));
    watch->accounts = resized(watch->accounts, (first + looks) * sizeof(*watch->accounts));
    memset(watch->values + first * columns, 0, looks * columns * sizeof(*watch->values));
    memset(watch->accounts + first, 0, looks * sizeof(*watch->accounts));
    watch->begins[watch->processes] = first + looks;
    return first;
}

static uint32_t clock_named(const struct built_world *world, const char *name)
{
    int index = clocks_index(&world->file, name);
    if (index < 0)
        abort();
    return (uint32_t)index;
}

static void add_column(struct clock_watch *watch, uint32_t clock)
{
    watch->clocks = resized(watch->clocks, (watch->columns + 1) * sizeof(*watch->clocks));
    watch->clocks[watch->columns++] = clock;
}

/* The columns that the kind has by itself, where none were named. */
static void usual_columns(const struct built_world *world, struct clock_watch *watch)
{
    for (uint32_t i = 0; i < world->file.clock_count; i++)
        if (world->clocks[i].of != BUILT_OUTSIDE_MACHINE)
            add_column(watch, i);
}

static void name_columns(const struct built_world *world, const struct built_watch *plan,
                         struct clock_watch *watch)
{
    static const uint32_t copies[WATCH_KINDS] = {[WATCH_ROW] = 4, [WATCH_STEPS] = 1};
    if (copies[plan->kind]) {
        const char *meter = plan->columns[0] && plan->columns[1] ? plan->columns[1] : "monotonic";
        for (uint32_t i = 0; i < copies[plan->kind]; i++)
            add_column(watch, plan->columns[0] ? clock_named(world, plan->columns[0]) : 0);
        for (uint32_t i = 0; i < (plan->kind == WATCH_ROW ? 2u : 1u); i++)
            add_column(watch, clock_named(world, meter));
        return;
    }
    if (plan->kind == WATCH_OUTSIDE)
        add_column(watch, clock_named(world, "outside"));
    for (uint32_t i = 0; i < BUILT_MOST_CLOCKS && plan->columns[i]; i++)
        add_column(watch, clock_named(world, plan->columns[i]));
    if (!plan->columns[0])
        usual_columns(world, watch);
    if (plan->kind == WATCH_OUTSIDE)
        add_column(watch, clock_named(world, "outside"));
}

size_t built_watch(struct built_world *world, const struct built_watch *plan)
{
    struct clock_watch *watch = memory_add(world->file.watches, world->file.watch_count);
    if (!watch || world->file.watch_count > 128)
        abort();
    bool interval = plan->kind == WATCH_INTERVAL;
    watch->kind = plan->kind;
    watch->workload = strdup(!interval ? "" : plan->workload ? plan->workload : "sleep");
    watch->length = plan->length              ? plan->length
                    : interval                ? 20000
                    : plan->kind == WATCH_ROW ? 1000
                                              : 0;
    watch->threads = plan->threads ? plan->threads : 1;
    watch->moves = plan->moves;
    watch->handover = plan->handover;
    watch->awake = plan->awake;
    watch->cpu = plan->cpu;
    watch->partner = plan->kind == WATCH_TRIPS ? plan->partner : -1;
    watch->begins = resized(NULL, sizeof(*watch->begins));
    watch->begins[0] = 0;
    if (!watch->workload || watch->threads > BUILT_MOST_THREADS)
        abort();
    name_columns(world, plan, watch);
    return world->file.watch_count - 1;
}

static struct built_moment moment_now(const struct built_world *world, uint32_t cpu)
{
    return (struct built_moment){
        .now = world->now,
        .cpu = cpu,
        .thread_ns = world->thread_ns,
        .process_ns = world->process_ns,
        .slept_ns = world->slept_ns,
        .stolen_ns = world->stolen_ns,
    };
}

static void run_for(struct built_world *world, double ns)
{
    world->now += ns;
    world->thread_ns += ns;
    world->process_ns += ns;
}

static uint64_t read_now(struct built_world *world, uint32_t clock, uint32_t cpu)
{
    double cost = built_cost(world, &world->clocks[clock]);
    if (world->look_preempted > 0 && built_uniform(world, 0, 1) < world->look_preempted)
        world->now += built_uniform(world, 0, world->preempted_ns);
    run_for(world, cost / 2);
    struct built_moment moment = moment_now(world, cpu);
    uint64_t value = built_read(world, &world->clocks[clock], &moment);
    run_for(world, cost / 2);
    return value;
}

static void look_now(struct built_world *world, struct clock_watch *watch, size_t row,
                     uint32_t first, uint32_t end, uint32_t cpu)
{
    for (uint32_t column = first; column < end; column++)
        watch->values[row * watch->columns + column] = read_now(world, watch->clocks[column], cpu);
}

static void build_block(struct built_world *world, struct clock_watch *watch, uint32_t cpu)
{
    size_t look = built_grow(watch, 1);
    uint64_t *row = watch->values + look * watch->columns;
    uint32_t clock = watch->clocks[ROW_FIRST], meter = watch->clocks[ROW_BEFORE];
    row[ROW_BEFORE] = read_now(world, meter, cpu);
    row[ROW_FIRST] = row[ROW_LAST] = read_now(world, clock, cpu);
    for (uint64_t i = 1; i < watch->length; i++) {
        uint64_t value = read_now(world, clock, cpu);
        if (value < row[ROW_LAST]) {
            row[ROW_BACKWARD]++;
            uint64_t by = row[ROW_LAST] - value;
            row[ROW_WORST] = by > row[ROW_WORST] ? by : row[ROW_WORST];
        }
        row[ROW_LAST] = value;
    }
    row[ROW_AFTER] = read_now(world, meter, cpu);
}

static void build_step(struct built_world *world, struct clock_watch *watch, uint32_t cpu)
{
    size_t look = built_grow(watch, 1);
    uint64_t *row = watch->values + look * watch->columns;
    uint32_t clock = watch->clocks[0];
    const struct built_clock *model = &world->clocks[clock];
    uint64_t before = read_now(world, clock, cpu), value = before;
    /* Most of the way to the next step of a coarse clock is skipped: nobody sees it. */
    double tick = 1e9 / (model->true_hz > 0 ? model->true_hz : model->hz ? (double)model->hz : 1e9);
    double step = fmax(model->step_ns, tick);
    if (step > 1e4 && model->of == BUILT_TIME && model->ppm == 0)
        run_for(world, fmax(0, step - fmod(world->now, step) - 3000));
    while (value == before)
        value = read_now(world, clock, cpu);
    row[0] = value;
    row[1] = read_now(world, watch->clocks[1], cpu);
}

static void build_trip(struct built_world *world, struct clock_watch *watch, uint32_t cpu)
{
    size_t first = built_grow(watch, WATCH_TRIP_LOOKS);
    double word = world->trip_ns > 0 ? world->trip_ns : 120;
    uint32_t partner = (uint32_t)watch->partner;
    for (uint32_t look = 0; look < WATCH_TRIP_LOOKS; look++) {
        look_now(world, watch, first + look, 0, watch->columns, look == 1 ? partner : cpu);
        run_for(world, word + built_exponential(world, word / 4));
    }
}

static void build_edge(struct built_world *world, struct clock_watch *watch, uint32_t cpu)
{
    size_t first = built_grow(watch, WATCH_EDGE_LOOKS);
    uint32_t columns = watch->columns;
    uint64_t *before = watch->values + first * columns, *after = before + columns;
    uint32_t clock = watch->clocks[0];
    /* Polling is slow, so most of it is skipped: a second begins about where true time's does. */
    world->now += fmax(0, 1e9 - fmod(world->now, 1e9) - 1e6);
    after[0] = read_now(world, clock, cpu);
    do {
        before[0] = after[0];
        look_now(world, watch, first, 1, columns, cpu);
        before[0] = read_now(world, clock, cpu);
        after[0] = read_now(world, clock, cpu);
    } while (before[0] == after[0]);
    look_now(world, watch, first + 1, 1, columns, cpu);
}

static void build_outside(struct built_world *world, struct clock_watch *watch, uint32_t cpu)
{
    size_t row = built_grow(watch, 1);
    uint32_t last = watch->columns - 1;
    double way = world->outside_ns > 0 ? world->outside_ns : 40e3;
    look_now(world, watch, row, 0, 1, cpu);
    world->now += way + built_exponential(world, way);
    look_now(world, watch, row, 1, last, cpu);
    world->now += way + built_exponential(world, way);
    look_now(world, watch, row, last, last + 1, cpu);
}

void built_visit(struct built_world *world, size_t index, uint32_t groups)
{
    static void (*const builders[WATCH_KINDS])(struct built_world *, struct clock_watch *,
                                               uint32_t) = {
        [WATCH_ROW] = build_block,  [WATCH_STEPS] = build_step,      [WATCH_TRIPS] = build_trip,
        [WATCH_EDGES] = build_edge, [WATCH_OUTSIDE] = build_outside,
    };
    struct clock_watch *watch = &world->file.watches[index];
    size_t processes = watch->processes + 1;
    watch->begins = resized(watch->begins, (processes + 1) * sizeof(*watch->begins));
    watch->begins[processes] = watch->begins[processes - 1];
    watch->processes = processes;
    /* a fresh process has used no CPU yet, and a visit takes a while to begin */
    if (watch->kind != WATCH_OUTSIDE) {
        world->thread_ns = world->process_ns = 2e5 + built_uniform(world, 0, 1e5);
        world->helper_ns = 1e4;
        built_pass(world, built_uniform(world, 1e6, 4e6));
        world->began = world->now;
    }
    if (watch->kind == WATCH_INTERVAL) {
        built_intervals(world, index, groups);
        return;
    }
    for (uint32_t group = 0; group < groups; group++)
        builders[watch->kind](world, watch, watch->cpu > 0 ? (uint32_t)watch->cpu : 0);
}

static void plan_shapes(struct built_world *world)
{
    for (uint32_t i = 0; i < world->file.clock_count; i++) {
        enum clock_role role = world->file.clocks[i].role;
        if (role == ROLE_PLACE || role == ROLE_STOLEN ||
            world->clocks[i].of == BUILT_OUTSIDE_MACHINE)
            continue;
        const char *name = world->file.clocks[i].name;
        built_visit(world,
                    built_watch(world, &(struct built_watch){.kind = WATCH_ROW, .columns = {name}}),
                    40);
        built_visit(
            world,
            built_watch(world, &(struct built_watch){.kind = WATCH_STEPS, .columns = {name}}), 60);
    }
    for (uint32_t cpu = 1; cpu < world->file.cpus && cpu < 4; cpu++)
        built_visit(
            world,
            built_watch(world, &(struct built_watch){.kind = WATCH_TRIPS, .partner = (int32_t)cpu}),
            200);
}

double built_plan(struct built_world *world, uint32_t size, bool shapes)
{
    static const struct built_watch plans[] = {
        {.workload = "sleep", .length = 20000},
        {.workload = "sleep", .length = 90000},
        {.workload = "sleep", .length = 160000},
        {.workload = "compute", .length = 20000},
        {.workload = "compute", .length = 90000},
        {.workload = "compute", .length = 160000},
        {.workload = "spin", .length = 20000},
        {.workload = "yield", .length = 20000},
        {.workload = "faults", .length = 20000},
        {.workload = "pipe", .length = 20000},
        {.workload = "compute", .length = 20000, .threads = 2},
        {.workload = "sleep", .length = 20000, .awake = true},
        {.workload = "compute", .length = 20000, .moves = 1},
        {.workload = "compute", .length = 20000, .moves = 7},
        {.workload = "sleep", .length = 20000, .handover = true},
    };
    enum { COUNT = sizeof(plans) / sizeof(*plans), VISITS = 2 };
    double begin = world->now;
    size_t first = world->file.watch_count;
    for (size_t i = 0; i < COUNT; i++) {
        struct built_watch plan = plans[i];
        plan.kind = WATCH_INTERVAL;
        if ((plan.moves || plan.handover) && world->file.cpus < 2)
            continue;
        built_watch(world, &plan);
    }
    size_t count = world->file.watch_count - first, order[COUNT * VISITS];
    for (size_t i = 0; i < count * VISITS; i++) {
        size_t other = random_below(&world->random, i + 1);
        order[i] = order[other];
        order[other] = i % count;
    }
    for (size_t i = 0; i < count * VISITS; i++)
        built_visit(world, first + order[i], 3 * size);
    if (shapes)
        plan_shapes(world);
    return world->now - begin;
}

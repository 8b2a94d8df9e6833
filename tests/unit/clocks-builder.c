/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The builder: what its clocks show at a moment of the built world; its intervals, first when every
 * reading of every thread happens and what the CPUs do meanwhile, then what the clocks show at
 * these moments; rows, steps, trips, edges, looks from outside, and whole plans. */
#include "clocks-builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- clocks --- */

struct built_moment {
    double now;
    uint32_t cpu;
    double thread_ns, process_ns;
    double slept_ns, stolen_ns;
};

#define TWO_PI          6.283185307179586
#define FREQUENCY_SWING 70e6 /* ns */

double built_uniform(struct built_world *world, double low, double high)
{
    double share = (double)(random_next(&world->random) >> 11) * 0x1p-53;
    return low + (high - low) * share;
}

static double built_exponential(struct built_world *world, double mean)
{
    return -mean * log(1 - built_uniform(world, 0, 1));
}

static double built_cost(struct built_world *world, const struct built_clock *clock)
{
    double cost = clock->cost_ns > 0 ? clock->cost_ns : 25;
    return cost * (1 + (world->jitter > 0 ? built_uniform(world, 0, world->jitter) : 0));
}

static double suspended(const struct built_world *world, double now)
{
    double sum = 0;
    for (size_t i = 0; i < world->suspend_count; i++)
        if (now >= world->suspends[i].at)
            sum += fmin(world->suspends[i].ns, now - world->suspends[i].at);
    return sum;
}

/* The ns that the clock would count if it told the truth about what it counts. */
static double counted(const struct built_world *world, const struct built_clock *clock,
                      const struct built_moment *moment)
{
    switch (clock->of) {
    case BUILT_THREAD:
        return moment->thread_ns;
    case BUILT_PROCESS:
        return moment->process_ns;
    case BUILT_STOLEN:
        return moment->stolen_ns;
    default:
        break;
    }
    double ns = moment->now;
    if (clock->stops_in_suspend)
        ns -= suspended(world, moment->now);
    if (clock->stops_in_sleep)
        ns -= moment->slept_ns;
    return ns + moment->slept_ns * clock->idle_ppm * 1e-6;
}

static double bent(const struct built_clock *clock, double ns)
{
    double result = ns * (1 + clock->ppm * 1e-6);
    if (clock->wander_ppm != 0) {
        double period = (clock->wander_s > 0 ? clock->wander_s : 7) * 1e9;
        result += clock->wander_ppm * 1e-6 * period / TWO_PI * (1 - cos(TWO_PI * ns / period));
    }
    if (clock->frequency_dip > 0)
        result -= clock->frequency_dip / 2 *
                  (ns - FREQUENCY_SWING / TWO_PI * sin(TWO_PI * ns / FREQUENCY_SWING));
    return result;
}

static double lies(struct built_world *world, const struct built_clock *clock,
                   const struct built_moment *moment)
{
    double ns = clock->cpu_offset_ns * moment->cpu;
    if (clock->back_every_ns > 0)
        ns -= clock->back_by_ns * floor(moment->now / clock->back_every_ns);
    if (clock->jump_by_ns != 0 && moment->now >= clock->jump_at_ns)
        ns += clock->jump_by_ns;
    if (clock->glitch_share > 0 && built_uniform(world, 0, 1) < clock->glitch_share)
        ns -= clock->glitch_ns;
    if (clock->scatter_ns > 0)
        ns += built_uniform(world, -clock->scatter_ns, clock->scatter_ns);
    return ns;
}

/* What the clock shows then. Draws from the world's generator. */
static uint64_t built_read(struct built_world *world, const struct built_clock *clock,
                           const struct built_moment *moment)
{
    if (clock->of == BUILT_CPU_NUMBER)
        return moment->cpu;
    double from = clock->anew ? world->began : 0;
    double ns =
        from + bent(clock, counted(world, clock, moment) - from) + lies(world, clock, moment);
    if (clock->step_ns > 0)
        ns = floor(ns / clock->step_ns) * clock->step_ns;
    double hz = clock->true_hz > 0 ? clock->true_hz : clock->hz ? (double)clock->hz : 1e9;
    /* Whole ticks in two parts: a double cannot hold the beginning and ticks at once. */
    int64_t ticks = (int64_t)floor(ns * (hz / 1e9));
    uint64_t beginning = clock->beginning > 0                          ? (uint64_t)clock->beginning
                         : clock->wrap_bits || clock->of != BUILT_TIME ? 0
                                                                       : UINT64_C(1000000000000000);
    uint64_t value = beginning + (uint64_t)ticks;
    return clock->wrap_bits ? value & ((UINT64_C(1) << clock->wrap_bits) - 1) : value;
}

uint32_t built_clock(struct built_world *world, const struct built_clock *clock)
{
    struct clock_known *known = memory_add(world->file.clocks, world->file.clock_count);
    if (!known || world->file.clock_count > BUILT_MOST_CLOCKS)
        abort();
    world->clocks[world->file.clock_count - 1] = *clock;
    *known = (struct clock_known){
        .name = memory_copy(clock->name ? clock->name : ""),
        .role = clock->role,
        .way = memory_copy(clock->way ? clock->way : "vdso"),
        .hardware = memory_copy(clock->hardware ? clock->hardware : "tsc"),
        .claim = memory_copy(!clock->hz     ? ""
                             : clock->claim ? clock->claim
                                            : "the builder"),
        .note = memory_copy(""),
        .hz = clock->hz,
        .resolution_ns = clock->resolution_ns,
        .steered = clock->steered,
        .external = clock->external,
    };
    return (uint32_t)(world->file.clock_count - 1);
}

void built_usual_clocks(struct built_world *world)
{
#define GHZ 1000000000
    static const struct built_clock usual[] = {
        /* clang-format off */
        {.name = "cpu", .role = ROLE_PLACE, .of = BUILT_CPU_NUMBER, .hardware = ""},
        {.name = "steal", .role = ROLE_STOLEN, .of = BUILT_STOLEN, .hz = GHZ, .hardware = "",
         .cost_ns = 900},
        {.name = "task-clock", .way = "read", .role = ROLE_CPU_TIME, .of = BUILT_THREAD, .hz = GHZ,
         .cost_ns = 400},
        {.name = "process-cputime", .way = "syscall", .role = ROLE_CPU_TIME, .of = BUILT_PROCESS,
         .hz = GHZ, .cost_ns = 300},
        {.name = "thread-cputime", .way = "syscall", .role = ROLE_CPU_TIME, .of = BUILT_THREAD,
         .hz = GHZ, .cost_ns = 250},
        {.name = "boottime", .hz = GHZ, .steered = true},
        {.name = "realtime", .hz = GHZ, .steered = true},
        {.name = "monotonic-coarse", .hz = GHZ, .steered = true, .step_ns = 4e6,
         .resolution_ns = 4e6, .cost_ns = 8, .stops_in_suspend = true},
        {.name = "monotonic", .hz = GHZ, .steered = true, .stops_in_suspend = true},
        {.name = "monotonic-raw", .hz = GHZ, .stops_in_suspend = true},
        {.name = "tsc", .way = "instruction", .hz = 2600000000, .cost_ns = 12},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        built_clock(world, &usual[i]);
}

struct built_clock *built_find(struct built_world *world, const char *name)
{
    int index = clocks_index(&world->file, name);
    if (index < 0)
        abort();
    return &world->clocks[index];
}

void built_begin(struct built_world *world, uint64_t seed, uint32_t cpus)
{
    *world = (struct built_world){.now = 1e9, .suspend_ns = 5e8};
    random_seed(&world->random, seed);
    world->now += built_uniform(world, 0, 1e9);
    world->file.clocksource = memory_copy("tsc");
    world->file.available = memory_copy("");
    world->file.flags = memory_copy("constant_tsc nonstop_tsc");
    world->file.cpus = cpus;
}

void built_disturb(struct built_world *world)
{
    world->jitter = 0.5;
    world->cold_ns = 50e3;
    world->preempted_share = 0.15;
    world->preempted_ns = 8e6;
    world->look_preempted = 2e-5;
    world->stolen_share = 0.05;
}

uint32_t built_seeds(uint32_t usual)
{
    const char *text = getenv("ASSAY_TEST_SEEDS");
    long times = text ? strtol(text, NULL, 10) : 1;
    return usual * (uint32_t)(times < 1 ? 1 : times > 100 ? 100 : times);
}

void built_pass(struct built_world *world, double ns)
{
    world->now += ns;
}

/* --- intervals --- */

static void *resized(void *old, size_t size)
{
    void *grown = realloc(old, size ? size : 1);
    if (!grown)
        abort();
    return grown;
}

/* Room for so many more looks of the watch, zeroed; the first of them. */
static size_t built_grow(struct clock_watch *watch, size_t looks)
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

#define MOST_GAPS 8

struct gap {
    double at, ns;
};
/* One thread of an interval, in true time. */
struct strand {
    double begin, work_begin, work_end, end;
    double share; /* of its work that it runs */
    double slept; /* during its work */
    double stolen;
    uint32_t first_cpu, last_cpu;
    struct gap gaps[MOST_GAPS]; /* preemption while it looks */
    size_t gap_count;
    uint32_t involuntary;
    double times[WATCH_INTERVAL_LOOKS][BUILT_MOST_CLOCKS];
};

static void preempt(struct built_world *world, struct strand *strand, double *now)
{
    if (world->look_preempted <= 0 || strand->gap_count == MOST_GAPS ||
        built_uniform(world, 0, 1) >= world->look_preempted)
        return;
    double ns = built_uniform(world, 0, world->preempted_ns);
    strand->gaps[strand->gap_count++] = (struct gap){.at = *now, .ns = ns};
    strand->involuntary++;
    *now += ns;
}

/* Moments of one look. A cold look is slow all over: its extra time is spread over its readings. */
static void time_look(struct built_world *world, const struct clock_watch *watch,
                      struct strand *strand, uint32_t look, double cold, double *now)
{
    bool backwards = look % WATCH_SIDE_LOOKS == 1;
    for (uint32_t step = 0; step < watch->columns; step++) {
        uint32_t column = backwards ? watch->columns - 1 - step : step;
        double cost = built_cost(world, &world->clocks[watch->clocks[column]]);
        cost += cold > 0 ? built_uniform(world, 0, 2 * cold / watch->columns) : 0;
        preempt(world, strand, now);
        double part = built_uniform(world, 0.3, 0.7);
        *now += cost * part;
        strand->times[look][column] = *now;
        *now += cost * (1 - part);
    }
}

struct burden {
    const char *workload;
    double share; /* of its time that it runs */
    double slept; /* of its time that the CPU idles */
};
static const struct burden *burden_of(const char *workload)
{
    static const struct burden burdens[] = {
        {"sleep", 0, 1}, {"compute", 1, 0}, {"spin", 1, 0},
        {"yield", 1, 0}, {"faults", 1, 0},  {"pipe", 0.6, 0.3},
    };
    for (size_t i = 0; i < sizeof(burdens) / sizeof(*burdens); i++)
        if (strcmp(burdens[i].workload, workload) == 0)
            return &burdens[i];
    abort();
}

static void suspend(struct built_world *world, struct strand *strand, double *now)
{
    if (world->suspend_share <= 0 || world->suspend_count == BUILT_MOST_SUSPENDS ||
        built_uniform(world, 0, 1) >= world->suspend_share)
        return;
    double ns = world->suspend_ns * built_uniform(world, 0.5, 1.5);
    world->suspends[world->suspend_count++] =
        (struct built_suspend){.at = strand->work_begin + 1000, .ns = ns};
    *now += ns;
}

static void time_work(struct built_world *world, const struct clock_watch *watch,
                      struct strand *strand, bool first, double *now)
{
    const struct burden *burden = burden_of(watch->workload);
    double ns = (double)watch->length * 1e3;
    if (burden->slept == 1)
        ns += built_exponential(world, world->overslept_ns > 0 ? world->overslept_ns : 60e3);
    else
        ns *= built_uniform(world, 0.97, 1.06);
    double runs = ns * burden->share;
    strand->slept = ns * burden->slept;
    if (burden->share == 1 && built_uniform(world, 0, 1) < world->preempted_share) {
        ns += built_uniform(world, 0, world->preempted_ns);
        strand->involuntary++;
    }
    if (burden->share > 0 && built_uniform(world, 0, 1) < world->stolen_share) {
        strand->stolen = built_uniform(world, 0, world->preempted_ns);
        ns += strand->stolen;
    }
    strand->work_begin = *now;
    *now += ns;
    if (first)
        suspend(world, strand, now);
    strand->work_end = *now;
    strand->share = runs / (strand->work_end - strand->work_begin);
}

static void place(const struct built_world *world, const struct clock_watch *watch, uint32_t thread,
                  struct strand *strand)
{
    uint32_t cpus = world->file.cpus;
    strand->first_cpu = ((watch->cpu > 0 ? (uint32_t)watch->cpu : 0) + thread) % cpus;
    uint32_t moves = watch->moves;
    if (moves && moves % cpus == 0)
        moves++;
    strand->last_cpu = (strand->first_cpu + moves + (watch->handover ? 1 : 0)) % cpus;
}

/* How long the strand has run until now. */
static double ran(const struct strand *strand, double now)
{
    if (now <= strand->begin)
        return 0;
    double sum = fmin(now, strand->work_begin) - strand->begin;
    if (now > strand->work_begin)
        sum += strand->share * (fmin(now, strand->work_end) - strand->work_begin);
    if (now > strand->work_end)
        sum += fmin(now, strand->end) - strand->work_end;
    for (size_t i = 0; i < strand->gap_count; i++)
        if (now > strand->gaps[i].at)
            sum -= fmin(now - strand->gaps[i].at, strand->gaps[i].ns);
    return sum;
}

static struct built_moment moment_of(const struct built_world *world,
                                     const struct clock_watch *watch, const struct strand *strands,
                                     uint32_t thread, bool last, double now)
{
    const struct strand *own = &strands[thread];
    struct built_moment moment = {
        .now = now,
        .cpu = last ? own->last_cpu : own->first_cpu,
        .process_ns = world->process_ns,
        .slept_ns = world->slept_ns + (last ? own->slept : 0),
        .stolen_ns = world->stolen_ns,
    };
    for (uint32_t i = 0; i < watch->threads; i++) {
        moment.process_ns += ran(&strands[i], now);
        moment.stolen_ns += now > strands[i].work_end ? strands[i].stolen : 0;
    }
    moment.thread_ns = world->thread_ns + ran(own, now);
    if (last && watch->handover)
        moment.thread_ns = world->helper_ns + ran(own, now) - ran(own, own->work_begin);
    return moment;
}

static void show(struct built_world *world, struct clock_watch *watch, const struct strand *strands,
                 uint32_t thread, size_t first)
{
    for (uint32_t look = 0; look < WATCH_INTERVAL_LOOKS; look++) {
        size_t row = first + (size_t)thread * WATCH_INTERVAL_LOOKS + look;
        bool last = look >= WATCH_SIDE_LOOKS;
        bool backwards = look % WATCH_SIDE_LOOKS == 1;
        for (uint32_t step = 0; step < watch->columns; step++) {
            uint32_t column = backwards ? watch->columns - 1 - step : step;
            struct built_moment moment =
                moment_of(world, watch, strands, thread, last, strands[thread].times[look][column]);
            watch->values[row * watch->columns + column] =
                built_read(world, &world->clocks[watch->clocks[column]], &moment);
        }
        if (look == WATCH_SIDE_LOOKS)
            watch->accounts[row] = (struct account){
                .voluntary = strands[thread].slept > 0,
                .involuntary = strands[thread].involuntary,
            };
    }
}

static void build_interval(struct built_world *world, struct clock_watch *watch)
{
    struct strand strands[BUILT_MOST_THREADS];
    memset(strands, 0, sizeof(strands));
    size_t first = built_grow(watch, (size_t)WATCH_INTERVAL_LOOKS * watch->threads);
    double end = 0;
    for (uint32_t thread = 0; thread < watch->threads; thread++) {
        struct strand *strand = &strands[thread];
        double now = world->now + built_uniform(world, 500, 3000);
        strand->begin = now;
        place(world, watch, thread, strand);
        for (uint32_t look = 0; look < WATCH_SIDE_LOOKS; look++)
            time_look(world, watch, strand, look, 0, &now);
        time_work(world, watch, strand, thread == 0, &now);
        double cold = world->cold_ns > 0 ? built_uniform(world, 0, world->cold_ns) : 0;
        for (uint32_t look = WATCH_SIDE_LOOKS; look < WATCH_INTERVAL_LOOKS; look++)
            time_look(world, watch, strand, look, look == WATCH_SIDE_LOOKS ? cold : 0, &now);
        strand->end = now;
        end = fmax(end, now);
    }
    for (uint32_t thread = 0; thread < watch->threads; thread++)
        show(world, watch, strands, thread, first);
    for (uint32_t thread = 0; thread < watch->threads; thread++) {
        world->process_ns += ran(&strands[thread], end);
        world->stolen_ns += strands[thread].stolen;
    }
    world->thread_ns += ran(&strands[0], end);
    world->helper_ns += watch->handover ? ran(&strands[0], end) : 0;
    world->slept_ns += strands[0].slept;
    world->now = end + built_uniform(world, 1000, 20000);
}

static void built_intervals(struct built_world *world, size_t index, uint32_t intervals)
{
    for (uint32_t i = 0; i < intervals; i++)
        build_interval(world, &world->file.watches[index]);
}

/* --- other watches, and plans --- */

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

/* One more watch, and its only process. */
static void visit_once(struct built_world *world, const struct built_watch *plan, uint32_t groups)
{
    built_visit(world, built_watch(world, plan), groups);
}

static void plan_shapes(struct built_world *world)
{
    for (uint32_t i = 0; i < world->file.clock_count; i++) {
        enum clock_role role = world->file.clocks[i].role;
        const char *name = world->file.clocks[i].name;
        if (role == ROLE_PLACE || role == ROLE_STOLEN ||
            world->clocks[i].of == BUILT_OUTSIDE_MACHINE)
            continue;
        visit_once(world, &(struct built_watch){.kind = WATCH_ROW, .columns = {name}}, 40);
        visit_once(world, &(struct built_watch){.kind = WATCH_STEPS, .columns = {name}}, 60);
    }
    for (int32_t cpu = 1; cpu < (int32_t)world->file.cpus && cpu < 4; cpu++)
        visit_once(world, &(struct built_watch){.kind = WATCH_TRIPS, .partner = cpu}, 200);
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

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The builder's clocks: what each shows at a moment of the built world. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clocks-builder.h"

#define TWO_PI          6.283185307179586
#define FREQUENCY_SWING 70e6 /* ns */

double built_uniform(struct built_world *world, double low, double high)
{
    double share = (double)(random_next(&world->random) >> 11) * 0x1p-53;
    return low + (high - low) * share;
}

double built_exponential(struct built_world *world, double mean)
{
    return -mean * log(1 - built_uniform(world, 0, 1));
}

double built_cost(struct built_world *world, const struct built_clock *clock)
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
    case BUILT_CPU_NUMBER:
    case BUILT_OUTSIDE_MACHINE:
    case BUILT_TIME:
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

uint64_t built_read(struct built_world *world, const struct built_clock *clock,
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
    static const struct built_clock usual[] = {
        {.name = "cpu", .role = ROLE_PLACE, .of = BUILT_CPU_NUMBER, .hardware = ""},
        {.name = "steal",
         .role = ROLE_STOLEN,
         .of = BUILT_STOLEN,
         .hz = 1000000000,
         .hardware = "",
         .cost_ns = 900},
        {.name = "task-clock",
         .way = "read",
         .role = ROLE_CPU_TIME,
         .of = BUILT_THREAD,
         .hz = 1000000000,
         .cost_ns = 400},
        {.name = "process-cputime",
         .way = "syscall",
         .role = ROLE_CPU_TIME,
         .of = BUILT_PROCESS,
         .hz = 1000000000,
         .cost_ns = 300},
        {.name = "thread-cputime",
         .way = "syscall",
         .role = ROLE_CPU_TIME,
         .of = BUILT_THREAD,
         .hz = 1000000000,
         .cost_ns = 250},
        {.name = "boottime", .hz = 1000000000, .steered = true},
        {.name = "realtime", .hz = 1000000000, .steered = true},
        {.name = "monotonic-coarse",
         .hz = 1000000000,
         .steered = true,
         .step_ns = 4e6,
         .resolution_ns = 4e6,
         .cost_ns = 8,
         .stops_in_suspend = true},
        {.name = "monotonic", .hz = 1000000000, .steered = true, .stops_in_suspend = true},
        {.name = "monotonic-raw", .hz = 1000000000, .stops_in_suspend = true},
        {.name = "tsc", .way = "instruction", .hz = 2600000000, .cost_ns = 12},
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
    world->file.machine = memory_copy("built");
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

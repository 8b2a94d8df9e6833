/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The builder's intervals: first when every reading of every thread happens and what the CPUs do
 * meanwhile, then what the clocks show at these moments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clocks-builder.h"

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

void built_intervals(struct built_world *world, size_t index, uint32_t intervals)
{
    for (uint32_t i = 0; i < intervals; i++)
        build_interval(world, &world->file.watches[index]);
}

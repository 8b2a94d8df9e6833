/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes cases for the judge of overhead: tours given by the text of their calls, filled with spans
 * that cost what the test plants for each operation, predecessor and position, plus metering, noise
 * of runs and of processes, levels, disturbed passes and page faults, in whole steps of the meter.
 * Memory that runs out ends the test. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/random.h"
#include "studies/overhead/study.h"

#define OVERHEAD_BUILT_METERS 3

/* One call, for those who plant its cost. */
struct overhead_built_call {
    const char *operation;   /* "perf-read.read" */
    const char *path, *kind; /* "perf-read", "read" */
    const char *predecessor; /* NULL: nothing of the tour */
    uint32_t times;          /* in one span */
    uint32_t open;           /* counters */
    uint32_t machine;
    const char *link;
    bool separate, cold;
    uint32_t position; /* how many-th call of the operation in its process, from 1 */
    uint32_t process, pass;
    uint32_t meter; /* index */
    const char *event;
};
/* What the call costs without metering and noise. */
typedef double overhead_built_cost(const struct overhead_built_call *call, void *context);

/* One tour. Zeroes are sensible: a warm one on machine 0, metered in ticks, static, one counter of
 * page-faults, 30 processes of 20 passes, costs of overhead_usual_cost without any noise. */
struct overhead_way {
    uint32_t machine;
    const char *calls; /* "timer.nothing,perf-read.read*8"; NULL: reads through read(), complete */
    const char *link, *counted;
    uint32_t open;
    bool separate, cold;
    const char *meters[OVERHEAD_BUILT_METERS]; /* none: "clock/ticks/" */
    uint32_t processes, passes;                /* 0: 30 (cold: 200) of 20 (cold: 1) */
    overhead_built_cost *cost;                 /* NULL: overhead_usual_cost */
    void *context;
    double metering;  /* in every span; 0: 50 */
    double step;      /* of the meter; 0: 1. Spans begin anywhere between two steps */
    double run_noise; /* relative standard deviations */
    double process_noise;
    /* levels: a process (a call) costs `factor` times as much with this probability; of processes
     * exactly that share, spread evenly. Calls of the path timer stay as they are. */
    double process_level_share, process_level_factor;
    double call_level_share, call_level_factor;
    /* passes during which somebody shares the core, in stretches of some passes */
    double shared;          /* share of passes */
    double shared_factor;   /* 0: 1.2; of the gauge 1.7 */
    double faulted;         /* share of warm passes with a page fault in the account */
    double preempted;       /* … with an involuntary context switch */
    double fault_cost;      /* cold: the first call of every operation of the path */
    const char *fault_path; /* … takes a page fault that costs this much */
};

struct overhead_builder {
    struct overhead_case file;
    struct random random;
};

#define WAY(...) (&(struct overhead_way){__VA_ARGS__})
/* Begins a case. */
#define BUILDER(name, seed)                                                                        \
    struct overhead_builder name;                                                                  \
    overhead_builder_start(&(name), seed)

/* Another machine; tours of it say its index. */
static inline uint32_t build_overhead_machine(struct overhead_builder *builder, const char *name,
                                              bool emulated)
{
    struct overhead_machine *machine =
        memory_add(builder->file.machines, builder->file.machine_count);
    machine->name = memory_copy(name);
    machine->cpu = memory_copy(name);
    machine->os = memory_copy("6.1.0");
    machine->fingerprint = memory_copy(name);
    machine->kit = memory_copy("kit");
    machine->emulated = emulated;
    return (uint32_t)(builder->file.machine_count - 1);
}

/* With one machine, number 0, that is not emulated. */
static inline void overhead_builder_start(struct overhead_builder *builder, uint64_t seed)
{
    *builder = (struct overhead_builder){0};
    random_seed(&builder->random, seed);
    build_overhead_machine(builder, "built", false);
}

static inline void build_overhead_absence(struct overhead_builder *builder, const char *what,
                                          int error, const char *reason)
{
    struct overhead_absence *absence =
        memory_add(builder->file.absences, builder->file.absence_count);
    absence->what = memory_copy(what);
    absence->reason = memory_copy(reason);
    absence->error = error;
}

/* What the catalogue would say of paths; an operation not named here is of an instrument of the
 * same name, binds nothing and has no page. */
static const struct overhead_built_path {
    const char *path, *instrument, *page;
    bool binds;
    double start, read; /* usual cost; stop is 0.8 of start */
} overhead_built_paths[] = {
    {"timer", "timer", "", false, 0, 0},
    {"perf-read", "perf", "", true, 2444, 1014},
    {"perf-syscall", "perf", "", false, 2400, 990},
    {"perf-prctl", "prctl", "", true, 2418, 1014},
    {"perf-user", "perf", "populated", false, 0, 120},
    {"perf-user-touched", "perf", "touched", false, 0, 120},
    {"perf-user-cold", "perf", "cold", false, 0, 120},
    {"assay", "assay", "", true, 2500, 150},
    {"papi-low", "papi", "", true, 3926, 2028},
    {"papi-high", "papi-high", "", true, 3484, 3380},
};

static inline const struct overhead_built_path *overhead_built_path(const char *path)
{
    size_t count = sizeof(overhead_built_paths) / sizeof(*overhead_built_paths);
    for (size_t i = 0; i < count; i++)
        if (strcmp(overhead_built_paths[i].path, path) == 0)
            return &overhead_built_paths[i];
    return NULL;
}

/* Its index; made where there is none. */
static inline uint32_t build_overhead_operation(struct overhead_builder *builder, const char *name)
{
    int known = overhead_operation_index(&builder->file, name);
    if (known >= 0)
        return (uint32_t)known;
    struct overhead_operation *operation =
        memory_add(builder->file.operations, builder->file.operation_count);
    const char *dot = strchr(name, '.');
    if (!dot)
        abort();
    operation->name = memory_copy(name);
    operation->path = memory_copy(name);
    operation->path[dot - name] = '\0';
    operation->kind = memory_copy(dot + 1);
    const struct overhead_built_path *path = overhead_built_path(operation->path);
    operation->instrument = memory_copy(path ? path->instrument : operation->path);
    operation->page = memory_copy(path ? path->page : "");
    operation->binds = path && path->binds;
    operation->note = memory_copy("");
    return (uint32_t)(builder->file.operation_count - 1);
}

/* Nothing 0, the gauge 540, start and read as the table says, stop and end 0.8 of start, every call
 * of a span alike; whatever precedes. */
static inline double overhead_usual_cost(const struct overhead_built_call *call, void *context)
{
    (void)context;
    const struct overhead_built_path *path = overhead_built_path(call->path);
    double cost = 1000;
    if (strcmp(call->kind, "nothing") == 0)
        cost = 0;
    else if (strcmp(call->kind, "gauge") == 0)
        cost = 540;
    else if (path && (strcmp(call->kind, "start") == 0 || strcmp(call->kind, "begin") == 0))
        cost = path->start;
    else if (path && (strcmp(call->kind, "stop") == 0 || strcmp(call->kind, "end") == 0))
        cost = 0.8 * path->start;
    else if (path)
        cost = path->read;
    return cost * call->times;
}

/* What calls cost; the timer's as usual. */
#define COST_OF_CALLS(name, cost)                                                                  \
    static double name(const struct overhead_built_call *call, void *context)                      \
    {                                                                                              \
        (void)context;                                                                             \
        return strcmp(call->path, "timer") == 0 ? overhead_usual_cost(call, NULL) : (cost);        \
    }

/* Above 0 and below 1. */
static inline double overhead_built_uniform(struct random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double overhead_built_normal(struct random *random)
{
    double radius = sqrt(-2 * log(overhead_built_uniform(random)));
    return radius * cos(6.283185307179586 * overhead_built_uniform(random));
}

/* A circuit in which every one of the operations follows every one, itself too, exactly once; the
 * caller frees it. */
static inline char *overhead_built_circuit(const char *const *operations, size_t count)
{
    size_t room = 1;
    for (size_t i = 0; i < count; i++)
        room += (strlen(operations[i]) + 1) * count;
    char *text = memory_new(room, 1);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++) {
            strcat(strcat(text, *text ? "," : ""), operations[i]);
            if (j > i)
                strcat(strcat(text, ","), operations[j]);
        }
    return text;
}

static inline void overhead_built_calls(struct overhead_builder *builder,
                                        struct overhead_tour *tour, const char *text)
{
    char *copy = memory_copy(text), *rest = copy, *word;
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    tour->calls = memory_new(most, sizeof(*tour->calls));
    tour->times = memory_new(most, sizeof(*tour->times));
    while ((word = strsep(&rest, ","))) {
        char *star = strchr(word, '*');
        if (star)
            *star = '\0';
        tour->calls[tour->length] = build_overhead_operation(builder, word);
        tour->times[tour->length++] = star ? (uint32_t)strtoul(star + 1, NULL, 10) : 1;
    }
    memory_give_back(copy);
}

static inline enum meter_unit overhead_built_unit(const char *event)
{
    if (strcmp(event, "clock/ticks/") == 0)
        return METER_TICKS;
    if (strncmp(event, "instructions", strlen("instructions")) == 0)
        return METER_INSTRUCTIONS;
    return strncmp(event, "cycles", strlen("cycles")) == 0 ? METER_CYCLES : METER_EVENTS;
}

static inline void overhead_built_meters(struct overhead_tour *tour, const struct overhead_way *way)
{
    tour->meters = memory_new(OVERHEAD_BUILT_METERS, sizeof(*tour->meters));
    for (size_t i = 0; i < OVERHEAD_BUILT_METERS; i++) {
        const char *event = way->meters[i] ? way->meters[i] : i ? NULL : "clock/ticks/";
        const char *colon = event ? strrchr(event, ':') : NULL;
        if (!event)
            break;
        tour->meters[tour->meter_count++] = (struct overhead_meter){
            memory_copy(event), memory_copy(colon ? colon + 1 : ""), overhead_built_unit(event), 0};
    }
}

/* What holds for a whole pass. */
struct overhead_built_state {
    double factor; /* of process, level and drift */
    bool shared;
};

static inline bool overhead_built_chance(struct random *random, double share)
{
    return share > 0 && overhead_built_uniform(random) < share;
}

static inline double overhead_built_or(double value, double otherwise)
{
    return value != 0 ? value : otherwise;
}

/* Without metering. */
static inline double overhead_built_span(struct overhead_builder *builder,
                                         const struct overhead_way *way,
                                         const struct overhead_built_call *call,
                                         const struct overhead_built_state *state)
{
    struct random *random = &builder->random;
    bool timer = strcmp(call->path, "timer") == 0;
    double cost = (way->cost ? way->cost : overhead_usual_cost)(call, way->context);
    if (!timer)
        cost *= state->factor;
    if (!timer && overhead_built_chance(random, way->call_level_share))
        cost *= way->call_level_factor;
    if (state->shared)
        cost *= strcmp(call->kind, "gauge") == 0 ? 1.7 : overhead_built_or(way->shared_factor, 1.2);
    if (way->run_noise > 0)
        cost *= fmax(0.2, 1 + way->run_noise * overhead_built_normal(random));
    return cost;
}

/* As the meter shows it: whole steps, of which one more or less was passed. */
static inline int64_t overhead_built_metered(struct overhead_builder *builder,
                                             const struct overhead_way *way, double cost)
{
    double step = overhead_built_or(way->step, 1);
    double span = cost + overhead_built_or(way->metering, 50);
    if (step <= 1)
        return (int64_t)llround(span);
    double begin = overhead_built_uniform(&builder->random) * 1e6;
    double first = floor(begin / step) * step, last = floor((begin + span) / step) * step;
    return (int64_t)(floor(last) - floor(first));
}

static inline void overhead_built_account(struct overhead_builder *builder,
                                          const struct overhead_way *way, struct account *account,
                                          const struct overhead_built_call *call, bool first)
{
    if (way->cold)
        account->minor_faults = way->fault_cost > 0 && call->position == 1 && way->fault_path &&
                                strcmp(call->path, way->fault_path) == 0;
    else if (first) {
        account->minor_faults = overhead_built_chance(&builder->random, way->faulted);
        account->involuntary = overhead_built_chance(&builder->random, way->preempted);
    }
}

static inline void overhead_built_process(struct overhead_builder *builder,
                                          const struct overhead_way *way,
                                          struct overhead_tour *tour, uint32_t process)
{
    struct overhead_built_state state = {.factor = 1};
    uint32_t *seen = memory_new(builder->file.operation_count, sizeof(*seen));
    size_t at = tour->begins[process];
    if (way->process_noise > 0)
        state.factor *= 1 + way->process_noise * overhead_built_normal(&builder->random);
    if (floor((process + 1) * way->process_level_share + 1e-9) >
        floor(process * way->process_level_share + 1e-9))
        state.factor *= way->process_level_factor;
    for (uint32_t pass = 0; pass < tour->passes[process]; pass++) {
        if (pass % 4 == 0)
            state.shared = overhead_built_chance(&builder->random, way->shared);
        for (size_t i = 0; i < tour->length; i++, at++) {
            const struct overhead_operation *operation = &builder->file.operations[tour->calls[i]];
            size_t before = i ? i - 1 : tour->length - 1;
            struct overhead_built_call call = {
                .operation = operation->name,
                .path = operation->path,
                .kind = operation->kind,
                .predecessor =
                    i || pass ? builder->file.operations[tour->calls[before]].name : NULL,
                .times = tour->times[i],
                .open = tour->open,
                .machine = tour->machine,
                .link = tour->link,
                .separate = tour->separate,
                .cold = tour->cold,
                .position = ++seen[tour->calls[i]],
                .process = process,
                .pass = pass,
            };
            overhead_built_account(builder, way, &tour->accounts[at], &call, i == 0);
            for (uint32_t meter = 0; meter < tour->meter_count; meter++) {
                call.meter = meter;
                call.event = tour->meters[meter].event;
                double cost = overhead_built_span(builder, way, &call, &state);
                if (way->cold && tour->accounts[at].minor_faults)
                    cost += way->fault_cost;
                tour->values[at * tour->meter_count + meter] =
                    overhead_built_metered(builder, way, cost);
            }
        }
    }
    memory_give_back(seen);
}

/* The tour stays where it is until the next is built. */
static inline struct overhead_tour *build_overhead_tour(struct overhead_builder *builder,
                                                        const struct overhead_way *way)
{
    static const char *const reads[] = {"timer.nothing", "timer.gauge", "perf-read.read"};
    char *circuit = way->calls ? NULL : overhead_built_circuit(reads, 3);
    struct overhead_tour *tour = memory_add(builder->file.tours, builder->file.tour_count);
    tour->machine = way->machine;
    tour->link = memory_copy(way->link ? way->link : "static");
    tour->counted = memory_copy(way->counted ? way->counted : "page-faults");
    tour->open = way->open ? way->open : 1;
    tour->separate = way->separate;
    tour->cold = way->cold;
    overhead_built_meters(tour, way);
    overhead_built_calls(builder, tour, way->calls ? way->calls : circuit);
    memory_give_back(circuit);
    tour->processes = way->processes ? way->processes : way->cold ? 200 : 30;
    tour->passes = memory_new(tour->processes, sizeof(*tour->passes));
    tour->begins = memory_new(tour->processes + 1, sizeof(*tour->begins));
    for (size_t i = 0; i < tour->processes; i++) {
        tour->passes[i] = way->passes ? way->passes : way->cold ? 1 : 20;
        tour->begins[i + 1] = tour->begins[i] + tour->passes[i] * tour->length;
    }
    size_t calls = tour->begins[tour->processes];
    tour->values = memory_new(calls * tour->meter_count, sizeof(*tour->values));
    tour->accounts = memory_new(calls, sizeof(*tour->accounts));
    for (size_t i = 0; i < tour->processes; i++)
        overhead_built_process(builder, way, tour, (uint32_t)i);
    return tour;
}

/* A tour that no process could make. */
static inline struct overhead_tour *build_overhead_failed(struct overhead_builder *builder,
                                                          const struct overhead_way *way, int error,
                                                          const char *reason)
{
    struct overhead_way few = *way;
    few.processes = 1;
    struct overhead_tour *tour = build_overhead_tour(builder, &few);
    tour->processes = 0;
    tour->failed = way->processes ? way->processes : 30;
    tour->error = error;
    tour->reason = memory_copy(reason);
    return tour;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes cases for the judge of measurement error: cells by their factors, filled with runs whose
 * error is what the test plants (a constant, an effect of the factors, something drawn for each
 * run), with seeded noise of runs and of processes. Memory that runs out ends the test. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/random.h"
#include "studies/error/study.h"

/* How noise of deviation 1 is drawn. */
enum error_noise {
    NOISE_NORMAL,
    NOISE_HEAVY, /* Student's t with 3 degrees of freedom, scaled to deviation 1: wild values */
    NOISE_RARE,  /* nothing in 19 of 20 draws, then a number far above: interrupts */
};

/* What the factors of a cell add to the error of all its runs. */
typedef double error_effect_of(const struct error_cell *cell, void *context);
/* What is added to the error of one run; index counts all runs of the cell and may be used to fill
 * cell->enabled, running and interrupts, where the way has times. Values before index are there. */
typedef double error_draw(struct error_cell *cell, size_t process, size_t run, size_t index,
                          struct random *random, void *context);

/* One cell. Zeroes are sensible: instructions:u of the null specimen through perf-read, ar, -O2,
 * static, one counter, 20 processes of 20 runs, every run without error. */
struct error_way {
    enum error_part part;
    uint32_t machine;
    const char *event; /* NULL: "instructions:u", stepped: "step/instructions/" */
    const char *kind; /* NULL: "source" of a name "step/…", "hardware" of instructions, cycles and
                         branches, else "software" */
    const char *class;             /* NULL: its base */
    const char *path, *opt, *link; /* NULL: "perf-read", "O2", "static" */
    enum pattern pattern;
    uint32_t counters; /* 0: 1 */
    bool separate;
    const char *others;   /* NULL: "" */
    const char *specimen; /* NULL: "null" */
    bool placed;          /* at `offset`; else cell->offset is -1 */
    int64_t offset;
    uint64_t n;
    bool has_truth; /* null and stepped cells have it anyway: 0 */
    int64_t truth;
    uint32_t processes, runs; /* 0: 20 of 20 */
    bool times;               /* enabled, running (both 1000 + n ns) and interrupts (0) are there */
    /* --- the error of a run is the sum of these, rounded --- */
    double error;
    double first; /* in the first run of each process besides */
    error_effect_of *effect;
    error_draw *draw;
    void *context; /* of effect and draw */
    enum error_noise noise;
    double run_noise, process_noise; /* standard deviations */
};

struct error_builder {
    struct error_case file;
    struct random random;
};

/* Another machine; cells of it say its index. */
static inline uint32_t build_error_machine(struct error_builder *builder, const char *name,
                                           bool emulated)
{
    struct error_machine *machine = memory_add(builder->file.machines, builder->file.machine_count);
    machine->name = memory_copy(name);
    machine->fingerprint = memory_copy(name);
    machine->emulated = emulated;
    return (uint32_t)(builder->file.machine_count - 1);
}

/* With one machine, number 0, that is not emulated. */
static inline void error_builder_start(struct error_builder *builder, uint64_t seed)
{
    *builder = (struct error_builder){0};
    random_seed(&builder->random, seed);
    build_error_machine(builder, "built", false);
}

#define BUILDER(name, seed)                                                                        \
    struct error_builder name;                                                                     \
    error_builder_start(&(name), seed)

static inline void build_error_absence(struct error_builder *builder, const char *what, int error,
                                       const char *reason)
{
    struct error_absence *absence = memory_add(builder->file.absences, builder->file.absence_count);
    absence->what = memory_copy(what);
    absence->reason = memory_copy(reason);
    absence->error = error;
}

/* Above 0 and below 1. */
static inline double error_built_uniform(struct random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double error_built_normal(struct random *random)
{
    double radius = sqrt(-2 * log(error_built_uniform(random)));
    return radius * cos(6.283185307179586 * error_built_uniform(random));
}

static inline double error_built_noise(struct random *random, enum error_noise noise)
{
    if (noise == NOISE_RARE) /* mean 0.05 * 4.47 = 0.22, deviation about 1 */
        return random_below(random, 20) ? 0 : 4.47 * (0.8 + 0.4 * error_built_uniform(random));
    double normal = error_built_normal(random);
    if (noise == NOISE_NORMAL)
        return normal;
    double squares = 0; /* chi squared over 3; the variance of t with 3 is 3 */
    for (int i = 0; i < 3; i++) {
        double one = error_built_normal(random);
        squares += one * one / 3;
    }
    return normal / sqrt(squares) / 1.7320508075688772;
}

/* "instructions" of "instructions:uk" and of "step/instructions/"; else the name itself. */
static inline char *error_built_base(const char *event)
{
    bool stepped = strncmp(event, "step/", 5) == 0;
    char *base = memory_copy(stepped ? event + 5 : event),
         *end = strrchr(base, stepped ? '/' : ':');
    if (end && end[1 + strspn(end + 1, "uk")] == '\0')
        *end = '\0';
    return base;
}

static inline enum count_mode error_built_mode(const char *event, const char *kind)
{
    const char *colon = strrchr(event, ':');
    if (strcmp(kind, "source") == 0 || (colon && strcmp(colon, ":u") == 0))
        return COUNT_USER;
    if (colon && strcmp(colon, ":k") == 0)
        return COUNT_KERNEL;
    return (colon && strcmp(colon, ":uk") == 0) || strcmp(kind, "hardware") == 0 ? COUNT_BOTH
                                                                                 : COUNT_ANY;
}

static inline const char *error_built_kind(const char *event)
{
    bool of_the_cpu = strncmp(event, "instructions", 12) == 0 || strncmp(event, "cycles", 6) == 0 ||
                      strncmp(event, "branches", 8) == 0;
    return strncmp(event, "step/", 5) == 0 ? "source" : of_the_cpu ? "hardware" : "software";
}

static inline void error_built_describe(struct error_cell *cell, const struct error_way *way)
{
    const char *event = way->event                  ? way->event
                        : way->part == PART_STEPPED ? "step/instructions/"
                                                    : "instructions:u";
    const char *kind = way->kind ? way->kind : error_built_kind(event);
    cell->part = way->part;
    cell->machine = way->machine;
    cell->event = memory_copy(event);
    cell->base = error_built_base(event);
    cell->kind = memory_copy(kind);
    cell->class = memory_copy(way->class ? way->class : cell->base);
    cell->mode = error_built_mode(event, kind);
    cell->path = memory_copy(way->path ? way->path : "perf-read");
    cell->opt = memory_copy(way->opt ? way->opt : "O2");
    cell->link = memory_copy(way->link ? way->link : "static");
    cell->pattern = way->pattern;
    cell->counters = way->counters ? way->counters : 1;
    cell->separate = way->separate;
    cell->others = memory_copy(way->others ? way->others : "");
    cell->specimen = memory_copy(way->specimen ? way->specimen : "null");
    cell->offset = way->placed ? way->offset : -1;
    cell->n = way->n;
    cell->has_truth = way->has_truth || way->part == PART_NULL || way->part == PART_STEPPED;
    cell->truth = way->has_truth ? way->truth : 0;
}

static inline void error_built_run(struct error_builder *builder, struct error_cell *cell,
                                   const struct error_way *way, size_t process, size_t run,
                                   size_t index, double shared)
{
    double error = shared + (run == 0 ? way->first : 0);
    if (way->run_noise > 0)
        error += way->run_noise * error_built_noise(&builder->random, way->noise);
    if (way->times) {
        cell->enabled[index] = cell->running[index] = 1000 + (double)way->n;
        cell->interrupts[index] = 0;
    }
    if (way->draw)
        error += way->draw(cell, process, run, index, &builder->random, way->context);
    cell->values[index] = cell->truth + (int64_t)llround(error);
}

/* The cell stays where it is until the next is built. */
static inline struct error_cell *build_error_cell(struct error_builder *builder,
                                                  const struct error_way *way)
{
    struct error_cell *cell = error_case_add_cell(&builder->file);
    size_t each = way->runs ? way->runs : 20, index = 0;
    error_built_describe(cell, way);
    cell->processes = way->processes ? way->processes : 20;
    cell->runs = cell->processes * each;
    cell->values = memory_new(cell->runs, sizeof(*cell->values));
    cell->begins = memory_new(cell->processes + 1, sizeof(*cell->begins));
    if (way->times) {
        cell->enabled = memory_new(cell->runs, sizeof(*cell->enabled));
        cell->running = memory_new(cell->runs, sizeof(*cell->running));
        cell->interrupts = memory_new(cell->runs, sizeof(*cell->interrupts));
    }
    double of_cell = way->error + (way->effect ? way->effect(cell, way->context) : 0);
    for (size_t process = 0; process < cell->processes; process++) {
        double shared = of_cell;
        if (way->process_noise > 0)
            shared += way->process_noise * error_built_noise(&builder->random, way->noise);
        for (size_t run = 0; run < each; run++, index++)
            error_built_run(builder, cell, way, process, run, index, shared);
        cell->begins[process + 1] = index;
    }
    return cell;
}

/* The same by the members of a way. */
#define BUILD(builder, ...) build_error_cell(builder, &(struct error_way){__VA_ARGS__})

/* A cell that no process could measure. */
static inline struct error_cell *build_error_failed(struct error_builder *builder,
                                                    const struct error_way *way, int error,
                                                    const char *reason)
{
    struct error_cell *cell = error_case_add_cell(&builder->file);
    error_built_describe(cell, way);
    cell->begins = memory_new(1, sizeof(*cell->begins));
    cell->failed = way->processes ? way->processes : 20;
    cell->error = error;
    cell->reason = memory_copy(reason);
    return cell;
}

/* Every combination of these levels, each list ending in NULL or 0; an absent list is the one level
 * of the way. Patterns are bits (1 << PATTERN_AR | …), 0 for that of the way. */
struct error_crossing {
    const char *const *events, *const *paths, *const *opts, *const *links;
    const uint32_t *counters;
    unsigned patterns;
    /* NULL: all combinations exist; the function may change the way before it says yes. */
    bool (*exists)(struct error_way *way);
};
#define ERROR_ALL_PATTERNS ((1u << PATTERN_COUNT) - 1)

static inline const char *error_level(const char *const *list, size_t i, const char *otherwise)
{
    return list ? list[i] : otherwise;
}

static inline void build_error_crossing(struct error_builder *builder,
                                        const struct error_crossing *crossing,
                                        const struct error_way *way)
{
    const char *const *const lists[] = {crossing->events, crossing->paths, crossing->opts,
                                        crossing->links};
    size_t sizes[6] = {0, 0, 0, 0, 0, PATTERN_COUNT}, all = 1;
    for (size_t list = 0; list < 4; list++)
        while (lists[list] && lists[list][sizes[list]])
            sizes[list]++;
    while (crossing->counters && crossing->counters[sizes[4]])
        sizes[4]++;
    for (size_t list = 0; list < 6; list++)
        all *= sizes[list] += !sizes[list];
    unsigned patterns = crossing->patterns ? crossing->patterns : 1u << way->pattern;
    for (size_t i = 0; i < all; i++) {
        size_t rest = i, at[6]; /* patterns change fastest */
        at[5] = rest % PATTERN_COUNT;
        rest /= PATTERN_COUNT;
        for (size_t list = 0; list < 5; rest /= sizes[list++])
            at[list] = rest % sizes[list];
        struct error_way one = *way;
        one.event = error_level(lists[0], at[0], way->event);
        one.path = error_level(lists[1], at[1], way->path);
        one.opt = error_level(lists[2], at[2], way->opt);
        one.link = error_level(lists[3], at[3], way->link);
        one.counters = crossing->counters ? crossing->counters[at[4]] : way->counters;
        one.pattern = (enum pattern)at[5];
        if ((patterns >> at[5] & 1) && (!crossing->exists || crossing->exists(&one)))
            build_error_cell(builder, &one);
    }
}

#define ERROR_PLAIN(...) __VA_ARGS__
/* The same by the members of a crossing, in brackets, and of a way. */
#define CROSS(builder, crossing, ...)                                                              \
    build_error_crossing(builder, &(struct error_crossing){ERROR_PLAIN crossing},                  \
                         &(struct error_way){__VA_ARGS__})

/* Measured instructions:u cells and stepped ones of the same ways, in which `exact` instructions
 * lie in the window and the CPU sees `edge` more: what must agree. */
static inline void build_error_stepped_pair(struct error_builder *builder,
                                            const struct error_way *way, double exact, double edge)
{
    struct error_way stepped = *way, measured = *way;
    stepped.part = PART_STEPPED;
    stepped.event = "step/instructions/";
    stepped.kind = NULL;
    stepped.class = NULL;
    stepped.error = exact;
    stepped.run_noise = stepped.process_noise = 0;
    stepped.processes = 2;
    measured.error = exact + edge;
    build_error_cell(builder, &stepped);
    build_error_cell(builder, &measured);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes case files for the judge: specimens with known counts, measured by a counter that tells the
 * truth, with as much seeded noise as asked for. A test then plants its lie in them
 * (built_lie), or changes single runs. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/random.h"
#include "studies/validate/study.h"

/* What one specimen does: base + each * N of it. */
struct built_count {
    const char *name; /* NULL ends the table */
    enum trait_kind kind;
    int64_t base, each;
    enum truth_grade grade;
    int64_t high_base, high_each; /* of a bounded truth */
};

struct built_specimen {
    const char *name; /* NULL ends the table */
    struct built_count counts[16];
};

#define BUILT(class, base, each)                                                                   \
    {                                                                                              \
        class, TRAIT_CLASS, base, each, TRUTH_PROVEN, 0, 0                                         \
    }
#define BUILT_BETWEEN(class, base, each, high_base, high_each)                                     \
    {                                                                                              \
        class, TRAIT_CLASS, base, each, TRUTH_BOUNDED, high_base, high_each                        \
    }
#define BUILT_OPCODE(opcode, base, each)                                                           \
    {                                                                                              \
        opcode, TRAIT_OPCODE, base, each, TRUTH_PROVEN, 0, 0                                       \
    }

/* Classes of every specimen, and opcodes of all that loop within a function: base, and each N. */
#define CODE(is, each_is, ld, each_ld, st, each_st, faults)                                        \
    BUILT("instructions", is, each_is), BUILT("loads", ld, each_ld), BUILT("stores", st, each_st), \
        BUILT("cond-branches", 0, 1), BUILT("page-faults", 0, faults)
#define CALLED                                                                                     \
    BUILT_OPCODE("dec", 0, 1), BUILT_OPCODE("jne", 0, 1), BUILT_OPCODE("call", 1, 0),              \
        BUILT_OPCODE("ret", 1, 0)
#define BRANCHES BUILT("branches", 2, 1), BUILT("syscalls", 0, 0)

/* A small world of code with different mixes, enough to tell every cause from every other. */
/* clang-format off */
static const struct built_specimen built_specimens[] __attribute__((unused)) = {
    {"loop", {CODE(1, 2, 0, 0, 0, 0, 0), BUILT("branches", 0, 1), BUILT("syscalls", 0, 0),
      BUILT_OPCODE("mov", 1, 0), BUILT_OPCODE("dec", 0, 1), BUILT_OPCODE("jne", 0, 1)}},
    {"adds", {CODE(4, 12, 1, 0, 1, 0, 0), BRANCHES, CALLED, BUILT_OPCODE("add", 0, 10),
      BUILT_OPCODE("mov", 2, 0)}},
    {"loads", {CODE(4, 5, 1, 3, 1, 0, 0), BRANCHES, CALLED, BUILT_OPCODE("mov", 2, 3)}},
    {"stores", {CODE(4, 4, 1, 0, 1, 2, 0), BRANCHES, CALLED, BUILT_OPCODE("movnti", 0, 2),
      BUILT_OPCODE("mov", 2, 0)}},
    {"fldcw", {CODE(6, 6, 2, 1, 2, 0, 0), BRANCHES, CALLED, BUILT_OPCODE("fldcw", 1, 1),
      BUILT_OPCODE("nop", 0, 3), BUILT_OPCODE("mov", 3, 0)}},
    {"locked", {CODE(4, 3, 1, 1, 1, 1, 0), BRANCHES, CALLED, BUILT_OPCODE("lock add", 0, 1),
      BUILT_OPCODE("mov", 2, 0)}},
    {"pages", {CODE(4, 4, 1, 0, 1, 1, 1), BRANCHES, CALLED, BUILT_OPCODE("mov", 2, 1),
      BUILT_OPCODE("add", 0, 1)}},
    {"getppid", {CODE(5, 4, 1, 0, 1, 0, 0), BUILT_BETWEEN("branches", 2, 1, 2, 2),
      BUILT("syscalls", 0, 1), CALLED, BUILT_OPCODE("mov", 3, 1), BUILT_OPCODE("syscall", 0, 1)}},
    {"ping-pong", {CODE(8, 12, 1, 0, 1, 0, 0), BUILT_BETWEEN("branches", 2, 1, 2, 3),
      BUILT("syscalls", 0, 2), BUILT("context-switches", 0, 1), CALLED,
      BUILT_OPCODE("syscall", 0, 2), BUILT_OPCODE("mov", 4, 8)}},
    {NULL, {{NULL, TRAIT_CLASS, 0, 0, TRUTH_NONE, 0, 0}}},
};
/* clang-format on */
static const uint64_t built_ladder[]
    __attribute__((unused)) = {1, 10, 100, 1000, 10000, 100000, 1000000};
#define BUILT_LADDER (sizeof(built_ladder) / sizeof(*built_ladder))

/* How it is measured. Zeroes are sensible: 2 processes of 20 runs, no noise, no overhead. */
struct built_way {
    const char *path, *core;       /* NULL: "perf-read", "" */
    uint32_t processes, runs;      /* 0: 2 of 20 */
    uint32_t counters;             /* 0: 1 */
    enum pattern pattern;          /* PATTERN_AR */
    int64_t overhead;              /* what the path itself adds to every count, null cells too */
    double relative, additive;     /* standard deviation of normal noise: of the truth, in counts */
    double ns_each;                /* time for one N; 0: 1 ns */
    uint32_t stray_faults_percent; /* runs with one fault more than the code's own */
    uint64_t most_n;               /* top of the ladder; 0: all of it */
    bool without_null;
    bool without_traits;
};

struct case_builder {
    struct case_file file;
    struct random random;
};

static inline void builder_start(struct case_builder *builder, uint64_t seed)
{
    *builder = (struct case_builder){0};
    random_seed(&builder->random, seed);
}

static inline double built_uniform(struct random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double built_normal(struct random *random)
{
    double radius = sqrt(-2 * log(built_uniform(random)));
    return radius * cos(6.283185307179586 * built_uniform(random));
}

/* An event that opens; add points to it before the next event is built. */
static inline struct evidence *build_event(struct case_builder *builder, const char *event,
                                           const char *kind, const char *class)
{
    struct evidence *evidence = memory_add(builder->file.events, builder->file.event_count);
    evidence->event = memory_copy(event);
    evidence->kind = memory_copy(kind);
    evidence->class = memory_copy(class);
    return evidence;
}

static inline struct evidence *build_refused(struct case_builder *builder, const char *event,
                                             const char *kind, const char *class, int error,
                                             const char *reason)
{
    struct evidence *evidence = build_event(builder, event, kind, class);
    evidence->error = error;
    evidence->reason = memory_copy(reason);
    return evidence;
}

static inline const struct built_count *built_find(const struct built_specimen *specimen,
                                                   enum trait_kind kind, const char *name)
{
    for (const struct built_count *count = specimen->counts; name && count->name; count++)
        if (count->kind == kind && strcmp(count->name, name) == 0)
            return count;
    return NULL;
}

static inline int64_t built_at(const struct built_specimen *specimen, const char *class, uint64_t n)
{
    const struct built_count *count = built_find(specimen, TRAIT_CLASS, class);
    return count ? count->base + count->each * (int64_t)n : 0;
}

static inline void built_describe(const struct built_way *way, struct point *point)
{
    point->path = memory_copy(way->path ? way->path : "perf-read");
    point->opt = memory_copy("O2");
    point->link = memory_copy("static");
    point->core = memory_copy(way->core ? way->core : "");
    point->pattern = way->pattern;
    point->counters = way->counters ? way->counters : 1;
    point->has_interrupts = true;
}

/* Runs that tell the truth, but for the noise. */
static inline void built_runs(struct case_builder *builder, const struct built_way *way,
                              struct point *point, int64_t faults, int64_t switches)
{
    uint32_t processes = way->processes ? way->processes : 2, each = way->runs ? way->runs : 20;
    double truth = (double)(point->truth.low + point->truth.high) / 2;
    double ns = 1000 + (double)point->n * (way->ns_each > 0 ? way->ns_each : 1);
    size_t before = point->run_count;
    point->run_count += (size_t)processes * each;
    point->runs = memory_resize(point->runs, point->run_count, sizeof(*point->runs));
    struct evidence_run *runs = point->runs + before;
    memset(runs, 0, (size_t)processes * each * sizeof(*runs));
    for (size_t i = 0; i < (size_t)processes * each; i++) {
        double noise = built_normal(&builder->random) * way->relative * truth +
                       built_normal(&builder->random) * way->additive;
        double count = round((point->truth.low == point->truth.high ? 0 : truth) + noise);
        if (point->truth.low == point->truth.high)
            count += (double)point->truth.low;
        runs[i].value = (uint64_t)((int64_t)count + way->overhead);
        runs[i].process = (uint32_t)(i / each);
        runs[i].enabled = runs[i].running = (uint64_t)ns;
        bool stray = random_below(&builder->random, 100) < way->stray_faults_percent;
        runs[i].account.minor_faults = (uint64_t)faults + stray;
        runs[i].account.voluntary = (uint64_t)switches;
        runs[i].interrupts = (uint32_t)(ns / 4e6 + built_uniform(&builder->random));
    }
}

static inline struct point *build_null(struct case_builder *builder, struct evidence *evidence,
                                       const struct built_way *way)
{
    struct point *point = evidence_add_point(evidence);
    point->specimen = memory_copy("null");
    point->is_null = true;
    point->truth = (struct truth){TRUTH_PROVEN, 0, 0};
    point->faults = point->switches = 0;
    built_describe(way, point);
    built_runs(builder, way, point, 0, 0);
    return point;
}

static inline struct point *build_point(struct case_builder *builder, struct evidence *evidence,
                                        const struct built_way *way,
                                        const struct built_specimen *specimen, uint64_t n)
{
    struct point *point = evidence_add_point(evidence);
    point->specimen = memory_copy(specimen->name);
    point->n = n;
    built_describe(way, point);
    const struct built_count *own = built_find(specimen, TRAIT_CLASS, evidence->class);
    if (own) {
        int64_t low = own->base + own->each * (int64_t)n;
        bool bounded = own->grade == TRUTH_BOUNDED;
        point->truth = (struct truth){own->grade, low,
                                      bounded ? own->high_base + own->high_each * (int64_t)n : low};
    }
    for (const struct built_count *count = specimen->counts; !way->without_traits && count->name;
         count++) {
        if (count->grade == TRUTH_BOUNDED)
            continue;
        *memory_add(point->traits, point->trait_count) =
            (struct trait){count->kind, memory_copy(count->name),
                           count->base + count->each * (int64_t)n, count->grade == TRUTH_PROVEN};
    }
    point->faults = built_at(specimen, "page-faults", n);
    point->switches = built_at(specimen, "context-switches", n);
    built_runs(builder, way, point, point->faults, point->switches);
    return point;
}

/* One specimen up the ladder, after a null cell of the same way. */
static inline void build_ladder(struct case_builder *builder, struct evidence *evidence,
                                const struct built_way *way, const char *specimen)
{
    const struct built_specimen *found = built_specimens;
    while (found->name && strcmp(found->name, specimen) != 0)
        found++;
    if (!found->name)
        abort();
    bool has_null = way->without_null;
    for (size_t i = 0; i < evidence->point_count && !has_null; i++) {
        const struct point *point = &evidence->points[i];
        has_null = point->is_null &&
                   strcmp(point->path, way->path ? way->path : "perf-read") == 0 &&
                   strcmp(point->core, way->core ? way->core : "") == 0 &&
                   point->counters == (way->counters ? way->counters : 1) &&
                   point->pattern == way->pattern;
    }
    if (!has_null)
        build_null(builder, evidence, way);
    for (size_t i = 0; i < BUILT_LADDER; i++)
        if (!way->most_n || built_ladder[i] <= way->most_n)
            build_point(builder, evidence, way, found, built_ladder[i]);
}

/* Every specimen of built_specimens that has a truth for the event's class. */
static inline void build_all(struct case_builder *builder, struct evidence *evidence,
                             const struct built_way *way)
{
    for (const struct built_specimen *specimen = built_specimens; specimen->name; specimen++)
        if (built_find(specimen, TRAIT_CLASS, evidence->class))
            build_ladder(builder, evidence, way, specimen->name);
}

/* What a lying counter makes of a run; called for every run of every point, null cells too. */
typedef uint64_t built_lie(const struct point *point, const struct evidence_run *run,
                           size_t run_index, void *context);
static inline void build_lie(struct evidence *evidence, built_lie *lie, void *context)
{
    for (size_t i = 0; i < evidence->point_count; i++) {
        struct point *point = &evidence->points[i];
        for (size_t j = 0; j < point->run_count; j++)
            point->runs[j].value = lie(point, &point->runs[j], j, context);
    }
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A machine whose prices are made up, for tests of the plan of `assay validate`: what is planned
 * for it is carried out at once, at these prices. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "engine/wishes.h"
#include "studies/validate/plan.h"

#define MS         UINT64_C(1000000)
#define SECOND     (1000 * MS)
#define ROUNDS_END 60 /* more would mean that it never ends */

static struct catalogue_truth loop_truths[] = {
    {.class = (char *)"instructions", .base = 1, .each = 3, .grade = (char *)"proven"},
    {.class = (char *)"faults", .grade = (char *)"proven"},
};
static struct catalogue_truth adds_truths[] = {
    {.class = (char *)"instructions", .base = 4, .each = 18, .grade = (char *)"proven"},
};
static struct catalogue_truth pages_truths[] = {
    {.class = (char *)"instructions", .base = 9, .grade = (char *)"proven"},
    {.class = (char *)"faults", .each = 1, .grade = (char *)"proven"},
};
static struct catalogue_truth modelled_truths[] = {
    {.class = (char *)"faults", .each = 1, .grade = (char *)"model"},
    {.class = (char *)"misses", .each = 1, .grade = (char *)"model"},
};
static struct catalogue_truth bounded_truths[] = {
    {.class = (char *)"misses", .each = 1, .high_each = 2, .grade = (char *)"bounded"},
};
static const struct catalogue_specimen known[] = {
    {.name = (char *)"modelled",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = UINT64_MAX,
     .truths = modelled_truths,
     .truth_count = 2},
    {.name = (char *)"loop",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = UINT64_MAX,
     .truths = loop_truths,
     .truth_count = 2},
    {.name = (char *)"adds",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = UINT64_MAX,
     .truths = adds_truths,
     .truth_count = 1},
    {.name = (char *)"pages",
     .parameters = (char *)"",
     .min_n = 1,
     .max_n = 1000000,
     .truths = pages_truths,
     .truth_count = 2},
    {.name = (char *)"bounded",
     .parameters = (char *)"l1d",
     .min_n = 5,
     .max_n = 4096,
     .truths = bounded_truths,
     .truth_count = 1},
};
#define SPECIMENS (sizeof(known) / sizeof(*known))
enum { MODELLED, LOOP, ADDS, PAGES, BOUNDED };

struct world {
    struct validate_specimen specimens[SPECIMENS];
    struct validate_subject subjects[4];
    struct wishes wishes;
    struct validate_plan plan;
    uint64_t process_ns, hit_ns[SPECIMENS]; /* prices */
    uint64_t spent_ns;
};
/* That of the test; world_begin makes it anew. */
static struct world world;

static inline struct validate_subject subject_of(const char *name, const char *class)
{
    return (struct validate_subject){.name = name,
                                     .class = class,
                                     .ways = {{"perf-read", PATTERN_AO, "O2", "static"}},
                                     .way_count = 1,
                                     .cpus = {-1},
                                     .cpu_count = 1};
}

static inline void world_begin(struct world *of, const char *class)
{
    *of = (struct world){.process_ns = 5 * MS};
    for (size_t i = 0; i < SPECIMENS; i++) {
        of->specimens[i] = (struct validate_specimen){.known = &known[i], .name = known[i].name};
        of->hit_ns[i] = 1;
    }
    of->subjects[0] = subject_of("event:u", class);
    of->plan = (struct validate_plan){.subjects = of->subjects,
                                      .subject_count = 1,
                                      .specimens = of->specimens,
                                      .specimen_count = SPECIMENS,
                                      .wishes = &of->wishes};
}

/* Carries out what is wished for: all of it, whose cells come in the order of the wishes. */
static inline void world_run(struct world *of, size_t first)
{
    struct validate_plan *plan = &of->plan;
    AUTO_MEMORY struct visit *visits = NULL;
    size_t count = 0;
    wishes_settle(plan->wishes, 0);
    wishes_visits(plan->wishes, 1, 1, &visits, &count);
    assert_int_equal(plan->wishes->cell_count, plan->count);
    for (size_t i = first; i < plan->count; i++)
        assert_int_equal(plan->wishes->about[i].wish, i);
    for (size_t i = 0; i < count; i++) {
        const size_t at = visits[i].cell - 1, specimen = plan->about[at].specimen;
        const struct cell *cell = &plan->wishes->cells[at];
        uint64_t hit = specimen == VALIDATE_NO_SPECIMEN ? 0 : of->hit_ns[specimen];
        uint64_t inside = cell->runs * cell->n * hit;
        assert_in_range(at, first, plan->count);
        wishes_learn(plan->wishes, cell->id, of->process_ns + inside, inside, cell->runs);
        of->spent_ns += of->process_ns + inside;
    }
}

/* One round; how many cells it added. */
static inline size_t world_round(struct world *of, uint64_t budget, enum validate_share share)
{
    size_t first = of->plan.count;
    uint64_t left = budget == UINT64_MAX    ? budget
                    : of->spent_ns < budget ? budget - of->spent_ns
                                            : 0;
    const struct validate_round round = {.budget_ns = left, .point_ns = budget / 8, .share = share};
    bool more = validate_next(&of->plan, &round);
    assert_int_equal(more, of->plan.count > first);
    world_run(of, first);
    return of->plan.count - first;
}

/* Rounds until nothing more is to be had. */
static inline void world_finish(struct world *of, uint64_t budget)
{
    unsigned rounds = 0;
    for (int share = SHARE_HALF; share < SHARE_COUNT; rounds++) {
        share = world_round(of, budget, (enum validate_share)share) ? SHARE_HALF : share + 1;
        assert_in_range(rounds, 0, ROUNDS_END);
    }
}

/* The cell of that point in the usual way, or NULL. */
static inline const struct cell *cell_at(const struct world *of, const char *specimen, uint64_t n)
{
    for (size_t i = 0; i < of->plan.count; i++) {
        const struct cell *cell = &of->wishes.cells[i];
        if (strcmp(cell->specimen, specimen) == 0 && cell->n == n && cell->counters == 1 &&
            cell->cpu == -1 && strcmp(cell->path, "perf-read") == 0)
            return cell;
    }
    return NULL;
}

static inline uint64_t runs_at(const struct world *of, const char *specimen, uint64_t n)
{
    const struct cell *cell = cell_at(of, specimen, n);
    return cell ? (uint64_t)cell->runs * of->wishes.about[cell->id - 1].planned : 0;
}

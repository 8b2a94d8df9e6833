/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts that are right but for noise have no cause, whatever the noise looks like: normal, rare
 * events, heavy tails, processes that sit in one state or the other. The rates are printed and held
 * to. */
#include "case.h"
#include "judging.h"

#define SEEDS 120u

enum noise {
    NOISE_NORMAL,
    NOISE_ADDED,
    NOISE_POISSON,
    NOISE_TAILS,
    NOISE_STATES,
    NOISE_BY_SPECIMEN
};

struct noise_case {
    const char *name;
    enum noise kind;
    double size; /* of the truth, or counts */
    struct built_way way;
    const char *class;
};

static const struct noise_case cases[] = {
    {"normal, 0.1 %", NOISE_NORMAL, 0.001, {0}, "instructions"},
    {"normal, 0.3 %, few runs", NOISE_NORMAL, 0.003, {.runs = 5}, "instructions"},
    {"normal, 3 %", NOISE_NORMAL, 0.03, {.processes = 5, .runs = 4}, "loads"},
    {"normal, 5 counts", NOISE_ADDED, 5, {0}, "instructions"},
    {"rare events both ways", NOISE_POISSON, 0.4, {0}, "instructions"},
    {"heavy tails", NOISE_TAILS, 0.001, {0}, "instructions"},
    {"heavy tails, few runs", NOISE_TAILS, 0.001, {.processes = 2, .runs = 3}, "cond-branches"},
    {"two states of processes", NOISE_STATES, 0.002, {.processes = 2, .runs = 10}, "instructions"},
    {"two states of many processes",
     NOISE_STATES,
     0.002,
     {.processes = 8, .runs = 5},
     "instructions"},
    {"each specimen its own", NOISE_BY_SPECIMEN, 0.005, {.runs = 8}, "instructions"},
};

struct disturber {
    const struct noise_case *noise;
    struct random random;
    uint32_t process;
    const struct point *point;
    double state;
};

static double poisson(struct random *random, double mean)
{
    double limit = exp(-mean), product = built_uniform(random), count = 0;
    while (product > limit) {
        product *= built_uniform(random);
        count++;
    }
    return count;
}

static uint64_t disturb(const struct point *point, const struct evidence_run *run, size_t index,
                        void *context)
{
    struct disturber *disturber = context;
    struct random *random = &disturber->random;
    double truth = (double)point->truth.low, size = disturber->noise->size, noise = 0;
    if (point != disturber->point || run->process != disturber->process || index == 0)
        disturber->state = random_below(random, 2) ? 1 : -1;
    disturber->point = point;
    disturber->process = run->process;
    switch (disturber->noise->kind) {
    case NOISE_NORMAL:
        noise = size * truth * built_normal(random);
        break;
    case NOISE_ADDED:
        noise = size * built_normal(random);
        break;
    case NOISE_POISSON:
        noise = poisson(random, size) - poisson(random, size);
        break;
    case NOISE_TAILS:
        /* Cauchy's, which has no mean. */
        noise = size * truth * built_normal(random) / fabs(built_normal(random)) / 3;
        noise = fmax(noise, -truth);
        break;
    case NOISE_STATES:
        noise = size * truth * (disturber->state + 0.1 * built_normal(random));
        break;
    case NOISE_BY_SPECIMEN:
        noise = size * truth * built_normal(random) / (double)(1 + strlen(point->specimen) % 7);
        break;
    }
    return run->value + (uint64_t)(int64_t)round(noise);
}

static size_t accused(const struct noise_case *noise, uint64_t seed)
{
    struct disturber disturber = {.noise = noise};
    random_seed(&disturber.random, seed + 1000);
    struct built_way way = noise->way;
    way.most_n = seed % 2 ? 10000 : 0;
    way.stray_faults_percent = seed % 3 ? 0 : 3;
    const struct judgement *all =
        judge_lie(seed, "event:u", noise->class, &way, disturb, &disturber);
    size_t found = all->explanation_count;
    for (size_t i = 0; i < found; i++)
        print_error("%s, seed %u: %s\n", noise->name, (unsigned)seed, reasons_text(&all->why));
    return found > 0;
}

TEST(noise_alone_has_no_cause)
{
    size_t alarms = 0, all = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t here = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            here += accused(&cases[i], seed);
        print_message("# %s: %zu of %u accused\n", cases[i].name, here, SEEDS);
        alarms += here;
        all += SEEDS;
    }
    print_message("# %zu of %zu clean cases accused\n", alarms, all);
    assert_true((double)alarms <= 0.001 * (double)all);
}

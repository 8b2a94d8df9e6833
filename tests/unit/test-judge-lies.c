/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counters that lie in ways nobody described: whatever they do, the judge must not call them exact
 * or accurate, and must call them what they are where that can be said. */
#include "case.h"
#include "judging.h"

#define SEEDS 3u

static uint64_t scaled(uint64_t value, double factor)
{
    return (uint64_t)((double)value * factor + 0.5);
}

LIE(stuck, 42)

LIE(stuck_at_all_ones, UINT64_MAX)

LIE(saturates, run->value > 5000 ? 5000 : run->value)

LIE(counts_down, 0 - run->value)

LIE(garbage, random_next(context))

LIE(small_garbage, random_below(context, 1000000))

/* Counts on one of two CPUs, and a run is on either. */
LIE(on_one_cpu, random_below(context, 2) ? run->value : 0)

LIE(processes_on_one_cpu, run->process % 2 ? run->value : 0)

LIE(halved, run->value / 2)

LIE(doubled, run->value * 2)

/* The work of somebody else comes along, now more, now less. */
LIE(counts_another, run->value + random_below(context, 200000))

/* Run k shows what run k - 1 did; the first of a process what nobody did. */
static uint64_t late(const struct point *point, const struct evidence_run *run, size_t index,
                     void *context)
{
    (void)context;
    bool first = index == 0 || point->runs[index - 1].process != run->process;
    return first ? 0 : run->value;
}

static uint64_t first_run_more(const struct point *point, const struct evidence_run *run,
                               size_t index, void *context)
{
    (void)context;
    bool first = index == 0 || point->runs[index - 1].process != run->process;
    return first ? scaled(run->value, 1.5) : run->value;
}

/* Whole processes are in one of two states. */
LIE(bimodal, run->process % 2 ? scaled(run->value, 1.06) : run->value)

LIE(two_percent_more, scaled(run->value, 1.02))

LIE(fifty_fewer, point->is_null ? run->value : run->value - 50)

LIE(counts_n_squared, point->n * point->n)

LIE(the_square_root, (uint64_t)sqrt((double)run->value))

LIE(random_and_drifting, run->value + 2 * random_below(context, 40) + point->n / 40)

LIE(sixteen_bits, run->value & 0xffff)

LIE(one_specimen_dead, strcmp(point->specimen, "adds") == 0 ? 0 : run->value)

LIE(a_few_halved, random_below(context, 100) < 4 ? run->value / 2 : run->value)

#define FLAG(verdict) (1u << (verdict))
#define BIASED        FLAG(VERDICT_BIASED)
#define NOISY         FLAG(VERDICT_NOISY)

static const struct {
    const char *name;
    built_lie *lie;
    unsigned verdicts;      /* that are right */
    enum validate_why code; /* that is said, and its first figure; WHY_COUNT: any */
    double figure;
} lies[] = {
    {"stuck", stuck, BIASED, WHY_STUCK, 42},
    {"stuck at all ones", stuck_at_all_ones, BIASED, WHY_STUCK, -1},
    {"saturates", saturates, BIASED, WHY_COUNT, NAN},
    {"counts down", counts_down, BIASED, WHY_FACTOR, -1},
    {"garbage", garbage, NOISY, WHY_COUNT, NAN},
    {"small garbage", small_garbage, NOISY, WHY_COUNT, NAN},
    {"on one CPU", on_one_cpu, NOISY | BIASED, WHY_COUNT, NAN},
    {"processes on one CPU", processes_on_one_cpu, NOISY | BIASED, WHY_COUNT, NAN},
    {"halved", halved, BIASED, WHY_FACTOR, 0.5},
    {"doubled", doubled, BIASED, WHY_FACTOR, 2},
    {"counts another process", counts_another, NOISY | BIASED, WHY_COUNT, NAN},
    {"late", late, BIASED, WHY_COUNT, NAN},
    {"first run more", first_run_more, BIASED, WHY_COUNT, NAN},
    {"bimodal", bimodal, NOISY | BIASED, WHY_PROCESSES, NAN},
    {"two percent more", two_percent_more, BIASED, WHY_FACTOR, 1.02},
    {"fifty fewer", fifty_fewer, BIASED, WHY_COUNT, NAN},
    {"N squared", counts_n_squared, BIASED, WHY_COUNT, NAN},
    {"square root", the_square_root, BIASED, WHY_COUNT, NAN},
    {"random and drifting", random_and_drifting, BIASED | NOISY, WHY_COUNT, NAN},
    {"sixteen bits", sixteen_bits, BIASED, WHY_COUNT, NAN},
    {"one specimen dead", one_specimen_dead, BIASED, WHY_COUNT, NAN},
    {"4 % of the runs halved", a_few_halved, BIASED | NOISY, WHY_COUNT, NAN},
};

static void try_lie(size_t index, uint64_t seed, const struct built_way *way)
{
    struct random random;
    random_seed(&random, seed + 1000);
    const struct judgement *all =
        judge_lie(seed, "instructions:u", "instructions", way, lies[index].lie, &random);
    const struct judgement *judgement = all;
    if (getenv("ASSAY_TEST_SHOW") && seed == 0)
        fprintf(stderr, "%-24s %-9s %-14s %s\n", lies[index].name,
                verdict_names[judgement->verdict], cause_word(judgement->cause),
                reasons_text(&judgement->why));
    if (!(FLAG(judgement->verdict) & lies[index].verdicts) || judgement->cause == CAUSE_NONE)
        fail_msg("%s, seed %u: %s, %s: %s", lies[index].name, (unsigned)seed,
                 verdict_names[judgement->verdict], cause_word(judgement->cause),
                 reasons_text(&judgement->why));
    if (way->relative != 0 || lies[index].code == WHY_COUNT)
        return;
    if (isnan(lies[index].figure))
        (void)told(judgement, lies[index].code, 0);
    else
        assert_true(fabs(figure_told(judgement, lies[index].code, 0) - lies[index].figure) < 1e-3);
}

TEST(no_lie_passes_without_noise)
{
    struct built_way way = {0};
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            try_lie(i, seed, &way);
}

TEST(no_lie_passes_in_many_runs_of_one_process)
{
    struct built_way way = {.processes = 1, .runs = 100};
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        /* These are about processes. */
        if (lies[i].lie != bimodal && lies[i].lie != processes_on_one_cpu)
            for (uint64_t seed = 0; seed < SEEDS; seed++)
                try_lie(i, seed, &way);
    }
}

TEST(no_lie_passes_in_noise_and_overhead)
{
    struct built_way way = {.overhead = 7, .relative = 0.001, .additive = 1, .processes = 4};
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            try_lie(i, seed, &way);
}

/* The other side: what is clean but noisy must pass, else the tests above prove nothing. */
TEST(what_tells_the_truth_passes)
{
    static const struct built_way ways[] = {
        {.relative = 0.001},
        {.relative = 0.01, .overhead = 3},
        {.additive = 1},
        {.additive = 5, .overhead = 100},
        {.relative = 0.001, .additive = 1, .overhead = 7, .processes = 4},
        {.relative = 0.001, .processes = 1, .runs = 100},
        {.stray_faults_percent = 5},
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        for (uint64_t seed = 0; seed < UINT64_C(10) * SEEDS; seed++) {
            const struct judgement *all =
                judge_lie(seed, "instructions:u", "instructions", &ways[i], NULL, NULL);
            enum verdict verdict = all->verdict;
            enum cause cause = all->cause;
            if ((verdict != VERDICT_ACCURATE && verdict != VERDICT_EXACT) ||
                (cause != CAUSE_NONE && cause != CAUSE_INTERFACE_OVERHEAD))
                fail_msg("way %zu, seed %u: %s, %s: %s", i, (unsigned)seed, verdict_names[verdict],
                         cause_word(cause), reasons_text(&all->why));
        }
}

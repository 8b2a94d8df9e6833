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

static uint64_t stuck(const struct point *point, const struct evidence_run *run, size_t index,
                      void *context)
{
    (void)point, (void)run, (void)index, (void)context;
    return 42;
}

static uint64_t stuck_at_all_ones(const struct point *point, const struct evidence_run *run,
                                  size_t index, void *context)
{
    (void)point, (void)run, (void)index, (void)context;
    return UINT64_MAX;
}

static uint64_t saturates(const struct point *point, const struct evidence_run *run, size_t index,
                          void *context)
{
    (void)point, (void)index, (void)context;
    return run->value > 5000 ? 5000 : run->value;
}

static uint64_t counts_down(const struct point *point, const struct evidence_run *run, size_t index,
                            void *context)
{
    (void)point, (void)index, (void)context;
    return 0 - run->value;
}

static uint64_t garbage(const struct point *point, const struct evidence_run *run, size_t index,
                        void *context)
{
    (void)point, (void)run, (void)index;
    return random_next(context);
}

static uint64_t small_garbage(const struct point *point, const struct evidence_run *run,
                              size_t index, void *context)
{
    (void)point, (void)run, (void)index;
    return random_below(context, 1000000);
}

/* Counts on one of two CPUs, and a run is on either. */
static uint64_t on_one_cpu(const struct point *point, const struct evidence_run *run, size_t index,
                           void *context)
{
    (void)point, (void)index;
    return random_below(context, 2) ? run->value : 0;
}

static uint64_t processes_on_one_cpu(const struct point *point, const struct evidence_run *run,
                                     size_t index, void *context)
{
    (void)point, (void)index, (void)context;
    return run->process % 2 ? run->value : 0;
}

static uint64_t halved(const struct point *point, const struct evidence_run *run, size_t index,
                       void *context)
{
    (void)point, (void)index, (void)context;
    return run->value / 2;
}

static uint64_t doubled(const struct point *point, const struct evidence_run *run, size_t index,
                        void *context)
{
    (void)point, (void)index, (void)context;
    return run->value * 2;
}

/* The work of somebody else comes along, now more, now less. */
static uint64_t counts_another(const struct point *point, const struct evidence_run *run,
                               size_t index, void *context)
{
    (void)point, (void)index;
    return run->value + random_below(context, 200000);
}

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
static uint64_t bimodal(const struct point *point, const struct evidence_run *run, size_t index,
                        void *context)
{
    (void)point, (void)index, (void)context;
    return run->process % 2 ? scaled(run->value, 1.06) : run->value;
}

static uint64_t two_percent_more(const struct point *point, const struct evidence_run *run,
                                 size_t index, void *context)
{
    (void)point, (void)index, (void)context;
    return scaled(run->value, 1.02);
}

static uint64_t fifty_fewer(const struct point *point, const struct evidence_run *run, size_t index,
                            void *context)
{
    (void)index, (void)context;
    return point->is_null ? run->value : run->value - 50;
}

static uint64_t counts_n_squared(const struct point *point, const struct evidence_run *run,
                                 size_t index, void *context)
{
    (void)run, (void)index, (void)context;
    return point->n * point->n;
}

static uint64_t the_square_root(const struct point *point, const struct evidence_run *run,
                                size_t index, void *context)
{
    (void)point, (void)index, (void)context;
    return (uint64_t)sqrt((double)run->value);
}

static uint64_t random_and_drifting(const struct point *point, const struct evidence_run *run,
                                    size_t index, void *context)
{
    (void)point, (void)index;
    return run->value + 2 * random_below(context, 40) + point->n / 40;
}

static uint64_t sixteen_bits(const struct point *point, const struct evidence_run *run,
                             size_t index, void *context)
{
    (void)point, (void)index, (void)context;
    return run->value & 0xffff;
}

static uint64_t one_specimen_dead(const struct point *point, const struct evidence_run *run,
                                  size_t index, void *context)
{
    (void)index, (void)context;
    return strcmp(point->specimen, "adds") == 0 ? 0 : run->value;
}

static uint64_t a_few_halved(const struct point *point, const struct evidence_run *run,
                             size_t index, void *context)
{
    (void)point, (void)index;
    return random_below(context, 100) < 4 ? run->value / 2 : run->value;
}

#define FLAG(verdict) (1u << (verdict))
#define BIASED        FLAG(VERDICT_BIASED)
#define NOISY         FLAG(VERDICT_NOISY)

static const struct {
    const char *name;
    built_lie *lie;
    unsigned verdicts; /* that are right */
    const char *words; /* in the note; NULL: any */
} lies[] = {
    {"stuck", stuck, BIASED, "reads 42 whatever"},
    {"stuck at all ones", stuck_at_all_ones, BIASED, "Stuck"},
    {"saturates", saturates, BIASED, NULL},
    {"counts down", counts_down, BIASED, "-1.000 of the truth"},
    {"garbage", garbage, NOISY, NULL},
    {"small garbage", small_garbage, NOISY, NULL},
    {"on one CPU", on_one_cpu, NOISY | BIASED, NULL},
    {"processes on one CPU", processes_on_one_cpu, NOISY | BIASED, NULL},
    {"halved", halved, BIASED, "0.500 of the truth"},
    {"doubled", doubled, BIASED, "2.000 of the truth"},
    {"counts another process", counts_another, NOISY | BIASED, NULL},
    {"late", late, BIASED, NULL},
    {"first run more", first_run_more, BIASED, NULL},
    {"bimodal", bimodal, NOISY | BIASED, "Whole processes differ"},
    {"two percent more", two_percent_more, BIASED, "1.020 of the truth"},
    {"fifty fewer", fifty_fewer, BIASED, NULL},
    {"N squared", counts_n_squared, BIASED, NULL},
    {"square root", the_square_root, BIASED, NULL},
    {"random and drifting", random_and_drifting, BIASED | NOISY, NULL},
    {"sixteen bits", sixteen_bits, BIASED, NULL},
    {"one specimen dead", one_specimen_dead, BIASED, NULL},
    {"4 % of the runs halved", a_few_halved, BIASED | NOISY, NULL},
};

static void try_lie(size_t index, uint64_t seed, const struct built_way *way)
{
    struct case_builder builder;
    struct random random;
    random_seed(&random, seed + 1000);
    struct judgements all =
        judge_lie(&builder, seed, "instructions:u", "instructions", way, lies[index].lie, &random);
    const struct judgement *judgement = &all.list[0];
    if (getenv("ASSAY_TEST_SHOW") && seed == 0)
        fprintf(stderr, "%-24s %-9s %-14s %s\n", lies[index].name,
                verdict_names[judgement->verdict], cause_word(judgement->cause), judgement->note);
    if (!(FLAG(judgement->verdict) & lies[index].verdicts) || judgement->cause == CAUSE_NONE)
        fail_msg("%s, seed %u: %s, %s: %s", lies[index].name, (unsigned)seed,
                 verdict_names[judgement->verdict], cause_word(judgement->cause), judgement->note);
    if (way->relative == 0 && lies[index].words && !strstr(judgement->note, lies[index].words))
        fail_msg("%s: \"%s\" is not in: %s", lies[index].name, lies[index].words, judgement->note);
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
            struct case_builder builder;
            struct judgements all =
                judge_lie(&builder, seed, "instructions:u", "instructions", &ways[i], NULL, NULL);
            enum verdict verdict = all.list[0].verdict;
            enum cause cause = all.list[0].cause;
            if ((verdict != VERDICT_ACCURATE && verdict != VERDICT_EXACT) ||
                (cause != CAUSE_NONE && cause != CAUSE_INTERFACE_OVERHEAD))
                fail_msg("way %zu, seed %u: %s, %s: %s", i, (unsigned)seed, verdict_names[verdict],
                         cause_word(cause), all.list[0].note);
        }
}

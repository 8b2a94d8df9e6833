/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Levels in the costs of one cell: planted ones are found, with their medians and shares, by
 * process and by call; and costs that merely scatter are never split. Rates in the comments are of
 * a thousand seeds. */
#include "base/memory.h"
#include "case.h"
#include "overhead-judging.h"
#include "stats/moments.h"
#include "studies/overhead/study.h"

enum { MOST = 6000 };

struct sample {
    struct random random;
    size_t processes, runs;
    double values[MOST];
    uint32_t group[MOST];
    size_t count;
    double resolution;
    /* what is planted */
    double share, noise, factor;
    double process; /* drawn once for each */
    size_t upper;   /* runs that were planted on the upper level */
};

typedef double draw(struct sample *sample, size_t process, size_t run);

static void fill(struct sample *sample, draw *of, size_t processes, size_t runs, uint64_t seed)
{
    random_seed(&sample->random, seed);
    sample->count = sample->upper = 0;
    sample->processes = processes;
    sample->runs = runs;
    assert_true(processes * runs <= MOST);
    for (size_t process = 0; process < processes; process++)
        for (size_t run = 0; run < runs; run++) {
            sample->values[sample->count] = of(sample, process, run);
            sample->group[sample->count++] = (uint32_t)process;
        }
}

static double uniform(struct sample *sample)
{
    return overhead_built_uniform(&sample->random);
}

static double normal(struct sample *sample)
{
    return overhead_built_normal(&sample->random);
}

struct found {
    struct overhead_level levels[OVERHEAD_MOST_LEVELS];
    enum level_kind kind;
    size_t count;
};

static struct found search(const struct sample *sample, double resolution)
{
    struct found found = {0};
    AUTO_MEMORY double *sorted = memory_new(sample->count, sizeof(*sorted));
    memcpy(sorted, sample->values, sample->count * sizeof(*sorted));
    sort_values(sorted, sample->count);
    const struct level_sample levels = {sample->values, sample->group, sorted, sample->count,
                                        resolution};
    found.count = overhead_levels_sorted(&levels, found.levels, &found.kind);
    return found;
}

/* --- one level --- */

#define DRAW(name, cost)                                                                           \
    static double name(struct sample *sample, size_t process, size_t run)                          \
    {                                                                                              \
        (void)sample, (void)process, (void)run;                                                    \
        return cost;                                                                               \
    }
/* `each` is drawn once for a process. */
#define DRAW_EACH(name, each, cost)                                                                \
    DRAW(name, ((void)(run ? 0 : (sample->process = (each))), (cost)))

DRAW(constant, 1014)
DRAW(normal_narrow, 1014 * (1 + 0.03 * normal(sample)))
DRAW(normal_wide, 1014 * (1 + 0.2 * normal(sample)))
DRAW(lognormal, 1014 * exp(normal(sample)))
DRAW(lognormal_above, 900 + 100 * exp(normal(sample)))
DRAW(exponential, 1000 - 300 * log(uniform(sample)))
DRAW(in_steps, floor(floor(normal_narrow(sample, process, run) / 24.5 + uniform(sample)) * 24.5))
DRAW(small_in_steps,
     floor(floor(60 * (1 + 0.1 * normal(sample)) / 24.5 + uniform(sample)) * 24.5) - 49)
DRAW(flat, 800 + 400 * uniform(sample))
DRAW(flat_wide, 500 + 1500 * uniform(sample))
DRAW(drifting, 1014 * (1 +
                       0.05 * (double)(process * sample->runs + run) /
                           (double)(sample->processes * sample->runs) +
                       0.01 * normal(sample)))
DRAW_EACH(processes_scatter, 0.1 * normal(sample),
          1014 * (1 + sample->process + 0.01 * normal(sample)))
DRAW_EACH(processes_have_a_tail, -0.1 * log(uniform(sample)),
          1014 * (1 + sample->process + 0.01 * normal(sample)))
DRAW_EACH(processes_are_lognormal, 0.1 * exp(normal(sample)),
          1014 * (1 + sample->process + 0.01 * normal(sample)))
DRAW_EACH(both_are_lognormal, 0.1 * exp(normal(sample)),
          1014 * (1 + sample->process + 0.1 * exp(normal(sample))))
DRAW(steep_lognormal, 1000 + 30 * exp(1.5 * normal(sample)))

static const struct {
    const char *name;
    draw *of;
    double resolution;
} one_level[] = {
    {"constant", constant, 1},
    {"normal", normal_narrow, 1},
    {"wide normal", normal_wide, 1},
    {"lognormal", lognormal, 1},
    {"lognormal above a base", lognormal_above, 1},
    {"exponential", exponential, 1},
    {"in steps of 24.5", in_steps, 24.5},
    {"small, in steps of 24.5", small_in_steps, 24.5},
    {"uniform", flat, 1},
    {"wide uniform", flat_wide, 1},
    {"drifting by 5 %", drifting, 1},
    {"processes scatter", processes_scatter, 1},
    {"processes with a tail", processes_have_a_tail, 1},
    {"lognormal processes", processes_are_lognormal, 1},
    {"lognormal processes and calls", both_are_lognormal, 1},
    {"steep lognormal above a base", steep_lognormal, 1},
};
/* Many calls, few, one of each process (as cold calls are), hardly any. */
static const size_t shapes[][2] = {{30, 20}, {30, 100}, {72, 10}, {200, 1}, {30, 3},
                                   {8, 50},  {10, 1},   {5, 4},   {3, 2},   {1, 40},
                                   {1, 1},   {96, 10},  {48, 4},  {24, 1}};

/* At most one of a hundred samples is split. Of a thousand seeds for each kind and shape: at most
 * 5, of processes whose costs are lognormal; of most none. */
TEST(costs_that_merely_scatter_are_one_level)
{
    static struct sample sample;
    enum { SEEDS = 300 };
    for (size_t i = 0; i < sizeof(one_level) / sizeof(*one_level); i++)
        for (size_t shape = 0; shape < sizeof(shapes) / sizeof(*shapes); shape++) {
            size_t split = 0;
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                fill(&sample, one_level[i].of, shapes[shape][0], shapes[shape][1],
                     seed + 1000 * shape);
                const struct found found = search(&sample, one_level[i].resolution);
                assert_true(found.count >= 1);
                split += found.count > 1;
                assert_int_equal(found.kind == LEVELS_ONE, found.count == 1);
                if (found.count == 1) {
                    assert_int_equal(found.levels[0].processes, sample.processes);
                    assert_near(found.levels[0].share, 1, 0);
                }
            }
            if (split > SEEDS / 100)
                fail_msg("%s, %zu processes of %zu: %zu of %d were split", one_level[i].name,
                         shapes[shape][0], shapes[shape][1], split, SEEDS);
        }
}

/* --- two levels --- */

static double on_a_level(struct sample *sample, bool upper)
{
    sample->upper += upper;
    return 1014 * (upper ? sample->factor : 1) * (1 + sample->noise * normal(sample));
}

DRAW(by_process, on_a_level(sample, floor((double)(process + 1) * sample->share + 1e-9) >
                                        floor((double)process * sample->share + 1e-9)))
DRAW(by_call, on_a_level(sample, uniform(sample) < sample->share))

static bool is_right(const struct sample *sample, const struct found *found)
{
    const struct overhead_level *levels = found->levels;
    double share = (double)sample->upper / (double)sample->count;
    return found->count == 2 && fabs(levels[0].median / 1014 - 1) < 0.02 &&
           fabs(levels[1].median / 1014 / sample->factor - 1) < 0.02 &&
           fabs(levels[1].share - share) < 0.05 && fabs(levels[0].share + share - 1) < 0.05;
}

static void finds_planted(draw *of, enum level_kind wanted, double noise, double resolution)
{
    static struct sample sample;
    enum { SEEDS = 60 };
    for (int share = 10; share <= 50; share += 10) {
        size_t right = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            sample.share = share / 100.0;
            sample.noise = noise;
            sample.factor = 1508.0 / 1014;
            fill(&sample, of, 30, 20, seed);
            for (size_t i = 0; resolution > 1 && i < sample.count; i++)
                sample.values[i] =
                    floor(floor(sample.values[i] / resolution + uniform(&sample)) * resolution);
            const struct found found = search(&sample, resolution);
            right += is_right(&sample, &found) && found.kind == wanted;
        }
        if (right < SEEDS * 95 / 100)
            fail_msg("share %d %%, noise %g: right in %zu of %d", share, noise, right, SEEDS);
    }
}

/* All of a thousand seeds for every share, noise and step. */
TEST(levels_of_processes_and_of_calls_are_found)
{
    static const double noises[][2] = {{0.005, 1}, {0.02, 1}, {0.02, 24.5}};
    for (size_t i = 0; i < 3; i++) {
        finds_planted(by_process, LEVELS_BY_PROCESS, noises[i][0], noises[i][1]);
        finds_planted(by_call, LEVELS_BY_CALL, noises[i][0], noises[i][1]);
    }
}

/* Ends of what is called a level: less than 8 % apart, less than four steps, less than 5 %. */
TEST(what_is_too_near_or_too_rare_is_no_level)
{
    static struct sample sample;
    static const struct {
        double share, factor, resolution;
        size_t levels;
    } cases[] = {
        {0.4, 1.06, 1, 1},  {0.4, 1.12, 1, 2}, {0.4, 1.5, 150, 1},
        {0.4, 1.5, 100, 2}, {0.02, 1.5, 1, 1}, {0.1, 1.5, 1, 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            sample.share = cases[i].share;
            sample.factor = cases[i].factor;
            sample.noise = 0.005;
            fill(&sample, by_call, 30, 50, seed);
            assert_int_equal(search(&sample, cases[i].resolution).count, cases[i].levels);
        }
}

/* --- more --- */

static double third(double place)
{
    return place < 0.3 ? 1000 : place < 0.7 ? 1500 : 2200;
}
DRAW(three_by_call, third(uniform(sample)) * (1 + 0.02 * normal(sample)))
DRAW(three_by_process, third((double)(process % 3) / 3 + 0.1) * (1 + 0.02 * normal(sample)))
DRAW(seven, 1000 * (1 + 0.4 * (double)(process % 7)) * (1 + 0.005 * normal(sample)))

/* 100 % of a thousand seeds, either way. */
TEST(three_levels_are_found)
{
    static struct sample sample;
    draw *const planted[] = {three_by_call, three_by_process};
    for (size_t i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            fill(&sample, planted[i], 30, 20, seed);
            const struct found found = search(&sample, 1);
            assert_int_equal(found.count, 3);
            assert_int_equal(found.kind, i ? LEVELS_BY_PROCESS : LEVELS_BY_CALL);
            for (size_t level = 0; level < 3; level++)
                assert_near(found.levels[level].median, third(0.1 + 0.33 * (double)level),
                            0.02 * found.levels[level].median);
        }
}

TEST(more_levels_than_can_be_told_are_put_together)
{
    static struct sample sample;
    double share = 0;
    fill(&sample, seven, 140, 20, 1);
    const struct found found = search(&sample, 1);
    assert_int_equal(found.count, OVERHEAD_MOST_LEVELS);
    for (size_t i = 0; i < OVERHEAD_MOST_LEVELS; i++)
        share += found.levels[i].share;
    assert_near(share, 1, 1e-9);
}

/* A row of the judge carries them. */
TEST(rows_carry_their_levels)
{
    JUDGED(builder, report, 21, judge_cells(&builder), .process_level_share = 0.3,
           .process_level_factor = 1508.0 / 1014, .run_noise = 0.02, .step = 24.5);
    for (size_t i = 0; i < report.row_count; i++) {
        const struct overhead_row *row = &report.rows[i];
        bool timer = strcmp(builder.file.operations[row->operation].path, "timer") == 0;
        assert_int_equal(row->level_count, timer ? 1 : 2);
        if (timer)
            continue;
        assert_int_equal(row->levels_kind, LEVELS_BY_PROCESS);
        assert_int_equal(row->levels[1].processes, 9);
        assert_near(row->levels[0].median, 1014, 21);
        assert_near(row->levels[1].median, 1508, 31);
        assert_near(row->levels[1].share, 0.3, 0.01);
    }
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The power of the judge: how often a lie is detected, against its size in units of the noise.
 * The seeds begin at six millions; JUDGE_SEED=5000 runs those that are for tuning, and tells every
 * miss. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "trial.h"

#define PROOF_SEEDS 6000000u
#define EACH        24 /* trials of each plant and size */

static const double sizes[] = {0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 30};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))
static const char *const curve_plants[] = {"offset", "factor up", "each page fault", "kernel leak",
                                           "opcode counted more"};
#define CURVES (sizeof(curve_plants) / sizeof(curve_plants[0]))

/* Beside an additive part: below a hundred thousandth of a count nothing is looked for. */
static const double relatives[] = {3e-5, 1e-4, 3e-4, 1e-3};
#define RELATIVES (sizeof(relatives) / sizeof(relatives[0]))

struct curves {
    struct bench bench;
    unsigned detected[CURVES][SIZES], trials[CURVES][SIZES];
    unsigned total[SIZES], total_detected[SIZES];
    bool tells;
};

static void run_size(struct curves *curves, size_t curve, size_t size, uint64_t *seed)
{
    struct trial trial = {.plant = plant_find(curve_plants[curve]),
                          .noise = NOISE_ADDITIVE,
                          .recording = -1,
                          .ratio = sizes[size],
                          .is_narrow = true};
    for (int i = 0; i < EACH; i++) {
        struct outcome outcome;
        trial.seed = (*seed)++;
        trial.relative = relatives[trial.seed % RELATIVES];
        trial_run(&curves->bench, &trial, &outcome);
        if (outcome.is_void)
            continue;
        curves->trials[curve][size]++;
        curves->detected[curve][size] += outcome.is_detected;
        if (curves->tells && outcome.is_detected != (sizes[size] >= 3))
            printf("# seed %llu %s %s at %g: %s %s\n", (unsigned long long)trial.seed,
                   outcome.event, outcome.planted, sizes[size], verdict_names[outcome.verdict],
                   outcome.note);
    }
    curves->total[size] += curves->trials[curve][size];
    curves->total_detected[size] += curves->detected[curve][size];
}

static void print_curves(const struct curves *curves)
{
    printf("# %-20s", "times the noise");
    for (size_t i = 0; i < SIZES; i++)
        printf(" %6g", sizes[i]);
    for (size_t curve = 0; curve < CURVES; curve++) {
        printf("\n# %-20s", curve_plants[curve]);
        for (size_t i = 0; i < SIZES; i++)
            printf(" %5.1f%%", 100.0 * curves->detected[curve][i] / curves->trials[curve][i]);
    }
    printf("\n# %-20s", "all");
    for (size_t i = 0; i < SIZES; i++)
        printf(" %5.1f%%", 100.0 * curves->total_detected[i] / curves->total[i]);
    printf("\n# %-20s", "trials");
    for (size_t i = 0; i < SIZES; i++)
        printf(" %6u", curves->total[i]);
    putchar('\n');
}

static void run_curves(struct curves *curves, uint64_t seed)
{
    bench_set_up(&curves->bench);
    for (size_t curve = 0; curve < CURVES; curve++)
        for (size_t size = 0; size < SIZES; size++)
            run_size(curves, curve, size, &seed);
    print_curves(curves);
}

static int set_up(void **state)
{
    static struct curves curves;
    const char *seed = getenv("JUDGE_SEED");
    setlinebuf(stdout);
    *state = &curves;
    curves.tells = seed != NULL;
    run_curves(&curves, seed ? strtoull(seed, NULL, 10) : PROOF_SEEDS);
    return 0;
}

TEST_WITH(detection_grows_with_the_size_of_the_lie, NULL, NULL)
{
    const struct curves *curves = *state;
    for (size_t i = 0; i < CURVES; i++)
        assert_true(plant_find(curve_plants[i])->is_linear);
    for (size_t i = 1; i < SIZES; i++) {
        double before = (double)curves->total_detected[i - 1] / curves->total[i - 1];
        double here = (double)curves->total_detected[i] / curves->total[i];
        /* Four standard errors of the difference of two such shares, at most. */
        assert_true(here >= before - 4 * 0.71 / 10.9);
    }
}

TEST_WITH(three_times_the_noise_is_nearly_always_detected, NULL, NULL)
{
    const struct curves *curves = *state;
    unsigned detected = 0, trials = 0;
    for (size_t i = 0; i < SIZES; i++) {
        if (sizes[i] < 3)
            continue;
        detected += curves->total_detected[i];
        trials += curves->total[i];
        /* Of some hundred trials, chance takes two or three from 99 %. */
        assert_true(curves->total_detected[i] * 100 >= curves->total[i] * 97);
    }
    assert_true(trials >= 400);
    assert_true(detected * 100 >= trials * 99);
}

TEST_WITH(a_tenth_of_the_noise_is_rarely_detected_in_an_offset, NULL, NULL)
{
    /* The null cells themselves are no surer than that: saying more would be guessing. */
    const struct curves *curves = *state;
    assert_true(curves->detected[0][0] * 10 <= curves->trials[0][0]);
}

GROUP(set_up, NULL)

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The proof of the judge: clean machines, and machines with one planted lie each, judged; what was
 * said against what was planted, in a confusion matrix. The seeds begin at five millions and were
 * never used while the judge was tuned; JUDGE_SEED=1 runs those from there on, which are for tuning
 * (up to 9999), and tells every miss, with JUDGE_PLANT=NAME those of one plant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "confusion.h"

#define PROOF_SEEDS   5000000u
#define PLANTS_MOST   64
#define CLEAN_EACH    70 /* trials of each kind of noise */
#define PLANTED_EACH  7  /* trials of each plant and kind of noise */
#define RECORDED_EACH 2  /* trials of each plant and recording */

struct matrix {
    struct bench bench;
    struct confusion_row clean[NOISE_KINDS], recorded[RECORDINGS], planted[PLANTS_MOST];
    bool tells;       /* every miss */
    const char *only; /* this plant; NULL: all */
};

static void tell_miss(const struct matrix *matrix, const struct trial *trial,
                      const struct outcome *outcome)
{
    if (!matrix->tells || outcome->is_void)
        return;
    bool is_fault = trial->plant && !trial->plant->is_harmless;
    bool is_miss =
        is_fault ? outcome->ratio >= 3 && (!outcome->is_detected || !outcome->is_right_cause ||
                                           !outcome->is_right_verdict ||
                                           (trial->plant->needs_opcode && !outcome->is_named))
                 : outcome->is_detected;
    if (is_miss || outcome->is_too_far)
        printf("# seed %llu %s, %s, %s: planted %s (%.3g times the noise): %s %s: %s\n",
               (unsigned long long)trial->seed, outcome->event,
               trial->recording >= 0 ? "recorded" : "simulated",
               trial->recording >= 0 ? recording_names[trial->recording]
                                     : noise_names[trial->noise],
               trial->plant ? outcome->planted : "nothing", outcome->ratio,
               verdict_names[outcome->verdict],
               cause_names[outcome->cause] ? cause_names[outcome->cause] : "", outcome->note);
}

static void add_trial(struct matrix *matrix, const struct trial *trial, struct confusion_row *row)
{
    struct outcome outcome;
    trial_run(&matrix->bench, trial, &outcome);
    confusion_add(row, trial, &outcome);
    tell_miss(matrix, trial, &outcome);
}

static void run_clean(struct matrix *matrix, uint64_t *seed)
{
    struct trial trial = {.recording = -1};
    for (trial.noise = 0; trial.noise < NOISE_KINDS; trial.noise++) {
        matrix->clean[trial.noise].planted = noise_names[trial.noise];
        for (int i = 0; i < CLEAN_EACH; i++) {
            trial.seed = (*seed)++;
            add_trial(matrix, &trial, &matrix->clean[trial.noise]);
        }
    }
    for (trial.recording = 0; trial.recording < RECORDINGS; trial.recording++) {
        matrix->recorded[trial.recording].planted = recording_names[trial.recording];
        for (int i = 0; i < 4; i++) {
            trial.seed = (*seed)++;
            add_trial(matrix, &trial, &matrix->recorded[trial.recording]);
        }
    }
}

static void run_plant(struct matrix *matrix, size_t index, uint64_t *seed)
{
    struct trial trial = {.plant = &plants[index], .recording = -1};
    struct confusion_row *row = &matrix->planted[index];
    row->planted = plants[index].name;
    for (trial.noise = 0; trial.noise < NOISE_KINDS; trial.noise++)
        for (int i = 0; i < PLANTED_EACH; i++) {
            trial.seed = (*seed)++;
            add_trial(matrix, &trial, row);
        }
    for (trial.recording = 0; trial.recording < RECORDINGS; trial.recording++)
        for (int i = 0; i < RECORDED_EACH; i++) {
            trial.seed = (*seed)++;
            add_trial(matrix, &trial, row);
        }
}

static void print_matrix(const struct matrix *matrix)
{
    confusion_print_head();
    printf("# nothing, with noise of the kind\n");
    for (int i = 0; i < NOISE_KINDS; i++)
        confusion_print(&matrix->clean[i]);
    printf("# nothing, recorded\n");
    for (int i = 0; i < RECORDINGS; i++)
        confusion_print(&matrix->recorded[i]);
    printf("# lies\n");
    for (size_t i = 0; i < plant_count_of_all; i++)
        if (matrix->planted[i].trials > 0)
            confusion_print(&matrix->planted[i]);
}

static void run_matrix(struct matrix *matrix, uint64_t seed)
{
    bench_set_up(&matrix->bench);
    if (!matrix->only || strcmp(matrix->only, "clean") == 0)
        run_clean(matrix, &seed);
    for (size_t i = 0; i < plant_count_of_all; i++)
        if (!matrix->only || strcmp(matrix->only, plants[i].name) == 0)
            run_plant(matrix, i, &seed);
    print_matrix(matrix);
}

static void count_all(const struct matrix *matrix, struct confusion_row *clean,
                      struct confusion_row *lies)
{
    for (int i = 0; i < NOISE_KINDS; i++) {
        clean->trials += matrix->clean[i].trials;
        clean->detected += matrix->clean[i].detected;
    }
    for (int i = 0; i < NOISE_KINDS; i++)
        clean->too_far += matrix->clean[i].too_far;
    for (int i = 0; i < RECORDINGS; i++) {
        clean->trials += matrix->recorded[i].trials;
        clean->detected += matrix->recorded[i].detected;
    }
    for (size_t i = 0; i < plant_count_of_all; i++) {
        struct confusion_row *to = plants[i].is_harmless ? clean : lies;
        to->trials += matrix->planted[i].trials;
        to->above += matrix->planted[i].above;
        to->detected += matrix->planted[i].detected;
        to->right_cause += matrix->planted[i].right_cause;
        to->right_verdict += matrix->planted[i].right_verdict;
        to->too_far += matrix->planted[i].too_far;
    }
}

static int set_up(void **state)
{
    static struct matrix matrix;
    const char *seed = getenv("JUDGE_SEED");
    setlinebuf(stdout);
    *state = &matrix;
    matrix.tells = seed != NULL;
    matrix.only = seed ? getenv("JUDGE_PLANT") : NULL;
    run_matrix(&matrix, seed ? strtoull(seed, NULL, 10) : PROOF_SEEDS);
    return 0;
}

TEST_WITH(at_least_a_thousand_cases_are_judged, NULL, NULL)
{
    struct confusion_row clean = {0}, lies = {0};
    count_all(*state, &clean, &lies);
    assert_true(clean.trials + lies.trials >= 1000);
    assert_true(clean.trials >= 400);
}

TEST_WITH(clean_machines_raise_at_most_one_alarm_in_a_hundred, NULL, NULL)
{
    struct confusion_row clean = {0}, lies = {0};
    count_all(*state, &clean, &lies);
    printf("# false alarms: %u of %u\n", clean.detected, clean.trials);
    assert_true(clean.detected * 100 <= clean.trials);
}

TEST_WITH(lies_above_three_times_the_noise_are_detected, NULL, NULL)
{
    struct confusion_row clean = {0}, lies = {0};
    count_all(*state, &clean, &lies);
    printf("# detected: %u of %u; right cause: %u\n", lies.detected, lies.above, lies.right_cause);
    assert_true(lies.detected * 100 >= lies.above * 99);
    assert_true(lies.right_cause * 100 >= lies.above * 98);
}

TEST_WITH(verdicts_reach_no_further_than_what_was_right, NULL, NULL)
{
    struct confusion_row clean = {0}, lies = {0};
    count_all(*state, &clean, &lies);
    printf("# beyond the windows that were right: %u of %u\n", clean.too_far + lies.too_far,
           clean.trials + lies.trials);
    assert_true((clean.too_far + lies.too_far) * 1000 <= clean.trials + lies.trials);
    assert_true(lies.right_verdict * 100 >= lies.above * 99);
}

TEST_WITH(every_lie_is_called_by_its_name, NULL, NULL)
{
    const struct matrix *matrix = *state;
    unsigned failed = 0;
    for (size_t i = 0; i < plant_count_of_all; i++) {
        const struct confusion_row *row = &matrix->planted[i];
        if (row->right_cause * 100 < row->above * 90) {
            printf("# %s: cause right in %u of %u\n", row->planted, row->right_cause, row->above);
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

TEST_WITH(miscounted_opcodes_are_named_with_their_factor, NULL, NULL)
{
    const struct matrix *matrix = *state;
    for (size_t i = 0; i < plant_count_of_all; i++) {
        const struct confusion_row *row = &matrix->planted[i];
        if (!plants[i].needs_opcode)
            continue;
        printf("# %s: named in %u of %u\n", row->planted, row->named, row->above);
        assert_true(row->named * 100 >= row->above * 90);
    }
}

GROUP(set_up, NULL)

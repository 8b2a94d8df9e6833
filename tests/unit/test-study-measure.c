/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of a cell and the order of a plan: pure, so every case is data. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "engine/command.h"
#include "engine/loading.h"
#include "engine/predict.h"
#include "engine/wishes.h"
#include "stats/random.h"
#include "studies/measure/study.h"

static const struct expectation expects_1000 = {
    .truth = {true, 1000}, .overhead = {true, 0}, .faults = {true, 0}, .switches = {true, 0}};

/* `count` runs of one value, fully counted and undisturbed. */
static void fill(struct reading *readings, size_t count, uint64_t value)
{
    for (size_t i = 0; i < count; i++)
        readings[i] = (struct reading){.value = value, .enabled = 100, .running = 100};
}

static const char *sentence(const struct summary *summary, const char *event)
{
    static struct text text;
    text_clear(&text);
    measure_sentence(summary, event, "no specimen predicts it", &text);
    return text_string(&text);
}

static const char *counted(const struct summary *summary)
{
    static struct text text;
    text_clear(&text);
    measure_counted(summary, NULL, &text);
    return text_string(&text);
}

static struct summary judge(const struct reading *readings, size_t count,
                            const struct expectation *expected)
{
    struct summary summary;
    measure_summarise(readings, count, expected, &summary);
    return summary;
}

TEST(every_run_exact)
{
    struct reading readings[100];
    fill(readings, 100, 1000);
    struct summary summary = judge(readings, 100, &expects_1000);
    assert_true(summary.constant && summary.error.known);
    assert_int_equal(summary.error.value, 0);
    assert_int_equal(summary.exact_runs, 100);
    assert_string_equal(counted(&summary), "1,000 in 100 of 100 runs");
    assert_string_equal(sentence(&summary, "page-faults"), "exact in every run");
}

TEST(a_constant_error_is_the_overhead_or_is_not)
{
    struct reading readings[10];
    fill(readings, 10, 1001);
    struct expectation expected = expects_1000;
    expected.overhead.value = 1;
    struct summary summary = judge(readings, 10, &expected);
    assert_int_equal(summary.error.value, 1);
    assert_string_equal(sentence(&summary, "raw_syscalls:sys_enter"),
                        "error +1 in every run: the overhead measured on the null specimen is 1");
    expected.overhead.value = 3;
    summary = judge(readings, 10, &expected);
    assert_string_equal(sentence(&summary, "x"), "error +1 in every run; the overhead measured on "
                                                 "the null specimen is 3, -2 stay unexplained");
    expected.overhead.value = 2;
    summary = judge(readings, 10, &expected);
    assert_non_null(strstr(sentence(&summary, "x"), "is 2, -1 stays unexplained"));
    expected.overhead.known = false;
    summary = judge(readings, 10, &expected);
    assert_non_null(strstr(sentence(&summary, "x"), "without null cells"));
}

TEST(a_dead_counter_names_its_mode)
{
    struct reading readings[3];
    fill(readings, 3, 0);
    struct summary summary = judge(readings, 3, &expects_1000);
    assert_string_equal(sentence(&summary, "context-switches:u"),
                        "0 in every run although the specimen makes 1,000: the mode :u filters "
                        "everything here, or nothing counts; count without it to tell");
    assert_string_equal(sentence(&summary, "context-switches"),
                        "0 in every run although the specimen makes 1,000");
    struct expectation nothing = expects_1000;
    nothing.truth.value = 0;
    summary = judge(readings, 3, &nothing);
    assert_string_equal(
        sentence(&summary, "x"),
        "0 in every run, as predicted; a counter that never counts would read the same");
}

TEST(disturbed_runs_are_kept_and_judged_apart)
{
    struct reading readings[100];
    fill(readings, 100, 1000);
    struct expectation expected = expects_1000;
    expected.faults.value = 1000;
    for (size_t i = 0; i < 100; i++)
        readings[i].account.minor_faults = 1000;
    readings[7].value = 1001;
    readings[7].account.minor_faults = 1001;
    struct summary summary = judge(readings, 100, &expected);
    assert_int_equal(summary.disturbed, 1);
    assert_int_equal(summary.values.max, 1001);
    assert_int_equal(summary.quiet.max, 1000);
    assert_int_equal(summary.error_max.value, 1);
    assert_string_equal(counted(&summary), "1,000 in 99 of 100 runs");
    assert_non_null(strstr(sentence(&summary, "page-faults"), "exact in 99 of 100 runs"));
    assert_non_null(strstr(sentence(&summary, "page-faults"), "1 of 100 runs disturbed"));
    assert_non_null(strstr(sentence(&summary, "page-faults"), "the others all read 1,000"));
}

TEST(without_a_truth_for_the_account_most_runs_set_it)
{
    struct reading readings[5];
    fill(readings, 5, 7);
    for (size_t i = 0; i < 5; i++)
        readings[i].account.voluntary = 10;
    readings[4].account.involuntary = 1;
    struct expectation nothing = {0};
    struct summary summary = judge(readings, 5, &nothing);
    assert_int_equal(summary.disturbed, 1);
    assert_int_equal(summary.expected.switches.value, 10);
}

TEST(faults_of_the_way_of_measuring_disturb_nobody)
{
    struct reading null[5], readings[5];
    fill(null, 5, 7);
    fill(readings, 5, 1007);
    for (size_t i = 0; i < 5; i++)
        null[i].account.minor_faults = readings[i].account.minor_faults = 1;
    readings[2].account.minor_faults = 2;
    struct summary way = judge(null, 5, &(struct expectation){.truth = {true, 0}});
    struct expectation expected = {
        .truth = {true, 1000}, .faults = {true, 0}, .switches = {true, 0}};
    assert_int_equal(judge(readings, 5, &expected).disturbed, 5);
    expectation_add_null(&expected, &way);
    assert_true(expected.overhead.known && expected.overhead.value == 7);
    assert_int_equal(judge(readings, 5, &expected).disturbed, 1);

    struct summary nothing = judge(null, 0, &(struct expectation){0});
    struct expectation untouched = expects_1000;
    expectation_add_null(&untouched, &nothing);
    assert_true(untouched.overhead.known && untouched.overhead.value == 0);
    assert_true(untouched.faults.known && untouched.faults.value == 0);
}

TEST(part_time_counters_are_scaled_and_idle_ones_left_out)
{
    struct reading readings[4];
    fill(readings, 4, 1000);
    readings[1] = (struct reading){.value = 500, .enabled = 100, .running = 50};
    readings[2] = (struct reading){.value = 0, .enabled = 100, .running = 0};
    struct summary summary = judge(readings, 3, &expects_1000);
    assert_int_equal(summary.counted, 1);
    assert_int_equal(summary.multiplexed, 1);
    assert_int_equal(summary.unscheduled, 1);
    assert_int_equal(summary.judged, 2);
    assert_int_equal(summary.values.min, 1000);
    assert_int_equal(summary.values.max, 1000);
    assert_non_null(strstr(sentence(&summary, "x"),
                           "multiplexed in 1 of 3 runs: more events than counters, so the counts "
                           "are extrapolated by 2.00 (counting 50 % of the time)"));
    assert_non_null(strstr(sentence(&summary, "x"), "no counter time in 1 of 3 runs"));

    readings[3] = (struct reading){.value = 800, .enabled = 100, .running = 80};
    summary = judge(readings, 4, &expects_1000);
    assert_non_null(strstr(sentence(&summary, "x"),
                           "extrapolated by 1.25 to 2.00 (counting 50 to 80 % of the time)"));

    summary = judge(readings + 2, 1, &expects_1000);
    assert_true(summary.scaling_min == 1 && summary.scaling_max == 1);
    assert_false(summary.error.known);
    assert_string_equal(sentence(&summary, "x"),
                        "opened, but never got a counter: the zeros mean nothing");
    struct reading huge = {.value = UINT64_MAX, .enabled = UINT64_MAX, .running = 1};
    uint64_t value;
    assert_true(reading_value(&huge, &value));
    assert_true(value == UINT64_MAX);
}

TEST(limits_are_kept_to_or_left)
{
    struct reading readings[4];
    fill(readings, 4, 150);
    struct expectation nothing = {0};
    struct summary summary = judge(readings, 4, &nothing);
    const struct limits limits = {true, 100, 200};
    measure_limit(readings, 4, &limits, &summary);
    assert_int_equal(summary.below + summary.above, 0);
    assert_string_equal(sentence(&summary, "x"), "within the limits in every run");
    readings[0].value = 100;
    readings[1].value = 200;
    measure_limit(readings, 4, &limits, &summary);
    assert_int_equal(summary.below + summary.above, 0);
    readings[0].value = 99;
    readings[1].value = 1201;
    readings[2] = (struct reading){.value = 0, .enabled = 100, .running = 0}; /* says nothing */
    summary = judge(readings, 4, &nothing);
    measure_limit(readings, 4, &limits, &summary);
    assert_int_equal(summary.below, 1);
    assert_int_equal(summary.above, 1);
    assert_string_equal(sentence(&summary, "x"),
                        "outside the limits in 2 of 3 runs, lowest 99, highest 1,201; no counter "
                        "time in 1 of 4 runs, which say nothing");
}

TEST(no_run_at_all_is_no_crash)
{
    struct summary summary = judge(NULL, 0, &expects_1000);
    assert_string_equal(counted(&summary), "no run ended");
    assert_false(summary.error.known);
    assert_string_equal(sentence(&summary, "x"), "nothing was measured");
}

TEST(counts_of_any_size_stay_exact)
{
    struct reading readings[4];
    fill(readings, 4, UINT64_MAX);
    readings[0].value = UINT64_MAX - 1;
    struct summary summary = judge(readings, 4, &expects_1000);
    assert_true(summary.values.min == UINT64_MAX - 1 && summary.values.median == UINT64_MAX);
    assert_false(summary.error.known); /* does not fit a signed number, so it is not said */
    assert_non_null(strstr(sentence(&summary, "x"), "too large"));
}

TEST(quantiles_are_values_that_were_read)
{
    struct reading readings[8];
    fill(readings, 8, 0);
    for (size_t i = 0; i < 8; i++)
        readings[i].value = 80 - 10 * i; /* 80 … 10 */
    struct expectation nothing = {0};
    struct summary summary = judge(readings, 8, &nothing);
    assert_int_equal(summary.values.min, 10);
    assert_int_equal(summary.values.q1, 20);
    assert_int_equal(summary.values.median, 40);
    assert_int_equal(summary.values.q3, 60);
    assert_int_equal(summary.values.max, 80);
}

TEST(the_mode_is_read_from_the_name)
{
    static const struct {
        const char *name, *mode;
        bool user_only;
    } cases[] = TABLE({"instructions:u", "u", true}, {"instructions", NULL, false},
                      {"instructions:uk", "uk", false}, {"cpu/event=0xc0/k", "k", false},
                      {"msr/tsc/", NULL, false}, {"syscalls:sys_enter_getppid", NULL, false},
                      {"mem:0x1000/4:rw", NULL, false}, {"mem:0x1000/4:rw:u", "u", true},
                      {"uprobe:/bin/true:main", NULL, false});
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *mode = event_mode(cases[i].name);
        if (cases[i].mode)
            assert_string_equal(mode, cases[i].mode);
        else
            assert_null(mode);
        assert_int_equal(event_counts_user_only(cases[i].name), cases[i].user_only);
    }
}

TEST(the_sequence_of_a_seed_never_changes)
{
    /* From the generator's definition, computed independently. */
    struct random random;
    random_seed(&random, 42);
    assert_true(random_next(&random) == UINT64_C(0x15780b2e0c2ec716));
    assert_true(random_next(&random) == UINT64_C(0x6104d9866d113a7e));
    size_t seen[3] = {0};
    for (int i = 0; i < 3000; i++)
        seen[random_below(&random, 3)]++;
    for (int i = 0; i < 3; i++)
        assert_in_range(seen[i], 850, 1150);
    assert_int_equal(random_below(&random, 1), 0);
}

TEST(one_seed_one_order)
{
    struct cell cells[5] = {{.id = 1}, {.id = 2}, {.id = 3}, {.id = 4}, {.id = 5}};
    struct visit *first, *again, *other;
    size_t count, again_count, other_count;
    plan_visits(cells, 5, 4, 1, &first, &count);
    plan_visits(cells, 5, 4, 1, &again, &again_count);
    plan_visits(cells, 5, 4, 2, &other, &other_count);
    assert_int_equal(count, 20);
    assert_memory_equal(first, again, 20 * sizeof(*first));
    assert_memory_not_equal(first, other, 20 * sizeof(*first));
    bool seen[5][4] = {0};
    for (size_t i = 0; i < count; i++) {
        assert_false(seen[first[i].cell - 1][first[i].process]);
        seen[first[i].cell - 1][first[i].process] = true;
    }
    memory_give_back(first);
    memory_give_back(again);
    memory_give_back(other);
}

static struct cell way(const char *path, const char *specimen, uint64_t n)
{
    return (struct cell){.events = {strdup("page-faults")},
                         .counters = 1,
                         .path = strdup(path),
                         .specimen = strdup(specimen),
                         .n = n,
                         .opt = strdup("O2"),
                         .link = strdup("static"),
                         .runs = 3};
}

TEST(every_way_of_measuring_gets_one_null_cell)
{
    struct cell *cells = NULL;
    size_t count = 0;
    for (uint64_t n = 1; n <= 5; n++) {
        struct cell cell = way(n % 2 ? "perf-read" : "perf-prctl", "pages", n);
        plan_append(&cells, &count, &cell);
    }
    struct cell given = way("perf-prctl", "null", 0);
    plan_append(&cells, &count, &given);
    plan_overhead_cells(&cells, &count);
    assert_int_equal(count, 7); /* perf-prctl had one already */
    assert_true(plan_is_overhead_cell(&cells[6]));
    assert_string_equal(cells[6].path, "perf-read");
    assert_int_equal(cells[6].runs, 3);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(cells[i].id, i + 1);
}

/* Tours are all of specimen null: their calls are what tells one from the other. */
TEST(other_calls_are_another_way)
{
    struct cell *cells = NULL;
    size_t count = 0;
    for (int i = 0; i < 3; i++) {
        struct cell tour = way("tour", "null", 0);
        tour.tour = (struct cell_tour){strdup(i ? "a.b" : "a.b,c.d"), strdup("cycles"), 1, i == 2};
        plan_append(&cells, &count, &tour);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            assert_int_equal(plan_same_way(&cells[i], &cells[j]), i == j);
    plan_overhead_cells(&cells, &count);
    assert_int_equal(count, 3); /* none needs another cell to be understood */
}

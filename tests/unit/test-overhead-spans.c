/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first steps of the judge of overhead: every call once with what was before it, what metering
 * costs, and in which steps the meter counts. */
#include "case.h"
#include "overhead-judging.h"
#include "studies/overhead/study.h"

/* --- spans --- */

struct seen_spans {
    size_t spans, disturbed;
    double first; /* cost */
};

static void see(void *context, const struct overhead_span *span)
{
    struct seen_spans *seen = context;
    if (!seen->spans++)
        seen->first = span->cost;
    seen->disturbed += span->disturbed;
}

static struct seen_spans look(const struct overhead_builder *builder,
                              const struct overhead_report *report)
{
    struct seen_spans seen = {0};
    overhead_each_span(&builder->file, report, see, &seen);
    return seen;
}

TEST(passes_with_faults_or_lost_time_are_disturbed)
{
    BUILDER(builder, 3);
    struct overhead_tour *tour =
        build_overhead_tour(&builder, WAY(.faulted = 0.35, .preempted = 0.3, .processes = 40));
    size_t planted = 0;
    for (size_t i = 0; i < tour->begins[40]; i += tour->length)
        planted += tour->accounts[i].minor_faults || tour->accounts[i].involuntary;
    struct overhead_report report = judge_passes(&builder);
    assert_true(planted > 100);
    assert_int_equal(look(&builder, &report).disturbed, planted * tour->length);
    assert_near(report.gauges[0].share, (double)planted / 800, 1e-9);
}

/* Commands that are started fault in every pass: that disturbs nothing. */
TEST(faults_that_every_pass_has_disturb_none)
{
    BUILDER(builder, 3);
    struct overhead_tour *tour = build_overhead_tour(&builder, WAY(0));
    for (size_t i = 0; i < tour->begins[30]; i += tour->length)
        tour->accounts[i].minor_faults = 130 + random_below(&builder.random, 4);
    tour->accounts[0].minor_faults = 900;
    struct overhead_report report = judge_passes(&builder);
    const struct seen_spans seen = look(&builder, &report);
    assert_int_equal(seen.disturbed, tour->length);
}

/* --- what metering costs --- */

TEST(metering_is_the_median_of_processes_that_nobody_disturbed)
{
    BUILDER(builder, 5);
    struct overhead_tour *tour = build_overhead_tour(&builder, WAY(.shared = 0.7, .processes = 40));
    /* what is shared makes nothing dearer, too: 50 to 80 */
    for (size_t pass = 0; pass < tour->begins[40] / tour->length; pass++) {
        int64_t *values = tour->values + pass * tour->length;
        bool shared = false;
        for (size_t i = 0; i < tour->length; i++)
            shared = shared || values[i] == 968;
        for (size_t i = 0; i < tour->length; i++)
            if (shared && values[i] == 50)
                values[i] = 80;
    }
    struct overhead_report report = judge_passes(&builder);
    assert_int_equal(report.timer_count, 1);
    assert_true(report.timers[0].known);
    assert_near(report.timers[0].cost, 50, 0);
    assert_near(report.timers[0].low, 50, 0);
    assert_near(report.timers[0].high, 50, 0);
}

TEST(where_nothing_was_called_nothing_is_subtracted)
{
    JUDGED(builder, report, 5, judge_passes(&builder), .calls = "perf-read.read,timer.gauge");
    assert_false(report.timers[0].known);
    assert_near(look(&builder, &report).first, 1064, 0);
}

TEST(a_machine_with_cold_tours_alone_is_timed_by_later_calls_of_nothing)
{
    BUILDER(builder, 5);
    struct overhead_tour *tour = build_overhead_tour(
        &builder, WAY(.calls = "timer.nothing,timer.nothing,perf-read.read", .cold = true));
    for (size_t i = 0; i < tour->begins[200]; i += 3)
        tour->values[i] = 700; /* the meter's own code was cold */
    struct overhead_report report = judge_passes(&builder);
    assert_true(report.timers[0].known);
    assert_near(report.timers[0].cost, 50, 0);
    assert_int_equal(report.timers[0].processes, 200);
}

/* --- steps --- */

TEST(the_step_of_a_meter_is_found)
{
    static const double steps[] = {24.5, 26, 16, 40, 100, 1000.0 / 24, 1};
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            for (int noise = 2; noise <= 20; noise += 6) {
                JUDGED(builder, report, seed, judge_passes(&builder), .step = steps[i],
                       .run_noise = noise / 100.0);
                assert_near(report.timers[0].resolution, steps[i],
                            steps[i] > 1 ? 0.02 * steps[i] : 0);
            }
}

TEST(of_few_values_no_step_is_told)
{
    int64_t values[40] = {0}, scratch[80];
    for (int64_t kinds = 0; kinds < 3; kinds++) {
        for (size_t i = 0; i < 40; i++)
            values[i] = 49 * (1 + (kinds > 1 && i % 2));
        assert_near(find_resolution(values, kinds ? 40 : 0, scratch), 0, 0);
    }
}

/* A tenth of the values at odd places, as an interrupt's end may make them. */
TEST(odd_values_do_not_hide_a_step)
{
    struct random random;
    int64_t values[4000], scratch[8000];
    random_seed(&random, 9);
    for (size_t i = 0; i < 4000; i++)
        values[i] = (int64_t)floor(24.5 * (double)(40 + random_below(&random, 60)));
    for (size_t i = 0; i < 4; i++)
        values[i * 1000] += 11;
    assert_near(find_resolution(values, 4000, scratch), 24.5, 0.1);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cost by events and by calls in a row: planted slopes are recovered within their intervals as
 * often as these say, from calls with all their noise; nothing else that differs enters a slope. */
#include <math.h>

#include "case.h"
#include "overhead-figures.h"

static const char small[] = "timer.nothing,timer.gauge,perf-read.read,perf-read.read,timer.nothing,"
                            "perf-read.read,timer.gauge,timer.gauge,timer.nothing";
static const char wide[] =
    "timer.nothing,timer.gauge,perf-read.read,perf-syscall.read,perf-read.read";

/* base + slope · (events - 1)^exponent, for every call of a span. */
struct planted {
    double base, slope, separate_slope, exponent;
};

static double planted_cost(const struct overhead_built_call *call, void *context)
{
    const struct planted *planted = context;
    if (strcmp(call->path, "timer") == 0)
        return overhead_usual_cost(call, NULL);
    double slope = call->separate ? planted->separate_slope : planted->slope;
    double cost = planted->base + slope * pow(call->open - 1, planted->exponent);
    double mode = call->event && strcmp(call->event, "instructions:k") == 0 ? 10 : 1;
    return mode * cost * call->times;
}

static void build_events(struct overhead_builder *builder, struct overhead_way way,
                         struct planted *planted)
{
    static const uint32_t events[] = {1, 2, 4, 8};
    way.cost = planted_cost;
    way.context = planted;
    way.calls = way.calls ? way.calls : small;
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
        way.open = events[i];
        build_overhead_tour(builder, &way);
    }
}

static const struct overhead_slope *find(const struct overhead_case *file,
                                         const struct overhead_report *report,
                                         const char *operation, bool by_reads, bool separate,
                                         const char *mode)
{
    return ONLY(report->slopes, report->slope_count, slope,
                IS_CALL(file, slope->operation, operation) && slope->by_reads == by_reads &&
                    slope->separate == separate && strcmp(slope->meter->mode, mode) == 0);
}

static const struct overhead_slope *by_events(const struct overhead_builder *builder,
                                              const struct overhead_report *report)
{
    return find(&builder->file, report, "perf-read.read", false, false, "");
}

/* One slope, and none: a machine of noise has no slope more often than stated. */
TEST(planted_slopes_lie_in_their_intervals)
{
    enum { CASES = 800 };
    static const double slopes[] = {180, 0};
    for (size_t which = 0; which < 2; which++) {
        size_t held = 0, straight = 0;
        for (uint64_t seed = 0; seed < CASES; seed++) {
            BUILDER(builder, 100 + seed);
            struct planted planted = {.base = 1000, .slope = slopes[which], .exponent = 1};
            build_events(&builder,
                         *WAY(.processes = 12, .passes = 4, .process_noise = 0.04,
                              .run_noise = 0.06, .shared = 0.1, .step = 26),
                         &planted);
            struct overhead_report report = judge_part(&builder, overhead_judge_sweeps);
            const struct overhead_slope *slope = by_events(&builder, &report);
            assert_int_equal(slope->points, 4);
            held += slope->low <= slopes[which] && slopes[which] <= slope->high;
            straight += slope->straight;
        }
        assert_in_range(held, CASES * 93 / 100, CASES * 97 / 100);
        assert_in_range(straight, CASES * 97 / 100, CASES);
    }
}

/* One event 1500; from the second on 2300 + 40 for each. */
COST_OF_CALLS(stepped_cost, call->open == 1 ? 1500 : 2300 + 40.0 * call->open)

TEST(a_first_event_that_stands_apart_is_told_from_a_curve)
{
    BUILDER(builder, 15);
    struct overhead_way way = {.calls = small, .cost = stepped_cost, .process_noise = 0.02};
    for (way.open = 1; way.open <= 8; way.open++)
        build_overhead_tour(&builder, &way);
    struct overhead_report report = judge_part(&builder, overhead_judge_sweeps);
    const struct overhead_slope *slope = by_events(&builder, &report);
    assert_true(!slope->straight && slope->first_apart);
    assert_near(slope->step, 840, 40);
    assert_true(slope->rest_low < 40 && slope->rest_high > 40);
    assert_true(slope->rest_high - slope->rest_low < 20);

    struct planted planted = {.base = 2500, .slope = 900, .exponent = 1.4};
    overhead_builder_start(&builder, 16);
    build_events(&builder, *WAY(.process_noise = 0.02), &planted);
    report = judge_part(&builder, overhead_judge_sweeps);
    slope = by_events(&builder, &report);
    assert_true(!slope->straight && !slope->first_apart);
    assert_true(slope->exponent_low > 1.2 && slope->exponent_high < 1.6);
    assert_nan(slope->rest_slope);
}

/* The very first call of a warm process finds everything cold, and has no part in its figure. */
COST_OF_CALLS(cold_at_first, call->predecessor ? 1000 + 50.0 * call->open : 90000.0 * call->open)

TEST(the_first_call_of_a_warm_process_has_no_part_in_a_sweep)
{
    BUILDER(builder, 21);
    struct overhead_way way = {
        .calls = "perf-read.read,perf-read.read,timer.nothing,timer.gauge,timer.nothing",
        .processes = 5,
        .passes = 15,
        .cost = cold_at_first};
    for (way.open = 1; way.open <= 8; way.open *= 2)
        build_overhead_tour(&builder, &way);
    struct overhead_report report = judge_part(&builder, overhead_judge_sweeps);
    for (size_t i = 0; i < report.figure_count; i++)
        if (IS_CALL(&builder.file, report.figures[i].operation, "perf-read.read"))
            assert_int_equal(report.figures[i].runs, 2 * 15 - 1);
    const struct overhead_slope *slope = by_events(&builder, &report);
    assert_true(slope->straight && slope->exact);
    assert_near(slope->slope, 50, 1e-6);
    assert_near(slope->one, 1050, 1e-6);
}

TEST(a_group_and_single_events_begin_with_the_same_one)
{
    BUILDER(builder, 6);
    struct planted planted = {.base = 1000, .slope = 50, .separate_slope = 900, .exponent = 1};
    build_events(&builder, *WAY(.processes = 5, .passes = 3), &planted);
    for (uint32_t open = 2; open <= 8; open *= 2)
        build_overhead_tour(&builder,
                            WAY(.processes = 5, .passes = 3, .calls = small, .open = open,
                                .separate = true, .cost = planted_cost, .context = &planted));
    struct overhead_report report = judge_part(&builder, overhead_judge_sweeps);
    const struct overhead_slope *group = by_events(&builder, &report);
    const struct overhead_slope *single =
        find(&builder.file, &report, "perf-read.read", false, true, "");
    assert_int_equal(report.slope_count, 2);
    assert_near(group->slope, 50, 1e-6);
    assert_near(single->slope, 900, 1e-6);
    assert_true(single->points == 4 && single->measured[0].count == 1);
    assert_near(single->one, group->one, 1e-9);
    assert_true(group->exact && single->exact && group->low == group->high);
}

TEST(what_else_a_process_calls_does_not_enter)
{
    BUILDER(builder, 7);
    struct planted planted = {.base = 1000, .slope = 100, .exponent = 1}, dear = planted;
    dear.base = 5000;
    /* One counter in another tour, where everything is dearer. */
    build_events(&builder, *WAY(.processes = 5, .passes = 3), &planted);
    build_overhead_tour(&builder, WAY(.calls = wide, .cost = planted_cost, .context = &dear));
    struct overhead_report report = judge_part(&builder, overhead_judge_sweeps);
    const struct overhead_slope *slope = by_events(&builder, &report);
    assert_near(slope->slope, 100, 1e-6);
    assert_near(slope->one, 1000, 1);
    assert_int_equal(slope->processes, 4 * 5);
    /* Measured with one counter only: no slope. */
    assert_null(find(&builder.file, &report, "perf-syscall.read", false, false, ""));
}

/* Everything in a span costs 70 once, and 500 for each call. */
static double span_cost(const struct overhead_built_call *call, void *context)
{
    (void)context;
    return strcmp(call->path, "timer") == 0 ? overhead_usual_cost(call, NULL)
                                            : 70 + 500.0 * call->times;
}

TEST(calls_in_a_row_have_a_slope_of_every_process)
{
    JUDGED(builder, report, 8, judge_part(&builder, overhead_judge_sweeps),
           .calls = "timer.nothing,timer.gauge,perf-read.read,perf-read.read*2,perf-read.read*4,"
                    "perf-read.read*8,perf-read.read*32",
           .cost = span_cost, .process_noise = 0.1);
    const struct overhead_slope *slope =
        find(&builder.file, &report, "perf-read.read", true, false, "");
    assert_int_equal(report.slope_count, 1);
    assert_true(slope->paired);
    assert_int_equal(slope->processes, 30);
    assert_int_equal(slope->points, 5);
    assert_true(slope->low < 500 && slope->high > 500);
    /* A tenth over 30 processes; noise that all counts of a process share costs nothing else. */
    assert_true(slope->high - slope->low < 2 * 2.2 * 500 * 0.1 / sqrt(30));
    assert_true(slope->straight);
}

TEST(calls_in_a_row_of_other_processes_make_one_sweep)
{
    BUILDER(builder, 9);
    static const char *const calls[] = {"timer.nothing,timer.gauge,perf-read.read",
                                        "timer.nothing,timer.gauge,perf-read.read*4",
                                        "timer.nothing,timer.gauge,perf-read.read*16"};
    for (size_t i = 0; i < 3; i++)
        build_overhead_tour(&builder, WAY(.calls = calls[i], .cost = span_cost, .run_noise = 0.02));
    struct overhead_report report = judge_part(&builder, overhead_judge_sweeps);
    const struct overhead_slope *slope =
        find(&builder.file, &report, "perf-read.read", true, false, "");
    assert_false(slope->paired);
    assert_int_equal(slope->points, 3);
    assert_int_equal(slope->processes, 90);
    assert_near(slope->slope, 500, 5);
    assert_near(slope->base, 70, 20);
}

TEST(every_meter_has_its_slope_and_both_modes_together)
{
    static const char *const modes[] = {"u", "k", "uk"};
    static const double slopes[] = {7, 70, 77};
    BUILDER(builder, 10);
    struct planted planted = {.base = 20, .slope = 7, .exponent = 1};
    builder.file.machines[0].emulated = true;
    build_events(&builder,
                 *WAY(.meters = {"instructions:u", "instructions:k"}, .processes = 3, .passes = 2),
                 &planted);
    struct overhead_report report = judge_part(&builder, overhead_judge_sweeps);
    assert_int_equal(report.slope_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct overhead_slope *slope =
            find(&builder.file, &report, "perf-read.read", false, false, modes[i]);
        assert_near(slope->slope, slopes[i], 1e-9);
        assert_true(slope->exact && slope->straight && slope->low == slope->high);
    }
}

TEST(what_is_missing_makes_no_slope)
{
    BUILDER(builder, 12);
    build_overhead_tour(&builder, WAY(0)); /* one number of events; others failed, or disturbed */
    build_overhead_failed(&builder, WAY(.open = 4), 22, "no room");
    build_overhead_tour(&builder, WAY(.processes = 2, .open = 2, .shared = 1));
    assert_int_equal(judge_part(&builder, overhead_judge_sweeps).slope_count, 0);
}

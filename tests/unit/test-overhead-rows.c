/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of the judge of overhead: one for each combination of factors that was measured, with the
 * figures of the runs that nobody disturbed; and summaries over predecessors. */
#include "case.h"
#include "overhead-judging.h"
#include "studies/overhead/study.h"

static const struct overhead_row *find(const struct overhead_builder *builder,
                                       const struct overhead_report *report,
                                       struct overhead_wanted wanted)
{
    const struct overhead_row *row = overhead_find_row(&builder->file, report, &wanted);
    assert_non_null(row);
    return row;
}

static bool after_papi(const struct overhead_built_call *call)
{
    return call->predecessor && strncmp(call->predecessor, "papi", 4) == 0;
}

/* read() costs 1000 after itself, 1500 after a PAPI read; that costs 1700 and 2100. */
COST_OF_CALLS(by_predecessor, strcmp(call->path, "perf-read") == 0
                                  ? (after_papi(call) ? 1500 : 1000)
                              : after_papi(call) ? 2100
                                                 : 1700)

static char *circuit_of_reads(void)
{
    static const char *const operations[] = {"timer.nothing", "timer.gauge", "perf-read.read",
                                             "papi-low.read"};
    return overhead_built_circuit(operations, 4);
}

TEST(what_was_before_a_call_is_a_factor)
{
    BUILDER(builder, 11);
    build_overhead_tour(
        &builder, WAY(.calls = circuit_of_reads(), .cost = by_predecessor, .run_noise = 0.02));
    struct overhead_report report = judge_cells(&builder);
    static const struct {
        const char *operation, *predecessor;
        double cost;
    } expected[] = {
        {"perf-read.read", "perf-read.read", 1000}, {"perf-read.read", "papi-low.read", 1500},
        {"papi-low.read", "perf-read.read", 1700},  {"papi-low.read", "papi-low.read", 2100},
        {"perf-read.read", "timer.nothing", 1000},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const struct overhead_row *row = find(
            &builder, &report,
            WANTED(.operation = expected[i].operation, .predecessor = expected[i].predecessor));
        assert_near(row->median, expected[i].cost, 0.01 * expected[i].cost);
        assert_true(row->low <= row->median && row->median <= row->high);
        assert_true(row->min <= row->q1 && row->q1 <= row->median && row->median <= row->q3 &&
                    row->q3 <= row->p99 && row->p99 <= row->max);
        assert_true(row->processes == 30 && row->runs == 600 && row->level_count == 1);
        assert_true(row->disturbed == 0 && isnan(row->disturbed_median));
    }
}

COST_OF_CALLS(alike, 1000)

/* Two costs in one summary that the call before decides are no levels of the machine; those that a
 * process or chance decides are. Of first calls a process makes one, so that it stays on a level
 * in any case. */
TEST(levels_that_the_call_before_decides_are_told_so)
{
    const struct {
        struct overhead_way way;
        enum level_kind kind;
    } kinds[] = {
        {{.cost = by_predecessor}, LEVELS_BY_PREDECESSOR},
        {{.cost = alike, .call_level_share = 0.3, .call_level_factor = 1.5}, LEVELS_BY_CALL},
        {{.cost = alike, .process_level_share = 0.3, .process_level_factor = 1.5},
         LEVELS_BY_PROCESS},
        {{.cost = alike}, LEVELS_ONE},
        {{.cost = by_predecessor, .cold = true}, LEVELS_BY_PREDECESSOR},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        BUILDER(builder, 11);
        struct overhead_way way = kinds[i].way;
        way.run_noise = 0.02;
        way.calls = way.cold ? "timer.nothing,perf-read.read" : circuit_of_reads();
        build_overhead_tour(&builder, &way);
        way.calls = "papi-low.read,perf-read.read";
        if (way.cold)
            build_overhead_tour(&builder, &way);
        struct overhead_report report = judge_cells(&builder);
        const struct overhead_row *row =
            find(&builder, &report,
                 WANTED(.operation = "perf-read.read",
                        .temperature = way.cold ? TEMPERATURE_COLD : TEMPERATURE_WARM));
        assert_int_equal(row->levels_kind, kinds[i].kind);
        assert_int_equal(row->level_count, kinds[i].kind == LEVELS_ONE ? 1 : 2);
    }
}

/* One predecessor has many more runs than the other: both weigh a half. */
TEST(predecessors_weigh_the_same_in_a_summary)
{
    BUILDER(builder, 11);
    build_overhead_tour(
        &builder,
        WAY(.calls = "timer.nothing,perf-read.read,perf-read.read,perf-read.read,perf-read.read,"
                     "perf-read.read,perf-read.read,papi-low.read",
            .cost = by_predecessor));
    build_overhead_tour(&builder, WAY(.calls = "timer.nothing,papi-low.read,perf-read.read",
                                      .cost = by_predecessor));
    struct overhead_report report = judge_cells(&builder);
    const struct overhead_row *row = find(&builder, &report, WANTED(.operation = "perf-read.read"));
    /* after nothing 1000, after itself 1000, after PAPI 1500 */
    assert_true(row->all_predecessors);
    assert_near(row->median, 1000, 0);
    assert_near(row->q3, 1500, 0);
    assert_near(row->q1, 1000, 0);
    assert_int_equal(row->processes, 60);
    row = find(&builder, &report, WANTED(.operation = "papi-low.read"));
    assert_near(row->median, 1700, 0);
}

/* The first call of all has one run a process and no predecessor: it is no row, and no part of a
 * warm summary. */
TEST(the_first_call_of_a_process_does_not_weigh_in_a_warm_summary)
{
    BUILDER(builder, 11);
    struct overhead_tour *tour =
        build_overhead_tour(&builder, WAY(.calls = "perf-read.read,timer.nothing"));
    for (size_t process = 0; process < 30; process++)
        tour->values[tour->begins[process]] = 99050;
    struct overhead_report report = judge_cells(&builder);
    const struct overhead_row *row = find(&builder, &report, WANTED(.operation = "perf-read.read"));
    assert_near(row->max, 1014, 0);
    assert_int_equal(row->runs, 30 * 19);
    for (size_t i = 0; i < report.row_count; i++)
        assert_true(report.rows[i].all_predecessors || report.rows[i].predecessor >= 0);
}

TEST(cold_calls_are_told_apart_by_their_position)
{
    JUDGED(builder, report, 2, judge_cells(&builder),
           .calls = "timer.nothing,timer.nothing,perf-user-cold.read,"
                    "perf-user-cold.read,perf-user-cold.read",
           .cold = true, .fault_path = "perf-user-cold", .fault_cost = 4000);
    for (uint32_t position = 1; position <= 3; position++) {
        const struct overhead_row *row =
            find(&builder, &report,
                 WANTED(.operation = "perf-user-cold.read", .temperature = TEMPERATURE_COLD,
                        .position = position));
        assert_string_equal(row->variant, "cold");
        assert_true(row->runs == 200 && row->processes == 200);
        assert_int_equal(row->faults, position == 1 ? 200 : 0);
        assert_near(row->median, position == 1 ? 4120 : 120, 0);
    }
}

TEST(disturbed_passes_are_kept_and_told_apart)
{
    JUDGED(builder, report, 4, judge_cells(&builder), .shared = 0.4, .run_noise = 0.01);
    const struct overhead_row *row = find(&builder, &report, WANTED(.operation = "perf-read.read"));
    assert_near(row->median, 1014, 5);
    assert_near(row->disturbed_median, 1217, 6);
    assert_int_equal(row->level_count, 1);
    double share = (double)row->disturbed / (double)(row->disturbed + row->runs);
    assert_near(share, report.gauges[0].share, 0.01);
    assert_near(share, 0.4, 0.12);
}

/* What follows the end of a pass stands in the second pass alone, which is disturbed. */
TEST(rows_that_were_all_disturbed_have_no_median_and_are_not_found)
{
    BUILDER(builder, 4);
    struct overhead_tour *tour =
        build_overhead_tour(&builder, WAY(.calls = "timer.nothing,perf-read.read", .passes = 2));
    for (size_t pass = 0; pass < 60; pass++)
        tour->accounts[pass * 2].involuntary = pass % 2;
    struct overhead_report report = judge_cells(&builder);
    size_t empty = 0;
    for (size_t i = 0; i < report.row_count; i++) {
        const struct overhead_row *row = &report.rows[i];
        empty += row->runs == 0;
        assert_true((row->runs == 0) == isnan(row->median));
        assert_true((row->runs == 0) == (row->level_count == 0));
    }
    assert_true(empty > 0);
    assert_null(
        overhead_find_row(&builder.file, &report,
                          &WANTED(.operation = "timer.nothing", .predecessor = "perf-read.read")));
}

TEST(outliers_are_counted_with_what_the_account_says_of_them)
{
    BUILDER(builder, 4);
    struct overhead_tour *tour = build_overhead_tour(
        &builder, WAY(.calls = "timer.nothing,perf-read.read", .cold = true, .run_noise = 0.01));
    for (size_t process = 0; process < 12; process++) {
        size_t call = tour->begins[process] + 1;
        tour->values[call] = 9000;
        tour->accounts[call].minor_faults = process < 7 ? 2 : 0;
        tour->accounts[call].involuntary = process >= 5 && process < 9;
    }
    struct overhead_report report = judge_cells(&builder);
    const struct overhead_row *row = find(
        &builder, &report, WANTED(.operation = "perf-read.read", .temperature = TEMPERATURE_COLD));
    assert_true(row->outliers == 12 && row->outliers_faulted == 7);
    assert_true(row->outliers_switched == 4 && row->faults == 14);
}

TEST(tours_with_the_same_factors_share_their_rows)
{
    static const struct overhead_way others[] = {
        {.counted = "task-clock"}, {.link = "lazy"}, {.open = 2}, {.separate = true}};
    BUILDER(builder, 4);
    for (size_t i = 0; i < 6; i++) {
        struct overhead_way way = i < 2 ? (struct overhead_way){0} : others[i - 2];
        way.processes = i < 2 ? 10 : 5;
        build_overhead_tour(&builder, &way);
    }
    struct overhead_report report = judge_cells(&builder);
    size_t shared = 0, alone = 0;
    for (size_t i = 0; i < report.row_count; i++)
        if (report.rows[i].all_predecessors) {
            shared += report.rows[i].processes == 20;
            alone += report.rows[i].processes == 5;
        }
    assert_true(shared == 3 && alone == 4 * 3);
    assert_int_equal(report.processes, 40);
    assert_int_equal(report.calls, 40 * 20 * 9);
}

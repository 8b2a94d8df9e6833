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

/* read() costs 1000 after itself, 1500 after a PAPI read; that costs 1700 and 2100. */
static double by_predecessor(const struct overhead_built_call *call, void *context)
{
    (void)context;
    bool after_papi = call->predecessor && strncmp(call->predecessor, "papi", 4) == 0;
    if (strcmp(call->path, "timer") == 0)
        return strcmp(call->kind, "gauge") == 0 ? 540 : 0;
    if (strcmp(call->path, "perf-read") == 0)
        return after_papi ? 1500 : 1000;
    return after_papi ? 2100 : 1700;
}

static char *circuit_of_reads(void)
{
    static const char *const operations[] = {"timer.nothing", "timer.gauge", "perf-read.read",
                                             "papi-low.read"};
    return overhead_built_circuit(operations, 4);
}

TEST(what_was_before_a_call_is_a_factor)
{
    BUILDER(builder, 11);
    char *calls = circuit_of_reads();
    build_overhead_tour(
        &builder, WAY(.calls = calls, .cost = by_predecessor, .run_noise = 0.02, .processes = 30));
    memory_give_back(calls);
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
        assert_int_equal(row->processes, 30);
        assert_int_equal(row->runs, 600);
        assert_int_equal(row->disturbed, 0);
        assert_true(isnan(row->disturbed_median));
        assert_int_equal(row->level_count, 1);
        assert_near(row->levels[0].median, row->median, 1);
    }
}

static double alike(const struct overhead_built_call *call, void *context)
{
    (void)context;
    if (strcmp(call->path, "timer") == 0)
        return strcmp(call->kind, "gauge") == 0 ? 540 : 0;
    return 1000;
}

/* Two costs in one summary that the call before decides are no levels of the machine; those that a
 * process or chance decides are. */
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
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        BUILDER(builder, 11);
        char *calls = circuit_of_reads();
        struct overhead_way way = kinds[i].way;
        way.calls = calls;
        way.run_noise = 0.02;
        way.processes = 30;
        build_overhead_tour(&builder, &way);
        memory_give_back(calls);
        struct overhead_report report = judge_cells(&builder);
        const struct overhead_row *row =
            find(&builder, &report, WANTED(.operation = "perf-read.read"));
        assert_int_equal(row->levels_kind, kinds[i].kind);
        assert_int_equal(row->level_count, kinds[i].kind == LEVELS_ONE ? 1 : 2);
    }
}

/* First calls: a process makes one, so that it stays on a level in any case. */
TEST(what_was_before_first_calls_decides_on_their_level)
{
    BUILDER(builder, 12);
    static const char *const calls[] = {"timer.nothing,perf-read.read",
                                        "papi-low.read,perf-read.read"};
    for (size_t i = 0; i < 2; i++)
        build_overhead_tour(&builder,
                            WAY(.calls = calls[i], .cost = by_predecessor, .run_noise = 0.02,
                                .passes = 1, .processes = 60, .cold = true));
    struct overhead_report report = judge_cells(&builder);
    const struct overhead_row *row = find(
        &builder, &report, WANTED(.operation = "perf-read.read", .temperature = TEMPERATURE_COLD));
    assert_int_equal(row->level_count, 2);
    assert_int_equal(row->levels_kind, LEVELS_BY_PREDECESSOR);
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

TEST(links_events_layouts_and_reads_are_factors)
{
    BUILDER(builder, 2);
    static const char *const links[] = {"lazy", "bind-now", "static"};
    const char *calls = "timer.nothing,perf-read.read,perf-read.read*4,perf-user.read";
    for (size_t link = 0; link < 3; link++)
        for (uint32_t open = 1; open <= 2; open++)
            for (int separate = 0; separate < 2; separate++)
                build_overhead_tour(&builder,
                                    WAY(.calls = calls, .link = links[link], .open = open,
                                        .separate = separate, .processes = 2 + (uint32_t)link,
                                        .passes = 3 + open));
    struct overhead_report report = judge_cells(&builder);
    const struct overhead_row *row =
        find(&builder, &report,
             WANTED(.operation = "perf-read.read", .link = "bind-now", .events = 2, .reads = 4));
    assert_string_equal(row->variant, "bind-now");
    assert_int_equal(row->processes, 3);
    assert_int_equal(row->runs, 15);
    assert_near(row->median, 4056, 0);
    assert_false(row->separate);
    row = find(&builder, &report, WANTED(.operation = "perf-user.read", .separate = true));
    assert_string_equal(row->variant, "populated");
    assert_string_equal(row->link, "static");
    assert_int_equal(row->events, 1);
    assert_true(row->separate);
    struct overhead_wanted absent = {.operation = "perf-read.read", .events = 3};
    assert_null(overhead_find_row(&builder.file, &report, &absent));
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
        assert_int_equal(row->runs, 200);
        assert_int_equal(row->processes, 200);
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

TEST(rows_that_were_all_disturbed_have_no_median_and_are_not_found)
{
    BUILDER(builder, 4);
    struct overhead_tour *tour =
        build_overhead_tour(&builder, WAY(.calls = "timer.nothing,perf-read.read", .link = "lazy"));
    for (size_t pass = 0; pass < 600; pass++)
        tour->accounts[pass * 2].involuntary = pass % 2;
    for (size_t pass = 0; pass < 600; pass++) /* perf-syscall stands in disturbed passes alone */
        tour->accounts[pass * 2].minor_faults = 1;
    tour->accounts[0].minor_faults = 0;
    tour =
        build_overhead_tour(&builder, WAY(.calls = "timer.nothing,perf-syscall.read", .passes = 2));
    for (size_t pass = 0; pass < 60; pass++)
        tour->accounts[pass * 2].involuntary = pass % 2;
    struct overhead_report report = judge_cells(&builder);
    size_t empty = 0;
    for (size_t i = 0; i < report.row_count; i++) {
        const struct overhead_row *row = &report.rows[i];
        empty += row->runs == 0;
        assert_true((row->runs == 0) == isnan(row->median));
        assert_true((row->runs == 0) == (row->level_count == 0));
        assert_true((row->disturbed == 0) == isnan(row->disturbed_median));
    }
    assert_true(empty > 0);
    for (size_t i = 0; i < report.row_count; i++)
        if (report.rows[i].runs == 0 && report.rows[i].predecessor >= 0) {
            struct overhead_wanted wanted = {
                .operation = builder.file.operations[report.rows[i].operation].name,
                .link = report.rows[i].link,
                .predecessor = builder.file.operations[report.rows[i].predecessor].name};
            assert_null(overhead_find_row(&builder.file, &report, &wanted));
        }
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
    size_t seen = 0;
    for (size_t i = 0; i < report.row_count; i++) {
        const struct overhead_row *row = &report.rows[i];
        if (strcmp(builder.file.operations[row->operation].kind, "read") != 0)
            continue;
        assert_int_equal(row->outliers, 12);
        assert_int_equal(row->outliers_faulted, 7);
        assert_int_equal(row->outliers_switched, 4);
        assert_int_equal(row->faults, 14);
        seen++;
    }
    assert_int_equal(seen, 2); /* with its predecessor, and over all */
}

TEST(two_tours_with_the_same_factors_share_their_rows)
{
    BUILDER(builder, 4);
    for (int i = 0; i < 2; i++)
        build_overhead_tour(&builder, WAY(.processes = 10));
    build_overhead_tour(&builder, WAY(.processes = 5, .counted = "task-clock"));
    struct overhead_report report = judge_cells(&builder);
    size_t shared = 0, alone = 0;
    for (size_t i = 0; i < report.row_count; i++)
        if (report.rows[i].all_predecessors) {
            bool clock = strcmp(report.rows[i].counted, "task-clock") == 0;
            assert_int_equal(report.rows[i].processes, clock ? 5 : 20);
            shared += !clock;
            alone += clock;
        }
    assert_int_equal(shared, 3);
    assert_int_equal(alone, 3);
    assert_int_equal(report.processes, 25);
    assert_int_equal(report.calls, 25 * 20 * 9);
}

TEST(an_empty_case_has_no_rows)
{
    BUILDER(builder, 4);
    build_overhead_failed(&builder, WAY(0), 2, "no such thing");
    struct overhead_report report = judge_cells(&builder);
    assert_int_equal(report.row_count, 0);
    assert_int_equal(report.timer_count, 1);
    assert_false(report.timers[0].known);
}

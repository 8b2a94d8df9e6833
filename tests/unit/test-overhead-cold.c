/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * First calls: what they cost beyond warm ones, by what was called before them; faults and wild
 * calls by their accounts; whether a call gets cheaper when it is repeated. */
#include <math.h>

#include "case.h"
#include "overhead-figures.h"

static const char warm_calls[] = "timer.nothing,timer.gauge,perf-read.read,perf-read.start,"
                                 "perf-read.stop,timer.nothing,perf-user.read";
static const char start_first[] = "timer.nothing,timer.nothing,perf-read.start,perf-read.read,"
                                  "perf-read.stop,perf-read.start,perf-read.read";
static const char read_first[] = "timer.nothing,timer.nothing,perf-read.read,perf-read.read";

static const struct overhead_cold *find(const struct overhead_case *file,
                                        const struct overhead_report *report, const char *operation,
                                        const char *link, const char *predecessor)
{
    return ONLY(report->cold, report->cold_count, cold,
                IS_CALL(file, cold->operation, operation) && strcmp(cold->link, link) == 0 &&
                    (!predecessor ||
                     (cold->predecessor >= 0 && IS_CALL(file, cold->predecessor, predecessor))));
}

/* First calls cost more: 4000 where lazily bound, 800 in any case, 500 less after a start;
 * second ones 300 more than warm ones. */
static double first_cost(const struct overhead_built_call *call, void *context)
{
    (void)context;
    double cost = overhead_usual_cost(call, NULL);
    if (!call->cold || strcmp(call->path, "timer") == 0 || call->position > 2)
        return cost;
    if (call->position == 2)
        return cost + 300;
    bool after_start = call->predecessor && strcmp(call->predecessor, "perf-read.start") == 0;
    return cost + 800 + (strcmp(call->link, "lazy") == 0 ? 4000 : 0) - (after_start ? 500 : 0);
}

static void build_links(struct overhead_builder *builder, struct overhead_way way)
{
    static const char *const calls[] = {warm_calls, start_first, read_first};
    way.cost = first_cost;
    for (size_t i = 0; i < 6; i++) {
        way.link = i < 3 ? "static" : "lazy";
        way.cold = i % 3;
        way.calls = calls[i % 3];
        build_overhead_tour(builder, &way);
    }
}

TEST(the_extra_cost_of_first_calls_is_held)
{
    enum { CASES = 300 };
    size_t held = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        BUILDER(builder, seed);
        build_links(&builder,
                    *WAY(.process_noise = 0.05, .run_noise = 0.1, .passes = 2, .processes = 60));
        struct overhead_report report = judge_part(&builder, overhead_judge_cold);
        const struct overhead_cold *lazy =
            find(&builder.file, &report, "perf-read.start", "lazy", NULL);
        held += lazy->low <= 4800 && 4800 <= lazy->high;
    }
    assert_in_range(held, CASES * 92 / 100, CASES * 98 / 100);
}

TEST(what_was_called_before_is_part_of_the_cell)
{
    BUILDER(builder, 1);
    build_links(&builder, *WAY(.processes = 200, .passes = 1));
    struct overhead_report report = judge_part(&builder, overhead_judge_cold);
    const struct overhead_cold *opening =
        find(&builder.file, &report, "perf-read.read", "static", "timer.nothing");
    const struct overhead_cold *after =
        find(&builder.file, &report, "perf-read.read", "static", "perf-read.start");
    assert_true(opening < after); /* what nothing was before comes first */
    assert_true(opening->opening && !after->opening);
    assert_near(opening->first, 1814, 1e-9);
    assert_near(after->first, 1314, 1e-9);
    assert_near(opening->second, 1314, 1e-9);
    assert_near(opening->warm, 1014, 1e-9);
    assert_near(opening->extra, 800, 1e-9);
    assert_near(opening->ratio, 1814.0 / 1014, 1e-9);
    assert_true(opening->low == opening->high && opening->ratio_low == opening->ratio_high);
    assert_true(opening->processes == 200 && opening->row_length == 0); /* two are no row */
    assert_near(find(&builder.file, &report, "perf-read.read", "lazy", "timer.nothing")->extra,
                4800, 1e-9);
    assert_null(find(&builder.file, &report, "timer.nothing", "static", NULL));
}

TEST(without_warm_calls_the_second_must_do)
{
    JUDGED(builder, report, 2, judge_part(&builder, overhead_judge_cold), .cold = true,
           .calls = read_first, .cost = first_cost);
    assert_true(report.cold_count == 1 && isnan(report.cold->warm));
    assert_near(report.cold->extra, 500, 1e-9);

    overhead_builder_start(&builder, 2);
    build_overhead_tour(&builder, WAY(.calls = "timer.nothing,timer.nothing,perf-read.read",
                                      .cold = true, .cost = first_cost, .processes = 1));
    report = judge_part(&builder, overhead_judge_cold);
    assert_near(report.cold->first, 1814, 1e-9);
    assert_nan(report.cold->extra);
    assert_nan(report.cold->ratio);
    assert_nan(report.cold->low);
}

/* Of every 20th process the first read, and of every 25th the second, is wild. */
static double wild_cost(const struct overhead_built_call *call, void *context)
{
    (void)context;
    if (strcmp(call->path, "timer") == 0)
        return 0;
    uint32_t each = call->position == 1 ? 20 : 25;
    return call->process % each == 3 ? 50000 : 1000;
}

TEST(wild_calls_are_explained_by_more_than_usual)
{
    BUILDER(builder, 4);
    struct overhead_tour *tour = build_overhead_tour(
        &builder, WAY(.cold = true,
                      .calls = "timer.nothing,timer.nothing,perf-user-cold.read,"
                               "perf-user-cold.read",
                      .cost = wild_cost, .run_noise = 0.02, .fault_cost = 100,
                      .fault_path = "perf-user-cold"));
    /* Wild first calls: 10, of which 4 faulted twice, where once is usual; second ones: 8, of which
     * 2 were preempted. */
    for (uint32_t i = 0; i < 4; i++)
        tour->accounts[tour->begins[3 + 20 * i] + 2].minor_faults = 2;
    for (uint32_t i = 0; i < 2; i++)
        tour->accounts[tour->begins[3 + 25 * i] + 3].involuntary = 1;
    struct overhead_report report = judge_part(&builder, overhead_judge_cold);
    const struct overhead_cold *cold = report.cold;
    assert_true(report.cold_count == 1 && cold->runs == 400 && cold->outlier_count == 18);
    assert_string_equal(cold->variant, "cold");
    assert_near(cold->faulted, 1, 0);
    assert_near(cold->outliers, 18 / 400.0, 1e-9);
    assert_near(cold->outliers_explained, 6 / 18.0, 1e-9);
}

#define EIGHT(call) call "," call "," call "," call "," call "," call "," call "," call
static const char user_row[] =
    "timer.nothing,timer.nothing," EIGHT("perf-user.read") "," EIGHT("perf-user.read");
static const char short_row[] = "timer.nothing,timer.nothing," EIGHT("perf-user.read");
static const char even_row[] =
    "timer.nothing,timer.nothing," EIGHT("perf-syscall.read") "," EIGHT("perf-syscall.read");
static const char mixed_row[] = "timer.nothing,timer.nothing," EIGHT("assay.read,perf-prctl.read");
static const char read_row[] =
    "timer.nothing,timer.nothing," EIGHT("perf-read.read") "," EIGHT("perf-read.read");

/* Reads in user code: 900, then 300, then 100 from the fifth on; read() 1000 but for every fourth;
 * others 1000. */
static double row_cost(const struct overhead_built_call *call, void *context)
{
    (void)context;
    if (strcmp(call->path, "timer") == 0)
        return 0;
    if (strcmp(call->path, "perf-read") == 0)
        return call->position % 4 == 0 ? 1400 : 1000;
    if (strcmp(call->path, "perf-user") != 0)
        return 1000;
    return call->position == 1 ? 900 : call->position < 5 ? 300 : 100;
}

TEST(a_call_that_gets_cheaper_is_told_from_one_that_does_not)
{
    BUILDER(builder, 5);
    struct overhead_way way = {
        .cold = true, .cost = row_cost, .run_noise = 0.1, .process_noise = 0.1};
    static const char *const rows[] = {
        short_row, user_row, read_row, even_row, mixed_row,
        /* The same first call, but nothing is repeated. */
        "timer.nothing,timer.nothing,perf-user.read,perf-read.read,perf-user.read"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        way.calls = rows[i];
        build_overhead_tour(&builder, &way);
    }
    struct overhead_report report = judge_part(&builder, overhead_judge_cold);
    const struct overhead_cold *user =
        find(&builder.file, &report, "perf-user.read", "static", "timer.nothing");
    const struct overhead_cold *reads =
        find(&builder.file, &report, "perf-read.read", "static", "timer.nothing");
    assert_int_equal(user->row_length, 16);
    assert_int_equal(user->row_processes, 200);
    assert_int_equal(user->processes, 600);
    assert_true(user->declines && user->goes_on);
    assert_near(user->later_ratio, 0.115, 0.01);
    assert_near(user->settled_ratio, 1 / 3.0, 0.03);
    assert_near(user->row[0], 900, 30);
    assert_near(user->row[4], 100, 5);
    assert_near(user->later, 104, 6);
    assert_int_equal(reads->row_length, 16);
    assert_false(reads->declines || reads->goes_on);
    assert_near(reads->later_ratio, 1.03, 0.05);
    assert_true(reads->later_low < 1.06 && reads->later_high > 1);
    const struct overhead_cold *even =
        find(&builder.file, &report, "perf-syscall.read", "static", NULL);
    assert_true(even->later_low < 1 && even->later_high > 1);
    assert_false(even->declines || even->goes_on);
    assert_int_equal(find(&builder.file, &report, "assay.read", "static", NULL)->row_length, 0);
}

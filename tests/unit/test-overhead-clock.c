/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ticks of an emulated clock as instructions: the rate comes from the gauge, means lie between the
 * steps, and what counters miss of start and stop is told by the clock. */
#include "case.h"
#include "overhead-judging.h"
#include "studies/overhead/study.h"

/* Start, read and stop after the same. */
#define CALLS                                                                                      \
    "timer.nothing,perf-read.start,timer.nothing,perf-read.read,timer.nothing,perf-read.stop,"     \
    "timer.gauge,perf-user.read"

/* Instructions of the call, in all modes. */
static double whole_of(const struct overhead_built_call *call)
{
    static const struct {
        const char *operation;
        double cost;
    } costs[] = {{"timer.nothing", 0},     {"timer.gauge", 2000},    {"perf-read.start", 4039},
                 {"perf-read.stop", 2472}, {"perf-read.read", 1697}, {"perf-user.read", 38}};
    for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
        if (strcmp(costs[i].operation, call->operation) == 0)
            return costs[i].cost;
    abort();
}

static bool is_switch(const struct overhead_built_call *call)
{
    return strcmp(call->kind, "start") == 0 || strcmp(call->kind, "stop") == 0;
}

static bool is_user_code(const struct overhead_built_call *call)
{
    return strcmp(call->path, "timer") == 0 || strcmp(call->path, "perf-user") == 0;
}

/* Counters see 40 instructions of user code, and of kernel code 2,200 fewer in a start and 600 in a
 * stop; *context is whether they do. */
static double counted(const struct overhead_built_call *call, void *context)
{
    const bool *halt = context;
    double user = is_user_code(call) ? whole_of(call) : 40;
    if (strcmp(call->event, "instructions:u") == 0)
        return user;
    double missed = !*halt || !is_switch(call) ? 0 : strcmp(call->kind, "start") == 0 ? 2200 : 600;
    return whole_of(call) - user - missed;
}

static double ticking(const struct overhead_built_call *call, void *context)
{
    (void)context;
    return whole_of(call);
}

/* As the clock shows it: whole ticks. */
static void divide(struct overhead_tour *tour, int64_t rate)
{
    for (size_t i = 0; i < tour->begins[tour->processes]; i++)
        tour->values[i] /= rate;
}

static void begin(struct overhead_builder *builder, uint32_t machines, uint32_t emulated)
{
    static const char *const names[] = {"one", "two", "three"};
    overhead_builder_start(builder, 1);
    builder->file.machines[0].emulated = true;
    for (uint32_t i = 1; i < machines; i++)
        build_overhead_machine(builder, names[i], i < emulated);
}

static void build(struct overhead_builder *builder, uint32_t machine, int64_t rate, bool halt)
{
    const struct overhead_way by_clock = {.machine = machine,
                                          .calls = CALLS,
                                          .counted = "instructions:u",
                                          .cost = ticking,
                                          .metering = 6,
                                          .step = (double)rate};
    const struct overhead_way by_counters = {.machine = machine,
                                             .calls = CALLS,
                                             .counted = "instructions:u",
                                             .meters = {"instructions:u", "instructions:k"},
                                             .cost = counted,
                                             .context = &halt,
                                             .metering = 44};
    divide(build_overhead_tour(builder, &by_clock), rate);
    build_overhead_tour(builder, &by_counters);
}

static const struct overhead_machine_row *find_row(const struct overhead_report *report,
                                                   uint32_t machine, const char *path,
                                                   const char *kind, const char *mode)
{
    return ONLY(report->machines, report->machine_row_count, row,
                row->machine == machine && strcmp(row->path, path) == 0 &&
                    strcmp(row->kind, kind) == 0 && strcmp(row->meter->mode, mode) == 0);
}

TEST(test_rate_is_found_and_steps_average_out)
{
    struct overhead_builder builder = {0};
    struct overhead_report report;
    begin(&builder, 1, 1);
    build(&builder, 0, 16, true);
    overhead_read_clocks(&builder.file);
    assert_int_equal((int)builder.file.machines[0].tick, 16);
    overhead_read_clocks(&builder.file); /* not twice */
    overhead_judge(&builder.file, &report);
    const struct overhead_row *row = overhead_find_row(
        &builder.file, &report,
        &WANTED(.operation = "perf-read.start", .unit = METER_INSTRUCTIONS, .mode = "uk"));
    assert_non_null(row);
    assert_string_equal(row->meter->event, OVERHEAD_CLOCK);
    assert_near(row->median, 4039, 2);
    for (size_t i = 0; i < report.timer_count; i++)
        if (overhead_is_clock(report.timers[i].meter)) {
            assert_near(report.timers[i].resolution, 16, 0);
            assert_near(report.timers[i].cost, 6, 1);
        }
}

TEST(test_what_counters_miss_is_kernel_code)
{
    struct overhead_builder builder = {0};
    struct overhead_report report;
    begin(&builder, 1, 1);
    build(&builder, 0, 16, true);
    overhead_read_clocks(&builder.file);
    overhead_judge(&builder.file, &report);
    const struct overhead_machine_row *row = find_row(&report, 0, "perf-read", "start", "uk");
    assert_true(row->hidden);
    assert_near(row->median, 4039, 2);
    assert_near(row->seen, 1839, 0);
    row = find_row(&report, 0, "perf-read", "start", "k");
    assert_true(row->hidden);
    assert_near(row->median, 3999, 2);
    assert_near(row->seen, 1799, 0);
    assert_near(find_row(&report, 0, "perf-read", "start", "u")->median, 40, 0);
    /* Where both agree the counters are exact. */
    row = find_row(&report, 0, "perf-read", "read", "uk");
    assert_false(row->hidden);
    assert_near(row->median, 1697, 0);
    assert_near(find_row(&report, 0, "perf-read", "read", "k")->median, 1657, 0);
    /* By what the counters saw, start is dearer than read() by a tenth or not at all. */
    assert_string_equal(report.findings[5].id, "W6");
    assert_int_equal(report.findings[5].verdict, FINDING_HOLDS);
    assert_near(report.findings[5].estimate, 4039.0 / 2472, 0.02);
    assert_int_equal(report.total_count, 0);
}

TEST(test_counters_that_see_all_agree_with_the_clock)
{
    struct overhead_builder builder = {0};
    struct overhead_report report;
    begin(&builder, 1, 1);
    build(&builder, 0, 16, false);
    overhead_read_clocks(&builder.file);
    overhead_judge(&builder.file, &report);
    for (size_t i = 0; i < report.machine_row_count; i++)
        assert_false(report.machines[i].hidden);
    assert_near(find_row(&report, 0, "perf-read", "stop", "uk")->median, 2472, 0);
}

TEST(test_rate_that_is_not_whole_is_refused)
{
    struct overhead_builder builder = {0};
    begin(&builder, 1, 1);
    build(&builder, 0, 16, true);
    /* The gauge executes 8 % more than the clock's steps say. */
    struct overhead_tour *tour = &builder.file.tours[1];
    for (size_t i = 0; i < tour->begins[tour->processes]; i++)
        if (strcmp(builder.file.operations[tour->calls[i % tour->length]].name, "timer.gauge") == 0)
            tour->values[2 * i] += 160;
    overhead_read_clocks(&builder.file);
    assert_near(builder.file.machines[0].tick, 0, 0);
    assert_says(&builder.file.machines[0].tick_why, SAYS_TICK_NOT_WHOLE);
    assert_int_equal(builder.file.tours[0].meters[0].unit, METER_TICKS);
    struct overhead_report report;
    overhead_judge(&builder.file, &report);
    /* … and W6 is not told by counters that miss part of it. */
    assert_int_equal(report.findings[5].verdict, FINDING_UNTESTABLE);
    assert_says(&report.findings[5].why, SAYS_HIDDEN);
}

TEST(test_ticks_alone_tell_no_rate)
{
    struct overhead_builder builder = {0};
    begin(&builder, 1, 1);
    build_overhead_tour(&builder, WAY(.calls = CALLS));
    overhead_read_clocks(&builder.file);
    assert_int_equal(builder.file.tours[0].meters[0].unit, METER_TICKS);
    assert_says(&builder.file.machines[0].tick_why, SAYS_TICK_UNMETERED);
}

TEST(test_each_machine_has_a_clock_of_its_own)
{
    struct overhead_builder builder = {0};
    struct overhead_report report;
    begin(&builder, 3, 2);
    build(&builder, 0, 16, true);
    build(&builder, 1, 8, true);
    build(&builder, 2, 16, true); /* a real one: its ticks are time */
    overhead_read_clocks(&builder.file);
    assert_int_equal((int)builder.file.machines[0].tick, 16);
    assert_int_equal((int)builder.file.machines[1].tick, 8);
    assert_near(builder.file.machines[2].tick, 0, 0);
    assert_int_equal(builder.file.tours[4].meters[0].unit, METER_TICKS);
    overhead_judge(&builder.file, &report);
    const struct overhead_machine_row *row = find_row(&report, 1, "perf-read", "start", "uk");
    assert_near(row->median, 4039, 2);
    assert_false(row->differs);
    assert_near(find_row(&report, 2, "perf-read", "start", "uk")->median, 1839, 0);
}

TEST(test_first_calls_are_as_fine_as_counters_that_agree)
{
    static const char calls[] = "timer.nothing,perf-user.read,perf-read.start,perf-read.stop";
    struct overhead_builder builder = {0};
    struct overhead_report report;
    bool halt = true;
    begin(&builder, 1, 1);
    build(&builder, 0, 16, halt);
    const struct overhead_way by_clock = {.calls = calls,
                                          .cold = true,
                                          .counted = "instructions:u",
                                          .cost = ticking,
                                          .metering = 6,
                                          .step = 16};
    const struct overhead_way by_counters = {.calls = calls,
                                             .cold = true,
                                             .counted = "instructions:u",
                                             .meters = {"instructions:u", "instructions:k"},
                                             .cost = counted,
                                             .context = &halt,
                                             .metering = 44};
    divide(build_overhead_tour(&builder, &by_clock), 16);
    build_overhead_tour(&builder, &by_counters);
    overhead_read_clocks(&builder.file);
    overhead_judge(&builder.file, &report);
    size_t seen = 0;
    for (size_t i = 0; i < report.cold_count; i++) {
        const struct overhead_cold *cold = &report.cold[i];
        const char *name = builder.file.operations[cold->operation].name;
        if (!overhead_is_clock(cold->meter))
            continue;
        seen++;
        if (strcmp(name, "perf-user.read") == 0) {
            assert_near(cold->first, 38, 0);
            assert_near(cold->ratio, 1, 0);
            assert_true(cold->ratio_low <= 1 && cold->ratio_high >= 1);
        } else if (strcmp(name, "perf-read.start") == 0)
            assert_near(cold->first, 4039, 16); /* not what the counters saw */
    }
    assert_int_equal(seen, 3);
}

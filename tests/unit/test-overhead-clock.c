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

/* A tour by the clock, in whole ticks of that many instructions, and one by counters. */
static void build(struct overhead_builder *builder, uint32_t machine, const char *calls, bool cold,
                  int64_t rate, bool halt)
{
    struct overhead_way way = {.machine = machine, .calls = calls, .cold = cold, .cost = ticking};
    way.counted = "instructions:u";
    way.metering = 6;
    way.step = (double)rate;
    struct overhead_tour *tour = build_overhead_tour(builder, &way);
    for (size_t i = 0; i < tour->begins[tour->processes]; i++)
        tour->values[i] /= rate;
    way.meters[0] = "instructions:u";
    way.meters[1] = "instructions:k";
    way.cost = counted;
    way.context = &halt;
    way.metering = 44;
    way.step = 0;
    build_overhead_tour(builder, &way);
}

#define EMULATED(name)                                                                             \
    BUILDER(name, 1);                                                                              \
    struct overhead_report report;                                                                 \
    (name).file.machines[0].emulated = true

static void judge(struct overhead_builder *builder, struct overhead_report *report)
{
    overhead_read_clocks(&builder->file);
    overhead_judge(&builder->file, report);
}

static const struct overhead_machine_row *find_row(const struct overhead_report *report,
                                                   uint32_t machine, const char *path,
                                                   const char *kind, const char *mode)
{
    return ONLY(report->machines, report->machine_row_count, row,
                row->machine == machine && strcmp(row->path, path) == 0 &&
                    strcmp(row->kind, kind) == 0 && strcmp(row->meter->mode, mode) == 0);
}

TEST(the_rate_is_found_and_steps_average_out)
{
    EMULATED(builder);
    build(&builder, 0, CALLS, false, 16, true);
    overhead_read_clocks(&builder.file);
    judge(&builder, &report); /* not twice */
    assert_near(builder.file.machines[0].tick, 16, 0);
    const struct overhead_row *row = overhead_find_row(
        &builder.file, &report,
        &WANTED(.operation = "perf-read.start", .unit = METER_INSTRUCTIONS, .mode = "uk"));
    assert_string_equal(row->meter->event, OVERHEAD_CLOCK);
    assert_near(row->median, 4039, 2);
    for (size_t i = 0; i < report.timer_count; i++)
        if (overhead_is_clock(report.timers[i].meter)) {
            assert_near(report.timers[i].resolution, 16, 0);
            assert_near(report.timers[i].cost, 6, 1);
        }
}

/* What counters miss is kernel code; where both agree the counters are exact. */
TEST(what_counters_miss_is_told_by_the_clock)
{
    static const struct {
        const char *kind, *mode;
        double cost, seen; /* seen 0: all */
    } rows[] = {{"start", "uk", 4039, 1839}, {"start", "k", 3999, 1799}, {"start", "u", 40, 0},
                {"stop", "uk", 2472, 1872},  {"read", "uk", 1697, 0},    {"read", "k", 1657, 0}};
    for (int halt = 0; halt < 2; halt++) {
        EMULATED(builder);
        build(&builder, 0, CALLS, false, 16, halt);
        judge(&builder, &report);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
            const struct overhead_machine_row *row =
                find_row(&report, 0, "perf-read", rows[i].kind, rows[i].mode);
            bool hidden = halt && rows[i].seen > 0;
            assert_int_equal(row->hidden, hidden);
            assert_near(row->median, rows[i].cost, hidden ? 2 : 0);
            if (hidden)
                assert_near(row->seen, rows[i].seen, 0);
        }
        /* By what the counters saw, start is dearer than read() by a tenth or not at all. */
        assert_int_equal(report.findings[5].verdict, FINDING_HOLDS);
        assert_near(report.findings[5].estimate, 4039.0 / 2472, 0.02);
    }
}

TEST(a_rate_that_is_not_whole_is_refused)
{
    EMULATED(builder);
    build(&builder, 0, CALLS, false, 16, true);
    /* The gauge executes 8 % more than the clock's steps say. */
    struct overhead_tour *tour = &builder.file.tours[1];
    for (size_t i = 0; i < tour->begins[tour->processes]; i++)
        if (IS_CALL(&builder.file, tour->calls[i % tour->length], "timer.gauge"))
            tour->values[2 * i] += 160;
    judge(&builder, &report);
    assert_near(builder.file.machines[0].tick, 0, 0);
    assert_says(&builder.file.machines[0].tick_why, SAYS_TICK_NOT_WHOLE);
    assert_int_equal(builder.file.tours[0].meters[0].unit, METER_TICKS);
    /* … and W6 is not told by counters that miss part of it. */
    assert_int_equal(report.findings[5].verdict, FINDING_UNTESTABLE);
    assert_says(&report.findings[5].why, SAYS_HIDDEN);
}

TEST(each_machine_has_a_clock_of_its_own)
{
    static const int64_t rates[] = {16, 8, 16, 1};
    EMULATED(builder);
    build_overhead_machine(&builder, "two", true);
    build_overhead_machine(&builder, "real", false); /* its ticks are time */
    build_overhead_machine(&builder, "uncounted", true);
    for (uint32_t i = 0; i < 3; i++)
        build(&builder, i, CALLS, false, rates[i], true);
    build_overhead_tour(&builder, WAY(.calls = CALLS, .machine = 3));
    judge(&builder, &report);
    for (uint32_t i = 0; i < 4; i++)
        assert_near(builder.file.machines[i].tick, i < 2 ? (double)rates[i] : 0, 0);
    assert_says(&builder.file.machines[3].tick_why, SAYS_TICK_UNMETERED);
    const struct overhead_machine_row *row = find_row(&report, 1, "perf-read", "start", "uk");
    assert_near(row->median, 4039, 2);
    assert_false(row->differs);
    assert_near(find_row(&report, 2, "perf-read", "start", "uk")->median, 1839, 0);
}

TEST(first_calls_are_as_fine_as_counters_that_agree)
{
    EMULATED(builder);
    build(&builder, 0, CALLS, false, 16, true);
    build(&builder, 0, "timer.nothing,perf-user.read,perf-read.start,perf-read.stop", true, 16,
          true);
    judge(&builder, &report);
    size_t seen = 0;
    for (size_t i = 0; i < report.cold_count; i++) {
        const struct overhead_cold *cold = &report.cold[i];
        if (!overhead_is_clock(cold->meter))
            continue;
        seen++;
        if (IS_CALL(&builder.file, cold->operation, "perf-user.read")) {
            assert_near(cold->first, 38, 0);
            assert_near(cold->ratio, 1, 0);
        } else if (IS_CALL(&builder.file, cold->operation, "perf-read.start"))
            assert_near(cold->first, 4039, 16); /* not what the counters saw */
    }
    assert_int_equal(seen, 3);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one process shows of a cell: each predecessor weighs the same, disturbed passes are left
 * out, cold calls stand for themselves, user and kernel are added up call by call. */
#include <math.h>

#include "case.h"
#include "overhead-figures.h"

static const struct overhead_figure *find(const struct overhead_case *file,
                                          const struct overhead_report *report,
                                          const char *operation, uint32_t process,
                                          uint32_t position, const char *mode)
{
    return ONLY(report->figures, report->figure_count, figure,
                IS_CALL(file, figure->operation, operation) && figure->process == process &&
                    figure->position == position && strcmp(figure->meter->mode, mode) == 0);
}

/* After itself 100, after anything else 1000. */
COST_OF_CALLS(by_predecessor,
              call->predecessor &&strcmp(call->predecessor, call->operation) == 0 ? 100 : 1000)

TEST(each_predecessor_weighs_the_same)
{
    BUILDER(builder, 1);
    /* Four of six reads follow a read, one the gauge, one nothing: two of three say 1000. */
    build_overhead_tour(&builder,
                        WAY(.calls = "timer.nothing,perf-read.read,perf-read.read,"
                                     "perf-read.read,timer.gauge,perf-read.read,perf-read.read,"
                                     "perf-read.read",
                            .cost = by_predecessor, .processes = 2));
    struct overhead_report report = judge_figures(&builder);
    const struct overhead_figure *figure = find(&builder.file, &report, "perf-read.read", 1, 0, "");
    assert_near(figure->value, 1000, 1e-9);
    assert_int_equal(figure->runs, 6 * 20);
    assert_int_equal(figure->predecessor, -1);
    assert_string_equal(figure->variant, "static");
}

TEST(disturbed_passes_are_left_out)
{
    JUDGED(builder, report, 2, judge_figures(&builder), .shared = 0.4, .passes = 40,
           .shared_factor = 3);
    size_t runs = 0;
    for (size_t i = 0; i < report.figure_count; i++)
        if (report.figures[i].operation ==
            (uint32_t)overhead_operation_index(&builder.file, "perf-read.read")) {
            assert_near(report.figures[i].value, 1014, 1e-9);
            runs += report.figures[i].runs;
        }
    assert_true(runs > 3 * 30 * 40 / 2 && runs < 3 * 30 * 40 * 3 / 4);
}

/* Seldom much in the kernel, and then little in user mode: medians 10 and 100, of the sum 115. */
static double against_each_other(const struct overhead_built_call *call, void *context)
{
    (void)context;
    if (strcmp(call->path, "timer") == 0)
        return 0;
    bool user = strcmp(call->event, "instructions:u") == 0;
    static const double user_costs[] = {1, 10, 15}, kernel_costs[] = {300, 50, 100};
    return (user ? user_costs : kernel_costs)[call->pass % 3];
}

TEST(both_modes_are_added_up_call_by_call)
{
    JUDGED(builder, report, 3, judge_figures(&builder),
           .meters = {"instructions:u", "cycles:u", "instructions:k"}, .cost = against_each_other,
           .passes = 9, .processes = 2);
    assert_int_equal(report.total_count, 1);
    assert_string_equal(report.totals[0].event, "instructions:uk");
    assert_int_equal(report.totals[0].unit, METER_INSTRUCTIONS);
    const struct overhead_figure *total =
        find(&builder.file, &report, "perf-read.read", 0, 0, "uk");
    assert_near(total->value, 115, 1e-9);
    assert_ptr_equal(total->meter, &report.totals[0]);
    assert_near(find(&builder.file, &report, "perf-read.read", 0, 0, "k")->value, 100, 1e-9);
}

TEST(modes_that_were_metered_together_need_no_total)
{
    BUILDER(builder, 4);
    struct overhead_way way = {.meters = {"instructions:u", "instructions:k", "instructions:uk"},
                               .processes = 2};
    build_overhead_tour(&builder, &way);
    way.meters[1] = "cycles:k";
    way.meters[2] = NULL;
    build_overhead_tour(&builder, &way);
    struct overhead_report report = judge_figures(&builder);
    assert_int_equal(report.total_count, 0);
}

static double by_position(const struct overhead_built_call *call, void *context)
{
    (void)context;
    return strcmp(call->path, "timer") == 0 ? 0 : 1000.0 * call->position;
}

TEST(cold_calls_stand_for_themselves)
{
    JUDGED(builder, report, 5, judge_figures(&builder), .cold = true,
           .calls = "timer.nothing,timer.nothing,perf-user-cold.read,perf-user-cold.read",
           .cost = by_position, .fault_cost = 50, .fault_path = "perf-user-cold");
    const struct overhead_figure *first =
        find(&builder.file, &report, "perf-user-cold.read", 7, 1, "");
    const struct overhead_figure *second =
        find(&builder.file, &report, "perf-user-cold.read", 7, 2, "");
    assert_near(first->value, 1050, 1e-9);
    assert_near(second->value, 2000, 1e-9);
    assert_int_equal(first->account->minor_faults, 1);
    assert_int_equal(second->account->minor_faults, 0);
    assert_string_equal(first->variant, "cold");
    assert_string_equal(builder.file.operations[first->predecessor].name, "timer.nothing");
    assert_int_equal(second->predecessor, second->operation);
}

TEST(cold_processes_on_a_shared_core_are_left_out)
{
    BUILDER(builder, 6);
    build_overhead_tour(&builder, WAY(0));
    build_overhead_tour(&builder,
                        WAY(.cold = true, .calls = "timer.nothing,timer.gauge,perf-user.read",
                            .shared = 0.5, .shared_factor = 3));
    struct overhead_report report = judge_figures(&builder);
    size_t found = 0;
    for (size_t i = 0; i < report.figure_count; i++)
        if (report.figures[i].operation ==
            (uint32_t)overhead_operation_index(&builder.file, "perf-user.read")) {
            assert_near(report.figures[i].value, 120, 1e-9);
            found++;
        }
    assert_in_range(found, 60, 140);
}

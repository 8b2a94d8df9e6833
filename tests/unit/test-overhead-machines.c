/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines side by side: in the order of their kernels' versions, against the first that has the
 * call, by every meter and by user and kernel together; alike where processes differ as much. */
#include <errno.h>

#include <math.h>

#include "case.h"
#include "overhead-figures.h"

static const char calls[] = "timer.nothing,timer.gauge,perf-read.start,perf-read.read,"
                            "perf-read.stop,timer.nothing,perf-syscall.read";

static uint32_t build_machine(struct overhead_builder *builder, const char *name, const char *os,
                              bool emulated)
{
    uint32_t machine = build_overhead_machine(builder, name, emulated);
    memory_give_back(builder->file.machines[machine].os);
    builder->file.machines[machine].os = memory_copy(os);
    return machine;
}

/* Kernel code is 30 times user code; both times what the context says for the machine. */
static double machine_cost(const struct overhead_built_call *call, void *context)
{
    const double *factors = context;
    double mode = call->event && strstr(call->event, ":k") ? 30 : 1;
    if (strcmp(call->path, "timer") == 0)
        return overhead_usual_cost(call, NULL);
    return overhead_usual_cost(call, NULL) * mode * factors[call->machine];
}

static const struct overhead_machine_row *find(const struct overhead_report *report,
                                               uint32_t machine, const char *path, const char *kind,
                                               const char *mode)
{
    return ONLY(report->machines, report->machine_row_count, row,
                row->machine == machine && strcmp(row->path, path) == 0 &&
                    strcmp(row->kind, kind) == 0 && strcmp(row->meter->mode, mode) == 0);
}

TEST(kernels_are_compared_in_the_order_of_their_versions)
{
    static const char *const versions[] = {"6.12.9-arm64", "6.1.0-40-arm64", "6.9.7-arm64"};
    BUILDER(builder, 1);
    double factors[] = {0, 2, 1, 3};
    for (uint32_t i = 0; i < 3; i++)
        build_overhead_tour(
            &builder, WAY(.machine = build_machine(&builder, versions[i], versions[i], true),
                          .calls = calls, .meters = {"instructions:u", "instructions:k"},
                          .cost = machine_cost, .context = factors, .processes = 3, .passes = 2));
    struct overhead_report report = judge_part(&builder, overhead_judge_machines);
    assert_int_equal(report.machine_row_count, 3 * 4 * 3); /* machines, calls, meters */
    /* Of each call and meter the three stand together. */
    for (size_t i = 0; i < report.machine_row_count; i += 3) {
        const struct overhead_machine_row *rows = &report.machines[i];
        assert_true(rows[0].machine == 2 && rows[1].machine == 3 && rows[2].machine == 1);
        assert_false(rows[0].has_ratio || rows[0].differs);
        assert_near(rows[1].ratio, 3, 1e-2);
        assert_near(rows[2].ratio, 2, 1e-2);
        assert_true(rows[2].ratio_low == rows[2].ratio_high && rows[2].reference == 2);
        assert_true(rows[1].differs && rows[2].differs);
    }
    assert_near(find(&report, 2, "perf-read", "start", "k")->median, 30 * 2444, 1e-9);
    const struct overhead_machine_row *total = find(&report, 2, "perf-read", "start", "uk");
    assert_near(total->median, 31 * 2444, 1e-9);
    assert_true(total->total && !find(&report, 2, "perf-read", "start", "u")->total);
}

/* Seldom much in the kernel, and then little in user mode: medians 10 and 100, of the sum 115. */
static double against_each_other(const struct overhead_built_call *call, void *context)
{
    (void)context;
    if (strcmp(call->path, "timer") == 0)
        return 0;
    static const double user_costs[] = {1, 10, 15}, kernel_costs[] = {300, 50, 100};
    return (strstr(call->event, ":u") ? user_costs : kernel_costs)[call->pass % 3];
}

TEST(both_modes_are_added_up_call_by_call)
{
    JUDGED(builder, report, 3, judge_part(&builder, overhead_judge_machines),
           .meters = {"instructions:u", "instructions:k"}, .cost = against_each_other, .passes = 9);
    assert_near(find(&report, 0, "perf-read", "read", "uk")->median, 115, 1e-9);
    assert_near(find(&report, 0, "perf-read", "read", "k")->median, 100, 1e-9);
}

/* A machine beside one that is alike, and beside one that costs a third more. */
TEST(machines_that_are_alike_are_not_called_different)
{
    enum { CASES = 200 };
    size_t rows = 0, held = 0, differs[2] = {0};
    for (uint64_t seed = 0; seed < CASES; seed++)
        for (int dearer = 0; dearer < 2; dearer++) {
            BUILDER(builder, seed);
            double factors[] = {1, dearer ? 4.0 / 3 : 1};
            build_machine(&builder, "second", "6.2", false);
            for (uint32_t machine = 0; machine < 2; machine++)
                build_overhead_tour(&builder,
                                    WAY(.machine = machine, .calls = calls, .cost = machine_cost,
                                        .context = factors, .process_noise = 0.05,
                                        .run_noise = dearer ? 0 : 0.1, .passes = 3));
            struct overhead_report report = judge_part(&builder, overhead_judge_machines);
            for (size_t i = 0; i < report.machine_row_count; i++) {
                const struct overhead_machine_row *row = &report.machines[i];
                rows += row->has_ratio && !dearer;
                held += row->has_ratio && !dearer && row->ratio_low <= 1 && row->ratio_high >= 1;
                differs[dearer] += row->differs;
            }
        }
    assert_int_equal(rows, CASES * 4);
    assert_in_range(held, rows * 93 / 100, rows * 985 / 1000);
    assert_true(differs[0] == 0 && differs[1] == rows);
}

TEST(one_machine_alone_has_its_table)
{
    BUILDER(builder, 2);
    double factors[] = {1}, dear[] = {5};
    /* More events and other link modes are not its cost. */
    for (int i = 0; i < 3; i++)
        build_overhead_tour(&builder, WAY(.calls = calls, .cost = machine_cost, .processes = 2,
                                          .open = i ? 1 : 4, .link = i == 1 ? "lazy" : "static",
                                          .context = i < 2 ? dear : factors));
    struct overhead_report report = judge_part(&builder, overhead_judge_machines);
    /* Three calls of libc in two link modes, one inline. */
    assert_int_equal(report.machine_row_count, 3 * 2 + 1);
    const struct overhead_machine_row *inlined = find(&report, 0, "perf-syscall", "read", "");
    assert_string_equal(inlined->variant, "inline");
    assert_near(inlined->median, 990, 1e-9);
    for (size_t i = 0; i < report.machine_row_count; i++)
        if (strcmp(report.machines[i].kind, "stop") == 0)
            assert_near(report.machines[i].median,
                        (strcmp(report.machines[i].variant, "lazy") == 0 ? 5 : 1) * 0.8 * 2444, 1);
}

TEST(a_call_that_the_first_machine_lacks_is_held_against_the_next)
{
    BUILDER(builder, 4);
    double factors[] = {1, 2, 3};
    build_machine(&builder, "second", "6.2", true);
    build_machine(&builder, "third", "6.3", true);
    for (uint32_t machine = 0; machine < 3; machine++)
        build_overhead_tour(&builder,
                            WAY(.calls = machine ? "timer.nothing,perf-read.read,perf-user.read"
                                                 : "timer.nothing,perf-read.read",
                                .machine = machine, .cost = machine_cost, .context = factors,
                                .meters = {"instructions:u"}));
    struct overhead_report report = judge_part(&builder, overhead_judge_machines);
    assert_int_equal(report.machine_row_count, 5);
    const struct overhead_machine_row *user = find(&report, 2, "perf-user", "read", "u"),
                                      *call = find(&report, 2, "perf-read", "read", "u");
    assert_true(user->reference == 1 && call->reference == 0);
    assert_near(user->ratio, 1.5, 1e-9);
    assert_near(call->ratio, 3, 1e-9);
}

TEST(times_of_an_emulated_machine_are_not_told)
{
    BUILDER(builder, 5);
    uint32_t lab = build_machine(&builder, "lab", "6.1", true);
    struct overhead_way way = {.calls = calls, .processes = 2, .machine = lab};
    build_overhead_tour(&builder, &way);
    way.meters[0] = "cycles:u";
    build_overhead_tour(&builder, &way);
    build_overhead_failed(&builder, WAY(.calls = calls), ENOENT, "none");
    struct overhead_report report = judge_part(&builder, overhead_judge_machines);
    assert_int_equal(report.machine_row_count, 0);
    /* One process on a machine of its own: a ratio that excludes nothing. */
    build_overhead_tour(&builder, WAY(.calls = calls, .processes = 1));
    uint32_t other = build_machine(&builder, "other", "7.0", false);
    build_overhead_tour(&builder, WAY(.calls = calls, .processes = 30, .machine = other));
    report = judge_part(&builder, overhead_judge_machines);
    const struct overhead_machine_row *row = find(&report, other, "perf-read", "read", "");
    assert_true(row->has_ratio && !row->differs);
    assert_true(row->ratio_low == 0 && isinf(row->ratio_high));
}

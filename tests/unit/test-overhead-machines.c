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
    BUILDER(builder, 1);
    double factors[] = {0, 2, 1, 3};
    uint32_t late = build_machine(&builder, "late", "6.12.9-arm64", true);
    uint32_t early = build_machine(&builder, "early", "6.1.0-40-arm64", true);
    uint32_t middle = build_machine(&builder, "middle", "6.9.7-arm64", true);
    for (uint32_t machine = 1; machine <= 3; machine++)
        build_overhead_tour(&builder, WAY(.machine = machine, .calls = calls,
                                          .meters = {"instructions:u", "instructions:k"},
                                          .cost = machine_cost, .context = factors, .processes = 3,
                                          .passes = 2));
    struct overhead_report report = judge_part(&builder, overhead_judge_machines);
    assert_int_equal(report.machine_row_count, 3 * 4 * 3); /* machines, calls, meters */
    /* Of each call and meter the three stand together. */
    for (size_t i = 0; i < report.machine_row_count; i += 3) {
        assert_int_equal(report.machines[i].machine, early);
        assert_int_equal(report.machines[i + 1].machine, middle);
        assert_int_equal(report.machines[i + 2].machine, late);
        assert_false(report.machines[i].has_ratio || report.machines[i].differs);
        assert_nan(report.machines[i].ratio);
        assert_near(report.machines[i + 1].ratio, 3, 1e-2);
        assert_near(report.machines[i + 2].ratio, 2, 1e-2);
        assert_true(report.machines[i + 2].ratio_low == report.machines[i + 2].ratio_high);
        assert_true(report.machines[i + 1].differs && report.machines[i + 2].differs);
        assert_int_equal(report.machines[i + 2].reference, early);
    }
    assert_near(find(&report, early, "perf-read", "start", "u")->median, 2444, 1e-9);
    assert_near(find(&report, early, "perf-read", "start", "k")->median, 30 * 2444, 1e-9);
    const struct overhead_machine_row *total = find(&report, early, "perf-read", "start", "uk");
    assert_near(total->median, 31 * 2444, 1e-9);
    assert_true(total->total);
    assert_false(find(&report, early, "perf-read", "start", "u")->total);
}

TEST(one_machine_alone_has_its_table)
{
    BUILDER(builder, 2);
    double factors[] = {1};
    double dear[] = {5};
    struct overhead_way way = {.calls = calls,
                               .meters = {"instructions:u", "instructions:k"},
                               .cost = machine_cost,
                               .context = dear,
                               .processes = 2};
    /* More events and other link modes are not its cost. */
    way.open = 4;
    build_overhead_tour(&builder, &way);
    way.open = 1;
    way.link = "lazy";
    build_overhead_tour(&builder, &way);
    way.link = "static";
    way.context = factors;
    build_overhead_tour(&builder, &way);
    struct overhead_report report = judge_part(&builder, overhead_judge_machines);
    /* Three calls of libc in two link modes, one inline, by three meters. */
    assert_int_equal(report.machine_row_count, (3 * 2 + 1) * 3);
    const struct overhead_machine_row *inlined = find(&report, 0, "perf-syscall", "read", "u");
    assert_string_equal(inlined->variant, "inline");
    assert_near(inlined->median, 990, 1e-9);
    for (size_t i = 0; i < report.machine_row_count; i++) {
        const struct overhead_machine_row *row = &report.machines[i];
        if (strcmp(row->kind, "stop") == 0 && strcmp(row->meter->mode, "u") == 0)
            assert_near(row->median, (strcmp(row->variant, "lazy") == 0 ? 5 : 1) * 0.8 * 2444, 1);
    }
}

TEST(machines_that_are_alike_are_not_called_different)
{
    enum { CASES = 200 };
    size_t rows = 0, held = 0, differs = 0, apart = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        BUILDER(builder, seed);
        build_machine(&builder, "second", "6.2", false);
        double factors[] = {1, 1, 1};
        for (uint32_t machine = 0; machine < 2; machine++)
            build_overhead_tour(&builder,
                                WAY(.machine = machine, .calls = calls, .cost = machine_cost,
                                    .context = factors, .process_noise = 0.05, .run_noise = 0.1,
                                    .passes = 3));
        struct overhead_report report = judge_part(&builder, overhead_judge_machines);
        for (size_t i = 0; i < report.machine_row_count; i++) {
            const struct overhead_machine_row *row = &report.machines[i];
            rows += row->has_ratio ? 1 : 0;
            held += row->has_ratio && row->ratio_low <= 1 && row->ratio_high >= 1 ? 1 : 0;
            differs += row->differs ? 1 : 0;
        }
        /* One that costs a third more differs in every call. */
        overhead_builder_start(&builder, seed);
        build_machine(&builder, "second", "6.2", false);
        factors[1] = 4.0 / 3;
        for (uint32_t machine = 0; machine < 2; machine++)
            build_overhead_tour(&builder,
                                WAY(.machine = machine, .calls = calls, .cost = machine_cost,
                                    .context = factors, .process_noise = 0.05, .passes = 2));
        report = judge_part(&builder, overhead_judge_machines);
        for (size_t i = 0; i < report.machine_row_count; i++)
            apart += report.machines[i].differs ? 1 : 0;
    }
    print_message("# of %zu ratios of equal machines %zu hold 1, %zu differ; %zu of dearer ones\n",
                  rows, held, differs, apart);
    assert_int_equal(rows, CASES * 4);
    assert_in_range(held, rows * 93 / 100, rows * 985 / 1000);
    assert_int_equal(differs, 0);
    assert_int_equal(apart, rows);
}

TEST(a_call_that_the_first_machine_lacks_is_held_against_the_next)
{
    BUILDER(builder, 4);
    double factors[] = {1, 2, 3};
    uint32_t second = build_machine(&builder, "second", "6.2", true);
    uint32_t third = build_machine(&builder, "third", "6.3", true);
    struct overhead_way way = {.calls = "timer.nothing,perf-read.read",
                               .cost = machine_cost,
                               .context = factors,
                               .processes = 2,
                               .meters = {"instructions:u"}};
    build_overhead_tour(&builder, &way);
    way.calls = "timer.nothing,perf-read.read,perf-user.read";
    way.machine = second;
    build_overhead_tour(&builder, &way);
    way.machine = third;
    build_overhead_tour(&builder, &way);
    struct overhead_report report = judge_part(&builder, overhead_judge_machines);
    assert_int_equal(report.machine_row_count, 5);
    assert_null(find(&report, 0, "perf-user", "read", "u"));
    const struct overhead_machine_row *user = find(&report, third, "perf-user", "read", "u");
    assert_int_equal(user->reference, second);
    assert_near(user->ratio, 1.5, 1e-9);
    assert_int_equal(find(&report, third, "perf-read", "read", "u")->reference, 0);
    assert_near(find(&report, third, "perf-read", "read", "u")->ratio, 3, 1e-9);
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

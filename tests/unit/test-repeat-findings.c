/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The findings M1, M3, M4 and M11: each holds on data that show it, fails on opposite ones, stays
 * open where data say too little, and is not testable where nothing could tell. */
#include "repeat-builder.h"

/* --- M1 --- */

static struct finding controlled(double as_is, double noise, const char *source, uint64_t tasks)
{
    WORLD(builder, 4);
    repeat_build_program(&builder, "gzip", "/bin/gzip");
    for (size_t program = 0; program < 2; program++)
        repeat_build_settings(&builder, &(struct repeat_way){.program = program, .source = source},
                              &(struct repeat_planted){.level = 1e8,
                                                       .varies[CONTROL_ASLR] = as_is,
                                                       .noise = program ? noise : 0},
                              true);
    for (size_t i = 0; i < builder.file.cell_count; i++)
        for (size_t run = 0; run < builder.file.cells[i].runs; run++)
            builder.file.cells[i].list[run].tasks = tasks;
    return repeat_found(&builder, M1);
}

/* Tools do not refute it, and threads are not asked. */
TEST(m1_is_about_what_is_left)
{
    static const struct {
        double as_is, noise;
        const char *source;
        uint64_t tasks;
        enum finding_verdict verdict;
        enum repeat_word says; /* SAYS_IDENTICAL: whatever */
    } cases[] = {
        {1e6, 100, NULL, 1, FINDING_HOLDS, SAYS_MOST_LEFT},
        {1e6, 0, "step", 1, FINDING_HOLDS, SAYS_IDENTICAL},
        {1e6, 20000, NULL, 1, FINDING_FAILS, SAYS_MOST_LEFT},
        {0, 0, NULL, 1, FINDING_INCONCLUSIVE, SAYS_TOO_LITTLE},
        {1e6, 1900, NULL, 1, FINDING_INCONCLUSIVE, SAYS_IDENTICAL},
        {1e6, 0, "qemu", 1, FINDING_HOLDS, SAYS_PLACES},
        {1e6, 20000, "qemu", 1, FINDING_INCONCLUSIVE, SAYS_IDENTICAL},
        {1e6, 0, NULL, 4, FINDING_UNTESTABLE, SAYS_ONLY_TASKS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct finding finding =
            controlled(cases[i].as_is, cases[i].noise, cases[i].source, cases[i].tasks);
        assert_verdict(finding, cases[i].verdict);
        if (cases[i].says)
            assert_says(finding.why, cases[i].says);
        assert_true(i != 0 || (finding.high < .002 && finding.detectable > 0));
        assert_true(i != 2 || finding.low > .002);
    }
}

/* --- M3 --- */

/* A program of the kit that hashes addresses, or perl; by control or by draws. */
static struct finding addressed(bool subject, bool sweep, double varies, const char *source)
{
    MACHINE(builder, 6);
    if (subject)
        repeat_build_subject(&builder, "address-hash", 100, "M3 M4", -1, 64);
    else
        repeat_build_program(&builder, "perl", "perl");
    struct repeat_planted planted = {.level = 1e7, .varies[CONTROL_ASLR] = varies};
    struct repeat_way way = {.source = source};
    repeat_build_settings(&builder, &way, &planted, !sweep);
    way.sweep = SWEEP_ASLR;
    way.controls = CONTROLS_ALL;
    planted.runs = 1;
    for (way.swept = 0; sweep && way.swept < 16; way.swept++)
        repeat_build_planted(&builder, &way, &planted);
    return repeat_found(&builder, M3);
}

TEST(m3_holds_where_one_program_follows_addresses)
{
    for (size_t i = 0; i < 4; i++) {
        struct finding finding = addressed(i & 1, i & 2, 5000, i ? NULL : "step");
        assert_verdict(finding, FINDING_HOLDS);
        assert_true(finding.low > 0 && finding.estimate > .02 && finding.estimate < .1);
    }
    /* It fails where what hashes addresses counts the same; others may hash nothing. */
    assert_verdict(addressed(true, false, 0, NULL), FINDING_FAILS);
    assert_verdict(addressed(true, true, 0, "step"), FINDING_FAILS);
    struct finding finding = addressed(false, true, 0, NULL);
    assert_verdict(finding, FINDING_INCONCLUSIVE);
    assert_says(finding.why, SAYS_NONE_DEPENDS);
    /* Tools place memory themselves. */
    assert_verdict(addressed(true, true, 0, "qemu"), FINDING_UNTESTABLE);
    WORLD(builder, 1);
    repeat_build_settings(&builder, &(struct repeat_way){0}, &(struct repeat_planted){0}, false);
    assert_verdict(repeat_found(&builder, M3), FINDING_UNTESTABLE);
}

/* --- M4 --- */

static struct finding sized(const char *source, bool subject, double each, double noise)
{
    MACHINE(builder, 7);
    if (subject)
        repeat_build_subject(&builder, "environment", 100, "M4", -1, 64);
    else
        repeat_build_program(&builder, "perl", "perl");
    struct repeat_way way = {.controls = CONTROLS_ALL, .source = source};
    repeat_build_planted(&builder, &way, &(struct repeat_planted){.level = 1e7, .noise = noise});
    way.sweep = SWEEP_ENVIRONMENT;
    for (way.swept = 0; way.swept < 1024; way.swept += 64)
        repeat_build_planted(&builder, &way,
                             &(struct repeat_planted){.level = 1e7 + each * (double)way.swept,
                                                      .noise = noise,
                                                      .runs = 3});
    return repeat_found(&builder, M4);
}

TEST(m4_follows_the_size)
{
    static const struct {
        const char *source;
        bool subject; /* that reads it */
        double each, noise;
        enum finding_verdict verdict;
    } cases[] = {
        {NULL, false, 10, 0, FINDING_HOLDS},
        {NULL, true, 10, 0, FINDING_HOLDS},
        {NULL, false, 10, 100, FINDING_HOLDS},
        {NULL, true, 10, 100, FINDING_HOLDS},
        {NULL, true, 0, 0, FINDING_FAILS},
        {NULL, true, 0, 30000, FINDING_INCONCLUSIVE},
        {NULL, false, 0, 0, FINDING_INCONCLUSIVE},
        /* tools show it, and do not refute it */
        {"qemu", true, 10, 0, FINDING_HOLDS},
        {"qemu", true, 0, 0, FINDING_UNTESTABLE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct finding finding =
            sized(cases[i].source, cases[i].subject, cases[i].each, cases[i].noise);
        assert_verdict(finding, cases[i].verdict);
        assert_true(cases[i].verdict != FINDING_HOLDS || fabs(finding.estimate - .096) < .01);
    }
    WORLD(builder, 1);
    repeat_build_settings(&builder, &(struct repeat_way){0}, &(struct repeat_planted){0}, true);
    assert_verdict(repeat_found(&builder, M4), FINDING_UNTESTABLE);
}

/* --- M11 --- */

static struct finding machines(const char *const *names, const char *const *fingerprints,
                               double other, double noise, const char *source)
{
    AUTO_BUILDER builder;
    repeat_build_start(&builder, 8);
    repeat_build_program(&builder, "static", "./static");
    for (size_t machine = 0; machine < 3 && names[machine]; machine++) {
        repeat_build_machine(&builder, names[machine], fingerprints[machine]);
        struct repeat_planted planted = {.level = 1e7, .noise = noise};
        planted.level += machine == 2 ? other : 0;
        repeat_build_settings(&builder, &(struct repeat_way){.machine = machine, .source = source},
                              &planted, false);
    }
    return repeat_found(&builder, M11);
}

static const char *const three[] = {"cortex-a53 (aarch64)", "cortex-a72 (aarch64)",
                                    "neoverse-n1 (aarch64)"};
static const char *const different[] = {"a", "b", "c"};

TEST(m11_needs_different_machines_of_one_instruction_set_that_count_the_same)
{
    static const char *const same[] = {"a", "a", "a"}, *const one[] = {"epyc (x86_64)", NULL, NULL},
                             *const mixed[] = {"epyc (x86_64)", "cortex-a53 (aarch64)", NULL};
    static const struct {
        const char *const *names, *const *fingerprints;
        double other, noise;
        const char *source;
        enum finding_verdict verdict;
        enum repeat_word says; /* SAYS_IDENTICAL: whatever */
    } cases[] = {
        {three, different, 0, 0, NULL, FINDING_HOLDS, SAYS_PAIRS},
        {three, different, 10, 20, "step", FINDING_HOLDS, SAYS_PAIRS},
        {three, different, 5000, 20, NULL, FINDING_FAILS, SAYS_FARTHEST},
        {three, different, 0, 3000, NULL, FINDING_INCONCLUSIVE, SAYS_IDENTICAL},
        {three, same, 5000, 0, NULL, FINDING_UNTESTABLE, SAYS_SAME_MACHINE},
        {mixed, different, 0, 0, NULL, FINDING_UNTESTABLE, SAYS_FOREIGN},
        {one, different, 0, 0, NULL, FINDING_UNTESTABLE, SAYS_ONE_MACHINE},
        {three, different, 0, 0, "qemu", FINDING_UNTESTABLE, SAYS_IDENTICAL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct finding finding = machines(cases[i].names, cases[i].fingerprints,
                                                cases[i].other, cases[i].noise, cases[i].source);
        assert_verdict(finding, cases[i].verdict);
        if (cases[i].says)
            assert_says(finding.why, cases[i].says);
        assert_true(i || (finding.high < .002 && finding.high > 0));
    }
}

/* A long program of the kit that is made for it, and a short one: 9,000 instructions cannot show
 * 0.002 %, but a difference of one among them can be seen. */
static struct finding long_and_short(uint64_t longer, uint64_t shorter)
{
    AUTO_BUILDER builder;
    repeat_build_start(&builder, 8);
    repeat_build_subject(&builder, "calls", 9, "M11", -1, 64);
    repeat_build_program(&builder, "short", "./short");
    for (size_t machine = 0; machine < 2; machine++) {
        repeat_build_machine(&builder, three[machine], different[machine]);
        for (size_t program = 0; program < 2; program++) {
            const size_t cell = repeat_build_cell(
                &builder, &(struct repeat_way){
                              .machine = machine, .program = program, .controls = CONTROLS_ALL});
            const uint64_t more = program ? shorter : longer;
            repeat_build_same(&builder, cell, (program ? 9000 : 117132) + machine * more, 12);
        }
    }
    return repeat_found(&builder, M11);
}

TEST(m11_takes_a_short_program_for_what_it_can_show)
{
    assert_verdict(long_and_short(0, 0), FINDING_HOLDS);
    assert_verdict(long_and_short(0, 1), FINDING_FAILS);
    assert_verdict(long_and_short(100, 0), FINDING_FAILS);
}

/* Two machines; what the program does on the second may differ. */
struct second {
    uint32_t controls; /* 0: all, as on the first */
    uint64_t status, output, tasks;
    bool subject, truth;
};

static struct finding on_two(const struct second *second, uint64_t count)
{
    AUTO_BUILDER builder;
    repeat_build_start(&builder, 8);
    if (second->subject)
        repeat_build_subject(&builder, "random", 9, "", second->truth ? 1000000 : -1, 64);
    else
        repeat_build_program(&builder, "static", "./static");
    for (size_t machine = 0; machine < 2; machine++) {
        repeat_build_machine(&builder, three[machine], different[machine]);
        struct repeat_way way = {.machine = machine, .controls = CONTROLS_ALL};
        if (machine && second->controls)
            way.controls = second->controls;
        const size_t cell = repeat_build_cell(&builder, &way);
        repeat_build_same(&builder, cell, machine ? count : 1000000, 12);
        for (size_t run = 0; machine && run < 12; run++) {
            struct repeat_run *made = &builder.file.cells[cell].list[run];
            made->status = second->status;
            made->output_sum += second->output;
            made->tasks += second->tasks;
        }
    }
    return repeat_found(&builder, M11);
}

TEST(m11_compares_what_did_the_same_under_the_same_controls)
{
    assert_verdict(on_two(&(struct second){0}, 1000000), FINDING_HOLDS);
    struct finding finding = on_two(&(struct second){0}, 1000100);
    assert_verdict(finding, FINDING_FAILS);
    assert_says(finding.why, SAYS_BY_NAME);
    static const struct second others[] = {{.controls = CONTROLS_ALL & ~CONTROL_BIT(CONTROL_ASLR)},
                                           {.status = 1},
                                           {.output = 1},
                                           {.tasks = 2},
                                           {.subject = true}};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_verdict(on_two(&others[i], 1000100), FINDING_UNTESTABLE);
    assert_verdict(on_two(&(struct second){.subject = true, .truth = true}, 1000100),
                   FINDING_FAILS);
}

/* --- ranking --- */

TEST(events_stand_by_agreement_with_the_truth)
{
    MACHINE(builder, 1);
    repeat_build_subject(&builder, "loop", 100, "", 1000, 64);
    repeat_build_program(&builder, "perl", "perl");
    const struct repeat_way hardware = {.events = {"r1", "r2", "r3", "cycles"},
                                        .classes = {NULL, NULL, NULL, "cycles"}};
    static const uint64_t first[] = {1100, 1001, 1000, 5}, second[] = {2200, 2000, 2000, 5};
    for (size_t program = 0; program < 2; program++) {
        struct repeat_way way = hardware;
        way.program = program;
        size_t cell = repeat_build_cell(&builder, &way);
        for (size_t run = 0; run < 3; run++)
            repeat_build_run(&builder, cell, program ? second : first);
    }
    size_t step = repeat_build_cell(&builder, &(struct repeat_way){.program = 1, .source = "step"});
    repeat_build_same(&builder, step, 2000, 3);
    struct repeat_report report = repeat_judged(&builder);
    assert_int_equal(report.rank_count, 3);
    static const char *const order[] = {"r3", "r2", "r1"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(report.ranks[i].event, order[i]);
        assert_int_equal(report.ranks[i].place, i + 1);
        assert_int_equal(report.ranks[i].programs, 2);
    }
    assert_true(fabs(report.ranks[1].off_percent - .05) < 1e-9);
    assert_true(fabs(report.ranks[2].off_percent - 10) < 1e-9);
}

/* --- hostile cases --- */

TEST(nonsense_is_judged_without_harm)
{
    static const uint64_t counts[] = {0, UINT64_MAX, 1, UINT64_MAX - 1};
    for (uint32_t seed = 0; seed <= repeat_seeds(60); seed++) {
        AUTO_BUILDER builder;
        repeat_build_start(&builder, seed);
        for (size_t i = 0; i < 2 && seed; i++) {
            repeat_build_machine(&builder, "", i ? "" : "x");
            repeat_build_subject(&builder, "", 0, "M1 M3 M4 M9 M11", (int64_t)i * INT64_MAX, 0);
        }
        for (size_t i = 0; i < 24 && seed; i++) {
            const struct repeat_way way = {
                .machine = random_below(&builder.random, 2),
                .program = random_below(&builder.random, 2),
                .source = i % 3 ? NULL : "step",
                .controls = (uint32_t)random_below(&builder.random, CONTROLS_ALL + 1u),
                .sweep = (enum command_sweep)random_below(&builder.random, SWEEP_COUNT),
                .swept = random_below(&builder.random, 2) * UINT64_MAX,
                .detail = (enum command_detail)random_below(&builder.random, DETAIL_COUNT),
                .raw = i % 2};
            size_t cell = repeat_build_cell(&builder, &way);
            for (uint64_t runs = random_below(&builder.random, 6); runs; runs--) {
                uint64_t row[] = {counts[random_below(&builder.random, 4)],
                                  counts[random_below(&builder.random, 4)]};
                struct repeat_run *run = repeat_build_run(&builder, cell, row);
                run->has_interrupts = true;
                run->interrupts = counts[random_below(&builder.random, 4)];
                run->account.minor_faults = counts[random_below(&builder.random, 4)];
                run->tasks = counts[random_below(&builder.random, 4)];
                builder.file.cells[cell].scheduled[0] = (double)NAN;
                if (way.detail == DETAIL_CALLS)
                    repeat_build_call(&builder, cell, (uint32_t)row[0], "", "", (int64_t)row[1], 1,
                                      1);
            }
            if (way.detail == DETAIL_CODE)
                repeat_build_function(&builder, cell, "", "", counts[i % 4], counts[i % 3]);
        }
        repeat_found(&builder, M11);
    }
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings that programs of the kit decide: each holds on a machine that does what the paper says,
 * does not on one that does the opposite, and says so where nothing can be told. */
#include "repeat-builder.h"

/* A cell of the program by this source, with these counts in turn over its runs. */
static size_t counted(struct repeat_builder *builder, size_t program, const char *source,
                      uint64_t count, double noise)
{
    const struct repeat_way way = {.program = program, .source = source, .controls = CONTROLS_ALL};
    const size_t cell = repeat_build_cell(builder, &way);
    for (int run = 0; run < 7; run++) {
        const double value = (double)count + noise * repeat_built_normal(builder);
        repeat_build_run(builder, cell, &(uint64_t){(uint64_t)llround(value)});
    }
    return cell;
}

static size_t subject(struct repeat_builder *builder, const char *name, const char *shows)
{
    return repeat_build_subject(builder, name, 10, shows, -1, 64);
}

/* Nothing measured; or nothing by a counter of the CPU, and the reason is the machine. */
TEST(what_nobody_measured_is_not_testable_with_a_reason)
{
    static const size_t all[] = {M2, M6, M7, M5, M8, M9, M10};
    for (size_t i = 0; i < 7 + 3; i++) {
        MACHINE(builder, 1);
        if (i >= 7) {
            repeat_build_absence(&builder, "instructions:u", "this machine has no PMU", 2);
            counted(&builder, subject(&builder, "loop", "M10"), "step", 1000, 0);
        }
        const struct finding finding = repeat_found(&builder, all[i % 7]);
        assert_verdict(finding, FINDING_UNTESTABLE);
        assert_false(finding.has_estimate);
        if (i >= 7)
            assert_says(finding.why, SAYS_NEEDS_COUNTER);
    }
}

/* --- M2, M6, M7: the counter has too many --- */

struct counter {
    double opcode, fault, interrupt, noise;
};

static void count(struct repeat_builder *builder, const struct counter *counter, size_t program,
                  double length, uint64_t faults, uint64_t opcodes, double interrupts)
{
    const struct repeat_way way = {.program = program, .controls = CONTROLS_ALL};
    const size_t cell = repeat_build_cell(builder, &way);
    for (int run = 0; run < 12; run++) {
        const double ticks = round(fabs(interrupts * (1 + repeat_built_normal(builder) / 5)));
        const double value = length + counter->opcode * (double)opcodes +
                             counter->fault * (double)faults + counter->interrupt * ticks +
                             counter->noise * repeat_built_normal(builder);
        struct repeat_run *made =
            repeat_build_run(builder, cell, &(uint64_t){(uint64_t)llround(value)});
        made->account.minor_faults = faults;
        made->has_interrupts = true;
        made->interrupts = (uint64_t)ticks;
    }
}

static struct finding counting(const struct counter *counter, size_t index)
{
    MACHINE(builder, 1);
    const size_t opcodes = repeat_build_subject(&builder, "fldcw", 20000, "M2", 60185, 64);
    count(&builder, counter, opcodes, 60185, 20, 20000, 0);
    const size_t faults = repeat_build_subject(&builder, "faults", 2000, "M6", 8205, 64);
    count(&builder, counter, faults, 8205, 2020, 0, 1);
    const size_t spin = repeat_build_subject(&builder, "spin", 1000, "M7", 600000184, 64);
    count(&builder, counter, spin, 600000184, 20, 0, 100);
    return repeat_found(&builder, index);
}

/* One count for each, and neither none nor two; noise leaves it open. */
TEST(what_an_opcode_a_fault_or_an_interrupt_adds_is_seen)
{
    static const struct {
        size_t which;
        struct counter counter;
        enum finding_verdict verdict;
        double estimate; /* NAN: any */
    } cases[] = {
        {M2, {.opcode = 1, .fault = 1}, FINDING_HOLDS, 1},
        {M2, {.fault = 1, .interrupt = 1}, FINDING_FAILS, 0},
        {M2, {.noise = 30000}, FINDING_INCONCLUSIVE, NAN},
        {M6, {.fault = 1, .interrupt = 3}, FINDING_HOLDS, 1},
        {M6, {.interrupt = 3}, FINDING_FAILS, 0},
        {M6, {.fault = 2}, FINDING_FAILS, 2},
        {M6, {.fault = 1, .noise = 5000}, FINDING_INCONCLUSIVE, NAN},
        {M7, {.interrupt = 1}, FINDING_HOLDS, 1},
        {M7, {.fault = 1}, FINDING_FAILS, NAN},
        {M7, {.noise = 300}, FINDING_INCONCLUSIVE, NAN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct finding found = counting(&cases[i].counter, cases[i].which);
        assert_verdict(found, cases[i].verdict);
        assert_true(isnan(cases[i].estimate) || fabs(found.estimate - cases[i].estimate) < 0.01);
    }
}

/* --- M5 --- */

static void build_layout(struct repeat_builder *builder, const char *source, double other,
                         double noise)
{
    const size_t program = repeat_build_subject(builder, "stack32", 5, "M5", -1, 32);
    struct repeat_way way = {.program = program, .source = source};
    for (int with = 0; with < 2; with++) {
        way.controls = with ? CONTROLS_ALL : CONTROLS_ALL & ~CONTROL_BIT(CONTROL_LAYOUT);
        const size_t cell = repeat_build_cell(builder, &way);
        for (int run = 0; run < 7; run++) {
            const double value = (with ? 30000 : other) + noise * repeat_built_normal(builder);
            repeat_build_run(builder, cell, &(uint64_t){(uint64_t)llround(value)});
        }
    }
}

static struct finding placed(const char *source, double other, double noise)
{
    MACHINE(builder, 1);
    build_layout(&builder, source, other, noise);
    return repeat_found(&builder, M5);
}

TEST(another_layout_that_changes_a_32_bit_program_is_seen)
{
    const struct finding moved = placed("step", 30300, 0);
    assert_verdict(moved, FINDING_HOLDS);
    assert_true(fabs(moved.estimate - 1) < 0.01);
    const struct finding same = placed("step", 30000, 0);
    assert_verdict(same, FINDING_FAILS);
    assert_true(same.low <= 0 && same.high >= 0);
    assert_verdict(placed("step", 30000, 2000), FINDING_INCONCLUSIVE);
    /* a tool places the stack where it likes: its counts say nothing */
    assert_verdict(placed("qemu", 30300, 0), FINDING_UNTESTABLE);
}

static struct finding lowered(bool moves, double noise, int bits)
{
    MACHINE(builder, 1);
    const size_t program = repeat_build_subject(&builder, "stack32", 5, "M5", -1, bits);
    for (uint64_t point = 0; point < 16; point++) {
        const struct repeat_way way = {.program = program,
                                       .source = "step",
                                       .controls = CONTROLS_ALL,
                                       .sweep = SWEEP_STACK,
                                       .swept = 16 * point};
        const size_t cell = repeat_build_cell(&builder, &way);
        for (int run = 0; run < 3; run++) {
            const double place = moves ? 70.0 * (double)(point * 7 % 5) : 0;
            const double value = 30000 + place + noise * repeat_built_normal(&builder);
            repeat_build_run(&builder, cell, &(uint64_t){(uint64_t)llround(value)});
        }
    }
    return repeat_found(&builder, M5);
}

TEST(a_stack_that_begins_lower_decides_as_well)
{
    const struct finding moved = lowered(true, 0, 32);
    assert_verdict(moved, FINDING_HOLDS);
    assert_true(fabs(moved.estimate - 100 * 280.0 / 30000) < 0.01);
    assert_verdict(lowered(false, 0, 32), FINDING_FAILS);
    assert_verdict(lowered(false, 3000, 32), FINDING_INCONCLUSIVE);
    const struct finding wide = lowered(true, 0, 64);
    assert_says(wide.why, SAYS_WIDE_TOO);
}

/* --- M8 --- */

static void build_raw(struct repeat_builder *builder, size_t program, const char *tool,
                      uint64_t once, uint64_t raw)
{
    const struct repeat_way way = {
        .program = program, .source = tool, .controls = CONTROLS_ALL, .raw = true};
    const size_t cell = repeat_build_cell(builder, &way);
    for (int run = 0; run < 7; run++)
        repeat_build_run(builder, cell, (uint64_t[]){once, raw});
}

TEST(tools_that_count_repetitions_are_seen)
{
    static const struct {
        uint64_t valgrind, qemu; /* of 5184; 0: it did not count */
        uint64_t real;           /* of a million, by valgrind */
        enum finding_verdict verdict;
        double estimate;          /* of a real program, not of the one made; 0: any */
        enum repeat_word says[2]; /* SAYS_IDENTICAL: no more */
    } cases[] = {
        {69184, 68184, 1157000, FINDING_HOLDS, 15.7, {SAYS_REPETITIONS, SAYS_TOO_MANY}},
        {5184, 5184, 0, FINDING_FAILS, 0, {SAYS_REPETITIONS}},
        {69184, 5184, 0, FINDING_INCONCLUSIVE, 0, {SAYS_NOT_EVERY_TOOL}},
        {0, 0, 1000000, FINDING_INCONCLUSIVE, 0, {SAYS_NO_STRINGS}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        MACHINE(builder, 1);
        const size_t made = repeat_build_subject(&builder, "repeat-string", 500, "M8", 5184, 64);
        const size_t real = repeat_build_program(&builder, "cc1", "cc1");
        if (cases[i].valgrind)
            build_raw(&builder, made, "valgrind", 5184, cases[i].valgrind);
        if (cases[i].qemu)
            build_raw(&builder, made, "qemu", 5184, cases[i].qemu);
        if (cases[i].real)
            build_raw(&builder, real, "valgrind", 1000000, cases[i].real);
        const struct finding found = repeat_found(&builder, M8);
        assert_verdict(found, cases[i].verdict);
        for (size_t j = 0; j < 2 && cases[i].says[j]; j++)
            assert_says(found.why, cases[i].says[j]);
        if (cases[i].estimate > 0)
            assert_true(fabs(found.estimate - cases[i].estimate) < 0.01);
    }
}

/* How much a program varies from run to run says nothing about what a tool adds to each. */
TEST(repetitions_are_seen_in_a_program_that_varies)
{
    MACHINE(builder, 1);
    const size_t real = repeat_build_program(&builder, "shuf", "shuf");
    const size_t other = repeat_build_program(&builder, "true", "true");
    for (uint32_t setting = 0; setting < 3; setting++) {
        const struct repeat_way way = {
            .program = real, .source = "qemu", .controls = setting, .raw = true};
        const size_t cell = repeat_build_cell(&builder, &way);
        for (int run = 0; run < 7; run++) {
            const uint64_t once = (uint64_t)llround(1e5 + 5000 * repeat_built_normal(&builder));
            repeat_build_run(&builder, cell, (uint64_t[]){once, once + 400});
        }
        build_raw(&builder, other, "qemu", 100000, 100100);
    }
    const struct finding found = repeat_found(&builder, M8);
    assert_verdict(found, FINDING_HOLDS);
    assert_true(found.estimate > .3 && found.estimate < .5 && found.low > .3);
    assert_says(found.why, SAYS_TOO_MANY);
}

/* --- M9 --- */

/* What a tool makes of three programs; 0: it was not tried, 1: it did not end. */
struct rounding {
    uint64_t x87, sse, endless;
};

static void build_rounding(struct repeat_builder *builder, const char *name, uint64_t here,
                           uint64_t there)
{
    const size_t program = subject(builder, name, "M9");
    counted(builder, program, "step", here, 0);
    if (!there)
        return;
    const size_t cell = counted(builder, program, "valgrind", there, 0);
    struct repeat_cell *made = &builder->file.cells[cell];
    for (size_t run = 0; there == 1 && run < made->runs; run++, made->timed_out++)
        made->list[run].status = STATUS_TIMEOUT + 9;
}

static struct finding rounded(const struct rounding *rounding)
{
    MACHINE(builder, 1);
    build_rounding(&builder, "rounding-x87", 16484, rounding->x87);
    build_rounding(&builder, "rounding-sse", 13585, rounding->sse);
    build_rounding(&builder, "rounding-endless", 24398, rounding->endless);
    return repeat_found(&builder, M9);
}

TEST(a_tool_that_rounds_otherwise_is_seen)
{
    static const struct {
        struct rounding rounding;
        enum finding_verdict verdict;
        enum repeat_word says; /* SAYS_IDENTICAL: whatever */
    } cases[] = {
        {{13734, 13585, 0}, FINDING_HOLDS, SAYS_IDENTICAL},
        {{13734, 13585, 1}, FINDING_HOLDS, SAYS_ENDLESS},
        {{16484, 13585, 1}, FINDING_HOLDS, SAYS_ENDLESS},
        {{16484, 13585, 24398}, FINDING_FAILS, SAYS_IDENTICAL},
        {{13734, 13000, 0}, FINDING_INCONCLUSIVE, SAYS_NOT_WIDTH},
        {{13734, 0, 0}, FINDING_INCONCLUSIVE, SAYS_IDENTICAL},
        {{0, 13585, 0}, FINDING_UNTESTABLE, SAYS_IDENTICAL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct finding found = rounded(&cases[i].rounding);
        assert_verdict(found, cases[i].verdict);
        assert_true(i || fabs(found.estimate + 16.7) < 0.1);
        if (cases[i].says)
            assert_says(found.why, cases[i].says);
    }
}

TEST(what_never_ends_on_the_cpu_either_shows_nothing)
{
    for (int ends = 0; ends < 2; ends++) {
        MACHINE(builder, 1);
        const size_t program = subject(&builder, "rounding-endless", "M9");
        const struct repeat_way way = {.program = program,
                                       .controls = CONTROLS_ALL,
                                       .events = {"page-faults"},
                                       .classes = {"page-faults"}};
        const size_t here = repeat_build_cell(&builder, &way);
        repeat_build_same(&builder, here, 1, 7); /* counted by nobody, but executed */
        const size_t there = counted(&builder, program, "valgrind", 900000000, 0);
        builder.file.cells[there].timed_out = 7;
        if (!ends)
            builder.file.cells[here].timed_out = 7;
        assert_verdict(repeat_found(&builder, M9), ends ? FINDING_HOLDS : FINDING_UNTESTABLE);
    }
}

/* --- M10 --- */

/* Runs on the CPU that lie to both sides of 38138 by this, a tool that counts so many, and by both
 * a program that hashes nothing; loop 0: the tool did not count that. */
static struct finding hashed(uint64_t to_both_sides, uint64_t there, uint64_t loop)
{
    MACHINE(builder, 1);
    const size_t program = subject(&builder, "address-hash", "M3 M10");
    const struct repeat_way way = {.program = program, .source = "step", .controls = CONTROLS_ALL};
    const size_t cell = repeat_build_cell(&builder, &way);
    for (uint64_t run = 0; run < 8; run++)
        repeat_build_run(&builder, cell,
                         &(uint64_t){38138 + to_both_sides - 2 * to_both_sides * (run % 2)});
    counted(&builder, program, "valgrind", there, 0);
    const size_t plain = subject(&builder, "loop", "M10");
    counted(&builder, plain, "step", 40184, 0);
    if (loop)
        counted(&builder, plain, "valgrind", loop, 0);
    return repeat_found(&builder, M10);
}

/* A difference that may be there to either side leaves it open. */
TEST(a_tool_that_places_memory_elsewhere_is_seen)
{
    static const struct {
        uint64_t to_both_sides, there, loop;
        enum finding_verdict verdict;
    } cases[] = {
        {0, 39000, 40184, FINDING_HOLDS},
        {0, 38138, 40184, FINDING_FAILS},
        {5000, 38138, 40184, FINDING_INCONCLUSIVE},
        {0, 39000, 41000, FINDING_INCONCLUSIVE},
        {0, 39000, 0, FINDING_INCONCLUSIVE},
        {600, 38138 + 300, 40184, FINDING_INCONCLUSIVE},
        {600, 38138 - 300, 40184, FINDING_INCONCLUSIVE},
        {100, 38138 + 50, 40184, FINDING_FAILS},
        {100, 38138 - 50, 40184, FINDING_FAILS},
        {100, 38138 - 500, 40184, FINDING_HOLDS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct finding found = hashed(cases[i].to_both_sides, cases[i].there, cases[i].loop);
        assert_verdict(found, cases[i].verdict);
        assert_true(i || fabs(found.estimate - 2.26) < 0.01);
    }
}

TEST(what_was_controlled_otherwise_is_not_compared)
{
    MACHINE(builder, 1);
    const size_t program = subject(&builder, "address-hash", "M3 M10");
    counted(&builder, program, "valgrind", 39000, 0);
    const struct repeat_way loose = {.program = program, .source = "step"};
    repeat_build_same(&builder, repeat_build_cell(&builder, &loose), 38138, 7);
    assert_verdict(repeat_found(&builder, M10), FINDING_UNTESTABLE);
}

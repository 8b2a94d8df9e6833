/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sources against each other: raw, aligned, and reasons that add up to the difference. */
#include "repeat-builder.h"

static size_t counted(struct repeat_builder *builder, const char *source, uint64_t aligned,
                      uint64_t repetitions)
{
    const struct repeat_way way = {.source = source, .controls = CONTROLS_ALL, .raw = true};
    const size_t cell = repeat_build_cell(builder, &way);
    for (size_t i = 0; i < 12; i++)
        repeat_build_run(builder, cell, (const uint64_t[]){aligned, aligned + repetitions});
    return cell;
}

static size_t executed(struct repeat_builder *builder, const char *source)
{
    return repeat_build_cell(
        builder,
        &(struct repeat_way){.source = source, .controls = CONTROLS_ALL, .detail = DETAIL_CODE});
}

static void assert_adds_up(const struct repeat_alignment *alignment)
{
    double sum = 0, unknown = 0;
    for (size_t i = 0; i < alignment->reason_count; i++) {
        sum += alignment->reasons[i].instructions;
        assert_true(alignment->reasons[i].evidence.count);
        assert_true(i == 0 || fabs(alignment->reasons[i].instructions) <=
                                  fabs(alignment->reasons[i - 1].instructions));
        if (alignment->reasons[i].what == WHY_UNKNOWN)
            unknown = alignment->reasons[i].instructions;
    }
    assert_true(!(fabs(sum - alignment->difference) > 0));
    assert_true(!(fabs(unknown - alignment->unexplained) > 0));
}

static double reason(const struct repeat_alignment *alignment, enum align_why what)
{
    for (size_t i = 0; i < alignment->reason_count; i++)
        if (alignment->reasons[i].what == what)
            return alignment->reasons[i].instructions;
    return 0;
}

#define assert_number(value, wanted)                                                               \
    do {                                                                                           \
        if (fabs((value) - (wanted)) > 0)                                                          \
            fail_msg("%s is %g, not %g", #value, (double)(value), (double)(wanted));               \
    } while (0)

TEST(sources_that_agree_are_the_same_after_alignment)
{
    WORLD(builder, 1);
    counted(&builder, "step", 5000, 0);
    counted(&builder, "qemu", 5000, 700);
    counted(&builder, "valgrind", 5000, 0);
    struct repeat_report report = repeat_judged(&builder);
    assert_int_equal(report.alignment_count, 2);
    assert_string_equal(report.alignments[0].source, "qemu");
    assert_string_equal(report.alignments[0].against, "step");
    assert_number(report.alignments[0].raw, 5700);
    assert_number(report.alignments[0].repetitions, 700);
    assert_number(report.alignments[0].aligned, 5000);
    for (size_t i = 0; i < 2; i++) {
        assert_true(report.alignments[i].same);
        assert_number(report.alignments[i].difference, 0);
        assert_int_equal(report.alignments[i].reason_count, 0);
    }
}

TEST(one_run_that_counts_otherwise_is_not_the_same)
{
    WORLD(builder, 1);
    counted(&builder, "step", 5000, 0);
    size_t cell = counted(&builder, "qemu", 5000, 0);
    repeat_build_run(&builder, cell, (const uint64_t[]){5001, 5001});
    struct repeat_report report = repeat_judged(&builder);
    assert_false(report.alignments[0].same);
    assert_number(report.alignments[0].difference, 0);
}

TEST(subjects_are_held_against_their_truth)
{
    MACHINE(builder, 1);
    repeat_build_subject(&builder, "loop", 100, "M8", 5000, 64);
    counted(&builder, "step", 5000, 0);
    counted(&builder, "qemu", 5003, 0);
    struct repeat_report report = repeat_judged(&builder);
    assert_int_equal(report.alignment_count, 2);
    assert_string_equal(report.alignments[0].against, "truth");
    assert_true(report.alignments[0].same);
    assert_false(report.alignments[1].same);
    assert_number(report.alignments[1].difference, 3);
    assert_number(report.alignments[1].unexplained, 3);
    assert_says(report.alignments[1].reasons[0].evidence, SAYS_UNRECORDED);
    assert_adds_up(&report.alignments[1]);
}

/* --- reasons, by functions --- */

struct function {
    const char *object, *name;
    uint64_t step, tool;  /* 0: it does not execute it */
    uint64_t repetitions; /* of the stepped one */
};
static const struct scenario {
    const char *shows;          /* by a subject; NULL: by perl */
    uint64_t more, repetitions; /* that the tool counts beyond its functions, and step's */
    double reasons[WHY_COUNT];  /* all that there are; unknown is what is unexplained */
    struct function functions[13];
} scenarios[] = {
    /* What glibc does in fact, made small. */
    {NULL,
     5,
     0,
     {[WHY_CPUID] = 60 - 8 - 150,
      [WHY_VDSO] = 5 - 90,
      [WHY_ENVIRONMENT] = 12 + 400 + 7 - 300,
      [WHY_UNKNOWN] = 9 + 5},
     {{"/usr/bin/perl", "main", 1000, 1000},
      {"/lib/libc.so.6", "__memcpy_evex_unaligned_erms", 400, 0},
      {"/lib/libc.so.6", "__memcpy_avx_unaligned_erms", 0, 460},
      {"/lib/libc.so.6", "memcpy", 30, 22},
      {"/lib/ld-linux-x86-64.so.2", "init_cpu_features.constprop.0", 800, 650},
      {"[vdso]", "__vdso_clock_gettime", 90, 0},
      {"/lib/libc.so.6", "clock_gettime@@GLIBC_2.17", 20, 25},
      {"/usr/libexec/valgrind/vgpreload_core-amd64-linux.so", "_init", 0, 12},
      {"/lib/ld-linux-x86-64.so.2", "_dl_map_object_from_fd", 500, 900},
      {"/lib/libc.so.6", "_int_malloc", 300, 307},
      {"/lib/libc.so.6", "__strlen_avx2", 300, 0},
      {"/usr/bin/perl", "Perl_yylex", 300, 309},
      {"/usr/bin/perl", "", 10, 10}}},
    /* What serves others is bounded by what it serves. */
    {NULL,
     0,
     0,
     {[WHY_VDSO] = -100, [WHY_UNKNOWN] = -10000},
     {{"a", "do_lookup_x", 100, 0}, {"a", "__memcpy_avx2", 50000, 40000}}},
    /* What hashes addresses differs by them. */
    {"M3 M10", 0, 0, {[WHY_ADDRESSES] = 30}, {{"a", "insert", 100, 130}}},
    /* Repetitions that one side counts. */
    {NULL, 0, 900, {[WHY_REPEATED] = 900}, {{"/bin/a", "copy", 100, 1000, 900}}},
};

static void build_function(struct repeat_builder *builder, size_t cell, const char *folder,
                           const struct function *function, uint64_t count, uint64_t repetitions)
{
    char object[96]; /* wherever it lies */
    snprintf(object, sizeof(object), "%s%s", *function->object == '/' ? folder : "",
             function->object);
    if (count)
        repeat_build_function(builder, cell, object, function->name, count, repetitions);
}

TEST(reasons_are_named_by_functions)
{
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
        const struct scenario *scenario = &scenarios[i];
        uint64_t totals[2] = {0, 0};
        MACHINE(builder, 1);
        if (scenario->shows)
            repeat_build_subject(&builder, "address-hash", 100, scenario->shows, -1, 64);
        else
            repeat_build_program(&builder, "perl", "perl");
        const size_t step = executed(&builder, "step"), tool = executed(&builder, "qemu");
        for (const struct function *at = scenario->functions;
             at < scenario->functions + 13 && at->name; at++) {
            build_function(&builder, step, "", at, at->step, at->repetitions);
            build_function(&builder, tool, "/other", at, at->tool, 0);
            totals[0] += at->step;
            totals[1] += at->tool;
        }
        counted(&builder, "step", totals[0], scenario->repetitions);
        counted(&builder, "qemu", totals[1] + scenario->more, 0);
        const struct repeat_report report = repeat_judged(&builder);
        assert_int_equal(report.alignment_count, 1);
        assert_adds_up(&report.alignments[0]);
        for (int why = 0; why < WHY_COUNT; why++)
            assert_number(reason(&report.alignments[0], (enum align_why)why),
                          scenario->reasons[why]);
    }
}

TEST(a_miscount_is_not_explained_away)
{
    WORLD(builder, 1);
    size_t step = executed(&builder, "step"), tool = executed(&builder, "qemu");
    for (uint64_t i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof(name), "work_%u", (unsigned)i);
        repeat_build_function(&builder, step, "/bin/a", name, 100 + i, 0);
        repeat_build_function(&builder, tool, "/bin/a", name, 101 + i, 0);
    }
    counted(&builder, "step", 2190, 0);
    counted(&builder, "qemu", 2210, 0);
    struct repeat_report report = repeat_judged(&builder);
    assert_adds_up(&report.alignments[0]);
    assert_number(report.alignments[0].unexplained, 20);
    assert_number(repeat_number_of(&report.alignments[0].reasons[0].evidence, SAYS_FUNCTIONS, 0),
                  16);
}

TEST(random_functions_always_add_up)
{
    static const char *const names[] = {"main",           "__strlen_avx2", "strlen", "_dl_start",
                                        "malloc",         "time",          "",       "getenv",
                                        "init_cacheinfo", "S_hash",        "work"};
    for (uint32_t seed = 1; seed <= repeat_seeds(100); seed++) {
        WORLD(builder, seed);
        uint64_t totals[2] = {0, 0};
        static const char *const sources[] = {"step", "qemu"};
        for (size_t side = 0; side < 2; side++) {
            size_t cell = executed(&builder, sources[side]);
            for (size_t i = 0; i < 30; i++) {
                const uint64_t count = random_below(&builder.random, 100000);
                repeat_build_function(&builder, cell, "/bin/a",
                                      names[random_below(&builder.random, 11)], count,
                                      random_below(&builder.random, 9));
                totals[side] += count;
            }
        }
        for (size_t side = 0; side < 2; side++)
            counted(&builder, sources[side], totals[side] + random_below(&builder.random, 3), 0);
        struct repeat_report report = repeat_judged(&builder);
        assert_int_equal(report.alignment_count, 1);
        assert_adds_up(&report.alignments[0]);
    }
}

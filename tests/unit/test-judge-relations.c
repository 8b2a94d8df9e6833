/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What shows only across events, types of cores and paths. */
#include <errno.h>

#include "case.h"
#include "judging.h"
#include "studies/validate/judge.h"

static void add(struct case_builder *builder, const char *event, const char *kind,
                const char *class, built_lie *lie, double by)
{
    struct evidence *evidence = build_event(builder, event, kind, class);
    build_all(builder, evidence, &plain);
    if (lie)
        build_lie(evidence, lie, &by);
}

TEST(the_mode_is_read_from_the_name)
{
    static const struct {
        const char *event;
        size_t base;
        const char *mode;
    } names[] = {
        {"context-switches", 16, ""},   {"context-switches:u", 16, "u"},
        {"cpu/event=0xc0/", 15, ""},    {"cpu/event=0xc0/u", 15, "u"},
        {"syscalls:sys_enter", 18, ""}, {"syscalls:sys_enter:k", 18, "k"},
        {"mem:target:x", 12, ""},       {"mem:target:x:u", 12, "u"},
        {"instructions:uk", 12, "uk"},  {"", 0, ""},
        {"instructions:", 13, ""},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *mode;
        assert_int_equal(event_base(names[i].event, &mode), names[i].base);
        assert_string_equal(mode, names[i].mode);
    }
}

TEST(zero_in_a_mode_that_does_not_apply_is_called_so)
{
    builder_start(&built, 1);
    add(&built, "context-switches:u", "software", "context-switches", zeros, 0);
    add(&built, "context-switches", "software", "context-switches", NULL, 0);
    add(&built, "context-switches-too:u", "software", "context-switches", zeros, 0);
    const struct judgement *all = judged();
    assert_came(all, VERDICT_DEAD, CAUSE_MODE_NOT_APPLICABLE);
    assert_text(all, OTHER_MODE, 0, "user mode");
    assert_text(all, OTHER_MODE, 1, "context-switches");
    assert_int_equal(all->rows[0].cause, CAUSE_MODE_NOT_APPLICABLE);
    assert_verdict(&all[1], VERDICT_EXACT);
    assert_cause(&all[2], CAUSE_UNKNOWN); /* a name that only begins alike */
}

TEST(zero_in_every_mode_has_another_cause)
{
    for (int virtualized = 0; virtualized < 2; virtualized++) {
        builder_start(&built, 1);
        built.file.virtualized = virtualized;
        add(&built, "instructions:u", "hardware", "instructions", zeros, 0);
        add(&built, "instructions:k", "hardware", "instructions", zeros, 0);
        add(&built, "page-faults:u", "software", "page-faults", zeros, 0);
        const struct judgement *all = judged();
        assert_cause(all, virtualized ? CAUSE_VIRTUALIZED : CAUSE_UNKNOWN);
        assert_cause(&all[1], virtualized ? CAUSE_VIRTUALIZED : CAUSE_UNKNOWN);
        assert_cause(&all[2], CAUSE_UNKNOWN); /* no hypervisor counts faults for us */
    }
}

TEST(a_hypervisor_is_blamed_when_no_hardware_event_opens)
{
    builder_start(&built, 1);
    built.file.virtualized = true;
    build_refused(&built, "cycles:u", "hardware", "cycles", ENOENT, "no PMU");
    build_refused(&built, "cycles:k", "hardware", "cycles", EACCES, "paranoid");
    const struct judgement *all = judged();
    assert_cause(all, CAUSE_VIRTUALIZED);
    assert_cause(&all[1], CAUSE_PERMISSION);
    add(&built, "instructions:u", "hardware", "instructions", NULL, 0);
    all = judged();
    assert_cause(all, CAUSE_NONE); /* a PMU is there: it lacks this event */
}

TEST(a_mode_that_filters_nothing_is_told)
{
    builder_start(&built, 1);
    add(&built, "s:getppid:u", "tracepoint", "syscalls", NULL, 0);
    struct evidence *shorter = build_event(&built, "s:getppid:k", "tracepoint", "syscalls");
    build_all(&built, shorter, &(struct built_way){.most_n = 100}); /* another top */
    add(&built, "s:getppid", "tracepoint", "syscalls", NULL, 0);
    const struct judgement *all = judged();
    for (size_t i = 0; i < 3; i++)
        assert_verdict(&all[i], VERDICT_EXACT);
    assert_cause(all, CAUSE_MODE_NOT_APPLICABLE);
    assert_cause(&all[1], CAUSE_MODE_NOT_APPLICABLE);
    assert_said(all, NO_FILTER);
    assert_cause(&all[2], CAUSE_NONE);
    /* A mode that does filter is not blamed. */
    build_lie(&built.file.events[1], zeros, NULL);
    all = judged();
    assert_cause(all, CAUSE_NONE);
}

/* Without kernel mode: all hits of a tracepoint lie there, those of a page fault need not. */
TEST(a_tracepoint_that_ignores_user_mode_is_told_by_its_plain_name)
{
    builder_start(&built, 1);
    add(&built, "s:getppid", "tracepoint", "syscalls", NULL, 0);
    add(&built, "s:getppid:u", "tracepoint", "syscalls", NULL, 0);
    add(&built, "page-faults", "software", "page-faults", NULL, 0);
    add(&built, "page-faults:u", "software", "page-faults", NULL, 0);
    const struct judgement *all = judged();
    assert_cause(all, CAUSE_NONE);
    assert_cause(&all[1], CAUSE_MODE_NOT_APPLICABLE);
    assert_text(&all[1], NO_FILTER_IN_KERNEL, 0, "s:getppid");
    assert_true(all[1].usual > 0 && all[1].usual < all[1].why.count);
    assert_cause(&all[3], CAUSE_NONE);
    assert_int_equal(all[3].usual, all[3].why.count);
    build_lie(&built.file.events[1], zeros, NULL);
    all = judged();
    assert_verdict(&all[1], VERDICT_DEAD);
    assert_not_said(&all[1], NO_FILTER_IN_KERNEL);
}

TEST(a_zero_whose_plain_name_is_refused_says_so)
{
    builder_start(&built, 1);
    build_refused(&built, "context-switches", "software", "page-faults", EACCES, "paranoid");
    add(&built, "context-switches:u", "software", "page-faults", zeros, 0);
    const struct judgement *all = judged();
    assert_came(&all[1], VERDICT_DEAD, CAUSE_UNKNOWN);
    assert_text(&all[1], MODE_REFUSED, 0, "context-switches");
}

TEST(a_pmu_that_is_no_cores_is_not_the_hypervisors)
{
    builder_start(&built, 1);
    built.file.virtualized = true;
    build_refused(&built, "msr/tsc/u", "pmu", "ticks", EINVAL, "no modes");
    build_refused(&built, "cycles:u", "hardware", "cycles", ENOENT, "no PMU");
    const struct judgement *all = judged();
    assert_cause(all, CAUSE_NONE);
    assert_cause(&all[1], CAUSE_VIRTUALIZED);
}

TEST(cores_of_one_type_that_do_not_count_are_named)
{
    for (int dead = 0; dead < 2; dead++) {
        struct evidence *evidence = begin(1, "loads:u", "loads");
        build_all(&built, evidence, &(struct built_way){.core = "big"});
        build_all(&built, evidence, &(struct built_way){.core = "little"});
        for (size_t i = 0; i < evidence->point_count; i++)
            for (size_t j = 0; strcmp(evidence->points[i].core, "little") == 0 && j < 40; j++)
                evidence->points[i].runs[j].value *= dead ? 0 : 3;
        const struct judgement *all = judged();
        assert_came(all, VERDICT_BIASED, CAUSE_CORE_TYPE);
        assert_text(all, CORES, 0, "big"), assert_text(all, CORES, 1, "little");
        build_lie(evidence, zeros, NULL); /* on both: nothing to do with the type */
        all = judged();
        assert_came(all, VERDICT_DEAD, CAUSE_UNKNOWN);
    }
}

TEST(paths_that_count_differently_are_told)
{
    for (int differ = 0; differ < 2; differ++) {
        struct evidence *evidence = begin(1, "loads:u", "loads");
        struct built_way noisy = {.relative = 0.002, .overhead = 2};
        build_all(&built, evidence, &noisy);
        noisy.path = "papi-low";
        noisy.overhead = 30;
        build_all(&built, evidence, &noisy);
        for (size_t i = 0; differ && i < evidence->point_count; i++)
            for (size_t j = 0; strcmp(evidence->points[i].path, "papi-low") == 0 && j < 40; j++)
                evidence->points[i].runs[j].value += (uint64_t)(evidence->points[i].truth.low / 20);
        const struct judgement *all = judged();
        assert_int_equal(all->disagrees, differ);
        assert_verdict(all, differ ? VERDICT_BIASED : VERDICT_ACCURATE);
        if (differ)
            assert_text(all, PATHS, 0, "perf-read");
    }
}

TEST(events_of_a_class_are_ranked_by_verdict_and_error)
{
    builder_start(&built, 1);
    add(&built, "third:u", "hardware", "loads", factor, 1.1);
    add(&built, "first:u", "hardware", "loads", NULL, 0);
    add(&built, "fourth:u", "hardware", "loads", factor, 1.3);
    add(&built, "fifth:u", "hardware", "loads", zeros, 0);
    add(&built, "second:u", "hardware", "loads", factor, 1.0005);
    build_refused(&built, "none:u", "hardware", "loads", ENOENT, "");
    add(&built, "alone:u", "hardware", "stores", NULL, 0);
    const struct judgement *all = judged();
    static const unsigned ranks[] = {3, 1, 4, 5, 2, 0, 0};
    for (size_t i = 0; i < built.file.event_count; i++)
        assert_int_equal(all[i].rank, ranks[i]);
}

TEST(sums_that_do_not_add_up_are_told)
{
    for (int broken = 0; broken < 2; broken++) {
        builder_start(&built, 1);
        add(&built, "page-faults", "software", "page-faults", NULL, 0);
        add(&built, "minor", "software", "page-faults", NULL, 0);
        add(&built, "major", "software", "page-faults", zeros, 0);
        for (size_t i = 1; i < 3; i++)
            built.file.events[i].class = memory_copy(i == 1 ? "minor-faults" : "major-faults");
        double by = 1.2;
        if (broken)
            build_lie(&built.file.events[1], factor, &by);
        const struct judgement *all = judged();
        assert_int_equal(said(&all->why, WHY_SUM) != NULL, broken);
    }
}

TEST(a_core_type_that_is_wrong_here_and_right_there_is_not_the_cause)
{
    struct evidence *evidence = begin(1, "loads:u", "loads");
    build_all(&built, evidence, &(struct built_way){.core = "big"});
    build_all(&built, evidence, &(struct built_way){.core = "little"});
    for (size_t i = 0; i < evidence->point_count; i++) {
        struct point *point = &evidence->points[i];
        bool lies = strcmp(point->core, "little") == 0 || strcmp(point->specimen, "loads") == 0;
        for (size_t j = 0; lies && j < point->run_count; j++)
            point->runs[j].value *= 3;
    }
    const struct judgement *all = judged();
    assert_verdict(all, VERDICT_BIASED);
    assert_true(all->cause != CAUSE_CORE_TYPE);
}

/* Two ladders of one specimen; the one with `liar` counters reads one part in `part` too much. */
static bool disagree(bool other_path, uint32_t liar, int64_t part)
{
    struct evidence *evidence = begin(1, "loads:u", "loads");
    struct built_way second = {.path = other_path ? "papi-low" : NULL, .counters = 2};
    build_ladder(&built, evidence, &plain, "loads");
    build_ladder(&built, evidence, &second, "loads");
    for (size_t i = 0; i < evidence->point_count; i++)
        for (size_t j = 0; evidence->points[i].counters == liar && j < 40; j++)
            evidence->points[i].runs[j].value += (uint64_t)(evidence->points[i].truth.low / part);
    const struct judgement *all = judged();
    bool disagrees = all->disagrees;
    return disagrees;
}

TEST(only_paths_disagree_and_only_beyond_the_tolerance)
{
    for (uint32_t liar = 1; liar <= 2; liar++) {
        assert_true(disagree(true, liar, 50));
        assert_false(disagree(true, liar, 200));
        assert_false(disagree(false, liar, 50));
    }
}

TEST(what_two_modes_both_leave_at_zero_says_nothing_of_the_mode)
{
    builder_start(&built, 1);
    struct evidence *evidence = build_event(&built, "faults:u", "software", "page-faults");
    build_ladder(&built, evidence, &plain, "pages");
    build_ladder(&built, evidence, &plain, "adds");
    evidence = build_event(&built, "faults:k", "software", "page-faults");
    build_ladder(&built, evidence, &(struct built_way){.path = "papi-low"}, "pages");
    build_ladder(&built, evidence, &plain, "adds");
    const struct judgement *all = judged();
    assert_cause(all, CAUSE_NONE);
    assert_not_said(all, NO_FILTER);
}

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

/* Events of one machine, and what each of them comes to beside the others. */
static const struct {
    const char *name;
    bool virtualized;
    struct {
        const char *event, *kind, *class;
        built_lie *lie;
        int error; /* of opening it; 0: it opens */
        enum verdict verdict;
        enum cause cause;
        enum validate_why code; /* that is said; 0: any */
        const char *text;       /* and its first argument; NULL: any */
    } events[4];
} machines[] = {
    {"a mode that does not apply",
     false,
     {OF("switches:u", "software", "context-switches", zeros, 0, VERDICT_DEAD,
         CAUSE_MODE_NOT_APPLICABLE, WHY_OTHER_MODE, "user mode"),
      OF("switches", "software", "context-switches", NULL, 0, VERDICT_EXACT, CAUSE_NONE),
      OF("switches-too:u", "software", "context-switches", zeros, 0, VERDICT_DEAD,
         CAUSE_UNKNOWN)}}, /* a name that only begins alike */
    {"zero in every mode",
     false,
     {OF("instructions:u", "hardware", "instructions", zeros, 0, VERDICT_DEAD, CAUSE_UNKNOWN),
      OF("instructions:k", "hardware", "instructions", zeros, 0, VERDICT_DEAD, CAUSE_UNKNOWN)}},
    {"zero in every mode below a hypervisor, which counts no faults for us",
     true,
     {OF("instructions:u", "hardware", "instructions", zeros, 0, VERDICT_DEAD, CAUSE_VIRTUALIZED,
         WHY_HYPERVISOR),
      OF("instructions:k", "hardware", "instructions", zeros, 0, VERDICT_DEAD, CAUSE_VIRTUALIZED),
      OF("page-faults:u", "software", "page-faults", zeros, 0, VERDICT_DEAD, CAUSE_UNKNOWN)}},
    {"no hardware event opens",
     true,
     {OF("cycles:u", "hardware", "cycles", NULL, ENOENT, VERDICT_UNSUPPORTED, CAUSE_VIRTUALIZED),
      OF("cycles:k", "hardware", "cycles", NULL, EACCES, VERDICT_UNSUPPORTED, CAUSE_PERMISSION)}},
    {"a PMU is there, and lacks this event",
     true,
     {OF("cycles:u", "hardware", "cycles", NULL, ENOENT, VERDICT_UNSUPPORTED, CAUSE_NONE),
      OF("instructions:u", "hardware", "instructions", NULL, 0, VERDICT_EXACT, CAUSE_NONE)}},
    {"a PMU that is no core's",
     true,
     {OF("msr/tsc/u", "pmu", "ticks", NULL, EINVAL, VERDICT_UNSUPPORTED, CAUSE_NONE),
      OF("cycles:u", "hardware", "cycles", NULL, ENOENT, VERDICT_UNSUPPORTED, CAUSE_VIRTUALIZED)}},
    {"a mode that filters nothing",
     false,
     {OF("s:getppid:u", "tracepoint", "syscalls", NULL, 0, VERDICT_EXACT, CAUSE_MODE_NOT_APPLICABLE,
         WHY_NO_FILTER),
      OF("s:getppid:k", "tracepoint", "syscalls", NULL, 0, VERDICT_EXACT,
         CAUSE_MODE_NOT_APPLICABLE),
      OF("s:getppid", "tracepoint", "syscalls", NULL, 0, VERDICT_EXACT, CAUSE_NONE)}},
    {"a mode that does filter",
     false,
     {OF("s:getppid:u", "tracepoint", "syscalls", NULL, 0, VERDICT_EXACT, CAUSE_NONE),
      OF("s:getppid:k", "tracepoint", "syscalls", zeros, 0, VERDICT_DEAD,
         CAUSE_MODE_NOT_APPLICABLE)}},
    /* Without kernel mode: all hits of a tracepoint lie there, those of a fault need not. */
    {"a tracepoint that ignores user mode",
     false,
     {OF("s:getppid", "tracepoint", "syscalls", NULL, 0, VERDICT_EXACT, CAUSE_NONE),
      OF("s:getppid:u", "tracepoint", "syscalls", NULL, 0, VERDICT_EXACT, CAUSE_MODE_NOT_APPLICABLE,
         WHY_NO_FILTER_IN_KERNEL, "s:getppid"),
      OF("page-faults", "software", "page-faults", NULL, 0, VERDICT_EXACT, CAUSE_NONE),
      OF("page-faults:u", "software", "page-faults", NULL, 0, VERDICT_EXACT, CAUSE_NONE)}},
    {"a zero whose plain name is refused",
     false,
     {OF("faults", "software", "page-faults", NULL, EACCES, VERDICT_UNSUPPORTED, CAUSE_PERMISSION),
      OF("faults:u", "software", "page-faults", zeros, 0, VERDICT_DEAD, CAUSE_UNKNOWN,
         WHY_MODE_REFUSED, "faults")}},
};

TEST(events_say_of_one_another_what_their_modes_are_worth)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
        print_message("# %s\n", machines[i].name);
        builder_start(&built, 1);
        built.file.virtualized = machines[i].virtualized;
        for (size_t j = 0; j < 4 && machines[i].events[j].event; j++) {
            const char *event = machines[i].events[j].event, *kind = machines[i].events[j].kind;
            const char *class = machines[i].events[j].class;
            if (machines[i].events[j].error)
                build_refused(&built, event, kind, class, machines[i].events[j].error, "refused");
            else
                add(&built, event, kind, class, machines[i].events[j].lie, 0);
        }
        const struct judgement *all = judged();
        for (size_t j = 0; j < built.file.event_count; j++) {
            const enum validate_why code = machines[i].events[j].code;
            assert_came(&all[j], machines[i].events[j].verdict, machines[i].events[j].cause);
            for (size_t k = 0; k < all[j].row_count; k++)
                if (all[j].rows[k].verdict == VERDICT_DEAD)
                    assert_int_equal(all[j].rows[k].cause, all[j].cause);
            if (machines[i].events[j].text)
                assert_string_equal(told(&all[j], code, 0)->text, machines[i].events[j].text);
            assert_true(!code || said(&all[j].why, code));
            /* What is said of a mode is not what the table says as well. */
            assert_true(all[j].cause != CAUSE_MODE_NOT_APPLICABLE ||
                        all[j].usual < all[j].why.count);
        }
    }
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
    return judged()->disagrees;
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

/* --- filters --- */

LIE(leaking, run->value + 700 * (uint64_t)(point_trait(point, TRAIT_CLASS, "syscalls")
                                               ? point_trait(point, TRAIT_CLASS, "syscalls")->count
                                               : 0))

/* Windows of system calls without a truth for the class, beside the event without its mode; each
 * call takes so many counts in user code, and so many in the operating system. */
static void build_beside(struct evidence *evidence, double user, double system, bool filters)
{
    const struct built_way way = {.counters = 2};
    const size_t first = evidence->point_count;
    build_ladder(&built, evidence, &way, "getppid");
    for (size_t i = first; i < evidence->point_count; i++) {
        struct point *point = &evidence->points[i];
        point->has_unfiltered = true;
        point->has_interrupts = false;
        for (size_t j = 0; j < point->run_count; j++) {
            struct evidence_run *run = &point->runs[j];
            const double calls = (double)point->n, noise = (double)(j % 7);
            run->unfiltered = (uint64_t)(5000 + (user + system) * calls + 3 * noise);
            run->value = (uint64_t)((filters ? user : user + system) * calls + noise);
        }
    }
}

TEST(a_pmu_that_ignores_the_mode_of_one_event_is_trusted_with_no_other)
{
    for (int leaks = 0; leaks < 2; leaks++) {
        builder_start(&built, 1);
        add(&built, "instructions:u", "hardware", "instructions", leaks ? leaking : NULL, 0);
        struct evidence *evidence = build_event(&built, "stores:u", "hardware", "stores");
        build_ladder(&built, evidence, &plain, "stores"); /* right where nothing is filtered */
        evidence = build_event(&built, "loads:u", "raw", "loads");
        build_ladder(&built, evidence, &plain, "loads");
        build_ladder(&built, evidence, &plain, "getppid"); /* right where something is */
        evidence = build_event(&built, "uncore_imc/reads/u", "pmu", "stores");
        build_ladder(&built, evidence, &plain, "stores");
        evidence = build_event(&built, "cpu/stores/", "pmu", "stores");
        build_ladder(&built, evidence, &plain, "stores");
        const struct judgement *all = judged();
        assert_came(&all[0], leaks ? VERDICT_BIASED : VERDICT_EXACT,
                    leaks ? CAUSE_KERNEL_LEAK : CAUSE_NONE);
        assert_int_equal(all[0].filter, leaks ? FILTER_IGNORED : FILTER_WORKS);
        assert_came(&all[1], leaks ? VERDICT_UNJUDGED : VERDICT_EXACT,
                    leaks ? CAUSE_KERNEL_LEAK : CAUSE_NONE);
        assert_came(&all[2], VERDICT_EXACT, CAUSE_NONE);
        assert_int_equal(all[2].filter, FILTER_WORKS);
        assert_came(&all[4], VERDICT_EXACT, CAUSE_NONE); /* it has no mode */
        if (leaks) {
            assert_text(&all[1], FILTER_OF_PMU, 0, "instructions:u");
            assert_figure(&all[1], FILTER_OF_PMU, 1, 700);
            assert_int_equal(all[1].limits.longest_ns, 0);
        }
    }
}

TEST(the_event_without_its_mode_shows_a_filter_that_no_truth_does)
{
    static const struct {
        const char *class;
        double user, system;
        bool filters;
        enum filter filter;
        enum verdict verdict;
        enum cause cause;
    } cases[] = {
        {"cycles", 60, 200, true, FILTER_WORKS, VERDICT_UNJUDGED, CAUSE_NONE},
        {"cycles", 60, 200, false, FILTER_IGNORED, VERDICT_BIASED, CAUSE_KERNEL_LEAK},
        {"cycles", 1, 30, true, FILTER_WORKS, VERDICT_UNJUDGED, CAUSE_NONE},
        {"cycles", 0, 0, true, FILTER_UNKNOWN, VERDICT_UNJUDGED, CAUSE_NONE},
        /* What the operating system does none of shows nothing. */
        {"split-loads", 60, 0, true, FILTER_UNKNOWN, VERDICT_UNJUDGED, CAUSE_NONE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct evidence *evidence = begin(1, "event:u", cases[i].class);
        build_beside(evidence, cases[i].user, cases[i].system, cases[i].filters);
        const struct judgement *all = judged();
        assert_int_equal(all->filter, cases[i].filter);
        assert_came(all, cases[i].verdict, cases[i].cause);
    }
}

TEST(what_a_switch_loses_is_no_leak)
{
    struct evidence *evidence = begin_all(INSTRUCTIONS);
    for (size_t i = 0; i < evidence->point_count; i++) /* room to lose from */
        for (size_t j = 0; j < evidence->points[i].run_count; j++)
            if (!evidence->points[i].is_null && evidence->points[i].switches > 0)
                evidence->points[i].runs[j].value -= 3 * (uint64_t)evidence->points[i].switches;
    const struct judgement *all = judged();
    assert_came(all, VERDICT_BIASED, CAUSE_LOST_COUNTS);
    assert_int_equal(all->filter, FILTER_WORKS);
    assert_string_equal(all->explanations[0].per, "context switch");
}

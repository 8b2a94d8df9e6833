/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which factors matter, on data that is no textbook's: exact counts, one process, one level,
 * factors that always go together, several machines, models that are too large. */
#include <math.h>
#include <stdio.h>

#include "case.h"
#include "error-judging.h"

static const char *const paths[] = {"perf-read", "perf-user", NULL};
static const char *const opts[] = {"O0", "O2", NULL};
static const char *const links[] = {"lazy", "static", NULL};
static const char user[] = "instructions:u", steps[] = "step/instructions/";

static const struct reason *assert_says(const struct error_anova *anova, enum error_says code)
{
    const struct reason *said = reasons_find(&anova->note, &error_words[code]);
    if (!said)
        fail_msg("no %s in \"%s\"", error_words[code].code, reasons_text(&anova->note));
    return said;
}

static struct error_report crossed(const struct error_crossing *crossing,
                                   const struct error_way *way)
{
    BUILDER(builder, 5);
    build_error_crossing(&builder, crossing, way);
    return judge_factors(&builder);
}

/* path 100, pattern 10 a step, -O0 1; where perf-user is O0 as well, 2 more: no term has that. */
static double exact_error(const struct error_cell *cell, void *context)
{
    bool slow = strcmp(cell->opt, "O0") == 0, direct = strcmp(cell->path, "perf-read") == 0;
    (void)context;
    return (direct ? 100 : 0) + 10 * (double)cell->pattern + slow + (slow && direct ? 2 : 0);
}

TEST(exact_counts_have_an_infinite_f_and_sizes_decide)
{
    const struct error_report report = crossed(
        &(struct error_crossing){
            .paths = paths, .opts = opts, .links = links, .patterns = ERROR_ALL_PATTERNS},
        &(struct error_way){
            .part = PART_STEPPED, .processes = 3, .effect = exact_error, .first = 700});
    const struct error_anova *anova = report.anovas;
    assert_true(anova->stepped && anova->no_variance);
    assert_string_equal(anova->event, steps);
    assert_int_equal(anova->constant_cells, anova->cells);
    assert_says(anova, NOTE_NO_VARIANCE);
    const struct error_effect *path = find_effect(&report, steps, "path"),
                              *opt = find_effect(&report, steps, "opt"),
                              *link = find_effect(&report, steps, "link");
    assert_true(path->stepped && isinf(path->f) && path->p == 0 && path->matters);
    assert_true(isinf(opt->f) && opt->significant && !opt->matters);
    assert_true(link->f == 0 && link->p == 1 && !link->significant && link->sum_sq == 0);
    assert_true(link->range == 0);
    assert_true(fabs(path->range - 101) < 1e-9);
}

/* Every window has its own count, by all that makes its code: no sum of terms describes it. The
 * number of counters changes nothing, and is only varied at -O2 and static. */
static double own_count(const struct error_cell *cell, void *context)
{
    (void)context;
    unsigned path = strcmp(cell->path, "perf-read") == 0, opt = (unsigned)(cell->opt[1] - '0'),
             link = strcmp(cell->link, "lazy") == 0;
    return (double)(20 + 400 * path + (7 * opt + 13 * path * opt + 5 * link * path) % 11 +
                    (cell->pattern * 3 + opt * link * path) % 5);
}

TEST(a_factor_that_changes_no_exact_count_has_no_effect)
{
    static const uint32_t more[] = {2, 4, 0};
    BUILDER(builder, 1);
    const struct error_way way = {.part = PART_STEPPED, .processes = 2, .effect = own_count};
    build_error_crossing(
        &builder,
        &(struct error_crossing){
            .paths = paths, .opts = opts, .links = links, .patterns = ERROR_ALL_PATTERNS},
        &way);
    build_error_crossing(
        &builder, &(struct error_crossing){.paths = paths, .counters = more, .patterns = 5}, &way);
    struct error_report report = judge_factors(&builder);
    const struct error_effect *counters = find_effect(&report, steps, "counters");
    assert_true(counters->range == 0 && counters->f == 0 && counters->p == 1);
    assert_false(counters->significant);
    assert_true(counters->sum_sq > 0); /* which is what the terms cannot describe */
    assert_true(find_effect(&report, steps, "opt")->significant);
    assert_true(find_effect(&report, steps, "link")->range > 0);
}

TEST(equal_errors_everywhere_have_no_effect)
{
    const struct error_report report = crossed(
        &(struct error_crossing){.paths = paths, .opts = opts}, &(struct error_way){.error = 7});
    assert_int_equal(report.effect_count, 2);
    for (size_t i = 0; i < report.effect_count; i++)
        assert_true(report.effects[i].f == 0 && report.effects[i].p == 1 &&
                    report.effects[i].effect_size == 0 && !report.effects[i].significant);
    assert_true(report.anovas->no_variance);
    assert_says(report.anovas, NOTE_ALL_EQUAL);
}

/* Constant in one path, noisy in the other. */
static double noisy_user(struct error_cell *cell, size_t process, size_t run, size_t index,
                         struct random *random, void *context)
{
    (void)process, (void)run, (void)index, (void)context;
    return strcmp(cell->path, "perf-user") == 0 ? 9 * error_built_normal(random) : 0;
}

TEST(cells_without_variance_among_others_are_counted)
{
    const struct error_report report =
        crossed(&(struct error_crossing){.paths = paths, .patterns = ERROR_ALL_PATTERNS},
                &(struct error_way){.draw = noisy_user, .runs = 2});
    assert_false(report.anovas->no_variance);
    assert_int_equal(report.anovas->constant_cells, 4);
    assert_int_equal(assert_says(report.anovas, NOTE_CONSTANT)->values[1].count, 8);
    assert_true(find_effect(&report, user, "path")->p > 0.001);
}

TEST(one_process_a_cell_is_tested_by_what_the_factors_leave)
{
    const struct error_report report = crossed(
        &(struct error_crossing){
            .paths = paths, .opts = opts, .links = links, .patterns = ERROR_ALL_PATTERNS},
        &(struct error_way){
            .processes = 1, .effect = exact_error, .process_noise = 3, .run_noise = 1});
    assert_int_equal(report.anovas->count, 32);
    assert_false(report.anovas->no_variance);
    assert_says(report.anovas, NOTE_NO_REPLICATES);
    assert_true(find_effect(&report, user, "path")->matters);
    assert_false(find_effect(&report, user, "link")->significant);
}

TEST(one_process_and_no_more_cells_than_parameters_test_nothing)
{
    const struct error_report report = crossed(
        &(struct error_crossing){.paths = paths, .patterns = 1u << PATTERN_AR | 1u << PATTERN_RR},
        &(struct error_way){.processes = 1, .effect = exact_error, .process_noise = 3});
    assert_says(report.anovas, NOTE_NO_DF);
    for (size_t i = 0; i < report.effect_count; i++)
        assert_true(report.effects[i].p == 1 && !report.effects[i].matters);
}

TEST(factors_with_one_level_are_left_out_and_said)
{
    BUILDER(builder, 5);
    CROSS(&builder, (.paths = paths, .links = links), .process_noise = 3, .runs = 2);
    BUILD(&builder, .event = "page-faults");
    build_error_failed(&builder, &(struct error_way){.event = "cycles:u"}, -1, "refused");
    BUILD(&builder, .part = PART_DURATION, .event = "cycles:k");
    struct error_report report = judge_factors(&builder);
    assert_int_equal(report.anova_count, 2);
    assert_int_equal(report.effect_count, 2);
    assert_string_equal(assert_says(report.anovas, NOTE_SINGLE)->values[0].text,
                        "machine, pattern, counters, opt");
    assert_non_null(find_effect(&report, user, "link"));
    assert_string_equal(report.anovas[1].event, "page-faults");
    assert_int_equal(report.anovas[1].effect_count, 0);
    assert_int_equal(report.anovas[1].count, 20);
    assert_says(&report.anovas[1], NOTE_NOTHING);
}

/* One path is only linked statically, the other only lazily. */
static bool only_its_own_link(struct error_way *way)
{
    return strcmp(way->path, "perf-user") == 0 ? strcmp(way->link, "lazy") == 0
                                               : strcmp(way->link, "static") == 0;
}

TEST(factors_that_always_go_together_cannot_be_told_apart)
{
    BUILDER(builder, 5);
    CROSS(&builder, (.paths = paths, .links = links, .opts = opts, .exists = only_its_own_link),
          .effect = exact_error, .process_noise = 3);
    const struct error_report report = judge_factors(&builder);
    assert_null(find_effect(&report, user, "path"));
    assert_null(find_effect(&report, user, "link"));
    assert_non_null(find_effect(&report, user, "opt"));
    assert_string_equal(assert_says(report.anovas, NOTE_ALIASED)->values[0].text, "path");
    assert_int_equal(report.anovas->effect_count, 1);
    const struct error_ways ways = error_ways_of(&builder.file);
    struct error_levels levels = error_levels_of(&builder.file, &ways, 0, ways.count);
    for (size_t i = 0; i < levels.count; i++) {
        levels.cells[i].processes = 20;
        levels.cells[i].mean = 4 * (double)i;
    }
    assert_true(isnan(error_range_of(&levels, FACTOR_LINK)));
    assert_true(fabs(error_range_of(&levels, FACTOR_OPT) - 4) < 1e-9);
    /* Equal means stay equal, whatever rounding makes of their weighted mean. */
    for (size_t tries = 1; tries < 100; tries++) {
        for (size_t i = 0; i < levels.count; i++) {
            levels.cells[i].processes = 3 + 4 * (i % 2);
            levels.cells[i].mean = 0.1 * (double)tries;
        }
        assert_true(error_range_of(&levels, FACTOR_OPT) == 0);
    }
}

static double by_machine(const struct error_cell *cell, void *context)
{
    (void)context;
    return cell->machine == 1 ? 50 : 0;
}

TEST(machines_are_a_factor_and_equal_fingerprints_one_machine)
{
    BUILDER(builder, 5);
    build_error_machine(&builder, "another", false);
    build_error_machine(&builder, "another", false); /* its store twice */
    for (uint32_t machine = 0; machine < 3; machine++)
        CROSS(&builder, (.paths = paths, .opts = opts), .machine = machine, .effect = by_machine,
              .process_noise = 4);
    for (size_t i = 0; i < builder.file.cell_count; i++)
        for (size_t run = 0; builder.file.cells[i].machine == 2 && run < 400; run++)
            builder.file.cells[i].values[run] += 50;
    struct error_report report = judge_factors(&builder);
    const struct error_effect *machine = find_effect(&report, user, "machine");
    assert_int_equal(machine->df, 1);
    assert_true(machine->matters);
    assert_true(fabs(machine->range - 50) < 3);
    assert_int_equal(report.anovas->count, 12 * 20);
    assert_int_equal(report.anovas->cells, 8);
}

TEST(other_choices_and_layouts_are_not_mixed_in)
{
    BUILDER(builder, 5);
    CROSS(&builder, (.paths = paths), .process_noise = 3, .counters = 2);
    BUILD(&builder, .counters = 2, .others = "cycles:u", .error = 4000);
    BUILD(&builder, .counters = 2, .separate = true, .error = 4000);
    struct error_report report = judge_factors(&builder);
    assert_int_equal(report.anovas->count, 40);
    assert_true(report.anovas->total_sum < 1000);
    assert_int_equal(assert_says(report.anovas, NOTE_CHOICES)->values[0].count, 1);
    assert_int_equal(assert_says(report.anovas, NOTE_LAYOUT)->values[0].count, 1);
    /* Where nothing else was measured, they are what is analysed. */
    error_builder_start(&builder, 5);
    CROSS(&builder, (.paths = paths), .process_noise = 3, .separate = true);
    report = judge_factors(&builder);
    assert_int_equal(report.anovas->count, 40);
}

TEST(a_model_that_is_too_large_loses_interactions_first)
{
    static char names[70][8];
    const char *many[71] = {NULL};
    static const uint32_t counters[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0};
    for (int i = 0; i < 70; i++) {
        snprintf(names[i], sizeof(names[i]), "path%d", i);
        many[i] = names[i];
    }
    BUILDER(builder, 5);
    struct error_crossing crossing = {.paths = many, .counters = counters};
    crossing.patterns = 1u << PATTERN_AR | 1u << PATTERN_RR;
    build_error_crossing(&builder, &crossing,
                         &(struct error_way){.processes = 2, .runs = 1, .process_noise = 4});
    struct error_report report = judge_factors(&builder);
    assert_int_equal(assert_says(report.anovas, NOTE_INTERACTIONS)->values[0].count, 1);
    assert_null(find_effect(&report, user, "path x counters"));
    assert_int_equal(find_effect(&report, user, "path x pattern")->df, 69);
    assert_int_equal(find_effect(&report, user, "path")->df, 69);
}

TEST(more_levels_than_a_model_can_have_are_said)
{
    BUILDER(builder, 5);
    for (uint32_t i = 0; i < 900; i++) {
        char name[16];
        snprintf(name, sizeof(name), "path%u", i);
        BUILD(&builder, .path = name, .processes = 1, .runs = 1);
    }
    struct error_report report = judge_factors(&builder);
    assert_int_equal(report.effect_count, 0);
    assert_int_equal(report.anova_count, 1);
    assert_says(report.anovas, NOTE_TOO_LARGE);
}

TEST(nothing_measured_is_no_analysis)
{
    BUILDER(builder, 5);
    struct error_report report = judge_factors(&builder);
    assert_int_equal(report.anova_count, 0);
}

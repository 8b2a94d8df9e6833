/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay error`, each from figures made by hand: what a reader sees, to the character.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "studies/error/parts.h"

static struct study_options options;

/* What a part says of a report; valid until the next call. */
static const char *shown(void (*part)(const struct error_run *, const struct style *,
                                      struct text *),
                         struct error_run *run)
{
    static struct text text;
    const struct style style = {.width = 80};
    text_clear(&text);
    run->studying.options = &options;
    part(run, &style, &text);
    assert_false(text.failed);
    return text_string(&text);
}

static struct error_effect effects[] = {
    {.event = "step/instructions/",
     .stepped = true,
     .factors = 1 << FACTOR_PATH,
     .name = "path",
     .df = 4,
     .f = INFINITY,
     .effect_size = 0.8125,
     .share_within = 0.8125,
     .range = 512.5,
     .significant = true,
     .matters = true},
    {.event = "step/instructions/",
     .stepped = true,
     .factors = 1 << FACTOR_OPT,
     .name = "opt",
     .df = 3,
     .f = INFINITY,
     .effect_size = 0.0004,
     .share_within = 0.0021,
     .range = 2,
     .significant = true},
    {.event = "step/instructions/",
     .stepped = true,
     .factors = 1 << FACTOR_PATH | 1 << FACTOR_PATTERN,
     .name = "path x pattern",
     .df = 12,
     .f = INFINITY,
     .effect_size = 0.187,
     .share_within = 0.997,
     .significant = true,
     .matters = true},
    {.event = "msr/tsc/",
     .factors = 1 << FACTOR_PATH,
     .name = "path",
     .df = 4,
     .f = 12345.6,
     .p = 1e-300,
     .effect_size = 0.61,
     .range = 5000,
     .matters = true},
    {.event = "msr/tsc/",
     .factors = 1 << FACTOR_OPT,
     .name = "opt",
     .df = 3,
     .f = 1.2,
     .p = 0.31,
     .effect_size = 0.0001},
};
static struct error_anova anovas[] = {
    {.event = "step/instructions/",
     .stepped = true,
     .count = 1480,
     .cells = 740,
     .no_variance = true,
     .r_squared = 1,
     .first = 0,
     .effects = 3,
     .note = "Processes of a cell never differ: F is infinite."},
    {.event = "msr/tsc/", .count = 4000, .cells = 200, .r_squared = 0.62, .first = 3, .effects = 2},
};

TEST(factors_are_told_in_full_once_and_then_by_what_matters)
{
    struct error_run run = {
        .report = {.effects = effects, .effect_count = 5, .anovas = anovas, .anova_count = 2}};
    assert_string_equal(
        shown(error_put_factors, &run),
        "\n"
        "Which factors matter\n"
        "instructions:u, stepped: 1,480 processes in 740 cells, 100.0 % of the variance\n"
        "  explained\n"
        "factor          df         F       p  of variance  within paths  range  matters\n"
        "path             4  infinite  <1e-15       81.2 %        81.2 %  512.5  yes\n"
        "opt              3  infinite  <1e-15       <0.1 %         0.2 %      2  no\n"
        "path x pattern  12  infinite  <1e-15       18.7 %        99.7 %         yes\n"
        "processes of a cell never differ, so F is infinite: the share decides\n"
        "not judged, for want of cells with several processes: msr/tsc/\n"
        "matters: p < 0.001 and at least 1 % of the variance, of factors other than path\n"
        "  and machine within each path; range: between the means of its levels\n");
}

TEST(counters_are_told_by_what_grows_most_and_least)
{
    struct error_by_counters by[] = {
        {.event = "instructions:uk",
         .path = "perf-read",
         .mode = COUNT_BOTH,
         .pattern = PATTERN_RR,
         .points = 3,
         .counters = {1, 2, 4},
         .medians = {573, 685.5, 909},
         .slope = 112,
         .low = 111.2,
         .high = 112.9},
        {.event = "instructions:uk",
         .path = "perf-syscall",
         .mode = COUNT_BOTH,
         .pattern = PATTERN_RR,
         .points = 2,
         .counters = {1, 2},
         .medians = {570, 670},
         .slope = 100,
         .low = 99,
         .high = 101},
        {.event = "instructions:uk",
         .path = "perf-user",
         .mode = COUNT_BOTH,
         .pattern = PATTERN_RR,
         .points = 2,
         .counters = {1, 2},
         .medians = {12, 12},
         .slope = 0,
         .low = 0,
         .high = 0},
    };
    struct error_choice choice = {.event = "instructions:uk",
                                  .path = "perf-read",
                                  .others = "cycles:uk",
                                  .pattern = PATTERN_RR,
                                  .counters = 2,
                                  .median = 690,
                                  .plain = 685.5};
    struct error_run run = {
        .report = {
            .by_counters = by, .by_counters_count = 3, .choices = &choice, .choice_count = 1}};
    assert_string_equal(
        shown(error_put_counters, &run),
        "\n"
        "What each further counter adds\n"
        "event            path          a counter  95 % interval\n"
        "instructions:uk  perf-read rr        112  111.2 to 112.9\n"
        "instructions:uk  perf-user rr          0\n"
        "of each event what grows most and least; --all has every path, pattern and\n"
        "  number\n"
        "Which events the others are changes most for instructions:uk through perf-read,\n"
        "  read-read: 690 beside cycles:uk, 685.5 beside itself\n");
}

TEST(duration_is_told_with_what_interrupts_explain)
{
    struct error_slope slopes[] = {
        {.event = "instructions:u",
         .path = "perf-read",
         .pattern = PATTERN_AR,
         .runs = 2800,
         .longest = 1000000,
         .exact = true},
        {.event = "instructions:uk",
         .path = "perf-read",
         .pattern = PATTERN_AR,
         .runs = 2800,
         .longest = 1000000,
         .slope = 0.00171,
         .low = 0.00162,
         .high = 0.0018,
         .detectable = 0.00012},
    };
    struct error_by_size sizes[] = {
        {.event = "instructions:k",
         .path = "perf-read",
         .n = 1,
         .runs = 4000,
         .spread = {80, 81, 81, 81, 3500},
         .mean = 83.4,
         .interrupts = 0.0008},
        {.event = "instructions:k",
         .path = "perf-read",
         .n = 1000000,
         .runs = 4000,
         .spread = {80, 81, 1700, 3500, 9000},
         .mean = 1712.25,
         .interrupts = NAN},
    };
    struct error_run run = {.report = {.slopes = slopes,
                                       .slope_count = 2,
                                       .by_size = sizes,
                                       .by_size_count = 2,
                                       .ticks = {.known = true,
                                                 .each = 3401,
                                                 .each_low = 3390,
                                                 .each_high = 3412,
                                                 .rate = 5e-7,
                                                 .predicted = 0.0017,
                                                 .predicted_low = 0.0016,
                                                 .predicted_high = 0.0018,
                                                 .measured = 0.00171,
                                                 .measured_low = 0.00162,
                                                 .measured_high = 0.0018,
                                                 .agrees = true}}};
    assert_string_equal(
        shown(error_put_duration, &run),
        "\n"
        "What each iteration of a loop adds\n"
        "instructions:u: nothing, up to N = 1,000,000; none of 2,800 runs over 1 path\n"
        "  deviates\n"
        "instructions:uk: 0.0017 (0.0016 to 0.0018) through perf-read, start-read, up to\n"
        "  N = 1,000,000, 2,800 runs; detectable 0.00012\n"
        "\n"
        "in the kernel   path               N   runs  median   mean    max  interrupts\n"
        "instructions:k  perf-read          1  4,000      81   83.4  3,500      0.0008\n"
        "instructions:k  perf-read  1,000,000  4,000   1,700  1,712  9,000\n"
        "An interrupt costs 3,401 instructions (3,390 to 3,412), and 5e-07 of them come\n"
        "  in an iteration: together 0.0017 (0.0016 to 0.0018) an iteration, where\n"
        "  user+kernel counts with interrupts counted along grow by 0.0017 (0.0016 to\n"
        "  0.0018): they explain it\n");
}

TEST(places_are_drawn_by_the_offset)
{
    struct error_place places[65];
    for (int i = 0; i < 63; i++) /* 63 is not measured */
        places[i] = (struct error_place){.event = "clock/ticks/",
                                         .offset = i,
                                         .per_iteration = i >= 56   ? 2.02
                                                          : i >= 48 ? 1.5
                                                                    : 1.01};
    places[63] = (struct error_place){.offset = 1024, .per_iteration = 1.01};
    places[64] = (struct error_place){.offset = 4090, .per_iteration = 2.02};
    struct error_placement placements[] = {{.event = "clock/ticks/",
                                            .is_time = true,
                                            .places = 65,
                                            .least = 1.01,
                                            .most = 2.02,
                                            .factor = 2,
                                            .factor_low = 1.98,
                                            .factor_high = 2.03,
                                            .by_place = 0.97},
                                           {.event = "msr/tsc/",
                                            .is_time = true,
                                            .has_windows = true,
                                            .window_factor = 1.94,
                                            .by_pattern = 0.11,
                                            .by_opt = 0.07,
                                            .by_both = 0.62}};
    struct error_run run = {
        .report = {
            .places = places, .place_count = 65, .placements = placements, .placement_count = 2}};
    assert_string_equal(
        shown(error_put_placement, &run),
        "\n"
        "The same loop at other places\n"
        "clock/ticks/: 1.01 to 2.02 ticks an iteration, factor 2.00 (1.98 to 2.03); the\n"
        "  place explains 97 % of the variance\n"
        "  0 111111111111111111111111111111111111111111111111444444448888888. 63\n"
        "  further in the page, 2 places: 1.01 to 2.02, slowest at offset 4,090\n"
        "msr/tsc/, the loop as compiled into the windows: factor 1.94; the pattern\n"
        "  explains 11 % of it, -O 7 %, both together 62 % more\n"
        "each column an offset in a line of 64 bytes, the higher the slower; a point: not\n"
        "  measured\n");
}

TEST(extrapolated_counts_stand_against_the_truth)
{
    struct error_multiplex list[] = {{.event = "instructions:u",
                                      .path = "perf-read",
                                      .specimen = "phases",
                                      .counters = 16,
                                      .share = 0.375,
                                      .median = -0.02,
                                      .low = -0.4,
                                      .high = 0.3,
                                      .per_rotation = NAN,
                                      .single = 0},
                                     {.event = "instructions:u",
                                      .path = "perf-read",
                                      .specimen = "phases,period=4000",
                                      .phased = true,
                                      .counters = 16,
                                      .share = 0.374,
                                      .median = 41.5,
                                      .low = -62,
                                      .high = 88,
                                      .per_rotation = 1,
                                      .single = NAN}};
    struct error_run run = {.report = {.multiplex = list, .multiplex_count = 2}};
    assert_string_equal(
        shown(error_put_multiplex, &run),
        "\n"
        "More events than counters\n"
        "instructions:u through perf-read, 16 of them at once\n"
        "  code                counted     error  smallest to largest    alone  phases\n"
        "  phases                 38 %   -0.02 %  -0.40 to +0.30 %     +0.00 %\n"
        "  phases,period=4000     37 %  +41.50 %  -62.00 to +88.00 %                 1\n"
        "counted: share of the time that the counter ran, from which the rest is\n"
        "  extrapolated; alone: the error with one counter; phases: changes of the code's\n"
        "  work in one turn of the counters\n");
}

/* Table 3: ours beside the paper's, a star at the least, a dash where there is nothing. */
TEST(the_best_patterns_stand_beside_the_papers)
{
    struct error_best best[] = {
        {.event = "step/instructions/",
         .base = "instructions",
         .path = "perf-read",
         .mode = COUNT_USER,
         .pattern = PATTERN_RR,
         .stepped = true,
         .median = 12,
         .min = 11},
        {.event = "step/instructions/",
         .base = "instructions",
         .path = "perf-syscall",
         .mode = COUNT_USER,
         .pattern = PATTERN_AR,
         .stepped = true,
         .median = 5,
         .min = 5,
         .overall = true},
        {.event = "instructions:u",
         .base = "instructions",
         .path = "perf-read",
         .mode = COUNT_USER,
         .pattern = PATTERN_RR,
         .median = 12.5,
         .min = 12},
        {.event = "msr/tsc/",
         .base = "msr/tsc/",
         .path = "perf-read",
         .mode = COUNT_ANY,
         .pattern = PATTERN_AO,
         .median = 2548,
         .min = 2474,
         .overall = true,
         .spread_low = 2480,
         .spread_high = 4410},
        {.event = "msr/tsc/",
         .base = "msr/tsc/",
         .path = "perf-prctl",
         .mode = COUNT_ANY,
         .pattern = PATTERN_AO,
         .median = 2700,
         .min = 2474},
    };
    struct error_run run = {.report = {.best = best, .best_count = 5}};
    const char *text = shown(error_put_best, &run);
    assert_string_equal(
        text, "\n"
              "Instructions counted although nothing is measured, and the paper's Table 3\n"
              "mode  path          best  median  min           paper  best  median  min\n"
              "u     perf-syscall  ar *       5    5  exact    pm     rr        37   36\n"
              "u     perf-read     rr      12.5   12  counted  pc     ar        67   56\n"
              "u     papi-low      -          -    -  none     PLpm   ar       134  134\n"
              "u                                               PLpc   ar       152  144\n"
              "u     papi-high     -          -    -  none     PHpm   ar       236  236\n"
              "u                                               PHpc   ar       236  230\n"
              "uk: nothing of ours, because no counter of the CPU can be opened here; the\n"
              "  paper's pm 726, PLpm 742, PHpm 844, pc 163, PLpc 251, PHpc 339\n"
              "best: the pattern that adds least over -O levels and link modes, with one\n"
              "  counter; *: least of all paths; exact: stepped; pm perfmon, pc perfctr, PL and\n"
              "  PH PAPI's low and high level on them\n"
              "\n"
              "Other events counted although nothing is measured\n"
              "event     path       best  median  19 of 20 runs\n"
              "msr/tsc/  perf-read  ao     2,548  2,480 to 4,410  ticks\n"
              "the best path of each; --all has every path\n");
}

TEST(cells_that_stepping_contradicts_are_named)
{
    static char read[] = "perf-read", low[] = "papi-low", plain[] = "O0", usual[] = "O2";
    static char fixed[] = "static", lazy[] = "lazy";
    struct error_cell cells[] = {
        {.path = read, .opt = usual, .link = fixed, .pattern = PATTERN_AR, .counters = 1},
        {.path = low, .opt = plain, .link = lazy, .pattern = PATTERN_RO, .counters = 4}};
    struct error_row rows[] = {{.cell = &cells[0], .stepped = 18},
                               {.cell = &cells[1], .stepped = 90}};
    struct error_agreement list[] = {
        {.row = &rows[0], .difference = 1, .edge = 1, .runs = 40, .agreeing = 40},
        {.row = &rows[1], .difference = -3, .edge = 1, .runs = 40, .agreeing = 31}};
    struct error_run run = {
        .report = {.stepped = {.comparable = 2, .equal = 1, .edge = 1, .list = list}}};
    assert_string_equal(
        shown(error_put_stepped, &run),
        "\n"
        "Measured against stepped\n"
        "instructions:u: 1 of 2 cells count what stepping counts +1: this CPU's own edge\n"
        "  of a window\n"
        "  papi-low, read-stop, -O0, lazy, 4 counters: -3 off in 31 of 40 runs\n");
    list[0].difference = list[1].difference = list[0].edge = list[1].edge = 7;
    const char *words = shown(error_put_stepped, &run);
    assert_non_null(strstr(words, "2 of 2 cells count what stepping counts +7: more than"));
    assert_null(strstr(words, "own edge"));
}

/* A check with a command to mend it comes before what cannot be mended; layouts of addresses are
 * none of this study's concern. */
TEST(advice_comes_with_what_must_be_mended)
{
    struct facts facts = {0};
    struct error_advice advice[] = {
        {COUNT_ANY, "msr/tsc/", "Count msr/tsc/ so."},
        {COUNT_USER, "instructions:u", "Count instructions:u with perf-user: it adds 12."},
        {COUNT_USER, "instructions:u", "Long regions gain no error."}};
    assert_int_equal(facts_set(&facts, "kernel.randomize_va_space", "2", 0), 0);
    assert_int_equal(facts_set(&facts, "kernel.nmi_watchdog", "1", 0), 0);
    struct error_run run = {.studying = {.facts = &facts},
                            .report = {.advice = advice, .advice_count = 3}};
    const char *text = shown(error_put_advice, &run);
    assert_non_null(strstr(text, "\n- Count instructions:u with perf-user: it adds 12. Long"));
    assert_null(strstr(text, "msr/tsc/"));
    assert_non_null(strstr(text, "nmi-watchdog"));
    assert_null(strstr(text, "aslr"));
    struct error_check *checks = NULL;
    size_t count = error_checks(&facts, &checks);
    for (size_t i = 1; i < count; i++)
        assert_true(checks[i - 1].advice.status != CHECK_WARN ||
                    checks[i].advice.status != CHECK_BAD);
    facts_free(&facts);
}

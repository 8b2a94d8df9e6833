/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which factors matter: the analysis is that of R, planted effects are found, absent ones as often
 * as stated; and data that is no textbook's: exact counts, one process, one level, factors that
 * always go together, several machines, models that are too large. */
#include <math.h>
#include <stdio.h>

#include "case.h"
#include "error-judging.h"
#include "stats-digits.h"

static const char *const three_paths[] = {"papi-high", "perf-read", "perf-user", NULL};
static const char *const three_opts[] = {"O0", "O2", "O3", NULL};
static const char *const two_links[] = {"lazy", "static", NULL};
static const char event[] = "instructions:u";

static const struct error_effect *effect_of(const struct error_report *report, const char *name)
{
    const struct error_effect *effect = find_effect(report, event, name);
    if (!effect)
        fail_msg("no effect %s", name);
    return effect;
}

/* --- against R 4.2.2; the program stands at the end of this file --- */

struct reference {
    uint32_t path, pattern, counters, opt, link, number;
};

static double reference_error(struct error_cell *cell, size_t process, size_t run, size_t index,
                              struct random *random, void *context)
{
    const struct reference *at = context;
    (void)cell, (void)index, (void)random;
    double value = 40. * at->path + (at->path == 1 ? 7. * at->pattern : 0) +
                   3. * (at->counters - 1) + (at->opt == 0 && at->pattern == 3 ? 2 : 0) +
                   (double)((at->number * (size_t)37 + process * 101) % 23);
    /* The median of the later runs is the value; the first run must not be in it. */
    return run == 0 ? (process % 2 ? 1000 : -1000) : run == 1 ? value - 1 : value + 1;
}

static void add_reference(struct error_builder *builder, struct reference *at)
{
    BUILD(builder, .path = three_paths[at->path], .pattern = (enum pattern)at->pattern,
          .counters = at->counters, .opt = three_opts[at->opt], .link = two_links[at->link],
          .processes = 2 + at->number % 3, .runs = 3, .draw = reference_error, .context = at);
    at->number++;
}

/* papi-high has one pattern; more counters are only measured at one -O level and link. */
static void build_reference(struct error_builder *builder)
{
    struct reference at = {0};
    for (at.path = 0; at.path < 3; at.path++)
        for (at.pattern = 0; at.pattern < 4; at.pattern++) {
            if (at.path == 0 && at.pattern != 2)
                continue;
            at.counters = 1;
            for (at.opt = 0; at.opt < 3; at.opt++)
                for (at.link = 0; at.link < 2; at.link++)
                    add_reference(builder, &at);
            at.opt = at.link = 1;
            for (at.counters = 2; at.counters < 5; at.counters += 2)
                add_reference(builder, &at);
        }
}

TEST(an_unbalanced_analysis_is_that_of_r)
{
    static const struct {
        const char *name;
        size_t df;
        double sum, f, p, eta, range;
    } expected[] = {
        {"path", 2, 116866.648334004, 1261.60892291692, 3.56179347305791e-111, 0.755502378996798,
         84.3401101027362},
        {"pattern", 3, 2506.31270846944, 18.0375754286383, 2.35585225020169e-10, 0.0162024430472831,
         NAN},
        {"counters", 2, 918.045629519023, 9.91056536965032, 8.01432368314675e-05,
         0.00593484682770205, 7.24037037037034},
        {"opt", 2, 6.84864811503758, 0.0739331168902492, 0.928760235580215, 4.42741365272587e-05,
         0.504273504273502},
        {"link", 1, 0.890385390113806, 0.0192239303345469, 0.889871737000462, 5.75603296615844e-06,
         0.0224215246636515},
        {"path x pattern", 3, 2948.44107258302, 21.2195102645788, 6.47905501835237e-12,
         0.0190606496928192, NAN},
        {"pattern x opt", 6, 479.777225561187, 1.72644416352331, 0.116749600620163,
         0.00310159348682625, NAN},
        {"path x counters", 4, 11.6621408412866, 0.0629480743883029, 0.992646337447276,
         7.53916987899457e-05, NAN},
    };
    BUILDER(builder, 1);
    build_reference(&builder);
    struct error_report report = judge_factors(&builder);
    assert_int_equal(report.anova_count, 1);
    const struct error_anova *anova = report.anovas;
    assert_int_equal(anova->count, 216);
    assert_int_equal(anova->residual_df, 192);
    check_digits("residual", anova->residual_sum, 8892.77020498941, 10);
    check_digits("total", anova->total_sum, 154687.333333333, 10);
    assert_ptr_equal(anova->effects, report.effects);
    assert_int_equal(anova->effect_count, sizeof(expected) / sizeof(*expected));
    for (size_t i = 0; i < anova->effect_count; i++) {
        const struct error_effect *effect = effect_of(&report, expected[i].name);
        assert_int_equal(effect->df, expected[i].df);
        check_digits(effect->name, effect->sum_sq, expected[i].sum, 9);
        check_digits(effect->name, effect->f, expected[i].f, 9);
        check_digits(effect->name, effect->p, expected[i].p, 9);
        check_digits(effect->name, effect->effect_size, expected[i].eta, 9);
        check_digits(effect->name, effect->partial,
                     expected[i].sum / (expected[i].sum + 8892.77020498941), 9);
        if (!isnan(expected[i].range))
            check_digits("range", effect->range, expected[i].range, 9);
        assert_int_equal(effect->significant, expected[i].p < 0.001);
        assert_true(effect->share_within >= effect->effect_size);
        assert_int_equal(effect->matters, effect->significant && effect->share_within >= 0.01);
    }
    /* papi-high has one pattern: three combinations of path and pattern do not exist. */
    const struct reason *lost = reasons_find(&anova->note, &error_words[NOTE_LOST_DF]);
    assert_string_equal(lost->values[0].text, "path x pattern");
    assert_true(lost->values[1].count == 3 && lost->values[2].count == 6);
    assert_true(says(&anova->note, NOTE_SINGLE));
    assert_false(anova->no_variance);
}

/* --- planted and absent effects --- */

struct planted {
    double path, pattern, counters, opt, link; /* from one level to the next */
    double path_pattern, pattern_opt;          /* where both are at their last level */
};

static double planted_error(const struct error_cell *cell, void *context)
{
    const struct planted *planted = context;
    double path = 0, opt = 0, link = strcmp(cell->link, "static") == 0;
    for (size_t i = 0; three_paths[i]; i++)
        path = strcmp(cell->path, three_paths[i]) == 0 ? (double)i : path;
    for (size_t i = 0; three_opts[i]; i++)
        opt = strcmp(cell->opt, three_opts[i]) == 0 ? (double)i : opt;
    return 100 + planted->path * path + planted->pattern * (double)cell->pattern +
           planted->opt * opt + planted->link * link + planted->counters * (cell->counters - 1) +
           (path > 1 && cell->pattern == PATTERN_RO ? planted->path_pattern : 0) +
           (opt > 1 && cell->pattern == PATTERN_RO ? planted->pattern_opt : 0);
}

/* Everything at one counter; more counters only at -O2 and static, as the study plans it. */
static void build_planted(struct error_builder *builder, const struct planted *planted,
                          const struct error_way *noise)
{
    static const uint32_t more[] = {2, 4, 0};
    struct error_way way = *noise;
    way.effect = planted_error;
    way.context = (void *)planted;
    struct error_crossing crossing = {.paths = three_paths,
                                      .opts = three_opts,
                                      .links = two_links,
                                      .patterns = ERROR_ALL_PATTERNS};
    build_error_crossing(builder, &crossing, &way);
    crossing = (struct error_crossing){
        .paths = three_paths, .counters = more, .patterns = ERROR_ALL_PATTERNS};
    build_error_crossing(builder, &crossing, &way);
}

static struct error_report planted_report(uint64_t seed, const struct planted *planted,
                                          const struct error_way *noise)
{
    BUILDER(builder, seed);
    build_planted(&builder, planted, noise);
    return judge_factors(&builder);
}

TEST(planted_effects_are_found_with_their_size)
{
    const struct planted planted = {.path = 40, .pattern = 9, .counters = 12, .path_pattern = 60};
    const struct error_report report = planted_report(
        21, &planted,
        &(struct error_way){.runs = 5, .run_noise = 9, .process_noise = 4, .first = 900});
    /* A process median has a deviation of about 7, and 200 processes or more stand on each side:
     * three times the error of a difference is 2; among the 24 of one number of counters 4. The
     * mean over the levels of the other factor takes 60 / 4 and 60 / 3 of the interaction. */
    static const struct {
        const char *name;
        bool there;
        double range, within; /* within 0: not asked */
    } effects[] = {{"path", true, 80 + 15, 3},     {"pattern", true, 27 + 20, 3},
                   {"counters", true, 36, 4},      {"path x pattern", true, 0, 0},
                   {"opt", false, 0, 2},           {"link", false, 0, 2},
                   {"pattern x opt", false, 0, 0}, {"path x counters", false, 0, 0}};
    for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++) {
        const struct error_effect *effect = effect_of(&report, effects[i].name);
        assert_int_equal(effect->significant, effects[i].there);
        assert_int_equal(effect->matters, effects[i].there);
        assert_true(effects[i].there || effect->p > 0.01);
        if (effects[i].within > 0)
            assert_near(effect->range, effects[i].range, effects[i].within);
    }
    const struct error_anova *anova = report.anovas;
    assert_int_equal(anova->cells, 3 * 4 * (3 * 2 + 2));
    assert_int_equal(anova->count, 20 * anova->cells);
    assert_true(anova->r_squared > 0.95 && anova->r_squared < 1);
    assert_near(anova->residual_sum / (double)anova->residual_df, 6.6 * 6.6, 8);
}

/* What more counters add must not appear as an effect of the one level and link at which they were
 * measured, nor the level as one of counters, although plain means differ by it. */
TEST(more_counters_at_one_level_do_not_look_like_that_level)
{
    const struct error_way noise = {.runs = 3, .process_noise = 5};
    struct error_report report =
        planted_report(22, &(struct planted){.counters = 500, .path = 30}, &noise);
    assert_true(effect_of(&report, "counters")->matters);
    assert_false(effect_of(&report, "opt")->significant || effect_of(&report, "link")->significant);
    assert_true(effect_of(&report, "opt")->effect_size < 1e-4);
    assert_true(effect_of(&report, "opt")->range < 2 && effect_of(&report, "link")->range < 2);
    report = planted_report(23, &(struct planted){.opt = 200, .link = 300}, &noise);
    assert_true(effect_of(&report, "opt")->matters && effect_of(&report, "link")->matters);
    assert_false(effect_of(&report, "counters")->significant);
    assert_true(effect_of(&report, "counters")->range < 4);
    assert_near(effect_of(&report, "opt")->range, 400, 2);
}

/* A small effect among thousands of values is certain, and nobody need care. */
TEST(what_is_significant_need_not_matter)
{
    const struct error_report report =
        planted_report(25, &(struct planted){.path = 300, .pattern = 200, .opt = 8},
                       &(struct error_way){.processes = 40, .runs = 3, .process_noise = 8});
    const struct error_effect *opt = effect_of(&report, "opt");
    assert_true(opt->significant && !opt->matters);
    assert_true(opt->p < 1e-10 && opt->share_within < ERROR_EFFECT_THRESHOLD);
    assert_true(effect_of(&report, "path")->matters);
}

/* A path that adds thousands makes nearly all the variance: what its users may still choose is
 * judged by what differs within the paths. */
TEST(a_large_path_hides_no_other_factor)
{
    const struct error_report report =
        planted_report(26, &(struct planted){.path = 5000, .pattern = 10},
                       &(struct error_way){.runs = 3, .process_noise = 3});
    const struct error_effect *pattern = effect_of(&report, "pattern"),
                              *path = effect_of(&report, "path");
    assert_true(pattern->effect_size < ERROR_EFFECT_THRESHOLD / 10);
    assert_true(pattern->matters && pattern->share_within > 0.5 && pattern->share_within < 1);
    assert_true(path->matters && path->share_within == path->effect_size);
    assert_false(effect_of(&report, "opt")->matters);
    assert_false(effect_of(&report, "link")->matters);
}

/* --- the stated rate --- */

#define REPETITIONS 400
#define TERMS       8

static void count_alarms(uint64_t seed, const struct error_way *noise, size_t alarms[TERMS])
{
    static const char *const names[TERMS] = {"path",          "pattern",        "counters",
                                             "opt",           "link",           "path x pattern",
                                             "pattern x opt", "path x counters"};
    BUILDER(builder, seed);
    build_planted(&builder, &(struct planted){0}, noise);
    struct error_report report = judge_factors(&builder);
    for (size_t i = 0; i < TERMS; i++)
        alarms[i] += effect_of(&report, names[i])->p < 0.05;
}

/* Of 400 repetitions 20 are expected below 0.05, with a deviation of 4.4: 4 … 36 for each term, and
 * of all 3200 160 with one of 12.3, or somewhat more as terms share a repetition: 110 … 210. */
static void check_rate(uint64_t seed, const struct error_way *noise)
{
    size_t alarms[TERMS] = {0}, all = 0;
    for (uint64_t i = 0; i < REPETITIONS; i++)
        count_alarms(seed * 100000 + i, noise, alarms);
    for (size_t i = 0; i < TERMS; i++) {
        assert_in_range(alarms[i], 4, 36);
        all += alarms[i];
    }
    assert_in_range(all, 110, 210);
}

/* Processes differ more than their runs do: taken for replicates, runs would find effects in nearly
 * every repetition. Wild processes, and whole numbers that mostly agree, raise no more alarms. */
TEST(absent_effects_are_seen_as_often_as_stated)
{
    static const struct error_way noises[] = {
        {.processes = 4, .runs = 4, .run_noise = 5, .process_noise = 20, .first = 99},
        {.processes = 4, .runs = 3, .noise = NOISE_HEAVY, .process_noise = 30},
        {.processes = 4, .runs = 2, .process_noise = 0.45},
        {.processes = 6, .runs = 2, .noise = NOISE_RARE, .process_noise = 30},
    };
    for (size_t i = 0; i < sizeof(noises) / sizeof(*noises); i++)
        check_rate(i + 1, &noises[i]);
}

/* R, whose type II sums of squares are differences of nested models:
 *
 * d <- NULL; number <- 0
 * add <- function(path, pattern, counters, opt, link) {
 *   for (process in 0:(1 + number %% 3))
 *     d <<- rbind(d, data.frame(path, pattern, counters, opt, link, value = 40 * path +
 *       7 * pattern * (path == 1) + 3 * (counters - 1) + 2 * (opt == 0) * (pattern == 3) +
 *       (number * 37 + process * 101) %% 23))
 *   number <<- number + 1 }
 * for (path in 0:2) for (pattern in 0:3) {
 *   if (path == 0 && pattern != 2) next
 *   for (opt in 0:2) for (link in 0:1) add(path, pattern, 1, opt, link)
 *   for (counters in c(2, 4)) add(path, pattern, counters, 1, 1) }
 * for (name in names(d)[1:5]) d[[name]] <- factor(d[[name]])
 * terms <- c("path", "pattern", "counters", "opt", "link", "path:pattern", "pattern:opt",
 *            "path:counters")
 * fit <- function(terms) lm(reformulate(terms, "value"), d)
 * parts <- function(term) strsplit(term, ":")[[1]]
 * full <- fit(terms); total <- sum((d$value - mean(d$value))^2)
 * for (term in terms) {
 *   others <- Filter(function(other) !all(parts(term) %in% parts(other)), terms)
 *   without <- fit(others); with <- fit(c(others, term))
 *   df <- without$df.residual - with$df.residual; sum <- deviance(without) - deviance(with)
 *   f <- sum / df / (deviance(full) / full$df.residual)
 *   print(c(df, sum, f, pf(f, df, full$df.residual, lower.tail = FALSE), sum / total)) }
 * The range of x among the others is that of c(0, coef(fit(c("interaction(others …, drop = TRUE)",
 * "x")))), of the coefficients of x alone. */

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

TEST(one_process_a_cell_is_tested_by_what_the_factors_leave)
{
    const struct error_way way = {
        .processes = 1, .effect = exact_error, .process_noise = 3, .run_noise = 1};
    struct error_crossing crossing = {
        .paths = paths, .opts = opts, .links = links, .patterns = ERROR_ALL_PATTERNS};
    struct error_report report = crossed(&crossing, &way);
    assert_int_equal(report.anovas->count, 32);
    assert_false(report.anovas->no_variance);
    assert_says(report.anovas, NOTE_NO_REPLICATES);
    assert_true(find_effect(&report, user, "path")->matters);
    assert_false(find_effect(&report, user, "link")->significant);
    /* No more cells than parameters test nothing. */
    crossing =
        (struct error_crossing){.paths = paths, .patterns = 1u << PATTERN_AR | 1u << PATTERN_RR};
    report = crossed(&crossing, &way);
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

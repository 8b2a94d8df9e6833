/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control did it: planted programs of which the answer is known, hundreds of them. Wrong
 * names are counted, and so are names that were missed. */
#include "repeat-builder.h"

#define ASLR  CONTROL_BIT(CONTROL_ASLR)
#define SEEDS CONTROL_BIT(CONTROL_HASH_SEEDS)

/* The controls that were named as those that do it. */
static uint32_t named(const struct repeat_effect *effect)
{
    uint32_t set = 0;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (effect->parts[i].brings || effect->parts[i].is_needed)
            set |= CONTROL_BIT(i);
    return set;
}

struct score {
    uint32_t worlds, wrong, missed, moved;
};

/* So many worlds of the plan; `right` are the controls that matter, `moves` those that move the
 * level. */
static struct score scored(const struct repeat_planted *planted, uint32_t worlds, uint32_t right,
                           uint32_t moves)
{
    struct score score = {.worlds = worlds};
    for (uint32_t seed = 1; seed <= worlds; seed++) {
        WORLD(builder, seed);
        repeat_build_settings(&builder, &(struct repeat_way){0}, planted, true);
        struct repeat_report report = repeat_judged(&builder);
        assert_int_equal(report.effect_count, 1);
        const struct repeat_effect *effect = &report.effects[0];
        assert_true(effect->who.count > 0);
        score.wrong += (named(effect) & ~right) != 0;
        score.missed += (right & ~named(effect)) != 0;
        for (size_t i = 0; i < CONTROL_COUNT; i++)
            if (!((right | moves) & CONTROL_BIT(i)) &&
                (effect->parts[i].only.shifts || effect->parts[i].without.shifts)) {
                score.moved++;
                break;
            }
    }
    return score;
}

static void expect(const char *what, const struct repeat_planted *planted, uint32_t right,
                   uint32_t moves, double missed_by_7, double missed_by_12)
{
    for (size_t runs = 7; runs <= 12; runs += 5) {
        struct repeat_planted of_runs = *planted;
        of_runs.runs = runs;
        const struct score score = scored(&of_runs, repeat_seeds(8), right, moves);
        print_message("# %s, %zu runs: of %u worlds %u wrong, %u missed, %u levels wrong\n", what,
                      runs, score.worlds, score.wrong, score.missed, score.moved);
        /* Seven runs may miss more, but accuse no more. */
        assert_true(score.wrong <= .05 * score.worlds);
        assert_true(score.moved <= .05 * score.worlds);
        assert_true(score.missed <= (runs < 12 ? missed_by_7 : missed_by_12) * score.worlds);
    }
}

TEST(one_control_that_matters_is_named)
{
    struct repeat_planted aslr = {.varies[CONTROL_ASLR] = 500};
    expect("only aslr", &aslr, ASLR, 0, 0, 0);
    aslr.noise = 50;
    expect("only aslr, with noise", &aslr, ASLR, 0, .1, 0);
    aslr.levels = 2;
    aslr.noise = 0;
    expect("only aslr, two levels", &aslr, ASLR, 0, .8, .1);
    expect("only hash-seeds", &(struct repeat_planted){.varies[CONTROL_HASH_SEEDS] = 3000}, SEEDS,
           0, 0, 0);
    expect("only hash-seeds, outliers",
           &(struct repeat_planted){.varies[CONTROL_HASH_SEEDS] = 3000,
                                    .outliers = .05,
                                    .outlier_size = 20000,
                                    .noise = 10},
           SEEDS, 0, .5, .1);
}

TEST(two_that_are_needed_are_both_named)
{
    expect("either off varies",
           &(struct repeat_planted){.any = ASLR | SEEDS, .any_stdev = 800, .noise = 20},
           ASLR | SEEDS, 0, .3, .05);
    expect("two equal parts",
           &(struct repeat_planted){.varies[CONTROL_ASLR] = 500, .varies[CONTROL_HASH_SEEDS] = 500},
           ASLR | SEEDS, 0, .5, .15);
    expect(
        "two parts, 4 to 1",
        &(struct repeat_planted){.varies[CONTROL_ASLR] = 500, .varies[CONTROL_HASH_SEEDS] = 1000},
        ASLR | SEEDS, 0, .9, .5);
}

TEST(two_of_which_one_is_enough_are_both_named)
{
    expect("each suffices",
           &(struct repeat_planted){.all = ASLR | SEEDS, .all_stdev = 800, .noise = 5},
           ASLR | SEEDS, 0, .5, .1);
}

TEST(a_decoy_that_moves_the_level_is_not_accused)
{
    const uint32_t environment = CONTROL_BIT(CONTROL_ENVIRONMENT);
    expect("environment moves, aslr varies",
           &(struct repeat_planted){.varies[CONTROL_ASLR] = 500,
                                    .shifts[CONTROL_ENVIRONMENT] = -20000},
           ASLR, environment, 0, 0);
    expect("environment moves, nothing varies",
           &(struct repeat_planted){.shifts[CONTROL_ENVIRONMENT] = 137}, 0, environment, 0, 0);
    expect("environment moves, noise",
           &(struct repeat_planted){.shifts[CONTROL_ENVIRONMENT] = 300, .noise = 40}, 0,
           environment, 0, 0);
}

TEST(clean_data_accuse_nobody)
{
    expect("nothing varies", &(struct repeat_planted){0}, 0, 0, 0, 0);
    expect("noise", &(struct repeat_planted){.noise = 100}, 0, 0, 0, 0);
    expect("rare outliers", &(struct repeat_planted){.outliers = .05, .outlier_size = 5000}, 0, 0,
           0, 0);
    expect("outliers and noise",
           &(struct repeat_planted){.outliers = .2, .outlier_size = 5000, .noise = 3}, 0, 0, 0, 0);
    expect("two levels",
           &(struct repeat_planted){.levels = 2, .outliers = .5, .outlier_size = 1000}, 0, 0, 0, 0);
    expect("interrupts", &(struct repeat_planted){.interrupts = 30, .each = 7}, 0, 0, 0, 0);
}

TEST(it_is_said_who_and_what_is_left)
{
    static const struct {
        struct repeat_planted planted;
        bool singles;
        enum repeat_word says[3]; /* in this order; SAYS_IDENTICAL, which is none: no more */
    } cases[] = {
        {{.varies[CONTROL_ASLR] = 500}, true, {SAYS_DID_IT, SAYS_WITH_IT, SAYS_WITHOUT_IT}},
        {{.any = ASLR | SEEDS, .any_stdev = 800}, true, {SAYS_NEEDED, SAYS_NONE_ALONE}},
        {{.all = ASLR | SEEDS, .all_stdev = 800}, true, {SAYS_EACH_ENOUGH}},
        {{.shifts[CONTROL_ENVIRONMENT] = -25000}, true, {SAYS_ALWAYS_SAME, SAYS_MOVES}},
        {{.shifts[CONTROL_ENVIRONMENT] = -25000}, false, {SAYS_ALWAYS_SAME, SAYS_FEWER}},
        {{.shifts[CONTROL_ENVIRONMENT] = 25000}, false, {SAYS_ALWAYS_SAME, SAYS_MORE}},
        {{.interrupts = 30, .each = 7}, true, {SAYS_NO_CONTROL, SAYS_REST, SAYS_FOLLOWS}},
        {{.varies[CONTROL_ASLR] = 500}, false, {SAYS_FROM_TO, SAYS_NOT_SINGLY}},
        {{.noise = 100}, true, {SAYS_NO_CONTROL, SAYS_REST}},
        {{.noise = 100, .runs = 1}, true, {SAYS_FEW_RUNS}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        WORLD(builder, 5);
        repeat_build_settings(&builder, &(struct repeat_way){0}, &cases[i].planted,
                              cases[i].singles);
        const struct repeat_report report = repeat_judged(&builder);
        const struct reasons *who = &report.effects[0].who;
        size_t said = 0;
        for (; said < 3 && cases[i].says[said]; said++)
            assert_ptr_equal(who->list[said].words, &repeat_words[cases[i].says[said]]);
        assert_int_equal(who->count, said);
        if (cases[i].planted.shifts[CONTROL_ENVIRONMENT] < 0 && cases[i].singles)
            assert_float_equal(repeat_number_of(who, SAYS_MOVES, 1), -25000, 0);
        if (cases[i].planted.interrupts > 0)
            assert_float_equal(repeat_number_of(who, SAYS_FOLLOWS, 2), 7, 1e-6);
    }
}

/* Counts that follow the account of their run, whose runs differ by chance. */
static struct repeat_report followed(struct repeat_builder *builder, const char *source,
                                     enum command_detail detail, const char *event, uint64_t output,
                                     bool faults)
{
    for (uint32_t controls = 0; controls < 2; controls++) {
        const size_t cell =
            repeat_build_cell(builder, &(struct repeat_way){.source = source,
                                                            .controls = controls ? CONTROLS_ALL : 0,
                                                            .detail = detail,
                                                            .events = {event}});
        for (uint64_t run = 0; run < 12; run++) {
            const uint64_t times = 100 + run * 7 % 12;
            struct account *account =
                &repeat_build_run(builder, cell, (uint64_t[]){50000 + 1000 * times})->account;
            *(faults ? &account->minor_faults : &account->voluntary) = times;
            builder->file.cells[cell].list[run].output_bytes = output;
        }
    }
    return repeat_judged(builder);
}

/* Stepping stops a program at every instruction, tools execute it within themselves, and calls are
 * watched by stopping it: what they make explains nothing. Nor does a count explain itself. */
TEST(what_a_tool_makes_itself_explains_nothing)
{
    static const struct {
        const char *source, *event;
        enum command_detail detail;
        bool switches, faults; /* explain it */
        uint64_t output;
    } cases[] = {
        {"perf_event", "instructions:u", DETAIL_NONE, true, true, 0},
        {"perf_event", "instructions:u", DETAIL_CALLS, false, false, 0},
        {"perf_event", "instructions:u", DETAIL_NONE, true, true, 100000},
        {"perf_event", "instructions:u", DETAIL_NONE, false, true, 3000000},
        {"step", "step/instructions/", DETAIL_NONE, false, true, 0},
        {"qemu", "qemu/instructions/", DETAIL_NONE, false, false, 0},
        {"valgrind", "valgrind/instructions/", DETAIL_NONE, false, false, 0},
        {"perf_event", "page-faults", DETAIL_NONE, true, false, 0},
        {"perf_event", "context-switches:u", DETAIL_NONE, false, true, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int faults = 0; faults < 2; faults++) {
            WORLD(builder, 3);
            const struct repeat_report report = followed(&builder, cases[i].source, cases[i].detail,
                                                         cases[i].event, cases[i].output, faults);
            for (size_t j = 0; j < report.effect_count; j++) {
                const bool said =
                    reasons_find(&report.effects[j].who, &repeat_words[SAYS_FOLLOWS]) != NULL;
                if (said != (faults ? cases[i].faults : cases[i].switches))
                    fail_msg("%s by %s: %s", cases[i].event, cases[i].source,
                             reasons_text(&report.effects[j].who));
            }
        }
}

/* Controlled it counts far less and spreads less: its share of its own mean is larger all the same.
 */
TEST(a_sentence_has_one_measure)
{
    WORLD(builder, 3);
    for (uint32_t controls = 0; controls < 2; controls++) {
        const size_t cell = repeat_build_cell(
            &builder, &(struct repeat_way){.controls = controls ? CONTROLS_ALL : 0});
        for (uint64_t run = 0; run < 12; run++)
            repeat_build_run(
                &builder, cell,
                (uint64_t[]){controls ? 1000 + 20 * (run * 7 % 12) : 10000 + 150 * (run * 7 % 12)});
    }
    const struct repeat_report report = repeat_judged(&builder);
    const struct repeat_effect *effect = &report.effects[0];
    assert_true(effect->ratio > 7 && effect->controlled->cv_percent > effect->as_is->cv_percent);
    const struct reason *told = reasons_find(&effect->who, &repeat_words[SAYS_FROM_TO]);
    assert_non_null(told);
    const struct reason *sides[] = {told->values[0].reasons->list, told->values[1].reasons->list};
    const double shares[] = {sides[0]->values[0].number, sides[1]->values[0].number};
    assert_true(fabs(shares[0] / shares[1] - effect->ratio) < 1e-9);
    assert_true(fabs(shares[0] - effect->as_is->cv_percent) < 1e-9);
    assert_true(sides[0]->values[1].kind == REASON_ABSENT || !sides[0]->values[1].text);
    assert_string_equal(sides[1]->values[1].text, "as-is");
}

/* One run far off: by ranks as-is varies more, by standard deviations controlled does. */
TEST(what_ranks_and_deviations_disagree_on_is_not_said)
{
    WORLD(builder, 3);
    for (uint32_t controls = 0; controls < 2; controls++) {
        const size_t cell = repeat_build_cell(
            &builder, &(struct repeat_way){.controls = controls ? CONTROLS_ALL : 0});
        for (uint64_t run = 0; run < 12; run++)
            repeat_build_run(
                &builder, cell,
                (uint64_t[]){controls ? 10000 + (run == 5) * 90000 : 10000 + 150 * (run * 7 % 12)});
    }
    const struct repeat_report report = repeat_judged(&builder);
    assert_true(report.effects[0].ratio < 1);
    assert_null(reasons_find(&report.effects[0].who, &repeat_words[SAYS_FROM_TO]));
    assert_non_null(reasons_find(&report.effects[0].who, &repeat_words[SAYS_NO_CONTROL]));
}

TEST(the_ratio_says_how_much_and_how_surely)
{
    uint32_t within = 0;
    const uint32_t worlds = repeat_seeds(100);
    for (uint32_t seed = 1; seed <= worlds; seed++) {
        WORLD(builder, seed);
        repeat_build_settings(
            &builder, &(struct repeat_way){0},
            &(struct repeat_planted){.varies[CONTROL_ASLR] = 3000 * sqrt(.99), .noise = 300},
            false);
        struct repeat_report report = repeat_judged(&builder);
        const struct repeat_effect *effect = &report.effects[0];
        assert_true(effect->ratio_low <= effect->ratio && effect->ratio <= effect->ratio_high);
        within += effect->ratio_low <= 10 && 10 <= effect->ratio_high;
    }
    print_message("# the ratio's interval holds it in %u of %u worlds\n", within, worlds);
    assert_true(within >= .93 * worlds);
}

TEST(a_ratio_over_identical_counts_has_no_end)
{
    WORLD(builder, 3);
    repeat_build_settings(&builder, &(struct repeat_way){0},
                          &(struct repeat_planted){.varies[CONTROL_ASLR] = 500}, true);
    struct repeat_report report = repeat_judged(&builder);
    const struct repeat_effect *effect = &report.effects[0];
    assert_true(isinf(effect->ratio) && isinf(effect->ratio_high));
    /* Of 12 runs that never varied up to 26 % could. */
    assert_true(fabs(effect->ratio_low - 1 / sqrt(1 - pow(.025, 1. / 12))) < 1e-6);
    const struct control_part *aslr = &effect->parts[CONTROL_ASLR];
    assert_float_equal(aslr->only.part, 1, 1e-12);
    assert_float_equal(aslr->only.low, pow(.025, 1. / 12), 1e-6);
    assert_true(aslr->brings && aslr->is_needed);
}

TEST(of_counts_that_never_vary_there_is_no_ratio)
{
    WORLD(builder, 3);
    repeat_build_settings(&builder, &(struct repeat_way){0}, &(struct repeat_planted){0}, true);
    const struct repeat_report report = repeat_judged(&builder);
    assert_true(isnan(report.effects[0].ratio));
}

/* Addresses that are held are one draw of those that vary. */
TEST(a_draw_that_is_held_is_no_shift_of_the_level)
{
    uint32_t shifts = 0;
    const uint32_t worlds = repeat_seeds(20);
    for (uint32_t seed = 1; seed <= worlds; seed++) {
        WORLD(builder, seed);
        repeat_build_settings(&builder, &(struct repeat_way){0},
                              &(struct repeat_planted){.varies[CONTROL_ASLR] = 500, .held = 2},
                              true);
        struct repeat_report report = repeat_judged(&builder);
        const struct control_part *part = &report.effects[0].parts[CONTROL_ASLR];
        shifts += part->only.shifts || part->without.shifts;
    }
    assert_true(shifts <= .05 * worlds);
}

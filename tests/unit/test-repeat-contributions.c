/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What faults and interrupts add to a counter: planted amounts come out, an exact zero with an
 * interval that so many runs deserve, and nothing where nothing can be known; and counts are less
 * by it when they are adjusted. */
#include "repeat-builder.h"

/* How a machine counts. */
struct planted_machine {
    double fault, interrupt; /* what each adds */
    double offset;           /* of every count */
    double noise;
    bool untold; /* nobody tells interrupts */
};

/* One execution of a program of this length with so many faults, and some interrupts. */
static void execute(struct repeat_builder *builder, size_t cell, const struct planted_machine *how,
                    uint64_t length, uint64_t faults, double interrupts)
{
    const double ticks =
        fmax(0, round(interrupts + sqrt(interrupts + 1) * repeat_built_normal(builder)));
    const double count = (double)length + how->offset + how->fault * (double)faults +
                         how->interrupt * ticks + how->noise * repeat_built_normal(builder);
    struct repeat_run *run = repeat_build_run(builder, cell, &(uint64_t){(uint64_t)llround(count)});
    run->account.minor_faults = faults;
    run->has_interrupts = !how->untold;
    run->interrupts = how->untold ? 0 : (uint64_t)ticks;
}

/* A subject of known length: as many faults and interrupts as told. */
static size_t subject(struct repeat_builder *builder, const struct planted_machine *how,
                      const char *name, uint64_t length, uint64_t faults, double interrupts)
{
    const struct repeat_way way = {
        .controls = CONTROLS_ALL,
        .program = repeat_build_subject(builder, name, 1, "M6", (int64_t)length, 64)};
    const size_t cell = repeat_build_cell(builder, &way);
    for (int run = 0; run < 12; run++)
        execute(builder, cell, how, length, faults, interrupts);
    return cell;
}

static const struct repeat_contribution *find(const struct repeat_report *report,
                                              enum disturbance of)
{
    for (size_t i = 0; i < report->contribution_count; i++)
        if (report->contributions[i].of == of)
            return &report->contributions[i];
    fail_msg("no contribution of a %s", disturbance_names[of]);
    return NULL;
}

/* Three subjects: a plain one, one with faults, one that takes long. */
static struct repeat_report measure(struct repeat_builder *builder,
                                    const struct planted_machine *how, uint64_t seed)
{
    repeat_build_start(builder, seed);
    repeat_build_machine(builder, "a machine", "1");
    subject(builder, how, "loop", 40184, 20, 0.2);
    subject(builder, how, "faults", 8205, 2020, 0.5);
    subject(builder, how, "spin", 600000184, 20, 100);
    return repeat_judged(builder);
}

TEST(planted_amounts_come_out)
{
    const struct planted_machine how = {.fault = 1, .interrupt = 2, .offset = 3, .noise = 1};
    int inside = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        AUTO_BUILDER builder;
        struct repeat_report report = measure(&builder, &how, seed);
        const struct repeat_contribution *fault = find(&report, DISTURBANCE_FAULT);
        const struct repeat_contribution *tick = find(&report, DISTURBANCE_INTERRUPT);
        assert_true(fault->known && tick->known);
        assert_int_equal(fault->runs, 36);
        assert_int_equal(fault->programs, 3);
        assert_true(fabs(fault->each - 1) < 0.01 && fabs(tick->each - 2) < 0.1);
        assert_true(tick->high - tick->low < 0.1);
        inside += fault->low <= 1 && fault->high >= 1;
        inside += tick->low <= 2 && tick->high >= 2;
    }
    /* 95 of 100 for each; far fewer, or all, and the interval is none of 95 %. */
    assert_in_range(inside, 178, 199);
}

TEST(an_exact_zero_is_zero_within_what_whole_counts_can_tell)
{
    AUTO_BUILDER builder;
    const struct planted_machine how = {0};
    struct repeat_report report = measure(&builder, &how, 5);
    const struct repeat_contribution *fault = find(&report, DISTURBANCE_FAULT);
    const struct repeat_contribution *tick = find(&report, DISTURBANCE_INTERRUPT);
    assert_true(fault->known && tick->known);
    assert_true(fabs(fault->each) < 1e-9 && fabs(tick->each) < 1e-9);
    assert_true(fault->low < 0 && fault->low > -0.001 && fault->high > 0 && fault->high < 0.001);
    assert_true(tick->low < 0 && tick->low > -0.01 && tick->high > 0 && tick->high < 0.01);
}

TEST(interrupts_that_nobody_tells_are_not_known_and_faults_are)
{
    AUTO_BUILDER builder;
    const struct planted_machine how = {.fault = 1, .untold = true};
    struct repeat_report report = measure(&builder, &how, 5);
    assert_true(find(&report, DISTURBANCE_FAULT)->known);
    assert_true(fabs(find(&report, DISTURBANCE_FAULT)->each - 1) < 1e-6);
    assert_false(find(&report, DISTURBANCE_INTERRUPT)->known);
    assert_says(find(&report, DISTURBANCE_INTERRUPT)->why, SAYS_UNTOLD);
}

TEST(what_does_not_vary_is_not_known)
{
    const struct planted_machine how = {.fault = 1};
    MACHINE(builder, 1);
    const size_t cell = subject(&builder, &how, "loop", 1000, 20, 0);
    for (size_t run = 0; run < builder.file.cells[cell].runs; run++)
        builder.file.cells[cell].list[run].interrupts = 0;
    struct repeat_report report = repeat_judged(&builder);
    assert_false(find(&report, DISTURBANCE_FAULT)->known);
    assert_says(find(&report, DISTURBANCE_FAULT)->why, SAYS_FEW_DIFFER);
    assert_false(find(&report, DISTURBANCE_INTERRUPT)->known);
}

TEST(programs_of_unknown_length_tell_by_what_varies_with_them)
{
    const struct planted_machine how = {.fault = 1, .interrupt = 5, .offset = 7, .noise = 2};
    MACHINE(builder, 3);
    for (int program = 0; program < 3; program++) {
        struct repeat_way way = {.controls = CONTROLS_ALL,
                                 .program = repeat_build_program(&builder, "p", "p")};
        const size_t cell = repeat_build_cell(&builder, &way);
        for (uint64_t run = 0; run < 12; run++) /* their lengths differ by millions */
            execute(&builder, cell, &how, 1000000u * (uint64_t)(program + 1), 300 + 40 * run, 50);
        way.controls = 0; /* and as-is they vary: those runs say nothing */
        const size_t loose = repeat_build_cell(&builder, &way);
        for (uint64_t run = 0; run < 12; run++)
            execute(&builder, loose, &how, 1000000u + 77777 * run, 300, 50);
    }
    struct repeat_report report = repeat_judged(&builder);
    const struct repeat_contribution *fault = find(&report, DISTURBANCE_FAULT);
    const struct repeat_contribution *tick = find(&report, DISTURBANCE_INTERRUPT);
    assert_true(fault->known && tick->known);
    assert_int_equal(fault->runs, 36);
    assert_true(fabs(fault->each - 1) < 0.05 && fault->low < 1 && fault->high > 1);
    assert_true(fabs(tick->each - 5) < 0.5);
}

/* A program that takes more memory when it does more: what goes with faults is its own work, and
 * takes nothing away from what varies. Stepped, it shows whether it varies itself. */
static struct repeat_report worked(struct repeat_builder *builder, bool stepped)
{
    const struct planted_machine how = {.fault = stepped ? 1 : 200, .noise = 1};
    repeat_build_start(builder, 3);
    repeat_build_machine(builder, "a machine", "1");
    struct repeat_way way = {.program = repeat_build_program(builder, "p", "p")};
    for (int controlled = 0; controlled < 2; controlled++) {
        way.controls = controlled ? CONTROLS_ALL : 0;
        const size_t cell = repeat_build_cell(builder, &way);
        for (uint64_t run = 0; run < 12; run++)
            execute(builder, cell, &how, 1000000 + 5000 * (controlled ? 0 : run), 300 + 40 * run,
                    0);
    }
    way.source = "step";
    if (stepped)
        repeat_build_same(builder, repeat_build_cell(builder, &way), 1000000, 3);
    return repeat_judged(builder);
}

TEST(what_a_program_may_do_itself_is_neither_subtracted_nor_decides)
{
    for (int stepped = 0; stepped < 2; stepped++) {
        AUTO_BUILDER builder;
        struct repeat_report report = worked(&builder, stepped);
        const struct repeat_contribution *fault = find(&report, DISTURBANCE_FAULT);
        assert_true(fault->known && fault->low > 0);
        assert_int_equal(fault->firm, stepped);
        assert_int_equal(report.findings[5].verdict,
                         stepped ? FINDING_HOLDS : FINDING_INCONCLUSIVE);
        /* M1 must not hold by taking away what the program itself does. */
        assert_true(stepped || report.findings[0].verdict == FINDING_FAILS);
        for (size_t i = 0; i < report.row_count; i++)
            if (report.rows[i].cell->controls && report.rows[i].is_adjusted && !stepped)
                assert_true(report.rows[i].adjusted_stdev > 0.99 * report.rows[i].stdev);
    }
}

static const struct repeat_row *row_of(const struct repeat_case *file,
                                       const struct repeat_report *report, const char *subject_name)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct repeat_cell *cell = report->rows[i].cell;
        if (strcmp(file->programs[cell->at.program].subject_name, subject_name) == 0)
            return &report->rows[i];
    }
    fail_msg("no row of %s", subject_name);
    return NULL;
}

TEST(adjusted_counts_lose_what_was_added_and_come_to_the_truth)
{
    AUTO_BUILDER builder;
    const struct planted_machine how = {.fault = 1, .interrupt = 100};
    struct repeat_report report = measure(&builder, &how, 9);
    const struct repeat_row *spin = row_of(&builder.file, &report, "spin");
    assert_true(spin->is_adjusted);
    assert_true(spin->stdev > 300 && spin->adjusted_stdev < 1);
    assert_true(fabs(spin->residual) < 5);
    assert_true(spin->residual_low <= 0 && spin->residual_high >= 0);
    const struct repeat_row *faults = row_of(&builder.file, &report, "faults");
    assert_true(fabs(faults->adjusted_mean - 8205) < 5 && faults->mean > 10000);
}

TEST(what_is_no_more_than_chance_is_not_subtracted)
{
    const struct planted_machine how = {.noise = 20};
    for (uint64_t seed = 1; seed < 20; seed++) {
        AUTO_BUILDER builder;
        struct repeat_report report = measure(&builder, &how, seed);
        const struct repeat_contribution *tick = find(&report, DISTURBANCE_INTERRUPT);
        const struct repeat_contribution *fault = find(&report, DISTURBANCE_FAULT);
        const struct repeat_row *spin = row_of(&builder.file, &report, "spin");
        if (tick->low < 0 && tick->high > 0 && fault->low < 0 && fault->high > 0)
            assert_true(fabs(spin->adjusted_mean - spin->mean) < 1e-6);
        assert_true(spin->is_adjusted);
    }
}

TEST(a_program_of_unknown_length_is_held_against_what_was_stepped)
{
    const struct planted_machine how = {.fault = 1, .interrupt = 2};
    MACHINE(builder, 4);
    subject(&builder, &how, "loop", 40184, 20, 1);
    subject(&builder, &how, "faults", 8205, 2020, 1);
    subject(&builder, &how, "spin", 600000184, 20, 100);
    struct repeat_way way = {.controls = CONTROLS_ALL,
                             .program = repeat_build_program(&builder, "p", "p")};
    size_t cell = repeat_build_cell(&builder, &way);
    for (int run = 0; run < 12; run++)
        execute(&builder, cell, &how, 5000000, 400, 10);
    way.source = "step";
    repeat_build_same(&builder, repeat_build_cell(&builder, &way), 4999990, 3);
    struct repeat_report report = repeat_judged(&builder);
    for (size_t i = 0; i < report.row_count; i++) {
        const struct repeat_row *row = &report.rows[i];
        if (row->cell != &builder.file.cells[cell])
            continue;
        assert_true(fabs(row->residual - 10) < 1);
        assert_true(row->residual_low > 5 && row->residual_high < 15);
    }
}

TEST(what_is_uncertain_of_a_contribution_is_uncertain_of_what_is_left)
{
    const struct planted_machine how = {.fault = 1, .noise = 5};
    MACHINE(builder, 4);
    subject(&builder, &how, "loop", 40184, 20, 1);
    subject(&builder, &how, "faults", 8205, 1020, 1);
    const size_t cell = subject(&builder, &how, "many", 1000000, 50000, 1);
    /* its own runs would make the contribution certain: they tell nothing of interrupts */
    for (size_t run = 0; run < builder.file.cells[cell].runs; run++)
        builder.file.cells[cell].list[run].has_interrupts = false;
    struct repeat_report report = repeat_judged(&builder);
    const struct repeat_contribution *fault = find(&report, DISTURBANCE_FAULT);
    const struct repeat_row *many = row_of(&builder.file, &report, "many");
    assert_true(fault->known && fault->low > 0);
    assert_true(many->residual_high - many->residual_low >= 49000 * (fault->high - fault->low));
}

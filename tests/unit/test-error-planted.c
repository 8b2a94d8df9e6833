/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurement error from store to report: what was planted in a store is what the judge finds. The
 * bench does the same with ten million samples. */
#include "store-fixture.h"

#include <math.h>

#include "planted-errors.h"
#include "studies/error/plan.h"
#include "studies/error/study.h"

struct judged {
    struct planted_written written;
    struct error_case file;
    struct error_report report;
};

static void judge(struct fixture *fixture, struct judged *judged)
{
    struct planted_size size = {200000, 7};
    struct store *store = NULL;
    must(planted_write(fixture->path, &size, &judged->written, failure));
    must(store_open(&store, fixture->path, false, failure));
    must(error_load(store, &judged->file, failure));
    store_close(store);
    judged->report = error_judge(&judged->file, 1);
}

TEST_WITH(every_planted_sample_is_loaded_and_judged, setup, teardown)
{
    struct judged judged = {0};
    uint64_t runs = 0, samples = 0;
    judge(*state, &judged);
    assert_true(judged.written.samples >= 200000);
    assert_int_equal(judged.file.cell_count, judged.written.cells);
    for (size_t i = 0; i < judged.file.cell_count; i++) {
        const struct error_cell *cell = &judged.file.cells[i];
        runs += cell->runs;
        samples += cell->runs * cell->counters;
        assert_int_equal(cell->processes,
                         cell->part == PART_STEPPED ? 2 : judged.written.processes);
    }
    assert_true(samples == judged.written.samples);
    assert_true(judged.report.measurements == runs);
    assert_int_equal(judged.report.row_count, judged.written.cells);
}

TEST_WITH(rows_show_the_planted_error, setup, teardown)
{
    struct judged judged = {0};
    judge(*state, &judged);
    for (size_t i = 0; i < judged.report.row_count; i++) {
        const struct error_row *row = &judged.report.rows[i];
        const struct error_cell *cell = row->cell;
        if (cell->part != PART_NULL && cell->part != PART_STEPPED)
            continue;
        int64_t planted = PLANTED_BASE + planted_pattern_adds[cell->pattern];
        for (size_t path = 0; path < PLANTED_PATHS; path++)
            if (strcmp(cell->path, planted_paths[path]) == 0)
                planted += planted_path_adds[path];
        if (cell->mode == COUNT_BOTH)
            planted += PLANTED_KERNEL + PLANTED_EACH_COUNTER * ((int64_t)cell->counters - 1);
        /* of few processes, each off by 4 as a rule */
        int64_t tolerated = cell->part == PART_STEPPED ? 0 : 14;
        assert_in_range(row->later.median - planted + tolerated, 0, 2 * tolerated);
        assert_in_range(row->first.median - planted - PLANTED_FIRST_RUN + tolerated, 0,
                        2 * tolerated);
    }
}

TEST_WITH(effects_that_were_planted_matter_and_others_do_not, setup, teardown)
{
    struct judged judged = {0};
    judge(*state, &judged);
    size_t mattering = 0;
    for (size_t i = 0; i < judged.report.effect_count; i++) {
        const struct error_effect *effect = &judged.report.effects[i];
        bool planted = effect->factors == 1u << FACTOR_PATH ||
                       effect->factors == 1u << FACTOR_PATTERN ||
                       (effect->factors == 1u << FACTOR_COUNTERS &&
                        strcmp(effect->event, "instructions:uk") == 0);
        if (effect->matters != planted)
            fail_msg("%s of %s: eta squared %g, p %g", effect->name, effect->event,
                     effect->effect_size, effect->p);
        mattering += effect->matters;
        if (effect->factors == 1u << FACTOR_PATH)
            assert_true(fabs(effect->range - PLANTED_PATH_MOST) < 5);
        if (effect->factors == 1u << FACTOR_PATTERN)
            assert_true(fabs(effect->range - PLANTED_PATTERN_MOST) < 5);
    }
    assert_int_equal(mattering,
                     2 * 3 + 1); /* of three events, one of them by kernel and counters */
}

TEST_WITH(slopes_that_were_planted_are_found, setup, teardown)
{
    struct judged judged = {0};
    judge(*state, &judged);
    assert_int_equal(judged.report.slope_count, 3);
    for (size_t i = 0; i < judged.report.slope_count; i++) {
        const struct error_slope *slope = &judged.report.slopes[i];
        double planted = slope->mode == COUNT_USER ? 0 : PLANTED_SLOPE;
        assert_true(slope->low <= planted && planted <= slope->high);
    }
}

TEST_WITH(the_planted_place_factor_is_found, setup, teardown)
{
    struct judged judged = {0};
    judge(*state, &judged);
    assert_int_equal(judged.report.placement_count, 1);
    assert_true(fabs(judged.report.placements[0].factor - PLANTED_PLACE_FACTOR) < 0.2);
    assert_int_equal(judged.report.place_count, 64);
}

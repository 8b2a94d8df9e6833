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

static void assert_rows(const struct error_report *report)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
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

static void assert_effects(const struct error_report *report)
{
    size_t mattering = 0;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct error_effect *effect = &report->effects[i];
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

TEST_WITH(what_was_planted_is_what_is_found, setup, teardown)
{
    struct planted_size size = {200000, 7};
    struct planted_written written;
    struct error_case file = {0};
    struct store *store = NULL;
    const char *path = ((struct fixture *)*state)->path;
    must(planted_write(path, &size, &written, failure));
    must(store_open(&store, path, false, failure));
    must(error_load(store, &file, failure));
    store_close(store);
    assert_int_equal(file.cell_count, written.cells);
    uint64_t runs = 0, samples = 0;
    for (size_t i = 0; i < file.cell_count; i++) {
        runs += file.cells[i].runs;
        samples += file.cells[i].runs * file.cells[i].counters;
    }
    assert_true(samples == written.samples && samples >= 200000);
    const struct error_report report = error_judge(&file, 1);
    assert_true(report.measurements == runs && report.row_count == written.cells);
    assert_rows(&report);
    assert_effects(&report);
    assert_int_equal(report.slope_count, 3);
    for (size_t i = 0; i < report.slope_count; i++) {
        double planted = report.slopes[i].mode == COUNT_USER ? 0 : PLANTED_SLOPE;
        assert_true(report.slopes[i].low <= planted && planted <= report.slopes[i].high);
    }
    assert_true(report.placement_count == 1 && report.place_count == 64);
    assert_true(fabs(report.placements[0].factor - PLANTED_PLACE_FACTOR) < 0.2);
}

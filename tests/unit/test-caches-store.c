/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stored study of caches: stages of plans go into a store and come out as the points they were;
 * what they say completes the names of specimens; and whatever else a store may hold does no harm.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "case.h"
#include "engine/wishes.h"
#include "studies/caches/parts.h"
#include "studies/caches/study.h"
#include "tree.h"

#define FINGERPRINT "0123456789abcdef"
#define KIB         UINT64_C(1024)
#define PAGE        UINT64_C(4096)

/* Ticks of a step on a quiet machine with 32 KiB in 8 ways, 512 KiB, lines of 64 and 64 entries. */
static uint64_t ticks_of(const struct caches_point *ring)
{
    uint64_t lines = ring->bytes / ring->stride, fits = 4, misses = 14, far = 80;
    switch (ring->shape) {
    case CHASE_DENSE:
        return ring->bytes <= 32 * KIB ? fits : ring->bytes <= 512 * KIB ? misses : far;
    case CHASE_PAGES:
        return (ring->bytes <= 64 * PAGE ? 0 : 9) + (lines <= 512 ? fits : misses);
    case CHASE_SETS:
        return lines * (ring->stride < 4096 ? ring->stride : 4096) <= 32 * KIB ? fits : misses;
    case CHASE_PAIRS:
        return ring->pair < 64 ? (fits + misses) / 2 : misses;
    }
    return far;
}

struct fixture {
    struct tree tree;
    struct store *store;
    uint32_t cells;
    size_t stages;
};

static int make_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    tree_make(&fixture->tree);
    setenv("XDG_STATE_HOME", fixture->tree.root, 1);
    AUTO_FACTS struct facts facts = {0};
    facts_set(&facts, "memory.page_bytes", "4096", 0);
    facts_set(&facts, "memory.huge_pages", "never", 0);
    facts_set(&facts, "cache.l1d.bytes", "65536", 0); /* wrong, as machines are */
    AUTO_FREE char *path = NULL;
    struct failure failure = {0};
    struct store_run run = {.command = "caches",
                            .argv = "[\"assay\",\"caches\"]",
                            .seed = 1,
                            .facts = &facts,
                            .fingerprint = FINGERPRINT};
    assert_int_equal(store_default_path(FINGERPRINT, "caches", &path, &failure), 0);
    assert_int_equal(store_create(&fixture->store, path, &run, &failure), 0);
    *state = fixture;
    return 0;
}

static int remove_fixture(void **state)
{
    struct fixture *fixture = *state;
    store_close(fixture->store);
    tree_remove(&fixture->tree);
    free(fixture);
    return 0;
}

/* One cell with its visits and samples. */
static void store_ring(struct fixture *fixture, const char *specimen, uint64_t n, uint64_t value,
                       uint32_t processes)
{
    struct failure failure = {0};
    char event[] = "clock/ticks/", path[] = "clock", opt[] = "O2", link[] = "static";
    AUTO_FREE char *name = strdup(specimen);
    struct cell cell = {.id = ++fixture->cells,
                        .events = {event},
                        .counters = 1,
                        .path = path,
                        .pattern = PATTERN_RR,
                        .specimen = name,
                        .n = n,
                        .opt = opt,
                        .link = link,
                        .runs = 2,
                        .cpu = -1};
    struct visit visits[16] = {{0}};
    assert_in_range(processes, 1, 16);
    for (uint32_t process = 0; process < processes; process++)
        visits[process] = (struct visit){cell.id, process};
    assert_int_equal(store_put_plan(fixture->store, &cell, 1, visits, processes, &failure), 0);
    for (uint32_t process = 0; process < processes; process++) {
        uint64_t values[] = {value + 7, value}, times[] = {1, 1};
        struct account accounts[2] = {{0}};
        struct batch batch = {.cell = cell.id,
                              .process = process,
                              .runs = 2,
                              .counters = 1,
                              .values = values,
                              .enabled = times,
                              .running = times,
                              .accounts = accounts};
        assert_int_equal(store_put_batch(fixture->store, &batch, &failure), 0);
        assert_int_equal(
            store_end_visit(fixture->store, cell.id, process, VISIT_DONE, 0, NULL, &failure), 0);
    }
}

/* Plans, measures and looks again, as the command does. */
static void store_study(struct fixture *fixture)
{
    struct caches_limits limits = {.page = PAGE, .huge = false, .most_bytes = 4096 * KIB};
    struct caches_progress progress;
    struct failure failure = {0};
    for (;; fixture->stages++) {
        struct caches_points points = {0}, plan;
        assert_int_equal(caches_load(fixture->store, &points, &progress, &failure), 0);
        caches_plan(&limits, &points, &plan);
        size_t count = plan.count;
        for (size_t i = 0; i < count; i++) {
            char name[CACHES_NAME];
            caches_specimen(&plan.list[i], PAGE, name);
            store_ring(fixture, name, 1000, 1000 * ticks_of(&plan.list[i]),
                       (uint32_t)plan.list[i].count);
        }
        assert_int_equal(store_commit(fixture->store, &failure), 0);
        if (!count)
            return;
        assert_true(fixture->stages < 50);
    }
}

TEST_WITH(what_is_stored_comes_out_again, make_fixture, remove_fixture)
{
    struct fixture *fixture = *state;
    struct caches_points points = {0};
    struct caches_progress progress;
    struct failure failure = {0};
    store_study(fixture);
    assert_true(fixture->stages >= 5);
    assert_int_equal(caches_load(fixture->store, &points, &progress, &failure), 0);
    assert_int_equal(progress.failed, 0);
    for (size_t i = 0; i < points.count; i++) {
        assert_true(points.list[i].count >= 1);
        for (size_t j = 0; j < points.list[i].count; j++) /* the faster of the two runs */
            assert_true(points.list[i].ticks[j] == (double)ticks_of(&points.list[i]));
    }
    struct caches_situation situation = {.page = PAGE, .seed = 1, .no_huge = "not here"};
    struct caches_report report;
    caches_judge(&points, &situation, &report);
    assert_int_equal(report.rows[0].bytes.value, 32 * KIB);
    assert_int_equal(report.rows[0].line.value, 64);
    assert_int_equal(report.rows[0].ways.value, 8);
    assert_int_equal(report.rows[1].bytes.value, 512 * KIB);
    assert_true(report.rows[1].bytes.known);
    assert_string_equal(report.rows[report.row_count - 1].type, "tlb-huge");
    assert_string_equal(reasons_text(&report.rows[report.row_count - 1].bytes.why), "not here");
    assert_string_equal(reasons_text(&report.pages.why), "not here");
}

static void expect_name(const struct geometry *geometry, const struct catalogue *catalogue,
                        const char *name, const char *complete)
{
    AUTO_FREE char *made = geometry_complete_name(geometry, catalogue, name);
    assert_string_equal(made, complete);
}

TEST_WITH(what_was_measured_completes_names, make_fixture, remove_fixture)
{
    struct fixture *fixture = *state;
    struct common_options quiet = {.quiet = true};
    struct geometry geometry;
    char plain[] = "loop", none[] = "", cold[] = "cold", keys[] = "l1d l1d_ways line dtlb seed";
    struct catalogue_specimen specimens[] = {{.name = plain, .parameters = none},
                                             {.name = cold, .parameters = keys}};
    struct catalogue catalogue = {
        .specimens = specimens, .specimen_count = 2, .fingerprint = FINGERPRINT};
    geometry_load(&catalogue, &quiet, &geometry);
    expect_name(&geometry, &catalogue, "cold", "cold"); /* nothing is known yet */
    store_study(fixture);
    geometry_load(&catalogue, &quiet, &geometry);
    expect_name(&geometry, &catalogue, "loop", "loop");
    expect_name(&geometry, &catalogue, "cold", "cold/line=64,l1d=32768,l1d_ways=8,dtlb=64/");
    expect_name(&geometry, &catalogue, "cold//", "cold/line=64,l1d=32768,l1d_ways=8,dtlb=64/");
    expect_name(&geometry, &catalogue, "cold/l1d=1,seed=5/",
                "cold/l1d=1,seed=5,line=64,l1d_ways=8,dtlb=64/");
    expect_name(&geometry, &catalogue, "unknown/l1d=1/", "unknown/l1d=1/");
    expect_name(&geometry, &catalogue, "/", "/");
}

TEST_WITH(rings_that_are_none_do_no_harm, make_fixture, remove_fixture)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {
        "loop",
        "chase",
        "chase/",
        "chase//",
        "chase/bytes=0,stride=0/",
        "chase/bytes=64,stride=128,cluster=1/",
        "chase/bytes=18446744073709551615,stride=1,cluster=1/",
        "chase/bytes=99999999999999999999999999,stride=64,spread=64/",
        "chase/bytes=18446744073709551615,stride=9223372036854775808/",
        "chase/bytes=4096,stride=64,pair=18446744073709551615,cluster=1/",
        "chase/bytes,stride=,pair=x/",
    };
    static const uint64_t values[] = {0, 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (size_t j = 0; j < sizeof(values) / sizeof(*values); j++)
            store_ring(fixture, names[i], j ? 1 : UINT64_MAX, values[j], 3);
    struct failure failure = {0};
    struct caches_points points = {0}, plan;
    struct caches_progress progress;
    struct caches_report report;
    assert_int_equal(caches_load(fixture->store, &points, &progress, &failure), 0);
    struct caches_situation situation = {.page = PAGE, .seed = 1};
    caches_judge(&points, &situation, &report);
    for (size_t i = 0; i < report.row_count; i++)
        assert_false(report.rows[i].bytes.known);
    struct caches_limits limits = {.page = PAGE, .huge = true, .most_bytes = 4096 * KIB};
    caches_plan(&limits, &points, &plan);
}

/* Judging takes the square of their number. */
TEST_WITH(more_cells_than_are_ever_planned_are_refused, make_fixture, remove_fixture)
{
    struct fixture *fixture = *state;
    struct failure failure = {0};
    struct caches_points points;
    struct caches_progress progress;
    enum { MOST = 8192 };
    static struct cell cells[MOST + 1];
    for (uint32_t i = 0; i <= MOST; i++)
        cells[i] = (struct cell){.id = i + 1,
                                 .events = {(char[]){"clock/ticks/"}},
                                 .counters = 1,
                                 .path = (char[]){"clock"},
                                 .specimen = (char[]){"chase/bytes=4096,stride=64/"},
                                 .n = 1,
                                 .opt = (char[]){"O2"},
                                 .link = (char[]){"static"},
                                 .runs = 1};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(store_put_plan(fixture->store, i ? cells + MOST : cells, i ? 1 : MOST,
                                        NULL, 0, &failure),
                         0);
        assert_int_equal(caches_load(fixture->store, &points, &progress, &failure), i ? -E2BIG : 0);
    }
    assert_non_null(strstr(failure.text, "more cells than"));
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The scan over all samples: the same samples that reading cell by cell gives, in the order of the
 * visits, and the same refusals. */
#include "store-fixture.h"

/* What a scan saw: samples that are not what was written, and the order of visits. */
struct scanned {
    uint64_t samples, wrong;
    struct visit visits[PLAN_VISITS];
    size_t visit_count;
    uint32_t run, counter; /* of the last one */
    uint64_t stop_after;   /* 0: never */
};

static int take(void *context, const struct sample *sample)
{
    struct scanned *scanned = context;
    struct sample right = right_sample(sample->cell, sample->process, sample->run, sample->counter);
    struct visit visit = {sample->cell, sample->process};
    const struct visit *last = scanned->visits + scanned->visit_count;
    bool same =
        scanned->visit_count && last[-1].cell == visit.cell && last[-1].process == visit.process;
    bool rises = sample->run > scanned->run ||
                 (sample->run == scanned->run && sample->counter > scanned->counter);
    scanned->wrong += !same_sample(sample, &right) || (same && !rises);
    if (!same && scanned->visit_count < PLAN_VISITS)
        scanned->visits[scanned->visit_count++] = visit;
    scanned->run = sample->run;
    scanned->counter = sample->counter;
    return ++scanned->samples == scanned->stop_after ? 77 : 0;
}

static int scan(const struct fixture *fixture, struct scanned *scanned, struct failure *told)
{
    struct store *store = NULL;
    must(store_open(&store, fixture->path, false, failure));
    int error = store_scan_samples(store, take, scanned, told);
    if (!error) { /* once more on the same store */
        struct scanned again = {0};
        must(store_scan_samples(store, take, &again, failure));
        assert_true(again.samples == scanned->samples);
    }
    store_close(store);
    return error;
}

TEST_WITH(every_sample_comes_in_the_order_of_visits, setup, teardown)
{
    struct fixture *fixture = *state;
    struct scanned scanned = {0};
    make_finished(fixture);
    must(scan(fixture, &scanned, failure));
    /* cell 1 has two counters */
    assert_int_equal(scanned.samples, PLAN_PROCESSES * PLAN_RUNS * (PLAN_CELLS + 1));
    assert_int_equal(scanned.wrong, 0);
    assert_int_equal(scanned.visit_count, PLAN_VISITS);
    for (size_t i = 0; i < PLAN_VISITS; i++) {
        assert_int_equal(scanned.visits[i].cell, fixture->visits[i].cell);
        assert_int_equal(scanned.visits[i].process, fixture->visits[i].process);
    }
}

TEST_WITH(visits_without_samples_are_passed_over, setup, teardown)
{
    struct fixture *fixture = *state;
    struct scanned scanned = {0};
    struct store *store = create(fixture);
    for (size_t i = 1; i < PLAN_VISITS - 1; i += 2)
        must(put_visit(store, fixture, fixture->visits[i], failure));
    must(store_commit(store, failure));
    store_close(store);
    must(scan(fixture, &scanned, failure));
    assert_int_equal(scanned.wrong, 0);
    assert_int_equal(scanned.visit_count, (PLAN_VISITS - 1) / 2);
}

TEST_WITH(a_writer_can_scan_what_it_wrote, setup, teardown)
{
    struct fixture *fixture = *state;
    struct scanned scanned = {0};
    struct store *store = create(fixture);
    must(put_visit(store, fixture, fixture->visits[0], failure));
    must(store_scan_samples(store, take, &scanned, failure));
    must(put_visit(store, fixture, fixture->visits[1], failure)); /* and goes on */
    store_close(store);
    assert_int_equal(scanned.visit_count, 1);
    assert_int_equal(scanned.wrong, 0);
}

TEST_WITH(a_callback_ends_the_scan_with_its_result, setup, teardown)
{
    struct scanned scanned = {.stop_after = 5};
    struct failure refusal = {0};
    make_finished(*state);
    assert_int_equal(scan(*state, &scanned, &refusal), 77);
    assert_int_equal(scanned.samples, 5);
    assert_int_equal(refusal.code, 0);
}

static void refuse(struct fixture *fixture, const char *sql, const char *wanted)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    struct scanned scanned = {0};
    struct failure refusal = {0};
    make_finished(fixture);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "DELETE FROM meta WHERE key IN ('finished', 'checksum')", 0, 0, NULL), 0);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
    assert_int_equal(scan(fixture, &scanned, &refusal), -EBADMSG);
    if (!strstr(refusal.text, wanted))
        fail_msg("%s: \"%s\" is not in: %s", sql, wanted, refusal.text);
    unlink(fixture->path);
}

TEST_WITH(damage_is_told, setup, teardown)
{
    refuse(*state, "UPDATE sample_packed SET value = value + 1 WHERE key & 31 = 1", "changed");
    refuse(*state, "UPDATE sample_packed SET enabled = enabled + 1", "changed");
    refuse(*state, "UPDATE sample_packed SET involuntary = 9", "changed");
    refuse(*state, "UPDATE sample_packed SET value = 'many'", "impossible");
    refuse(*state, "UPDATE sample_packed SET running = 0.5", "impossible");
    refuse(*state, "UPDATE sample_packed SET major_faults = x'00'", "impossible");
    refuse(*state, "UPDATE sample_packed SET key = -key", "no visit");
    refuse(*state, "DELETE FROM sample_packed WHERE key & 1023 = 0", "lacks samples");
    refuse(*state, "DELETE FROM sample_packed", "lacks samples");
    refuse(*state, "DELETE FROM visit WHERE id = 3", "no visit");
    refuse(*state, "DELETE FROM visit WHERE id = (SELECT max(id) FROM visit)", "no visit");
    refuse(*state, "UPDATE visit SET samples = samples + 1 WHERE id = 5", "lacks samples");
    refuse(*state, "UPDATE visit SET cell = -cell", "impossible");
    refuse(*state, "UPDATE visit SET process = 'first' WHERE id = 2", "impossible");
}

/* An index that somebody added could be read in place of the table, in another order. */
TEST_WITH(foreign_indexes_are_not_used, setup, teardown)
{
    struct fixture *fixture = *state;
    sqlite3 *db = NULL;
    struct scanned scanned = {0};
    make_finished(fixture);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "CREATE INDEX mine ON sample_packed(value, enabled, running, "
                                  "minor_faults, major_faults, voluntary, involuntary);"
                                  "ANALYZE; UPDATE sqlite_stat1 SET stat = stat || ' sz=1' "
                                  "WHERE idx = 'mine'", /* it looks cheaper than the table */
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    must(scan(fixture, &scanned, failure));
    assert_int_equal(scanned.wrong, 0);
    assert_int_equal(scanned.visit_count, PLAN_VISITS);
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that are not stores, are damaged, or were changed by another hand: a clear refusal or
 * exactly what was written, never something in between and never a crash. */
#include "store-fixture.h"

#include "base/cleanup.h"
#include "store-dump.h"

static void expect_words(const struct failure *refusal, const char *wanted)
{
    if (!strstr(refusal->text, wanted))
        fail_msg("\"%s\" is not in: %s", wanted, refusal->text);
}

/* --- files that are something else --- */

static void refuse_both_ways(const char *path, int error, const char *wanted)
{
    for (int writable = 0; writable < 2; writable++) {
        struct store *store = NULL;
        struct failure refusal = {0};
        assert_int_equal(store_open(&store, path, writable, &refusal), error);
        assert_null(store);
        expect_words(&refusal, wanted);
        expect_words(&refusal, path);
    }
}

TEST_WITH(other_files_are_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char prose[] = "It was a dark and stormy night; the rain fell in torrents, and "
                                "nobody thought of a database at all, not for a thousand bytes.";
    write_file(fixture->path, prose, sizeof(prose));
    refuse_both_ways(fixture->path, -EBADMSG, "not an SQLite database");
    write_file(fixture->path, "", 0);
    refuse_both_ways(fixture->path, -EBADMSG, "is empty");
    write_file(fixture->path, "SQLite format 3", 16); /* a header and nothing more */
    refuse_both_ways(fixture->path, -EBADMSG, "cut short");
    unlink(fixture->path);
    make_finished(fixture);
    for (int length = 99; length > 0; length -= 7) {
        assert_int_equal(truncate(fixture->path, length), 0);
        refuse_both_ways(fixture->path, -EBADMSG, "cut short");
    }
    unlink(fixture->path);
    change(fixture->path, "CREATE TABLE bookmark(url TEXT)");
    refuse_both_ways(fixture->path, -EMEDIUMTYPE, "not a store of assay");
}

TEST_WITH(other_schemas_are_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    change(fixture->path, "PRAGMA user_version=6");
    refuse_both_ways(fixture->path, -EPROTONOSUPPORT, "Update assay");
    for (int older = 4; older >= 1; older--) { /* its checksum is that of schema 5 */
        char pragma[40];
        snprintf(pragma, sizeof(pragma), "PRAGMA user_version=%d", older);
        change(fixture->path, pragma);
        refuse_both_ways(fixture->path, -EBADMSG, "checksum");
    }
    change(fixture->path, "PRAGMA user_version=0");
    refuse_both_ways(fixture->path, -EBADMSG, "below 1");
    change(fixture->path, "PRAGMA user_version=-3");
    refuse_both_ways(fixture->path, -EBADMSG, "below 1");
}

TEST_WITH(tables_of_another_shape_are_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"DROP TABLE fact", "fact is missing"},
        {"DROP VIEW reading", "reading is missing"},
        {"DROP TABLE opcode", "opcode is missing"},
        {"DROP TABLE operation", "operation is missing"},
        {"DROP TABLE command", "command is missing"},
        {"DROP VIEW execution", "execution is missing"},
        {"DROP TABLE tour; CREATE TABLE tour(cell INTEGER PRIMARY KEY, calls, length, counted, "
         "open, cold)",
         "tour is not defined"},
        {"ALTER TABLE truth ADD COLUMN lie TEXT", "truth is not defined"},
        {"ALTER TABLE cell ADD COLUMN colour TEXT", "cell is not defined"},
        {"ALTER TABLE visit RENAME COLUMN samples TO specimens", "is not defined"},
        {"ALTER TABLE sample_packed RENAME TO other; CREATE VIEW sample_packed AS "
         "WITH RECURSIVE forever(x) AS (SELECT 1 UNION ALL SELECT x FROM forever) "
         "SELECT x AS key FROM forever",
         "sample_packed is missing"},
        {"DROP TABLE sample_packed; CREATE TABLE sample_packed(key INTEGER PRIMARY KEY, value "
         "TEXT, "
         "enabled, running, minor_faults, major_faults, voluntary, involuntary)",
         "sample_packed is not defined"},
        {"DROP TABLE cell; CREATE VIRTUAL TABLE cell USING fts5(id)", "cell is not defined"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        make_finished(fixture);
        change(fixture->path, cases[i].sql);
        refuse_both_ways(fixture->path, -EBADMSG, cases[i].words);
        unlink(fixture->path);
    }
}

/* Values SQLite lets anyone write; the store of an unfinished run has no checksum over them. */
TEST_WITH(impossible_values_are_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[] = {
        "UPDATE cell SET pattern = 'zz' WHERE id = 2",
        "UPDATE cell SET counters = 33",
        "UPDATE cell SET counters = 2 WHERE id = 2",
        "UPDATE cell SET counters = 'many'",
        "UPDATE cell SET n = 1.5",
        "UPDATE cell SET path = x'00ff'",
        "UPDATE cell SET id = 5000000000 WHERE id = 3",
        "UPDATE cell SET separate = 7",
        "UPDATE counter SET truth = 'beauty'",
        "UPDATE cell SET faults = 0.5",
        "DELETE FROM counter WHERE cell = 1 AND counter = 1",
        "UPDATE counter SET counter = 31 WHERE counter = 1",
        "UPDATE counter SET event = x'0c' WHERE cell = 1",
        "UPDATE visit SET process = -1 WHERE id = 1",
        "UPDATE visit SET id = 1 << 40 WHERE id = 12",
        "UPDATE visit SET id = -5 WHERE id = 12",
        "UPDATE visit SET samples = 'few'",
        "UPDATE visit SET samples = samples + 1",
        "UPDATE visit SET state = 12",
        "UPDATE visit SET error = 1 << 40",
        "UPDATE sample_packed SET value = 'none' WHERE key & 31 = 0",
        ("UPDATE sample_packed SET value = value + 1 WHERE key = (SELECT min(key) FROM "
         "sample_packed)"),
        "UPDATE sample_packed SET running = 0.5",
        "UPDATE sample_packed SET involuntary = x'01'",
        "DELETE FROM sample_packed WHERE key = (SELECT max(key) FROM sample_packed)",
        "INSERT INTO sample_packed SELECT max(key) + 32, 0, 0, 0, 0, 0, 0, 0 FROM sample_packed",
        "UPDATE fact SET error = 'EPERM'",
        "UPDATE fact SET key = '' WHERE position = 1",
        "UPDATE fact SET value = x'7f'",
        "DELETE FROM meta WHERE key = 'command'",
        "UPDATE meta SET value = 'soon' WHERE key = 'seed'",
        "UPDATE meta SET value = '-1' WHERE key = 'seed'",
        "UPDATE meta SET value = x'00' WHERE key = 'argv'",
        "UPDATE event SET name = '' WHERE position = 2",
        "UPDATE event SET kind = x'01'",
        "UPDATE event SET class = x'08'",
        "UPDATE event SET error = -2",
        "UPDATE event SET error = 1 << 40",
        "UPDATE event SET reason = x'02'",
        "UPDATE event SET position = -7 WHERE position = 1",
        "UPDATE truth SET specimen = '' WHERE position = 1",
        "UPDATE truth SET class = '' WHERE position = 1",
        "UPDATE truth SET base = 'many'",
        "UPDATE truth SET each = 0.5",
        "UPDATE truth SET high_base = x'03'",
        "UPDATE truth SET high_each = 'all'",
        "UPDATE truth SET grade = x'04'",
        "UPDATE truth SET why = x'05'",
        "UPDATE truth SET sources = x'06'",
        "UPDATE opcode SET specimen = '' WHERE position = 1",
        "UPDATE opcode SET opcode = x'07' WHERE position = 2",
        "UPDATE opcode SET base = 'none'",
        "UPDATE opcode SET each = 1.5",
        "UPDATE opcode SET position = 0 WHERE position = 1",
    };
    AUTO_TEXT struct text out = {0};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct store *store = create(fixture);
        put_knowledge(store);
        for (size_t v = 0; v < PLAN_VISITS; v++)
            must(put_visit(store, fixture, fixture->visits[v], failure));
        store_close(store);
        must(dump(fixture->path, &out, failure));
        change(fixture->path, changes[i]);
        struct failure refusal = {0};
        int error = dump(fixture->path, &out, &refusal);
        if (error != -EBADMSG)
            fail_msg("%s was taken: %d %s", changes[i], error, refusal.text);
        unlink(fixture->path);
    }
}

TEST_WITH(a_changed_finished_store_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[] = {
        "UPDATE cell SET n = 1001 WHERE id = 2",
        "UPDATE counter SET event = 'cycles:u'",
        "UPDATE fact SET value = 'another CPU'",
        "UPDATE visit SET reason = 'because'",
        "UPDATE meta SET value = '7' WHERE key = 'seed'",
        "DELETE FROM meta WHERE key = 'checksum'",
        "INSERT INTO visit(id, cell, process) VALUES(13, 1, 99)",
        "UPDATE event SET class = 'instructions'",
        "DELETE FROM event WHERE error <> 0",
        "UPDATE truth SET base = base - 1",
        "UPDATE truth SET grade = 'proven'",
        "UPDATE opcode SET each = 2 WHERE opcode = 'sub'",
        "INSERT INTO opcode(specimen, opcode, base, each) VALUES('loop', 'nop', 0, 1)",
    };
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        make_finished(fixture);
        change(fixture->path, changes[i]);
        refuse_both_ways(fixture->path, -EBADMSG, "checksum");
        unlink(fixture->path);
    }
}

TEST_WITH(what_the_owner_adds_is_no_damage, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished(fixture);
    AUTO_TEXT struct text before = {0}, after = {0};
    must(dump(fixture->path, &before, failure));
    change(fixture->path, "CREATE VIEW mine AS SELECT count(*) FROM reading;"
                          "CREATE TABLE note(text); INSERT INTO note VALUES('good run');"
                          "CREATE TRIGGER evil AFTER INSERT ON visit BEGIN DELETE FROM visit; END;"
                          "CREATE INDEX by_value ON sample_packed(value); ANALYZE; VACUUM");
    must(dump(fixture->path, &after, failure));
    assert_string_equal(text_string(&before), text_string(&after));
}

/* --- damage --- */

TEST_WITH(flipped_bytes_give_an_error_or_the_right_data, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished_with_tour(fixture);
    AUTO_TEXT struct text right = {0}, got = {0};
    must(dump(fixture->path, &right, failure));
    size_t size = 0;
    AUTO_FREE char *bytes = read_file(fixture->path, &size);
    AUTO_CLOSE int fd = open(fixture->path, O_WRONLY);
    size_t errors = 0, fine = 0;
    /* every byte of the header, then a stride that meets every kind of place */
    for (size_t place = 0; place < size; place += place < 100 ? 1 : 197) {
        char flipped = (char)(bytes[place] ^ (1 << place % 8));
        assert_int_equal(pwrite(fd, &flipped, 1, (off_t)place), 1);
        struct failure refusal = {0};
        int error = dump(fixture->path, &got, &refusal);
        if (error == 0 && strcmp(text_string(&got), text_string(&right)) != 0)
            fail_msg("a flipped byte at %zu gave other data", place);
        if (error && strlen(refusal.text) < 20)
            fail_msg("a flipped byte at %zu gave no explanation", place);
        errors += error != 0;
        fine += error == 0;
        assert_int_equal(pwrite(fd, &bytes[place], 1, (off_t)place), 1);
    }
    assert_true(errors > 50);
    assert_true(fine > 50); /* unused space */
}

TEST_WITH(truncated_files_are_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished_with_tour(fixture);
    AUTO_TEXT struct text got = {0};
    size_t size = 0;
    AUTO_FREE char *bytes = read_file(fixture->path, &size);
    for (size_t length = 0; length < size; length += length < 1200 ? 80 : 1237) {
        write_file(fixture->path, bytes, length);
        struct failure refusal = {0};
        if (dump(fixture->path, &got, &refusal) == 0)
            fail_msg("%zu of %zu bytes were taken for a store", length, size);
        assert_true(strlen(refusal.text) > 20);
    }
}

TEST_WITH(overwritten_stretches_never_crash, setup, teardown)
{
    struct fixture *fixture = *state;
    make_finished_with_tour(fixture);
    AUTO_TEXT struct text right = {0}, got = {0};
    must(dump(fixture->path, &right, failure));
    size_t size = 0;
    AUTO_FREE char *bytes = read_file(fixture->path, &size);
    AUTO_FREE char *damaged = malloc(size);
    srand(7);
    for (int round = 0; round < 100; round++) {
        memcpy(damaged, bytes, size);
        size_t length = (size_t)(rand() % 600) + 1, at = (size_t)rand() % (size - length);
        size_t from = (size_t)rand() % (size - length);
        for (size_t i = 0; i < length; i++) /* noise, or a piece of the file itself */
            damaged[at + i] = round % 2 ? (char)rand() : bytes[from + i];
        write_file(fixture->path, damaged, size);
        if (dump(fixture->path, &got, NULL) == 0)
            assert_string_equal(text_string(&got), text_string(&right));
    }
}

/* A killed writer's files: the log may be cut or damaged too; SQLite then takes what was committed
 * before. */
TEST_WITH(a_damaged_log_gives_an_error_or_whole_visits, setup, teardown)
{
    struct fixture *fixture = *state;
    pid_t child = fork();
    if (child == 0) {
        struct store *store = NULL;
        if (store_create(&store, fixture->path, &fixture->run, NULL) < 0 ||
            store_put_plan(store, fixture->cells, PLAN_CELLS, fixture->visits, PLAN_VISITS, NULL))
            _exit(1);
        for (size_t i = 0; i < PLAN_VISITS; i++)
            if (put_visit(store, fixture, fixture->visits[i], NULL) || store_commit(store, NULL))
                _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    char log_path[160], shared[160];
    snprintf(log_path, sizeof(log_path), "%s-wal", fixture->path);
    snprintf(shared, sizeof(shared), "%s-shm", fixture->path);
    size_t size = 0, fewer = 0;
    AUTO_FREE char *bytes = read_file(log_path, &size);
    for (size_t place = 0; place < size; place += 2711) {
        bytes[place] ^= 4;
        write_file(log_path, bytes, place % 2 ? size : place);
        unlink(shared);
        struct store *store = NULL;
        struct seen seen = {0};
        if (store_open(&store, fixture->path, false, NULL) == 0 &&
            store_each_sample(store, 0, see, &seen, NULL) == 0) {
            assert_int_equal(seen.wrong, 0);
            fewer += seen.samples < UINT64_C(4) * PLAN_PROCESSES * PLAN_RUNS;
        }
        store_close(store);
        bytes[place] ^= 4;
    }
    assert_true(fewer > 10);
}

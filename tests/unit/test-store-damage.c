/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files that are not stores, are damaged, or were changed by another hand: a clear refusal or
 * exactly what was written, never something in between and never a crash. */
#include "store-fixture.h"

#include "base/cleanup.h"
#include "store-dump.h"

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

/* Values SQLite lets anyone write, and what is said of them beside "is damaged"; the store of an
 * unfinished run has no checksum over them. */
TEST_WITH(impossible_values_are_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[][2] = TABLE(
        {"UPDATE cell SET pattern = 'zz' WHERE id = 2", NULL},
        {"UPDATE cell SET counters = 33", NULL},
        {"UPDATE cell SET counters = 2 WHERE id = 2", NULL},
        {"UPDATE cell SET counters = 'many'", NULL}, {"UPDATE cell SET n = 1.5", NULL},
        {"UPDATE cell SET path = x'00ff'", NULL},
        {"UPDATE cell SET id = 5000000000 WHERE id = 3", NULL},
        {"UPDATE cell SET separate = 7", NULL}, {"UPDATE counter SET truth = 'beauty'", NULL},
        {"UPDATE cell SET faults = 0.5", NULL},
        {"DELETE FROM counter WHERE cell = 1 AND counter = 1", NULL},
        {"UPDATE counter SET counter = 31 WHERE counter = 1", NULL},
        {"UPDATE counter SET event = x'0c' WHERE cell = 1", NULL},
        {"UPDATE visit SET process = -1 WHERE id = 1", NULL},
        {"UPDATE visit SET id = 1 << 40 WHERE id = 12", NULL},
        {"UPDATE visit SET id = -5 WHERE id = 12", NULL},
        {"UPDATE visit SET samples = 'few'", NULL},
        {"UPDATE visit SET samples = samples + 1", NULL}, {"UPDATE visit SET state = 12", NULL},
        {"UPDATE visit SET error = 1 << 40", NULL},
        {"UPDATE sample_packed SET value = 'none' WHERE key & 31 = 0", NULL},
        {"UPDATE sample_packed SET value = value + 1 WHERE key = (SELECT min(key) FROM "
         "sample_packed)",
         NULL},
        {"UPDATE sample_packed SET running = 0.5", NULL},
        {"UPDATE sample_packed SET involuntary = x'01'", NULL},
        {"DELETE FROM sample_packed WHERE key = (SELECT max(key) FROM sample_packed)", NULL},
        {"INSERT INTO sample_packed SELECT max(key) + 32, 0, 0, 0, 0, 0, 0, 0 FROM sample_packed",
         NULL},
        {"UPDATE fact SET error = 'EPERM'", NULL},
        {"UPDATE fact SET key = '' WHERE position = 1", NULL},
        {"UPDATE fact SET value = x'7f'", NULL}, {"DELETE FROM meta WHERE key = 'command'", NULL},
        {"UPDATE meta SET value = 'soon' WHERE key = 'seed'", NULL},
        {"UPDATE meta SET value = '-1' WHERE key = 'seed'", NULL},
        {"UPDATE meta SET value = x'00' WHERE key = 'argv'", NULL},
        {"UPDATE event SET name = '' WHERE position = 2", NULL},
        {"UPDATE event SET kind = x'01'", NULL}, {"UPDATE event SET class = x'08'", NULL},
        {"UPDATE event SET error = -2", NULL}, {"UPDATE event SET error = 1 << 40", NULL},
        {"UPDATE event SET reason = x'02'", NULL},
        {"UPDATE event SET position = -7 WHERE position = 1", NULL},
        {"UPDATE truth SET specimen = '' WHERE position = 1", NULL},
        {"UPDATE truth SET class = '' WHERE position = 1", NULL},
        {"UPDATE truth SET base = 'many'", NULL}, {"UPDATE truth SET each = 0.5", NULL},
        {"UPDATE truth SET high_base = x'03'", NULL}, {"UPDATE truth SET high_each = 'all'", NULL},
        {"UPDATE truth SET grade = x'04'", NULL}, {"UPDATE truth SET why = x'05'", NULL},
        {"UPDATE truth SET sources = x'06'", NULL},
        {"UPDATE opcode SET specimen = '' WHERE position = 1", NULL},
        {"UPDATE opcode SET opcode = x'07' WHERE position = 2", NULL},
        {"UPDATE opcode SET base = 'none'", NULL}, {"UPDATE opcode SET each = 1.5", NULL},
        {"UPDATE opcode SET position = 0 WHERE position = 1", NULL},
        {"UPDATE tour SET calls = ''", "without a call"},
        {"UPDATE tour SET calls = replace(calls, '.', ',')", "no dot"},
        {"UPDATE tour SET calls = replace(calls, '.', ' ')", "character"},
        {"UPDATE tour SET calls = replace(calls, '*8', '*')", "behind its star"},
        {"UPDATE tour SET calls = x'612e62'", "impossible values"},
        {"UPDATE tour SET calls = 12", "no dot"}, {"UPDATE tour SET length = 4", "another length"},
        {"UPDATE tour SET length = 'five'", "impossible values"},
        {"UPDATE tour SET length = 5 + (1 << 32)", "impossible values"},
        {"UPDATE tour SET calls = 'a.b,c.d,e.f', length = 3", "do not divide"},
        {"UPDATE tour SET counted = ''", "counted"},
        {"UPDATE tour SET counted = x'00'", "impossible values"},
        {"UPDATE tour SET open = 0", "from 1 to 32"}, {"UPDATE tour SET open = 33", "from 1 to 32"},
        {"UPDATE tour SET open = -1", "impossible values"},
        {"UPDATE tour SET open = 1.5", "impossible values"},
        {"UPDATE tour SET cold = 2", "impossible values"},
        {"UPDATE tour SET cold = 'yes'", "impossible values"},
        {"UPDATE tour SET cell = 1", "path, pattern, specimen and n"},
        {"UPDATE tour SET cell = 9", "path 'tour', but no calls"},
        {"DELETE FROM tour", "path 'tour', but no calls"},
        {"UPDATE cell SET path = 'perf-read' WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET pattern = 'ar' WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET specimen = 'loop' WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET n = 1 WHERE id = 4", "path, pattern, specimen and n"},
        {"UPDATE cell SET runs = 51 WHERE id = 4", "do not divide"},
        {"UPDATE operation SET path = '' WHERE position = 1", "an operation"},
        {"UPDATE operation SET kind = '' WHERE position = 1", "an operation"},
        {"UPDATE operation SET instrument = ''", "an operation"},
        {"UPDATE operation SET effect = x'01'", "an operation"},
        {"UPDATE operation SET state = x'01'", "an operation"},
        {"UPDATE operation SET links = x'01'", "an operation"},
        {"UPDATE operation SET page = x'01'", "an operation"},
        {"UPDATE operation SET note = x'01'", "an operation"},
        {"UPDATE operation SET binds = 2", "an operation"},
        {"UPDATE operation SET alone = 'no'", "an operation"},
        {"UPDATE operation SET position = 0 WHERE position = 1", "an operation"},
        {"UPDATE watch SET kind = '' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET kind = 'sundial' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET kind = x'726f77' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET kind = 'row' WHERE cell = 5", "has a workload"},
        {"UPDATE watch SET looks = 6 WHERE cell = 5", "another number of looks"},
        {"UPDATE watch SET looks = 0 WHERE cell = 6", "another number of looks"},
        {"UPDATE watch SET looks = -1 WHERE cell = 6", "impossible values"},
        {"UPDATE watch SET workload = NULL WHERE cell = 5", "must name its workload"},
        {"UPDATE watch SET workload = 'a b' WHERE cell = 5", "must name its workload"},
        {"UPDATE watch SET workload = x'61' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET workload = 'sleep' WHERE cell = 6", "watches no interval"},
        {"UPDATE watch SET length = -1 WHERE cell = 5", "its length must be"},
        {"UPDATE watch SET length = 1.5 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET length = 0 WHERE cell = 6", "its length must be"},
        {"UPDATE watch SET threads = 0 WHERE cell = 5", "0 threads"},
        {"UPDATE watch SET threads = 65 WHERE cell = 5", "65 threads"},
        {"UPDATE watch SET threads = 2 WHERE cell = 7", "2 threads"},
        {"UPDATE watch SET moves = 1025 WHERE cell = 5", "1025 moves"},
        {"UPDATE watch SET moves = 'some' WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET handover = 2 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET awake = -1 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET partner = 1 WHERE cell = 5", "watches no trips"},
        {"UPDATE watch SET partner = 1 << 40 WHERE cell = 5", "impossible values"},
        {"UPDATE watch SET cell = 1 WHERE cell = 5", "path, pattern, specimen and n"},
        {"DELETE FROM watch", "path 'watch', but no kind"},
        {"UPDATE cell SET path = 'perf-read' WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET pattern = 'ar' WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET specimen = 'loop' WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET n = 1 WHERE id = 5", "path, pattern, specimen and n"},
        {"UPDATE cell SET runs = 47 WHERE id = 5", "no multiple"},
        {"UPDATE counter SET event = 'monotonic-raw' WHERE cell = 5", "twice in a look"},
        {"UPDATE counter SET event = 'a b' WHERE cell = 5 AND counter = 0", "name that is none"},
        {"UPDATE counter SET event = 'x=bring:y' WHERE cell = 5 AND counter = 0", "how it is read"},
        {"UPDATE counter SET event = 'tsc' WHERE cell = 6 AND counter = 2", "four times"},
        {"UPDATE counter SET event = 'tsc' WHERE cell = 7 AND counter = 2", "same clock"},
        {"UPDATE clock SET name = '' WHERE position = 1", "a clock"},
        {"UPDATE clock SET kind = ''", "a clock"}, {"UPDATE clock SET way = x'01'", "a clock"},
        {"UPDATE clock SET hardware = x'01'", "a clock"},
        {"UPDATE clock SET claim = x'01'", "a clock"}, {"UPDATE clock SET note = x'01'", "a clock"},
        {"UPDATE clock SET hz = 'fast'", "a clock"},
        {"UPDATE clock SET resolution_ps = 0.5", "a clock"},
        {"UPDATE clock SET slow = 2", "a clock"}, {"UPDATE clock SET steered = 'no'", "a clock"},
        {"UPDATE clock SET position = 0 WHERE position = 1", "a clock"},
        {"UPDATE command SET words = ''", "names no program"},
        {"UPDATE command SET words = 'a ''b'", "no list of words"},
        {"UPDATE command SET words = x'61'", "impossible values"},
        {"UPDATE command SET name = ''", "must have a name"},
        {"UPDATE command SET name = char(10)", "must have a name"},
        {"UPDATE command SET directory = x'07'", "impossible values"},
        {"UPDATE command SET directory = ''", "no path"},
        {"UPDATE command SET input = char(7)", "no path"},
        {"UPDATE command SET keep = '1'", "keeps '1'"},
        {"UPDATE command SET setting = x'05'", "impossible values"},
        {"UPDATE command SET controls = 1024", "controls that there are not"},
        {"UPDATE command SET controls = -1", "impossible values"},
        {"UPDATE command SET sweep = 'heap'", "impossible values"},
        {"UPDATE command SET sweep = ''", "is swept to 64"},
        {"UPDATE command SET swept = 65537", "is swept to"},
        {"UPDATE command SET swept = 0.5", "impossible values"},
        {"UPDATE command SET timeout = -1", "may take"},
        {"UPDATE command SET detail = 'all'", "impossible values"},
        {"UPDATE command SET shown = 2", "impossible values"},
        {"UPDATE command SET cell = 1 WHERE cell = 8", "must be command"},
        {"DELETE FROM command", "path 'command', but no words"},
        {"UPDATE cell SET runs = 2 WHERE id = 8", "must be command"},
        {"UPDATE cell SET n = 1 WHERE id = 8", "must be command"},
        {"UPDATE counter SET event = 'run/shoes/' WHERE cell = 8 AND counter = 1", "there is not"},
        {"UPDATE counter SET event = 'qemu/instructions/' WHERE cell = 9 AND counter = 1",
         "by step and by qemu"},
        {"UPDATE counter SET event = 'run/status/' WHERE cell = 9 AND counter = 4", "twice"},
        {"UPDATE subject SET name = '' WHERE position = 1", "a subject"},
        {"UPDATE subject SET summary = x'01'", "a subject"},
        {"UPDATE subject SET shows = x'07'", "a subject"},
        {"UPDATE subject SET n = 'many'", "a subject"},
        {"UPDATE subject SET truth = 2", "a subject"},
        {"UPDATE subject SET base = 1.5", "a subject"},
        {"UPDATE subject SET each = x'01'", "a subject"},
        {"UPDATE subject SET bits = 16", "a subject"},
        {"UPDATE subject SET libc = -1", "a subject"},
        {"UPDATE subject SET position = 0 WHERE position = 1", "a subject"},
        {"UPDATE executed SET kind = 'page'", "what was executed"},
        {"UPDATE executed SET name = '' WHERE kind = 'opcode'", "what was executed"},
        {"UPDATE executed SET object = 'x' WHERE kind = 'class'", "what was executed"},
        {"UPDATE executed SET count = 'some'", "what was executed"},
        {"UPDATE executed SET repetitions = 0.5", "what was executed"},
        {"UPDATE executed SET name = x'01'", "what was executed"},
        {"DELETE FROM executed WHERE position = 1", "what was executed"},
        {"UPDATE executed SET process = -1 WHERE process = 0", "what was executed"},
        {"UPDATE system_call SET name = ''", "a system call"},
        {"UPDATE system_call SET what = x'01'", "a system call"},
        {"UPDATE system_call SET task = -1", "a system call"},
        {"UPDATE system_call SET result = 'none'", "a system call"},
        {"UPDATE system_call SET asked = 0.5", "a system call"},
        {"UPDATE system_call SET sum = x'01'", "a system call"},
        {"DELETE FROM system_call WHERE position = 0", "a system call"},
        {"UPDATE system_call SET cell = 1 << 40", "a system call"});
    AUTO_TEXT struct text out = {0};
    make_with_commands(fixture, false);
    must(dump(fixture->path, &out, failure));
    size_t size = 0;
    AUTO_FREE char *bytes = read_file(fixture->path, &size);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        struct failure refusal = {0};
        write_file(fixture->path, bytes, size);
        change(fixture->path, changes[i][0]);
        if (dump(fixture->path, &out, &refusal) != -EBADMSG ||
            (changes[i][1] &&
             !(strstr(refusal.text, "is damaged") && strstr(refusal.text, changes[i][1]))))
            fail_msg("%s was taken: %s", changes[i][0], refusal.text);
    }
}

TEST_WITH(a_changed_finished_store_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    static const char *const changes[] = TABLE(
        "UPDATE cell SET n = 1001 WHERE id = 2", "UPDATE counter SET event = 'cycles:u'",
        "UPDATE fact SET value = 'another CPU'", "UPDATE visit SET reason = 'because'",
        "UPDATE meta SET value = '7' WHERE key = 'seed'", "DELETE FROM meta WHERE key = 'checksum'",
        "INSERT INTO visit(id, cell, process) VALUES(999, 1, 99)",
        "UPDATE event SET class = 'instructions'", "DELETE FROM event WHERE error <> 0",
        "UPDATE truth SET base = base - 1", "UPDATE truth SET grade = 'proven'",
        "UPDATE opcode SET each = 2 WHERE opcode = 'sub'",
        "INSERT INTO opcode(specimen, opcode, base, each) VALUES('loop', 'nop', 0, 1)",
        "UPDATE tour SET open = 7", "UPDATE tour SET calls = replace(calls, '*8', '*9')",
        "UPDATE operation SET note = 'none' WHERE position = 2", "DELETE FROM operation",
        "UPDATE watch SET moves = 4 WHERE cell = 5", "UPDATE clock SET hz = 999 WHERE position = 1",
        "DELETE FROM clock", "UPDATE command SET timeout = 61 WHERE cell = 8",
        "UPDATE command SET setting = 'other'", "UPDATE subject SET base = 13 WHERE position = 1",
        "DELETE FROM subject", "UPDATE executed SET count = count + 1", "DELETE FROM executed",
        "UPDATE system_call SET result = 0", "DELETE FROM system_call");
    make_with_commands(fixture, true);
    size_t size = 0;
    AUTO_FREE char *bytes = read_file(fixture->path, &size);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        write_file(fixture->path, bytes, size);
        change(fixture->path, changes[i]);
        refuse_both_ways(fixture->path, -EBADMSG, "checksum");
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

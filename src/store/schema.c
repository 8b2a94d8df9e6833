/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schema: how a store is laid out, how an empty file becomes one, and whether a file is one.
 * docs/store.md explains every column; comments inside the statements stay in the file, where
 * sqlite3's .schema shows them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/handle.h"

static const char schema_1[] =
    "CREATE TABLE meta( -- the run: command, argv, seed, fingerprint, version, started, finished\n"
    "  key TEXT PRIMARY KEY NOT NULL,\n"
    "  value TEXT NOT NULL\n"
    ") WITHOUT ROWID;"

    "CREATE TABLE fact( -- what the machine under test said of itself\n"
    "  position INTEGER PRIMARY KEY, -- order in which it was said\n"
    "  key TEXT NOT NULL UNIQUE,\n"
    "  value TEXT, -- NULL: there is none\n"
    "  error INTEGER NOT NULL -- errno that explains the absence, else 0\n"
    ");"

    "CREATE TABLE cell( -- one combination of factors\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  counters INTEGER NOT NULL, -- how many events are counted at once\n"
    "  path TEXT NOT NULL,\n"
    "  pattern TEXT NOT NULL, -- ar, ao, rr, ro\n"
    "  specimen TEXT NOT NULL,\n"
    "  n INTEGER NOT NULL, -- how often the specimen does its work\n"
    "  opt TEXT NOT NULL, -- optimisation level of the harness\n"
    "  link TEXT NOT NULL, -- static, lazy, bind-now\n"
    "  runs INTEGER NOT NULL, -- in each process\n"
    "  separate INTEGER NOT NULL, -- 1: counters opened one by one instead of as a group\n"
    "  cpu INTEGER NOT NULL, -- pinned to this CPU; -1: not pinned\n"
    "  faults INTEGER, -- page faults the specimen makes itself in a run; NULL: not predicted\n"
    "  switches INTEGER -- the same for context switches\n"
    ");"

    "CREATE TABLE counter( -- the events of a cell\n"
    "  cell INTEGER NOT NULL,\n"
    "  counter INTEGER NOT NULL, -- 0 is the event under test\n"
    "  event TEXT NOT NULL,\n"
    "  class TEXT, -- what it claims to count; NULL: unknown\n"
    "  truth INTEGER, -- the predicted count; NULL: nothing predicts it\n"
    "  truth_grade TEXT, -- proven, bounded, model\n"
    "  PRIMARY KEY(cell, counter)\n"
    ") WITHOUT ROWID;"

    "CREATE TABLE visit( -- one process that runs one cell\n"
    "  id INTEGER PRIMARY KEY, -- place in the planned order, from 1\n"
    "  cell INTEGER NOT NULL,\n"
    "  process INTEGER NOT NULL, -- from 0 within the cell\n"
    "  state TEXT NOT NULL DEFAULT 'pending', -- pending, done, failed\n"
    "  error INTEGER NOT NULL DEFAULT 0, -- errno of a failed visit\n"
    "  reason TEXT, -- the same in words\n"
    "  samples INTEGER NOT NULL DEFAULT 0, -- rows in sample_packed\n"
    "  checksum INTEGER NOT NULL DEFAULT 0, -- over these rows\n"
    "  UNIQUE(cell, process)\n"
    ");"

    "CREATE TABLE sample_packed( -- read it through the view sample\n"
    "  key INTEGER PRIMARY KEY, -- visit << 25 | run << 5 | counter\n"
    "  value INTEGER NOT NULL,\n"
    "  enabled INTEGER NOT NULL, -- ns\n"
    "  running INTEGER, -- ns; NULL: the same as enabled\n"
    "  minor_faults INTEGER NOT NULL,\n"
    "  major_faults INTEGER NOT NULL,\n"
    "  voluntary INTEGER NOT NULL,\n"
    "  involuntary INTEGER NOT NULL\n"
    ");"

    "CREATE VIEW sample AS -- one row a counter value; 2^63 and more read negative\n"
    "  SELECT visit.cell AS cell, visit.process AS process,\n"
    "    (packed.key >> 5) & 1048575 AS run, packed.key & 31 AS counter,\n"
    "    packed.value AS value, packed.enabled AS enabled,\n"
    "    ifnull(packed.running, packed.enabled) AS running,\n"
    "    packed.minor_faults AS minor_faults, packed.major_faults AS major_faults,\n"
    "    packed.voluntary AS voluntary, packed.involuntary AS involuntary\n"
    "  FROM visit CROSS JOIN sample_packed AS packed\n"
    "    ON packed.key BETWEEN visit.id << 25 AND (visit.id << 25) + 33554431;"

    "CREATE VIEW sample_u64 AS -- the same with counts as unsigned decimal text\n"
    "  SELECT cell, process, run, counter, printf('%llu', value) AS value,\n"
    "    printf('%llu', enabled) AS enabled, printf('%llu', running) AS running,\n"
    "    minor_faults, major_faults, voluntary, involuntary\n"
    "  FROM sample;"

    "CREATE VIEW reading AS -- every sample with the factors of its cell\n"
    "  SELECT cell.id AS cell, counter.event AS event, cell.path AS path, cell.pattern AS "
    "pattern,\n"
    "    cell.specimen AS specimen, cell.n AS n, cell.counters AS counters, cell.opt AS opt,\n"
    "    cell.link AS link, cell.separate AS separate, cell.cpu AS cpu,\n"
    "    counter.class AS class, counter.truth AS truth, counter.truth_grade AS truth_grade,\n"
    "    sample.process AS process, sample.run AS run, sample.counter AS counter,\n"
    "    sample.value AS value, sample.enabled AS enabled, sample.running AS running,\n"
    "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
    "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
    "  FROM cell CROSS JOIN sample ON sample.cell = cell.id\n"
    "    CROSS JOIN counter ON counter.cell = cell.id AND counter.counter = sample.counter;"

    "CREATE VIEW summary AS -- one row an event of a cell\n"
    "  SELECT cell, event, path, pattern, specimen, n, counters, opt, link, separate, cpu, class,\n"
    "    truth, truth_grade, count(*) AS samples, min(value) AS min, avg(value) AS mean,\n"
    "    max(value) AS max, min(value) - truth AS min_error, max(value) - truth AS max_error,\n"
    "    sum(running < enabled) AS multiplexed\n"
    "  FROM reading GROUP BY cell, counter;"

    "CREATE VIEW progress AS -- how far the run is\n"
    "  SELECT state, count(*) AS visits, sum(samples) AS samples FROM visit GROUP BY state;";

static const char schema_2[] =
    "CREATE TABLE event( -- what was tried, so that it can be judged where its machine is not\n"
    "  position INTEGER PRIMARY KEY, -- order in which they were written first\n"
    "  name TEXT NOT NULL UNIQUE, -- its mode included\n"
    "  kind TEXT NOT NULL, -- hardware, software, tracepoint, source ...\n"
    "  class TEXT, -- what it claims to count; NULL: unknown\n"
    "  error INTEGER NOT NULL, -- errno of opening it; 0: it opens\n"
    "  reason TEXT -- the same in words\n"
    ");"

    "CREATE TABLE truth( -- what a specimen counts of a class: base + each * N\n"
    "  position INTEGER PRIMARY KEY,\n"
    "  specimen TEXT NOT NULL, -- without parameters\n"
    "  class TEXT NOT NULL,\n"
    "  base INTEGER NOT NULL,\n"
    "  each INTEGER NOT NULL,\n"
    "  high_base INTEGER NOT NULL, -- upper limit of a bounded one, else as base\n"
    "  high_each INTEGER NOT NULL,\n"
    "  grade TEXT NOT NULL, -- proven, bounded, model\n"
    "  why TEXT NOT NULL, -- why no more can be said; '': nothing to explain\n"
    "  sources TEXT NOT NULL, -- that confirmed it, separated by commas\n"
    "  UNIQUE(specimen, class)\n"
    ");"

    "CREATE TABLE opcode( -- how often a specimen executes an opcode: base + each * N\n"
    "  position INTEGER PRIMARY KEY,\n"
    "  specimen TEXT NOT NULL, -- without parameters\n"
    "  opcode TEXT NOT NULL, -- '': its code was not decoded\n"
    "  base INTEGER NOT NULL,\n"
    "  each INTEGER NOT NULL,\n"
    "  UNIQUE(specimen, opcode)\n"
    ");";

static const char schema_3[] =
    "CREATE TABLE tour( -- cells whose runs are one metered call each\n"
    "  cell INTEGER PRIMARY KEY,\n"
    "  calls TEXT NOT NULL, -- in order, with commas; PATH.KIND*TIMES: so often in one run\n"
    "  length INTEGER NOT NULL, -- how many calls that are: one pass\n"
    "  counted TEXT NOT NULL, -- the event that the calls switch and read\n"
    "  open INTEGER NOT NULL, -- counters of it that each instrument has\n"
    "  cold INTEGER NOT NULL -- 1: nothing was touched, called or bound before\n"
    ");"

    "CREATE TABLE operation( -- the calls that a tour can make here\n"
    "  position INTEGER PRIMARY KEY, -- order in which they were written first\n"
    "  path TEXT NOT NULL,\n"
    "  kind TEXT NOT NULL, -- start, stop, read ...\n"
    "  instrument TEXT NOT NULL, -- operations of one work on the same counters\n"
    "  effect TEXT NOT NULL, -- on the instrument: starts, stops, keeps\n"
    "  state TEXT NOT NULL, -- of the instrument in which it makes sense: running, stopped, any\n"
    "  links TEXT NOT NULL, -- link modes, separated by commas\n"
    "  binds INTEGER NOT NULL, -- 1: calls a library, so how that is linked matters\n"
    "  alone INTEGER NOT NULL, -- 1: no other instrument beside it\n"
    "  page TEXT NOT NULL, -- of user reads: cold, touched, populated; else ''\n"
    "  note TEXT NOT NULL, -- what to know when reading its numbers\n"
    "  UNIQUE(path, kind)\n"
    ");"

    "CREATE VIEW call AS -- one row a call of a tour\n"
    "  SELECT tour.cell AS cell, each.key AS call, each.value AS operation,\n"
    "    ifnull(lag(each.value) OVER whole, last_value(each.value) OVER whole) AS predecessor\n"
    "  FROM tour CROSS JOIN json_each('[\"' || replace(tour.calls, ',', '\",\"') || '\"]') AS "
    "each\n"
    "  WINDOW whole AS (PARTITION BY tour.cell ORDER BY each.key\n"
    "    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);"

    "CREATE VIEW timed AS -- every sample of a tour, with its call and the one before it\n"
    "  SELECT cell.id AS cell, cell.link AS link, cell.separate AS separate,\n"
    "    tour.counted AS counted, tour.open AS open, tour.cold AS cold,\n"
    "    sample.process AS process, sample.run / tour.length AS pass, sample.run AS run,\n"
    "    call.operation AS operation,\n"
    "    CASE WHEN sample.run > 0 THEN call.predecessor END AS predecessor,\n"
    "    counter.event AS event, sample.value AS value,\n"
    "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
    "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
    "  FROM tour CROSS JOIN cell ON cell.id = tour.cell CROSS JOIN sample ON sample.cell = "
    "cell.id\n"
    "    CROSS JOIN counter ON counter.cell = cell.id AND counter.counter = sample.counter\n"
    "    CROSS JOIN call ON call.cell = tour.cell AND call.call = sample.run % tour.length;";

static const char schema_4[] =
    "CREATE TABLE watch( -- cells whose runs are looks at clocks: what they showed, no "
    "differences\n"
    "  cell INTEGER PRIMARY KEY,\n"
    "  kind TEXT NOT NULL, -- interval, row, steps, trips, edges, outside\n"
    "  looks INTEGER NOT NULL, -- runs that belong together, of all threads\n"
    "  workload TEXT, -- between the looks of an interval; NULL for other kinds\n"
    "  length INTEGER NOT NULL, -- interval, steps, edges: us; row: readings in a block\n"
    "  threads INTEGER NOT NULL, -- that do the same at the same time\n"
    "  moves INTEGER NOT NULL, -- forced changes of CPU within an interval\n"
    "  handover INTEGER NOT NULL, -- 1: another thread ends the interval\n"
    "  awake INTEGER NOT NULL, -- 1: CPUs are kept from idle states\n"
    "  partner INTEGER NOT NULL -- trips: the CPU that answers; else -1\n"
    ");"

    "CREATE TABLE clock( -- what is known and claimed of the clocks that were watched\n"
    "  position INTEGER PRIMARY KEY, -- order in which they were written first\n"
    "  name TEXT NOT NULL UNIQUE,\n"
    "  kind TEXT NOT NULL, -- wall, cpu-time, cycles, place, stolen\n"
    "  way TEXT NOT NULL, -- how it is read: instruction, vdso, syscall, read, device ...\n"
    "  hardware TEXT NOT NULL, -- clocks with the same word are one counter, or may be\n"
    "  claim TEXT NOT NULL, -- who says how fast it runs\n"
    "  note TEXT NOT NULL, -- what to know when reading its numbers\n"
    "  hz INTEGER NOT NULL, -- ticks a second as claimed; 0: nobody claims any\n"
    "  resolution_ps INTEGER NOT NULL, -- as the operating system claims; 0: it does not\n"
    "  slow INTEGER NOT NULL, -- 1: a reading takes microseconds\n"
    "  steered INTEGER NOT NULL -- 1: the operating system adjusts its rate\n"
    ");"

    "CREATE VIEW look AS -- every reading of a clock, with where it stands in its watch\n"
    "  SELECT cell.id AS cell, watch.kind AS kind, watch.workload AS workload,\n"
    "    watch.length AS length, watch.threads AS threads, watch.moves AS moves,\n"
    "    watch.handover AS handover, watch.awake AS awake, cell.cpu AS cpu,\n"
    "    watch.partner AS partner, sample.process AS process, sample.run AS run,\n"
    "    sample.run / watch.looks AS round,\n"
    "    sample.run % watch.looks / (watch.looks / watch.threads) AS thread,\n"
    "    sample.run % (watch.looks / watch.threads) AS look, sample.counter AS counter,\n"
    "    substr(counter.event, 1, instr(replace(counter.event, '@', '=') || '=', '=') - 1) AS "
    "clock,\n"
    "    CASE WHEN watch.kind = 'row' THEN CASE sample.counter WHEN 0 THEN 'first'\n"
    "        WHEN 1 THEN 'last' WHEN 2 THEN 'backward' WHEN 3 THEN 'worst' WHEN 4 THEN 'before'\n"
    "        ELSE 'after' END\n"
    "      WHEN watch.kind = 'outside' AND sample.counter = 0 THEN 'asked'\n"
    "      WHEN watch.kind = 'outside' AND sample.counter = cell.counters - 1 THEN 'answered'\n"
    "    END AS part, sample.value AS value,\n"
    "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
    "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
    "  FROM watch CROSS JOIN cell ON cell.id = watch.cell CROSS JOIN sample ON sample.cell = "
    "cell.id\n"
    "    CROSS JOIN counter ON counter.cell = cell.id AND counter.counter = sample.counter;";

/* Step i brings a store from schema i to i + 1; a new file takes them all. A released step is
 * never edited: a change of the schema is a new line here and STORE_SCHEMA + 1. */
static const char *const steps[] = {schema_1, schema_2, schema_3, schema_4};

_Static_assert(sizeof(steps) / sizeof(steps[0]) == STORE_SCHEMA, "one step a schema version");

/* From one version to a later one; the caller's transaction makes it whole or nothing. */
static int take_steps(sqlite3 *db, int from, int to)
{
    int result = SQLITE_OK;
    for (int i = from; result == SQLITE_OK && i < to; i++)
        result = sqlite3_exec(db, steps[i], NULL, NULL, NULL);
    char pragmas[128];
    snprintf(pragmas, sizeof(pragmas), "PRAGMA application_id=%d; PRAGMA user_version=%d",
             STORE_APPLICATION_ID, to);
    return result == SQLITE_OK ? sqlite3_exec(db, pragmas, NULL, NULL, NULL) : result;
}

/* An empty database becomes one of that version. */
static int lay_out(sqlite3 *db, int version)
{
    int result = sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = take_steps(db, 0, version);
    if (result == SQLITE_OK)
        result = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return result;
}

int schema_create(struct store *store, struct failure *failure)
{
    if (lay_out(store->db, STORE_SCHEMA) != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write the schema to", failure);
    store->schema = STORE_SCHEMA;
    return 0;
}

static int pragma_number(struct store *store, const char *sql, int32_t *number,
                         struct failure *failure)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int error = store_prepare(store, sql, &statement, failure);
    if (error)
        return error;
    int got = store_step(store, statement, "read", failure);
    if (got < 0)
        return got;
    if (!got || !column_i32(statement, 0, number))
        return store_damaged(store->path, "its header cannot be read", failure);
    return 0;
}

/* Every object we would make must be in the file, word for word: that fixes names, columns, types
 * and what a query on them can do. Further objects are the owner's business and not used. */
static int compare_objects(struct store *store, sqlite3 *ours, struct failure *failure)
{
    static const char query[] =
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid";
    AUTO_STATEMENT sqlite3_stmt *wanted = NULL, *found = NULL;
    if (sqlite3_prepare_v2(ours, query, -1, &wanted, NULL) != SQLITE_OK)
        return store_sql_failure(ours, store->path, "check", failure);
    int error = store_prepare(store, "SELECT sql FROM sqlite_master WHERE type = ? AND name = ?",
                              &found, failure);
    if (error)
        return error;
    while (sqlite3_step(wanted) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(wanted, 1);
        sqlite3_bind_value(found, 1, sqlite3_column_value(wanted, 0));
        sqlite3_bind_value(found, 2, sqlite3_column_value(wanted, 1));
        int got = store_step(store, found, "read", failure);
        if (got < 0)
            return got;
        const char *sql = NULL;
        if (!got || !column_text(found, 0, &sql) ||
            strcmp(sql, (const char *)sqlite3_column_text(wanted, 2)) != 0) {
            char what[128];
            snprintf(what, sizeof(what), "%s is %s", name,
                     got ? "not defined as assay defines it" : "missing");
            return store_damaged(store->path, what, failure);
        }
        sqlite3_reset(found);
    }
    return 0;
}

int schema_compare(struct store *store, struct failure *failure)
{
    sqlite3 *ours = NULL;
    int error = 0;
    if (sqlite3_open_v2(":memory:", &ours,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        lay_out(ours, store->schema) != SQLITE_OK)
        error = store_sql_failure(ours, store->path, "check the schema of", failure);
    else
        error = compare_objects(store, ours, failure);
    sqlite3_close(ours);
    return error;
}

int schema_version(struct store *store, struct failure *failure)
{
    int32_t application = 0, version = 0;
    int error = pragma_number(store, "PRAGMA application_id", &application, failure);
    if (!error)
        error = pragma_number(store, "PRAGMA user_version", &version, failure);
    if (error)
        return error;
    if (application != STORE_APPLICATION_ID)
        return fail_with(failure, -EMEDIUMTYPE,
                         "%s is an SQLite database, but not a store of assay: its application id "
                         "is 0x%08x instead of 0x%08x. Name a file that assay wrote, or leave the "
                         "name out to use the latest.",
                         store->path, (unsigned)application, STORE_APPLICATION_ID);
    if (version > STORE_SCHEMA)
        return fail_with(failure, -EPROTONOSUPPORT,
                         "the store %s has schema %d, this assay (%s) knows schemas up to %d: a "
                         "newer assay wrote it. Update assay to read it.",
                         store->path, version, ASSAY_VERSION, STORE_SCHEMA);
    if (version < 1)
        return store_damaged(store->path, "its schema version is below 1", failure);
    store->schema = version;
    return 0;
}

static int bring_up_to_date(struct store *store, struct failure *failure)
{
    int result = take_steps(store->db, store->schema, STORE_SCHEMA);
    if ((result & 0xff) == SQLITE_ERROR) /* an object of the owner's has a name that we need now */
        return fail_with(failure, -EEXIST,
                         "the store %.300s has schema %d and cannot be brought to schema %d: %s. "
                         "Rename what was added to it, or start a new store.",
                         store->path, store->schema, STORE_SCHEMA, sqlite3_errmsg(store->db));
    if (result != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "bring up to date the older store",
                                 failure);
    store->schema = STORE_SCHEMA;
    return writer_commit(store, PATIENCE_MS, failure);
}

int schema_upgrade(struct store *store, struct failure *failure)
{
    struct failure local = {0};
    /* Asked again under the lock: another writer may have done it since. */
    int error = schema_version(store, &local);
    if (!error && store->schema < STORE_SCHEMA)
        error = bring_up_to_date(store, &local);
    return error ? store_write_failed(store, &local, failure) : 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a store and a collection are laid out, version by version; how an empty file becomes one,
 * whether a file is one, and how an older store is brought up to date. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "store/handle.h"

/* ----------------------------------------------------------------------------------------------
 * The steps. docs/store.md explains every column; comments inside the statements stay in the file,
 * where sqlite3's .schema shows them. */

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

static const char schema_5[] =
    "CREATE TABLE command( -- cells whose visits execute a whole program once\n"
    "  cell INTEGER PRIMARY KEY,\n"
    "  words TEXT NOT NULL, -- program and arguments, quoted\n"
    "  name TEXT NOT NULL, -- what people call it\n"
    "  directory TEXT, -- where it works; NULL: where the probe was\n"
    "  input TEXT, -- the file it reads; NULL: nothing\n"
    "  keep TEXT, -- variables that stay, separated by commas; NULL: none\n"
    "  setting TEXT NOT NULL, -- the controls in words: as-is, controlled, only-aslr ...\n"
    "  controls INTEGER NOT NULL, -- the same as bits\n"
    "  sweep TEXT NOT NULL, -- what is changed in steps: env, stack, aslr; '': nothing\n"
    "  swept INTEGER NOT NULL, -- to which step\n"
    "  timeout INTEGER NOT NULL, -- ms; 0: it may take as long as it likes\n"
    "  detail TEXT NOT NULL, -- what is told beside counts: code, calls; '': nothing\n"
    "  shown INTEGER NOT NULL -- 1: what it wrote was shown\n"
    ");"

    "CREATE TABLE subject( -- programs of the kit that show one thing each\n"
    "  position INTEGER PRIMARY KEY, -- order in which they were written first\n"
    "  name TEXT NOT NULL UNIQUE,\n"
    "  summary TEXT NOT NULL,\n"
    "  shows TEXT NOT NULL, -- ids of findings, separated by spaces\n"
    "  n INTEGER NOT NULL, -- a sensible argument\n"
    "  truth INTEGER NOT NULL, -- 1: it executes base + each * N instructions\n"
    "  base INTEGER NOT NULL,\n"
    "  each INTEGER NOT NULL,\n"
    "  bits INTEGER NOT NULL, -- 32, 64\n"
    "  libc INTEGER NOT NULL -- 1: linked with the C library\n"
    ");"

    "CREATE TABLE executed( -- what an execution consisted of, in sums\n"
    "  cell INTEGER NOT NULL,\n"
    "  process INTEGER NOT NULL,\n"
    "  position INTEGER NOT NULL, -- from 0 within the execution\n"
    "  kind TEXT NOT NULL, -- function, opcode, class\n"
    "  object TEXT NOT NULL, -- of a function: the file; else ''\n"
    "  name TEXT NOT NULL, -- '': no symbol says\n"
    "  count INTEGER NOT NULL, -- instructions; a repeated string instruction once\n"
    "  repetitions INTEGER NOT NULL, -- of these beyond the first\n"
    "  PRIMARY KEY(cell, process, position)\n"
    ") WITHOUT ROWID;"

    "CREATE TABLE system_call( -- the system calls of an execution, in the order of their ends\n"
    "  cell INTEGER NOT NULL,\n"
    "  process INTEGER NOT NULL,\n"
    "  position INTEGER NOT NULL, -- from 0 within the execution\n"
    "  task INTEGER NOT NULL, -- 0 the first, 1 the next that was made ...\n"
    "  name TEXT NOT NULL,\n"
    "  what TEXT NOT NULL, -- the file, where there is one\n"
    "  result INTEGER NOT NULL,\n"
    "  asked INTEGER NOT NULL, -- bytes that it was asked for\n"
    "  sum INTEGER NOT NULL, -- of what it gave in memory; 0: nothing\n"
    "  PRIMARY KEY(cell, process, position)\n"
    ") WITHOUT ROWID;"

    "CREATE VIEW execution AS -- every count of a command, with what was held meanwhile\n"
    "  SELECT cell.id AS cell, command.name AS name, command.words AS words,\n"
    "    command.setting AS setting, command.sweep AS sweep, command.swept AS swept,\n"
    "    command.detail AS detail, cell.cpu AS cpu, sample.process AS process,\n"
    "    counter.event AS event, counter.class AS class, sample.value AS value,\n"
    "    sample.enabled AS enabled, sample.running AS running,\n"
    "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
    "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
    "  FROM command CROSS JOIN cell ON cell.id = command.cell\n"
    "    CROSS JOIN sample ON sample.cell = cell.id\n"
    "    CROSS JOIN counter ON counter.cell = cell.id AND counter.counter = sample.counter;";

/* Step i brings a store from schema i to i + 1; a new file takes them all. A released step is
 * never edited: a change of the schema is a new line here and STORE_SCHEMA + 1. */
static const char *const schema_steps[STORE_SCHEMA] = {schema_1, schema_2, schema_3, schema_4,
                                                       schema_5};

/* --- An empty database becomes a store --- */

/* From one version to a later one; the caller's transaction makes it whole or nothing. */
static int take_steps(sqlite3 *db, int from, int to)
{
    int result = SQLITE_OK;
    for (int i = from; result == SQLITE_OK && i < to; i++)
        result = sqlite3_exec(db, schema_steps[i], NULL, NULL, NULL);
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

static int open_memory(sqlite3 **db)
{
    return sqlite3_open_v2(":memory:", db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
}

/* A database in memory with the tables and views of a store, to look at. An SQLite result; the
 * caller closes *db in any case. */
static int schema_in_memory(int version, sqlite3 **db)
{
    int result = open_memory(db);
    return result == SQLITE_OK ? lay_out(*db, version) : result;
}

/* ----------------------------------------------------------------------------------------------
 * A collection: the tables of a store with a column `store` in front, so that rows of many stores
 * stand beside each other, and views of the same names that show one of them as the store that it
 * was. Both follow from the store's own schema. docs/store.md explains the rest. */

static const char index_tables[] =
    "CREATE TABLE collection( -- version, made, checksum of these two tables\n"
    "  key TEXT PRIMARY KEY NOT NULL,\n"
    "  value TEXT NOT NULL\n"
    ") WITHOUT ROWID;"

    "CREATE TABLE store( -- the stores that were collected, one run each\n"
    "  number INTEGER PRIMARY KEY, -- FILE#NUMBER opens it\n"
    "  schema INTEGER NOT NULL, -- that it had\n"
    "  content TEXT NOT NULL -- checksum of its tables other than samples\n"
    ");";

/* Views for analysts, as those of a store. */
static const struct {
    int since; /* the schema that brought the tables it shows */
    const char *sql;
} views[] = {
    {1, "CREATE VIEW run AS -- what each store says of its run\n"
        "  SELECT number AS store,\n"
        "    max(CASE key WHEN 'command' THEN value END) AS command,\n"
        "    max(CASE key WHEN 'fingerprint' THEN value END) AS fingerprint,\n"
        "    max(CASE key WHEN 'started' THEN value END) AS started,\n"
        "    max(CASE key WHEN 'finished' THEN value END) AS finished,\n"
        "    max(CASE key WHEN 'seed' THEN value END) AS seed,\n"
        "    max(CASE key WHEN 'argv' THEN value END) AS argv,\n"
        "    max(CASE key WHEN 'version' THEN value END) AS version\n"
        "  FROM store CROSS JOIN meta ON meta.store = store.number GROUP BY number;"},
    {1, "CREATE VIEW sample AS -- one row a counter value; 2^63 and more read negative\n"
        "  SELECT visit.store AS store, visit.cell AS cell, visit.process AS process,\n"
        "    (packed.key >> 5) & 1048575 AS run, packed.key & 31 AS counter,\n"
        "    packed.value AS value, packed.enabled AS enabled,\n"
        "    ifnull(packed.running, packed.enabled) AS running,\n"
        "    packed.minor_faults AS minor_faults, packed.major_faults AS major_faults,\n"
        "    packed.voluntary AS voluntary, packed.involuntary AS involuntary\n"
        "  FROM visit CROSS JOIN sample_packed AS packed ON packed.store = visit.store\n"
        "    AND packed.key BETWEEN visit.id << 25 AND (visit.id << 25) + 33554431;"},
    {1, "CREATE VIEW sample_u64 AS -- the same with counts as unsigned decimal text\n"
        "  SELECT store, cell, process, run, counter, printf('%llu', value) AS value,\n"
        "    printf('%llu', enabled) AS enabled, printf('%llu', running) AS running,\n"
        "    minor_faults, major_faults, voluntary, involuntary\n"
        "  FROM sample;"},
    {1, "CREATE VIEW reading AS -- every sample with the factors of its cell\n"
        "  SELECT cell.store AS store, cell.id AS cell, counter.event AS event,\n"
        "    cell.path AS path, cell.pattern AS pattern, cell.specimen AS specimen, cell.n AS n,\n"
        "    cell.counters AS counters, cell.opt AS opt, cell.link AS link,\n"
        "    cell.separate AS separate, cell.cpu AS cpu, counter.class AS class,\n"
        "    counter.truth AS truth, counter.truth_grade AS truth_grade,\n"
        "    sample.process AS process, sample.run AS run, sample.counter AS counter,\n"
        "    sample.value AS value, sample.enabled AS enabled, sample.running AS running,\n"
        "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
        "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
        "  FROM cell CROSS JOIN sample ON sample.store = cell.store AND sample.cell = cell.id\n"
        "    CROSS JOIN counter ON counter.store = cell.store AND counter.cell = cell.id\n"
        "    AND counter.counter = sample.counter;"},
    {1, "CREATE VIEW summary AS -- one row an event of a cell\n"
        "  SELECT store, cell, event, path, pattern, specimen, n, counters, opt, link, separate,\n"
        "    cpu, class, truth, truth_grade, count(*) AS samples, min(value) AS min,\n"
        "    avg(value) AS mean, max(value) AS max, min(value) - truth AS min_error,\n"
        "    max(value) - truth AS max_error, sum(running < enabled) AS multiplexed\n"
        "  FROM reading GROUP BY store, cell, counter;"},
    {1, "CREATE VIEW progress AS -- how far each run is\n"
        "  SELECT store, state, count(*) AS visits, sum(samples) AS samples\n"
        "  FROM visit GROUP BY store, state;"},
    {3, "CREATE VIEW call AS -- one row a call of a tour\n"
        "  SELECT tour.store AS store, tour.cell AS cell, each.key AS call,\n"
        "    each.value AS operation,\n"
        "    ifnull(lag(each.value) OVER whole, last_value(each.value) OVER whole) AS "
        "predecessor\n"
        "  FROM tour CROSS JOIN json_each('[\"' || replace(tour.calls, ',', '\",\"') || '\"]') AS "
        "each\n"
        "  WINDOW whole AS (PARTITION BY tour.store, tour.cell ORDER BY each.key\n"
        "    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);"},
    {3, "CREATE VIEW timed AS -- every sample of a tour, with its call and the one before it\n"
        "  SELECT cell.store AS store, cell.id AS cell, cell.link AS link,\n"
        "    cell.separate AS separate, tour.counted AS counted, tour.open AS open,\n"
        "    tour.cold AS cold, sample.process AS process, sample.run / tour.length AS pass,\n"
        "    sample.run AS run, call.operation AS operation,\n"
        "    CASE WHEN sample.run > 0 THEN call.predecessor END AS predecessor,\n"
        "    counter.event AS event, sample.value AS value,\n"
        "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
        "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
        "  FROM tour CROSS JOIN cell ON cell.store = tour.store AND cell.id = tour.cell\n"
        "    CROSS JOIN sample ON sample.store = cell.store AND sample.cell = cell.id\n"
        "    CROSS JOIN counter ON counter.store = cell.store AND counter.cell = cell.id\n"
        "    AND counter.counter = sample.counter\n"
        "    CROSS JOIN call ON call.store = tour.store AND call.cell = tour.cell\n"
        "    AND call.call = sample.run % tour.length;"},
    {4, "CREATE VIEW look AS -- every reading of a clock, with where it stands in its watch\n"
        "  SELECT cell.store AS store, cell.id AS cell, watch.kind AS kind,\n"
        "    watch.workload AS workload, watch.length AS length, watch.threads AS threads,\n"
        "    watch.moves AS moves, watch.handover AS handover, watch.awake AS awake,\n"
        "    cell.cpu AS cpu, watch.partner AS partner, sample.process AS process,\n"
        "    sample.run AS run, sample.run / watch.looks AS round,\n"
        "    sample.run % watch.looks / (watch.looks / watch.threads) AS thread,\n"
        "    sample.run % (watch.looks / watch.threads) AS look, sample.counter AS counter,\n"
        "    substr(counter.event, 1, instr(replace(counter.event, '@', '=') || '=', '=') - 1) AS "
        "clock,\n"
        "    CASE WHEN watch.kind = 'row' THEN CASE sample.counter WHEN 0 THEN 'first'\n"
        "        WHEN 1 THEN 'last' WHEN 2 THEN 'backward' WHEN 3 THEN 'worst'\n"
        "        WHEN 4 THEN 'before' ELSE 'after' END\n"
        "      WHEN watch.kind = 'outside' AND sample.counter = 0 THEN 'asked'\n"
        "      WHEN watch.kind = 'outside' AND sample.counter = cell.counters - 1 THEN 'answered'\n"
        "    END AS part, sample.value AS value,\n"
        "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
        "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
        "  FROM watch CROSS JOIN cell ON cell.store = watch.store AND cell.id = watch.cell\n"
        "    CROSS JOIN sample ON sample.store = cell.store AND sample.cell = cell.id\n"
        "    CROSS JOIN counter ON counter.store = cell.store AND counter.cell = cell.id\n"
        "    AND counter.counter = sample.counter;"},
    {5, "CREATE VIEW execution AS -- every count of a command, with what was held meanwhile\n"
        "  SELECT cell.store AS store, cell.id AS cell, command.name AS name,\n"
        "    command.words AS words, command.setting AS setting, command.sweep AS sweep,\n"
        "    command.swept AS swept, command.detail AS detail, cell.cpu AS cpu,\n"
        "    sample.process AS process, counter.event AS event, counter.class AS class,\n"
        "    sample.value AS value, sample.enabled AS enabled, sample.running AS running,\n"
        "    sample.minor_faults AS minor_faults, sample.major_faults AS major_faults,\n"
        "    sample.voluntary AS voluntary, sample.involuntary AS involuntary\n"
        "  FROM command CROSS JOIN cell ON cell.store = command.store AND cell.id = command.cell\n"
        "    CROSS JOIN sample ON sample.store = cell.store AND sample.cell = cell.id\n"
        "    CROSS JOIN counter ON counter.store = cell.store AND counter.cell = cell.id\n"
        "    AND counter.counter = sample.counter;"},
};

/* Called with the columns of each table of a store: name, type, not null, place in the key. */
typedef void table_each(struct text *out, const char *table, sqlite3_stmt *columns, unsigned store);

static void put_table(struct text *out, const char *table, sqlite3_stmt *columns, unsigned store)
{
    (void)store;
    text_printf(out, "CREATE TABLE %s(\n  store INTEGER NOT NULL,", table);
    while (sqlite3_step(columns) == SQLITE_ROW)
        text_printf(out, "\n  %s %s%s,", (const char *)sqlite3_column_text(columns, 0),
                    (const char *)sqlite3_column_text(columns, 1),
                    sqlite3_column_int(columns, 2) || sqlite3_column_int(columns, 3) ? " NOT NULL"
                                                                                     : "");
    /* The key of a table: that of the store, but for visits. Those are looked up by cell and
     * process, and an index beside the table would be one more thing that can be damaged. */
    text_puts(out, "\n  PRIMARY KEY(store");
    bool visits = strcmp(table, "visit") == 0;
    if (visits)
        text_puts(out, ", cell, process");
    for (int place = 1, found = !visits; found; place++) {
        found = 0;
        sqlite3_reset(columns);
        while (!found && sqlite3_step(columns) == SQLITE_ROW)
            if (sqlite3_column_int(columns, 3) == place) {
                text_printf(out, ", %s", (const char *)sqlite3_column_text(columns, 0));
                found = 1;
            }
    }
    text_puts(out, ")");
    text_puts(out, "\n) WITHOUT ROWID;");
}

static void put_view(struct text *out, const char *table, sqlite3_stmt *columns, unsigned store)
{
    text_printf(out, "CREATE TEMP VIEW %s AS SELECT ", table);
    for (int i = 0; sqlite3_step(columns) == SQLITE_ROW; i++)
        text_printf(out, "%s%s", i ? ", " : "", (const char *)sqlite3_column_text(columns, 0));
    text_printf(out, " FROM main.%s WHERE store = %u;", table, store);
}

/* Writes what `each` makes of the tables of a store with that schema. */
static int derive(int version, table_each *each, struct text *out, unsigned store)
{
    sqlite3 *plain = NULL;
    int result = schema_in_memory(version, &plain);
    if (result == SQLITE_OK) {
        AUTO_STATEMENT sqlite3_stmt *tables = NULL, *columns = NULL;
        result = sqlite3_prepare_v2(plain,
                                    "SELECT name FROM sqlite_master WHERE type = 'table' "
                                    "ORDER BY rowid",
                                    -1, &tables, NULL);
        if (result == SQLITE_OK)
            result =
                sqlite3_prepare_v2(plain,
                                   "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) "
                                   "ORDER BY cid",
                                   -1, &columns, NULL);
        while (result == SQLITE_OK && sqlite3_step(tables) == SQLITE_ROW) {
            sqlite3_bind_value(columns, 1, sqlite3_column_value(tables, 0));
            each(out, (const char *)sqlite3_column_text(tables, 0), columns, store);
            sqlite3_reset(columns);
        }
    }
    sqlite3_close(plain);
    return result == SQLITE_OK && out->failed ? SQLITE_NOMEM : result;
}

int collection_lay_out(sqlite3 *db, int version)
{
    AUTO_TEXT struct text sql = {0};
    text_puts(&sql, index_tables);
    int result = derive(version, put_table, &sql, 0);
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        if (views[i].since <= version)
            text_puts(&sql, views[i].sql);
    text_printf(&sql, "PRAGMA application_id=%d; PRAGMA user_version=%d", STORE_APPLICATION_ID,
                COLLECTION_SCHEMAS + version);
    if (result == SQLITE_OK)
        result = sql.failed ? SQLITE_NOMEM : sqlite3_exec(db, text_string(&sql), NULL, NULL, NULL);
    return result;
}

int collection_show(struct store *store, int version, unsigned number, struct failure *failure)
{
    AUTO_TEXT struct text sql = {0};
    text_puts(&sql, "PRAGMA query_only=OFF;");
    int result = derive(version, put_view, &sql, number);
    text_puts(&sql, "PRAGMA query_only=ON");
    if (result != SQLITE_OK || sql.failed)
        return store_no_memory(store, failure);
    /* Old versions of SQLite count views of our own as views of the file. The file's are never
     * used: ours hide them, and name its tables. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
    return store_execute(store, text_string(&sql), "read", failure);
}

/* ----------------------------------------------------------------------------------------------
 * A file and its schema: made, recognised, compared with what it should be, brought up to date. */

int schema_create_as(struct store *store, int version, struct failure *failure)
{
    if (lay_out(store->db, version) != SQLITE_OK)
        return store_sql_failure(store->db, store->path, "write the schema to", failure);
    store->schema = version;
    return 0;
}

int schema_create(struct store *store, struct failure *failure)
{
    return schema_create_as(store, STORE_SCHEMA, failure);
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
    int error = 0, result = store->collection ? open_memory(&ours) : SQLITE_OK;
    if (result == SQLITE_OK)
        result = store->collection ? collection_lay_out(ours, store->schema)
                                   : schema_in_memory(store->schema, &ours);
    if (result != SQLITE_OK)
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
                         "is 0x%08x instead of 0x%08x. Name a file that assay wrote.",
                         store->path, (unsigned)application, STORE_APPLICATION_ID);
    store->collection = version > COLLECTION_SCHEMAS;
    if (store->collection)
        version -= COLLECTION_SCHEMAS;
    if (version > STORE_SCHEMA)
        return fail_with(failure, -EPROTONOSUPPORT,
                         "the %s %s has schema %d, this assay (%s) knows schemas up to %d: a "
                         "newer assay wrote it. Update assay to read it.",
                         store->collection ? "collection" : "store", store->path, version,
                         ASSAY_VERSION, STORE_SCHEMA);
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

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a collection is laid out: the tables of a store with a column `store` in front, so that rows
 * of many stores stand beside each other, and views of the same names that show one of them as the
 * store that it was. Both follow from the store's own schema. docs/store.md explains the rest. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "store/collection-room.h"

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

/* The key of a table: that of the store, but for visits. Those are looked up by cell and process,
 * and an index beside the table would be one more thing that can be damaged. */
static void put_key(struct text *out, const char *table, sqlite3_stmt *columns)
{
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
}

static void put_table(struct text *out, const char *table, sqlite3_stmt *columns, unsigned store)
{
    (void)store;
    text_printf(out, "CREATE TABLE %s(\n  store INTEGER NOT NULL,", table);
    while (sqlite3_step(columns) == SQLITE_ROW)
        text_printf(out, "\n  %s %s%s,", (const char *)sqlite3_column_text(columns, 0),
                    (const char *)sqlite3_column_text(columns, 1),
                    sqlite3_column_int(columns, 2) || sqlite3_column_int(columns, 3) ? " NOT NULL"
                                                                                     : "");
    put_key(out, table, columns);
    text_puts(out, "\n) WITHOUT ROWID;");
}

static void put_view(struct text *out, const char *table, sqlite3_stmt *columns, unsigned store)
{
    text_printf(out, "CREATE TEMP VIEW %s AS SELECT ", table);
    for (int i = 0; sqlite3_step(columns) == SQLITE_ROW; i++)
        text_printf(out, "%s%s", i ? ", " : "", (const char *)sqlite3_column_text(columns, 0));
    text_printf(out, " FROM main.%s WHERE store = %u;", table, store);
}

static int each_table(sqlite3 *plain, table_each *each, struct text *out, unsigned store)
{
    AUTO_STATEMENT sqlite3_stmt *tables = NULL, *columns = NULL;
    int result = sqlite3_prepare_v2(plain,
                                    "SELECT name FROM sqlite_master WHERE type = 'table' "
                                    "ORDER BY rowid",
                                    -1, &tables, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(plain,
                                    "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) "
                                    "ORDER BY cid",
                                    -1, &columns, NULL);
    while (result == SQLITE_OK && sqlite3_step(tables) == SQLITE_ROW) {
        sqlite3_bind_value(columns, 1, sqlite3_column_value(tables, 0));
        each(out, (const char *)sqlite3_column_text(tables, 0), columns, store);
        sqlite3_reset(columns);
    }
    return result;
}

/* Writes what `each` makes of the tables of a store with that schema. */
static int derive(int version, table_each *each, struct text *out, unsigned store)
{
    sqlite3 *plain = NULL;
    int result = schema_in_memory(version, &plain);
    if (result == SQLITE_OK)
        result = each_table(plain, each, out, store);
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

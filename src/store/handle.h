/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of src/store share and nobody else sees: the open store, its connection to
 * SQLite, and what each chapter has for the others. */
#pragma once

#include <sqlite3.h>

#include "base/cleanup.h"
#include "store/store.h"

/* "assy" in the file's header, so that file(1) and we can tell a store from other databases. */
#define STORE_APPLICATION_ID 0x61737379

/* user_version of a collection: this and the schema of the stores that it can hold. */
#define COLLECTION_SCHEMAS 1000

/* A sample's key: the visit's place in the plan, then run, then counter. Visits run in planned
 * order, so samples are always appended and a visit's samples are one range of keys. */
#define KEY_COUNTER_BITS 5  /* CELL_MAX_COUNTERS */
#define KEY_RUN_BITS     20 /* CELL_MAX_RUNS */
#define KEY_VISIT_SHIFT  (KEY_COUNTER_BITS + KEY_RUN_BITS)
#define KEY_MAX_VISIT    ((INT64_C(1) << (63 - KEY_VISIT_SHIFT)) - 1)

_Static_assert(CELL_MAX_COUNTERS <= 1 << KEY_COUNTER_BITS, "counter does not fit in a key");
_Static_assert(CELL_MAX_RUNS <= 1 << KEY_RUN_BITS, "run does not fit in a key");

/* Milliseconds a statement waits for a lock another program holds. */
#define PATIENCE_MS 5000

/* The visit whose samples are arriving. */
struct visit_under_way {
    int64_t id; /* 0: none */
    uint32_t cell, process;
    uint32_t counters, runs; /* of its cell */
    uint32_t next_run;       /* the first run that may come next */
    uint64_t samples;
    uint64_t checksum;        /* over them */
    uint64_t executed, calls; /* rows of details */
};

struct store {
    sqlite3 *db;
    char *path;      /* as people name it: of a run in a collection FILE#NUMBER */
    char *file;      /* where it is */
    unsigned number; /* of the run in a collection; 0: none was chosen */
    bool numbered;   /* by its name */
    bool collection; /* the file is one */
    bool listing;    /* it may be one without a run being chosen */
    bool salvage;    /* opened to see what is left: only its layout was checked */
    char *content;   /* checksum that a collection keeps of the run; NULL: no collection */
    int schema;      /* of the file: an older one is read as it is */
    bool writer;     /* holds the write lock: a transaction is always open */
    bool finished;   /* the run is complete: nothing may be added */
    char *token;     /* names this writer in meta.writer */
    uint64_t committed_ms;
    bool ended;            /* a visit ended since the last commit */
    struct failure broken; /* code != 0: a write failed, further ones repeat the text */
    struct visit_under_way visit;
    sqlite3_stmt *insert_many, *insert_one, *find_visit, *end_visit;
    sqlite3_stmt *insert_executed, *insert_call; /* NULL: not needed yet */
    struct sample_scan *scan;                    /* under way; NULL: none */
    int64_t steps_left;                          /* of connect_limit */
    const volatile int *stop; /* ends reading and writing when it becomes non-zero; NULL: none */
};

/* --- statement.c: what every chapter asks of SQLite --- */

/* The negative errno and the sentence for what SQLite reported last on db. doing: "write samples
 * to". */
int store_sql_failure(sqlite3 *db, const char *path, const char *doing, struct failure *failure);
/* -EBADMSG: the content cannot be what assay wrote. what: "a cell without a path". */
int store_damaged(const char *path, const char *what, struct failure *failure);
/* The same of one visit: "lacks samples". */
int visit_damaged(const struct store *store, uint32_t cell, uint32_t process, const char *what,
                  struct failure *failure);
/* The `what` of such a failure, for a sentence of its own; of any other all of its text. */
void store_damage(const struct failure *failure, char *what, size_t size);
/* Does it tell its reader to save what is left? */
bool store_advises_salvage(const struct failure *failure);

int store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
                  struct failure *failure);
/* Runs sql, which gives no rows anyone wants. */
int store_execute(struct store *store, const char *sql, const char *doing, struct failure *failure);
/* -EINTR once store->stop says so, else 0. */
int store_stopped(const struct store *store, struct failure *failure);
/* 1 with a row, 0 at the end, negative errno. */
int store_step(struct store *store, sqlite3_stmt *statement, const char *doing,
               struct failure *failure);

static inline void cleanup_statement(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}
#define AUTO_STATEMENT __attribute__((cleanup(cleanup_statement)))

/* A column's value when it has the right type and range, else false: the file is damaged. The
 * string is valid until the next step; NULL is allowed only by the _or_null form. */
bool column_u64(sqlite3_stmt *statement, int column, uint64_t *value);
bool column_i64(sqlite3_stmt *statement, int column, int64_t *value);
bool column_u32(sqlite3_stmt *statement, int column, uint32_t *value);
bool column_i32(sqlite3_stmt *statement, int column, int32_t *value);
bool column_text(sqlite3_stmt *statement, int column, const char **value);
bool column_text_or_null(sqlite3_stmt *statement, int column, const char **value);

bool column_state(sqlite3_stmt *statement, int column, enum visit_state *state);
extern const char *const visit_state_names[]; /* pending, done, failed */

void bind_u64(sqlite3_stmt *statement, int index, uint64_t value);
void bind_text(sqlite3_stmt *statement, int index, const char *value); /* NULL binds NULL */

struct bound {
    const char *text;
    int64_t number;
    bool is_number;
};
#define TEXT(value)                                                                                \
    {                                                                                              \
        .text = (value)                                                                            \
    }
#define NUMBER(value)                                                                              \
    {                                                                                              \
        .number = (int64_t)(value), .is_number = true                                              \
    }
/* Binds several parameters, from that index on. */
#define BIND(statement, first, ...)                                                                \
    do {                                                                                           \
        const struct bound bound_values[] = {__VA_ARGS__};                                         \
        bind_all(statement, first, bound_values, sizeof(bound_values) / sizeof(*bound_values));    \
    } while (0)
void bind_all(sqlite3_stmt *statement, int first, const struct bound *values, size_t count);

int store_put_meta(struct store *store, const char *key, const char *value,
                   struct failure *failure);
/* *value NULL when there is no such key; the caller frees it. */
int store_get_meta(struct store *store, const char *key, char **value, struct failure *failure);

/* One reading sees one state of the file, even while a writer goes on; nested ones share it. */
int snapshot_begin(struct store *store, bool *began, struct failure *failure);
void snapshot_end(struct store *store, bool began);

int store_no_memory(const struct store *store, struct failure *failure);
/* UTC as 2026-03-01T12:34:56Z */
void store_time(char text[32]);

/* All rows of a table into that of another database, which has the number in front; 0: has not. */
int copy_table(struct store *from, struct store *into, const char *table, unsigned number,
               struct failure *failure);
/* Binds what a sample holds behind its key, from that parameter on. */
void bind_stored(sqlite3_stmt *statement, int index, const struct sample *sample);

/* --- schema.c: how stores and collections are laid out --- */

/* Makes an empty database ours, of that version. */
int schema_create_as(struct store *store, int version, struct failure *failure);

/* Makes an empty database ours, within a transaction of its own. */
int schema_create(struct store *store, struct failure *failure);
/* Is it ours, and of a version we know? Tells store->schema. */
int schema_version(struct store *store, struct failure *failure);
/* Is it laid out exactly as an assay of its version would have done? */
int schema_compare(struct store *store, struct failure *failure);
/* Brings an older store up to date; the writer's transaction must be open, and commits it. */
int schema_upgrade(struct store *store, struct failure *failure);

/* An empty database becomes a collection, within the caller's transaction. An SQLite result. */
int collection_lay_out(sqlite3 *db, int version);
/* From here on the names of a store's tables mean those of one run. */
int collection_show(struct store *store, int version, unsigned number, struct failure *failure);

/* --- open.c: the connection, and the life of a store --- */

/* Opens the empty file that was just made. */
int connect_new(struct store *store, struct failure *failure);
/* Opens it for writing where WAL cannot be had, and takes it out of WAL. */
int connect_plain_journal(struct store *store, struct failure *failure);
/* Is this SQLite result what a file system without shared memory or with a closed folder gives? */
bool connect_lacks_wal(int result);

/* A file made to waste time (pages that refer to each other) must not hang us: from here on reading
 * ends after several times what so many passes over a sound file need. 0: no limit. */
void connect_limit(struct store *store, unsigned passes);
/* Refuses a store that another program is writing: -EBUSY. */
int connect_without_writer(struct store *store, struct failure *failure);

/* Opens a store, or a collection as a whole: then no run is chosen unless the name does. */
int store_open_listing(struct store **store, const char *path, struct failure *failure);
/* The same of what may be damaged: nothing that is read of it was checked. */
int store_open_damaged(struct store **store, const char *path, bool listing,
                       struct failure *failure);
/* A file and what SQLite lays beside it. */
void store_remove_files(const char *path);

/* ----------------------------------------------------------------------------------------------
 * checksum.c: checksums, because SQLite has none: a flipped bit in a count would be a wrong count.
 * Every visit carries one over its samples, a finished store one over everything else. Not a
 * signature: who changes a store on purpose can change them too. */

/* Each step is a bijection of sum for a given word and of word for a given sum, so one wrong word
 * always shows. */
static inline uint64_t checksum_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

static inline uint64_t checksum_sample(uint64_t sum, int64_t key, uint64_t value, uint64_t enabled,
                                       uint64_t running, const struct account *account)
{
    sum = checksum_word(sum, (uint64_t)key);
    sum = checksum_word(sum, value);
    sum = checksum_word(sum, enabled);
    sum = checksum_word(sum, running);
    sum = checksum_word(sum, account->minor_faults);
    sum = checksum_word(sum, account->major_faults);
    sum = checksum_word(sum, account->voluntary);
    return checksum_word(sum, account->involuntary);
}

/* Writes the checksum of a finished store's tables other than samples into meta. */
int checksum_put(struct store *store, struct failure *failure);
/* Compares it, and what a collection keeps. -EBADMSG: something was changed since the run finished.
 */
int checksum_verify(struct store *store, struct failure *failure);
/* The same of any store, finished or not, as digits. */
int checksum_of_tables(struct store *store, char text[17], struct failure *failure);
/* The same over the rows of one query, added to *sum. */
int checksum_add_rows(struct store *store, const char *query, uint64_t *sum,
                      struct failure *failure);
void checksum_text(uint64_t sum, char text[17]);

/* The tables of a store other than samples. */
struct checked_table {
    int since; /* the schema that brought it */
    const char *name;
    const char *query; /* its rows in the order of the key */
};
extern const struct checked_table checked_tables[]; /* ends with name NULL */
/* Is a table of a finished store what it was? 1, 0, -ENODATA where older stores do not tell, or why
 * it cannot be read. */
int checksum_holds(struct store *store, const struct checked_table *table, struct failure *failure);

/* --- write.c: the one writer, its transactions and what it takes --- */

/* Takes the write lock for as long as the store is open and chooses the journal: WAL, or a
 * rollback journal where the file system cannot have WAL. */
int writer_begin(struct store *store, struct failure *failure);
/* Commits and starts the next transaction. -EBUSY leaves the transaction open: try again later. */
int writer_commit(struct store *store, int patience_ms, struct failure *failure);
/* Commits and gives up the write lock. */
int writer_end(struct store *store, struct failure *failure);
/* Takes a finished store out of WAL. */
int writer_make_plain(struct store *store, struct failure *failure);

/* 0, or why nothing may be written: not opened for it, finished, or an earlier failure. */
int store_may_write(struct store *store, struct failure *failure);
/* Gives up writing because of `why`, which becomes the caller's failure too. */
int store_write_failed(struct store *store, const struct failure *why, struct failure *failure);
void store_release_statements(struct store *store);
/* Makes the visit the one under way, unless another is. */
int visit_enter(struct store *store, uint32_t cell, uint32_t process, struct failure *failure);

/* --- knowledge.c: what is kept besides samples --- */

/* Takes what was put of this visit out again. */
int details_drop(struct store *store, uint32_t cell, uint32_t process, struct failure *failure);

/* --- samples.c: samples, out of the store --- */

/* What table visit says of one. */
struct visit_row {
    int64_t id;
    struct visit visit;
    uint64_t samples, checksum;
};
/* The samples of one visit. */
int samples_of_visit(struct store *store, const struct visit_row *row, store_sample_each *each,
                     void *context, struct failure *failure);

/* The key of the sample that store_scan_samples hands on just now. */
int64_t scan_key(const struct store *store);

/* --- collection.c: several runs in one file --- */

/* Opens the run that store->number says, or the only one; of a listing, none. */
int collection_enter(struct store *store, struct failure *failure);

/* --- salvage.c: what is left of a damaged store --- */

/* Says that nothing of the run can be taken. part: "its table cell is damaged". -EBADMSG. */
int salvage_refuse(const char *name, const char *part, const struct failure *why,
                   struct failure *failure);
/* Makes a store at `to` of what can be read of the run `from`, unless *stop becomes non-zero. */
int store_salvage(const char *from, const char *to, const struct salvage *salvage,
                  const volatile int *stop, struct failure *failure);

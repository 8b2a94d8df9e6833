/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store: one SQLite file per run that holds machine, plan, order and raw samples
 * (docs/store.md documents the schema). Written while samples arrive, in transactions; what was
 * committed survives SIGKILL; a finished store is a single plain file.
 *
 * The chapters of src/store; they share handle.h:
 *
 *     statement   what all ask of SQLite, and sentences for what went wrong
 *     schema      how stores and collections are laid out, version by version
 *     open        the connection; stores made or opened, finished, closed
 *     place       where stores live when nobody says
 *     checksum    is a finished store what was written
 *     plan        the plan put in, and held against that of a resumed run
 *     write       the one writer, its transactions, and samples put in
 *     knowledge   what is kept besides samples, in and out
 *     cells       run, machine, cells and visits out
 *     samples     samples out
 *     collection  several runs in one file
 *     salvage     what is left of a damaged store */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "machine/facts.h"
#include "wire/cell.h"

#define STORE_SCHEMA 5

struct store;

/* One process that ran (or will run) one cell. */
struct visit {
    uint32_t cell;
    uint32_t process;
};

enum visit_state { VISIT_PENDING, VISIT_DONE, VISIT_FAILED };

struct store_run {
    const char *command; /* "measure" */
    const char *argv;    /* JSON array of the command line */
    uint64_t seed;
    const struct facts *facts;
    const char *fingerprint;
    const char *kit; /* build id of the kit that measures; NULL: unknown */
};

/* $XDG_STATE_HOME/assay/FINGERPRINT/TIME-COMMAND.sqlite (folders made); the caller frees *path. */
int store_default_path(const char *fingerprint, const char *command, char **path,
                       struct failure *failure);
/* Makes something at such a path: `make` is called with the next one as long as it finds its path
 * taken (-EEXIST), because commands that begin in the same millisecond get the same. */
typedef int store_maker(void *context, const char *path, struct failure *failure);
int store_make_default(const char *fingerprint, const char *command, store_maker *make,
                       void *context, struct failure *failure);
/* Makes the folder and those above it, for this user alone. */
int store_make_folders(const char *folder, struct failure *failure);
/* The newest unfinished run of that command in the default place, or -ENOENT. */
int store_latest_unfinished(const char *fingerprint, const char *command, char **path,
                            struct failure *failure);
/* The newest store of that machine and command, NULL meaning any, or -ENOENT; also FILE#NUMBER of a
 * run that `assay run` made, or the store that is still a part of one. */
int store_latest(const char *fingerprint, const char *command, char **path,
                 struct failure *failure);
/* The newest of those that are older than the store at `newer`; NULL: than none. */
int store_latest_before(const char *fingerprint, const char *command, const char *newer,
                        char **path, struct failure *failure);

/* Makes a new store; fails with -EEXIST rather than touch an existing file. */
int store_create(struct store **store, const char *path, const struct store_run *run,
                 struct failure *failure);
/* Opens an existing one for writing on (resume) or reading. Refuses files that are not ours, are
 * damaged, or have a newer schema: the text says which. A store has one writer at a time: -EBUSY
 * names the other. A finished one can be opened either way, but nothing can be added. */
int store_open(struct store **store, const char *path, bool writable, struct failure *failure);
const char *store_path(const struct store *store);

/* The plan: every cell and the order of visits, written before the first sample. It is committed
 * together with what store_put_truth and store_put_account say of its cells, by store_commit: a
 * plan without its truths must not be resumed. Further plans may follow between visits; their cells
 * have new ids, their visits come last. Cell ids count from 1. */
int store_put_plan(struct store *store, const struct cell *cells, size_t cell_count,
                   const struct visit *visits, size_t visit_count, struct failure *failure);
/* Same command, seed, cells, kit and machine? 0, or -ESTALE and the first thing that differs. */
int store_same_plan(struct store *store, const struct store_run *run, const struct cell *cells,
                    size_t cell_count, struct failure *failure);

/* Class and truth of one counter of a cell, as the probe's catalogue gave them for this machine.
 * class NULL: none known; grade NULL: nothing predicts the count, truth is ignored. */
int store_put_truth(struct store *store, uint32_t cell, uint32_t counter, const char *class,
                    int64_t truth, const char *grade, struct failure *failure);
/* The specimen's own page faults and context switches in one run: what the operating system's
 * account may show without anybody disturbing it. NULL: not predicted. */
int store_put_account(struct store *store, uint32_t cell, const int64_t *faults,
                      const int64_t *switches, struct failure *failure);

/* Samples of a visit join one transaction with its end: a visit is in the store whole or not at
 * all. Visits come one after the other, the runs of a visit in rising order. Transactions are
 * committed every few hundred milliseconds and by store_commit. When one of these fails, what was
 * not committed is taken back (those visits are pending again) and every further write repeats
 * the failure; reading goes on. */
int store_put_batch(struct store *store, const struct batch *batch, struct failure *failure);
int store_end_visit(struct store *store, uint32_t cell, uint32_t process, enum visit_state state,
                    int error, const char *reason, struct failure *failure);
/* A visit that broke off: forgets its samples so far. */
int store_drop_visit(struct store *store, uint32_t cell, uint32_t process, struct failure *failure);
/* Takes visits that were not made out of the plan; none may be under way. */
int store_strike_pending(struct store *store, struct failure *failure);
/* While a visit is under way its end commits; then this does nothing. */
int store_commit(struct store *store, struct failure *failure);
/* The run ends here for now: drops the visit under way, if any, and commits the rest. */
int store_break_off(struct store *store, struct failure *failure);

/* What belongs together could not be put whole: takes back what was not committed, and every
 * further write says why. */
void store_give_up(struct store *store, const struct failure *why);

/* Marks the run finished and turns it into a single plain file. When the second step alone fails
 * (-EBUSY: another program reads it) the text says that the run is safe; calling again tries it
 * again. */
int store_finish(struct store *store, struct failure *failure);
/* Keeps how a run ended that is not finished: "budget" where its time was over, "interrupted" where
 * a part of a command was counted. NULL: it goes on. */
int store_put_ended(struct store *store, const char *how, struct failure *failure);
/* Commits the visits that ended, forgets one that did not. store may be NULL. */
void store_close(struct store *store);

/* What judging needs besides samples, so that a store can be judged where its machine is not. Each
 * may be put again: the later one counts. */
struct stored_event {
    const char *name, *kind;
    const char *class; /* NULL: none known */
    int error;         /* errno of opening it; 0: it opens */
    const char *reason;
};
/* A specimen's count of a class for every N; the name without parameters. */
struct stored_truth {
    const char *specimen, *class;
    int64_t base, each, high_base, high_each; /* as in the catalogue */
    const char *grade, *why, *sources;
};
/* How often a specimen executes an opcode; "" with zeros: its code was not decoded. */
struct stored_opcode {
    const char *specimen, *opcode;
    int64_t base, each;
};
/* A call of tours, as the catalogue told it. */
struct stored_operation {
    const char *path, *kind, *instrument, *effect, *when, *links, *page, *note;
    bool binds, alone;
};
/* A clock of watches, as the catalogue told it, or as a person did: fields as there. */
struct stored_clock {
    const char *name, *kind, *way, *hardware, *claim, *note;
    uint64_t hz, resolution_ps;
    bool slow, steered;
};
/* A subject, as the catalogue told it. */
struct stored_subject {
    const char *name, *summary, *shows;
    uint64_t n;
    bool has_truth;
    int64_t base, each;
    int bits;
    bool libc;
};
/* What one execution of a command consisted of, in sums; put while its visit is under way. */
struct stored_executed {
    uint32_t cell, process;
    const char *kind;   /* "function", "opcode", "class" */
    const char *object; /* of a function: the file; else "" */
    const char *name;   /* of the function ("" unknown), opcode or class */
    uint64_t count;     /* instructions; a repeated string instruction once */
    uint64_t repetitions;
};
int store_put_executed(struct store *store, const struct stored_executed *executed,
                       struct failure *failure);
/* One system call of an execution, as struct sent_call of the session says; positions without gaps.
 */
struct stored_call {
    uint32_t cell, process;
    uint64_t position;
    uint32_t task;
    const char *name, *what;
    int64_t result;
    uint64_t asked, sum;
};
int store_put_call(struct store *store, const struct stored_call *call, struct failure *failure);

/* Events that were tried, what specimens count, their opcodes, calls of tours, clocks, subjects. */
#define STORE_PUT(name, type)                                                                      \
    int store_put_##name(struct store *store, const struct stored_##type *row,                     \
                         struct failure *failure)
STORE_PUT(clock, clock);
STORE_PUT(operation, operation);
STORE_PUT(event, event);
STORE_PUT(specimen_truth, truth);
STORE_PUT(opcode, opcode);
STORE_PUT(subject, subject);

/* --- reading: strings handed to a callback are valid during the call; a callback's non-zero
 * result ends the reading and becomes its result --- */
struct store_info {
    int schema;
    char *command, *argv, *version, *fingerprint, *started, *finished; /* finished NULL: not */
    char *ended;                                                       /* NULL: nobody said how */
    char *kit;                                                         /* NULL: unknown */
    uint64_t seed;
    uint64_t cells, visits, visits_done, samples;
};
int store_info(struct store *store, struct store_info *info, struct failure *failure);
void store_info_release(struct store_info *info);
/* The schema and content of a run as text: its copies have the same, in whichever file they are. */
#define STORE_IDENTITY_SIZE 32
int store_identity(struct store *store, char text[STORE_IDENTITY_SIZE], struct failure *failure);
/* Adds to facts. */
int store_facts(struct store *store, struct facts *facts, struct failure *failure);

struct stored_counter {
    char *class; /* NULL: no class */
    bool has_truth;
    int64_t truth;
    char *grade; /* NULL: no truth */
};
struct stored_cell {
    struct cell cell;
    struct stored_counter counters[CELL_MAX_COUNTERS];
    bool has_faults, has_switches; /* predicted account of a run */
    int64_t faults, switches;
    uint32_t processes; /* planned visits */
    uint32_t done, failed;
    int error; /* of the first failed visit */
    char *reason;
    char *remark; /* of the first that is done and has one */
};
typedef int store_cell_each(void *context, const struct stored_cell *cell);
int store_each_cell(struct store *store, store_cell_each *each, void *context,
                    struct failure *failure);

struct sample {
    uint32_t cell, process, run, counter;
    uint64_t value, enabled, running;
    struct account account;
};
typedef int store_sample_each(void *context, const struct sample *sample);
/* All samples of a cell (0: of every cell) in order of cell, process, run, counter. */
int store_each_sample(struct store *store, uint32_t cell, store_sample_each *each, void *context,
                      struct failure *failure);
/* All samples in planned order of the visits, then by run and counter: for those who read millions,
 * in half the time. A damaged store may be noticed after some samples were handed on. */
int store_scan_samples(struct store *store, store_sample_each *each, void *context,
                       struct failure *failure);
struct stored_visit {
    uint64_t place; /* in the planned order, from 1 */
    struct visit visit;
    enum visit_state state;
    int32_t error;      /* errno of a failed one */
    const char *reason; /* NULL: none */
    uint64_t samples;
};
typedef int store_visit_each(void *context, const struct stored_visit *visit);
/* Visits in planned order. */
int store_each_visit(struct store *store, store_visit_each *each, void *context,
                     struct failure *failure);
const char *visit_state_name(enum visit_state state);
/* Visits in planned order, those still pending only when asked; the caller frees *visits. */
int store_visits(struct store *store, bool pending_only, struct visit **visits, size_t *count,
                 struct failure *failure);

/* In the order in which they were put first; details of executions by cell, process, then as they
 * were put. each NULL: all of them are only read, and checked. */
#define STORE_EACH(name, type)                                                                     \
    typedef int store_##type##_each(void *context, const struct stored_##type *row);               \
    int store_each_##name(struct store *store, store_##type##_each *each, void *context,           \
                          struct failure *failure)
STORE_EACH(event, event);
STORE_EACH(specimen_truth, truth);
STORE_EACH(opcode, opcode);
STORE_EACH(operation, operation);
STORE_EACH(clock, clock);
STORE_EACH(subject, subject);
STORE_EACH(executed, executed);
STORE_EACH(call, call);

/* A collection: several runs in one file, of one machine or of many. Each can be opened as the
 * store that it was, by the name FILE#NUMBER. */

struct listed_run {
    unsigned number; /* from 1 in a collection; 0: the file is a store of one run */
    char *name;      /* that store_open takes: "FILE#2", or the file itself */
    char *command, *argv, *fingerprint, *started, *finished; /* finished NULL: it is not */
    char *ended; /* how, where it is not finished and told: "budget", "interrupted"; else NULL */
};
struct run_list {
    struct listed_run *list;
    size_t count;
};

/* The runs in a file, in order; of a store its one run. path may itself be FILE#NUMBER. */
int run_list_read(const char *path, struct run_list *runs, struct failure *failure);
void run_list_release(struct run_list *runs);
/* Which they are, as far as a sentence holds them. */
void run_list_describe(const struct run_list *runs, struct text *out);

/* Makes a collection of all runs in these files, stores and collections alike; a run that is there
 * twice is taken once. Appears whole or not at all; -EEXIST rather than touch an existing file,
 * -EINTR when *stop became non-zero before all of it was there (NULL: nothing stops it). */
int collection_write(const char *path, const char *const *from, size_t count,
                     const volatile int *stop, struct failure *failure);

/* What could not be read of a run. */
struct salvage {
    /* In words, with the run's name; NULL: nobody wants to know. */
    void (*left_out)(void *context, const char *name, const char *what);
    void *context;
};
/* The same of files that may be damaged: visits whose samples are not what was written, or whose
 * own record is not, become failed ones. Fails where a run says too little without what is damaged.
 */
int collection_salvage(const char *path, const char *const *from, size_t count,
                       const struct salvage *salvage, const volatile int *stop,
                       struct failure *failure);

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of assay export. Names of columns are those of the store's own views, so that a query
 * and an export agree. Every row stands alone: the factors of its cell are in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/export.h"

/* ----------------------------------------------------------------------------------------------
 * What commands add to an export: which program it was, who counted, what was held meanwhile; and
 * the tables that only stores of commands fill. Names and values are those of the store's view
 * `execution` and of its tables. */

/* name, words, source of the event, setting, sweep, swept and detail; none of a cell that is no
 * command. */
#define COMMAND_COLUMNS "name", "words", "source", "setting", "sweep", "swept", "detail"
static void row_command(struct export_row *row, const struct cell_command *command,
                        const char *event)
{
    char setting[256];
    if (!command->words) {
        for (int column = 0; column < 7; column++)
            row_none(row);
        return;
    }
    const char *source = command_source(event);
    row_text(row, command->name);
    row_text(row, command->words);
    row_text(row, *source ? source : NULL);
    row_text(row, setting_name(command->controls, setting, sizeof(setting)));
    row_text(row, sweep_names[command->sweep]);
    row_count(row, command->swept);
    row_text(row, command_detail_names[command->detail]);
}

/* Of cells alone: directory, input, keep and timeout. */
#define COMMAND_CELL_COLUMNS "directory", "input", "keep", "timeout"

/* ----------------------------------------------------------------------------------------------
 * What tours add to an export: which call a run was, and which one stood before it. Only stores
 * that have tours get these columns; names and values are those of the store's view `timed`. */

/* The calls of one cell, by run. */
struct tour_walk {
    char *text;
    const char **calls;
    uint32_t length; /* 0: the cell is no tour */
};

/* Ends the one before. */
static void tour_walk_begin(struct tour_walk *walk, const struct cell_tour *tour)
{
    memory_give_back(walk->text);
    memory_give_back(walk->calls);
    *walk = (struct tour_walk){0};
    const uint32_t length = cell_tour_length(tour);
    if (length == 0)
        return;
    walk->text = memory_copy(tour->calls);
    walk->calls = memory_new(length, sizeof(*walk->calls));
    char *rest = walk->text;
    for (walk->length = 0; walk->length < length; walk->length++)
        walk->calls[walk->length] = strsep(&rest, ",");
}

/* counted, open and cold; none of a cell that is no tour. */
static void row_tour(struct export_row *row, const struct cell_tour *tour)
{
    row_text(row, tour->counted);
    if (!tour->calls) {
        row_none(row);
        row_none(row);
        return;
    }
    row_count(row, tour->open);
    row_flag(row, tour->cold);
}

/* pass, operation and predecessor of a run. */
static void row_call(struct export_row *row, const struct tour_walk *walk, uint32_t run)
{
    if (walk->length == 0) {
        row_none(row);
        row_none(row);
        row_none(row);
        return;
    }
    row_count(row, run / walk->length);
    row_text(row, walk->calls[run % walk->length]);
    row_text(row, run ? walk->calls[(run - 1) % walk->length] : NULL);
}

/* ----------------------------------------------------------------------------------------------
 * What watches add to an export: what kind they are, where a look stands in its watch, and which
 * clock was read. Only stores that have watches get these columns; names and values are those of
 * the store's view `look`. */

/* The watch of one cell. */
struct export_watch {
    struct cell_watch watch; /* borrowed */
    uint32_t columns;
    char clocks[CELL_MAX_COUNTERS][CLOCK_NAME]; /* of each column, of a user's the name alone */
};

/* kind, workload, length, threads, moves, handover, awake and partner; none of a cell that is no
 * watch. */
static void row_watch(struct export_row *row, const struct cell_watch *watch)
{
    if (watch->kind == WATCH_NONE) {
        for (int column = 0; column < 8; column++)
            row_none(row);
        return;
    }
    row_text(row, watch_kind_names[watch->kind]);
    row_text(row, watch->workload);
    row_count(row, watch->length);
    row_count(row, watch->threads);
    row_count(row, watch->moves);
    row_flag(row, watch->handover);
    row_flag(row, watch->awake);
    if (watch->partner >= 0)
        row_count(row, (uint64_t)watch->partner);
    else
        row_none(row);
}

static const char *part_of(const struct export_watch *watch, uint32_t column)
{
    static const char *const parts[ROW_COLUMNS] = {"first", "last",   "backward",
                                                   "worst", "before", "after"};
    if (watch->watch.kind == WATCH_ROW)
        return column < ROW_COLUMNS ? parts[column] : NULL;
    if (watch->watch.kind != WATCH_OUTSIDE)
        return NULL;
    return column == 0 ? "asked" : column == watch->columns - 1 ? "answered" : NULL;
}

/* round, thread, look, clock and part of a reading. */
static void row_look(struct export_row *row, const struct export_watch *watch, uint32_t run,
                     uint32_t column)
{
    if (watch->watch.kind == WATCH_NONE) {
        for (int i = 0; i < 5; i++)
            row_none(row);
        return;
    }
    const uint32_t looks = watch_group(watch->watch.kind, watch->watch.threads);
    const uint32_t own = looks / watch->watch.threads;
    row_count(row, run / looks);
    row_count(row, run % looks / own);
    row_count(row, run % own);
    row_text(row, watch->clocks[column]);
    row_text(row, part_of(watch, column));
}

/* --- the tables --- */

/* The factors of a cell and what is known of one counter: what most tables begin with. */
#define FACTORS                                                                                    \
    "cell", "event", "path", "pattern", "specimen", "n", "counters", "opt", "link", "separate",    \
        "cpu", "class", "truth", "truth_grade"

static void put_optional(struct export_row *row, bool known, int64_t value)
{
    if (known)
        row_difference(row, value);
    else
        row_none(row);
}

static void put_factors(struct export_row *row, const struct stored_cell *stored, uint32_t counter)
{
    const struct cell *cell = &stored->cell;
    const struct stored_counter *known = &stored->counters[counter];
    row_count(row, cell->id);
    row_text(row, cell->events[counter]);
    row_text(row, cell->path);
    row_text(row, pattern_names[cell->pattern]);
    row_text(row, cell->specimen);
    row_count(row, cell->n);
    row_count(row, cell->counters);
    row_text(row, cell->opt);
    row_text(row, cell->link);
    row_flag(row, cell->separate);
    put_optional(row, cell->cpu >= 0, cell->cpu); /* not pinned: none */
    row_text(row, known->class);
    put_optional(row, known->has_truth, known->truth);
    row_text(row, known->grade);
}

/* --- samples --- */

#define SAMPLE_COLUMNS                                                                             \
    FACTORS, "process", "run", "counter", "value", "enabled", "running", "minor_faults",           \
        "major_faults", "voluntary", "involuntary"

static const char *const sample_columns[] = {SAMPLE_COLUMNS, NULL};
static const char *const toured_sample_columns[] = {"counted",   "open",        "cold", "pass",
                                                    "operation", "predecessor", NULL};
#define WATCH_COLUMNS                                                                              \
    "kind", "workload", "length", "threads", "moves", "handover", "awake", "partner"
static const char *const watched_sample_columns[] = {WATCH_COLUMNS, "round", "thread", "look",
                                                     "clock",       "part",  NULL};

static const char *const command_sample_columns[] = {COMMAND_COLUMNS, NULL};

struct sample_export {
    struct store *store;
    struct export_row *row;
    struct failure *failure;
    /* The beginning of every row of this cell, one a counter: factors are written once. */
    struct text factors[CELL_MAX_COUNTERS];
    uint32_t counters;
    size_t next; /* column after them */
    struct cell_tour tour;
    struct tour_walk walk;
    struct export_watch watch;
    const struct cell *cell;
};

static int write_sample(void *context, const struct sample *sample)
{
    struct sample_export *export = context;
    struct export_row *row = export->row;
    if (sample->counter >= export->counters)
        return fail_with(export->failure, -EBADMSG,
                         "the store %s is damaged: cell %u has no counter %u",
                         store_path(export->store), sample->cell, sample->counter);
    const struct text *factors = &export->factors[sample->counter];
    text_append(&row->line, factors->bytes, factors->length);
    row->next = export->next;
    row_count(row, sample->process);
    row_count(row, sample->run);
    row_count(row, sample->counter);
    row_count(row, sample->value);
    row_count(row, sample->enabled);
    row_count(row, sample->running);
    row_count(row, sample->account.minor_faults);
    row_count(row, sample->account.major_faults);
    row_count(row, sample->account.voluntary);
    row_count(row, sample->account.involuntary);
    if (row->kinds.toured) {
        row_tour(row, &export->tour);
        row_call(row, &export->walk, sample->run);
    }
    if (row->kinds.watched) {
        row_watch(row, &export->watch.watch);
        row_look(row, &export->watch, sample->run, sample->counter);
    }
    if (row->kinds.commanded)
        row_command(row, &export->cell->command, export->cell->events[sample->counter]);
    return row_end(row);
}

static int write_samples_of(void *context, const struct stored_cell *cell)
{
    struct sample_export *export = context;
    struct export_row *row = export->row;
    export->counters = cell->cell.counters;
    export->cell = &cell->cell;
    export->tour = cell->cell.tour;
    struct external_clock named;
    export->watch.watch = cell->cell.watch;
    export->watch.columns = cell->cell.counters;
    for (uint32_t i = 0; i < cell->cell.counters && cell->cell.watch.kind != WATCH_NONE; i++) {
        if (external_clock_parse(cell->cell.events[i], &named, NULL) < 0)
            named.name[0] = '\0'; /* not in a cell that was read */
        memcpy(export->watch.clocks[i], named.name, sizeof(export->watch.clocks[i]));
    }

    tour_walk_begin(&export->walk, &export->tour);
    for (uint32_t i = 0; i < export->counters; i++) {
        struct text *factors = &export->factors[i];
        put_factors(row, cell, i);
        text_clear(factors);
        text_append(factors, row->line.bytes, row->line.length);
        export->next = row->next;
        text_clear(&row->line);
        row->next = 0;
    }
    return store_each_sample(export->store, cell->cell.id, write_sample, export, export->failure);
}

static int write_samples(struct store *store, struct export_row *row, struct failure *failure)
{
    struct sample_export export = {.store = store, .row = row, .failure = failure};
    int error = store_each_cell(store, write_samples_of, &export, failure);
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        text_free(&export.factors[i]);
    return error;
}

/* --- cells --- */

#define CELL_COLUMNS                                                                               \
    FACTORS, "counter", "runs", "faults", "switches", "processes", "done", "failed", "error",      \
        "reason"

static const char *const cell_columns[] = {CELL_COLUMNS, NULL};
static const char *const toured_cell_columns[] = {"counted", "open", "cold", "calls", NULL};
static const char *const watched_cell_columns[] = {WATCH_COLUMNS, NULL};
static const char *const command_cell_columns[] = {COMMAND_COLUMNS, COMMAND_CELL_COLUMNS, NULL};

static int write_cell(void *context, const struct stored_cell *cell)
{
    struct export_row *row = context;
    int error = 0;
    for (uint32_t i = 0; i < cell->cell.counters && !error; i++) {
        put_factors(row, cell, i);
        row_count(row, i);
        row_count(row, cell->cell.runs);
        put_optional(row, cell->has_faults, cell->faults);
        put_optional(row, cell->has_switches, cell->switches);
        row_count(row, cell->processes);
        row_count(row, cell->done);
        row_count(row, cell->failed);
        put_optional(row, cell->failed > 0, cell->error);
        row_text(row, cell->reason);
        if (row->kinds.toured) {
            row_tour(row, &cell->cell.tour);
            row_text(row, cell->cell.tour.calls);
        }
        if (row->kinds.watched)
            row_watch(row, &cell->cell.watch);
        if (row->kinds.commanded) {
            row_command(row, &cell->cell.command, cell->cell.events[i]);
            row_text(row, cell->cell.command.directory);
            row_text(row, cell->cell.command.input);
            row_text(row, cell->cell.command.keep);
            if (cell->cell.command.words)
                row_count(row, cell->cell.command.timeout);
            else
                row_none(row);
        }
        error = row_end(row);
    }
    return error;
}

static int write_cells(struct store *store, struct export_row *row, struct failure *failure)
{
    return store_each_cell(store, write_cell, row, failure);
}

/* --- visits --- */

static const char *const visit_columns[] = {"place", "cell",   "process", "state",
                                            "error", "reason", "samples", NULL};

static int write_visit(void *context, const struct stored_visit *visit)
{
    struct export_row *row = context;
    row_count(row, visit->place);
    row_count(row, visit->visit.cell);
    row_count(row, visit->visit.process);
    row_text(row, visit_state_name(visit->state));
    put_optional(row, visit->state == VISIT_FAILED, visit->error);
    row_text(row, visit->reason);
    row_count(row, visit->samples);
    return row_end(row);
}

static int write_visits(struct store *store, struct export_row *row, struct failure *failure)
{
    return store_each_visit(store, write_visit, row, failure);
}

/* --- machine --- */

static const char *const machine_columns[] = {"key", "value", "error", NULL};

static int write_machine(struct store *store, struct export_row *row, struct failure *failure)
{
    AUTO_FACTS struct facts facts = {0};
    int error = store_facts(store, &facts, failure);
    for (size_t i = 0; !error && i < facts.count; i++) {
        const struct fact *fact = &facts.list[i];
        row_text(row, fact->key);
        row_text(row, fact->value);
        put_optional(row, !fact->value, fact->error);
        error = row_end(row);
    }
    return error;
}

/* --- what judging needs besides samples --- */

/* Most tables are members of what the store has, a column each. */
static int write_fields(struct export_row *row, const struct export_field *field,
                        const void *stored)
{
    for (; field->name; field++) {
        const void *at = (const char *)stored + field->offset;
        if (field->kind == FIELD_TEXT)
            row_text(row, *(const char *const *)at);
        else if (field->kind == FIELD_FLAG)
            row_flag(row, *(const bool *)at);
        else if (field->kind == FIELD_COUNT)
            row_count(row, *(const uint64_t *)at);
        else if (field->kind == FIELD_SMALL)
            row_count(row, *(const uint32_t *)at);
        else if (field->kind == FIELD_DIFFERENCE)
            row_difference(row, *(const int64_t *)at);
        else
            put_optional(row, *(const int *)at != 0, *(const int *)at);
    }
    return row_end(row);
}

#define AS(column, kind, of, member)                                                               \
    {                                                                                              \
        column, FIELD_##kind, offsetof(struct stored_##of, member)                                 \
    }
#define TEXT(of, member)       AS(#member, TEXT, of, member)
#define FLAG(of, member)       AS(#member, FLAG, of, member)
#define COUNT(of, member)      AS(#member, COUNT, of, member)
#define SMALL(of, member)      AS(#member, SMALL, of, member)
#define DIFFERENCE(of, member) AS(#member, DIFFERENCE, of, member)
/* OF_fields, and write_OF for a whole store. */
#define FIELDS(of, each, ...)                                                                      \
    static const struct export_field of##_fields[] = {__VA_ARGS__, {0}};                           \
    static int write_one_##of(void *row, const struct stored_##of *stored)                         \
    {                                                                                              \
        return write_fields(row, of##_fields, stored);                                             \
    }                                                                                              \
    static int write_##of(struct store *store, struct export_row *row, struct failure *failure)    \
    {                                                                                              \
        return each(store, write_one_##of, row, failure);                                          \
    }

FIELDS(event, store_each_event, TEXT(event, name), TEXT(event, kind), TEXT(event, class),
       AS("error", ERROR, event, error), TEXT(event, reason))
FIELDS(truth, store_each_specimen_truth, TEXT(truth, specimen), TEXT(truth, class),
       DIFFERENCE(truth, base), DIFFERENCE(truth, each), DIFFERENCE(truth, high_base),
       DIFFERENCE(truth, high_each), TEXT(truth, grade), TEXT(truth, why), TEXT(truth, sources))
FIELDS(opcode, store_each_opcode, TEXT(opcode, specimen), TEXT(opcode, opcode),
       DIFFERENCE(opcode, base), DIFFERENCE(opcode, each))
FIELDS(operation, store_each_operation, TEXT(operation, path), TEXT(operation, kind),
       TEXT(operation, instrument), TEXT(operation, effect), AS("state", TEXT, operation, when),
       TEXT(operation, links), FLAG(operation, binds), FLAG(operation, alone),
       TEXT(operation, page), TEXT(operation, note))
FIELDS(clock, store_each_clock, TEXT(clock, name), TEXT(clock, kind), TEXT(clock, way),
       TEXT(clock, hardware), TEXT(clock, claim), TEXT(clock, note), COUNT(clock, hz),
       COUNT(clock, resolution_ps), FLAG(clock, slow), FLAG(clock, steered))
FIELDS(subject, store_each_subject, TEXT(subject, name), TEXT(subject, summary),
       TEXT(subject, shows), COUNT(subject, n), AS("truth", FLAG, subject, has_truth),
       DIFFERENCE(subject, base), DIFFERENCE(subject, each), SMALL(subject, bits),
       FLAG(subject, libc))
FIELDS(executed, store_each_executed, SMALL(executed, cell), SMALL(executed, process),
       TEXT(executed, kind), TEXT(executed, object), TEXT(executed, name), COUNT(executed, count),
       COUNT(executed, repetitions))
FIELDS(call, store_each_call, SMALL(call, cell), SMALL(call, process), COUNT(call, position),
       SMALL(call, task), TEXT(call, name), TEXT(call, what), DIFFERENCE(call, result),
       COUNT(call, asked), COUNT(call, sum))

/* --- runs --- */

static const char *const run_columns[] = {
    "store",    "name",  "command", "fingerprint", "seed",    "schema", "version", "started",
    "finished", "cells", "visits",  "visits_done", "samples", "argv",   NULL};

int write_runs(struct store *store, struct export_row *row, struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    if (error)
        return error;
    if (row->run->number)
        row_count(row, row->run->number);
    else
        row_none(row);
    row_text(row, row->run->name);
    row_text(row, info.command);
    row_text(row, info.fingerprint);
    row_count(row, info.seed);
    row_count(row, (uint64_t)info.schema);
    row_text(row, info.version);
    row_text(row, info.started);
    row_text(row, info.finished);
    row_count(row, info.cells);
    row_count(row, info.visits);
    row_count(row, info.visits_done);
    row_count(row, info.samples);
    row_text(row, info.argv);
    store_info_release(&info);
    return row_end(row);
}

#define TABLE(of, more)                                                                            \
    {                                                                                              \
#of more, .fields = of##_fields, .write = write_##of                                       \
    }
const struct export_table export_tables[] = {
    {"samples", sample_columns, toured_sample_columns, watched_sample_columns,
     command_sample_columns, NULL, write_samples},
    {"cells", cell_columns, toured_cell_columns, watched_cell_columns, command_cell_columns, NULL,
     write_cells},
    {"visits", visit_columns, .write = write_visits},
    {"machine", machine_columns, .write = write_machine},
    TABLE(event, "s"),
    TABLE(truth, "s"),
    TABLE(opcode, "s"),
    TABLE(operation, "s"),
    TABLE(clock, "s"),
    TABLE(subject, "s"),
    TABLE(executed, ""),
    TABLE(call, "s"),
    {"runs", run_columns, .write = write_runs},
    {0},
};

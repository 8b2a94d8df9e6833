/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of assay export. Names of columns are those of the store's own views, so that a query
 * and an export agree. Every row stands alone: the factors of its cell are in it. Each row is
 * written by one function, which names its columns as it goes: the line of names is that of a row
 * of nothing. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "commands/export.h"

static void put_known(struct export_row *row, const char *name, bool known, int64_t value)
{
    if (row_describe(row, name, FIELD_INTEGER, true))
        return;
    if (known)
        row_difference(row, name, value);
    else
        row_text(row, name, NULL);
}

/* --- what kinds of cells add: only stores that have some get these columns --- */

/* Which program it was, who counted, what was held meanwhile: as the view `execution` has it. */
static void put_command(struct export_row *row, const struct cell_command *command,
                        const char *event)
{
    row->absent = !command->words;
    const char *source = row->absent ? "" : command_source(event);
    char setting[256];
    row_text(row, "name", command->name);
    row_text(row, "words", command->words);
    row_text(row, "source", *source ? source : NULL);
    row_text(row, "setting", setting_name(command->controls, setting, sizeof(setting)));
    row_text(row, "sweep", sweep_names[command->sweep]);
    row_count(row, "swept", command->swept);
    row_text(row, "detail", command_detail_names[command->detail]);
    row->absent = false;
}

/* On what a tour works; of a sample also its pass, and which call it was, behind which other, as
 * the view `timed` has it. */
static void put_tour(struct export_row *row, const struct cell_tour *tour)
{
    row_text(row, "counted", tour->counted);
    row->absent = !tour->calls;
    row_count(row, "open", tour->open);
    row_flag(row, "cold", tour->cold);
    row->absent = false;
}

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

static void put_call(struct export_row *row, const struct tour_walk *walk, uint32_t run)
{
    const uint32_t length = walk->length;
    put_known(row, "pass", length, length ? run / length : 0);
    row_text(row, "operation", length ? walk->calls[run % length] : NULL);
    row_text(row, "predecessor", length && run ? walk->calls[(run - 1) % length] : NULL);
}

/* What kind of watch it is; of a sample also where its look stands in that, and which clock was
 * read, as the view `look` has it. */
static void put_watch(struct export_row *row, const struct cell_watch *watch)
{
    row->absent = watch->kind == WATCH_NONE;
    row_text(row, "kind", watch_kind_names[watch->kind]);
    row_text(row, "workload", watch->workload);
    row_difference(row, "length", (int64_t)watch->length);
    row_count(row, "threads", watch->threads);
    row_count(row, "moves", watch->moves);
    row_flag(row, "handover", watch->handover);
    row_flag(row, "awake", watch->awake);
    put_known(row, "partner", watch->partner >= 0, watch->partner);
    row->absent = false;
}

static const char *part_of(const struct cell *cell, uint32_t column)
{
    static const char *const parts[ROW_COLUMNS] = {"first", "last",   "backward",
                                                   "worst", "before", "after"};
    if (cell->watch.kind == WATCH_ROW)
        return column < ROW_COLUMNS ? parts[column] : NULL;
    if (cell->watch.kind != WATCH_OUTSIDE)
        return NULL;
    return column == 0 ? "asked" : column == cell->counters - 1 ? "answered" : NULL;
}

/* clocks: of each column, of a user's the name alone. */
static void put_look(struct export_row *row, const struct cell *cell,
                     const char clocks[][CLOCK_NAME], uint32_t run, uint32_t column)
{
    const bool is = cell->watch.kind != WATCH_NONE;
    const uint32_t looks = is ? watch_group(cell->watch.kind, cell->watch.threads) : 1;
    const uint32_t own = is ? looks / cell->watch.threads : 1;
    row->absent = !is;
    row_count(row, "round", run / looks);
    row_count(row, "thread", run % looks / own);
    row_count(row, "look", run % own);
    row_text(row, "clock", clocks[column]);
    row_text(row, "part", part_of(cell, column));
    row->absent = false;
}

/* --- samples --- */

/* The factors of a cell and what is known of one counter. */
static void put_factors(struct export_row *row, const struct stored_cell *stored, uint32_t counter)
{
    const struct cell *cell = &stored->cell;
    const struct stored_counter *known = &stored->counters[counter];
    row_count(row, "cell", cell->id);
    row_text(row, "event", cell->events[counter]);
    row_text(row, "path", cell->path);
    row_text(row, "pattern", pattern_names[cell->pattern]);
    row_text(row, "specimen", cell->specimen);
    row_count(row, "n", cell->n);
    row_count(row, "counters", cell->counters);
    row_text(row, "opt", cell->opt);
    row_text(row, "link", cell->link);
    row_flag(row, "separate", cell->separate);
    put_known(row, "cpu", cell->cpu >= 0, cell->cpu); /* not pinned: none */
    row_text(row, "class", known->class);
    put_known(row, "truth", known->has_truth, known->truth);
    row_text(row, "truth_grade", known->grade);
}

struct sample_export {
    struct store *store;
    struct export_row *row;
    struct failure *failure;
    const struct cell *cell; /* whose samples come */
    /* The beginning of every row of this cell, one a counter: factors are written once. */
    struct text factors[CELL_MAX_COUNTERS];
    size_t next; /* column after them */
    struct tour_walk walk;
    char clocks[CELL_MAX_COUNTERS][CLOCK_NAME];
};

/* Behind the factors. */
static int put_sample(const struct sample_export *export, const struct sample *sample)
{
    struct export_row *row = export->row;
    row_count(row, "process", sample->process);
    row_count(row, "run", sample->run);
    row_count(row, "counter", sample->counter);
    row_count(row, "value", sample->value);
    row_count(row, "enabled", sample->enabled);
    row_count(row, "running", sample->running);
    row_count(row, "minor_faults", sample->account.minor_faults);
    row_count(row, "major_faults", sample->account.major_faults);
    row_count(row, "voluntary", sample->account.voluntary);
    row_count(row, "involuntary", sample->account.involuntary);
    if (row->kinds.toured) {
        put_tour(row, &export->cell->tour);
        put_call(row, &export->walk, sample->run);
    }
    if (row->kinds.watched) {
        put_watch(row, &export->cell->watch);
        put_look(row, export->cell, export->clocks, sample->run, sample->counter);
    }
    if (row->kinds.commanded)
        put_command(row, &export->cell->command, export->cell->events[sample->counter]);
    return row_end(row);
}

static int write_sample(void *context, const struct sample *sample)
{
    struct sample_export *export = context;
    struct export_row *row = export->row;
    if (sample->counter >= export->cell->counters)
        return fail_with(export->failure, -EBADMSG,
                         "the store %s is damaged: cell %u has no counter %u",
                         store_path(export->store), sample->cell, sample->counter);
    const struct text *factors = &export->factors[sample->counter];
    text_append(&row->line, factors->bytes, factors->length);
    row->next = export->next;
    return put_sample(export, sample);
}

static int write_samples_of(void *context, const struct stored_cell *stored)
{
    struct sample_export *export = context;
    struct export_row *row = export->row;
    const struct cell *cell = export->cell = &stored->cell;
    tour_walk_begin(&export->walk, &cell->tour);
    for (uint32_t i = 0; i < cell->counters; i++) {
        struct text *factors = &export->factors[i];
        struct external_clock named;
        if (cell->watch.kind == WATCH_NONE ||
            external_clock_parse(cell->events[i], &named, NULL) < 0)
            named.name[0] = '\0'; /* not in a cell that was read */
        memcpy(export->clocks[i], named.name, sizeof(export->clocks[i]));
        put_factors(row, stored, i);
        text_clear(factors);
        text_append(factors, row->line.bytes, row->line.length);
        export->next = row->next;
        text_clear(&row->line);
        row->next = 0;
    }
    return store_each_sample(export->store, cell->id, write_sample, export, export->failure);
}

static int write_samples(struct store *store, struct export_row *row, struct failure *failure)
{
    struct sample_export export = {.store = store, .row = row, .failure = failure};
    int error = store_each_cell(store, write_samples_of, &export, failure);
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        text_free(&export.factors[i]);
    return error;
}

static int name_sample(struct export_row *row)
{
    static const struct stored_cell none;
    put_factors(row, &none, 0);
    return put_sample(&(struct sample_export){.row = row, .cell = &none.cell}, &(struct sample){0});
}

/* --- cells --- */

static int write_counter(struct export_row *row, const struct stored_cell *stored, uint32_t counter)
{
    const struct cell *cell = &stored->cell;
    put_factors(row, stored, counter);
    row_count(row, "counter", counter);
    row_count(row, "runs", cell->runs);
    put_known(row, "faults", stored->has_faults, stored->faults);
    put_known(row, "switches", stored->has_switches, stored->switches);
    row_count(row, "processes", stored->processes);
    row_count(row, "done", stored->done);
    row_count(row, "failed", stored->failed);
    put_known(row, "error", stored->failed > 0, stored->error);
    row_text(row, "reason", stored->reason);
    if (row->kinds.toured) {
        put_tour(row, &cell->tour);
        row_text(row, "calls", cell->tour.calls);
    }
    if (row->kinds.watched)
        put_watch(row, &cell->watch);
    if (row->kinds.commanded) {
        put_command(row, &cell->command, cell->events[counter]);
        row_text(row, "directory", cell->command.directory);
        row_text(row, "input", cell->command.input);
        row_text(row, "keep", cell->command.keep);
        put_known(row, "timeout", cell->command.words, (int64_t)cell->command.timeout);
    }
    return row_end(row);
}

static int write_cell(void *row, const struct stored_cell *stored)
{
    int error = 0;
    for (uint32_t i = 0; i < stored->cell.counters && !error; i++)
        error = write_counter(row, stored, i);
    return error;
}

static int write_cells(struct store *store, struct export_row *row, struct failure *failure)
{
    return store_each_cell(store, write_cell, row, failure);
}

static int name_cell(struct export_row *row)
{
    static const struct stored_cell none;
    return write_counter(row, &none, 0);
}

/* --- visits --- */

static int write_one_visit(void *context, const struct stored_visit *visit)
{
    struct export_row *row = context;
    row_count(row, "place", visit->place);
    row_count(row, "cell", visit->visit.cell);
    row_count(row, "process", visit->visit.process);
    row_text(row, "state", visit_state_name(visit->state));
    put_known(row, "error", visit->state == VISIT_FAILED, visit->error);
    row_text(row, "reason", visit->reason);
    row_count(row, "samples", visit->samples);
    return row_end(row);
}

/* --- machine --- */

static int write_one_fact(struct export_row *row, const struct fact *fact)
{
    row_text(row, "key", fact->key);
    row_text(row, "value", fact->value);
    put_known(row, "error", !fact->value, fact->error);
    return row_end(row);
}

static int write_machine(struct store *store, struct export_row *row, struct failure *failure)
{
    AUTO_FACTS struct facts facts = {0};
    int error = store_facts(store, &facts, failure);
    for (size_t i = 0; !error && i < facts.count; i++)
        error = write_one_fact(row, &facts.list[i]);
    return error;
}

static int name_machine(struct export_row *row)
{
    return write_one_fact(row, &(struct fact){0});
}

/* --- what judging needs besides samples --- */

/* A column that is a member of what the store tells of each row. */
struct export_field {
    const char *name;
    enum {
        MEMBER_TEXT,
        MEMBER_FLAG,
        MEMBER_COUNT,
        MEMBER_SMALL, /* a count of 32 bits */
        MEMBER_DIFFERENCE,
        MEMBER_ERROR, /* an errno; 0: none */
    } kind;
    size_t offset;
};

/* Most tables are members of what the store has, a column each. */
static int write_fields(struct export_row *row, const struct export_field *field,
                        const void *stored)
{
    for (; field->name; field++) {
        const void *at = (const char *)stored + field->offset;
        if (field->kind == MEMBER_TEXT)
            row_text(row, field->name, *(const char *const *)at);
        else if (field->kind == MEMBER_FLAG)
            row_flag(row, field->name, *(const bool *)at);
        else if (field->kind == MEMBER_COUNT)
            row_count(row, field->name, *(const uint64_t *)at);
        else if (field->kind == MEMBER_SMALL)
            row_count(row, field->name, *(const uint32_t *)at);
        else if (field->kind == MEMBER_DIFFERENCE)
            row_difference(row, field->name, *(const int64_t *)at);
        else
            put_known(row, field->name, *(const int *)at != 0, *(const int *)at);
    }
    return row_end(row);
}

#define AS(column, kind, of, member)                                                               \
    {                                                                                              \
        column, MEMBER_##kind, offsetof(struct stored_##of, member)                                \
    }
#define TEXT(of, member)       AS(#member, TEXT, of, member)
#define FLAG(of, member)       AS(#member, FLAG, of, member)
#define COUNT(of, member)      AS(#member, COUNT, of, member)
#define SMALL(of, member)      AS(#member, SMALL, of, member)
#define DIFFERENCE(of, member) AS(#member, DIFFERENCE, of, member)
/* write_OF for a whole store, and name_OF, by write_one_OF. */
#define WHOLE(of, each)                                                                            \
    static int write_##of(struct store *store, struct export_row *row, struct failure *failure)    \
    {                                                                                              \
        return each(store, write_one_##of, row, failure);                                          \
    }                                                                                              \
    static int name_##of(struct export_row *row)                                                   \
    {                                                                                              \
        return write_one_##of(row, &(struct stored_##of){0});                                      \
    }
/* The same by OF_fields. */
#define COLUMNS(of, each, ...)                                                                     \
    static const struct export_field of##_fields[] = {__VA_ARGS__, {0}};                           \
    static int write_one_##of(void *row, const struct stored_##of *stored)                         \
    {                                                                                              \
        return write_fields(row, of##_fields, stored);                                             \
    }                                                                                              \
    WHOLE(of, each)

WHOLE(visit, store_each_visit)
COLUMNS(event, store_each_event, TEXT(event, name), TEXT(event, kind), TEXT(event, class),
        AS("error", ERROR, event, error), TEXT(event, reason))
COLUMNS(truth, store_each_specimen_truth, TEXT(truth, specimen), TEXT(truth, class),
        DIFFERENCE(truth, base), DIFFERENCE(truth, each), DIFFERENCE(truth, high_base),
        DIFFERENCE(truth, high_each), TEXT(truth, grade), TEXT(truth, why), TEXT(truth, sources))
COLUMNS(opcode, store_each_opcode, TEXT(opcode, specimen), TEXT(opcode, opcode),
        DIFFERENCE(opcode, base), DIFFERENCE(opcode, each))
COLUMNS(operation, store_each_operation, TEXT(operation, path), TEXT(operation, kind),
        TEXT(operation, instrument), TEXT(operation, effect), AS("state", TEXT, operation, when),
        TEXT(operation, links), FLAG(operation, binds), FLAG(operation, alone),
        TEXT(operation, page), TEXT(operation, note))
COLUMNS(clock, store_each_clock, TEXT(clock, name), TEXT(clock, kind), TEXT(clock, way),
        TEXT(clock, hardware), TEXT(clock, claim), TEXT(clock, note), COUNT(clock, hz),
        COUNT(clock, resolution_ps), FLAG(clock, slow), FLAG(clock, steered))
COLUMNS(subject, store_each_subject, TEXT(subject, name), TEXT(subject, summary),
        TEXT(subject, shows), COUNT(subject, n), AS("truth", FLAG, subject, has_truth),
        DIFFERENCE(subject, base), DIFFERENCE(subject, each), SMALL(subject, bits),
        FLAG(subject, libc))
COLUMNS(executed, store_each_executed, SMALL(executed, cell), SMALL(executed, process),
        TEXT(executed, kind), TEXT(executed, object), TEXT(executed, name), COUNT(executed, count),
        COUNT(executed, repetitions))
COLUMNS(call, store_each_call, SMALL(call, cell), SMALL(call, process), COUNT(call, position),
        SMALL(call, task), TEXT(call, name), TEXT(call, what), DIFFERENCE(call, result),
        COUNT(call, asked), COUNT(call, sum))

/* --- runs --- */

static int write_info(struct export_row *row, const struct store_info *info)
{
    put_known(row, "store", row->run->number, row->run->number);
    row_text(row, "name", row->run->name);
    row_text(row, "command", info->command);
    row_text(row, "fingerprint", info->fingerprint);
    row_count(row, "seed", info->seed);
    row_count(row, "schema", (uint64_t)info->schema);
    row_text(row, "version", info->version);
    row_text(row, "started", info->started);
    row_text(row, "finished", info->finished);
    row_count(row, "cells", info->cells);
    row_count(row, "visits", info->visits);
    row_count(row, "visits_done", info->visits_done);
    row_count(row, "samples", info->samples);
    row_text(row, "argv", info->argv);
    return row_end(row);
}

int write_runs(struct store *store, struct export_row *row, struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    if (error == 0)
        error = write_info(row, &info);
    store_info_release(&info);
    return error;
}

static int name_run(struct export_row *row)
{
    return write_info(row, &(struct store_info){0});
}

/* By what the tables are called: one of several. */
#define TABLE(of, more, meaning)                                                                   \
    {                                                                                              \
#of more, meaning, name_##of, write_##of, false                                            \
    }
const struct export_table export_tables[] = {
    {"samples",
     "a counter value with the factors of its cell; of a store with tours also what its call "
     "worked on, which one it was and which one stood before it",
     name_sample, write_samples, true},
    {"cells", "a counter of a cell", name_cell, write_cells, true},
    TABLE(visit, "s", "one process of the plan"),
    TABLE(machine, "", "a fact of the machine"),
    TABLE(event, "s", "an event that was tried"),
    TABLE(truth, "s", "what a specimen counts for every N"),
    TABLE(opcode, "s", "an opcode that a specimen executes"),
    TABLE(operation, "s", "a call that tours can make"),
    TABLE(clock, "s", "a clock, and what is claimed of it"),
    TABLE(subject, "s", "a program of the kit"),
    TABLE(executed, "", "what an execution consisted of"),
    TABLE(call, "s", "a system call of an execution"),
    {"runs", "a run of the file", name_run, write_runs, false},
    {0},
};

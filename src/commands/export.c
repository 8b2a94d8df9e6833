/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay export: what a store holds, as CSV or JSON for other programs. Streams, so that memory does
 * not grow with the store. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "commands/export.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/run-store.h"
#include "output/json.h"
#include "output/output.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * One row of an export, as a record of CSV (RFC 4180: CRLF, quotes where needed, no value is an
 * empty field, an empty text is "") or as a JSON object on a line of its own. */

/* Beyond this a JSON reader that uses doubles would round: then digits are a string. */
#define EXACT_IN_A_DOUBLE (UINT64_C(1) << 53)

bool row_describe(struct export_row *row, const char *name, enum field_kind kind, bool nullable)
{
    if (!row->describing)
        return false;
    *memory_add(row->described, row->described_count) =
        (struct field){.key = name, .at = {.kind = kind}, .nullable = nullable || row->absent};
    return true;
}

/* false: its name is all that is wanted, or it has no value. */
static bool begin_value(struct export_row *row, const char *name)
{
    if (row->numbered && row->next++ == 0)
        text_printf(&row->line,
                    row->naming ? "store"
                    : row->json ? "\"store\":%u"
                                : "%u",
                    row->run->number);
    if (row->next++ > 0)
        text_putc(&row->line, ',');
    if (row->naming)
        text_puts(&row->line, name);
    else if (row->json)
        text_printf(&row->line, "\"%s\":%s", name, row->absent ? "null" : "");
    return !row->naming && !row->absent;
}

static void put_number(struct export_row *row, const char *name, bool negative, uint64_t magnitude)
{
    bool quoted = row->json && magnitude > EXACT_IN_A_DOUBLE;
    if (!begin_value(row, name))
        return;
    if (quoted)
        text_putc(&row->line, '"');
    if (negative)
        text_putc(&row->line, '-');
    /* printf would be a quarter of the time of an export. */
    uint64_t value = magnitude;
    char digits[24];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    text_append(&row->line, digits + at, sizeof(digits) - at);

    if (quoted)
        text_putc(&row->line, '"');
}

void row_count(struct export_row *row, const char *name, uint64_t value)
{
    if (!row_describe(row, name, FIELD_COUNT, false))
        put_number(row, name, false, value);
}

void row_difference(struct export_row *row, const char *name, int64_t value)
{
    if (!row_describe(row, name, FIELD_INTEGER, false))
        put_number(row, name, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void row_flag(struct export_row *row, const char *name, bool value)
{
    if (!row_describe(row, name, FIELD_FLAG, false) && begin_value(row, name))
        text_puts(&row->line, row->json ? (value ? "true" : "false") : (value ? "1" : "0"));
}

void row_text(struct export_row *row, const char *name, const char *string)
{
    if (row_describe(row, name, FIELD_TEXT, true))
        return;
    const bool absent = row->absent;
    row->absent |= !string;
    const bool wanted = begin_value(row, name);
    row->absent = absent;
    if (!wanted)
        return;
    if (row->json) {
        json_t *value = json_text(string);
        AUTO_FREE char *dumped = json_dumps(value, JSON_ENCODE_ANY);
        json_decref(value);
        text_puts(&row->line, dumped);
    } else {
        text_puts(&row->line, string && *string ? "" : "\"\"");
        text_put_csv(&row->line, string ? string : "");
    }
}

static int write_line(struct export_row *row, const char *before, const char *after)
{
    errno = 0;
    fputs(before, row->stream);
    fwrite(row->line.bytes, 1, row->line.length, row->stream);
    fputs(after, row->stream);
    if (ferror(row->stream))
        return errno ? -errno : -EIO;
    text_clear(&row->line);
    row->next = 0;
    return interrupted ? -EINTR : 0;
}

int row_end(struct export_row *row)
{
    if (row->describing)
        return 0;
    if (!row->json)
        return row->rows++, write_line(row, "", "\r\n");
    return write_line(row, row->rows++ ? ",\n    {" : "\n    {", "}");
}

/* --- the command --- */

struct export_options {
    struct common_options common;
    const char *what;
    const char *format;
};

static const struct option_spec specs[] = {
    {'w', "what", OPTION_STRING, "TABLE",
     "samples, cells, visits, machine, events, truths, opcodes, operations, clocks, subjects, "
     "executed, calls or runs",
     offsetof(struct export_options, what), "samples",
     .words = ONE_OF("samples", "cells", "visits", "machine", "events", "truths", "opcodes",
                     "operations", "clocks", "subjects", "executed", "calls", "runs"),
     .only = true},
    {0, "format", OPTION_STRING, "FORMAT", "csv or json; --json is short for the latter",
     offsetof(struct export_options, format), "csv", .words = ONE_OF("csv", "json"), .only = true},
    {0},
};

static const struct option_hint hints[] = {
    {"store", "name the file itself, as in `assay export FILE`"},
    {"via", "a store is a file of this machine, wherever it was measured"},
    {0},
};

/* What one run of the command has in hand. */
struct exporting {
    const struct export_options *options;
    const struct export_table *table;
    bool json;
    struct run_list runs; /* of the file */
    bool together;        /* they are those of a collection: rows say of which */
    struct store *store;  /* the one being written */
    struct store_info info;
    struct facts facts; /* of the first one */
    json_t *stores;     /* what is said of each */
    struct export_row row;
};

static int choose(struct exporting *exporting, int argument_count, struct failure *failure)
{
    const struct export_options *options = exporting->options;
    if (argument_count > 1)
        return fail_with(failure, -EINVAL,
                         "one store at a time: name one file, or none for the "
                         "latest");
    exporting->table = export_tables;
    while (strcmp(exporting->table->name, options->what) != 0)
        exporting->table++;
    exporting->json = options->common.json || strcmp(options->format, "json") == 0;
    return 0;
}

static int list_runs(struct exporting *exporting, const char *named, struct failure *failure)
{
    AUTO_FREE char *latest = NULL;
    int error = named ? 0 : store_latest(NULL, NULL, &latest, failure);
    if (!named && !error)
        deliver_remark(&exporting->options->common, "exporting %s", latest);
    const char *path = named ? named : latest;
    if (!error)
        error = run_list_read(path, &exporting->runs, failure);
    if (error)
        return error;
    const struct run_list *runs = &exporting->runs;
    exporting->together = runs->count != 1 || strcmp(runs->list[0].name, path) != 0;
    return 0;
}

static int open_store(struct exporting *exporting, size_t number, struct failure *failure)
{
    store_close(exporting->store);
    exporting->store = NULL;
    store_info_release(&exporting->info);
    int error = store_open(&exporting->store, exporting->runs.list[number].name, false, failure);
    return error ? error : store_info(exporting->store, &exporting->info, failure);
}

static struct value get_path(const void *item, const void *context)
{
    (void)item;
    return value_text(store_path(((const struct exporting *)context)->store));
}

/* As the array it was, when it is one. */
static struct value get_argv(const void *item, const void *context)
{
    (void)context;
    const struct store_info *info = item;
    json_t *argv = json_loads(info->argv, 0, NULL);
    if (json_is_array(argv))
        return (struct value){.kind = FIELD_JSON, .json = argv};
    json_decref(argv);
    return (struct value){.kind = FIELD_JSON, .json = json_text(info->argv)};
}

static const struct field store_fields[] = {
    {"path", {.kind = FIELD_TEXT, .get = get_path}, "file of the store"},
    {"schema", AT(struct store_info, schema), "of the store"},
    {"version", AT(struct store_info, version), "of the assay that measured it"},
    {"command", AT(struct store_info, command), "that measured it"},
    {"argv", GET(FIELD_JSON, get_argv), "its command line"},
    {"kit", AT(struct store_info, kit), "its build id", .nullable = true},
    {"started", AT(struct store_info, started), "when"},
    {"finished", AT(struct store_info, finished), "when; null: it was not", .nullable = true},
    {"cells", AT(struct store_info, cells), "of its plan"},
    {"visits", AT(struct store_info, visits), "of its plan"},
    {"visits_done", AT(struct store_info, visits_done), "of these"},
    {"samples", AT(struct store_info, samples), "that it holds"},
};
static const struct fields store_table =
    FIELDS("export.store", "where rows come from", store_fields);

static json_t *describe_store(const struct exporting *exporting)
{
    return fields_json(&store_table, &exporting->info, exporting);
}

GETTER(get_what, struct exporting, value_text(item->table->name))

GETTER(get_store, struct exporting,
       item->together ? value_left_out()
                      : (struct value){.kind = FIELD_JSON,
                                       .json = json_incref(json_array_get(item->stores, 0))})

GETTER(get_stores, struct exporting,
       item->together ? (struct value){.kind = FIELD_JSON, .json = json_incref(item->stores)}
                      : value_left_out())

static const struct field analysis_fields[] = {
    {"what", GET(FIELD_TEXT, get_what), "the table that was asked for"},
    {"store", GET(FIELD_JSON, get_store), "of one run: export.store", .optional = true,
     .schema = "object"},
    {"stores", GET(FIELD_JSON, get_stores), "of a collection: export.store of each",
     .optional = true, .schema = "array"},
};
static const struct fields export_analysis =
    FIELDS("export.analysis", "what was exported", analysis_fields);

static json_t *describe_all(const struct exporting *exporting)
{
    return fields_json(&export_analysis, exporting, exporting);
}

/* The columns of every table. Those that only some stores have are not always there. */
static const struct fields *const *describe_tables(void)
{
    const struct fields **tables = NULL;
    size_t count = 0;
    for (const struct export_table *at = export_tables; at->name; at++) {
        struct listed_run none = {0};
        struct export_row few = {.describing = true, .run = &none}, all = few;
        struct fields *table = memory_new(1, sizeof(*table));
        all.kinds = (struct export_kinds){true, true, true};
        if (strcmp(at->name, "runs") != 0)
            *memory_add(all.described, all.described_count) =
                (struct field){.key = "store",
                               .at = {.kind = FIELD_COUNT},
                               .meaning = "of a collection: the number of the run",
                               .optional = true};
        at->put_names(&few);
        at->put_names(&all);
        *table = (struct fields){memory_format("export.%s", at->name), at->meaning, all.described,
                                 all.described_count};
        for (size_t i = 0; i < all.described_count; i++) {
            const struct fields usual = {.list = few.described, .count = few.described_count};
            all.described[i].optional |= !fields_find(&usual, all.described[i].key);
        }
        *memory_add(tables, count) = table;
    }
    *memory_add(tables, count) = NULL;
    return tables;
}

static json_t *list_skipped(const struct exporting *exporting)
{
    json_t *skipped = json_array();
    for (size_t i = 0; i < exporting->runs.count; i++)
        if (!exporting->runs.list[i].finished)
            json_array_append_new(skipped, json_skipped(exporting->together
                                                            ? exporting->runs.list[i].name
                                                            : "processes still pending or failed",
                                                        "the run in the store is not finished", 0));
    return skipped;
}

static int note_kinds(void *context, const struct stored_cell *stored)
{
    struct export_kinds *kinds = context;
    kinds->toured |= stored->cell.tour.calls != NULL;
    kinds->watched |= stored->cell.watch.kind != WATCH_NONE;
    kinds->commanded |= stored->cell.command.words != NULL;
    return 0;
}

static int write_rows(void *context, FILE *stream, struct failure *failure)
{
    struct exporting *exporting = context;
    struct export_row *row = &exporting->row;
    row->json = exporting->json;
    row->numbered = exporting->together && exporting->table->write != write_runs;
    row->stream = stream;
    /* The line of names that begins a CSV file. */
    row->naming = !row->json;
    row->run = &(struct listed_run){0};
    int error = row->naming ? exporting->table->put_names(row) : 0;
    row->naming = false;
    for (size_t i = 0; i < exporting->runs.count && !error; i++) {
        row->run = &exporting->runs.list[i];
        error = open_store(exporting, i, failure);
        if (!error)
            error = exporting->table->write(exporting->store, row, failure);
    }
    text_free(&row->line);
    if (error && !failure->code)
        fail_with(failure, error, "cannot write the export: %s", strerror(-error));
    return error;
}

static int write_all(struct exporting *exporting, FILE *stream, struct failure *failure)
{
    if (!exporting->json)
        return write_rows(exporting, stream, failure);
    struct envelope envelope = {.command = "export",
                                .argc = exporting->options->common.argc,
                                .argv = exporting->options->common.argv,
                                .analysis = describe_all(exporting),
                                .skipped = list_skipped(exporting)};
    if (!exporting->together) {
        envelope.has_seed = true;
        envelope.seed = exporting->info.seed;
        envelope.facts = &exporting->facts;
        envelope.fingerprint = exporting->runs.list[0].fingerprint;
    }
    return json_envelope_stream(&envelope, stream, write_rows, exporting, failure);
}

static int export_named(struct exporting *exporting, const char *named, struct failure *failure)
{
    if (output_check(exporting->options->common.output, failure) < 0)
        return deliver_failure("export", failure, EXIT_FAILED);
    int error = list_runs(exporting, named, failure);
    if (!error) {
        /* A first look at every run: what there is to tell of it, and which kinds of cells it has.
         */
        struct export_kinds *kinds = &exporting->row.kinds;
        exporting->stores = json_array();
        for (size_t i = 0; i < exporting->runs.count && !error; i++) {
            error = open_store(exporting, i, failure);
            if (error)
                break;
            const struct store_info *info = &exporting->info;
            json_array_append_new(exporting->stores, describe_store(exporting));
            if (!info->finished)
                deliver_remark(&exporting->options->common,
                               "%s is not finished: %" PRIu64 " of %" PRIu64 " processes are done",
                               exporting->together ? exporting->runs.list[i].name : "this run",
                               info->visits_done, info->visits);
            if (i == 0)
                error = store_facts(exporting->store, &exporting->facts, failure);
            if (!error && exporting->table->has_kinds)
                error = store_each_cell(exporting->store, note_kinds, kinds, failure);
        }
    }

    if (error)
        return deliver_failure("export", failure, run_store_exit(error, named));
    /* The exit code, after saying why. */
    struct output output = {0};
    const char *path = exporting->options->common.output;
    error = output_open(&output, path, failure);
    if (!error) {
        error = write_all(exporting, output.stream, failure);
        if (!error)
            error = output_commit(&output, failure);
        output_discard(&output);
    }
    if (!error)
        return EXIT_DONE;
    if (error == -EPIPE) /* a reader that left early (head) wants no message */
        return EXIT_FAILED;
    return error == -EINTR ? EXIT_INTERRUPTED : deliver_failure("export", failure, EXIT_FAILED);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    struct exporting exporting = {.options = parsed};
    struct failure failure = {0};
    if (choose(&exporting, argument_count, &failure) < 0)
        return deliver_failure("export", &failure, EXIT_USAGE);
    int status = export_named(&exporting, argument_count ? arguments[0] : NULL, &failure);
    store_close(exporting.store);
    store_info_release(&exporting.info);
    facts_free(&exporting.facts);
    run_list_release(&exporting.runs);
    json_decref(exporting.stores);
    return status;
}

const struct command command_export = {
    .name = "export",
    .group = GROUP_STORED,
    .summary = "write what a store holds as CSV or JSON",
    .synopsis = "[options] [STORE]",
    .description =
        "Writes what a store holds: its samples, one row a counter value with all factors of its "
        "cell, so that every row stands alone; or its cells, its visits (one process each, in the "
        "order they were planned), the facts of its machine, the events that were tried, what "
        "its specimens count for every N (truths), the opcodes they execute, the calls that tours "
        "can make (operations), what is claimed of clocks, the subjects of a kit, what executions "
        "consisted of (executed), or the system calls they made (calls). Without STORE it takes "
        "the latest one in the state folder.\n\n"
        "Of a collection (`assay merge`) all runs are written, with a column `store` in front that "
        "says which run a row is of; FILE#2 writes the second one alone. --what runs lists "
        "them.\n\n"
        "Where the store has tours, a sample also tells which call its run was (operation), which "
        "one was made before it (predecessor), in which pass over the tour, and what the calls "
        "worked on (counted, open, cold); the cells tell all their calls. Where it "
        "has watches, a sample is what a clock showed, and tells which (clock), what kind of watch "
        "it was part of, and where in it (round, thread, look). Where it has commands, a sample "
        "tells which program was executed (name, words), who counted (source), what was held "
        "meanwhile (setting) and what was changed in steps (sweep, swept).\n\n"
        "CSV follows RFC 4180: a line of names first, CRLF at the end of lines, an empty field for "
        "no value. In JSON counts above 2^53 are strings of digits. Columns have the names they "
        "have in the store, which docs/store.md explains; a store is also an SQLite database "
        "that any tool can query. Memory does not grow with the store.\n\n"
        "A run that is not finished is exported as far as it is; a remark says so.",
    .examples = "# all samples of the latest run\n"
                "assay export -o samples.csv\n"
                "# which cells were measured, for a script\n"
                "assay export --what cells --json run.sqlite\n"
                "# the machine behind a store\n"
                "assay export --what machine run.sqlite\n"
                "# the runs in a collection\n"
                "assay export --what runs all.sqlite\n",
    .options = specs,
    .hints = hints,
    .stays_here = true,
    .options_size = sizeof(struct export_options),
    .run = run,
    .instead = describe_tables,
    .analysis = &export_analysis,
};

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay merge: several runs into one file, of one machine or of many; and what can be read of a
 * damaged one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "engine/finish.h"
#include "engine/run-store.h"
#include "engine/skips.h"
#include "output/field.h"
#include "output/table.h"
#include "store/store.h"

#define MOST_SHOWN 10 /* processes that were left out, in the report for people */

struct merge_options {
    struct common_options common;
    bool salvage;
};

static const struct option_spec specs[] = {
    {0, "salvage", OPTION_FLAG, NULL,
     "take what can be read of damaged files; processes that cannot become failed ones",
     offsetof(struct merge_options, salvage), NULL},
    {0},
};

static const struct option_hint hints[] = {
    {"store", "the file that is made is named by -o, those that are read by their names"},
    {"via", "stores are files of this machine, wherever they were measured"},
    {0},
};

struct merging {
    const struct merge_options *options;
    const char *path;
    bool salvages;
    uint64_t bytes; /* of the collection */
    struct skips left_out;
    struct run_list runs;
    struct store_info *infos; /* of the runs */
};

static void note_left_out(void *context, const char *name, const char *what)
{
    struct merging *merging = context;
    *memory_add(merging->left_out.list, merging->left_out.count) =
        (struct skip){.what = memory_copy(name), .reason = memory_copy(what)};
}

static int read_infos(struct merging *merging, struct failure *failure)
{
    int error = run_list_read(merging->path, &merging->runs, failure);
    if (error == 0)
        merging->infos = memory_new(merging->runs.count, sizeof(*merging->infos));
    for (size_t i = 0; i < merging->runs.count && error == 0; i++) {
        struct store *store = NULL;
        error = store_open(&store, merging->runs.list[i].name, false, failure);
        if (error == 0)
            error = store_info(store, &merging->infos[i], failure);
        store_close(store);
    }
    return error;
}

/* --- for people --- */

static int show(const struct merging *merging, const struct common_options *common)
{
    static const struct column columns[] = {
        {"run", false, false, false},      {"command", false, false, false},
        {"machine", false, false, false},  {"started", false, false, false},
        {"processes", true, false, false}, {"samples", true, false, false},
    };
    const struct style style = deliver_style(common);
    struct table table = {.columns = columns, .column_count = 6};
    AUTO_TEXT struct text out = {0}, left_out = {0};
    for (size_t i = 0; i < merging->runs.count; i++) {
        const struct store_info *info = &merging->infos[i];
        char samples[NUMBER_SIZE];
        number_count(info->samples, samples, sizeof(samples));
        table_addf(&table, TONE_STRONG, "#%u", merging->runs.list[i].number);
        table_add(&table, TONE_PLAIN, info->command);
        table_add(&table, TONE_PLAIN, info->fingerprint);
        table_add(&table, TONE_PLAIN, info->started);
        table_addf(&table, info->finished ? TONE_PLAIN : TONE_WARN, "%" PRIu64 " of %" PRIu64 "%s",
                   info->visits_done, info->visits, info->finished ? "" : ", unfinished");
        table_add(&table, TONE_PLAIN, samples);
    }

    table_put(&table, &style, &out);
    const struct skips *skips = &merging->left_out;
    for (size_t i = 0; i < skips->count && i < MOST_SHOWN; i++)
        text_printf(&left_out, "%sleft out of %s: %s\n", i ? "" : "\n", skips->list[i].what,
                    skips->list[i].reason);
    if (skips->count > MOST_SHOWN)
        text_printf(&left_out, "and %zu more; --json tells them all\n", skips->count - MOST_SHOWN);

    text_put_toned(&out, &style, TONE_PLAIN, text_string(&left_out));
    return deliver_text("merge", common, &out, EXIT_DONE);
}

/* --- for programs --- */

struct merged {
    const struct store_info *info;
    int32_t number;
    const char *name;
};

static const void *merged_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct merging *merging = item;
    if (index >= merging->runs.count)
        return NULL;
    struct merged *merged = memory_new(1, sizeof(*merged));
    *merged = (struct merged){&merging->infos[index], (int32_t)merging->runs.list[index].number,
                              merging->runs.list[index].name};
    return merged;
}

PART(info_of, struct merged, item->info)

GETTER(get_schema, struct store_info, value_integer(item->schema))

static const struct field info_fields[] = {
    {"command", AT(struct store_info, command), "that measured it", .column = true},
    {"fingerprint", AT(struct store_info, fingerprint), "of its machine", .column = true},
    {"seed", AT(struct store_info, seed), "of its plan"},
    {"schema", GET(FIELD_INTEGER, get_schema), "of its store"},
    {"version", AT(struct store_info, version), "of the assay that measured it"},
    {"started", AT(struct store_info, started), "when", .column = true},
    {"finished", AT(struct store_info, finished), "when; null: it was not", .nullable = true},
    {"cells", AT(struct store_info, cells), "of its plan"},
    {"visits", AT(struct store_info, visits), "of its plan", .column = true},
    {"visits_done", AT(struct store_info, visits_done), "of these", .column = true},
    {"samples", AT(struct store_info, samples), "that it holds", .column = true},
};
static const struct fields info_table = FIELDS("merge.info", NULL, info_fields);
static const struct field merged_fields[] = {
    {"store", AT(struct merged, number), "its number in the collection", .column = true},
    {"name", AT(struct merged, name), "its name there", .column = true},
    {"", SPLICED_BY(info_of, &info_table)},
};
static const struct fields merged_table =
    FIELDS("merge", "a run in the collection that was made", merged_fields);
static const struct field merge_results = {"results", LIST_BY(merged_at, &merged_table)};

static const struct field analysis_fields[] = {
    {"path", AT(struct merging, path), "of the collection"},
    {"bytes", AT(struct merging, bytes), "that it has", UNIT_BYTES},
    {"salvage", AT(struct merging, salvages), "damaged runs were salvaged"},
};
static const struct fields merge_analysis =
    FIELDS("merge.analysis", "the collection", analysis_fields);

static int tell(struct merging *merging, const struct common_options *common)
{
    struct stat status = {0};
    stat(merging->path, &status);
    merging->bytes = (uint64_t)status.st_size;
    return deliver_results("merge", common,
                           &(struct envelope){.skipped = skips_json(&merging->left_out)},
                           &merge_results, &merge_analysis, merging, EXIT_DONE);
}

/* --- the command --- */

static int merge(struct merging *merging, int count, char **arguments, struct failure *failure)
{
    const struct salvage salvage = {note_left_out, merging};
    const char *const *from = (const char *const *)(uintptr_t)arguments;
    int error = merging->options->salvage
                    ? collection_salvage(merging->path, from, (size_t)count, &salvage, &interrupted,
                                         failure)
                    : collection_write(merging->path, from, (size_t)count, &interrupted, failure);
    return error ? error : read_infos(merging, failure);
}

static int answer(struct merging *merging, int count, char **arguments)
{
    struct failure failure = {0};
    struct common_options common = merging->options->common;
    common.output = NULL; /* -o names the collection; what is in it is told here */
    if (!merging->path || count < 1) {
        fail_with(&failure, -EINVAL,
                  "name the file to be made and the stores to be taken, as in "
                  "`assay merge -o all.sqlite first.sqlite second.sqlite`");
        return deliver_failure("merge", &failure, EXIT_USAGE);
    }
    if (merge(merging, count, arguments, &failure) < 0) {
        return deliver_failure("merge", &failure, run_store_exit(failure.code, true));
    }
    return common_is_for_programs(&common) ? tell(merging, &common) : show(merging, &common);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct merge_options *options = parsed;
    struct merging merging = {
        .options = options, .path = options->common.output, .salvages = options->salvage};
    int status = answer(&merging, argument_count, arguments);
    for (size_t i = 0; merging.infos && i < merging.runs.count; i++)
        store_info_release(&merging.infos[i]);
    run_list_release(&merging.runs);
    return status;
}

const struct command command_merge = {
    .name = "merge",
    .group = GROUP_STORED,
    .summary = "put several runs into one file",
    .synopsis = "[options] -o FILE STORE...",
    .description =
        "Makes a collection: one file with all runs of the stores that are named, of one machine "
        "or of many, finished or not. A collection can be merged again, and a run that is there "
        "twice is taken once. The stores stay as they are; FILE must not exist yet, and appears "
        "when all of it is there.\n\n"
        "FILE#2 names the second run of a collection wherever a store can be named. A command's "
        "--from takes its own runs out of a collection by itself, and `assay report` and `assay "
        "export` take all of them. Like a store, a collection is an SQLite database: its tables "
        "and views have a column `store` in front, which docs/store.md explains.\n\n"
        "Every run is checked while it is copied, and a damaged store is refused. With --salvage "
        "what can be read of it is taken: processes whose samples are still what was written. "
        "The others become failed ones, so that the rest can be judged and exported like any "
        "run. Where cells, truths or facts are damaged nothing is left to rely on.",
    .examples = "# all runs of two machines in one file\n"
                "assay merge -o both.sqlite laptop/*.sqlite server/*.sqlite\n"
                "# what is left of a store on a failing disk\n"
                "assay merge --salvage -o rest.sqlite run.sqlite\n",
    .options = specs,
    .hints = hints,
    .stays_here = true,
    .options_size = sizeof(struct merge_options),
    .run = run,
    .results = &merge_results,
    .analysis = &merge_analysis,
};

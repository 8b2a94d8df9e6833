/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the result of `assay truth` is: one row, of the execution that was counted. */
#include <string.h>

#include "base/memory.h"
#include "engine/command-line.h"
#include "output/json.h"
#include "studies/truth/study.h"

/* --- what follows from a count --- */

/* What has code has functions always, but opcodes only where they were asked for. */
const char *truth_no_opcodes(const struct truth_run *run)
{
    const struct truth_counted *counted = &run->counted;
    if (!counted->has_code)
        return counted->lost ? TRUTH_LOST : TRUTH_NO_CODE;
    if (!counted->classes.count)
        return "it is more code than can be decoded";
    return run->studying.given->from && !counted->opcodes.count ? "they were " TRUTH_NOT_BY : NULL;
}

bool truth_is_covered(const struct truth_run *run)
{
    return !run->counted.has_code || run->counted.told == run->counted.instructions;
}

static bool has_raw(const struct truth_counted *counted)
{
    return counted->has_raw && counted->raw >= counted->instructions;
}

uint64_t truth_repetitions(const struct truth_counted *counted)
{
    return has_raw(counted) ? counted->raw - counted->instructions : counted->repetitions;
}

/* --- the row --- */

/* A class that is not known is not there. */
static json_t *classes_json(const struct truth_run *run)
{
    const struct truth_counted *counted = &run->counted;
    json_t *object = json_object();
    if (!counted->lost)
        json_object_set_new(object, "instructions", json_count(counted->instructions));
    for (size_t i = 0; truth_is_covered(run) && i < counted->classes.count; i++)
        if (strcmp(counted->classes.list[i].name, "instructions") != 0)
            json_object_set_new(object, counted->classes.list[i].name,
                                json_count(counted->classes.list[i].count));
    return object;
}

/* A class is there when its count is a limit. */
static json_t *unsure_json(const struct truth_run *run)
{
    const struct truth_sums *classes = &run->counted.classes;
    json_t *object = json_object();
    for (size_t i = 0; truth_is_covered(run) && i < classes->count; i++)
        if (classes->list[i].unsure)
            json_object_set_new(object, classes->list[i].name, json_count(classes->list[i].unsure));
    return object;
}

static struct value get_repetitions(const void *item, const void *context)
{
    (void)context;
    const struct truth_counted *counted = item;
    if (!counted->lost && (counted->has_code || has_raw(counted)))
        return value_count(truth_repetitions(counted));
    return value_absent(counted->lost ? TRUTH_LOST : NULL);
}

static struct value get_setting(const void *item, const void *context)
{
    (void)context;
    char setting[200];
    return value_text(memory_copy(
        setting_name(((const struct truth_run *)item)->controls, setting, sizeof(setting))));
}

GETTER(get_note, struct truth_run,
       value_text(item->counter->note && * item->counter->note ? item->counter->note : NULL))

GETTER(get_classes, struct truth_run, value_json(classes_json(item)))

GETTER(get_unsure, struct truth_run, value_json(unsure_json(item)))

GETTER(get_limit, struct truth_sum, value_flag(item->unsure > 0))

GETTER(get_line, struct truth_run, value_text(item->line))

GETTER(get_seconds, struct truth_counted, value_real((double)item->nanoseconds / 1e9))

GETTER(get_faults, struct truth_counted,
       value_count(item->account.minor_faults + item->account.major_faults))

GETTER(get_switches, struct truth_counted,
       value_count(item->account.voluntary + item->account.involuntary))

GETTER(get_withheld, struct truth_counted, value_flag(item->rights == RIGHTS_WITHHELD))

GETTER(get_object, struct truth_sum, value_text(*item->object ? item->object : NULL))

GETTER(get_function, struct truth_sum, value_text(*item->name ? item->name : NULL))

static const struct field opcode_fields[] = {
    {"opcode", AT(struct truth_sum, name), "as the decoder calls it"},
    {"count", AT(struct truth_sum, count), "instructions executed"},
    {"repetitions", AT(struct truth_sum, repetitions), "of string instructions, beyond the first"},
    {"at_least", GET(FIELD_FLAG, get_limit),
     "there may be more: of some instructions no decoder knows the opcode, or nobody told them"},
};
static const struct fields opcode_table =
    FIELDS("truth.opcode", "instructions of one opcode", opcode_fields);

static const struct field function_fields[] = {
    {"object", GET(FIELD_TEXT, get_object), "file of the code", .nullable = true},
    {"function", GET(FIELD_TEXT, get_function), "its name there", .nullable = true},
    {"count", AT(struct truth_sum, count), "instructions executed"},
    {"repetitions", AT(struct truth_sum, repetitions), "of string instructions, beyond the first"},
    {"at_least", GET(FIELD_FLAG, get_limit),
     "there may be more: of some instructions nobody told where they are"},
};
static const struct fields function_table =
    FIELDS("truth.function", "instructions of one function", function_fields);

/* What --by asked for. */
static struct value has_opcodes(const void *item, const void *context)
{
    (void)context;
    const struct truth_run *run = item;
    const char *none = truth_no_opcodes(run);
    return !run->by_opcode ? value_left_out() : none ? value_absent(none) : value_flag(true);
}

GETTER(has_functions, struct truth_run,
       !item->by_function       ? value_left_out()
       : item->counted.has_code ? value_flag(true)
                                : value_absent(item->counted.lost ? TRUTH_LOST : TRUTH_NO_CODE))

static const struct field account_fields[] = {
    {"rep_iterations", GET(FIELD_COUNT, get_repetitions),
     "repetitions of string instructions beyond the first of each",
     .absent = "the source does not tell them", .column = true},
    {"", SPLICED_AT(struct truth_counted, status, &command_ending_table)},
    {"tasks", AT(struct truth_counted, tasks), "threads and processes", .column = true},
    {"processes", AT(struct truth_counted, processes), "of these"},
    {"left", AT(struct truth_counted, left), "processes that it left behind, and that were ended"},
    {"output_bytes", AT(struct truth_counted, output_bytes), "on its standard output and error",
     UNIT_BYTES, .known = KNOWN(struct truth_counted, output_known), .absent = COMMAND_OUTPUT_LENT},
    {"rights_withheld", GET(FIELD_FLAG, get_withheld),
     "its file gives rights (set-user-ID, set-group-ID, capabilities), and it ran without them"},
    {"seconds", GET(FIELD_REAL, get_seconds), "from its start to its end, under the source", UNIT_S,
     .column = true},
    {"page_faults", GET(FIELD_COUNT, get_faults), "by the operating system's account"},
    {"context_switches", GET(FIELD_COUNT, get_switches), "the same"},
    {"unknown", AT(struct truth_counted, unknown),
     "instructions that no decoder knows: of no opcode, and of the class instructions only",
     .known = KNOWN(struct truth_counted, has_code), .absent = TRUTH_NO_CODE},
    {"other_path", AT(struct truth_counted, other_path),
     "why the program took another path under the source than it takes without: the count is of "
     "that one",
     .nullable = true, .column = true},
};
static const struct fields account_table = FIELDS("truth.account", NULL, account_fields);

static const struct field row_fields[] = {
    {"source", AT(struct truth_run, counted.source), "who counted", .column = true},
    {"classes", GET(FIELD_JSON, get_classes),
     "instructions executed by class; a repeated string instruction counts once; a class that the "
     "source cannot tell is not there",
     .schema = "object"},
    {"unsure", GET(FIELD_JSON, get_unsure),
     "classes whose count is a lower limit (at least), with how many instructions more may be of "
     "each: no decoder knows enough of them; a class that is not here is exact",
     .schema = "object"},
    {"", SPLICED_AT(struct truth_run, counted, &account_table)},
    {"program", GET(FIELD_TEXT, get_line), "its words", .column = true},
    {"setting", GET(FIELD_TEXT, get_setting), "what was controlled"},
    {"note", GET(FIELD_TEXT, get_note), "what the count is exact for", .nullable = true},
    {"opcodes",
     LIST_IF(has_opcodes, struct truth_run, counted.opcodes.list, counted.opcodes.count,
             &opcode_table),
     "with --by opcode: instructions of each", .absent = "they were not counted", .optional = true},
    {"functions",
     LIST_IF(has_functions, struct truth_run, counted.functions.list, counted.functions.count,
             &function_table),
     "with --by function: instructions of each", .absent = "they were not told", .optional = true},
};
static const struct fields row_table = FIELDS("truth", "what the command executed", row_fields);

static const void *row_at(const void *item, const void *context, size_t index)
{
    (void)context;
    return index == 0 && ((const struct truth_run *)item)->counter ? item : NULL;
}
const struct field truth_results = {"results", LIST_BY(row_at, &row_table)};

/* --- the analysis --- */

GETTER(get_complete, struct truth_run,
       value_flag(item->counter && item->counted.status < STATUS_TIMEOUT))

static const struct field analysis_fields[] = {
    {"store", AT(struct truth_run, studying.stored), "file of the run", .nullable = true},
    {"complete", GET(FIELD_FLAG, get_complete), "it ended by itself, and was counted to its end"},
    {"seconds", AT(struct truth_run, studying.seconds), "that all of it took", UNIT_S},
};
const struct fields truth_analysis = FIELDS("truth.analysis", "how the run went", analysis_fields);

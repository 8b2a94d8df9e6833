/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a command executed, for programs (docs/json). */
#include <math.h>
#include <string.h>

#include "cli/command-outcome.h"
#include "studies/truth/study.h"

static json_t *classes_json(const struct truth_run *run)
{
    const struct truth_counted *counted = &run->counted;
    json_t *object = json_object();
    if (!counted->lost) /* a class that is not known is not there */
        json_object_set_new(object, "instructions", json_count(counted->instructions));
    for (size_t i = 0; truth_is_covered(run) && i < counted->classes.count; i++)
        if (strcmp(counted->classes.list[i].name, "instructions") != 0)
            json_object_set_new(object, counted->classes.list[i].name,
                                json_count(counted->classes.list[i].count));
    return object;
}

static void put_repetitions(json_t *object, const struct truth_counted *counted)
{
    if (counted->lost)
        json_absent(object, "rep_iterations", TRUTH_LOST);
    else if (counted->has_raw && counted->raw >= counted->instructions)
        json_object_set_new(object, "rep_iterations",
                            json_count(counted->raw - counted->instructions));
    else if (counted->has_code)
        json_object_set_new(object, "rep_iterations", json_count(counted->repetitions));
    else
        json_absent(object, "rep_iterations", "the source does not tell them");
}

static json_t *sums_json(const struct truth_sums *sums, bool functions)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sums->count; i++) {
        const struct truth_sum *sum = &sums->list[i];
        json_t *object = json_object();
        if (functions) {
            json_object_set_new(object, "object", json_text(*sum->object ? sum->object : NULL));
            json_object_set_new(object, "function", json_text(*sum->name ? sum->name : NULL));
        } else {
            json_object_set_new(object, "opcode", json_text(sum->name));
        }
        json_object_set_new(object, "count", json_count(sum->count));
        json_object_set_new(object, "repetitions", json_count(sum->repetitions));
        json_array_append_new(list, object);
    }
    return list;
}

/* What --by asked for. */
static void put_lists(const struct truth_run *run, json_t *object)
{
    const struct truth_counted *counted = &run->counted;
    const char *no_opcodes = truth_no_opcodes(run);
    if (run->by_opcode && no_opcodes)
        json_absent(object, "opcodes", no_opcodes);
    else if (run->by_opcode)
        json_object_set_new(object, "opcodes", sums_json(&counted->opcodes, false));
    if (run->by_function && !counted->has_code)
        json_absent(object, "functions", counted->lost ? TRUTH_LOST : TRUTH_NO_CODE);
    else if (run->by_function)
        json_object_set_new(object, "functions", sums_json(&counted->functions, true));
}

static json_t *row_json(const struct truth_run *run)
{
    const struct truth_counted *counted = &run->counted;
    const char *note = run->counter->note;
    char setting[200];
    json_t *object = json_object();
    json_object_set_new(object, "source", json_text(counted->source));
    json_object_set_new(object, "classes", classes_json(run));
    put_repetitions(object, counted);
    command_ending_put(object, counted->status);
    json_object_set_new(object, "program", json_text(run->line));
    json_object_set_new(object, "setting",
                        json_text(setting_name(run->controls, setting, sizeof(setting))));
    json_object_set_new(object, "tasks", json_count(counted->tasks));
    json_object_set_new(object, "processes", json_count(counted->processes));
    json_object_set_new(object, "left", json_count(counted->left));
    if (counted->output_known)
        json_object_set_new(object, "output_bytes", json_count(counted->output_bytes));
    else
        json_absent(object, "output_bytes", COMMAND_OUTPUT_LENT);
    json_object_set_new(object, "rights_withheld",
                        json_boolean(counted->rights == RIGHTS_WITHHELD));
    json_object_set_new(object, "seconds", json_real((double)counted->nanoseconds / 1e9));
    json_object_set_new(object, "page_faults",
                        json_count(counted->account.minor_faults + counted->account.major_faults));
    json_object_set_new(object, "context_switches",
                        json_count(counted->account.voluntary + counted->account.involuntary));
    if (counted->has_code)
        json_object_set_new(object, "unknown", json_count(counted->unknown));
    else
        json_absent(object, "unknown", TRUTH_NO_CODE);
    json_object_set_new(object, "note", json_text(note && *note ? note : NULL));
    put_lists(run, object);
    return object;
}

json_t *truth_results_json(const struct truth_run *run)
{
    json_t *list = json_array();
    if (run->counter)
        json_array_append_new(list, row_json(run));
    return list;
}

json_t *truth_analysis_json(const struct truth_run *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "store", json_text(run->store ? store_path(run->store) : NULL));
    json_object_set_new(object, "complete",
                        json_boolean(run->counter && run->counted.status < STATUS_TIMEOUT));
    json_object_set_new(object, "seconds", json_real(run->seconds));
    return object;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What commands add to an export: which program it was, who counted, what was held meanwhile; and
 * the tables that only stores of commands fill. Names and values are those of the store's view
 * `execution` and of its tables. */
#include "commands/export.h"

void row_command(struct export_row *row, const struct cell_command *command, const char *event)
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

void row_command_cell(struct export_row *row, const struct cell_command *command)
{
    row_text(row, command->directory);
    row_text(row, command->input);
    row_text(row, command->keep);
    if (command->words)
        row_count(row, command->timeout);
    else
        row_none(row);
}

const char *const subject_columns[] = {"name", "summary", "shows", "n",    "truth",
                                       "base", "each",    "bits",  "libc", NULL};

static int write_subject(void *context, const struct stored_subject *subject)
{
    struct export_row *row = context;
    row_text(row, subject->name);
    row_text(row, subject->summary);
    row_text(row, subject->shows);
    row_count(row, subject->n);
    row_flag(row, subject->has_truth);
    row_difference(row, subject->base);
    row_difference(row, subject->each);
    row_count(row, (uint64_t)subject->bits);
    row_flag(row, subject->libc);
    return row_end(row);
}

int write_subjects(struct store *store, struct export_row *row, struct failure *failure)
{
    return store_each_subject(store, write_subject, row, failure);
}

const char *const executed_columns[] = {"cell", "process", "kind",        "object",
                                        "name", "count",   "repetitions", NULL};

static int write_sum(void *context, const struct stored_executed *executed)
{
    struct export_row *row = context;
    row_count(row, executed->cell);
    row_count(row, executed->process);
    row_text(row, executed->kind);
    row_text(row, executed->object);
    row_text(row, executed->name);
    row_count(row, executed->count);
    row_count(row, executed->repetitions);
    return row_end(row);
}

int write_executed(struct store *store, struct export_row *row, struct failure *failure)
{
    return store_each_executed(store, write_sum, row, failure);
}

const char *const call_columns[] = {"cell", "process", "position", "task", "name",
                                    "what", "result",  "asked",    "sum",  NULL};

static int write_call(void *context, const struct stored_call *call)
{
    struct export_row *row = context;
    row_count(row, call->cell);
    row_count(row, call->process);
    row_count(row, call->position);
    row_count(row, call->task);
    row_text(row, call->name);
    row_text(row, call->what);
    row_difference(row, call->result);
    row_count(row, call->asked);
    row_count(row, call->sum);
    return row_end(row);
}

int write_calls(struct store *store, struct export_row *row, struct failure *failure)
{
    return store_each_call(store, write_call, row, failure);
}

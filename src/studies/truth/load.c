/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a store has of one execution of a command: counts, how it ended, and what it executed. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "studies/truth/study.h"

struct loading {
    struct truth_run *run;
    uint32_t cell;
    char *events[CELL_MAX_COUNTERS];
    uint32_t counters;
};

/* --- counts --- */

static int take_events(void *context, const struct stored_cell *stored)
{
    struct loading *loading = context;
    if (stored->cell.id != loading->cell)
        return 0;
    for (uint32_t i = 0; i < stored->cell.counters; i++)
        loading->events[i] = memory_copy(stored->cell.events[i]);
    loading->counters = stored->cell.counters;
    return 0;
}

static void take_value(struct loading *loading, const char *event, uint64_t value)
{
    struct truth_counted *counted = &loading->run->counted;
    char instructions[64], raw[64];
    snprintf(instructions, sizeof(instructions), "%s/instructions/", counted->source);
    snprintf(raw, sizeof(raw), "%s/instructions-raw/", counted->source);
    const struct {
        const char *event;
        uint64_t *value;
    } places[] = {
        {instructions, &counted->instructions},
        {raw, &counted->raw},
        {RUN_STATUS, &counted->status},
        {RUN_OUTPUT_BYTES, &counted->output_bytes},
        {RUN_TASKS, &counted->tasks},
        {RUN_PROCESSES, &counted->processes},
        {RUN_LEFT, &counted->left},
        {RUN_NANOSECONDS, &counted->nanoseconds},
        {RUN_RIGHTS, &counted->rights},
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        if (strcmp(places[i].event, event) == 0)
            *places[i].value = value;
    counted->has_raw |= strcmp(raw, event) == 0;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct loading *loading = context;
    struct truth_counted *counted = &loading->run->counted;
    counted->account = sample->account;
    if (sample->counter >= loading->counters)
        return 0;
    const char *event = loading->events[sample->counter];
    /* What could not be known was not running: the counts of a source (its first columns) that was
     * killed. */
    if (strncmp(event, "run/", 4) != 0 && sample->enabled && !sample->running)
        counted->lost = true;
    else
        take_value(loading, event, sample->value);
    if (strcmp(event, RUN_OUTPUT_BYTES) == 0)
        counted->output_known = sample->running > 0;
    return 0;
}

/* --- what was executed --- */

static int take_executed(void *context, const struct stored_executed *executed)
{
    struct loading *loading = context;
    struct truth_counted *counted = &loading->run->counted;
    if (executed->cell != loading->cell)
        return 0;
    struct truth_sums *sums = strcmp(executed->kind, "function") == 0 ? &counted->functions
                              : strcmp(executed->kind, "opcode") == 0 ? &counted->opcodes
                                                                      : &counted->classes;
    const bool function = sums == &counted->functions, class = sums == &counted->classes;
    if (class && strcmp(executed->name, EXECUTED_UNKNOWN) == 0) {
        counted->unknown = executed->count;
        return 0;
    }
    *memory_add(sums->list, sums->count) = (struct truth_sum){
        .object = memory_copy(executed->object),
        .name = memory_copy(executed->name),
        .count = executed->count,
        .repetitions = executed->repetitions,
    };
    counted->has_code |= function;
    counted->told += function ? executed->count : 0;
    counted->repetitions += function ? executed->repetitions : 0;
    return 0;
}

int truth_load(struct truth_run *run, uint32_t cell, struct failure *failure)
{
    struct loading loading = {.run = run, .cell = cell};
    snprintf(run->counted.source, sizeof(run->counted.source), "%.31s", run->counter->source);
    int error = store_each_cell(run->store, take_events, &loading, failure);
    if (error == 0)
        error = store_each_sample(run->store, cell, take_sample, &loading, failure);
    if (error == 0)
        error = store_each_executed(run->store, take_executed, &loading, failure);
    return error;
}

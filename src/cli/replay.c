/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Brings what a store holds before the judgement. */
#include "cli/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "study/plan.h"

static void release_cell(struct replayed_cell *cell)
{
    for (uint32_t i = 0; i < CELL_MAX_COUNTERS; i++) {
        free(cell->counters[i].class);
        free(cell->counters[i].grade);
    }
    free(cell->reason);
    cell_release(&cell->cell);
}

/* False when out of memory. */
static bool copy_string(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

static int copy_cell(struct replayed_cell *to, const struct stored_cell *stored)
{
    *to = (struct replayed_cell){.processes = stored->processes,
                                 .done = stored->done,
                                 .failed = stored->failed,
                                 .error = stored->error,
                                 .faults = {stored->has_faults, stored->faults},
                                 .switches = {stored->has_switches, stored->switches}};
    bool copied = copy_string(&to->reason, stored->reason);
    for (uint32_t i = 0; i < stored->cell.counters && copied; i++) {
        const struct stored_counter *counter = &stored->counters[i];
        to->counters[i].truth = (struct maybe){counter->has_truth, counter->truth};
        copied = copy_string(&to->counters[i].class, counter->class) &&
                 copy_string(&to->counters[i].grade, counter->grade);
    }
    int error = copied ? cell_copy(&to->cell, &stored->cell) : -ENOMEM;
    if (error < 0)
        release_cell(to);
    return error;
}

static int add_cell(void *context, const struct stored_cell *stored)
{
    struct replay *replay = context;
    struct replayed_cell *grown = realloc(replay->cells, (replay->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    replay->cells = grown;
    int error = copy_cell(&grown[replay->count], stored);
    replay->count += error == 0;
    return error;
}

int replay_open(struct replay *replay, struct store *store, struct failure *failure)
{
    *replay = (struct replay){.store = store};
    int error = store_each_cell(store, add_cell, replay, failure);
    return error == -ENOMEM ? fail_with(failure, error, "out of memory") : error;
}

void replay_close(struct replay *replay)
{
    for (size_t i = 0; i < replay->count; i++)
        release_cell(&replay->cells[i]);
    free(replay->cells);
    *replay = (struct replay){0};
}

struct gathering {
    uint32_t counter;
    struct reading *readings;
    size_t count, capacity;
};

static int gather(void *context, const struct sample *sample)
{
    struct gathering *gathering = context;
    if (sample->counter != gathering->counter)
        return 0;
    if (gathering->count == gathering->capacity) {
        size_t capacity = gathering->capacity ? 2 * gathering->capacity : 128;
        struct reading *grown = realloc(gathering->readings, capacity * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        gathering->readings = grown;
        gathering->capacity = capacity;
    }
    gathering->readings[gathering->count++] = (struct reading){.value = sample->value,
                                                               .enabled = sample->enabled,
                                                               .running = sample->running,
                                                               .account = sample->account};
    return 0;
}

int replay_readings(const struct replay *replay, const struct replayed_cell *cell, uint32_t counter,
                    struct reading **readings, size_t *count, struct failure *failure)
{
    struct gathering gathering = {.counter = counter};
    int error = store_each_sample(replay->store, cell->cell.id, gather, &gathering, failure);
    if (error < 0) {
        free(gathering.readings);
        return error == -ENOMEM ? fail_with(failure, error, "out of memory") : error;
    }
    *readings = gathering.readings;
    *count = gathering.count;
    return 0;
}

static const struct replayed_cell *overhead_cell(const struct replay *replay,
                                                 const struct replayed_cell *cell)
{
    for (size_t i = 0; i < replay->count; i++) {
        const struct replayed_cell *other = &replay->cells[i];
        if (other != cell && plan_is_overhead_cell(&other->cell) &&
            plan_same_way(&other->cell, &cell->cell))
            return other;
    }
    return NULL;
}

/* Of a null cell's account nothing is expected: what most runs show is the way's own. */
static struct expectation expectation_of(const struct replayed_cell *cell, uint32_t counter)
{
    struct expectation expected = {.truth = cell->counters[counter].truth};
    if (!plan_is_overhead_cell(&cell->cell)) {
        expected.faults = cell->faults;
        expected.switches = cell->switches;
    }
    return expected;
}

/* Adds what the null cell says, if there is one and it ran. */
static int add_overhead(const struct replay *replay, const struct replayed_cell *cell,
                        uint32_t counter, struct expectation *expected, struct failure *failure)
{
    const struct replayed_cell *null = overhead_cell(replay, cell);
    if (!null)
        return 0;
    AUTO_FREE struct reading *readings = NULL;
    size_t count = 0;
    int error = replay_readings(replay, null, counter, &readings, &count, failure);
    if (error < 0)
        return error;
    struct expectation nothing = expectation_of(null, counter);
    struct summary summary;
    if (measure_summarise(readings, count, &nothing, &summary) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    expectation_add_null(expected, &summary);
    return 0;
}

int replay_judge(const struct replay *replay, const struct replayed_cell *cell, uint32_t counter,
                 const struct reading *readings, size_t count, struct summary *summary,
                 struct failure *failure)
{
    struct expectation expected = expectation_of(cell, counter);
    int error = add_overhead(replay, cell, counter, &expected, failure);
    if (error < 0)
        return error;
    if (measure_summarise(readings, count, &expected, summary) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    return 0;
}

/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What executions told beside counts: functions of the first one of a cell, and the system calls of
 * all. The store has them by process, the case by the order in which the runs were made. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/loading.h"
#include "study/repeat-loading.h"

struct telling {
    struct repeat_case *file;
    const struct repeat_origins *origins;
    struct failure *failure;
};

static int take_function(void *context, const struct stored_executed *executed)
{
    const struct telling *telling = context;
    const struct repeat_origin *origin = repeat_origin_of(telling->origins, executed->cell);
    struct repeat_cell *cell = origin ? &telling->file->cells[origin->index] : NULL;
    if (!cell || !cell->runs || cell->detail != DETAIL_CODE ||
        cell->list[0].process != executed->process || strcmp(executed->kind, "function") != 0)
        return 0;
    struct repeat_executed *function =
        list_add(&cell->functions, &cell->function_count, sizeof(*function));
    if (!function)
        return loading_no_memory(telling->failure);
    function->count = executed->count;
    function->repetitions = executed->repetitions;
    return copy_or_empty(&function->object, executed->object) &&
                   copy_or_empty(&function->name, executed->name)
               ? 0
               : loading_no_memory(telling->failure);
}

int repeat_take_functions(struct store *store, struct repeat_case *file,
                          const struct repeat_origins *origins, struct failure *failure)
{
    struct telling telling = {file, origins, failure};
    return store_each_executed(store, take_function, &telling, failure);
}

/* The run of this process; runs: there is none. */
static size_t run_of(const struct repeat_cell *cell, uint32_t process)
{
    size_t run = 0;
    while (run < cell->runs && cell->list[run].process != process)
        run++;
    return run;
}

/* Calls come by cell and process, so the run is looked for once an execution. */
struct counting_calls {
    struct telling telling;
    bool filling; /* false: they are only counted, in call_begins[run + 1] */
    uint32_t cell, process;
    struct repeat_cell *found; /* NULL: nobody's */
    size_t run;
    size_t counted, filled;
};

static void find_run(struct counting_calls *counting, const struct stored_call *call)
{
    const struct repeat_origin *origin = repeat_origin_of(counting->telling.origins, call->cell);
    struct repeat_cell *cell = origin ? &counting->telling.file->cells[origin->index] : NULL;
    counting->cell = call->cell;
    counting->process = call->process;
    counting->run = cell && cell->call_begins ? run_of(cell, call->process) : 0;
    counting->found = cell && cell->call_begins && counting->run < cell->runs ? cell : NULL;
}

static int take_call(void *context, const struct stored_call *stored)
{
    struct counting_calls *counting = context;
    if (stored->position == 0 || stored->cell != counting->cell ||
        stored->process != counting->process)
        find_run(counting, stored);
    struct repeat_cell *cell = counting->found;
    if (!cell)
        return 0;
    if (!counting->filling) {
        cell->call_begins[counting->run + 1]++;
        counting->counted++;
        return 0;
    }
    const size_t begin = cell->call_begins[counting->run];
    if (stored->position >= cell->call_begins[counting->run + 1] - begin)
        return -ESTALE;
    struct repeat_call *call = &cell->calls[begin + stored->position];
    counting->filled++;
    call->position = stored->position;
    call->task = stored->task;
    call->result = stored->result;
    call->asked = stored->asked;
    call->sum = stored->sum;
    return copy_or_empty(&call->name, stored->name) && copy_or_empty(&call->what, stored->what)
               ? 0
               : loading_no_memory(counting->telling.failure);
}

/* From how many calls each run has to where they begin, and room for them. */
static int make_room(struct repeat_cell *cell, struct failure *failure)
{
    for (size_t run = 0; run < cell->runs; run++)
        cell->call_begins[run + 1] += cell->call_begins[run];
    const size_t count = cell->call_begins[cell->runs];
    cell->calls = calloc(count ? count : 1, sizeof(*cell->calls));
    if (cell->calls)
        return 0;
    free(cell->call_begins);
    cell->call_begins = NULL;
    return loading_no_memory(failure);
}

/* For every cell of this store that asked for calls. */
static int each_asking(struct repeat_case *file, const struct repeat_origins *origins, bool room,
                       struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < origins->count && !error; i++) {
        struct repeat_cell *cell = &file->cells[origins->list[i].index];
        if (cell->detail != DETAIL_CALLS)
            continue;
        if (room) {
            error = make_room(cell, failure);
            continue;
        }
        cell->call_begins = calloc(cell->runs + 1, sizeof(*cell->call_begins));
        error = cell->call_begins ? 0 : loading_no_memory(failure);
    }
    return error;
}

/* Counts without calls are nothing that a case may hold. */
static void forget_counts(struct repeat_case *file, const struct repeat_origins *origins)
{
    for (size_t i = 0; i < origins->count; i++) {
        struct repeat_cell *cell = &file->cells[origins->list[i].index];
        if (!cell->calls) {
            free(cell->call_begins);
            cell->call_begins = NULL;
        }
    }
}

int repeat_take_calls(struct store *store, struct repeat_case *file,
                      const struct repeat_origins *origins, struct failure *failure)
{
    struct counting_calls counting = {.telling = {file, origins, failure}};
    int error = each_asking(file, origins, false, failure);
    if (!error)
        error = store_each_call(store, take_call, &counting, failure);
    if (!error)
        error = each_asking(file, origins, true, failure);
    if (error) {
        forget_counts(file, origins);
        return error;
    }
    counting.filling = true;
    error = store_each_call(store, take_call, &counting, failure);
    if (error == -ESTALE || (!error && counting.filled != counting.counted))
        return fail_with(failure, -EBADMSG,
                         "the store %.300s changed while it was read. Take a copy you trust.",
                         store_path(store));
    return error;
}

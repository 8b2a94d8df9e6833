/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executions from the samples of a store, in the order in which they were made. Each is one run
 * with a sample for every column; one that is not whole is damage. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/loading.h"
#include "study/repeat-loading.h"

/* Columns run/…/ and where their numbers go; interrupts are told apart below. */
static const struct {
    const char *event;
    size_t offset;
} said[] = {
    {RUN_STATUS, offsetof(struct repeat_run, status)},
    {RUN_OUTPUT_BYTES, offsetof(struct repeat_run, output_bytes)},
    {RUN_OUTPUT_SUM, offsetof(struct repeat_run, output_sum)},
    {RUN_TASKS, offsetof(struct repeat_run, tasks)},
    {RUN_PROCESSES, offsetof(struct repeat_run, processes)},
    {RUN_LEFT, offsetof(struct repeat_run, left)},
    {RUN_INTERRUPTS, offsetof(struct repeat_run, interrupts)},
    {RUN_NANOSECONDS, offsetof(struct repeat_run, nanoseconds)},
};

int repeat_says(const char *event)
{
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
        if (strcmp(said[i].event, event) == 0)
            return (int)i;
    return -1;
}

struct done {
    uint32_t cell, process;
};

struct taking {
    struct store *store;
    struct repeat_case *file;
    struct repeat_origins *origins;
    struct failure *failure;
    struct done *done; /* visits that ended well, in planned order */
    size_t done_count, next;
    /* the execution under way */
    struct repeat_origin *origin; /* NULL: none */
    uint32_t column;              /* the next to come */
};

static int take_visit(void *context, const struct stored_visit *visit)
{
    struct taking *taking = context;
    if (visit->state != VISIT_DONE || !repeat_origin_of(taking->origins, visit->visit.cell))
        return 0;
    struct done *done = list_add(&taking->done, &taking->done_count, sizeof(*done));
    if (!done)
        return loading_no_memory(taking->failure);
    *done = (struct done){visit->visit.cell, visit->visit.process};
    return 0;
}

static int damaged(const struct taking *taking, uint32_t cell, uint32_t process)
{
    return fail_with(taking->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u is an execution, but has "
                     "not one sample for each of its columns. Take a copy you trust.",
                     store_path(taking->store), process, cell);
}

/* Room for one more run of the cell, zeroed. */
static struct repeat_run *add_run(struct repeat_cell *cell, struct repeat_origin *origin)
{
    if (cell->runs == origin->room) {
        const size_t room = origin->room ? 2 * origin->room : 16, events = cell->events;
        struct repeat_run *list = reallocarray(cell->list, room, sizeof(*list));
        if (list)
            cell->list = list;
        uint64_t *counts = reallocarray(cell->counts, room * (events + 1), sizeof(*counts));
        if (counts)
            cell->counts = counts;
        double *scheduled = reallocarray(cell->scheduled, room * (events + 1), sizeof(*scheduled));
        if (scheduled)
            cell->scheduled = scheduled;
        if (!list || !counts || !scheduled)
            return NULL;
        origin->room = room;
    }
    return memset(&cell->list[cell->runs++], 0, sizeof(struct repeat_run));
}

/* The share of the time in which the counter counted; what executes has no other. */
static double share(const struct repeat_cell *cell, const struct sample *sample)
{
    if (sample->enabled)
        return sample->running >= sample->enabled
                   ? 1
                   : (double)sample->running / (double)sample->enabled;
    return strcmp(cell->source, "perf_event") == 0 ? 0 : 1;
}

static void take_value(const struct taking *taking, const struct sample *sample)
{
    struct repeat_cell *cell = &taking->file->cells[taking->origin->index];
    struct repeat_run *run = &cell->list[cell->runs - 1];
    const int event = taking->origin->columns[sample->counter].event;
    const int says = taking->origin->columns[sample->counter].says;
    if (event >= 0) {
        const size_t at = (cell->runs - 1) * cell->events + (size_t)event;
        cell->counts[at] = sample->value;
        cell->scheduled[at] = share(cell, sample);
    }
    /* What could not be known was not running. */
    if (says >= 0 && (sample->running || !sample->enabled)) {
        memcpy((char *)run + said[says].offset, &sample->value, sizeof(sample->value));
        run->has_interrupts |= said[says].offset == offsetof(struct repeat_run, interrupts);
    }
}

/* All columns of the execution are there. */
static int end_run(struct taking *taking)
{
    if (!taking->origin)
        return 0;
    struct repeat_cell *cell = &taking->file->cells[taking->origin->index];
    const struct repeat_run *run = &cell->list[cell->runs - 1];
    if (taking->column != taking->origin->counters)
        return damaged(taking, taking->origin->cell, run->process);
    cell->timed_out += run->status >= STATUS_TIMEOUT;
    cell->signalled += run->status >= STATUS_SIGNAL && run->status < STATUS_TIMEOUT;
    taking->origin = NULL;
    return 0;
}

static int begin_run(struct taking *taking, const struct sample *sample)
{
    int error = end_run(taking);
    if (error)
        return error;
    taking->next++;
    taking->origin = repeat_origin_of(taking->origins, sample->cell);
    taking->column = 0;
    struct repeat_run *run = add_run(&taking->file->cells[taking->origin->index], taking->origin);
    if (!run)
        return loading_no_memory(taking->failure);
    run->process = sample->process;
    run->account = sample->account;
    return 0;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    const struct done *due = taking->next < taking->done_count ? &taking->done[taking->next] : NULL;
    const struct done *last = taking->origin ? &taking->done[taking->next - 1] : NULL;
    int error = 0;
    if (due && due->cell == sample->cell && due->process == sample->process)
        error = begin_run(taking, sample);
    else if (!last || last->cell != sample->cell || last->process != sample->process)
        return 0; /* of another study, or of one that did not end well */
    if (error)
        return error;
    if (sample->run || sample->counter != taking->column ||
        taking->column >= taking->origin->counters)
        return damaged(taking, sample->cell, sample->process);
    taking->column++;
    take_value(taking, sample);
    return 0;
}

int repeat_take_runs(struct store *store, struct repeat_case *file, struct repeat_origins *origins,
                     struct failure *failure)
{
    struct taking taking = {.store = store, .file = file, .origins = origins, .failure = failure};
    int error = store_each_visit(store, take_visit, &taking, failure);
    if (!error)
        error = store_scan_samples(store, take_sample, &taking, failure);
    if (!error)
        error = end_run(&taking);
    if (!error && taking.next != taking.done_count)
        error = damaged(&taking, taking.done[taking.next].cell, taking.done[taking.next].process);
    free(taking.done);
    return error;
}

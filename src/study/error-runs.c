/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runs of the cells of measurement error, from the samples of a store: values by process, and
 * what kept company with them. The store is read once, in its own order, and every sample goes to
 * the end of its cell; what is then out of order by process is put in order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "engine/loading.h"
#include "study/error-loading.h"

/* All cells, and the run that is being read. */
struct taking {
    struct store *store;
    struct error_cell *cells;
    struct error_origin *origins;
    size_t count;
    struct failure *failure;
    size_t at;     /* the cell of the visit that is being read; count: no part of this study */
    uint32_t cell; /* its id */
    uint32_t process, run;
    bool began, counted; /* a run of the visit began; its first counter got time */
};

static int damaged(const struct taking *taking, const struct sample *sample, const char *what)
{
    return fail_with(taking->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u has %s (run %u, counter "
                     "%u). Take a copy you trust.",
                     store_path(taking->store), sample->process, sample->cell, what, sample->run,
                     sample->counter);
}

/* --- room --- */

static bool grow(void *list, size_t room, size_t size)
{
    void **at = list;
    void *larger = reallocarray(*at, room, size);
    if (larger)
        *at = larger;
    return larger != NULL;
}

static bool grow_runs(struct error_cell *cell, struct error_origin *origin, size_t room)
{
    if (!grow(&cell->values, room, sizeof(*cell->values)))
        return false;
    if (origin->timed && (!grow(&cell->enabled, room, sizeof(*cell->enabled)) ||
                          !grow(&cell->running, room, sizeof(*cell->running))))
        return false;
    if (origin->timed && origin->interrupts &&
        !grow(&cell->interrupts, room, sizeof(*cell->interrupts)))
        return false;
    origin->room = room;
    return true;
}

/* One more than processes: the end of the last. */
static bool grow_begins(struct error_cell *cell, struct error_origin *origin, size_t room)
{
    if (!grow(&cell->begins, room + 1, sizeof(*cell->begins)) ||
        !grow(&origin->processes, room + 1, sizeof(*origin->processes)))
        return false;
    origin->begins_room = room;
    return true;
}

/* --- samples --- */

/* Processes whose runs got no counter have no place in the cell. */
static bool open_process(struct error_cell *cell, struct error_origin *origin, uint32_t process)
{
    size_t last = cell->processes;
    if (last && origin->processes[last - 1] == process && cell->begins[last - 1] < cell->runs)
        return true;
    if (last == origin->begins_room && !grow_begins(cell, origin, last ? last * 2 : 32))
        return false;
    origin->processes[last] = process;
    cell->begins[last] = cell->runs;
    cell->processes++;
    return true;
}

static bool put_run(struct error_cell *cell, struct error_origin *origin,
                    const struct sample *sample, uint64_t value)
{
    if (cell->runs == origin->room && !grow_runs(cell, origin, cell->runs ? cell->runs * 2 : 256))
        return false;
    if (!open_process(cell, origin, sample->process))
        return false;
    cell->values[cell->runs] = error_clamp(value);
    if (origin->timed) {
        cell->enabled[cell->runs] = (double)sample->enabled;
        cell->running[cell->runs] = (double)sample->running;
    }
    if (cell->interrupts)
        cell->interrupts[cell->runs] = 0;
    cell->runs++;
    return true;
}

/* The first counter of a run. */
static int take_run(struct taking *taking, const struct sample *sample)
{
    struct error_cell *cell = &taking->cells[taking->at];
    struct error_origin *origin = &taking->origins[taking->at];
    struct reading reading = {sample->value, sample->enabled, sample->running, sample->account};
    uint64_t value;
    taking->began = true;
    taking->run = sample->run;
    if (error_accounts_add(&origin->accounts, &sample->account) < 0)
        return loading_no_memory(taking->failure);
    taking->counted = reading_value(&reading, &value);
    if (!taking->counted) {
        cell->unscheduled++;
        return 0;
    }
    cell->multiplexed += sample->running < sample->enabled;
    return put_run(cell, origin, sample, value) ? 0 : loading_no_memory(taking->failure);
}

static int compare_ids(const void *key, const void *entry)
{
    uint32_t wanted = *(const uint32_t *)key, id = ((const struct error_origin *)entry)->id;
    return (wanted > id) - (wanted < id);
}

static void find_cell(struct taking *taking, const struct sample *sample)
{
    const struct error_origin *found =
        bsearch(&sample->cell, taking->origins, taking->count, sizeof(*found), compare_ids);
    taking->at = found ? (size_t)(found - taking->origins) : taking->count;
    taking->cell = sample->cell;
    taking->process = sample->process;
    taking->began = false;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    if (sample->cell != taking->cell || sample->process != taking->process)
        find_cell(taking, sample);
    if (taking->at == taking->count)
        return 0;
    const struct error_origin *origin = &taking->origins[taking->at];
    struct error_cell *cell = &taking->cells[taking->at];
    if (sample->run >= origin->runs)
        return damaged(taking, sample, "more runs than were planned");
    if (sample->counter >= origin->counters)
        return damaged(taking, sample, "a count of a counter that its cell does not have");
    if (sample->counter == 0)
        return take_run(taking, sample);
    if (!taking->began || sample->run != taking->run)
        return damaged(taking, sample, "a run without its first counter");
    if (sample->counter == origin->interrupts && taking->counted && cell->interrupts)
        cell->interrupts[cell->runs - 1] = (double)sample->value;
    return 0;
}

/* --- order --- */

/* The runs of one process among all of its cell. */
struct stretch {
    uint32_t process;
    size_t begin, runs;
};

static int compare_stretches(const void *left, const void *right)
{
    const struct stretch *one = left, *other = right;
    return (one->process > other->process) - (one->process < other->process);
}

/* Numbers of runs, counts or times, in the order of the stretches. */
static bool reorder(void *numbers, const struct stretch *stretches, size_t processes, size_t runs)
{
    uint64_t **list = numbers, *ordered, *end;
    _Static_assert(sizeof(int64_t) == sizeof(double), "both are moved the same way");
    if (!*list || !runs)
        return true;
    ordered = end = malloc(runs * sizeof(*ordered));
    if (!ordered)
        return false;
    for (size_t i = 0; i < processes; i++) {
        memcpy(end, *list + stretches[i].begin, stretches[i].runs * sizeof(*end));
        end += stretches[i].runs;
    }
    free(*list);
    *list = ordered;
    return true;
}

static bool sort_processes(struct error_cell *cell, struct error_origin *origin)
{
    AUTO_FREE struct stretch *stretches = calloc(cell->processes + 1, sizeof(*stretches));
    if (!stretches)
        return false;
    for (size_t i = 0; i < cell->processes; i++)
        stretches[i] = (struct stretch){origin->processes[i], cell->begins[i],
                                        cell->begins[i + 1] - cell->begins[i]};
    qsort(stretches, cell->processes, sizeof(*stretches), compare_stretches);
    if (!reorder(&cell->values, stretches, cell->processes, cell->runs) ||
        !reorder(&cell->enabled, stretches, cell->processes, cell->runs) ||
        !reorder(&cell->running, stretches, cell->processes, cell->runs) ||
        !reorder(&cell->interrupts, stretches, cell->processes, cell->runs))
        return false;
    origin->room = cell->runs;
    for (size_t i = 0; i < cell->processes; i++) {
        origin->processes[i] = stretches[i].process;
        cell->begins[i + 1] = cell->begins[i] + stretches[i].runs;
    }
    return true;
}

static bool is_sorted(const struct error_cell *cell, const struct error_origin *origin)
{
    for (size_t i = 1; i < cell->processes; i++)
        if (origin->processes[i] <= origin->processes[i - 1])
            return false;
    return true;
}

/* Puts the processes in order, and gives back what doubling took too much of. */
static int settle(struct taking *taking, size_t at)
{
    struct error_cell *cell = &taking->cells[at];
    struct error_origin *origin = &taking->origins[at];
    if (!grow_begins(cell, origin, cell->processes))
        return loading_no_memory(taking->failure);
    cell->begins[cell->processes] = cell->runs;
    if (!is_sorted(cell, origin) && !sort_processes(cell, origin))
        return loading_no_memory(taking->failure);
    if (!is_sorted(cell, origin))
        return fail_with(taking->failure, -EBADMSG,
                         "the store %.300s is damaged: two visits are the same process of cell %u. "
                         "Take a copy you trust.",
                         store_path(taking->store), origin->id);
    if (cell->runs && cell->runs < origin->room && !grow_runs(cell, origin, cell->runs))
        return loading_no_memory(taking->failure);
    return 0;
}

int error_take_runs(struct store *store, struct error_cell *cells, struct error_origin *origins,
                    size_t count, struct failure *failure)
{
    struct taking taking = {.store = store,
                            .cells = cells,
                            .origins = origins,
                            .count = count,
                            .failure = failure,
                            .at = count};
    int error = store_scan_samples(store, take_sample, &taking, failure);
    for (size_t i = 0; !error && i < count; i++)
        error = settle(&taking, i);
    return error;
}

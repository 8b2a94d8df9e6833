/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runs of one cell of measurement error, from the samples of a store: values by process, what
 * kept company with them, and which ones the operating system's account shows disturbed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "study/error-loading.h"

/* A cell that grows sample by sample. */
struct taking {
    struct store *store;
    const struct error_origin *origin;
    struct error_cell *cell;
    struct error_accounts *accounts;
    struct failure *failure;
    size_t room, begins_room;
    bool timed;          /* the part needs times and company */
    uint32_t opened;     /* the process that was given its place last */
    bool began, counted; /* a run is under way, and its first counter got time */
    uint32_t process, run;
};

static int no_memory(struct failure *failure)
{
    return fail_with(failure, -ENOMEM, "out of memory while reading what was measured");
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

static bool grow_cell(struct taking *taking, size_t room)
{
    struct error_cell *cell = taking->cell;
    if (!grow(&cell->values, room, sizeof(*cell->values)))
        return false;
    if (taking->timed && (!grow(&cell->enabled, room, sizeof(*cell->enabled)) ||
                          !grow(&cell->running, room, sizeof(*cell->running))))
        return false;
    if (taking->timed && taking->origin->interrupts &&
        !grow(&cell->interrupts, room, sizeof(*cell->interrupts)))
        return false;
    taking->room = room;
    return true;
}

static bool grow_accounts(struct error_accounts *accounts)
{
    size_t room = accounts->room ? accounts->room * 2 : 512;
    if (!grow(&accounts->faults, room, sizeof(*accounts->faults)) ||
        !grow(&accounts->switches, room, sizeof(*accounts->switches)) ||
        !grow(&accounts->scratch, room, sizeof(*accounts->scratch)))
        return false;
    accounts->room = room;
    return true;
}

void error_accounts_free(struct error_accounts *accounts)
{
    free(accounts->faults);
    free(accounts->switches);
    free(accounts->scratch);
    *accounts = (struct error_accounts){0};
}

/* --- samples --- */

static int damaged(const struct taking *taking, const struct sample *sample, const char *what)
{
    return fail_with(taking->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u has %s (run %u, counter "
                     "%u). Take a copy you trust.",
                     store_path(taking->store), sample->process, sample->cell, what, sample->run,
                     sample->counter);
}

static bool take_account(struct taking *taking, const struct account *account)
{
    struct error_accounts *accounts = taking->accounts;
    if (accounts->count == accounts->room && !grow_accounts(accounts))
        return false;
    accounts->faults[accounts->count] = account->minor_faults + account->major_faults;
    accounts->switches[accounts->count++] = account->voluntary + account->involuntary;
    return true;
}

/* Processes whose runs got no counter have no place in the cell. */
static bool open_process(struct taking *taking, uint32_t process)
{
    struct error_cell *cell = taking->cell;
    if (cell->processes && taking->opened == process)
        return true;
    if (cell->processes + 2 > taking->begins_room) {
        size_t room = taking->begins_room ? taking->begins_room * 2 : 32;
        if (!grow(&cell->begins, room, sizeof(*cell->begins)))
            return false;
        taking->begins_room = room;
    }
    cell->begins[cell->processes++] = cell->runs;
    taking->opened = process;
    return true;
}

static bool put_run(struct taking *taking, const struct sample *sample, uint64_t value)
{
    struct error_cell *cell = taking->cell;
    if (cell->runs == taking->room && !grow_cell(taking, taking->room ? taking->room * 2 : 256))
        return false;
    if (!open_process(taking, sample->process))
        return false;
    cell->values[cell->runs] = error_clamp(value);
    if (taking->timed) {
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
    struct reading reading = {sample->value, sample->enabled, sample->running, sample->account};
    uint64_t value;
    taking->began = true;
    taking->process = sample->process;
    taking->run = sample->run;
    if (!take_account(taking, &sample->account))
        return no_memory(taking->failure);
    taking->counted = reading_value(&reading, &value);
    if (!taking->counted) {
        taking->cell->unscheduled++;
        return 0;
    }
    taking->cell->multiplexed += sample->running < sample->enabled;
    return put_run(taking, sample, value) ? 0 : no_memory(taking->failure);
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    const struct error_origin *origin = taking->origin;
    struct error_cell *cell = taking->cell;
    if (sample->run >= origin->runs)
        return damaged(taking, sample, "more runs than were planned");
    if (sample->counter >= origin->counters)
        return damaged(taking, sample, "a count of a counter that its cell does not have");
    if (sample->counter == 0)
        return take_run(taking, sample);
    if (!taking->began || sample->process != taking->process || sample->run != taking->run)
        return damaged(taking, sample, "a run without its first counter");
    if (sample->counter == origin->interrupts && taking->counted && cell->interrupts)
        cell->interrupts[cell->runs - 1] = (double)sample->value;
    return 0;
}

/* Gives back what doubling took too much of. */
static bool settle(struct taking *taking)
{
    struct error_cell *cell = taking->cell;
    if (cell->runs && cell->runs < taking->room && !grow_cell(taking, cell->runs))
        return false;
    if (!grow(&cell->begins, cell->processes + 1, sizeof(*cell->begins)))
        return false;
    cell->begins[cell->processes] = cell->runs;
    return true;
}

int error_take_runs(struct store *store, const struct error_origin *origin, struct error_cell *cell,
                    struct error_accounts *accounts, struct failure *failure)
{
    struct taking taking = {.store = store,
                            .origin = origin,
                            .cell = cell,
                            .accounts = accounts,
                            .failure = failure,
                            .timed = cell->part == PART_DURATION || cell->part == PART_PLACEMENT ||
                                     cell->part == PART_MULTIPLEX};
    accounts->count = 0;
    int error = store_each_sample(store, origin->id, take_sample, &taking, failure);
    if (!error && !settle(&taking))
        error = no_memory(failure);
    return error;
}

/* --- accounts --- */

static int by_value(const void *left, const void *right)
{
    uint64_t first = *(const uint64_t *)left, second = *(const uint64_t *)right;
    return (first > second) - (first < second);
}

/* Nearly always nearly all are zero: those are only counted, the rest is sorted. */
static int64_t median(const uint64_t *counts, size_t count, uint64_t *scratch)
{
    size_t above = 0, rank = (count + 1) / 2; /* of the smallest that half do not exceed */
    for (size_t i = 0; i < count; i++)
        if (counts[i])
            scratch[above++] = counts[i];
    if (rank <= count - above)
        return 0;
    qsort(scratch, above, sizeof(*scratch), by_value);
    uint64_t value = scratch[rank - (count - above) - 1];
    return value < (uint64_t)ERROR_FURTHEST ? (int64_t)value : ERROR_FURTHEST;
}

static void at_least(struct maybe *expected, int64_t usual)
{
    if (!expected->known || expected->value < usual)
        *expected = (struct maybe){true, usual};
}

void error_usual_account(struct error_accounts *accounts, struct maybe *faults,
                         struct maybe *switches)
{
    if (!accounts->count)
        return;
    at_least(faults, median(accounts->faults, accounts->count, accounts->scratch));
    at_least(switches, median(accounts->switches, accounts->count, accounts->scratch));
}

static bool beyond(uint64_t seen, struct maybe expected)
{
    return expected.known && (expected.value < 0 || seen > (uint64_t)expected.value);
}

size_t error_count_disturbed(const struct error_accounts *accounts, struct maybe faults,
                             struct maybe switches)
{
    size_t disturbed = 0;
    for (size_t i = 0; i < accounts->count; i++)
        disturbed += beyond(accounts->faults[i], faults) || beyond(accounts->switches[i], switches);
    return disturbed;
}

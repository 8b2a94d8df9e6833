/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of measurement error: first all cells with their factors, then all runs,
 * then what disturbed them. The null cells tell what the operating system's account shows of each
 * way of measuring by itself. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/loading.h"
#include "study/error-loading.h"

/* An event as the store lists it. */
struct listed {
    char *name, *kind, *class;
};

/* A null cell that was read, for the cells that are measured the same way. */
struct null_way {
    const struct error_cell *cell;
    const struct error_origin *origin;
};

struct load {
    struct store *store;
    struct error_case *file;
    struct failure *failure;
    struct known known;
    void *events; /* tree of struct listed */
    void *nulls;  /* tree of struct null_way */
    uint32_t machine;
    size_t first_cell; /* of this store in the case */
    struct error_origin *origins;
    size_t origin_count;
};

/* --- the machine --- */

static struct error_machine *find_machine(struct load *load, const char *fingerprint)
{
    for (size_t i = 0; i < load->file->machine_count; i++)
        if (strcmp(load->file->machines[i].fingerprint, fingerprint) == 0)
            return &load->file->machines[i];
    return NULL;
}

static int add_machine(struct load *load, const struct facts *facts, const char *fingerprint)
{
    struct error_machine *machine = error_case_add_machine(load->file);
    char *words = loading_machine_name(facts);
    if (!machine || !words || !copy_if_any(&machine->fingerprint, fingerprint)) {
        free(words);
        if (machine) /* the last one, without a name nobody may look at it */
            load->file->machine_count--;
        return loading_no_memory(load->failure);
    }
    machine->name = words;
    machine->emulated = facts_get(facts, "emulated") != NULL;
    return 0;
}

static const char other_windows[] =
    "their windows are different code, and what one adds does not hold for the other";

static int take_machine(struct load *load)
{
    AUTO_FACTS struct facts facts = {0};
    struct store_info info = {0};
    int error = store_facts(load->store, &facts, load->failure);
    if (!error)
        error = store_info(load->store, &info, load->failure);
    if (!error && !find_machine(load, info.fingerprint))
        error = add_machine(load, &facts, info.fingerprint);
    if (!error)
        error = loading_same_kit(load->store, info.kit, &find_machine(load, info.fingerprint)->kit,
                                 other_windows, load->failure);
    if (!error)
        load->machine = (uint32_t)(find_machine(load, info.fingerprint) - load->file->machines);
    store_info_release(&info);
    return error;
}

/* --- events --- */

static int compare_listed(const void *left, const void *right)
{
    return strcmp(((const struct listed *)left)->name, ((const struct listed *)right)->name);
}

static void free_listed(void *entry)
{
    struct listed *listed = entry;
    free(listed->name);
    free(listed->kind);
    free(listed->class);
    free(listed);
}

static bool is_told(const struct error_case *file, const struct stored_event *event)
{
    for (size_t i = 0; i < file->absence_count; i++)
        if (strcmp(file->absences[i].what, event->name) == 0 &&
            file->absences[i].error == event->error)
            return true;
    return false;
}

static int add_absence(struct load *load, const struct stored_event *event)
{
    if (!event->error || is_told(load->file, event))
        return 0;
    struct error_absence *absence = error_case_add_absence(load->file);
    if (!absence || !copy_if_any(&absence->what, event->name) ||
        !copy_if_any(&absence->reason, event->reason ? event->reason : strerror(event->error)))
        return loading_no_memory(load->failure);
    absence->error = event->error;
    return 0;
}

static int take_event(void *context, const struct stored_event *event)
{
    struct load *load = context;
    struct listed *listed = calloc(1, sizeof(*listed));
    if (!listed || !copy_if_any(&listed->name, event->name) ||
        !copy_if_any(&listed->kind, event->kind) || !copy_if_any(&listed->class, event->class) ||
        !tsearch(listed, &load->events, compare_listed)) {
        if (listed)
            free_listed(listed);
        return loading_no_memory(load->failure);
    }
    return add_absence(load, event);
}

/* What the store lists of the event under test; it need not know it. */
static struct stored_event event_of(const struct load *load, const struct cell *cell)
{
    struct listed wanted = {.name = cell->events[0]};
    struct listed *const *found = tfind(&wanted, &load->events, compare_listed);
    struct stored_event event = {.name = cell->events[0], .kind = ""};
    if (found) {
        event.kind = (*found)->kind;
        event.class = (*found)->class;
    }
    return event;
}

/* --- cells --- */

/* Class and truth may stand in the lists of the store alone. */
static void complete_counter(const struct load *load, const struct stored_event *event,
                             struct stored_cell *told)
{
    struct stored_counter *counter = &told->counters[0];
    if (!counter->class)
        counter->class = (char *)(uintptr_t)event->class;
    if (!counter->class || counter->has_truth)
        return;
    struct truth truth =
        known_truth(&load->known, told->cell.specimen, counter->class, told->cell.n);
    counter->has_truth = truth.grade != TRUTH_NONE; /* its value follows from factors */
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct load *load = context;
    struct stored_event event = event_of(load, &stored->cell);
    struct stored_cell told = *stored;
    enum error_part part;
    complete_counter(load, &event, &told);
    if (!error_part_of(&told, event.kind, &part))
        return 0;
    struct error_cell *cell = error_case_add_cell(load->file);
    struct error_origin *origin =
        list_add(&load->origins, &load->origin_count, sizeof(*load->origins));
    if (!cell || !origin)
        return loading_no_memory(load->failure);
    cell->part = part;
    cell->machine = load->machine;
    if (error_fill_factors(&told, &event, &load->known, cell, origin) < 0)
        return loading_no_memory(load->failure);
    return 0;
}

/* --- runs --- */

static int compare_ways(const void *left, const void *right)
{
    const struct null_way *one = left, *other = right;
    const struct error_cell *a = one->cell, *b = other->cell;
    int order = strcmp(a->event, b->event);
    if (!order)
        order = strcmp(a->path, b->path);
    if (!order)
        order = strcmp(a->opt, b->opt);
    if (!order)
        order = strcmp(a->link, b->link);
    if (!order)
        order = strcmp(a->others, b->others);
    if (!order)
        order = (a->pattern > b->pattern) - (a->pattern < b->pattern);
    if (!order)
        order = (a->counters > b->counters) - (a->counters < b->counters);
    if (!order)
        order = (int)a->separate - (int)b->separate;
    return order
               ? order
               : (one->origin->cpu > other->origin->cpu) - (one->origin->cpu < other->origin->cpu);
}

static int remember_null(struct load *load, const struct error_cell *cell,
                         const struct error_origin *origin)
{
    struct null_way *way = malloc(sizeof(*way));
    if (!way)
        return loading_no_memory(load->failure);
    *way = (struct null_way){cell, origin};
    struct null_way *const *found = tsearch(way, &load->nulls, compare_ways);
    if (!found || *found != way) /* another null cell of this way is there already */
        free(way);
    return found ? 0 : loading_no_memory(load->failure);
}

static void add_own(struct maybe *predicted, struct maybe own)
{
    if (own.known && __builtin_add_overflow(predicted->value, own.value, &predicted->value))
        *predicted = (struct maybe){0};
}

/* What the account of a run of this cell may show: what its specimen does and what its way does.
 * Where either is not known, what most of its runs show. */
static int expect_account(struct load *load, const struct error_cell *cell,
                          struct error_origin *origin)
{
    struct null_way wanted = {cell, origin};
    struct null_way *const *null = NULL;
    if (!origin->is_null && origin->faults.known && origin->switches.known)
        null = tfind(&wanted, &load->nulls, compare_ways);
    if (!null)
        return error_accounts_usual(&origin->accounts, &origin->faults, &origin->switches);
    add_own(&origin->faults, (*null)->origin->faults);
    add_own(&origin->switches, (*null)->origin->switches);
    return 0;
}

static int judge_account(struct load *load, size_t index)
{
    struct error_cell *cell = &load->file->cells[load->first_cell + index];
    struct error_origin *origin = &load->origins[index];
    if (!origin->accounts.runs)
        return 0;
    if (expect_account(load, cell, origin) < 0)
        return loading_no_memory(load->failure);
    cell->disturbed = error_accounts_beyond(&origin->accounts, origin->faults, origin->switches);
    return origin->is_null ? remember_null(load, cell, origin) : 0;
}

static int take_runs(struct load *load)
{
    int error = 0;
    if (load->origin_count)
        error = error_take_runs(load->store, &load->file->cells[load->first_cell], load->origins,
                                load->origin_count, load->failure);
    for (int nulls = 1; nulls >= 0; nulls--)
        for (size_t i = 0; !error && i < load->origin_count; i++)
            if (load->origins[i].is_null == nulls)
                error = judge_account(load, i);
    return error;
}

/* --- the whole --- */

static void free_origins(struct load *load)
{
    for (size_t i = 0; i < load->origin_count; i++) {
        free(load->origins[i].processes);
        error_accounts_free(&load->origins[i].accounts);
    }
    free(load->origins);
}

int error_load(struct store *store, struct error_case *file, struct failure *failure)
{
    struct load load = {
        .store = store, .file = file, .failure = failure, .first_cell = file->cell_count};
    int error = take_machine(&load);
    if (!error)
        error = known_load(store, &load.known, failure);
    if (!error)
        error = store_each_event(store, take_event, &load, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &load, failure);
    if (!error)
        error = take_runs(&load);
    if (!error && error_merge_cells(file, load.first_cell) < 0)
        error = loading_no_memory(failure);
    tdestroy(load.events, free_listed);
    tdestroy(load.nulls, free);
    known_release(&load.known);
    free_origins(&load);
    return error;
}

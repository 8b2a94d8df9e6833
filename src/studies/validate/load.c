/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case that the judge gets: every cell becomes a point of the event that its
 * first counter counts, with the truth and the traits of its code and all runs. A second counter
 * that counts interrupts becomes part of the runs; others only keep the first company. Stores of
 * commands that plan no validation have no tables of events and truths: then what the cells say
 * themselves is taken. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "study/core-type.h"
#include "engine/loading.h"
#include "study/mode.h"
#include "study/plan.h"
#include "study/validate-known.h"
#include "study/validate.h"

/* Where the event of that name is in the case file, whose list moves while it grows. */
struct place {
    const char *name; /* the evidence's own */
    size_t index;
};

struct load {
    struct store *store;
    struct case_file *file;
    struct failure *failure;
    struct known known;
    struct facts facts;
    void *places; /* tree of struct place */
};

/* --- events --- */

static int compare_places(const void *left, const void *right)
{
    return strcmp(((const struct place *)left)->name, ((const struct place *)right)->name);
}

static struct evidence *find_event(struct load *load, const char *name)
{
    struct place wanted = {.name = name};
    struct place *const *found = tfind(&wanted, &load->places, compare_places);
    return found ? &load->file->events[(*found)->index] : NULL;
}

/* NULL: out of memory. */
static struct evidence *add_event(struct load *load, const struct stored_event *event)
{
    struct place *place = calloc(1, sizeof(*place));
    struct evidence *evidence = case_add_event(load->file);
    if (!place || !evidence || !copy_if_any(&evidence->event, event->name) ||
        !copy_if_any(&evidence->kind, event->kind) ||
        !copy_if_any(&evidence->class, event->class) ||
        !copy_if_any(&evidence->reason, event->reason)) {
        free(place);
        return NULL;
    }
    evidence->error = event->error;
    *place = (struct place){evidence->event, load->file->event_count - 1};
    if (!tsearch(place, &load->places, compare_places)) {
        free(place);
        return NULL;
    }
    return evidence;
}

static int take_event(void *context, const struct stored_event *event)
{
    struct load *load = context;
    return add_event(load, event) ? 0 : loading_no_memory(load->failure);
}

/* The event of a cell, which the table of events need not know. */
static struct evidence *event_of(struct load *load, const struct stored_cell *stored)
{
    struct evidence *evidence = find_event(load, stored->cell.events[0]);
    struct stored_event event = {
        .name = stored->cell.events[0], .kind = "", .class = stored->counters[0].class};
    return evidence ? evidence : add_event(load, &event);
}

/* --- points --- */

/* Of one counter, where the store has no table of truths; limits are not kept there. */
static struct truth counter_truth(const struct stored_counter *counter)
{
    enum truth_grade grade = grade_from_name(counter->grade);
    if (!counter->has_truth || grade == TRUTH_NONE || grade == TRUTH_BOUNDED)
        return (struct truth){0};
    return (struct truth){grade, counter->truth, counter->truth};
}

static struct truth point_truth(const struct load *load, const struct evidence *evidence,
                                const struct stored_cell *stored)
{
    const struct cell *cell = &stored->cell;
    struct truth truth = {0};
    /* What the operating system executes on behalf of a specimen nobody predicts. */
    if (event_counts_beyond_specimen(evidence->kind, evidence->event))
        return truth;
    if (evidence->class)
        truth = known_truth(&load->known, cell->specimen, evidence->class, cell->n);
    return truth.grade == TRUTH_NONE ? counter_truth(&stored->counters[0]) : truth;
}

static int fill_point(const struct load *load, const struct evidence *evidence,
                      const struct stored_cell *stored, struct point *point)
{
    const struct cell *cell = &stored->cell;
    const char *reason =
        stored->failed && !stored->reason ? strerror(stored->error) : stored->reason;
    char core[64];
    core_type(&load->facts, cell->cpu, core, sizeof(core));
    if (!copy_if_any(&point->specimen, cell->specimen) || !copy_if_any(&point->path, cell->path) ||
        !copy_if_any(&point->opt, cell->opt) || !copy_if_any(&point->link, cell->link) ||
        !copy_if_any(&point->core, core) || !copy_if_any(&point->failure_reason, reason))
        return -ENOMEM;
    point->n = cell->n;
    point->pattern = cell->pattern;
    point->counters = cell->counters;
    point->cpu = cell->cpu;
    point->is_null = plan_is_overhead_cell(cell);
    point->truth = point_truth(load, evidence, stored);
    point->faults = stored->has_faults ? stored->faults : -1;
    point->switches = stored->has_switches ? stored->switches : -1;
    point->has_interrupts = cell->counters > 1 && event_counts_interrupts(cell->events[1]);
    point->failed = stored->failed;
    return known_traits(&load->known, point);
}

/* --- runs --- */

struct taking {
    struct load *load;
    struct point *point;
    size_t room; /* runs that are allocated */
    uint32_t counters;
};

/* The run that the last sample of counter 0 began: samples come in order of counters. */
static int take_companion(struct taking *taking, const struct sample *sample)
{
    struct point *point = taking->point;
    if (sample->counter >= taking->counters || !point->run_count)
        return fail_with(taking->load->failure, -EBADMSG,
                         "the store %.300s is damaged: cell %u has no counter %u, or a run "
                         "without its first one. Take a copy you trust.",
                         store_path(taking->load->store), sample->cell, sample->counter);
    if (sample->counter == 1 && point->has_interrupts)
        point->runs[point->run_count - 1].interrupts =
            sample->value < UINT32_MAX ? (uint32_t)sample->value : UINT32_MAX;
    return 0;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct taking *taking = context;
    struct point *point = taking->point;
    if (sample->counter != 0)
        return take_companion(taking, sample);
    if (point->run_count == taking->room) {
        size_t more = taking->room ? taking->room : 64;
        if (!point_add_runs(point, more))
            return loading_no_memory(taking->load->failure);
        taking->room += more;
    }
    point->runs[point->run_count++] = (struct evidence_run){.value = sample->value,
                                                            .enabled = sample->enabled,
                                                            .running = sample->running,
                                                            .account = sample->account,
                                                            .process = sample->process};
    return 0;
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct load *load = context;
    struct evidence *evidence = event_of(load, stored);
    struct point *point = evidence ? evidence_add_point(evidence) : NULL;
    if (!point || fill_point(load, evidence, stored, point) < 0)
        return loading_no_memory(load->failure);
    struct taking taking = {.load = load, .point = point, .counters = stored->cell.counters};
    return store_each_sample(load->store, stored->cell.id, take_sample, &taking, load->failure);
}

/* --- the whole --- */

static void take_machine(struct load *load)
{
    const char *hypervisor = facts_get(&load->facts, "hypervisor");
    load->file->emulated = facts_get(&load->facts, "emulated") != NULL;
    load->file->virtualized = hypervisor && strcmp(hypervisor, "none") != 0;
}

int validate_load(struct store *store, struct case_file *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    *file = (struct case_file){0};
    int error = store_facts(store, &load.facts, failure);
    if (!error)
        take_machine(&load);
    if (!error)
        error = known_load(store, &load.known, failure);
    if (!error)
        error = store_each_event(store, take_event, &load, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &load, failure);
    tdestroy(load.places, free);
    known_release(&load.known);
    facts_free(&load.facts);
    return error;
}

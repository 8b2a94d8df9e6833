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

#include "engine/loading.h"
#include "engine/wishes.h"
#include "studies/validate/plan.h"

/* ----------------------------------------------------------------------------------------------
 * Truths and opcodes out of a store, sorted by specimen so that a large plan finds its own fast. */

/* More of one specimen than any catalogue has: such a store would only fill the memory. */
#define LINES_MOST 4096

enum truth_grade grade_from_name(const char *name)
{
    static const struct {
        const char *name;
        enum truth_grade grade;
    } grades[] = {{"proven", TRUTH_PROVEN}, {"bounded", TRUTH_BOUNDED}, {"model", TRUTH_MODEL}};
    for (size_t i = 0; name && i < sizeof(grades) / sizeof(grades[0]); i++)
        if (strcmp(name, grades[i].name) == 0)
            return grades[i].grade;
    return TRUTH_NONE;
}

/* --- loading --- */

struct loading {
    struct store *store;
    struct known_lines *lines;
    struct failure *failure;
};

static int add_line(struct loading *loading, const struct known_line *line)
{
    struct known_lines *lines = loading->lines;
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity ? lines->capacity * 2 : 256;
        struct known_line *grown = reallocarray(lines->list, capacity, sizeof(*grown));
        if (!grown)
            return fail_with(loading->failure, -ENOMEM, "out of memory");
        lines->list = grown;
        lines->capacity = capacity;
    }
    struct known_line *added = &lines->list[lines->count];
    *added = *line;
    added->specimen = strdup(line->specimen);
    added->name = strdup(line->name);
    added->place = lines->count++;
    return added->specimen && added->name ? 0
                                          : fail_with(loading->failure, -ENOMEM, "out of memory");
}

static int add_truth(void *context, const struct stored_truth *truth)
{
    struct loading *loading = context;
    struct known_line line = {.specimen = (char *)(uintptr_t)truth->specimen,
                              .name = (char *)(uintptr_t)truth->class,
                              .grade = grade_from_name(truth->grade),
                              .base = truth->base,
                              .each = truth->each,
                              .high_base = truth->high_base,
                              .high_each = truth->high_each};
    if (line.grade == TRUTH_NONE)
        return fail_with(loading->failure, -EBADMSG,
                         "the store %.300s is damaged, or was changed by another program: "
                         "specimen %.60s has a truth of grade '%.60s'; there are proven, bounded "
                         "and model. Take a copy you trust.",
                         store_path(loading->store), truth->specimen, truth->grade);
    return add_line(loading, &line);
}

static int add_opcode(void *context, const struct stored_opcode *opcode)
{
    if (!*opcode->opcode) /* says only that the code was not decoded */
        return 0;
    struct known_line line = {.specimen = (char *)(uintptr_t)opcode->specimen,
                              .name = (char *)(uintptr_t)opcode->opcode,
                              .grade = TRUTH_PROVEN,
                              .base = opcode->base,
                              .each = opcode->each,
                              .high_base = opcode->base,
                              .high_each = opcode->each};
    return add_line(context, &line);
}

static int compare_lines(const void *left, const void *right)
{
    const struct known_line *one = left, *other = right;
    int order = strcmp(one->specimen, other->specimen);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

static int sort_lines(struct loading *loading)
{
    struct known_lines *lines = loading->lines;
    if (lines->count)
        qsort(lines->list, lines->count, sizeof(*lines->list), compare_lines);
    for (size_t i = LINES_MOST; i < lines->count; i++)
        if (strcmp(lines->list[i].specimen, lines->list[i - LINES_MOST].specimen) == 0)
            return fail_with(loading->failure, -EBADMSG,
                             "the store %.300s is damaged, or was not written by assay: it knows "
                             "more than %d counts of specimen %.60s. Take a copy you trust.",
                             store_path(loading->store), LINES_MOST, lines->list[i].specimen);
    return 0;
}

int known_load(struct store *store, struct known *known, struct failure *failure)
{
    struct loading truths = {store, &known->truths, failure};
    struct loading opcodes = {store, &known->opcodes, failure};
    int error = store_each_specimen_truth(store, add_truth, &truths, failure);
    if (!error)
        error = store_each_opcode(store, add_opcode, &opcodes, failure);
    if (!error)
        error = sort_lines(&truths);
    return error ? error : sort_lines(&opcodes);
}

static void release_lines(struct known_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->list[i].specimen);
        free(lines->list[i].name);
    }
    free(lines->list);
    *lines = (struct known_lines){0};
}

void known_release(struct known *known)
{
    release_lines(&known->truths);
    release_lines(&known->opcodes);
}

/* --- asking --- */

/* How the name without parameters compares with a line's specimen. */
static int compare_specimen(const char *name, size_t length, const char *specimen)
{
    int order = strncmp(name, specimen, length);
    return order ? order : -(specimen[length] != '\0');
}

/* The first line of that specimen; the end of the list where there is none. */
static size_t first_of(const struct known_lines *lines, const char *name, size_t length)
{
    size_t low = 0, high = lines->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_specimen(name, length, lines->list[middle].specimen) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of(const struct known_lines *lines, size_t i, const char *name, size_t length)
{
    return i < lines->count && compare_specimen(name, length, lines->list[i].specimen) == 0;
}

/* False where it leaves 64 bits. */
static bool evaluate(int64_t base, int64_t each, uint64_t n, int64_t *count)
{
    int64_t product;
    return !__builtin_mul_overflow(each, n, &product) &&
           !__builtin_add_overflow(base, product, count);
}

static struct truth truth_at(const struct known_line *line, uint64_t n)
{
    struct truth truth = {.grade = line->grade};
    if (!evaluate(line->base, line->each, n, &truth.low))
        return (struct truth){0};
    truth.high = truth.low;
    if (line->grade == TRUTH_BOUNDED &&
        (!evaluate(line->high_base, line->high_each, n, &truth.high) || truth.high < truth.low))
        return (struct truth){0};
    return truth;
}

struct truth known_truth(const struct known *known, const char *specimen, const char *class,
                         uint64_t n)
{
    const struct known_lines *lines = &known->truths;
    size_t length = strcspn(specimen, "/");
    for (size_t i = first_of(lines, specimen, length); is_of(lines, i, specimen, length); i++)
        if (strcmp(lines->list[i].name, class) == 0)
            return truth_at(&lines->list[i], n);
    return (struct truth){0};
}

static int add_traits(const struct known_lines *lines, enum trait_kind kind, struct point *point)
{
    size_t length = strcspn(point->specimen, "/");
    for (size_t i = first_of(lines, point->specimen, length);
         is_of(lines, i, point->specimen, length); i++) {
        struct truth truth = truth_at(&lines->list[i], point->n);
        if (truth.grade == TRUTH_NONE || truth.low != truth.high) /* limits are no number */
            continue;
        struct trait *trait = point_add_trait(point);
        if (!trait)
            return -ENOMEM;
        *trait = (struct trait){kind, strdup(lines->list[i].name), truth.low,
                                truth.grade == TRUTH_PROVEN};
        if (!trait->name)
            return -ENOMEM;
    }
    return 0;
}

/* Everything that is a number becomes a trait of the point. -ENOMEM. */
static int known_traits(const struct known *known, struct point *point)
{
    int error = add_traits(&known->truths, TRAIT_CLASS, point);
    return error ? error : add_traits(&known->opcodes, TRAIT_OPCODE, point);
}

/* ----------------------------------------------------------------------------------------------
 * From a store to the case that the judge gets: every cell becomes a point of the event that its
 * first counter counts, with the truth and the traits of its code and all runs. A second counter
 * that counts interrupts becomes part of the runs; others only keep the first company. Stores of
 * commands that plan no validation have no tables of events and truths: then what the cells say
 * themselves is taken. */

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

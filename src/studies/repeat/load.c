/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays stored executions of commands before the judge of repetition: the machine, what could not be
 * had, the programs with what is known of subjects, their cells, then all executions and what was
 * told of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/words.h"
#include "engine/loading.h"
#include "study/repeat-loading.h"

/* A subject, or the class of an event, as this store tells it. */
struct known_subject {
    char *name, *shows;
    struct stored_subject facts; /* its texts are not used */
};
struct known_event {
    char *name, *class;
};

struct load {
    struct store *store;
    struct repeat_case *file;
    struct failure *failure;
    size_t machine;
    struct known_subject *subjects;
    size_t subject_count;
    struct known_event *events;
    size_t event_count;
    struct repeat_origins origins;
};

/* --- the machine --- */

static int find_machine(struct load *load, const char *fingerprint)
{
    for (load->machine = 0; load->machine < load->file->machine_count; load->machine++)
        if (strcmp(load->file->machines[load->machine].fingerprint, fingerprint) == 0)
            return 1;
    return 0;
}

static int add_machine(struct load *load, const char *fingerprint, const struct facts *facts)
{
    if (find_machine(load, fingerprint))
        return 0;
    struct repeat_machine *machine = repeat_case_add_machine(load->file);
    if (!machine)
        return loading_no_memory(load->failure);
    machine->emulated = facts_get(facts, "emulated") != NULL;
    machine->pmu = facts_get(facts, "pmu.core") != NULL;
    machine->name = loading_machine_name(facts);
    return machine->name && copy_or_empty(&machine->fingerprint, fingerprint)
               ? 0
               : loading_no_memory(load->failure);
}

static int take_machine(struct load *load)
{
    AUTO_FACTS struct facts facts = {0};
    struct store_info info = {0};
    int error = store_info(load->store, &info, load->failure);
    if (!error)
        error = store_facts(load->store, &facts, load->failure);
    if (!error)
        error = add_machine(load, info.fingerprint, &facts);
    store_info_release(&info);
    return error;
}

/* --- what is known besides --- */

static int take_subject(void *context, const struct stored_subject *stored)
{
    struct load *load = context;
    struct known_subject *subject =
        list_add(&load->subjects, &load->subject_count, sizeof(*subject));
    if (!subject)
        return loading_no_memory(load->failure);
    subject->facts = *stored;
    return copy_or_empty(&subject->name, stored->name) &&
                   copy_or_empty(&subject->shows, stored->shows)
               ? 0
               : loading_no_memory(load->failure);
}

static int add_absence(struct load *load, const struct stored_event *event)
{
    struct repeat_absence *absence = repeat_case_add_absence(load->file);
    if (!absence)
        return loading_no_memory(load->failure);
    absence->error = event->error;
    return copy_or_empty(&absence->what, event->name) &&
                   copy_or_empty(&absence->reason,
                                 event->reason ? event->reason : strerror(event->error))
               ? 0
               : loading_no_memory(load->failure);
}

static int take_event(void *context, const struct stored_event *stored)
{
    struct load *load = context;
    if (stored->error)
        return add_absence(load, stored);
    struct known_event *event = list_add(&load->events, &load->event_count, sizeof(*event));
    if (!event)
        return loading_no_memory(load->failure);
    return copy_or_empty(&event->name, stored->name) && copy_or_empty(&event->class, stored->class)
               ? 0
               : loading_no_memory(load->failure);
}

/* --- programs --- */

/* base + each * n, where that is a count. */
static bool predict(const struct stored_subject *subject, uint64_t n, int64_t *truth)
{
    int64_t product;
    return subject->has_truth && n <= INT64_MAX &&
           !__builtin_mul_overflow(subject->each, (int64_t)n, &product) &&
           !__builtin_add_overflow(subject->base, product, truth) && *truth >= 0;
}

/* The N of "subject:NAME N"; false: there is none that is a number. */
static bool read_n(const char *word, uint64_t *n)
{
    char *end;
    errno = 0;
    *n = word ? strtoull(word, &end, 10) : 0;
    return word && *word >= '0' && *word <= '9' && !*end && !errno;
}

static int tell_subject(struct load *load, struct repeat_program *program)
{
    AUTO_WORDS char **words = NULL;
    const size_t prefix = strlen(SUBJECT_WORD);
    uint64_t n;
    int count = words_split(program->words, &words, load->failure);
    if (count < 0)
        return count;
    if (count < 1 || strncmp(words[0], SUBJECT_WORD, prefix) != 0)
        return copy_or_empty(&program->subject_name, NULL) && copy_or_empty(&program->shows, NULL)
                   ? 0
                   : loading_no_memory(load->failure);
    const struct known_subject *known = NULL;
    for (size_t i = 0; i < load->subject_count && !known; i++)
        if (strcmp(load->subjects[i].name, words[0] + prefix) == 0)
            known = &load->subjects[i];
    program->subject = true;
    if (known) {
        program->bits = known->facts.bits;
        program->libc = known->facts.libc;
        program->has_truth =
            count == 2 && read_n(words[1], &n) && predict(&known->facts, n, &program->truth);
    }
    return copy_or_empty(&program->subject_name, words[0] + prefix) &&
                   copy_or_empty(&program->shows, known ? known->shows : "")
               ? 0
               : loading_no_memory(load->failure);
}

/* The same name and words are one program, on whichever machine; *index. */
static int find_program(struct load *load, const struct cell_command *command, size_t *index)
{
    struct repeat_case *file = load->file;
    for (*index = 0; *index < file->program_count; ++*index)
        if (strcmp(file->programs[*index].name, command->name) == 0 &&
            strcmp(file->programs[*index].words, command->words) == 0)
            return 0;
    struct repeat_program *program = repeat_case_add_program(file);
    if (!program || !copy_or_empty(&program->name, command->name) ||
        !copy_or_empty(&program->words, command->words))
        return loading_no_memory(load->failure);
    return tell_subject(load, program);
}

/* --- cells --- */

/* What an event claims to count: as its counter says, as the table of events says, or what stands
 * between the slashes of a source's event. */
static char *class_of(const struct load *load, const char *event, const char *stored)
{
    if (stored)
        return strdup(stored);
    for (size_t i = 0; i < load->event_count; i++)
        if (strcmp(load->events[i].name, event) == 0)
            return strdup(load->events[i].class);
    const char *slash = strchr(event, '/');
    if (strcmp(command_source(event), "perf_event") == 0 || !slash)
        return strdup("");
    return strndup(slash + 1, strcspn(slash + 1, "/"));
}

static int take_columns(struct load *load, const struct stored_cell *stored,
                        struct repeat_cell *cell, struct repeat_origin *origin)
{
    cell->event = calloc(stored->cell.counters, sizeof(*cell->event));
    cell->class = calloc(stored->cell.counters, sizeof(*cell->class));
    if (!cell->event || !cell->class)
        return loading_no_memory(load->failure);
    const char *source = "perf_event";
    for (uint32_t column = 0; column < stored->cell.counters; column++) {
        const char *name = stored->cell.events[column];
        origin->columns[column].event = -1;
        origin->columns[column].says = repeat_says(name);
        if (origin->columns[column].says >= 0)
            continue;
        const uint32_t event = cell->events++;
        source = command_source(name);
        origin->columns[column].event = (int)event;
        cell->event[event] = strdup(name);
        cell->class[event] = class_of(load, name, stored->counters[column].class);
        if (!cell->event[event] || !cell->class[event])
            return loading_no_memory(load->failure);
    }
    return copy_or_empty(&cell->source, source) ? 0 : loading_no_memory(load->failure);
}

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct load *load = context;
    const struct cell_command *command = &stored->cell.command;
    size_t program;
    if (!command->words || (!stored->done && !stored->failed))
        return 0;
    int error = find_program(load, command, &program);
    if (error)
        return error;
    struct repeat_cell *cell = repeat_case_add_cell(load->file);
    struct repeat_origin *origin =
        cell ? list_add(&load->origins.list, &load->origins.count, sizeof(*origin)) : NULL;
    if (!origin)
        return loading_no_memory(load->failure);
    origin->cell = stored->cell.id;
    origin->index = load->file->cell_count - 1;
    origin->counters = stored->cell.counters;
    cell->machine = load->machine;
    cell->program = program;
    cell->controls = command->controls;
    cell->sweep = command->sweep;
    cell->swept = command->swept;
    cell->detail = command->detail;
    cell->failed = stored->failed;
    cell->error = stored->error;
    if (stored->failed &&
        !copy_or_empty(&cell->reason, stored->reason ? stored->reason : strerror(stored->error)))
        return loading_no_memory(load->failure);
    return take_columns(load, stored, cell, origin);
}

struct repeat_origin *repeat_origin_of(const struct repeat_origins *origins, uint32_t cell)
{
    size_t low = 0, high = origins->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (origins->list[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < origins->count && origins->list[low].cell == cell ? &origins->list[low] : NULL;
}

static void release(struct load *load)
{
    for (size_t i = 0; i < load->subject_count; i++) {
        free(load->subjects[i].name);
        free(load->subjects[i].shows);
    }
    for (size_t i = 0; i < load->event_count; i++) {
        free(load->events[i].name);
        free(load->events[i].class);
    }
    free(load->subjects);
    free(load->events);
    free(load->origins.list);
}

int repeat_load(struct store *store, struct repeat_case *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    int error = take_machine(&load);
    if (!error)
        error = store_each_subject(store, take_subject, &load, failure);
    if (!error)
        error = store_each_event(store, take_event, &load, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &load, failure);
    if (!error)
        error = repeat_take_runs(store, file, &load.origins, failure);
    if (!error)
        error = repeat_take_functions(store, file, &load.origins, failure);
    if (!error)
        error = repeat_take_calls(store, file, &load.origins, failure);
    release(&load);
    return error;
}

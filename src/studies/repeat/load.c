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
#include "studies/repeat/plan.h"

/* ----------------------------------------------------------------------------------------------
 * Which cell of the case a cell of the store became. */

/* Where a cell of the case comes from. */
struct repeat_origin {
    uint32_t cell;     /* its id in the store */
    size_t index;      /* in the case */
    uint32_t counters; /* in the store, columns run/…/ included */
    /* of each column: the event in the case, or what it says of the run */
    struct {
        int event; /* -1: none */
        int says;  /* index of a column run/…/; -1: none */
    } columns[CELL_MAX_COUNTERS];
    size_t room; /* for so many runs */
};

struct repeat_origins {
    struct repeat_origin *list; /* in rising order of their ids */
    size_t count;
};

/* NULL: no command of the case. */
static struct repeat_origin *repeat_origin_of(const struct repeat_origins *origins, uint32_t cell)
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

/* ----------------------------------------------------------------------------------------------
 * Executions from the samples of a store, in the order in which they were made. Each is one run
 * with a sample for every column; one that is not whole is damage. */

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

/* Which column of wire/command.h an event is; -1: none. */
static int repeat_says(const char *event)
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

/* Reads the samples of the store once into the runs of the case; executions that did not end well
 * are left out. */
static int repeat_take_runs(struct store *store, struct repeat_case *file,
                            struct repeat_origins *origins, struct failure *failure)
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

/* ----------------------------------------------------------------------------------------------
 * What executions told beside counts: functions of the first one of a cell, and the system calls
 * of all. The store has them by process, the case by the order in which the runs were made. */

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

/* What the first run of a cell executed. */
static int repeat_take_functions(struct store *store, struct repeat_case *file,
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

/* The system calls of each run. */
static int repeat_take_calls(struct store *store, struct repeat_case *file,
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

/* ----------------------------------------------------------------------------------------------
 * Lays stored executions of commands before the judge of repetition: the machine, what could not
 * be had, the programs with what is known of subjects, their cells, then all executions and what
 * was told of them. */

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

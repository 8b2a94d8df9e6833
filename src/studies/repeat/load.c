/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays stored executions of commands before the judge of repetition: the machine, what could not be
 * had, the programs with what is known of subjects, their cells, then all executions and what was
 * told of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/words.h"
#include "engine/loading.h"
#include "studies/repeat/plan.h"

/* "" of nothing */
static char *copy(const char *text)
{
    return memory_copy(text ? text : "");
}

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
    if (visit->state == VISIT_DONE && repeat_origin_of(taking->origins, visit->visit.cell))
        *memory_add(taking->done, taking->done_count) =
            (struct done){visit->visit.cell, visit->visit.process};
    return 0;
}

static int damaged(const struct taking *taking, uint32_t cell, uint32_t process)
{
    return fail_with(taking->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u is an execution, but has "
                     "not one sample for each of its columns. Take a copy you trust.",
                     store_path(taking->store), process, cell);
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
        /* The share of the time in which the counter counted; what executes has no other. */
        cell->scheduled[at] = !sample->enabled ? strcmp(cell->source, "perf_event") != 0
                              : sample->running >= sample->enabled
                                  ? 1
                                  : (double)sample->running / (double)sample->enabled;
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
    struct repeat_cell *cell = &taking->file->cells[taking->origin->index];
    if ((cell->runs & (cell->runs - 1)) == 0) { /* full at powers of two, as lists are */
        const size_t room = (cell->runs ? 2 * cell->runs : 1) * (cell->events + 1);
        cell->counts = memory_resize(cell->counts, room, sizeof(*cell->counts));
        cell->scheduled = memory_resize(cell->scheduled, room, sizeof(*cell->scheduled));
    }
    struct repeat_run *run = memory_add(cell->list, cell->runs);
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
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * What executions told beside counts: functions of the first one of a cell, and the system calls
 * of all. The store has them by process, the case by the order in which the runs were made. */

struct telling {
    struct repeat_case *file;
    const struct repeat_origins *origins;
};

static int take_function(void *context, const struct stored_executed *executed)
{
    const struct telling *telling = context;
    const struct repeat_origin *origin = repeat_origin_of(telling->origins, executed->cell);
    struct repeat_cell *cell = origin ? &telling->file->cells[origin->index] : NULL;
    if (!cell || !cell->runs || cell->detail != DETAIL_CODE ||
        cell->list[0].process != executed->process || strcmp(executed->kind, "function") != 0)
        return 0;
    *memory_add(cell->functions, cell->function_count) = (struct repeat_executed){
        copy(executed->object), copy(executed->name), executed->count, executed->repetitions};
    return 0;
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
    counting->run = 0;
    counting->found = NULL;
    if (!cell || !cell->call_begins)
        return;
    while (counting->run < cell->runs && cell->list[counting->run].process != call->process)
        counting->run++;
    counting->found = counting->run < cell->runs ? cell : NULL;
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
    counting->filled++;
    cell->calls[begin + stored->position] = (struct repeat_call){.position = stored->position,
                                                                 .task = stored->task,
                                                                 .name = copy(stored->name),
                                                                 .what = copy(stored->what),
                                                                 .result = stored->result,
                                                                 .asked = stored->asked,
                                                                 .sum = stored->sum};
    return 0;
}

/* The system calls of each run: counted first, which gives room for them. */
static int repeat_take_calls(struct store *store, struct repeat_case *file,
                             const struct repeat_origins *origins, struct failure *failure)
{
    struct counting_calls counting = {.telling = {file, origins}};
    for (size_t i = 0; i < origins->count; i++) {
        struct repeat_cell *cell = &file->cells[origins->list[i].index];
        if (cell->detail == DETAIL_CALLS)
            cell->call_begins = memory_new(cell->runs + 1, sizeof(*cell->call_begins));
    }
    int error = store_each_call(store, take_call, &counting, failure);
    if (error)
        return error;
    for (size_t i = 0; i < origins->count; i++) {
        struct repeat_cell *cell = &file->cells[origins->list[i].index];
        if (cell->detail != DETAIL_CALLS)
            continue;
        for (size_t run = 0; run < cell->runs; run++)
            cell->call_begins[run + 1] += cell->call_begins[run];
        cell->calls = memory_new(cell->call_begins[cell->runs], sizeof(*cell->calls));
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

static int take_machine(struct load *load)
{
    AUTO_FACTS struct facts facts = {0};
    struct repeat_case *file = load->file;
    struct store_info info = {0};
    int error = store_info(load->store, &info, load->failure);
    if (!error)
        error = store_facts(load->store, &facts, load->failure);
    const char *fingerprint = info.fingerprint;
    while (!error && load->machine < file->machine_count &&
           strcmp(file->machines[load->machine].fingerprint, fingerprint) != 0)
        load->machine++;
    if (!error && load->machine == file->machine_count)
        *memory_add(file->machines, file->machine_count) =
            (struct repeat_machine){.name = loading_machine_name(&facts),
                                    .fingerprint = copy(fingerprint),
                                    .emulated = facts_get(&facts, "emulated") != NULL,
                                    .pmu = facts_get(&facts, "pmu.core") != NULL};
    store_info_release(&info);
    return error;
}

/* --- what is known besides --- */

static int take_subject(void *context, const struct stored_subject *stored)
{
    struct load *load = context;
    *memory_add(load->subjects, load->subject_count) =
        (struct known_subject){copy(stored->name), copy(stored->shows), *stored};
    return 0;
}

static int take_event(void *context, const struct stored_event *stored)
{
    struct load *load = context;
    if (stored->error)
        *memory_add(load->file->absences, load->file->absence_count) = (struct repeat_absence){
            copy(stored->name), copy(stored->reason ? stored->reason : strerror(stored->error)),
            stored->error};
    else
        *memory_add(load->events, load->event_count) =
            (struct known_event){copy(stored->name), copy(stored->class)};
    return 0;
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
    program->subject = count > 0 && strncmp(words[0], SUBJECT_WORD, prefix) == 0;
    program->subject_name = copy(program->subject ? words[0] + prefix : "");
    program->shows = copy("");
    const struct known_subject *known = NULL;
    for (size_t i = 0; program->subject && i < load->subject_count && !known; i++)
        if (strcmp(load->subjects[i].name, program->subject_name) == 0)
            known = &load->subjects[i];
    if (!known)
        return 0;
    program->shows = known->shows;
    program->bits = known->facts.bits;
    program->libc = known->facts.libc;
    program->has_truth =
        count == 2 && read_n(words[1], &n) && predict(&known->facts, n, &program->truth);
    return 0;
}

/* The same name and words are one program, on whichever machine; *index. */
static int find_program(struct load *load, const struct cell_command *command, size_t *index)
{
    struct repeat_case *file = load->file;
    for (*index = 0; *index < file->program_count; ++*index)
        if (strcmp(file->programs[*index].name, command->name) == 0 &&
            strcmp(file->programs[*index].words, command->words) == 0)
            return 0;
    struct repeat_program *program = memory_add(file->programs, file->program_count);
    program->name = copy(command->name);
    program->words = copy(command->words);
    return tell_subject(load, program);
}

/* --- cells --- */

/* What an event claims to count: as its counter says, as the table of events says, or what stands
 * between the slashes of a source's event. */
static char *class_of(const struct load *load, const char *event, const char *stored)
{
    if (stored)
        return copy(stored);
    for (size_t i = 0; i < load->event_count; i++)
        if (strcmp(load->events[i].name, event) == 0)
            return load->events[i].class;
    const char *slash = strchr(event, '/');
    if (strcmp(command_source(event), "perf_event") == 0 || !slash)
        return copy("");
    return memory_format("%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
}

static void take_columns(struct load *load, const struct stored_cell *stored,
                         struct repeat_cell *cell, struct repeat_origin *origin)
{
    const char *source = "perf_event";
    cell->event = memory_new(stored->cell.counters, sizeof(*cell->event));
    cell->class = memory_new(stored->cell.counters, sizeof(*cell->class));
    for (uint32_t column = 0; column < stored->cell.counters; column++) {
        const char *name = stored->cell.events[column];
        origin->columns[column].event = -1;
        origin->columns[column].says = repeat_says(name);
        if (origin->columns[column].says >= 0)
            continue;
        const uint32_t event = cell->events++;
        source = command_source(name);
        origin->columns[column].event = (int)event;
        cell->event[event] = copy(name);
        cell->class[event] = class_of(load, name, stored->counters[column].class);
    }
    cell->source = copy(source);
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
    struct repeat_cell *cell = memory_add(load->file->cells, load->file->cell_count);
    struct repeat_origin *origin = memory_add(load->origins.list, load->origins.count);
    origin->cell = stored->cell.id;
    origin->index = load->file->cell_count - 1;
    origin->counters = stored->cell.counters;
    *cell = (struct repeat_cell){.machine = load->machine,
                                 .program = program,
                                 .controls = command->controls,
                                 .sweep = command->sweep,
                                 .swept = command->swept,
                                 .detail = command->detail,
                                 .failed = stored->failed,
                                 .error = stored->error};
    if (stored->failed)
        cell->reason = copy(stored->reason ? stored->reason : strerror(stored->error));
    take_columns(load, stored, cell, origin);
    return 0;
}

int repeat_load(struct store *store, struct repeat_case *file, struct failure *failure)
{
    struct load load = {.store = store, .file = file, .failure = failure};
    struct telling telling = {file, &load.origins};
    int error = take_machine(&load);
    if (!error)
        error = store_each_subject(store, take_subject, &load, failure);
    if (!error)
        error = store_each_event(store, take_event, &load, failure);
    if (!error)
        error = store_each_cell(store, take_cell, &load, failure);
    if (!error)
        error = repeat_take_runs(store, file, &load.origins, failure);
    if (!error) /* what the first run of a cell executed */
        error = store_each_executed(store, take_function, &telling, failure);
    if (!error)
        error = repeat_take_calls(store, file, &load.origins, failure);
    return error;
}

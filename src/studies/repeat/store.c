/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The store behind `assay repeat`: what goes into it before and with executions, what it does not
 * hold and why, and from its samples to the case that is laid before the judge. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/words.h"
#include "engine/loading.h"
#include "engine/run-store.h"
#include "studies/repeat/parts.h"

int repeat_put(void *kept, struct failure *failure)
{
    struct repeating *run = kept;
    const struct repeat_options *options = repeat_asked(run);
    const struct catalogue *catalogue = run->studying.catalogue;
    struct store *store = run->studying.store;
    int error = tried_put(&run->tried, store, failure);
    for (size_t i = 0; i < catalogue->subject_count && error == 0; i++)
        error = run_store_put_subject(store, &catalogue->subjects[i], failure);
    /* Who asked for some sources, or some events, does not miss the others. */
    if (error == 0 && !options->source.count && !options->event.count)
        error = absences_put(catalogue, "counter", store, failure);
    if (error == 0 && !options->no_subjects)
        error = absences_put(catalogue, "subject", store, failure);
    return error;
}

/* The first cell of the plan is the user's command, as it was begun with. */
static int take_command(void *context, const struct stored_cell *stored)
{
    struct repeating *run = context;
    const struct cell_command *command = &stored->cell.command;
    if (stored->cell.id != 1 || run->joined || !command->words)
        return 0;
    run->joined = memory_copy(command->words);
    run->input = memory_copy(command->input);
    run->directory = memory_copy(command->directory);
    return 0;
}

int repeat_recall(void *kept, struct failure *failure)
{
    struct repeating *run = kept;
    struct store *store = run->studying.store;
    const bool commanded = run->studying.argument_count > 0;
    int error = commanded ? store_each_cell(store, take_command, run, failure) : 0;
    if (error == 0 && commanded && !run->joined)
        error = fail_with(failure, -EINVAL,
                          "the run in %.300s ended before anything was planned: begin another one",
                          store_path(store));
    return error < 0 ? error : tried_recall(&run->tried, store, failure);
}

/* ----------------------------------------------------------------------------------------------
 * What `assay repeat` could not measure: what failed, by the reason, and what the budget did not
 * hold. */

/* --- what failed --- */

static const char endless[] = "it did not end in its time, in which a source slows it down: the "
                              "counts are of a part of it. A "
                              "larger --budget and a longer --timeout give it more";

static void add_failed(const struct repeat_case *file, struct skip_groups *groups)
{
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct repeat_cell *cell = &file->cells[i];
        const char *name = /* "perl by qemu" */
            memory_format("%.120s%s%s%s%s", file->programs[cell->at.program].name,
                          *cell->source ? " by " : "", cell->source,
                          cell->detail != DETAIL_NONE ? ", its " : "",
                          command_detail_names[cell->detail]);
        if (!cell->runs && cell->failed && cell->reason)
            skip_groups_add(groups, name, cell->reason, cell->error, false);
        if (cell->runs && cell->remark)
            skip_groups_add(
                groups, name,
                memory_format("its counts are not of what it executes elsewhere: %s", cell->remark),
                0, false);
        else if (cell->runs && cell->timed_out == cell->runs &&
                 strcmp(cell->source, "perf_event") != 0)
            skip_groups_add(groups, name, endless, 0, false);
    }
}

static void add_absent(const struct repeating *run, struct skip_groups *groups)
{
    const struct skips *skips = &run->studying.skips;
    for (size_t i = 0; i < run->file.absence_count; i++) {
        const struct repeat_absence *absence = &run->file.absences[i];
        bool said = false;
        for (size_t j = 0; j < skips->count && !said; j++)
            said = strcmp(skips->list[j].reason, absence->reason) == 0;
        if (!said)
            skip_groups_add(groups, absence->what, absence->reason, absence->error, false);
    }
}

/* --- what the budget did not hold --- */

/* Was it wished for, could be had, and did not get as much as says something? What waits for
 * something that failed was said with that. */
static bool is_short(const struct repeating *run, size_t wish)
{
    const struct wishes *wishes = &run->studying.wishes;
    const struct repeat_aim *aims = run->plan.aims;
    if (wishes_processes(wishes, wish) >= aims[wish].least)
        return false;
    for (size_t at = wish, steps = 0; at != NO_WISH && steps <= wishes->count;
         at = wishes->list[at].after, steps++)
        if (aims[at].dropped || wishes_is_failing(wishes, at))
            return false;
    return true;
}

/* Controlled executions of programs by the sources' names, of the other stages how many settings.
 */
static void tell_budget(struct repeating *run)
{
    static const char few[] = "in fewer executions than wanted, so less certain: give a larger "
                              "--budget";
    const struct wishes *wishes = &run->studying.wishes;
    const struct repeat_plan *plan = &run->plan;
    struct skip_groups groups = {0};
    size_t counts[REPEAT_STAGES][2] = {0}; /* of what has no execution, and of what has too few */
    for (size_t i = 0; i < wishes->count; i++) {
        const struct repeat_aim *aim = &plan->aims[i];
        const bool some = wishes_processes(wishes, i) > 0;
        if (!is_short(run, i))
            continue;
        counts[aim->stage][some]++;
        if (aim->stage == REPEAT_SETTINGS && aim->source != REPEAT_PLAIN &&
            aim->controls == run->study.controls)
            skip_groups_add(&groups,
                            memory_format("%.160s by %s", plan->programs[aim->program].name,
                                          plan->sources[aim->source].name),
                            some ? few
                                 : "the budget did not suffice: give a larger --budget, or name "
                                   "sources with --source",
                            0, false);
    }
    skip_groups_close(&groups, &run->studying.skips);
    for (unsigned stage = REPEAT_SETTINGS + 1; stage < REPEAT_STAGES; stage++)
        for (int some = 0; some < 2; some++)
            if (counts[stage][some])
                skips_add(&run->studying.skips,
                          memory_format("%s (%zu setting%s)", repeat_stage_names[stage],
                                        counts[stage][some], counts[stage][some] == 1 ? "" : "s"),
                          some ? few
                               : "not measured: the budget did not suffice, give a larger --budget",
                          0);
}

void repeat_collect_skips(struct repeating *run)
{
    struct skip_groups groups = {0}, absent = {.for_programs = true};
    add_failed(&run->file, &groups);
    if (finish_is_for_programs(&run->studying.given->common))
        add_absent(run, &absent);
    skip_groups_close(&groups, &run->studying.skips);
    skip_groups_close(&absent, &run->studying.skips);
    /* Of what a user interrupted, and of what was given up, the budget says nothing. */
    if (run->studying.session && run->studying.store && run->studying.complete)
        tell_budget(run);
}

/* ----------------------------------------------------------------------------------------------
 * What executions send beside counts: system calls and what was executed go into the store with
 * their visit, what the program writes to standard error. */

static int take_call(void *context, const struct sent_call *call, struct failure *failure)
{
    const struct repeating *run = context;
    const struct stored_call stored = {.cell = call->cell,
                                       .process = call->process,
                                       .position = call->position,
                                       .task = call->task,
                                       .name = call->name,
                                       .what = call->what,
                                       .result = call->result,
                                       .asked = call->asked,
                                       .sum = call->sum};
    return store_put_call(run->studying.store, &stored, failure);
}

static int take_ran(void *context, const struct sent_ran *ran, struct failure *failure)
{
    struct repeating *run = context;
    if (!run->executed)
        executed_new(&run->executed, run->studying.catalogue->isa);
    run->ran = true;
    return executed_add(run->executed, ran, failure);
}

/* What a visit that failed had executed says nothing: its sums are forgotten with it. */
static int end_visit(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                     struct failure *failure)
{
    struct repeating *run = context;
    const bool ran = run->ran;
    (void)cell, (void)process;
    run->showing = run->ran = false;
    if (ran && state == VISIT_DONE)
        return executed_store(run->executed, run->studying.store, false, false, failure);
    if (ran) {
        executed_free(run->executed);
        run->executed = NULL;
    }
    return 0;
}

/* The report goes to standard output, so this does not. */
static void pass_on(void *context, int stream, const char *bytes, size_t length)
{
    const struct repeating *run = context;
    (void)stream;
    while (run->showing && repeat_asked(run)->show_output && length) {
        const ssize_t written = write(STDERR_FILENO, bytes, length);
        if (written < 0 && errno != EINTR)
            return;
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* ----------------------------------------------------------------------------------------------
 * How `assay repeat` spends its time: after each portion it learns what programs do, and gives up
 * those that cannot be started or never end. */

#define PORTIONS       8u
#define BRIEF_PORTIONS 6u
#define RESERVE_MS     1500u

static int learn(void *context)
{
    struct repeating *run = context;
    struct failure failure = {0};
    return repeat_plan_learn(&run->plan, run->studying.store, &failure) < 0
               ? deliver_failure("repeat", &failure, EXIT_FAILED)
               : EXIT_DONE;
}

static bool further(void *context)
{
    return repeat_plan_further(&((struct repeating *)context)->plan);
}

int repeat_measure(void *kept)
{
    struct repeating *run = kept;
    const struct gather_beside beside = {
        .context = run, .ran = take_ran, .call = take_call, .ending = end_visit, .output = pass_on};
    const struct pacing pacing = {.all = "all executions",
                                  .stage_names = repeat_stage_names,
                                  .stages = 0, /* repeat_collect_skips has more to say */
                                  .unit = "setting",
                                  .longer = "give a larger --budget",
                                  .reserve = RESERVE_MS,
                                  .portions = run->study.quick ? BRIEF_PORTIONS : PORTIONS,
                                  .dearest_last = true,
                                  .beside = &beside,
                                  .between = learn,
                                  .further = further};
    return study_measure(&run->studying, &pacing);
}

/* "" of nothing */
static char *copy(const char *text)
{
    return memory_copy(text ? text : "");
}

/* A subject, or the class of an event, as this store tells it. */
struct known_subject {
    char *name, *shows;
    struct stored_subject facts; /* its texts are not used */
};
struct known_event {
    char *name, *class;
};

/* Where a cell of the case comes from. */
struct origin {
    uint32_t cell; /* its id in the store */
    /* of each column: the event in the case, or what it says of the run */
    struct {
        int event; /* -1: none */
        int says;  /* index of a column run/…/; -1: none */
    } columns[CELL_MAX_COUNTERS];
    struct watched {
        struct repeat_call *list;
        size_t count;
    } * watched; /* [run]: its system calls */
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
    size_t first;           /* of the case's cells that this store adds */
    struct origin *origins; /* [origin_count] of these, in rising order of their ids */
    size_t origin_count;
};

/* ----------------------------------------------------------------------------------------------
 * Executions, in the order in which they were made: each is one run, of which columns run/…/ tell
 * what was not counted. */

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

/* Which of these an event is; -1: none. */
static int says(const char *event)
{
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
        if (strcmp(said[i].event, event) == 0)
            return (int)i;
    return -1;
}

static int take_run(void *context, const struct read_run *read)
{
    const struct load *load = context;
    const struct origin *origin = &load->origins[read->place];
    struct repeat_cell *cell = &load->file->cells[load->first + read->place];
    const size_t at = cell->runs * cell->events, room = cell->events + 1;
    cell->counts = memory_room(cell->counts, cell->runs, room * sizeof(*cell->counts));
    cell->scheduled = memory_room(cell->scheduled, cell->runs, room * sizeof(*cell->scheduled));
    struct repeat_run *run = memory_add(cell->list, cell->runs);
    run->process = read->process;
    run->account = read->account;
    for (uint32_t column = 0; column < read->counters; column++) {
        const uint64_t enabled = read->enabled[column], running = read->running[column];
        const int event = origin->columns[column].event, say = origin->columns[column].says;
        if (event >= 0) {
            cell->counts[at + (size_t)event] = read->values[column];
            /* The share of the time in which it counted; what executes has no other. */
            cell->scheduled[at + (size_t)event] = !enabled ? strcmp(cell->source, "perf_event") != 0
                                                  : running >= enabled
                                                      ? 1
                                                      : (double)running / (double)enabled;
        }
        /* What could not be known was not running. */
        if (say >= 0 && (running || !enabled)) {
            memcpy((char *)run + said[say].offset, &read->values[column], sizeof(*read->values));
            run->has_interrupts |= said[say].offset == offsetof(struct repeat_run, interrupts);
        }
    }
    cell->timed_out += run->status >= STATUS_TIMEOUT;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What executions told beside counts: functions of the first one of a cell, and the system calls
 * of all. The store has them by process, the case by the order in which the runs were made. */

/* Of the case; NULL: none. */
static struct repeat_cell *find_cell(const struct load *load, uint32_t id, struct origin **origin)
{
    size_t low = 0, high = load->origin_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (load->origins[middle].cell < id)
            low = middle + 1;
        else
            high = middle;
    }
    *origin = &load->origins[low];
    return low < load->origin_count && load->origins[low].cell == id
               ? &load->file->cells[load->first + low]
               : NULL;
}

static int take_function(void *context, const struct stored_executed *executed)
{
    struct origin *origin;
    struct repeat_cell *cell = find_cell(context, executed->cell, &origin);
    if (cell && cell->runs && cell->detail == DETAIL_CODE &&
        cell->list[0].process == executed->process && strcmp(executed->kind, "function") == 0)
        *memory_add(cell->functions, cell->function_count) = (struct repeat_executed){
            copy(executed->object), copy(executed->name), executed->count, executed->repetitions};
    return 0;
}

static int load_call(void *context, const struct stored_call *stored)
{
    struct origin *origin;
    const struct repeat_cell *cell = find_cell(context, stored->cell, &origin);
    size_t run = 0;
    if (!cell || cell->detail != DETAIL_CALLS)
        return 0;
    while (run < cell->runs && cell->list[run].process != stored->process)
        run++;
    if (run == cell->runs)
        return 0;
    if (!origin->watched)
        origin->watched = memory_new(cell->runs, sizeof(*origin->watched));
    *memory_add(origin->watched[run].list, origin->watched[run].count) =
        (struct repeat_call){.position = stored->position,
                             .task = stored->task,
                             .name = copy(stored->name),
                             .what = copy(stored->what),
                             .result = stored->result,
                             .asked = stored->asked,
                             .sum = stored->sum};
    return 0;
}

/* Calls of all runs become one list. */
static void join_calls(const struct load *load)
{
    for (size_t i = 0; i < load->origin_count; i++) {
        struct repeat_cell *cell = &load->file->cells[load->first + i];
        const struct watched *watched = load->origins[i].watched;
        if (cell->detail != DETAIL_CALLS)
            continue;
        size_t *begins = cell->call_begins = memory_new(cell->runs + 1, sizeof(*begins));
        for (size_t run = 0; run < cell->runs; run++)
            begins[run + 1] = begins[run] + (watched ? watched[run].count : 0);
        cell->calls = memory_new(begins[cell->runs], sizeof(*cell->calls));
        for (size_t run = 0; watched && run < cell->runs; run++)
            if (watched[run].count)
                memcpy(cell->calls + begins[run], watched[run].list,
                       watched[run].count * sizeof(*cell->calls));
    }
}

/* ----------------------------------------------------------------------------------------------
 * The machine, what could not be had, the programs with what is known of subjects, and their cells.
 */

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
                                    .emulated = facts_get(&facts, "emulated") != NULL};
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
static bool truth_of(const struct stored_subject *subject, uint64_t n, int64_t *truth)
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
    program->has_truth =
        count == 2 && read_n(words[1], &n) && truth_of(&known->facts, n, &program->truth);
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
                         struct repeat_cell *cell, struct origin *origin)
{
    const char *source = "perf_event";
    cell->event = memory_new(stored->cell.counters, sizeof(*cell->event));
    cell->class = memory_new(stored->cell.counters, sizeof(*cell->class));
    for (uint32_t column = 0; column < stored->cell.counters; column++) {
        const char *name = stored->cell.events[column];
        origin->columns[column].event = -1;
        origin->columns[column].says = says(name);
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

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
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
    *place = load->origin_count;
    struct origin *origin = memory_add(load->origins, load->origin_count);
    origin->cell = stored->cell.id;
    *cell = (struct repeat_cell){.at = {load->machine, program},
                                 .controls = command->controls,
                                 .sweep = command->sweep,
                                 .swept = command->swept,
                                 .detail = command->detail,
                                 .failed = stored->failed,
                                 .error = stored->error};
    if (stored->failed)
        cell->reason = copy(stored->reason ? stored->reason : strerror(stored->error));
    cell->remark = memory_copy(stored->remark);
    take_columns(load, stored, cell, origin);
    return 0;
}

int repeat_load(struct store *store, struct repeat_case *file, struct failure *failure)
{
    struct load load = {
        .store = store, .file = file, .failure = failure, .first = file->cell_count};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &load,
                            .cell = take_cell,
                            .run = take_run,
                            .strict = true,
                            .run_word = "execution",
                            .counter_word = "column"};
    int error = take_machine(&load);
    if (!error)
        error = store_each_subject(store, take_subject, &load, failure);
    if (!error)
        error = store_each_event(store, take_event, &load, failure);
    if (!error)
        error = reader_read(&reader);
    if (!error)
        error = store_each_executed(store, take_function, &load, failure);
    if (!error)
        error = store_each_call(store, load_call, &load, failure);
    if (!error)
        join_calls(&load);
    return error;
}

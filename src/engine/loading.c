/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * On the way from stores to cases: what all loaders do alike. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/loading.h"

/* ----------------------------------------------------------------------------------------------
 * The reader. */

struct read_cell {
    uint32_t id, runs, counters;
    size_t place;
};

struct read_visit {
    struct visit visit;
    bool done; /* it ended well */
};

struct reading_on {
    struct reader *reader;
    struct read_cell *cells; /* by id */
    size_t cell_count;
    struct read_visit *visits; /* that are wanted, as they come */
    size_t visit_count, next;
    /* --- the visit under way --- */
    const struct read_cell *cell; /* NULL: none that is wanted */
    struct visit visit;
    bool began;
    uint32_t run, counter; /* the next to come */
    uint64_t values[CELL_MAX_COUNTERS], enabled[CELL_MAX_COUNTERS], running[CELL_MAX_COUNTERS];
    struct account account;
};

static int note_cell(void *context, const struct stored_cell *stored)
{
    struct reading_on *on = context;
    struct read_cell *cell = memory_add(on->cells, on->cell_count);
    *cell = (struct read_cell){stored->cell.id, stored->cell.runs, stored->cell.counters, READ_NOT};
    return on->reader->cell(on->reader->context, stored, &cell->place);
}

static const struct read_cell *find_cell(const struct reading_on *on, uint32_t id)
{
    size_t low = 0, high = on->cell_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (on->cells[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < on->cell_count && on->cells[low].id == id && on->cells[low].place != READ_NOT
               ? &on->cells[low]
               : NULL;
}

static int note_visit(void *context, const struct stored_visit *stored)
{
    struct reading_on *on = context;
    if (find_cell(on, stored->visit.cell))
        *memory_add(on->visits, on->visit_count) =
            (struct read_visit){stored->visit, stored->state == VISIT_DONE};
    return 0;
}

/* A read_visit begins with its visit. */
static int by_cell(const void *one, const void *other)
{
    const struct visit *left = one, *right = other;
    return left->cell != right->cell         ? (left->cell > right->cell ? 1 : -1)
           : left->process != right->process ? (left->process > right->process ? 1 : -1)
                                             : 0;
}

static int damaged(const struct reading_on *on, const struct visit *visit, const char *what)
{
    const struct reader *reader = on->reader;
    return fail_with(reader->failure, -EBADMSG,
                     "the store %.300s is damaged: process %u of cell %u has %s (%s %u, %s %u). "
                     "Take a copy you trust.",
                     store_path(reader->store), visit->process, visit->cell, what,
                     reader->run_word ? reader->run_word : "run", on->run,
                     reader->counter_word ? reader->counter_word : "counter", on->counter);
}

static int end_visit(struct reading_on *on)
{
    const struct reader *reader = on->reader;
    const struct read_cell *cell = on->cell;
    on->cell = NULL;
    if (!cell)
        return 0;
    if (reader->strict && (on->counter || !on->run))
        return damaged(on, &on->visit, "a run that is not whole");
    return reader->end ? reader->end(reader->context, cell->place, on->visit.process) : 0;
}

static int begin_visit(struct reading_on *on, const struct visit *visit)
{
    const struct reader *reader = on->reader;
    int error = end_visit(on);
    on->visit = *visit;
    on->began = true;
    on->run = on->counter = 0;
    const struct read_cell *cell = find_cell(on, visit->cell);
    if (error || !cell)
        return error;
    for (; on->next < on->visit_count; on->next++) {
        const struct read_visit *noted = &on->visits[on->next];
        if (by_cell(noted, visit) == 0)
            break;
        if (reader->strict && noted->done)
            return damaged(on, &noted->visit, "no run");
    }
    if (on->next == on->visit_count)
        return damaged(on, visit, "samples out of the order of its visit");
    if (!on->visits[on->next++].done)
        return 0;
    on->cell = cell;
    return reader->begin ? reader->begin(reader->context, cell->place, visit->process) : 0;
}

static int note_sample(void *context, const struct sample *sample)
{
    struct reading_on *on = context;
    const struct reader *reader = on->reader;
    const struct visit visit = {sample->cell, sample->process};
    int error = on->began && by_cell(&visit, &on->visit) == 0 ? 0 : begin_visit(on, &visit);
    const struct read_cell *cell = on->cell;
    if (error || !cell)
        return error;
    if (sample->run >= cell->runs) {
        char what[80];
        snprintf(what, sizeof(what), "more %ss than were planned",
                 reader->run_word ? reader->run_word : "run");
        return damaged(on, &visit, what);
    }
    if (sample->counter >= cell->counters)
        return damaged(on, &visit, "a value of a counter that its cell does not have");
    if (sample->run != on->run || sample->counter != on->counter)
        return damaged(on, &visit,
                       "a gap before this value, so that it is not known what it is of");
    on->values[sample->counter] = sample->value;
    on->enabled[sample->counter] = sample->enabled;
    on->running[sample->counter] = sample->running;
    if (sample->counter == 0)
        on->account = sample->account;
    if (++on->counter < cell->counters)
        return 0;
    const struct read_run run = {cell->place, sample->process, on->run++,   cell->counters,
                                 on->values,  on->enabled,     on->running, on->account};
    on->counter = 0;
    return reader->run ? reader->run(reader->context, &run) : 0;
}

/* Where some cells are not wanted, their samples are not read either. */
static int read_by_cell(struct reading_on *on)
{
    const struct reader *reader = on->reader;
    size_t wanted = 0;
    int error = 0;
    for (size_t i = 0; i < on->cell_count; i++)
        wanted += on->cells[i].place != READ_NOT;
    if (wanted == on->cell_count)
        return store_each_sample(reader->store, 0, note_sample, on, reader->failure);
    for (size_t i = 0; i < on->cell_count && error == 0; i++)
        if (on->cells[i].place != READ_NOT)
            error =
                store_each_sample(reader->store, on->cells[i].id, note_sample, on, reader->failure);
    return error;
}

int reader_read(struct reader *reader)
{
    struct reading_on on = {.reader = reader};
    int error = store_each_cell(reader->store, note_cell, &on, reader->failure);
    if (error == 0)
        error = store_each_visit(reader->store, note_visit, &on, reader->failure);
    if (error == 0 && reader->by_cell && on.visit_count)
        qsort(on.visits, on.visit_count, sizeof(*on.visits), by_cell);
    if (error == 0 && on.visit_count)
        error = reader->by_cell
                    ? read_by_cell(&on)
                    : store_scan_samples(reader->store, note_sample, &on, reader->failure);
    if (error == 0)
        error = end_visit(&on);
    for (; error == 0 && reader->strict && on.next < on.visit_count; on.next++)
        if (on.visits[on.next].done)
            error = damaged(&on, &on.visits[on.next].visit, "no run");
    memory_give_back(on.visits);
    memory_give_back(on.cells);
    return error;
}

struct each_absence {
    store_event_each *each;
    void *context;
};

static int note_event(void *context, const struct stored_event *event)
{
    const struct each_absence *absence = context;
    struct stored_event told = *event;
    if (!event->reason)
        told.reason = strerror(event->error);
    return event->error ? absence->each(absence->context, &told) : 0;
}

int reader_each_absence(struct store *store, store_event_each *each, void *context,
                        struct failure *failure)
{
    struct each_absence absence = {each, context};
    return store_each_event(store, note_event, &absence, failure);
}

/* ----------------------------------------------------------------------------------------------
 * The kind of a core, read from the fact pmu.cpus: "cpu_core=0-7,16 cpu_atom=8-15". */

/* Is the number in "0-7,16"? What is no such list holds nothing. */
static bool list_holds(const char *list, size_t length, int32_t cpu)
{
    const char *end = list + length;
    while (list < end) {
        char *after;
        long first = strtol(list, &after, 10), last = first;
        if (after == list)
            return false;
        if (after < end && *after == '-') {
            const char *number = after + 1;
            last = strtol(number, &after, 10);
            if (after == number)
                return false;
        }
        if (cpu >= first && cpu <= last)
            return true;
        list = after < end && *after == ',' ? after + 1 : end;
    }
    return false;
}

void core_type(const struct facts *facts, int32_t cpu, char *name, size_t size)
{
    const char *covers = facts_get(facts, "pmu.cpus");
    name[0] = '\0';
    if (!covers || cpu < 0 || !strchr(covers, ' '))
        return;
    for (const char *at = covers; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " "), word = strcspn(at, "= ");
        if (word < length && list_holds(at + word + 1, length - word - 1, cpu)) {
            snprintf(name, size, "%.*s", (int)word, at);
            return;
        }
        at += length;
    }
}

#define MOST_CPUS 8192

int32_t core_last(const struct facts *facts)
{
    const char *allowed = facts_get(facts, "cpu.allowed");
    char first[64] = "", kind[64];
    for (int32_t cpu = 0; allowed && cpu < MOST_CPUS && !*first; cpu++)
        core_type(facts, cpu, first, sizeof(first));
    for (int32_t cpu = MOST_CPUS - 1; allowed && cpu >= 0; cpu--) {
        if (!list_holds(allowed, strlen(allowed), cpu))
            continue;
        core_type(facts, cpu, kind, sizeof(kind));
        if (strcmp(kind, first) == 0)
            return cpu;
    }
    return -1;
}

int32_t *core_allowed(const struct facts *facts, size_t *count)
{
    const char *allowed = facts_get(facts, "cpu.allowed");
    int32_t *cpus = NULL;
    *count = 0;
    for (int32_t cpu = 0; allowed && cpu < MOST_CPUS; cpu++)
        if (list_holds(allowed, strlen(allowed), cpu))
            *memory_add(cpus, *count) = cpu;
    return cpus;
}

/* ----------------------------------------------------------------------------------------------
 * Reads the mode from an event's name. */

const char *event_mode(const char *name)
{
    const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
    const char *last = !colon || (slash && slash > colon) ? slash : colon;
    if (!last || !last[1] || last[1 + strspn(last + 1, "ukhGHIDe")])
        return NULL;
    return last + 1;
}

char *event_in_user_mode(const char *name)
{
    const size_t length = strlen(name);
    return memory_format("%s%s", name, length && name[length - 1] == '/' ? "u" : ":u");
}

bool event_counts_user_only(const char *name)
{
    const char *mode = event_mode(name);
    return mode && strchr(mode, 'u') && !strchr(mode, 'k') && !strchr(mode, 'h');
}

bool event_counts_beyond_specimen(const char *kind, const char *name)
{
    static const char *const processor_kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(processor_kinds) / sizeof(processor_kinds[0]); i++) {
        if (strcmp(kind, processor_kinds[i]) == 0)
            return !event_counts_user_only(name);
    }
    return false;
}

bool event_counts_interrupts(const char *name)
{
    return strncmp(name, "irq:", 4) == 0 || strncmp(name, "irq_vectors:", 12) == 0;
}

/* ----------------------------------------------------------------------------------------------
 * Reads lists of short words. */

bool word_list_next(const char **list, char word[WORD_LIST_WORD])
{
    while (**list) {
        size_t length = strcspn(*list, ",");
        bool fits = length > 0 && length < WORD_LIST_WORD;
        if (fits) {
            memcpy(word, *list, length);
            word[length] = '\0';
        }
        *list += length + ((*list)[length] == ',');
        if (fits)
            return true;
    }
    return false;
}

bool word_list_has(const char *list, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = list; *at;) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, wanted, length) == 0)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

const char *word_list_prefer(const char *list, const char *preferred, char word[WORD_LIST_WORD])
{
    if (word_list_has(list, preferred) || !word_list_next(&list, word))
        strcpy(word, preferred);
    return word;
}

/* ----------------------------------------------------------------------------------------------
 * On the way from stores to cases: what all loaders do alike. */

char *loading_machine_name(const struct facts *facts)
{
    const char *cpu = facts_get(facts, "cpu.model_name"), *isa = facts_get(facts, "isa");
    return memory_format("%s%s%s%s", cpu ? cpu : "unnamed CPU", isa ? " (" : "", isa ? isa : "",
                         isa ? ")" : "");
}

int loading_same_kit(const struct store *store, const char *of_store, char **kit, const char *why,
                     struct failure *failure)
{
    if (!of_store || (*kit && strcmp(*kit, of_store) == 0))
        return 0;
    if (!*kit || !**kit) {
        *kit = memory_copy(of_store);
        return 0;
    }
    return fail_with(failure, -EINVAL,
                     "the store %.300s was measured on the same machine by another build of the "
                     "harnesses: %s. Judge the stores one by one.",
                     store_path(store), why);
}
